#pragma once
/// The triangles of all shapes in one vertex and one index buffer.
///
/// Equal shapes share a mesh: all boxes are one cube, stretched by their instances; so are spheres, capsules, cylinders
/// and cones, in three finenesses, of which the renderer picks by size on the screen. A hull that many bodies have is a
/// mesh of its own. Hulls and triangles of which there are few stand side by side in *batches*, where each vertex knows
/// its instance: a thousand different hulls are one draw call.
///
///     unit meshes | shared hulls | batch, opaque | batch, glass
///     ------------------------------------------------------------> one buffer

#include "samples/render/mesh.h"
#include "samples/window/renderer/gl.h"

#include <talus/engine/body.h>

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace talus::samples {

/// Meshes that all shapes of a kind share.
enum class UnitMesh : std::uint8_t { box, sphere, capsule, cylinder, cone };
inline constexpr int unit_mesh_count = 5;
inline constexpr int fineness_count = 3;

struct MeshVertex {
    float position[3];
    std::int8_t normal[4];  ///< w: end of a capsule, -127, 0 or 127
    std::uint8_t edge[4];   ///< xyz: 0 at sides drawn as lines; w: tone
    std::uint32_t slot;     ///< place of its instance in the batch
};

/// Where a mesh lies among the indices.
struct MeshRange {
    std::uint32_t first = 0, count = 0;            ///< of triangles' corners
    std::uint32_t first_line = 0, line_count = 0;  ///< of lines' ends
};

/// What of a mesh is drawn.
enum class MeshPart : std::uint8_t {
    surface,  ///< triangles with normals and edges
    bare,     ///< the same triangles with as few vertices as their corners allow: for shadows
    edges,    ///< what surfaces show as lines, as lines
    sides,    ///< all sides of the triangles, as lines
};

class MeshStore {
public:
    MeshStore();

    MeshRange unit(UnitMesh mesh, int fineness) const {
        return units_[static_cast<std::size_t>(mesh)][static_cast<std::size_t>(fineness)];
    }
    /// Adds a mesh that is drawn instanced. Until clear().
    MeshRange add(const DrawMesh& mesh) { return append(mesh, 0); }
    /// Adds to a batch: consecutive calls make one range.
    MeshRange add_to_batch(const DrawMesh& mesh, std::uint32_t slot) { return append(mesh, slot); }
    /// Where the next mesh will begin, and the end of a range that began there.
    MeshRange next() const { return {size_of(indices_), 0, size_of(edges_), 0}; }
    MeshRange since(const MeshRange& begin) const {
        return {begin.first, size_of(indices_) - begin.first, begin.first_line, size_of(edges_) - begin.first_line};
    }
    /// Forgets all but the unit meshes.
    void clear();

    /// Sends what is new to the graphics card, and binds the vertex array.
    void bind();
    /// The corners of its surface.
    std::span<const std::uint32_t> corners(const MeshRange& mesh) const {
        return std::span<const std::uint32_t>(indices_).subspan(mesh.first, mesh.count);
    }
    /// Draws what follows with these corners instead, until bind().
    void bind_corners(std::span<const std::uint32_t> corners);
    /// Where it lies in the index buffer, and how long it is, both in indices.
    struct Indices {
        std::size_t first, count;
    };
    Indices find(const MeshRange& mesh, MeshPart part) const;

private:
    static std::uint32_t size_of(const std::vector<std::uint32_t>& v) { return static_cast<std::uint32_t>(v.size()); }
    MeshRange append(const DrawMesh& mesh, std::uint32_t slot, UnitMesh kind = UnitMesh::box);

    std::array<std::array<MeshRange, fineness_count>, unit_mesh_count> units_{};
    std::vector<MeshVertex> vertices_;
    std::vector<std::uint32_t> indices_;
    std::vector<std::uint32_t> bare_, edges_;
    std::size_t unit_vertices_ = 0, unit_indices_ = 0, unit_edges_ = 0;
    bool changed_ = true;
    GlBuffer vertex_buffer_ = make_buffer(), index_buffer_ = make_buffer(), corner_buffer_ = make_buffer();
    GlVertexArray array_ = make_vertex_array();
};

/// How a shape is made from a mesh.
struct PartShape {
    bool is_unit = false;
    UnitMesh unit = UnitMesh::box;
    vec3 scale{1.0f};
    float stretch = 0.0f;  ///< half the length of a capsule's middle, m
    Transform pose;        ///< of the mesh in the shape's frame
};

PartShape part_shape(const Shape& shape);

}  // namespace talus::samples
