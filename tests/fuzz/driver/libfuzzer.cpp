/// libFuzzer's entry for one target, named by TALUS_FUZZ_TARGET: a complaint is a crash.

#include "tests/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string complaint = talus::fuzz::TALUS_FUZZ_TARGET({data, size});
    if (complaint.empty()) return 0;
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
}
