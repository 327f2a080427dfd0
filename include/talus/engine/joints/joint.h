#pragma once
/// What a user says about a joint before it exists.
///
/// A joint ties a frame of body A to a frame of body B. Each frame is given in its body's own frame, so that bodies may
/// move and turn between the calls; joint_ends() makes both from a point and an axis in the world. The frame's x axis
/// is the joint's main axis: a hinge turns about it, a slider moves along it, a ball's twist is about it. A coordinate
/// is where B is as seen from A: an angle (rad, right-handed) or a distance (m), zero when the frames coincide.
///
///     world.add_joint(HingeDef{.ends = world.joint_ends(frame, door, {0, 1, 0}, {0, 1, 0}), .limit = {0.0f, 1.5f}});
///     world.add_joint(DistanceDef{.ends = {.body_a = hook, .body_b = weight}, .length = {0.0f, 2.0f}});  // a rope of 2 m
///
/// What a joint locks is rigid: chains do not stretch and loads do not sag, up to 100,000 times the mass of a link
/// (joint_solver.h says how). Springs are given by frequency and damping ratio, so that they behave alike for any mass, and are stable for
/// any step.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>
#include <limits>
#include <variant>

namespace talus {

inline constexpr float unlimited = std::numeric_limits<float>::infinity();

/// The two bodies and the joint's frame in each, in that body's frame (not its centre of mass). One body at least is
/// dynamic. Rotations are normalised on entry, positions within 1e6 m.
struct JointEnds {
    BodyId body_a{}, body_b{};
    Transform frame_a{}, frame_b{};
};

/// Both frames at one place in the world: origin at `anchor` (m), x along `axis` (any length but 0), for bodies at
/// these poses. The joint's coordinates are zero as the bodies are. A zero or non-finite axis gives frames that
/// add_joint refuses.
JointEnds joint_ends(const Transform& pose_a, const Transform& pose_b, const vec3& anchor,
                     const vec3& axis = {1.0f, 0.0f, 0.0f});

/// Range of a coordinate, rad or m; lower <= upper. Equal ones lock it there.
struct JointLimit {
    float lower = -unlimited, upper = unlimited;
};

/// Drives a coordinate at a speed with no more than this force. Speed 0 makes it a brake, or dry friction.
struct JointMotor {
    float speed = 0.0f;      ///< rad/s or m/s
    float max_force = 0.0f;  ///< N m or N, >= 0; 0: no motor
};

/// Pulls a coordinate to a target. The frequency is that of the joint's two bodies by themselves, the joint's locked
/// axes included: a door on a fixed frame swings at just this frequency, whatever its mass.
struct JointSpring {
    float hertz = 0.0f;           ///< undamped frequency, >= 0; 0: no spring
    float damping_ratio = 1.0f;   ///< >= 0; 1 is critical
    float target = 0.0f;          ///< rad or m
    float max_force = unlimited;  ///< N m or N, > 0. With a cap it is a servo.
};

/// What all joints may have.
struct JointOptions {
    /// Whether the two bodies collide with each other; any joint between them can forbid it.
    bool collide_connected = false;
    float break_force = unlimited;   ///< N, > 0: the joint goes when its force, the mean over a step, is larger
    float break_torque = unlimited;  ///< N m, > 0: about the joint's anchor
    std::uint64_t user_data = 0;     ///< yours; Talus never reads it
};

/// Drives B's frame, as seen from A's, in all directions alike, with no more than these forces: at a velocity, or to a
/// pose when the frequency is above 0.
struct JointDrive {
    vec3 velocity{0.0f};                              ///< of B's frame, A's axes, m/s
    vec3 angular_velocity{0.0f};                      ///< A's axes, rad/s
    Transform target{};                               ///< pose of B's frame in A's
    float linear_hertz = 0.0f, angular_hertz = 0.0f;  ///< of the springs to the target, >= 0; 0: velocity alone
    float damping_ratio = 1.0f;                       ///< of both, >= 0
    float max_force = 0.0f;                           ///< N, length of the vector, >= 0; 0: no drive
    float max_torque = 0.0f;                          ///< N m
};

/// Ball and socket: the anchors stay together.
struct BallDef {
    JointEnds ends{};
    float cone = unlimited;  ///< largest angle between the frames' x axes, rad, >= 0
    JointLimit twist{};      ///< of the turn about x; an unlimited side ends at -pi or pi
    JointDrive drive{};      ///< its angular part
    JointOptions options{};
};

/// Turns about x. The coordinate is the angle, which goes on over many turns.
struct HingeDef {
    JointEnds ends{};
    JointLimit limit{};
    JointMotor motor{};
    JointSpring spring{};
    JointOptions options{};
};

/// Moves along A's x axis and does not turn. The coordinate is the way.
struct SliderDef {
    JointEnds ends{};
    JointLimit limit{};
    JointMotor motor{};
    JointSpring spring{};
    JointOptions options{};
};

/// A weld. Soft where a frequency is given.
struct FixedDef {
    JointEnds ends{};
    float linear_hertz = 0.0f, angular_hertz = 0.0f;  ///< >= 0; 0: rigid
    float damping_ratio = 1.0f;                       ///< of both
    JointOptions options{};
};

/// Keeps the distance of the two anchors, which is its coordinate, in a range: {2, 2} is a rod of 2 m, {0, 2} a rope,
/// {0, unlimited} with a spring a coil. The default is a rod as long as the anchors are apart when the joint is added.
/// A rod or rope of length 0 is a ball.
struct DistanceDef {
    static constexpr float as_added = -1.0f;
    JointEnds ends{};
    JointLimit length{as_added, as_added};  ///< m, >= 0
    JointMotor motor{};                     ///< a winch
    JointSpring spring{};                   ///< its target is rest_length
    float rest_length = as_added;           ///< m, >= 0
    JointOptions options{};
};

/// One of the six axes of a SixDofDef: locked by default; free with .limit = {}.
struct AxisDef {
    JointLimit limit{0.0f, 0.0f};
    JointMotor motor{};
    JointSpring spring{};
};

/// Each axis for itself. Moves are along A's axes. Turns are the twist about x and the rotation vector of the swing
/// that takes A's x axis to B's, which has no x: angles about y and z within -pi to pi.
struct SixDofDef {
    JointEnds ends{};
    AxisDef move_x{}, move_y{}, move_z{}, turn_x{}, turn_y{}, turn_z{};
    JointOptions options{};
};

/// A car's wheel (B) on its chassis (A). In frame A, y is up the suspension and x the axle when steering straight on.
/// The axle x of frame B stays at right angles to A's y.
struct WheelDef {
    JointEnds ends{};
    JointLimit travel{};  ///< along A's y, m
    JointSpring suspension{.hertz = 2.0f, .damping_ratio = 0.7f};
    JointLimit steering{0.0f, 0.0f};  ///< about A's y, rad within -pi to pi; locked by default
    JointSpring steering_servo{};     ///< for wheels that steer: widen `steering` and move the target
    JointMotor motor{};               ///< about the axle, the main axis; brakes too
    JointOptions options{};
};

/// Ties the coordinates of two joints: from now on joint_b moves by `ratio` for each unit of joint_a. Hinges and
/// sliders: two hinges are gears (ratio -teeth_a / teeth_b), a hinge and a slider rack and pinion (ratio: the pinion's
/// radius). It goes when one of the two goes.
struct GearDef {
    JointId joint_a{}, joint_b{};
    float ratio = 1.0f;  ///< (rad or m) / (rad or m), not 0
    JointOptions options{};
};

/// Locks nothing, drives everything.
struct MotorDef {
    JointEnds ends{};
    JointDrive drive{};
    JointOptions options{};
};

using JointDef =
    std::variant<BallDef, HingeDef, SliderDef, FixedDef, DistanceDef, SixDofDef, WheelDef, GearDef, MotorDef>;

/// In the order of JointDef's alternatives.
enum class JointKind : std::uint8_t { ball, hinge, slider, fixed, distance, six_dof, wheel, gear, motor };

/// A direction in which a joint may be read or set. `main` is what the joint is about: the turn of hinges and balls
/// (twist), the move of sliders, the distance of distance joints, the spin of wheels (whose move_y is the travel and
/// turn_y the steering), and the second coordinate of gears.
enum class JointAxis : std::uint8_t { move_x, move_y, move_z, turn_x, turn_y, turn_z, main };

}  // namespace talus
