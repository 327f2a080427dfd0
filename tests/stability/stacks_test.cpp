// Stacks that have to stand by themselves: sleeping off, each box put up to 1 cm off its place, default settings unless
// the scene says otherwise. What is measured counts from where the boxes were put, so that sagging and settling are in
// it.

#include "samples/scenes/kit/random.h"
#include "tests/stability/run.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// Boxes on the ground, which never fall asleep.
struct Boxes {
    World world{WorldDef{.allow_sleep = false}};
    std::vector<BodyId> ids;
    std::vector<dvec3> places;

    Boxes() {
        BodyDef floor;
        floor.type = BodyType::fixed;
        floor.shape = box({50.0f, 1.0f, 50.0f});
        floor.position = {0.0f, -1.0f, 0.0f};
        REQUIRE(!world.add_body(floor).is_null());
    }
    void put(const vec3& half, const dvec3& place) {
        BodyDef body;
        body.shape = box(half);
        body.position = place;
        ids.push_back(world.add_body(body));
        places.push_back(place);
    }
    /// How far the box that strays farthest comes from its place within so many steps, m.
    double farthest_stray(int steps) {
        double farthest = 0.0;
        for (int i = 0; i < steps; ++i) {
            REQUIRE(world.step(1.0f / 60.0f));
            for (std::size_t k = 0; k < ids.size(); ++k)
                farthest = std::max(farthest, glm::distance(world.position(ids[k]), places[k]));
        }
        return farthest;
    }
};

}  // namespace

TEST_CASE("a jittered tower of 30 stands for a minute with its top within 5 cm") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run tower = run("tower30", seed);
        MESSAGE(tower.text);
        CHECK(tower["the top's displacement"] < 0.05);
        CHECK(tower["the largest displacement"] < 0.05);
    }
}

TEST_CASE("a jittered tower of 50 stands for a minute with its top within 5 cm") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Run tower = run("tower50", seed);
        MESSAGE(tower.text);
        CHECK(tower["the top's displacement"] < 0.05);
        CHECK(tower["the largest displacement"] < 0.05);
    }
}

// On contacts as soft as usual it leans out of its plane further and further, as a thin wall of springs does that is too
// tall for their stiffness (Greenhill 1881), and falls (slender_islands.h).
TEST_CASE("a jittered pyramid with a base of 100 stands with no box more than 10 cm from its place") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Run pyramid = run("pyramid100", seed, 0.01f, seed == 1 ? 3600 : 1000);
        MESSAGE(pyramid.text);
        CHECK(pyramid["the largest displacement"] < 0.1);
    }
}

TEST_CASE("towers of 50 that touch, and 30 courses of crosswise bricks, stand for a minute") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const bool bricks : {false, true}) {
            samples::Random random(seed);
            Boxes boxes;
            const float most = seed % 2 == 0 ? 0.005f : 0.01f;
            const auto put = [&](const vec3& half, const dvec3& place) {
                const float x = random.between(-most, most), z = random.between(-most, most);
                boxes.put(half, place + dvec3(x, 0.0, z));
            };
            for (int i = 0; i < (bricks ? 30 : 50); ++i) {
                for (int side = -1; side <= 1; ++side) {
                    const float off = 1.02f * static_cast<float>(side);
                    if (bricks && i % 2 == 0)
                        put({0.48f, 0.3f, 1.5f}, {off, 0.3f + 0.6f * static_cast<float>(i), 0.0f});
                    if (bricks && i % 2 == 1)
                        put({1.5f, 0.3f, 0.48f}, {0.0f, 0.3f + 0.6f * static_cast<float>(i), off});
                    if (!bricks && side != 0)
                        put(vec3(0.5f), {0.5f * static_cast<float>(side), 0.5f + static_cast<float>(i), 0.0f});
                }
            }
            const double farthest = boxes.farthest_stray(3600);
            CAPTURE(seed);
            CAPTURE(bricks);
            MESSAGE("at most ", farthest, " m from its place");
            CHECK(farthest < 0.05);
        }
    }
}

TEST_CASE("a jittered tower of 100, and one of 50 with pebbles, stand for a minute") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const bool pebbles : {false, true}) {
            samples::Random random(seed);
            Boxes boxes;
            for (int i = 0; i < (pebbles ? 50 : 100); ++i) {
                const float most = pebbles ? 0.01f : 0.005f;
                const float x = random.between(-most, most), z = random.between(-most, most);
                const dvec3 place(x, 0.5 + i, z);
                const bool wide = pebbles && i % 5 == 4;
                boxes.put({wide ? 0.8f : 0.5f, 0.5f, 0.5f}, place);
                if (!wide || i == 49) continue;
                for (const float side : {-0.65f, 0.65f}) boxes.put(vec3(0.05f), place + dvec3(side, 0.55, 0.0));
            }
            const double farthest = boxes.farthest_stray(3600);
            CAPTURE(seed);
            CAPTURE(pebbles);
            CHECK(farthest < 0.02);
        }
    }
}

TEST_CASE("1000 kg on 1 kg sink by less than a centimetre in a minute") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run boxes = run("heavy_light", seed);
        MESSAGE(boxes.text);
        CHECK(boxes["the denser box sank by"] < 0.01);
        CHECK(boxes["the larger box sank by"] < 0.01);
    }
}

TEST_CASE("an arch of wedges stands for 1200 steps with no part more than 5 cm from its place") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run arch = run("arch", seed);
        MESSAGE(arch.text);
        CHECK(arch["the largest displacement"] < 0.05);
    }
}

// All cards are put where they touch and none is pressed yet, so the house drops into its contacts by 2 cm at the top;
// that must not throw it off its balance.
TEST_CASE("a house of cards stands for 1200 steps with no part more than 5 cm from its place") {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        const Run house = run("card_house", seed);
        MESSAGE(house.text);
        CHECK(house["the largest displacement"] < 0.05);
    }
}

// Friction and twist that were solved side by side swung against each other at the tips of the pair on top, which
// carries nothing: that used up its friction, and it crept by 1 mm in three seconds, ever faster, until it fell.
TEST_CASE("a house of cards without jitter stands for ten minutes and creeps by less than 1 mm") {
    const Result<samples::SceneData> scene = samples::find_scene("card_house")->make({});
    REQUIRE(static_cast<bool>(scene));
    WorldDef def;
    def.allow_sleep = false;
    std::vector<BodyId> cards;
    World world = samples::make_world(*scene, &cards, def);
    std::vector<dvec3> settled;
    double largest = 0.0, crept = 0.0;
    for (int i = 0; i < 36000; ++i) {
        REQUIRE(samples::step_scene(world, *scene, i));
        for (std::size_t k = 0; k < cards.size(); ++k) {
            largest = std::max(largest, glm::distance(world.position(cards[k]), scene->bodies[k].position));
            if (i == 299) settled.push_back(world.position(cards[k]));
            if (i > 299) crept = std::max(crept, glm::distance(world.position(cards[k]), settled[k]));
        }
    }
    MESSAGE("at most ", largest, " m from its place; crept by ", crept, " m once settled");
    CHECK(largest < 0.05);
    CHECK(crept < 1e-3);
}
