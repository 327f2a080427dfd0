#pragma once
/// Angular momentum of islands that nothing bears: after each sub-step it is what it was before.
///
/// Contacts and joints act on their two bodies by opposite impulses at one place, which leaves both momenta of the two
/// as they are. The linear one stays exactly. The angular one does not, for the solver takes a shortcut: the levers of
/// a contact are those at which it was found. Two bodies that have passed each other by d since then, and exchange the
/// impulse P, get the angular momentum d x P from nowhere. Where bodies overlap, are pushed out of each other or slide
/// fast, that was up to 30% of theirs in a step. Inertia that has turned since, impulses that are scaled or taken back
/// (energy_bound.cpp, substep_contacts.cpp), and joints in a loop add to it.
///
/// So it is given back, at the end of each sub-step, to bodies that pushed each other in it, as a rotation of all of
/// them together as one rigid body. Of all changes of velocity that give the missing angular momentum this one has the
/// least energy, and contacts and joints do not feel it: relative velocities at a contact stay as they are. (Given back
/// to the two bodies of each contact by moments, it made them slide anew, and kept heaps awake.)
///
/// What the rotation adds to the energy comes out of the motion of the bodies against each other, so that nothing has
/// more than at the beginning of the sub-step or than the solver has left it.
///
/// Bodies have no angular momentum to keep where something that nothing pushes has pushed them in this step, or a joint
/// ties them to such a body. An island that bore on one at the end of the last step is not looked at, and neither is one
/// with locked axes. Where nothing is_unsupported, this costs a look at each body.

#include "engine/contact_solver/contact_solver.h"
#include "engine/sleeping/island_supports.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solver_bodies.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

/// Each step: find_islands(), and find_contacts() once the contact solver has its records. Each sub-step: note() and restore() of
/// each island, different islands on any thread. Nothing lives across frames but memory.
class IslandMomentum {
public:
    /// Lists the islands of two and more bodies that nothing bears, with the pairs of bodies that may push each other.
    void find_islands(const SolveInput& in, const IslandSupports& supports);
    /// Finds where in the solver the contacts of these islands are.
    void find_contacts(const SolveInput& in, const ContactSolver& solver);
    std::uint32_t island_count() const { return static_cast<std::uint32_t>(islands_.size()); }

    /// Once gravity and forces have acted: notes the momentum that the island should keep.
    void note(std::uint32_t island, const SolveInput& in, const SolverBodies& moving);
    /// At the end of the sub-step: gives the island the momentum that it should have.
    void restore(std::uint32_t island, const SolveInput& in, SolverBodies& moving, const ContactSolver& solver);

    std::size_t bytes() const;

private:
    struct Island {
        std::uint32_t first_body, body_count, first_link, link_count;
    };
    /// Sums over bodies that push each other in a sub-step.
    struct Sums {
        std::uint32_t count = 0;  ///< of the bodies; 1 if a fixed or kinematic body has pushed them, too
        bool changes = false;
        double mass = 0.0;  ///< kg
        double size = 0.0;  ///< sum of the absolute values of the bodies' angular momenta, N m s
        double energy_before = 0.0, energy = 0.0, energy_now = 0.0, shared = 0.0, kept = 1.0;
        glm::dvec3 center_before{0.0}, velocity_before{0.0}, center{0.0}, velocity{0.0};
        glm::dvec3 momentum{0.0};            ///< angular momentum about the centre of mass that it should have
        glm::dvec3 now{0.0};                 ///< angular momentum that it has
        glm::dvec3 added{0.0}, common{0.0};  ///< angular velocities, rad/s
        glm::dmat3 inertia{0.0};             ///< of all bodies together about their centre of mass, kg m^2
    };
    struct UnsupportedBody {
        std::uint32_t index = 0;   ///< solver index
        std::uint32_t parent = 0;  ///< in bodies_: towards the lowest of the bodies that push each other
        bool jointed = false;
        vec3 velocity{0.0f};  ///< this and the next: when gravity and forces had acted
        glm::dvec3 center{0.0}, spin_momentum{0.0};
        double energy = 0.0;
        Sums sums;  ///< of the bodies whose parent this is
    };
    /// Two bodies that a joint or a contact joins, or a body and one that nothing pushes.
    struct Link {
        std::uint32_t a, b;          ///< in bodies_; equal if one of the two cannot be pushed
        std::uint32_t edge;          ///< null_index for joints
        std::uint32_t record, lane;  ///< of the contact in the solver
        bool pushes;                 ///< it has pushed in this step, or is a joint
    };

    void note_pushes(const Island& island, const ContactSolver& solver);
    static glm::dvec3 spin_momentum(const SolveInput& in, const SolverBodies& moving, const UnsupportedBody& body,
                                    bool now);
    static double kinetic_energy(const SolveInput& in, const SolverBodies& moving, const UnsupportedBody& body);

    std::vector<Island> islands_;
    std::vector<UnsupportedBody> bodies_;
    std::vector<Link> links_;
    std::vector<std::uint32_t> island_of_root_, place_of_;  ///< by solver index; scratch
    std::vector<std::uint32_t> link_of_edge_;               ///< by edge; scratch
};

}  // namespace talus
