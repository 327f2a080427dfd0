/// Worlds far from the origin: the same results as near it, to the bit, at the same cost.

#include "boxes.h"

#include "broadphase/broadphase_bytes.h"
#include "broadphase/columns/column_grid.h"

#include <cmath>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

// Multiples of the grid of world positions; coordinates stay below 2^24 m.
const dvec3 ways[] = {{1024, 0, 0},
                      {131072, -131072, 131072},
                      {8388608, 8388608, -8388608},
                      {-8388608 + position_grid, 1234567.125, 3 * position_grid}};

WorldAabb box_on_grid(const dvec3& centre, const vec3& half) {
    return {on_grid(centre - dvec3(half)), on_grid(centre + dvec3(half))};
}

// A crowd in which some boxes are fixed, some large, some rest and some move.
struct Crowd {
    explicit Crowd(const dvec3& to) : way(to), random(5) {
        for (std::uint32_t i = 0; i < 600; ++i) {
            vec3 half = random.point(0.05f, 0.6f);
            if (i % 60 == 0) half = vec3(9.0f, 0.1f, 9.0f);
            boxes.push_back(box_on_grid(random.point(-7.0f, 7.0f), half));
            velocities.push_back(i % 5 == 0 ? vec3(0.0f) : random.point(-0.1f, 0.1f));
            broadphase.add({.box = moved_by(boxes[i], way), .user_data = i, .moving = i % 5 != 0});
        }
    }
    void step() {
        for (ProxyIndex p = 0; p < boxes.size(); ++p) {
            const vec3 by = velocities[p] + 0.3f * random.real(0.0f, 1.0f) * velocities[p];
            boxes[p] = {displaced(boxes[p].lower, by), displaced(boxes[p].upper, by)};
            if (velocities[p] != vec3(0.0f)) broadphase.move(p, moved_by(boxes[p], way), by);
        }
        if (++steps % 3 != 0) broadphase.update();
    }

    dvec3 way;
    Random random;
    Broadphase broadphase;
    std::vector<WorldAabb> boxes;  // those of the world that is not moved
    std::vector<vec3> velocities;
    int steps = 0;
};

using Visit = std::tuple<std::size_t, std::uint32_t, double>;

// What a crowd answers to random questions: the visits, with fractions and distances.
std::vector<Visit> ask(const Crowd& crowd, std::uint64_t seed) {
    Random random(seed);
    const Broadphase& b = crowd.broadphase;
    std::vector<Visit> visits;
    std::vector<BoxCast> casts;
    for (std::size_t i = 0; i < 200; ++i) {
        const dvec3 at = crowd.way + on_grid(dvec3(random.point(-9, 9)));
        const dvec3 corner = b.fat_box(random.below(600u)).lower;  // touches
        b.query(box_on_grid(i % 2 == 0 ? at : corner, random.point(0.0f, 1.0f)), [&](std::uint32_t user_data) {
            visits.push_back({i, user_data, 0.0});
        });
        b.nearest(at, 1.0f, [&](std::uint32_t user_data, float distance, float max) {
            visits.push_back({i, user_data, double{distance}});
            return max;
        });
        BoxCast cast{i % 3 == 0 ? corner : at, random.point(-9, 9)};
        if (i % 2 == 0) cast.half = random.point(0.0f, 0.3f);
        if (i % 4 == 0) cast.translation[static_cast<int>(random.below(3))] = 0.0f;
        casts.push_back(cast);
    }
    const auto hit = [&](std::size_t i, std::uint32_t user_data, float max) {
        visits.push_back({i, user_data, enter_fraction(casts[i], b.fat_box(user_data))});
        return max;
    };
    b.cast(casts, hit);
    for (std::size_t i = 0; i < casts.size(); ++i)
        b.cast(casts[i], [&](std::uint32_t user_data, float max) { return hit(i, user_data, max); });
    std::sort(visits.begin(), visits.end());
    return visits;
}

}  // namespace

TEST_CASE("a world that is moved has the same pairs at every update, and the same answers to the bit") {
    for (const dvec3& way : ways) {
        CAPTURE(way.x);
        Crowd here(dvec3(0.0)), there(way);
        std::size_t begun = 0, visits = 0, differing = 0;
        for (int frame = 0; frame < 90; ++frame) {
            CAPTURE(frame);
            here.step();
            there.step();
            REQUIRE(same_elements(here.broadphase.begun(), there.broadphase.begun()));
            REQUIRE(same_elements(here.broadphase.ended(), there.broadphase.ended()));
            begun += here.broadphase.begun().size();
            for (ProxyIndex p = 0; p < here.boxes.size(); ++p) {
                const WorldAabb a = moved_by(here.broadphase.fat_box(p), way), b = there.broadphase.fat_box(p);
                differing += a.lower != b.lower || a.upper != b.upper;
            }
            REQUIRE(differing == 0);
            if (frame % 10 != 9) continue;
            const std::vector<Visit> answers = ask(here, 7);
            visits += answers.size();
            REQUIRE(answers == ask(there, 7));
        }
        CHECK(begun > 3000);
        CHECK(visits > 10000);
    }
}

TEST_CASE("at 10,000 km, boxes 1 mm apart are no pair, and boxes that overlap by 1 mm or touch are one") {
    constexpr double millimetre = 0.001;
    for (const dvec3& place : {dvec3(0.0), dvec3(1e7, 0, 0), dvec3(-1e7, 1e7, 1e7)}) {
        CAPTURE(place.x);
        for (int axis = 0; axis < 3; ++axis) {
            for (const double gap : {millimetre, position_grid, 0.0, -position_grid, -millimetre}) {
                CAPTURE(gap);
                Broadphase b;
                // Boxes at rest are not fattened. They become pairs when they start to move.
                const WorldAabb first = box_on_grid(place, vec3(0.5f));
                dvec3 way(0.0);
                way[axis] = first.upper[axis] - first.lower[axis] + on_grid(gap);
                const ProxyIndex p = b.add({.box = first, .moving = false});
                b.add({.box = moved_by(first, way), .user_data = 1, .moving = false});
                b.add({.box = moved_by(first, -way), .user_data = 2, .moving = false});
                b.set_moving(p, true);
                b.update();
                CHECK(b.pair_count() == (gap > 0.0 ? 0u : 2u));
                int visits = 0;
                b.query(first, [&](std::uint32_t) { ++visits; });
                CHECK(visits == (gap > 0.0 ? 1 : 3));
                visits = 0;
                b.cast({.center = place, .translation = vec3(0.0f), .half = vec3(0.5f)},
                       [&](std::uint32_t, float max) { return ++visits, max; });
                CHECK(visits == (gap > 0.0 ? 1 : 3));
                b.nearest(place, 1.0f, [&](std::uint32_t user_data, float distance, float max) {
                    if (user_data != 0) CHECK(distance == doctest::Approx(0.5 + gap).epsilon(1e-6));
                    return max;
                });
            }
        }
    }
}

TEST_CASE("fractions of casts are those of exact differences, 10,000 km away") {
    const dvec3 place(1e7, -1e7, 1e7);
    const WorldAabb box{place + dvec3(2, -1, -1), place + dvec3(4, 1, 1)};
    CHECK(enter_fraction({place, vec3(4, 0, 0)}, box) ==
          enter_fraction({dvec3(0.0), vec3(4, 0, 0)}, moved_by(box, -place)));
    CHECK(enter_fraction({place, vec3(3, 0.1f, 0), vec3(0.3f)}, box) ==
          enter_fraction({dvec3(0.0), vec3(3, 0.1f, 0), vec3(0.3f)}, moved_by(box, -place)));
    CHECK(enter_fraction({place + dvec3(0, 1 + position_grid, 0), vec3(4, 0, 0)}, box) < 0.0);
    CHECK(enter_fraction({place + dvec3(0, 1, 0), vec3(4, 0, 0)}, box) > 0.0);
}

TEST_CASE("casts in crowds that are far apart, and in boxes that exploded, visit what brute force says") {
    Random random(11);
    const double far = 1e7;
    Broadphase b;
    std::vector<WorldAabb> boxes;
    const auto place = [&](std::uint32_t i) {
        if (i % 50 == 0) return std::pow(10.0, random.between(4, 300)) * dvec3(random.point(-1, 1));
        return far * dvec3(i % 3, i % 2, 0) + dvec3(random.point(-3, 3));
    };
    for (std::uint32_t i = 0; i < 900; ++i) {
        boxes.push_back(box_on_grid(place(i), random.point(0.05f, 0.7f)));
        b.add({.box = boxes.back(), .user_data = i, .moving = false});
    }
    std::vector<BoxCast> casts;
    for (std::uint32_t i = 0; i < 400; ++i) {
        BoxCast cast{on_grid(place(i)), 2.0f * random.point(-8, 8)};
        if (i % 4 == 0) cast.translation = vec3(dvec3(place(i + 1)) - cast.center);  // to another crowd
        if (i % 5 == 0) cast.half = random.point(0, 1);
        if (is_finite(cast.translation)) casts.push_back(cast);
    }
    std::vector<Visit> expected;
    for (std::size_t i = 0; i < casts.size(); ++i) {
        for (std::uint32_t k = 0; k < boxes.size(); ++k) {
            const double fraction = enter_fraction(casts[i], boxes[k]);
            if (fraction >= 0.0) expected.push_back({i, k, fraction});
        }
    }
    CHECK(expected.size() > 1000);
    for (const bool updated : {false, true}) {
        if (updated) b.update();
        std::vector<Visit> batch, single;
        const auto see = [&](std::vector<Visit>& visits, std::size_t i, std::uint32_t user_data) {
            visits.push_back({i, user_data, enter_fraction(casts[i], boxes[user_data])});
        };
        b.cast(casts, [&](std::size_t i, std::uint32_t user_data, float max) {
            see(batch, i, user_data);
            return max;
        });
        for (std::size_t i = 0; i < casts.size(); ++i) {
            b.cast(casts[i], [&](std::uint32_t user_data, float max) {
                see(single, i, user_data);
                return max;
            });
        }
        std::sort(batch.begin(), batch.end());
        std::sort(single.begin(), single.end());
        CHECK(batch == expected);
        CHECK(single == expected);
    }
}

TEST_CASE("a broadphase comes back from its bytes, 10,000 km away") {
    Crowd crowd(ways[2]);
    for (int i = 0; i < 10; ++i) crowd.step();
    ByteWriter writer;
    talus::detail::BroadphaseBytes::write(writer, crowd.broadphase);
    ByteReader reader(writer.written());
    Broadphase copy;
    talus::detail::BroadphaseBytes::read(reader, copy);
    REQUIRE_FALSE(reader.failed());
    CHECK(reader.left() == 0);
    CHECK(copy.pair_count() == crowd.broadphase.pair_count());
    for (ProxyIndex p = 0; p < crowd.boxes.size(); ++p) {
        CHECK(copy.fat_box(p).lower == crowd.broadphase.fat_box(p).lower);
        CHECK(copy.fat_box(p).upper == crowd.broadphase.fat_box(p).upper);
    }
}

// ---- Cost -----------------------------------------------------------------------------------------------------------

namespace {

using talus::detail::ColumnGrid;

struct Work {
    std::size_t looked_at = 0, found = 0;  // entries, by the searches for all boxes
    std::size_t levels = 0;
};

// The work of looking up each box in a grid of all.
Work work_of(const std::vector<WorldAabb>& boxes) {
    std::vector<ProxyIndex> members(boxes.size());
    for (ProxyIndex p = 0; p < boxes.size(); ++p) members[p] = p;
    ColumnGrid grid;
    grid.build(members, boxes);
    Work work;
    work.levels = grid.levels().size();
    talus::detail::FoundProxies found;
    for (const WorldAabb& box : boxes) {
        found.count = 0;
        grid.find(box, found);
        work.found += found.count;
        for (const talus::detail::ColumnLevel& level : grid.levels()) {
            const talus::detail::WorldLanes lanes = talus::detail::lanes_of(box);
            if (!talus::detail::overlaps(lanes, level.world_bounds)) continue;
            const talus::detail::BoxLanes seen = talus::detail::seen_from(level.origin, lanes);
            const auto window = grid.window(level, first_cell(level, seen), last_cell(level, seen));
            talus::detail::for_each_run(window, [&](unsigned begin, unsigned end) {
                work.looked_at += window.cell_first[end] - window.cell_first[begin];
            });
        }
    }
    return work;
}

// So many boxes, each 0.1 to 0.2 m long, three or four of which overlap each other.
std::vector<WorldAabb> pile(std::size_t count, const dvec3& place, std::uint64_t seed = 1) {
    Random random(seed);
    const float range = 0.075f * std::cbrt(static_cast<float>(count));
    std::vector<WorldAabb> boxes;
    for (std::size_t i = 0; i < count; ++i)
        boxes.push_back(moved_by(box_on_grid(random.point(-range, range), random.point(0.05f, 0.1f)), place));
    return boxes;
}

}  // namespace

TEST_CASE("a pile of small boxes at 10,000 km is searched as it is at the origin") {
    const Work here = work_of(pile(4000, dvec3(0.0)));
    CHECK(here.levels == 1);
    CHECK(here.looked_at < 4000 * 120);
    for (const dvec3& way : ways) {
        CAPTURE(way.x);
        const Work there = work_of(pile(4000, way));
        CHECK(there.levels == 1);
        CHECK(there.looked_at == here.looked_at);
        CHECK(there.found == here.found);
    }
}

TEST_CASE("piles far apart are each searched as if they were alone") {
    const Work alone = work_of(pile(4000, dvec3(0.0)));
    for (const std::size_t piles : {2u, 4u, 8u}) {
        CAPTURE(piles);
        std::vector<WorldAabb> boxes;
        for (std::size_t i = 0; i < piles; ++i) {
            const dvec3 place(1e7 * std::cos(1.0 * static_cast<double>(i)), 1e6 * static_cast<double>(i), -3e6);
            const std::vector<WorldAabb> more = pile(4000, on_grid(place), i + 1);
            boxes.insert(boxes.end(), more.begin(), more.end());
        }
        const Work all = work_of(boxes);
        CHECK(all.levels == piles);
        CHECK(all.looked_at < piles * alone.looked_at * 5 / 4);
        CHECK(all.found < piles * alone.found * 5 / 4);
    }
}

TEST_CASE("a pile that appears 10,000 km away has an origin at once") {
    std::vector<WorldAabb> boxes = pile(2000, dvec3(0.0));
    const std::vector<WorldAabb> far = pile(500, ways[2]);
    boxes.insert(boxes.end(), far.begin(), far.end());
    std::vector<ProxyIndex> members(boxes.size());
    for (ProxyIndex p = 0; p < boxes.size(); ++p) members[p] = p;
    ColumnGrid grid;
    for (int i = 0; i < 3; ++i) grid.build(std::span(members).first(2000), boxes);
    CHECK(grid.levels().size() == 1);
    grid.build(members, boxes);
    CHECK(grid.levels().size() == 2);
}

TEST_CASE("boxes that are scattered over 20,000 km cost no more than a pile, and exploded boxes in a pile not much") {
    Random random(3);
    const std::size_t count = 20000;
    const Work alone = work_of(pile(count, dvec3(0.0)));
    for (const vec3& flatten : {vec3(1.0f), vec3(1.0f, 1e-6f, 1.0f), vec3(1.0f, 0.0f, 0.0f)}) {
        CAPTURE(flatten.y);
        std::vector<WorldAabb> scattered;
        for (std::size_t i = 0; i < count; ++i)
            scattered.push_back(box_on_grid(flatten * random.point(-1e7f, 1e7f), random.point(0.05f, 0.5f)));
        const Work work = work_of(scattered);
        CHECK(work.levels <= 16);
        CHECK(work.looked_at < alone.looked_at);
    }
    std::vector<WorldAabb> exploded = pile(count, ways[1]);
    for (std::size_t i = 0; i < count; i += 20) {
        const double far = std::pow(10.0, random.between(4, 300));
        exploded[i] = box_at(far * dvec3(random.point(-1, 1)), vec3(0.1f));
    }
    CHECK(work_of(exploded).looked_at < alone.looked_at * 3);
}

TEST_CASE("a world of 16 km has one origin") {
    Random random(4);
    std::vector<WorldAabb> boxes;
    for (int i = 0; i < 3000; ++i) boxes.push_back(box_at(ways[2] + dvec3(random.point(-8000, 8000)), vec3(0.01f)));
    CHECK(work_of(boxes).levels == 1);
}
