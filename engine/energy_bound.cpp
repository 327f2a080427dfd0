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
///     E <= E0 + work of gravity and of the user's forces, where that is positive
///
/// Where it is broken, all impulses of the island are scaled by the largest s <= 1 with which it holds. E is quadratic in
/// s. Scaled impulses still push and do not pull, are within their limits of friction, and act on either body alike:
/// momentum is conserved. What they then leave unsolved is left to the next sub-step. Some 0.5% of the islands of random
/// worlds are bounded in a sub-step, of piles that rest none.
///
/// Not bounded are islands with joints, which bound their own energy (joint_energy.cpp), and those with contacts that may
/// do work: on moving kinematic bodies, on surfaces that run, or changed by a modifier. Bounces come afterwards.

#include <talus/engine/integrate.h>
#include <talus/engine/settings.h>
#include <talus/engine/world_state.h>

#include <algorithm>
#include <cmath>

namespace talus {

/// Angular momentum (N m s) of a body with this spin (rad/s).
static glm::dvec3 angular_momentum(const Body& body, const glm::dquat& rotation, const glm::dvec3& spin) {
    const glm::dmat3 axes = principal_axes(body, rotation);
    return axes * (body.principal.moments * (spin * axes));
}

/// Islands, by solver index of their root, whose contacts may do work or that have joints.
void World::State::exempt_islands() {
    const auto exempt = [&](std::uint32_t i) { island_energies[islands.root(i)].is_exempt = true; };
    const auto is_driven = [&](std::uint32_t i) {
        const SolverBody& sb = solver_bodies[i];
        return load3(sb.velocity) != vec3(0.0f) || load3(sb.angular_velocity) != vec3(0.0f);
    };
    for (const ConstraintGraph::Edge& edge : edges) {
        const ContactState& state = contacts.states[edge.contact];
        const PairRecord& pair = contacts.records[edge.contact];
        const bool runs = state.special_surface && (shapes.surfaces[pair.a].velocity != vec3(0.0f) ||
                                                    shapes.surfaces[pair.b].velocity != vec3(0.0f));
        const bool driven = (!edge.pushes_a && is_driven(edge.a)) || (!edge.pushes_b && is_driven(edge.b));
        if (state.modified || runs || driven) exempt(edge.pushes_a ? edge.a : edge.b);
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        for (const std::uint32_t slot : {ends.a, ends.b}) {
            if (solver_index[slot] != 0 && solver_index[slot] < held_end) exempt(solver_index[slot]);
        }
    }
}

void World::State::bound_energy(float substep) {
    if (!body_motions.any_gain(group_size, held_end)) return;
    const auto for_each_held = [&](auto&& visit) {
        for (std::uint32_t i = group_size; i < held_end; ++i) {
            if (solver_slots[i] != null_index) visit(i, island_energies[islands.root(i)]);
        }
    };
    island_energies.assign(held_end, {});
    for_each_held([&](std::uint32_t i, IslandEnergy& island) {
        const BodyMotions::SubstepEnergy e = body_motions.substep_energy(i, substep);
        const double old = e.old_energy, speed = settings::energy_speed;
        island.allowed += (1.0 + settings::energy_gain) * old + 0.5 * speed * speed * e.mass;
        island.kinetic += old + e.gain;
        island.work += e.work;
    });
    const auto is_beyond = [](const IslandEnergy& e) { return e.kinetic > e.allowed + std::max(e.work, 0.0); };
    if (std::none_of(island_energies.begin(), island_energies.end(), is_beyond)) return;
    exempt_islands();
    for (IslandEnergy& island : island_energies) island.is_bounded = !island.is_exempt && is_beyond(island);

    // Against the velocities that the bodies would have by now without contacts.
    unpushed_spins.resize(held_end);
    const auto rotation_now = [&](std::uint32_t i) {
        return glm::normalize(glm::dquat(body_motions.turn(i)) * bodies[solver_slots[i]].exact_rotation);
    };
    for_each_held([&](std::uint32_t i, IslandEnergy& island) {
        if (!island.is_bounded) return;
        const Body& body = bodies[solver_slots[i]];
        const BodyMotions::SubstepEnergy e = body_motions.substep_energy(i, substep);
        const glm::dquat now = rotation_now(i);
        glm::dvec3& spin = unpushed_spins[i] = glm::dvec3(e.spin);
        if (body_motions.is_gyroscopic(i)) {
            FreeTurn alone{.rotation = glm::normalize(glm::dquat(e.old_turn) * body.exact_rotation), .spin = spin};
            turn_freely(alone, body.principal, 1, substep);
            spin = now * (glm::conjugate(alone.rotation) * alone.spin);
        }
        const glm::dvec3 velocity(e.velocity), pushed = glm::dvec3(load3(solver_bodies[i].velocity)) - velocity;
        const glm::dvec3 spun = glm::dvec3(load3(solver_bodies[i].angular_velocity)) - spin;
        const glm::dvec3 momentum = angular_momentum(body, now, spin), more = angular_momentum(body, now, spun);
        const double mass = e.mass;
        island.unpushed += 0.5 * (mass * glm::dot(velocity, velocity) + glm::dot(momentum, spin));
        island.slope += mass * glm::dot(velocity, pushed) + glm::dot(momentum, spun);
        island.bend += 0.5 * (mass * glm::dot(pushed, pushed) + glm::dot(more, spun));
    });
    for (IslandEnergy& e : island_energies) {
        if (!e.is_bounded || !(e.bend > 0.0)) continue;
        const double least = -e.slope / (2.0 * e.bend);
        const double root2 = least * least - (e.unpushed - e.allowed - std::max(e.work, 0.0)) / e.bend;
        e.kept = static_cast<float>(std::clamp(least + std::sqrt(std::max(root2, 0.0)), 0.0, 1.0));
    }
    kept_impulses.assign(solver_slots.size(), 1.0f);
    for_each_held([&](std::uint32_t i, const IslandEnergy& island) {
        if (!(island.kept < 1.0f)) return;
        kept_impulses[i] = island.kept;
        SolverBody& sb = solver_bodies[i];
        const vec3 velocity = body_motions.substep_energy(i, substep).velocity, spin(unpushed_spins[i]);
        store3(sb.velocity, velocity + island.kept * (load3(sb.velocity) - velocity));
        store3(sb.angular_velocity, spin + island.kept * (load3(sb.angular_velocity) - spin));
        body_motions.set_spin(i, load3(sb.angular_velocity));
    });
    solver.scale_impulses(kept_impulses);
}

}  // namespace talus
