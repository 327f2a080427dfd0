#pragma once
/// Triangle meshes: a set of triangles of any quality, in a tree of boxes.
///
/// What comes from modelling tools is not clean, and a level must not fall for it. Corners that were stored once for
/// each triangle are found to be one; triangles without area and repeated ones are left out; an edge may have one
/// triangle, or many. What the surface looks like around an edge is found once, here, so that contacts can ask for it.

#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/triangles/triangle_set.h>
#include <talus/result.h>

#include <memory>
#include <span>

namespace talus {

struct MeshDef {
    std::span<const vec3> vertices{};           ///< m
    std::span<const std::uint32_t> indices{};   ///< three a triangle, counter-clockwise seen from its front
    std::span<const std::uint8_t> materials{};  ///< one a triangle, or none: all 0
    bool two_sided = false;                     ///< stops shapes on both sides; else on the front only
};

/// /// Returns the mesh of these triangles, in their own frame. Vertices that are nearer to each other along every axis
/// than the rounding of the mesh's largest coordinate (2^-22 of it) become one. Triangles thinner than `check` allows
/// are left out, and so are repeated ones, with the same corners and facing the same way; `TriangleSet::source` tells
/// which triangles remain. Triangles that share an edge are neighbours if they face the same way across it, or the mesh
/// is two-sided; of several, the one that rises most counts. Same input, same bits.
///
/// Refused: no triangle left, indices beyond the vertices or not three a triangle, materials not one a triangle,
/// vertices that are not finite or beyond size_limits.h.
Result<std::shared_ptr<const TriangleSet>> make_mesh(const MeshDef& def);

/// Mass, centre of mass and inertia of the solid inside a closed mesh at a density (kg/m^3), exact to rounding: what a
/// body takes (BodyDef::mass_properties) whose convex parts stand for that solid. Vertices are welded as above.
///
/// Refused: what make_mesh refuses, a mesh that is not closed or whose triangles do not all face outward (the sentence
/// names an edge), a density that is not positive and finite.
Result<MassProperties> mesh_mass_properties(std::span<const vec3> vertices, std::span<const std::uint32_t> indices,
                                            float density);

}  // namespace talus
