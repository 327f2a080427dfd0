#include "narrowphase/ladder/contact_outcome.h"

#include <talus/narrowphase/mapping_solid.h>
#include "common/assert.h"
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/reuse.h"
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

bool has_mapping(const CollideCall& call, const PairTest& test) {
    // No other type has its bit.
    static_assert(static_cast<unsigned>(ShapeType::mapping) == shape_type_count - 1 && shape_type_count == 9);
    const unsigned types =
        static_cast<unsigned>(call.shape_a(test).type) | static_cast<unsigned>(call.shape_b(test).type);
    return (types & static_cast<unsigned>(ShapeType::mapping)) != 0 && call.settings.contact_time > 0.0f;
}

/// x, turned by the rotation vector `by` (rad), to its square.
vec3 turned(const vec3& by, const vec3& x) {
    const vec3 first = glm::cross(by, x);
    return x + first + 0.5f * glm::cross(by, first);
}

/// Returns how far the point where a mapping touches moves along the contact plane, relative to the middle of the
/// mapping, while the mapping turns by `turn` and the normal becomes `next` (all in the shape's frame; `out` and
/// `next`: outward, unit). On a ball it does not move.
vec3 moved_contact(const MappingSolid& solid, const vec3& turn, const vec3& out, const vec3& next) {
    const auto surface = [&](const vec3& d) {
        return vec3(solid.mapping->support(dvec3(d))) + solid.radius * d - solid.centroid;
    };
    const vec3 d = turned(-turn, next);
    const vec3 moved = turned(turn, surface(d / std::sqrt(length_squared(d)))) - surface(out);
    return moved - glm::dot(moved, out) * out;
}

/// Moves the contact point of a mapping that rolls to where it will be at CollideSettings::contact_time. The solver
/// applies the forces of a step at one lever arm. At that of the step's start they are late, and a body whose contact
/// moves beside its middle, such as an ellipsoid, is driven by what should brake it: one of 0.47, 0.31 and 0.40 m that
/// rolls at 0.5 m/s gains 80% of its energy in 10 s.
[[gnu::noinline]] void move_to_contact_time(const CollideCall& call, const PairTest& test, Manifold& manifold) {
    const PairRecord& record = *test.record;
    const Shape &a = call.shape_a(test), &b = call.shape_b(test);
    const quat& frame = call.colliders.poses[record.a].rotation;
    const float time = call.settings.contact_time;
    const vec3 turn_a = time * inverse_rotate(frame, call.colliders.motions[record.a].rotation);
    const vec3 turn_b = time * inverse_rotate(frame, call.colliders.motions[record.b].rotation);
    constexpr float most = tolerance::contact_turn * tolerance::contact_turn;
    if (std::max(length_squared(turn_a), length_squared(turn_b)) > most) return;
    const vec3& n = manifold.normal;
    const vec3 next = manifold.face_owner == FaceOwner::a   ? turned(turn_a, n)
                      : manifold.face_owner == FaceOwner::b ? turned(turn_b, n)
                                                            : n;
    const mat3& to_a = test.b_in_a.rotation;
    vec3 by_a(0.0f), by_b(0.0f);
    if (a.type == ShapeType::mapping) by_a = moved_contact(*a.mapping, turn_a, n, next);
    if (b.type == ShapeType::mapping)
        by_b = to_a * moved_contact(*b.mapping, transpose_mul(to_a, turn_b), -transpose_mul(to_a, n),
                                    -transpose_mul(to_a, next));
    // On the face of the other shape the point moves along.
    if (manifold.face_owner == FaceOwner::a) by_a = by_b;
    if (manifold.face_owner == FaceOwner::b) by_b = by_a;
    manifold.points[0].on_a += by_a;
    manifold.points[0].on_b += transpose_mul(to_a, by_b);
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
    one_point_manifold(contact, test.b_in_a, margin_along(call, test, contact.normal), test.cache->manifold);
    set_tested(call, test, PairState::touching);
    // A sphere touches at one point only, other shapes may at others as soon as they move faster.
    const bool exact = call.shape_a(test).type == ShapeType::sphere || call.shape_b(test).type == ShapeType::sphere;
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
    if (last.count == 1 && has_mapping(call, test)) move_to_contact_time(call, test, last);
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
