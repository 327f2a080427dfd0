#pragma once
/// Contact constraints in the layout that the solver's loops read. Each field holds one float per lane, that is, per
/// contact. The points of a record are stored one after the other, and so are the records of a colour. Plain data:
/// solver_kernel.h says why.

#include "common/lanes/lanes.h"

namespace talus {

template <class F>
struct ContactPointLanes {
    Vec3Lanes<F> angular_a, angular_b;  ///< r x n of each body, m
    /// Inverse inertia times r x n: the angular velocity that a unit impulse adds, 1/(kg m).
    Vec3Lanes<F> turn_a, turn_b;
    F separation;    ///< at the start of the step, m
    F mass;          ///< 1 / (J M^-1 J^T), kg; 0 in unused lanes
    F impulse;       ///< accumulated in this sub-step, N s
    F step_impulse;  ///< summed over the sub-steps, N s
    /// Lever of the point's friction against twist, m: its distance from the manifold's centre plus the radius of the
    /// contact disc.
    F arm;
    /// If positive, the speed after a bounce at s = 0, m/s. Otherwise minus the load that rests on the point, N s
    /// (begin_restitution, note_blows).
    F bounce;
};

/// Further data of contacts with special surfaces: surfaces with rolling resistance, with friction that depends on the
/// direction, or with a velocity of their own (belts).
template <class F>
struct SurfaceLanes {
    /// Velocity of B's surface minus that of A's, in addition to the bodies' velocities, world, m/s.
    Vec3Lanes<F> velocity;
    F grip_1, grip_2;                ///< friction along each tangent over the greatest friction, 0 to 1
    F rolling_arm;                   ///< limit of the rolling moment over the normal impulse, m
    Vec3Lanes<F> rolling;            ///< accumulated moment about the tangents, world, N m s
    SymmetricLanes<F> rolling_mass;  ///< inverse of the sum of the inverse inertias, kg m^2
};

template <class F>
struct ContactLanes {
    unsigned a[lane_count<F>], b[lane_count<F>];  ///< solver bodies, 0 in unused lanes
    unsigned contact[lane_count<F>];              ///< contact slots
    unsigned used;                                ///< number of lanes in use, from lane 0 on
    unsigned first_point, point_count;            ///< `point_count` is the largest of all lanes
    unsigned surface;                             ///< index of the SurfaceLanes, or no_surface
    bool pushes_a, pushes_b;                      ///< bodies a, b have an inverse mass; the same in all lanes
    bool moves_a, moves_b;                        ///< in some lane, body a or b is not body 0 and may have a velocity
    bool bounces;                                 ///< some lane has restitution
    bool forgets;                                 ///< in some lane, `kept` is 0
    bool struck;                                  ///< some lane was struck in this sub-step
    bool tilts;                                   ///< some lane has a tilt_rate
    bool slides;                                  ///< some lane has a slide_limit; otherwise that field is not set
    Vec3Lanes<F> normal;
    Vec3Lanes<F> tangent;                    ///< the second tangent is normal x tangent
    Vec3Lanes<F> center_a, center_b;         ///< from the centres of mass to the manifold's centre, m
    SymmetricLanes<F> inertia_a, inertia_b;  ///< inverse, world, 1/(kg m^2)
    Vec3Lanes<F> inverse_mass_a, inverse_mass_b;
    F slop;  ///< overlap that is not removed, m
    // The spring of a soft contact:
    //     bias velocity = bias_rate * s, effective mass * mass_scale, accumulated impulse * impulse_scale
    F bias_rate, mass_scale, impulse_scale;
    /// 1, or 0 if the next sub-step must not be warm started with these impulses, because their levers have changed
    /// since. Example: between a floor and a ton, a stick of 100 g gets two impulses of 500 N s that cancel. Along
    /// levers that are 1 mm off they would give it 100,000 rad/s.
    F kept;
    F stiffer_from;  ///< depth above which the spring is stiffer, m
    F stiffer_face;  ///< the same if four points are all pressed; set if tilt_rate is
    F tilt_rate;     ///< largest addition to bias_rate for the overlap of a point beyond the mean, 1/s
    F slide_limit;   ///< tangential displacement of its surfaces after which the contact is tested again, m; 0: none
    F friction;
    F friction_mass_11, friction_mass_12, friction_mass_22;  ///< inverse of the 2x2 tangent mass matrix, kg
    F slide_mass;                                            ///< least effective mass along any tangent, kg
    F twist_slip_1, twist_slip_2;                            ///< slip that a unit twist impulse adds, 1/(kg m)
    F friction_1, friction_2;                                ///< accumulated impulses along the tangents, N s
    F step_friction_1, step_friction_2;                      ///< summed over the sub-steps, N s
    F twist_mass, twist;  ///< effective mass and accumulated impulse of the twist row, kg m^2 and N m s
    F restitution;
    F gravity;  ///< relative acceleration by gravity along the normal, m/s^2
};

inline constexpr unsigned no_surface = ~0u;

}  // namespace talus
