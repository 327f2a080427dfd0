// The colouring: contacts that share a colour may be solved side by side.

#include "tests/engine/worlds.h"

#include "engine/constraints/constraint_graph.h"
#include "tests/support/same_elements.h"

#include <algorithm>
#include <map>
#include <set>

using namespace talus;
using namespace talus::test;

namespace {

using Edge = ConstraintGraph::Edge;

std::vector<std::uint8_t> one_slab(std::uint32_t bodies) { return std::vector<std::uint8_t>(bodies); }

/// Checks that every edge occurs once and colours are contiguous. In a parallel colour no movable body may occur twice,
/// nor in two fields of a phase. Edges that may share a record must be consecutive, those with most points first.
void check_coloring(const ConstraintGraph& graph, std::span<const Edge> edges) {
    const std::span<const std::uint8_t> colors = graph.edge_colors();
    REQUIRE(colors.size() == edges.size());
    std::map<std::pair<ContactPhase, std::uint32_t>, std::uint32_t> field_of;  // by phase and body
    REQUIRE(graph.order().size() == edges.size());
    std::vector<bool> seen(edges.size());
    for (const std::uint32_t e : graph.order()) {
        REQUIRE(e < edges.size());
        REQUIRE(!seen[e]);
        seen[e] = true;
    }
    std::uint32_t next = 0;
    bool immovable_began = false;
    for (const ContactColor& color : graph.colors()) {
        REQUIRE(color.first == next);
        REQUIRE(color.count > 0);
        next += color.count;
        const bool immovable = color.phase == ContactPhase::immovable;
        if (immovable) immovable_began = true;
        REQUIRE(immovable == immovable_began);  // edges with immovable bodies come last
        std::set<std::uint32_t> used;
        std::uint32_t points = 4;
        std::uint32_t before = 0;
        for (std::uint32_t i = color.first; i < color.first + color.count; ++i) {
            const Edge& e = edges[graph.order()[i]];
            REQUIRE((e.pushes_a && e.pushes_b) == !immovable);
            REQUIRE(colors[graph.order()[i]] == colors[graph.order()[color.first]]);
            const Edge& last = edges[graph.order()[i > color.first ? i - 1 : i]];
            const bool new_group = e.pushes_b != last.pushes_b || e.special != last.special;
            REQUIRE(std::pair(!e.pushes_b, e.special) >= std::pair(!last.pushes_b, last.special));
            if (new_group) points = 4;
            REQUIRE(e.point_count <= points);
            if (e.point_count == points && i > color.first && !new_group)
                REQUIRE(graph.order()[i] > before);  // in order of index
            points = e.point_count;
            before = graph.order()[i];
            for (const std::uint32_t body : {e.pushes_a ? e.a : e.b, e.pushes_b ? e.b : e.a})
                REQUIRE(field_of.try_emplace({color.phase, body}, color.field).first->second == color.field);
            if (!color.parallel) continue;
            if (e.pushes_a) REQUIRE(used.insert(e.a).second);
            if (e.pushes_b) REQUIRE(used.insert(e.b).second);
        }
    }
    REQUIRE(next == edges.size());
}

std::vector<Edge> random_edges(Random& random, std::uint32_t bodies, std::size_t count, float immovable) {
    std::vector<bool> pushable(bodies);
    for (std::uint32_t i = 1; i < bodies; ++i) pushable[i] = i == 1 || random.unit() >= immovable;
    std::vector<Edge> edges;
    while (edges.size() < count) {
        const std::uint32_t a = random.below(bodies), b = random.below(bodies);
        if (a == b || (!pushable[a] && !pushable[b])) continue;
        edges.push_back({static_cast<std::uint32_t>(edges.size()), a, b, 1 + random.below(4), pushable[a], pushable[b],
                         random.below(5) == 0});
    }
    return edges;
}

}  // namespace

TEST_CASE("no two contacts of a parallel colour share a body that can be pushed") {
    Random random(13);
    ConstraintGraph graph;  // one graph for all cases: what the last build has left must not matter
    for (int round = 0; round < 300; ++round) {
        const std::uint32_t bodies = 3 + random.below(round % 10 == 0 ? 2000 : 40);
        const std::size_t count = random.below(round % 10 == 0 ? 6000 : 200);
        CAPTURE(round);
        std::vector<Edge> edges = random_edges(random, bodies, count, 0.2f);
        graph.build(edges, one_slab(bodies));
        check_coloring(graph, edges);
    }
}

TEST_CASE("the colours of bodies in slabs do not depend on how their contacts are put into fields") {
    Random random(16);
    ConstraintGraph together, in_fields;
    for (int round = 0; round < 100; ++round) {
        CAPTURE(round);
        const std::uint32_t bodies = 3 + random.below(400);
        const std::vector<Edge> edges = random_edges(random, bodies, random.below(3000), 0.1f);
        std::vector<std::uint8_t> slabs(bodies);
        for (std::uint32_t i = 0; i < bodies; ++i) {  // most contacts are near, some are not
            const auto slab = round % 3 == 0 ? random.below(most_slabs) : i * most_slabs / bodies;
            slabs[i] = static_cast<std::uint8_t>(slab);
        }
        together.build(edges, slabs);
        SlabGroups groups{};
        for (std::size_t i = 1; i < groups.size(); ++i)
            groups[i] = static_cast<std::uint8_t>(groups[i - 1] + random.below(2));
        in_fields.build(edges, slabs, groups);
        check_coloring(together, edges);
        check_coloring(in_fields, edges);
        CHECK(same_elements(together.edge_colors(), in_fields.edge_colors()));
        CHECK(together.color_count() == in_fields.color_count());
        // For each body, the order of its contacts is the same.
        std::vector<std::vector<std::uint8_t>> seen(bodies), seen_in_fields(bodies);
        const auto look = [&](const ConstraintGraph& graph, std::vector<std::vector<std::uint8_t>>& by_body) {
            for (const std::uint32_t e : graph.order()) {
                if (edges[e].pushes_a) by_body[edges[e].a].push_back(graph.edge_colors()[e]);
                if (edges[e].pushes_b) by_body[edges[e].b].push_back(graph.edge_colors()[e]);
            }
        };
        look(together, seen);
        look(in_fields, seen_in_fields);
        CHECK(seen == seen_in_fields);
    }
}

TEST_CASE("contacts that stay keep their colour while others come and go") {
    Random random(14);
    ConstraintGraph graph;
    const std::uint32_t bodies = 400;
    std::vector<Edge> edges = random_edges(random, bodies, 2000, 0.0f);
    graph.build(edges, one_slab(bodies));
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i].color = graph.edge_colors()[i];
    std::size_t kept = 0, changed = 0;
    for (int step = 0; step < 100; ++step) {
        for (int k = 0; k < 20; ++k) {
            const std::size_t i = random.below(static_cast<std::uint32_t>(edges.size()));
            edges[i] = random_edges(random, bodies, 1, 0.0f).front();  // no_color
        }
        const std::vector<Edge> before = edges;
        std::vector<std::size_t> members(256);
        for (const Edge& e : before) ++members[e.color];
        graph.build(edges, one_slab(bodies));
        check_coloring(graph, edges);
        for (std::size_t i = 0; i < edges.size(); ++i) edges[i].color = graph.edge_colors()[i];
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (before[i].color == no_color) continue;
            const bool same = graph.edge_colors()[i] == before[i].color;
            ++(same ? kept : changed);
            CHECK((same || members[before[i].color] < 16));  // rare colours are dissolved
        }
        CHECK(graph.color_count() <= 40);
    }
    CHECK(kept > 190000);
    CHECK(changed < 4000);
}

TEST_CASE("colours that make no sense any more are replaced") {
    Random random(15);
    ConstraintGraph graph;
    for (int round = 0; round < 100; ++round) {
        std::vector<Edge> edges = random_edges(random, 50, 400, 0.3f);
        for (Edge& edge : edges) edge.color = static_cast<std::uint8_t>(random.below(256));
        graph.build(edges, one_slab(50));
        check_coloring(graph, edges);
    }
}

TEST_CASE("a body with ten thousand contacts spills into a colour that is solved one by one") {
    for (const bool other_pushable : {true, false}) {
        std::vector<Edge> edges;
        for (std::uint32_t i = 0; i < 10000; ++i)
            edges.push_back({i, 1, other_pushable ? i + 2 : 0, 1 + i % 4, true, other_pushable});
        ConstraintGraph graph;
        graph.build(edges, one_slab(10003));
        check_coloring(graph, edges);
        std::uint32_t serial = 0;
        for (const ContactColor& color : graph.colors()) serial += color.parallel ? 0 : color.count;
        CHECK(serial >= 9900);
    }
}

// 50 nested bowls have 60 contacts each with the next one. More than half of these contacts were solved one by one.
TEST_CASE("chains of bodies with many contacts each are solved side by side") {
    for (const std::uint32_t contacts : {20u, 60u, 100u}) {
        std::vector<Edge> edges;
        for (std::uint32_t i = 1; i < 50; ++i) {
            for (std::uint32_t k = 0; k < contacts; ++k)
                edges.push_back({static_cast<std::uint32_t>(edges.size()), i, i + 1, 1 + k % 4, true, true});
        }
        ConstraintGraph graph;
        graph.build(edges, one_slab(51));
        check_coloring(graph, edges);
        std::uint32_t serial = 0;
        for (const ContactColor& color : graph.colors()) serial += color.parallel ? 0 : color.count;
        CHECK(serial == 0);
        CHECK(graph.colors().size() <= 3 * contacts);
    }
}

TEST_CASE("few colours do for what needs few") {
    // A chain needs two colours, a pyramid's brick bond only a few more.
    std::vector<Edge> edges;
    for (std::uint32_t i = 1; i < 1000; ++i) edges.push_back({i - 1, i, i + 1, 4, true, true});
    ConstraintGraph graph;
    graph.build(edges, one_slab(1001));
    check_coloring(graph, edges);
    CHECK(graph.colors().size() <= 3);
    graph.build(std::span<Edge>{}, one_slab(1));
    CHECK(graph.colors().empty());
    CHECK(graph.order().empty());
}

TEST_CASE("a plate on a thousand balls and a ball in a crowd of fixed ones do not break the solver") {
    World world;
    add(world, ground());
    std::vector<BodyId> balls;
    for (int i = 0; i < 1024; ++i)
        balls.push_back(add(
            world, body(sphere(0.2f), {0.45f * static_cast<float>(i % 32), 0.2f, 0.45f * static_cast<float>(i / 32)})));
    BodyDef plate_def = body(box({8, 0.1f, 8}), {7, 0.51f, 7});
    plate_def.density = 200.0f;
    const BodyId plate = add(world, plate_def);
    run(world, 60);
    CHECK(world.contacts(plate).size() >= 1000);  // no pair dropped
    run(world, 240);
    std::string complaint;
    REQUIRE_MESSAGE(is_sound(world, &complaint), complaint);
    CHECK(world.position(plate).y == doctest::Approx(0.5).epsilon(0.03));
    for (const BodyId id : balls) CHECK(world.position(id).y == doctest::Approx(0.2).epsilon(0.05));
}
