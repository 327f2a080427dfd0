#pragma once
/// The coordinates of a joint, that is, the pose of its frame B relative to its frame A, and their Jacobians.
///
/// A coordinate q of a joint changes at the rate
///
///     dq/dt = linear . (v_b - v_a) + angular_b . w_b - angular_a . w_a
///
/// where v are the velocities of the centres of mass and w the angular velocities of the bodies. Everything is computed
/// in double and from differences of positions, so that joints far from the origin are as exact as the positions are.

#include <talus/math.h>
#include "engine/joints/joint_store.h"

namespace talus {

using glm::dmat3;
using glm::dquat;
using glm::dvec3;

/// Returns the angle of the vector (x, y) from the x axis, -pi to pi, to double rounding; 0 for (0, 0). Without libm.
double angle_of(double x, double y);

/// Returns q with unit length, in double.
dquat unit(const quat& q);

struct Jacobian {
    dvec3 linear{0.0}, angular_a{0.0}, angular_b{0.0};
};

/// Selects the parts of a pose and of its coordinates that are computed. The others keep their default values.
struct JointParts {
    bool axes = true;   ///< axes of both frames, and translations along A's
    bool twist = true;  ///< the rotation about x; all rotations of a wheel
    bool swing = true;  ///< the other rotations, and the rotation of B's frame in A's
};

/// The two frames of a joint in the world.
struct JointPose {
    dvec3 arm_a{0.0}, arm_b{0.0};        ///< from the centres of mass to the frames' origins
    dvec3 apart{0.0};                    ///< from the origin of frame A to that of frame B
    dmat3 a{1.0}, b{1.0};                ///< axes of the frames, one per column
    dquat relative{1.0, 0.0, 0.0, 0.0};  ///< rotation of frame B in frame A
};

/// A rotation as a quaternion and as a matrix.
struct Orientation {
    dquat rotation{1.0, 0.0, 0.0, 0.0};
    dmat3 axes{1.0};

    Orientation() = default;
    explicit Orientation(const dquat& q) : rotation(q), axes(to_matrix(q)) {}
};

/// A joint's frame in one of its bodies.
struct JointFrame {
    dvec3 arm{0.0};           ///< from the centre of mass to the frame's origin, body axes
    Orientation orientation;  ///< of the frame in the body
};

/// Returns the pose of a joint. `between` is the vector from A's centre of mass to B's.
JointPose joint_pose(const JointFrame& frame_a, const Orientation& body_a, const JointFrame& frame_b,
                     const Orientation& body_b, const dvec3& between, const JointParts& parts = {});

/// Returns the pose of a joint at the present poses of its bodies.
JointPose joint_pose(const Joint& joint, const Body& a, const Body& b);

/// Returns the coordinates of a joint by axis, m and rad. `angle` is the last main angle. Angles that differ by whole
/// turns are the same rotation; the one nearest to `angle` is returned. A distance joint has its length as the first
/// coordinate. The rotations of a wheel are rolling, steering and camber (the cosine between axle and suspension).
using Coordinates = std::array<double, joint_axes>;
Coordinates coordinates(JointKind kind, const JointPose& pose, double angle, const JointParts& parts = {});
/// Returns the angle between the frames' x axes.
double cone_angle(const JointPose& pose);

Jacobian jacobian(JointKind kind, const JointPose& pose, int axis);
Jacobian cone_jacobian(const JointPose& pose);

// Rotations that are locked at zero use coordinates without angles: their sines, as long as `nearly_locked`.

/// Whether the rotations are so near to zero (below a sixth of a turn) that lock_coordinate increases with them.
bool nearly_locked(const JointPose& pose, bool twist);
double lock_coordinate(const JointPose& pose, int axis);
Jacobian lock_jacobian(const JointPose& pose, int axis);

// Locks and limits of a twist whose swing is free use the quaternion, because it is smooth at a swing of 180 degrees.
// The twist angle is not: with it, bodies that swung through 180 degrees jumped by 90 cm and gained half of their
// energy.

/// Returns 2 sin(e / 2) cos(s / 2). Here s is the swing of q (B's frame in A's), and e is its twist minus `angle`,
/// within -pi to pi, rad. The result is about e if both are small. It has opposite signs for q and -q, the two
/// quaternions of one rotation.
double twist_beyond(const dquat& q, double angle);
Jacobian twist_jacobian(const JointPose& pose, const dquat& q, double angle);
/// Returns q or -q, whichever has a twist within half a turn of `angle`.
dquat nearest_twist(const dquat& q, double angle);

/// Returns the Jacobian of a translation along a world axis that rotates with A, or of a rotation about one.
Jacobian translation_along(const dvec3& axis, const JointPose& pose);
Jacobian rotation_about(const dvec3& axis);
/// Returns the rotation vector that takes `from` to `to`, rad.
dvec3 rotation_vector(const dquat& from, const dquat& to);

/// Returns the axis (0 to 5) at this place, when the translations and the rotations are each shifted cyclically by
/// `shift` places.
inline int shifted_axis(int axis, int shift) { return axis / 3 * 3 + (axis % 3 + shift) % 3; }

/// Returns the axis that JointAxis::main stands for.
int main_axis(JointKind kind);

}  // namespace talus
