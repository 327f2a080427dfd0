#include "engine/joint_solver/passes/joint_energy.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

double kinetic_energy(const Link& link, const dvec3& velocity, const dvec3& angular_velocity) {
    const dvec3 local = angular_velocity * link.rotation;
    return 0.5 * (link.mass * glm::dot(velocity, velocity) + glm::dot(local, link.start_inertia * local));
}

double kinetic_energy(Articulations& s, const Articulation& a) {
    double sum = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const double* const v = s.velocity_of(l);
        if (s.links[l].dynamic) sum += kinetic_energy(s.links[l], linear_part(v), angular_part(v));
    }
    return sum;
}

double limit_gain(Articulations& s, const Articulation& a) {
    double mass = 0.0, most_change = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = s.links[l];
        if (!link.dynamic) continue;
        const double* const v = s.velocity_of(l);
        const dvec3 change = linear_part(v) - link.velocity_before,
                    angular_change = angular_part(v) - link.angular_velocity_before;
        most_change +=
            0.5 * (link.mass * glm::dot(change, change) + link.max_inertia * glm::dot(angular_change, angular_change));
        mass += link.mass;
    }
    // The triangle inequality in the norm whose square is the energy: |v + s dv| <= |v| + s |dv|.
    const double gain = std::sqrt(0.5 * mass) * settings::joint_gain_speed;
    if (most_change <= gain * gain) return 1.0;
    double before = 0.0, after = 0.0, change = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = s.links[l];
        if (!link.dynamic) continue;
        const double* const v = s.velocity_of(l);
        const dvec3 velocity = linear_part(v), angular_velocity = angular_part(v);
        before += kinetic_energy(link, link.velocity_before, link.angular_velocity_before);
        after += kinetic_energy(link, velocity, angular_velocity);
        change +=
            kinetic_energy(link, velocity - link.velocity_before, angular_velocity - link.angular_velocity_before);
    }
    if (std::sqrt(after) <= std::sqrt(before) + gain) return 1.0;  // false if `after` is not a number
    const double scale = after < infinite && change < infinite ? std::min(1.0, gain / std::sqrt(change)) : 0.0;
    const auto part = [scale](double from, double to) { return scale > 0.0 ? from + scale * (to - from) : from; };
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = s.links[l];
        if (!link.dynamic) continue;
        double* const v = s.velocity_of(l);
        for (int k = 0; k < 3; ++k) {
            v[k] = part(link.velocity_before[k], v[k]);
            v[k + 4] = part(link.angular_velocity_before[k], v[k + 4]);
        }
    }
    return scale;
}

double drive_work(Articulations& s, const Articulation& a) {
    s.kernel->speeds(s.rows_input(a, s.residuals));
    double sum = 0.0;
    for (const SolverJoint& joint : s.joints_of(a)) {
        const double* const speed = s.residuals_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            const JointRow& row = s.rows[joint.first_row + i];
            if (row.kind == RowKind::motor || row.kind == RowKind::spring) sum += row.impulse * speed[i];
        }
    }
    return sum;
}

}  // namespace talus
