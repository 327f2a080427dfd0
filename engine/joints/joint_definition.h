#pragma once
/// Translates between definitions of all kinds and joints, which have six axes, a cone and a drive.

#include <talus/engine/joints/joint.h>
#include "engine/joints/joint_store.h"

namespace talus {

/// Returns the joint of a definition, which must not be valueless. Its bodies, frames and geared joints are not set.
Joint joint_of(const JointDef& def);

/// Returns the definition of a joint. `frames` are its bodies and frames, `geared` the joints of a gear.
JointDef definition_of(const Joint& joint, const JointFrames& frames, const JointId (&geared)[2]);

}  // namespace talus
