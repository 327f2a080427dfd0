/// The grid of columns alone: worlds that are bad for grids, and queries larger than the ring of its cells.

#include "boxes.h"

#include "broadphase/casts/column_cast.h"
#include "broadphase/columns/cell_runs.h"
#include "broadphase/columns/column_grid.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <string>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;

namespace {

constexpr float largest_float = std::numeric_limits<float>::max();
constexpr double largest_double = std::numeric_limits<double>::max();

struct Boxes {
    std::string name;
    std::vector<WorldAabb> boxes;
    std::vector<ProxyIndex> members;  // all but each 13th: ids are not places
};

template <class Make>
Boxes make_boxes(std::string name, int count, Make&& make) {
    Boxes world{std::move(name), {}, {}};
    for (int i = 0; i < count; ++i) {
        world.boxes.push_back(make(i));
        if (i % 13 != 5) world.members.push_back(static_cast<ProxyIndex>(i));
    }
    return world;
}

// Equally many boxes in each, so that a grid that goes from one to the next keeps a layout made for another.
std::vector<Boxes> make_worlds(int count) {
    Random random(5);
    const auto half = [&] { return random.point(0.2f, 0.8f); };
    std::vector<Boxes> worlds;
    const auto add = [&](std::string name, auto&& make) { worlds.push_back(make_boxes(std::move(name), count, make)); };
    const auto log_real = [&](float low, float high) { return std::exp(random.real(std::log(low), std::log(high))); };
    add("uniform", [&](int) { return box_at(random.point(-15, 15), half()); });
    add("flat", [&](int) { return box_at(vec3(1, 0.02f, 1) * random.point(-40, 40), half()); });
    add("tower", [&](int i) { return box_at(vec3(0, float(i), 0), half()); });
    add("two clusters 10 km apart",
        [&](int i) { return box_at(vec3(10000.0f * float(i % 2), 0, 0) + random.point(-8, 8), half()); });
    add("ten towns", [&](int i) {
        const float town = float(i % 10);
        return box_at(vec3(3000 * std::cos(town), 20 * town, 2000 * std::sin(town)) + random.point(-5, 5), half());
    });
    add("diagonal line of 5 km", [&](int) { return box_at(vec3(random.real(-2500, 2500)), half()); });
    add("one point", [&](int) { return box_at(vec3(-7), vec3(0.5f)); });
    add("half in one point, the others around, two far away", [&](int i) {
        if (i < 2) return box_at(vec3(i == 0 ? -500 : 500, 0, 0), vec3(0.5f));
        return box_at(i % 2 == 0 ? vec3(0.3f) : random.point(-20, 20), vec3(0.5f));
    });
    add("a plate of boxes and a few far above", [&](int i) {
        return box_at(i % 200 == 7 ? vec3(0, float(i), 0) : vec3(1, 0, 1) * random.point(-30, 30), vec3(0.5f));
    });
    add("all sizes", [&](int) {
        const float size = log_real(1e-3f, 1e3f);
        return box_at(random.point(-300, 300), size * random.point(0.1f, 1));
    });
    add("no size", [&](int) { return box_at(random.point(-10, 10), vec3(0)); });
    add("lattice of points", [&](int i) { return box_at(vec3(i % 9, i / 9 % 9, i / 81 % 9), vec3(0)); });
    add("zeros of both signs", [&](int i) {
        const float zero = i % 2 == 0 ? -0.0f : 0.0f;
        return WorldAabb{vec3(i % 3 == 0 ? zero : -1.0f, -0.0f, zero), vec3(i % 5 == 0 ? 1.0f : zero, 0.0f, zero)};
    });
    add("denormal", [&](int) { return box_at(random.point(-1e-40f, 1e-40f), random.point(0, 1e-41f)); });
    add("denormal and huge", [&](int i) {
        return i % 2 == 0 ? box_at(random.point(-1e-40f, 1e-40f), random.point(0, 1e-41f))
                          : box_at(random.point(-1e30f, 1e30f), random.point(0, 1e29f));
    });
    add("far away", [&](int) { return box_at(vec3(1e6f, -1e6f, 1e6f) + random.point(-20, 20), half()); });
    add("1e30", [&](int) { return box_at(random.point(-1e30f, 1e30f), random.point(0, 1e29f)); });
    add("the whole number line", [&](int i) {
        const vec3 a = random.point(-1, 1) * largest_float, b = random.point(-1, 1) * largest_float;
        if (i % 50 == 0) return WorldAabb{vec3(-largest_float), vec3(largest_float)};
        return i % 2 == 0 ? WorldAabb{glm::min(a, b), glm::max(a, b)} : WorldAabb{a, a};
    });
    add("10,000 km away", [&](int) { return box_at(dvec3(1e7, -1e7, 1e7) + dvec3(random.point(-20, 20)), half()); });
    add("two crowds 10,000 km apart", [&](int i) {
        return box_at(dvec3(i % 2 == 0 ? 5e6 : -5e6, 100, 0) + dvec3(random.point(-8, 8)), 0.1f * half());
    });
    add("ten crowds and slabs on a planet", [&](int i) {
        const double town = 0.63 * (i % 10);
        const dvec3 place = 6.4e6 * dvec3(std::cos(town), std::sin(town), 0.1 * town);
        return box_at(place + dvec3(random.point(-8, 8)), i % 100 < 10 ? vec3(20, 0.1f, 20) : half());
    });
    add("20,000 km", [&](int) { return box_at(random.point(-1e7f, 1e7f), half()); });
    add("20,000 km, all sizes", [&](int) {
        const float size = log_real(1e-3f, 1e7f);
        return box_at(random.point(-1e7f, 1e7f), size * random.point(0.1f, 1));
    });
    add("a crowd, and exploded boxes", [&](int i) {
        if (i % 20 != 0) return box_at(random.point(-8, 8), half());
        const double far = std::pow(10.0, random.between(6, 300));
        const dvec3 place = far * dvec3(random.point(-1, 1));
        return box_at(place, i % 40 == 0 ? half() : vec3(largest_float));
    });
    add("1e300", [&](int) { return box_at(1e300 * dvec3(random.point(-1, 1)), 1e38f * random.point(0, 1)); });
    add("the whole double line", [&](int i) {
        const dvec3 a = largest_double * dvec3(random.point(-1, 1)), b = largest_double * dvec3(random.point(-1, 1));
        if (i % 50 == 0) return WorldAabb{dvec3(-largest_double), dvec3(largest_double)};
        return i % 2 == 0 ? WorldAabb{glm::min(a, b), glm::max(a, b)} : WorldAabb{a, a};
    });
    add("pebbles and slabs", [&](int i) {
        return i % 40 == 0 ? box_at(vec3(0, 0.3f * float(i), 0), vec3(50, 0.1f, 50))
                           : box_at(random.point(-30, 30), 0.2f * half());
    });
    add("needles in all directions", [&](int i) {
        vec3 needle(0.05f);
        needle[i % 3] = 10.0f;
        return box_at(random.point(-20, 20), needle);
    });
    return worlds;
}

// Points, small and large boxes, rods and plates along each axis, at the boxes and beside them.
std::vector<WorldAabb> make_questions(const Boxes& world, Random& random) {
    std::vector<WorldAabb> questions;
    WorldAabb all = world.boxes[0];
    for (const WorldAabb& box : world.boxes) all = merge(all, box);
    const dvec3 extent = 0.5 * all.upper - 0.5 * all.lower;
    const auto add = [&](const dvec3& centre, const dvec3& half) {
        const dvec3 limit(largest_double);
        questions.push_back({glm::clamp(centre - half, -limit, limit), glm::clamp(centre + half, -limit, limit)});
    };
    for (int i = 0; i < 12; ++i) {
        const WorldAabb& box = world.boxes[random.below(static_cast<std::uint32_t>(world.boxes.size()))];
        const dvec3 edge = glm::min(box.upper - box.lower, 0.3 * largest_double);
        const dvec3 there = 0.5 * box.lower + 0.5 * box.upper;
        const dvec3 anywhere = 0.5 * all.lower + 0.5 * all.upper + extent * dvec3(random.point(-1, 1));
        add(box.lower, dvec3(0));
        add(box.upper, dvec3(0));
        add(anywhere, dvec3(0));
        questions.push_back(box);
        add(there, 3.0 * edge);
        add(anywhere, extent * dvec3(random.point(0, 0.2f)));
        for (const double part : {0.1, 1.0}) {
            for (int axis = 0; axis < 3; ++axis) {
                dvec3 rod = edge, plate = part * extent, strip = 2.0 * edge;
                rod[axis] = part * extent[axis];
                plate[axis] = edge[axis];
                strip[axis] = part * extent[axis];
                strip[(axis + 1) % 3] *= 1.5;
                add(there, rod);
                add(there, plate);
                add(there, strip);
                add(anywhere, plate);
            }
        }
    }
    questions.push_back(all);
    for (const double largest : {double{largest_float}, largest_double}) {
        questions.push_back({dvec3(-largest), dvec3(largest)});
        questions.push_back({dvec3(0), dvec3(largest)});
        if (all.lower.y < largest)
            questions.push_back({dvec3(-largest, all.lower.y, -largest), dvec3(0, largest, largest)});
    }
    questions.push_back({vec3(-0.0f), vec3(0.0f)});
    return questions;
}

// Each overlapping member is found, and nothing else except what is nearer than the rounding of floats. A member may be
// found more often where the window of cells is so wide that it laps itself, but `found` always has room for all that
// was written.
void check_find(const ColumnGrid& grid, const Boxes& world, std::span<const WorldAabb> questions) {
    dvec3 rounding(1e-35);
    for (const ColumnLevel& level : grid.levels()) {
        for (int axis = 0; axis < 3 && level.members > 0; ++axis) {
            const float furthest = std::max(std::abs(level.bounds.lower[axis]), std::abs(level.bounds.upper[axis]));
            const double beyond =
                furthest < far_limit ? 1e-6 * double{furthest} : std::numeric_limits<double>::infinity();
            rounding[axis] = std::max(rounding[axis], beyond);
        }
    }
    FoundProxies found;
    std::vector<int> times(world.boxes.size());
    std::size_t hits = 0;
    for (const WorldAabb& question : questions) {
        std::fill(times.begin(), times.end(), 0);
        found.count = 0;
        found.slots.clear();  // so that this query alone makes the room
        found.slots.shrink_to_fit();
        grid.find(question, found);
        REQUIRE(found.count <= found.slots.size());
        std::size_t missed = 0, invented = 0;
        for (const ProxyIndex p : found.ids()) ++times[p];
        for (ProxyIndex p = 0, next = 0; p < world.boxes.size(); ++p) {
            const bool member = next < world.members.size() && world.members[next] == p;
            next += member;
            const bool meets = member && overlaps(world.boxes[p], question);
            missed += meets && times[p] == 0;
            const WorldAabb larger{world.boxes[p].lower - rounding, world.boxes[p].upper + rounding};
            invented += times[p] != 0 && !(member && overlaps(larger, question));
            hits += meets;
        }
        INFO("from ", question.lower.x, " ", question.lower.y, " ", question.lower.z, " to ", question.upper.x, " ",
             question.upper.y, " ", question.upper.z);
        REQUIRE(missed == 0);
        REQUIRE(invented == 0);
    }
    CHECK(hits > questions.size() / 2);
}

/// Calls ask(world, grid of it) for worlds of so many boxes each.
template <class Ask>
void for_each_grid(std::initializer_list<int> counts, Ask&& ask) {
    for (const int count : counts) {
        for (const Boxes& world : make_worlds(count)) {
            CAPTURE(world.name);
            CAPTURE(count);
            ColumnGrid grid;
            grid.build(world.members, world.boxes);
            CHECK(grid.member_count() == world.members.size());
            ask(world, grid);
        }
    }
}

}  // namespace

TEST_CASE("a grid finds each member that overlaps, and nothing else, in worlds that would break a grid" *
          doctest::test_suite("slow")) {
    Random random(6);
    for_each_grid({20, 300, 2000}, [&](const Boxes& world, const ColumnGrid& grid) {
        check_find(grid, world, make_questions(world, random));
    });
}

TEST_CASE("a grid that keeps the layout of another world finds the same") {
    Random random(7);
    const std::vector<Boxes> worlds = make_worlds(400);
    ColumnGrid grid;
    for (int round = 0; round < 60; ++round) {
        const Boxes& world = worlds[random.below(static_cast<std::uint32_t>(worlds.size()))];
        CAPTURE(round);
        CAPTURE(world.name);
        grid.build(world.members, world.boxes);
        const std::vector<WorldAabb> questions = make_questions(world, random);
        check_find(grid, world, std::span(questions).last(60));
    }
    grid.build({}, worlds[0].boxes);
    FoundProxies found;
    grid.find({vec3(-1e9f), vec3(1e9f)}, found);
    CHECK(found.count == 0);
    CHECK(grid.member_count() == 0);
}

TEST_CASE("a slab through a heap, in a world with outliers, overruns no list of hits") {
    // The slab's window is many times as long as the ring of cells, so it passes the heap's cell again and again. A
    // former version found the heap ten times and wrote beyond the end of the list.
    Random random(97);
    for (int round = 0; round < 40; ++round) {
        const vec3 crowd = random.point(1, 40);
        const float heap = random.real(0.1f, 0.6f), far = random.real(100, 2000);
        const Boxes world = make_boxes("", 3000, [&](int i) {
            if (i < 6) {
                vec3 out(0);
                out[i / 2] = i % 2 == 0 ? far : -far;
                return box_at(out, vec3(0.5f));
            }
            return box_at(random.chance(heap) ? vec3(0.3f) : crowd * random.point(-1, 1), vec3(0.5f));
        });
        ColumnGrid grid;
        grid.build(world.members, world.boxes);
        FoundProxies found;
        for (int i = 0; i < 100; ++i) {
            vec3 half;
            for (int axis = 0; axis < 3; ++axis) half[axis] = 0.1f * std::pow(10000.0f, random.real(0, 1));
            const WorldAabb slab = box_at(vec3(0.3f) + half * random.point(-1, 1), half);
            found.count = 0;
            found.slots.clear();
            grid.find(slab, found);
            REQUIRE(found.count <= found.slots.size());
            std::size_t hits = 0;
            std::vector<bool> seen(world.boxes.size());
            for (const ProxyIndex p : found.ids()) seen[p] = overlaps(world.boxes[p], slab);
            for (const ProxyIndex p : world.members) hits += overlaps(world.boxes[p], slab);
            REQUIRE(std::count(seen.begin(), seen.end(), true) == static_cast<std::ptrdiff_t>(hits));
        }
    }
}

TEST_CASE("a cast through a grid visits each member that it enters once, in worlds that would break a grid") {
    Random random(8);
    for_each_grid({20, 300, 1000}, [&](const Boxes& world, const ColumnGrid& grid) {
        CastScratch scratch;
        std::vector<int> times(world.boxes.size());
        const std::vector<WorldAabb> questions = make_questions(world, random);
        for (int i = 0; i < 120; ++i) {
            const auto pick = [&] { return questions[random.below(static_cast<std::uint32_t>(questions.size()))]; };
            const WorldAabb from = pick(), to = pick();
            const dvec3 limit(largest_float);
            BoxCast cast{from.lower, glm::clamp(0.5 * to.upper - 0.5 * from.lower, -limit, limit)};
            const dvec3 half = 0.5 * from.upper - 0.5 * from.lower;
            if (i % 3 == 0 && glm::all(glm::lessThan(half, limit))) cast.half = half;
            if (i % 4 == 0) cast.translation[static_cast<int>(random.below(3))] = 0.0f;
            if (i % 7 == 0) cast.translation = vec3(0);
            if (i % 5 == 0) cast.max_fraction = random.real(0, 1);
            const BoxCast asked = cast;
            std::fill(times.begin(), times.end(), 0);
            cast_through(
                grid, cast, world.boxes, [&](ProxyIndex p, float max_fraction) { return ++times[p], max_fraction; },
                scratch);
            std::size_t missed = 0, invented = 0, twice = 0;
            for (ProxyIndex p = 0; p < world.boxes.size(); ++p) {
                const bool member = p % 13 != 5;
                const bool enters = member && enter_fraction(asked, world.boxes[p]) >= 0.0;
                missed += enters && times[p] == 0;
                invented += !enters && times[p] != 0;
                twice += times[p] > 1;
            }
            INFO("from ", asked.center.x, " ", asked.center.y, " ", asked.center.z, " by ", asked.translation.x, " ",
                 asked.translation.y, " ", asked.translation.z, ", half ", asked.half.x, " ", asked.half.y, " ",
                 asked.half.z, ", up to ", asked.max_fraction);
            REQUIRE(missed == 0);
            REQUIRE(invented == 0);
            REQUIRE(twice == 0);
        }
    });
}

TEST_CASE("each member stands in one run of cells that holds its lower corner") {
    for (const Boxes& world : make_worlds(600)) {
        CAPTURE(world.name);
        ColumnGrid grid;
        grid.build(world.members, world.boxes);
        const std::vector<CellRun> runs = cell_runs(grid, [](ProxyIndex) { return true; });
        std::size_t boxes = 0;
        for (const CellRun& run : runs) boxes += run.boxes;
        CHECK(boxes == world.members.size());
        std::size_t held = 0;
        for (const ProxyIndex member : world.members) {
            const dvec3& corner = world.boxes[member].lower;
            held += std::any_of(runs.begin(), runs.end(), [&](const CellRun& run) {
                // The cells are those of the rounded corners, as seen from an origin.
                const dvec3 slack = dvec3(1e-35) + 1e-5 * glm::abs(run.box.lower) + 1e-5 * glm::abs(run.box.upper);
                return contains(WorldAabb{run.box.lower - slack, run.box.upper + slack}, WorldAabb{corner, corner});
            });
        }
        CHECK(held == world.members.size());
        for (std::size_t i = 0; i < runs.size(); ++i) {  // no cell twice
            for (std::size_t j = i + 1; j < runs.size() && runs[j].level == runs[i].level; ++j) {
                const dvec3 between = glm::max(runs[i].box.lower, runs[j].box.lower);
                const dvec3 common = glm::min(runs[i].box.upper, runs[j].box.upper) - between;
                const dvec3 edge = runs[i].box.upper - runs[i].box.lower;
                CHECK(glm::any(glm::lessThanEqual(common, 1e-3 * edge + 1e-6 * glm::abs(between))));
            }
        }

        const ProxyIndex only = world.members[world.members.size() / 2];
        const std::vector<CellRun> one = cell_runs(grid, [&](ProxyIndex member) { return member == only; });
        REQUIRE(one.size() == 1);
        CHECK(one[0].boxes == 1);
    }
    CHECK(cell_runs(ColumnGrid(), [](ProxyIndex) { return true; }).empty());
}
