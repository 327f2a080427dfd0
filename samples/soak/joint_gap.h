#pragma once
/// How far a joint is open: by how much the bodies violate what the joint locks.

#include <talus/engine/world.h>

namespace talus::samples {

struct JointGap {
    double distance = 0.0;  ///< between the two frames along the directions that the joint locks, m
    double angle = 0.0;     ///< between the two frames about the axes that the joint locks, rad
};

/// Returns how far a joint is open; 0 for what it does not lock, and for gears. A rod that is too long or too short, and
/// a rope that is too long, are open by the difference. Limits that are not locks do not count, nor do rotations of a
/// six-dof joint whose swing may reach half a turn. 0 also if the frames are more than 2 m apart along an axis that is not
/// locked, because then the smallest rotation opens the joint. Not a number if a coordinate of the joint is not.
JointGap joint_gap(const World& world, JointId joint);

}  // namespace talus::samples
