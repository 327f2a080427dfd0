#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/shape.h>
#include "narrowphase/shapes/moments.h"

#include "tests/narrowphase/shapes/hull_clouds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

using glm::dmat3;
using glm::dvec3;

double distance_to_segment(const dvec3& p, const dvec3& a, const dvec3& b) {
    const dvec3 ab = b - a;
    return glm::length(p - a - glm::clamp(glm::dot(p - a, ab) / glm::dot(ab, ab), 0.0, 1.0) * ab);
}

double distance_to_triangle(const dvec3& p, const dvec3& a, const dvec3& b, const dvec3& c) {
    const dvec3 n = glm::cross(b - a, c - a);
    const auto left_of = [&](const dvec3& from, const dvec3& to) {
        return glm::dot(glm::cross(to - from, p - from), n) >= 0;
    };
    if (left_of(a, b) && left_of(b, c) && left_of(c, a)) return std::abs(glm::dot(p - a, n)) / glm::length(n);
    return std::min({distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
}

/// Negative inside, positive outside, convex along every line.
double side(const Shape& shape, const dvec3& p) {
    const dvec3 h(shape.half_extents);
    const dvec3 q[3] = {dvec3(shape.points[0]), dvec3(shape.points[1]), dvec3(shape.points[2])};
    const double round = std::sqrt(p.x * p.x + p.z * p.z);
    switch (shape.type) {
        case ShapeType::sphere:
            return glm::length(p) - double(shape.radius);
        case ShapeType::capsule:
            return distance_to_segment(p, {0, -h.y, 0}, {0, h.y, 0}) - double(shape.radius);
        case ShapeType::segment:
            return distance_to_segment(p, q[0], q[1]) - double(shape.radius);
        case ShapeType::triangle:
            return distance_to_triangle(p, q[0], q[1], q[2]) - double(shape.radius);
        case ShapeType::box:
            if (shape.radius > 0.0f) {
                const dvec3 beside = glm::max(glm::abs(p) - h, dvec3(0.0));
                return glm::length(beside) - double(shape.radius);
            }
            return std::max({std::abs(p.x) - h.x, std::abs(p.y) - h.y, std::abs(p.z) - h.z});
        case ShapeType::cylinder:
            return std::max(round - h.x, std::abs(p.y) - h.y);
        case ShapeType::cone:
            return std::max(-h.y - p.y, round - h.x * (h.y - p.y) / (2 * h.y));
        case ShapeType::mapping:
            return glm::length(p / dvec3(shape.mapping->radii)) - 1.0;
        case ShapeType::hull:
            break;
    }
    double worst = -1e9;
    for (const HullFace& face : shape.hull->faces)
        worst = std::max(worst, glm::dot(dvec3(face.normal), p) - double(face.offset));
    return worst;
}

/// Moments by columns: over a grid of lines along z the solid is one interval, found by bisection and integrated
/// exactly.
Moments integrate(const Shape& shape, int columns) {
    const Aabb box = bounds(shape);
    const dvec3 lower(box.lower), upper(box.upper), size = upper - lower;
    const double cell = size.x * size.y / columns / columns;
    Moments m;
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j < columns; ++j) {
            const double x = lower.x + size.x * (i + 0.5) / columns, y = lower.y + size.y * (j + 0.5) / columns;
            const auto f = [&](double z) { return side(shape, {x, y, z}); };
            double a = lower.z - 0.1, b = upper.z + 0.1;
            for (int k = 0; k < 70 && f(0.5 * (a + b)) >= 0; ++k) {  // thirds, until the middle is inside
                const double s = (2 * a + b) / 3, t = (a + 2 * b) / 3;
                (f(s) < f(t) ? b : a) = f(s) < f(t) ? t : s;
            }
            const double inside = 0.5 * (a + b);
            if (f(inside) >= 0) continue;
            const auto edge = [&](double in, double out) {
                for (int k = 0; k < 35; ++k) (f(0.5 * (in + out)) < 0 ? in : out) = 0.5 * (in + out);
                return in;
            };
            const double from = edge(inside, lower.z - 0.1), to = edge(inside, upper.z + 0.1);
            const double l = to - from, z1 = (to * to - from * from) / 2, z2 = (to * to * to - from * from * from) / 3;
            m.volume += l * cell;
            m.first += cell * dvec3(x * l, y * l, z1);
            m.second += cell * dmat3(x * x * l, x * y * l, x * z1, x * y * l, y * y * l, y * z1, x * z1, y * z1, z2);
        }
    }
    return m;
}

void check_physical(const MassProperties& p) {
    const dmat3 m(p.inertia);
    CHECK(p.inertia == glm::transpose(p.inertia));
    CHECK(m[0][0] > 0);
    CHECK(m[0][0] * m[1][1] - m[0][1] * m[0][1] > 0);
    CHECK(glm::determinant(m) > 0);
    // No principal moment exceeds the sum of the two others: trace/2 - I is positive semidefinite, to float rounding.
    const double trace = m[0][0] + m[1][1] + m[2][2];
    const dmat3 covariance = dmat3(trace * (0.5 + 3e-6)) - m;
    CHECK(covariance[0][0] > 0);
    CHECK(covariance[0][0] * covariance[1][1] - covariance[0][1] * covariance[0][1] > 0);
    CHECK(glm::determinant(covariance) > 0);
}

/// Largest entry that differs, as a part of the largest entry.
double difference(const mat3& a, const dmat3& b) {
    double worst = 0, largest = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            worst = std::max(worst, std::abs(double(a[i][j]) - b[i][j]));
            largest = std::max(largest, std::abs(b[i][j]));
        }
    return worst / largest;
}

std::shared_ptr<const Hull> some_hull(std::uint64_t seed) {
    Random random(seed);
    return *make_hull(cluster(random, 20, {1, 0.5f, 0.7f}, {0.3f, -0.2f, 0.5f}));
}

}  // namespace

TEST_CASE("mass, centre and inertia of every solid agree with numerical integration" * doctest::test_suite("slow")) {
    const vec3 a(0.1f, -0.2f, 0.3f), b(1.1f, 0.4f, -0.2f), c(0.2f, 0.9f, 0.6f), d(1.9f, 0.9f, -0.55f);
    const std::vector<Shape> shapes{
        sphere(0.8f),
        capsule(0.7f, 0.4f),
        box({0.5f, 0.7f, 0.3f}),
        cylinder(0.4f, 0.9f),
        cone(0.8f, 0.6f),
        hull(some_hull(1)),
        hull(some_hull(2)),
        rounded(box({0.5f, 0.7f, 0.3f}), 0.2f),
        rounded(box({0.02f, 0.7f, 0.3f}), 0.9f),
        *ellipsoid({0.5f, 0.9f, 0.3f}),
        segment(a, b, 0.3f),
        triangle(a, b, c, 0.05f),
        triangle(a, b, c, 0.4f),
        triangle(a, b, c, 2.0f),
        triangle(a, c, b, 0.4f),  // in the opposite order
        triangle(a, b, d, 0.3f),  // an obtuse corner of about 170 degrees
        triangle(a, b, 0.5f * (a + b) + vec3(0, 0.02f, 0.01f), 0.2f),
        triangle(a, a + vec3(1, 0, 0), a + vec3(0, 1, 0), 0.5f),
    };
    for (const Shape& shape : shapes) {
        CAPTURE(name_of(shape.type));
        CAPTURE(shape.radius);
        const MassProperties exact = mass_properties(shape, 2.5f);
        const Moments numeric = integrate(shape, 160);
        CHECK(exact.mass == doctest::Approx(2.5 * numeric.volume).epsilon(5e-4));
        CHECK(glm::length(dvec3(exact.center) - numeric.center()) < 5e-4 * double(bounding_radius(shape)));
        CHECK(difference(exact.inertia, 2.5 * numeric.inertia()) < 1e-3);
        check_physical(exact);
    }
}

TEST_CASE("the textbook formulas hold to float rounding") {
    const float pi = 3.14159265f;
    MassProperties p = mass_properties(sphere(2), 3);
    CHECK(p.mass == doctest::Approx(3 * 4.0f / 3 * pi * 8));
    CHECK(p.inertia[1][1] == doctest::Approx(0.4f * p.mass * 4));
    p = mass_properties(box({1, 2, 3}), 1);
    CHECK(p.mass == 48.0f);
    CHECK(p.inertia[0][0] == doctest::Approx(48.0f / 12 * (16 + 36)));
    p = mass_properties(cone(1, 2), 1);  // height 2
    CHECK(p.mass == doctest::Approx(pi * 4 * 2 / 3));
    CHECK(p.center == vec3(0, -0.5f, 0));
    CHECK(p.inertia[1][1] == doctest::Approx(0.3f * p.mass * 4));
    CHECK(p.inertia[0][0] == doctest::Approx(p.mass * (3.0f / 20 * 4 + 3.0f / 80 * 4)));
    p = mass_properties(cylinder(1, 2), 1);
    CHECK(p.inertia[1][1] == doctest::Approx(0.5f * p.mass * 4));
    CHECK(p.inertia[2][2] == doctest::Approx(p.mass / 12 * (3 * 4 + 4)));
    p = mass_properties(capsule(0, 2), 3);  // a sphere
    CHECK(difference(p.inertia, dmat3(mass_properties(sphere(2), 3).inertia)) < 1e-6);
}

TEST_CASE("the same solid described in two ways has the same mass properties") {
    const MassProperties upright = mass_properties(capsule(0.7f, 0.4f), 2);
    const MassProperties drawn = mass_properties(segment({0, -0.7f, 0}, {0, 0.7f, 0}, 0.4f), 2);
    CHECK(drawn.mass == doctest::Approx(upright.mass));
    CHECK(difference(drawn.inertia, dmat3(upright.inertia)) < 1e-6);

    const vec3 h(0.5f, 1.5f, 1);
    const MassProperties solid = mass_properties(box(h), 2);
    const MassProperties corners = mass_properties(hull(*make_hull(scaled(full_lattice(3), h))), 2);
    CHECK(corners.mass == doctest::Approx(solid.mass));
    CHECK(difference(corners.inertia, dmat3(solid.inertia)) < 1e-6);

    // A triangle so thin that it is nearly a segment; its slab and wedges must close up.
    const MassProperties thin = mass_properties(triangle({0, -0.7f, 0}, {0, 0.7f, 0}, {2e-5f, 0.1f, 0}, 0.4f), 2);
    CHECK(thin.mass == doctest::Approx(upright.mass).epsilon(1e-4));
    CHECK(difference(thin.inertia, dmat3(upright.inertia)) < 1e-4);
}

TEST_CASE("mass properties turn and move with the shape") {
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        CAPTURE(i);
        const mat3 r = any_turn(random);
        const vec3 offset = in_cube(random);
        const vec3 a = in_cube(random), b = in_cube(random), c = in_cube(random);
        const float radius = magnitude(random, 0.01, 3);
        const Shape before[] = {segment(a, b, radius), triangle(a, b, c, radius)};
        const auto to = [&](const vec3& p) { return r * p + offset; };
        const Shape after[] = {segment(to(a), to(b), radius), triangle(to(b), to(c), to(a), radius)};
        for (int k = 0; k < 2; ++k) {
            if (check(before[k])) continue;
            const MassProperties p = mass_properties(before[k], 7), q = mass_properties(after[k], 7);
            CHECK(q.mass == doctest::Approx(p.mass).epsilon(1e-5));
            CHECK(glm::length(q.center - to(p.center)) < 1e-5f);
            CHECK(difference(q.inertia, dmat3(r * p.inertia * glm::transpose(r))) < 1e-5);
            check_physical(p);
        }
    }
}

TEST_CASE("inertias of needles and plates across the axes stay positive definite") {
    Random random(6);
    for (int i = 0; i < 500; ++i) {
        CAPTURE(i);
        const float thin = magnitude(random, 1e-5, 1);
        const vec3 d = 10.0f * vec3(random.direction());
        check_physical(mass_properties(segment(-d, d, thin), 1000));
        const mat3 r = any_turn(random);
        const Shape flat = triangle(r * vec3(10, 0, 0), r * vec3(0, 0, 0), r * vec3(0, thin, 0), 1e-4f);
        if (!check(flat)) check_physical(mass_properties(flat, 1));
        Points points = scaled(full_lattice(2), {1, thin, i % 2 ? 1 : thin});
        for (vec3& p : points) p = r * p;
        if (const auto made = make_hull(points)) check_physical(mass_properties(hull(*made), 1));
    }
}

TEST_CASE("the floor under small moments only raises what float could not hold") {
    // Thin but well above the floor, or diagonal: exactly as computed.
    const MassProperties needle = mass_properties(capsule(1, 1e-5f), 1);
    CHECK(needle.inertia[1][1] < 1e-9f * needle.inertia[0][0]);
    CHECK(needle.inertia[1][1] > 0);
    const dmat3 mild(2, 0.5, 0.1, 0.5, 3, 0.2, 0.1, 0.2, 2.5);
    CHECK(round_inertia(mild) == mat3(mild));
    // Principal moments (1, 1, 1e-9) across the axes.
    const dvec3 axis = glm::normalize(dvec3(1, 2, 3));
    const dmat3 across = dmat3(1.0) - (1 - 1e-9) * glm::outerProduct(axis, axis);
    const dmat3 rounded(round_inertia(across));
    CHECK(glm::dot(axis, rounded * axis) > 1e-6);
    CHECK(difference(mat3(rounded), across) < 3e-6);
}

TEST_CASE("what has no mass says so with zeros, never with NaN") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    for (const float density : {0.0f, -1.0f, nan, infinity}) {
        const MassProperties p = mass_properties(sphere(1), density);
        CHECK(p.mass == 0.0f);
        CHECK(p.inertia == mat3(0));
    }
    CHECK(mass_properties(segment({0, 0, 0}, {1, 0, 0}), 1).mass == 0.0f);
    CHECK(mass_properties(triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}), 1).mass == 0.0f);
    CHECK(mass_properties(sphere(nan), 1).mass == 0.0f);
    CHECK(mass_properties(sphere(-1), 1).mass == 0.0f);
}

TEST_CASE("the mass of a solid of the greatest density is not infinite") {
    constexpr float greatest = std::numeric_limits<float>::max();
    const Shape shapes[] = {sphere(1.0f),
                            box({1e6f, 1, 1}),
                            capsule(1, 1e6f),
                            cone(1, 1),
                            segment({0, 0, 0}, {1, 2, 3}, 1),
                            triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1.0f)};
    for (const Shape& shape : shapes) {
        CAPTURE(name_of(shape.type));
        const MassProperties p = mass_properties(shape, greatest), unit = mass_properties(shape, 1.0f);
        CHECK(is_finite(p.mass));
        CHECK(p.mass > 0.0f);
        CHECK(p.center == unit.center);
        for (int i = 0; i < 3; ++i) {
            CHECK(is_finite(p.inertia[i]));
            CHECK(p.inertia[i][i] / p.mass == doctest::Approx(unit.inertia[i][i] / unit.mass));
        }
    }
    // Up to there the density is used as it is.
    const MassProperties large = mass_properties(sphere(1.0f), 1e37f), small = mass_properties(sphere(1.0f), 1.0f);
    CHECK(large.mass == doctest::Approx(1e37 * small.mass));
}
