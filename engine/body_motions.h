#pragma once
/// The bodies of a step as the kernels integrate them: groups of as many as the processor has lanes, by solver index.

#include <talus/engine/solver_kernel.h>
#include <talus/math.h>

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
    bool gyroscopic = false;                              ///< the rest counts
    mat3 inertia{0.0f}, inverse_inertia{0.0f};            ///< kg m^2 and its inverse
    vec3 spin{0.0f};                                      ///< rad/s
};

class BodyMotions {
public:
    explicit BodyMotions(const SolverKernel& kernel) : kernel_(&kernel) {}

    /// Room for so many bodies, rounded up to whole groups. Each must be set.
    void reset(std::size_t bodies);
    void set(std::size_t body, const BodyMotion& motion);
    /// Rotation since the start of the step, of unit length to rounding.
    quat turn(std::size_t body) const;
    /// The body's angular momentum is that of this spin (rad/s) at its present pose. Without it, changes of spin are
    /// counted as impulses on the body as it was turned at the step's start.
    void set_spin(std::size_t body, const vec3& spin);

    /// A pass over the bodies first .. last, both at whole groups.
    using Pass = SolverKernel::MotionPass* SolverKernel::*;
    void run(Pass pass, std::uint32_t first, std::uint32_t last, std::span<SolverBody> bodies, float substep,
             int substeps, float max_speed);

    std::size_t bytes() const { return lines_.capacity() * sizeof(Line); }

private:
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    void* group(std::size_t i) { return reinterpret_cast<std::byte*>(lines_.data()) + i * kernel_->motion_bytes; }

    const SolverKernel* kernel_;
    std::vector<Line> lines_;
};

}  // namespace talus
