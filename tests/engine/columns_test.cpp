// Columns: which chains of contacts are taken, and what the direct solve of one does, against the same system written
// down densely.

#include "worlds.h"

#include <talus/engine/columns.h>
#include <talus/engine/settings.h>

#include <set>

using namespace talus;
using namespace talus::test;

namespace {

using Edge = ConstraintGraph::Edge;

/// Bodies 1 .. count as the step numbers them, of these masses (kg).
struct Bodies {
    BodyStore store;
    std::vector<std::uint32_t> slots{null_index};
    explicit Bodies(std::span<const float> masses) {
        for (const float mass : masses) {
            slots.push_back(store.allocate());
            store[slots.back()].mass = mass;
        }
    }
};

std::vector<std::set<std::size_t>> found(std::vector<Edge>& edges, const Bodies& bodies,
                                         std::uint32_t* groups = nullptr) {
    Columns columns;
    columns.find(edges, bodies.slots, bodies.store);
    if (groups != nullptr) *groups = columns.group_count();
    // Links of one column follow each other, and so do its edges' bodies.
    std::vector<std::size_t> by_link(edges.size(), edges.size());
    std::size_t links = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].link == no_link) continue;
        REQUIRE(edges[i].link < edges.size());
        REQUIRE(by_link[edges[i].link] == edges.size());
        by_link[edges[i].link] = i;
        ++links;
    }
    std::vector<std::set<std::size_t>> result;
    for (std::size_t k = 0; k < links; ++k) {
        REQUIRE(by_link[k] < edges.size());
        bool linked = false;
        if (k > 0) {
            const Edge &e = edges[by_link[k - 1]], &f = edges[by_link[k]];
            for (const std::uint32_t x : {e.a, e.b}) linked = linked || (x != 0 && (x == f.a || x == f.b));
        }
        if (!linked) result.emplace_back();
        result.back().insert(by_link[k]);
    }
    return result;
}

/// A tower of `count` bodies from index `first` on; the lowest stands on the ground.
void add_tower(std::vector<Edge>& edges, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t below = i == 0 ? 0 : first + i - 1;
        edges.push_back({static_cast<std::uint32_t>(edges.size()), below, first + i, 4, below != 0, true});
    }
}

}  // namespace

TEST_CASE("a tower is a column from the ground to its top, in whatever order its contacts come") {
    Random random(71);
    for (int round = 0; round < 50; ++round) {
        std::vector<Edge> edges;
        add_tower(edges, 1, 20);
        for (std::size_t i = edges.size(); i-- > 1;)
            std::swap(edges[i], edges[random.below(static_cast<std::uint32_t>(i + 1))]);
        for (Edge& e : edges) {
            if (random.below(2)) std::swap(e.a, e.b), std::swap(e.pushes_a, e.pushes_b);
        }
        const auto columns = found(edges, Bodies(std::vector<float>(20, 1.0f)));
        REQUIRE(columns.size() == 1);
        CHECK(columns[0].size() == 20);
    }
}

TEST_CASE("short chains are no columns unless their masses differ") {
    for (const float heavy : {1.0f, 5.0f, 50.0f}) {
        std::vector<Edge> edges;
        add_tower(edges, 1, 2);
        const float masses[] = {1.0f, heavy};
        CAPTURE(heavy);
        CHECK(found(edges, Bodies(masses)).size() == (heavy > settings::column_mass_ratio ? 1 : 0));
    }
}

TEST_CASE("bodies with more than two contacts end a column, and columns that end at one body are one group") {
    // Three towers of six on a raft of four contacts with the ground.
    std::vector<Edge> edges;
    for (int i = 0; i < 4; ++i) edges.push_back({static_cast<std::uint32_t>(edges.size()), 0, 1, 4, false, true});
    for (std::uint32_t t = 0; t < 3; ++t) {
        const std::size_t first = edges.size();
        add_tower(edges, 2 + 6 * t, 6);
        edges[first].a = 1;
        edges[first].pushes_a = true;
    }
    std::uint32_t groups = 0;
    const auto columns = found(edges, Bodies(std::vector<float>(19, 1.0f)), &groups);
    CHECK(columns.size() <= 3);  // by their bodies alone they hang together through the raft
    CHECK(groups == 1);
    std::size_t links = 0;
    for (const auto& column : columns) links += column.size();
    CHECK(links == 18);
    for (std::size_t i = 0; i < 4; ++i) CHECK(edges[i].link == no_link);

    std::vector<Edge> apart;
    add_tower(apart, 1, 6);
    add_tower(apart, 7, 6);
    CHECK(found(apart, Bodies(std::vector<float>(12, 1.0f)), &groups).size() == 2);
    CHECK(groups == 2);
}

TEST_CASE("rings and pairs of contacts between the same two bodies end") {
    std::vector<Edge> ring;
    for (std::uint32_t i = 0; i < 8; ++i) ring.push_back({i, 1 + i, 1 + (i + 1) % 8, 2, true, true});
    const auto columns = found(ring, Bodies(std::vector<float>(8, 1.0f)));
    REQUIRE(columns.size() == 1);
    CHECK(columns[0].size() == 8);
    std::vector<Edge> twice = {{0, 1, 2, 2, true, true}, {1, 1, 2, 2, true, true}};
    const float masses[] = {1.0f, 100.0f};
    CHECK(found(twice, Bodies(masses)).size() == 1);
}

TEST_CASE("towers and a thousandfold weight stand at the default settings, and fall without columns only") {
    // The top of a jittered tower of 30, and how far a box of 1,000 times the density sinks into a light one.
    World world(sleepless());
    add(world, ground());
    Random random(5);
    std::vector<BodyId> tower;
    for (int i = 0; i < 30; ++i) {
        const vec3 off(random.between(-0.01f, 0.01f), 0.5f + static_cast<float>(i), random.between(-0.01f, 0.01f));
        tower.push_back(add(world, crate(off)));
    }
    BodyDef light = crate({10, 0.5f, 0});
    light.density = 1.0f;
    const BodyId below = add(world, light);
    const BodyId above = add(world, crate({10, 1.5f, 0}));
    const vec3 top = world.position(tower.back());
    run(world, 1200);
    CHECK(glm::length(world.position(tower.back()) - top) < 0.05f);
    CHECK(world.position(above).y > 1.49f);
    CHECK(world.position(below).y > 0.49f);
}
