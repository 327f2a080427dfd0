// The pair table alone: the lists of a body's pairs while pairs are added and removed.

#include "engine/contacts/contact_table.h"

#include "tests/engine/worlds.h"

#include <algorithm>
#include <utility>

using namespace talus;
using namespace talus::test;

TEST_CASE("a body's list holds its pairs and those with fixed and kinematic bodies come first") {
    BodyStore bodies;
    constexpr std::uint32_t count = 24;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t slot = bodies.allocate();
        bodies[slot].type = i % 4 == 0 ? BodyType::fixed : i % 4 == 1 ? BodyType::kinematic : BodyType::dynamic;
    }
    ContactTable table;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
    Random random(3);
    int mixed_lists = 0;
    for (int round = 0; round < 4000; ++round) {
        const auto a = random.below(count);
        const auto b = random.below(count);
        if (a == b || (!bodies[a].is_dynamic() && !bodies[b].is_dynamic())) continue;
        const std::uint32_t p = table.find_pair(bodies, a, b);
        const std::pair<std::uint32_t, std::uint32_t> both = std::minmax(a, b);
        const auto at = std::find(known.begin(), known.end(), both);
        REQUIRE((p != null_index) == (at != known.end()));
        if (p == null_index) {
            table.begin_pair(bodies, a, b);
            known.push_back(both);
        } else {
            table.end_pair(bodies, p);
            known.erase(at);
        }
        for (int side = 0; side < 2; ++side) {
            const std::uint32_t body = side == 0 ? a : b;
            std::vector<std::uint32_t> others, expected;
            for_each_pair(table, bodies, body,
                          [&](std::uint32_t pair) { others.push_back(other_body(table.pairs[pair], body)); });
            REQUIRE(others.size() == bodies[body].pair_count);
            REQUIRE(std::is_partitioned(others.begin(), others.end(),
                                        [&](std::uint32_t other) { return !bodies[other].is_dynamic(); }));
            const auto still = std::count_if(others.begin(), others.end(),
                                             [&](std::uint32_t other) { return !bodies[other].is_dynamic(); });
            mixed_lists += still > 1 && others.size() > static_cast<std::size_t>(still) + 1 ? 1 : 0;
            for (const auto& [low, high] : known) {
                if (low == body) expected.push_back(high);
                if (high == body) expected.push_back(low);
            }
            std::sort(others.begin(), others.end());
            std::sort(expected.begin(), expected.end());
            REQUIRE(others == expected);
        }
    }
    CHECK(table.live_pairs() == known.size());
    CHECK(mixed_lists > 100);
}
