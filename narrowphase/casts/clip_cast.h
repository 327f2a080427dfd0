#pragma once
/// Internal: the one loop of all linear casts, and the rounding of their answers.
///
/// B moves along a line, A stands still. Then the origin moves through the Minkowski difference A - B, and the cast is
/// a ray cast against that one convex set (van den Bergen 2004, "Ray casting against general convex objects"): GJK runs
/// on A - B as it is at the time t, and each support plane that it meets and that has the origin on its outer side
/// clips the ray, so that t moves up to the plane.
///
///        A - B at time t                  plane, unit normal n from A to B, gap g
///      .--------.                |
///      |        |                |<- g ->o  the origin, moving (seen from A - B) by `translation` a time unit
///      '--------'                |              t += g / -(n . translation)
///
/// Whatever simplex GJK has by then is carried along with B's move, so the loop is one GJK whose goal moves. t is a
/// proved lower bound of the time of contact after each step, whatever happens later.

#include <talus/narrowphase/shape_cast.h>
#include "narrowphase/epa/expand.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/support/minkowski.h"
#include "narrowphase/tolerances.h"

#include <bit>

namespace talus::detail {

enum class ClipEnd : std::uint8_t {
    missed,
    at_start,  ///< the two are within reach at t = 0
    hit,
    cap,  ///< t is proved, contact is not
};

struct Clip {
    ClipEnd end = ClipEnd::missed;
    double t = 0.0;
    dvec3 axis{0.0};  ///< unit, A to B: the last plane the ray was clipped by
    Search last;      ///< of the last GJK
    int iterations = 0;
};

/// The first time t in [0, 1] at which the cores of A and of B, the latter moved by t * translation, come within
/// `reach` of each other, to within `surface` (m). Moves `difference` there and leaves its closest simplex.
Clip clip_cast(MinkowskiDifference& difference, const dvec3& translation, double reach, double surface,
               Simplex& simplex);

/// How near counts as touching for this cast, m: relative to the size, but never below the rounding of the coordinates.
double cast_surface(const MinkowskiDifference& difference, const dvec3& translation);

/// Whether cores this far apart at the end name the normal between them; nearer ones, or those that rounding may have
/// moved past each other, leave it to the last plane that clipped the ray.
inline bool names_normal(double distance, double size, double surface) {
    return distance > tolerance::cast_normal_distance * size && distance > surface;
}

/// The whole cast, from the difference at its start on; `translation` is B's, in A's frame, `radii` the sum of both.
ShapeCastResult cast(MinkowskiDifference& difference, const dvec3& translation, double target, double radius_a,
                     double radii);

/// The same for two spheres in closed form, B's centre at `from`.
ShapeCastResult cast_spheres(const dvec3& from, const dvec3& translation, double target, double radius_a,
                             double radius_b);

/// When a point first comes into the sphere around the origin, in units of its translation; 0 from inside, infinity for
/// never.
double time_into_sphere(const dvec3& from, const dvec3& translation, double radius);

/// The float not above x (x >= 0): a time that was proved to be before the contact stays so.
inline float round_down(double x) {
    const float f = static_cast<float>(x);
    return double(f) > x ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) - 1u) : f;
}

}  // namespace talus::detail
