#pragma once
/// Crowded contacts: how much softer contacts are where many of them push one body.
///
/// Each contact point is a spring, as stiff as suits the sub-step where a body has a few of them (settings::contact_rate).
/// Springs side by side add up, and what is pushed by many points has too stiff a support for the sub-step, although each
/// of them alone is not. Impulses of sweeps that have not converged follow the overlap late, and a spring that pushes late
/// feeds energy in: a block of boxes in bond both ways, each on four others and below four, breathed up and down at 10 Hz
/// for ever, its top at 0.1 m/s and 1 mm, and crept, as whatever is lifted so slides a little. (With s the change from
/// sub-step to sub-step, c the part of a mode's speed that a sweep takes out, and X = (stiffness / mass of the mode's
/// bodies) * (sub-step)^2, such a mode follows s^3 + (l + 2c) s^2 + 2c s + c l X = 0, with l the part of an impulse that
/// a soft row lets go of. It grows for X > 2 + 4c/l: later sweeps, less leak and more damping change little, the
/// stiffness does.)
///
/// So the points of a body's contacts count, each by the mass behind it, where they push along one direction:
///
///     S = sum over points of  weight * normal * normal^T,    weight = 2 m_other / (m + m_other), or 1 where the other
///                                                            body cannot be pushed
///     crowding = largest eigenvalue of S
///
/// and the contacts of bodies with a crowding of more than settings::crowded_points are softer by that ratio. A light
/// body counts little for a heavy one: contacts of a plate on a thousand balls have no need to be soft. Edges and
/// corners do not count, nor do points in full whose contacts share a stiffness already
/// (settings::full_stiffness_contacts).
///
/// Springs along different directions do not add up. A body inside a heap has as many points as one in a block, on all
/// sides, and is left alone: with all points counted alike, whatever their normals, contacts of heaps got softer and
/// stiffer as points came and went, and three of 14 bins of mixed shapes were awake after
/// 20 s instead of one.

#include "engine/constraints/solver_contacts.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class CrowdedContacts {
public:
    /// Finds the crowded bodies. `loads`, by body slot, are one more than the number of the body's contacts.
    void find(const SolverContacts& in, std::span<const std::uint32_t> loads);

    bool any() const { return !crowding_.empty(); }
    /// The part of its usual stiffness that a contact has.
    float share(const ConstraintGraph::Edge& edge) const;

    std::size_t bytes() const {
        return (crowding_.capacity() + inverse_masses_.capacity()) * sizeof(float) +
               sum_of_.capacity() * sizeof(std::uint32_t) + sums_.capacity() * sizeof(glm::dmat3);
    }

private:
    std::vector<float> crowding_;  ///< by solver index; empty if nothing is crowded
    // Scratch of find().
    std::vector<float> inverse_masses_;  ///< by solver index
    std::vector<std::uint32_t> sum_of_;  ///< by solver index: its place in `sums_`
    std::vector<glm::dmat3> sums_;       ///< of bodies with many points; the first one is of all others
};

}  // namespace talus
