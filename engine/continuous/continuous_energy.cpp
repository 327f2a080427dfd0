/// Impacts that continuous collision finds make no energy.
///
/// The impulses of an impact do not: continuous_impulses.h says why. Three other things did.
///
/// A body that is held up has the velocity of the step's end, but not the height: it did not fall as far as the solver
/// took it to get that velocity. For a body in free flight collide() takes back what gravity would have added. Of one
/// that contacts or joints have pushed in the step nobody knows that, nor of one that has used up its impacts and loses
/// the rest of its step.
///
/// Impulses on a body that joints hold are found with the masses of all that is held together (JointSolver::respond),
/// and joints pass them on without doing work only if the velocities of the links go together. After the last sub-step
/// they do not: contacts have the last word there, and what squeezes a light limb leaves it at any speed. A limb of 2 kg,
/// fixed to 500 kg, spun at 190 rad/s by itself where it met a wall: an impact with the mass of both, to stop the speed
/// of one, gave 200 times the energy that they had. So the velocities are made to go together first (hold_together). Like
/// any inelastic impact that conserves momentum and makes no energy. And links that are integrated implicitly answer by
/// more inertia than they have (implicit_rotation.h), so that the impulses themselves may gain.
///
/// So the rule is kept as a rule: from where the solver has left them to the end of the step,
///
///     kinetic + potential  <=  before  +  work of the others that they met
///
/// for a body by itself, and for all together that joints hold. What breaks it is taken from the motion: all of it,
/// evenly, where the body has met something fixed or kinematic, so that it comes no nearer to that; else of what links do
/// against each other, which conserves momentum. (As in energy_bound.cpp, E + h F v / 2 is what stays in flight.)

#include "engine/continuous/continuous_sweep.h"

#include "engine/bodies/integrate.h"

namespace talus {

/// Of a body, or of all that joints hold together with it.
World::State::Sweep::MotionEnergy World::State::Sweep::energy_of(std::uint32_t slot, bool with_links) const {
    MotionEnergy energy;
    double mass = 0.0;
    glm::dvec3 momentum(0.0);
    const auto half = 0.5 * static_cast<double>(dt) / static_cast<double>(s.substeps);
    const auto add = [&](std::uint32_t link) {
        const Body& body = s.bodies[link];
        const auto m = static_cast<double>(body.mass);
        const glm::dvec3 velocity(body.linear_velocity), spin(body.angular_velocity);
        const glm::dvec3 weight = m * static_cast<double>(body.gravity_scale) * glm::dvec3(s.def.gravity);
        const glm::dmat3 inertia(inertia_of(body, body.rotation));
        energy.kinetic += 0.5 * m * glm::dot(velocity, velocity) + 0.5 * glm::dot(spin, inertia * spin);
        energy.potential -= glm::dot(weight, glm::dvec3(body.center));
        energy.ahead += half * glm::dot(weight, velocity);
        momentum += m * velocity;
        mass += m;
    };
    if (with_links) {
        s.joint_solver.for_each_link(slot, add);
    } else {
        add(slot);
    }
    energy.mean_velocity = momentum / mass;
    energy.inside = energy.kinetic - 0.5 * glm::dot(momentum, energy.mean_velocity);
    return energy;
}

/// The books of all that joints hold together with the body; opened where they are not yet.
World::State::ImpactEnergy& World::State::Sweep::books_of_links(std::uint32_t slot) {
    const std::uint32_t first = s.joint_solver.first_link_of(slot);
    const auto known = std::find_if(s.impact_energies.begin(), s.impact_energies.end(),
                                    [&](const auto& e) { return e.slot == first; });
    if (known != s.impact_energies.end()) return *known;
    const MotionEnergy now = energy_of(slot, true);
    s.impact_energies.push_back({first, now.kinetic + now.potential, now.ahead, false});
    return s.impact_energies.back();
}

/// Before an impact on a body that joints hold: what they hold together moves together.
void World::State::Sweep::hold_together(std::uint32_t slot) {
    books_of_links(slot);
    s.joint_solver.for_each_allowed_velocity(
        slot, s.bodies, [&](std::uint32_t link, const glm::dvec3& velocity, const glm::dvec3& spin) {
            Body& body = s.bodies[link];
            body.linear_velocity = limited(vec3(velocity), s.most_speed(body));
            body.angular_velocity = limited(vec3(spin), body.max_spin);
            drop_locked_motion(body);
            body.exact_spin = glm::dvec3(body.angular_velocity);
        });
}

/// Work of an impact on one of the two, J, by the velocities that the place where it is hit would have as a rigid body's
/// with the mean of these.
double World::State::Sweep::work_on(std::uint32_t slot, const Party& before, const Party& after, const quat& rotation,
                                    const vec3& velocity, const vec3& spin) const {
    const Body& body = s.bodies[slot];
    glm::dvec3 impulse = after.impulse - before.impulse, moment = after.moment - before.moment;
    if (!after.held) {
        impulse = static_cast<double>(body.mass) * glm::dvec3(after.velocity - before.velocity);
        moment = glm::dmat3(inertia_of(body, rotation)) * glm::dvec3(after.spin - before.spin);
    }
    return glm::dot(impulse, glm::dvec3(velocity)) + glm::dot(moment, glm::dvec3(spin));
}

/// Takes back what a body, or all that joints hold together with it, has more than it may. False if their motion has less.
bool World::State::Sweep::take_back(std::uint32_t slot, bool with_links, const ImpactEnergy& books) {
    const MotionEnergy now = energy_of(slot, with_links);
    const double gained = now.kinetic + now.potential - books.allowed - std::max(0.0, books.ahead - now.ahead);
    if (!(gained > 0.0)) return true;
    const glm::dvec3 common = books.anchored ? glm::dvec3(0.0) : now.mean_velocity;
    const double most = books.anchored ? now.kinetic : now.inside;
    const double part = gained < most ? std::sqrt(1.0 - gained / most) : 0.0;
    const auto slow = [&](std::uint32_t link) {
        Body& body = s.bodies[link];
        const glm::dvec3 own = glm::dvec3(body.linear_velocity) - common;
        body.linear_velocity = limited(vec3(common + part * own), s.most_speed(body));
        body.angular_velocity = vec3(part * glm::dvec3(body.angular_velocity));
        drop_locked_motion(body);
        body.exact_spin = glm::dvec3(body.angular_velocity);
    };
    if (with_links) {
        s.joint_solver.for_each_link(slot, slow);
    } else {
        slow(slot);
    }
    return part > 0.0;
}

}  // namespace talus
