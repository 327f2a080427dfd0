#include <talus/narrowphase/shape.h>

#include <talus/narrowphase/mapping_solid.h>
#include "common/number_text.h"
#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace talus {
namespace {

/// The least height of a triangle over its longest edge, as a fraction of that edge. Thinner triangles count as
/// collinear. At this limit the float rounding of the edges changes the normal by about half a degree, at a tenth of it
/// by 5 degrees.
constexpr double thinnest_triangle = 1e-5;

/// sqrt rounds down as often as up. This factor (two units in the last place) makes a bounding radius large enough.
constexpr float round_up = 1.0f + 2.4e-7f;

std::string sentence(const char* format, std::string_view shape, const char* what, double value) {
    char text[256];
    std::snprintf(text, sizeof text, format, static_cast<int>(shape.size()), shape.data(), what,
                  detail::text(static_cast<float>(value)).c_str());
    return text;
}

/// A length that has to be positive; `what` names it.
Error check_size(std::string_view shape, const char* what, float value) {
    if (!is_finite(value))
        return {ErrorCode::not_finite,
                sentence("%.*s: the %s is %s; give a finite number of metres.", shape, what, value)};
    if (value <= 0.0f)
        return {ErrorCode::bad_size,
                sentence("%.*s: the %s is %s m; give a positive number of metres.", shape, what, value)};
    if (value < smallest_size)
        return {ErrorCode::bad_size,
                sentence("%.*s: the %s is %s m, too small to compute with; give at least 1e-6 m.", shape, what, value)};
    if (value > largest_size)
        return {ErrorCode::bad_size,
                sentence("%.*s: the %s is %s m, too large to compute with; give at most 1e6 m.", shape, what, value)};
    return {};
}

/// A length that may also be 0.
Error check_size_or_zero(std::string_view shape, const char* what, float value) {
    if (value == 0.0f) return {};
    if (is_finite(value) && value < smallest_size) {
        const char* format = value < 0.0f
                                 ? "%.*s: the %s is %s m; give 0 or at least 1e-6 m."
                                 : "%.*s: the %s is %s m, too small to compute with; give 0 or at least 1e-6 m.";
        return {ErrorCode::bad_size, sentence(format, shape, what, value)};
    }
    return check_size(shape, what, value);
}

/// Cylinders and cones must have radius 0: rounded ones are not in the closed set.
Error check_no_rounding(std::string_view shape, float radius) {
    if (radius == 0.0f) return {};
    return {ErrorCode::bad_argument, sentence("%.*s: %s is set to %s, but this shape has sharp edges; leave it at 0.",
                                              shape, "Shape::radius", radius)};
}

Error check_point(std::string_view shape, const char* what, const vec3& point) {
    for (int i = 0; i < 3; ++i) {
        if (!is_finite(point[i]))
            return {ErrorCode::not_finite,
                    sentence("%.*s: a coordinate of %s is %s; give finite numbers of metres.", shape, what, point[i])};
        if (point[i] > largest_size || point[i] < -largest_size)
            return {ErrorCode::bad_size,
                    sentence("%.*s: a coordinate of %s is %s m; keep points within 1e6 m of the shape's origin.", shape,
                             what, point[i])};
    }
    return {};
}

/// The same limits for the two round shapes with an axis, whose extents are (radius, half height, radius).
Error check_round(std::string_view name, const Shape& shape) {
    if (Error error = check_size(name, "radius", shape.half_extents.x)) return error;
    if (shape.half_extents.z != shape.half_extents.x)
        return {ErrorCode::bad_argument,
                sentence("%.*s: %s is %s, unlike half_extents.x; both hold the radius, so make them equal.", name,
                         "half_extents.z", shape.half_extents.z)};
    if (Error error = check_size(name, "half height", shape.half_extents.y)) return error;
    return check_no_rounding(name, shape.radius);
}

Error check_segment(std::string_view name, const Shape& shape) {
    if (Error error = check_point(name, "its first end", shape.points[0])) return error;
    if (Error error = check_point(name, "its second end", shape.points[1])) return error;
    const glm::dvec3 edge = glm::dvec3(shape.points[1]) - glm::dvec3(shape.points[0]);
    const double length = std::sqrt(glm::dot(edge, edge));
    if (length < double(smallest_size))
        return {ErrorCode::degenerate_shape,
                sentence("%.*s: its %s are %s m apart; move them apart by at least 1e-6 m, or use a sphere.", name,
                         "ends", length)};
    return check_size_or_zero(name, "radius", shape.radius);
}

Error check_triangle(std::string_view name, const Shape& shape) {
    static constexpr const char* corners[3] = {"its first corner", "its second corner", "its third corner"};
    for (int i = 0; i < 3; ++i) {
        if (Error error = check_point(name, corners[i], shape.points[i])) return error;
    }
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        const glm::dvec3 edge = glm::dvec3(shape.points[(i + 1) % 3]) - glm::dvec3(shape.points[i]);
        longest = std::max(longest, std::sqrt(glm::dot(edge, edge)));
    }
    if (longest < double(smallest_size))
        return {ErrorCode::degenerate_shape, sentence("%.*s: its %s is %s m; corners must be at least 1e-6 m apart.",
                                                      name, "longest edge", longest)};
    const glm::dvec3 origin(shape.points[0]);
    const glm::dvec3 twice_area =
        glm::cross(glm::dvec3(shape.points[1]) - origin, glm::dvec3(shape.points[2]) - origin);
    const double height = std::sqrt(glm::dot(twice_area, twice_area)) / longest;
    if (height < thinnest_triangle * longest)
        return {
            ErrorCode::degenerate_shape,
            sentence("%.*s: its corners lie on one line (%s over longest edge is %s, at least 1e-5 is needed); move "
                     "one of them, or use a segment.",
                     name, "height", height / longest)};
    return check_size_or_zero(name, "radius", shape.radius);
}

/// The half extents that a shape does not have must be 0, because loops over shapes of all types read all three.
Error check_unused_extents(std::string_view name, const Shape& shape) {
    const vec3& half = shape.half_extents;
    const float y = shape.type == ShapeType::capsule ? 0.0f : half.y;
    if (half.x == 0.0f && y == 0.0f && half.z == 0.0f) return {};
    return {ErrorCode::bad_argument, std::string(name) +
                                         ": half_extents has a number that this type does not use, and that "
                                         "is not 0; make shapes with the functions of shape.h."};
}

}  // namespace

std::string_view name_of(ShapeType type) {
    switch (type) {
        case ShapeType::sphere:
            return "sphere";
        case ShapeType::capsule:
            return "capsule";
        case ShapeType::segment:
            return "segment";
        case ShapeType::triangle:
            return "triangle";
        case ShapeType::box:
            return "box";
        case ShapeType::cylinder:
            return "cylinder";
        case ShapeType::cone:
            return "cone";
        case ShapeType::hull:
            return "hull";
        case ShapeType::mapping:
            return "mapping";
    }
    return "unknown shape";
}

Shape sphere(float radius) { return {.type = ShapeType::sphere, .radius = radius}; }

Shape capsule(float half_height, float radius) {
    return {.type = ShapeType::capsule, .radius = radius, .half_extents = {0.0f, half_height, 0.0f}};
}

Shape box(const vec3& half_extents) { return {.type = ShapeType::box, .half_extents = half_extents}; }

Shape cylinder(float half_height, float radius) {
    return {.type = ShapeType::cylinder, .half_extents = {radius, half_height, radius}};
}

Shape cone(float half_height, float radius) {
    return {.type = ShapeType::cone, .half_extents = {radius, half_height, radius}};
}

Shape hull(std::shared_ptr<const Hull> hull) { return {.type = ShapeType::hull, .hull = std::move(hull)}; }

Shape segment(const vec3& a, const vec3& b, float radius) {
    return {.type = ShapeType::segment, .radius = radius, .points = {a, b}};
}

Shape triangle(const vec3& a, const vec3& b, const vec3& c, float radius) {
    return {.type = ShapeType::triangle, .radius = radius, .points = {a, b, c}};
}

Shape mapping_shape(std::shared_ptr<const MappingSolid> solid) {
    Shape shape{.type = ShapeType::mapping};
    if (solid) shape.radius = solid->radius;
    shape.mapping = std::move(solid);
    return shape;
}

Shape rounded(Shape polytope, float radius) {
    const ShapeType type = polytope.type;
    if (type == ShapeType::segment || type == ShapeType::triangle || type == ShapeType::box || type == ShapeType::hull)
        polytope.radius += radius;
    return polytope;
}

Error check(const Shape& shape) {
    const std::string_view name = name_of(shape.type);
    switch (shape.type) {
        case ShapeType::sphere:
            if (Error error = check_unused_extents(name, shape)) return error;
            return check_size(name, "radius", shape.radius);
        case ShapeType::capsule:
            if (Error error = check_unused_extents(name, shape)) return error;
            if (Error error = check_size(name, "radius", shape.radius)) return error;
            return check_size_or_zero(name, "half height", shape.half_extents.y);
        case ShapeType::segment:
            if (Error error = check_unused_extents(name, shape)) return error;
            return check_segment(name, shape);
        case ShapeType::triangle:
            if (Error error = check_unused_extents(name, shape)) return error;
            return check_triangle(name, shape);
        case ShapeType::box:
            if (Error error = check_size(name, "half extent along x", shape.half_extents.x)) return error;
            if (Error error = check_size(name, "half extent along y", shape.half_extents.y)) return error;
            if (Error error = check_size(name, "half extent along z", shape.half_extents.z)) return error;
            return check_size_or_zero(name, "radius", shape.radius);
        case ShapeType::cylinder:
        case ShapeType::cone:
            return check_round(name, shape);
        case ShapeType::hull:
            if (!shape.hull)
                return {ErrorCode::bad_argument, "hull: there is no hull in it; make one with make_hull() first."};
            if (Error error = check_unused_extents(name, shape)) return error;
            return check_size_or_zero(name, "radius", shape.radius);
        case ShapeType::mapping:
            if (!shape.mapping)
                return {ErrorCode::bad_argument,
                        "mapping: there is no solid in it; make one with ellipsoid(), convex_sum() or "
                        "make_mapping_solid() first."};
            if (Error error = check_unused_extents(name, shape)) return error;
            if (shape.radius == shape.mapping->radius) return {};
            return {ErrorCode::bad_argument,
                    sentence("%.*s: %s is %s, unlike that of its solid; make shapes with mapping_shape().", name,
                             "Shape::radius", shape.radius)};
    }
    return {ErrorCode::bad_argument, "Shape::type is " + std::to_string(static_cast<int>(shape.type)) +
                                         "; it must be less than " + std::to_string(shape_type_count) +
                                         ", so make shapes with the functions of shape.h."};
}

Aabb bounds(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
            return {vec3(-shape.radius), vec3(shape.radius)};
        case ShapeType::capsule:
        case ShapeType::box:
        case ShapeType::cylinder:
        case ShapeType::cone:
            return expand(Aabb{-shape.half_extents, shape.half_extents}, shape.radius);
        case ShapeType::segment:
            return expand(Aabb{glm::min(shape.points[0], shape.points[1]), glm::max(shape.points[0], shape.points[1])},
                          shape.radius);
        case ShapeType::triangle:
            return expand(Aabb{glm::min(glm::min(shape.points[0], shape.points[1]), shape.points[2]),
                               glm::max(glm::max(shape.points[0], shape.points[1]), shape.points[2])},
                          shape.radius);
        case ShapeType::hull:
            return shape.hull ? expand(shape.hull->bounds, shape.radius) : Aabb{};
        case ShapeType::mapping:
            return shape.mapping ? shape.mapping->bounds : Aabb{};
    }
    return {};
}

float bounding_radius(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
            return shape.radius;
        case ShapeType::capsule:
            return shape.half_extents.y + shape.radius;
        case ShapeType::box:
            return (std::sqrt(length_squared(shape.half_extents)) + shape.radius) * round_up;
        case ShapeType::cylinder:
        case ShapeType::cone: {
            const float radius = shape.half_extents.x, half_height = shape.half_extents.y;
            return std::sqrt(radius * radius + half_height * half_height) * round_up;
        }
        case ShapeType::segment:
        case ShapeType::triangle: {
            float farthest = std::max(length_squared(shape.points[0]), length_squared(shape.points[1]));
            if (shape.type == ShapeType::triangle) farthest = std::max(farthest, length_squared(shape.points[2]));
            return (std::sqrt(farthest) + shape.radius) * round_up;
        }
        case ShapeType::hull:
            if (!shape.hull) return 0.0f;
            return shape.radius > 0.0f ? (shape.hull->bounding_radius + shape.radius) * round_up
                                       : shape.hull->bounding_radius;
        case ShapeType::mapping:
            return shape.mapping ? shape.mapping->bounding_radius : 0.0f;
    }
    return 0.0f;
}

float thickness(const Shape& shape) {
    const vec3& h = shape.half_extents;
    const float radius = h.x, height = 2.0f * h.y, infinite = std::numeric_limits<float>::infinity();
    switch (shape.type) {
        case ShapeType::sphere:
        case ShapeType::capsule:
            return 2.0f * shape.radius;
        case ShapeType::segment:
            return shape.radius > 0.0f ? 2.0f * shape.radius : infinite;
        case ShapeType::triangle:
            return infinite;
        case ShapeType::box:
            return 6.0f / (1.0f / h.x + 1.0f / h.y + 1.0f / h.z) + 2.0f * shape.radius;
        case ShapeType::cylinder:
            return 3.0f * radius * height / (radius + height);
        case ShapeType::cone:
            return 2.0f * radius * height / (radius + std::sqrt(radius * radius + height * height));
        case ShapeType::hull:
            return shape.hull ? shape.hull->thickness + 2.0f * shape.radius : infinite;
        case ShapeType::mapping:
            return shape.mapping ? shape.mapping->thickness : infinite;
    }
    return infinite;
}

bool is_solid(const Shape& shape) {
    if (shape.type == ShapeType::segment || shape.type == ShapeType::triangle) return shape.radius > 0.0f;
    return true;
}

}  // namespace talus
