#pragma once
/// Internal: a hull with the tables that support search and manifolds read. All hulls are of this type: make_hull makes
/// no others.

#include <talus/narrowphase/hull.h>
#include "narrowphase/shapes/hull_view.h"

#include <cstdint>
#include <vector>

namespace talus::detail {

/// Up to eight neighbours of a vertex, for two groups of four lanes: the data that a manifold needs at the support
/// vertex, in adjacent cache lines. Entry i has the other end of an edge, and the face between that edge and the next
/// with its normal. Entries beyond the last neighbour repeat the vertex's first.
struct alignas(64) HullRing {
    static constexpr std::uint16_t elsewhere = 0xffff;  ///< as neighbour[0]: the vertex has more than 8 neighbours

    std::uint16_t neighbour[8];  ///< as in Hull::vertex_neighbours
    std::uint16_t face[8];       ///< low halves of Hull::vertex_faces
    float normal_x[8], normal_y[8], normal_z[8];
};

/// A hull with its tables.
struct HullData final : Hull {
    /// The same vertices as three arrays, padded to a multiple of 8 with copies of vertex 0, for SIMD support search.
    std::vector<float> x, y, z;

    /// Copies of vertex_neighbours and vertex_faces: first one ring for each vertex; then the rings of vertices with
    /// more than 8 neighbours, from `wide_rings[vertex]` to wide_rings[vertex + 1] (empty if there are no such
    /// vertices).
    std::vector<HullRing> rings;
    std::vector<std::uint32_t> wide_rings;

    /// Where support search starts to climb: a cube map of vertices over all directions; empty on hulls that are
    /// scanned.
    std::vector<std::uint16_t> climb_starts;
    /// The graph for climbing, if it differs from vertex_first and vertex_neighbours because a climb on those could end
    /// short of the farthest vertex; else empty.
    std::vector<std::uint32_t> climb_first;
    std::vector<std::uint16_t> climb_neighbours;
    std::vector<ClimbRing> climb_rings;  ///< that graph as the GJK kernel climbs it
    std::vector<std::uint32_t> climb_first_ring;
    HullView view;  ///< all that support search reads
};

/// What a hull is made of; everything else follows from it. The corners of a face are consecutive in `corners`, as in
/// Hull::face_vertices.
struct HullParts {
    struct Face {
        vec3 normal{0.0f};
        std::uint32_t count = 0;  ///< corners
    };
    std::vector<vec3> vertices;
    std::vector<Face> faces;
    std::vector<std::uint16_t> corners;
    std::vector<std::uint32_t> neighbours;  ///< as Hull::face_neighbours
};
/// Returns the hull. The parts must be those of a valid polyhedron.
std::shared_ptr<const HullData> assemble_hull(HullParts parts);

/// Returns the tables of a hull.
inline const HullData& data_of(const Hull& hull) { return static_cast<const HullData&>(hull); }

}  // namespace talus::detail
