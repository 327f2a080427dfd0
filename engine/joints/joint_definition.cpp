#include "engine/joints/joint_definition.h"

#include <variant>

namespace talus {

namespace {

constexpr AxisDef free_axis{.limit = {}};
constexpr std::uint8_t bit(int axis) { return static_cast<std::uint8_t>(1u << axis); }

void free_axes(Joint& joint, int first) {
    for (int i = first; i < joint_axes; ++i) joint.axes[static_cast<std::size_t>(i)] = free_axis;
}

/// Writes a definition of each kind into a joint.
struct Translator {
    Joint& joint;

    void operator()(const BallDef& def) const {
        free_axes(joint, 3);
        joint.axes[3].limit = def.twist;
        joint.settable = bit(3);
        joint.cone = def.cone;
        joint.drive = def.drive;
        joint.drive.max_force = 0.0f;
    }
    void operator()(const HingeDef& def) const { one_axis(3, {def.limit, def.motor, def.spring}); }
    void operator()(const SliderDef& def) const { one_axis(0, {def.limit, def.motor, def.spring}); }
    void operator()(const FixedDef& def) const {
        for (std::size_t i = 0; i < joint_axes; ++i) {
            const float hertz = i < 3 ? def.linear_hertz : def.angular_hertz;
            if (hertz != 0.0f)
                joint.axes[i] = {.limit = {}, .spring = {.hertz = hertz, .damping_ratio = def.damping_ratio}};
        }
    }
    void operator()(const DistanceDef& def) const {
        free_axes(joint, 0);
        one_axis(0, {def.length, def.motor, def.spring});
        joint.axes[0].spring.target = def.rest_length;
    }
    void operator()(const SixDofDef& def) const {
        joint.axes = {def.move_x, def.move_y, def.move_z, def.turn_x, def.turn_y, def.turn_z};
        joint.settable = 0x3f;
    }
    void operator()(const WheelDef& def) const {
        joint.axes[1] = {.limit = def.travel, .spring = def.suspension};
        joint.axes[3] = {.limit = {}, .motor = def.motor};
        joint.axes[4] = {.limit = def.steering, .spring = def.steering_servo};
        joint.settable = bit(1) | bit(3) | bit(4);
    }
    void operator()(const GearDef& def) const {
        free_axes(joint, 0);
        joint.ratio = static_cast<double>(def.ratio);
    }
    void operator()(const MotorDef& def) const {
        free_axes(joint, 0);
        joint.drive = def.drive;
    }

    void one_axis(int axis, const AxisDef& def) const {
        joint.axes[static_cast<std::size_t>(axis)] = def;
        joint.settable = bit(axis);
    }
};

FixedDef fixed_of(const Joint& joint) {
    const JointSpring &linear = joint.axes[0].spring, &angular = joint.axes[3].spring;
    const JointSpring& soft = linear.hertz != 0.0f ? linear : angular;
    FixedDef def{.linear_hertz = linear.hertz, .angular_hertz = angular.hertz};
    if (soft.hertz != 0.0f) def.damping_ratio = soft.damping_ratio;
    return def;
}

/// Returns the definition of a joint's kind, without its frames and options.
JointDef kind_definition_of(const Joint& joint, const JointId (&geared)[2]) {
    const auto& axes = joint.axes;
    switch (joint.kind) {
        case JointKind::ball:
            return BallDef{.cone = joint.cone, .twist = axes[3].limit, .drive = joint.drive};
        case JointKind::hinge:
            return HingeDef{.limit = axes[3].limit, .motor = axes[3].motor, .spring = axes[3].spring};
        case JointKind::slider:
            return SliderDef{.limit = axes[0].limit, .motor = axes[0].motor, .spring = axes[0].spring};
        case JointKind::fixed:
            return fixed_of(joint);
        case JointKind::distance:
            return DistanceDef{.length = axes[0].limit,
                               .motor = axes[0].motor,
                               .spring = axes[0].spring,
                               .rest_length = axes[0].spring.target};
        case JointKind::six_dof:
            return SixDofDef{.move_x = axes[0],
                             .move_y = axes[1],
                             .move_z = axes[2],
                             .turn_x = axes[3],
                             .turn_y = axes[4],
                             .turn_z = axes[5]};
        case JointKind::wheel:
            return WheelDef{.travel = axes[1].limit,
                            .suspension = axes[1].spring,
                            .steering = axes[4].limit,
                            .steering_servo = axes[4].spring,
                            .motor = axes[3].motor};
        case JointKind::gear:
            return GearDef{.joint_a = geared[0], .joint_b = geared[1], .ratio = static_cast<float>(joint.ratio)};
        case JointKind::motor:
            return MotorDef{.drive = joint.drive};
    }
    return {};
}

}  // namespace

Joint joint_of(const JointDef& def) {
    Joint joint;
    joint.kind = static_cast<JointKind>(def.index());
    std::visit(Translator{joint}, def);
    std::visit([&](const auto& d) { joint.options = d.options; }, def);
    return joint;
}

JointDef definition_of(const Joint& joint, const JointFrames& frames, const JointId (&geared)[2]) {
    JointDef def = kind_definition_of(joint, geared);
    std::visit(
        [&](auto& d) {
            d.options = joint.options;
            if constexpr (requires { d.frames; }) d.frames = frames;
        },
        def);
    return def;
}

}  // namespace talus
