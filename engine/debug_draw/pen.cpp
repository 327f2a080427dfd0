#include "engine/debug_draw/pen.h"

#include <algorithm>
#include <cmath>

namespace talus::debug_draw {

void Pen::box(const Transform& pose, const vec3& half, Color color) const {
    const auto corner = [&](int i) {
        return transform_point(pose, half * vec3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f));
    };
    for (int i = 0; i < 8; ++i) {
        for (int bit = 1; bit < 8; bit <<= 1) {
            if ((i & bit) == 0) line(corner(i), corner(i | bit), color);
        }
    }
}

void Pen::box(const Aabb& box, Color color) const { this->box({center(box), {}}, half_extents(box), color); }

void Pen::arc(const vec3& center, const vec3& u, const vec3& v, float radius, double from, double to,
              Color color) const {
    const double turn = std::min(std::abs(to - from), 2.0 * pi);
    const int count = std::max(1, static_cast<int>(std::ceil(full_turn * turn / (2.0 * pi) - 1e-6)));
    const double step = (to < from ? -turn : turn) / count;
    const auto at = [&](int i) {
        const double angle = from + step * i;
        return center + radius * (static_cast<float>(std::cos(angle)) * u + static_cast<float>(std::sin(angle)) * v);
    };
    for (int i = 0; i < count; ++i) line(at(i), at(i + 1), color);
}

void Pen::arrow(const vec3& from, const vec3& to, Color color) const {
    line(from, to, color);
    const vec3 shaft = to - from;
    const float length = std::sqrt(length_squared(shaft));
    if (!(length > 0.0f)) return;
    const vec3 along = shaft / length, side = any_perpendicular(along), other = glm::cross(along, side);
    const vec3 neck = to - 0.2f * shaft;
    for (const vec3& across : {side, -side, other, -other}) line(to, neck + 0.08f * length * across, color);
}

void Pen::axes(const Transform& frame, float length) const {
    const mat3 axes = to_matrix(frame.rotation);
    line(frame.position, frame.position + length * axes[0], colors::axis_x);
    line(frame.position, frame.position + length * axes[1], colors::axis_y);
    line(frame.position, frame.position + length * axes[2], colors::axis_z);
}

void Pen::tick(const vec3& at, const vec3& along, float size, Color color) const {
    const vec3 side = any_perpendicular(along), other = glm::cross(along, side);
    line(at - size * side, at + size * side, color);
    line(at - size * other, at + size * other, color);
}

}  // namespace talus::debug_draw
