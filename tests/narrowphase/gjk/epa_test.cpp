/// EPA and `separation`: closed-form depths and normals, flat differences, and the seam between GJK and EPA.

#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/separation.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace talus;
using glm::dvec3;
using test::Random;
using test::somewhere;

namespace {

/// A point so far from the origin. In two statements: the order of two draws in one expression is the compiler's
/// choice.
const mat3 unturned(1.0f);

SeparationResult measure(const Shape& a, const Shape& b, const MatrixTransform& f) {
    SimplexCache cache;
    return separation(a, b, f, cache);
}

void check_finite_and_consistent(const SeparationResult& r) {
    CHECK(is_finite(r.separation));
    CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-6f);
    CHECK(glm::length(r.point_b - r.point_a - r.separation * r.normal) <= 2e-6f * (1.0f + glm::length(r.point_a)));
}

/// Overlapping cores: EPA must have run, whatever the caller's radii.
SeparationResult check_deep(const Shape& a, const Shape& b, const MatrixTransform& f, double separation,
                            double tolerance = 2e-6) {
    const SeparationResult r = measure(a, b, f);
    INFO(name_of(a.type), " and ", name_of(b.type), ": ", r.separation, " should be ", separation, ", normal ",
         r.normal.x, " ", r.normal.y, " ", r.normal.z, " after ", r.epa.iterations);
    CHECK(r.used_epa);
    CHECK(r.epa.status != EpaStatus::out_of_memory);
    CHECK(std::abs(r.separation - separation) <= tolerance);
    check_finite_and_consistent(r);
    return r;
}

void check_deep(const Shape& a, const Shape& b, const MatrixTransform& f, double separation, const vec3& normal) {
    const SeparationResult r = check_deep(a, b, f, separation);
    INFO("normal ", r.normal.x, " ", r.normal.y, " ", r.normal.z);
    CHECK(glm::length(r.normal - normal) <= 1e-3f);
}

/// True when the surfaces no longer overlap by more than `slack` once B is moved by `by`.
bool apart_after(const Shape& a, const Shape& b, MatrixTransform f, const vec3& by, float slack) {
    f.position += by;
    return measure(a, b, f).separation >= -slack;
}

}  // namespace

TEST_CASE("depths and normals agree with closed forms") {
    const mat3 on_its_side = test::turn({0, 0, 1}, 1.5707963267948966);
    check_deep(box({1, 1, 1}), box({1, 1, 1}), {{1.75f, 0.3f, -0.2f}, unturned}, -0.25, {1, 0, 0});
    check_deep(box({1, 1, 1}), box({0.5f, 0.5f, 0.5f}), {{0.3f, -1.25f, -0.2f}, unturned}, -0.25, {0, -1, 0});
    check_deep(box({1, 2, 3}), sphere(0.5f), {{0.75f, 0, 0}, unturned}, -0.75, {1, 0, 0});
    check_deep(box({1, 2, 3}), sphere(0.5f), {{0.75f, 1.9f, 0}, unturned}, -0.6, {0, 1, 0});
    check_deep(box({2, 0.5f, 2}), cylinder(1, 0.5f), {{0.2f, 1.25f, 0.1f}, unturned}, -0.25, {0, 1, 0});
    check_deep(box({2, 0.5f, 2}), cylinder(1, 0.5f), {{0.2f, 0.75f, 0.1f}, on_its_side}, -0.25, {0, 1, 0});
    check_deep(box({2, 0.5f, 2}), cone(1, 0.5f), {{0.2f, 1.25f, 0.1f}, unturned}, -0.25, {0, 1, 0});
    check_deep(cylinder(1, 0.5f), cylinder(2, 0.25f), {{0.3f, 0.3f, 0.4f}, unturned}, -0.25, {0.6f, 0, 0.8f});
    check_deep(cylinder(1, 0.5f), sphere(0.1f), {{0.3f, 0, 0.0f}, unturned}, -0.3, {1, 0, 0});
    // A 45-degree edge standing 0.25 deep in a face.
    check_deep(box({2, 1, 2}), box({1, 1, 1}),
               {{0, 1 + std::sqrt(2.0f) - 0.25f, 0}, test::turn({0, 0, 1}, 0.7853981633974483)}, -0.25, {0, 1, 0});
}

TEST_CASE("concentric and coaxial shapes have the depth of their cheapest way out") {
    check_deep(sphere(1), sphere(2), {{0, 0, 0}, unturned}, -3);
    check_deep(capsule(1, 0.5f), sphere(0.25f), {{0, 0.5f, 0}, unturned}, -0.75);
    check_deep(box({1, 2, 3}), box({0.5f, 0.5f, 0.5f}), {{0, 0, 0}, unturned}, -1.5);
    check_deep(box({1, 1, 1}), sphere(0.5f), {{0, 0, 0}, unturned}, -1.5);
    const SeparationResult side = check_deep(cylinder(3, 1), cylinder(3, 1), {{0, 0, 0}, unturned}, -2, 2e-5);
    CHECK(std::abs(side.normal.y) <= 1e-3f);
    check_deep(cylinder(1, 3), cylinder(1, 3), {{0, 0, 0}, unturned}, -2, 2e-5);
    check_deep(cone(1, 1), sphere(0.1f), {{0, -0.9f, 0}, unturned}, -0.2);
}

namespace {

/// An upright prism around its own y axis, whose sides are all about `size` away from it.
std::vector<vec3> prism_around_axis(Random& random, int sides, float size) {
    std::vector<vec3> points;
    for (int i = 0; i < sides; ++i) {
        const double angle = 6.283185307179586 * (i + 0.3 * random.unit()) / sides;
        for (const float y : {-size, size})
            points.push_back({size * float(std::cos(angle)), y, size * float(std::sin(angle))});
    }
    return points;
}

/// Distance of the axis from the nearest side of a prism that stands so that it encloses it.
double nearest_side(const std::vector<vec3>& points, const vec3& moved) {
    double least = 1e300;
    for (std::size_t i = 0; i < points.size(); i += 2) {
        const dvec3 p = dvec3(points[i]) + dvec3(moved), q = dvec3(points[(i + 2) % points.size()]) + dvec3(moved);
        least = std::min(least, (p.x * q.z - p.z * q.x) / std::hypot(q.x - p.x, q.z - p.z));
    }
    return least;
}

}  // namespace

TEST_CASE("a small hull around the axis of a large cylinder or cone gets out over the nearest edge of its shadow") {
    // Each edge makes a local minimum, and EPA's memory ends before it can tell them apart: it used to end in any of
    // them.
    Random random(44);
    for (const double ratio : {1e2, 1e3, 1e4, 1e5}) {
        for (int i = 0; i < 40; ++i) {
            const float radius = float(random.between(0.5, 2.0)), size = float(radius / ratio);
            const std::vector<vec3> points = prism_around_axis(random, 5 + random.below(12), size);
            auto made = make_hull(points);
            REQUIRE(made);
            const Shape prism = hull(*made);
            const vec3 to{size * float(random.between(-0.3, 0.3)), 0.0f, size * float(random.between(-0.3, 0.3))};
            // The cone's side falls by 2 in 1; its normal is (2, 1) / sqrt(5). The prism's lower end leaves last.
            const double along = 1.0 / std::sqrt(5.0), across = 2.0 * along;
            const double edge = nearest_side(points, to);
            const double out_of_cylinder = double(radius) + edge;
            const double out_of_cone = along * (double(radius) + double(size)) + across * edge;
            const double slack = 1e-5 * double(size) + 3e-7 * double(radius);
            INFO("1:", ratio, ", prism of ", points.size() / 2, " sides, ", i);
            for (const bool swapped : {false, true}) {
                const auto ask = [&](const Shape& large) {
                    return swapped ? measure(prism, large, {-to, unturned}) : measure(large, prism, {to, unturned});
                };
                const SeparationResult cylindrical = ask(cylinder(radius, radius)), conical = ask(cone(radius, radius));
                CHECK(std::abs(double(cylindrical.separation) + out_of_cylinder) <= slack);
                CHECK(std::abs(double(conical.separation) + out_of_cone) <= slack);
                check_finite_and_consistent(cylindrical);
                check_finite_and_consistent(conical);
            }
        }
    }
}

TEST_CASE("crossing and overlapping segments are two radii deep, along a normal at right angles to both") {
    const mat3 across = test::turn({1, 0, 0}, 1.5707963267948966);
    const SeparationResult cross = check_deep(capsule(1, 0.25f), capsule(1, 0.5f), {{0, 0.3f, 0.2f}, across}, -0.75);
    CHECK(cross.epa.status == EpaStatus::flat);
    CHECK(std::abs(std::abs(cross.normal.x) - 1.0f) <= 1e-5f);
    const SeparationResult along = check_deep(capsule(1, 0.25f), capsule(1, 0.5f), {{0, 1.5f, 0}, unturned}, -0.75);
    CHECK(std::abs(along.normal.y) <= 1e-5f);
    const SeparationResult same = check_deep(capsule(1, 0.25f), capsule(1, 0.25f), {{0, 0, 0}, unturned}, -0.5);
    CHECK(std::abs(same.normal.y) <= 1e-5f);
}

TEST_CASE("coplanar triangles that overlap are flat: depth zero along their plane's normal") {
    const Shape t = triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1});
    for (const vec3& at : {vec3(0.1f, 0, 0.1f), vec3(0, 0, 0), vec3(1, 0, 0), vec3(0.5f, 0, 0.5f)}) {
        const SeparationResult r = check_deep(t, t, {at, unturned}, 0.0);
        CHECK(r.epa.status == EpaStatus::flat);
        CHECK(std::abs(std::abs(r.normal.y) - 1.0f) <= 1e-5f);
    }
    // Rounded, the same contact is two radii deep.
    const Shape thick = triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.1f);
    check_deep(thick, thick, {{0.1f, 0, 0.1f}, unturned}, -0.2);
}

TEST_CASE("flat and needle-shaped polytopes keep their depth") {
    check_deep(box({1e-4f, 1, 1}), box({1e-4f, 1, 1}), {{1e-4f, 0.1f, 0.2f}, unturned}, -1e-4, {1, 0, 0});
    check_deep(box({1, 1e-4f, 1e-4f}), box({1e-4f, 1, 1e-4f}), {{0.1f, 0.1f, 1e-4f}, unturned}, -1e-4, {0, 0, 1});
    check_deep(box({1e5f, 1e5f, 1e5f}), box({1, 1, 1}), {{-31, 1e5f + 0.5f, 77}, unturned}, -0.5, {0, 1, 0});
    check_deep(box({1e-3f, 1e-3f, 1e-3f}), box({1e-3f, 1e-3f, 1e-3f}), {{0, 0.0015f, 0}, unturned},
               double(0.0015f) - 2.0 * 1e-3f, {0, 1, 0});
}

TEST_CASE("cubes in each other that are a rounding off a quarter turn do not fill EPA's memory") {
    // Vertices that differed only by rounding folded the mesh, which grew again and folded again until memory ran out.
    const mat3 first({-0x1.8p-22f, -0x1.000006p+0f, -0x1p-23f}, {0, -0x1p-22f, -0x1.000006p+0f},
                     {0x1.000006p+0f, 0, -0x1.8p-22f});
    const mat3 second({-0x1p-22f, 0x1.000006p+0f, 0}, {0, -0x1.8p-22f, 0x1.000006p+0f},
                      {0x1.000006p+0f, -0x1p-23f, -0x1.8p-22f});
    const auto ask = [](float a, float b, const mat3& turn) {
        const SeparationResult r =
            check_deep(box(vec3(a)), box(vec3(b)), {{0, 0, 0}, turn}, -double(a) - double(b), 4e-6 * a);
        CHECK(r.epa.iterations < 64);  // the two have 64 pairs of vertices
    };
    ask(0x1.2831p+1f, 0x1.704dacp+1f, first);
    ask(0x1.2cc3dcp-4f, 0x1.8e9a6ap-3f, second);
}

TEST_CASE("moving B by depth along the normal separates, and by less along no direction tried does") {
    Random random(41);
    int deep = 0;
    for (int ta = 0; ta < shape_type_count; ++ta) {
        for (int tb = 0; tb < shape_type_count; ++tb) {
            for (int i = 0; i < 25; ++i) {
                std::vector<vec3> points;
                for (int k = 0; k < 20; ++k) points.push_back(vec3(random.direction()));
                auto made = make_hull(points);
                REQUIRE(made);
                const Shape a = test::random_shape(random, static_cast<ShapeType>(ta), 1.0, *made);
                const Shape b = test::random_shape(random, static_cast<ShapeType>(tb), random.scale(0.1, 1.0), *made);
                const MatrixTransform f{somewhere(random, 0.0, 0.8), test::mixed_turn(random)};
                const SeparationResult r = measure(a, b, f);
                INFO(name_of(a.type), " and ", name_of(b.type), " ", i, ": ", r.separation);
                check_finite_and_consistent(r);
                if (!r.used_epa) continue;
                ++deep;
                CHECK(r.epa.status != EpaStatus::out_of_memory);
                CHECK(r.epa.face.count >= 1);
                const float depth = -r.separation;
                CHECK(apart_after(a, b, f, depth * r.normal, 2e-5f));
                for (int k = 0; k < 20; ++k) {
                    const vec3 other(random.direction());
                    CHECK_FALSE(apart_after(a, b, f, (0.98f * depth - 1e-3f) * other, 0.0f));
                }
            }
        }
    }
    MESSAGE(deep, " overlapping pairs");
    CHECK(deep > 400);
}

namespace {

/// No corner sharper than a cube's.
bool is_blunt(const Shape& shape) {
    return shape.type == ShapeType::box || shape.type == ShapeType::cylinder || shape.type == ShapeType::sphere;
}

}  // namespace

TEST_CASE("pushed into each other, pairs pass through touching without a jump, a flipped normal or a hole") {
    Random random(42);
    int through = 0;
    for (int ta = 0; ta < shape_type_count; ++ta) {
        for (int tb = 0; tb < shape_type_count; ++tb) {
            // Two cores without volume pass through each other, and the normal turns with them.
            const auto has_volume = [](int t) { return static_cast<ShapeType>(t) >= ShapeType::box; };
            if (!has_volume(ta) && !has_volume(tb)) continue;
            for (int i = 0; i < 6; ++i) {
                std::vector<vec3> points;
                for (int k = 0; k < 20; ++k) points.push_back(vec3(random.direction()));
                auto made = make_hull(points);
                REQUIRE(made);
                const Shape a = test::random_shape(random, static_cast<ShapeType>(ta), 1.0, *made);
                const Shape b = test::random_shape(random, static_cast<ShapeType>(tb), 1.0, *made);
                // Start where GJK says the surfaces are near, then close the gap along the normal in ever finer steps.
                MatrixTransform f{vec3(random.direction() * 3.0), test::mixed_turn(random)};
                const SeparationResult start = measure(a, b, f);
                if (start.used_epa) continue;
                const vec3 n = start.normal;
                const float radii = a.radius + b.radius;  // to where the cores touch: the seam
                for (float gap :
                     {1e-2f, 1e-3f, 1e-4f, 1e-5f, 1e-6f, 3e-7f, 1e-7f, 0.0f, -1e-7f, -3e-7f, -1e-6f, -1e-5f, -1e-4f}) {
                    MatrixTransform g = f;
                    g.position -= (start.separation + radii - gap) * n;
                    const SeparationResult r = measure(a, b, g);
                    INFO(name_of(a.type), " and ", name_of(b.type), " ", i, " gap ", gap, ": ", r.separation,
                         " normal ", r.normal.x, " ", r.normal.y, " ", r.normal.z, " for ", n.x, " ", n.y, " ", n.z,
                         " epa ", r.used_epa);
                    // If the shapes are apart, the gap is known. If they overlap, moving back along the normal
                    // separates them; if edges or corners met, a face next to them may have a smaller depth. Only past
                    // a sharp tip may the least depth be on the opposite side.
                    const float core = r.separation + radii;
                    CHECK(core >= gap - 3e-6f);
                    CHECK(core <= std::abs(gap) + 3e-6f);
                    if (r.used_epa) CHECK(core <= 3e-6f);
                    if (gap >= 1e-4f) CHECK(glm::dot(r.normal, n) > 0.999f);
                    if (is_blunt(a) && is_blunt(b)) {
                        CHECK(core <= std::max(gap, 0.0f) + 3e-6f);
                        CHECK(glm::dot(r.normal, n) > 0.0f);
                    }
                    check_finite_and_consistent(r);
                    through += r.used_epa;
                }
            }
        }
    }
    CHECK(through > 500);
}

TEST_CASE("the sign of a separation is that of the radii's gap, and a limit cuts it off") {
    CHECK(measure(sphere(1), sphere(1), {{2.5f, 0, 0}, unturned}).separation == doctest::Approx(0.5));
    CHECK(measure(sphere(1), sphere(1), {{1.5f, 0, 0}, unturned}).separation == doctest::Approx(-0.5));
    CHECK_FALSE(measure(sphere(1), sphere(1), {{1.5f, 0, 0}, unturned}).used_epa);  // the cores are still apart
    SimplexCache cache;
    const SeparationResult beyond = separation(sphere(1), box({1, 1, 1}), {{5, 0, 0}, unturned}, cache, 1.0f);
    CHECK(beyond.beyond_limit);
    CHECK(beyond.separation > 1.0f);
    CHECK(beyond.separation <= 3.0f);
    const SeparationResult within = separation(sphere(1), box({1, 1, 1}), {{5, 0, 0}, unturned}, cache, 3.5f);
    CHECK_FALSE(within.beyond_limit);
    CHECK(within.separation == doctest::Approx(3.0));
}

TEST_CASE("radii of kilometres come off without rounding the gap away") {
    // The distance between the cores was a float: half a millimetre off at 16 km, beside a gap of centimetres.
    Random random(45);
    for (int i = 0; i < 200; ++i) {
        const float radius = float(random.scale(100.0, 20000.0)), half = float(random.between(0.3, 1.0));
        const double gap = random.between(0.0, 0.1);
        const dvec3 out =
            glm::normalize(dvec3(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0)));
        const dvec3 corner(half);
        const vec3 center(corner + (double(radius) + gap) * out);
        const double exact = glm::length(dvec3(center) - corner) - double(radius);
        const SeparationResult r = measure(box(vec3(half)), sphere(radius), {center, unturned});
        const SeparationResult turned = measure(sphere(radius), box(vec3(half)), {-center, unturned});
        INFO("radius ", radius, ", gap ", exact, ": ", r.separation, ", ", turned.separation);
        CHECK(std::abs(double(r.separation) - exact) <= 1e-6 * half);
        CHECK(std::abs(double(turned.separation) - exact) <= 1e-6 * half);
    }
}

TEST_CASE("EPA completes any simplex it is given, rubbish included") {
    Random random(43);
    const Shape shapes[] = {box({1, 1, 1}), cylinder(1, 1), triangle({1, 0, 0}, {0, 1, 0}, {0, 0, 1}), capsule(1, 1),
                            sphere(1)};
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            for (int i = 0; i < 40; ++i) {
                const MatrixTransform f{somewhere(random, 0.0, 0.3), test::mixed_turn(random)};
                if (measure(a, b, f).gjk.status != GjkStatus::overlapping) continue;
                const float depth = measure(a, b, f).epa.depth;
                SimplexCache cache;
                cache.count = static_cast<std::uint8_t>(i % 6);
                for (int k = 0; k < 4; ++k) {
                    cache.a[k] = static_cast<std::uint16_t>(i % 2 ? random.bits() : 1);
                    cache.b[k] = static_cast<std::uint16_t>(i % 2 ? random.bits() : 1);
                }
                const EpaResult r = epa(a, b, f, cache);
                INFO(name_of(a.type), " and ", name_of(b.type), " ", i, ": ", r.depth, " should be ", depth);
                CHECK(std::abs(r.depth - depth) <= 6e-5f);
                CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-6f);
                CHECK(glm::length(r.point_a - r.point_b - r.depth * r.normal) <= 2e-6f);
            }
        }
    }
}
