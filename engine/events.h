#pragma once
/// What happened in the last step, read after it as plain spans.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>

namespace talus {

/// Two shapes began or stopped touching (manifold with at least one point), or overlapping when one is a sensor.
/// A contact that ends because a body was removed is reported at the next step, with the stale handle.
struct ContactEvent {
    BodyId body_a, body_b;
    std::uint32_t shape_a = 0, shape_b = 0;  ///< indices of the shapes in their bodies
    bool sensor = false;
};

/// A joint that is gone without remove_joint: its load was above its break force or torque in the last step, or a body (or, for a gear,
/// a joint) that it held was removed since the step before. The handle is stale.
struct JointEvent {
    JointId joint;
    BodyId body_a, body_b;
    std::uint64_t user_data = 0;
    bool overloaded = false;  ///< false: what it held was removed
    vec3 force{0.0f}, torque{0.0f};  ///< on B, world, mean over its last step, N and N m; the torque about the anchor
};

struct ContactPoint {
    vec3 position{0.0f};          ///< world, midway between the surfaces, m
    float separation = 0.0f;      ///< negative when penetrating, m
    float normal_impulse = 0.0f;  ///< over the last step, N s
    std::uint32_t id = 0;         ///< feature pair
};

/// A touching pair of shapes as the last step left it.
struct Contact {
    BodyId body_a, body_b;
    std::uint32_t shape_a = 0, shape_b = 0;
    vec3 normal{0.0f};            ///< world, from A to B
    vec3 friction_impulse{0.0f};  ///< world, on B, over the last step, N s
    int point_count = 0;
    ContactPoint points[4];
};

}  // namespace talus
