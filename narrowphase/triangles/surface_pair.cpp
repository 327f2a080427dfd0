#include "narrowphase/triangles/surface_pair.h"

#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/contact_outcome.h"
#include "narrowphase/manifold/manifold_unchecked.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {
namespace {

/// Returns a point on the side of the surface where the other shape belongs (triangle's frame): its middle, unless that
/// was pressed through the surface.
vec3 home_of(const SurfacePair& s) {
    return s.triangle->pressed_through ? s.triangle->side_point : s.to_triangle(vec3(inside_of(*s.other)));
}

/// Returns the face's normal on the side where the other shape is pushed back (triangle's frame), or zero if the
/// surface lets it through. The side of the last test's contact is kept, however deep the shape has been pressed in
/// since.
vec3 contact_side(const PairTest& test, const SurfacePair& s) {
    const vec3& n = s.triangle->normal;
    const auto side_of = [&](const vec3& place) {
        return glm::dot(place - s.shape->points[0], n) >= 0.0f ? n : s.triangle->two_sided ? -n : vec3(0.0f);
    };
    if (s.triangle->pressed_through) return side_of(s.triangle->side_point);
    const Manifold& last = test.cache->manifold;
    const bool touched = test.record->state == PairState::touching && last.count != 0;
    const float before = touched ? glm::dot(s.from_ab(last.normal), n) : 0.0f;
    if (before >= tolerance::surface_held) return n;
    if (before <= -tolerance::surface_held && s.triangle->two_sided) return -n;
    return side_of(home_of(s));
}

/// Returns how far the other shape is beside the triangle, by the planes across the triangle's edges. At most 0: it may
/// be over the triangle. For a sphere only the centre counts, which is above the sphere's lowest point.
float distance_beside(const CollideCall& call, const SurfacePair& s) {
    const vec3& n = s.triangle->normal;
    const bool is_point = s.other->type == ShapeType::sphere;
    float beside = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < 3; ++i) {
        const vec3 &p = s.shape->points[i], &q = s.shape->points[(i + 1) % 3];
        const vec3 across = glm::cross(q - p, n);
        const float length = std::sqrt(length_squared(across));
        if (!(length > 0.0f)) continue;
        const vec3 out = across / length;
        const vec3 nearest = is_point ? s.to_triangle(vec3(0.0f)) : s.lowest(out);
        beside = std::max(beside, glm::dot(nearest - p, out));
    }
    count(call.profile.support_evaluations, is_point ? 0 : 3);
    const float boundary = tolerance::contact_boundary * s.other->radius;
    return is_point ? beside - boundary : beside;
}

/// Records no contact, because the other shape is not over the triangle. `gap`: a lower bound of their distance.
/// `beside`: by distance_beside().
///
/// A triangle whose contacts are along its face only is not tested again until the shape may have moved by its distance
/// beside the triangle, or by the motion up to which contacts are reused. Until then the neighbouring triangles carry
/// the contact. (Of the contact margin only the part counts that it always has. The rest may become less before the
/// shape has come over the triangle, which would then be skipped still.)
void leave_to_neighbours(const CollideCall& call, const PairTest& test, const SurfacePair& s, float gap, float beside) {
    const PairRecord& record = *test.record;
    const bool is_sphere = s.other->type == ShapeType::sphere;
    gap = std::max(gap, is_sphere ? beside - s.other->radius : beside);
    if (s.triangle->face_only) {
        float apart = std::max(beside, tolerance::reuse_motion * record.thickness);
        if (!s.is_a) {
            // The pair's motion is that of the triangle's points, seen from the other shape. From a large ball that
            // rolls, they hardly move, while the triangle's normal turns: the ball's points come over the triangle
            // sooner, by as much as they are farther from its middle than its own.
            const float arm = std::sqrt(length_squared(test.pose.position)) + (is_sphere ? 0.0f : record.radius_a);
            apart *= std::min(1.0f, record.radius_b / arm);
        }
        gap = std::max(gap, apart + margin_for(record, 0.0f));
    }
    set_separated(call, test, gap);
}

}  // namespace

bool is_surface_contact(const PairTest& test, const SurfacePair& s, const vec3& normal) {
    const vec3 d = s.from_ab(normal);
    if (!is_surface_normal(*s.shape, *s.triangle, d)) return false;
    // On a two-sided surface the normal may push the shape out on the wrong side, if it is in by more than half.
    return !s.triangle->two_sided || std::abs(glm::dot(d, s.triangle->normal)) < tolerance::surface_face ||
           glm::dot(d, contact_side(test, s)) > 0.0f;
}

void touch_by_face(const CollideCall& call, const PairTest& test, const SurfacePair& s, float apart) {
    PairCache& cache = *test.cache;
    const vec3 n = contact_side(test, s);
    if (n == vec3(0.0f)) {
        set_separated(call, test, apart);
        return;
    }
    const vec3 low = s.lowest(n);
    const float separation = glm::dot(low - s.shape->points[0], n);
    count(call.profile.support_evaluations);
    const vec3 along = s.to_ab(n), foot = low - separation * n;
    const vec3 on_a = s.point_to_a(s.is_a ? foot : low), on_b = s.point_to_a(s.is_a ? low : foot);
    set_axis(cache, n);
    cache.axis_in_b = !s.is_a;
    if (will_stay_apart(call, test, separation, along, on_a, on_b)) {
        set_separated(call, test, std::max(apart, separation));
        return;
    }
    const bool is_behind = separation < -test.record->size && glm::dot(s.lowest(-n) - foot, n) < 0.0f;
    if (is_behind) {  // the whole shape
        set_separated(call, test, apart);
        return;
    }
    const float beside = distance_beside(call, s);
    if (beside > 0.0f) {
        leave_to_neighbours(call, test, s, apart, beside);
        return;
    }
    if (s.other->type == ShapeType::sphere) {
        set_touching_at_point(call, test, {separation, along, on_a, on_b});
        return;
    }
    // The given pair of points is too far apart to be a contact point itself, so that only the part over the triangle
    // counts.
    const float margin = margin_along(call, test, along);
    Manifold manifold =
        make_manifold_unchecked(call.shape_a(test), call.shape_b(test), test.b_in_a, along, on_a,
                                on_a + 2.0f * (margin + std::abs(separation)) * along, margin, cache.hints);
    count(call.profile.manifolds_built);
    Shape grown;
    const vec3 middle = home_of(s);
    if (manifold.count == 0 && grow_to_hollow_edges(*s.shape, *s.triangle, n, low, middle, test.record->size, grown)) {
        manifold = make_manifold_unchecked(s.is_a ? grown : call.shape_a(test), s.is_a ? call.shape_b(test) : grown,
                                           test.b_in_a, along, on_a, on_b, margin, cache.hints);
        count(call.profile.manifolds_built);
    }
    manifold.face_owner = s.is_a ? FaceOwner::a : FaceOwner::b;
    if (manifold.count == 0) {
        leave_to_neighbours(call, test, s, apart, -std::numeric_limits<float>::infinity());
        return;
    }
    set_touching(call, test, manifold);
    cache.axis_is_face = test.record->state == PairState::touching;
}

}  // namespace talus::detail
