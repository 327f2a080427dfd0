#pragma once
/// The Spherical Face Orientation Graph of a polyhedron, linked (Jimenez and Torras 1999, section 3), and how two of
/// them are overlaid, step by step: for programs that draw them.
///
///     face   -> node     its outward normal, on the unit sphere
///     edge   -> arc      of a great circle, between the nodes of its two faces: the minor arc of a convex edge, the
///                        major arc of a concave one (which touches nothing first)
///     vertex -> region   the cycle of its edges and faces. If the vertex is convex, the cycle bounds the region of all
///                        normals that a plane can have that touches the solid there. If it is pseudo-convex, the
///                        region is that of its local convex hull and lies inside; a saddle point has none.
///
/// Each arc is two half-arcs, one for each region beside it, which lies to its left (seen from outside the sphere).
/// Their indices differ in the lowest bit:
///
///                     region of vertices[0]
///                 2e ------------------------->        next: the half-arc that follows in the cycle of the same
///     node of   o                               o      region. half_arcs[h ^ 1].next: the next half-arc that
///     faces[1]    <------------------------- 2e+1      starts at the node where h starts.
///                     region of vertices[1]    node of faces[0]
///
/// To overlay two graphs, take B's mirrored: B's direction n is drawn at -(rotation of B in A's frame) n. Then a vertex
/// can touch a face first if the face's node lies in the vertex's region, and two edges can if their arcs cross.

#include <talus/narrowphase/nonconvex/interference.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The graph of a polyhedron, in its frame. Nodes, arcs and regions have the indices of its faces, edges and vertices.
struct FaceOrientationGraph {
    /// A face.
    struct Node {
        glm::dvec3 direction;      ///< its outward normal, unit
        std::uint32_t first_half;  ///< a half-arc that starts here; a face with holes has more cycles than this one's
    };
    /// An edge.
    struct Arc {
        std::array<std::uint32_t, 2> nodes;    ///< of its faces, in the order of PolyhedronEdge::faces
        std::array<std::uint32_t, 2> regions;  ///< of its vertices
        /// The edge's direction. If it is convex, a positive rotation about it takes the first node to the second.
        glm::dvec3 axis;
        bool convex;  ///< a minor arc
    };
    /// An arc as a part of one region's cycle.
    struct HalfArc {
        std::uint32_t from;    ///< the node where it starts
        std::uint32_t to;      ///< the node where it ends
        std::uint32_t region;  ///< on its left
        std::uint32_t next;    ///< half-arc of the same cycle that starts where this one ends
    };
    /// A vertex.
    struct Region {
        std::uint32_t first_half;  ///< of its cycle; a vertex where solids touch has more cycles than this one's
        bool convex;               ///< all its edges are
        std::uint32_t first;       ///< of its boundary in `corners` and `sides`
        std::uint32_t corners;     ///< of its boundary; 0 for saddle points
    };

    std::vector<Node> nodes;                  ///< by face
    std::vector<Arc> arcs;                    ///< by edge
    std::vector<HalfArc> half_arcs;           ///< two for each edge: 2e and 2e + 1
    std::vector<Region> regions;              ///< by vertex
    std::vector<glm::dvec3> corners;          ///< of all regions, unit, counter-clockwise seen from outside
    std::vector<std::uint32_t> sides;         ///< from a corner to the next: the edge at right angles to this side
    std::vector<std::uint32_t> node_arcs;     ///< arcs of node n: [node_start[n], node_start[n + 1])
    std::vector<std::uint32_t> node_start;    ///< nodes.size() + 1
    std::vector<std::uint32_t> region_arcs;   ///< arcs of region r: [region_start[r], region_start[r + 1])
    std::vector<std::uint32_t> region_start;  ///< regions.size() + 1
    bool convex = false;  ///< one shell, all edges convex: the arcs do not cross, and the regions tile the sphere

    /// Returns the arcs that end at a node.
    std::span<const std::uint32_t> arcs_of_node(std::uint32_t n) const {
        return {node_arcs.data() + node_start[n], node_start[n + 1] - node_start[n]};
    }
    /// Returns the arcs of a vertex's edges.
    std::span<const std::uint32_t> arcs_of_region(std::uint32_t r) const {
        return {region_arcs.data() + region_start[r], region_start[r + 1] - region_start[r]};
    }
    /// Returns the corners of a region.
    std::span<const glm::dvec3> corners_of(std::uint32_t r) const {
        return {corners.data() + regions[r].first, regions[r].corners};
    }
};

/// Makes the graph of a polyhedron that make_polyhedron has made.
FaceOrientationGraph make_face_orientation_graph(const Polyhedron& polyhedron);

/// What happens in a step of an overlay.
enum class OverlayStepKind : std::uint8_t {
    node_passed,     ///< a sweep has come to a node
    arc_begins,      ///< a sweep has come to the western end of an arc
    arc_ends,        ///< a sweep has come to the eastern end of an arc
    second_round,    ///< the naive sweep starts again, for arcs across its first meridian
    region_entered,  ///< a walk along an arc of one graph enters a region of the other
    arcs_tested,     ///< two arcs are compared
    arcs_cross,      ///< two arcs cross: an edge of A and one of B can touch first
    node_in_region,  ///< a node lies in a region: a face and a vertex can touch first
};

/// A step of an overlay. Indices are of faces, edges and vertices.
struct OverlayStep {
    OverlayStepKind kind;  ///< what happens
    bool of_b;  ///< node_passed, arc_begins, arc_ends: the node or arc is B's. region_entered: the arc is, and
                ///< the region is A's. node_in_region: the node is
    std::uint32_t index;  ///< the node or arc; of two arcs, A's; 0 if there is none
    std::uint32_t other;  ///< the region, or B's arc; 0 if there is none
    double longitude;     ///< of the sweeping meridian around OverlayTrace::pole, from `zero`, rad; 0 in a walk
};

/// An overlay of two graphs, recorded.
struct OverlayTrace {
    std::vector<OverlayStep> steps;  ///< in order
    glm::dvec3 pole{0, 0, 1};        ///< the axis about which the meridian sweeps, A's frame
    glm::dvec3 zero{1, 0, 0};        ///< the direction of longitude 0, A's frame
};

/// Records how a method overlays the graphs of two shapes, with B rotated in A's frame by a unit quaternion. The
/// methods `sweep`, `connected_sweep` and `walk` tell their steps; the others only what they find. Empty if a shape is
/// not made by make_nonconvex or the rotation is not finite.
OverlayTrace trace_overlay(const NonconvexShape& a, const NonconvexShape& b, const glm::dquat& rotation,
                           OverlayMethod method);

}  // namespace talus
