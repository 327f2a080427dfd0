#include <talus/narrowphase/ray_cast.h>

#include <talus/narrowphase/minkowski.h>

#include <cmath>

namespace talus {

namespace {

using namespace detail;

RayHit cast_on_sphere(double radius, const dvec3& origin, const dvec3& translation) {
    // |o + t d|^2 = r^2, t = (-b - sqrt(b^2 - a c)) / a with the smaller root in its stable form.
    RayHit hit;
    const double c = glm::dot(origin, origin) - radius * radius;
    if (c <= 0.0) {
        hit.hit = true;
        return hit;
    }
    const double a = glm::dot(translation, translation), b = glm::dot(origin, translation);
    if (b >= 0.0) return hit;
    // b^2 - a c by the distance of the ray's line from the centre: does not cancel for far origins.
    const dvec3 across = glm::cross(origin, translation);
    const double discriminant = radius * radius * a - glm::dot(across, across);
    if (discriminant < 0.0) return hit;
    const double t = c / (-b + std::sqrt(discriminant));
    if (t > 1.0) return hit;
    hit.hit = true;
    hit.fraction = static_cast<float>(t);
    const dvec3 n = origin + t * translation;
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

RayHit cast_on_core(const Shape& shape, const dvec3& origin, const dvec3& translation) {
    RayHit hit;
    const double radius = shape.radius;
    const double surface = tolerance::ray_surface * size_of(shape);
    const Shape point;  // the ray's current point: a core that is a point
    MinkowskiDifference difference(shape, point, Frame{});
    difference.size = size_of(shape);

    Simplex simplex;
    double t = 0.0;
    dvec3 normal(0.0);
    for (int clip = 0; clip < tolerance::ray_max_clips; ++clip) {
        // Re-base last time's simplex on the point's new place.
        difference.position = origin + t * translation;
        for (int i = 0; i < simplex.count; ++i) simplex.vertex[i].w = simplex.vertex[i].a - difference.position;
        if (simplex.count > 0) reduce(simplex, 0);
        const Search search = find_closest(difference, simplex, std::numeric_limits<double>::infinity());
        if (search.outcome == Outcome::overlapping) break;
        if (clip > 0 && radius > 0.0)
            normal = -simplex.y / std::sqrt(simplex.yy);  // on a bare core y has no length left
        if (std::sqrt(simplex.vv) - radius <= surface) break;

        // The shape lies behind the plane at right angles to `axis`, `gap` away from the point: the ray is clear up to
        // there.
        const dvec3 axis = search.axis / std::sqrt(glm::dot(search.axis, search.axis));
        const double gap = search.lower_bound - radius, approach = -glm::dot(axis, translation);
        if (!(gap > 0.0)) break;
        if (!(approach > 0.0)) return RayHit{};
        t += gap / approach;
        if (!(t <= 1.0)) return RayHit{};
        normal = axis;
    }
    hit.hit = true;
    hit.fraction = static_cast<float>(t);
    hit.normal = vec3(normal);
    return hit;
}

}  // namespace

RayHit ray_cast(const Shape& shape, const vec3& origin, const vec3& translation) {
    if (!is_finite(origin) || !is_finite(translation)) return RayHit{};
    const dvec3 o(origin), d(translation);
    if (shape.type == ShapeType::sphere) return cast_on_sphere(shape.radius, o, d);
    if (shape.type == ShapeType::box) return cast_on_box(dvec3(shape.half_extents), o, d);
    return cast_on_core(shape, o, d);
}

}  // namespace talus
