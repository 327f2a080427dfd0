#pragma once
/// The first contact of two convex shapes that both move and rotate: conservative advancement.
///
/// Mirtich's idea (1996, "Impulse-based dynamic simulation of rigid body systems", section 2.3.2): divide the distance
/// by a bound of the speed at which it can shrink. No contact can happen within that time, so go there and measure the
/// distance again. With the plain bound |v| + |w| r this converges linearly, and slowly if shapes rotate fast or pass
/// each other. Here the gap s(t) along a separating axis is followed between two distance queries. It is the minimum of
/// many smooth functions, one for each pair of points (one on A, one on B). Two facts about *all* of these functions
/// prove that there is no contact before some time:
///
/// 1. None shrinks faster than n . v - |n x w_A| r_A - |n x w_B| r_B, where r is the distance of the core's farthest
///    point from the axis of rotation through its centre (Mirtich's directed bound). None goes below the gap between
///    the solids of revolution that the two shapes can sweep.
/// 2. None has a second derivative above k = |n x w_A| |w_A| r_A + |n x w_B| |w_B| r_B. All are at least s(t1) at
///    t1 and at least s(t2) at t2, so all lie above the parabola of second derivative k through those two points:
///
///        s |*                        s(t1) (t2-t)/(t2-t1) + s(t2) (t-t1)/(t2-t1) - k (t-t1) (t2-t) / 2 <= s(t)
///          | \\_ _ _   true gap
///          |  \_   ''--.._           The first root of the parabola is a time before the contact, whatever s(t2) is.
///          |    '-._      ''*        It is a secant step with a proof, and converges like one.
///        --+-------'-.-----------> t
///          t1     root     t2
///
/// The axis is fixed in the world, or rotates with the face or the edges that are closest (then k is another, see the
/// code). Three or four distance queries are usual. Shapes whose rotation moves no point of their core, such as spheres
/// and capsules that rotate about their own axis, are handled by a shape cast (shape_cast.h).

#include <talus/narrowphase/support_mapping.h>

#include <glm/gtc/quaternion.hpp>

namespace talus {

/// A rigid motion at constant velocities: the centre moves along a line, and the shape rotates about an axis through
/// it.
struct RigidMotion {
    Transform start{};            ///< pose of the shape's frame at time 0
    vec3 center{0.0f};            ///< the centre of the rotation, such as the centre of mass; shape's frame, m
    vec3 linear_velocity{0.0f};   ///< of that centre, m/s
    vec3 angular_velocity{0.0f};  ///< rad/s, world axes; any number of turns
};

/// Returns the motion that takes `center` (shape frame) along the line between two poses in `duration` seconds, as the
/// step of an integrator did. Several rotations about the same axis, which differ by whole turns, lead from one pose to
/// the other. The one nearest to `expected_turn` is taken (rotation vector, rad, world axes; about angular velocity
/// times time), so that a rod which turns by 300 degrees does not count as one that turns back by 60. Without an
/// expected turn the shortest is taken. Near whole turns the motion ends within 2e-4 rad of `end`.
RigidMotion motion_between(const Transform& start, const Transform& end, const vec3& center = vec3(0.0f),
                           float duration = 1.0f, const vec3& expected_turn = vec3(0.0f));

/// Returns the pose at a time (s), computed in double without libm.
Transform pose_at(const RigidMotion& motion, float time);

/// The result of a time of impact query.
enum class ToiStatus : std::uint8_t {
    separated,              ///< never within the target distance
    hit,                    ///< within target + tolerance at `time`, and not within the target before it
    initially_overlapping,  ///< within the target distance at time 0
    iteration_cap,          ///< no contact before `time`, which is as far as it got
    bad_input,              ///< a null hull, a negative size or duration, a zero rotation, a number that is not finite
};

/// When two shapes touch first, and where.
struct TimeOfImpact {
    ToiStatus status = ToiStatus::separated;  ///< how the query ended
    /// How long both can move, s: the whole duration when separated, 0 on bad input. It is rounded down, and there
    /// is provably no contact before it.
    float time = 0.0f;
    float separation = 0.0f;  ///< between the surfaces at `time`, m; only a lower bound when separated
    vec3 normal{0.0f};        ///< unit, from A to B, world axes; zero when separated
    vec3 point_a{0.0f};  ///< the point of A nearest to B at `time`, in the frame of the motions, m; zero when separated
    vec3 point_b{0.0f};  ///< the point of B nearest to A at `time`, in the frame of the motions, m; zero when separated
    std::uint16_t queries = 0;     ///< distance queries, the first one included; 1 for a cast
    std::uint16_t iterations = 0;  ///< support pairs of all queries together

    /// False only if the two stay apart for the whole duration. So it is true on bad input, too, with time 0.
    explicit operator bool() const { return status != ToiStatus::separated; }
};

/// What counts as an impact.
struct ToiSettings {
    float duration = 1.0f;  ///< of the motions, s
    /// The distance that counts as contact, m. If negative, only a penetration of at least that depth counts. Then a
    /// shape that slides or rolls along a surface and penetrates it by less is not stopped by it.
    float target_distance = 0.0f;
    /// How near to the target distance the result must come, in sizes of the smaller shape (half the longest side
    /// of its box). A hit is reported while the distance exceeds the target by up to this much, never later. Shapes
    /// that pass each other at a distance less than this above the target may count as a hit.
    float tolerance = 1e-4f;
};

/// Returns the first time in [0, duration] at which the two shapes come within the target distance of each other.
TimeOfImpact time_of_impact(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b,
                            const ToiSettings& settings = {});

/// The same for support mappings, each in its own frame. Their greatest distance from the centre of rotation is taken
/// from their bounding boxes.
TimeOfImpact time_of_impact(const SupportMapping& a, const RigidMotion& motion_a, const SupportMapping& b,
                            const RigidMotion& motion_b, const ToiSettings& settings = {});

}  // namespace talus
