#pragma once
/// Internal: u . R(angle) w for unit vectors u and w and a rotation about a fixed axis k, as a function of the angle:
///
///     a + b cos(angle) + c sin(angle)      a = (u.k) (k.w),  b = u.w - a,  c = u . (k x w)

#include "narrowphase/casts/double_rotation.h"

#include <algorithm>
#include <numbers>

namespace talus {

/// A constant and a sinusoid of period one turn.
struct Sinusoid {
    double a = 0.0, b = 0.0, c = 0.0;

    double at(const detail::SinCos& angle) const { return a + b * angle.cosine + c * angle.sine; }
    double slope(const detail::SinCos& angle) const { return c * angle.cosine - b * angle.sine; }
    double amplitude() const { return std::sqrt(b * b + c * c); }
};

/// A vector that rotates, taken apart once for many u.
struct RotatingVector {
    glm::dvec3 vector, side;  ///< w, k x w
    double along;             ///< k . w

    RotatingVector(const glm::dvec3& w, const glm::dvec3& axis)
        : vector(w), side(glm::cross(axis, w)), along(glm::dot(axis, w)) {}

    /// Returns u . R(angle) w; `u_along` is u . k.
    Sinusoid dot(const glm::dvec3& u, double u_along) const {
        const double a = u_along * along;
        return {a, glm::dot(u, vector) - a, glm::dot(u, side)};
    }
};

/// Returns the angle in [0, 2 pi) with this sine and cosine.
inline double angle_in_turn(double sine, double cosine) {
    using std::numbers::pi;
    const double acute = detail::angle_of(std::abs(sine), std::abs(cosine));
    const double half = cosine >= 0.0 ? acute : pi - acute;
    const double angle = sine >= 0.0 ? half : 2.0 * pi - half;
    return angle < 2.0 * pi ? angle : 0.0;
}

/// Where a sinusoid passes a level upward and downward, in [0, 2 pi).
struct Crossings {
    bool any = false;
    double up = 0.0, down = 0.0;
};

/// Returns the crossings of a level. A sinusoid that only touches the level does not cross it.
inline Crossings crossings(const Sinusoid& f, double level) {
    const double r = f.amplitude();
    const double q = level - f.a;
    if (!(std::abs(q) < r)) return {};
    // f = a + r cos(angle - phase): at the angles phase -+ acos(q / r) it passes the level upward and downward.
    const double p = std::sqrt((r - q) * (r + q)), scale = 1.0 / (r * r);
    const auto unit = [](double x) { return std::clamp(x, -1.0, 1.0); };
    return {true, angle_in_turn(unit((f.c * q - f.b * p) * scale), unit((f.b * q + f.c * p) * scale)),
            angle_in_turn(unit((f.c * q + f.b * p) * scale), unit((f.b * q - f.c * p) * scale))};
}

}  // namespace talus
