#include "engine/continuous/swept_solids.h"

#include <talus/narrowphase/triangles/queries.h>
#include "engine/mesh_contacts/choose_points.h"
#include "engine/mesh_contacts/solid_contacts.h"
#include "engine/settings.h"
#include "narrowphase/nonconvex/seen_sides.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

/// Returns a shape as a surface, or null if it is round.
const TriangleSet* SweptSolids::surface(const ContinuousInput& in, std::uint32_t shape) {
    const ShapeDef& def = in.shapes.defs[shape];
    if (def.mesh) return def.mesh.get();
    if (def.shape.radius > 0.0f) return nullptr;
    const auto [known, is_new] = surfaces_.try_emplace(shape);
    KnownSurface& surface = known->second;
    if (is_new || surface.version != in.colliders.versions[shape])
        surface = {in.colliders.versions[shape], surface_of(def.shape)};
    return surface.set.get();
}

/// Returns the motion of a shape without what it spins about an axis of symmetry of its own: nothing of it moves by that.
/// A body that a spinning roller holds up would else be carried around with it.
static RigidMotion without_own_spin(const ShapeDef& def, RigidMotion motion) {
    if (def.mesh) return motion;
    const float radius = std::max(def.shape.radius, def.shape.half_extents.x);
    constexpr float off_axis = 1e-3f, off_direction = 1e-2f;
    if (def.shape.type == ShapeType::sphere) {
        if (length_squared(motion.center) <= off_axis * off_axis * radius * radius)
            motion.angular_velocity = vec3(0.0f);
        return motion;
    }
    if (def.shape.type != ShapeType::capsule && def.shape.type != ShapeType::cylinder &&
        def.shape.type != ShapeType::cone)
        return motion;
    const vec3 beside(motion.center.x, 0.0f, motion.center.z);
    const vec3 axis = rotate(motion.start.rotation, vec3(0.0f, 1.0f, 0.0f));
    const vec3 spin = glm::dot(motion.angular_velocity, axis) * axis, tumbling = motion.angular_velocity - spin;
    if (length_squared(beside) <= off_axis * off_axis * radius * radius &&
        length_squared(tumbling) <= off_direction * off_direction * length_squared(spin))
        motion.angular_velocity = tumbling;
    return motion;
}

/// Lists the shapes that the body of a path may hit. They are in the order of their slots.
void SweptSolids::find_meetings(const ContinuousInput& in, const CcdSweep& sweep, const Path& path, bool dynamic_too,
                                float largest_motion) {
    meetings_.clear();
    near_bodies_.clear();
    const Body& body = in.bodies[path.slot];
    const float duration = in.dt - path.from;
    const vec3 start = path.motion.start.position, end = start + duration * path.motion.linear_velocity;
    const Aabb around = expand(Aabb{glm::min(start, end), glm::max(start, end)}, body.radius + largest_motion);
    in.broadphase.query(translated(around, path.origin), [&](std::uint32_t slot) { near_bodies_.push_back(slot); });
    std::sort(near_bodies_.begin(), near_bodies_.end());
    for (const std::uint32_t slot : near_bodies_) {
        if (!in.can_hit(path.slot, slot, dynamic_too)) continue;
        const Body& other = in.bodies[slot];
        const RigidMotion other_motion = sweep.path_from(slot, path.from).motion_seen_from(path.origin);
        for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
            const Aabb own_box = sweep.box_around(path.motion, body, i, duration);
            for (std::uint32_t j = other.first_shape; j < other.first_shape + other.shape_count; ++j) {
                const ShapeDef &own_def = in.shapes.defs[i], &other_def = in.shapes.defs[j];
                if (own_def.sensor || other_def.sensor || !should_collide(own_def.filter, other_def.filter) ||
                    (!own_def.mesh && !other_def.mesh) ||
                    !overlaps(own_box, sweep.box_around(other_motion, other, j, duration)))
                    continue;
                meetings_.push_back({i, j, slot, duration,
                                     without_own_spin(own_def, in.shape_motion(path.motion, body, i)),
                                     without_own_spin(other_def, in.shape_motion(other_motion, other, j))});
            }
        }
    }
}

/// Returns the features of a set that may be in a box. A two-sided set is seen from the side of `from`.
const detail::SurfaceFeatures& SweptSolids::features_near(const TriangleSet& set, const Aabb& box, const vec3& from) {
    if (set.solid_features() != nullptr) return *set.solid_features();
    found_.clear();
    set.find(box, found_);
    if (set.is_two_sided())
        near_surface_.collect(set, found_, detail::seen_from_behind(set, found_, from));
    else
        near_surface_.collect(set, found_);
    return near_surface_;
}

namespace {

/// Returns the pose of one shape in the frame of the other at a time (s).
Transform place_in(const RigidMotion& frame, const RigidMotion& shape, float time) {
    return relative(pose_at(frame, time), pose_at(shape, time));
}

/// Returns the radius of a sphere around the centre of a motion's rotation that holds a box of its frame, m.
float radius_about(const RigidMotion& motion, const Aabb& box) {
    const vec3 far = glm::max(absolute(box.lower - motion.center), absolute(box.upper - motion.center));
    return std::sqrt(length_squared(far));
}

/// Returns a box, in one shape's frame, around the places where the other one's box is from time 0 to `end`.
Aabb box_of_path(const RigidMotion& frame, const RigidMotion& shape, const Aabb& box, float deviation, float end) {
    const Aabb first = transform_box(to_matrix_transform(place_in(frame, shape, 0.0f)), box),
               last = transform_box(to_matrix_transform(place_in(frame, shape, end)), box);
    return expand(merge(first, last), deviation);
}

}  // namespace

/// Returns the time up to which a solid can move without overlapping a round shape by more than it may, or `end`. The two
/// are compared at equal times on the way.
float SweptSolids::round_hit(const TriangleSet& solid, const RigidMotion& solid_motion, const Shape& shape,
                             const RigidMotion& shape_motion, const SweptBody& body, float end) {
    const float allowed = body.allowed, places = body.places;
    constexpr float unknown = std::numeric_limits<float>::infinity();
    const auto depth = [&](float time, float margin) {
        const MatrixTransform at = to_matrix_transform(place_in(solid_motion, shape_motion, time));
        if (!overlaps(solid, shape, at)) return 0.0f;
        if (!solid.is_solid()) return unknown;
        round_.find(solid, shape, at, margin);
        points_.clear();
        round_.evaluate(solid, shape, at, margin, {.sure = allowed, .room = settings::solid_straight * allowed},
                        points_);
        return points_.empty() ? unknown : -points_.back().separation;
    };
    // A path that begins at an impact begins where the two touch. There, rounding may make the shapes overlap and their
    // contact points be apart.
    const float first = depth(0.0f, settings::solid_straight * allowed);
    if (first == unknown) return end;
    const float level = std::max({allowed, std::min(first + allowed, settings::solid_deepest_in_round * allowed),
                                  first + settings::continuous_drop * allowed});
    const auto overlap = [&](float time) { return depth(time, 0.0f) > level; };
    const auto time_of = [&](float place) { return end * place / places; };
    float crosses = 1.0f;
    while (crosses <= places && !overlap(time_of(crosses))) crosses += 1.0f;
    if (crosses > places) return end;
    float clear = crosses - 1.0f;
    for (int k = 0; k < settings::solid_bisections; ++k) {
        const float middle = 0.5f * (clear + crosses);
        (overlap(time_of(middle)) ? crosses : clear) = middle;
    }
    return time_of(clear);
}

/// Returns when features of two surfaces get deeper into each other than they may, or `end`.
float SweptSolids::feature_hit(const Meeting& meeting, const TriangleSet& own, const TriangleSet& other,
                               const SweptBody& body, float end) {
    const RigidMotion &of_own = meeting.own_motion, &of_other = meeting.other_motion;
    const float own_radius = radius_about(of_own, own.bounds()), other_radius = radius_about(of_other, other.bounds());
    const float own_turn = std::sqrt(length_squared(of_own.angular_velocity)),
                other_turn = std::sqrt(length_squared(of_other.angular_velocity));
    const float linear = std::sqrt(length_squared(of_own.linear_velocity - of_other.linear_velocity));
    // Parts that are near each other are on both shapes.
    const float curve = relative_arc_deviation(own_turn * meeting.duration, own_radius, linear * meeting.duration,
                                               other_turn * meeting.duration, own_radius + other_radius);
    const auto other_in_own = [&](float time) { return place_in(of_own, of_other, time); };
    const detail::SurfaceFeatures& other_features =
        features_near(other, box_of_path(of_other, of_own, own.bounds(), curve, meeting.duration),
                      transform_point(place_in(of_other, of_own, 0.0f), inner_point(own)));
    const float speed = linear + own_turn * own_radius + other_turn * other_radius;
    const float windows = std::max(speed * meeting.duration / body.inner_radius,
                                   std::sqrt(curve / (settings::solid_straight * body.allowed)));
    const detail::SurfaceMotion motion{other_in_own, meeting.duration, speed, own_turn + other_turn,
                                       meeting.duration / std::clamp(windows, 1.0f, settings::most_solid_places)};
    const detail::HitDepths depths{
        body.allowed,
        std::min(settings::continuous_deepest * body.inner_radius, settings::solid_deepest * body.allowed),
        settings::continuous_drop * body.allowed};
    return sweep_.first_hit(*own.solid_features(), other_features, motion, depths, end);
}

/// Returns the body with the overlap that it is allowed in the other shape of a meeting. In a thin wall that is less:
/// deeper contacts no longer tell from which side the body came.
SweptSolids::SweptBody SweptSolids::against(const ContinuousInput& in, const Meeting& meeting, SweptBody body) const {
    body.allowed = std::min(body.allowed, settings::solid_wall_depth * in.wall_thickness(meeting.other));
    return body;
}

/// Returns when the two shapes of a meeting get deeper into each other than they may, or `end`.
float SweptSolids::hit(const ContinuousInput& in, const Meeting& meeting, const SweptBody& body, float end) {
    const TriangleSet *const own = surface(in, meeting.own), *const other = surface(in, meeting.other);
    const auto shape_of = [&](std::uint32_t shape) -> const Shape& { return in.shapes.defs[shape].shape; };
    const SweptBody swept = against(in, meeting, body);
    if (own == nullptr)
        return round_hit(*other, meeting.other_motion, shape_of(meeting.own), meeting.own_motion, swept, end);
    if (other == nullptr)
        return round_hit(*own, meeting.own_motion, shape_of(meeting.other), meeting.other_motion, swept, end);
    return feature_hit(meeting, *own, *other, swept, end);
}

/// Finds the places where the two shapes of a hit touch (hit_points_).
void SweptSolids::find_touching(const ContinuousInput& in, const Hit& hit, float allowed, float margin) {
    const Meeting& meeting = hit.met;
    const TriangleSet *const own = surface(in, meeting.own), *const other = surface(in, meeting.other);
    const Transform at_own = pose_at(meeting.own_motion, hit.time), at_other = pose_at(meeting.other_motion, hit.time);
    const MatrixTransform other_in_own = to_matrix_transform(relative(at_own, at_other)),
                          own_in_other = to_matrix_transform(relative(at_other, at_own));
    detail::FeatureLimits limits{.depth = settings::solid_deepest * allowed,
                                 .room = settings::solid_straight * allowed};
    points_.clear();
    hit_points_.clear();
    const bool own_is_a = own != nullptr;
    if (own != nullptr && other != nullptr) {
        const Aabb box = transform_box(own_in_other, expand(own->bounds(), margin));
        const detail::SurfaceFeatures& features =
            features_near(*other, box, transform_point(own_in_other, inner_point(*own)));
        candidates_.find(*own->solid_features(), features, other_in_own, margin, limits);
        candidates_.evaluate(*own->solid_features(), features, other_in_own, margin, limits, points_);
    } else {
        const TriangleSet& solid = own_is_a ? *own : *other;
        if (!solid.is_solid()) return;
        const Shape& shape = in.shapes.defs[own_is_a ? meeting.other : meeting.own].shape;
        const MatrixTransform& place = own_is_a ? other_in_own : own_in_other;
        limits.sure = limits.depth;
        round_.find(solid, shape, place, margin);
        round_.evaluate(solid, shape, place, margin, limits, points_);
    }
    const auto triangle_of = [&](std::uint32_t shape, std::uint32_t triangle) {
        return in.shapes.defs[shape].mesh ? triangle : null_index;
    };
    for (const detail::FeaturePoint& p : points_) {
        const bool a = own_is_a;
        hit_points_.push_back({a ? p.on_a : p.on_b, a ? p.on_b : p.on_a, p.separation,
                               rotate((a ? at_own : at_other).rotation, a ? -p.normal : p.normal),
                               triangle_of(meeting.own, p.triangles[a ? 0 : 1]),
                               triangle_of(meeting.other, p.triangles[a ? 1 : 0])});
    }
}

/// Finds the points of a hit: those that face as the one does at which the two approach each other fastest. Finds none if
/// they hardly approach: the contacts of the next step stop such a body.
void SweptSolids::find_points(const ContinuousInput& in, Hit& hit) {
    const Meeting& meeting = hit.met;
    const float allowed = against(in, meeting, hit.swept).allowed;
    const float margin = 2.0f * tolerance::contact_margin * hit.swept.inner_radius;
    find_touching(in, hit, allowed, margin);
    const Transform at_own = pose_at(meeting.own_motion, hit.time), at_other = pose_at(meeting.other_motion, hit.time);
    const auto velocity = [](const RigidMotion& motion, const Transform& pose, const vec3& point) {
        const vec3 arm = point - transform_point(pose, motion.center);
        return motion.linear_velocity + glm::cross(motion.angular_velocity, arm);
    };
    const HitPoint* fastest = nullptr;
    float closing = 0.0f;
    for (const HitPoint& p : hit_points_) {
        const vec3 place = transform_point(at_own, p.on_mesh);
        const float speed = glm::dot(
            p.normal, velocity(meeting.other_motion, at_other, place) - velocity(meeting.own_motion, at_own, place));
        if (!(p.separation < -settings::solid_straight * allowed && speed > closing)) continue;
        closing = speed;
        fastest = &p;
    }
    if (fastest == nullptr || !(closing * (meeting.duration - hit.time) > allowed)) return;
    const HitPoint first = *fastest;
    hit.toi.normal = first.normal;
    hit.toi.point_a = transform_point(at_other, first.on_other);
    hit.toi.point_b = transform_point(at_own, first.on_mesh);
    hit.toi.separation = first.separation;
    hit.triangle = first.other_triangle;
    hit.own_triangle = first.own_triangle;
    std::erase_if(hit_points_,
                  [&](const HitPoint& p) { return glm::dot(p.normal, first.normal) < settings::patch_normal; });
    std::size_t chosen[max_manifold_points];
    hit.manifold.count = choose_points<false>(hit_points_, inverse_rotate(at_own.rotation, first.normal),
                                              hit.swept.inner_radius, margin, {}, chosen);
    hit.manifold.normal = inverse_rotate(at_other.rotation, first.normal);
    for (int i = 0; i < hit.manifold.count; ++i) {
        const HitPoint& p = hit_points_[chosen[i]];
        hit.manifold.points[i] = {p.on_other, p.on_mesh, p.separation, 0};
    }
}

/// Returns whether the other shape of a meeting gets too deep into the body in the rest of the step if the body stands
/// still from `time` on.
bool SweptSolids::is_run_over(const ContinuousInput& in, const Meeting& meeting, const SweptBody& body, float time) {
    Meeting rest = meeting;
    rest.duration -= time;
    rest.own_motion = {pose_at(meeting.own_motion, time), meeting.own_motion.center};
    rest.other_motion.start = pose_at(meeting.other_motion, time);
    return hit(in, rest, body, rest.duration) < rest.duration;
}

/// Returns the end pose of a body that a kinematic body hits at a time: from then on it moves with the kinematic body,
/// which would pass through it otherwise.
static WorldTransform carried(const Path& path, float time, const RigidMotion& obstacle, float dt) {
    const Transform in_obstacle = relative(pose_at(obstacle, time), pose_at(path.motion, time));
    return translated(multiply(pose_at(obstacle, dt), in_obstacle), path.origin);
}

/// Takes back the velocity that gravity has added in the time `lost` (s), by which the body's step was shortened: the
/// body has not fallen as far, so it would gain energy. A body that does not fall keeps its velocity.
static void take_back_gravity(const ContinuousInput& in, Body& body, float lost) {
    const vec3 gravity = body.gravity_scale * in.gravity;
    const float strength = std::sqrt(length_squared(gravity));
    if (!(strength > 0.0f)) return;
    const vec3 down = gravity / strength;
    const float falls = glm::dot(body.linear_velocity, down);
    body.linear_velocity -= std::clamp(falls, 0.0f, strength * lost) * down;
}

SweptSolids::Hit SweptSolids::first_hit(const ContinuousInput& in, const CcdSweep& sweep, const Path& path,
                                        bool dynamic_too, float largest_motion, std::span<const ShapePair> disabled) {
    Hit first;
    first.time = in.dt - path.from;
    if (surfaces_.size() > settings::most_swept_surfaces) surfaces_.clear();
    find_meetings(in, sweep, path, dynamic_too, largest_motion);
    std::erase_if(meetings_, [&](const Meeting& each) {
        return std::any_of(disabled.begin(), disabled.end(), [&](const ShapePair& pair) {
            return pair.shape == each.own && pair.other_shape == each.other;
        });
    });
    if (meetings_.empty()) return first;
    const Body& body = in.bodies[path.slot];
    const float inner_radius = std::max(body.inner_radius, 1e-6f);
    const float motion = first.time * (std::sqrt(length_squared(path.motion.linear_velocity)) +
                                       body.radius * std::sqrt(length_squared(path.motion.angular_velocity))) +
                         largest_motion;
    first.swept = {inner_radius, in.allowed_depth(path.slot),
                   std::clamp(std::ceil(motion / inner_radius), 1.0f, settings::most_solid_places), motion};
    const Meeting* met = nullptr;
    for (const Meeting& each : meetings_) {
        const float time = hit(in, each, first.swept, first.time);
        if (time < first.time) first.time = time, met = &each;
    }
    if (met == nullptr) return first;
    first.met = *met;
    first.other = met->other_body;
    first.shape = met->own;
    first.other_shape = met->other;
    find_points(in, first);
    return first;
}

void SweptSolids::stop(const ContinuousInput& in, ContinuousOutput& out, const Path& path, const Hit& hit) {
    const float least =
        std::min(settings::least_solid_motion, settings::least_solid_way * hit.swept.inner_radius / hit.swept.motion);
    const float duration = hit.met.duration, end = std::min(std::max(hit.time, least * in.dt), duration);
    const bool moves = !in.bodies[hit.other].is_dynamic() && in.solver_body(hit.other) != nullptr;
    const bool is_carried = moves && is_run_over(in, hit.met, hit.swept, end);
    out.set_end_pose(in, path.slot,
                     is_carried ? carried(path, end, hit.met.other_motion, duration) : path.pose_at(end));
    take_back_gravity(in, out.bodies[path.slot], duration - end);
}

}  // namespace talus
