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

}  // namespace

Joint joint_of(const JointDef& def) {
    Joint joint;
    joint.kind = static_cast<JointKind>(def.index());
    std::visit(Translator{joint}, def);
    std::visit([&](const auto& d) { joint.options = d.options; }, def);
    return joint;
}

}  // namespace talus
