#include "engine/continuous/continuous_impulses.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// What a collision's impulses have made of its two parties.
struct Outcome {
    Party other, body;
    float impulses[max_manifold_points] = {};  ///< normal, N s
    vec3 friction{0.0f};                       ///< at the middle, N s
};

/// Sequential impulses on the points of a collision, towards the speeds `wanted` along the normal. Friction acts at the
/// middle, as in the contact solver.
Outcome push_apart(const Collision& c, const vec3& middle, const float* wanted, const Party& other_before,
                   const Party& body_before) {
    Outcome o{other_before, body_before};
    Party &other = o.other, &body = o.body;
    const vec3& n = c.normal;
    float mass[max_manifold_points];
    for (int i = 0; i < c.count; ++i) {
        const float k = body.response(c.points[i], n) + other.response(c.points[i], n);
        mass[i] = k > 0.0f ? 1.0f / k : 0.0f;
    }
    // The inverse of the 2x2 tangent mass matrix stops all slip; a step by its largest eigenvalue leaves a slip's
    // direction as it is. The latter stops all slip, too, where locks leave the bodies one way to move in the plane: the
    // matrix has no inverse then, and its determinant is 0 or rounding.
    const vec3 t1 = any_perpendicular(n), t2 = glm::cross(n, t1);
    const float k11 = body.give(middle, t1, t1) + other.give(middle, t1, t1);
    const float k22 = body.give(middle, t2, t2) + other.give(middle, t2, t2);
    const float k12 = body.give(middle, t1, t2) + other.give(middle, t1, t2);
    const float half_gap = 0.5f * (k11 - k22),
                largest = 0.5f * (k11 + k22) + std::sqrt(half_gap * half_gap + k12 * k12);
    const float determinant = k11 * k22 - k12 * k12;
    const bool regular = determinant > 1e-6f * largest * largest;
    const float inverse = regular ? 1.0f / determinant : 0.0f;
    for (int round = 0; round < settings::continuous_rounds; ++round) {
        float normal_impulse = 0.0f;
        for (int i = 0; i < c.count; ++i) {
            const vec3& p = c.points[i];
            const float speed = glm::dot(n, body.velocity_at(p) - other.velocity_at(p));
            const float before = o.impulses[i];
            o.impulses[i] = std::max(0.0f, before + mass[i] * (wanted[i] - speed));
            body.push((o.impulses[i] - before) * n, p);
            other.push((before - o.impulses[i]) * n, p);
            normal_impulse += o.impulses[i];
        }
        const vec3 slip = body.velocity_at(middle) - other.velocity_at(middle);
        const float slip1 = glm::dot(slip, t1), slip2 = glm::dot(slip, t2);
        const float limit = c.friction * normal_impulse;
        vec3 next = o.friction - inverse * ((k22 * slip1 - k12 * slip2) * t1 + (k11 * slip2 - k12 * slip1) * t2);
        if (!regular || length_squared(next) > limit * limit) {
            next = largest > 0.0f ? o.friction - (slip1 * t1 + slip2 * t2) / largest : vec3(0.0f);
            const float size = length(next);
            if (size > limit) next *= limit / size;
        }
        body.push(next - o.friction, middle);
        other.push(o.friction - next, middle);
        o.friction = next;
    }
    return o;
}

}  // namespace

float resolve(const Collision& c, Party& other, Party& body) {
    const vec3& n = c.normal;
    vec3 middle(0.0f);
    for (int i = 0; i < c.count; ++i) middle += c.points[i] / static_cast<float>(c.count);
    const auto speed_at = [&](const Party& a, const Party& b, int i) {
        return glm::dot(n, b.velocity_at(c.points[i]) - a.velocity_at(c.points[i]));
    };
    const auto slip_of = [&](const Party& a, const Party& b) { return b.velocity_at(middle) - a.velocity_at(middle); };
    float wanted[max_manifold_points] = {};
    for (int i = 0; i < c.count; ++i) {
        const float speed = speed_at(other, body, i);
        if (speed < -settings::restitution_threshold) wanted[i] = -c.restitution * speed;
    }
    Outcome full = push_apart(c, middle, wanted, other, body);
    /// Twice the work of the impulses of x at the mean of the velocities before and those of y.
    const auto work = [&](const Outcome& x, const Outcome& y) {
        double sum = glm::dot(x.friction, slip_of(other, body) + slip_of(y.other, y.body));
        for (int i = 0; i < c.count; ++i)
            sum += static_cast<double>(x.impulses[i]) * (speed_at(other, body, i) + speed_at(y.other, y.body, i));
        return sum;
    };
    float total = 0.0f;
    for (const float impulse : full.impulses) total += impulse;
    if (c.restitution > 0.0f && work(full, full) > 0.0) {
        constexpr float none[max_manifold_points] = {};
        const Outcome dead = push_apart(c, middle, none, other, body);
        // (1-s)^2 dd + s (1-s) (df + fd) + s^2 ff = 0: the work of impulses and velocities that are s of the way.
        const double dd = work(dead, dead), mixed = work(dead, full) + work(full, dead), ff = work(full, full);
        const double a = dd - mixed + ff, b = mixed - 2.0 * dd;
        double part = 0.0;
        if (dd < 0.0) {
            const double root = std::sqrt(std::max(b * b - 4.0 * a * dd, 0.0));
            part = -2.0 * dd / (b + root);
        }
        const auto s = static_cast<float>(std::clamp(part, 0.0, 1.0));
        const auto blend = [&](Party& to, const Party& from) {
            to.velocity = from.velocity + s * (to.velocity - from.velocity);
            to.spin = from.spin + s * (to.spin - from.spin);
            to.impulse = from.impulse + static_cast<double>(s) * (to.impulse - from.impulse);
            to.moment = from.moment + static_cast<double>(s) * (to.moment - from.moment);
        };
        blend(full.other, dead.other);
        blend(full.body, dead.body);
        float dead_total = 0.0f;
        for (const float impulse : dead.impulses) dead_total += impulse;
        total = dead_total + s * (total - dead_total);
    }
    other = full.other;
    body = full.body;
    return total;
}

}  // namespace talus
