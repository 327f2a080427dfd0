#include "engine/continuous/impact_energy.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// The energy of a body or of an articulation.
struct MotionEnergy {
    double kinetic = 0.0, potential = 0.0;  ///< J
    double relative = 0.0;                  ///< kinetic, of the links relative to their common motion, J
    double lead = 0.0;                      ///< what gravity adds in half a sub-step, J
    glm::dvec3 mean_velocity{0.0};          ///< m/s
};

/// `origin` is EnergyBudget::origin.
MotionEnergy energy_of(const ContinuousInput& in, const JointSolver& joint_solver, std::uint32_t slot,
                       bool articulation, const dvec3& origin) {
    MotionEnergy energy;
    double mass = 0.0;
    glm::dvec3 momentum(0.0);
    const auto half = 0.5 * static_cast<double>(in.dt) / static_cast<double>(in.substeps);
    const auto add = [&](std::uint32_t link) {
        const Body& body = in.bodies[link];
        const auto m = static_cast<double>(body.mass);
        const glm::dvec3 velocity(body.linear_velocity), angular_velocity(body.angular_velocity);
        const glm::dvec3 weight = m * static_cast<double>(body.gravity_scale) * glm::dvec3(in.gravity);
        const glm::dmat3 inertia(inertia_of(body, body.rotation));
        energy.kinetic +=
            0.5 * m * glm::dot(velocity, velocity) + 0.5 * glm::dot(angular_velocity, inertia * angular_velocity);
        energy.potential -= glm::dot(weight, body.center - origin);
        energy.lead += half * glm::dot(weight, velocity);
        momentum += m * velocity;
        mass += m;
    };
    if (articulation) {
        joint_solver.for_each_link(slot, add);
    } else {
        add(slot);
    }
    energy.mean_velocity = momentum / mass;
    energy.relative = energy.kinetic - 0.5 * glm::dot(momentum, energy.mean_velocity);
    return energy;
}

}  // namespace

EnergyBudget ImpactEnergies::body_budget(const ContinuousInput& in, const JointSolver& joint_solver,
                                         std::uint32_t slot) {
    const dvec3& origin = in.bodies[slot].center;
    const MotionEnergy now = energy_of(in, joint_solver, slot, false, origin);
    return {slot, origin, now.kinetic + now.potential, now.lead, false};
}

EnergyBudget& ImpactEnergies::articulation_budget(const ContinuousInput& in, const JointSolver& joint_solver,
                                                  std::uint32_t slot) {
    const std::uint32_t first = joint_solver.first_link_of(slot);
    const auto known = std::find_if(of_articulations_.begin(), of_articulations_.end(),
                                    [&](const EnergyBudget& budget) { return budget.slot == first; });
    if (known != of_articulations_.end()) return *known;
    const dvec3& origin = in.bodies[first].center;
    const MotionEnergy now = energy_of(in, joint_solver, slot, true, origin);
    of_articulations_.push_back({first, origin, now.kinetic + now.potential, now.lead, false});
    return of_articulations_.back();
}

void ImpactEnergies::fit_velocities(const ContinuousInput& in, ContinuousOutput& out, std::uint32_t slot) {
    articulation_budget(in, out.joint_solver, slot);
    out.joint_solver.for_each_allowed_velocity(
        slot, in.bodies, [&](std::uint32_t link, const glm::dvec3& velocity, const glm::dvec3& angular_velocity) {
            Body& body = out.bodies[link];
            body.linear_velocity = limited(vec3(velocity), in.max_speed_of(body));
            body.angular_velocity = limited(vec3(angular_velocity), in.max_spin_of(body));
            drop_locked_motion(body);
            body.exact_spin = glm::dvec3(body.angular_velocity);
        });
}

double ImpactEnergies::left(const ContinuousInput& in, const JointSolver& joint_solver, std::uint32_t slot,
                            bool articulation, const EnergyBudget& budget) {
    const MotionEnergy now = energy_of(in, joint_solver, slot, articulation, budget.origin);
    return budget.allowed + std::max(0.0, budget.lead - now.lead) - now.potential;
}

bool ImpactEnergies::remove_excess(const ContinuousInput& in, ContinuousOutput& out, std::uint32_t slot,
                                   bool articulation, const EnergyBudget& budget) {
    const MotionEnergy now = energy_of(in, out.joint_solver, slot, articulation, budget.origin);
    const double excess = now.kinetic + now.potential - budget.allowed - std::max(0.0, budget.lead - now.lead);
    if (!(excess > 0.0)) return true;
    const glm::dvec3 common = budget.anchored ? glm::dvec3(0.0) : now.mean_velocity;
    const double available = budget.anchored ? now.kinetic : now.relative;
    const double part = excess < available ? std::sqrt(1.0 - excess / available) : 0.0;
    const auto slow = [&](std::uint32_t link) {
        Body& body = out.bodies[link];
        const glm::dvec3 own = glm::dvec3(body.linear_velocity) - common;
        body.linear_velocity = limited(vec3(common + part * own), in.max_speed_of(body));
        body.angular_velocity = vec3(part * glm::dvec3(body.angular_velocity));
        drop_locked_motion(body);
        body.exact_spin = glm::dvec3(body.angular_velocity);
    };
    if (articulation) {
        out.joint_solver.for_each_link(slot, slow);
    } else {
        slow(slot);
    }
    return part > 0.0;
}

double work_of_impact(const Body& body, const ImpactBody& before, const ImpactBody& after, const quat& rotation,
                      const vec3& linear_velocity, const vec3& angular_velocity) {
    glm::dvec3 impulse = after.impulse - before.impulse, angular = after.angular_impulse - before.angular_impulse;
    if (!after.jointed) {
        impulse = static_cast<double>(body.mass) * glm::dvec3(after.linear_velocity - before.linear_velocity);
        angular = glm::dmat3(inertia_of(body, rotation)) * glm::dvec3(after.angular_velocity - before.angular_velocity);
    }
    return glm::dot(impulse, glm::dvec3(linear_velocity)) + glm::dot(angular, glm::dvec3(angular_velocity));
}

}  // namespace talus
