#include "narrowphase/manifold/sliver.h"

#include "narrowphase/support/core_support.h"
#include "narrowphase/support/supporting_feature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

/// Returns whether a face of the shape has this unit direction as its normal.
bool has_face_along(const Shape& shape, const vec3& direction) {
    const SupportingFeature feature = supporting_feature(shape, direction, 0);
    return feature.has_face() && glm::dot(feature.normal, direction) >= tolerance::sliver_alignment;
}

/// Returns the extent of the shape along a unit direction of its frame, m.
float extent_along(const Shape& shape, const vec3& d) {
    return glm::dot(farthest_point(shape, d, 0) - farthest_point(shape, -d, 0), d) + 2.0f * shape.radius;
}

}  // namespace

bool is_sliver(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const Manifold& manifold, float width) {
    if (manifold.face_owner == FaceOwner::none) return false;
    if (manifold.count > 2) {
        // The width of a triangle of its points is twice its area divided by its longest side, which is at most the sum
        // of the other two. The comparison is with twice `width`, to allow for a tilt.
        const vec3 d1 = manifold.points[1].on_a - manifold.points[0].on_a;
        const vec3 d2 = manifold.points[2].on_a - manifold.points[0].on_a;
        const float twice = length_squared(glm::cross(d1, d2)), sides = length_squared(d1) + length_squared(d2);
        if (twice > 4.0f * width * width * sides) return false;
    }
    vec3 longest(0.0f);
    for (int i = 0; i < manifold.count; ++i) {
        for (int j = 0; j < i; ++j) {
            const vec3 d = manifold.points[i].on_a - manifold.points[j].on_a;
            if (length_squared(d) > length_squared(longest)) longest = d;
        }
    }
    vec3 across = glm::cross(manifold.normal, longest);
    const float length = std::sqrt(length_squared(across));
    if (length > 0.0f) across /= length;
    float low = 0.0f, high = 0.0f;
    for (int i = 1; i < manifold.count; ++i) {
        const float x = glm::dot(across, manifold.points[i].on_a - manifold.points[0].on_a);
        low = std::min(low, x);
        high = std::max(high, x);
    }
    const float strip = high - low;
    // One or two points: either the strip was so thin that it became a line, or it is the true contact of an edge or a
    // corner.
    const bool narrow = manifold.count < 3 ? has_face_along(a, manifold.normal) &&
                                                 has_face_along(b, transpose_mul(b_in_a.rotation, -manifold.normal))
                                           : strip < width;
    if (!narrow || length == 0.0f) return narrow;
    return strip < 0.5f * std::min(extent_along(a, across), extent_along(b, transpose_mul(b_in_a.rotation, across)));
}

}  // namespace talus::detail
