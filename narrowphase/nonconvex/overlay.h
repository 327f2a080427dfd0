#pragma once
/// Internal: finds the features of two polyhedra that can touch first at a given orientation: Donald's applicability
/// constraints, by overlaying two orientation graphs (Jimenez and Torras 1999, sections 3 and 4).
///
/// The graph of A is overlaid with that of B, rotated like B and mirrored at the centre (n -> -n). A vertex can touch a
/// face if the face's node lies in the vertex's region. Two edges can touch if their arcs cross. No other pair can be
/// the first to touch, wherever A and B are placed.
///
/// Every comparison has a slack, an angle s: a pair within s of being applicable counts. With a very small s,
/// degenerate overlays (parallel faces: node on node, arc along arc) give all pairs that are possible. With a larger s,
/// the result stays complete while the relative orientation changes by less: a rotation by t moves each unit vector by
/// t at most, and so changes each of the cosines that are compared by t at most.
///
/// There are four methods with the same result:
/// - Every pair is tested (the oracle).
/// - The papers' sweep by a meridian.
/// - A grid on the sphere: a node finds its regions in one cell, and an arc the others in the few cells that it passes.
/// - A table of signs. Nearly all comparisons in the tests of arcs and regions ask whether an edge of one polyhedron
///   leaves a face of the other outward, inward or hardly at all. The table has this for each edge and face, from a
///   loop over plain floats, so that two bytes rule out nearly every pair. Its cost grows as edges times faces, but
///   slowly (`talus-profile papers --nonconvex` compares the methods). For large solids the grid is used instead.

#include <talus/narrowphase/nonconvex/interference.h>
#include "narrowphase/nonconvex/orientation_graph.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// The slack that is always added, on top of the rounding of the input (Polyhedron::skew), rad.
inline constexpr double applicable_slack = 1e-6;

/// A vertex of one polyhedron that can touch a face of the other.
struct VertexOnFace {
    std::uint32_t region;  ///< of the vertex
    std::uint32_t face;
};

/// An edge of A and one of B that can touch.
struct EdgeOnEdge {
    std::uint32_t arc_a, arc_b;
    /// |cosine| between an edge and the normal of a face: A's edge with the two faces of B's edge, then B's edge with
    /// those of A's.
    std::array<float, 4> upright;
};

/// Each contact once, in no order.
struct ApplicableContacts {
    std::vector<VertexOnFace> a_vertices;  ///< vertices of A with faces of B
    std::vector<VertexOnFace> b_vertices;  ///< vertices of B with faces of A
    std::vector<EdgeOnEdge> edges;
};

/// Memory that find_applicable works in. Keep it between calls.
struct OverlayScratch {
    std::vector<std::uint32_t> stamps;
    std::vector<std::int8_t> signs_a, signs_b;
    std::size_t tests = 0;  ///< of arcs with arcs and nodes with regions, in the last call
};

/// Finds the contacts that can happen first if the rotation of B in A's frame differs from `rotation` by less than
/// `slack` (rad).
void find_applicable(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, OverlayScratch& scratch, ApplicableContacts& out);

}  // namespace talus
