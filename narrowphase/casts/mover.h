#pragma once
/// Internal: a rigid motion in the form that time of impact queries use.

#include <talus/narrowphase/time_of_impact.h>
#include "narrowphase/casts/core_reach.h"
#include "narrowphase/casts/double_rotation.h"
#include "narrowphase/tolerances.h"

#include <algorithm>

namespace talus::detail {

/// A shape's motion, in double and with the whole duration as the unit of time.
struct Mover {
    dquat start;
    dvec3 center;    ///< in the shape's frame
    dvec3 at_start;  ///< the centre, world
    dvec3 velocity, spin;
    double rate = 0.0;  ///< |spin|
    dvec3 axis{0.0};    ///< unit, or zero if it does not rotate
    Reach reach;

    Mover(const RigidMotion& m, double duration)
        : start(unit(m.start.rotation)),
          center(m.center),
          at_start(dvec3(m.start.position) + turned(start, dvec3(m.center))),
          velocity(dvec3(m.linear_velocity) * duration),
          spin(dvec3(m.angular_velocity) * duration),
          rate(length(spin)) {
        if (rate > 0.0) axis = spin / rate;
    }

    dvec3 axis_in_shape() const { return turned(inverse(start), axis); }

    dquat rotation(double t) const {
        if (!(rate > 0.0)) return start;
        const SinCos half = sin_cos(0.5 * rate * t);
        const dvec3 v = half.sine * axis;
        return times(dquat(half.cosine, v.x, v.y, v.z), start);
    }

    /// Drops the rotation if the core lies on its axis of rotation, as a sphere's centre or a rolling capsule's segment
    /// does.
    void settle() {
        if (reach.ring > tolerance::toi_no_ring * (reach.sphere + length(center))) return;
        rate = 0.0;
        spin = axis = dvec3(0.0);
    }

    /// Returns how far the core reaches along n from the centre at most, at any angle of its rotation.
    double revolved(const dvec3& n) const {
        const double along = glm::dot(n, axis), across = length(glm::cross(n, axis));
        return std::max(along * reach.high, along * reach.low) + across * reach.ring;
    }
};

}  // namespace talus::detail
