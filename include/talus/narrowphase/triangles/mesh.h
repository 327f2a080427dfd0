#pragma once
/// Triangle meshes: a set of triangles of any quality, in a tree of boxes.
///
/// Meshes from modelling tools are often not clean. So corners that were stored once for each triangle are merged, and
/// triangles without area and repeated ones are left out. An edge may belong to one triangle or to many. The neighbours
/// across each edge are found once, here, for the contacts that need them.

#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/triangles/triangle_set.h>
#include <talus/result.h>

#include <memory>
#include <span>

namespace talus {

/// The definition of a mesh. make_mesh() reads the spans only during the call.
struct MeshDef {
    std::span<const vec3> vertices{};           ///< m
    std::span<const std::uint32_t> indices{};   ///< three per triangle, counter-clockwise seen from its front
    std::span<const std::uint8_t> materials{};  ///< one per triangle, or none: all 0
    bool two_sided = false;                     ///< stops bodies from both sides; else from the front only
    /// The mesh is the boundary of a solid of any shape and genus, which dynamic bodies can have. It must be closed,
    /// with all triangles facing outward, and one-sided. Shells that face inward are cavities, and must be inside.
    bool solid = false;
};

/// Returns the mesh of these triangles, in their own frame. Vertices that are nearer to each other along every axis
/// than the rounding of the largest coordinate given (2^-22 of it) are merged. Triangles thinner than `check` allows
/// are left out, and so are repeated ones, which have the same corners and face the same way; `TriangleSet::source`
/// tells which triangles remain. Triangles that share an edge are neighbours if they face the same way across it, or if
/// the mesh is two-sided. If there are several, the one that rises most counts. The same input gives the same bits.
///
/// Refused: no triangle left, indices out of range or not three per triangle, materials not one per triangle, vertices
/// that are not finite or have coordinates beyond 1e6 m; and, for a solid, a mesh that is two-sided, not closed, or
/// whose triangles do not all face outward (the error names an edge). Where a shell is in another one is not checked.
Result<std::shared_ptr<const TriangleSet>> make_mesh(const MeshDef& def);

/// Returns mass, centre of mass and inertia of the solid inside a closed mesh at a density (kg/m^3), exact to rounding.
/// Use it as BodyDef::mass_properties of a body whose convex shapes approximate that solid. Vertices are merged as
/// above.
///
/// Refused: what make_mesh refuses, a mesh that is not closed or whose triangles do not all face outward (the error
/// names an edge), a density that is not positive and finite.
Result<MassProperties> mesh_mass_properties(std::span<const vec3> vertices, std::span<const std::uint32_t> indices,
                                            float density);

}  // namespace talus
