#pragma once
/// Implicit integration of links that swing too fast for a sub-step.
///
/// A link under tension is a pendulum in its joints, and the faster the harder they pull: a light link that carries a
/// heavy load swings a thousand times per second. If such a swing is too fast for the sub-step, it is integrated
/// implicitly:
///
///     (I + h^2 K) dw = -h^2 K w        K: stiffness against rotation (Tournier et al. 2015: geometric stiffness)
///
/// Then the swing is damped, and impulses meet more inertia. Every motion that joints allow consists of rotations, so a
/// bound on the frequency of each link bounds the frequency of the whole.
///
/// A link may also rotate without swinging: a light rod rotates together with the heavy bob that it carries. With its
/// whole angular velocity damped, such a pendulum lost 44% of its energy in 10 s, as with implicit Euler. More inertia
/// alone removes no energy, and bounds the frequency too. Only the swing must be damped, which changes its direction
/// every few sub-steps: the difference from the mean angular velocity of the last sub-steps. More than the swing is
/// damped only if the link rotates so fast that a sub-step cannot follow its rotation either (begin_solve() in
/// joint_passes.cpp).
///
/// Whether a link swings too fast depends on the inertia that it swings with. Between other links it may rotate about its
/// own centre. But a link that a joint holds at a point of a fixed or kinematic body, its *pivot*, takes its centre
/// along: it has the inertia about that point. (Without this, a ball on an arm of ten times its radius was damped from 10
/// rad/s on, and a motor could not turn it any faster.)

#include "engine/joint_solver/articulations.h"

namespace talus {

/// Finds the links that swing too fast, sets their `swing_damping`, and reduces their `inverse_inertia`. The poses of
/// links and joints must be up to date.
void integrate_implicitly(Articulations& s, Articulation& a);

}  // namespace talus
