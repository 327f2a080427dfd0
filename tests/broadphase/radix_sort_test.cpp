#include "broadphase/pairs/radix_sort.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus::detail;
using namespace talus::test;

TEST_CASE("radix sort orders keys as a stable comparison sort does") {
    Random random(1);
    for (const std::size_t count : {0u, 1u, 2u, 255u, 256u, 257u, 5000u}) {
        for (const unsigned first_bit : {0u, 32u}) {
            for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff000000ff}, std::uint64_t{0}}) {
                std::vector<std::uint64_t> keys(count), scratch;
                for (std::uint64_t& key : keys) key = random.bits() & mask;
                std::vector<std::uint64_t> expected = keys;
                std::stable_sort(expected.begin(), expected.end(),
                                 [&](std::uint64_t a, std::uint64_t b) { return a >> first_bit < b >> first_bit; });
                radix_sort(keys, scratch, first_bit);
                CHECK(keys == expected);
            }
        }
    }
}
