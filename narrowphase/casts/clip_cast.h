#pragma once
/// Internal: the loop of all casts along a line, and the rounding of their results.
///
/// B moves along a line, A is at rest. Then the origin moves through the Minkowski difference A - B, and the cast is
/// a ray cast against that one convex set (van den Bergen 2004, "Ray casting against general convex objects"). GJK runs
/// on A - B at the time t. Each support plane that it finds and that has the origin on its outer side clips the ray, so
/// that t moves forward to the plane.
///
///        A - B at time t                  plane, unit normal n from A to B, gap g
///      .--------.                |
///      |        |                |<- g ->o  the origin, moving (seen from A - B) by `translation` per time unit
///      '--------'                |              t += g / -(n . translation)
///
/// GJK's present simplex moves along with B, so the loop is one GJK search whose target moves. After each step t is a
/// proved lower bound of the time of contact.

#include <talus/narrowphase/shape_cast.h>
#include "common/bit_cast.h"
#include "narrowphase/epa/expand.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/support/minkowski.h"
#include "narrowphase/tolerances.h"

namespace talus::detail {

enum class ClipEnd : std::uint8_t {
    missed,
    at_start,  ///< the two are within reach at t = 0
    hit,
    cap,  ///< no contact before t; contact at t is not proved
};

struct Clip {
    ClipEnd end = ClipEnd::missed;
    double t = 0.0;
    dvec3 axis{0.0};  ///< unit, A to B: the last plane the ray was clipped by
    Search last;      ///< of the last GJK
    int iterations = 0;
};

/// Finds the first time t in [0, most] at which the cores of A and of B, the latter moved by t * translation, come
/// within `reach` of each other, to within `surface` (m). Moves `difference` to that time, and leaves its closest
/// simplex in `simplex`.
Clip clip_cast(MinkowskiDifference& difference, const dvec3& translation, double reach, double surface,
               Simplex& simplex, double most = 1.0);

/// Returns the distance that counts as touching in this cast, m: relative to the size, but never below the rounding of
/// the coordinates.
double cast_surface(const MinkowskiDifference& difference, const dvec3& translation);

/// Returns whether cores this far apart at the end define the normal. If they are nearer, or rounding may have moved
/// them past each other, the last plane that clipped the ray defines it.
inline bool names_normal(double distance, double size, double surface) {
    return distance > tolerance::cast_normal_distance * size && distance > surface;
}

/// Runs the whole cast. `difference` is at the start of the motion; `translation` is that of B in A's frame; `radii` is
/// the sum of both radii. A contact after the fraction `most` may be missed.
ShapeCastResult cast(MinkowskiDifference& difference, const dvec3& translation, double target, double radius_a,
                     double radii, double most = 1.0);

/// The same for two spheres, in closed form. B's centre starts at `from`.
ShapeCastResult cast_spheres(const dvec3& from, const dvec3& translation, double target, double radius_a,
                             double radius_b);

/// Returns when a point first enters the sphere around the origin, as a fraction of its translation; 0 if it starts
/// inside, infinity if it never does.
double time_into_sphere(const dvec3& from, const dvec3& translation, double radius);

/// Rounds x (>= 0) down to a float, so that a time that was proved to be before the contact stays so.
inline float round_down(double x) {
    const float f = static_cast<float>(x);
    return double(f) > x ? bit_cast<float>(bit_cast<std::uint32_t>(f) - 1u) : f;
}

}  // namespace talus::detail
