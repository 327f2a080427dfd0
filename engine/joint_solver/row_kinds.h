#pragma once
/// What a row of a joint does, and along or about which axis. Plain data: joint_kernel.h says why.

namespace talus {

enum class RowKind : unsigned char { lock, limit, motor, spring };

/// The direction along or about which a row acts. It determines how the row's coordinate is measured.
enum class RowAxis : unsigned char {
    point,           ///< a world axis; the coordinate is the distance of B's anchor from A's along it
    translation,     ///< the same along an axis of frame A
    length,          ///< the line between the anchors
    small_rotation,  ///< a rotation locked at zero, measured by its sine
    twist,           ///< a locked or limited twist where the swing may reach half a turn
    rotation,        ///< any other rotation
    cone,            ///< the angle between the x axes of the frames
    drive_translation,
    drive_rotation,
    gear
};

/// The two passes of a sub-step. none: neither of them.
enum class JointPass : unsigned char { none, solve, relax };

/// Whether a row's Jacobian has a linear part other than a world axis.
inline constexpr bool is_along_axis(RowAxis axis) { return axis == RowAxis::translation || axis == RowAxis::length; }

}  // namespace talus
