#pragma once
/// Definitions of joints, as passed to `World::add_joint`.
///
/// A joint connects a frame of body A to a frame of body B. Each frame is given relative to its body's own frame, so
/// that it moves with the body; joint_frames() makes both from a point and an axis in the world. The x axis of the
/// frames is the joint's main axis: a hinge rotates about it, a slider moves along it, the twist of a ball joint is
/// about it. A joint coordinate is the position of frame B relative to frame A: an angle (rad, right-handed) or a
/// distance (m), zero when the frames coincide.
///
///     const JointFrames frames = world.joint_frames(frame, door, {0, 1, 0}, {0, 1, 0});
///     world.add_joint(HingeDef{.frames = frames, .limit = {0.0f, 1.5f}});
///     // A rope of 2 m:
///     world.add_joint(DistanceDef{.frames = {.body_a = hook, .body_b = weight}, .length = {0.0f, 2.0f}});
///
/// Axes that a joint locks are rigid: chains do not stretch and loads do not sag, up to a load of 100,000 times the
/// mass of a link. Springs are given by frequency and damping ratio: they behave the same for any mass and are stable
/// for any step.
///
/// add_joint refuses a definition with a number out of its range. Hertz and damping ratios must be finite; limits,
/// forces and torques may be infinite.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>
#include <limits>
#include <variant>

namespace talus {

/// No limit, no cap: an infinity.
inline constexpr float unlimited = std::numeric_limits<float>::infinity();

/// The two bodies of a joint and the joint's frame in each. At least one body must be dynamic.
struct JointFrames {
    BodyId body_a{};  ///< first body
    BodyId body_b{};  ///< second body
    /// Frame in body A, relative to the body's frame, not to its centre of mass. Position within 1e6 m of the body's
    /// origin; add_joint normalises the rotation.
    Transform frame_a{};
    Transform frame_b{};  ///< frame in body B, likewise
};

/// Makes frames for two bodies at these poses. Both frames have their origin at `anchor` (world, m) and their x axis
/// along `axis` (world, any length but 0), so that the joint's coordinates are zero at these poses. An axis that is
/// zero or not finite gives frames that add_joint refuses. The body handles stay null.
JointFrames joint_frames(const WorldTransform& pose_a, const WorldTransform& pose_b, const dvec3& anchor,
                         const vec3& axis = {1.0f, 0.0f, 0.0f});

/// Range of a coordinate, rad or m. If both ends are equal, the coordinate is locked at that value.
struct JointLimit {
    float lower = -unlimited;  ///< least value; -infinity: none
    float upper = unlimited;   ///< greatest value, >= lower; infinity: none
};

/// Drives a coordinate at a speed with a limited force. With speed 0 it is a brake, or dry friction.
struct JointMotor {
    float speed = 0.0f;      ///< rad/s or m/s
    float max_force = 0.0f;  ///< largest torque or force, N m or N, >= 0; 0: no motor
};

/// Pulls a coordinate to a target. The stiffness follows from the frequency and the effective mass of the two bodies
/// along the coordinate; bodies connected to them are ignored. So a door on a fixed frame swings at exactly this
/// frequency, whatever its mass.
struct JointSpring {
    float hertz = 0.0f;           ///< undamped frequency, >= 0; 0: no spring
    float damping_ratio = 1.0f;   ///< >= 0; 1 is critical damping
    float target = 0.0f;          ///< rad or m
    float max_force = unlimited;  ///< largest torque or force, N m or N, >= 0; if finite, the spring is a servo
};

/// Options that every kind of joint has.
struct JointOptions {
    /// Whether the two bodies collide with each other. They do not if any joint between the two sets this to false.
    bool collide_connected = false;
    /// N, >= 0: the joint breaks when the mean of its force over a step is larger. It is then removed and reported in
    /// World::joints_broken().
    float break_force = unlimited;
    float break_torque = unlimited;  ///< N m, >= 0: the same for its torque about the anchor
    std::uint64_t user_data = 0;     ///< yours; Talus never reads it
};

/// Drives frame B relative to frame A in all directions equally, with a limited force and torque. It drives velocities;
/// where a frequency is above 0, also the position or the rotation.
struct JointDrive {
    vec3 velocity{0.0f};          ///< of frame B, in A's axes, m/s
    vec3 angular_velocity{0.0f};  ///< of frame B, in A's axes, rad/s
    Transform target{};           ///< pose of frame B in frame A; position within 1e6 m
    float linear_hertz = 0.0f;    ///< frequency of the spring to the target's position, >= 0; 0: velocity only
    float angular_hertz = 0.0f;   ///< frequency of the spring to the target's rotation, >= 0; 0: velocity only
    float damping_ratio = 1.0f;   ///< of both springs, >= 0
    float max_force = 0.0f;       ///< largest length of the force, N, >= 0; 0: no linear drive
    float max_torque = 0.0f;      ///< largest length of the torque, N m, >= 0; 0: no angular drive
};

/// A ball and socket: keeps the two anchors together.
struct BallDef {
    JointFrames frames{};    ///< bodies and frames
    float cone = unlimited;  ///< largest angle between the frames' x axes, rad, >= 0
    JointLimit twist{};      ///< range of the rotation about x, rad; an infinite end means -pi or pi
    JointDrive drive{};      ///< only its angular part is used
    JointOptions options{};  ///< options of every kind of joint
};

/// A hinge: rotates about x. The coordinate is the angle, which counts full turns.
struct HingeDef {
    JointFrames frames{};    ///< bodies and frames
    JointLimit limit{};      ///< range of the coordinate
    JointMotor motor{};      ///< drives the coordinate
    JointSpring spring{};    ///< pulls the coordinate to a target
    JointOptions options{};  ///< options of every kind of joint
};

/// A slider: moves along A's x axis without rotating. The coordinate is the displacement.
struct SliderDef {
    JointFrames frames{};    ///< bodies and frames
    JointLimit limit{};      ///< range of the coordinate
    JointMotor motor{};      ///< drives the coordinate
    JointSpring spring{};    ///< pulls the coordinate to a target
    JointOptions options{};  ///< options of every kind of joint
};

/// A weld: locks all six axes. A frequency above 0 makes it soft.
struct FixedDef {
    JointFrames frames{};        ///< bodies and frames
    float linear_hertz = 0.0f;   ///< of the spring between the anchors, >= 0; 0: rigid
    float angular_hertz = 0.0f;  ///< of the spring between the rotations, >= 0; 0: rigid
    float damping_ratio = 1.0f;  ///< of both, >= 0
    JointOptions options{};      ///< options of every kind of joint
};

/// Keeps the distance between the two anchors in a range; the distance is the coordinate. A length of {2, 2} makes a
/// rod of 2 m, and {0, 2} a rope of 2 m; {0, unlimited} together with a spring makes a coil spring. By default the
/// joint is a rod as long as the distance at the time it is added. A rod or rope of length 0 is a ball joint.
struct DistanceDef {
    static constexpr float as_added = -1.0f;  ///< the distance at the time the joint is added
    JointFrames frames{};                     ///< bodies and frames
    JointLimit length{as_added, as_added};    ///< m, >= 0, or `as_added` for both
    JointMotor motor{};                       ///< a winch
    JointSpring spring{};                     ///< its target is `rest_length`
    float rest_length = as_added;             ///< m, >= 0, or `as_added`
    JointOptions options{};                   ///< options of every kind of joint
};

/// One of the six axes of a SixDofDef: locked by default; `.limit = {}` frees it.
struct AxisDef {
    JointLimit limit{0.0f, 0.0f};  ///< range of the coordinate
    JointMotor motor{};            ///< drives the coordinate
    JointSpring spring{};          ///< pulls the coordinate to a target
};

/// A joint whose six axes are set one by one. move_x, move_y and move_z are along A's axes. turn_x is the twist about
/// x. The swing is the shortest rotation from A's x axis to B's. turn_y and turn_z are the y and z components of its
/// rotation vector, within -pi to pi.
struct SixDofDef {
    JointFrames frames{};    ///< bodies and frames
    AxisDef move_x{};        ///< displacement along A's x
    AxisDef move_y{};        ///< displacement along A's y
    AxisDef move_z{};        ///< displacement along A's z
    AxisDef turn_x{};        ///< twist
    AxisDef turn_y{};        ///< swing about y
    AxisDef turn_z{};        ///< swing about z
    JointOptions options{};  ///< options of every kind of joint
};

/// Connects a car's wheel (B) to its chassis (A). In frame A, y points up along the suspension, and x is the axle's
/// direction at steering angle 0. The joint keeps frame B's x axis, the axle, at right angles to A's y.
struct WheelDef {
    JointFrames frames{};                                          ///< bodies and frames
    JointLimit travel{};                                           ///< of the suspension, along A's y, m
    JointSpring suspension{.hertz = 2.0f, .damping_ratio = 0.7f};  ///< along A's y
    JointLimit steering{0.0f, 0.0f};  ///< about A's y, rad; the angle is in -pi to pi; locked by default
    JointSpring steering_servo{};     ///< for wheels that steer: widen `steering`, then set the servo's target
    JointMotor motor{};               ///< drives or brakes the rotation about the axle, which is the main axis
    JointOptions options{};           ///< options of every kind of joint
};

/// Couples the coordinates of two joints, each a hinge or a slider: when joint_a moves by 1, joint_b moves by `ratio`.
/// Two hinges are gears (ratio -teeth_a / teeth_b); a hinge and a slider are a rack and pinion (ratio: the pinion's
/// radius, m). Removing one of the two joints removes the gear.
struct GearDef {
    JointId joint_a{};       ///< first joint
    JointId joint_b{};       ///< second joint
    float ratio = 1.0f;      ///< (rad or m) / (rad or m), finite and not 0
    JointOptions options{};  ///< options of every kind of joint
};

/// Locks no axis; only drives.
struct MotorDef {
    JointFrames frames{};    ///< bodies and frames
    JointDrive drive{};      ///< drives frame B relative to frame A
    JointOptions options{};  ///< options of every kind of joint
};

/// The definition of a joint of any kind.
using JointDef =
    std::variant<BallDef, HingeDef, SliderDef, FixedDef, DistanceDef, SixDofDef, WheelDef, GearDef, MotorDef>;

/// Kind of a joint, in the order of JointDef's alternatives.
enum class JointKind : std::uint8_t { ball, hinge, slider, fixed, distance, six_dof, wheel, gear, motor };

/// Axis along which (move) or about which (turn) a joint is read or set. `main` is the twist of a ball joint, the angle
/// of a hinge, the displacement of a slider, the length of a distance joint, the rotation of a wheel about its axle,
/// and for a gear the coordinate of joint_b. A six-dof joint has no main axis of its own: it is turn_x. The other axes
/// of a wheel: move_y is the travel, turn_y the steering.
enum class JointAxis : std::uint8_t { move_x, move_y, move_z, turn_x, turn_y, turn_z, main };

}  // namespace talus
