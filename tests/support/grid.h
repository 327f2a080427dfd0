#pragma once
/// Grounds for tests of meshes: squares in rows, each two triangles with their fronts up.

#include <cstdint>
#include <vector>

namespace talus::test {

/// Returns the indices of the triangles over (cells + 1) x (cells + 1) vertices, of which the ones along x come first.
inline std::vector<std::uint32_t> grid_indices(int cells) {
    std::vector<std::uint32_t> indices;
    const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (cells + 1) + i); };
    for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i) {
            for (const std::uint32_t v :
                 {at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i + 1, j)})
                indices.push_back(v);
        }
    }
    return indices;
}

}  // namespace talus::test
