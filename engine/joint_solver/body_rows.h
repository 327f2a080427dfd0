#pragma once
/// Rows of joints for a solver that solves for all velocities of a group together (stiff_groups.h).

#include "engine/joint_solver/articulations.h"

#include <cstdint>
#include <vector>

namespace talus {

/// One row: J v + bias + softness p = 0. p is the impulse that the row gives from now on in the pass.
struct BodyRow {
    std::uint32_t a, b;                  ///< solver indices; 0: not pushed
    std::uint32_t articulation, source;  ///< the row's identity in the joint solver
    double jacobian[12];                 ///< for velocity and angular velocity of A, then of B
    double bias;                         ///< m/s or rad/s; includes the speed of bodies that cannot be pushed
    double softness;                     ///< 1/kg or 1/(kg m^2); 0: rigid
    double response;                     ///< J M^-1 J^T, in the same units
    double inverse_mass;                 ///< of the lighter of the two bodies, 1/kg
    double low, high;                    ///< bounds of p that the joint solver accepts, N s or N m s
    double given_impulse = 0.0;          ///< if `given`: the value of p, which the joint solver itself applies
    bool given = false;                  ///< the row is at its bound
};

/// Appends the rows of an articulation that take part in its next solve pass, and those at a bound as `given`. If
/// `relaxing`, appends the rows that took part in its last relax pass instead.
void read_body_rows(const Articulations& s, std::uint32_t articulation, bool relaxing, std::vector<BodyRow>& out);

}  // namespace talus
