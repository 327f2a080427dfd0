#pragma once
#include <talus/narrowphase/triangles/triangle_set.h>
#include <talus/result.h>

#include <memory>
#include <span>

namespace talus {

struct HeightFieldDef {
    std::uint32_t columns = 0, rows = 0;  ///< samples along x and z, at least 2 each
    std::span<const float> heights{};     ///< row by row, m
    float spacing_x = 1.0f, spacing_z = 1.0f;
};

Result<std::shared_ptr<const TriangleSet>> make_height_field(const HeightFieldDef& def);

}  // namespace talus
