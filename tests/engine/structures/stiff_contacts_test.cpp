// Contacts that carry many times the weight of the lighter of their two bodies: heavy boxes on light ones, high towers
// and similar structures. Each must stand at the default settings.

#include "tests/engine/limits.h"

#include "tests/engine/worlds.h"

#include "engine/settings.h"
#include "engine/stiff_groups/stiff_groups.h"

#include <algorithm>
#include <functional>

using namespace talus;
using namespace talus::test;

namespace {

using Edge = ConstraintGraph::Edge;

/// The number of edges in groups, and the number of groups, for bodies 1 .. count of these masses (kg).
struct Found {
    std::uint32_t linked = 0, groups = 0;
};

Found found(std::vector<Edge>& edges, std::span<const float> masses,
            std::span<const StiffGroups::JointEdge> ties = {}) {
    BodyStore store;
    std::vector<std::uint32_t> slots{null_index};
    for (const float mass : masses) {
        slots.push_back(store.allocate());
        store[slots.back()].mass = mass;
    }
    Islands islands;
    islands.reset(static_cast<std::uint32_t>(slots.size()));
    for (const Edge& e : edges) {
        if (e.pushes_a && e.pushes_b) islands.join(e.a, e.b);
    }
    for (const StiffGroups::JointEdge& tie : ties) {
        if (tie.a != 0 && tie.b != 0) islands.join(tie.a, tie.b);
    }
    ContactTable contacts;
    for (const Edge& e : edges) {
        contacts.caches.resize(std::max<std::size_t>(contacts.caches.size(), e.contact + 1));
        contacts.states.resize(contacts.caches.size());
        contacts.bodies.resize(contacts.caches.size());
        contacts.bodies[e.contact] = {e.a, e.b};
        contacts.caches[e.contact].manifold.count = 1;  // pressed: its separation is 0
    }
    StiffGroups stiff;
    const Colliders colliders;
    stiff.find({edges, slots, static_cast<std::uint32_t>(slots.size()), store, contacts, colliders}, edges, ties,
               vec3(0.0f, -9.81f, 0.0f), frame, frame / 4.0f, islands);
    Found result{0, stiff.group_count()};
    std::vector<bool> taken(edges.size(), false);
    for (const Edge& e : edges) {
        if (e.link == no_link) continue;
        REQUIRE(e.link < edges.size());
        REQUIRE(!taken[e.link]);
        taken[e.link] = true;
        ++result.linked;
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

/// Bodies that must stay where they were put.
struct Structure {
    World world{sleepless()};
    Random random;
    std::vector<BodyId> ids;
    std::vector<dvec3> places;

    explicit Structure(std::uint64_t seed) : random(seed) { add(world, ground()); }

    vec3 off(float most) {
        const float x = random.between(-most, most), z = random.between(-most, most);
        return {x, 0.0f, z};
    }
    BodyId put(const vec3& half, const dvec3& place, float density = 1000.0f) {
        BodyDef def = body(box(half), place);
        def.density = density;
        ids.push_back(add(world, def));
        places.push_back(place);
        return ids.back();
    }
    /// The largest displacement of a box, m.
    double farthest() const {
        double most = 0.0;
        for (std::size_t i = 0; i < ids.size(); ++i)
            most = std::max(most, glm::distance(world.position(ids[i]), places[i]));
        return most;
    }
    /// The same over a run of this many seconds.
    double run(double seconds, float dt = frame) {
        double most = 0.0;
        for (double time = 0.0; time < seconds; time += static_cast<double>(dt)) {
            REQUIRE(world.step(dt));
            most = std::max(most, farthest());
            if (most > 1.0) break;
        }
        return most;
    }
};

}  // namespace

TEST_CASE("a tower is a stiff group from the ground to its top, in whatever order its contacts come") {
    Random random(71);
    for (int round = 0; round < 50; ++round) {
        std::vector<Edge> edges;
        add_tower(edges, 1, 20);
        for (std::size_t i = edges.size(); i-- > 1;)
            std::swap(edges[i], edges[random.below(static_cast<std::uint32_t>(i + 1))]);
        for (Edge& e : edges) {
            if (random.below(2)) std::swap(e.a, e.b), std::swap(e.pushes_a, e.pushes_b);
        }
        const Found tower = found(edges, std::vector<float>(20, 1.0f));
        CHECK(tower.linked == 20);
        CHECK(tower.groups == 1);
    }
}

TEST_CASE("short stacks are no stiff groups unless their masses differ") {
    for (const float heavy : {1.0f, 3.0f, 50.0f}) {
        std::vector<Edge> edges;
        add_tower(edges, 1, 2);
        const float masses[] = {1.0f, heavy};
        CAPTURE(heavy);
        CHECK(found(edges, masses).groups == (heavy >= settings::stiff_load ? 1 : 0));
    }
}

TEST_CASE("pyramids are no stiff groups") {
    std::vector<Edge> pyramid;
    std::uint32_t below = 0, count = 0;
    for (std::uint32_t row = 0; row < 12; ++row) {
        const std::uint32_t first = count + 1;
        for (std::uint32_t i = 0; i < 12 - row; ++i) {
            const std::uint32_t self = ++count, n = static_cast<std::uint32_t>(pyramid.size());
            if (row == 0) pyramid.push_back({n, 0, self, 4, false, true});
            if (row != 0) pyramid.push_back({n, below + i, self, 2, true, true});
            if (row != 0) pyramid.push_back({n + 1, below + i + 1, self, 2, true, true});
        }
        below = first;
    }
    CHECK(found(pyramid, std::vector<float>(count, 1.0f)).groups == 0);
}

TEST_CASE("the profile counts stiff groups and their work, and finds none with moments of inertia 1e12 apart") {
    for (const bool thin : {false, true}) {
        Structure s(4);
        for (int i = 0; i < 20; ++i) s.put(vec3(0.5f), {0.0f, 0.5f + static_cast<float>(i), 0.0f}, 500.0f);
        const float mass = s.world.mass(s.ids[7]);
        const mat3 inertia(1.0f, 0.0f, 0.0f, 0.0f, 1e-12f, 0.0f, 0.0f, 0.0f, 1.0f);
        if (thin) REQUIRE(s.world.set_mass_properties(s.ids[7], {mass, vec3(0.0f), inertia}));
        for (int i = 0; i < 10; ++i) REQUIRE(s.world.step(frame));
        CHECK((s.world.profile().stiff_work > 20) == !thin);
        if (!thin) CHECK(s.world.profile().stiff_groups == 1);
    }
    Structure pair(4);
    for (int i = 0; i < 2; ++i) pair.put(vec3(0.5f), {0.0f, 0.5f + static_cast<float>(i), 0.0f}, 500.0f);
    REQUIRE(pair.world.step(frame));
    CHECK(pair.world.profile().stiff_groups == 0);
    CHECK(pair.world.profile().stiff_work == 0);
}

TEST_CASE("a heavy body that lands on a light one of a large heap is in a stiff group at once" *
          doctest::test_suite("slow")) {
    // One island of 440 boxes of two masses, so that it is searched, found to bear no large load, and left alone for
    // some steps. The ball lands in each of the steps between two searches.
    for (int wait = 0; wait < 2 * static_cast<int>(settings::stiff_look_every); ++wait) {
        CAPTURE(wait);
        World world(sleepless());
        add(world, ground());
        for (int x = 0; x < 21; ++x) {
            for (int z = 0; z < 21; ++z) {
                BodyDef tile = body(box({0.5f, 0.25f, 0.5f}), {x - 10.0, 0.25, z - 10.0});
                tile.density = (x + z) % 2 == 0 ? 10.0f : 70.0f;
                add(world, tile);
            }
        }
        run(world, 20 + wait);
        REQUIRE(world.profile().stiff_groups == 0);
        REQUIRE(world.profile().islands == 1);
        BodyDef ball = body(sphere(0.4f), {0.0, 0.92, 0.0});
        ball.density = 4000.0f;
        const BodyId id = add(world, ball);
        for (int step = 0; step < 10 && world.contacts(id).empty(); ++step) world.step(frame);
        REQUIRE(!world.contacts(id).empty());
        CHECK(world.profile().stiff_groups == 1);
    }
}

TEST_CASE("joints keep heavy on light in a stiff group, and make none of what they hold up themselves") {
    // Body 3 hangs on the heavy body or on the light one.
    for (const std::uint32_t end : {1u, 2u}) {
        std::vector<Edge> edges;
        add_tower(edges, 1, 2);
        for (Edge& e : edges) e.jointed = e.a == end || e.b == end;
        const float masses[] = {1.0f, 1000.0f, 1.0f};
        const StiffGroups::JointEdge ties[] = {{end, 3, true}};
        CAPTURE(end);
        CHECK(found(edges, masses, ties).linked == 2);
    }
    // A foot of 1 kg that carries 74 kg through joints: its contacts are already solved through joints.
    std::vector<Edge> edges{{0, 0, 1, 4, false, true}};
    edges[0].jointed = true;
    const float masses[] = {1.0f, 74.0f};
    const StiffGroups::JointEdge ties[] = {{1, 2, true}};
    CHECK(found(edges, masses, ties).groups == 0);
}

TEST_CASE("towers that share a raft are one stiff group, towers apart are two") {
    std::vector<Edge> raft{{0, 0, 1, 4, false, true}};
    for (std::uint32_t t = 0; t < 3; ++t) {
        const std::size_t first = raft.size();
        add_tower(raft, 2 + 10 * t, 10);
        raft[first].a = 1;
        raft[first].pushes_a = true;
    }
    const Found one = found(raft, std::vector<float>(31, 1.0f));
    CHECK(one.groups == 1);
    CHECK(one.linked == 31);

    std::vector<Edge> apart;
    add_tower(apart, 1, 6);
    add_tower(apart, 7, 6);
    CHECK(found(apart, std::vector<float>(12, 1.0f)).groups == 2);
}

TEST_CASE("a box up to a million times heavier than the one below neither sinks in nor goes through") {
    for (const float dt : {frame, 1.0f / 15.0f}) {
        for (const float ratio : {100.0f, 3000.0f, 1e4f, 1e6f}) {
            for (std::uint64_t seed = 1; seed <= 6; ++seed) {
                Structure s(seed);
                s.put(vec3(0.5f), {0.0f, 0.5f, 0.0f});
                s.put(vec3(0.5f), vec3(0.0f, 1.5f, 0.0f) + s.off(0.01f), 1000.0f * ratio);
                const double most = s.run(5.0, dt);
                CAPTURE(dt);
                CAPTURE(ratio);
                CAPTURE(seed);
                CHECK(most < 1e-3);
            }
        }
    }
}

TEST_CASE("a box that is dropped on one up to a million times lighter does not go through") {
    for (const float ratio : {100.0f, 1e4f, 1e6f}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            Structure s(seed);
            s.put(vec3(0.5f), {0.0f, 0.5f, 0.0f});
            const BodyId heavy = s.put(vec3(0.5f), vec3(0.0f, 2.0f, 0.0f) + s.off(0.01f), 1000.0f * ratio);
            const double lowest = lowest_height(s.world, heavy, 300);
            CAPTURE(ratio);
            CAPTURE(seed);
            CHECK(lowest > 1.49);
        }
    }
}

namespace {

/// Plates on the ground, and a body of 300 to 10,000 times their mass that falls on them. The plates are equal.
struct Plates {
    World world{sleepless()};
    std::vector<BodyId> ids;
    float height = 0.0f, mass = 0.0f;

    Plates(Random& random, int count, float width, float thick) {
        add(world, ground());
        const vec3 half(width * random.between(0.7f, 1.0f), 0.5f * thick, width * random.between(0.7f, 1.0f));
        for (int i = 0; i < count; ++i)
            ids.push_back(add(world, body(box(half), {0.0f, (static_cast<float>(i) + 0.5f) * thick, 0.0f})));
        height = static_cast<float>(count) * thick;
        mass = world.mass(ids[0]);
    }

    void drop(Random& random, const Shape& shape, float clearance, float most_spin, const vec3& velocity) {
        BodyDef def = body(shape, {random.between(-0.3f, 0.3f), height + bounding_radius(shape) + clearance,
                                   random.between(-0.2f, 0.2f)});
        def.rotation = random.rotation();
        def.linear_velocity = velocity;
        for (int k = 0; k < 3; ++k) def.angular_velocity[k] = random.between(-most_spin, most_spin);
        const float ratio = std::pow(10.0f, random.between(2.5f, 4.0f));
        def.density *= ratio * mass / mass_properties(shape, def.density).mass;
        ids.push_back(add(world, def));
    }
};

}  // namespace

// Friction and twist share their limit at a single point (solve_friction). The direct solve gave each its own limit,
// and the iterations removed the excess: a plate of 13 kg left at 500 m/s, and the energy rose in 9 of these 60 worlds,
// by up to 23%.
TEST_CASE("plates are not thrown off when a heavy capsule lands on them and tips over") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const int count = 1 + static_cast<int>(random.below(4));
        const float thick = 0.005f * std::pow(8.0f, random.between(0.0f, 1.0f));
        Plates plates(random, count, 0.8f, thick);
        const Shape shape = capsule(random.between(0.1f, 0.4f), random.between(0.06f, 0.2f));
        plates.drop(random, shape, random.between(0.1f, 2.0f), 5.0f, vec3(0.0f));
        const double start = energy(plates.world);
        for (int i = 0; i < 90; ++i) {
            REQUIRE(plates.world.step(frame));
            CAPTURE(seed);
            CAPTURE(i);
            REQUIRE(energy(plates.world) < 1.005 * start);
        }
    }
}

// The contacts of a former group kept the impulses of the blow. The heavy body had left the plates by then, but the
// next step began with these impulses, and a plate moved by up to 17 m within a step, at the end of which it was at
// rest.
TEST_CASE("plates stay where they are in the step in which a heavy body leaves them" * doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const int count = 2 + static_cast<int>(random.below(6));
        const float width = random.between(0.2f, 0.7f), thick = width * random.between(0.05f, 0.2f);
        Plates plates(random, count, width, thick);
        const float size = random.between(0.1f, 0.3f);
        const Shape shapes[] = {sphere(size), box(vec3(0.8f * size)), capsule(0.6f * size, 0.6f * size),
                                cylinder(0.8f * size, 0.8f * size)};
        const float speed = random.between(1.0f, 12.0f);
        const vec3 velocity(speed * random.between(-0.2f, 0.2f), -speed, speed * random.between(-0.2f, 0.2f));
        plates.drop(random, shapes[seed % 4], random.between(0.05f, 0.3f), 15.0f, velocity);
        World& world = plates.world;
        for (int i = 0; i < 90; ++i) {
            std::vector<dvec3> places;
            std::vector<float> speeds;
            for (const BodyId id : plates.ids) {
                places.push_back(world.center_of_mass(id));
                speeds.push_back(glm::length(world.linear_velocity(id)));
            }
            REQUIRE(world.step(frame));
            for (std::size_t k = 0; k < plates.ids.size(); ++k) {
                const BodyId id = plates.ids[k];
                const float most = std::max(speeds[k], glm::length(world.linear_velocity(id)));
                CAPTURE(seed);
                CAPTURE(i);
                REQUIRE(glm::distance(world.center_of_mass(id), places[k]) < frame * most + 0.5f);
            }
        }
    }
}

// A blow through pebbles between the ball and the floor. Contacts that were tested again below it, and rows whose
// impulses did not explain the velocities, threw the ball up at 12 m/s or a pebble away at 600: 134 of 400 worlds
// gained energy. Now 26 of 400 do, 7 of these 100; the aim is none.
TEST_CASE("a heavy ball that lands on pebbles is hardly ever thrown up, nor are they" * doctest::test_suite("slow")) {
    int thrown = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        World world(sleepless());
        add(world, ground());
        std::vector<BodyId> ids;
        for (int i = 0; i < 3; ++i) {
            const float r = random.between(0.03f, 0.08f);
            const Shape pebbles[] = {box({r, 0.4f * r, 0.45f * r}), cone(r, r), cylinder(0.7f * r, r)};
            const float x = random.between(-0.03f, 0.03f), z = random.between(-0.03f, 0.03f);
            BodyDef pebble =
                body(pebbles[(seed + static_cast<std::uint64_t>(i)) % 3], {x, 0.3f + 0.25f * static_cast<float>(i), z});
            pebble.rotation = normalized(quat(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f),
                                              random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)));
            ids.push_back(add(world, pebble));
        }
        const float radius = random.between(0.3f, 0.5f);
        const BodyId ball = add(world, body(sphere(radius), {0.0f, 1.0f + radius, random.between(-0.04f, 0.04f)}));
        ids.push_back(ball);
        // Overlap may lift the ball, at no more than 1 m/s.
        const double lift = 9.81 * static_cast<double>(world.mass(ball) * settings::max_push_speed * frame);
        double before = energy(world);
        bool gained = false;
        for (int i = 0; i < 120; ++i) {
            REQUIRE(world.step(frame));
            const double now = energy(world);
            CAPTURE(seed);
            REQUIRE(now < 5.0 * before);
            gained = gained || now > 1.02 * before + lift;
            before = now;
        }
        thrown += gained ? 1 : 0;
    }
    hold("heavy ball on pebbles that gains energy", thrown);
}

TEST_CASE("a heavy box on five or ten light ones stands, and so do heavy tables on light legs" *
          doctest::test_suite("slow")) {
    for (const float ratio : {1e3f, 1e6f}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            for (const int count : {5, 10}) {
                Structure s(seed);
                for (int i = 0; i < count; ++i)
                    s.put(vec3(0.5f), vec3(0.0f, 0.5f + static_cast<float>(i), 0.0f) + s.off(0.01f));
                s.put(vec3(0.5f), {0.0f, 0.5f + static_cast<float>(count), 0.0f}, 1000.0f * ratio);
                CAPTURE(ratio);
                CAPTURE(seed);
                CAPTURE(count);
                CHECK(s.run(5.0) < 2e-3f);
            }
            Structure table(seed);
            for (const float x : {-1.0f, 1.0f}) {
                for (const float z : {-1.0f, 1.0f}) table.put(vec3(0.1f), vec3(x, 0.1f, z) + table.off(0.01f));
            }
            table.put({1.5f, 0.5f, 1.5f}, {0.0f, 0.7f, 0.0f}, 10.0f * ratio);
            CHECK(table.run(5.0) < 1e-3f);
        }
    }
}

TEST_CASE("towers of 30 and of 100 boxes neither sag nor sway" * doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const int height : {30, 100}) {
            Structure s(seed);
            for (int i = 0; i < height; ++i)
                s.put(vec3(0.5f), vec3(0.0f, 0.5f + static_cast<float>(i), 0.0f) + s.off(0.005f));
            CAPTURE(seed);
            CAPTURE(height);
            CHECK(s.run(5.0) < 0.01f);
        }
    }
}

TEST_CASE("a tower with pebbles on every fifth box stands" * doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Structure s(seed);
        for (int i = 0; i < 50; ++i) {
            const bool wide = i % 5 == 4;
            const vec3 place = vec3(0.0f, 0.5f + static_cast<float>(i), 0.0f) + s.off(0.01f);
            s.put({wide ? 0.8f : 0.5f, 0.5f, 0.5f}, place);
            if (!wide || i == 49) continue;
            for (const float x : {-0.65f, 0.65f}) s.put(vec3(0.05f), place + vec3(x, 0.55f, 0.0f));
        }
        CAPTURE(seed);
        CHECK(s.run(8.0) < 0.02f);
    }
}

TEST_CASE("30 levels of crosswise bricks stand without sagging" * doctest::test_suite("slow")) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Structure s(seed);
        for (int i = 0; i < 30; ++i) {
            for (const float at : {-0.5f, 0.5f}) {
                const bool along_x = i % 2 == 1;
                const vec3 half = along_x ? vec3(1.0f, 0.3f, 0.45f) : vec3(0.45f, 0.3f, 1.0f);
                const vec3 place(along_x ? 0.0f : at, 0.3f + 0.6f * static_cast<float>(i), along_x ? at : 0.0f);
                s.put(half, place + s.off(0.01f));
            }
        }
        CAPTURE(seed);
        CHECK(s.run(5.0) < 0.01f);
    }
}

// One locked axis anywhere left the whole island to the iterations: 1,000:1 sank by 160 to 1,001 mm.
TEST_CASE("a heavy box on a light one does not sink in, whatever is locked that leaves it free to fall" *
          doctest::test_suite("slow")) {
    double worst = 0.0;
    for (const float ratio : {10.0f, 1e3f, 1e6f}) {
        for (int who = 1; who < 4; ++who) {
            for (unsigned mask = 1; mask < 64; ++mask) {
                if ((mask & lock_y) != 0) continue;
                Structure s(mask);
                s.put(vec3(0.5f), {0.0f, 0.5f, 0.0f});
                s.put(vec3(0.5f), {0.1f, 1.5f, -0.05f}, 1000.0f * ratio);
                for (int i = 0; i < 2; ++i) {
                    if ((who >> i & 1) != 0)
                        REQUIRE(s.world.set_locks(s.ids[static_cast<std::size_t>(i)], static_cast<std::uint8_t>(mask)));
                }
                CAPTURE(ratio);
                CAPTURE(who);
                CAPTURE(mask);
                const double most = s.run(1.5);
                CHECK(most < 1e-4);
                worst = std::max(worst, most);
            }
        }
    }
    hold("box with locked axes on one 1,000,000 times lighter", 1000.0 * worst);
}

TEST_CASE("a tower whose upper half is 16 times denser stands, whichever of its boxes has a locked axis" *
          doctest::test_suite("slow")) {
    for (const std::uint8_t locks :
         {std::uint8_t{lock_turn_y}, std::uint8_t{lock_to_plane_xy}, std::uint8_t{lock_turning}}) {
        for (const int which : {0, 10, 29, -1}) {
            Structure s(7);
            for (int i = 0; i < 30; ++i) {
                s.put(vec3(0.5f), vec3(0.0f, 0.5f + static_cast<float>(i), 0.0f) + s.off(0.003f),
                      i < 15 ? 500.0f : 8000.0f);
                if (which == i || which < 0) REQUIRE(s.world.set_locks(s.ids.back(), locks));
            }
            CAPTURE(static_cast<int>(locks));
            CAPTURE(which);
            CHECK(s.run(8.0) < 2e-3f);
        }
    }
}

TEST_CASE("a tower stands on a box that only locks keep from falling") {
    Structure s(3);
    for (int i = 0; i < 20; ++i)
        s.put(vec3(0.5f), vec3(0.0f, 5.5f + static_cast<float>(i), 0.0f) + s.off(0.003f), i < 10 ? 500.0f : 8000.0f);
    REQUIRE(s.world.set_locks(s.ids[0], lock_y | lock_turning));
    CHECK(s.run(6.0) < 2e-3f);
}

TEST_CASE("a character that cannot turn does not sink into the crate it stands on") {
    for (const float crate_mass : {0.5f, 2.0f, 20.0f}) {
        World world(sleepless());
        add(world, ground());
        const BodyId crate = add(world, body(box(vec3(0.25f)), {0.0f, 0.25f, 0.0f}));
        REQUIRE(world.set_mass(crate, crate_mass));
        BodyDef def = body(capsule(0.6f, 0.3f), {0.05f, 1.4f, 0.03f});
        def.locks = lock_turning;
        const BodyId character = add(world, def);
        REQUIRE(world.set_mass(character, 80.0f));
        const double lowest = lowest_height(world, character, 300);
        CAPTURE(crate_mass);
        CHECK(lowest > 1.4 - 1e-4);
    }
}

// A joint on either box left both to the iterations: the heavy one came down to the ground.
TEST_CASE("a heavy box on a light one does not sink in where joints hold something on either of them" *
          doctest::test_suite("slow")) {
    const auto part = [](Structure& s, const vec3& half, const vec3& at, float mass) {
        const BodyId id = add(s.world, body(box(half), at));
        REQUIRE(s.world.set_mass(id, mass));
        return id;
    };
    using Add = std::function<void(Structure&, BodyId light, BodyId heavy, float ratio)>;
    const std::pair<const char*, Add> kinds[] = {
        {"a flag on the heavy one",
         [&](Structure& s, BodyId, BodyId heavy, float) {
             const BodyId flag = part(s, vec3(0.1f), {0.1f, 2.2f, 0.0f}, 1.0f);
             REQUIRE(s.world.add_joint(BallDef{.frames = s.world.joint_frames(heavy, flag, {0.1f, 2.05f, 0.0f})}));
         }},
        {"a flag on the light one",
         [&](Structure& s, BodyId light, BodyId, float) {
             const BodyId flag = part(s, vec3(0.1f), {-0.7f, 0.5f, 0.0f}, 1.0f);
             REQUIRE(s.world.add_joint(BallDef{.frames = s.world.joint_frames(light, flag, {-0.55f, 0.5f, 0.0f})}));
         }},
        {"a second heavy one, welded on",
         [&](Structure& s, BodyId, BodyId heavy, float ratio) {
             const BodyId half = part(s, vec3(0.5f), {0.1f, 2.5f, 0.0f}, 1000.0f * ratio);
             REQUIRE(s.world.add_joint(FixedDef{.frames = s.world.joint_frames(heavy, half, {0.1f, 2.0f, 0.0f})}));
         }},
        {"a slack rope to the sky",
         [&](Structure& s, BodyId, BodyId heavy, float) {
             BodyDef def = body(box(vec3(0.1f)), {0.1f, 5.0f, 0.0f});
             def.type = BodyType::fixed;
             const BodyId hook = add(s.world, def);
             REQUIRE(s.world.add_joint(
                 DistanceDef{.frames = s.world.joint_frames(heavy, hook, {0.1f, 2.0f, 0.0f}), .length = {0.0f, 4.0f}}));
         }},
        {"a light neighbour on a hinge",
         [&](Structure& s, BodyId light, BodyId, float) {
             const BodyId other = part(s, {0.4f, 0.4f, 0.5f}, {1.0f, 0.4f, 0.0f}, 1000.0f);
             REQUIRE(s.world.add_joint(
                 HingeDef{.frames = s.world.joint_frames(light, other, {0.55f, 0.4f, 0.0f}, {0.0f, 0.0f, 1.0f})}));
         }},
        {"a wheel that a motor turns",
         [&](Structure& s, BodyId, BodyId heavy, float) {
             const BodyId wheel = part(s, vec3(0.1f), {0.1f, 2.2f, 0.0f}, 1.0f);
             HingeDef def{.frames = s.world.joint_frames(heavy, wheel, {0.1f, 2.2f, 0.0f}, {0.0f, 1.0f, 0.0f})};
             def.motor = {.speed = 3.0f, .max_force = 5.0f};
             REQUIRE(s.world.add_joint(def));
         }},
    };
    double worst = 0.0;
    for (const auto& kind : kinds) {
        const auto& name = kind.first;
        for (const float ratio : {100.0f, 1e3f, 1e6f}) {
            for (const std::uint8_t locks : {std::uint8_t{0}, std::uint8_t{lock_turn_y}}) {
                Structure s(5);
                const BodyId light = s.put(vec3(0.5f), {0.0f, 0.5f, 0.0f});
                const BodyId heavy = s.put(vec3(0.5f), {0.1f, 1.5f, 0.0f}, 1000.0f * ratio);
                REQUIRE(s.world.set_locks(heavy, locks));
                kind.second(s, light, heavy, ratio);
                const double lowest = lowest_height(s.world, heavy, 300);
                CAPTURE(name);
                CAPTURE(ratio);
                CAPTURE(static_cast<int>(locks));
                CHECK(lowest > 1.5 - 1e-3);
                worst = std::max(worst, 1.5 - lowest);
            }
        }
    }
    hold("box on one 1,000,000 times lighter, with joints", 1000.0 * worst);
}

TEST_CASE("a tower whose upper half is 16 times denser stands with flags on its boxes" * doctest::test_suite("slow")) {
    for (const int which : {0, 14, 15, 29}) {
        Structure s(9);
        for (int i = 0; i < 30; ++i)
            s.put(vec3(0.5f), vec3(0.0f, 0.5f + static_cast<float>(i), 0.0f) + s.off(0.003f),
                  i < 15 ? 500.0f : 8000.0f);
        const vec3 anchor(0.55f, 0.5f + static_cast<float>(which), 0.0f);
        const BodyId flag = add(s.world, body(box(vec3(0.05f)), anchor + vec3(0.1f, 0.0f, 0.0f)));
        REQUIRE(s.world.add_joint(
            BallDef{.frames = s.world.joint_frames(s.ids[static_cast<std::size_t>(which)], flag, anchor)}));
        CAPTURE(which);
        CHECK(s.run(8.0) < 5e-3f);
    }
}

TEST_CASE("a joint on a heavy box that stands on a light one reports the weight that hangs on it") {
    Structure s(1);
    const BodyId light = s.put(vec3(0.5f), {0.0f, 0.5f, 0.0f});
    REQUIRE(s.world.set_mass(light, 1.0f));
    const BodyId heavy = s.put(vec3(0.5f), {0.0f, 1.5f, 0.0f});
    REQUIRE(s.world.set_mass(heavy, 1000.0f));
    const BodyId lamp = add(s.world, body(box(vec3(0.1f)), {0.8f, 1.5f, 0.0f}));
    REQUIRE(s.world.set_mass(lamp, 20.0f));
    const JointId joint = s.world.add_joint(FixedDef{.frames = s.world.joint_frames(heavy, lamp, {0.6f, 1.5f, 0.0f})});
    REQUIRE(joint);
    for (int i = 0; i < 120; ++i) REQUIRE(s.world.step(frame));
    CHECK(glm::length(s.world.joint_force(joint)) == doctest::Approx(20.0 * 9.81).epsilon(1e-3));
    CHECK(s.world.position(heavy).y > 1.5 - 1e-4);
}

TEST_CASE("a heavy box slides off a light one once the only joint of the world, which tied them, is removed") {
    Structure s(1);
    const BodyId light = s.put(vec3(0.5f), {0.0f, 0.5f, 0.0f});
    REQUIRE(s.world.set_mass(light, 1.0f));
    BodyDef smooth = body(box(vec3(0.5f)), {0.0f, 1.5f, 0.0f});
    smooth.material.friction = 0.0f;
    const BodyId heavy = add(s.world, smooth);
    REQUIRE(s.world.set_mass(heavy, 1000.0f));
    const JointId joint = s.world.add_joint(FixedDef{.frames = s.world.joint_frames(heavy, light, {0.0f, 1.0f, 0.0f})});
    REQUIRE(joint);
    for (int i = 0; i < 60; ++i) REQUIRE(s.world.step(frame));
    REQUIRE(s.world.remove_joint(joint));
    REQUIRE(s.world.set_linear_velocity(heavy, {1.0f, 0.0f, 0.0f}));
    for (int i = 0; i < 20; ++i) REQUIRE(s.world.step(frame));
    CHECK(s.world.position(heavy).x == doctest::Approx(20.0 / 60.0).epsilon(0.02));
    CHECK(std::abs(s.world.position(light).x) < 0.02);
}
