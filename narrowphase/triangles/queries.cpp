#include <talus/narrowphase/triangles/queries.h>

#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/casts/cast_unchecked.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/triangles/ray_on_triangles.h"
#include "narrowphase/triangles/surface_contact.h"
#include "narrowphase/triangles/sweep_past.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

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

TriangleRayHit TriangleSet::first_hit(const vec3& origin, const vec3& translation) const {
    detail::FirstHit first(origin, translation, is_two_sided());
    cast(origin, translation, vec3(0.0f), [&](std::uint32_t t, float most) {
        const std::array<vec3, 3> p = points(t);
        const detail::ShearedRay::Corners corners{&p[0].x, &p[1].x, &p[2].x};
        const detail::ShearedRay::Hits hits = first.ray.meet(corners, corners);
        if (hits.lanes == 0) return most;
        return first.offer(t, hits.fractions[0], most, [&] { return triangle(t).normal; });
    });
    return first.hit;
}

void TriangleSet::approach(const vec3& point, float max_distance, ApproachVisitor visit) const {
    // Searches in larger and larger boxes, until one contains the sphere up to the distance left.
    const vec3 size = bounds().upper - bounds().lower;
    const float extent = std::max({size.x, size.y, size.z}), to_set = distance_to(bounds(), point);
    std::vector<std::uint32_t> triangles;
    for (float reach = to_set + extent / 64.0f;; reach *= 2.0f) {
        const float limit = std::min(reach, max_distance);
        triangles.clear();
        find(expand(Aabb{point, point}, limit), triangles);
        for (const std::uint32_t t : triangles) max_distance = visit(t, max_distance);
        if (limit >= max_distance || limit > to_set + 2.0f * extent) return;
    }
}

TriangleRayHit ray_cast(const TriangleSet& set, const vec3& origin, const vec3& translation) {
    if (!is_finite(origin) || !is_finite(translation) || translation == vec3(0.0f)) return {};
    return set.first_hit(origin, translation);
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
    const vec3 half = half_extents(box);
    const float radius = shape.type == ShapeType::sphere ? half.x : std::sqrt(length_squared(half));
    const detail::SweepPast sweep(center(box), half, radius, translation, target);
    set.cast(center(box), translation, half + vec3(target), [&](std::uint32_t t, float most) {
        if (sweep.passes(set.points(t), most)) return most;
        const detail::PlacedTriangle placed = detail::place_triangle(set, t);
        const float height = glm::dot(middle - placed.middle - placed.shape.points[0], placed.surface.normal);
        if (!placed.surface.two_sided && height < 0.0f) return most;
        ShapeCastResult cast =
            detail::cast_unchecked(placed.shape, shape, moved(shape_in_set, -placed.middle), translation, target, most);
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
    if (distance_to(set.bounds(), point) > max_distance) return best;
    set.approach(point, max_distance, [&](std::uint32_t t, float limit) {
        const std::array<vec3, 3> p = set.points(t);
        const vec3 middle = detail::middle_of(p[0], p[1], p[2]);
        const Shape placed = triangle(p[0] - middle, p[1] - middle, p[2] - middle);
        const ClosedForm form = closed_form(placed, Shape{}, MatrixTransform{point - middle});
        const bool nearer = best.found ? form.separation < best.distance : form.separation <= limit;
        const bool lower = best.found && form.separation == best.distance && t < best.triangle;
        if (!nearer && !lower) return limit;
        best = {true, form.point_a + middle, form.separation, t};
        return form.separation;
    });
    return best;
}

}  // namespace talus
