/// Times of impact of moving and rotating shapes, compared with closed forms and with dense samples of the motion.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/narrowphase/shapes/some_hull.h"

#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/time_of_impact.h>
#include "narrowphase/tolerances.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using test::Random;
using test::some_hull;
using test::somewhere;
using test::turned;

namespace {

constexpr double pi = 3.14159265358979323846;

quat any_quat(Random& random, double most) {
    const dvec3 axis = random.direction();
    return turned(axis, random.between(0.0, most));
}

RigidMotion still(const vec3& position, const quat& rotation = quat(1, 0, 0, 0)) {
    RigidMotion m;
    m.start = {position, rotation};
    return m;
}

RigidMotion moving(const vec3& position, const vec3& velocity, const vec3& spin = vec3(0.0f),
                   const vec3& center = vec3(0.0f)) {
    RigidMotion m = still(position);
    m.linear_velocity = velocity;
    m.angular_velocity = spin;
    m.center = center;
    return m;
}

/// The motion again, by libm and matrices: where the shape's frame is at the time t.
struct Placed {
    dvec3 position;
    dmat3 rotation;
};

Placed place(const RigidMotion& m, double t) {
    const glm::dquat q(m.start.rotation.w, m.start.rotation.x, m.start.rotation.y, m.start.rotation.z);
    const dmat3 start = glm::mat3_cast(glm::normalize(q));
    const dvec3 spin(m.angular_velocity), center(m.center);
    const double rate = length(spin), angle = rate * t;
    dmat3 turn(1.0);
    if (rate > 0.0) {
        const dvec3 axis = spin / rate;
        for (int i = 0; i < 3; ++i) {
            dvec3 e(0.0);
            e[i] = 1.0;
            turn[i] = std::cos(angle) * e + std::sin(angle) * glm::cross(axis, e) +
                      (1.0 - std::cos(angle)) * glm::dot(axis, e) * axis;
        }
    }
    const dmat3 rotation = turn * start;
    const dvec3 at_center = dvec3(m.start.position) + start * center + t * dvec3(m.linear_velocity);
    return {at_center - rotation * center, rotation};
}

SeparationResult separation_at(const Shape& a, const RigidMotion& ma, const Shape& b, const RigidMotion& mb, double t,
                               SimplexCache& cache) {
    const Placed pa = place(ma, t), pb = place(mb, t);
    const dmat3 inverse = glm::transpose(pa.rotation);
    const MatrixTransform f{vec3(inverse * (pb.position - pa.position)), mat3(inverse * pb.rotation)};
    return separation(a, b, f, cache);
}

double separation_at(const Shape& a, const RigidMotion& ma, const Shape& b, const RigidMotion& mb, double t) {
    SimplexCache cache;
    return separation_at(a, ma, b, mb, t, cache).separation;
}

double half_longest(const Shape& s) {
    const vec3 h = half_extents(bounds(s));
    return std::max({h.x, h.y, h.z});
}

/// Compares a result with samples of the motion.
void check_toi(const TimeOfImpact& r, const Shape& a, const RigidMotion& ma, const Shape& b, const RigidMotion& mb,
               const ToiSettings& settings, int samples, const std::string& what) {
    const double size = std::min(half_longest(a), half_longest(b)), target = double(settings.target_distance);
    // The depth of cores with rims is EPA's to this.
    const double depth_noise = target < 0.0 ? 2.0 * tolerance::epa_gap_curved * size : 0.0;
    const double reach = glm::length(ma.start.position) + glm::length(mb.start.position) + bounding_radius(a) +
                         bounding_radius(b) + glm::length(ma.linear_velocity) + glm::length(mb.linear_velocity);
    const double noise = 1e-6 * size + 5e-7 * reach + depth_noise;
    const double end = r.status == ToiStatus::separated ? double(settings.duration) : double(r.time);
    INFO(what, "status ", int(r.status), " time ", r.time, " separation ", r.separation, " queries ", r.queries,
         " iterations ", r.iterations);
    CHECK(r.status != ToiStatus::iteration_cap);
    CHECK(r.status != ToiStatus::bad_input);
    if (r.status == ToiStatus::initially_overlapping) {
        CHECK(r.time == 0.0f);
        CHECK(separation_at(a, ma, b, mb, 0.0) <= target + noise);
        return;
    }
    double least = 1e300, when = 0.0;
    SimplexCache cache;
    for (int i = 0; i <= samples; ++i) {
        const double t = end * i / samples, s = separation_at(a, ma, b, mb, t, cache).separation;
        if (s < least) {
            least = s;
            when = t;
        }
    }
    INFO("comes as near as ", least, " at ", when, ", target ", target);
    CHECK(least >= target - noise);
    if (r.status != ToiStatus::hit) return;
    const SeparationResult there = separation_at(a, ma, b, mb, double(r.time), cache);
    const double tolerance = double(settings.tolerance) * size;
    INFO("there: ", there.separation, " tolerance ", tolerance);
    CHECK(there.separation <= target + tolerance + noise);
    CHECK(std::abs(r.separation - there.separation) <= noise);
    CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-5f);
    CHECK(length(dvec3(r.point_b) - dvec3(r.point_a) - double(r.separation) * dvec3(r.normal)) <= noise);
    const Placed pa = place(ma, double(r.time)), pb = place(mb, double(r.time));
    CHECK(oracle::distance_outside(oracle::make_solid(a), glm::transpose(pa.rotation) *
                                                              (dvec3(r.point_a) - pa.position)) <= noise + 1e-5 * size);
    CHECK(oracle::distance_outside(oracle::make_solid(b), glm::transpose(pb.rotation) *
                                                              (dvec3(r.point_b) - pb.position)) <= noise + 1e-5 * size);
}

const Shape floor_box = box({20, 1, 20});  // its upper face at y = 0 when put at y = -1
const RigidMotion floor_motion = still({0, -1, 0});

}  // namespace

TEST_CASE("ball to ball and box corner to plane meet when the closed form says") {
    // Tolerance 1e-5 sizes: times are early by at most that over the speed.
    const ToiSettings settings{.tolerance = 1e-5f};
    const TimeOfImpact balls = time_of_impact(sphere(1), moving({-5, 0, 0}, {4, 0, 0}, {1, 20, 3}), sphere(0.5f),
                                              moving({5, 0, 0}, {-6, 0, 0}), settings);
    INFO("balls: ", balls.time, " after ", balls.queries, " queries");
    CHECK(balls.status == ToiStatus::hit);
    CHECK(std::abs(balls.time - 0.85f) <= 2e-6f);
    CHECK(balls.time <= 0.85f);
    CHECK(balls.normal.x > 0.99999f);
    CHECK(std::abs(balls.point_a.x + 0.6f) <= 1e-4f);
    CHECK(balls.queries <= 3);
    // A cube falls on its corner: half diagonal sqrt(3).
    const quat on_corner = turned(glm::normalize(dvec3(1, 0, -1)), std::atan(std::sqrt(2.0)));
    RigidMotion falling = still({0, 5, 0}, on_corner);
    falling.linear_velocity = {0, -8, 0};
    const TimeOfImpact corner = time_of_impact(floor_box, floor_motion, box({1, 1, 1}), falling, settings);
    const double exact = (5.0 - std::sqrt(3.0)) / 8.0;
    INFO("corner: ", corner.time, " should be ", exact, " after ", corner.queries);
    CHECK(corner.status == ToiStatus::hit);
    CHECK(corner.time <= exact + 1e-7);
    CHECK(corner.time >= exact - 1e-5);
    CHECK(corner.normal.y > 0.9999f);
    CHECK(std::abs(corner.point_b.x) <= 1e-4f);
}

TEST_CASE("the tip of a turning rod reaches the wall at the angle of its sine") {
    // A rod of length 2 along x, turning about its left end at the origin; a floor at distance d below. The tip's lower
    // corner, thickness h, is at 2 sin(w t) + h cos(w t) below the axis.
    const double h = 0.05;
    const Shape rod = box({1.0f, float(h), 0.2f});
    for (double d : {0.3, 1.0, 1.9}) {
        for (double w : {0.5, 3.0, 40.0}) {
            RigidMotion turning = moving({1, 0, 0}, {0, 0, 0}, {0, 0, float(-w)}, {-1, 0, 0});
            const RigidMotion wall = still({0, float(-d - 1.0), 0});
            const ToiSettings settings{.duration = 4.0f, .tolerance = 1e-5f};
            const TimeOfImpact r = time_of_impact(floor_box, wall, rod, turning, settings);
            const double radius = std::sqrt(4.0 + h * h), exact = (std::asin(d / radius) - std::atan(h / 2.0)) / w;
            INFO("distance ", d, " rate ", w, ": ", r.time, " should be ", exact, " after ", r.queries, " queries, ",
                 r.iterations);
            if (exact > 4.0) {
                CHECK(r.status == ToiStatus::separated);
                continue;
            }
            CHECK(r.status == ToiStatus::hit);
            CHECK(r.time <= exact + 1e-6);
            const double closing = w * std::sqrt(radius * radius - d * d);
            CHECK(r.time >= exact - 1.5e-5 / closing - 1e-6 * exact);
            CHECK(r.normal.y > 0.9999f);
            CHECK(r.queries <= 6);
        }
    }
}

TEST_CASE("a needle that spins many times in a step neither tunnels nor stops early") {
    const Shape needle = box({1.0f, 0.01f, 0.01f}), post = capsule(2.0f, 0.05f);
    // About its middle, 40 turns in the step: the post stands in reach, just out of reach, or comes along.
    const RigidMotion spinning = moving({0, 0, 0}, {0, 0, 0}, {0, 80.0f * float(pi), 0});
    const ToiSettings settings;
    const auto half_turn = [&](float x, float z) {
        return time_of_impact(needle, spinning, post, still({x, 0, z}), settings);
    };
    const TimeOfImpact in_reach = half_turn(0.0f, -0.9f);
    INFO("in reach: ", in_reach.time, " after ", in_reach.queries);
    CHECK(in_reach.status == ToiStatus::hit);
    check_toi(in_reach, needle, spinning, post, still({0, 0, -0.9f}), settings, 2000, "in reach ");
    CHECK(in_reach.time < 0.25f / 40.0f);
    const TimeOfImpact out = half_turn(0.0f, -1.06f);
    INFO("out of reach: ", out.queries);
    CHECK(out.status == ToiStatus::separated);
    CHECK(out.queries <= 3);
    // The post moves in slowly: the needle's rotation does not matter until the post reaches its bounding sphere.
    const RigidMotion arriving = moving({0, 0, -3}, {0, 0, 2.5f});
    const TimeOfImpact met = time_of_impact(needle, spinning, post, arriving, settings);
    INFO("met: ", met.time, " after ", met.queries);
    check_toi(met, needle, spinning, post, arriving, settings, 40000, "arriving ");
    CHECK(met.status == ToiStatus::hit);
    CHECK(met.queries <= 16);
    // Along the axis of its turn a needle's spin changes nothing.
    const RigidMotion drill = moving({0, 0, 0}, {0, 0, 0}, {5000, 0, 0});
    const TimeOfImpact drilled = time_of_impact(needle, drill, sphere(0.5f), moving({4, 0, 0}, {-5, 0, 0}), settings);
    CHECK(drilled.status == ToiStatus::hit);
    CHECK(std::abs(drilled.time - 0.5f) <= 1e-5f);
    CHECK(drilled.queries <= 4);
}

TEST_CASE("thin fast shapes do not tunnel") {
    const Shape sheet = box({2, 2, 0.001f}), pane = triangle({-3, -3, 0}, {3, -3, 0}, {0, 4, 0});
    Random random(61);
    for (int i = 0; i < 300; ++i) {
        const vec3 aim{float(random.between(-0.5, 0.5)), float(random.between(-0.5, 0.5)), 0.0f};  // braces: in order
        const double distance = random.between(5.0, 500.0);
        const vec3 from = aim + vec3(float(distance * random.between(-0.3, 0.3)), 0.0f, float(distance));
        const vec3 spin = somewhere(random, 0.0, 60.0);
        const Shape bullet = i % 2 == 0 ? box({0.05f, 0.05f, 0.2f}) : capsule(0.2f, 0.02f);
        const RigidMotion flying = moving(from, 2.0f * (aim - from), spin);
        for (const Shape& target : {sheet, pane}) {
            const TimeOfImpact r = time_of_impact(target, still(vec3(0.0f)), bullet, flying);
            INFO(i, " from ", distance, ": time ", r.time, " queries ", r.queries);
            CHECK(r.status == ToiStatus::hit);
            check_toi(r, target, still(vec3(0.0f)), bullet, flying, {}, 200, "bullet ");
        }
    }
}

TEST_CASE("random motions agree with dense sampling and take few queries") {
    Random random(62);
    int hits = 0, separated = 0, starts = 0, queries = 0, worst = 0;
    for (int i = 0; i < 1200; ++i) {
        const auto type_a = static_cast<ShapeType>(random.below(shape_type_count));
        const auto type_b = static_cast<ShapeType>(random.below(shape_type_count));
        const double size_b = random.scale(0.1, 1.0);
        const Shape a = test::random_shape(random, type_a, 1.0, some_hull(random, 1.0));
        const Shape b = test::random_shape(random, type_b, size_b, some_hull(random, size_b));
        const vec3 from = somewhere(random, 1.0, 4.0), aim = somewhere(random, 0.0, 1.5);
        const double fast = random.chance(0.3) ? 12.0 : 3.0;
        RigidMotion ma, mb;
        ma.start = {somewhere(random, 0.0, 0.5), any_quat(random, 6.0)};
        mb.start = {from, any_quat(random, 6.0)};
        ma.linear_velocity = somewhere(random, 0.0, 0.5);
        mb.linear_velocity = (aim - from) * float(random.between(0.2, 2.0));
        if (random.chance(0.7)) ma.angular_velocity = somewhere(random, 0.0, fast);
        if (random.chance(0.7)) mb.angular_velocity = somewhere(random, 0.0, fast);
        if (random.chance(0.5)) ma.center = somewhere(random, 0.0, 0.5);
        if (random.chance(0.5)) mb.center = somewhere(random, 0.0, 0.5);
        ToiSettings settings;
        settings.duration = float(random.between(0.2, 1.5));
        if (random.chance(0.3)) settings.target_distance = float(random.between(0.0, 0.2));
        const TimeOfImpact r = time_of_impact(a, ma, b, mb, settings);
        check_toi(r, a, ma, b, mb, settings, 150, "pair " + std::to_string(i) + " " + test::reproduce(a, b, {}));
        (r.status == ToiStatus::hit ? hits : r.status == ToiStatus::separated ? separated : starts)++;
        queries += r.queries;
        worst = std::max<int>(worst, r.queries);
    }
    INFO("hits ", hits, " separated ", separated, " starts ", starts, " queries ", queries, " worst ", worst);
    CHECK(hits > 400);
    CHECK(separated > 200);
    CHECK(starts > 20);
    CHECK(queries <= 5 * 1200);
    CHECK(worst <= 30);
}

TEST_CASE("a negative target lets shapes overlap by as much and no more as dense sampling finds") {
    Random random(63);
    int hits = 0, separated = 0, starts = 0, worst = 0;
    for (int i = 0; i < 800; ++i) {
        const auto type_a = static_cast<ShapeType>(random.below(shape_type_count));
        const auto type_b = static_cast<ShapeType>(random.below(shape_type_count));
        const double size_b = random.scale(0.1, 1.0);
        const Shape a = test::random_shape(random, type_a, 1.0, some_hull(random, 1.0));
        const Shape b = test::random_shape(random, type_b, size_b, some_hull(random, size_b));
        const vec3 from = somewhere(random, 0.3, 2.0), aim = somewhere(random, 0.0, 1.0);
        RigidMotion ma, mb;
        ma.start = {somewhere(random, 0.0, 0.5), any_quat(random, 6.0)};
        mb.start = {from, any_quat(random, 6.0)};
        mb.linear_velocity = (aim - from) * float(random.between(0.2, 2.0));
        if (random.chance(0.7)) mb.angular_velocity = somewhere(random, 0.0, random.chance(0.3) ? 6.0 : 2.0);
        if (random.chance(0.3)) ma.angular_velocity = somewhere(random, 0.0, 2.0);
        const ToiSettings settings{.target_distance = -float(random.between(0.01, 0.3) * size_b)};
        const TimeOfImpact r = time_of_impact(a, ma, b, mb, settings);
        check_toi(r, a, ma, b, mb, settings, 100, "pair " + std::to_string(i) + " " + test::reproduce(a, b, {}));
        (r.status == ToiStatus::hit ? hits : r.status == ToiStatus::separated ? separated : starts)++;
        worst = std::max<int>(worst, r.queries);
    }
    INFO("hits ", hits, " separated ", separated, " starts ", starts, " worst ", worst);
    CHECK(hits > 100);
    CHECK(separated > 100);
    CHECK(starts > 50);
}

TEST_CASE("what slides or rolls along a floor in which it is sunk is not stopped with a negative target") {
    const ToiSettings settings{.target_distance = -0.002f};
    struct Case {
        std::string what;
        Shape shape;
        RigidMotion motion;
    };
    const Shape wheel = cylinder(0.2f, 0.5f);
    RigidMotion rolling = moving({0, 0.499f, 0}, {100, 0, 0}, {0, 0, -200});
    rolling.start.rotation = turned({1, 0, 0}, pi / 2);
    const Case cases[] = {
        {"box", box(vec3(0.5f)), moving({0, 0.499f, 0}, {1000, 0, 0})},
        {"box that turns", box(vec3(0.5f)), moving({0, 0.499f, 0}, {100, 0, 0}, {0, 50, 0})},
        {"ball", sphere(0.5f), moving({0, 0.499f, 0}, {1000, 0, 0}, {0, 0, -2000})},
        {"wheel", wheel, rolling},
        {"coin", cylinder(0.01f, 0.2f), moving({0, 0.009f, 0}, {1, 0, 0}, {0, 300, 0})},
    };
    for (const Case& c : cases) {
        // The next tile begins under way, as high as the first.
        for (const float x : {-10.0f, 25.0f}) {
            const RigidMotion tile = still({x, -1, 0});
            const TimeOfImpact r = time_of_impact(floor_box, tile, c.shape, c.motion, settings);
            INFO(c.what, " on a tile at ", x, ": status ", int(r.status), " time ", r.time, " queries ", r.queries);
            CHECK(r.status == ToiStatus::separated);
            CHECK(r.queries <= 12);
        }
    }
}

TEST_CASE("a motion between poses takes the turn that is expected and not the shortest") {
    Random random(9);
    for (int i = 0; i < 200; ++i) {
        const dvec3 axis = random.direction();
        const double angle = random.between(0.0, 40.0);
        const quat from = any_quat(random, 3.0), turn = turned(axis, angle);
        const quat to = glm::normalize(turn * from);
        const vec3 guess = vec3(axis * (angle + random.between(-1.0, 1.0)));
        const RigidMotion m = motion_between({vec3(0.0f), from}, {vec3(0.0f), to}, vec3(0.0f), 1.0f, guess);
        INFO("by ", angle, ": ", length(dvec3(m.angular_velocity)));
        CHECK(length(dvec3(m.angular_velocity) - axis * angle) <=
              2e-5 * (1.0 + angle) + 1e-3 * (std::abs(std::sin(0.5 * angle)) < 2e-3));
    }
}

TEST_CASE("without rotation the time of impact is that of the shape cast") {
    Random random(63);
    for (int i = 0; i < 500; ++i) {
        const Shape a = hull(some_hull(random, 1.0)),
                    b = i % 2 == 0 ? hull(some_hull(random, 0.5)) : cylinder(0.3f, 0.2f);
        const vec3 from = somewhere(random, 2.0, 5.0), aim = somewhere(random, 0.0, 1.0);
        const RigidMotion mb = moving(from, 1.4f * (aim - from));
        const ShapeCastResult cast = shape_cast(a, b, {from, mat3(1.0f)}, mb.linear_velocity);
        const TimeOfImpact r = time_of_impact(a, still(vec3(0.0f)), b, mb);
        INFO(test::reproduce(a, b, {from, mat3(1.0f)}), "cast ", cast.fraction, " toi ", r.time, " queries ",
             r.queries);
        if (!cast) {
            // A pass within the tolerance may count.
            if (r) CHECK(r.separation > 0.0f);
            continue;
        }
        REQUIRE(r.status == ToiStatus::hit);
        const float approach = -glm::dot(cast.normal, mb.linear_velocity);
        CHECK(r.time <= cast.fraction + 1e-6f);
        if (approach > 0.3f * glm::length(mb.linear_velocity)) CHECK(r.time >= cast.fraction - 2e-4f / approach);
    }
}

TEST_CASE("sliding rolling and leaving bodies are not stopped") {
    const Shape cube = box({1, 1, 1}), ball = sphere(1), barrel = cylinder(1, 1);
    const float gap = 0.5e-4f;  // half the tolerance
    // Sliding along the floor within the tolerance, rising from it, resting above it.
    CHECK(time_of_impact(floor_box, floor_motion, cube, moving({0, 1 + gap, 0}, {3, 0, 1})).status ==
          ToiStatus::separated);
    CHECK(time_of_impact(floor_box, floor_motion, cube, moving({0, 1 + gap, 0}, {3, 2, 1})).status ==
          ToiStatus::separated);
    CHECK(time_of_impact(floor_box, floor_motion, cube, still({0, 1 + gap, 0})).status == ToiStatus::separated);
    // A sphere rolls, a barrel spins on its end.
    CHECK(time_of_impact(floor_box, floor_motion, ball, moving({0, 1 + gap, 0}, {3, 0, 0}, {0, 0, -3})).status ==
          ToiStatus::separated);
    CHECK(time_of_impact(floor_box, floor_motion, barrel, moving({0, 1 + gap, 0}, {1, 0, 0}, {0, 30, 0})).status ==
          ToiStatus::separated);
    // A lid closing on the floor turns about its edge: contact is when it lies flat, not before.
    const RigidMotion closing = [] {
        RigidMotion m = still({1, 0.5f, 0}, turned({0, 0, 1}, 0.0));
        m.center = {-1, 0, 0};
        m.angular_velocity = {0, 0, -0.5f};
        return m;
    }();
    const Shape lid = box({1, 0.05f, 1});
    const TimeOfImpact shut = time_of_impact(floor_box, floor_motion, lid, closing);
    // The tip's lower corner: 2 sin(t/2) + 0.05 cos(t/2) = 0.5.
    const double exact = 2.0 * (std::asin(0.5 / std::sqrt(4.0 + 0.0025)) - std::atan(0.025));
    INFO("shut at ", shut.time, " should be ", exact, " after ", shut.queries);
    CHECK(shut.status == ToiStatus::hit);
    CHECK(shut.time <= exact + 1e-6);
    CHECK(shut.time >= exact - 1e-4);
}

TEST_CASE("a platform that turns carries its faces along") {
    // A wide slab tilts up towards a sphere above its end: the face rotates with the slab, and few queries are needed.
    const Shape slab = box({4, 0.1f, 1});
    const RigidMotion tilting = moving({0, 0, 0}, {0, 0, 0}, {0, 0, 1});
    const RigidMotion resting = still({3, 1.5f, 0});
    const ToiSettings settings{.duration = 1.0f, .tolerance = 1e-5f};
    const TimeOfImpact r = time_of_impact(slab, tilting, sphere(0.25f), resting, settings);
    // Distance of the sphere's centre from the slab's upper face: 1.5 cos t - 3 sin t - 0.1 = 0.25.
    const double radius = std::sqrt(1.5 * 1.5 + 9.0), exact = std::acos(0.35 / radius) - std::atan(3.0 / 1.5);
    INFO("slab: ", r.time, " should be ", exact, " after ", r.queries, " queries and ", r.iterations);
    CHECK(r.status == ToiStatus::hit);
    CHECK(r.time <= exact + 1e-6);
    CHECK(r.time >= exact - 1e-5);
    CHECK(r.queries <= 5);
    const TimeOfImpact turned_round = time_of_impact(sphere(0.25f), resting, slab, tilting, settings);
    CHECK(std::abs(turned_round.time - r.time) <= 1e-5f);
    CHECK(glm::length(turned_round.normal + r.normal) <= 1e-3f);
}

TEST_CASE("a motion between poses starts and ends there") {
    Random random(64);
    for (int i = 0; i < 500; ++i) {
        const Transform start{somewhere(random, 0.0, 5.0), any_quat(random, 6.28)};
        const double kind = random.unit(), turn = kind < 0.2   ? 0.0
                                                  : kind < 0.4 ? random.scale(1e-7, 1e-2)
                                                               : random.between(0.0, 3.14);
        const dvec3 about = random.direction();
        const quat by = turned(about, turn);
        const Transform end{somewhere(random, 0.0, 5.0), multiply(by, start.rotation)};
        const vec3 center = somewhere(random, 0.0, 1.0);
        const float duration = static_cast<float>(random.scale(0.01, 10.0));
        const RigidMotion m = motion_between(start, end, center, duration);
        const Transform at_end = pose_at(m, duration), at_start = pose_at(m, 0.0f);
        const auto same = [](const quat& p, const quat& q) {
            return std::abs(std::abs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z) - 1.0f);
        };
        INFO(i, " turn ", turn, " rate ", glm::length(m.angular_velocity));
        CHECK(glm::length(at_start.position - start.position) <= 2e-6f);
        CHECK(glm::length(at_end.position - end.position) <= 4e-6f);
        CHECK(same(at_start.rotation, start.rotation) <= 1e-6f);
        CHECK(same(at_end.rotation, end.rotation) <= 1e-6f);
        CHECK(std::abs(double(glm::length(m.angular_velocity)) * double(duration) - turn) <= 1e-6 + 1e-6 * turn + 3e-7);
        // Against libm, at any time and many turns.
        RigidMotion fast = m;
        fast.angular_velocity *= 100.0f;
        const float t = static_cast<float>(random.between(0.0, double(duration)));
        const Transform mine = pose_at(fast, t);
        const Placed libm = place(fast, double(t));
        CHECK(length(dvec3(mine.position) - libm.position) <= 4e-6);
    }
    // The centre moves along a line.
    const RigidMotion m =
        motion_between({{0, 0, 0}, quat(1, 0, 0, 0)}, {{4, 0, 0}, turned({0, 0, 1}, 2.0)}, {1, 0, 0}, 2.0f);
    const dvec3 from(1, 0, 0), to = dvec3(4, 0, 0) + dvec3(std::cos(2.0), std::sin(2.0), 0.0);
    const Transform half = pose_at(m, 1.0f);
    CHECK(length(dvec3(transform_point(half, vec3(1, 0, 0))) - 0.5 * (from + to)) <= 1e-6);
}

TEST_CASE("times of impact far from the origin depend on the pair alone") {
    Random random(65);
    for (int i = 0; i < 200; ++i) {
        const Shape a = hull(some_hull(random, 1.0)), b = box({0.3f, 0.2f, 0.5f});
        // Positions on a grid that floats hold at 8 km, too.
        const auto on_grid = [&random] {
            const int x = random.below(9), y = random.below(9), z = random.below(9);
            return vec3(float(x - 4), float(y - 4), float(z - 4));
        };
        vec3 from = on_grid();
        if (glm::length(from) < 2.5f) from.x += 5.0f;
        RigidMotion ma = moving(vec3(0.0f), vec3(0.0f), somewhere(random, 0.0, 3.0)),
                    mb = moving(from, -1.5f * from, somewhere(random, 0.0, 3.0));
        const TimeOfImpact here = time_of_impact(a, ma, b, mb);
        ma.start.position += vec3(8192, 4096, -8192);
        mb.start.position += vec3(8192, 4096, -8192);
        const TimeOfImpact there = time_of_impact(a, ma, b, mb);
        INFO(i, ": ", here.time, " and ", there.time);
        CHECK(here.status == there.status);
        CHECK(std::abs(here.time - there.time) <= 1e-5f);
        CHECK(glm::length(here.normal - there.normal) <= 1e-3f);
    }
}

TEST_CASE("support mappings move and turn like shapes") {
    Random random(66);
    int hits = 0;
    for (int i = 0; i < 200; ++i) {
        const Shape a = hull(some_hull(random, 1.0)), b = i % 2 == 0 ? capsule(0.4f, 0.2f) : box({0.2f, 0.5f, 0.3f});
        const vec3 from = somewhere(random, 2.5, 5.0), spin_a = somewhere(random, 0.0, 6.0),
                   spin_b = somewhere(random, 0.0, 6.0);
        const vec3 aim = somewhere(random, 0.0, 1.0);
        const RigidMotion ma = moving(vec3(0.0f), vec3(0.0f), spin_a), mb = moving(from, 1.2f * (aim - from), spin_b);
        const TimeOfImpact s = time_of_impact(a, ma, b, mb),
                           m = time_of_impact(ShapeSupport(a), ma, ShapeSupport(b), mb);
        INFO(i, ": ", s.time, " and ", m.time, " queries ", s.queries, " and ", m.queries);
        if (s.status != m.status) continue;  // within the tolerance of a graze
        if (!s) continue;
        ++hits;
        CHECK(std::abs(separation_at(a, ma, b, mb, double(m.time))) <= 1.1e-4);
    }
    CHECK(hits > 100);
}

TEST_CASE("overlapping at the start is answered by depth and bad input by its own status") {
    const Shape cube = box({1, 1, 1});
    const TimeOfImpact deep =
        time_of_impact(cube, still({100, 0, 0}), cube, moving({100.1f, 1.75f, 0}, {0, 9, 0}, {1, 2, 3}));
    CHECK(deep.status == ToiStatus::initially_overlapping);
    CHECK(deep.time == 0.0f);
    CHECK(std::abs(deep.separation + 0.25f) <= 1e-5f);
    CHECK(deep.normal.y > 0.9999f);
    CHECK(std::abs(deep.point_a.y - 1.0f) <= 1e-4f);
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (float bad : {nan, inf}) {
        CHECK(time_of_impact(cube, still({bad, 0, 0}), cube, still({5, 0, 0})).status == ToiStatus::bad_input);
        CHECK(time_of_impact(cube, still({0, 0, 0}), cube, moving({5, 0, 0}, {bad, 0, 0})).status ==
              ToiStatus::bad_input);
        CHECK(time_of_impact(cube, still({0, 0, 0}), cube, moving({5, 0, 0}, {0, 0, 0}, {0, bad, 0})).status ==
              ToiStatus::bad_input);
        CHECK(time_of_impact(cube, still({0, 0, 0}), cube, still({5, 0, 0}), {.duration = bad}).status ==
              ToiStatus::bad_input);
    }
    CHECK(time_of_impact(cube, still({0, 0, 0}, quat(0, 0, 0, 0)), cube, still({5, 0, 0})).status ==
          ToiStatus::bad_input);
    CHECK(time_of_impact(cube, still({0, 0, 0}), cube, still({5, 0, 0}), {.duration = -1.0f}).status ==
          ToiStatus::bad_input);
    CHECK(time_of_impact(cube, still({0, 0, 0}), cube, moving({5, 0, 0}, {0, 0, 0}, {0, 1e30f, 0})).time == 0.0f);
    const TimeOfImpact none =
        time_of_impact(cube, still({0, 0, 0}), cube, moving({5, 0, 0}, {-100, 0, 0}), {.duration = 0.0f});
    CHECK(none.status == ToiStatus::separated);
    CHECK(none.time == 0.0f);
}
