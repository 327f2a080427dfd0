#include "narrowphase/ladder/pair_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

void update_sizes(const Colliders& colliders, PairRecord& record) {
    const Shape &a = colliders.shapes[record.a], &b = colliders.shapes[record.b];
    record.radius_a = bounding_radius(a);
    record.radius_b = bounding_radius(b);
    // The bounding sphere is centred at the shape's origin. Around a shape far from its origin it is much larger than
    // the shape, while the bounding box is not.
    const auto half_diagonal = [](const Shape& shape) {
        return std::sqrt(length_squared(half_extents(bounds(shape))));
    };
    const auto size = [&](std::uint32_t collider, const Shape& shape, float radius) {
        // A triangle of a surface counts as infinitely large: how finely the surface is divided says nothing about the
        // shapes that lie on it.
        if (colliders.surface_triangle(collider)) return std::numeric_limits<float>::infinity();
        return std::min(radius, half_diagonal(shape));
    };
    record.size = std::min(size(record.a, a, record.radius_a), size(record.b, b, record.radius_b));
    record.thickness = std::min({record.size, thickness(a), thickness(b)});
}

}  // namespace talus::detail
