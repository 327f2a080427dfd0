#include "narrowphase/ladder/contact_outcome.h"

#include <talus/narrowphase/mapping_solid.h>
#include "common/assert.h"
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/reuse.h"
#include "narrowphase/manifold/large_round.h"
#include "narrowphase/manifold/manifold_unchecked.h"
#include "narrowphase/manifold/sliver.h"
#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/surface_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {
namespace {

/// Stores the state and the pose that a test has found.
void set_tested(const CollideCall& call, const PairTest& test, PairState state) {
    PairRecord& record = *test.record;
    record.state = state;
    record.reference = test.pose;
    record.stamp = call.stamp_of(record);
}

/// Builds the manifold, and keeps its normal as the axis to try first next time.
Manifold build_manifold(const CollideCall& call, const PairTest& test, const vec3& normal, const vec3& on_a,
                        const vec3& on_b, float margin) {
    PairCache& cache = *test.cache;
    count(call.profile.manifolds_built);
    set_axis(cache, normal);
    const Manifold manifold = make_manifold_unchecked(call.shape_a(test), call.shape_b(test), test.b_in_a, normal, on_a,
                                                      on_b, margin, cache.hints);
    // An axis that is a face's normal turns with the face, so it is kept in the frame of the shape that owns the face.
    if (manifold.face_owner == FaceOwner::a) cache.axis = manifold.normal;
    if (manifold.face_owner == FaceOwner::b) {
        cache.axis = transpose_mul(test.b_in_a.rotation, manifold.normal);
        cache.axis_in_b = true;
    }
    cache.axis_is_face = manifold.face_owner != FaceOwner::none;
    return manifold;
}

/// True if the shapes, whose closest points are `gap` (m) apart along the normal, will probably meet before the next
/// collide: at these points, or at others that rotate towards each other.
bool will_meet(const CollideCall& call, const PairTest& test, const vec3& normal, const vec3& on_a, const vec3& on_b,
               float gap) {
    const PairRecord& record = *test.record;
    const WorldTransform &pose_a = call.colliders.poses[record.a], &pose_b = call.colliders.poses[record.b];
    const PredictedMotion &a = call.colliders.motions[record.a], &b = call.colliders.motions[record.b];
    const vec3 arm_a = rotate(pose_a.rotation, on_a);
    const vec3 arm_b = rotate(pose_a.rotation, on_b) - vec3(pose_b.position - pose_a.position);
    const vec3 n = rotate(pose_a.rotation, normal);
    const float closing = glm::dot(a.displacement - b.displacement, n);
    const float here = closing + glm::dot(glm::cross(a.rotation, arm_a) - glm::cross(b.rotation, arm_b), n);
    const float turning = a.rotation_reach + b.rotation_reach;
    return here >= tolerance::expected_contact * gap || closing + tolerance::expected_turning * turning >= gap;
}

/// Returns the manifold with those points of the last one added at which the two shapes still overlap. If the overlap
/// is large, several directions have about the same depth, and each test may find another one. If the shapes were
/// pushed apart at one point only, they would rotate about it and penetrate at the other, again and again.
Manifold with_deep_points(const CollideCall& call, const PairTest& test, Manifold manifold, const Manifold& last) {
    const PairRecord& record = *test.record;
    // A sphere has one direction of least depth, and it is exact.
    if (call.shape_a(test).type == ShapeType::sphere || call.shape_b(test).type == ShapeType::sphere ||
        surface_of(call, test))
        return manifold;
    const vec3& n = manifold.normal;
    const float apart = tolerance::deep_points_apart * record.size;
    const int found = manifold.count;
    for (int i = 0; i < last.count && manifold.count < max_manifold_points; ++i) {
        ManifoldPoint p = last.points[i];
        const vec3 between = transform_point(test.b_in_a, p.on_b) - p.on_a;
        p.separation = glm::dot(n, between);
        const float along2 = p.separation * p.separation, drift2 = length_squared(between) - along2;
        constexpr float most_drift2 = tolerance::deep_points_drift * tolerance::deep_points_drift;
        bool counts = p.separation < -tolerance::deep_contact * record.size && drift2 < most_drift2 * along2;
        for (int k = 0; k < manifold.count && counts; ++k) {
            const ManifoldPoint& other = manifold.points[k];
            counts = p.id != other.id && (k >= found || length_squared(p.on_a - other.on_a) > apart * apart);
        }
        if (counts) manifold.points[manifold.count++] = p;
    }
    return manifold;
}

}  // namespace

void set_separated(const CollideCall& call, const PairTest& test, float distance) {
    set_tested(call, test, PairState::separated);
    test.record->distance = distance;
    clear_contact(*test.cache);
}

float margin_along(const CollideCall& call, const PairTest& test, const vec3& normal) {
    return contact_margin(call.colliders, *test.record, normal);
}

bool will_stay_apart(const CollideCall& call, const PairTest& test, float separation, const vec3& normal,
                     const vec3& on_a, const vec3& on_b) {
    const float height_a = glm::dot(on_a, normal), height_b = glm::dot(test.pose.position - on_b, normal);
    return separation > separation_margin(call.colliders, *test.record, normal, height_a, height_b);
}

void set_touching_at_point(const CollideCall& call, const PairTest& test, const ClosedForm& contact) {
    count(call.profile.manifolds_built);
    set_axis(*test.cache, contact.normal);
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const float margin = margin_along(call, test, contact.normal);
    Manifold& manifold = test.cache->manifold;
    one_point_manifold(contact, test.b_in_a, margin, manifold);
    add_corners_on_large_round(a, b, test.b_in_a, margin, manifold);
    set_tested(call, test, PairState::touching);
    // A sphere touches at one point only, other shapes may at others as soon as they move faster.
    const bool exact = (a.type == ShapeType::sphere || b.type == ShapeType::sphere) && manifold.count == 1;
    set_reuse(call, test, exact);
}

void set_touching(const CollideCall& call, const PairTest& test, const Manifold& manifold) {
    TALUS_ASSERT(std::abs(length_squared(manifold.normal) - 1.0f) < 1e-3f);
    float nearest = std::numeric_limits<float>::infinity();
    for (int i = 0; i < manifold.count; ++i) nearest = std::min(nearest, manifold.points[i].separation);
    const float width = tolerance::sliver_contact * test.record->size;
    if (call.settings.drop_slivers && nearest > -tolerance::sliver_depth * test.record->size &&
        is_sliver(call.shape_a(test), call.shape_b(test), test.b_in_a, manifold, width)) {
        set_separated(call, test, nearest);
        return;
    }
    set_tested(call, test, PairState::touching);
    PairRecord& record = *test.record;
    Manifold& last = test.cache->manifold;
    if (manifold.count <= 2 && last.count != 0 && nearest < -tolerance::deep_contact * record.size) {
        last = with_deep_points(call, test, manifold, last);
    } else {
        last = manifold;
    }
    set_reuse(call, test, true);
}

void set_touching_along(const CollideCall& call, const PairTest& test, const vec3& normal, const vec3& on_a,
                        const vec3& on_b) {
    const float separation = glm::dot(on_b - on_a, normal);
    if (separation > tolerance::contact_margin * test.record->size &&
        !will_meet(call, test, normal, on_a, on_b, separation)) {
        set_touching_at_point(call, test, {separation, normal, on_a, on_b});
    } else {
        set_touching(call, test, build_manifold(call, test, normal, on_a, on_b, margin_along(call, test, normal)));
    }
}

}  // namespace talus::detail
