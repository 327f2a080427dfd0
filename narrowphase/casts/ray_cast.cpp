#include <talus/narrowphase/ray_cast.h>

#include "narrowphase/casts/clip_cast.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/finite_mapping.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;

/// Returns the normal where a ray enters a sphere about the origin that is too small for the point of the hit to give
/// it: the part across the ray from the distance of its line from the centre, the part along the ray from the radius.
dvec3 normal_of_small_sphere(double radius, const dvec3& origin, const dvec3& translation) {
    const double length = std::sqrt(glm::dot(translation, translation));
    const dvec3 along = translation / length;
    if (radius == 0.0) return -along;
    const dvec3 across = glm::cross(along, glm::cross(origin, along)) / radius;
    return across - std::sqrt(std::max(1.0 - glm::dot(across, across), 0.0)) * along;
}

RayHit cast_on_sphere(double radius, const dvec3& origin, const dvec3& translation) {
    RayHit hit;
    const double t = time_into_sphere(origin, translation, radius);
    if (!(t <= 1.0)) return hit;
    hit.hit = true;
    hit.fraction = static_cast<float>(t);
    if (t == 0.0) return hit;
    const bool small = radius < tolerance::cast_sphere_radius * std::sqrt(glm::dot(origin, origin));
    const dvec3 n = small ? normal_of_small_sphere(radius, origin, translation) : origin + t * translation;
    hit.normal = vec3(n / std::sqrt(glm::dot(n, n)));
    return hit;
}

RayHit cast_on_box(const dvec3& half, const dvec3& origin, const dvec3& translation) {
    // The ray is inside from the last entry to the first exit over the three slabs.
    RayHit hit;
    double enter = 0.0, leave = 1.0;
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
        const double o = origin[i], d = translation[i];
        if (d == 0.0) {
            if (std::abs(o) > half[i]) return hit;
            continue;
        }
        const double side = d > 0.0 ? half[i] : -half[i];
        const double in = (-side - o) / d, out = (side - o) / d;
        if (in > enter) {
            enter = in;
            axis = i;
        }
        leave = std::min(leave, out);
    }
    if (enter > leave) return hit;
    hit.hit = true;
    hit.fraction = static_cast<float>(enter);
    if (axis >= 0) hit.normal[axis] = translation[axis] > 0.0 ? -1.0f : 1.0f;
    return hit;
}

/// `difference` is that of the target and a point, the start of the ray; `radius` is the target's.
RayHit cast_on_core(MinkowskiDifference& difference, double size, double radius, const dvec3& translation) {
    RayHit hit;
    difference.size = size;
    Simplex simplex;
    const double surface = cast_surface(difference, translation);
    const Clip clip = clip_cast(difference, translation, radius, surface, simplex);
    if (clip.end == ClipEnd::missed) return hit;
    hit.hit = true;
    hit.fraction = static_cast<float>(clip.t);
    if (clip.end == ClipEnd::at_start) return hit;
    const bool apart = clip.last.outcome != Outcome::overlapping;
    const bool direct = apart && names_normal(std::sqrt(simplex.vv), size, surface);
    hit.normal = vec3(direct ? -simplex.y / std::sqrt(simplex.yy) : clip.axis);
    return hit;
}

}  // namespace

RayHit ray_cast(const Shape& shape, const vec3& origin, const vec3& translation) {
    if (!is_usable(shape) || !is_finite(origin) || !is_finite(translation)) return {.bad_input = true};
    const dvec3 o(origin), d(translation);
    if (shape.type == ShapeType::sphere) return cast_on_sphere(shape.radius, o, d);
    if (shape.type == ShapeType::box && shape.radius == 0.0f) return cast_on_box(dvec3(shape.half_extents), o, d);
    const Shape point;
    MinkowskiDifference difference(shape, point, MatrixTransform{origin, mat3(1.0f)});
    return cast_on_core(difference, size_of(shape), shape.radius, d);
}

RayHit ray_cast(const SupportMapping& mapping, const vec3& origin, const vec3& translation) {
    if (!is_finite(origin) || !is_finite(translation)) return {.bad_input = true};
    const PointCloud point({&origin, 1});
    const FiniteMapping target(mapping);
    MinkowskiDifference difference(target, point);
    const RayHit hit = cast_on_core(difference, difference.size, 0.0, dvec3(translation));
    return target.is_valid() ? hit : RayHit{.bad_input = true};
}

}  // namespace talus
