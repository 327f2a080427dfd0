#pragma once
/// How a grid of columns is laid out: its levels, and the cells of each level.
///
/// A level holds the boxes of similar size. Its cells depend on the sizes of its boxes, not on the size of the world:
/// `cell_length` mean edges long along the sweep axis, and `column_width` mean edges wide. Where boxes are far apart,
/// the cells are larger, so that there are about as many cells as boxes.
///
/// The cells form a ring: a cell (x, y, z) has the place x * stride.x + y * stride.y + z * stride.z, modulo the number
/// of cells. So one box 10 km away, ten crowds far apart or a diagonal line of boxes cost what an even crowd costs.
/// Boxes of distant cells may have the same place; the overlap test tells them apart.

#include <talus/broadphase/proxy.h>
#include "broadphase/columns/box_lanes.h"
#include "broadphase/columns/box_scan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus::detail {

struct ColumnLevel {
    float size_limit = 0;  ///< holds boxes whose longest edge is below this, and not below that of the level before, m
    Float4 per_cell{};     ///< cells per metre along x, y, z; 0: there are no cells along this axis
    Float4 reach{};        ///< the longest edges of its boxes along x, y, z, m
    float layout_reach = 0;                 ///< the longest edge when the layout was chosen, m
    std::array<std::uint32_t, 3> stride{};  ///< from one cell to the next along x, y, z; 1 along the sweep axis
    std::uint32_t s = 0, u = 1, v = 2;      ///< the sweep axis and the two others
    std::uint32_t mask = 0;                 ///< number of cells - 1; the number is a power of two
    std::uint32_t first_cell = 0;           ///< index of its first cell in the grid
    std::uint32_t members = 0;              ///< number of its boxes
    Aabb bounds;                            ///< around its boxes, m
};

inline constexpr std::size_t max_levels = 8;  ///< the last one holds the rest, at most one box in 128

/// Chooses the levels for these boxes. Each takes at least half of the boxes that are left, so there are few: one for
/// boxes of similar size, two with a large floor. `members`, `reach` and `bounds` are not final: the grid measures
/// them.
std::vector<ColumnLevel> choose_levels(std::span<const ProxyIndex> members, std::span<const Aabb> boxes);

/// Boxes farther out than this many cells are in the outermost cell, because floats no longer tell cells apart well.
inline constexpr float cell_limit = 1048576.0f;

/// The cells of coordinates along each axis; non-decreasing in x.
inline Int4 cells_of(Float4 x, Float4 per_cell) {
    const Float4 c = clamp(x * per_cell, splat<Float4>(-cell_limit), splat<Float4>(cell_limit));
    const Int4 truncated = __builtin_convertvector(c, Int4);
    return truncated + (c < __builtin_convertvector(truncated, Float4));  // floor: true is -1
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

/// The index of the level that holds a box with these edges.
inline std::size_t level_of(std::span<const ColumnLevel> levels, Float4 edges) {
    const float size = longest_of(edges);
    std::size_t l = 0;
    while (size >= levels[l].size_limit && l + 1 < levels.size()) ++l;
    return l;
}

/// A bound that is computed, not compared, is widened by this fraction of its coordinates, far above float's rounding.
inline constexpr float reach_slack = 1e-6f;

/// Boxes that overlap `box`, which overlaps the level's bounds, have their lower corners in the cells from first_cell()
/// to last_cell() along each axis.
inline Int4 first_cell(const ColumnLevel& level, const BoxLanes& box) {
    const Float4 from = box.lower - level.reach - splat<Float4>(reach_slack) * (absolute(box.lower) + level.reach);
    return cells_of(max(from, lanes_of(level.bounds).lower), level.per_cell);
}
inline Int4 last_cell(const ColumnLevel& level, const BoxLanes& box) {
    return cells_of(min(box.upper, lanes_of(level.bounds).upper), level.per_cell);
}

}  // namespace talus::detail
