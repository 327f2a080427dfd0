#include "engine/joint_solver/rows/row_coordinates.h"

namespace talus {

dquat twist_of(const JointRow& row, const JointPose& pose) {
    return row.kind == RowKind::lock ? pose.relative
                                     : nearest_twist(pose.relative, 0.5 * (row.limits[0] + row.limits[1]));
}

Jacobian row_jacobian(const SolverJoint& joint, const JointRow& row) {
    switch (row.axis) {
        case RowAxis::small_rotation:
            return joint.beyond_locks ? jacobian(joint.kind, joint.pose, row.axis_index)
                                      : lock_jacobian(joint.pose, row.axis_index);
        case RowAxis::twist:
            return twist_jacobian(joint.pose, twist_of(row, joint.pose), row.limits[row.upper ? 1 : 0]);
        case RowAxis::cone:
            return cone_jacobian(joint.pose);
        case RowAxis::drive_translation:
            return translation_along(joint.pose.a[row.axis_index], joint.pose);
        case RowAxis::drive_rotation:
            return rotation_about(joint.pose.a[row.axis_index]);
        default:
            return jacobian(joint.kind, joint.pose, row.axis_index);
    }
}

double row_coordinate(const SolverJoint& joint, const JointRow& row, const JointPose& pose, const Coordinates& q) {
    if (row.unresponsive) return row.limits[row.upper ? 1 : 0];
    switch (row.axis) {
        case RowAxis::point:
            return pose.apart[row.axis_index];
        case RowAxis::small_rotation:
            return joint.beyond_locks ? q[row.axis_index] : lock_coordinate(pose, row.axis_index);
        case RowAxis::twist:
            return row.limits[row.upper ? 1 : 0] + twist_beyond(twist_of(row, pose), row.limits[row.upper ? 1 : 0]);
        case RowAxis::cone:
            return cone_angle(pose);
        case RowAxis::drive_translation:
            if (row.kind == RowKind::motor) return 0.0;
            return glm::dot(pose.a[row.axis_index], pose.apart) -
                   static_cast<double>(joint.drive_target.position[row.axis_index]);
        case RowAxis::drive_rotation:
            return row.kind == RowKind::motor
                       ? 0.0
                       : rotation_vector(dquat(joint.drive_target.rotation), pose.relative)[row.axis_index];
        default:
            return q[row.axis_index];
    }
}

double gear_coordinate(const Articulations& s, const SolverJoint& gear, const Coordinates& a, const Coordinates& b) {
    const auto main = [&](std::uint32_t joint, const Coordinates& q) {
        return q[static_cast<std::size_t>(main_axis(s.joints[joint].kind))];
    };
    return main(gear.geared[1], b) - gear.ratio * main(gear.geared[0], a) - gear.offset;
}

bool is_angular(const Articulations& s, const SolverJoint& joint, const JointRow& row) {
    switch (row.axis) {
        case RowAxis::gear:
            return s.joints[joint.geared[1]].kind == JointKind::hinge;
        case RowAxis::small_rotation:
        case RowAxis::twist:
        case RowAxis::rotation:
        case RowAxis::cone:
        case RowAxis::drive_rotation:
            return true;
        default:
            return false;
    }
}

}  // namespace talus
