#pragma once
/// How the lever arms and the normal of a contact move within a step.
///
/// A contact pushes along the same lever arms and normal in all sub-steps of a step, while the bodies move on. With those
/// of the start of the step, n sub-steps would multiply the energy of a body that swings on the contact at w rad/s by
/// 1 + (n - 1) / (2 n) (w dt)^2 per step: rocking bodies rock higher and higher. (One sub-step keeps the energy: that is
/// symplectic Euler.) So the solver takes those of the mean time of the sub-steps' starts, where the velocities of the
/// start of the step lead.
///
/// The lever to a corner rotates with its body. The lever to a round surface does not, because the body rolls. Let R be
/// the tensor of the radii of curvature (surface_curvature.h) where the shape touches, n its outward normal there, and t
/// the rotation of the body. Then its lever r changes by t x r + R (dn - t x n). Both shapes touch at one place, with
/// opposite normals, which gives dn. If one of them touches with a face, dn is the rotation of that face.
///
/// A hull or a solid that rolls over several of its facets in the step counts as round on a face. (If it were a corner,
/// the ground would push it from behind: a wheel of 512 facets gained speed.)
///
/// A contact whose shapes do not touch at the start, or hit each other there, keeps the levers of the start, and so does
/// one whose bodies rotate so far that it will be found again within the step. If the load would change the rotation of
/// a body by more than all of it, because the levers move, the step does not resolve the motion, and only a part of it
/// is followed. (If such levers stayed as they were, small ellipsoids would rock for ever.)

#include <talus/math.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/shape.h>
#include "engine/bodies/solver_body.h"

namespace talus {

namespace detail {
struct SurfaceFeatures;
}

/// In world axes, as rows of four floats, which the solver's kernel reads (ContactSource::lever_motion). A point at the
/// lever r_a from the centre of mass of A moves by turn x r_a + shift_a relative to that centre, and by turn x r_a +
/// shift_b relative to that of B.
struct LeverMotion {
    float turn[4];                 ///< rad
    float shift_a[4], shift_b[4];  ///< m
    float tilt[4];                 ///< change of the normal
};

/// One side of a contact.
struct LeverSide {
    const Shape& shape;
    const WorldTransform& pose;  ///< of the shape
    const dvec3& center;         ///< of mass of the body, m
    const StartVelocity& velocity;
    const SolverMass& mass;
    const detail::SurfaceFeatures* solid = nullptr;  ///< of a solid; its `shape` says nothing of it
};

/// The step of the solver.
struct LeverStep {
    float time = 0.0f;  ///< mean of the sub-steps' starts, s after the start of the step
    float substeps = 1.0f;
    float least_blow = 0.0f;  ///< as in ContactPassInput, m/s
};

/// Finds the motion of a contact's levers until `step.time`. `impulses`: those of the last sub-step, N s, one per point.
/// Returns false if they stay as they are; then `out` is not written.
bool find_lever_motion(const Manifold& manifold, const float* impulses, const LeverSide& a, const LeverSide& b,
                       const LeverStep& step, LeverMotion& out);

}  // namespace talus
