/// Blocks of boxes with bond in both directions, walls in English bond and boards laid crosswise come to rest, and stay
/// where they were built.

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
    float shift = 0.3f;    ///< displacement of every second course, in both directions, in boxes
    float gap = 0.01f;     ///< sideways gap between boxes, m
    float heavier = 1.0f;  ///< density of the upper half over that of the lower half
    float jitter = 0.0f;   ///< m
    unsigned seed = 1;
    bool may_sleep = true;
};

struct Placed {
    vec3 half, place;
    float density = 500.0f;
};

/// The result after some time.
struct Outcome {
    float moved = 0.0f;    ///< largest displacement, m
    float sunk = 0.0f;     ///< largest downward displacement, m
    float fastest = 0.0f;  ///< largest speed in the last second, m/s
    std::size_t awake = 0;
};

/// A random number between -most and most.
float either_way(std::mt19937& random, float most) {
    return most * (static_cast<float>(random() % 2001) / 1000.0f - 1.0f);
}

Outcome build_and_wait(const std::vector<Placed>& boxes, float seconds, bool may_sleep) {
    World world({.allow_sleep = may_sleep});
    world.add_body({.type = BodyType::fixed, .shape = box({50, 1, 50}), .position = {0, -1, 0}});
    std::vector<BodyId> ids;
    for (const Placed& b : boxes)
        ids.push_back(world.add_body({.shape = box(b.half), .position = b.place, .density = b.density}));
    Outcome outcome;
    const int steps = static_cast<int>(60.0f * seconds);
    for (int step = 0; step < steps; ++step) {
        world.step(1.0f / 60.0f);
        if (step < steps - 60) continue;
        for (const BodyId id : ids) outcome.fastest = std::max(outcome.fastest, glm::length(world.linear_velocity(id)));
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const vec3 way(world.position(ids[i]) - dvec3(boxes[i].place));
        outcome.moved = std::max(outcome.moved, glm::length(vec3(way.x, 0.0f, way.z)));
        outcome.sunk = std::max(outcome.sunk, -way.y);
    }
    outcome.awake = world.awake_body_count();
    return outcome;
}

Outcome build_and_wait(const Block& block, float seconds) {
    std::mt19937 random(block.seed);
    std::vector<Placed> boxes;
    for (int course = 0; course < block.high; ++course) {
        const float shift = course % 2 == 1 ? block.shift : 0.0f;
        for (int i = 0; i < block.across; ++i) {
            for (int k = 0; k < block.deep; ++k) {
                const float x = (static_cast<float>(i) + shift) * (2.0f * block.half.x + block.gap);
                const float z = (static_cast<float>(k) + shift) * (2.0f * block.half.z + block.gap);
                const float by_x = either_way(random, block.jitter), by_z = either_way(random, block.jitter);
                boxes.push_back({block.half,
                                 {x + by_x, block.half.y * static_cast<float>(2 * course + 1), z + by_z},
                                 course < block.high / 2 ? 500.0f : 500.0f * block.heavier});
            }
        }
    }
    return build_and_wait(boxes, seconds, block.may_sleep);
}

/// A wall two bricks thick. Courses of two rows along it and courses of bricks across it alternate. Bricks are 2 : 1 :
/// 1.
std::vector<Placed> english_bond(int courses, int long_bricks, float height, float jitter, unsigned seed) {
    std::mt19937 random(seed);
    const float pitch = 1.01f * height;
    std::vector<Placed> bricks;
    for (int course = 0; course < courses; ++course) {
        const float y = height * (static_cast<float>(course) + 0.5f);
        if (course % 2 == 0) {
            for (int i = 0; i < long_bricks; ++i) {
                for (const float side : {-0.5f, 0.5f}) {
                    const float x = static_cast<float>(2 * i + 1) * pitch + either_way(random, jitter);
                    bricks.push_back({{height, 0.5f * height, 0.5f * height}, {x, y, side * pitch}});
                }
            }
        } else {
            for (int i = 1; i < 2 * long_bricks; ++i) {
                const float x = static_cast<float>(i) * pitch + either_way(random, jitter);
                bricks.push_back({{0.5f * height, 0.5f * height, height}, {x, y, 0.0f}});
            }
        }
    }
    return bricks;
}

/// Courses of this many boards, each course perpendicular to the one below.
std::vector<Placed> crosswise_boards(int courses, int boards, float length) {
    const float pitch = length / static_cast<float>(boards);
    const vec3 half = {0.5f * length, 0.015f * length, 0.4f * pitch};
    std::vector<Placed> placed;
    for (int course = 0; course < courses; ++course) {
        for (int i = 0; i < boards; ++i) {
            const float aside = (static_cast<float>(i) - 0.5f * static_cast<float>(boards - 1)) * pitch;
            const float y = half.y * static_cast<float>(2 * course + 1);
            if (course % 2 == 0) placed.push_back({half, {0.0f, y, aside}});
            if (course % 2 == 1) placed.push_back({{half.z, half.y, half.x}, {aside, y, 0.0f}});
        }
    }
    return placed;
}

void check_rests(const Outcome& outcome) {
    CHECK(outcome.awake == 0);
    CHECK(outcome.fastest == 0.0f);
    CHECK(outcome.moved < 0.015f);
    CHECK(outcome.sunk < 0.035f);
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

TEST_CASE("cubes each on four others do not tremble or creep, whatever their size, shift and number of courses" *
          doctest::test_suite("slow")) {
    for (const float edge : {0.1f, 1.0f, 10.0f}) {
        for (const int high : {10, 15, 20}) {
            for (const float shift : {0.2f, 0.3f, 0.4f}) {
                CAPTURE(edge);
                CAPTURE(high);
                CAPTURE(shift);
                check_rests(build_and_wait(
                    {.high = high, .half = vec3(0.5f * edge), .shift = shift, .gap = 0.01f * edge}, 3.0f));
            }
        }
    }
    for (unsigned seed = 1; seed <= 4; ++seed) {
        CAPTURE(seed);
        check_rests(
            build_and_wait({.high = 12, .half = vec3(0.5f), .shift = 0.35f, .jitter = 0.005f, .seed = seed}, 3.0f));
    }
}

TEST_CASE("walls in English bond come to rest where they were built" * doctest::test_suite("slow")) {
    for (const float height : {0.05f, 0.2f, 1.0f}) {
        for (const int courses : {10, 16, 20}) {
            for (unsigned seed = 1; seed <= 3; ++seed) {
                CAPTURE(height);
                CAPTURE(courses);
                CAPTURE(seed);
                const float jitter = seed == 1 ? 0.0f : 0.01f * height;
                check_rests(build_and_wait(english_bond(courses, 5, height, jitter, seed), 3.0f, true));
            }
        }
    }
}

TEST_CASE("boards laid crosswise come to rest where they were laid") {
    for (const float length : {0.6f, 2.0f, 10.0f}) {
        for (const int boards : {3, 5}) {
            for (const int courses : {10, 20}) {
                CAPTURE(length);
                CAPTURE(boards);
                CAPTURE(courses);
                check_rests(build_and_wait(crosswise_boards(courses, boards, length), 3.0f, true));
            }
        }
    }
}

// Asleep, everything stands. A gain of energy shows only if bodies may not fall asleep.
TEST_CASE("a block of boxes in bond both ways that may not sleep does not tremble") {
    for (const Block& block : {Block{.may_sleep = false}, Block{.high = 5, .heavier = 4.0f, .may_sleep = false}}) {
        const Outcome outcome = build_and_wait(block, 10.0f);
        CHECK(outcome.fastest < 0.01f);
        CHECK(outcome.moved < 0.01f);
    }
}

TEST_CASE("packs of thin sheets keep their height") {
    struct Pack {
        vec3 half_extents;
        int count;
        float gap;
    };
    // Sheets of 2 mm: the distance to the sheet after the next is less than a contact's margin.
    for (const Pack& pack : {Pack{{0.15f, 0.001f, 0.1f}, 20, 0.0f}, Pack{{0.6f, 0.009f, 1.2f}, 50, 0.0f},
                             Pack{{0.5f, 0.0025f, 1.0f}, 20, 0.0f}, Pack{{0.15f, 0.0025f, 0.1f}, 10, 0.1f},
                             Pack{{0.6f, 0.009f, 1.2f}, 20, 0.1f}}) {
        World world;
        BodyDef ground;
        ground.type = BodyType::fixed;
        ground.shape = box({50.0f, 1.0f, 50.0f});
        ground.position = {0.0f, -1.0f, 0.0f};
        world.add_body(ground);
        std::vector<BodyId> sheets;
        const float thick = 2.0f * pack.half_extents.y;
        for (int i = 0; i < pack.count; ++i) {
            BodyDef def;
            def.shape = box(pack.half_extents);
            def.position = {0.0f, 0.5f * thick + static_cast<float>(i) * (thick + pack.gap), 0.0f};
            sheets.push_back(world.add_body(def));
        }
        for (int step = 0; step < 300; ++step) world.step(1.0f / 60.0f);
        double top = 0.0;
        for (const BodyId id : sheets) top = std::max(top, world.position(id).y + 0.5f * thick);
        INFO(pack.count, " sheets of ", thick, " m");
        CHECK(top > 0.96f * static_cast<float>(pack.count) * thick);
    }
}
