#include "engine/continuous/opened_joints.h"

#include <talus/narrowphase/support.h>
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

void OpenedJoints::clear() {
    opened_.clear();
    safe_poses_.clear();
    disabled_.clear();
}

void OpenedJoints::keep_safe_pose(const ContinuousInput& in, std::uint32_t slot) {
    const Body& body = in.bodies[slot];
    Path path{slot, in.dt * (1.0f - settings::joint_closing_time), body.center, {}};
    path.motion.start.rotation = body.rotation;
    safe_poses_.put(path);
}

void OpenedJoints::mark(const JointSolver& joint_solver, std::uint32_t slot) {
    bool listed = false;
    joint_solver.for_each_link(slot, [&](std::uint32_t link) {
        listed = listed || std::find(opened_.begin(), opened_.end(), link) != opened_.end();
    });
    if (!listed) opened_.push_back(slot);
}

/// The work of close().
struct OpenedJoints::Closing {
    OpenedJoints& own;
    const ContinuousInput& in;
    ContinuousOutput& out;
    const CcdSweep& sweep;
    const SweptBodies& swept;
    ImpactEnergies& energies;
    SweepScratch& scratch;

    void close_articulation(std::uint32_t slot);

private:
    Path path_to_current_pose(std::uint32_t slot) const;
    float height_above(const StopPlane& stop, vec3& arm) const;
    bool add_contact_planes(std::uint32_t slot);
    JointSolver::ClosingPlane closing_plane(const StopPlane& stop) const;
    bool close_joints(std::uint32_t slot);
    bool can_go_over(const Path& path, const SweepHit& hit) const;
    bool reaches_current_pose(std::uint32_t slot);
    void restore_links(std::uint32_t slot);
};

/// Returns the path of a link from its safe pose to the pose that it has now.
Path OpenedJoints::Closing::path_to_current_pose(std::uint32_t slot) const {
    const Body& body = in.bodies[slot];
    const Path* const safe = own.safe_poses_.find(slot);
    if (safe == nullptr) return in.step_path(slot);
    Path path = *safe;
    const Transform end = relative_to(path.origin, {body.center, body.rotation});
    path.motion = motion_between(path.motion.start, end, vec3(0.0f), in.dt - path.from);
    return path;
}

/// Returns how far a link is from its plane now, m. `arm` becomes the vector from its centre of mass to its lowest point
/// above the plane, m.
float OpenedJoints::Closing::height_above(const StopPlane& stop, vec3& arm) const {
    const ShapeDef& def = in.shapes.defs[stop.shape];
    const Body& body = in.bodies[stop.slot];
    const Transform pose = relative_to(body.center, multiply(body.pose(), def.pose));
    if (stop.on_solid) {
        arm = transform_point(pose, *stop.on_solid);
    } else {
        const vec3 d = inverse_rotate(pose.rotation, -stop.normal);
        arm = transform_point(pose, support(def.shape, d).point) - def.shape.radius * stop.normal;
    }
    return glm::dot(stop.normal, arm - vec3(stop.point - body.center));
}

/// Adds the planes of a link's contacts: closing joints must not press it deeper into those. Returns whether one of the
/// other bodies cannot be pushed.
bool OpenedJoints::Closing::add_contact_planes(std::uint32_t slot) {
    bool touches_immovable = false;
    const ContactTable& contacts = in.contacts;
    const auto& poses = in.colliders.poses;
    for_each_pair(contacts, in.bodies, slot, [&](std::uint32_t p) {
        const std::uint32_t other = other_body(contacts.pairs[p], slot);
        if (in.joints.disables_collision(slot, other)) return;
        const SolverBody* const other_moved = in.solver_body(other);
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            const PairRecord& record = contacts.records[c];
            if (contacts.states[c].sensor || !in.contacts.has_manifold(c)) return;
            const bool is_a = contacts.bodies[c].a == slot;
            const Manifold& manifold = contacts.manifold(c);
            const vec3 n = rotate(poses[record.a].rotation, manifold.normal);
            const std::uint32_t collider = is_a ? record.a : record.b;
            StopPlane stop{slot, in.shapes.shape_of(collider), {}, is_a ? -n : n, dvec3(0.0), settings::linear_slop};
            const ManifoldPoint* deepest = &manifold.points[0];
            for (int i = 1; i < manifold.count; ++i) {
                if (manifold.points[i].separation < deepest->separation) deepest = &manifold.points[i];
            }
            stop.point = is_a ? transform_point(poses[record.b], deepest->on_b)
                              : transform_point(poses[record.a], deepest->on_a);
            if (in.shapes.defs[stop.shape].mesh != nullptr) {
                stop.on_solid =
                    transform_point(relative(poses[stop.shape], poses[collider]), is_a ? deepest->on_a : deepest->on_b);
            }
            if (other_moved != nullptr) stop.point = displaced(stop.point, load3(other_moved->displacement));
            vec3 arm;
            stop.depth = std::max(stop.depth, -height_above(stop, arm));
            own.planes_.push_back(stop);
            touches_immovable = touches_immovable || !in.bodies[other].is_dynamic();
        });
    });
    return touches_immovable;
}

/// Returns the plane as the joint solver needs it, with the link where it is now.
JointSolver::ClosingPlane OpenedJoints::Closing::closing_plane(const StopPlane& stop) const {
    JointSolver::ClosingPlane plane;
    vec3 arm;
    plane.slot = stop.slot;
    plane.room = static_cast<double>(height_above(stop, arm) + stop.depth);
    plane.arm = glm::dvec3(arm);
    plane.normal = glm::dvec3(stop.normal);
    return plane;
}

/// A link that turns while it lies on something gets into it on the straight path between two poses that are both clear
/// of it. Returns true if a path that lifts the link first is free.
bool OpenedJoints::Closing::can_go_over(const Path& path, const SweepHit& hit) const {
    const Body& body = in.bodies[path.slot];
    if (path.from == 0.0f) return false;
    const vec3 up = body.radius * hit.toi.normal;
    const Transform start = path.motion.start, end = relative_to(path.origin, {body.center, body.rotation});
    const Transform poses[] = {start, {start.position + up, start.rotation}, {end.position + up, end.rotation}, end};
    for (int i = 0; i < 3; ++i) {
        const Path part{path.slot, path.from, path.origin,
                        motion_between(poses[i], poses[i + 1], vec3(0.0f), in.dt - path.from)};
        if (sweep.first_hit(part, false, scratch)) return false;
    }
    return true;
}

/// Closes the joints as far as the planes allow, whatever else is in the way. Returns whether they are closed.
///
/// Anchors that are far apart make links turn by radians, which solves that treat joints as straight do not get right.
/// The links then count as harder to turn, so that the next solve moves them instead.
bool OpenedJoints::Closing::close_joints(std::uint32_t slot) {
    JointSolver& joint_solver = out.joint_solver;
    double ease = 1.0;
    for (int i = 0; i < settings::joint_closing_solves; ++i) {
        double largest = 0.0;  // rotation of a link, rad
        for (bool again : {false, true}) {
            if (joint_solver.open_by(slot, in.bodies, ease) < settings::joint_closing_gap) return true;
            own.closing_planes_.clear();
            for (const StopPlane& stop : own.planes_) own.closing_planes_.push_back(closing_plane(stop));
            joint_solver.close(slot, own.closing_planes_);
            largest = 0.0;
            joint_solver.for_each_displacement(slot, [&](std::uint32_t, const glm::dvec3&, const glm::dvec3& rotation) {
                largest = std::max(largest, std::sqrt(glm::dot(rotation, rotation)));
            });
            if (again || largest <= settings::joint_closing_turn) break;
            ease = std::max(ease * settings::joint_closing_turn / largest, settings::joint_closing_least_ease);
        }
        const double part = largest > settings::joint_closing_turn ? settings::joint_closing_turn / largest : 1.0;
        joint_solver.for_each_displacement(
            slot, [&](std::uint32_t link, const glm::dvec3& displacement, const glm::dvec3& rotation) {
                out.move(in, link, vec3(part * displacement), part * rotation);
            });
        ease = std::min(1.0, settings::joint_closing_ease_growth * ease);
    }
    return false;
}

/// Returns true if a link gets to its current pose without a hit, directly or over what it hits. Else it is put to the
/// place of the hit, and the plane of the hit is added.
bool OpenedJoints::Closing::reaches_current_pose(std::uint32_t slot) {
    if (!in.enabled || in.bodies[slot].continuous == Continuous::off || swept.is_clear(in, slot)) return true;
    const Path path = path_to_current_pose(slot);
    scratch.disabled.assign(own.disabled_.begin(), own.disabled_.end());
    scratch.resting.clear();
    const SweepHit hit = sweep.first_hit(path, false, scratch);
    if (!hit || can_go_over(path, hit)) return true;
    out.set_end_pose(in, slot, path.pose_at(hit.time));
    own.planes_.push_back({slot,
                           hit.shape,
                           {},
                           hit.toi.normal,
                           displaced(path.origin, hit.toi.point_a),
                           settings::joint_closing_depth * in.allowed_depth(slot)});
    return false;
}

/// Puts the links back to where they were before their joints were closed, as far as they get there.
void OpenedJoints::Closing::restore_links(std::uint32_t slot) {
    std::size_t i = 0;
    out.joint_solver.for_each_link(slot, [&](std::uint32_t link) {
        out.bodies[link] = own.before_closing_[i].body;
        out.solver_bodies[in.solver_indices[link]] = own.before_closing_[i].solver;
        ++i;
        reaches_current_pose(link);
        own.keep_safe_pose(in, link);
    });
}

/// Closes the joints of the body's articulation.
void OpenedJoints::Closing::close_articulation(std::uint32_t slot) {
    JointSolver& joint_solver = out.joint_solver;
    if (!joint_solver.begin_response(slot)) return;
    // Links that closing has lifted or turned, with velocities that stay, may have more energy than before.
    const EnergyBudget budget = energies.articulation_budget(in, joint_solver, slot);
    bool touches_immovable = false;
    own.planes_.clear();
    own.before_closing_.clear();
    joint_solver.begin_closing(slot);
    joint_solver.for_each_link(slot, [&](std::uint32_t link) {
        touches_immovable = add_contact_planes(link) || touches_immovable;
        own.before_closing_.push_back({in.bodies[link], in.solver_bodies[in.solver_indices[link]]});
    });
    bool closed = false;
    for (int round = 0; round < settings::joint_closing_rounds; ++round) {
        closed = joint_solver.may_close(slot) && close_joints(slot);
        bool stopped = false;
        joint_solver.for_each_link(slot, [&](std::uint32_t link) {
            stopped = !reaches_current_pose(link) || stopped;
            own.keep_safe_pose(in, link);
        });
        if (!stopped) break;
        closed = false;
    }
    bool removed = ImpactEnergies::remove_excess(in, out, slot, true, budget);
    if (!joint_solver.may_contradict(slot)) return;
    // Where joints contradict each other, Newton's method goes astray, and links may be lifted by more than their
    // motion has energy for.
    if (closed && !removed && touches_immovable) {
        EnergyBudget anchored = budget;
        anchored.anchored = true;
        removed = ImpactEnergies::remove_excess(in, out, slot, true, anchored);
    }
    closed = closed && removed;
    if (!closed) {
        restore_links(slot);
        ImpactEnergies::remove_excess(in, out, slot, true, budget);  // what the impact has gained
    }
    joint_solver.end_closing(slot, closed);
}

void OpenedJoints::close(const ContinuousInput& in, ContinuousOutput& out, const CcdSweep& sweep,
                         const SweptBodies& swept, ImpactEnergies& energies, SweepScratch& scratch) {
    if (in.joints.live_count() == 0) return;
    out.joint_solver.for_each_open(settings::joint_closing_least,
                                   [&](std::uint32_t slot) { mark(out.joint_solver, slot); });
    Closing closing{*this, in, out, sweep, swept, energies, scratch};
    for (const std::uint32_t slot : opened_) closing.close_articulation(slot);
}

}  // namespace talus
