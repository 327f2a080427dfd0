#pragma once
/// The farthest vertex of a hull in O(log n) dot products, from nothing (Dobkin and Kirkpatrick 1985; named by
/// Jovanoski 2008, section 4.1, and Ericson 2005, section 2.3).
///
/// Each level is the hull of some of the vertices. From one level to the next coarser a set of vertices is left out of
/// which no two are neighbours and none has many neighbours, until a handful is left:
///
///     level 2          *-----------*            scanned
///     level 1          *-----o-----*            o: left out of level 2, lies outside the edge below it
///     level 0 = hull   *--.--o--.--*            .: left out of level 1
///
/// Let v be the farthest vertex of one level. In the next finer one it either still is, or one of its new neighbours
/// is farther; and then that one is the farthest, because its own neighbours are all old and none of them beats v. So a
/// vertex keeps one list of the neighbours that joined it, coarsest first, and the search walks down such lists; there
/// are no levels to look at.

#include <talus/narrowphase/hull.h>

#include <glm/vec3.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class VertexHierarchy {
public:
    /// At most so many vertices are left on the coarsest level, unless it cannot be thinned out further.
    static constexpr std::size_t top_size = 8;
    /// Vertices with more neighbours than this stay. Of any planar graph a third of the vertices have no more, and a
    /// ninth of those can leave together: 1 / 27 in theory. Points on a sphere lose 0.27 of their number a level.
    static constexpr std::uint32_t max_removed_degree = 8;

    VertexHierarchy() = default;

    /// One level that holds the vertices 0 .. count - 1: the search scans them all.
    explicit VertexHierarchy(std::size_t count);

    /// Builds the coarser hulls with make_hull: about two and a half times the cost of the hull itself.
    explicit VertexHierarchy(const Hull& hull);

    /// The vertex farthest along `direction` (not zero). `vertices` are those of the hull that this was built from.
    /// Adds the number of dot products to `dot_products`. Where the hull builder's tolerance left a coarser hull dented
    /// the answer may fall short; a climb on the hull's own graph, from here, then ends it.
    std::uint16_t support(std::span<const vec3> vertices, const glm::dvec3& direction, int& dot_products) const;

    /// Vertices of each level, finest first.
    std::span<const std::uint32_t> level_sizes() const { return level_sizes_; }

    /// The vertices of the coarsest level.
    std::span<const std::uint16_t> top() const { return top_; }

    /// The neighbours of vertex v on the coarsest level that still holds it, above level 0: long strides over the
    /// hull, which serve as Ericson's artificial neighbours. Empty for vertices of level 0 alone.
    std::span<const std::uint16_t> long_neighbours(std::size_t v) const {
        return {long_neighbours_.data() + long_first_[v], long_neighbours_.data() + long_first_[v + 1]};
    }

private:
    std::vector<std::uint32_t> level_sizes_;
    std::vector<std::uint16_t> top_;
    std::vector<std::uint32_t> first_;   ///< per vertex, into joined_; one more at the end
    std::vector<std::uint16_t> joined_;  ///< the neighbours that joined each vertex, coarsest level first
    std::vector<std::uint32_t> long_first_;
    std::vector<std::uint16_t> long_neighbours_;
};

}  // namespace talus
