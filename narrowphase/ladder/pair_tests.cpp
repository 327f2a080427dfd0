#include "narrowphase/ladder/pair_tests.h"

#include "narrowphase/analytic/box_axes.h"
#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/analytic/rims.h"
#include "narrowphase/epa/expand.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/contact_outcome.h"
#include "narrowphase/ladder/relative_motion.h"
#include "narrowphase/manifold/manifold_unchecked.h"
#include "narrowphase/support/core_support.h"
#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/axis_to_point.h"
#include "narrowphase/triangles/surface_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {
namespace {

/// Records a contact that was found between the two shapes. If one of them is a triangle of a surface and the normal is
/// not one of the surface's, the contact is looked for along the triangle's face instead.
void settle_contact(const CollideCall& call, const PairTest& test, const ClosedForm& contact, bool one_point) {
    const SurfacePair surface = surface_of(call, test);
    if (surface && !is_surface_contact(test, surface, contact.normal)) {
        touch_by_face(call, test, surface, contact.separation);
    } else if (one_point) {
        set_touching_at_point(call, test, contact);
    } else {
        set_touching_along(call, test, contact.normal, contact.point_a, contact.point_b);
    }
}

/// Records what a signed distance says: separated or a contact.
void settle_by_distance(const CollideCall& call, const PairTest& test, const ClosedForm& contact, bool one_point) {
    if (will_stay_apart(call, test, contact.separation, contact.normal, contact.point_a, contact.point_b)) {
        set_axis(*test.cache, contact.normal);
        set_separated(call, test, contact.separation);
    } else {
        settle_contact(call, test, contact, one_point);
    }
}

/// Tests boxes by their separating axes. Returns true if that settles the pair.
bool run_axes(const CollideCall& call, const PairTest& test, float limit) {
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    if (!call.settings.closed_form || !has_axes(a.type, b.type)) return false;
    const ByAxes r = by_axes(a, b, test.b_in_a, limit);
    if (r.status == AxesStatus::undecided) return false;
    settle_by_distance(call, test, r.answer, false);
    call.settle(*test.record, Rung::closed_form);
    return true;
}

/// Records the contact that EPA found between the cores.
void settle_by_epa(const CollideCall& call, const PairTest& test, const EpaResult& r) {
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const vec3 on_a = r.point_a + a.radius * r.normal, on_b = r.point_b - b.radius * r.normal;
    settle_contact(call, test, {-r.depth - a.radius - b.radius, r.normal, on_a, on_b}, false);
}

/// Returns whether a pair with a rim has moved so little since its normal was proved to be that of least depth that no
/// other one is less deep by more than axis_depth * thickness. (No depth changes by more than the pair moves.)
bool is_near_proof(const PairTest& test) {
    const PairRecord& record = *test.record;
    const float motion = motion_bound(test.cache->epa.reference, test.pose, record.radius_b);
    return 2.0f * motion <= tolerance::axis_depth * record.thickness;
}

/// Follows the normal n of a pair's last test to its new pose. One of the shapes must have a rim. `separation`: of the
/// shapes along n, m. Returns true if that settles the pair.
bool follow_rim(const CollideCall& call, const PairTest& test, const vec3& n, float separation) {
    PairRecord& record = *test.record;
    PairCache& cache = *test.cache;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const float shallow = tolerance::axis_depth * record.thickness, radii = a.radius + b.radius;
    ClosedForm contact;
    if (!has_rim_contact(a.type, b.type) || !rim_contact(a, b, test.b_in_a, n, cache.simplex, contact)) {
        // As long as the cores are apart, GJK finds the same, and only pairs near to each other need it.
        EpaResult r;
        if (record.state != PairState::touching || separation + radii > shallow || -separation > shallow ||
            !epa_along(a, b, test.b_in_a, n, cache.simplex, r))
            return false;
        count(call.profile.support_evaluations, r.support_evaluations);
        contact = {-r.depth - radii, r.normal, r.point_a + a.radius * r.normal, r.point_b - b.radius * r.normal};
    }
    // A minimum that is deeper than along n is another one. Of cores that are apart there is only one, so it is proved.
    if (-contact.separation > shallow || contact.separation < separation - tolerance::rim_rise * record.size)
        return false;
    if (contact.separation + radii > 0.0f) {
        cache.epa.reference = test.pose;
    } else if (-contact.separation > tolerance::axis_depth_of_edges * record.thickness && !is_near_proof(test)) {
        return false;
    }
    settle_by_distance(call, test, contact, false);
    call.settle(record, record.state == PairState::touching ? Rung::axis_touching : Rung::axis_separated);
    return true;
}

/// Settles a sphere or capsule and a triangle that are apart by more than the contact margin along the line from the
/// triangle to the other's middle. Of the triangles around such a shape that is most, for a quarter of the instructions
/// of the closed form.
bool are_round_and_triangle_apart(const CollideCall& call, const PairTest& test) {
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const bool is_a = a.type == ShapeType::triangle;
    const Shape &triangle = is_a ? a : b, &round = is_a ? b : a;
    if (triangle.type != ShapeType::triangle || (round.type != ShapeType::sphere && round.type != ShapeType::capsule))
        return false;
    const PairRecord& record = *test.record;
    const mat3& rotation = test.b_in_a.rotation;
    const vec3 middle = is_a ? test.b_in_a.position : transpose_mul(rotation, -test.b_in_a.position);
    const vec3 axis = axis_to_point(triangle.points, middle);
    float separation = gap_along(axis, triangle.points, middle) - round.radius - triangle.radius;
    if (round.type == ShapeType::capsule) {
        const vec3 along = is_a ? rotation[1] : vec3(rotation[0].y, rotation[1].y, rotation[2].y);
        separation -= round.half_extents.y * std::abs(glm::dot(axis, along));
    }
    constexpr float rounding = 1e-6f;
    const float reach = record.radius_a + record.radius_b + std::abs(separation);
    if (!(separation - rounding * reach > contact_margin(call.colliders, record))) return false;
    set_axis(*test.cache, is_a ? axis : -(rotation * axis));
    set_separated(call, test, separation - rounding * reach);
    return true;
}

}  // namespace

void run_closed_form(const CollideCall& call, const PairTest& test) {
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    if (!are_round_and_triangle_apart(call, test))
        settle_by_distance(call, test, closed_form(a, b, test.b_in_a),
                           a.type == ShapeType::sphere || b.type == ShapeType::sphere);
    call.settle(*test.record, Rung::closed_form);
    call.count_test(a, b);
}

void try_epa_face(const CollideCall& call, const PairTest& test) {
    PairRecord& record = *test.record;
    PairCache& cache = *test.cache;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const float motion = motion_bound(cache.epa.reference, test.pose, record.radius_b);
    const float other_depth = cache.epa.other_depth - motion;
    const float shallow = call.settings.axis ? tolerance::axis_depth * record.thickness : 0.0f;
    // The depth has changed by at most the motion, so it is known beforehand whether the bound or the depth can settle
    // the pair. A face that the origin has crossed proves nothing: it comes back reversed, as deep as the bound.
    const float rounding = static_cast<float>(tolerance::epa_witness) * (record.size + other_depth);
    const bool may_prove = other_depth > cache.epa.depth + motion, may_do = cache.epa.depth - motion <= shallow;
    EpaResult r;
    if (may_prove ? epa_again(a, b, test.b_in_a, cache.epa.face, r)
                  : may_do && epa_on_face(a, b, test.b_in_a, cache.epa.face, r)) {
        const bool proved = may_prove && r.depth <= other_depth - rounding;
        if (proved || r.depth <= shallow) {
            cache.epa.face = r.face;
            count(call.profile.support_evaluations, r.support_evaluations);
            settle_by_epa(call, test, r);
            call.settle(record, proved ? Rung::warm_epa : Rung::axis_touching);
            return;
        }
    }
    cache.epa.face.count = 0;
    call.queue_for_axis(test);
}

void try_axis(const CollideCall& call, const PairTest& test) {
    PairRecord& record = *test.record;
    PairCache& cache = *test.cache;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const SurfacePair surface = surface_of(call, test);
    if (surface && surface.triangle->face_only) {
        touch_by_face(call, test, surface, -std::numeric_limits<float>::infinity());
        call.settle(record, record.state == PairState::touching ? Rung::axis_touching : Rung::axis_separated);
        return;
    }
    const vec3 n = cache.axis_in_b ? test.b_in_a.rotation * cache.axis : cache.axis;
    const vec3 top = farthest_point(a, n, cache.simplex.a[0]) + a.radius * n;
    const vec3 n_in_b = transpose_mul(test.b_in_a.rotation, n);
    const vec3 bottom = transform_point(test.b_in_a, farthest_point(b, -n_in_b, cache.simplex.b[0])) - b.radius * n;
    count(call.profile.support_evaluations, 2);
    const float separation = glm::dot(bottom - top, n);
    if (will_stay_apart(call, test, separation, n, top, bottom)) {
        set_separated(call, test, separation);
        call.settle(record, Rung::axis_separated);
        return;
    }
    const auto curved = [&] { return is_curved(a) || is_curved(b); };  // asked late, because most pairs are not
    // If the axis is a face's normal and the depth along it is shallow, the contact is on that face and EPA is not
    // needed. If the two faces do not overlap, the contact is elsewhere.
    if (cache.axis_is_face && separation >= -tolerance::axis_depth * record.thickness &&
        (!surface || surface.has_normal(n))) {
        const vec3 on_b = cache.axis_in_b ? top + separation * n : bottom;
        const Manifold manifold = make_manifold_unchecked(a, b, test.b_in_a, n, on_b - separation * n, on_b,
                                                          margin_along(call, test, n), cache.hints);
        count(call.profile.manifolds_built);
        const bool shallow =
            separation >= -tolerance::axis_depth_of_edges * record.thickness || (curved() && is_near_proof(test));
        if (manifold.overlaps && (shallow || manifold.count > 2)) {
            set_touching(call, test, manifold);
            call.settle(record, Rung::axis_touching);
            return;
        }
    }
    if (curved() && (!surface || record.state == PairState::touching) && follow_rim(call, test, n, separation)) return;
    call.queue_for_gjk(test);
}

void run_gjk(const CollideCall& call, const PairTest& test, Rung rung) {
    PairRecord& record = *test.record;
    PairCache& cache = *test.cache;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const float radii = a.radius + b.radius;
    // Beyond the margin a lower bound of the distance will do. A limit of more than twice the margin leaves a gap that
    // lets the next frames skip the pair.
    const float limit = radii + 2.0f * contact_margin(call.colliders, record) + tolerance::skip_reserve * record.size;
    if (rung == Rung::cold_gjk && run_axes(call, test, limit)) return;
    const GjkResult r = gjk_unchecked(a, b, test.b_in_a, cache.simplex, limit);
    count(call.profile.gjk_queries);
    count(call.profile.gjk_iterations, r.iterations);
    count(call.profile.support_evaluations, r.support_evaluations);
    count(call.profile.gjk_histogram[std::min<std::size_t>(r.iterations, call.profile.gjk_histogram.size() - 1)]);
    call.count_test(a, b);
    if (r.status == GjkStatus::iteration_cap) count(call.profile.gjk_cap_hits);
    const Rung settled = rung == Rung::warm_gjk && !r.warm ? Rung::cold_gjk : rung;

    if (r.status == GjkStatus::overlapping) {
        call.lists.epa.push_back(test);
        return;
    }
    set_axis(cache, r.normal);
    if (is_curved(a) || is_curved(b)) cache.epa.reference = test.pose;
    const vec3 on_a = r.point_a + a.radius * r.normal, on_b = r.point_b - b.radius * r.normal;
    if (r.status == GjkStatus::beyond_limit || will_stay_apart(call, test, r.distance - radii, r.normal, on_a, on_b)) {
        set_separated(call, test, r.lower_bound - radii);
    } else {
        settle_contact(call, test, {r.distance - radii, r.normal, on_a, on_b}, false);
    }
    call.settle(record, settled);
}

void run_epa(const CollideCall& call, const PairTest& test) {
    PairRecord& record = *test.record;
    PairCache& cache = *test.cache;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    if (run_axes(call, test, std::numeric_limits<float>::infinity())) return;
    const EpaResult r = epa_unchecked(a, b, test.b_in_a, cache.simplex);
    count(call.profile.epa_queries);
    count(call.profile.epa_iterations, r.iterations);
    count(call.profile.support_evaluations, r.support_evaluations);
    count(call.profile.epa_histogram[std::min<std::size_t>(r.iterations / 4u, call.profile.epa_histogram.size() - 1)]);
    if (r.status == EpaStatus::out_of_memory) count(call.profile.epa_cap_hits);
    cache.epa.face = r.face;
    if (!(r.other_depth > r.depth)) cache.epa.face.count = 0;
    cache.epa.depth = r.depth;
    cache.epa.other_depth = r.other_depth;
    cache.epa.reference = test.pose;
    settle_by_epa(call, test, r);
    call.settle(record, Rung::cold_epa);
}

}  // namespace talus::detail
