#include "samples/scenes/kit/basin.h"

#include <talus/aabb.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace talus::samples {

Basin::Basin(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles) {
    Aabb box{vertices[0], vertices[0]};
    for (const vec3& v : vertices) box = merge(box, {v, v});
    const vec3 sides = box.upper - box.lower;
    cell_ = std::max(sides.x, sides.z) / static_cast<float>(side - 4);
    lowest_ = {box.lower.x - 2.0f * cell_, box.lower.y, box.lower.z - 2.0f * cell_};
    ground_.assign(std::size_t{side} * side, box.lower.y);
    if (!(cell_ > 0.0f)) {
        level_ = ground_;
        return;
    }
    for (std::size_t t = 0; t + 2 < triangles.size(); t += 3)
        add_triangle(vertices[triangles[t]], vertices[triangles[t + 1]], vertices[triangles[t + 2]]);
    flood();
    measure();
}

/// Raises the ground of the cells whose middles are under or over a triangle.
void Basin::add_triangle(const vec3& a, const vec3& b, const vec3& c) {
    const float area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
    if (area == 0.0f) return;
    const auto cell_of = [&](float along, float lowest) { return static_cast<int>((along - lowest) / cell_); };
    const int first_column = cell_of(std::min({a.x, b.x, c.x}), lowest_.x),
              last_column = cell_of(std::max({a.x, b.x, c.x}), lowest_.x),
              first_row = cell_of(std::min({a.z, b.z, c.z}), lowest_.z),
              last_row = cell_of(std::max({a.z, b.z, c.z}), lowest_.z);
    for (int row = first_row; row <= last_row; ++row) {
        for (int column = first_column; column <= last_column; ++column) {
            const float x = lowest_.x + (static_cast<float>(column) + 0.5f) * cell_ - a.x,
                        z = lowest_.z + (static_cast<float>(row) + 0.5f) * cell_ - a.z;
            const float of_b = (x * (c.z - a.z) - (c.x - a.x) * z) / area,
                        of_c = ((b.x - a.x) * z - x * (b.z - a.z)) / area;
            if (!(of_b >= 0.0f && of_c >= 0.0f && of_b + of_c <= 1.0f)) continue;
            float& ground = ground_[index(column, row)];
            ground = std::max(ground, a.y + of_b * (b.y - a.y) + of_c * (c.y - a.y));
        }
    }
}

/// Finds the levels: that of a cell is the lowest height over which its water can flow to the rim of the raster.
void Basin::flood() {
    using Reached = std::pair<float, std::size_t>;  // level and cell
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> reached;
    level_.assign(ground_.size(), 0.0f);
    std::vector<bool> known(ground_.size(), false);
    const auto reach = [&](std::size_t cell, float level) {
        if (known[cell]) return;
        known[cell] = true;
        level_[cell] = std::max(level, ground_[cell]);
        reached.emplace(level_[cell], cell);
    };
    for (int k = 0; k < side; ++k) {
        for (const std::size_t cell : {index(k, 0), index(k, side - 1), index(0, k), index(side - 1, k)})
            reach(cell, ground_[cell]);
    }
    while (!reached.empty()) {
        const auto [level, cell] = reached.top();
        reached.pop();
        const int column = static_cast<int>(cell) % side, row = static_cast<int>(cell) / side;
        if (column > 0) reach(cell - 1, level);
        if (column < side - 1) reach(cell + 1, level);
        if (row > 0) reach(cell - side, level);
        if (row < side - 1) reach(cell + side, level);
    }
}

void Basin::measure() {
    const auto middle_of = [&](std::size_t cell) {
        const auto column = static_cast<float>(cell % side), row = static_cast<float>(cell / side);
        return vec3(lowest_.x + (column + 0.5f) * cell_, lowest_.y, lowest_.z + (row + 0.5f) * cell_);
    };
    brim_ = lowest_.y;
    float wet = 0.0f;
    for (std::size_t cell = 0; cell < level_.size(); ++cell) {
        if (!has_water(cell)) continue;
        volume_ += (level_[cell] - ground_[cell]) * cell_ * cell_;
        brim_ = std::max(brim_, level_[cell]);
        middle_ += middle_of(cell);
        wet += 1.0f;
    }
    if (wet == 0.0f) return;
    middle_ /= wet;
    float nearest = length_squared(lowest_ - middle_);
    for (std::size_t cell = 0; cell < level_.size(); ++cell) {
        if (!has_water(cell)) nearest = std::min(nearest, length_squared(middle_of(cell) - middle_));
    }
    radius_ = std::sqrt(nearest);
}

bool Basin::holds(const vec3& point) const {
    const vec3 along = (point - lowest_) / cell_;
    constexpr auto most = static_cast<float>(side);
    if (!(along.x >= 0.0f && along.x < most && along.z >= 0.0f && along.z < most)) return false;
    const std::size_t cell = index(static_cast<int>(along.x), static_cast<int>(along.z));
    return has_water(cell) && point.y > ground_[cell];
}

}  // namespace talus::samples
