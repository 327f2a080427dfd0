#include "oracle.h"

#include <talus/broadphase/pair_table.h>
#include <talus/broadphase/radix_sort.h>

#include <limits>

using namespace talus;
using namespace talus::test;

TEST_CASE("radix sort orders keys as a stable comparison sort does") {
    Random random(1);
    for (const std::size_t count : {0u, 1u, 2u, 255u, 256u, 257u, 5000u}) {
        for (const unsigned first_bit : {0u, 32u}) {
            for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff000000ff}, std::uint64_t{0}}) {
                std::vector<std::uint64_t> keys(count), scratch;
                for (std::uint64_t& key : keys) key = random.bits() & mask;
                std::vector<std::uint64_t> expected = keys;
                std::ranges::stable_sort(expected, {}, [&](std::uint64_t key) { return key >> first_bit; });
                radix_sort(keys, scratch, first_bit);
                CHECK(keys == expected);
            }
        }
    }
}

TEST_CASE("ordered bits order floats") {
    const float ascending[] = {
        -std::numeric_limits<float>::max(), -2.0f, -1.0f, -1e-40f, 0.0f, 1e-40f, 0.5f, 1.0f, 3e38f};
    for (std::size_t i = 1; i < std::size(ascending); ++i)
        CHECK(ordered_bits(ascending[i - 1]) < ordered_bits(ascending[i]));
}

TEST_CASE("the pair table holds what was put in, through growth, erasure and shrinking") {
    Random random(2);
    PairTable table;
    std::set<PairTable::Key> model;
    CHECK_FALSE(table.contains(PairTable::key_of(0, 1)));
    std::size_t largest = 0;
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t proxies = 60;
        const bool growing = round % 40 < 25;
        for (int i = 0; i < 60; ++i) {
            const ProxyIndex a = random.below(proxies), b = random.below(proxies);
            if (a == b) continue;
            const PairTable::Key key = PairTable::key_of(a, b);
            CHECK(table.contains(key) == model.contains(key));
            if (growing && !model.contains(key)) {
                table.reserve(table.size() + 1, proxies);
                table.insert(key);
                model.insert(key);
            } else if (!growing && model.contains(key)) {
                table.erase(key);
                model.erase(key);
            }
        }
        if (round % 40 == 39) {
            while (model.size() > 5) table.erase(*model.begin()), model.erase(model.begin());
            table.reserve(0, proxies);
            CHECK(table.bytes() < largest);
        }
        largest = std::max(largest, table.bytes());
        REQUIRE(table.size() == model.size());
        std::set<PairTable::Key> in_slots;
        for (const PairTable::Key key : table.slots()) {
            if (key != PairTable::no_key) in_slots.insert(key);
        }
        REQUIRE(in_slots == model);
        for (ProxyIndex p = 0; p < proxies; ++p) {
            std::set<PairTable::Key> listed, expected;
            std::size_t steps = 0;
            table.for_each_of(p, [&](PairTable::Key key) { listed.insert(key), ++steps; });
            for (const PairTable::Key key : model) {
                if (PairTable::pair_of(key).a == p || PairTable::pair_of(key).b == p) expected.insert(key);
            }
            REQUIRE(listed == expected);
            REQUIRE(steps == expected.size());
        }
    }
}
