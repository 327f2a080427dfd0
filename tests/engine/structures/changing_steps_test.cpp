// Steps that change in length: alternating, at random, with hitches. Bodies that stand or rest at a constant dt must do
// so then, too.

#include "tests/engine/limits.h"

#include "tests/engine/worlds.h"

#include <algorithm>
#include <string>

using namespace talus;
using namespace talus::test;

namespace {

/// Lengths of steps, s.
class Steps {
public:
    Steps(std::string kind, std::uint64_t seed) : kind_(std::move(kind)), random_(seed) {}

    float next() {
        ++count_;
        if (kind_ == "1/30 and 1/120 s by turns") return count_ % 2 == 1 ? 1.0f / 30.0f : 1.0f / 120.0f;
        if (kind_ == "half to twice 1/60 s") return frame * std::exp2(random_.between(-1.0f, 1.0f));
        if (kind_ == "a hitch of 1/4 s each second") return count_ % 46 == 45 ? 0.25f : frame;
        FAIL("no such steps");
        return frame;
    }

private:
    std::string kind_;
    Random random_;
    int count_ = 0;
};

const char* const kinds[] = {"1/30 and 1/120 s by turns", "half to twice 1/60 s", "a hitch of 1/4 s each second"};

/// A tower of unit boxes, each displaced by up to 1 cm.
std::vector<BodyId> add_boxes(World& world, const std::vector<dvec3>& places, Random& random) {
    add(world, ground());
    std::vector<BodyId> ids;
    for (const dvec3& place : places) {
        const float x = random.between(-0.01f, 0.01f), z = random.between(-0.01f, 0.01f);
        ids.push_back(add(world, crate(place + dvec3(x, 0.0, z))));
    }
    return ids;
}

std::vector<dvec3> tower(int height) {
    std::vector<dvec3> places;
    for (int i = 0; i < height; ++i) places.emplace_back(0.0, 0.5 + i, 0.0);
    return places;
}

std::vector<dvec3> pyramid(int base) {
    std::vector<dvec3> places;
    for (int row = 0; row < base; ++row) {
        for (int i = 0; i < base - row; ++i) places.emplace_back(1.1 * (i - 0.5 * (base - 1 - row)), 0.5 + row, 0.0);
    }
    return places;
}

/// Runs for `seconds`. Checks that no box moves farther from its place than `most`, m, and how fast the boxes are at
/// the end. Returns the largest displacement, m.
double check_stands(const std::vector<dvec3>& places, double seconds, double most, double joules) {
    double worst = 0.0;
    for (const char* const kind : kinds) {
        for (const std::uint64_t seed : {11u, 12u, 13u}) {
            Random random(seed);
            World world(sleepless());
            const std::vector<BodyId> ids = add_boxes(world, places, random);
            Steps steps(kind, seed);
            double farthest = 0.0, fastest = 0.0;
            for (double time = 0.0; time < seconds;) {
                const float dt = steps.next();
                REQUIRE(world.step(dt));
                time += static_cast<double>(dt);
                double energy = 0.0;
                for (std::size_t i = 0; i < ids.size(); ++i) {
                    farthest = std::max(farthest, glm::distance(world.position(ids[i]), places[i]));
                    energy += kinetic_energy(world, ids[i]);
                }
                if (time > 0.5 * seconds) fastest = std::max(fastest, energy);
            }
            CAPTURE(std::string(kind));
            CAPTURE(seed);
            CAPTURE(farthest);
            CAPTURE(fastest);
            CHECK(farthest < most);
            CHECK(fastest < joules);
            worst = std::max(worst, farthest);
        }
    }
    return worst;
}

}  // namespace

TEST_CASE("towers of 10 to 30 stand while steps change in length" * doctest::test_suite("slow")) {
    double worst = 0.0;
    for (const int height : {10, 20, 30}) {
        CAPTURE(height);
        worst = std::max(worst, check_stands(tower(height), 8.0, 0.05, 5.0));
    }
    hold("towers of up to 30 boxes at changing steps", 1000.0 * worst);
}

TEST_CASE("a pyramid with a base of 20 stands while steps change in length" * doctest::test_suite("slow")) {
    hold("pyramid of 20 rows at changing steps", 1000.0 * check_stands(pyramid(20), 6.0, 0.06, 100.0));
}

TEST_CASE("a step of any length up to a second lets a tower stand, and a sub-step is never long") {
    for (const float dt : {1.0f, 0.5f, 0.25f, 0.1f, 1.0f / 30.0f}) {
        Random random(21);
        World world(sleepless());
        const std::vector<dvec3> places = tower(10);
        const std::vector<BodyId> ids = add_boxes(world, places, random);
        for (double time = 0.0; time < 5.0; time += static_cast<double>(dt)) REQUIRE(world.step(dt));
        const double moved = glm::distance(world.position(ids.back()), places.back());
        CAPTURE(dt);
        CAPTURE(moved);
        CHECK(moved < 0.02);
    }
}

TEST_CASE("what fell asleep at long steps wakes at short ones with the loads that it bears") {
    for (const float later : {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 240.0f}) {
        Random random(31);
        World world;
        const std::vector<dvec3> places = tower(8);
        const std::vector<BodyId> ids = add_boxes(world, places, random);
        for (int i = 0; i < 600 && world.awake_body_count() > 0; ++i) REQUIRE(world.step(frame));
        REQUIRE(world.awake_body_count() == 0);
        run(world, 10, later);  // the world makes steps of another length meanwhile
        const double before = world.position(ids.back()).y;
        world.set_awake(ids.front(), true);
        float fastest = 0.0f;
        for (int i = 0; i < 20; ++i) {
            REQUIRE(world.step(later));
            for (const BodyId id : ids) fastest = std::max(fastest, std::abs(world.linear_velocity(id).y));
        }
        CAPTURE(later);
        CAPTURE(fastest);
        CHECK(fastest < 0.02f);
        CHECK(std::abs(world.position(ids.back()).y - before) < 0.002);
    }
}

TEST_CASE("balls that fall when a hitch comes do not end up in each other") {
    for (const std::uint64_t seed : {41u, 42u, 43u, 44u}) {
        Random random(seed);
        World world(sleepless());
        add(world, ground());
        // Four balls at rest on the floor, and four close above them, which would move 2 m farther in the hitch if
        // nothing stopped them.
        for (int i = 0; i < 4; ++i) {
            const float x = 3.0f * static_cast<float>(i);
            add(world, body(sphere(0.5f), {x, 0.5f, 0.0f}));
            BodyDef falling =
                body(sphere(0.5f), {x + random.between(-0.05f, 0.05f), random.between(1.92f, 1.98f), 0.0f});
            falling.linear_velocity = {0.0f, -8.0f, 0.0f};
            add(world, falling);
        }
        run(world, 2);
        float deepest = 0.0f;
        for (const float dt : {0.25f, frame, frame}) {
            REQUIRE(world.step(dt));
            for (const Contact& contact : world.contacts()) {
                for (int i = 0; i < contact.point_count; ++i)
                    deepest = std::max(deepest, -contact.points[i].separation);
            }
        }
        CAPTURE(seed);
        CAPTURE(deepest);
        CHECK(deepest < 0.05f);
    }
}

TEST_CASE("at a constant dt of up to 1/60 s a step has the sub-steps that were asked for") {
    // A body that only falls shows the number of sub-steps: semi-implicit Euler falls g h^2 n (n + 1) / 2 in n
    // sub-steps of h.
    const auto fall = [](int substeps, float dt, float before) {
        WorldDef def = sleepless();
        def.substeps = substeps;
        World world(def);
        const BodyId id = add(world, body(sphere(0.5f)));
        if (before > 0.0f) REQUIRE(world.step(before));
        const double from = world.position(id).y, speed = world.linear_velocity(id).y;
        REQUIRE(world.step(dt));
        const double fallen = (world.position(id).y - from - dt * speed) / (-9.81f * dt * dt);
        return static_cast<int>(0.5 / (fallen - 0.5) + 0.5);
    };
    CHECK(fall(4, frame, 0.0f) == 4);
    CHECK(fall(4, 1.0f / 120.0f, 0.0f) == 4);
    CHECK(fall(1, 1.0f / 1000.0f, 0.0f) == 1);
    CHECK(fall(4, 1.0f / 120.0f, 1.0f / 120.0f) == 4);
    CHECK(fall(4, 1.0f / 30.0f, 0.0f) == 8);
    CHECK(fall(2, 1.0f / 15.0f, 0.0f) == 8);
    CHECK(fall(4, 1.0f / 120.0f, 1.0f / 30.0f) == 2);
    CHECK(fall(4, 1.02f * frame, frame) == 4);
}
