#pragma once
/// Rows of joints as a solver of all velocities of a group takes them (stiff_groups.h).

#include "engine/joint_solver/articulations.h"

#include <cstdint>
#include <vector>

namespace talus {

/// J v + bias + softness p = 0, where p is the impulse that the row gives from now on in the pass.
struct BodyRow {
    std::uint32_t a, b;                  ///< solver bodies; 0: not pushed
    std::uint32_t articulation, source;  ///< which row of the joint solver it is
    double jacobian[12];                 ///< for velocity and angular velocity of A, then of B
    double bias;                         ///< includes the speed of bodies that cannot be pushed, m/s or rad/s
    double softness;                     ///< 1/kg or 1/(kg m^2); 0: rigid
    double response;                     ///< J M^-1 J^T, in the same units
    double inverse_mass;                 ///< of the lighter of the two bodies, 1/kg
    double low, high;                    ///< bounds of p that the joint solver accepts, N s or N m s
    double given_impulse = 0.0;          ///< if `given`: p, which the joint solver itself adds
    bool given = false;                  ///< the row is at its bound
};

/// Appends the rows of an articulation that take part in its next solve pass, or if `relaxing`, in the relax pass that it
/// has made. In the former, also the rows at a bound, as `given`.
void read_body_rows(const Articulations& s, std::uint32_t articulation, bool relaxing, std::vector<BodyRow>& out);

}  // namespace talus
