#pragma once
/// Checks of the values that users give to joints. Each function returns the first error that it finds, or an empty
/// one: see engine/world/error_text.h.

#include <talus/engine/joints/joint.h>
#include <talus/result.h>

namespace talus {

Error check(const JointLimit& limit);
Error check(const JointMotor& motor);
Error check(const JointSpring& spring);
Error check(const JointDrive& drive);
Error check_cone(float cone);
Error check_break_limits(const char* force_name, float force, const char* torque_name, float torque);

/// Checks all numbers of a definition, which must not be valueless. Handles are left to the caller.
Error check(const JointDef& def);

}  // namespace talus
