#pragma once
/// The bodies of a step as the kernels integrate them, by solver index, in groups of as many bodies as the processor
/// has lanes.

#include <talus/math.h>
#include "engine/contact_solver/motion_lanes.h"
#include "engine/contact_solver/solver_kernel.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The data that determine a body's motion within a step. World axes.
struct BodyMotion {
    vec3 acceleration{0.0f};                              ///< from gravity and forces, m/s^2
    vec3 angular_acceleration{0.0f};                      ///< from torques, rad/s^2
    float linear_damping = 1.0f, angular_damping = 1.0f;  ///< factors per sub-step
    float max_spin = 0.0f;                                ///< rad/s
    float stale_by_spin = 0.0f, stale_by_tilt = 0.0f;     ///< see Body
    vec3 own_axis{1.0f, 0.0f, 0.0f};                      ///< the first principal axis
    float mass = 0.0f;                                    ///< kg; 0 for bodies that can't be pushed
    vec3 torque{0.0f};                                    ///< the user's, N m
    quat axes{1.0f, 0.0f, 0.0f, 0.0f};                    ///< rotation of the principal axes
    vec3 moments{0.0f};          ///< moments of inertia about the principal axes, kg m^2; see free_turn.h
    bool jointed = false;        ///< joints act on it
    bool gyroscopic = false;     ///< its inertia is not a multiple of the identity; the fields below are read only then
    vec3 inverse_moments{1.0f};  ///< about the principal axes, 1/(kg m^2)
    vec3 momentum{0.0f};         ///< angular momentum, N m s
    vec3 spin{0.0f};             ///< angular velocity, rad/s
};

class BodyMotions {
public:
    explicit BodyMotions(const SolverKernel& kernel) : kernel_(&kernel) {}

    /// Makes room for this many bodies, rounded up to whole groups. Each of them must then be set. Stale bodies are
    /// found only if `finds_stale`.
    void reset(std::size_t bodies, bool finds_stale = true);
    void set(std::size_t body, const BodyMotion& motion);
    /// Returns the rotation since the start of the step. Its length is 1 up to rounding.
    quat turn(std::size_t body) const;
    /// Calls visit(body) for the stale ones among the bodies first .. last - 1, that is, those that have rotated so far
    /// that their contacts must be tested again. Both numbers must be at whole groups.
    template <class Visit>
    void for_each_stale(std::uint32_t first, std::uint32_t last, Visit&& visit) const {
        for (std::uint32_t i = first; i < last; i += kernel_->lanes) {
            if (!any_stale(i)) continue;
            for (std::uint32_t k = i; k < i + kernel_->lanes; ++k) {
                if (is_stale(k)) visit(k);
            }
        }
    }
    /// Notes that the contacts of a body have been tested again at its present pose. `turn` is that of its SolverBody.
    /// From now on the solver uses the inertia that the body has there.
    void renew(std::size_t body, const vec3& turn);

    // For code that reads and writes bodies in lanes of its own.
    /// Returns the address of x of that rotation; y, z and w follow at distances of turn_stride() floats.
    float* turn_at(std::size_t body);
    unsigned turn_stride() const { return static_cast<unsigned>(kernel_->lanes); }
    /// Distances in floats from x of a body's rotation to x of what set_spin() writes.
    struct SpinPlaces {
        int momentum, handed_out;
    };
    SpinPlaces spin_places() const;

    bool is_gyroscopic(std::size_t body) const;
    /// Returns the angular momentum (N m s) of a gyroscopic body, if the solver has given it this angular velocity
    /// (rad/s).
    vec3 momentum(std::size_t body, const vec3& spin) const;
    /// Returns the moments of inertia about the body's principal axes, kg m^2.
    vec3 moments(std::size_t body) const;
    /// Returns the inertia that the solver uses: at the rotation at which the body's contacts were found, or, if `now`,
    /// at the present one.
    glm::dmat3 solver_inertia(std::size_t body, bool now) const;
    /// Returns the inverse of solver_inertia(body, false). Both are computed from the principal moments, so that both
    /// are positive definite, whatever the moments are.
    glm::dmat3 inverse_solver_inertia(std::size_t body) const;
    /// Sets the angular momentum to that of this angular velocity (rad/s) at the body's present pose. Without this
    /// call, a change of angular velocity counts as an impulse on the body at its rotation at the step's start.
    void set_spin(std::size_t body, const vec3& spin);

    /// Whether some of the bodies first .. last - 1 may have gained energy without a cause (find_gains). Both numbers
    /// must be at whole groups.
    bool any_gain(std::uint32_t first, std::uint32_t last) const;
    /// Calls visit(body, gain, kinetic energy, mass) for each of these bodies, with what find_gains has found, J and kg
    /// (motion_lanes.h).
    template <class Visit>
    void for_each_gain(std::uint32_t first, std::uint32_t last, Visit&& visit) const;
    /// The state of a body before contacts act on it in this sub-step, and after gravity and forces.
    struct Unpushed {
        vec3 velocity, spin;        ///< velocity and angular velocity, m/s and rad/s
        quat turn;                  ///< rotation since the start of the step
        vec3 acceleration, torque;  ///< by gravity and the user's forces, m/s^2 and N m
        float max_spin;             ///< rad/s
    };
    /// Limits both velocities as SolverKernel::integrate_velocities does.
    Unpushed unpushed(std::size_t body, float substep, float max_speed) const;
    /// Returns the same after relaxation, before the restitution passes.
    Unpushed calm(std::size_t body) const;

    /// Runs a pass over the bodies first .. last - 1. Both numbers must be at whole groups.
    using Pass = SolverKernel::MotionPass* SolverKernel::*;
    void run(Pass pass, std::uint32_t first, std::uint32_t last, std::span<SolverBody> bodies, float substep,
             float max_speed);

    std::size_t bytes() const { return lines_.capacity() * sizeof(Line); }

private:
    bool any_stale(std::size_t body) const;
    bool is_stale(std::size_t body) const;
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    const void* group(std::size_t i) const { return const_cast<BodyMotions*>(this)->group(i); }
    /// Calls f(the MotionLanes of the body, its lane).
    template <class F>
    decltype(auto) at(std::size_t body, F&& f);
    template <class F>
    decltype(auto) at(std::size_t body, F&& f) const;
    void* group(std::size_t i) { return reinterpret_cast<std::byte*>(lines_.data()) + i * kernel_->motion_bytes; }

    const SolverKernel* kernel_;
    std::vector<Line> lines_;
    bool finds_stale_ = true;
};

template <class Visit>
void BodyMotions::for_each_gain(std::uint32_t first, std::uint32_t last, Visit&& visit) const {
    const auto visit_lanes = [&]<int width>(std::integral_constant<int, width>) {
        for (std::uint32_t i = first; i < last; i += width) {
            const auto& m = *static_cast<const MotionLanes<LaneArray<width>>*>(group(i / width));
            for (std::uint32_t k = 0; k < width; ++k) visit(i + k, m.gain.at[k], m.energy.at[k], m.mass.at[k]);
        }
    };
    kernel_->lanes == 8 ? visit_lanes(std::integral_constant<int, 8>()) : visit_lanes(std::integral_constant<int, 4>());
}

}  // namespace talus
