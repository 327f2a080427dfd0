#include <talus/narrowphase/papers/vertex_hierarchy.h>

#include "narrowphase/papers/support_search.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace talus {

namespace {

std::span<const std::uint16_t> neighbours_of(const Hull& hull, std::size_t v) {
    return {hull.vertex_neighbours.data() + hull.vertex_first[v],
            hull.vertex_neighbours.data() + hull.vertex_first[v + 1]};
}

/// Chooses the vertices that stay when an independent set of vertices of low degree is left out, lowest degrees first.
std::vector<bool> thinned(const Hull& hull) {
    const std::size_t count = hull.vertices.size();
    const auto degree = [&](std::uint32_t v) { return hull.vertex_first[v + 1] - hull.vertex_first[v]; };
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return degree(a) < degree(b); });

    std::vector<bool> stays(count, true);
    for (const std::uint32_t v : order) {
        if (degree(v) > VertexHierarchy::max_removed_degree) break;
        const auto around = neighbours_of(hull, v);
        stays[v] = !std::all_of(around.begin(), around.end(), [&](auto n) { return stays[n]; });
    }
    return stays;
}

/// Concatenates lists into one array with offsets.
template <class Lists>
void pack(const Lists& lists, std::vector<std::uint32_t>& first, std::vector<std::uint16_t>& all) {
    first.assign(1, 0);
    for (const auto& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
        first.push_back(static_cast<std::uint32_t>(all.size()));
    }
}

}  // namespace

VertexHierarchy::VertexHierarchy(std::size_t count)
    : level_sizes_{static_cast<std::uint32_t>(count)}, top_(count), first_(count + 1), long_first_(count + 1) {
    std::iota(top_.begin(), top_.end(), std::uint16_t{0});
}

VertexHierarchy::VertexHierarchy(const Hull& hull) {
    const std::size_t count = hull.vertices.size();
    std::vector<std::vector<std::uint16_t>> joined(count), strides(count);
    std::vector<std::uint16_t> name(count);  // the number in the hull of each vertex of the level
    std::iota(name.begin(), name.end(), std::uint16_t{0});
    level_sizes_.push_back(static_cast<std::uint32_t>(count));

    const Hull* level = &hull;
    std::shared_ptr<const Hull> owner;  // owns the level's hull, except on level 0
    const auto keep_strides = [&](std::size_t v) {
        if (level_sizes_.size() == 1) return;
        for (const std::uint16_t n : neighbours_of(*level, v)) strides[name[v]].push_back(name[n]);
    };
    while (level->vertices.size() > top_size) {
        std::vector<bool> stays = thinned(*level);
        std::vector<vec3> points;
        for (std::size_t v = 0; v < stays.size(); ++v) {
            if (stays[v]) points.push_back(level->vertices[v]);
        }
        if (points.size() == stays.size()) break;
        const Result<std::shared_ptr<const Hull>> coarser = make_hull(points);
        if (!coarser) break;  // the remaining vertices are flat

        // The builder keeps the order of the points; points that it finds inside are left out as well.
        std::vector<std::uint16_t> coarser_name;
        for (std::size_t v = 0; v < stays.size(); ++v) {
            const std::size_t next = coarser_name.size();
            stays[v] =
                stays[v] && next < (*coarser)->vertices.size() && level->vertices[v] == (*coarser)->vertices[next];
            if (stays[v]) coarser_name.push_back(name[v]);
        }
        for (std::size_t v = 0; v < stays.size(); ++v) {
            if (stays[v]) continue;
            for (const std::uint16_t n : neighbours_of(*level, v)) joined[name[n]].push_back(name[v]);
            keep_strides(v);
        }
        owner = *coarser;
        level = owner.get();
        name = std::move(coarser_name);
        level_sizes_.push_back(static_cast<std::uint32_t>(name.size()));
    }
    for (std::size_t v = 0; v < name.size(); ++v) keep_strides(v);
    for (auto& list : joined) std::reverse(list.begin(), list.end());
    top_ = std::move(name);
    pack(joined, first_, joined_);
    pack(strides, long_first_, long_neighbours_);
}

std::uint16_t VertexHierarchy::support(std::span<const vec3> vertices, const glm::dvec3& direction,
                                       int& dot_products) const {
    using papers::along;
    if (top_.empty()) return 0;
    std::uint16_t best = top_[0];
    double most = along(direction, vertices[best]);
    for (std::size_t i = 1; i < top_.size(); ++i) {
        const double value = along(direction, vertices[top_[i]]);
        if (value > most) {
            most = value;
            best = top_[i];
        }
    }
    dot_products += static_cast<int>(top_.size());
    for (std::uint32_t i = first_[best]; i < first_[best + 1u]; ++i) {
        const double value = along(direction, vertices[joined_[i]]);
        ++dot_products;
        if (value > most) {
            most = value;
            best = joined_[i];
            i = first_[best] - 1u;  // goes on with its own list, whose vertices are all on finer levels
        }
    }
    return best;
}

}  // namespace talus
