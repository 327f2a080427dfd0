#pragma once
/// Helpers of the engine's tests: bodies to build worlds from, and measures of the result.

#include "samples/scenes/kit/random.h"

#include <talus/talus.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace talus::test {

using samples::Random;

inline constexpr float frame = 1.0f / 60.0f;  ///< s
inline constexpr double pi = 3.14159265358979323846;

/// A rotation about a unit axis.
inline quat turn(const vec3& axis, double radians) {
    const auto s = static_cast<float>(std::sin(0.5 * radians));
    return normalized(quat(static_cast<float>(std::cos(0.5 * radians)), s * axis.x, s * axis.y, s * axis.z));
}

inline BodyDef body(const Shape& shape, const dvec3& position = dvec3(0.0)) {
    BodyDef def;
    def.shape = shape;
    def.position = position;
    return def;
}

inline BodyDef fixed_body(const Shape& shape, const dvec3& position = dvec3(0.0)) {
    BodyDef def = body(shape, position);
    def.type = BodyType::fixed;
    return def;
}

inline BodyDef kinematic_body(const Shape& shape, const dvec3& position, const vec3& velocity = vec3(0.0f)) {
    BodyDef def = body(shape, position);
    def.type = BodyType::kinematic;
    def.linear_velocity = velocity;
    return def;
}

/// The definition of one of several shapes of a body.
inline ShapeDef part(const Shape& shape, const vec3& position = vec3(0.0f), const quat& rotation = quat(1, 0, 0, 0)) {
    ShapeDef def;
    def.shape = shape;
    def.pose = {position, rotation};
    return def;
}

/// A slab whose top is the plane y = 0.
inline BodyDef ground() { return fixed_body(box({50.0f, 1.0f, 50.0f}), {0.0f, -1.0f, 0.0f}); }

inline BodyDef crate(const dvec3& position) { return body(box(vec3(0.5f)), position); }

/// A random solid shape of any type and of about this size, m. A triangle or hull of random points may be a sliver that
/// no body accepts.
inline Shape random_shape(Random& random, float size) {
    const auto length = [&] { return size * random.between(0.2f, 1.0f); };
    switch (random.below(8)) {
        case 0:
            return sphere(length());
        case 1: {
            const float a = length();
            return capsule(a, length());
        }
        case 2: {
            const float a = length();
            return cylinder(a, length());
        }
        case 3: {
            const float a = length();
            return cone(a, length());
        }
        case 4: {
            const vec3 a = random.in_box(vec3(size));
            return segment(a, -a + vec3(0.1f * size), 0.2f * size);
        }
        case 5: {
            const vec3 a = random.in_box(vec3(size)), b = random.in_box(vec3(size)), c = random.in_box(vec3(size));
            return triangle(a, b, c, 0.1f * size);
        }
        case 6: {
            std::vector<vec3> points;
            for (int i = 0; i < 16; ++i) points.push_back(random.in_box(vec3(size)));
            const auto made = make_hull(points);
            if (made) return hull(*made);
            return box(vec3(size));
        }
        default: {
            const float a = length(), b = length();
            return box({a, b, length()});
        }
    }
}

/// Adds a body, which must be accepted.
inline BodyId add(World& world, const BodyDef& def) {
    const BodyId id = world.add_body(def);
    REQUIRE_MESSAGE(!id.is_null(), world.last_error().message);
    return id;
}

inline void run(World& world, int steps, float dt = frame) {
    for (int i = 0; i < steps; ++i) REQUIRE(world.step(dt));
}

inline WorldDef sleepless() {
    WorldDef def;
    def.allow_sleep = false;
    return def;
}

inline WorldDef weightless() {
    WorldDef def = sleepless();
    def.gravity = vec3(0.0f);
    return def;
}

/// Whether every pose and velocity is finite and every rotation is a unit quaternion.
inline bool is_sound(const World& world, std::string* complaint = nullptr) {
    for (const BodyId id : world.bodies()) {
        const WorldTransform t = world.transform(id);
        const quat& q = t.rotation;
        const float n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
        if (is_finite(t.position) && is_finite(v) && is_finite(w) && std::abs(n - 1.0f) < 1e-3f) continue;
        if (complaint != nullptr) {
            const auto show = [](const dvec3& a) {
                return "(" + std::to_string(a.x) + ", " + std::to_string(a.y) + ", " + std::to_string(a.z) + ") ";
            };
            *complaint = "body " + std::to_string(id.slot) + ": position " + show(t.position) + "velocity " + show(v) +
                         "spin " + show(w) + "|q|^2 " + std::to_string(n);
        }
        return false;
    }
    return true;
}

inline double kinetic_energy(const World& world, BodyId id) {
    const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
    return 0.5 * (static_cast<double>(world.mass(id)) * glm::dot(v, v) + glm::dot(w, world.inertia(id) * w));
}

/// The potential (relative to y = 0) and kinetic energy of all dynamic bodies, J.
inline double energy(const World& world) {
    double sum = 0.0;
    for (const BodyId id : world.bodies()) {
        if (world.type(id) != BodyType::dynamic) continue;
        sum += kinetic_energy(world, id) -
               static_cast<double>(world.mass(id)) * glm::dot(dvec3(world.gravity()), world.center_of_mass(id));
    }
    return sum;
}

/// The angular momentum about the centre of mass.
inline dvec3 spin_momentum(const World& world, BodyId id) {
    return glm::dmat3(world.inertia(id)) * dvec3(world.angular_velocity(id));
}

/// The largest displacement of a body within this many steps, m; stops at 1 m.
inline double farthest_stray(World& world, std::span<const BodyId> ids, std::span<const dvec3> places, int steps) {
    double most = 0.0;
    for (int k = 0; k < steps && most < 1.0; ++k) {
        run(world, 1);
        for (std::size_t i = 0; i < ids.size(); ++i)
            most = std::max(most, glm::distance(world.position(ids[i]), places[i]));
    }
    return most;
}

/// The smallest height of the body's origin after each of this many steps, m.
inline double lowest_height(World& world, BodyId id, int steps) {
    double lowest = world.position(id).y;
    for (int k = 0; k < steps; ++k) {
        run(world, 1);
        lowest = std::min(lowest, world.position(id).y);
    }
    return lowest;
}

inline double distance_xz(const dvec3& a, const dvec3& b) { return std::hypot(a.x - b.x, a.z - b.z); }

/// The sum of the normal impulses of a body's contacts as a force on it over the last step, N, in world axes.
inline vec3 normal_force(const World& world, BodyId id, float dt = frame) {
    vec3 sum(0.0f);
    for (const Contact& contact : world.contacts(id)) {
        const float sign = contact.body_b == id ? 1.0f : -1.0f;
        for (int i = 0; i < contact.point_count; ++i) sum += sign * contact.points[i].normal_impulse * contact.normal;
    }
    return sum / dt;
}

inline vec3 friction_force(const World& world, BodyId id, float dt = frame) {
    vec3 sum(0.0f);
    for (const Contact& contact : world.contacts(id))
        sum += (contact.body_b == id ? 1.0f : -1.0f) * contact.friction_impulse;
    return sum / dt;
}

/// A fingerprint of a world: two worlds with any difference in their bits have different ones. The hash covers poses
/// and velocities, the counts cover the rest.
struct Footprint {
    std::uint64_t hash = 0;
    std::size_t bodies = 0, awake = 0;
    explicit Footprint(const World& world)
        : hash(world.hash()), bodies(world.body_count()), awake(world.awake_body_count()) {}
    friend bool operator==(const Footprint&, const Footprint&) = default;
};

}  // namespace talus::test
