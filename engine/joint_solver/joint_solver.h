#pragma once
/// Joint constraints: a direct solve for each articulation.
///
/// An *articulation* is a set of bodies that joints connect: dynamic bodies, and the fixed and kinematic bodies to
/// which they are attached. No two articulations share a dynamic body. So they can be solved at the same time and in
/// any order, with the same result.
///
/// One sub-step consists of solve, an update of the positions, and relax. This is RATTLE (Andersen 1983), which is
/// symplectic: a pendulum neither gains nor loses energy. Let J be the Jacobian of all rows at the sub-step's start, M
/// the masses, C the position errors and h the sub-step. Then
///
///     solve:  finds impulses l for which the positions at the end of the sub-step, predicted like the integrator does,
///             obey the constraints: (J M^-1 J^T) dl = -(J v + C(q) / h),
///             then Newton's method with the same matrix: dl from -C(q + h v) / h
///     relax:  at the new positions, J v = 0: removes the velocities that position errors have caused.
///
/// Contacts are solved after joints in both passes. In the opposite order, ragdolls that fall on stairs sink in by 107
/// mm instead of 4. If contacts and joints would disagree by metres per second, contacts are solved through the joints
/// (contacts/contact_groups.h).
///
/// This was compared with sequential impulses: a chain of 100 links of 20 cm, at whose end a weight of 1,000 links
/// swings, at 60 Hz. The table gives the stretch after 15 s and the time per step on one core, with both solvers in
/// their first form (the direct solve now takes a fifth less):
///
///     sub-steps                                            4                16               64
///     sequential impulses, one block per joint, warm      9.7 x, 1.0 ms     2.4 x, 2.6 ms    3.4 x, 14 ms
///         (with a weight of 1 link                        5.6 x             1.5 x            none)
///     this solver                                         < 1e-6, 0.6 ms    < 1e-6, 2.3 ms   < 1e-6, 17 ms
///
/// A direct solve alone is not enough for light links under a heavy load. They swing in their joints faster than a
/// sub-step can follow, and with a weight of 1,000 links the chain explodes. Such swings are integrated implicitly
/// (rows/implicit_rotation.h), only where and as far as necessary; nothing else is damped.
///
/// Rows of a joint: locks are two-sided and rigid. Springs are soft and implicit, with the frequency and damping ratio
/// of the joint itself. Limits and motors have bounds; an active set decides which of them take part in the direct
/// solve (passes/active_rows.h).
///
/// The matrix is sparse: two joints have a common entry only if they share a body. BlockLdl eliminates chains and trees
/// in linear time, and loops (closed chains, bridges, a door on two hinges) with little fill. Redundant rows, as of
/// that door, get a little slack, and the relax pass gives the smallest impulses that satisfy them.
/// passes/redundant_rows.h says how they are kept from creating energy.
///
/// The parts:
///
///     articulations.h     the data that all parts work on
///     joint_topology.h    which joints belong together; the pattern of the matrix
///     rows/               which rows a joint has, and their numbers at the present poses
///     matrix/             the sparse matrix, its factorisation, and the loops that are compiled for AVX2, too
///     passes/             the two passes, and the bounds on energy and momentum
///     batches/            the same passes for articulations of equal layout, side by side
///     contacts/           contacts of bodies with joints
///     responses/          impacts and closing of joints at the end of a step
///
/// Input: the joints, the bodies and their solver bodies, in prepare(). Each pass reads and writes the velocities of
/// the solver bodies. Output: those velocities; store() also writes forces, angles and the state for the next step to
/// the JointStore. Kept across steps: the topology, until joints or types of bodies change; the rows, until a definition
/// or the length of a sub-step changes; and the number of failed attempts to close each articulation. All other state that continues from step to step is in the JointStore.

#include <talus/engine/profile.h>
#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/articulations.h"
#include "engine/joint_solver/body_rows.h"
#include "engine/joint_solver/contacts/contact_groups.h"
#include "engine/joint_solver/joint_motions.h"
#include "engine/joint_solver/joint_topology.h"
#include "engine/joint_solver/responses/joint_closing.h"
#include "engine/joint_solver/responses/joint_response.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/islands.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class JointSolver {
public:
    using Response = JointResponse;
    using ClosingPlane = talus::ClosingPlane;

    struct Options {
        Timing timing = Timing::off;  ///< how much is timed for profile()
        bool batches = true;          ///< whether articulations of equal layout are solved side by side
        Jobs jobs;                    ///< runs prepare(); up to jobs.threads parts of a pass may run at the same time
    };

    explicit JointSolver(const JointKernel& kernel) : s_(kernel) {}
    JointSolver(const JointSolver&) = default;
    /// If both have the same articulations, as a world and its copy usually do, this takes over only what they keep from
    /// step to step. Rows that fit the joints of `other` no longer are made anew in the next step.
    JointSolver& operator=(const JointSolver& other);

    /// Finds the articulations with an awake body and prepares their rows. `solver_index` is indexed by body slot.
    /// `substep` is in seconds.
    void prepare(const JointStore& joints, const BodyStore& bodies, std::span<const std::uint32_t> solver_index,
                 std::span<const SolverMass> masses, const JointMotions& motions, float substep,
                 const Options& options);

    std::uint32_t articulation_count() const { return static_cast<std::uint32_t>(s_.active.size()); }
    /// Returns the number of parts of solve() and relax(): batches, and articulations that are in none.
    std::uint32_t part_count() const { return static_cast<std::uint32_t>(s_.batches.batches.size() + alone_.size()); }
    // The two passes, for parts first .. last - 1. Different ranges may run at the same time.
    void solve(std::uint32_t first, std::uint32_t last);
    void relax(std::uint32_t first, std::uint32_t last);

    /// Groups the contacts of jointed bodies by islands, after prepare(). `solver` has prepared them.
    void prepare_contacts(ContactSolver& solver, std::span<const ConstraintGraph::Edge> edges, Islands& islands) {
        find_contact_groups(contacts_, s_, solver, edges, islands);
        note_floating(s_);
    }
    std::uint32_t contact_group_count() const { return static_cast<std::uint32_t>(contacts_.groups.size()); }
    /// Returns the number of parts of solve_contacts().
    std::uint32_t contact_part_count() const { return static_cast<std::uint32_t>(contacts_.parts.size()); }
    /// Solves contacts through the joints where the two disagree, after solve() of all articulations, for parts
    /// first .. last - 1. Different ranges may run at the same time.
    void solve_contacts(std::uint32_t first, std::uint32_t last);
    // For groups first .. last - 1. Different ranges may run at the same time.
    /// Lets the joints transmit the impulses of the restitution pass, in groups where a contact has bounced.
    void transmit_bounces(std::uint32_t first, std::uint32_t last);
    /// Makes the impacts that follow from these bounces, after transmit_bounces().
    void pass_bounces_on(std::uint32_t first, std::uint32_t last);

    // Stiff groups (stiff_groups.h) find impulses of contacts together with the joints' rows.
    /// Returns the articulation of a solver body; null_index if the body has no joints.
    std::uint32_t articulation_of(std::uint32_t solver) const {
        const std::uint32_t link = s_.link_of(solver);
        return link == null_index ? null_index : s_.articulation_of_link[link];
    }
    /// See read_body_rows().
    void read_rows(std::uint32_t articulation, bool relaxing, std::vector<BodyRow>& out) {
        leave_batch(s_, s_.articulations[articulation], BatchPlace::left);
        read_body_rows(s_, articulation, relaxing, out);
    }
    /// Prepares take_impulse(). Call it after prepare().
    void prepare_taking() { s_.taken_impulses.assign(s_.rows.size(), 0.0); }
    /// Takes over an impulse of a row. It must be within the row's bounds and already applied to the row's bodies. The
    /// next solve() or relax_again() starts from it.
    void take_impulse(const BodyRow& row, double impulse) {
        s_.taken_impulses[row.source] = impulse;
        s_.articulations[row.articulation].taken = true;
    }
    /// Lets the joints of an articulation transmit the impulses that contacts have given since relax().
    void relax_again(std::uint32_t articulation);

    // Bounding the energy of a sub-step (energy_bound.h), after its last pass. `at` numbers the
    // articulations.
    /// Returns the work of an articulation's springs, motors and drives over a sub-step with its bodies' present
    /// velocities, J.
    double drive_work(std::uint32_t at);
    /// The work of springs, motors and drives over a sub-step in which their bodies have the velocities v + d, J.
    struct Work {
        double unpushed = 0.0;  ///< by the velocities v
        double pushed = 0.0;    ///< by the velocities d
    };
    /// Returns the work of an articulation. `unpushed`, by solver index, holds the velocities v; v + d are the present
    /// ones.
    Work work(std::uint32_t at, std::span<const BodyMotions::Unpushed> unpushed);
    /// Returns the solver index of a body of the articulation.
    std::uint32_t body_of(std::uint32_t at) const;
    /// Makes scale_impulses() scale only the impulses that are added later.
    void note_impulses();
    /// Multiplies by `kept` the impulses since this sub-step began, or since note_impulses().
    void scale_impulses(std::uint32_t at, double kept);

    // Impacts within the step (continuous_collision.h), after its last pass.
    /// Prepares the following calls for the articulation of a body. Limits and capped drives keep their present
    /// impulses. Returns false if the body has no joints or is asleep.
    bool begin_response(std::uint32_t slot) { return talus::begin_response(s_, slot); }
    Response respond(std::uint32_t slot) { return talus::respond(s_, slot); }
    /// Frees the limits that this impulse and moment would make the articulation pass within `time` seconds. Returns
    /// whether there is one.
    bool meets_limits(std::uint32_t slot, const dvec3& impulse, const dvec3& moment, double time) {
        return talus::meets_limits(s_, slot, impulse, moment, time);
    }
    /// Returns the slot of the first dynamic body of the articulation of a body.
    std::uint32_t first_link_of(std::uint32_t slot) const { return s_.first_awake_link(s_.articulation_of(slot)).slot; }
    /// Finds the velocities of an articulation's bodies without the parts that the locks of its joints do not allow.
    /// Calls visit(slot, velocity, angular velocity) for each dynamic body. Motors, drives and springs do not act.
    template <class Visit>
    void for_each_allowed_velocity(std::uint32_t slot, const BodyStore& bodies, Visit&& visit) {
        leave_batch(s_, s_.articulation_of(slot));
        project_locks(s_, slot, bodies);
        visit_velocities(slot, visit);
    }
    /// Finds the changes of velocity that an impulse and a moment on a body cause in the other dynamic bodies of its
    /// articulation. Calls visit(slot, velocity, angular velocity) for each.
    template <class Visit>
    void spread(std::uint32_t slot, const dvec3& impulse, const dvec3& moment, Visit&& visit) {
        const std::uint32_t pushed = s_.link_of_slot[slot];
        const Articulation& a = s_.articulation_of(slot);
        respond_to_impulse(s_, pushed, impulse, moment);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (l == pushed || !s_.links[l].dynamic) continue;
            const double* const v = s_.velocity_of(l);
            visit(s_.links[l].slot, linear_part(v), angular_part(v));
        }
    }

    // Closing joints that are open at the end of the step (joint_closing.h). begin_response() must have been called for
    // the body.
    /// Calls visit(slot) with a body of each articulation that the last sub-step has left open by more than `least` (m)
    /// beyond what end_closing() accepts.
    template <class Visit>
    void for_each_open(double least, Visit&& visit) {
        for (const std::uint32_t index : s_.active) {
            Articulation& a = s_.articulations[index];
            if (a.open <= least) a.closings.stays_open = 0.0;
            if (a.open <= a.closings.stays_open + least || !talus::may_close(a)) continue;
            visit(s_.first_awake_link(a).slot);
        }
    }
    /// Returns false if joints were open when the step began, because the user may have opened them.
    bool may_close(std::uint32_t slot) const { return talus::may_close(s_.articulation_of(slot)); }
    /// Whether joints of the articulation may contradict each other: it has a loop, or a body with locked axes.
    bool may_contradict(std::uint32_t slot) const { return s_.articulation_of(slot).redundant; }
    /// Calls visit(slot) for the dynamic bodies of the articulation of a body.
    template <class Visit>
    void for_each_link(std::uint32_t slot, Visit&& visit) const {
        for (const Link& link : s_.links_of(s_.articulation_of(slot))) {
            if (link.dynamic && link.solver != 0) visit(link.slot);
        }
    }
    /// Notes how far limits are passed, which closing does not change. Call it before the first open_by().
    void begin_closing(std::uint32_t slot) { talus::begin_closing(s_, s_.articulation_of(slot)); }
    /// Returns the opening of the articulation's worst joint at the bodies' poses, m. `ease`, up to 1, is a factor on
    /// how easily bodies rotate in the following close().
    double open_by(std::uint32_t slot, const BodyStore& bodies, double ease) {
        return talus::open_by(s_, s_.articulation_of(slot), bodies, ease);
    }
    /// Finds displacements that close the joints as far as the planes allow. Call it after open_by().
    void close(std::uint32_t slot, std::span<const ClosingPlane> planes) {
        closing_.find_displacements(s_, s_.articulation_of(slot), planes);
    }
    /// Calls visit(slot, displacement, rotation vector) with what close() has found.
    template <class Visit>
    void for_each_displacement(std::uint32_t slot, Visit&& visit) {
        visit_velocities(slot, visit);
    }
    /// Ends closing, after the last close(). `closed` says whether the joints are closed. An articulation that could
    /// not be closed in several steps is left open until its joints open further.
    void end_closing(std::uint32_t slot, bool closed) { talus::end_closing(s_.articulation_of(slot), closed); }

    /// For saved worlds (common/bytes.h): what the articulations keep from step to step. The joints are those of the
    /// world.
    template <class Bytes>
    void visit_fields(Bytes& bytes, const JointStore& joints, const BodyStore& bodies) {
        bool kept = !topology_.has_changed(joints, bodies);
        bytes(kept);
        if (!kept) return;
        if constexpr (Bytes::reads) topology_.build(s_, joints, bodies);
        auto count = static_cast<std::uint32_t>(s_.articulations.size());
        bytes(count);
        if constexpr (Bytes::reads) {
            if (!bytes.expect(count == s_.articulations.size(), "the number of articulations is wrong")) return;
        }
        for (Articulation& a : s_.articulations) bytes(a.closings);
    }

    /// Writes forces, angles and the state for the next step to the joints. `step` is in seconds.
    void store(JointStore& joints, float step, const Jobs& jobs);
    /// Returns what joints have cost since prepare(), and adds the number of times the clock was read for that.
    JointProfile profile(const BodyStore& bodies, std::uint64_t& clock_reads) const;

    std::size_t bytes() const;

private:
    bool begin_step(Articulation& a, std::span<const std::uint32_t> solver_index);
    void make_all_rows();

    template <class Visit>
    void visit_velocities(std::uint32_t slot, Visit&& visit) {
        const Articulation& a = s_.articulation_of(slot);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (!s_.links[l].dynamic || s_.links[l].solver == 0) continue;
            const double* const v = s_.velocity_of(l);
            visit(s_.links[l].slot, linear_part(v), angular_part(v));
        }
    }

    /// Returns an awake articulation by its number.
    Articulation& active(std::uint32_t at) { return s_.articulations[s_.active[at]]; }
    const Articulation& active(std::uint32_t at) const { return s_.articulations[s_.active[at]]; }

    void run_parts(std::uint32_t first, std::uint32_t last, void (*run_batch)(Articulations&, JointBatch&),
                   void (*run_alone)(Articulations&, Articulation&));

    /// Calls run(item) for items first .. last - 1, and takes their times: of each with
    /// Timing::pairs, else of all together. `item_at(i)` returns one.
    template <class ItemAt, class Run>
    void run_timed(std::uint32_t first, std::uint32_t last, ItemAt&& item_at, Run&& run);

    Articulations s_;
    JointTopology topology_;
    // Of the step.
    std::vector<std::uint32_t> alone_;  ///< awake articulations that are in no batch when the step begins
    Timing timing_ = Timing::off;
    JointContactGroups contacts_;
    JointClosing closing_;
    bool unfinished_ = false;  ///< true while a step or an assignment runs; it stays true if memory runs out
};

}  // namespace talus
