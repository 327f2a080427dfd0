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

TEST_CASE("contacts stay in the lists of their pair and mesh contact, and never move in memory") {
    BodyStore bodies;
    for (int i = 0; i < 3; ++i) bodies[bodies.allocate()].type = BodyType::dynamic;
    Colliders colliders;
    colliders.resize(2);
    colliders.shapes[0] = colliders.shapes[1] = sphere(1.0f);
    ContactTable table;
    const std::uint32_t pairs[] = {table.begin_pair(bodies, 0, 1), table.begin_pair(bodies, 0, 2)};
    std::vector<std::uint32_t> meshes;
    for (const std::uint32_t p : pairs) {
        for (std::uint32_t shape = 0; shape < 3; ++shape)
            meshes.push_back(table.find_or_add_mesh_contact(p, shape, 0, 7, table.pairs[p].body[1]));
    }
    std::vector<std::uint32_t> known[2], known_by_mesh[6];  // the newest ones first
    const auto drop = [](std::vector<std::uint32_t>& list, std::uint32_t c) {
        list.erase(std::find(list.begin(), list.end(), c));
    };
    Random random(4);
    const PairCache* first_cache = nullptr;
    for (int round = 0; round < 6000; ++round) {
        const std::uint32_t side = random.below(2);
        if (random.below(5) != 0) {
            const std::uint32_t c = table.add_contact(pairs[side], colliders, 0, 0, 1, side + 1);
            known[side].insert(known[side].begin(), c);
            if (first_cache == nullptr) first_cache = &table.caches[c];
            const std::uint32_t mesh = random.below(4);
            if (mesh == 3) continue;  // a contact of two convex shapes
            table.put_in_mesh_contact(c, meshes[3 * side + mesh]);
            known_by_mesh[3 * side + mesh].insert(known_by_mesh[3 * side + mesh].begin(), c);
        } else if (!known[side].empty()) {
            const std::uint32_t c = known[side][random.below(static_cast<std::uint32_t>(known[side].size()))];
            for (std::uint32_t k = 0; k < 6; ++k) {
                if (table.states[c].mesh_contact == meshes[k]) drop(known_by_mesh[k], c);
            }
            drop(known[side], c);
            table.remove_contact(c);
        }
        if (round % 50 != 0) continue;
        std::vector<std::uint32_t> found;
        for (std::uint32_t s = 0; s < 2; ++s) {
            found.clear();
            for_each_contact(table, pairs[s], [&](std::uint32_t c) { found.push_back(c); });
            REQUIRE(found == known[s]);
        }
        for (std::uint32_t k = 0; k < 6; ++k) {
            found.clear();
            for_each_contact_of_mesh(table, meshes[k], [&](std::uint32_t c) { found.push_back(c); });
            REQUIRE(found == known_by_mesh[k]);
        }
    }
    CHECK(table.states.size() > 8 * PagedArray<ContactState>::page_size);
    CHECK(first_cache == &table.caches[0]);
}
