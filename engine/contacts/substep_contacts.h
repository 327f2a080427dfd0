#pragma once
/// Renews contacts within a step: tests the contacts of bodies that rotate far again in a sub-step.
///
/// The solver takes a contact's lever arms, and the inertia of its bodies, from the start of the step. That is accurate
/// only as long as the bodies rotate little. A broomstick that lands at 5 m/s rolls off at 500 rad/s, that is 2 rad per
/// sub-step, and tumbles at 10 rad/s. After 0.01 rad of tumbling, its lever arm and its inertia at the tip contradict
/// each other: if the stick has tilted by d, an impulse at the lever arm l seems to spin it about its own axis by l d /
/// I, and I is 200 times smaller about that axis than across it. Impulses that are computed with one of the two and
/// applied with the other raise the energy: such sticks rose to 180 m. So when a body has rotated farther than its
/// shape allows (Body::stale_by_tilt, stale_by_spin), its contacts are *stale*. They are tested again at the body's
/// present pose, after the poses were integrated and before the relaxation. The results (normal, lever arms, effective
/// masses, friction) are written into the same lanes; impulses carry over by feature ids. Contacts that are struck
/// after their surfaces have slid far along each other are renewed, too.
///
///     solve -> integrate_positions -> [renew_contacts] -> relax -> restitution -> the next sub-step's warm start
///
/// The separation of a point is still s0 + J q, with q the motion since the start of the step: s0 is set so that this
/// gives the separation that was found now.
///
/// The patches of two solids (solid_contacts.h) are found again together. The pair keeps its contacts, because no lanes are
/// added within a step: a new patch takes the contact of a patch that has lost its points.
///
/// Three kinds of contacts are not renewed: contacts that a modifier has changed; contacts of bodies with joints,
/// because joints solve such contacts with lever arms of their own (contact_groups.h); and contacts of stiff groups
/// (stiff_groups.h). If a ton rests on a pebble, two impulses that cancel along the old lever arms would throw the
/// pebble off at hundreds of m/s along new ones.

#include <talus/narrowphase/collide.h>
#include "engine/contact_solver/contact_solver.h"
#include "engine/contacts/contact_world.h"
#include "engine/mesh_contacts/mesh_contacts.h"
#include "engine/mesh_contacts/solid_contacts.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solver_bodies.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SubstepContacts {
public:
    /// Returns by which factor a body may rotate less than its shape alone allows before its contacts are stale; 0 if
    /// they never are. The factor is larger for bodies that bounce, because restitution returns the energy that a
    /// slightly wrong lever arm creates.
    static float strictness(const SolverIndices& indices, std::uint32_t slot);

    /// Notes how far the surfaces of fast contacts may slide before these are stale (Edge::slide_limit). Called in the
    /// stage `graph`, while the edges are still between body slots.
    void find_fast(const SolverIndices& indices, const BodyStore& bodies, const ContactTable& contacts,
                   std::span<ConstraintGraph::Edge> edges, float dt);
    /// Returns whether some contact may become stale in this step.
    bool may_renew() const { return renews_; }

    struct Input {
        const ContactWorld& world;
        const SolveInput& solve;
        SolverBodies& moving;
        ContactSolver& solver;
        MeshContacts& mesh_contacts;
        SolidContacts& solid_contacts;
        CollideSettings collide;
        bool any_locked = false;  ///< some body of the world may have locked axes
    };
    // Renewing the stale contacts, within a sub-step: these passes, in order. Some may run on many threads: they do the
    // parts `first` up to `last` of `renewal_parts`. The others have one part.
    static constexpr std::uint32_t renewal_parts = 64;
    using Pass = void (SubstepContacts::*)(const Input& in, std::uint32_t first, std::uint32_t last);
    void find_sliding(const Input& in, std::uint32_t first, std::uint32_t last);  ///< in parts
    /// Lists the stale contacts and moves the colliders that they need.
    void list(const Input& in, std::uint32_t, std::uint32_t);
    void collide_again(const Input& in, std::uint32_t first, std::uint32_t last);  ///< in parts
    /// Finds out which shapes have separated; their contacts keep the old manifold for the reports.
    void take_results(const Input& in, std::uint32_t, std::uint32_t);
    void write(const Input& in, std::uint32_t first, std::uint32_t last);  ///< in parts: manifolds -> lanes
    /// Undoes the impulses of this sub-step that bounces will give again (ContactSolver::TakenBack).
    void take_back_impulses(const Input& in, std::uint32_t, std::uint32_t);
    /// Returns how many contacts the last renewal has renewed.
    std::uint32_t renewed_count() const { return static_cast<std::uint32_t>(renewed_.size()); }
    /// Moves colliders back to their poses before the solve, which later stages expect. Called after the solve.
    void restore_colliders(const ContactWorld& world);

    std::size_t bytes() const;

private:
    struct FirstPose {
        std::uint32_t body, collider;
        WorldTransform pose;
    };
    /// A contact's result before it is tested again.
    struct Before {
        Rung rung;
        std::uint16_t cost;
        Manifold manifold;
    };
    void find_fast_contacts(const SolverIndices& indices, const BodyStore& bodies, const ContactTable& contacts,
                            std::span<ConstraintGraph::Edge> edges, float dt);
    void move_colliders(const Input& in, std::uint32_t slot);
    static bool keeps_points(const Input& in, std::uint32_t contact);
    void list_contact(const Input& in, std::uint32_t contact, bool alone);
    void take_result(const Input& in, std::uint32_t c, const Manifold& before, std::size_t& at);
    void list_stale(const Input& in);
    void list_struck_after_sliding(const Input& in);
    void update_sides(const Input& in);
    static ContactSolver::Input solver_input(const Input& in);

    bool renews_ = false;
    bool any_fast_ = false;      ///< some edge has a slide_limit
    std::uint32_t renewal_ = 0;  ///< number of the last call of renew() with a stale contact
    /// By body slot: 1 if may_move_far(), if may_turn_far().
    std::vector<std::uint8_t> far_movers_, far_turners_;
    std::vector<std::uint32_t> moved_at_, renewed_at_;  ///< by body slot, by contact: the last renewal that included it
    std::vector<std::uint32_t> stale_;                  ///< solver indices
    std::vector<ContactSolver::Renewed> renewed_;
    std::vector<std::uint32_t> to_collide_, struck_after_sliding_;  ///< contacts
    std::vector<SolidContacts::Task> to_find_;                      ///< pairs of solids
    std::vector<std::uint32_t> patches_;                            ///< contacts of these
    std::vector<std::uint32_t> found_at_;   ///< by mesh contact: the last renewal that had it in to_find_
    std::vector<FirstPose> first_poses_;    ///< poses that moved colliders had at the start of the step
    std::vector<Before> before_;            ///< parallel to to_collide_
    std::vector<Manifold> patches_before_;  ///< parallel to patches_
    std::vector<CollideScratch> scratch_;   ///< by part: that of the parts from this one on that are done together
};

}  // namespace talus
