/// Promises of the public headers that no other test is about.

#include "boxes.h"

#include <talus/broadphase/box_cast.h>

#include <limits>
#include <type_traits>

using namespace talus;
using namespace talus::test;

static_assert(std::is_nothrow_default_constructible_v<Broadphase>);
static_assert(std::is_nothrow_move_constructible_v<Broadphase> && std::is_nothrow_move_assignable_v<Broadphase>);
static_assert(std::is_copy_constructible_v<Broadphase> && std::is_copy_assignable_v<Broadphase>);

TEST_CASE("an index is the lowest free one, and becomes free at the update that ends its pairs") {
    Broadphase b;
    const ProxyDef def{.box = box_at(vec3(0.0f), vec3(1.0f)), .user_data = 7};
    for (ProxyIndex p = 0; p < 6; ++p) CHECK(b.add(def) == p);
    b.update();
    CHECK(b.pair_count() == 15);
    b.remove(4);
    b.remove(1);
    CHECK(b.add(def) == 6);  // not yet 1
    b.update();
    CHECK(b.ended().size() == 9);  // of 15 pairs, those with 1 or 4
    for (const ProxyPair pair : b.ended()) CHECK((pair.a == 1 || pair.b == 1 || pair.a == 4 || pair.b == 4));
    CHECK(b.add(def) == 1);
    CHECK(b.add(def) == 4);
    CHECK(b.add(def) == 7);
}

TEST_CASE("what is changed and changed back between two updates makes no events") {
    Broadphase b;
    const WorldAabb here = box_at(vec3(0.0f), vec3(1.0f)), away = box_at(vec3(50.0f), vec3(1.0f));
    const ProxyIndex moved = b.add({.box = here}), filtered = b.add({.box = here}), stopped = b.add({.box = here});
    b.update();
    REQUIRE(b.pair_count() == 3);
    b.move(moved, away, vec3(0.0f));
    b.move(moved, here, vec3(0.0f));
    b.set_filter(filtered, {.mask = 0});
    b.set_filter(filtered, {});
    b.set_moving(stopped, false);
    b.set_moving(stopped, true);
    b.update();
    CHECK(b.begun().empty());
    CHECK(b.ended().empty());
    CHECK(b.pair_count() == 3);
    b.update();  // events are those of the last update only
    b.set_filter(filtered, {.mask = 0});
    b.update();
    CHECK(b.ended().size() == 2);
    b.update();
    CHECK(b.ended().empty());
}

TEST_CASE("keeps_box() says whether a move keeps the fat box") {
    Broadphase b;
    Random random(31);
    std::vector<WorldAabb> boxes;
    for (int i = 0; i < 200; ++i) {
        boxes.push_back(box_at(random.point(-20.0f, 20.0f), vec3(1.0f)));
        b.add({.box = boxes.back(), .moving = i % 10 != 0});
    }
    int kept = 0, renewed = 0;
    for (int update = 0; update < 40; ++update) {
        for (ProxyIndex p = 0; p < boxes.size(); ++p) {
            // Fast and slow: a box that was stretched for a fast move is not kept for ever by a slow one.
            const float speed = (p + static_cast<ProxyIndex>(update)) % 20 < 3 ? 0.5f : 0.01f;
            const vec3 displacement = random.point(-speed, speed);
            boxes[p].lower += on_grid(displacement);
            boxes[p].upper += on_grid(displacement);
            const bool keeps = b.keeps_box(p, boxes[p], displacement);
            const WorldAabb before = b.fat_box(p);
            b.move(p, boxes[p], displacement);
            CHECK(keeps == (b.fat_box(p).lower == before.lower && b.fat_box(p).upper == before.upper));
            ++(keeps ? kept : renewed);
        }
        b.update();
    }
    CHECK(kept > 1000);
    CHECK(renewed > 1000);
}

TEST_CASE("filters: each mask must hold a category of the other, unless the two share a group") {
    CHECK(should_collide({}, {}));
    CHECK(should_collide({.category = 2, .mask = 4}, {.category = 4, .mask = 2}));
    CHECK_FALSE(should_collide({.category = 2, .mask = 4}, {.category = 4, .mask = 4}));  // one of the two refuses
    CHECK_FALSE(should_collide({.category = 4, .mask = 4}, {.category = 2, .mask = 4}));
    CHECK(should_collide({.category = 2, .mask = 0, .group = 5}, {.category = 2, .mask = 0, .group = 5}));
    CHECK_FALSE(should_collide({.group = -5}, {.group = -5}));
    CHECK(should_collide({.group = -5}, {.group = -6}));
    CHECK_FALSE(should_collide({.mask = 0, .group = 5}, {.group = 6}));
    CHECK_FALSE(should_collide({.mask = 0}, {}));  // group 0 is no group
}

TEST_CASE("the fraction at which a moving box enters a box, 0 at the start, negative for a miss") {
    const WorldAabb box{vec3(2, -1, -1), vec3(4, 1, 1)};
    CHECK(enter_fraction({vec3(0.0f), vec3(4, 0, 0)}, box) == doctest::Approx(0.5));
    CHECK(enter_fraction({vec3(0.0f), vec3(4, 0, 0), vec3(1.0f)}, box) == doctest::Approx(0.25));
    CHECK(enter_fraction({vec3(6, 0, 0), vec3(-4, 0, 0)}, box) == doctest::Approx(0.5));
    CHECK(enter_fraction({vec3(3, 0, 0), vec3(4, 0, 0)}, box) == 0.0);
    CHECK(enter_fraction({vec3(0.0f), vec3(4, 0, 0), vec3(0.0f), 0.5f}, box) == doctest::Approx(0.5));
    CHECK(enter_fraction({vec3(0.0f), vec3(4, 0, 0), vec3(0.0f), 0.49f}, box) < 0.0);
    CHECK(enter_fraction({vec3(0.0f), vec3(-4, 0, 0)}, box) < 0.0);
    CHECK(enter_fraction({vec3(0, 3, 0), vec3(4, 0, 0)}, box) < 0.0);
}

TEST_CASE("a cast or a box with a NaN does not touch at the start") {
    // enter_fraction returned 0.
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const WorldAabb box{vec3(2, -1, -1), vec3(4, 1, 1)};
    const vec3 start(0.0f), to(4, 0, 0);
    for (const float bad : {nan, inf, -inf}) {
        CAPTURE(bad);
        for (int i = 0; i < 3; ++i) {
            vec3 wrong(0.0f);
            wrong[i] = bad;
            CHECK(enter_fraction({start + wrong, to}, box) < 0.0);
            CHECK(enter_fraction({start, to + wrong}, box) < 0.0);
            CHECK(enter_fraction({start, to, wrong}, box) < 0.0);
        }
        CHECK(enter_fraction({start, to, vec3(0.0f), bad}, box) < 0.0);
    }
    CHECK(enter_fraction({start, to, vec3(-0.5f)}, box) < 0.0);
    for (int i = 0; i < 3; ++i) {
        WorldAabb wrong = box;
        wrong.lower[i] = nan;
        CHECK(enter_fraction({start, to}, wrong) < 0.0);
        wrong = box;
        wrong.upper[i] = nan;
        CHECK(enter_fraction({start, to}, wrong) < 0.0);
    }
    CHECK(enter_fraction({start, to}, {vec3(2, -inf, -inf), vec3(inf)}) == doctest::Approx(0.5));
}

TEST_CASE("a point that is not finite and a distance that is NaN or negative are near nothing") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    Broadphase b;
    b.add({.box = box_at(vec3(0.0f), vec3(1.0f))});
    int visits = 0;
    const auto count = [&](std::uint32_t, float, float max) { return ++visits, max; };
    for (const vec3& point : {vec3(nan, 0, 0), vec3(0, inf, 0), vec3(0, 0, -inf)}) b.nearest(point, 10.0f, count);
    for (const float max_distance : {nan, -1.0f, -inf}) b.nearest(vec3(0.0f), max_distance, count);
    CHECK(visits == 0);
    b.nearest(vec3(0.0f), inf, count);
    CHECK(visits == 1);
}

TEST_CASE("each box is in the cells of one grid, and a pending one in neither") {
    Broadphase b;
    Random random(4);
    const auto boxes_in = [&b](bool settled) {
        std::size_t sum = 0;
        for (const CellRun& run : b.cell_runs(settled)) sum += run.boxes;
        return sum;
    };
    for (int i = 0; i < 500; ++i) b.add({.box = random_box(random, 20.0f, 0.1f, 0.5f), .moving = i % 4 != 0});
    CHECK(boxes_in(false) + boxes_in(true) == 0);
    b.update();
    CHECK(boxes_in(false) + boxes_in(true) == 500);
    for (int step = 0; step < 80; ++step) {  // one moves, the others settle
        b.move(1, random_box(random, 20.0f, 0.1f, 0.5f), vec3(0.0f));
        b.update();
        REQUIRE(boxes_in(false) + boxes_in(true) == 500);
    }
    CHECK(boxes_in(true) > 400);
    b.move(2, box_at(vec3(60.0f), vec3(0.5f)), vec3(0.0f));
    b.remove(3);
    CHECK(boxes_in(false) + boxes_in(true) == 498);
    b.refresh();
    CHECK(boxes_in(false) + boxes_in(true) == 499);
}
