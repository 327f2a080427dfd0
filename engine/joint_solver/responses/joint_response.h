#pragma once
/// What impulses on one body do to all bodies that joints hold together with it, after the last pass of a step.
///
/// Continuous collision needs this for impacts within the step. Limits and drives that can give way are frozen: they act with
/// the impulses that they have.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// How a body moves by impulses through the joints that hold it, as the last pass left them: its velocity by an impulse at the
/// centre of mass and by a moment (N m s), and its angular velocity by a moment. Its angular velocity by an impulse is
/// transpose(by_moment) times the impulse.
struct JointResponse {
    dmat3 by_impulse{0.0}, by_moment{0.0}, angular_by_moment{0.0};
};

/// Freezes limits and capped drives. Returns false for a body without joints, or asleep.
bool begin_response(Articulations& s, std::uint32_t slot);

/// Returns the response of a body for which begin_response() has returned true.
JointResponse respond(Articulations& s, std::uint32_t slot);

/// Frees the limits that the body's articulation would pass within `time` seconds because of this impulse and moment. Returns
/// whether there is one.
bool meets_limits(Articulations& s, std::uint32_t slot, const dvec3& impulse, const dvec3& moment, double time);

/// Sets the velocities of the articulation to what an impulse and a moment on a link, at rest, make of them.
void respond_to_impulse(Articulations& s, std::uint32_t link, const dvec3& impulse, const dvec3& moment);

/// Sets the velocities of the body's articulation to those of the bodies, less what the locks of joints do not allow. Motors,
/// drives, springs and limits leave them as they are.
void project_locks(Articulations& s, std::uint32_t slot, const BodyStore& bodies);

}  // namespace talus
