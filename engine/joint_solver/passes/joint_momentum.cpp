#include "engine/joint_solver/passes/joint_momentum.h"

#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/settings.h"

#include <cmath>
#include <limits>

namespace talus {

namespace {

/// The motion of an articulation as a whole.
struct CommonMotion {
    dvec3 center{0.0}, velocity{0.0};  ///< of the centre of mass, as in seen_center(), and m/s
    dvec3 angular_momentum{0.0};       ///< about the centre of mass, N m s
    dmat3 inertia{0.0};                ///< of the whole about the centre of mass, kg m^2

    /// Returns the angular velocity of a rigid body with this inertia and angular momentum, rad/s; 0 if it has none.
    dvec3 angular_velocity() const {
        const double size = inertia[0][0] + inertia[1][1] + inertia[2][2];
        const double determinant = glm::determinant(inertia);
        constexpr double least = 1e-12;  // relative size below which the inverse is rounding
        return determinant > least * size * size * size ? glm::inverse(inertia) * angular_momentum : dvec3(0.0);
    }
};

CommonMotion common_motion(Articulations& s, const Articulation& a) {
    CommonMotion whole;
    const auto for_each = [&](auto&& visit) {
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            const Link& link = s.links[l];
            const double* const v = s.velocity_of(l);
            visit(link, s.seen_center(a, link), linear_part(v), angular_part(v));
        }
    };
    double mass = 0.0;
    for_each([&](const Link& link, const dvec3& center, const dvec3& velocity, const dvec3&) {
        mass += link.mass;
        whole.center += link.mass * center;
        whole.velocity += link.mass * velocity;
    });
    whole.center /= mass;
    whole.velocity /= mass;
    for_each([&](const Link& link, const dvec3& center, const dvec3& velocity, const dvec3& angular_velocity) {
        const dvec3 arm = center - whole.center;
        const dmat3 own = link.rotation * link.start_inertia * glm::transpose(link.rotation);
        whole.angular_momentum += link.mass * glm::cross(arm, velocity - whole.velocity) + own * angular_velocity;
        whole.inertia += own + link.mass * (dmat3(glm::dot(arm, arm)) - glm::outerProduct(arm, arm));
    });
    return whole;
}

}  // namespace

void note_momentum(Articulations& s, Articulation& a) {
    a.angular_velocity = dvec3(0.0);
    if (!a.implicit || !a.floating) return;
    const CommonMotion whole = common_motion(s, a);
    a.center = whole.center;
    a.angular_momentum = whole.angular_momentum;
    a.angular_velocity = whole.angular_velocity();
    a.energy = kinetic_energy(s, a);
}

bool limit_angular_velocities(Articulations& s, Articulation& a) {
    const double most = static_cast<double>(settings::max_joint_rotation) / s.substep;
    bool any = false;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        double* const angular_velocity = s.velocity_of(l) + 4;
        const double size2 = angular_velocity[0] * angular_velocity[0] + angular_velocity[1] * angular_velocity[1] +
                             angular_velocity[2] * angular_velocity[2];
        if (!(size2 > most * most) || !(size2 < std::numeric_limits<double>::max())) continue;
        if (!any && !a.implicit) {
            // Up to here the pass has changed neither the momentum nor the energy.
            const CommonMotion whole = common_motion(s, a);
            a.angular_momentum = whole.angular_momentum;
            a.energy = 0.0;
            for (Link& link : s.links_of(a))
                a.energy += kinetic_energy(link, link.velocity_before, link.angular_velocity_before);
        }
        any = true;
        const double part = most / std::sqrt(size2);
        for (int k = 0; k < 3; ++k) angular_velocity[k] *= part;
    }
    return any;
}

void restore_momentum(Articulations& s, const Articulation& a, JointPass pass) {
    CommonMotion whole = common_motion(s, a);
    const dvec3 angular_now = whole.angular_velocity();
    whole.angular_momentum = a.angular_momentum;
    const dvec3 angular_velocity = whole.angular_velocity(), missing = angular_velocity - angular_now;
    // Scales by `part` the motion relative to the whole, which rotates by `turning`, and adds the rotation `added`.
    const auto set = [&](double part, const dvec3& turning, const dvec3& added) {
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            const dvec3 arm = s.seen_center(a, s.links[l]) - whole.center;
            double* const v = s.velocity_of(l);
            const dvec3 common = whole.velocity + glm::cross(turning, arm), more = glm::cross(added, arm);
            for (int k = 0; k < 3; ++k) {
                v[k] = common[k] + part * (v[k] - common[k]) + more[k];
                v[k + 4] = turning[k] + part * (v[k + 4] - turning[k]) + added[k];
            }
        }
    };
    set(1.0, angular_now, missing);
    // In the solve pass the relative motions must not change, because they end where the joints want them.
    if (pass == JointPass::solve) return;
    const double energy = kinetic_energy(s, a), gained = energy - a.energy;
    if (!(gained > 0.0)) return;
    double mass = 0.0;
    for (Link& link : s.links_of(a)) mass += link.mass;
    const double common =
        0.5 * (mass * glm::dot(whole.velocity, whole.velocity) + glm::dot(angular_velocity, whole.angular_momentum));
    const double within = energy - common;
    if (within > 0.0) set(gained < within ? std::sqrt(1.0 - gained / within) : 0.0, angular_velocity, dvec3(0.0));
}

}  // namespace talus
