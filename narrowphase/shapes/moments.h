#pragma once
/// Volume and its first and second moments, from which mass, centre of mass and inertia follow.
///
/// Moments of disjoint parts about a common origin add up; only at the end are they moved to the centre of mass.
/// Everything is computed in double and rounded to float once, because a needle's small moment of inertia is a
/// difference of large numbers.

#include <talus/math.h>

namespace talus {

struct Moments {
    double volume = 0.0;     ///< m^3
    glm::dvec3 first{0.0};   ///< integral of x, m^4
    glm::dmat3 second{0.0};  ///< integral of x x^T, m^5

    void add(const Moments& part) {
        volume += part.volume;
        first += part.first;
        second += part.second;
    }

    /// Adds the tetrahedron between the origin and the triangle a, b, c. It counts negatively if the triangle is
    /// clockwise seen from outside.
    void add_tetrahedron(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
        const double v = glm::dot(a, glm::cross(b, c)) / 6.0;
        const glm::dvec3 sum = a + b + c;
        volume += v;
        first += v / 4.0 * sum;
        second +=
            v / 20.0 *
            (glm::outerProduct(a, a) + glm::outerProduct(b, b) + glm::outerProduct(c, c) + glm::outerProduct(sum, sum));
    }

    glm::dvec3 center() const { return first / volume; }

    /// Inertia about the centre of mass at density 1, m^5.
    glm::dmat3 inertia() const {
        const glm::dmat3 covariance = second - glm::outerProduct(first, first) / volume;
        return (covariance[0][0] + covariance[1][1] + covariance[2][2]) * glm::dmat3(1.0) - covariance;
    }
};

/// The smallest principal moment that a float inertia matrix may have, as a fraction of its trace (no unit). A needle
/// thinner than 1:1000 that lies across the axes has a smaller one, which the precision of float cannot distinguish
/// from a negative one; it gets this value instead. Larger: thin bodies resist rotation about their axis more than they
/// should. Smaller than 1e-7: inertias that rounding makes indefinite. A diagonal matrix keeps any moments.
inline constexpr double least_principal_moment = 1e-6;

/// Rounds a symmetric positive definite matrix to float so that it stays symmetric and positive definite.
mat3 round_inertia(const glm::dmat3& inertia);

}  // namespace talus
