#include "engine/solve/energy_bound.h"

#include "engine/bodies/free_turn.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace talus {

/// Exempts islands that moving kinematic bodies push or pull by contacts or joints: such an island may gain the energy
/// that its bodies have at settings::energy_driven_speed times the speed of the kinematic body.
void EnergyBound::exempt_driven_islands(const SolveInput& in, const SolverBodies& moving) {
    const auto exempt = [&](std::uint32_t i, double speed) {
        Gain& island = gains_[in.islands.root(i)];
        const double most = settings::energy_driven_speed * speed;
        island.least = std::max(island.least, 0.5 * island.mass * most * most);
        if (!(island.gain > island.least)) island.gain = 0.0;
    };
    // The speed of the driving body's frame at the farthest point of the driven body.
    const auto drive = [&](std::uint32_t driver, std::uint32_t driven) {
        if (!in.indices.is_body(driver)) return;
        const Body &a = in.body(driver), &b = in.body(driven);
        const SolverBody& sb = moving[driver];
        const float speed = glm::length(load3(sb.velocity)) + (glm::length(vec3(b.center - a.center)) + b.radius) *
                                                                  glm::length(load3(sb.angular_velocity));
        if (speed > 0.0f) exempt(driven, static_cast<double>(speed));
    };
    for (const ConstraintGraph::Edge& edge : in.edges) {
        if (!edge.pushes_a) drive(edge.a, edge.b);
        if (!edge.pushes_b) drive(edge.b, edge.a);
    }
    for (std::uint32_t j = 0; j < in.joints.slot_count(); ++j) {
        const JointBodies ends = in.joints.bodies(j);
        if (ends.b == null_index) continue;
        const std::uint32_t a = in.indices.of(ends.a), b = in.indices.of(ends.b);
        const auto is_movable = [&](std::uint32_t i) { return i != 0 && i < in.indices.movable_end(); };
        if (is_movable(a) && !is_movable(b)) drive(b, a);
        if (is_movable(b) && !is_movable(a)) drive(a, b);
    }
}

/// Allows an island a gain that is so small that its bodies may be at rest.
void EnergyBound::pass_over_small_gain(std::uint32_t root) {
    constexpr double speed = settings::energy_large_speed;
    Gain& island = gains_[root];
    if (!(island.gain > 0.0) || island.least > 0.0) return;
    island.least = std::max(0.5 * island.mass * speed * speed, settings::energy_large_gain * island.kinetic);
    if (!(island.gain > island.least)) island.gain = 0.0;
}

/// Sums the gains of the bodies over their islands: the gains by restitution, or by everything before it. Returns false
/// if no island has gained more than it may.
bool EnergyBound::find_gaining_islands(const SolveInput& in, const SolverBodies& moving, bool by_bounces) {
    if (!moving.motions().any_gain(SolverIndices::group_size, in.indices.movable_end())) return false;
    gains_.assign(in.indices.movable_end(), {});
    gaining_.clear();
    gaining_.reserve(in.indices.movable_end());
    moving.motions().for_each_gain(SolverIndices::group_size, in.indices.movable_end(),
                                   [&](std::uint32_t i, float gain, float energy, float mass) {
                                       const std::uint32_t root = in.islands.root(i);
                                       Gain& island = gains_[root];
                                       island.gain += gain;
                                       island.kinetic += energy;
                                       island.mass += mass;
                                       if (++island.bodies == 1) gaining_.push_back(root);
                                   });
    const auto any = [&] {
        std::erase_if(gaining_, [&](std::uint32_t root) { return !(gains_[root].gain > 0.0); });
        return !gaining_.empty();
    };
    for (const std::uint32_t root : gaining_) {
        if (!by_bounces && gains_[root].bodies > settings::energy_most_bodies) pass_over_small_gain(root);
    }
    if (!any()) return false;
    exempt_driven_islands(in, moving);
    if (!any()) return false;
    bounds_.assign(in.indices.movable_end(), {});
    unpushed_.resize(in.indices.movable_end());
    return true;
}

/// Adds up the work that drives and moving surfaces have done on the islands that gained, and drops the islands whose
/// gain it explains, such as doors with motors. Returns whether any island is left.
bool EnergyBound::exceeds_work(const SolveInput& in, JointSolver& joint_solver,
                               std::span<const ContactSolver::BeltWork> belts) {
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const std::uint32_t root = in.islands.root(joint_solver.body_of(k));
        if (!(gains_[root].gain > 0.0)) continue;
        const double work = joint_solver.drive_work(k);
        if (work > 0.0) bounds_[root].work += work;
    }
    for (const ContactSolver::BeltWork& work : belts) bounds_[in.islands.root(work.body)].work += work.joules;
    std::erase_if(gaining_, [&](std::uint32_t root) {
        const bool explained = !(gains_[root].gain - bounds_[root].work > gains_[root].least);
        if (explained) gains_[root].gain = 0.0;
        return explained;
    });
    return !gaining_.empty();
}

/// Calls visit(body, its island's bound) for each body of an island that gained.
template <class Visit>
void EnergyBound::for_each_gaining(const SolveInput& in, Visit&& visit) {
    in.indices.for_each_movable([&](std::uint32_t i) {
        const std::uint32_t root = in.islands.root(i);
        if (gains_[root].gain > 0.0) visit(i, bounds_[root]);
    });
}

/// Scales the impulses of each island that gained: removes the smallest part of them with which the island no longer
/// gains, or, if there is none, the part with which it gains least. Without these impulses, bodies have the velocities
/// in `unpushed_`.
void EnergyBound::keep_parts(const SolveInput& in, SolverBodies& moving, JointSolver& joint_solver) {
    for (const std::uint32_t root : gaining_) {
        Bound& island = bounds_[root];
        const double gain = gains_[root].gain - island.work;
        if (!(gain > gains_[root].least)) continue;
        // Without the part t of its impulses, the island gains: gain - t linear + t^2 quadratic.
        const double root2 = island.linear * island.linear - 4.0 * gain * island.quadratic;
        const double taken =
            root2 > 0.0 ? 2.0 * gain / (island.linear + std::sqrt(root2)) : 0.5 * island.linear / island.quadratic;
        island.kept = static_cast<float>(taken > 0.0 ? 1.0 - std::min(taken, 1.0) : 1.0);
    }
    kept_impulses_.assign(in.indices.size(), 1.0f);
    for_each_gaining(in, [&](std::uint32_t i, const Bound& island) {
        kept_impulses_[i] = island.kept;
        SolverBody& sb = moving[i];
        const BodyMotions::Unpushed& without = unpushed_[i];
        store3(sb.velocity, without.velocity + island.kept * (load3(sb.velocity) - without.velocity));
        store3(sb.angular_velocity, without.spin + island.kept * (load3(sb.angular_velocity) - without.spin));
        moving.motions().set_spin(i, load3(sb.angular_velocity));
    });
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const float kept = kept_impulses_[joint_solver.body_of(k)];
        if (kept < 1.0f) joint_solver.scale_impulses(k, static_cast<double>(kept));
    }
}

void EnergyBound::bound_iterations(const SolveInput& in, SolverBodies& moving, ContactSolver& solver,
                                   JointSolver& joint_solver) {
    const float substep = moving.step().substep;
    if (!find_gaining_islands(in, moving, false)) return;
    const std::span<const ContactSolver::BeltWork> belts = solver.find_belt_work();
    if (!exceeds_work(in, joint_solver, belts)) return;
    // Compares with the velocities that the bodies would have now without contacts and joints.
    for_each_gaining(in, [&](std::uint32_t i, Bound& island) {
        const Body& body = in.body(i);
        const SolverBody& sb = moving[i];
        BodyMotions::Unpushed& alone = unpushed_[i] = moving.motions().unpushed(i, substep, moving.step().max_speed);
        if (moving.motions().is_gyroscopic(i)) {
            const glm::dquat before = glm::normalize(glm::dquat(alone.turn) * body.exact_rotation);
            const glm::dquat now = glm::normalize(moving.rotation(i, body));
            FreeTurn free{.rotation = before, .spin = glm::dvec3(alone.spin)};
            turn_freely(free, body.principal, 1, substep);
            alone.spin = limited(vec3(now * (glm::conjugate(free.rotation) * free.spin)), alone.max_spin);
        }
        const glm::dvec3 velocity(load3(sb.velocity)), pushed = velocity - glm::dvec3(alone.velocity);
        const glm::dvec3 spin(load3(sb.angular_velocity)), spun = spin - glm::dvec3(alone.spin);
        const glm::dvec3 momentum = moving.angular_momentum(i, body, spun);
        const double mass = 1.0 / static_cast<double>(body.inverse_mass);
        const glm::dvec3 unforced = velocity - static_cast<double>(substep) * glm::dvec3(alone.acceleration);
        island.linear += mass * glm::dot(unforced, pushed) + glm::dot(momentum, spin) -
                         static_cast<double>(substep) * glm::dot(glm::dvec3(alone.torque), spun);
        island.quadratic += 0.5 * (mass * glm::dot(pushed, pushed) + glm::dot(momentum, spun));
    });
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const std::uint32_t root = in.islands.root(joint_solver.body_of(k));
        if (!(gains_[root].gain > 0.0)) continue;
        Bound& island = bounds_[root];
        const JointSolver::Work work = joint_solver.work(k, unpushed_);
        if (!(work.unpushed + work.pushed > 0.0)) continue;
        island.linear -= work.unpushed + 2.0 * work.pushed;
        island.quadratic -= work.pushed;
    }
    for (const ContactSolver::BeltWork& work : belts) bounds_[in.islands.root(work.body)].linear -= work.joules;
    keep_parts(in, moving, joint_solver);
    solver.scale_impulses(kept_impulses_);
}

void EnergyBound::bound_bounces(const SolveInput& in, SolverBodies& moving, ContactSolver& solver,
                                JointSolver& joint_solver) {
    const float substep = moving.step().substep;
    if (!find_gaining_islands(in, moving, true)) return;
    for_each_gaining(in, [&](std::uint32_t i, Bound& island) {
        const Body& body = in.body(i);
        const SolverBody& sb = moving[i];
        const BodyMotions::Unpushed& calm = unpushed_[i] = moving.motions().calm(i);
        const glm::dvec3 velocity(load3(sb.velocity)), bounced = velocity - glm::dvec3(calm.velocity);
        const glm::dvec3 spin(load3(sb.angular_velocity)), spun = spin - glm::dvec3(calm.spin);
        const glm::dvec3 momentum = moving.angular_momentum(i, body, spun);
        const double mass = 1.0 / static_cast<double>(body.inverse_mass);
        const double half = 0.5 * static_cast<double>(substep);
        island.linear += mass * glm::dot(velocity + half * glm::dvec3(calm.acceleration), bounced) +
                         glm::dot(momentum, spin) + half * glm::dot(glm::dvec3(calm.torque), spun);
        island.quadratic += 0.5 * (mass * glm::dot(bounced, bounced) + glm::dot(momentum, spun));
    });
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const std::uint32_t root = in.islands.root(joint_solver.body_of(k));
        if (!(gains_[root].gain > 0.0)) continue;
        const JointSolver::Work work = joint_solver.work(k, unpushed_);
        bounds_[root].work += std::max(0.0, work.unpushed + work.pushed);
    }
    for (const ContactSolver::BeltWork& work : solver.find_belt_work())
        bounds_[in.islands.root(work.body)].work += work.joules;
    keep_parts(in, moving, joint_solver);
    solver.scale_bounces(kept_impulses_);
}

std::size_t EnergyBound::bytes() const {
    return gains_.capacity() * sizeof(Gain) + gaining_.capacity() * sizeof(std::uint32_t) +
           bounds_.capacity() * sizeof(Bound) + unpushed_.capacity() * sizeof(BodyMotions::Unpushed) +
           kept_impulses_.capacity() * sizeof(float);
}

}  // namespace talus
