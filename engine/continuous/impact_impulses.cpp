#include "engine/continuous/impact_impulses.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// What the impulses of an impact have made of the two bodies.
struct Outcome {
    ImpactBody other, body;
    float normal_impulses[max_manifold_points] = {};  ///< N s
    vec3 friction_impulse{0.0f};                      ///< at the mean of the points, N s
};

/// Iterates sequential impulses on the points, towards the speeds `targets` along the normal. Friction acts at the mean
/// of the points, as in the contact solver.
Outcome iterate_impulses(const ImpactPoints& contact, const vec3& middle, const float* targets,
                         const ImpactBody& other_before, const ImpactBody& body_before) {
    Outcome o{other_before, body_before};
    ImpactBody &other = o.other, &body = o.body;
    const vec3& n = contact.normal;
    float effective_mass[max_manifold_points];
    for (int i = 0; i < contact.count; ++i) {
        const vec3& p = contact.points[i];
        const float of_body = body.inverse_effective_mass(p, n, n), of_other = other.inverse_effective_mass(p, n, n);
        // If one of the two yields, the other's smallest response counts as well: the impulse moves both of them.
        const bool yields = of_body > body.least_response || of_other > other.least_response;
        effective_mass[i] = yields ? 1.0f / (of_body + of_other) : 0.0f;
    }
    // Multiplying the slip by the inverse of the 2x2 tangent matrix stops all of it. Dividing by the largest eigenvalue
    // keeps the slip's direction. The division also stops all slip where locked axes leave the bodies only one
    // direction of motion in the plane: the matrix has no inverse then, and its determinant is 0 or rounding error.
    const vec3 t1 = any_perpendicular(n), t2 = glm::cross(n, t1);
    const auto tangent_entry = [&](const vec3& u, const vec3& v) {
        return body.inverse_effective_mass(middle, u, v) + other.inverse_effective_mass(middle, u, v);
    };
    const float k11 = tangent_entry(t1, t1), k22 = tangent_entry(t2, t2), k12 = tangent_entry(t1, t2);
    const float half_gap = 0.5f * (k11 - k22),
                largest = 0.5f * (k11 + k22) + std::sqrt(half_gap * half_gap + k12 * k12);
    const float determinant = k11 * k22 - k12 * k12;
    const bool regular = determinant > 1e-6f * largest * largest;
    const float inverse = regular ? 1.0f / determinant : 0.0f;
    for (int iteration = 0; iteration < settings::continuous_rounds; ++iteration) {
        float sum = 0.0f;
        for (int i = 0; i < contact.count; ++i) {
            const vec3& p = contact.points[i];
            const float speed = glm::dot(n, body.velocity_at(p) - other.velocity_at(p));
            const float before = o.normal_impulses[i];
            o.normal_impulses[i] = std::max(0.0f, before + effective_mass[i] * (targets[i] - speed));
            body.apply_impulse((o.normal_impulses[i] - before) * n, p);
            other.apply_impulse((before - o.normal_impulses[i]) * n, p);
            sum += o.normal_impulses[i];
        }
        const vec3 slip = body.velocity_at(middle) - other.velocity_at(middle);
        const float slip1 = glm::dot(slip, t1), slip2 = glm::dot(slip, t2);
        const float limit = contact.friction * sum;
        vec3 next =
            o.friction_impulse - inverse * ((k22 * slip1 - k12 * slip2) * t1 + (k11 * slip2 - k12 * slip1) * t2);
        if (!regular || length_squared(next) > limit * limit) {
            next = largest > 0.0f ? o.friction_impulse - (slip1 * t1 + slip2 * t2) / largest : vec3(0.0f);
            const float size = glm::length(next);
            if (size > limit) next *= limit / size;
        }
        body.apply_impulse(next - o.friction_impulse, middle);
        other.apply_impulse(o.friction_impulse - next, middle);
        o.friction_impulse = next;
    }
    return o;
}

/// Returns the s in 0 .. 1 at which the work of s * full + (1 - s) * dead is zero. `work(x, y)` is that of the impulses
/// of x along the velocities of y.
template <class Work>
float part_without_gain(const Outcome& dead, const Outcome& full, Work&& work) {
    // (1-s)^2 dd + s (1-s) (df + fd) + s^2 ff = 0
    const double dd = work(dead, dead), mixed = work(dead, full) + work(full, dead), ff = work(full, full);
    const double a = dd - mixed + ff, b = mixed - 2.0 * dd;
    double part = 0.0;
    if (dd < 0.0) {
        const double root = std::sqrt(std::max(b * b - 4.0 * a * dd, 0.0));
        part = -2.0 * dd / (b + root);
    }
    return static_cast<float>(std::clamp(part, 0.0, 1.0));
}

}  // namespace

float solve_impact(const ImpactPoints& contact, ImpactBody& other, ImpactBody& body) {
    const vec3& n = contact.normal;
    vec3 middle(0.0f);
    for (int i = 0; i < contact.count; ++i) middle += contact.points[i] / static_cast<float>(contact.count);
    const auto speed_at = [&](const ImpactBody& a, const ImpactBody& b, int i) {
        return glm::dot(n, b.velocity_at(contact.points[i]) - a.velocity_at(contact.points[i]));
    };
    const auto slip_of = [&](const ImpactBody& a, const ImpactBody& b) {
        return b.velocity_at(middle) - a.velocity_at(middle);
    };
    float targets[max_manifold_points] = {};
    for (int i = 0; i < contact.count; ++i) {
        const float speed = speed_at(other, body, i);
        if (speed < -settings::restitution_threshold) targets[i] = -contact.restitution * speed;
    }
    Outcome full = iterate_impulses(contact, middle, targets, other, body);
    // Returns twice the work of the impulses of x at the mean of the velocities before and those of y.
    const auto work = [&](const Outcome& x, const Outcome& y) {
        double sum = glm::dot(x.friction_impulse, slip_of(other, body) + slip_of(y.other, y.body));
        for (int i = 0; i < contact.count; ++i)
            sum +=
                static_cast<double>(x.normal_impulses[i]) * (speed_at(other, body, i) + speed_at(y.other, y.body, i));
        return sum;
    };
    float total = 0.0f;
    for (const float impulse : full.normal_impulses) total += impulse;
    if (contact.restitution > 0.0f && work(full, full) > 0.0) {
        constexpr float no_bounce[max_manifold_points] = {};
        const Outcome dead = iterate_impulses(contact, middle, no_bounce, other, body);
        const float s = part_without_gain(dead, full, work);
        full.other.keep_part(s, dead.other);
        full.body.keep_part(s, dead.body);
        float dead_total = 0.0f;
        for (const float impulse : dead.normal_impulses) dead_total += impulse;
        total = dead_total + s * (total - dead_total);
    }
    other = full.other;
    body = full.body;
    return total;
}

}  // namespace talus
