#include "engine/continuous/impact_response.h"

#include "engine/contacts/material_mixing.h"
#include "engine/settings.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// The two bodies at the time of the impact. Places are as seen from the origin of the swept body's path.
struct ImpactResponse::AtImpact {
    Body &body, &obstacle;
    Path obstacle_path;           ///< from the start of the swept body's path on; it has an origin of its own
    RigidMotion obstacle_motion;  ///< the same, as seen from the swept body's origin
    ObstaclePart part;
    bool touched_before = false;  ///< `time` is when the two touched, before they were as deep as the hit
    float time = 0.0f;            ///< of the impact, since the start of the path, s
    float rest = 0.0f;            ///< of the step after the impact, s
    vec3 gravity{0.0f};           ///< that acts on the body alone, m/s^2; zero unless it flies freely
    vec3 velocity_to_come{0.0f};  ///< what gravity adds after the impact, m/s
    quat rotation{1.0f, 0.0f, 0.0f, 0.0f}, other_rotation = rotation;  ///< of the two bodies at the impact
    ImpactPoints contact{};
    vec3 on_obstacle{0.0f};  ///< the point of the hit
    // With the velocities at the impact, first before and then after it:
    ImpactBody mover{}, other{};
    ImpactBody on_path{};  ///< the mover with the velocity of its path
};

/// True if nothing but gravity has changed the body's velocity in this step. A contact that is near but has never
/// pushed does not count: with it, a body that hits something in the middle of the step would leave at the speed that
/// it would have had at the end of its fall, and gain energy.
bool ImpactResponse::in_free_flight(std::uint32_t slot) const {
    if (!in_.awake.contains(slot) || in_.has_joint(slot)) return false;
    bool pushed = false;
    for_each_pair(in_.contacts, in_.bodies, slot, [&](std::uint32_t p) {
        for_each_contact(in_.contacts, p, [&](std::uint32_t c) {
            const ContactState& state = in_.contacts.states[c];
            if (pushed || state.sensor || !in_.contacts.has_manifold(c)) return;
            for (int i = 0; i < state.point_count; ++i) pushed = pushed || state.step_impulses[i] > 0.0f;
        });
    });
    return !pushed;
}

ImpactBody ImpactResponse::impact_body(std::uint32_t slot, const Transform& pose, const vec3& linear_velocity,
                                       const vec3& angular_velocity) const {
    const Body& body = in_.bodies[slot];
    const Response response = response_of(body, pose.rotation);
    const float least_response = body.locks != 0 ? settings::locked_impact_response * body.inverse_mass : 0.0f;
    return {pose.position,         linear_velocity,          angular_velocity,
            response.inverse_mass, response.inverse_inertia, least_response};
}

ImpactResponse::AtImpact ImpactResponse::state_at_impact(Path& path, const SweepHit& hit) {
    const Path obstacle_path = sweep_.path_from(hit.other, path.from);
    AtImpact at{out_.bodies[path.slot], out_.bodies[hit.other], obstacle_path,
                obstacle_path.motion_seen_from(path.origin), sweep_.part_of(hit.other_shape, hit.triangle)};
    Body& body = at.body;
    const vec3 n = hit.toi.normal;

    // A hit is found where the two overlap by a little. At their speed of approach there, they touched this long
    // before.
    const vec3 arm = hit.toi.point_b - pose_at(path.motion, hit.time).position;
    const vec3 other_arm = hit.toi.point_a - pose_at(at.obstacle_motion, hit.time).position;
    const float closing = -glm::dot(n, path.motion.linear_velocity + glm::cross(path.motion.angular_velocity, arm) -
                                           at.obstacle_motion.linear_velocity -
                                           glm::cross(at.obstacle_motion.angular_velocity, other_arm));
    const float depth = std::max(0.0f, -hit.toi.separation);
    at.touched_before = closing * 0.1f * in_.dt > depth && depth < closing * hit.time;
    at.time = at.touched_before ? hit.time - depth / closing : hit.time;
    at.rest = in_.dt - path.from - at.time;

    // The velocity at the impact is the one at the end of the step less what gravity adds after the impact. (For
    // semi-implicit Euler, the velocity at a place is the one half a sub-step before.)
    const vec3 falling = in_free_flight(path.slot) ? body.gravity_scale * in_.gravity : vec3(0.0f);
    at.gravity = body.locks == 0 ? falling : falling * glm::sign(response_of(body, body.rotation).inverse_mass);
    at.velocity_to_come = (at.rest - 0.5f * in_.dt / static_cast<float>(in_.substeps)) * at.gravity;
    at.rotation = pose_at(path.motion, at.time).rotation;
    at.other_rotation = pose_at(at.obstacle_motion, at.time).rotation;

    // The last sub-step may have left any angular velocity (by a force far from the centre), which the next step would
    // limit. A path that turns by 1e9 rad cannot be swept.
    const float most = settings::max_rotation_per_substep * static_cast<float>(in_.substeps) / in_.dt;
    if (path.from == 0.0f) body.angular_velocity = limited(body.angular_velocity, most);
    return at;
}

/// Finds the contact points of the impact. Returns false if the user's contact modifier disables the contact.
bool ImpactResponse::find_points(const Path& path, const SweepHit& hit, AtImpact& at, SweepScratch& scratch) {
    const vec3 n = hit.toi.normal;
    const ShapeDef &of_obstacle = in_.shapes.defs[hit.other_shape], &of_body = in_.shapes.defs[hit.shape];
    const Transform pose_a =
        pose_at(at.part.motion(in_.shape_motion(at.obstacle_motion, at.obstacle, hit.other_shape)), at.time);
    const Transform pose_b = pose_at(in_.shape_motion(path.motion, at.body, hit.shape), at.time);
    const Transform pose_b_at_hit = pose_at(in_.shape_motion(path.motion, at.body, hit.shape), hit.time);
    const vec3 on_b = transform_point(pose_b, inverse_transform_point(pose_b_at_hit, hit.toi.point_b));
    const vec3 on_a = on_b - (at.touched_before ? 0.0f : hit.toi.separation) * n;
    FaceHints hints;
    Manifold manifold = hit.manifold;
    for (int i = 0; i < manifold.count; ++i) manifold.points[i].on_a -= at.part.middle;
    if (manifold.count == 0)
        manifold = make_manifold(at.part.shape, of_body.shape, to_matrix_transform(relative(pose_a, pose_b)),
                                 inverse_rotate(pose_a.rotation, n), inverse_transform_point(pose_a, on_a),
                                 inverse_transform_point(pose_a, on_b),
                                 2.0f * tolerance::contact_margin * at.body.inner_radius, hints);
    ImpactPoints& contact = at.contact;
    const Material& material = sweep_.material_of(hit.shape, hit.own_triangle);
    contact.friction = mixed_friction(*at.part.material, material);
    contact.restitution = mixed_restitution(*at.part.material, material);
    const auto modify = [&] {
        const WorldTransform pose = translated(pose_b, path.origin), other_pose = translated(pose_a, path.origin);
        return in_.modify({path.slot, hit.shape, hit.other, hit.other_shape, pose, other_pose, manifold,
                           contact.friction, contact.restitution});
    };
    if ((of_obstacle.modify_contacts || of_body.modify_contacts) && !modify()) {
        const ShapePair pair{hit.shape, hit.other_shape, hit.triangle};
        scratch.disabled.push_back(pair);
        if (in_.joints.has_any(path.slot)) opened_joints_.disable(pair);
        return false;
    }
    contact.normal = manifold.count != 0 ? rotate(pose_a.rotation, manifold.normal) : n;
    contact.count = std::max(manifold.count, 1);
    contact.points[0] = on_a;
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& p = manifold.points[i];
        contact.points[i] = 0.5f * (transform_point(pose_a, p.on_a) + transform_point(pose_b, p.on_b));
    }
    at.on_obstacle = on_a;
    return true;
}

/// Gives the two bodies the velocities that they have at the impact. Those of an articulation are made to fit together
/// first.
void ImpactResponse::find_velocities(const Path& path, const SweepHit& hit, AtImpact& at) {
    const Body &body = at.body, &obstacle = at.obstacle;
    const bool dynamic = obstacle.is_dynamic();
    const bool jointed = in_.joints.has_any(path.slot) && out_.joint_solver.begin_response(path.slot);
    const bool other_jointed = dynamic && in_.joints.has_any(hit.other) && out_.joint_solver.begin_response(hit.other);
    if (jointed) energies_.fit_velocities(in_, out_, path.slot);
    if (other_jointed) energies_.fit_velocities(in_, out_, hit.other);
    // A body's angular velocity is that at the pose in which the step has left it. At the impact its inertia was
    // rotated otherwise, and the angular velocity of a thin body differs.
    at.mover = impact_body(path.slot, pose_at(path.motion, at.time), body.linear_velocity - at.velocity_to_come,
                           in_.angular_velocity_at(path.slot, body.angular_velocity, body.rotation, at.rotation));
    at.other = impact_body(
        hit.other, pose_at(at.obstacle_motion, at.time),
        dynamic ? obstacle.linear_velocity : at.obstacle_motion.linear_velocity,
        dynamic ? in_.angular_velocity_at(hit.other, obstacle.angular_velocity, obstacle.rotation, at.other_rotation)
                : at.obstacle_motion.angular_velocity);
    at.mover.jointed = jointed;
    at.other.jointed = other_jointed;
    at.on_path = at.mover;
    at.on_path.linear_velocity = path.motion.linear_velocity;
    at.on_path.angular_velocity = path.motion.angular_velocity;
}

bool ImpactResponse::respond(Path& path, const SweepHit& hit, SweepScratch& scratch, EnergyBudget& budget) {
    AtImpact at = state_at_impact(path, hit);
    if (!find_points(path, hit, at, scratch)) return false;
    find_velocities(path, hit, at);
    const ImpactBody mover_before = at.mover, other_before = at.other;
    const ImpactPoints& contact = at.contact;
    float approach = 0.0f;
    for (int i = 0; i < contact.count; ++i) {
        const vec3& p = contact.points[i];
        approach =
            std::max(approach, -glm::dot(contact.normal, mover_before.velocity_at(p) - other_before.velocity_at(p)));
    }
    float impulse = 0.0f;
    if (at.mover.jointed || at.other.jointed) {
        const ImpactBody on_path_before = at.on_path;
        impulse = solve_jointed(path.slot, hit.other, at);
        const float part = affordable_part(path.slot, at, other_before, budget);
        if (part < 1.0f) {
            impulse *= part;
            at.mover.keep_part(part, mover_before);
            at.other.keep_part(part, other_before);
            at.on_path.keep_part(part, on_path_before);
        }
    } else {
        impulse = solve_impact(contact, at.other, at.mover);
    }
    // A body with little inertia, or on joints that contradict each other, may respond with any velocity.
    const auto limit = [&](ImpactBody& pushed, const Body& body) {
        pushed.linear_velocity = limited(pushed.linear_velocity, in_.max_speed_of(body));
        pushed.angular_velocity = limited(pushed.angular_velocity, in_.max_spin_of(body));
    };
    limit(at.mover, at.body);
    limit(at.on_path, at.body);
    if (at.obstacle.is_dynamic()) limit(at.other, at.obstacle);
    account_for_work(path.slot, hit.other, at, mover_before, other_before, budget);
    if (!(approach * at.rest > in_.allowed_depth(path.slot)))
        scratch.resting.push_back({hit.shape, hit.other_shape, hit.triangle});
    // Two bodies that do not approach each other need no impulse, but they do touch: the other has changed the body's
    // path.
    impacts_.push_back({path.slot, hit.shape, hit.other, hit.other_shape, hit.triangle, false,
                        displaced(path.origin, contact.points[0]), contact.normal, approach, impulse});
    go_on(path, hit, at);
    if (!at.obstacle.is_dynamic() || !(impulse > 0.0f)) return false;
    deflect(at.obstacle_path, at.time, at.other);
    return true;
}

/// Returns the largest part of the impulses, 0 to 1, whose work on a dynamic obstacle is not more than the energy that
/// the budget of the body, or of its articulation, leaves.
float ImpactResponse::affordable_part(std::uint32_t slot, const AtImpact& at, const ImpactBody& other_before,
                                      const EnergyBudget& budget) {
    if (!at.obstacle.is_dynamic()) return 1.0f;
    const JointSolver& joint_solver = out_.joint_solver;
    const bool jointed = at.mover.jointed;
    const EnergyBudget& own = jointed ? energies_.articulation_budget(in_, joint_solver, slot) : budget;
    const auto work_at = [&](const vec3& linear_velocity, const vec3& angular_velocity) {
        return work_of_impact(at.obstacle, other_before, at.other, at.other_rotation, linear_velocity,
                              angular_velocity);
    };
    // A part s of the impulses does the work s first + s^2 second.
    const double first = work_at(other_before.linear_velocity, other_before.angular_velocity);
    const double second = 0.5 * (work_at(at.other.linear_velocity, at.other.angular_velocity) - first);
    const double left = std::max(0.0, ImpactEnergies::left(in_, joint_solver, slot, jointed, own));
    if (!(first + second > left)) return 1.0f;
    const double root = std::sqrt(first * first + 4.0 * second * left);
    return static_cast<float>(first > 0.0 ? 2.0 * left / (first + root) : 0.5 * (root - first) / second);
}

/// Adds the work of the other body to the energy budgets.
void ImpactResponse::account_for_work(std::uint32_t slot, std::uint32_t other_slot, const AtImpact& at,
                                      const ImpactBody& mover_before, const ImpactBody& other_before,
                                      EnergyBudget& budget) {
    const JointSolver& joint_solver = out_.joint_solver;
    const ImpactBody &mover = at.mover, &other = at.other;
    EnergyBudget& own = mover.jointed ? energies_.articulation_budget(in_, joint_solver, slot) : budget;
    if (!at.obstacle.is_dynamic()) {
        own.allowed += work_of_impact(at.body, mover_before, mover, at.rotation, other.velocity_at(mover.center),
                                      other.angular_velocity);
        own.anchored = true;
        return;
    }
    const double work = work_of_impact(at.obstacle, other_before, other, at.other_rotation,
                                       0.5f * (other_before.linear_velocity + other.linear_velocity),
                                       0.5f * (other_before.angular_velocity + other.angular_velocity));
    own.allowed -= work;
    if (other.jointed) energies_.articulation_budget(in_, joint_solver, other_slot).allowed += work;
}

/// Puts the body on its path after the impact, and gives it its velocities at the end of the step.
void ImpactResponse::go_on(Path& path, const SweepHit& hit, const AtImpact& at) {
    Body& body = at.body;
    const ImpactBody &mover = at.mover, &on_path = at.on_path;
    path.motion.start = pose_at(path.motion, at.time);
    path.from += at.time;
    path.motion.linear_velocity =
        mover.jointed ? on_path.linear_velocity : mover.linear_velocity + 0.5f * at.rest * at.gravity;
    path.motion.angular_velocity = mover.jointed ? on_path.angular_velocity : mover.angular_velocity;
    if (mover.jointed) {
        move_links(path.slot, mover, on_path, at.rest);
        opened_joints_.mark(out_.joint_solver, path.slot);
    }
    if (at.other.jointed) opened_joints_.mark(out_.joint_solver, hit.other);
    body.linear_velocity = limited(mover.linear_velocity + at.velocity_to_come, in_.max_speed_of(body));
    body.angular_velocity = in_.angular_velocity_at(path.slot, mover.angular_velocity, at.rotation, body.rotation);
    if (!hit.at_max_depth || !(at.rest > 0.0f)) return;
    const RigidMotion obstacle_motion = sweep_.path_from(hit.other, path.from).motion_seen_from(path.origin);
    const float growth = depth_growth(
        hit.toi.normal, at.on_obstacle, at.part.motion(in_.shape_motion(obstacle_motion, at.obstacle, hit.other_shape)),
        in_.shapes.defs[hit.shape].shape, in_.shape_motion(path.motion, body, hit.shape), at.rest);
    if (growth > 0.0f) lift(path, growth * hit.toi.normal, at.rest);
}

/// Lets a body that is as deep as it may get slide and turn there: its path ends higher by as much as it would get
/// deeper. The work against gravity is taken from its motion; a body with less energy than that stays where it is.
void ImpactResponse::lift(Path& path, vec3 by, float rest) {
    Body& body = out_.bodies[path.slot];
    if (body.locks != 0) by *= glm::sign(response_of(body, body.rotation).inverse_mass);
    const vec3 angular_velocity = body.angular_velocity;
    const float work = -body.gravity_scale * body.mass * glm::dot(in_.gravity, by);
    const float energy = 0.5f * (body.mass * length_squared(body.linear_velocity) +
                                 glm::dot(angular_velocity, inertia_of(body, body.rotation) * angular_velocity));
    // The other links of an articulation may have the energy: ImpactEnergies::remove_excess() sees to those.
    const bool alone = !in_.joints.has_any(path.slot);
    if (alone && work > 0.0f && work >= energy) {
        path.motion.linear_velocity = path.motion.angular_velocity = vec3(0.0f);
        return;
    }
    path.motion.linear_velocity += by / rest;
    if (!alone || !(work > 0.0f)) return;
    const float kept = std::sqrt(1.0f - work / energy);
    body.linear_velocity *= kept;
    body.angular_velocity *= kept;
}

/// The impulses of an impact if one of the two bodies is jointed. There are two sets: one changes the mover's velocity,
/// and one the velocity along its path, which is the mean velocity of the step, so that the path ends where it would
/// have ended except for the impact. With the velocity that the mover has in the end it would leave the other links,
/// and its joints would open. Joint limits that the impact would pass act.
float ImpactResponse::solve_jointed(std::uint32_t slot, std::uint32_t other_slot, AtImpact& at) {
    JointSolver& joint_solver = out_.joint_solver;
    ImpactBody &other = at.other, &mover = at.mover, &on_path = at.on_path;
    float impulse = 0.0f;
    const ImpactBody other_before = other, mover_before = mover, on_path_before = on_path;
    for (int round = 0;; ++round) {
        other = other_before, mover = mover_before, on_path = on_path_before;
        if (other.jointed) other.joint_response = joint_solver.respond(other_slot);
        if (mover.jointed) mover.joint_response = on_path.joint_response = joint_solver.respond(slot);
        ImpactBody other_on_path = other;
        impulse = solve_impact(at.contact, other, mover);
        solve_impact(at.contact, other_on_path, on_path);
        const auto meets_limits = [&](std::uint32_t pushed_slot, const ImpactBody& pushed) {
            return pushed.jointed &&
                   joint_solver.meets_limits(pushed_slot, pushed.impulse, pushed.angular_impulse, at.rest);
        };
        if (round == settings::joint_rounds || (!meets_limits(slot, on_path) && !meets_limits(other_slot, other)))
            break;
    }
    return impulse;
}

/// Gives the other links of a body's articulation their share of its impulses, and moves them for the rest of the step.
void ImpactResponse::move_links(std::uint32_t slot, const ImpactBody& velocities, const ImpactBody& on_path,
                                float rest) {
    out_.joint_solver.spread(
        slot, velocities.impulse, velocities.angular_impulse,
        [&](std::uint32_t link, const glm::dvec3& linear_velocity, const glm::dvec3& angular_velocity) {
            Body& body = out_.bodies[link];
            body.linear_velocity = limited(body.linear_velocity + vec3(linear_velocity), in_.max_speed_of(body));
            body.angular_velocity = limited(body.angular_velocity + vec3(angular_velocity), in_.max_spin_of(body));
            body.exact_spin = glm::dvec3(body.angular_velocity);
        });
    const auto h = static_cast<double>(rest);
    out_.joint_solver.spread(
        slot, on_path.impulse, on_path.angular_impulse,
        [&](std::uint32_t link, const glm::dvec3& linear_velocity, const glm::dvec3& angular_velocity) {
            const float most = rest * in_.max_speed_of(in_.bodies[link]);
            const vec3 displacement = limited(vec3(h * linear_velocity), most);
            const vec3 rotation = limited(vec3(h * angular_velocity), settings::max_rotation_per_substep);
            out_.move(in_, link, displacement, glm::dvec3(rotation));
        });
}

/// A dynamic body that was hit at a time of this path goes on with its new velocity from its pose there. Its new path
/// begins at the time of the impact, or at the time of its own last impact if that is later (CcdSweep::path_from says
/// why).
void ImpactResponse::deflect(Path path, float time, const ImpactBody& after) {
    const std::uint32_t slot = path.slot;
    path.from += time;
    if (const Path* const known = deflected_.find(slot)) path.from = std::max(path.from, known->from);
    const float rest = in_.dt - path.from;
    RigidMotion& motion = path.motion;
    motion.start = pose_at(motion, time);
    Body& body = out_.bodies[slot];
    motion.linear_velocity = body.linear_velocity = limited(after.linear_velocity, in_.max_speed_of(body));
    motion.angular_velocity = after.angular_velocity;
    body.angular_velocity = in_.angular_velocity_at(slot, after.angular_velocity, motion.start.rotation, body.rotation);
    out_.set_end_pose(in_, slot, path.pose_at(rest));
    if (after.jointed) move_links(slot, after, after, rest);
    deflected_.put(path);
}

}  // namespace talus
