#pragma once
/// Internal: the Spherical Face Orientation Graph of a polyhedron. Which features of two polyhedra can touch first
/// depends on their orientation alone (Jimenez and Torras 1999, sections 3 and 4).
///
/// Two solids that are apart and come to touch do so at a vertex and a face, or at two edges. The normal of that
/// contact is the normal of a support plane of both solids near the contact. On the sphere of directions:
///
///     face    -> node      its outward normal
///     edge    -> arc       between its faces' normals; concave edges touch nothing and are dropped
///     vertex  -> region    {n : n . d <= 0 for the directions d of all its edges}: the normals of its local convex
///                          hull; empty for saddle points, which are dropped
///
/// The graph can be made before the orientation is known. overlay.h compares two graphs. The lists here are for
/// searches; face_orientation_graph.h has the links.

#include <talus/narrowphase/nonconvex/face_orientation_graph.h>
#include <talus/narrowphase/nonconvex/polyhedron.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The greatest slack for which the grid can be used, rad; with a larger slack every pair is tested. Larger: cells hold
/// more.
inline constexpr double grid_slack = 0.03;

/// The arc of an edge, or the region of a vertex, that is not on the sphere.
inline constexpr std::uint32_t nowhere = ~std::uint32_t(0);

/// A list for each cell of a cube around the unit sphere: six sides of n x n cells.
struct SphereGrid {
    int side = 1;                      ///< n
    std::vector<std::uint32_t> start;  ///< first item of each cell in `items`, and the end
    std::vector<std::uint32_t> items;

    std::uint32_t cell(const glm::dvec3& direction) const;
    std::span<const std::uint32_t> at(const glm::dvec3& direction) const {
        const std::uint32_t c = cell(direction);
        return {items.data() + start[c], start[c + 1] - start[c]};
    }
};

/// A convex edge: the great arc between its faces' normals, shorter than half a circle.
struct OrientationArc {
    glm::dvec3 from, to;  ///< the normals
    glm::dvec3 axis;      ///< the edge's direction; a positive rotation about it takes `from` to `to`
    glm::dvec3 middle;
    double half_angle;  ///< rad
    std::uint32_t edge;
    std::array<std::uint32_t, 2> faces;   ///< whose normals `from` and `to` are
    std::uint32_t first_sample, samples;  ///< sample points; no point of the arc is farther than arc_step / 2 from one
};

/// A convex or pseudo-convex vertex.
struct OrientationRegion {
    std::uint32_t vertex;
    std::uint32_t first, count;  ///< its edges' directions, away from it
    glm::dvec3 center;           ///< of a spherical cap that contains the region
    double cap_cosine;           ///< cosine of the cap's radius; -1: the whole sphere
};

/// The graph of a polyhedron, in its own frame.
struct OrientationGraph {
    std::vector<glm::dvec3> nodes;  ///< by face
    std::vector<OrientationArc> arcs;
    std::vector<OrientationRegion> regions;
    std::vector<glm::dvec3> directions;           ///< of the regions
    std::vector<std::uint32_t> edge_of;           ///< the edge each direction belongs to
    std::vector<std::int8_t> leaves;              ///< 1 if it is that edge's direction, -1 if it is the opposite
    std::vector<std::uint32_t> arc_of_edge;       ///< by edge; `nowhere` for concave ones
    std::vector<std::uint32_t> region_of_vertex;  ///< by vertex; `nowhere` for saddle points
    std::array<std::vector<float>, 3> axes;       ///< x, y and z of the directions of all edges
    std::vector<glm::dvec3> samples;              ///< of the arcs
    std::size_t edges = 0;                        ///< of the polyhedron, concave ones included
    SphereGrid arc_grid, region_grid;
    FaceOrientationGraph links;  ///< which arcs, nodes and regions are beside each other
    double skew = 0.0;
};

OrientationGraph make_orientation_graph(const Polyhedron& polyhedron);

/// The greatest number of edges of a vertex whose corners are computed by polar_corners (the time is cubic).
inline constexpr std::size_t most_edges_for_corners = 48;

/// Returns the corners of the polar cone {n : n . d <= 0} of some directions, unit, in no order and some of them more
/// than once; none if the cone is empty.
std::vector<glm::dvec3> polar_corners(std::span<const glm::dvec3> directions);

/// Returns whether a direction lies in a region of the graph, or within the slack (rad) of it.
bool node_in_region(const OrientationGraph& graph, const OrientationRegion& region, const glm::dvec3& node,
                    double slack);

/// A cap cosine that stands for the whole sphere: less than all cosines.
inline constexpr double whole_sphere = -2.0;

}  // namespace talus
