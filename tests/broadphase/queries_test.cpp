#include "boxes.h"
#include "tests/support/threads.h"

#include <array>
#include <limits>
#include <string>
#include <thread>

using namespace talus;
using namespace talus::test;

namespace {

struct World {
    Broadphase broadphase;
    std::vector<bool> alive;
};

void check_box(const World& world, const WorldAabb& box) {
    std::vector<std::uint32_t> expected, got;
    for (ProxyIndex p = 0; p < world.alive.size(); ++p) {
        if (world.alive[p] && overlaps(world.broadphase.fat_box(p), box)) expected.push_back(1000 + p);
    }
    world.broadphase.query(box, [&](std::uint32_t user_data) { got.push_back(user_data); });
    CHECK(got == expected);
}

std::size_t check_ray(const World& world, const dvec3& origin, const vec3& translation, float clip) {
    std::vector<int> visits(world.alive.size());
    std::size_t unclipped = 0;
    world.broadphase.ray_cast(origin, translation, [&](std::uint32_t user_data, float max_fraction) {
        CHECK(max_fraction == (unclipped == 0 ? 1.0f : clip));
        ++unclipped;
        ++visits[user_data - 1000];
        return clip;
    });
    std::size_t missed = 0, invented = 0, twice = 0, hits = 0;
    for (ProxyIndex p = 0; p < world.alive.size(); ++p) {
        const WorldAabb& box = world.broadphase.fat_box(p);
        const long double slack = 1e-9L * (1.0L + glm::length(origin) + glm::length(translation));
        const bool must = world.alive[p] && cast_meets({origin, translation, vec3(0.0f), clip}, box, 0.0L);
        const bool may = world.alive[p] && cast_meets({origin, translation}, box, slack);
        missed += must && visits[p] == 0;
        invented += !may && visits[p] != 0;
        twice += visits[p] > 1;
        hits += visits[p] != 0;
    }
    INFO("origin ", origin.x, " ", origin.y, " ", origin.z, " translation ", translation.x, " ", translation.y, " ",
         translation.z, " clip ", clip);
    CHECK(missed == 0);
    CHECK(invented == 0);
    CHECK(twice == 0);
    return hits;
}

World make(Random& random, int count, float size, const dvec3& offset, const vec3& flatten, float max_half) {
    World world;
    for (int i = 0; i < count; ++i) {
        vec3 half = random.point(0.02f * max_half, max_half);
        if (i % 97 == 0) half = vec3(size, 0.1f * max_half, size);
        if (i % 31 == 0) half.y = 0.0f;
        const ProxyIndex p =
            world.broadphase.add({.box = box_at(offset + dvec3(flatten * random.point(-size, size)), half),
                                  .user_data = 1000u + static_cast<std::uint32_t>(i),
                                  .moving = random.chance(0.7f)});
        CHECK(p == static_cast<ProxyIndex>(i));
        world.alive.push_back(true);
    }
    return world;
}

}  // namespace

TEST_CASE("queries and rays find what brute force finds, before and after each update" * doctest::test_suite("slow")) {
    struct {
        std::string name;
        int count;
        float size;
        dvec3 offset;
        vec3 flatten;
        float max_half;
    } const worlds[] = {
        {"crowd", 600, 8.0f, vec3(0.0f), vec3(1.0f), 0.7f},
        {"sparse", 1500, 100.0f, vec3(0.0f), vec3(1.0f), 1.0f},
        {"plane far away", 800, 40.0f, vec3(10000.0f, -3000.0f, -10000.0f), vec3(1.0f, 0.01f, 1.0f), 0.7f},
        {"plane at 10,000 km", 800, 40.0f, dvec3(1e7, -3e6, -1e7), vec3(1.0f, 0.01f, 1.0f), 0.7f},
        {"tower", 500, 200.0f, vec3(0.0f), vec3(0.005f, 1.0f, 0.005f), 0.6f},
        {"few", 12, 3.0f, vec3(0.0f), vec3(1.0f), 0.7f},
        {"screws", 500, 0.02f, vec3(0.5f), vec3(1.0f), 0.001f},
    };
    Random random(21);
    for (const auto& w : worlds) {
        CAPTURE(w.name);
        World world = make(random, w.count, w.size, w.offset, w.flatten, w.max_half);
        Broadphase& b = world.broadphase;
        std::size_t hits = 0;
        for (int frame = 0; frame < 30; ++frame) {
            CAPTURE(frame);
            // 0: nothing but pending boxes; later all mixtures of pending, restless, settled and stale entries.
            for (int i = 0; i < 15; ++i) {
                const dvec3 at = w.offset + dvec3(w.flatten * random.point(-w.size, w.size));
                check_box(world, box_at(at, random.point(0.0f, 3.0f * w.max_half)));
                const dvec3 to = w.offset + dvec3(w.flatten * random.point(-w.size, w.size));
                vec3 through = i % 3 == 0 ? 2.0 * (to - at) : to - at;
                if (i % 4 == 0) through[static_cast<int>(random.below(3))] = 0.0f;
                if (i % 5 == 0)
                    through = vec3(0.0f),
                    through[static_cast<int>(random.below(3))] = random.real(-1.0f, 1.0f) * w.size;
                hits += check_ray(world, at, through, i % 2 == 0 ? 1.0f : random.real(0.0f, 1.0f));
                // From a corner of a box along its edges and faces: grazing counts.
                const WorldAabb& box = b.fat_box(random.below(static_cast<std::uint32_t>(w.count)));
                const dvec3 edge = box.upper - box.lower;
                hits += check_ray(world, box.lower, vec3(edge.x, 0, 0), 1.0f);
                hits += check_ray(world, box.lower - edge, 3.0 * edge, 1.0f);
                hits += check_ray(world, dvec3(box.lower.x, box.upper.y, box.lower.z - double{w.size}),
                                  vec3(0, 0, 2 * w.size), 1.0f);
            }
            check_box(world, box_at(w.offset, vec3(2 * w.size)));
            check_box(world,
                      {vec3(-std::numeric_limits<float>::infinity()), vec3(std::numeric_limits<float>::infinity())});
            check_ray(world, w.offset - dvec3(1e4f * w.size), vec3(2e4f * w.size), 1.0f);

            const float part = frame % 3 == 0 ? 0.6f : 0.05f;
            for (ProxyIndex p = 0; p < world.alive.size(); ++p) {
                if (!world.alive[p]) continue;
                if (random.chance(0.01f))
                    b.remove(p), world.alive[p] = false;
                else if (random.chance(part)) {
                    const dvec3 at = w.offset + dvec3(w.flatten * random.point(-w.size, w.size));
                    b.move(p, box_at(at, random.point(0.0f, w.max_half)), vec3(0.0f));
                }
            }
            if (frame % 4 == 1) b.refresh();
            if (frame % 4 != 2) b.update();
        }
        CHECK(hits > 100);
    }
}

TEST_CASE("a closest-hit ray clips itself and finds the nearest box") {
    Broadphase b;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        b.add({.box = box_at(vec3(3.0f * float(i % 200), 0.0f, 3.0f * float(i / 200)), vec3(0.5f)),
               .user_data = i,
               .moving = false});
    }
    b.update();
    std::uint32_t nearest = 0, visits = 0;
    b.ray_cast(vec3(298.5f, 0.0f, 3.0f), vec3(-1000.0f, 0.0f, 0.0f), [&](std::uint32_t i, float max_fraction) {
        ++visits;
        const float fraction = (298.5f - (3.0f * float(i % 200) + 0.5f)) / 1000.0f;
        if (fraction >= max_fraction) return max_fraction;
        nearest = i;
        return fraction;
    });
    CHECK(nearest == 299);  // x = 297, second row
    CHECK(visits <= 100);
    visits = 0;
    b.ray_cast(vec3(-5.0f, 0.0f, 3.0f), vec3(1000.0f, 0.0f, 0.0f),
               [&](std::uint32_t, float) { return ++visits, -1.0f; });
    CHECK(visits == 1);  // a negative answer stops the ray
}

TEST_CASE("boxes and casts without meaning meet nothing, whatever state the boxes are in") {
    Broadphase b;
    b.add({.box = box_at(vec3(0.0f), vec3(1.0f))});
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const bool updated : {false, true}) {
        if (updated) b.update();
        int visits = 0;
        const auto seen = [&](std::uint32_t) { ++visits; };
        const auto hit = [&](std::uint32_t, float f) { return ++visits, f; };
        b.query({vec3(1.0f), vec3(-1.0f)}, seen);
        b.query({vec3(nan, 0, 0), vec3(1.0f)}, seen);
        b.query({vec3(-1.0f), vec3(1.0f, nan, 1.0f)}, seen);
        b.ray_cast(vec3(nan, 0, 0), vec3(1, 0, 0), hit);
        b.ray_cast(vec3(-5, 0, 0), vec3(inf, 0, 0), hit);
        for (const vec3& half : {vec3(nan, 0, 0), vec3(inf, 0, 0), vec3(-1, 0, 0)})
            b.cast({vec3(0.0f), vec3(0.0f), half}, hit);
        for (const float max_fraction : {nan, inf, -1.0f}) {
            b.cast({vec3(0.0f), vec3(0.0f), vec3(0.0f), max_fraction}, hit);
            b.cast({vec3(-9, 0, 0), vec3(1, 0, 0), vec3(0.0f), max_fraction}, hit);
        }
        CHECK(visits == 0);
        b.query({vec3(-inf), vec3(inf)}, seen);
        b.ray_cast(vec3(0.0f), vec3(0.0f), hit);  // a point is a segment
        b.ray_cast(vec3(-3e38f, 0, 0), vec3(3.4e38f, 0, 0), hit);
        CHECK(visits == 3);
    }
}

TEST_CASE("many threads may ask at once") {
    if (lacks_threads()) return;
    Random random(33);
    World world = make(random, 2000, 20.0f, vec3(0.0f), vec3(1.0f), 0.7f);
    world.broadphase.update();
    for (ProxyIndex p = 0; p < 2000; p += 5)
        world.broadphase.move(p, box_at(random.point(-20, 20), vec3(0.3f)), vec3(0.0f));
    std::array<std::uint64_t, 4> sums{};
    std::vector<std::thread> threads;
    for (std::uint64_t& sum : sums) {
        threads.emplace_back([&sum, &b = world.broadphase] {
            Random mine(1);
            for (int i = 0; i < 500; ++i) {
                b.query(box_at(mine.point(-20, 20), vec3(2.0f)), [&](std::uint32_t id) { sum = sum * 31 + id; });
                const vec3 from = mine.point(-20, 20), along = mine.point(-20, 20);
                b.ray_cast(from, along, [&](std::uint32_t id, float f) { return sum = sum * 31 + id, f; });
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(sums[0] != 0);
    for (const std::uint64_t sum : sums) CHECK(sum == sums[0]);
}
