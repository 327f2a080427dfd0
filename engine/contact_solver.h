#pragma once
/// Contact constraints, four manifolds wide.
///
/// Sequential impulses with sub-steps and soft contacts (Catto 2014, "Soft Constraints"; 2024, "Solver2D"). For each point
///
///     velocity constraint   J v = n . (v_b + w_b x r_b - v_a - w_a x r_a)   >=  0
///     position              s   = s0 + J q,   q = displacement and turn since the start of the step
///
/// The position is linear in the motion of the step, with the very Jacobian that the velocity uses: no anchor has to
/// be rotated, and a rolling sphere, whose anchor lies on the normal, keeps its separation exactly.
///
/// One sub-step:  warm_start -> solve (normal, soft: overlap is a damped spring) -> [positions] -> relax (normal again, rigid,
/// then friction and twist: takes out the velocity that the spring put in) -> restitution.
/// Friction acts at the manifold's centre as a true cone in the tangent plane, with a twist row about the normal; it is solved
/// in the relax pass only, where the spring cannot pump it.
///
/// Records are laid out for these loops: every field holds one float for each of the lanes, points of a record follow
/// each other, records of a colour follow each other. Unused lanes point at body 0 and have zero masses.

#include <talus/engine/constraint_graph.h>
#include <talus/engine/contact_table.h>
#include <talus/engine/solver_body.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

template <class F>
struct ContactPointLanes {
    Vec3Lanes<F> angular_a, angular_b;  ///< r x n of each body, m
    Vec3Lanes<F> turn_a, turn_b;        ///< inverse inertia times the above: angular velocity a unit impulse adds, 1/(kg m)
    F separation;                       ///< at the start of the step, m
    F mass;                             ///< 1 / (J M^-1 J^T), kg; 0 in unused lanes
    F impulse;                          ///< accumulated in this sub-step, N s
    F step_impulse;                     ///< summed over the sub-steps, N s
    F arm;                              ///< lever of its friction against twist: distance from the manifold's centre plus the patch's, m
};

template <class F>
struct ContactLanes {
    std::uint32_t a[lane_count<F>], b[lane_count<F>];  ///< solver bodies
    std::uint32_t contact[lane_count<F>];              ///< contact slots, null_index in unused lanes
    std::uint32_t first_point, point_count;            ///< the most points of any lane
    bool soft_pair;      ///< both bodies can be pushed
    bool bounces;        ///< some lane has restitution
    Vec3Lanes<F> normal;
    Vec3Lanes<F> tangent;            ///< the second tangent is normal x tangent
    Vec3Lanes<F> center_a, center_b; ///< from the centres of mass to the manifold's centre, m
    F turns_with_a, turns_with_b;    ///< 1 where that body's face makes the contact, else 0
    SymmetricLanes<F> inertia_a, inertia_b;  ///< inverse, world, 1/(kg m^2)
    F inverse_mass_a, inverse_mass_b;
    F slop;                          ///< overlap left alone, m
    F friction;
    F friction_mass_11, friction_mass_12, friction_mass_22;  ///< inverse of the 2x2 tangent mass matrix, kg
    F slide_mass;                    ///< least effective mass along any tangent, kg
    F friction_1, friction_2;        ///< accumulated impulse along the tangents, N s
    F step_friction_1, step_friction_2;  ///< summed over the sub-steps, N s
    F twist_mass, twist;             ///< kg m^2, N m s
    F restitution;
    F gravity;                       ///< relative acceleration along the normal from gravity, m/s^2
};

/// What the solver needs to know of a body that does not change within a step.
struct SolverMass {
    float inverse_mass = 0.0f;
    float inverse_inertia[6] = {};  ///< world: xx, yy, zz, xy, xz, yz
    vec3 center{0.0f};              ///< world, at the start of the step
    vec3 gravity{0.0f};             ///< its gravitational acceleration; zero unless dynamic
};

class ContactSolver {
public:
    struct Softness {
        float bias_rate, mass_scale, impulse_scale;
    };

    /// Fills the records from the contacts' manifolds, in the graph's order. `poses` are the colliders'.
    void prepare(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges, ContactTable& contacts,
                 const Colliders& colliders, std::span<const SolverMass> masses, float substep);

    void warm_start(std::span<SolverBody> bodies);
    void solve(std::span<SolverBody> bodies);
    void relax(std::span<SolverBody> bodies);

    /// Bounces: `begin_restitution` notes approach speeds before the sub-step's impulses, `end_restitution` turns the velocity
    /// of points that were hit.
    void begin_restitution(std::span<const SolverBody> bodies);
    void end_restitution(std::span<SolverBody> bodies);

    /// Writes impulses back to the contacts.
    void store(ContactTable& contacts) const;

    float max_penetration() const { return max_penetration_; }
    float mean_penetration() const { return mean_penetration_; }
    std::uint32_t point_count() const { return real_points_; }
    std::size_t bytes() const;

private:
    using F = Float4;
    std::vector<ContactLanes<F>> records_;
    std::vector<ContactPointLanes<F>> points_;
    std::vector<F> bounce_speed_;  ///< by point: speed after a bounce at s = 0, m/s; 0 if it shall not bounce
    float inverse_substep_ = 0.0f, substep_ = 0.0f;
    Softness soft_{}, soft_immovable_{};
    bool any_bounce_ = false;
    float max_penetration_ = 0.0f, mean_penetration_ = 0.0f;
    std::uint32_t real_points_ = 0;
};

}  // namespace talus
