#pragma once
/// The angular velocity at the middle of a sub-step, by which jointed bodies rotate. Plain data: solver_kernel.h says why.
///
/// By the implicit midpoint rule, a body without torques rotates about w = I^-1 (l0 + l1) / 2, with its angular momentum
/// l in its own axes at both ends of the sub-step. That keeps its energy exactly. The rotation by h w takes l0 to l1, so
///
///     I w = l0 + (h / 2) tan(a) / a (I w) x w        a = h |w| / 2, half the angle
///
/// which is solved in fixed-point rounds. No difference of two moments of inertia is larger than the third, so a round
/// leaves at most the share a of the error, however thin the body is. (In the world's axes, with the inertia at the
/// middle, it is a^2 times the ratio of the moments.)
///
/// The first round alone is an explicit step. The changes by later rounds are scaled down as a grows, and are 0 from
/// settings::middle_spin_angle on. The loops over the rounds are where their vectors are: turned_as_joints_predict()
/// (solver_kernel_motion.h) integrates, and predict_poses() (joint_poses.cpp, batch_rows.h) predicts for joints.

#include "engine/settings.h"

namespace talus {

/// Returns (h / 2) tan(a) / a for an angular velocity with the square w2.
template <class Real>
inline Real stretched_half(Real h, Real w2) {
    const Real half = 0.5f * h, a2 = half * half * w2;
    return half * (1.0f + a2 * (1.0f / 3 + a2 * (2.0f / 15 + a2 * (17.0f / 315))));
}

/// Returns the factor of the changes that the rounds after the first make, for an angular velocity with the square w2 at
/// the start of the sub-step. It is applied in each round. Without it, a round would raise the thousands of rad/s that
/// joints predict at first to about the eighth power, and the fourth round would overflow.
template <class Real>
inline Real later_rounds(Real h, Real w2) {
    const float most = settings::middle_spin_angle;
    const Real part2 = (0.25f / (most * most)) * h * h * w2, share = 1.0f - part2 * part2, none{};
    return share > none ? share : none;
}

/// Returns whether more than two rounds are needed, for an angular velocity with the square w2 at the start of the
/// sub-step. Each lane decides for itself, so that no body's rotation depends on which others are beside it.
template <class Real>
inline auto needs_more_rounds(Real h, Real w2) {
    const float most = settings::middle_spin_slow;
    return h * h * w2 > Real{} + 4.0f * most * most;
}

}  // namespace talus
