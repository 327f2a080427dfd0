#pragma once
/// Internal: the crossings of red arcs with blue ones on a sphere, by a sweep that exploits that the arcs of a colour
/// hang together. Jimenez and Torras (1999, section 4.1) adapted such an algorithm of Basch, Guibas and Ramkumar (1996)
/// and describe it in a paragraph: a partial order on the arcs, and connected sets. This one is built from these two
/// ideas.
///
/// Arcs of the same colour cross each other, too, and nobody asks where. So the sweep keeps a partial order only: from
/// south to north along the meridian, *runs* of arcs of one colour.
///
///        north   |  blue run      A red and a blue arc cross if the top of a red run meets the bottom of the blue run
///                |  red run       above it, or the other way round. Then the two arcs swap: each leaves its run and
///                |  blue run      becomes a run between the two, or joins the next run of its colour. Crossings within
///        south   |  red run       a run change nothing.
///
/// The tops and bottoms are kept by kinetic tournaments (Basch, Guibas and Hershberger 1999): a tree whose inner nodes
/// remember the higher one of two arcs and when that changes. An arc that starts where another of its colour ends is in
/// the same run as that one, without a search; that is where connectivity helps. Only at a node where all arcs start,
/// the runs are searched, and one that spans the node is split.
///
/// The tangent of the latitude at which an arc crosses the meridian of longitude l is g . (cos l, sin l), with a fixed
/// vector g for each arc. So the highest arc of a run is the one whose g is farthest along a direction that rotates,
/// and two arcs swap where that direction is at right angles to the difference of their g.

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace talus {

/// An arc in the sweep's frame, whose poles are at +-z.
struct SweptArc {
    std::uint32_t west_node, east_node;  ///< in the list of nodes of its colour
    double west, east;                   ///< longitudes of its ends, rad in (-pi, pi]; the arc goes eastward from west
    glm::dvec2 height;                   ///< g, see above
};

/// A node in the sweep's frame.
struct SweptNode {
    double longitude;
    double height;  ///< tangent of its latitude
};

/// What the sweep did.
struct ConnectedSweepCounts {
    std::size_t purple_tests = 0;      ///< comparisons of a red arc with a blue one
    std::size_t tournament_tests = 0;  ///< comparisons of arcs of one colour
    std::size_t searches = 0;          ///< of runs, at nodes where all arcs start
    std::size_t searched_runs = 0;     ///< in all searches together
    std::size_t splits = 0;            ///< of runs
};

/// What the sweep tells: that it has come to a node, to an end of an arc, and that two arcs cross.
struct ConnectedSweepReport {
    std::function<void(bool blue, std::uint32_t node, double longitude)> node;             ///< may be empty
    std::function<void(bool blue, std::uint32_t arc, bool begins, double longitude)> end;  ///< may be empty
    std::function<void(std::uint32_t red, std::uint32_t blue, double longitude)> cross;
};

/// The arcs and nodes of a colour.
struct SweptGraph {
    std::vector<SweptArc> arcs;
    std::vector<SweptNode> nodes;
};

/// Finds all crossings of red arcs with blue ones, each once. No arc may pass a pole, and no node may lie on an arc of
/// the other colour: nearer than rounding, the order of the runs is not known.
ConnectedSweepCounts connected_sweep(const SweptGraph& red, const SweptGraph& blue, const ConnectedSweepReport& report);

}  // namespace talus
