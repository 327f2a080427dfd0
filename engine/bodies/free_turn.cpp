#include "engine/bodies/free_turn.h"

#include "engine/bodies/free_rotation.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus {

namespace {

/// Rotates about axis k by an angle that is proportional to the momentum about it: changes the momentum about the
/// principal axes, and the quaternion of these axes.
template <int k>
void turn_about(double rate, glm::dvec3& momentum, glm::dquat& axes) {
    if (rate == 0.0) return;  // the body is symmetric about the other axis
    // Beyond this limit, a double does not resolve the angle within a turn, and the series below would overflow. Angles
    // are as large if the user sets moments of inertia of which one is 1e39 times another.
    const double half = std::clamp(0.5 * rate * momentum[k], -1e15, 1e15);
    // The series need an angle of at most pi / 8. The sign of a quaternion does not matter, so from a larger angle,
    // multiples of half a turn are subtracted. Then sine and cosine of a quarter of it are doubled twice.
    const bool large = std::abs(half) > 0.39;
    double a = half;
    if (large) {
        const double turns = std::floor(half / 3.141592653589793 + 0.5);
        a = 0.25 * (half - turns * 3.1415926535897931 - turns * 1.2246467991473532e-16);
    }
    const double a2 = a * a;
    double s = a * (1.0 + a2 * (-1.0 / 6 + a2 * (1.0 / 120 + a2 * (-1.0 / 5040 + a2 * (1.0 / 362880)))));
    double c = 1.0 + a2 * (-1.0 / 2 + a2 * (1.0 / 24 + a2 * (-1.0 / 720 + a2 * (1.0 / 40320 - a2 / 3628800))));
    for (int i = 0; large && i < 2; ++i) {
        const double s2 = 2.0 * s * c;
        c = 1.0 - 2.0 * s * s;
        s = s2;
    }
    const double sine = 2.0 * s * c, cosine = 1.0 - 2.0 * s * s;
    constexpr int i = (k + 1) % 3, j = (k + 2) % 3;
    const double m = cosine * momentum[i] + sine * momentum[j];
    momentum[j] = cosine * momentum[j] - sine * momentum[i];
    momentum[i] = m;
    // The product with the quaternion of a turn about axis k.
    const double of_i = axes[i] * c + axes[j] * s, of_j = axes[j] * c - axes[i] * s;
    const double of_k = axes[k] * c + axes.w * s;
    axes.w = axes.w * c - axes[k] * s;
    axes[k] = of_k;
    axes[i] = of_i;
    axes[j] = of_j;
}

}  // namespace

/// The part of limited() for a vector that may be longer or not finite.
vec3 detail::shortened(const vec3& v, float limit) {
    if (!is_finite(v)) return vec3(0.0f);
    const vec3 a = absolute(v);
    const float largest = std::max(a.x, std::max(a.y, a.z));
    if (largest > limit) {
        const vec3 scaled = v / largest;
        return scaled * (limit / std::sqrt(glm::dot(scaled, scaled)));
    }
    const float l2 = glm::dot(v, v);
    return l2 > limit * limit ? v * (limit / std::sqrt(l2)) : v;
}

PrincipalInertia principal_inertia(const glm::dmat3& inertia) {
    glm::dmat3 m = inertia, axes(1.0);
    const double size = m[0][0] + m[1][1] + m[2][2];
    constexpr int most_rounds = 32;
    for (int round = 0; round < most_rounds; ++round) {
        // Makes the largest of the three off-diagonal entries zero.
        int p = 0, q = 1;
        if (std::abs(m[2][0]) > std::abs(m[q][p])) q = 2;
        if (std::abs(m[2][1]) > std::abs(m[q][p])) p = 1, q = 2;
        if (std::abs(m[q][p]) <= 1e-17 * size) break;
        const double theta = (m[q][q] - m[p][p]) / (2.0 * m[q][p]);
        const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
        glm::dmat3 turn(1.0);
        turn[p][p] = turn[q][q] = c;
        turn[q][p] = s;
        turn[p][q] = -s;
        m = glm::transpose(turn) * m * turn;
        axes = axes * turn;
    }
    const glm::dvec3 moments(m[0][0], m[1][1], m[2][2]);
    int order[3] = {0, 1, 2};  // by size
    for (const auto& [i, k] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
        if (moments[order[k]] < moments[order[i]]) std::swap(order[i], order[k]);
    }
    const auto [least, middle, most] = order;
    const bool like_a_stick =
        1.0 / moments[least] - 1.0 / moments[middle] > 1.0 / moments[middle] - 1.0 / moments[most];
    const int x = like_a_stick ? least : most, y = like_a_stick ? most : least;
    return {axes[x], axes[y], {moments[x], moments[y], moments[middle]}};
}

glm::dquat PrincipalInertia::rotation() const { return glm::normalize(glm::quat_cast(axes())); }

namespace {

/// The parts in which a body is rotated.
struct TurnParts {
    int count;
    double length;      ///< of each, s
    double damping;     ///< of each
    double kept = 1.0;  ///< part of the momentum that is left at the end, if the parts are not damped
};

/// Joins the sub-steps to as few parts as the motion allows, unless a torque acts. A damped body goes the same way as
/// one that is not damped, only more slowly: so it is rotated with its whole momentum for a shorter time, and slowed
/// down then.
TurnParts parts_of(const FreeTurn& body, int substeps, float substep) {
    const TurnParts all{substeps, substep, body.damping};
    if (body.torque != vec3(0.0f)) return all;
    double time = static_cast<double>(substeps) * substep, slowed = 1.0;
    if (body.damping != 1.0f) {
        time = 0.0;
        for (int i = 0; i < substeps; ++i) {
            slowed *= body.damping;
            time += slowed * substep;
        }
    }
    const double turn2 = time * time * glm::dot(body.spin, body.spin);
    if (turn2 <= settings::free_turn * settings::free_turn) return {1, time, 1.0, slowed};
    const double parts = std::ceil(std::sqrt(turn2) / settings::free_turn);
    if (parts >= substeps) return all;
    return {static_cast<int>(parts), time / parts, 1.0, slowed};
}

/// Returns a rotation vector, shortened to the largest rotation per sub-step.
glm::dvec3 limited_turn(const glm::dvec3& turn) {
    const double size2 = glm::dot(turn, turn), most = settings::max_rotation_per_substep;
    return size2 <= most * most ? turn : turn * (most / std::sqrt(size2));
}

}  // namespace

void turn_steadily(FreeTurn& body, const vec3& acceleration, int substeps, float substep) {
    const TurnParts parts = parts_of(body, substeps, substep);
    const glm::dvec3 gain = parts.length * glm::dvec3(acceleration);
    for (int i = 0; i < parts.count; ++i) {
        body.spin = parts.damping * (body.spin + gain);
        const glm::dvec3 turn = limited_turn(parts.length * body.spin);
        body.rotation = integrate_rotation(body.rotation, turn);
        body.turned += turn;
    }
    body.spin *= parts.kept;
}

void turn_freely(FreeTurn& body, const PrincipalInertia& inertia, int substeps, float substep) {
    const glm::dvec3 inverse = 1.0 / inertia.moments;
    const glm::dmat3 axes = inertia.axes();
    const auto to_own = [&](const glm::dvec3& v) { return inverse_rotate(body.rotation, v) * axes; };
    const auto to_world = [&](const glm::dvec3& v) { return rotate(body.rotation, axes * v); };
    glm::dvec3 momentum = to_world(inertia.moments * to_own(body.spin));
    const auto [count, h, damping, kept] = parts_of(body, substeps, substep);
    const double x_rate = h * (inverse.x - inverse.y), z_rate = h * (inverse.z - inverse.y);
    for (int i = 0; i < count; ++i) {
        momentum = damping * (momentum + h * glm::dvec3(body.torque));
        const glm::dquat before = body.rotation;
        glm::dvec3 own = to_own(momentum);
        glm::dquat turns(1.0, 0.0, 0.0, 0.0);  // about the principal axes
        for (int k = 0; k < free_rotation_stages; ++k) {
            turn_about<0>(free_rotation_x[k] * x_rate, own, turns);
            turn_about<2>(free_rotation_z[k] * z_rate, own, turns);
        }
        turn_about<0>(free_rotation_x[free_rotation_stages] * x_rate, own, turns);
        const glm::dvec3 axis = axes * glm::dvec3(turns.x, turns.y, turns.z);
        const glm::dvec3 common = (h * inverse.y) * momentum;
        body.rotation = integrate_rotation(before * glm::dquat(turns.w, axis.x, axis.y, axis.z), limited_turn(common));
        const glm::dquat change = body.rotation * glm::conjugate(before);
        const glm::dvec3 half_sine(change.x, change.y, change.z);  // sine of half the angle times the axis
        const double sine2 = glm::dot(half_sine, half_sine);
        // The arcsine of that, up to the fifth power.
        body.turned += (change.w < 0.0 ? -2.0 : 2.0) * (1.0 + sine2 * (1.0 / 6 + sine2 * (3.0 / 40))) * half_sine;
    }
    body.spin = to_world(inverse * to_own(kept * momentum));
}

}  // namespace talus
