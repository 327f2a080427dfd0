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
/// There are six methods with the same result:
/// - Every pair is tested (the oracle).
/// - The papers' naive sweep by a meridian.
/// - The papers' sweep with a partial order, for its arcs (connected_sweep.h).
/// - For convex shapes, a walk by connectivity. An arc of B that starts in a known region of A leaves it through one of
/// its
///   arcs, into the region beside that one. So each arc is followed from region to region, and each node is reached
///   from a node whose region is known. The cost is linear in the features and the crossings.
/// - A grid on the sphere: a node finds its regions in one cell, and an arc the others in the few cells that it passes.
/// - A table of signs. Nearly all comparisons in the tests of arcs and regions ask whether an edge of one polyhedron
///   leaves a face of the other outward, inward or hardly at all. The table has this for each edge and face, from a
///   loop over plain floats, so that two bytes rule out nearly every pair. Its cost grows as edges times faces, but
///   slowly (`talus-profile papers --nonconvex` compares the methods). For large solids the grid is used instead.

#include <talus/narrowphase/nonconvex/interference.h>
#include "narrowphase/nonconvex/connected_sweep.h"
#include "narrowphase/nonconvex/orientation_graph.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// The slack that is always added, on top of the rounding of the input (Polyhedron::skew), rad.
inline constexpr double applicable_slack = 1e-6;

/// The largest error of cosines of unit vectors in float.
inline constexpr double float_rounding = 1e-6;

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

/// What an overlay looks for; measurements look for one part only.
enum class OverlayParts : std::uint8_t { all, arcs, regions };

/// Memory that find_applicable works in. Keep it between calls.
struct OverlayScratch {
    std::vector<std::uint32_t> stamps;
    std::vector<std::int8_t> signs_a, signs_b;
    std::vector<std::uint32_t> queue, reached, arc_stamps;  ///< of the walk
    std::vector<bool> followed;
    std::vector<std::vector<std::uint32_t>> regions_of_node, crossed_by;

    OverlayParts parts = OverlayParts::all;
    /// The sweep knows a region's longitudes from its bounding arcs, as in the paper, or from its cap. The caps make as
    /// few tests or a few more, see docs/nonconvex.md.
    bool region_spans_by_arcs = false;
    OverlayTrace* trace = nullptr;  ///< if set, gets the steps

    std::size_t arc_tests = 0;         ///< of arcs with arcs, in the last call
    std::size_t region_tests = 0;      ///< of nodes with regions, in the last call
    bool walked = false;               ///< the last call was a walk to its end
    ConnectedSweepCounts connected{};  ///< of the last call; zero unless it was a connected sweep
};

/// Returns the slack (rad) with which two graphs are compared for a slack of the orientation (rad).
double overlay_slack(const OrientationGraph& a, const OrientationGraph& b, double slack);

/// Returns whether an arc of A and one of B cross at a rotation of B in A's frame, or come within an overlay_slack of
/// each other.
bool arcs_cross(const OrientationGraph& a, std::uint32_t arc_a, const OrientationGraph& b, std::uint32_t arc_b,
                const glm::dmat3& rotation, double overlay_slack);

/// Finds the contacts that can happen first if the rotation of B in A's frame differs from `rotation` by less than
/// `slack` (rad).
void find_applicable(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, OverlayScratch& scratch, ApplicableContacts& out);

}  // namespace talus
