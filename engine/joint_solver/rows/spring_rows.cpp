#include "engine/joint_solver/rows/spring_rows.h"

#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using std::numbers::pi;

/// A damped oscillator over one sub-step of length h: v' = decay v - pull x, x' = x + h v'.
struct Oscillator {
    double decay, pull;
};

/// The pull is omega^2 h times the decay, so that a spring under a load deflects by exactly force / stiffness. A slow
/// spring decays by exp(-2 ratio omega h), like the true motion, and without damping it oscillates for ever. A fast one
/// is integrated by implicit Euler, which damps, and is stable with any number of springs in parallel.
Oscillator oscillator(double hertz, double ratio, double h) {
    const double phase = 2.0 * pi * hertz * h, damp = ratio * phase;  // omega h; ratio omega h
    double decay = 1.0 / (1.0 + 2.0 * damp + phase * phase);
    if (phase <= settings::slow_spring_turn && damp <= settings::slow_spring_turn) {
        const double half =
            1.0 - damp * (1.0 - damp / 2.0 *
                                    (1.0 - damp / 3.0 * (1.0 - damp / 4.0 * (1.0 - damp / 5.0 * (1.0 - damp / 6.0)))));
        decay = std::min(half * half, 1.0 - 1e-9);  // exp(-2 damp)
    }
    return {decay, phase * phase / h * decay};
}

/// Replaces an n x n matrix (its lower triangle, row by row) by its lower Cholesky factor, with the reciprocals of the
/// diagonal on the diagonal; 0 if the pivot was lost to rounding.
void cholesky(double* a, std::uint32_t n) {
    for (std::uint32_t j = 0; j < n; ++j) {
        double* const row_j = a + j * n;
        const double before = row_j[j];
        double pivot = before;
        for (std::uint32_t k = 0; k < j; ++k) pivot -= row_j[k] * row_j[k];
        const double inverse = pivot > 1e-14 * before ? 1.0 / std::sqrt(pivot) : 0.0;
        row_j[j] = inverse;
        for (std::uint32_t i = j + 1; i < n; ++i) {
            double* const row_i = a + i * n;
            double sum = row_i[j];
            for (std::uint32_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
            row_i[j] = sum * inverse;
        }
    }
}

/// x := C^-1 x.
void forward(const double* c, std::uint32_t n, double* x) {
    for (std::uint32_t i = 0; i < n; ++i) {
        double sum = x[i];
        for (std::uint32_t k = 0; k < i; ++k) sum -= c[i * n + k] * x[k];
        x[i] = sum * c[i * n + i];
    }
}

}  // namespace

SpringFactors spring_factors(const JointRow& spring, double substep) {
    const Oscillator o = oscillator(spring.hertz, spring.damping_ratio, substep);
    return {o.pull / (1.0 - o.decay), o.decay / (1.0 - o.decay)};
}

void soften_springs(Articulations& s, SolverJoint& joint) {
    const std::uint32_t end = joint.first_row + joint.row_count;
    bool any = false, locked = false;
    for (std::uint32_t i = joint.first_row; i < end; ++i) any = any || s.rows[i].kind == RowKind::spring;
    if (!any) return;
    for (std::uint32_t side = 0; side < joint.side_count; ++side) locked = locked || s.links[joint.link[side]].locked;
    // If the bodies' own locks already do what a row of the joint does, the row's response is only rounding. If that
    // happened to be along the spring, the spring would seem to move no mass, and be thousands of times too stiff.
    const auto does_something = [&](std::uint32_t i) {
        if (!locked) return true;
        const double response = row_coupling(s, joint, i - joint.first_row, i - joint.first_row);
        return response > settings::joint_slack_looped * response_without_locks(s, joint, i - joint.first_row);
    };
    std::uint32_t locks[joint_axes], lock_count = 0;
    for (std::uint32_t i = joint.first_row; i < end; ++i) {
        if (s.rows[i].kind == RowKind::lock && lock_count < joint_axes && does_something(i)) locks[lock_count++] = i;
    }
    // A spring moves bodies only as the joint's locks allow, so the locks are eliminated.
    double matrix[joint_axes * joint_axes], row[joint_axes];
    for (std::uint32_t i = 0; i < lock_count; ++i) {
        for (std::uint32_t k = 0; k <= i; ++k)
            matrix[i * lock_count + k] = row_coupling(s, joint, locks[i] - joint.first_row, locks[k] - joint.first_row);
    }
    cholesky(matrix, lock_count);
    for (std::uint32_t i = joint.first_row; i < end; ++i) {
        JointRow& spring = s.rows[i];
        if (spring.kind != RowKind::spring) continue;
        for (std::uint32_t k = 0; k < lock_count; ++k)
            row[k] = row_coupling(s, joint, i - joint.first_row, locks[k] - joint.first_row);
        forward(matrix, lock_count, row);
        double left = spring.response;
        for (std::uint32_t k = 0; k < lock_count; ++k) left -= row[k] * row[k];
        left = std::max(left, 1e-6 * spring.response);
        // The stiffness is proportional to the mass that the spring moves, and that has no limit where the response
        // goes to 0: at a body that may rotate but not move, with an anchor whose lever arm goes to 0, the spring would
        // pull with 1e15 N.
        if (locked) left = std::max(left, 1e-4 * response_without_locks(s, joint, i - joint.first_row));
        const SpringFactors factors = spring_factors(spring, s.substep);
        spring.softness = left * factors.softness;
        spring.bias_rate = factors.bias_rate;
        spring.slack = spring.softness;
    }
}

}  // namespace talus
