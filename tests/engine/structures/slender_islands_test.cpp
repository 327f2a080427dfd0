// High walls and pyramids, which would buckle on contacts of usual stiffness: which islands they are, and that they
// stand.

#include "tests/engine/limits.h"

#include "tests/engine/worlds.h"

#include "engine/constraints/slender_islands.h"
#include "engine/settings.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float hertz = 60.0f;

/// A column of boxes with edges of 1 m, 1,000 kg each, on the ground, rotated about the vertical. The solver index and
/// slot of each body is its number, from 1 on.
struct Column {
    std::vector<ConstraintGraph::Edge> edges;
    std::vector<std::uint32_t> slots{null_index};
    BodyStore bodies;
    ContactTable contacts;
    Colliders colliders;
    SlenderIslands slender;

    explicit Column(std::uint32_t count, double turned = 0.0) {
        colliders.poses.resize(count + 1);
        contacts.caches.resize(count);
        contacts.states.resize(count);
        contacts.records.resize(count);
        contacts.bodies.resize(count);
        for (std::uint32_t i = 1; i <= count; ++i) {
            const std::uint32_t slot = bodies.allocate();
            Body& body = bodies[slot];
            body.mass = 1000.0f;
            body.inverse_mass = 1e-3f;
            body.radius = 0.866f;
            body.center = {3.0f, static_cast<float>(i) - 0.5f, -2.0f};
            slots.push_back(slot);
            colliders.poses[i] = {body.center, turn({0, 1, 0}, turned)};
            const std::uint32_t c = i - 1;
            edges.push_back({c, i, i - 1, 4, true, i > 1});
            contacts.records[c].a = i;
            contacts.bodies[c] = {slot, i > 1 ? slots[i - 1] : slot};
            Manifold& manifold = contacts.caches[c].manifold;
            manifold.count = 4;
            for (int p = 0; p < 4; ++p) manifold.points[p].on_a = {p % 2 ? 0.5f : -0.5f, -0.5f, p / 2 ? 0.5f : -0.5f};
        }
    }

    /// Returns the factor by which the contacts are stiffer than usual after a step.
    float step() {
        const auto end = static_cast<std::uint32_t>(slots.size());
        Islands islands;
        islands.reset(end);
        for (const ConstraintGraph::Edge& e : edges) {
            if (e.pushes_a && e.pushes_b) islands.join(e.a, e.b);
        }
        slender.find({{edges, slots, end, bodies, contacts, colliders}, {}, {0, -9.81f, 0}, hertz, frame}, islands);
        return slender.most_hardness();
    }
};

/// The result of the formula in slender_islands.h.
double sway_of_column(int count) {
    const double rate = 2.0 * pi * static_cast<double>(hertz), load = 9.81;  // for 1 kg
    double tilt = 0.0, sum = 0.0;
    for (int i = 1; i < count; ++i) {
        const double fixed = static_cast<double>(settings::fixed_contact_stiffening);
        const double stiffness = 0.25 * rate * rate * (i == 1 ? fixed * fixed : 0.5);
        tilt += load * (count - i + 1) / stiffness;
        sum += tilt;
    }
    return sum;
}

/// Returns the largest displacement of a box after this many steps, m. The wall has courses in bond, one box thick,
/// each box displaced by up to 1 cm; each course has `narrower` boxes less than the one below.
double stray_of_wall(int courses, int boxes, int narrower, std::uint64_t seed, int steps) {
    Random random(seed);
    World world(sleepless());
    add(world, ground());
    std::vector<BodyId> ids;
    std::vector<dvec3> places;
    for (int row = 0; row < courses; ++row) {
        const int count = boxes - narrower * row;
        const float pitch = narrower > 0 ? 1.1f : 1.02f, shift = narrower > 0 ? 0.0f : (row % 2 ? 0.23f : -0.23f);
        for (int i = 0; i < count; ++i) {
            const float x = random.between(-0.01f, 0.01f), z = random.between(-0.01f, 0.01f);
            const float along = pitch * (static_cast<float>(i) - 0.5f * static_cast<float>(count - 1)) + shift;
            places.push_back({along + x, 0.5f + static_cast<float>(row), z});
            ids.push_back(add(world, crate(places.back())));
        }
    }
    return farthest_stray(world, ids, places, steps);
}

}  // namespace

TEST_CASE("a column is stiffened by how much too soft it is for its height, whichever way it is turned") {
    for (const int count : {20, 22, 30, 50, 80}) {
        const double sway = sway_of_column(count);
        CAPTURE(count);
        CAPTURE(sway);
        for (const double turned : {0.0, 0.3, 0.25 * pi}) {
            Column column(static_cast<std::uint32_t>(count), turned);
            const double expected = sway > static_cast<double>(settings::slender_sway)
                                        ? std::min(sway / static_cast<double>(settings::slender_kept_sway),
                                                   static_cast<double>(settings::slender_most))
                                        : 1.0;
            CHECK(static_cast<double>(column.step()) == doctest::Approx(expected).epsilon(1e-3));
        }
    }
}

TEST_CASE("what falls, hangs on joints or is solved directly is not stiffened") {
    Column falls(50), jointed(50), direct(50);
    falls.bodies[falls.slots[20]].linear_velocity = {0, -3, 0};
    jointed.edges[20].jointed = true;
    for (ConstraintGraph::Edge& edge : direct.edges) edge.link = 0;
    for (int i = 0; i < 140; ++i) {
        CHECK(falls.step() == 1.0f);
        CHECK(jointed.step() == 1.0f);
        CHECK(direct.step() == 1.0f);
    }
}

// If contacts got stiffer at once, the overlaps that carry the load on soft contacts would throw it up.
TEST_CASE("what has stood on soft contacts gets stiffer slowly, and slowly soft again") {
    Column column(50);
    const std::vector<ConstraintGraph::Edge> all = column.edges;
    column.edges.resize(10);
    for (int i = 0; i < 80; ++i) CHECK(column.step() == 1.0f);
    column.edges = all;
    float before = 1.0f;
    for (int i = 0; i < 300; ++i) {
        const float now = column.step();
        CHECK(now <= 1.001f * before * (1.0f + settings::slender_harden * frame));
        before = now;
    }
    CHECK(static_cast<double>(before) ==
          doctest::Approx(sway_of_column(50) / static_cast<double>(settings::slender_kept_sway)).epsilon(1e-3));
    column.edges.resize(10);
    for (int i = 0; i < 1200; ++i) {
        const float now = column.step();
        CHECK(now >= 0.999f * before * (1.0f - settings::slender_soften * frame));
        before = now;
    }
    CHECK(before == 1.0f);
}

// Without stiffer contacts the wall leans out of its plane by 8 cm in 1,000 steps and falls, as does the pyramid after
// 2,400.
TEST_CASE("high walls and pyramids, one box thick, stand" * doctest::test_suite("slow")) {
    hold("wall of 60 courses, one box thick, for 25 s", 1000.0 * stray_of_wall(60, 10, 0, 6101, 1500));
    hold("pyramid with a base of 60 for 20 s", 1000.0 * stray_of_wall(60, 60, 1, 6102, 1200));
}
