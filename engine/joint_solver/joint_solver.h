#pragma once
/// Joint constraints: a direct solve for each articulation.
///
/// An *articulation* is what joints hold together: dynamic bodies linked by joints, fixed and kinematic ones being
/// where links end. No two articulations share a dynamic body, so they can be solved side by side, in any order, with
/// the same result.
///
/// One sub-step:  solve -> [positions] -> relax. It is RATTLE (Andersen 1983), which is symplectic: a pendulum neither
/// gains nor loses energy. With J the Jacobian of all rows at the sub-step's start, M the masses,
///
///     solve:  impulses l so that the positions at the end of the sub-step, predicted as they will be integrated, obey the constraints:
///             (J M^-1 J^T) dl = -(J v + C(q) / h), then Newton's method on the same matrix: dl from -C(q + h v) / h
///     relax:  at the new positions, J v = 0: takes out what position errors put into velocities.
///
/// Contacts come after joints in both passes: the other way round, ragdolls that fall on stairs sink in by 107 mm, not
/// 4. Where the two would be at odds by metres a second, contacts are solved through the joints between the two
/// (joint_contacts.cpp).
///
/// What was compared: a chain of 100 links of 20 cm with a weight of 1,000 links swinging at its end, 60 Hz, stretch
/// after 15 s and time of a step, one core, both in their first form (by now the direct solve takes a fifth less):
///
///     sub-steps                                       4                16               64
///     sequential impulses, a block a joint, warm     9.7 x, 1.0 ms     2.4 x, 2.6 ms    3.4 x, 14 ms      (weight 1: 5.6 x, 1.5 x, none)
///     this                                           < 1e-6, 0.6 ms    < 1e-6, 2.3 ms   < 1e-6, 17 ms
///
/// A direct solve alone is not enough for light links under heavy load: they swing in their joints faster than a
/// sub-step can follow, and a weight of 1,000 links explodes. Their turning against the pull is integrated implicitly
/// (stabilise(): the geometric stiffness of Tournier et al. 2015, a 3 x 3 block of each body), where and as far as it
/// has to be; all else stays undamped.
///
/// Rows of a joint: locks are two-sided and rigid; springs soft, implicit, with Hz and damping ratio of the joint
/// itself; limits and motors have bounds. The bounded ones are solved by an active set: those that act are in the
/// direct solve, at their side; those at a bound are a given impulse. Each round lets go what a bound has caught and
/// takes in what would break its bound; the last word is always a direct solve of all two-sided rows.
///
/// The matrix is sparse in the joints that share a body: BlockLdl eliminates chains and trees in linear time, and loops
/// (closed chains, bridges, a door on two hinges) with little fill. A body with many joints (a hub) would make a full
/// block: its velocity stays an unknown of its own instead. Redundant rows (that door) are given a little slack, and
/// the relax pass gives the smallest impulses that do it; joint_energy.cpp says how they are kept from making energy.

#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/block_ldl.h"
#include "engine/joint_solver/body_rows.h"
#include "engine/joint_solver/joint_kernel.h"
#include "engine/joint_solver/joint_motions.h"
#include "engine/joints/joint_geometry.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/awake_set.h"
#include "engine/sleeping/islands.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus {

class JointSolver {
public:
    explicit JointSolver(const JointKernel& kernel) : kernel_(&kernel), ldl_(kernel) {}

    /// Finds the articulations with an awake body. `solver_index` is by body slot.
    void prepare(const JointStore& joints, const BodyStore& bodies, std::span<const std::uint32_t> solver_index,
                 std::span<const SolverMass> masses, const JointMotions& motions, float substep);

    std::uint32_t articulation_count() const { return static_cast<std::uint32_t>(active_.size()); }
    // Articulations first .. last - 1. Different ranges may run at once.
    void solve(std::uint32_t first, std::uint32_t last);
    void relax(std::uint32_t first, std::uint32_t last);

    /// After prepare(): reads the contacts of what joints hold, from a solver that has prepared them.
    void prepare_contacts(ContactSolver& solver, std::span<const ConstraintGraph::Edge> edges, Islands& islands);
    std::uint32_t contact_group_count() const { return static_cast<std::uint32_t>(groups_.size()); }
    /// After solve() of all articulations, and like that for groups (joint_contacts.cpp).
    void solve_contacts(std::uint32_t first, std::uint32_t last);
    /// After the passes over what bounces: lets joints carry on what these gave, in groups where something did.
    void carry_bounces(std::uint32_t first, std::uint32_t last);
    /// ... and after that: the impacts that these have led to, one after the other.
    void hand_on_bounces(std::uint32_t first, std::uint32_t last);

    // Stiff groups (stiff_groups.h) find the impulses of contacts with the joints' rows beside them.
    /// That of a solver body; null_index without joints.
    std::uint32_t articulation_of(std::uint32_t solver) const {
        const std::uint32_t link = link_of(solver);
        return link == null_index ? null_index : articulation_of_[link];
    }
    /// Appends the rows that take part in the next solve(), or in a relax() that has been made. The others, given, only
    /// in the former.
    void read_rows(std::uint32_t articulation, bool relaxing, std::vector<BodyRow>& out) const;
    /// The bodies have got this impulse of a row, within its bounds: the next solve() or carry_on() begins with it.
    void take_impulse(const BodyRow& row, double impulse) {
        taken_[row.source] = impulse;
        articulations_[row.articulation].taken = true;
    }
    /// After prepare(), if any are to be taken in this step.
    void prepare_taking() { taken_.assign(rows_.size(), 0.0); }
    /// After relax(): lets joints carry on what contacts have given since.
    void carry_on(std::uint32_t articulation);

    // Bounding the energy of a sub-step (joint_energy.cpp, energy_bound.cpp), after its last pass.
    /// Work of what may do work: springs, motors and drives, over a sub-step in which their bodies have velocities of v + d.
    struct Work {
        double unpushed = 0.0;  ///< by v, J
        double pushed = 0.0;    ///< by d
    };
    /// A body of the articulation: its solver index.
    std::uint32_t body_of(std::uint32_t at) const;
    /// `unpushed`, by solver index: what v is.
    Work work(std::uint32_t at, std::span<const BodyMotions::Unpushed> unpushed);
    /// From here on, scale_impulses scales what comes after.
    void note_impulses();
    /// So much is left of the impulses since this sub-step began or note_impulses().
    void scale_impulses(std::uint32_t at, double kept);

    /// What impulses on a body do to it through the joints that hold it, as the last pass left them: its velocity by an
    /// impulse at the centre of mass and by a moment (N m s), its spin by a moment. By an impulse its spin is
    /// transpose(by_moment) times that.
    struct Response {
        dmat3 by_impulse{0.0}, by_moment{0.0}, spin_by_moment{0.0};
    };
    /// After the step's last pass, with all limits and capped drives let go. False for a body without joints, or
    /// asleep.
    bool begin_response(std::uint32_t slot);
    Response respond(std::uint32_t slot);
    /// Takes in the limits that the body's joints would pass in so many seconds with what these add. False if none.
    bool meets_limits(std::uint32_t slot, const dvec3& impulse, const dvec3& moment, double time);
    /// The first of the dynamic bodies that joints hold together with a body.
    std::uint32_t first_link_of(std::uint32_t slot) const {
        std::uint32_t l = articulations_[articulation_of_[link_of_[slot]]].first_link;
        while (!links_[l].dynamic || links_[l].solver == 0) ++l;
        return links_[l].slot;
    }
    /// Takes what joints do not allow out of the velocities of all that they hold together with the body, which has a
    /// Response: calls visit(slot, velocity, spin). Motors, drives and springs leave them as they are.
    template <class Visit>
    void hold_together(std::uint32_t slot, const BodyStore& bodies, Visit&& visit) {
        const Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
        project(slot, bodies);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (!links_[l].dynamic || links_[l].solver == 0) continue;
            const double* const v = velocity_of(l);
            visit(links_[l].slot, dvec3(v[0], v[1], v[2]), dvec3(v[4], v[5], v[6]));
        }
    }
    /// What these do to all others that joints hold together with the body, which has a Response: calls visit(slot,
    /// velocity, spin).
    template <class Visit>
    void spread(std::uint32_t slot, const dvec3& impulse, const dvec3& moment, Visit&& visit) {
        const std::uint32_t pushed = link_of_[slot];
        const Articulation& a = articulations_[articulation_of_[pushed]];
        push_body(pushed, impulse, moment);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (l == pushed || !links_[l].dynamic) continue;
            const double* const v = velocity_of(l);
            visit(links_[l].slot, dvec3(v[0], v[1], v[2]), dvec3(v[4], v[5], v[6]));
        }
    }

    // Closing what is open at the end of the step (joint_closing.cpp), after begin_response() for the body.
    /// A plane that stops a body as its joints are closed.
    struct ClosingPlane {
        std::uint32_t slot = 0;  ///< of the body
        dvec3 arm{0.0};          ///< from its centre of mass to its lowest point above the plane, world, m
        dvec3 normal{0.0};       ///< towards the body
        double room = 0.0;       ///< how far that point may go against the normal, m
    };
    /// Calls visit(slot) with a body of each articulation that the last sub-step has left open by more than `least` (m)
    /// beyond what end_closing() allows.
    template <class Visit>
    void for_each_open(double least, Visit&& visit) {
        for (const std::uint32_t index : active_) {
            Articulation& a = articulations_[index];
            if (a.open <= least) a.stays_open = 0.0;
            if (a.open <= a.stays_open + least || !may_close(a)) continue;
            std::uint32_t l = a.first_link;
            while (!links_[l].dynamic || links_[l].solver == 0) ++l;
            visit(links_[l].slot);
        }
    }
    /// False where joints were open when the step began: the user may have put them so.
    bool may_close(std::uint32_t slot) const { return may_close(articulations_[articulation_of_[link_of_[slot]]]); }
    /// True for a body of a loop of joints, or that joints hold together with a body with locked axes.
    bool may_contradict(std::uint32_t slot) const { return articulations_[articulation_of_[link_of_[slot]]].redundant; }
    /// Calls visit(slot) for the dynamic bodies that joints hold together with a body, and for that one.
    template <class Visit>
    void for_each_link(std::uint32_t slot, Visit&& visit) const {
        const Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (links_[l].dynamic && links_[l].solver != 0) visit(links_[l].slot);
        }
    }
    /// Before open_by(): limits that the solver had left passed, as ones are that were set so, stay as they are.
    void begin_closing(std::uint32_t slot);
    /// How far the worst of the joints that hold the body, or others together with it, is open at the bodies' poses, m.
    /// `ease` (up to 1): how easily they turn in close(), over how they do.
    double open_by(std::uint32_t slot, const BodyStore& bodies, double ease);
    /// After that: finds what brings those joints together, as far as the planes let them.
    void close(std::uint32_t slot, std::span<const ClosingPlane> planes);
    /// What that is: calls visit(slot, move, turn).
    template <class Visit>
    void for_each_change(std::uint32_t slot, Visit&& visit) {
        const Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (!links_[l].dynamic || links_[l].solver == 0) continue;
            const double* const v = velocity_of(l);
            visit(links_[l].slot, dvec3(v[0], v[1], v[2]), dvec3(v[4], v[5], v[6]));
        }
    }

    /// After the last close(), which has `closed` the joints or not. An articulation whose joints cannot be closed for some
    /// steps is left as it is, until its joints open farther.
    void end_closing(std::uint32_t slot, bool closed);

    /// Writes impulses, forces and angles back to the joints; `step` in seconds.
    void store(JointStore& joints, float step) const;

    std::size_t bytes() const;

private:
    enum class RowKind : std::uint8_t { lock, limit, motor, spring };
    /// What a row's coordinate is.
    enum class RowForm : std::uint8_t {
        point,   ///< along a world axis, of where B's anchor is from A's
        move,    ///< the same along A's axis
        length,  ///< of what is between the anchors
        lock,    ///< turn that is locked at zero
        twist,   ///< twist that is locked or limited, where the swing may come to half a turn
        turn,    ///< any other
        cone,
        drive_move,
        drive_turn,
        geared
    };
    enum class Pass : std::uint8_t { none, solve, relax };

    struct Row {
        RowKind kind = RowKind::lock;
        RowForm form = RowForm::point;
        std::uint8_t axis = 0;
        std::uint8_t number = 0;  ///< limit_row(axis) and so on
        /// Rows that share a bound on their length begin here; 0: the row belongs to one before.
        std::uint8_t group = 1;
        bool free = true;                                       ///< in the direct solve; else its impulse is given
        bool caught = false;                                    ///< came to its bound in this pass, and stays there
        bool upper = false;                                     ///< a limit's side
        bool held = false;                                      ///< the bodies' locks leave it no response
        std::uint32_t rival = null_index;                       ///< of a motor: the limit of its axis
        double limits[2] = {};                                  ///< of a limit or lock: lower and upper coordinate
        double speed = 0.0;                                     ///< that the row aims at, in rows without position
        double hertz = 0.0, damping_ratio = 0.0, target = 0.0;  ///< of a spring
        double low = 0.0, high = 0.0;  ///< bounds of the impulse; of a group, `high` is that of its length

        // Of the sub-step.
        double impulse = 0.0;
        double given = 0.0;                      ///< impulse when the pass began
        double noted = 0.0;                      ///< part of it that scale_impulses leaves
        double newton = 0.0;                     ///< part of the impulse that rounds after the first gave
        double position = 0.0;                   ///< coordinate less what it should be
        double goal = 0.0;                       ///< the same, at the end of the sub-step
        double left = 0.0;                       ///< position beyond a limit that closing leaves
        double push = 0.0;                       ///< way to where it should be, over the longest of a sub-step
        double response = 0.0;                   ///< J M^-1 J^T of this row alone
        double whole = 0.0;                      ///< the response that it would have without the locks of its bodies
        double slack = 0.0;                      ///< regularisation
        double bias_rate = 0.0, softness = 0.0;  ///< spring: J v + bias_rate * position + softness * impulse = 0
    };

    /// A body of an articulation.
    struct Link {
        std::uint32_t slot = 0;
        std::uint32_t node = null_index;  ///< a hub's
        bool dynamic = false;
        std::uint32_t solver = 0;
        double inverse_mass[3] = {};
        double mass = 0.0, most_inertia = 0.0;                 ///< the largest along any axis; no moment is larger
        dmat3 start_inertia{0.0}, start_inverse_inertia{0.0};  ///< at the step's start, world; 0 where nothing turns it
        dmat3 true_inverse_inertia{0.0};                       ///< now
        dmat3 inverse_inertia{0.0};                            ///< as joints feel it: see stabilise()
        bool turns = true;    ///< its inertia turns with it: it is not a ball's, and nothing locks its axes
        bool locked = false;  ///< some of its axes are
        double unlocked_inverse_mass = 0.0;  ///< and the next: as if they were not
        dmat3 unlocked_inverse_inertia{0.0};
        bool stiff = false, perhaps_stiff = false;
        dmat3 turn{1.0};         ///< since the step's start
        Turned pose, next_pose;  ///< now, and predicted for the end of the sub-step
        dvec3 displacement{0.0}, next_displacement{0.0};
        dvec3 velocity_before{0.0}, spin_before{0.0};  ///< when the pass began
        dvec3 bend{0.0}, bend_spin{0.0};               ///< what of its velocity made the way of this sub-step curved
        dvec3 push{0.0}, push_spin{0.0};  ///< what of its velocity is of this sub-step's way only: see push_together()
        dmat3 stiffness{0.0};             ///< of its turns, from what joints pull it with, times a sub-step, N m s
        double most_stiffness = 0.0;      ///< no part of it is larger
        dmat3 slowing{1.0};               ///< of its swing by that stiffness, if stiff
        dvec3 usual_spin{0.0};            ///< the spin of late: what differs from it is swing
    };

    struct Run {  ///< a joint of an articulation
        std::uint32_t slot = 0;
        JointKind kind = JointKind::ball;
        bool as_point = false;        ///< a distance joint of no length
        bool anchored = false;        ///< its first three rows are of the form `point`
        std::uint8_t side_count = 2;  ///< 4 for gears: both ends of both joints
        std::uint32_t node = 0;
        std::uint32_t link[4] = {};
        std::uint32_t geared[2] = {};  ///< runs
        std::uint32_t first_row = 0, row_count = 0;
        std::uint32_t first_bounded = 0;  ///< its rows before this one have no bounds
        JointFrame frame_a, frame_b;
        dvec3 between{0.0};  ///< centres of mass at the step's start, A to B
        double ratio = 1.0, offset = 0.0;
        double turn = 0.0;
        JointParts parts, next_parts;                   ///< of the poses that rows ask for
        bool locks_swing = false, locks_twist = false;  ///< by rows of the form `lock`
        bool bent = false;                              ///< too far for them
        Transform drive_target;
        JointPose pose, next_pose;  ///< now, and predicted for the end of the sub-step
        Coordinates coordinates{}, next_coordinates{};
        dvec3 force{0.0}, torque{0.0};          ///< impulses on B so far in this step
        dvec3 old_force{0.0}, old_torque{0.0};  ///< the same, when this sub-step began or at note_impulses()
        dvec3 demand{
            0.0};  ///< impulse on B in this sub-step, had it not been tamed: what the joint may have to bear next
        dvec3 load{0.0};      ///< the largest demand of late
        dvec3 new_load{0.0};  ///< ... in the solve of this one, as A's axes turn it: a load may have come just now
        double motor_impulses[joint_axes] = {};
        int shift = 0;  ///< of its axes against those of the joint, see shift_of()
    };

    struct Articulation {
        std::uint32_t first_run = 0, run_count = 0;
        std::uint32_t first_link = 0, link_count = 0;
        std::uint32_t first_coupling = 0, coupling_count = 0;
        std::uint32_t first_hub = 0, hub_count = 0;
        bool looped = false;     ///< there is more than one way from a body to another
        bool redundant = false;  ///< some rows may be: it is looped, or locks do what joints do
        bool stiff = false;      ///< some of its links are
        bool free = false;       ///< a tree of links that are neither fixed, nor kinematic, nor locked, nor lie on such
        dvec3 center{0.0};       ///< of mass, and the next: if stiff and free, when the pass began
        dvec3 momentum{0.0};     ///< angular, about that, and what contacts have given since, N m s
        dvec3 rotation{0.0};     ///< of all of it together then, rad/s
        double energy = 0.0;     ///< kinetic, then, J
        bool pushed = false;     ///< its velocities have a part that positions alone get
        bool bent = false;       ///< ... and a part that makes their way curved
        bool taken = false;      ///< some impulses are; see take_impulse()
        Pass factored = Pass::none;
        double slack = 0.0;    ///< of its locks and limits, if it is redundant, as part of their responses
        bool weak = false;     ///< its matrix is to be factored with care, for the rest of the step
        bool bounded = false;  ///< some rows have bounds
        bool springs = false;
        bool driven = false;       ///< some rows have no position
        double open_before = 0.0;  ///< open_by_rows() when the step began, m
        double open = 0.0;         ///< ... in the last relax pass, m
        int failed_closings = 0;   ///< since its joints were closed last
        double most_open = 0.0;    ///< the largest `open` of these steps, m
        double stays_open = 0.0;   ///< closing is not tried again up to this, m
    };

    /// What an articulation does as a whole.
    struct CommonMotion {
        dvec3 center{0.0}, velocity{0.0};  ///< of mass, m and m/s
        dvec3 momentum{0.0};               ///< angular, about that, N m s
        dmat3 inertia{0.0};                ///< of all of it, about that, kg m^2
        dvec3 rotation() const;            ///< rad/s
    };

    // Contacts of what joints hold (joint_contacts.cpp).
    /// A link that contacts push, or a dynamic body without joints.
    struct Mover {
        std::uint32_t solver = 0, link = null_index, party = 0;
        dvec3 velocity{0.0}, spin{0.0};
    };
    /// All movers of an articulation, or one without joints.
    struct Party {
        std::uint32_t articulation = null_index;
        std::uint32_t first_mover = 0, mover_count = 0;
        bool ready = false;   ///< its drives are let go
        bool pushed = false;  ///< in this round
    };
    struct JointedContact {
        ContactLane lane;
        std::uint32_t mover[2] = {null_index, null_index};  ///< of A and B; null: nobody can push it
        std::uint32_t party[2] = {null_index, null_index};
    };
    /// A point of one of them.
    struct ContactRow {
        std::uint32_t contact = 0, point = 0;
        std::uint32_t column =
            0;               ///< velocities and spins that a unit of impulse gives to the movers of A's party, then B's
        double alone = 0.0;  ///< J M^-1 J^T of the two bodies by themselves
        double bias = 0.0, gamma = 0.0;  ///< of the pass
        double gap = 0.0;                ///< between the surfaces, m
        double drift = 0.0;              ///< speed of what nobody can push
        double response = 0.0;           ///< J M^-1 J^T with all that joints hold
        double given = 0.0, impulse = 0.0;
    };
    /// The contacts of an island.
    struct ContactGroup {
        std::uint32_t first_contact = 0, contact_count = 0;
        std::uint32_t first_row = 0, row_count = 0;
        std::uint32_t first_party = 0, party_count = 0;
        bool direct = false;  ///< a stiff group solves them
    };

    /// What a hub's velocity has to do with a joint: an off-diagonal block.
    struct HubCoupling {
        std::uint32_t run = 0, side = 0;
        BlockLdl::Place place;
    };

    // Topology (joint_topology.cpp).
    bool topology_changed(const JointStore& joints, const BodyStore& bodies) const;
    void build_topology(const JointStore& joints, const BodyStore& bodies);
    void add_articulation(const JointStore& joints, const BodyStore& bodies, std::span<const std::uint32_t> slots);

    // Rows (joint_rows.cpp).
    /// Doubles that the joints of this step have so far.
    struct Room {
        std::uint32_t jacobian = 0, response = 0, numbers = 0;
    };
    void prepare_link(Link& link, const BodyStore& bodies, std::span<const SolverMass> masses);
    void prepare_run(Run& run, const Joint& joint, const BodyStore& bodies);
    void prepare_rows(Run& run, const Joint& joint);
    Row& add_row(Run& run, const Joint& joint, RowKind kind, RowForm form, int axis, int number);
    void find_parts(Run& run) const;
    void place_rows(Run& run);
    void evaluate(Articulation& a);
    void turn_link(Link& link);
    void place(Run& run);
    void stabilise(Articulation& a);
    void evaluate_rows(const Articulation& a, Run& run);
    double set_row(const Run& run, std::uint32_t row, const Jacobian& jacobian, double factor,
                   std::uint32_t first_side);
    double set_turn_row(const Run& run, std::uint32_t row, const dvec3& axis);
    void clear_row(const Run& run, std::uint32_t row);
    void begin_point_rows(const Run& run);
    void set_point_rows(const Run& run);
    double between(const Run& run, std::uint32_t row, std::uint32_t other) const;
    void soften_springs(Run& run);
    void predict(Articulation& a);
    Jacobian row_jacobian(const Run& run, const Row& row) const;
    static dquat twist_of(const Row& row, const JointPose& pose);
    double row_coordinate(const Run& run, const Row& row, const JointPose& pose, const Coordinates& q) const;
    double geared_coordinate(const Run& gear, const Coordinates& a, const Coordinates& b) const;
    bool is_angular(const Run& run, const Row& row) const;

    std::uint32_t link_of(std::uint32_t solver) const {
        const std::uint32_t slot = motions_.slots[solver];
        return slot < link_of_.size() ? link_of_[slot] : null_index;
    }
    void solve_group(const ContactGroup& group);
    double allowed_odds(const ContactGroup& group) const;
    bool has_bounced(const ContactGroup& group) const;
    bool strike_rows(const ContactGroup& group);
    bool begin_rows(const ContactGroup& group, double most_odds);
    static double wanted_change(const ContactRow& row, double speed);
    void begin_sweeps(const ContactGroup& group);
    void find_columns(ContactRow& row, Pass pass);
    void find_column(const ContactRow& row, std::uint32_t party, dvec3* column, Pass pass);
    double speed_of(const ContactRow& row) const;
    void move_movers(const ContactRow& row, double impulse);
    void push(const JointedContact& contact, int side, std::uint32_t point, double impulse);
    void let_drives_go(Articulation& a, bool and_limits);
    void push_body(std::uint32_t link, const dvec3& impulse, const dvec3& moment);
    void carry(Articulation& a, Pass pass);
    void sweep_rows(const ContactGroup& group, double most_odds);
    void apply_rows(const ContactGroup& group, Pass pass);
    void find_closing(Articulation& a);
    double open_by_rows(const Articulation& a) const;
    static bool may_close(const Articulation& a);

    // Passes (joint_solver.cpp).
    void read_velocities(Articulation& a);
    void write_velocities(const Articulation& a);
    void begin_solve(Articulation& a);
    // Angular momentum of articulations that nothing holds (joint_momentum.cpp).
    CommonMotion common_motion(const Articulation& a);
    void note_momentum(Articulation& a);
    bool limit_spins(Articulation& a);
    void restore_momentum(const Articulation& a, Pass pass);
    void run_pass(Articulation& a, Pass pass, bool again = false);
    void run_rounds(Articulation& a, Pass pass, bool again);
    void finish_pass(Articulation& a, Pass pass, bool again);
    double set_residuals(Articulation& a, Pass pass, bool linear, bool again);
    bool let_go(Articulation& a, Pass pass, bool linear, bool again, double& worst);
    bool catch_bounded(Articulation& a, Pass pass);
    void factor(Articulation& a, Pass pass);
    void fill_matrix(Articulation& a);
    void factor_hubs(const Articulation& a);
    void solve_free(Articulation& a, Pass pass);
    void apply_changes(const Articulation& a);
    /// No pass may make much more motion than there was: joints that contradict each other give way instead of
    /// exploding. Returns what part of the pass's impulses is left.
    double tame(const Articulation& a);
    /// Adds the pass's impulses to what the joints report.
    void report(const Articulation& a, Pass pass, bool again, double scale);
    static bool is_bounded(const Row& row) {
        return row.low != -std::numeric_limits<double>::infinity() ||
               row.high != std::numeric_limits<double>::infinity();
    }
    /// A motor leaves its axis to the limit while that holds: the two together would have no unique impulses.
    bool takes_part(const Row& row, Pass pass) const {
        return row.free && !(pass == Pass::relax && row.kind == RowKind::spring) &&
               !(row.rival != null_index && rows_[row.rival].free);
    }

    // Redundant rows (joint_energy.cpp).
    double kinetic_energy(const Link& link, const dvec3& velocity, const dvec3& spin) const;
    double kinetic_energy(const Articulation& a);
    void project(std::uint32_t slot, const BodyStore& bodies);
    double response_without_locks(const Run& run, std::uint32_t row) const;
    void drop_changes_of_free_rows(const Articulation& a);
    double begin_bending(Articulation& a);
    void end_bending(Articulation& a);
    double farthest_push(const Articulation& a) const;
    static double lever_of(const Run& run);
    void give_way_to_drivers(Articulation& a);
    void set_slack(Articulation& a, double slack);
    void push_together(Articulation& a);
    void relax_without_gain(Articulation& a);

    // Numbers of the kernel's.
    JointRowsInput rows_input(const Articulation& a, std::vector<JointLane>& numbers);
    double* velocity_of(std::uint32_t link) { return flat(velocities_) + 8 * link; }  ///< its spin begins four further
    double* residuals(const Run& run) { return flat(residuals_) + joint_rows_[index_of(run)].numbers; }
    double* changes(const Run& run) { return flat(changes_) + joint_rows_[index_of(run)].numbers; }
    std::uint32_t index_of(const Run& run) const { return static_cast<std::uint32_t>(&run - runs_.data()); }

    const JointKernel* kernel_;
    JointMotions motions_;
    float substep_ = 0.0f;

    // Made when joints come and go.
    std::uint64_t version_ = 0;
    bool built_ = false;
    std::vector<Articulation> articulations_;
    std::vector<Run> runs_;
    std::vector<Link> links_;
    std::vector<JointCoupling> couplings_;
    std::vector<HubCoupling> hub_couplings_;
    std::vector<std::uint32_t> run_of_;   ///< by joint slot
    std::vector<std::uint32_t> link_of_;  ///< by body slot, of dynamic ones
    BlockLdl ldl_;

    // Of the step.
    std::vector<std::uint32_t> active_;  ///< articulations
    std::vector<Row> rows_;
    std::vector<double> taken_;          ///< by row; see take_impulse()
    std::vector<JointRows> joint_rows_;  ///< parallel to runs
    std::vector<JointNode> joint_nodes_;
    std::vector<JointLane> jacobians_, responses_, residuals_, changes_;
    std::vector<JointLane> velocities_;  ///< two a link
    Room room_;
    float least_bounce_ = 0.0f;  ///< approach speed below which nothing bounces, m/s
    std::vector<ContactGroup> groups_;
    std::vector<JointedContact> jointed_;
    std::vector<ContactRow> contact_rows_;
    std::vector<Party> parties_;
    std::vector<Mover> movers_;
    std::vector<dvec3> columns_;
    std::vector<double> closing_matrix_, closing_impulses_, closing_ways_;
    std::vector<std::uint32_t> articulation_of_;                          ///< by link
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keys_, pushed_;  ///< scratch
};

/// The kernel for this processor.
const JointKernel& best_joint_kernel();

}  // namespace talus
