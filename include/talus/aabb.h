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
};

using Aabb = BasicAabb<vec3>;        ///< relative to a body, a shape or another place
using WorldAabb = BasicAabb<dvec3>;  ///< in the world

/// Returns whether two boxes overlap. Touching counts as overlapping.
template <class Vec>
bool overlaps(const BasicAabb<Vec>& a, const BasicAabb<Vec>& b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

/// Returns whether `inner` lies in `outer`, boundaries included.
template <class Vec>
bool contains(const BasicAabb<Vec>& outer, const BasicAabb<Vec>& inner) {
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}

/// Returns the smallest box that contains both.
template <class Vec>
BasicAabb<Vec> merge(const BasicAabb<Vec>& a, const BasicAabb<Vec>& b) {
    return {glm::min(a.lower, b.lower), glm::max(a.upper, b.upper)};
}

/// Returns the box, larger by `margin` (m) on each side.
inline Aabb expand(const Aabb& a, float margin) { return {a.lower - vec3(margin), a.upper + vec3(margin)}; }
/// The same; the margin is put on the grid.
inline WorldAabb expand(const WorldAabb& a, float margin) {
    const dvec3 by(on_grid(double{margin}));
    return {a.lower - by, a.upper + by};
}

inline vec3 center(const Aabb& a) { return 0.5f * (a.lower + a.upper); }        ///< returns the centre
inline dvec3 center(const WorldAabb& a) { return midway(a.lower, a.upper); }    ///< the same, on the grid
inline vec3 half_extents(const Aabb& a) { return 0.5f * (a.upper - a.lower); }  ///< returns half the edge lengths
inline vec3 half_extents(const WorldAabb& a) { return vec3(0.5 * (a.upper - a.lower)); }  ///< the same

/// Returns the distance of a point from a box, m, finite; 0 inside. It is computed in double and rounded once, so that
/// a box is never nearer to a point than a box that contains it.
template <class Vec>
float distance_to(const BasicAabb<Vec>& box, const Vec& point) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double x = double{point[axis]};
        const double below = double{box.lower[axis]} - x, above = x - double{box.upper[axis]};
        const double outside = glm::max(glm::max(below, above), 0.0);
        sum += outside * outside;
    }
    return static_cast<float>(glm::min(std::sqrt(sum), double{std::numeric_limits<float>::max()}));
}

/// Returns the box, displaced by `by` (m).
inline Aabb displaced(const Aabb& box, const vec3& by) { return {box.lower + by, box.upper + by}; }
/// Returns the box in the world that looks like `box` from `origin`, a point of the grid.
inline WorldAabb translated(const Aabb& box, const dvec3& origin) {
    return {displaced(origin, box.lower), displaced(origin, box.upper)};
}
/// Returns the box as seen from `origin`.
inline Aabb relative_to(const dvec3& origin, const WorldAabb& box) {
    return {vec3(box.lower - origin), vec3(box.upper - origin)};
}

/// Returns the axis-aligned box around the box `local` after `rotation` has turned it about the origin.
inline Aabb turned_box(const quat& rotation, const Aabb& local) {
    const mat3 m = to_matrix(rotation);
    const vec3 c = m * center(local), h = absolute(m) * half_extents(local);
    return {c - h, c + h};
}

/// Returns the axis-aligned box around the box `local` after `frame` has moved it.
inline Aabb transform_box(const MatrixTransform& frame, const Aabb& local) {
    const vec3 c = transform_point(frame, center(local));
    const vec3 h = absolute(frame.rotation) * half_extents(local);
    return {c - h, c + h};
}

}  // namespace talus
