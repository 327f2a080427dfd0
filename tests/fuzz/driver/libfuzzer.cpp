/// libFuzzer's entry for one target, named by TALUS_FUZZ_TARGET: a complaint is a crash. Complaints that hold one of
/// the texts of the environment variable TALUS_FUZZ_KNOWN ("this|that") are let pass, so that one known failure does
/// not stand in the way of the next.

#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

bool is_known(const std::string& complaint) {
    const char* variable = std::getenv("TALUS_FUZZ_KNOWN");
    std::string texts = variable != nullptr ? variable : "";
    while (!texts.empty()) {
        const std::size_t end = std::min(texts.find('|'), texts.size());
        if (end > 0 && complaint.find(texts.substr(0, end)) != std::string::npos) return true;
        texts.erase(0, end + 1);
    }
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string complaint = talus::fuzz::TALUS_FUZZ_TARGET({data, size});
    if (complaint.empty() || is_known(complaint)) return 0;
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
}
