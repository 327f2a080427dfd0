/// Blocks of boxes in bond both ways come to rest, and stay where they were built.

#include <talus/talus.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace talus;

namespace {

struct Block {
    int across = 3, deep = 3, high = 10;
    vec3 half{0.2f};
    float shift = 0.3f;    ///< of every second course, both ways, in boxes
    float gap = 0.01f;     ///< sideways, m
    float heavier = 1.0f;  ///< density of the upper half, in parts of that of the lower one
    float jitter = 0.0f;   ///< m
    unsigned seed = 1;
    bool may_sleep = true;
};

/// What became of it after some time.
struct Outcome {
    float moved = 0.0f;    ///< the farthest, m
    float sunk = 0.0f;     ///< ... down
    float fastest = 0.0f;  ///< in the last second, m/s
    std::size_t awake = 0;
};

Outcome build_and_wait(const Block& block, float seconds) {
    World world({.allow_sleep = block.may_sleep});
    world.add_body({.type = BodyType::fixed, .shape = box({50, 1, 50}), .position = {0, -1, 0}});
    std::mt19937 random(block.seed);
    const auto jitter = [&] { return block.jitter * (static_cast<float>(random() % 2001) / 1000.0f - 1.0f); };
    std::vector<BodyId> boxes;
    std::vector<vec3> places;
    for (int course = 0; course < block.high; ++course) {
        const float shift = course % 2 == 1 ? block.shift : 0.0f;
        for (int i = 0; i < block.across; ++i) {
            for (int k = 0; k < block.deep; ++k) {
                const float x = (static_cast<float>(i) + shift) * (2.0f * block.half.x + block.gap) + jitter();
                const float z = (static_cast<float>(k) + shift) * (2.0f * block.half.z + block.gap) + jitter();
                places.push_back({x, block.half.y * static_cast<float>(2 * course + 1), z});
                boxes.push_back(world.add_body({.shape = box(block.half),
                                                .position = places.back(),
                                                .density = course < block.high / 2 ? 500.0f : 500.0f * block.heavier}));
            }
        }
    }
    Outcome outcome;
    const int steps = static_cast<int>(60.0f * seconds);
    for (int step = 0; step < steps; ++step) {
        world.step(1.0f / 60.0f);
        if (step < steps - 60) continue;
        for (const BodyId id : boxes)
            outcome.fastest = std::max(outcome.fastest, glm::length(world.linear_velocity(id)));
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const vec3 way = vec3(world.position(boxes[i])) - places[i];
        outcome.moved = std::max(outcome.moved, glm::length(vec3(way.x, 0.0f, way.z)));
        outcome.sunk = std::max(outcome.sunk, -way.y);
    }
    outcome.awake = world.awake_body_count();
    return outcome;
}

}  // namespace

TEST_CASE("blocks of boxes in bond both ways come to rest where they were built") {
    const auto rests = [](const Block& block) {
        CAPTURE(block.across);
        CAPTURE(block.deep);
        CAPTURE(block.high);
        CAPTURE(block.half.y);
        CAPTURE(block.gap);
        CAPTURE(block.heavier);
        CAPTURE(block.jitter);
        CAPTURE(block.seed);
        const Outcome outcome = build_and_wait(block, 3.0f);
        CHECK(outcome.awake == 0);
        CHECK(outcome.fastest == 0.0f);
        CHECK(outcome.moved < 0.06f * block.half.x);
    };
    SUBCASE("of one density") {
        for (const float gap : {0.0f, 0.005f, 0.01f, 0.02f}) rests({.gap = gap});
        for (const int high : {5, 8, 16}) rests({.high = high});
    }
    SUBCASE("of other sizes") {
        rests({.half = {0.2f, 0.1f, 0.2f}});
        rests({.half = vec3(0.5f), .gap = 0.025f});
        rests({.half = vec3(1.0f), .gap = 0.05f});
        rests({.half = vec3(0.1f), .gap = 0.005f});
        rests({.across = 5, .deep = 2, .high = 9});
    }
    SUBCASE("with a heavier upper half") {
        for (const float heavier : {2.0f, 4.0f, 10.0f}) rests({.high = 5, .heavier = heavier});
        rests({.high = 8, .heavier = 4.0f});
    }
    SUBCASE("set down a little askew") {
        for (unsigned seed = 1; seed <= 4; ++seed) rests({.jitter = 0.003f, .seed = seed});
    }
}

TEST_CASE("big blocks of boxes in bond both ways come to rest where they were built") {
    for (const Block& block :
         {Block{.across = 4, .deep = 4, .high = 20}, Block{.across = 7, .deep = 7, .high = 7, .heavier = 4.0f}}) {
        const Outcome outcome = build_and_wait(block, 4.0f);
        CHECK(outcome.awake == 0);
        CHECK(outcome.moved < 0.015f);
        CHECK(outcome.sunk < 0.03f);
    }
}

// Asleep, everything stands. What feeds energy in shows where nothing may fall asleep.
TEST_CASE("a block of boxes in bond both ways that may not sleep does not tremble") {
    for (const Block& block : {Block{.may_sleep = false}, Block{.high = 5, .heavier = 4.0f, .may_sleep = false}}) {
        const Outcome outcome = build_and_wait(block, 10.0f);
        CHECK(outcome.fastest < 0.01f);
        CHECK(outcome.moved < 0.01f);
    }
}
