#pragma once
/// Surfaces made of triangles, for static bodies: meshes (mesh.h) and height fields (height_field.h).
///
/// /// A set is not convex, but its triangles are. It finds the triangles in a box or along a motion, and the
/// narrowphase treats them one by one, as convex shapes. To make a surface of them, each triangle knows its neighbours:
/// a body that slides from one triangle to the next must not be disturbed by the edge between them.
///
///     surface, from the side        a contact on the triangle with normal n is the surface's own where the neighbours
///          n                        stay below it: here n is (the edge is sharp), m is not (the next triangle, m's
///           \  |  m                 "beyond", rises over the plane): m comes from looking at one triangle alone
///     _______\_|_/____beyond
///       triangle   edge
///
/// Immutable once made, shared by std::shared_ptr<const TriangleSet>. Coordinates are in the set's own frame, m.

#include <talus/aabb.h>
#include <talus/function_ref.h>
#include <talus/math.h>

#include <cstdint>
#include <vector>

namespace talus {

/// One triangle of a set, and where its neighbours continue.
struct SetTriangle {
    vec3 points[3];  ///< counter-clockwise seen from the front, m
    vec3 normal;     ///< unit, to the front
    /// /// The neighbour's own corner, beyond the edge from points[i] to points[i + 1]. If the surface ends there: the
    /// triangle's third corner, points[i + 2]. If more than two triangles meet there: that of the neighbour that rises
    /// most.
    vec3 beyond[3];
    std::uint32_t material = 0;  ///< what the user gave the triangle
};

class TriangleSet {
public:
    virtual ~TriangleSet() = default;

    const Aabb& bounds() const { return bounds_; }  ///< of all triangles
    std::uint32_t size() const { return size_; }    ///< number of triangles, at least 1
    /// A one-sided set stops only shapes that come from the front; from behind they pass through.
    bool is_two_sided() const { return two_sided_; }
    std::uint32_t material_count() const { return material_count_; }  ///< one more than the greatest material

    /// Triangle number `index`, below size().
    virtual SetTriangle triangle(std::uint32_t index) const = 0;
    /// Returns the index of the triangle in the data that the set was made from.
    virtual std::uint32_t source(std::uint32_t index) const = 0;

    /// Appends the triangles whose boxes overlap `box`, in ascending order. None for a box that is not finite.
    virtual void find(const Aabb& box, std::vector<std::uint32_t>& found) const = 0;

    /// Calls visit(triangle, max_fraction) for the triangles whose boxes are met by a box of these half extents (zero:
    /// a ray) whose centre goes from `origin` by `translation`, up to the fraction of the translation that visit
    /// returned last (1 at first; a negative one ends the cast). Those that are met first come roughly first.
    using CastVisitor = FunctionRef<float(std::uint32_t triangle, float max_fraction)>;
    virtual void cast(const vec3& origin, const vec3& translation, const vec3& half_extents,
                      CastVisitor visit) const = 0;

    /// Calls visit(point) for the other ends of the edges that meet at a corner (0 to 2) of a triangle, this triangle's
    /// own two among them. Where several sheets touch in that corner alone, of the triangle's sheet at least.
    using PointVisitor = FunctionRef<void(const vec3& point)>;
    virtual void around(std::uint32_t triangle, int corner, PointVisitor visit) const = 0;

    virtual std::size_t bytes() const = 0;  ///< heap memory held

protected:
    TriangleSet() = default;
    TriangleSet(const TriangleSet&) = delete;
    TriangleSet& operator=(const TriangleSet&) = delete;

    Aabb bounds_;
    std::uint32_t size_ = 0, material_count_ = 1;
    bool two_sided_ = false;
};

}  // namespace talus
