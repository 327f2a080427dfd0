#pragma once
/// Contacts of bodies that turn far within a step, found anew in each sub-step.
///
/// The solver takes a contact's levers, and the inertia of its bodies, from the start of the step. That is as good as
/// the bodies turn little. A broomstick that lands at 5 m/s rolls off at 500 rad/s, 2 rad in a sub-step, and tumbles at
/// 10 rad/s: what were the lever and the inertia at its tip contradict each other after 0.01 rad. A tilt by d makes an
/// impulse at the lever l look as if it spun the stick about its own axis by l d / I, and I is a two-hundredth of what
/// it is across. Impulses that are worked out with one and take effect with the other raise the energy: such sticks
/// rose to 180 m. So when a body has turned farther than that bears (Body::stale_by_tilt, stale_by_spin), its contacts
/// are tested anew where it is by then, between the sub-step's motion and its relaxation, and written into the lanes
/// that they have: normal, levers, effective masses, friction; impulses go on by feature ids. Contact points of round
/// and of edged things are then where they are, whatever has turned.
///
///     solve -> integrate_positions -> [renew_contacts] -> relax -> restitution -> the next sub-step's warm start
///
/// Separations remain s0 + J q with q since the start of the step: s0 is what makes that true now.
///
/// Left as they are: contacts that a modifier has changed; those of bodies that joints hold, since joints solve such
/// contacts with levers of their own (contact_groups.h); and those of stiff groups (stiff_groups.h). Of a ton on a
/// pebble, two impulses that cancel along the old levers would throw the pebble off at hundreds of m/s along new ones.

#include <talus/narrowphase/collide.h>
#include "engine/contact_solver/contact_solver.h"
#include "engine/contacts/contact_world.h"
#include "engine/mesh_contacts/mesh_contacts.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solver_bodies.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SubstepContacts {
public:
    /// How many times less a body may turn than its shape alone allows; 0: its contacts are never found anew. A bounce gives back the
    /// energy that a lever arm makes which is slightly off.
    static float strictness(const SolverIndices& indices, std::uint32_t slot);

    /// In the stage `graph`: notes how far the surfaces of fast contacts may slide (Edge::slide_room). The edges are between
    /// body slots.
    void find_fast(const SolverIndices& indices, const BodyStore& bodies, const ContactTable& contacts,
                   std::span<ConstraintGraph::Edge> edges, float dt);
    /// Whether some contact may have to be found anew in this step.
    bool may_renew() const { return renews_; }

    struct Input {
        const ContactWorld& world;
        const SolveInput& solve;
        SolverBodies& moving;
        ContactSolver& solver;
        MeshContacts& mesh_contacts;
        CollideSettings collide;
        bool any_locked = false;  ///< some body of the world may have locked axes
    };
    /// Within a sub-step, on one thread. Returns the number of contacts that were found anew.
    std::uint32_t renew(const Input& in);
    /// After the solve: colliders are where they were before it, as the stages after it expect.
    void restore_colliders(const ContactWorld& world);

    std::size_t bytes() const;

private:
    struct FirstPose {
        std::uint32_t body, collider;
        Transform pose;
    };
    /// What is known of a contact before it is found anew.
    struct Before {
        Rung rung;
        std::uint16_t cost;
        Manifold manifold;
    };
    void find_fast_contacts(const SolverIndices& indices, const BodyStore& bodies, const ContactTable& contacts,
                            std::span<ConstraintGraph::Edge> edges, float dt);
    void move_colliders(const Input& in, std::uint32_t slot);
    void list_stale(const Input& in);
    void list_struck_aside(const Input& in);
    void update_sides(const Input& in);
    void collide_again(const Input& in);

    bool renews_ = false;
    bool any_fast_ = false;                             ///< some edge has a slide_room
    std::uint32_t renewal_ = 0;                         ///< counts the calls that found something to renew
    std::vector<std::uint8_t> far_movers_;              ///< by body slot
    std::vector<std::uint32_t> moved_at_, renewed_at_;  ///< by body slot and by contact: the last renewal with it
    std::vector<std::uint32_t> stale_;                  ///< solver indices
    std::vector<ContactSolver::Renewed> renewed_;
    std::vector<std::uint32_t> to_collide_, struck_aside_;  ///< contacts
    std::vector<FirstPose> first_poses_;                    ///< of colliders that were moved, at the start of the step
    std::vector<Before> before_;                            ///< parallel to to_collide_
    CollideScratch scratch_;
};

}  // namespace talus
