#pragma once
/// Internal: across each edge of a mesh's triangles, the neighbour and its edge.
///
/// Most neighbours are near each other in the order of the mesh's tree. So a link is the difference of the two numbers,
/// in two bytes. The few that are longer than that are in a list of their own, sorted by edge.

#include "narrowphase/triangles/clean_triangles.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus::detail {

struct EdgeLink {
    std::uint32_t triangle = nobody;  ///< the neighbour; nobody: the surface ends at the edge
    std::uint32_t edge = 0;           ///< the edge of the neighbour, 0 to 2
};

class EdgeLinks {
public:
    /// Makes room for this many triangles, without links.
    void reset(std::size_t triangles) {
        short_links_.assign(triangles, {none, none, none});
        long_links_.clear();
    }
    /// Links an edge (0 to 2) of triangle t, once.
    void set(std::uint32_t t, std::size_t edge, const EdgeLink& to) {
        const std::int64_t difference = std::int64_t{to.triangle} - t;
        if (std::max(difference, -difference) > farthest) {
            short_links_[t][edge] = is_long;
            long_links_.push_back({3 * t + static_cast<std::uint32_t>(edge), to});
        } else {
            short_links_[t][edge] = static_cast<std::uint16_t>((difference + farthest) << 2 | to.edge);
        }
    }
    /// To be called after the last set(), before get().
    void finish() {
        std::sort(long_links_.begin(), long_links_.end(),
                  [](const LongLink& a, const LongLink& b) { return a.edge < b.edge; });
        long_links_.shrink_to_fit();
    }
    EdgeLink get(std::uint32_t t, std::size_t edge) const {
        const std::uint32_t link = short_links_[t][edge];
        if (link == none) return {};
        if (link != is_long) return {t + (link >> 2) - farthest, link & 3u};
        const std::uint32_t key = 3 * t + static_cast<std::uint32_t>(edge);
        return std::lower_bound(long_links_.begin(), long_links_.end(), key,
                                [](const LongLink& a, std::uint32_t k) { return a.edge < k; })
            ->to;
    }
    std::size_t bytes() const {
        return short_links_.capacity() * sizeof(short_links_[0]) + long_links_.capacity() * sizeof(LongLink);
    }

private:
    static constexpr std::uint16_t none = 0xffff, is_long = 0xfffe;
    static constexpr std::uint32_t farthest = 8190;  // (2 * farthest << 2 | 2) is below the two marks
    struct LongLink {
        std::uint32_t edge;  ///< 3 t + edge
        EdgeLink to;
    };

    std::vector<std::array<std::uint16_t, 3>> short_links_;  ///< (difference + farthest) << 2 | edge, or a mark
    std::vector<LongLink> long_links_;
};

}  // namespace talus::detail
