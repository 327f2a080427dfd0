#pragma once
/// Helpers of the tests of joints.

#include "tests/engine/worlds.h"

#include <algorithm>

namespace talus::test {

inline JointId add(World& world, const JointDef& def) {
    const JointId id = world.add_joint(def);
    REQUIRE_MESSAGE(!id.is_null(), world.last_error().message);
    return id;
}

inline BodyId anchor_body(World& world, const dvec3& position = dvec3(0.0)) {
    return add(world, fixed_body(box(vec3(0.05f)), position));
}

/// A body of this mass.
inline BodyDef heavy(const Shape& shape, const dvec3& position, float mass) {
    BodyDef def = body(shape, position);
    def.density = 1.0f;
    World scale;
    def.density = mass / scale.mass(scale.add_body(def));
    return def;
}

/// Makes a body that collides with nothing, so that only joints act.
inline BodyDef ghost(BodyDef def) {
    def.filter.mask = 0;
    return def;
}

inline float size(const vec3& v) { return std::sqrt(length_squared(v)); }
inline double size(const dvec3& v) { return std::sqrt(glm::dot(v, v)); }

/// The distance between the origins of a joint's two frames, m.
inline double gap(const World& world, const JointFrames& frames) {
    return size(transform_point(world.transform(frames.body_a), frames.frame_a.position) -
                transform_point(world.transform(frames.body_b), frames.frame_b.position));
}

/// A chain of `count` capsules of 20 cm hanging from the origin, and a weight of `ratio` links at its end.
struct Chain {
    static constexpr float length = 0.2f;
    World world;
    BodyId top, weight;
    std::vector<BodyId> links;
    std::vector<JointId> joints;
    std::vector<JointFrames> frames;
    float link_mass = 0.0f;

    Chain(int count, float ratio, WorldDef def = sleepless(), const dvec3& origin = dvec3(0.0)) : world(def) {
        top = anchor_body(world, origin);
        BodyId above = top;
        const auto hang = [&](BodyId below, float y) {
            frames.push_back(world.joint_frames(above, below, origin + dvec3(0, y, 0)));
            joints.push_back(add(world, BallDef{.frames = frames.back()}));
            above = below;
        };
        for (int i = 0; i < count; ++i) {
            const float y = -length * static_cast<float>(i);
            links.push_back(add(world, body(capsule(0.07f, 0.02f), origin + dvec3(0, y - 0.5f * length, 0))));
            hang(links.back(), y);
        }
        link_mass = world.mass(links[0]);
        const float end = -length * static_cast<float>(count);
        weight = add(world, heavy(box(vec3(0.2f)), origin + dvec3(0, end - 0.2f, 0), ratio * link_mass));
        hang(weight, end);
    }

    double widest_gap() const {
        double widest = 0.0;
        for (const JointFrames& e : frames) widest = std::max(widest, gap(world, e));
        return widest;
    }
};

/// The complete elliptic integral of the first kind of modulus k, by the arithmetic-geometric mean.
inline double elliptic_k(double k) {
    double a = 1.0, g = std::sqrt(1.0 - k * k);
    for (int i = 0; i < 40; ++i) {
        const double mean = 0.5 * (a + g);
        g = std::sqrt(a * g);
        a = mean;
    }
    return pi / (2.0 * a);
}

}  // namespace talus::test
