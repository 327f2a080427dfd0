#pragma once
/// Surfaces made of triangles: meshes (mesh.h) and height fields (height_field.h). A mesh may bound a solid, which can
/// move.
///
/// A set is not convex, but its triangles are. It finds the triangles in a box or along a motion, and the
/// narrowphase treats them one by one, as convex shapes. Each triangle knows its neighbours, because a body that slides
/// from one triangle to the next must not be disturbed by the edge between them.
///
///     surface, from the side        A contact normal at an edge is valid for the surface if the neighbour beyond the
///          n                        edge stays below the contact plane. Here n is valid. m is not, because the next
///           \  |  m                 triangle rises above the plane across m: m would be valid only if the triangle
///     _______\_|_/____beyond        were alone.
///       triangle   edge
///
/// A set is immutable, and shared by std::shared_ptr<const TriangleSet>. Several threads call its functions at once. The
/// tasks of a step call them, too, and there they must not wait for other jobs (docs/threads.md). Coordinates are in the
/// set's own frame, m.

#include <talus/aabb.h>
#include <talus/function_ref.h>
#include <talus/math.h>
#include <talus/narrowphase/mass_properties.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace talus {

namespace detail {
struct SurfaceFeatures;
}

/// One triangle of a set, and where its neighbours continue.
struct SetTriangle {
    vec3 points[3];  ///< counter-clockwise seen from the front, m
    vec3 normal;     ///< unit, to the front
    /// The corner of the neighbour that is beyond the edge from points[i] to points[i + 1]. If the surface ends at the
    /// edge, it is the triangle's own third corner, points[i + 2]. If more than two triangles meet there, it is the
    /// corner of the neighbour that rises most.
    vec3 beyond[3];
    std::uint32_t material = 0;  ///< from MeshDef::materials or HeightFieldDef::materials
};

/// Where a ray meets a set of triangles.
struct TriangleRayHit {
    bool hit = false;            ///< whether the ray meets a triangle
    float fraction = 1.0f;       ///< of the translation, 0 to 1
    vec3 normal{0.0f};           ///< normal of the triangle, unit, against the ray
    std::uint32_t triangle = 0;  ///< the number of the triangle in the set
};

/// A mesh or a height field.
class TriangleSet {
public:
    virtual ~TriangleSet() = default;

    const Aabb& bounds() const { return bounds_; }  ///< of all triangles but those of holes
    std::uint32_t size() const { return size_; }    ///< number of triangles, those of holes included, at least 1
    /// A one-sided set stops only shapes that come from the front; from behind they pass through.
    bool is_two_sided() const { return two_sided_; }
    std::uint32_t material_count() const { return material_count_; }  ///< one more than the greatest material
    /// Returns whether the set is the boundary of a solid (MeshDef::solid). Dynamic bodies can have it as a shape.
    bool is_solid() const { return solid_mass_.mass > 0.0f; }
    /// Returns the mass properties of that solid at a density of 1 kg/m^3; its mass is 0 if there is none.
    const MassProperties& solid_mass() const { return solid_mass_; }
    /// Returns twice the solid's volume over its surface area, m: the thickness of a plate, the radius of a rod.
    float solid_thickness() const { return solid_thickness_; }
    /// Returns what the narrowphase knows of that solid's vertices, edges and faces; null if there is none.
    const detail::SurfaceFeatures* solid_features() const { return solid_features_.get(); }

    /// Returns a triangle; `index` must be less than size().
    virtual SetTriangle triangle(std::uint32_t index) const = 0;
    /// Returns only its corners, as triangle() does.
    virtual std::array<vec3, 3> points(std::uint32_t index) const {
        const SetTriangle t = triangle(index);
        return {t.points[0], t.points[1], t.points[2]};
    }
    /// Returns whether the triangle is part of a hole (HeightFieldDef::holes). Then find() and cast() never find it, and
    /// it is no neighbour.
    virtual bool is_hole(std::uint32_t index) const {
        static_cast<void>(index);
        return false;
    }
    /// Returns the index of the triangle in the data that the set was made from.
    virtual std::uint32_t source(std::uint32_t index) const = 0;

    /// Appends the triangles whose boxes overlap `box` to `found`, in ascending order. Appends none for a box that is
    /// not finite.
    virtual void find(const Aabb& box, std::vector<std::uint32_t>& found) const = 0;

    /// The visitor of cast(). It returns the new max_fraction; a negative one ends the cast.
    using CastVisitor = FunctionRef<float(std::uint32_t triangle, float max_fraction)>;
    /// Moves a box of these half extents (zero: a ray) so that its centre goes from `origin` to origin + translation.
    /// Calls visit(triangle, max_fraction) for each triangle whose own box it touches, up to the fraction that `visit`
    /// returned last (1 at first). The order of the visits is roughly that along the motion.
    virtual void cast(const vec3& origin, const vec3& translation, const vec3& half_extents,
                      CastVisitor visit) const = 0;

    /// Returns what ray_cast() (queries.h) returns, for a ray that it does not refuse. A set overrides this if it has a
    /// faster way than cast().
    virtual TriangleRayHit first_hit(const vec3& origin, const vec3& translation) const;

    /// The visitor of approach(). It returns the new max_distance, m.
    using ApproachVisitor = FunctionRef<float(std::uint32_t triangle, float max_distance)>;
    /// Calls visit(triangle, max_distance) for each triangle whose own box is within that distance of the point, m. The
    /// distance is the one that `visit` returned last. Others may be visited, too, and some more than once. A set
    /// overrides this if it can visit the nearest triangles first.
    virtual void approach(const vec3& point, float max_distance, ApproachVisitor visit) const;

    /// The visitor of around().
    using PointVisitor = FunctionRef<void(const vec3& point)>;
    /// Calls visit(point) for the other ends of the edges that meet at a corner (0 to 2) of a triangle, including the
    /// two of this triangle. If several sheets touch in that corner only, the edges of the triangle's own sheet are
    /// visited at least.
    virtual void around(std::uint32_t triangle, int corner, PointVisitor visit) const = 0;

    virtual std::size_t bytes() const = 0;  ///< heap memory held

protected:
    TriangleSet() = default;
    TriangleSet(const TriangleSet&) = delete;
    TriangleSet& operator=(const TriangleSet&) = delete;

    Aabb bounds_;                                                    ///< for bounds()
    std::uint32_t size_ = 0;                                         ///< for size()
    std::uint32_t material_count_ = 1;                               ///< for material_count()
    bool two_sided_ = false;                                         ///< for is_two_sided()
    MassProperties solid_mass_{};                                    ///< for solid_mass()
    float solid_thickness_ = 0.0f;                                   ///< for solid_thickness()
    std::shared_ptr<const detail::SurfaceFeatures> solid_features_;  ///< for solid_features()
};

}  // namespace talus
