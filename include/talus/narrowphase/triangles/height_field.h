#pragma once
/// Height fields: ground as heights on a grid, four bytes a sample.
///
///       z      +--+--+--+      Samples lie `spacing` apart, row by row from the origin: sample (i, j) at
///       ^      |\ |\ |\ |      (i * spacing_x, height, j * spacing_z). Each cell is two triangles, front up, cut from its
///       |      | \| \| \|      first corner to its last.
///       +-> x  +--+--+--+
///
/// Nothing is stored but heights and a pyramid of the lowest and highest in each block of cells, a third more:
/// triangles and their neighbours follow from their numbers, 2 * (j * (columns - 1) + i) and the next.

#include <talus/narrowphase/triangles/triangle_set.h>
#include <talus/result.h>

#include <memory>
#include <span>

namespace talus {

struct HeightFieldDef {
    std::uint32_t columns = 0, rows = 0;        ///< samples along x and along z, 2 to 32,769 each
    std::span<const float> heights{};           ///< columns * rows, m
    float spacing_x = 1.0f, spacing_z = 1.0f;   ///< > 0, m
    std::span<const std::uint8_t> materials{};  ///< one a cell, row by row, or none: all 0
    bool two_sided = false;                     ///< else it lets through from below
};

/// Refused: counts out of range or that do not fit the spans, heights or spacing that are not finite, sizes beyond
/// size_limits.h, cells so steep that a triangle is thinner than `check` allows.
Result<std::shared_ptr<const TriangleSet>> make_height_field(const HeightFieldDef& def);

}  // namespace talus
