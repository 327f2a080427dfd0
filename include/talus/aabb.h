#pragma once
/// Axis-aligned boxes.

#include <talus/math.h>

#include <cmath>
#include <limits>

namespace talus {

/// An axis-aligned box (m), with lower <= upper on each axis. A point is a valid box.
template <class Vec>
struct BasicAabb {
    Vec lower{0};  ///< the corner with the least coordinates
    Vec upper{0};  ///< the corner with the greatest coordinates

    /// Returns whether two boxes overlap. Touching counts as overlapping.
    friend bool overlaps(const BasicAabb& a, const BasicAabb& b) {
        return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
               a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
    }
    /// Returns whether `inner` lies in `outer`, boundaries included.
    friend bool contains(const BasicAabb& outer, const BasicAabb& inner) {
        return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
               inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
    }
    /// Returns the smallest box that contains both.
    friend BasicAabb merge(const BasicAabb& a, const BasicAabb& b) {
        return {glm::min(a.lower, b.lower), glm::max(a.upper, b.upper)};
    }
    /// Returns the box, larger by `margin` (m) on each side.
    friend BasicAabb expand(const BasicAabb& a, float margin) {
        return {a.lower - Vec(vec3(margin)), a.upper + Vec(vec3(margin))};
    }
    /// Returns the centre.
    friend Vec center(const BasicAabb& a) {
        using Number = typename Vec::value_type;
        return Number(0.5) * (a.lower + a.upper);
    }
    /// Returns half the edge lengths.
    friend vec3 half_extents(const BasicAabb& a) {
        using Number = typename Vec::value_type;
        return vec3(Number(0.5) * (a.upper - a.lower));
    }
    /// Returns the distance of a point from a box, m, finite; 0 inside. It is computed in double and rounded once, so
    /// that a box is never nearer to a point than a box that contains it.
    friend float distance_to(const BasicAabb& box, const Vec& point) {
        double sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double x = double{point[axis]};
            const double below = double{box.lower[axis]} - x, above = x - double{box.upper[axis]};
            const double outside = glm::max(glm::max(below, above), 0.0);
            sum += outside * outside;
        }
        return static_cast<float>(glm::min(std::sqrt(sum), double{std::numeric_limits<float>::max()}));
    }
};

using Aabb = BasicAabb<vec3>;        ///< relative to a body, a shape or another place
using WorldAabb = BasicAabb<dvec3>;  ///< in the world

/// Returns the box in the world that looks like `box` from `origin`, a point of the grid.
inline WorldAabb translated(const Aabb& box, const dvec3& origin) {
    return {displaced(origin, box.lower), displaced(origin, box.upper)};
}
/// Returns the box as seen from `origin`.
inline Aabb relative_to(const dvec3& origin, const WorldAabb& box) {
    return {vec3(box.lower - origin), vec3(box.upper - origin)};
}

/// Returns the axis-aligned box around the box `local` after `frame` has moved it.
inline Aabb transform_box(const MatrixTransform& frame, const Aabb& local) {
    const vec3 c = transform_point(frame, center(local));
    const vec3 h = absolute(frame.rotation) * half_extents(local);
    return {c - h, c + h};
}

}  // namespace talus
