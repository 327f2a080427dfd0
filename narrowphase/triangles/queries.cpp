#include <talus/narrowphase/triangles/queries.h>

#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/casts/cast_unchecked.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using glm::dvec3;

/// A ray sheared so that it goes along +z. All triangles are sheared in the same way, so that the edges and corners
/// that two of them share have the same bits.
class ShearedRay {
public:
    ShearedRay(const vec3& origin, const vec3& translation) : origin_(origin) {
        const dvec3 d(translation), size = absolute(d);
        z_ = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        x_ = (z_ + 1) % 3;
        y_ = (z_ + 2) % 3;
        shear_x_ = d[x_] / d[z_];
        shear_y_ = d[y_] / d[z_];
        inverse_z_ = 1.0 / d[z_];
    }

    /// Returns the fraction at which the ray hits the triangle, or a negative number.
    double meet(const std::array<vec3, 3>& points) const {
        double x[3], y[3], z[3];
        for (int i = 0; i < 3; ++i) {
            const dvec3 p = dvec3(points[static_cast<std::size_t>(i)]) - origin_;
            x[i] = p[x_] - shear_x_ * p[z_];
            y[i] = p[y_] - shear_y_ * p[z_];
            z[i] = p[z_] * inverse_z_;
        }
        const double u = x[2] * y[1] - y[2] * x[1];
        const double v = x[0] * y[2] - y[0] * x[2];
        const double w = x[1] * y[0] - y[1] * x[0];
        if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return -1.0;
        const double sum = u + v + w;
        if (sum == 0.0) return -1.0;  // seen edge on
        return (u * z[0] + v * z[1] + w * z[2]) / sum;
    }

private:
    dvec3 origin_;
    int x_, y_, z_;
    double shear_x_, shear_y_, inverse_z_;
};

/// Returns the box of a shape in the set's frame.
Aabb box_in_set(const Shape& shape, const MatrixTransform& frame) { return transform_box(frame, bounds(shape)); }

MatrixTransform moved(const MatrixTransform& frame, const vec3& by) {
    MatrixTransform result = frame;
    result.position += by;
    return result;
}

bool touch(const Shape& triangle, const Shape& shape, const MatrixTransform& frame) {
    if (has_closed_form(triangle.type, shape.type)) return closed_form(triangle, shape, frame).separation <= 0.0f;
    SimplexCache cache;
    const GjkResult near = detail::gjk_unchecked(triangle, shape, frame, cache, shape.radius);
    return near.status == GjkStatus::overlapping || near.distance <= shape.radius;
}

}  // namespace

TriangleRayHit ray_cast(const TriangleSet& set, const vec3& origin, const vec3& translation) {
    TriangleRayHit best;
    if (!is_finite(origin) || !is_finite(translation) || translation == vec3(0.0f)) return best;
    const ShearedRay ray(origin, translation);
    double least = 2.0;
    set.cast(origin, translation, vec3(0.0f), [&](std::uint32_t t, float most) {
        const double fraction = ray.meet(set.points(t));
        if (!(fraction >= 0.0) || fraction > 1.0 || fraction > least || (fraction == least && t > best.triangle))
            return most;
        const SetTriangle triangle = set.triangle(t);
        const double along = glm::dot(dvec3(triangle.normal), dvec3(translation));
        if (!set.is_two_sided() && along >= 0.0) return most;
        least = fraction;
        best = {true, static_cast<float>(fraction), along > 0.0 ? -triangle.normal : triangle.normal, t};
        return std::nextafter(best.fraction, 2.0f);  // so that equally near triangles are still compared
    });
    return best;
}

TriangleCastResult shape_cast(const TriangleSet& set, const Shape& shape, const MatrixTransform& shape_in_set,
                              const vec3& translation, float target_distance) {
    TriangleCastResult best;
    if (!detail::is_usable(shape) || !detail::is_usable(shape_in_set) || !is_finite(translation) ||
        !is_finite(target_distance)) {
        best.cast.status = CastStatus::bad_input;
        return best;
    }
    const Aabb box = box_in_set(shape, shape_in_set);
    if (!is_finite(box.lower) || !is_finite(box.upper)) return best;
    const float target = target_distance > 0.0f ? target_distance : 0.0f;
    const vec3 middle = transform_point(shape_in_set, vec3(detail::inside_of(shape)));
    set.cast(center(box), translation, half_extents(box) + vec3(target), [&](std::uint32_t t, float most) {
        const detail::PlacedTriangle placed = detail::place_triangle(set, t);
        const float height = glm::dot(middle - placed.middle - placed.shape.points[0], placed.surface.normal);
        if (!placed.surface.two_sided && height < 0.0f) return most;
        ShapeCastResult cast =
            detail::cast_unchecked(placed.shape, shape, moved(shape_in_set, -placed.middle), translation, target);
        if (!cast) return most;
        const bool first = !best || cast.fraction < best.cast.fraction;
        const bool deeper =
            best && cast.fraction == best.cast.fraction &&
            (cast.separation < best.cast.separation || (cast.separation == best.cast.separation && t < best.triangle));
        if (!first && !deeper) return most;
        if (!detail::is_surface_normal(placed.shape, placed.surface, cast.normal))
            cast.normal = height < 0.0f ? -placed.surface.normal : placed.surface.normal;
        cast.point_a += placed.middle;
        cast.point_b += placed.middle;
        best = {cast, t};
        return std::min(most, std::nextafter(cast.fraction, 2.0f));
    });
    return best;
}

bool overlaps(const TriangleSet& set, const Shape& shape, const MatrixTransform& shape_in_set) {
    if (!detail::is_usable(shape) || !detail::is_usable(shape_in_set)) return false;
    const Aabb box = box_in_set(shape, shape_in_set);
    if (!is_finite(box.lower) || !is_finite(box.upper)) return false;
    bool found = false;
    set.cast(center(box), vec3(0.0f), half_extents(box), [&](std::uint32_t t, float) {
        const detail::PlacedTriangle placed = detail::place_triangle(set, t);
        found = touch(placed.shape, shape, moved(shape_in_set, -placed.middle));
        return found ? -1.0f : 1.0f;
    });
    return found;
}

NearestOnTriangles nearest(const TriangleSet& set, const vec3& point, float max_distance) {
    NearestOnTriangles best;
    if (!is_finite(point) || !(max_distance >= 0.0f)) return best;
    // Searches in larger and larger boxes, until one contains the sphere up to the nearest point found.
    const vec3 size = set.bounds().upper - set.bounds().lower;
    const float extent = std::max({size.x, size.y, size.z});
    const float to_set = distance_to(set.bounds(), point);
    if (to_set > max_distance) return best;
    std::vector<std::uint32_t> triangles;
    for (float reach = to_set + extent / 64.0f;; reach *= 2.0f) {
        const float limit = std::min(reach, max_distance);
        triangles.clear();
        set.find(expand(Aabb{point, point}, limit), triangles);
        for (const std::uint32_t t : triangles) {
            const detail::PlacedTriangle placed = detail::place_triangle(set, t);
            const ClosedForm form = closed_form(placed.shape, Shape{}, MatrixTransform{point - placed.middle});
            if (best.found && form.separation >= best.distance) continue;
            best = {true, form.point_a + placed.middle, form.separation, t};
        }
        if (best.found && best.distance <= limit) return best;
        if (limit >= max_distance || limit > to_set + 2.0f * extent) break;
    }
    if (best.found && best.distance > max_distance) best = {};
    return best;
}

}  // namespace talus
