#pragma once
/// What the kernel's prepare() and prepare_surface() read of a contact, and the impulses with which it starts.

#include "engine/bodies/body_store.h"
#include "engine/contact_solver/solver_kernel.h"
#include "engine/contacts/contact_table.h"

#include <cstdint>
#include <span>

namespace talus {

/// Carries impulses over to the new manifold, for points whose feature ids were there in the last step.
void match_impulses(ContactState& state, const Manifold& manifold);

/// Returns a contact between the solver indices a and b as prepare() reads it. It points into the other arguments.
/// `centers`: of mass, by solver index.
inline ContactSource contact_source(std::uint32_t a, std::uint32_t b, std::uint32_t contact,
                                    const WorldTransform& pose_a, const WorldTransform& pose_b,
                                    std::span<const dvec3> centers, const Manifold& manifold,
                                    const ContactState& state) {
    return {a,
            b,
            contact,
            &pose_a.position.x,
            &pose_b.position.x,
            a != 0 ? &centers[a].x : &pose_a.position.x,
            b != 0 ? &centers[b].x : &pose_b.position.x,
            &pose_a.rotation.x,
            &pose_b.rotation.x,
            &manifold.normal.x,
            &manifold.points[0].on_a.x,
            state.impulses,
            static_cast<unsigned>(manifold.count),
            nullptr};
}

/// Writes the data of special surfaces as prepare_surface() reads them, 16 floats: the velocity of B's surface minus
/// that of A's, the tangent, the rolling impulse, the grips and the rolling arm.
void put_surface(float* row, const ContactState& state, const Surface& a, const quat& rotation_a, const Surface& b,
                 const quat& rotation_b);

}  // namespace talus
