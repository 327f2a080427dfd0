#pragma once
/// Checks of the values that users give to joints. Each function returns the first error that it finds, or an empty
/// one.

#include <talus/engine/joints/joint.h>
#include <talus/result.h>
#include "engine/joints/joint_store.h"

#include <string>

namespace talus {

/// Returns an error whose message begins with "joint: ".
Error refuse_joint(ErrorCode code, std::string message);

Error check(const JointLimit& limit);
Error check(const JointMotor& motor);
Error check(const JointSpring& spring);
Error check(const AxisDef& axis);
Error check(const JointDrive& drive);
Error check(const JointOptions& options);
Error check_cone(float cone);

/// Checks a joint frame in a body. Its position has the same limits as that of a shape, and its rotation must not be 0.
Error check_frame(const Transform& frame);

/// Checks a whole joint.
Error check(const Joint& joint);

}  // namespace talus
