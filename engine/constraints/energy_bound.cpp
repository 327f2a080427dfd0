/// Contacts do no work: after each sub-step's relaxation, the energy of islands where they have is brought back.
///
/// Contacts without restitution can only take kinetic energy from the bodies that they push. That holds for the exact
/// impulses of a sub-step. Sweeps that have not converged do not find those: they are warm started with the impulses of
/// the sub-step before, and with what these pushed for overlap. A pebble wedged between the ground and a ton gives way by
/// its own small mass in each sweep, so that an impulse that was right a moment ago falls by a twentieth in a sub-step,
/// and throws the ton off meanwhile. More sweeps are no cure: eight times as many left as many random worlds with energy
/// from nowhere.
///
/// So the rule is kept as a rule. For an island with the kinetic energy E0 at the sub-step's start,
///
///     E <= E0 + h F v
///
/// with F v the power of gravity and of the user's forces at the velocities at its end. (At the velocities with which bodies
/// move, overlap that is pushed out would count as a fall.) The exact impulses leave it h^2 F^2 / 2 m below that. For a body
/// on joints whose velocity turns, the power at its start counts if it is more (find_gains, solver_kernel_motion.h).
/// Where it is broken, all impulses of the island are scaled by the largest s <= 1 with which it holds. E is quadratic in
/// s. Scaled impulses still push and do not pull, are within their limits of friction, and act on either body alike:
/// momentum is conserved. What they then leave unsolved is left to the next sub-step. In random worlds some 0.5% of
/// the islands are bounded in a sub-step.
///
/// One factor for a whole island is coarse: what rests far from the fault loses some of its support, too. A pyramid of
/// 5,050 boxes, of which always some row has not converged, fell within 1,000 steps. So islands of more than
/// settings::energy_most_bodies bodies are left alone, unless they gain so much that nothing in them can be at rest:
/// settings::energy_large_gain of what they have, and what makes all of them settings::energy_large_speed fast. (In a
/// random world a needle of 8 g gave an island of 38 bodies 50,000 times the energy that all of them had.)
///
/// Springs, motors and drives of joints may do work, and so may friction on surfaces that run: it counts as put in
/// (JointSolver::work, ContactSolver::find_belt_work). Islands that moving kinematic bodies push or pull are not bounded
/// in this way. (With the work of such contacts counted likewise, a gear let its wheels slip and threw them back, and a room
/// that flew about lost a body.) Their bound is much wider: exempt_driven_islands(). Without it, one of 150 rows of five
/// welded boxes that were crushed at 0.3 m/s left at 2,300 m/s.
///
/// Bounces come afterwards, and have a bound of their own: Newton's law of restitution makes energy where a body strikes
/// with friction (Kane and Levinson 1985), or at several points at once. Semi-implicit Euler conserves
/// E + V + h F v / 2 in free flight, with V the potential energy, so that
///
///     E + h F v / 2  <=  E0 + h F v0 / 2 + h F v1
///
/// with v0 the velocities at the sub-step's start, v1 those with which it moved the bodies, and v those after the
/// bounce. Where it is broken, what bounces changed in the island is scaled. What rests does not depend on it, so that
/// islands of any size are bounded.

#include "engine/bodies/integrate.h"
#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Angular momentum (N m s) of a body with this spin (rad/s) where it is in the solve.
glm::dvec3 World::State::angular_momentum(std::uint32_t i, const glm::dvec3& spin) const {
    const Body& body = bodies[solver_slots[i]];
    if (body.isotropic) return body.principal.moments * spin;
    const glm::dquat rotation = glm::dquat(body_motions.turn(i)) * body.exact_rotation;
    const glm::dmat3 axes = principal_axes(body, glm::normalize(rotation));
    return axes * (body.principal.moments * (spin * axes));
}

/// Exempts islands that moving kinematic bodies push or pull by contacts or joints. An island is exempt up to the energy
/// that its bodies would have at settings::energy_driven_speed times the speed of the kinematic body.
void World::State::exempt_driven_islands() {
    const auto exempt = [&](std::uint32_t i, double speed) {
        IslandGain& island = island_gains[islands.root(i)];
        const double most = settings::energy_driven_speed * speed;
        island.least = std::max(island.least, 0.5 * island.mass * most * most);
        if (!(island.gain > island.least)) island.gain = 0.0;
    };
    // The speed is that of the driver's frame at the farthest point of the driven body.
    const auto drive = [&](std::uint32_t driver, std::uint32_t driven) {
        if (solver_slots[driver] == null_index) return;
        const Body &a = bodies[solver_slots[driver]], &b = bodies[solver_slots[driven]];
        const SolverBody& sb = solver_bodies[driver];
        const float speed = glm::length(load3(sb.velocity)) +
                            (glm::length(b.center - a.center) + b.radius) * glm::length(load3(sb.angular_velocity));
        if (speed > 0.0f) exempt(driven, static_cast<double>(speed));
    };
    for (const ConstraintGraph::Edge& edge : edges) {
        if (!edge.pushes_a) drive(edge.a, edge.b);
        if (!edge.pushes_b) drive(edge.b, edge.a);
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        const std::uint32_t a = solver_index[ends.a], b = solver_index[ends.b];
        const auto is_held = [&](std::uint32_t i) { return i != 0 && i < held_end; };
        if (is_held(a) && !is_held(b)) drive(b, a);
        if (is_held(b) && !is_held(a)) drive(a, b);
    }
}

/// Leaves an island alone that has not gained so much that it cannot be at rest.
void World::State::pass_over_small_gain(std::uint32_t root) {
    constexpr double speed = settings::energy_large_speed;
    IslandGain& island = island_gains[root];
    if (!(island.gain > 0.0) || island.least > 0.0) return;
    island.least = std::max(0.5 * island.mass * speed * speed, settings::energy_large_gain * island.kinetic);
    if (!(island.gain > island.least)) island.gain = 0.0;
}

/// Sums the gains of the bodies over their islands, by bounces or by all else. False if no island is left that gained.
bool World::State::find_gaining_islands(bool by_bounces) {
    if (!body_motions.any_gain(group_size, held_end)) return false;
    island_gains.assign(held_end, {});
    gaining_islands.clear();
    gaining_islands.reserve(held_end);
    body_motions.for_each_gain(group_size, held_end, [&](std::uint32_t i, float gain, float energy, float mass) {
        const std::uint32_t root = islands.root(i);
        IslandGain& island = island_gains[root];
        island.gain += gain;
        island.kinetic += energy;
        island.mass += mass;
        if (++island.bodies == 1) gaining_islands.push_back(root);
    });
    const auto any = [&] {
        std::erase_if(gaining_islands, [&](std::uint32_t root) { return !(island_gains[root].gain > 0.0); });
        return !gaining_islands.empty();
    };
    for (const std::uint32_t root : gaining_islands) {
        if (!by_bounces && island_gains[root].bodies > settings::energy_most_bodies) pass_over_small_gain(root);
    }
    if (!any()) return false;
    exempt_driven_islands();
    if (!any()) return false;
    island_bounds.assign(held_end, {});
    unpushed.resize(held_end);
    return true;
}

/// Calls visit(body, its island's bound) for each body of an island that gained.
template <class Visit>
void World::State::for_each_gaining(Visit&& visit) {
    for (std::uint32_t i = group_size; i < held_end; ++i) {
        const std::uint32_t root = islands.root(i);
        if (solver_slots[i] != null_index && island_gains[root].gain > 0.0) visit(i, island_bounds[root]);
    }
}

/// Takes from each island that gained the least part of its impulses with which it no longer does, or the one with which
/// it gains least. Its bodies have the velocities of `unpushed` without these impulses.
void World::State::keep_parts() {
    for (const std::uint32_t root : gaining_islands) {
        IslandBound& island = island_bounds[root];
        const double gain = island_gains[root].gain - island.work;
        if (!(gain > island_gains[root].least)) continue;
        // Without the part t it gains gain - t slope + t^2 bend.
        const double root2 = island.slope * island.slope - 4.0 * gain * island.bend;
        const double taken =
            root2 > 0.0 ? 2.0 * gain / (island.slope + std::sqrt(root2)) : 0.5 * island.slope / island.bend;
        island.kept = static_cast<float>(taken > 0.0 ? 1.0 - std::min(taken, 1.0) : 1.0);
    }
    kept_impulses.assign(solver_slots.size(), 1.0f);
    for_each_gaining([&](std::uint32_t i, const IslandBound& island) {
        kept_impulses[i] = island.kept;
        SolverBody& sb = solver_bodies[i];
        const BodyMotions::Unpushed& without = unpushed[i];
        store3(sb.velocity, without.velocity + island.kept * (load3(sb.velocity) - without.velocity));
        store3(sb.angular_velocity, without.spin + island.kept * (load3(sb.angular_velocity) - without.spin));
        body_motions.set_spin(i, load3(sb.angular_velocity));
    });
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const float kept = kept_impulses[joint_solver.body_of(k)];
        if (kept < 1.0f) joint_solver.scale_impulses(k, static_cast<double>(kept));
    }
}

void World::State::bound_energy(float substep) {
    if (!find_gaining_islands(false)) return;
    // Against the velocities that the bodies would have by now without contacts.
    for_each_gaining([&](std::uint32_t i, IslandBound& island) {
        const Body& body = bodies[solver_slots[i]];
        const SolverBody& sb = solver_bodies[i];
        BodyMotions::Unpushed& alone = unpushed[i] = body_motions.unpushed(i, substep);
        if (body_motions.is_gyroscopic(i)) {
            const glm::dquat before = glm::normalize(glm::dquat(alone.turn) * body.exact_rotation);
            const glm::dquat now = glm::normalize(glm::dquat(body_motions.turn(i)) * body.exact_rotation);
            FreeTurn free{.rotation = before, .spin = glm::dvec3(alone.spin)};
            turn_freely(free, body.principal, 1, substep);
            alone.spin = vec3(now * (glm::conjugate(free.rotation) * free.spin));
        }
        const glm::dvec3 velocity(load3(sb.velocity)), pushed = velocity - glm::dvec3(alone.velocity);
        const glm::dvec3 spin(load3(sb.angular_velocity)), spun = spin - glm::dvec3(alone.spin);
        const glm::dvec3 momentum = angular_momentum(i, spun);
        const double mass = 1.0 / static_cast<double>(body.inverse_mass);
        const glm::dvec3 unforced = velocity - static_cast<double>(substep) * glm::dvec3(alone.acceleration);
        island.slope += mass * glm::dot(unforced, pushed) + glm::dot(momentum, spin) -
                        static_cast<double>(substep) * glm::dot(glm::dvec3(alone.torque), spun);
        island.bend += 0.5 * (mass * glm::dot(pushed, pushed) + glm::dot(momentum, spun));
    });
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const std::uint32_t root = islands.root(joint_solver.body_of(k));
        if (!(island_gains[root].gain > 0.0)) continue;
        IslandBound& island = island_bounds[root];
        const JointSolver::Work work = joint_solver.work(k, unpushed);
        if (!(work.unpushed + work.pushed > 0.0)) continue;
        island.work += work.unpushed + work.pushed;
        island.slope -= work.unpushed + 2.0 * work.pushed;
        island.bend -= work.pushed;
    }
    for (const ContactSolver::BeltWork& work : solver.find_belt_work()) {
        IslandBound& island = island_bounds[islands.root(work.body)];
        island.work += work.joules;
        island.slope -= work.joules;
    }
    keep_parts();
    solver.scale_impulses(kept_impulses);
}

void World::State::bound_bounces(float substep) {
    if (!find_gaining_islands(true)) return;
    for_each_gaining([&](std::uint32_t i, IslandBound& island) {
        const SolverBody& sb = solver_bodies[i];
        const BodyMotions::Unpushed& calm = unpushed[i] = body_motions.calm(i);
        const glm::dvec3 velocity(load3(sb.velocity)), bounced = velocity - glm::dvec3(calm.velocity);
        const glm::dvec3 spin(load3(sb.angular_velocity)), spun = spin - glm::dvec3(calm.spin);
        const glm::dvec3 momentum = angular_momentum(i, spun);
        const double mass = 1.0 / static_cast<double>(bodies[solver_slots[i]].inverse_mass);
        const double half = 0.5 * static_cast<double>(substep);
        island.slope += mass * glm::dot(velocity + half * glm::dvec3(calm.acceleration), bounced) +
                        glm::dot(momentum, spin) + half * glm::dot(glm::dvec3(calm.torque), spun);
        island.bend += 0.5 * (mass * glm::dot(bounced, bounced) + glm::dot(momentum, spun));
    });
    for (std::uint32_t k = 0; k < joint_solver.articulation_count(); ++k) {
        const std::uint32_t root = islands.root(joint_solver.body_of(k));
        if (!(island_gains[root].gain > 0.0)) continue;
        const JointSolver::Work work = joint_solver.work(k, unpushed);
        island_bounds[root].work += std::max(0.0, work.unpushed + work.pushed);
    }
    for (const ContactSolver::BeltWork& work : solver.find_belt_work())
        island_bounds[islands.root(work.body)].work += work.joules;
    keep_parts();
    solver.scale_bounces(kept_impulses);
}

}  // namespace talus
