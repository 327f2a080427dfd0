#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/shape.h>

#include "tests/narrowphase/shapes/hull_clouds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

std::shared_ptr<const Hull> cube_hull() { return *make_hull(full_lattice(2)); }

std::vector<Shape> one_of_each() {
    return {sphere(0.5f),
            capsule(0.7f, 0.3f),
            segment({1, 2, 3}, {-1, 0, 2}, 0.25f),
            triangle({0, 0, 1}, {2, 0, 1}, {0, 3, -1}, 0.1f),
            box({1, 2, 3}),
            cylinder(1.5f, 0.5f),
            cone(2.0f, 0.75f),
            hull(cube_hull()),
            *ellipsoid({0.5f, 1.25f, 0.75f})};
}

/// Points that make up the surface, or its corners: each side of the bounds is touched by one of them.
std::vector<glm::dvec3> surface(const Shape& shape) {
    std::vector<glm::dvec3> core, result;
    if (shape.type == ShapeType::mapping) {
        Random random(1);
        const glm::dvec3 r(shape.mapping->radii);
        for (int i = 0; i < 1000; ++i) result.push_back(r * random.direction());
        for (int k = 0; k < 3; ++k) {
            glm::dvec3 e(0);
            e[k] = r[k];
            result.push_back(e);
            result.push_back(-e);
        }
        return result;
    }
    const glm::dvec3 h(shape.half_extents);
    switch (shape.type) {
        case ShapeType::sphere:
            core = {glm::dvec3(0)};
            break;
        case ShapeType::capsule:
            core = {{0, h.y, 0}, {0, -h.y, 0}};
            break;
        case ShapeType::segment:
            core = {glm::dvec3(shape.points[0]), glm::dvec3(shape.points[1])};
            break;
        case ShapeType::triangle:
            for (const vec3& p : shape.points) core.push_back(glm::dvec3(p));
            break;
        case ShapeType::box:
            for (int i = 0; i < 8; ++i) core.push_back(h * glm::dvec3(cube_corner(i)));
            break;
        case ShapeType::cone:
            core.push_back({0, h.y, 0});
            [[fallthrough]];
        case ShapeType::cylinder:
            for (int i = 0; i < 720; ++i) {
                const double a = 6.283185307179586 * i / 720;
                core.push_back({h.x * std::cos(a), -h.y, h.x * std::sin(a)});
                if (shape.type == ShapeType::cylinder) core.push_back({h.x * std::cos(a), h.y, h.x * std::sin(a)});
            }
            break;
        case ShapeType::hull:
            for (const vec3& p : shape.hull->vertices) core.push_back(glm::dvec3(p));
            break;
        case ShapeType::mapping:
            break;
    }
    if (shape.radius == 0.0f) return core;
    Random random(1);
    for (const glm::dvec3& p : core) {
        for (int k = 0; k < 3; ++k) {
            glm::dvec3 e(0);
            e[k] = double(shape.radius);
            result.push_back(p + e);
            result.push_back(p - e);
        }
        const double distance = glm::length(p);
        if (distance > 0) result.push_back(p * (1.0 + double(shape.radius) / distance));
        for (int i = 0; i < 200; ++i) result.push_back(p + double(shape.radius) * random.direction());
    }
    return result;
}

struct Refusal {
    const char* what;
    Shape shape;
    ErrorCode code;
    const char* says;  ///< part of the sentence
};

}  // namespace

TEST_CASE("half extents that a type of shape does not use must be 0") {
    for (Shape shape : one_of_each()) {
        const bool uses_all =
            shape.type == ShapeType::box || shape.type == ShapeType::cylinder || shape.type == ShapeType::cone;
        if (uses_all) continue;
        CAPTURE(name_of(shape.type));
        shape.half_extents.x = -4e37f;  // from a damaged saved world
        CHECK(check(shape).code == ErrorCode::bad_argument);
        shape.half_extents.x = 0.0f;
        CHECK(check(shape).code == ErrorCode::none);
        shape.half_extents.z = 1.0f;
        CHECK(check(shape).code == ErrorCode::bad_argument);
    }
}

TEST_CASE("every type of shape has a name and passes its own check") {
    const auto shapes = one_of_each();
    REQUIRE(shapes.size() == shape_type_count);
    for (int i = 0; i < shape_type_count; ++i) {
        CHECK(int(shapes[i].type) == i);
        CAPTURE(name_of(shapes[i].type));
        const Error error = check(shapes[i]);
        CHECK(error.message == "");
        CHECK_FALSE(error);
    }
    CHECK(name_of(ShapeType::capsule) == "capsule");
    CHECK(name_of(ShapeType::hull) == "hull");
    CHECK(name_of(static_cast<ShapeType>(77)) == "unknown shape");
}

TEST_CASE("bounds hold the surface and touch it on all six sides, so does the bounding radius") {
    for (const Shape& shape : one_of_each()) {
        CAPTURE(name_of(shape.type));
        const Aabb box = bounds(shape);
        const float radius = bounding_radius(shape);
        glm::dvec3 lower(1e9), upper(-1e9);
        double farthest = 0;
        for (const glm::dvec3& p : surface(shape)) {
            lower = glm::min(lower, p);
            upper = glm::max(upper, p);
            farthest = std::max(farthest, glm::length(p));
        }
        for (int k = 0; k < 3; ++k) {
            CHECK(box.lower[k] == doctest::Approx(lower[k]).epsilon(1e-6));
            CHECK(box.upper[k] == doctest::Approx(upper[k]).epsilon(1e-6));
        }
        CHECK(radius == doctest::Approx(farthest).epsilon(1e-6));
        CHECK(double(radius) >= farthest * (1 - 1e-9));
    }
}

TEST_CASE("bounding radii of random shapes are never short") {
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        CAPTURE(i);
        const float a = magnitude(random, 1e-5, 1e5), b = magnitude(random, 1e-5, 1e5),
                    c = magnitude(random, 1e-5, 1e5);
        for (const Shape& shape : {box({a, b, c}), cylinder(a, b), cone(a, b), segment({a, b, c}, {-a, -c, b}, a),
                                   triangle({a, b, c}, {-a, -c, b}, {c, -a, -b}, c)}) {
            CAPTURE(name_of(shape.type));
            double farthest = 0;
            for (const glm::dvec3& p : surface(shape)) farthest = std::max(farthest, glm::length(p));
            CHECK(double(bounding_radius(shape)) >= farthest * (1 - 1e-9));
        }
    }
}

TEST_CASE("a shape encloses volume unless it is a bare segment or triangle") {
    for (const Shape& shape : one_of_each()) CHECK(is_solid(shape));
    CHECK_FALSE(is_solid(segment({0, 0, 0}, {1, 0, 0})));
    CHECK_FALSE(is_solid(triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0})));
    CHECK_FALSE(check(segment({0, 0, 0}, {1, 0, 0})));  // no volume, but a fine shape
    CHECK_FALSE(check(triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0})));
    CHECK_FALSE(check(capsule(0, 1)));
}

TEST_CASE("bad numbers are refused by a sentence that names them and says what to do") {
    const vec3 o(0), x(1, 0, 0), y(0, 1, 0);
    Shape rounded_cone = cone(1, 1);
    rounded_cone.radius = 0.1f;
    Shape other_radius = *ellipsoid({1, 2, 3});
    other_radius.radius = 0.25f;
    Shape oval = cylinder(1, 1);
    oval.half_extents.z = 2;
    Shape unknown;
    unknown.type = static_cast<ShapeType>(99);
    static_assert(!std::is_default_constructible_v<Hull> && !std::is_copy_constructible_v<Hull>);  // make_hull alone
    const std::vector<Refusal> refusals{
        {"sphere nan", sphere(not_a_number), ErrorCode::not_finite, "radius is nan"},
        {"sphere infinite", sphere(infinity), ErrorCode::not_finite, "radius is inf"},
        {"sphere zero", sphere(0), ErrorCode::bad_size, "radius is 0"},
        {"sphere negative", sphere(-2), ErrorCode::bad_size, "radius is -2"},
        {"sphere tiny", sphere(1e-7f), ErrorCode::bad_size, "at least 1e-6"},
        {"sphere denormal", sphere(1e-40f), ErrorCode::bad_size, "at least 1e-6"},
        {"sphere huge", sphere(2e6f), ErrorCode::bad_size, "at most 1e6"},
        {"capsule radius", capsule(1, 0), ErrorCode::bad_size, "radius is 0"},
        {"capsule height", capsule(-1, 1), ErrorCode::bad_size, "half height is -1"},
        {"capsule nan", capsule(not_a_number, 1), ErrorCode::not_finite, "half height is nan"},
        {"box x", box({0, 1, 1}), ErrorCode::bad_size, "along x is 0"},
        {"box y", box({1, -3, 1}), ErrorCode::bad_size, "along y is -3"},
        {"box z", box({1, 1, not_a_number}), ErrorCode::not_finite, "along z is nan"},
        {"cone rounded", rounded_cone, ErrorCode::bad_argument, "leave it at 0"},
        {"box radius", rounded(box({1, 1, 1}), -0.5f), ErrorCode::bad_size,
         "radius is -0.5 m; give 0 or at least 1e-6"},
        {"box tiny radius", rounded(box({1, 1, 1}), 1e-7f), ErrorCode::bad_size, "radius is 1e-07 m, too small"},
        {"box radius nan", rounded(box({1, 1, 1}), not_a_number), ErrorCode::not_finite, "radius is nan"},
        {"hull radius", rounded(hull(cube_hull()), 2e6f), ErrorCode::bad_size, "at most 1e6"},
        {"mapping null", mapping_shape(nullptr), ErrorCode::bad_argument, "make one with ellipsoid()"},
        {"mapping radius", other_radius, ErrorCode::bad_argument, "Shape::radius is 0.25"},
        {"cylinder radius", cylinder(1, -1), ErrorCode::bad_size, "radius is -1"},
        {"cylinder height", cylinder(0, 1), ErrorCode::bad_size, "half height is 0"},
        {"cylinder oval", oval, ErrorCode::bad_argument, "half_extents.z is 2"},
        {"cone radius", cone(1, infinity), ErrorCode::not_finite, "radius is inf"},
        {"cone height", cone(not_a_number, 1), ErrorCode::not_finite, "half height is nan"},
        {"segment ends", segment(x, x), ErrorCode::degenerate_shape, "0 m apart"},
        {"segment radius", segment(o, x, -1), ErrorCode::bad_size, "radius is -1"},
        {"segment nan", segment(o, {0, not_a_number, 0}), ErrorCode::not_finite, "second end is nan"},
        {"segment far", segment(o, {0, 0, -3e6f}), ErrorCode::bad_size, "within 1e6 m"},
        {"triangle collinear", triangle(o, x, 2.0f * x), ErrorCode::degenerate_shape, "one line"},
        {"triangle nearly", triangle(o, x, {0.5f, 1e-6f, 0}), ErrorCode::degenerate_shape, "one line"},
        {"triangle point", triangle(x, x, x), ErrorCode::degenerate_shape, "longest edge is 0"},
        {"triangle two equal", triangle(x, y, x), ErrorCode::degenerate_shape, "one line"},
        {"triangle nan", triangle(x, {not_a_number, 0, 0}, y), ErrorCode::not_finite, "second corner is nan"},
        {"triangle radius", triangle(o, x, y, not_a_number), ErrorCode::not_finite, "radius is nan"},
        {"hull null", hull(nullptr), ErrorCode::bad_argument, "make_hull"},
        {"unknown type", unknown, ErrorCode::bad_argument, "Shape::type is 99"},
        // "give a positive number of metres", although 0 is allowed
        {"capsule height or 0", capsule(-1, 1), ErrorCode::bad_size, "is -1 m; give 0 or at least 1e-6 m"},
        {"segment radius or 0", segment(o, x, -1), ErrorCode::bad_size, "is -1 m; give 0 or at least 1e-6 m"},
        {"triangle radius or 0", triangle(o, x, y, -1), ErrorCode::bad_size, "is -1 m; give 0 or at least 1e-6 m"},
        {"capsule tiny height", capsule(1e-7f, 1), ErrorCode::bad_size, "1e-07 m, too small"},
        // "is 1e+06 m; keep points within 1e6 m"
        {"segment just too far", segment(o, {0, 0, 1000001.0f}), ErrorCode::bad_size, "is 1000001 m"},
        {"sphere just too large", sphere(1000001.0f), ErrorCode::bad_size, "is 1000001 m"},
        {"sphere just too small", sphere(9.9e-7f), ErrorCode::bad_size, "is 9.9e-07 m, too small"},
    };
    for (const Refusal& refusal : refusals) {
        CAPTURE(refusal.what);
        const Error error = check(refusal.shape);
        CAPTURE(error.message);
        CHECK(int(error.code) == int(refusal.code));
        CHECK(error.message.find(refusal.says) != std::string::npos);
        CHECK(error.message.find("; ") != std::string::npos);
        CHECK(error.message.back() == '.');
        bounds(refusal.shape);  // safe to call on anything
        bounding_radius(refusal.shape);
        CHECK(mass_properties(refusal.shape, 1000.0f).mass == 0.0f);
    }
}
