#pragma once
/// Rows of joints as a solve in body space takes them (stiff_groups.h).

#include <cstdint>

namespace talus {

/// J v + bias + softness p = 0, with p what the row gives from now on in the pass.
struct BodyRow {
    std::uint32_t a, b;          ///< solver bodies; 0: it is not pushed
    std::uint32_t articulation;  ///< and the next: the joint solver's numbers
    std::uint32_t source;
    double jacobian[12];         ///< of velocity and spin of A, then of B
    double bias;                 ///< what cannot be pushed included, m/s or rad/s
    double softness;             ///< 1/kg or 1/(kg m^2); 0: rigid
    double response;             ///< J M^-1 J^T, in the same units
    double inverse_mass;         ///< of the lighter of the two bodies, 1/kg
    double low, high;            ///< what the joint solver takes of p, N s or N m s
    double given_impulse = 0.0;  ///< if `given`, p, which the joint solver adds itself
    bool given = false;          ///< it is at its bound
};

}  // namespace talus
