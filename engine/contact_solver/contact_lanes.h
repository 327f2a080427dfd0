#pragma once
/// Contact constraints as the solver's loops read them: every field holds one float for each of the lanes, points of a
/// record follow each other, records of a colour follow each other. Plain data: see solver_kernel.h.

#include "common/lanes.h"

namespace talus {

template <class F>
struct ContactPointLanes {
    Vec3Lanes<F> angular_a, angular_b;  ///< r x n of each body, m
    Vec3Lanes<F> turn_a, turn_b;  ///< inverse inertia times the above: angular velocity a unit impulse adds, 1/(kg m)
    F separation;                 ///< at the start of the step, m
    F mass;                       ///< 1 / (J M^-1 J^T), kg; 0 in unused lanes
    F impulse;                    ///< accumulated in this sub-step, N s
    F step_impulse;               ///< summed over the sub-steps, N s
    F arm;     ///< lever of its friction against twist: distance from the manifold's centre plus the patch's, m
    F bounce;  ///< > 0: speed after a bounce at s = 0, m/s; else minus the load that rests on it, N s (begin_restitution,
               ///< note_blows)
};

/// Of surfaces that are more than rough: rolling resistance, friction that differs with the direction, and surfaces
/// that run.
template <class F>
struct SurfaceLanes {
    Vec3Lanes<F> velocity;           ///< of B's surface against A's, beyond that of the bodies, world, m/s
    F grip_1, grip_2;                ///< friction along the tangents over the greatest, 0 to 1
    F rolling_arm;                   ///< limit of the rolling moment over the normal impulse, m
    Vec3Lanes<F> rolling;            ///< accumulated moment about the tangents, world, N m s
    SymmetricLanes<F> rolling_mass;  ///< inverse of the sum of the inverse inertias, kg m^2
};

template <class F>
struct ContactLanes {
    unsigned a[lane_count<F>], b[lane_count<F>];  ///< solver bodies, 0 in unused lanes
    unsigned contact[lane_count<F>];              ///< contact slots
    unsigned used;                                ///< lanes from 0 on
    unsigned first_point, point_count;            ///< the most points of any lane
    unsigned surface;                             ///< of SurfaceLanes, or no_surface
    bool pushes_a, pushes_b;                      ///< bodies a, b have inverse mass; the same in all lanes
    bool moves_a, moves_b;                        ///< some body a, b may have a velocity: it is not body 0
    bool bounces;                                 ///< some lane has restitution
    bool forgets;                                 ///< some lane keeps no impulses
    bool struck;                                  ///< some lane took a blow in this sub-step
    bool tilts;                                   ///< some lane has a tilt_rate
    bool slides;                                  ///< some lane has a slide_limit; only then that field is set
    Vec3Lanes<F> normal;
    Vec3Lanes<F> tangent;                    ///< the second tangent is normal x tangent
    Vec3Lanes<F> center_a, center_b;         ///< from the centres of mass to the manifold's centre, m
    F turns_with_a, turns_with_b;            ///< 1 where that body's face makes the contact, else 0
    SymmetricLanes<F> inertia_a, inertia_b;  ///< inverse, world, 1/(kg m^2)
    Vec3Lanes<F> inverse_mass_a, inverse_mass_b;
    F slop;  ///< overlap left alone, m
    // A soft contact's spring: bias velocity = bias_rate * s, effective mass * mass_scale, accumulated impulse *
    // impulse_scale.
    F bias_rate, mass_scale, impulse_scale;
    /// 1, or 0 where impulses are not to be warm started with: they belong to levers that have changed since. Between a
    /// floor and a ton, a stick of 100 g gets two impulses of 500 N s that cancel; along levers that are 1 mm off they would
    /// give it 100,000 rad/s.
    F kept;
    F stiffer_from;  ///< depth from which on the spring is stiffer, m
    F stiffer_face;  ///< ... where four points are all pressed; set where tilt_rate is
    F tilt_rate;     ///< most that is added to bias_rate for what a point overlaps more than the mean, 1/s
    F slide_limit;   ///< way of its surfaces along each other that makes it stale, m; 0: whatever the way
    F friction;
    F friction_mass_11, friction_mass_12, friction_mass_22;  ///< inverse of the 2x2 tangent mass matrix, kg
    F slide_mass;                                            ///< least effective mass along any tangent, kg
    F twist_slip_1, twist_slip_2;                            ///< slip that a unit twist adds, 1/(kg m)
    F friction_1, friction_2;                                ///< impulse along the tangents to start from, N s
    F step_friction_1, step_friction_2;                      ///< summed over the sub-steps, N s
    F twist_mass, twist;                                     ///< kg m^2, N m s
    F restitution;
    F gravity;  ///< relative acceleration along the normal from gravity, m/s^2
};

inline constexpr unsigned no_surface = ~0u;

}  // namespace talus
