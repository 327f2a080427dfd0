#pragma once
/// Conserves the angular momentum of unsupported islands: at the end of each sub-step it is restored.
///
/// Contacts and joints act on two bodies with opposite impulses at one point, which changes neither the total momentum
/// nor the total angular momentum. In the solver, the momentum is exact. The angular momentum is not, because the lever
/// arms of a contact are those of the time when it was tested. If two bodies have passed each other by d since then and
/// exchange the impulse P, they get the angular momentum d x P from nowhere. For bodies that overlap, are pushed apart
/// or slide fast, that was up to 30% of their angular momentum in a step. Three other errors add to it: inertia tensors
/// that have rotated since, impulses that are scaled or taken back (energy_bound.h, substep_contacts.h), and loops
/// of joints.
///
/// So the missing angular momentum is given back at the end of each sub-step. The bodies that have pushed each other
/// get an additional rotation, all of them together like one rigid body. This is the change of velocities with the
/// least energy. It does not disturb contacts and joints, because relative velocities at contacts stay the same. (When
/// moments on the two bodies of each contact gave it back, they started to slide, which kept heaps awake.)
///
/// The energy of the additional rotation is taken from the relative motion of the bodies. So their energy is at most
/// what it was at the beginning of the sub-step, or what the solver has left, whichever is more.
///
/// Angular momentum is not conserved if a fixed or kinematic body has pushed the bodies in this step, or has a joint
/// with them. Islands that such a body pushed at the end of the last step are not examined, and neither are islands
/// with locked axes. If there is no unsupported island, this costs one test per body.

#include "engine/contact_solver/contact_solver.h"
#include "engine/sleeping/island_supports.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solver_bodies.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

/// Each step: find_islands(), then find_contacts() when the contact solver has its records. Each sub-step: note() and
/// restore() for each island; different islands may be on different threads. Nothing but memory is kept across frames.
class IslandMomentum {
public:
    /// Lists the unsupported islands of at least two bodies, and their pairs of bodies that may push each other.
    void find_islands(const SolveInput& in, const IslandSupports& supports);
    /// Finds the records and lanes of these islands' contacts in the contact solver.
    void find_contacts(const SolveInput& in, const ContactSolver& solver);
    std::uint32_t island_count() const { return static_cast<std::uint32_t>(islands_.size()); }

    /// Notes the momentum that the island should keep. Called after gravity and forces were applied.
    void note(std::uint32_t island, const SolveInput& in, const SolverBodies& moving);
    /// Restores the island's angular momentum. Called at the end of the sub-step.
    void restore(std::uint32_t island, const SolveInput& in, SolverBodies& moving, const ContactSolver& solver);

    std::size_t bytes() const;

private:
    struct Island {
        std::uint32_t first_body, body_count, first_link, link_count;
    };
    /// Sums over a group of bodies that have pushed each other in this step.
    struct Sums {
        std::uint32_t count = 0;  ///< number of bodies; 1 if a fixed or kinematic body has pushed one of them, too
        bool changes = false;     ///< the velocities must be corrected
        double mass = 0.0;        ///< kg
        double size = 0.0;        ///< sum of the absolute values of the bodies' angular momenta, N m s
        /// Kinetic energies, J: at note(), as the solver has left it, with the additional rotation, and of the motion
        /// as one rigid body.
        double energy_before = 0.0, energy = 0.0, energy_now = 0.0, shared = 0.0;
        double kept = 1.0;  ///< factor by which velocities relative to the rigid motion are scaled
        glm::dvec3 center_before{0.0}, velocity_before{0.0}, center{0.0}, velocity{0.0};
        glm::dvec3 momentum{0.0};            ///< angular momentum about the centre of mass that it should have
        glm::dvec3 now{0.0};                 ///< angular momentum that it has
        glm::dvec3 added{0.0}, common{0.0};  ///< the additional rotation, and the rotation as one rigid body, rad/s
        glm::dmat3 inertia{0.0};             ///< of all bodies together about their centre of mass, kg m^2
    };
    struct UnsupportedBody {
        std::uint32_t index = 0;   ///< solver index
        std::uint32_t parent = 0;  ///< index in bodies_, towards the lowest body of its group
        bool jointed = false;
        vec3 velocity{0.0f};  ///< this and the next three: at note()
        glm::dvec3 center{0.0}, spin_momentum{0.0};
        double energy = 0.0;
        Sums sums;  ///< of the group whose lowest body this is
    };
    /// A contact or joint between two bodies of the island, or a contact of one with a fixed or kinematic body.
    struct Link {
        std::uint32_t a, b;          ///< indices in bodies_; equal if the other body is fixed or kinematic
        std::uint32_t edge;          ///< null_index for joints
        std::uint32_t record, lane;  ///< position of the contact in the solver
        bool pushes;                 ///< the contact has pushed in this step, or the link is a joint
    };

    struct Restoring;
    glm::dvec3 center_of(const Island& island, const SolveInput& in, const SolverBodies& moving,
                         const UnsupportedBody& body) const;
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
