#pragma once
/// Internal: which features of two polyhedra can touch first at a given orientation: Donald's applicability
/// constraints, by overlaying two orientation graphs (Jimenez and Torras 1999, sections 3 and 4).
///
/// Overlay the graph of A with B's, turned as B is and mirrored at the centre (n -> -n). A vertex can touch a face if
/// the face's node lies in the vertex's region; two edges can touch if their arcs cross. No other pair can be the first
/// to touch, wherever A and B are placed.
///
/// Every comparison has a slack, an angle s: what is within s of being applicable counts. With a very small s,
/// degenerate overlays (parallel faces: node on node, arc along arc) give all pairs that they may mean. With a larger
/// s, the answer stays complete while the relative orientation turns by less: a turn by t moves each unit vector by t
/// at most, hence also each of the cosines that are compared.
///
/// There are four methods with the same answer: every pair (the oracle); the papers' sweep by a meridian; a grid on the
/// sphere, in which a node finds its regions in one cell and an arc the others in the few cells that it passes; and a
/// table of signs. Nearly all that the tests of arcs and regions compare is whether an edge of one polyhedron leaves a
/// face of the other outward, inward or hardly at all. The table holds this for each edge and face, from a loop over
/// plain floats, so that two bytes rule out nearly every pair. Its cost grows as edges times faces, but slowly
/// (`talus-profile papers --nonconvex` compares). For large solids the grid is used instead.

#include <talus/narrowphase/nonconvex/interference.h>
#include "narrowphase/nonconvex/orientation_graph.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// What counts as applicable on top of rounding of the input (Polyhedron::skew), rad.
inline constexpr double applicable_slack = 1e-6;

/// A vertex of one polyhedron that can touch a face of the other.
struct VertexOnFace {
    std::uint32_t region;  ///< of the vertex
    std::uint32_t face;
};

/// An edge of A and one of B that can touch.
struct EdgeOnEdge {
    std::uint32_t arc_a, arc_b;
    /// How upright they stand on each other's faces, as cosines: A's edge on the faces of B's, then B's on those of
    /// A's.
    std::array<float, 4> upright;
};

/// Each contact once, in no order.
struct ApplicableContacts {
    std::vector<VertexOnFace> a_vertices;  ///< vertices of A with faces of B
    std::vector<VertexOnFace> b_vertices;  ///< vertices of B with faces of A
    std::vector<EdgeOnEdge> edges;
};

/// What find_applicable works with; keep it between calls.
struct OverlayScratch {
    std::vector<std::uint32_t> stamps;
    std::vector<std::int8_t> signs_a, signs_b;
    std::size_t tests = 0;  ///< arcs with arcs and nodes with regions, in the last call
};

/// What can touch first, with B turned by `rotation` in A's frame, and by less than `slack` (rad) from there.
void find_applicable(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, OverlayScratch& scratch, ApplicableContacts& out);

}  // namespace talus
