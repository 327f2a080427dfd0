#pragma once
/// What happened in the last step, read after it as plain spans.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>

namespace talus {

/// Two shapes began or stopped touching (manifold with at least one point), or overlapping when one is a sensor.
/// Which of the two is A may be another at the end than at the beginning, when a shape or type was changed in between.
/// A contact that ends because a body was removed is reported at the next step, with the stale handle. What a fast body
/// (see Continuous) meets and leaves within the step may be in both lists: read what has begun first. Where a touching
/// shape becomes a sensor or stops being one, the next step reports the end, and the step after it the beginning as the
/// other kind: in no step a pair ends before it begins.
struct ContactEvent {
    BodyId body_a, body_b;
    std::uint32_t shape_a = 0, shape_b = 0;  ///< indices of the shapes in their bodies
    bool sensor = false;
    /// Of all its points, over the step in which it began, or over the last one before it ended, N s.
    float normal_impulse = 0.0f;
    friend bool operator==(const ContactEvent&, const ContactEvent&) = default;
};

/// Two shapes, one of which asks for it, came together fast.
struct HitEvent {
    BodyId body_a, body_b;
    std::uint32_t shape_a = 0, shape_b = 0;
    vec3 point{0.0f};             ///< world, that with the greatest impulse, m
    vec3 normal{0.0f};            ///< world, unit, from A to B
    float approach_speed = 0.0f;  ///< along the normal, before it, m/s
    float normal_impulse = 0.0f;  ///< of all points over the step, N s
};

/// A joint that is gone without remove_joint: its load was above its break force or torque in the last step, or a body
/// (or, for a gear, a joint) that it held was removed since the step before. The handle is stale.
struct JointEvent {
    JointId joint;
    BodyId body_a, body_b;
    std::uint64_t user_data = 0;
    bool overloaded = false;         ///< false: what it held was removed
    vec3 force{0.0f}, torque{0.0f};  ///< on B, world, mean over its last step, N and N m; the torque about the anchor
};

struct ContactPoint {
    vec3 position{0.0f};          ///< world, midway between the surfaces, m
    float separation = 0.0f;      ///< negative when penetrating, m
    float normal_impulse = 0.0f;  ///< over the last step, N s
    std::uint32_t id = 0;         ///< feature pair
    bool is_new = false;          ///< that pair did not touch in the step before
};

/// A touching pair of shapes as the last step left it. On a mesh there is one for each direction in which it is touched.
struct Contact {
    BodyId body_a, body_b;
    std::uint32_t shape_a = 0, shape_b = 0;
    std::uint32_t triangle = no_triangle;  ///< one that is touched so, of a mesh: TriangleSet::source names it
    vec3 normal{0.0f};                     ///< world, from A to B
    vec3 friction_impulse{0.0f};           ///< world, on B, over the last step, N s
    int point_count = 0;
    ContactPoint points[4];
};

}  // namespace talus
