#include "engine/continuous/continuous_collision.h"

#include "engine/continuous/impact_response.h"
#include "engine/settings.h"

#include <algorithm>

namespace talus {

/// The sweeps of one step.
struct ContinuousCollision::Step {
    ContinuousCollision& own;
    const ContinuousInput& in;
    ContinuousOutput& out;
    const CcdSweep& sweep;
    ImpactResponse& response;
    std::span<const std::uint32_t> bullets_to_come, solids_to_come;  ///< bodies with Continuous::all before their turn

    Path sweep_body(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch);
    Path sweep_solid(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch);
    void note_if_struck(std::uint32_t slot);

private:
    bool hits_immovable_before(std::uint32_t slot, float time);
    void sweep_deflected(std::uint32_t slot);
    Transform end_on_obstacle(Path path, const SweepHit& hit, const Transform& at_hit, SweepScratch& scratch) const;
    void stop_at(Path& path, const SweepHit& hit, EnergyBudget& budget, SweepScratch& scratch);
};

/// Sweeps a body from a time of the step to its end. Returns the path on which it ends, which begins at the last
/// impact.
Path ContinuousCollision::Step::sweep_body(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch) {
    Path path = sweep.path_from(slot, from);
    scratch.disabled.clear();
    scratch.resting.clear();
    bool changed = false;
    const bool jointed = in.joints.has_any(slot);
    EnergyBudget budget = ImpactEnergies::body_budget(in, out.joint_solver, slot);
    for (int count = 0;;) {
        const SweepHit hit = sweep.first_hit(path, dynamic_too, scratch);
        if (hit && in.bodies[hit.other].is_dynamic() && hits_immovable_before(hit.other, path.from + hit.time))
            continue;
        sweep.report_passed_sensors(path, hit.time, scratch, own.impacts_);
        if (hit && count < settings::continuous_impacts) {
            if (response.respond(path, hit, scratch, budget)) sweep_deflected(hit.other);
            changed = true;
            ++count;
            continue;
        }
        if (!hit && !changed) {
            if (jointed) own.opened_joints_.keep_safe_pose(in, slot);
            return path;
        }
        if (hit) {
            stop_at(path, hit, budget, scratch);
        } else {
            out.set_end_pose(in, slot, path.pose_at(hit.time));
        }
        if (jointed) {
            own.opened_joints_.keep_safe_pose(in, slot);
        } else if (budget.anchored) {
            ImpactEnergies::remove_excess(in, out, slot, false, budget);
        }
        return path;
    }
}

/// Returns whether the user's modifier has disabled the contacts of the two shapes of a hit in this step.
static bool is_disabled(const ContinuousInput& in, std::uint32_t slot, const SweepHit& hit) {
    const std::uint32_t pair = in.contacts.find_pair(in.bodies, slot, hit.other);
    if (pair == null_index) return false;
    int contacts = 0, disabled = 0;
    for_each_contact(in.contacts, pair, [&](std::uint32_t c) {
        const PairRecord& record = in.contacts.records[c];
        if (std::minmax(record.a, record.b) != std::minmax(hit.shape, hit.other_shape)) return;
        ++contacts;
        disabled += in.contacts.states[c].modified && !in.contacts.has_manifold(c) ? 1 : 0;
    });
    return contacts != 0 && contacts == disabled;
}

/// The same for a body with a solid that is not convex, without joints.
Path ContinuousCollision::Step::sweep_solid(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch) {
    Path path = sweep.path_from(slot, from);
    scratch.disabled.clear();
    scratch.resting.clear();
    EnergyBudget budget = ImpactEnergies::body_budget(in, out.joint_solver, slot);
    for (int count = 0;; ++count) {
        const SweptSolids::Hit hit =
            own.swept_solids_.first_hit(in, sweep, path, dynamic_too, own.swept_.largest_motion(), scratch.disabled);
        if (hit && in.bodies[hit.other].is_dynamic() && hits_immovable_before(hit.other, path.from + hit.time)) {
            --count;  // that was no impact
            continue;
        }
        if (hit && count < settings::continuous_impacts && hit.manifold.count != 0) {
            const std::size_t disabled = scratch.disabled.size();
            if (response.respond(path, hit, scratch, budget)) sweep_deflected(hit.other);
            if (scratch.disabled.size() != disabled) --count;
            continue;
        }
        if (hit && is_disabled(in, slot, hit)) {
            scratch.disabled.push_back({hit.shape, hit.other_shape, hit.triangle});
            --count;
            continue;
        }
        if (hit) {
            own.swept_solids_.stop(in, out, path, hit);
        } else if (count > 0) {
            out.set_end_pose(in, slot, path.pose_at(hit.time));
        }
        if (budget.anchored) ImpactEnergies::remove_excess(in, out, slot, false, budget);
        return path;
    }
}

/// Ends the step of a body that has used up its impacts: it stands at its last hit for the rest of the step. Along the
/// path that it has lost, a body that hits it later in this step would find it behind the wall, and send it on from
/// there.
void ContinuousCollision::Step::stop_at(Path& path, const SweepHit& hit, EnergyBudget& budget, SweepScratch& scratch) {
    const std::uint32_t slot = path.slot;
    const Transform at = pose_at(path.motion, hit.time);
    // The two touch, though the body has no impact left in which an impulse could act.
    own.impacts_.push_back({slot, hit.shape, hit.other, hit.other_shape, hit.triangle, false,
                            displaced(path.origin, hit.toi.point_b), hit.toi.normal});
    const Transform end = end_on_obstacle(path, hit, at, scratch);
    const Body& body = in.bodies[slot];
    const double lifted = -body.mass * body.gravity_scale * glm::dot(in.gravity, end.position - at.position);
    const bool articulation = in.joints.has_any(slot) && out.joint_solver.begin_response(slot);
    (articulation ? own.energies_.articulation_budget(in, out.joint_solver, slot) : budget).allowed += lifted;
    budget.anchored = true;  // also if the obstacle is dynamic: the body has its velocity, but has not fallen as far
    path.from += hit.time;
    path.motion = motion_between(at, end, vec3(0.0f), in.dt - path.from);
    out.set_end_pose(in, slot, translated(end, path.origin));
}

/// Returns where a body ends that stands on its last obstacle: it goes with a kinematic one, until something else is in
/// the way. Both poses are as seen from the path's origin.
Transform ContinuousCollision::Step::end_on_obstacle(Path path, const SweepHit& hit, const Transform& at_hit,
                                                     SweepScratch& scratch) const {
    const RigidMotion obstacle = sweep.path_from(hit.other, path.from).motion_seen_from(path.origin);
    if (obstacle.linear_velocity == vec3(0.0f) && obstacle.angular_velocity == vec3(0.0f)) return at_hit;
    const float rest = in.dt - path.from - hit.time;
    const Transform end = multiply(pose_at(obstacle, in.dt - path.from), relative(pose_at(obstacle, hit.time), at_hit));
    if (!(rest > 0.0f)) return end;
    path.from += hit.time;
    path.motion.start = at_hit;
    path.motion.linear_velocity = (end.position - at_hit.position) / rest;
    path.motion.angular_velocity = obstacle.angular_velocity;
    const SweepHit stop = sweep.first_hit(path, false, scratch, hit.other);
    return stop ? pose_at(path.motion, stop.time) : end;
}

/// A body is about to be hit at a time of the step, before its own turn. If it hits a fixed or kinematic body first,
/// sweeps it against those and returns true. Otherwise it could be hit on the other side of a wall, and go on from
/// there.
bool ContinuousCollision::Step::hits_immovable_before(std::uint32_t slot, float time) {
    const auto is_in = [slot](std::span<const std::uint32_t> list) {
        return std::find(list.begin(), list.end(), slot) != list.end();
    };
    const bool is_solid = is_in(solids_to_come) && !in.joints.has_any(slot) && in.solver_body(slot) != nullptr;
    if (own.deflected_.find(slot) != nullptr || !(is_solid || is_in(bullets_to_come))) return false;
    SweepScratch& scratch = own.other_scratch_;
    scratch.disabled.clear();
    scratch.resting.clear();
    const Path path = sweep.path_from(slot, 0.0f);
    const SweepHit hit =
        is_solid ? SweepHit(own.swept_solids_.first_hit(in, sweep, path, false, own.swept_.largest_motion(), {}))
                 : sweep.first_hit(path, false, scratch);
    if (!hit || hit.time > time) return false;
    own.deflected_.put(is_solid ? sweep_solid(slot, 0.0f, false, scratch) : sweep_body(slot, 0.0f, false, scratch));
    return true;
}

/// Sweeps a dynamic body that was hit, along its new path. This is done at once and however short the path is: a plank
/// on supports stays where it is, and the bullet must hit it there again; and several bodies may hit it in one step.
void ContinuousCollision::Step::sweep_deflected(std::uint32_t slot) {
    note_if_struck(slot);
    if (in.bodies[slot].continuous == Continuous::off) return;
    const float from = own.deflected_.find(slot)->from;
    const bool is_solid = in.has_mesh(in.bodies[slot]);
    if (is_solid && in.joints.has_any(slot)) return;
    own.deflected_.put(is_solid ? sweep_solid(slot, from, false, own.other_scratch_)
                                : sweep_body(slot, from, false, own.other_scratch_));
}

void ContinuousCollision::Step::note_if_struck(std::uint32_t slot) {
    const Body& body = in.bodies[slot];
    if (in.awake.contains(slot) || (body.linear_velocity == vec3(0.0f) && body.angular_velocity == vec3(0.0f))) return;
    std::vector<std::uint32_t>& struck = own.struck_;
    if (std::find(struck.begin(), struck.end(), slot) == struck.end()) struck.push_back(slot);
}

/// A jointed body that is not clear gets its sweep later: even one that hits nothing matters to its joints.
void ContinuousCollision::find_unhindered(const ContinuousInput& in, const CcdSweep& sweep, const Jobs& jobs) {
    constexpr std::size_t least_bodies = 8;
    const std::span<const std::uint32_t> fast = swept_.fast();
    const auto count = static_cast<std::size_t>(jobs.tasks_for(fast.size(), least_bodies));
    unhindered_.resize(fast.size());
    const std::span<Task> tasks = at_least(tasks_, count);
    jobs.for_each_part(fast.size(), count, [&](std::size_t k, std::size_t first, std::size_t last) {
        SweepScratch& scratch = tasks[k].scratch;
        std::vector<Impact>& impacts = tasks[k].impacts;
        const auto hits_nothing = [&](std::uint32_t slot) {
            const Path path = sweep.path_from(slot, 0.0f);
            const SweepHit hit = sweep.first_hit(path, false, scratch);
            if (hit) return false;
            sweep.report_passed_sensors(path, hit.time, scratch, impacts);
            return impacts.empty();
        };
        for (std::size_t i = first; i < last; ++i) {
            impacts.clear();
            unhindered_[i] = swept_.is_clear(in, fast[i]) || (!in.joints.has_any(fast[i]) && hits_nothing(fast[i]));
        }
    });
}

void ContinuousCollision::step(const ContinuousInput& in, ContinuousOutput out, const Jobs& jobs) {
    swept_.clear();
    deflected_.clear();
    energies_.clear();
    opened_joints_.clear();
    impacts_.clear();
    struck_.clear();
    if (in.enabled) swept_.find(in);
    const CcdSweep sweep(in, deflected_, swept_.largest_motion(), swept_.largest_kinematic_motion());
    ImpactResponse response(in, out, sweep, deflected_, energies_, opened_joints_, impacts_);
    const std::span<const std::uint32_t> bullets = swept_.bullets();
    Step step{*this, in, out, sweep, response, bullets, {}};
    find_unhindered(in, sweep, jobs);
    bool any_swept = false;
    for (std::size_t i = 0; i < swept_.fast().size(); ++i) {
        const std::uint32_t slot = swept_.fast()[i];
        const bool may_have_changed = any_swept && in.joints.has_any(slot);
        if (may_have_changed ? swept_.is_clear(in, slot) : unhindered_[i] != 0) continue;
        any_swept = true;
        const Path path = step.sweep_body(slot, 0.0f, false, scratch_);
        step.note_if_struck(slot);
        if (!bullets.empty() && path.from > 0.0f) deflected_.put(path);
    }
    const auto sweep_solid = [&](std::uint32_t slot, bool dynamic_too) {
        // A sleeping solid does not move: a body that hits it has a contact with it in the next step.
        if (in.joints.has_any(slot) || in.solver_body(slot) == nullptr) return;
        const Path* const known = deflected_.find(slot);
        const Path path = step.sweep_solid(slot, known != nullptr ? known->from : 0.0f, dynamic_too, scratch_);
        step.note_if_struck(slot);
        if (path.from > 0.0f) deflected_.put(path);
    };
    for (const std::uint32_t slot : swept_.solids()) sweep_solid(slot, false);
    step.solids_to_come = swept_.solid_bullets();
    for (const std::uint32_t slot : bullets) {
        step.bullets_to_come = step.bullets_to_come.subspan(1);
        const Path* const known = deflected_.find(slot);
        deflected_.put(step.sweep_body(slot, known != nullptr ? known->from : 0.0f, true, scratch_));
        step.note_if_struck(slot);
    }
    for (const std::uint32_t slot : swept_.solid_bullets()) {
        step.solids_to_come = step.solids_to_come.subspan(1);
        sweep_solid(slot, true);
    }
    opened_joints_.close(in, out, sweep, swept_, energies_, other_scratch_);
}

}  // namespace talus
