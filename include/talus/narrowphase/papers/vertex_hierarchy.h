#pragma once
/// The farthest vertex of a hull in O(log n) dot products, without a starting vertex (Dobkin and Kirkpatrick 1985;
/// named by Jovanoski 2008, section 4.1, and Ericson 2005, section 2.3).
///
/// Each level is the hull of some of the vertices. Each coarser level leaves out a set of vertices: no two of them are
/// neighbours, and none has many neighbours. The coarsest level has only a few vertices:
///
///     level 2          *-----------*            scanned
///     level 1          *-----o-----*            o: left out of level 2, lies outside the edge below it
///     level 0 = hull   *--.--o--.--*            .: left out of level 1
///
/// Let v be the farthest vertex of one level. In the next finer level, either v is still the farthest, or one of its
/// new neighbours is. (The neighbours of a new vertex are all in the coarser level, where none is farther than v.) So
/// each vertex keeps one list of the neighbours that are added to it, coarsest level first, and the search walks down
/// these lists without looking at levels.

#include <talus/narrowphase/hull.h>

#include <glm/vec3.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Nested subsets of a hull's vertices.
class VertexHierarchy {
public:
    /// The most vertices that the coarsest level has, unless no more can be left out.
    static constexpr std::size_t top_size = 8;
    /// A vertex with more neighbours than this is not left out. In any planar graph a third of the vertices have no
    /// more than that, and a ninth of those can be left out together: 1 / 27 in theory. For points on a sphere it is
    /// 0.27 per level.
    static constexpr std::uint32_t max_removed_degree = 8;

    /// No level and no vertices.
    VertexHierarchy() = default;

    /// One level with the vertices 0 .. count - 1: the search scans them all.
    explicit VertexHierarchy(std::size_t count);

    /// Builds the coarser hulls with make_hull: about two and a half times the cost of the hull itself.
    explicit VertexHierarchy(const Hull& hull);

    /// Returns the vertex farthest along `direction` (not zero). `vertices` are those of the hull that this was built
    /// from. Adds the number of dot products to `dot_products`. The hull builder's tolerance can leave a coarser hull
    /// slightly concave; then the result may not be the farthest, and a climb on the hull's own graph that starts from
    /// it finds the farthest. Without vertices the result is 0.
    std::uint16_t support(std::span<const vec3> vertices, const glm::dvec3& direction, int& dot_products) const;

    /// Returns the number of vertices of each level, finest first.
    std::span<const std::uint32_t> level_sizes() const { return level_sizes_; }

    /// Returns the vertices of the coarsest level.
    std::span<const std::uint16_t> top() const { return top_; }

    /// Returns the neighbours of vertex v on the coarsest level that has it, if that is above level 0. They are far
    /// away on the hull, and serve as Ericson's artificial neighbours. Empty for vertices that only level 0 has, and for v
    /// that is no vertex.
    std::span<const std::uint16_t> long_neighbours(std::size_t v) const {
        if (long_first_.empty() || v >= long_first_.size() - 1) return {};
        return {long_neighbours_.data() + long_first_[v], long_neighbours_.data() + long_first_[v + 1]};
    }

private:
    std::vector<std::uint32_t> level_sizes_;
    std::vector<std::uint16_t> top_;
    std::vector<std::uint32_t> first_;   ///< per vertex, an offset into joined_; one more at the end
    std::vector<std::uint16_t> joined_;  ///< the neighbours added to each vertex, coarsest level first
    std::vector<std::uint32_t> long_first_;
    std::vector<std::uint16_t> long_neighbours_;
};

}  // namespace talus
