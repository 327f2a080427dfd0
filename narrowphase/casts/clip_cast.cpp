#include "narrowphase/casts/clip_cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

double cast_surface(const MinkowskiDifference& difference, const dvec3& translation) {
    const dvec3 between = difference.between_middles();
    return tolerance::cast_surface * difference.size +
           tolerance::cast_rounding *
               (std::sqrt(glm::dot(between, between)) + std::sqrt(glm::dot(translation, translation)));
}

double time_into_sphere(const dvec3& from, const dvec3& translation, double radius) {
    // |o + t d|^2 = r^2, t = (-b - sqrt(b^2 - a c)) / a with the smaller root in its stable form.
    const double c = glm::dot(from, from) - radius * radius;
    if (c <= 0.0) return 0.0;
    const double a = glm::dot(translation, translation), b = glm::dot(from, translation);
    if (b >= 0.0) return std::numeric_limits<double>::infinity();
    // b^2 - a c from the distance of the ray's line from the centre, so that nothing cancels for far origins.
    const dvec3 across = glm::cross(from, translation);
    const double discriminant = radius * radius * a - glm::dot(across, across);
    if (discriminant < 0.0) return std::numeric_limits<double>::infinity();
    return c / (-b + std::sqrt(discriminant));
}

Clip clip_cast(MinkowskiDifference& difference, const dvec3& translation, double reach, double surface,
               Simplex& simplex, double most) {
    const dvec3 start = difference.position;
    const double share =
        difference.core_a.curved || difference.core_b.curved ? tolerance::cast_share_curved : tolerance::cast_share;
    Clip clip;
    for (int step = 0; step < tolerance::cast_max_clips; ++step) {
        // The first plane that is worth a step ends the search: the best one is not needed yet.
        const double apart = simplex.count > 0 ? std::sqrt(simplex.vv) - reach : 0.0;
        clip.last = find_closest(difference, simplex, reach + std::max(share * apart, surface));
        clip.iterations += clip.last.iterations;
        const double gap = clip.last.lower_bound - reach;
        if (clip.last.outcome == Outcome::overlapping || !(gap > surface)) {
            // The shapes may have arrived although the bound does not prove it yet: their nearest points tell.
            const bool arrived =
                clip.last.outcome != Outcome::iteration_cap || std::sqrt(simplex.vv) - reach <= surface;
            clip.end = !arrived ? ClipEnd::cap : clip.t > 0.0 ? ClipEnd::hit : ClipEnd::at_start;
            return clip;
        }
        const dvec3 axis = clip.last.axis / std::sqrt(glm::dot(clip.last.axis, clip.last.axis));
        const double approach = -glm::dot(axis, translation);
        if (!(approach > 0.0) || gap - surface > approach * (most - clip.t)) {  // a touch at the end is one
            clip.end = ClipEnd::missed;
            return clip;
        }
        clip.axis = axis;
        clip.t = std::min(clip.t + gap / approach, 1.0);
        // Carry the simplex along: its points of B moved, those of A didn't.
        const dvec3 position = start + clip.t * translation, moved = position - difference.position;
        difference.position = position;
        for (int i = 0; i < simplex.count; ++i) simplex.vertex[i].w -= moved;
        reduce(simplex, 0);
    }
    clip.end = ClipEnd::cap;
    return clip;
}

ShapeCastResult cast(MinkowskiDifference& difference, const dvec3& translation, double target, double radius_a,
                     double radii, double most) {
    ShapeCastResult result;
    const double surface = cast_surface(difference, translation);
    Simplex simplex;
    const Clip clip = clip_cast(difference, translation, radii + target, surface, simplex, most);
    result.iterations = static_cast<std::uint16_t>(clip.iterations);
    if (clip.end == ClipEnd::missed) return result;

    const double distance = std::sqrt(simplex.vv);  // between the cores
    const bool overlapping = clip.last.outcome == Outcome::overlapping;
    dvec3 normal = clip.axis, on_a = simplex.on_a();
    double separation = distance - radii;
    if (clip.t == 0.0 && overlapping) {
        const EpaResult deep = expand(difference, simplex);
        normal = dvec3(deep.normal);
        on_a = dvec3(deep.point_a);
        separation = -double(deep.depth) - radii;
        result.iterations = static_cast<std::uint16_t>(clip.iterations + deep.iterations);
    } else if (!overlapping && (clip.t == 0.0 || names_normal(distance, difference.size, surface))) {
        // Cores without radius that have met define no direction; then the last clipping plane gives the normal.
        normal = -simplex.y / std::sqrt(simplex.yy);
    }
    switch (clip.end) {
        case ClipEnd::at_start:
            result.status = CastStatus::initially_overlapping;
            break;
        case ClipEnd::hit:
            result.status = CastStatus::hit;
            break;
        default:
            result.status = CastStatus::iteration_cap;
            break;
    }
    result.fraction = round_down(clip.t);
    result.separation = static_cast<float>(separation);
    result.normal = vec3(normal);
    const dvec3 point_a = on_a + radius_a * normal;
    result.point_a = vec3(point_a);
    result.point_b = vec3(point_a + separation * normal);
    return result;
}

ShapeCastResult cast_spheres(const dvec3& from, const dvec3& translation, double target, double radius_a,
                             double radius_b) {
    ShapeCastResult result;
    const double t = time_into_sphere(from, translation, radius_a + radius_b + target);
    if (!(t <= 1.0)) return result;
    const dvec3 between = from + t * translation;
    const double distance = std::sqrt(glm::dot(between, between));
    // Concentric spheres can be separated along any direction; GJK uses the same one for coinciding points.
    const dvec3 normal = distance > 0.0 ? between / distance : dvec3(0.0, 1.0, 0.0);
    result.status = t > 0.0 ? CastStatus::hit : CastStatus::initially_overlapping;
    result.fraction = round_down(t);
    result.separation = static_cast<float>(distance - radius_a - radius_b);
    result.normal = vec3(normal);
    result.point_a = vec3(radius_a * normal);
    result.point_b = vec3((distance - radius_b) * normal);
    return result;
}

}  // namespace talus::detail
