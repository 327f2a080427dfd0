#pragma once
/// Axis-aligned boxes.

#include <talus/math.h>

#include <cmath>
#include <limits>

namespace talus {

/// An axis-aligned box (m), with lower <= upper on each axis. A point is a valid box.
struct Aabb {
    vec3 lower{0.0f};  ///< the corner with the least coordinates
    vec3 upper{0.0f};  ///< the corner with the greatest coordinates
};

/// Returns whether two boxes overlap. Touching counts as overlapping.
inline bool overlaps(const Aabb& a, const Aabb& b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

/// Returns whether `inner` lies in `outer`, boundaries included.
inline bool contains(const Aabb& outer, const Aabb& inner) {
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}

/// Returns the smallest box that contains both.
inline Aabb merge(const Aabb& a, const Aabb& b) { return {glm::min(a.lower, b.lower), glm::max(a.upper, b.upper)}; }

/// Returns the box, larger by `margin` (m) on each side.
inline Aabb expand(const Aabb& a, float margin) { return {a.lower - vec3(margin), a.upper + vec3(margin)}; }

inline vec3 center(const Aabb& a) { return 0.5f * (a.lower + a.upper); }        ///< returns the centre
inline vec3 half_extents(const Aabb& a) { return 0.5f * (a.upper - a.lower); }  ///< returns half the edge lengths

/// Returns the distance of a point from a box, m, finite; 0 inside. It is computed in double and rounded once, so that
/// a box is never nearer to a point than a box that contains it.
inline float distance_to(const Aabb& box, const vec3& point) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double x = double{point[axis]}, below = double{box.lower[axis]} - x, above = x - double{box.upper[axis]};
        const double outside = glm::max(glm::max(below, above), 0.0);
        sum += outside * outside;
    }
    return static_cast<float>(glm::min(std::sqrt(sum), double{std::numeric_limits<float>::max()}));
}

/// Returns the axis-aligned box around the box `local` after `frame` has moved it.
inline Aabb transform_box(const MatrixTransform& frame, const Aabb& local) {
    const vec3 c = transform_point(frame, center(local));
    const vec3 h = absolute(frame.rotation) * half_extents(local);
    return {c - h, c + h};
}

}  // namespace talus
