#pragma once
/// The first contact of two convex shapes that both move and turn: conservative advancement.
///
/// Mirtich's idea (1996, "Impulse-based dynamic simulation of rigid body systems", section 2.3.2): the distance now,
/// over a bound of the speed at which it can shrink, is a time that can pass without a contact; go there and ask again.
/// With the plain bound |v| + |w| r that converges linearly, and takes long where things turn fast or past each other.
/// Here, between two distance queries, the gap s(t) along the axis that separates the two is followed instead. It is
/// the least of many smooth functions, one for each pair of points (one on A, one on B), and two facts about *all* of
/// them prove that there is no contact before some time:
///
/// 1. None shrinks faster than n . v - |n x w_A| r_A - |n x w_B| r_B, r the distance of the core's farthest point from
///    the axis of rotation through its centre (Mirtich's directed bound), nor does any go below the gap between the
///    solids of revolution that the two can turn into.
/// 2. None has a second derivative above k = |n x w_A| |w_A| r_A + |n x w_B| |w_B| r_B. All are at least s(t1) at
///    t1 and at least s(t2) at t2, hence above the parabola of second derivative k through those two points:
///
///        s |*                        s(t1) (t2-t)/(t2-t1) + s(t2) (t-t1)/(t2-t1) - k (t-t1) (t2-t) / 2 <= s(t)
///          | \\_ _ _   true gap
///          |  \_   ''--.._           The first root of the parabola is a time before the contact, however s(t2) came
///          |    '-._      ''*        out. It is a secant step with a proof: it converges like one.
///        --+-------'-.-----------> t
///          t1     root     t2
///
/// The axis stands still in the world, or turns with the face or the edges between which the distance is (k is another
/// then, see the code). Three or four distance queries are usual. Bodies that do not turn, which includes balls and
/// capsules that turn about their own axis, are cast (shape_cast.h).

#include <talus/narrowphase/support_mapping.h>

#include <glm/gtc/quaternion.hpp>

namespace talus {

/// A rigid motion at constant velocities: the centre moves along a line, the body turns about an axis through it.
struct RigidMotion {
    Transform start{};            ///< pose of the shape's frame at time 0
    vec3 center{0.0f};            ///< the point that it turns about, such as the centre of mass; shape's frame, m
    vec3 linear_velocity{0.0f};   ///< of that centre, m/s
    vec3 angular_velocity{0.0f};  ///< rad/s, world axes; any number of turns
};

/// /// Returns the motion that takes `center` (shape frame) along the line between two poses in `duration` seconds, as
/// the step of an integrator did. Several rotations about the same axis lead from one pose to the other, by whole turns
/// more or less. The one nearest to `expected_turn` is taken (rotation vector, rad, world axes; about angular velocity
/// times time), so that a rod which turns by 300 degrees does not count as one that turns back by 60. Without an
/// expected turn it is the shortest. Near whole turns the motion ends within 2e-4 rad of `end`.
RigidMotion motion_between(const Transform& start, const Transform& end, const vec3& center = vec3(0.0f),
                           float duration = 1.0f, const vec3& expected_turn = vec3(0.0f));

/// Returns the pose at a time (s), computed in double without libm.
Transform pose_at(const RigidMotion& motion, float time);

enum class ToiStatus : std::uint8_t {
    separated,              ///< never within the target distance
    hit,                    ///< within target + tolerance at `time`, and not within the target before it
    initially_overlapping,  ///< within the target distance at time 0
    iteration_cap,          ///< no contact before `time`, which is as far as it got
    bad_input,              ///< a null hull, a negative size or duration, a zero rotation, a number that is not finite
};

struct TimeOfImpact {
    ToiStatus status = ToiStatus::separated;
    /// /// How long both can move, s: the whole duration when separated, 0 on bad input. It is rounded down, and there
    /// is provably no contact before it.
    float time = 0.0f;
    float separation = 0.0f;  ///< between the surfaces then, m; only a lower bound when separated
    vec3 normal{0.0f};        ///< unit, from A to B, world axes; zero when separated
    vec3 point_a{0.0f};       ///< nearest points at `time`, world, m; zero when separated
    vec3 point_b{0.0f};
    std::uint16_t queries = 0;     ///< distance queries, the first one included; 1 for a cast
    std::uint16_t iterations = 0;  ///< support pairs in all

    /// True unless the two stay apart for the whole duration: on bad input, too, whose time is 0.
    explicit operator bool() const { return status != ToiStatus::separated; }
};

struct ToiSettings {
    float duration = 1.0f;  ///< s
    /// /// The distance that counts as contact, m. Negative: the least depth that counts. Then a shape that slides or
    /// rolls along a surface, sunk in by less than that, is not stopped by it.
    float target_distance = 0.0f;
    /// /// How near to the target distance the answer must come, in sizes of the smaller shape (half the longest side
    /// of its box). A hit is reported while the distance exceeds the target by up to this much, never later. Shapes
    /// that pass each other with less than this to spare may count as a hit.
    float tolerance = 1e-4f;
};

/// Returns the first time in [0, duration] at which the two come within the target distance of each other.
TimeOfImpact time_of_impact(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b,
                            const ToiSettings& settings = {});

/// The same for support mappings, each in its own frame. Their reach is taken from their boxes.
TimeOfImpact time_of_impact(const SupportMapping& a, const RigidMotion& motion_a, const SupportMapping& b,
                            const RigidMotion& motion_b, const ToiSettings& settings = {});

}  // namespace talus
