#pragma once
/// The closed set of convex shapes: each is a *core* (point, segment, triangle, box, cylinder, cone, polyhedron) plus a
/// *radius* swept around it (0 for all but sphere, capsule and rounded segments and triangles). GJK and EPA see the
/// core; the radius is added to their answers or subtracted. Surfaces lie exactly where these numbers put them, without
/// a hidden margin.

#include <talus/aabb.h>
#include <talus/math.h>
#include <talus/narrowphase/hull.h>
#include <talus/result.h>

#include <memory>
#include <string_view>

namespace talus {

enum class ShapeType : std::uint8_t { sphere, capsule, segment, triangle, box, cylinder, cone, hull };
inline constexpr int shape_type_count = 8;

std::string_view name_of(ShapeType type);

/// A convex shape in its own frame. Make one with the functions below. They accept any numbers; `check(shape)` says
/// what is wrong with them. The world refuses a shape that `check` refuses, and queries answer with a status
/// (`bad_input`).
struct Shape {
    ShapeType type = ShapeType::sphere;
    float radius = 0.0f;      ///< swept around the core, m
    vec3 half_extents{0.0f};  ///< half sizes; cylinder, cone: (r, half height, r); capsule: (0, half height, 0)
    vec3 points[3] = {};      ///< segment: the first two; triangle: all three
    std::shared_ptr<const Hull> hull{};  ///< hull only
};

Shape sphere(float radius);                      ///< centred at the origin
Shape capsule(float half_height, float radius);  ///< axis y; half_height is that of the cylindrical part
Shape box(const vec3& half_extents);
Shape cylinder(float half_height, float radius);  ///< axis y
Shape cone(float half_height, float radius);      ///< base at y = -half_height, apex at y = +half_height
Shape hull(std::shared_ptr<const Hull> hull);
Shape segment(const vec3& a, const vec3& b, float radius = 0.0f);
Shape triangle(const vec3& a, const vec3& b, const vec3& c, float radius = 0.0f);  ///< two-sided

/// Returns what is wrong with the shape's numbers, or an Error that is false. Sizes must be finite and positive (radius
/// of a segment or triangle may be 0; half_height of a capsule may be 0) and within size_limits.h, ends of a segment
/// distinct, triangles not collinear, `radius` 0 for the shapes with sharp edges.
Error check(const Shape& shape);

/// The box around the shape (radius included) in its own frame.
Aabb bounds(const Shape& shape);

/// Returns the radius of the bounding sphere around the shape's own origin, radius included, m (rounded up).
float bounding_radius(const Shape& shape);

/// Returns six times the volume over the surface, m: the diameter of a sphere, the edge of a cube, three times the
/// thickness of a thin plate. For rounded shapes: that of the core plus twice the radius. Infinite for segments and
/// triangles without radius, which are no solids.
float thickness(const Shape& shape);

/// True for the shapes that enclose volume.
bool is_solid(const Shape& shape);

}  // namespace talus
