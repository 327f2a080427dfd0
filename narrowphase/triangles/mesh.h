#pragma once
/// Meshes of indexed triangles.

#include <talus/narrowphase/triangles/triangle_set.h>
#include <talus/result.h>

#include <memory>
#include <span>

namespace talus {

struct MeshDef {
    std::span<const vec3> vertices{};          ///< m
    std::span<const std::uint32_t> indices{};  ///< three a triangle, counter-clockwise seen from the front
    std::span<const std::uint8_t> materials{};  ///< one a triangle, or none
    bool two_sided = false;
};

Result<std::shared_ptr<const TriangleSet>> make_mesh(const MeshDef& def);

struct MassProperties;
Result<MassProperties> mesh_mass_properties(std::span<const vec3> vertices, std::span<const std::uint32_t> indices, float density);

}  // namespace talus
