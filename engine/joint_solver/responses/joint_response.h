#pragma once
/// The effect of impulses on one body on all bodies that joints connect with it, after the last pass of a step.
///
/// Continuous collision needs this for impacts within the step. Limits and drives that can give way are frozen: they
/// act with their present impulses.

#include "engine/joint_solver/articulations.h"

namespace talus {

/// The response of a body through its joints, as the last pass left them: its velocity by an impulse at the centre of
/// mass and by a moment (N m s), and its angular velocity by a moment. Its angular velocity by an impulse is
/// transpose(by_moment) times the impulse.
struct JointResponse {
    dmat3 by_impulse{0.0}, by_moment{0.0}, angular_by_moment{0.0};
};

/// Freezes limits and capped drives. Returns false if the body has no joints or is asleep.
bool begin_response(Articulations& s, std::uint32_t slot);

/// Returns the response of a body for which begin_response() has returned true.
JointResponse respond(Articulations& s, std::uint32_t slot);

/// Frees the limits that this impulse and moment would make the body's articulation pass within `time` seconds. Returns
/// whether there is one.
bool meets_limits(Articulations& s, std::uint32_t slot, const dvec3& impulse, const dvec3& moment, double time);

/// Sets the velocities of the articulation to those that an impulse and a moment on a link give it at rest.
void respond_to_impulse(Articulations& s, std::uint32_t link, const dvec3& impulse, const dvec3& moment);

/// Sets the velocities of the body's articulation to those of the bodies, without the parts that the locks of joints do
/// not allow. Motors, drives, springs and limits have no effect.
void project_locks(Articulations& s, std::uint32_t slot, const BodyStore& bodies);

}  // namespace talus
