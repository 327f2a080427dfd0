#pragma once
/// How a grid of columns is laid out: its origins, their levels, and the cells of each level.
///
/// Each box is seen from the origin that is nearest to it (origins.h): one origin for most worlds, one per crowd if
/// crowds are far apart. A level holds the boxes of similar size of one origin. Its cells depend on the sizes of its
/// boxes, not on the size of the world: `cell_length` mean edges long along the sweep axis, and `column_width` mean
/// edges wide. Where boxes are far apart, the cells are larger, so that there are about as many cells as boxes.
///
/// The cells form a ring: a cell (x, y, z) has the place x * stride.x + y * stride.y + z * stride.z, modulo the number
/// of cells. So one box 10 km away, ten crowds far apart or a diagonal line of boxes cost what an even crowd costs.
/// Boxes of distant cells may have the same place; the overlap test tells them apart.

#include <talus/broadphase/proxy.h>
#include "broadphase/columns/box_lanes.h"
#include "broadphase/columns/box_scan.h"
#include "broadphase/columns/origins.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus::detail {

/// Floats and cells of a level are relative to its origin. The size of a box is that of the rounded one, so that boxes
/// far from the origin lengthen no search.
struct ColumnLevel {
    Double4 origin{};      ///< from which its boxes are seen
    float size_limit = 0;  ///< holds boxes whose longest edge is below this, and not below that of the level before, m
    Float4 per_cell{};     ///< cells per metre along x, y, z; 0: there are no cells along this axis
    Float4 reach{};        ///< the longest edges of its boxes along x, y, z, m
    float layout_reach = 0;                 ///< the longest edge when the layout was chosen, m
    float layout_distance = 0;              ///< the largest coordinate of a box then, as seen from the origin, m
    std::array<std::uint32_t, 3> stride{};  ///< from one cell to the next along x, y, z; 1 along the sweep axis
    std::uint32_t s = 0, u = 1, v = 2;      ///< the sweep axis and the two others
    std::uint32_t mask = 0;                 ///< number of cells - 1; the number is a power of two
    std::uint32_t first_cell = 0;           ///< index of its first cell in the grid
    std::uint32_t members = 0;              ///< number of its boxes
    BoxLanes bounds{};                      ///< around its boxes, m
    WorldAabb world_bounds;                 ///< the same in the world; not smaller than the boxes there
};

inline constexpr std::size_t max_levels = 8;  ///< of an origin; the last one holds the rest, at most one box in 128

struct ColumnLayout {
    std::vector<Double4> origins;
    std::vector<ColumnLevel> levels;          ///< those of the first origin by size_limit, those of the next, ...
    std::vector<std::uint32_t> first_levels;  ///< by origin: its first level; and the number of levels
};

/// Chooses the origins and levels for these boxes, of which there must be at least one. Each level takes at least half
/// of the boxes that are left, so there are few: one for boxes of similar size, two with a large floor. `members`,
/// `reach` and the bounds are not final: the grid measures them.
ColumnLayout choose_layout(std::span<const ProxyIndex> members, std::span<const WorldAabb> boxes);

/// Boxes farther out than this many cells are in the outermost cell, because floats no longer tell cells apart well.
inline constexpr float cell_limit = 1048576.0f;

/// The cells of coordinates along each axis: the nearest whole numbers of cells from the origin; non-decreasing in x.
inline Int4 cells_of(Float4 x, Float4 per_cell) {
    // Floats from 2^23 to 2^24 are the whole numbers: their last bits count.
    const Float4 zero = splat<Float4>(1.5f * 8388608.0f);
    return reinterpret_cast<Int4>(within(x * per_cell, cell_limit) + zero) - reinterpret_cast<Int4>(zero);
}

/// The place of a cell among those of its level.
inline std::uint32_t slot_of(Int4 cell, const ColumnLevel& level) {
    return (static_cast<std::uint32_t>(cell[0]) * level.stride[0] +
            static_cast<std::uint32_t>(cell[1]) * level.stride[1] +
            static_cast<std::uint32_t>(cell[2]) * level.stride[2]) &
           level.mask;
}

/// The longest of three edges in lanes. Never -0, since its bits are used as an index.
inline float longest_of(Float4 edges) {
    const float xy = edges[0] > edges[1] ? edges[0] : edges[1];
    const float xyz = xy > edges[2] ? xy : edges[2];
    return xyz > 0.0f ? xyz : 0.0f;
}

/// The index of the level that holds a box with these edges, as seen from the origin of these levels.
inline std::size_t level_of(std::span<const ColumnLevel> levels, Float4 edges) {
    std::size_t l = 0;
    while (l + 1 < levels.size() && !all_lanes(edges < splat<Float4>(levels[l].size_limit))) ++l;
    return l;
}

/// A bound that is computed, not compared, is widened by this fraction of its coordinates, far above float's rounding.
inline constexpr float reach_slack = 1e-6f;

/// Boxes that overlap `box`, which overlaps the level's bounds, have their lower corners in the cells from first_cell()
/// to last_cell() along each axis.
inline Int4 first_cell(const ColumnLevel& level, const BoxLanes& box) {
    const Float4 from = box.lower - level.reach - splat<Float4>(reach_slack) * (absolute(box.lower) + level.reach);
    return cells_of(max(from, level.bounds.lower), level.per_cell);
}
inline Int4 last_cell(const ColumnLevel& level, const BoxLanes& box) {
    return cells_of(min(box.upper, level.bounds.upper), level.per_cell);
}

}  // namespace talus::detail
