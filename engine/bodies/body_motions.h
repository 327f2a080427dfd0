#pragma once
/// The bodies of a step as the kernels integrate them: groups of as many as the processor has lanes, by solver index.

#include <talus/math.h>
#include "engine/contact_solver/motion_lanes.h"
#include "engine/contact_solver/solver_kernel.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// What moves a body within a step. World axes.
struct BodyMotion {
    vec3 acceleration{0.0f};                              ///< from gravity and forces, m/s^2
    vec3 angular_acceleration{0.0f};                      ///< from torques, rad/s^2
    float linear_damping = 1.0f, angular_damping = 1.0f;  ///< factors a sub-step
    float max_spin = 0.0f;                                ///< rad/s
    float stale_by_spin = 0.0f, stale_by_tilt = 0.0f;     ///< see Body
    vec3 own_axis{1.0f, 0.0f, 0.0f};                      ///< the first principal axis
    float mass = 0.0f;                                    ///< kg; 0 for what can't be pushed
    vec3 torque{0.0f};                                    ///< of users, N m
    quat axes{1.0f, 0.0f, 0.0f, 0.0f};                    ///< the principal axes
    vec3 moments{0.0f};                                   ///< of inertia about them, kg m^2; see integrate.h
    bool jointed = false;                                 ///< joints hold it
    bool gyroscopic = false;                              ///< the rest counts
    vec3 inverse_moments{1.0f};                           ///< 1/(kg m^2)
    vec3 momentum{0.0f};                                  ///< angular, N m s
    vec3 spin{0.0f};                                      ///< rad/s
};

class BodyMotions {
public:
    explicit BodyMotions(const SolverKernel& kernel) : kernel_(&kernel) {}

    /// Room for so many bodies, rounded up to whole groups. Each must be set. Nobody asks for stale bodies unless
    /// `finds_stale`.
    void reset(std::size_t bodies, bool finds_stale = true);
    void set(std::size_t body, const BodyMotion& motion);
    /// Rotation since the start of the step, of unit length to rounding.
    quat turn(std::size_t body) const;
    /// Calls visit(body) for those of the bodies first .. last, both at whole groups, that have turned farther than their
    /// contacts bear.
    template <class Visit>
    void for_each_stale(std::uint32_t first, std::uint32_t last, Visit&& visit) const {
        for (std::uint32_t i = first; i < last; i += kernel_->lanes) {
            if (!any_stale(i)) continue;
            for (std::uint32_t k = i; k < i + kernel_->lanes; ++k) {
                if (is_stale(k)) visit(k);
            }
        }
    }
    /// Its contacts are found anew where it is now, and `turn` is its SolverBody's. From now on the solver works with the
    /// inertia that it has there.
    void renew(std::size_t body, const vec3& turn);

    bool is_gyroscopic(std::size_t body) const;
    /// The angular momentum (N m s) of a gyroscopic body that the solver has given this spin (rad/s).
    vec3 momentum(std::size_t body, const vec3& spin) const;
    /// Inertia by which the solver turns the body: as it was turned when its contacts were found, or as it is `now`.
    glm::dmat3 solver_inertia(std::size_t body, bool now) const;
    /// The body's angular momentum is that of this spin (rad/s) at its present pose. Without it, changes of spin are
    /// counted as impulses on the body as it was turned at the step's start.
    void set_spin(std::size_t body, const vec3& spin);

    /// Whether some of the bodies first .. last, both at whole groups, may have got energy from nowhere (find_gains).
    bool any_gain(std::uint32_t first, std::uint32_t last) const;
    /// Of each of them, as find_gains has left it: visit(body, gain, its kinetic energy, mass), J and kg (motion_lanes.h).
    template <class Visit>
    void for_each_gain(std::uint32_t first, std::uint32_t last, Visit&& visit) const;
    /// How contacts found the body in this sub-step: after gravity and forces.
    struct Unpushed {
        vec3 velocity, spin;        ///< m/s and rad/s
        quat turn;                  ///< rotation since the start of the step
        vec3 acceleration, torque;  ///< of gravity and the user's forces, m/s^2 and N m
    };
    Unpushed unpushed(std::size_t body, float substep) const;
    /// ... and how relaxation left it, before what bounces does.
    Unpushed calm(std::size_t body) const;

    /// A pass over the bodies first .. last, both at whole groups.
    using Pass = SolverKernel::MotionPass* SolverKernel::*;
    void run(Pass pass, std::uint32_t first, std::uint32_t last, std::span<SolverBody> bodies, float substep,
             int substeps, float max_speed);

    std::size_t bytes() const { return lines_.capacity() * sizeof(Line); }

private:
    bool any_stale(std::size_t body) const;
    bool is_stale(std::size_t body) const;
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    const void* group(std::size_t i) const { return const_cast<BodyMotions*>(this)->group(i); }
    /// f(the MotionLanes of the body, its lane).
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
