#pragma once
/// What happened in the last step: contact, hit and joint events, and the touching contacts.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>

namespace talus {

/// Two shapes began or stopped touching. Solid shapes touch when their surfaces overlap or a contact impulse acts; a
/// sensor and a shape touch when they overlap.
///
/// - A and B may be exchanged between the event of the beginning and that of the end, if a shape or a body's type
///   changed in between.
/// - A contact that ends because its body was removed is reported by the next step, with the body's stale handle.
/// - Continuous collision may find that a fast body touches a shape and leaves it within one step. Then it is in
///   World::contacts_begun() and in contacts_ended(); read the former first.
/// - If a touching shape becomes a sensor or stops being one, the next step reports the end, and the step after it the
///   beginning of the new kind of contact.
struct ContactEvent {
    BodyId body_a;              ///< first body
    BodyId body_b;              ///< second body
    std::uint32_t shape_a = 0;  ///< index of the shape in body A
    std::uint32_t shape_b = 0;  ///< index of the shape in body B
    bool sensor = false;        ///< one of the shapes is a sensor
    /// Sum of the impulses of the contact's points, N s: in the step in which the contact began, or in the last step
    /// before it ended.
    float normal_impulse = 0.0f;
    friend bool operator==(const ContactEvent&, const ContactEvent&) = default;  ///< compares all fields
};

/// An impact that was faster than WorldDef::hit_speed. At least one of the two shapes has ShapeDef::hit_events.
struct HitEvent {
    BodyId body_a;                ///< first body
    BodyId body_b;                ///< second body
    std::uint32_t shape_a = 0;    ///< index of the shape in body A
    std::uint32_t shape_b = 0;    ///< index of the shape in body B
    dvec3 point{0.0};             ///< the contact point with the greatest impulse, world, m
    vec3 normal{0.0f};            ///< world, unit, from A to B
    float approach_speed = 0.0f;  ///< along the normal, before the impact, m/s
    float normal_impulse = 0.0f;  ///< sum over the contact's points in this step, N s
};

/// A joint that was removed without a call of remove_joint: either its force or torque in the last step was larger than
/// JointOptions allow, or one of its bodies (for a gear, one of its joints) was removed since the step before. The
/// handle is stale.
struct JointEvent {
    JointId joint;                ///< the joint's former handle
    BodyId body_a;                ///< first body
    BodyId body_b;                ///< second body
    std::uint64_t user_data = 0;  ///< as given in JointOptions
    bool overloaded = false;      ///< true: it broke; false: a body or joint that it needs was removed
    vec3 force{0.0f};             ///< force on B, mean over the joint's last step, world axes, N
    vec3 torque{0.0f};            ///< torque on B about the anchor, mean over that step, world axes, N m
};

/// A body that moved in the last step.
struct MovedBody {
    BodyId body;                  ///< the body
    std::uint64_t user_data = 0;  ///< the body's
    WorldTransform pose;          ///< of the body's frame, world, after the step
    bool fell_asleep = false;     ///< it will not be in this list again before something wakes it
    /// It was added, or got this transform from the user, since the step before. A renderer does not interpolate
    /// from its pose before that.
    bool placed = false;
};

/// One point of a contact.
struct ContactPoint {
    dvec3 position{0.0};          ///< midway between the two surfaces, world, m
    float separation = 0.0f;      ///< distance of the surfaces along the normal, m; negative if they overlap
    float normal_impulse = 0.0f;  ///< over the last step, N s
    std::uint32_t id = 0;         ///< the pair of features (vertex, edge, face) that touch here
    bool is_new = false;          ///< that pair of features did not touch in the step before
};

/// A touching pair of shapes, as the last step left it. A shape that touches a mesh has one contact for each direction
/// in which it is pushed.
struct Contact {
    BodyId body_a;              ///< first body
    BodyId body_b;              ///< second body
    std::uint32_t shape_a = 0;  ///< index of the shape in body A
    std::uint32_t shape_b = 0;  ///< index of the shape in body B
    /// If one shape is a mesh, one of the triangles that touch; if both are, a triangle of shape A.
    /// TriangleSet::source gives its index in the MeshDef.
    std::uint32_t triangle = no_triangle;
    vec3 normal{0.0f};            ///< world, unit, from A to B
    vec3 friction_impulse{0.0f};  ///< on B, over the last step, world axes, N s
    int point_count = 0;          ///< 1 to 4
    ContactPoint points[4];       ///< the first `point_count` are valid
};

}  // namespace talus
