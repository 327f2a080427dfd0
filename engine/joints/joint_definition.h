#pragma once
/// Translates each kind of joint: every definition becomes a joint with six axes, a cone and a drive.

#include <talus/engine/joints/joint.h>
#include "engine/joints/joint_store.h"

namespace talus {

/// Returns the joint of a definition, which must not be valueless. Its bodies, frames and geared joints are not set.
Joint joint_of(const JointDef& def);

}  // namespace talus
