#include "engine/continuous/swept_bodies.h"

#include <talus/narrowphase/support.h>
#include "engine/bodies/turning.h"
#include "engine/continuous/ccd_sweep.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Returns a bound on how far a body moves if its centre moves by `displacement` and its rotation moves its surface by
/// `turning` (m), squared: at most twice (|displacement| + turning)^2.
float motion_squared(const vec3& displacement, float turning) {
    return 2.0f * (length_squared(displacement) + turning * turning);
}

/// The same for any rotation vector and all points of a body with this bounding radius.
float motion_squared(const vec3& displacement, const vec3& rotation, float radius) {
    return 2.0f * (length_squared(displacement) + length_squared(rotation) * radius * radius);
}

bool is_fast(const Body& body, float motion_squared) {
    const float limit = settings::continuous_motion * body.inner_radius;
    return motion_squared > limit * limit;
}

/// Returns the same for the surfaces of the body's shapes only: a ball that rolls turns in itself.
float surface_motion_squared(const ContinuousInput& in, const Body& body, const vec3& displacement,
                             const vec3& rotation) {
    float arm = 0.0f;
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        const ShapeDef& def = in.shapes.defs[i];
        const float part = turning_part(def.shape.type, in.colliders.poses[i].rotation, rotation);
        arm = std::max(arm, part * body.radius + glm::length(def.pose.position - body.local_center));
    }
    return motion_squared(displacement, std::min(arm, body.radius) * glm::length(rotation));
}

/// True for a body that a contact of this step has found deep in a fixed or kinematic one.
bool is_pressed(const ContinuousInput& in, std::uint32_t slot) {
    const Body& body = in.bodies[slot];
    const float depth = std::max(settings::continuous_pressed * body.inner_radius, settings::continuous_pressed_least);
    if (!(in.max_penetration > depth)) return false;
    for (std::uint32_t p = body.first_pair; p != null_index;) {
        const Pair& pair = in.contacts.pairs[p];
        if (in.bodies[other_body(pair, slot)].is_dynamic()) break;  // pairs of dynamic bodies come last
        bool pressed = false;
        for_each_contact(in.contacts, p, [&](std::uint32_t c) {
            if (in.contacts.states[c].sensor || !in.contacts.has_manifold(c)) return;
            const Manifold& manifold = in.contacts.manifold(c);
            for (int i = 0; i < manifold.count; ++i) pressed = pressed || manifold.points[i].separation < -depth;
        });
        if (pressed) return true;
        p = pair.next[side_of(pair, slot)];
    }
    return false;
}

bool stays_in_fat_box(const ContinuousInput& in, std::uint32_t slot, const WorldAabb& swept) {
    return contains(in.broadphase.fat_box(in.bodies[slot].proxy), swept);
}

}  // namespace

// ---- finding the bodies ---------------------------------------------------------------------------------------------

void SweptBodies::clear() {
    fast_.clear();
    bullets_.clear();
    solids_.clear();
    solid_bullets_.clear();
    moving_kinematics_.clear();
    stray_kinematic_boxes_.clear();
}

std::vector<std::uint32_t>& SweptBodies::list_of(const ContinuousInput& in, const Body& body) {
    const bool is_bullet = body.continuous == Continuous::all;
    if (in.has_mesh(body)) return is_bullet ? solid_bullets_ : solids_;
    return is_bullet ? bullets_ : fast_;
}

void SweptBodies::find(const ContinuousInput& in) {
    float kinematic2 = 0.0f, dynamic2 = 0.0f;
    // No body is pressed if no contact is deep (is_pressed).
    const bool any_pressed = in.max_penetration > settings::continuous_pressed_least;
    for (const std::uint32_t slot : in.awake.list()) {
        const std::uint32_t index = in.solver_indices[slot];
        const SolverBody& moved = in.solver_bodies[index];
        const MotionLimit& limit = in.limits[index];
        const vec3 displacement = load3(moved.displacement), turn = load3(moved.turn);
        const float motion2 = motion_squared(displacement, turn, limit.radius);
        if (limit.most_squared < 0.0f) {
            kinematic2 = std::max(kinematic2, motion2);
            if (motion2 > 0.0f) moving_kinematics_.push_back(slot);
            continue;
        }
        dynamic2 = std::max(dynamic2, motion2);
        if (!(motion2 > limit.most_squared) && !any_pressed) continue;
        const Body& body = in.bodies[slot];
        if (body.continuous == Continuous::off) continue;
        const bool fast = is_fast(body, motion2) && is_fast(body, surface_motion_squared(in, body, displacement, turn));
        if (!fast && !is_pressed(in, slot)) continue;
        list_of(in, body).push_back(slot);
    }
    largest_kinematic_motion_ = std::sqrt(kinematic2);
    largest_motion_ = std::max(largest_kinematic_motion_, std::sqrt(dynamic2));
    for (const std::uint32_t kinematic : moving_kinematics_) {
        add_bodies_near(in, kinematic);
        const WorldAabb box = in.swept_box(kinematic);
        if (!stays_in_fat_box(in, kinematic, box)) stray_kinematic_boxes_.push_back(box);
    }
    add_solids_at_thin_walls(in);
}

/// Adds the solids that may push a part of themselves through a thin wall in a motion that is slow for their size.
void SweptBodies::add_solids_at_thin_walls(const ContinuousInput& in) {
    for (const MeshContact& m : in.contacts.mesh_contacts) {
        if (!m.by_features || m.sensor || m.mesh == null_index) continue;
        const bool mesh_is_wall = !in.bodies[m.mesh_body].is_dynamic();
        const std::uint32_t slot = mesh_is_wall ? m.shape_body : m.mesh_body;
        const Body& body = in.bodies[slot];
        if (!mesh_is_wall && in.bodies[m.shape_body].is_dynamic()) continue;
        const SolverBody* const moved = body.continuous == Continuous::off ? nullptr : in.solver_body(slot);
        if (moved == nullptr || !in.has_mesh(body)) continue;
        const float limit = settings::solid_wall_motion * in.wall_thickness(mesh_is_wall ? m.mesh : m.shape);
        const float motion2 = motion_squared(load3(moved->displacement), load3(moved->turn), body.radius);
        if (!(motion2 > limit * limit)) continue;
        std::vector<std::uint32_t>& list = list_of(in, body);
        if (std::find(list.begin(), list.end(), slot) == list.end()) list.push_back(slot);
    }
}

/// Adds the bodies that a fast kinematic body may pass through. A body that it carries along is not one of them: only
/// the motion relative to the kinematic body counts, including the curve that its rotation makes of that motion.
void SweptBodies::add_bodies_near(const ContinuousInput& in, std::uint32_t kinematic) {
    const Body& body = in.bodies[kinematic];
    const Path path = in.step_path(kinematic);
    const RigidMotion& motion = path.motion;
    const float dt = in.dt;
    const vec3 start = motion.start.position, displacement = dt * motion.linear_velocity, end = start + displacement;
    const float motion2 = motion_squared(displacement, dt * motion.angular_velocity, body.radius);
    const Aabb box = expand(Aabb{glm::min(start, end), glm::max(start, end)}, body.radius);
    in.broadphase.query(translated(box, path.origin), [&](std::uint32_t slot) {
        const Body& other = in.bodies[slot];
        if (!other.is_dynamic() || other.continuous == Continuous::off || !is_fast(other, motion2)) return;
        const RigidMotion own = in.step_path(slot).motion_seen_from(path.origin);
        const vec3 arm = own.start.position - start, rotation = dt * motion.angular_velocity;
        const vec3 relative = dt * (own.linear_velocity - motion.linear_velocity) - glm::cross(rotation, arm);
        const float curve = 0.5f * length_squared(rotation) * glm::length(arm);
        const float relative_motion =
            glm::length(relative) + curve + glm::length(dt * own.angular_velocity - rotation) * other.radius;
        if (!is_fast(other, relative_motion * relative_motion)) return;
        std::vector<std::uint32_t>& list = list_of(in, other);
        if (std::find(list.begin(), list.end(), slot) == list.end()) list.push_back(slot);
    });
}

// ---- bodies that cannot have hit anything ---------------------------------------------------------------------------

namespace {

/// True if a plane that the narrowphase has found for a contact, and that moves with the obstacle, shows that the body
/// gets into the obstacle nowhere by as much as it is allowed to.
bool stays_in_front(const ContinuousInput& in, std::uint32_t slot, std::uint32_t other, std::uint32_t contact) {
    const Colliders& colliders = in.colliders;
    const PairRecord& record = in.contacts.records[contact];
    const PairCache& cache = in.contacts.caches[contact];
    const bool body_is_a = in.contacts.bodies[contact].a == slot;
    const std::uint32_t i = body_is_a ? record.a : record.b, j = body_is_a ? record.b : record.a;
    vec3 n;  // from the obstacle to the body, the obstacle's frame
    if (cache.axis != vec3(0.0f)) {
        const quat& frame = colliders.poses[cache.axis_in_b ? record.b : record.a].rotation;
        const vec3 axis = rotate(frame, body_is_a ? -cache.axis : cache.axis);
        n = inverse_rotate(colliders.poses[j].rotation, axis);
    } else if (const SurfaceTriangle* triangle = colliders.surface_triangle(j)) {
        n = triangle->normal;
    } else {
        return false;
    }
    const auto extent = [](const Shape& shape, const vec3& d) {
        return glm::dot(support(shape, d).point, d) + shape.radius;
    };
    const Shape& own = in.shapes.defs[i].shape;
    const float plane = extent(colliders.shapes[j], n);
    const auto gap = [&](const WorldTransform& body, const WorldTransform& obstacle) {
        const vec3 d = rotate(obstacle.rotation, n), between(body.position - obstacle.position);
        return glm::dot(between, d) - extent(own, inverse_rotate(body.rotation, -d)) - plane;
    };
    const float at_start = gap(colliders.poses[i], colliders.poses[j]);
    const float at_end = gap(in.end_pose(slot, i), in.end_pose(other, j));
    return std::min(at_start, at_end) - in.arc_deviation_from(other, slot) > -in.allowed_depth(slot);
}

/// The motion of a ball's centre over the step.
struct BallPath {
    dvec3 from, to;    ///< world, m
    float gap, depth;  ///< the distance from the centre that the ball must keep, and how deep it may get in, m
};

BallPath ball_path(const ContinuousInput& in, std::uint32_t slot, std::uint32_t shape) {
    const ShapeDef& def = in.shapes.defs[shape];
    const float arm = glm::length(def.pose.position - in.bodies[slot].local_center);
    const float bend = 0.125f * arm * length_squared(load3(in.solver_body(slot)->turn));
    const float depth = in.allowed_depth(slot);
    return {in.colliders.poses[shape].position, in.end_pose(slot, shape).position, def.shape.radius - depth + bend,
            depth};
}

/// The same for a ball and a triangle of a surface that does not move (collider `triangle`). A one-sided triangle lets
/// through what comes from behind.
bool stays_in_front(const ContinuousInput& in, const BallPath& path, std::uint32_t triangle) {
    const WorldTransform& at = in.colliders.poses[triangle];
    const vec3(&corners)[3] = in.colliders.shapes[triangle].points;
    const SurfaceTriangle& surface = in.colliders.surface_triangles[triangle];
    const vec3 from = inverse_rotate(at.rotation, vec3(path.from - at.position));
    const vec3 to = inverse_rotate(at.rotation, vec3(path.to - at.position));
    const bool is_behind = glm::dot(from - corners[0], surface.normal) < 0.0f;
    return (is_behind && !surface.two_sided) ||
           ball_passes_triangle(corners, surface.normal, from, to, path.gap, path.depth);
}

/// The same for a shape and a mesh, by the planes of all triangles that the shape's box has met. Each of these must
/// have a contact.
bool stays_in_front_of_mesh(const ContinuousInput& in, std::uint32_t slot, std::uint32_t other, std::uint32_t pair,
                            std::uint32_t shape, std::uint32_t mesh) {
    const ContactTable& contacts = in.contacts;
    const std::uint32_t k = contacts.find_mesh_contact(pair, shape, mesh);
    if (k == null_index || contacts.mesh_contacts[k].by_features || contacts.mesh_contacts[k].pressed_through ||
        in.solver_body(other) != nullptr)
        return false;
    const WorldAabb box = in.swept_box(slot, shape);
    const WorldTransform& at = in.colliders.poses[mesh];
    const Aabb in_mesh = turned_box(conjugate(at.rotation), relative_to(at.position, box));
    if (!contains(contacts.mesh_contacts[k].box, in_mesh)) return false;
    const bool is_ball = in.shapes.defs[shape].shape.type == ShapeType::sphere;
    const BallPath path = is_ball ? ball_path(in, slot, shape) : BallPath{};
    for (std::uint32_t c = contacts.mesh_contacts[k].first_contact; c != null_index;
         c = contacts.states[c].next_in_mesh_contact) {
        const PairRecord& record = contacts.records[c];
        const std::uint32_t triangle = contacts.bodies[c].a == other ? record.a : record.b;
        if (is_ball) {
            if (!stays_in_front(in, path, triangle)) return false;
            continue;
        }
        const WorldAabb own = in.shapes.world_box(triangle, in.colliders);
        if (overlaps(box, own) && !stays_in_front(in, slot, other, c)) return false;
    }
    return true;
}

/// True if the body did not get into the other body of a pair: the boxes of their shapes do not overlap, or planes
/// separate them.
bool stays_in_front_of_body(const ContinuousInput& in, std::uint32_t slot, std::uint32_t pair) {
    const std::uint32_t other = other_body(in.contacts.pairs[pair], slot);
    const Body &body = in.bodies[slot], &obstacle = in.bodies[other];
    const SolverBody* const moved = in.solver_body(other);
    const float motion = moved == nullptr
                             ? 0.0f
                             : glm::length(load3(moved->displacement)) +
                                   obstacle.radius * glm::length(load3(moved->turn)) + in.arc_deviation(other);
    const dvec3& origin = in.shapes.origin_of(obstacle, in.colliders);
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        const WorldAabb box = in.swept_box(slot, i);
        bool stays = true;
        in.shapes.for_each_near(obstacle, expand(relative_to(origin, box), motion), [&](std::uint32_t j) {
            const ShapeDef &own = in.shapes.defs[i], &of_obstacle = in.shapes.defs[j];
            if (!stays || !should_collide(own.filter, of_obstacle.filter) || !overlaps(box, in.swept_box(other, j)))
                return;
            if (own.sensor || of_obstacle.sensor) {
                stays = false;
            } else if (of_obstacle.mesh) {
                stays = stays_in_front_of_mesh(in, slot, other, pair, i, j);
            } else {
                const std::uint32_t c = in.contacts.find_contact(pair, i, j);
                stays = c != null_index && stays_in_front(in, slot, other, c);
            }
        });
        if (!stays) return false;
    }
    return true;
}

}  // namespace

/// The pairs of the step were made with fat AABBs. While the body and its obstacles stay in theirs, the body's pairs
/// name every obstacle that it may have hit. Kinematic bodies that have left theirs are compared by their swept boxes.
bool SweptBodies::is_clear(const ContinuousInput& in, std::uint32_t slot) const {
    if (in.solver_body(slot) == nullptr) return false;
    const Body& body = in.bodies[slot];
    const WorldAabb box = in.swept_box(slot);
    if (!stays_in_fat_box(in, slot, box)) return false;
    for (const WorldAabb& stray : stray_kinematic_boxes_) {
        if (overlaps(box, stray)) return false;
    }
    for (std::uint32_t p = body.first_pair; p != null_index;) {
        const Pair& pair = in.contacts.pairs[p];
        const std::uint32_t other = other_body(pair, slot);
        if (in.bodies[other].is_dynamic()) break;  // pairs of dynamic bodies come last
        if (in.can_hit(slot, other, false) && overlaps(box, in.broadphase.fat_box(in.bodies[other].proxy)) &&
            !stays_in_front_of_body(in, slot, p))
            return false;
        p = pair.next[side_of(pair, slot)];
    }
    return true;
}

}  // namespace talus
