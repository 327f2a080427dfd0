#pragma once
/// Crowded contacts: how much softer contacts are if many of them push one body.
///
/// Each contact point is a spring, whose stiffness suits the sub-step if the body has few of them
/// (WorldDef::contact_rate). Parallel springs add up. A body that many points push has a support that is too stiff for
/// the sub-step, although each single spring is not. Then impulses of iterations that have not converged follow the
/// overlap late, and a spring that pushes late adds energy. Example: a block of boxes with bond in both directions, in
/// which each box lies on four others and below four, moved up and down at 10 Hz for ever, with 0.1 m/s and 1 mm at its
/// top. It also crept, because bodies that are lifted in this way slide a little each time.
///
/// In numbers: let s be the change from sub-step to sub-step, c the part of a mode's speed that one iteration removes,
/// l the part of an impulse that a soft row lets go of, and X = (stiffness / mass of the mode's bodies) * (sub-step)^2.
/// Such a mode follows s^3 + (l + 2c) s^2 + 2c s + c l X = 0. It grows for X > 2 + 4c/l. More iterations afterwards,
/// less leak and more damping change little; the stiffness does.
///
/// So the points of a body's contacts are added up, each with a weight by the mass behind it, where they push along one
/// direction:
///
///     S = sum over points of  weight * normal * normal^T,    weight = 2 m_other / (m + m_other), or 1 if the other
///                                                            body cannot be pushed
///     crowding = largest eigenvalue of S
///
/// The contacts of bodies with a crowding above settings::crowded_points are softer by that ratio. A light body counts
/// little for a heavy one: contacts of a plate on a thousand balls need not be soft. Contacts of edges and corners do
/// not count. Points of contacts that share a stiffness already (settings::full_stiffness_contacts) count in part.
///
/// Springs along different directions do not add up. A body inside a heap has as many points as one in a block, but on
/// all sides, and is not crowded. If all points counted alike, whatever their normals, contacts of heaps would get
/// softer and stiffer as points come and go: three of 14 bins of mixed shapes were awake after 20 s instead of one.

#include "engine/constraints/solver_contacts.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class CrowdedContacts {
public:
    /// Finds the crowded bodies. `loads`, by body slot, is the number of the body's contacts plus one.
    void find(const SolverContacts& in, std::span<const std::uint32_t> loads);

    bool any() const { return !crowding_.empty(); }
    /// Returns the fraction of its usual stiffness that a contact has.
    float share(const ConstraintGraph::Edge& edge) const;

    std::size_t bytes() const {
        return (crowding_.capacity() + inverse_masses_.capacity()) * sizeof(float) +
               sum_of_.capacity() * sizeof(std::uint32_t) + sums_.capacity() * sizeof(glm::dmat3);
    }

private:
    std::vector<float> crowding_;  ///< by solver index; empty if no body is crowded
    // Scratch of find().
    std::vector<float> inverse_masses_;  ///< by solver index
    std::vector<std::uint32_t> sum_of_;  ///< by solver index: index in `sums_`
    std::vector<glm::dmat3> sums_;       ///< one per body with many points; the first one stands for all other bodies
};

}  // namespace talus
