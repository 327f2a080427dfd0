#pragma once
/// Internal: Spherical Face Orientation Graph of a polyhedron: which features of two polyhedra can touch first is a
/// matter of their orientation alone (Jimenez and Torras 1999, sections 3 and 4).
///
/// Two solids that are apart and come to touch do so at a vertex and a face, or at two edges. The normal of that
/// contact supports both solids from outside. On the sphere of directions:
///
///     face    -> node      its outward normal
///     edge    -> arc       between its faces' normals; concave edges touch nothing and are dropped
///     vertex  -> region    {n : n . d <= 0 for the directions d of all its edges}: the normals of its local convex hull;
///                          empty for saddle points, which are dropped
///
/// The graph is what can be worked out before the orientation is known. overlay.h compares two of them.

#include <talus/narrowphase/nonconvex/polyhedron.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

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

/// True if a direction lies in a region of the graph, or within the slack (rad) of it.
bool node_in_region(const OrientationGraph& graph, const OrientationRegion& region, const glm::dvec3& node,
                    double slack);

/// The cosine of a cap that is the whole sphere: below all cosines.
inline constexpr double whole_sphere = -2.0;

}  // namespace talus
