#pragma once
/// The convex shapes that bodies are made of: each is a *core* (point, segment, triangle, box, cylinder, cone,
/// polyhedron, support mapping) plus a *radius* swept around it (0 except for spheres, capsules and what is rounded).
/// GJK and EPA work on the cores; the radii are added to their results or subtracted. Surfaces lie exactly where these
/// numbers put them, without a hidden margin.

#include <talus/aabb.h>
#include <talus/math.h>
#include <talus/narrowphase/hull.h>
#include <talus/result.h>

#include <memory>
#include <string_view>

namespace talus {

struct MappingSolid;

/// The kinds of shapes. The functions that make shapes, below, say where each lies in its frame.
enum class ShapeType : std::uint8_t {
    sphere,    ///< core: a point
    capsule,   ///< core: a segment
    segment,   ///< may have a radius
    triangle,  ///< may have a radius
    box,       ///< may have a radius
    cylinder,  ///< no radius
    cone,      ///< no radius
    hull,      ///< a convex polyhedron; may have a radius
    mapping,   ///< an ellipsoid, a convex sum, or a support mapping of your own (mapping_solid.h)
};
/// The number of values of ShapeType.
inline constexpr int shape_type_count = 9;

/// Returns the name of the type as it is spelled in the code, such as "sphere".
std::string_view name_of(ShapeType type);

/// A convex shape in its own frame. Make one with the functions below. They accept any numbers; `check(shape)` says
/// what is wrong with them. The world refuses a shape that `check` refuses, and queries answer with a status
/// (`bad_input`).
struct Shape {
    ShapeType type = ShapeType::sphere;  ///< says which of the fields below count
    float radius = 0.0f;                 ///< swept around the core, m
    vec3 half_extents{0.0f};  ///< half sizes, m; cylinder, cone: (r, half height, r); capsule: (0, half height, 0)
    vec3 points[3] = {};      ///< m; segment: the first two; triangle: all three
    std::shared_ptr<const Hull> hull{};             ///< hull only
    std::shared_ptr<const MappingSolid> mapping{};  ///< mapping only; its radius is that of the solid
};

Shape sphere(float radius);                       ///< centred at the origin
Shape capsule(float half_height, float radius);   ///< axis y; half_height is that of the cylindrical part
Shape box(const vec3& half_extents);              ///< centred at the origin
Shape cylinder(float half_height, float radius);  ///< axis y
Shape cone(float half_height, float radius);      ///< base at y = -half_height, apex at y = +half_height
/// A convex polyhedron in the frame of its hull (make_hull). Shapes and bodies can share one hull.
Shape hull(std::shared_ptr<const Hull> hull);
/// A segment from a to b; with a radius, a capsule in any direction.
Shape segment(const vec3& a, const vec3& b, float radius = 0.0f);
Shape triangle(const vec3& a, const vec3& b, const vec3& c, float radius = 0.0f);  ///< two-sided

/// Returns the polytope (segment, triangle, box, hull) rounded by a ball of this radius (m), which is added to the
/// radius that the shape has: its edges and corners get that radius, and its faces move outward by it. So the size that
/// you give is that of the core: rounded(box({1, 1, 1}), 0.1f) is 2.2 m wide. Other types come back as they are; the
/// sum of a mapping and a ball is made by convex_sum (mapping_solid.h).
Shape rounded(Shape polytope, float radius);

/// Returns what is wrong with the shape's numbers; an Error that converts to false if nothing is. Sizes must be finite,
/// positive (the radius of a segment, triangle, box or hull and the half_height of a capsule may be 0) and from 1e-6 to
/// 1e6 m. The ends of a segment must be distinct and the corners of a triangle not collinear. `radius` must be 0 for
/// cylinders and cones.
Error check(const Shape& shape);

/// Returns the box around the shape (radius included) in its own frame.
Aabb bounds(const Shape& shape);

/// Returns the radius of the bounding sphere around the shape's own origin, radius included, m (rounded up).
float bounding_radius(const Shape& shape);

/// Returns six times the volume over the surface area, m: the diameter of a sphere, the edge of a cube, three times the
/// thickness of a thin plate. For rounded shapes it is the thickness of the core plus twice the radius. Infinite for
/// segments and triangles without radius, because they are not solids.
float thickness(const Shape& shape);

/// Returns whether the shape encloses volume: all do, except segments and triangles without radius.
bool is_solid(const Shape& shape);

}  // namespace talus
