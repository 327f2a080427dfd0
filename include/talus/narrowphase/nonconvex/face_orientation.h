#pragma once
/// Which features of two polyhedra can touch first: Donald's applicability constraints on the Spherical Face Orientation
/// Graph (Jimenez and Torras 1999, sections 3 and 4).
///
/// Two solids that are apart and come to touch do so at a vertex and a face, or at two edges, and there the contact's
/// normal supports both from outside. On the sphere of directions that is a matter of orientation alone:
///
///     face    -> node      its outward normal
///     edge    -> arc       between its faces' normals; concave edges touch nothing and are dropped
///     vertex  -> region    {n : n . d <= 0 for all its edges' directions d}: the normals of its local convex hull;
///                          empty for saddle points, which are dropped
///
/// Overlay the graph of A with B's, turned as B is and mirrored at the centre (n -> -n): a vertex can touch a face where
/// the face's node lies in the vertex's region, two edges can touch where their arcs cross. All other pairs cannot be
/// the first to touch, however A and B are placed.
///
/// Every comparison here has a slack, an angle s: what is within s of being applicable counts. With s a hair, the
/// degenerate overlays (faces that are parallel: node on node, arcs along arcs) give all pairs they may mean. With a
/// larger s, candidates are found that stay complete while the relative orientation turns by less: a turn by t moves
/// each unit vector by t at most, hence each of the cosines that are compared.
///
/// Four ways to the same set: every pair (the oracle); the papers' sweep by a meridian; a grid on the sphere made with the
/// graph, in which a node finds its regions in one cell and an arc the others in the few cells it passes; and a table of
/// signs. Whether an edge of one leaves a face of the other outward, inward or hardly at all is all that the tests of
/// arcs and of regions compare, most of them many times over; so it is worked out once for each edge and face, in a loop
/// over plain floats, and nearly all pairs are ruled out by looking up two bytes. That grows as edges times faces, but
/// slowly: `talus-profile papers --nonconvex` compares. Of large solids the grid takes over.

#include <talus/narrowphase/nonconvex/polyhedron.h>

namespace talus {

/// What counts as applicable on top of rounding of the input (Polyhedron::skew), rad.
inline constexpr double applicable_slack = 1e-6;

/// Slacks up to this are served by the grid; with larger ones every pair is tested. Larger: cells hold more. rad
inline constexpr double grid_slack = 0.03;

/// Lists by cell of a cube around the sphere: six sides of n x n.
struct SphereGrid {
    int side = 1;
    std::vector<std::uint32_t> start;  ///< of each cell in `items`, and the end
    std::vector<std::uint32_t> items;

    std::uint32_t cell(const glm::dvec3& direction) const;
    std::span<const std::uint32_t> at(const glm::dvec3& direction) const {
        const std::uint32_t c = cell(direction);
        return {items.data() + start[c], start[c + 1] - start[c]};
    }
};

/// A convex edge: the great arc between its faces' normals, less than half a turn.
struct OrientationArc {
    glm::dvec3 from, to;  ///< the normals
    glm::dvec3 axis;      ///< the edge's direction, at right angles to the arc, such that from turns about it to `to`
    glm::dvec3 middle;
    double half_angle;  ///< rad
    std::uint32_t edge;
    std::array<std::uint32_t, 2> faces;   ///< of `from` and `to`
    std::uint32_t first_sample, samples;  ///< points on it, so close that none of it is farther than arc_step / 2
};

/// A convex or pseudo-convex vertex.
struct OrientationRegion {
    std::uint32_t vertex;
    std::uint32_t first, count;  ///< its edges' directions, away from it
    glm::dvec3 center;           ///< of a cap that holds the region
    double cap_cosine;           ///< -1: the whole sphere
};

/// The graph of a polyhedron, in its own frame: what can be done before the orientation is known.
struct OrientationGraph {
    std::vector<glm::dvec3> nodes;  ///< by face
    std::vector<OrientationArc> arcs;
    std::vector<OrientationRegion> regions;
    std::vector<glm::dvec3> directions;      ///< of the regions
    std::vector<std::uint32_t> edge_of;      ///< the edge each direction belongs to
    std::vector<std::int8_t> leaves;         ///< 1 where it is that edge's direction, -1 where the opposite
    std::array<std::vector<float>, 3> axes;  ///< x, y and z of the directions of all edges
    std::vector<glm::dvec3> samples;         ///< of the arcs
    std::size_t edges = 0;                   ///< of the polyhedron, concave ones included
    SphereGrid arc_grid, region_grid;
    double skew = 0.0;
};

OrientationGraph make_orientation_graph(const Polyhedron& polyhedron);

/// A vertex of one polyhedron that can touch a face of the other.
struct VertexOnFace {
    std::uint32_t region;  ///< of the vertex
    std::uint32_t face;
};

/// An edge of A and one of B that can touch.
struct EdgeOnEdge {
    std::uint32_t arc_a, arc_b;
    /// How upright they stand on each other's faces, as cosines: A's edge on the faces of B's, then B's on those of A's.
    std::array<float, 4> upright;
};

/// Each contact once, in no order.
struct ApplicableContacts {
    std::vector<VertexOnFace> a_vertices;  ///< vertices of A with faces of B
    std::vector<VertexOnFace> b_vertices;  ///< vertices of B with faces of A
    std::vector<EdgeOnEdge> edges;
};

enum class OverlayMethod : std::uint8_t { every_pair, sweep, grid, signs };

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
