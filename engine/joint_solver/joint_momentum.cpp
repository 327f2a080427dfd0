/// What joints do not change: the angular momentum of an articulation that hangs on nothing.
///
/// Joints push and pull their bodies at one place by opposite impulses, so that both momenta of what they hold together
/// stay. Links that swing faster than a sub-step can follow are the exception: they are integrated implicitly
/// (JointSolver::stabilise), which slows their spins, and lets impulses turn them less than their inertia says. Of free
/// things that took the spin: two bodies on a long bar, thrown spinning, lost 2% of it in a step, a light link between
/// heavy ones half of it. So did the limit of how far a link may turn in a sub-step, which a light one whose joint pulls it
/// straight meets.
///
/// Two things keep it. Spins are slowed against the rotation that the articulation has as a whole: the pull that makes
/// a link swing turns with that, and so a barbell that only spins has no swing to be slowed. And what a pass has left
/// out of the angular momentum is given back as a rotation of all of it as one rigid body. Joints do not feel that, be it
/// where they are, or by their limits and drives; the centre of mass stays as it is, and what links do against each
/// other, too. That must not make energy: what is more than before is taken from their motions against each other.
/// Loops, whose joints may contradict each other, and what lies on something fixed are left alone: they come to rest by
/// what they lose.

#include "engine/joint_solver/joint_solver.h"

#include "engine/settings.h"

#include <cmath>
#include <limits>

namespace talus {

JointSolver::CommonMotion JointSolver::common_motion(const Articulation& a) {
    CommonMotion whole;
    const auto for_each = [&](auto&& visit) {
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            const Link& link = links_[l];
            const double* const v = velocity_of(l);
            const dvec3 center = dvec3((*motions_.store)[link.slot].center) + link.displacement;
            visit(link, center, dvec3(v[0], v[1], v[2]), dvec3(v[4], v[5], v[6]));
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
    for_each([&](const Link& link, const dvec3& center, const dvec3& velocity, const dvec3& spin) {
        const dvec3 arm = center - whole.center;
        const dmat3 own = link.turn * link.start_inertia * glm::transpose(link.turn);
        whole.momentum += link.mass * glm::cross(arm, velocity - whole.velocity) + own * spin;
        whole.inertia += own + link.mass * (dmat3(glm::dot(arm, arm)) - glm::outerProduct(arm, arm));
    });
    return whole;
}

dvec3 JointSolver::CommonMotion::rotation() const {
    const double size = inertia[0][0] + inertia[1][1] + inertia[2][2];
    const double determinant = glm::determinant(inertia);
    constexpr double least = 1e-12;  // below it the inverse is rounding
    return determinant > least * size * size * size ? glm::inverse(inertia) * momentum : dvec3(0.0);
}

/// Of velocities as the pass finds them.
void JointSolver::note_momentum(Articulation& a) {
    a.rotation = dvec3(0.0);
    if (!a.stiff || !a.free) return;
    const CommonMotion whole = common_motion(a);
    a.center = whole.center;
    a.momentum = whole.momentum;
    a.rotation = whole.rotation();
    a.energy = kinetic_energy(a);
}

/// To what may turn in a sub-step. True where that changed something.
bool JointSolver::limit_spins(Articulation& a) {
    const double most = static_cast<double>(settings::max_joint_rotation) / substep_;
    bool any = false;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        double* const spin = velocity_of(l) + 4;
        const double size2 = spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2];
        if (!(size2 > most * most) || !(size2 < std::numeric_limits<double>::max())) continue;
        if (!any && !a.stiff) {
            // Up to here joints have changed neither.
            const CommonMotion whole = common_motion(a);
            a.momentum = whole.momentum;
            a.energy = 0.0;
            for (std::uint32_t k = a.first_link; k < a.first_link + a.link_count; ++k)
                a.energy += kinetic_energy(links_[k], links_[k].velocity_before, links_[k].spin_before);
        }
        any = true;
        const double part = most / std::sqrt(size2);
        for (int k = 0; k < 3; ++k) spin[k] *= part;
    }
    return any;
}

void JointSolver::restore_momentum(const Articulation& a, Pass pass) {
    CommonMotion whole = common_motion(a);
    const dvec3 now = whole.rotation();
    whole.momentum = a.momentum;
    const dvec3 rotation = whole.rotation(), missing = rotation - now;
    // A velocity within the whole, scaled by `part`, and the rotation.
    const auto set = [&](double part, const dvec3& turning, const dvec3& added) {
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            const dvec3 arm = dvec3((*motions_.store)[links_[l].slot].center) + links_[l].displacement - whole.center;
            double* const v = velocity_of(l);
            const dvec3 common = whole.velocity + glm::cross(turning, arm), more = glm::cross(added, arm);
            for (int k = 0; k < 3; ++k) {
                v[k] = common[k] + part * (v[k] - common[k]) + more[k];
                v[k + 4] = turning[k] + part * (v[k + 4] - turning[k]) + added[k];
            }
        }
    };
    set(1.0, now, missing);
    // (While positions are solved for, motions within make ways end where joints want them.)
    if (pass == Pass::solve) return;
    const double energy = kinetic_energy(a), gained = energy - a.energy;
    if (!(gained > 0.0)) return;
    double mass = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) mass += links_[l].mass;
    const double common = 0.5 * (mass * glm::dot(whole.velocity, whole.velocity) + glm::dot(rotation, whole.momentum));
    const double within = energy - common;
    if (within > 0.0) set(gained < within ? std::sqrt(1.0 - gained / within) : 0.0, rotation, dvec3(0.0));
}

}  // namespace talus
