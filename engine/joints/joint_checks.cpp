#include "engine/joints/joint_checks.h"

#include <talus/math.h>
#include "narrowphase/shapes/size_limits.h"

#include <utility>

namespace talus {

Error refuse_joint(ErrorCode code, std::string message) { return {code, "joint: " + std::move(message)}; }

namespace {

bool is_number(float x) { return x == x; }  // infinities are numbers here

Error check_at_least_zero(const char* what, float x) {
    if (!is_finite(x))
        return refuse_joint(ErrorCode::not_finite,
                            std::string(what) + " is a NaN or an infinity; give a finite number");
    if (x < 0.0f) return refuse_joint(ErrorCode::bad_size, std::string(what) + " is negative; give 0 or more");
    return {};
}

Error check_cap(const char* what, float x) {
    if (!is_number(x)) return refuse_joint(ErrorCode::not_finite, std::string(what) + " is a NaN");
    if (x < 0.0f) return refuse_joint(ErrorCode::bad_size, std::string(what) + " is negative; give 0 or more");
    return {};
}

}  // namespace

Error check(const JointLimit& limit) {
    if (!is_number(limit.lower) || !is_number(limit.upper))
        return refuse_joint(ErrorCode::not_finite, "a limit is a NaN");
    if (limit.lower > limit.upper || limit.lower == unlimited || limit.upper == -unlimited)
        return refuse_joint(ErrorCode::bad_argument, "the lower limit is above the upper one; swap them");
    return {};
}

Error check(const JointMotor& motor) {
    if (!is_finite(motor.speed))
        return refuse_joint(ErrorCode::not_finite, "motor speed is a NaN or an infinity; give a finite number");
    return check_cap("motor max_force", motor.max_force);
}

Error check(const JointSpring& spring) {
    if (Error error = check_at_least_zero("spring hertz", spring.hertz)) return error;
    if (Error error = check_at_least_zero("spring damping_ratio", spring.damping_ratio)) return error;
    if (!is_finite(spring.target))
        return refuse_joint(ErrorCode::not_finite, "spring target is a NaN or an infinity; give a finite number");
    return check_cap("spring max_force", spring.max_force);
}

Error check(const AxisDef& axis) {
    if (Error error = check(axis.limit)) return error;
    if (Error error = check(axis.motor)) return error;
    return check(axis.spring);
}

Error check_frame(const Transform& frame) {
    if (!is_finite(frame.position))
        return refuse_joint(ErrorCode::not_finite, "a frame's position has a NaN or an infinity; give finite numbers");
    if (glm::any(glm::greaterThan(glm::abs(frame.position), vec3(largest_size))))
        return refuse_joint(
            ErrorCode::bad_size,
            "a frame's position is more than 1e6 m from the body's origin; put bodies nearer to each other");
    const quat& q = frame.rotation;
    const float n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!is_finite(q) || !is_finite(n2))
        return refuse_joint(ErrorCode::not_finite, "a frame's rotation has a NaN or an infinity");
    if (!(n2 > 1e-12f))
        return refuse_joint(
            ErrorCode::bad_argument,
            "a frame's rotation has no direction: give a unit quaternion, or joint_ends an axis of length 1");
    return {};
}

Error check(const JointDrive& drive) {
    if (!is_finite(drive.velocity) || !is_finite(drive.angular_velocity))
        return refuse_joint(ErrorCode::not_finite, "a drive's velocity has a NaN or an infinity; give finite numbers");
    if (Error error = check_frame(drive.target)) return error;
    if (Error error = check_at_least_zero("drive linear_hertz", drive.linear_hertz)) return error;
    if (Error error = check_at_least_zero("drive angular_hertz", drive.angular_hertz)) return error;
    if (Error error = check_at_least_zero("drive damping_ratio", drive.damping_ratio)) return error;
    if (Error error = check_cap("drive max_force", drive.max_force)) return error;
    return check_cap("drive max_torque", drive.max_torque);
}

Error check(const JointOptions& options) {
    if (Error error = check_cap("break_force", options.break_force)) return error;
    return check_cap("break_torque", options.break_torque);
}

Error check_cone(float cone) {
    if (!is_number(cone)) return refuse_joint(ErrorCode::not_finite, "the cone is a NaN");
    if (cone < 0.0f) return refuse_joint(ErrorCode::bad_size, "the cone is negative; give an angle of 0 or more");
    return {};
}

Error check(const Joint& joint) {
    for (const AxisDef& axis : joint.axes) {
        if (Error error = check(axis)) return error;
    }
    if (Error error = check_frame(joint.frame_a)) return error;
    if (Error error = check_frame(joint.frame_b)) return error;
    if (Error error = check_cone(joint.cone)) return error;
    if (Error error = check(joint.drive)) return error;
    if (joint.kind == JointKind::distance && (joint.axes[0].limit.lower < 0.0f || joint.axes[0].spring.target < 0.0f))
        return refuse_joint(ErrorCode::bad_size, "a distance is negative; give 0 or more, or as_added for both");
    return check(joint.options);
}

}  // namespace talus
