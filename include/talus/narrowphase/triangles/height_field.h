#pragma once
/// Height fields: ground as heights on a grid, four bytes per sample.
///
///       z      +--+--+--+      Samples lie `spacing` apart, row by row from the origin: sample (i, j) is at
///       ^      |\ |\ |\ |      (i * spacing_x, height, j * spacing_z). Each cell is two triangles, front up, divided
///       |      | \| \| \|      from its first corner to its last.
///       +-> x  +--+--+--+
///
/// Cells may be holes, for caves and shafts. Only the heights are stored, a bit per cell if there are holes, and a
/// pyramid of the lowest and the highest height in each block of cells, which takes a third more memory. Triangles and
/// their neighbours follow from their numbers: cell (i, j) has the triangles 2 * (j * (columns - 1) + i) and the next.

#include <talus/narrowphase/triangles/triangle_set.h>
#include <talus/result.h>

#include <memory>
#include <span>

namespace talus {

/// The definition of a height field. make_height_field() reads the spans only during the call.
struct HeightFieldDef {
    std::uint32_t columns = 0;                  ///< samples along x, 2 to 32,769
    std::uint32_t rows = 0;                     ///< samples along z, 2 to 32,769
    std::span<const float> heights{};           ///< columns * rows, row by row, m
    float spacing_x = 1.0f;                     ///< distance of samples along x, at least 1e-6, m
    float spacing_z = 1.0f;                     ///< distance of samples along z, at least 1e-6, m
    std::span<const std::uint8_t> materials{};  ///< one per cell, row by row, or none: all 0
    bool two_sided = false;                     ///< stops bodies from both sides; else from above only
    std::span<const std::uint8_t> holes{};  ///< one per cell, row by row: not 0 is a hole. Or none: there are no holes
};

/// Makes a height field. Refused: counts out of range or that do not fit the spans, heights or spacing that are not
/// finite (in holes, too), sizes outside 1e-6 to 1e6 m, cells that are no holes and so steep that a triangle is thinner
/// than `check` allows, a field of nothing but holes.
Result<std::shared_ptr<const TriangleSet>> make_height_field(const HeightFieldDef& def);

}  // namespace talus
