/// The inputs that once made a fuzz target complain, and a few thousand seeded random ones, through the same functions
/// that libFuzzer runs.

#include "tests/fuzz/targets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace talus::fuzz;

#ifdef NDEBUG
constexpr int random_inputs = 1000;
#else
constexpr int random_inputs = 100;
#endif

void replay(const Target& target) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path("tests/fuzz/corpus") / target.name))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    CHECK(!files.empty());
    for (const auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        const std::vector<std::uint8_t> input{std::istreambuf_iterator<char>(file), {}};
        const std::string complaint = target.run(input);
        CHECK_MESSAGE(complaint.empty(), path.string(), "\n", complaint);
    }
}

/// xorshift; most bytes small, since those choose the favourite numbers.
void run_random_inputs(const Target& target) {
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    const auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state >> 11;
    };
    for (int i = 0; i < random_inputs; ++i) {
        std::vector<std::uint8_t> input(20 + next() % 120);
        for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(next() % (next() % 4 == 0 ? 256 : 128));
        const std::string complaint = target.run(input);
        CHECK_MESSAGE(complaint.empty(), target.name, ", random input ", i, "\n", complaint);
    }
}

}  // namespace

TEST_CASE("inputs on which the collide fuzzer once failed pass") { replay(targets[0]); }
TEST_CASE("inputs on which the hull fuzzer once failed pass") { replay(targets[1]); }
TEST_CASE("inputs on which the cast fuzzer once failed pass") { replay(targets[2]); }
TEST_CASE("inputs on which the broadphase fuzzer once failed pass") { replay(targets[3]); }
TEST_CASE("inputs on which the world fuzzer once failed pass" * doctest::test_suite("slow")) { replay(targets[4]); }
TEST_CASE("inputs on which the mesh fuzzer once failed pass") { replay(targets[5]); }
TEST_CASE("inputs on which the load fuzzer once failed pass") { replay(targets[6]); }
TEST_CASE("inputs on which the mapping fuzzer once failed pass") { replay(targets[7]); }

TEST_CASE("random bytes make every fuzz target content") {
    for (const Target& target : targets) run_random_inputs(target);
}
