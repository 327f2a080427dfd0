#include "engine/joints/joint_checks.h"

#include "engine/world/error_text.h"

#include <cmath>
#include <string>
#include <variant>

namespace talus {

Error check(const JointLimit& limit) {
    const auto refuse_end = [](ErrorCode code, const char* what, float end, const char* allowed) {
        return out_of_range(code, what, text(end), allowed);
    };
    constexpr const char* lower_end = "a number below infinity; -infinity means none";
    constexpr const char* upper_end = "a number above -infinity; infinity means none";
    if (std::isnan(limit.lower)) return refuse_end(ErrorCode::not_finite, "lower", limit.lower, lower_end);
    if (std::isnan(limit.upper)) return refuse_end(ErrorCode::not_finite, "upper", limit.upper, upper_end);
    if (limit.lower == unlimited) return refuse_end(ErrorCode::bad_argument, "lower", limit.lower, lower_end);
    if (limit.upper == -unlimited) return refuse_end(ErrorCode::bad_argument, "upper", limit.upper, upper_end);
    if (limit.lower > limit.upper)
        return {ErrorCode::bad_argument, "lower is " + text(limit.lower) + " and upper is " + text(limit.upper) +
                                             "; lower must not be above upper."};
    return {};
}

Error check(const JointMotor& motor) {
    if (Error error = check_finite("speed", motor.speed, "rad/s or m/s")) return error;
    return check_cap("max_force", motor.max_force, "N m or N", "no cap");
}

Error check(const JointSpring& spring) {
    if (Error error = check_at_least_zero("hertz", spring.hertz, "")) return error;
    if (Error error = check_at_least_zero("damping_ratio", spring.damping_ratio, "")) return error;
    if (Error error = check_finite("target", spring.target, "rad or m")) return error;
    return check_cap("max_force", spring.max_force, "N m or N", "no cap");
}

static Error check_frame(const Transform& frame, const char* origin = "the body's origin") {
    if (Error error = check_place("position", frame.position, origin)) return error;
    return check_rotation("rotation", frame.rotation, ErrorCode::not_finite);
}

Error check(const JointDrive& drive) {
    return first_of(check_finite("velocity", drive.velocity, "m/s"),
                    check_finite("angular_velocity", drive.angular_velocity, "rad/s"),
                    within("target.", check_frame(drive.target, "frame A's origin")),
                    check_at_least_zero("linear_hertz", drive.linear_hertz, ""),
                    check_at_least_zero("angular_hertz", drive.angular_hertz, ""),
                    check_at_least_zero("damping_ratio", drive.damping_ratio, ""),
                    check_cap("max_force", drive.max_force, "N", "no cap"),
                    check_cap("max_torque", drive.max_torque, "N m", "no cap"));
}

Error check_cone(float cone) { return check_cap("cone", cone, "rad", "no limit"); }

Error check_break_limits(const char* force_name, float force, const char* torque_name, float torque) {
    if (Error error = check_cap(force_name, force, "N", "that the joint never breaks")) return error;
    return check_cap(torque_name, torque, "N m", "that the joint never breaks");
}

namespace {

Error check(const JointFrames& frames) {
    return first_of(within("frames.frame_a.", check_frame(frames.frame_a)),
                    within("frames.frame_b.", check_frame(frames.frame_b)));
}

Error check(const AxisDef& axis) {
    return first_of(within("limit.", talus::check(axis.limit)), within("motor.", talus::check(axis.motor)),
                    within("spring.", talus::check(axis.spring)));
}

/// Checks the numbers that only this kind of definition has.
struct Checker {
    Error operator()(const BallDef& d) const {
        return first_of(check_cone(d.cone), within("twist.", talus::check(d.twist)),
                        within("drive.", talus::check(d.drive)));
    }
    Error operator()(const HingeDef& d) const { return check(AxisDef{d.limit, d.motor, d.spring}); }
    Error operator()(const SliderDef& d) const { return check(AxisDef{d.limit, d.motor, d.spring}); }
    Error operator()(const FixedDef& d) const {
        return first_of(check_at_least_zero("linear_hertz", d.linear_hertz, ""),
                        check_at_least_zero("angular_hertz", d.angular_hertz, ""),
                        check_at_least_zero("damping_ratio", d.damping_ratio, ""));
    }
    Error operator()(const DistanceDef& d) const {
        const bool as_added = d.length.lower == DistanceDef::as_added && d.length.upper == DistanceDef::as_added;
        JointSpring spring = d.spring;
        spring.target = 0.0f;  // not used: rest_length is
        Error error = first_of(within("length.", talus::check(d.length)), within("motor.", talus::check(d.motor)),
                               within("spring.", talus::check(spring)));
        if (!error && !as_added && d.length.lower < 0.0f)
            error = out_of_range(ErrorCode::bad_size, "length.lower", text(d.length.lower),
                                 ">= 0 (m), or as_added for both ends");
        if (error || d.rest_length == DistanceDef::as_added) return error;
        if (is_finite(d.rest_length) && d.rest_length >= 0.0f) return {};
        return out_of_range(is_finite(d.rest_length) ? ErrorCode::bad_size : ErrorCode::not_finite, "rest_length",
                            text(d.rest_length), "finite and >= 0 (m), or as_added");
    }
    Error operator()(const SixDofDef& d) const {
        return first_of(within("move_x.", check(d.move_x)), within("move_y.", check(d.move_y)),
                        within("move_z.", check(d.move_z)), within("turn_x.", check(d.turn_x)),
                        within("turn_y.", check(d.turn_y)), within("turn_z.", check(d.turn_z)));
    }
    Error operator()(const WheelDef& d) const {
        return first_of(within("travel.", talus::check(d.travel)), within("suspension.", talus::check(d.suspension)),
                        within("steering.", talus::check(d.steering)),
                        within("steering_servo.", talus::check(d.steering_servo)),
                        within("motor.", talus::check(d.motor)));
    }
    Error operator()(const GearDef& d) const {
        if (is_finite(d.ratio) && d.ratio != 0.0f) return {};
        return out_of_range(ErrorCode::bad_argument, "ratio", text(d.ratio), "finite and not 0");
    }
    Error operator()(const MotorDef& d) const { return within("drive.", talus::check(d.drive)); }
};

}  // namespace

Error check(const JointDef& def) {
    Error of_kind = std::visit(Checker{}, def);
    if (of_kind) return of_kind;
    return std::visit(
        [](const auto& d) {
            Error error;
            if constexpr (requires { d.frames; }) error = check(d.frames);
            const JointOptions& o = d.options;
            if (!error)
                error = within("options.",
                               check_break_limits("break_force", o.break_force, "break_torque", o.break_torque));
            return error;
        },
        def);
}

}  // namespace talus
