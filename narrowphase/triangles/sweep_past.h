#pragma once
/// Internal: a quick proof that a moving shape does not reach a triangle, so that most triangles near its way need no
/// cast.
///
/// Along an axis m, the shape reaches no farther than its box (half extents h: |m| . h) and its bounding sphere. Two
/// kinds of axes are tried. Along the triangle's normal, the shape must come near the plane before the best fraction so
/// far. Along an axis across both the motion and a side of the triangle, the distance stays the same:
///
///            c .                           seen along the motion: the shape passes outside the side pq
///          .     .          .--.           if it is farther from the triangle than it reaches
///        p---------q       ( o  )
///                           '--'

#include <talus/math.h>
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::detail {

class SweepPast {
public:
    /// A shape inside this box, and within `radius` of its middle, that moves by `translation`. It reaches what is
    /// nearer than `target`.
    SweepPast(const vec3& middle, const vec3& half_extents, float radius, const vec3& translation, float target)
        : middle_(middle), half_(half_extents), move_(translation), radius_(radius), target_(target) {
        // More than what floats lost on the way here, and than the distance that a cast counts as touching.
        const dvec3 size = absolute(middle_) + half_, way = absolute(move_);
        slack_ = 1e-6 * (size.x + size.y + size.z + target_) + 4.0 * tolerance::cast_rounding * (way.x + way.y + way.z);
    }

    /// Returns whether it certainly reaches nothing of the triangle up to the fraction `most`.
    bool passes(const std::array<vec3, 3>& points, float most) const {
        const dvec3 p[] = {dvec3(points[0]) - middle_, dvec3(points[1]) - middle_, dvec3(points[2]) - middle_};
        // Where the plane is, from the shape's middle, and how far the shape moves towards it.
        const dvec3 n = glm::cross(p[1] - p[0], p[2] - p[0]);
        const double plane = glm::dot(n, p[0]), side = plane < 0.0 ? -1.0 : 1.0;
        if (side * plane - reach(n) > std::max(side * glm::dot(n, move_), 0.0) * (double{most} + 1e-6)) return true;
        for (int i = 0; i < 3; ++i) {
            const dvec3 &a = p[i], &b = p[(i + 1) % 3], &c = p[(i + 2) % 3];
            const dvec3 m = glm::cross(b - a, move_);
            const double at_side = glm::dot(m, a), at_corner = glm::dot(m, c);
            const double nearest = std::max(std::min(at_side, at_corner), -std::max(at_side, at_corner));
            if (nearest > 0.0 && nearest > reach(m)) return true;
        }
        return false;
    }

private:
    /// Returns how far it reaches along m, times the length of m.
    double reach(const dvec3& m) const {
        const double length = std::sqrt(glm::dot(m, m));
        return std::min(glm::dot(absolute(m), half_), radius_ * length) + (target_ + slack_) * length;
    }

    dvec3 middle_, half_, move_;
    double radius_, target_, slack_;
};

}  // namespace talus::detail
