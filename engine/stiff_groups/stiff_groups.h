#pragma once
/// Stiff groups: touching bodies whose contacts are solved together, directly.
///
/// A sweep over contacts one by one carries a load one contact further. Where a contact bears many times the weight of
/// the lighter of its two bodies (high up-and-down chains of support, a ton on a kilogram), sweeps take as many rounds
/// as that to find its impulse. Until then the contacts give way, like springs that are too soft for their load, and
/// what stands on such springs sinks and buckles.
///
/// A stiff group is an island of touching bodies of which some contact bears that much: how much each one bears is
/// estimated from the masses and from the levels of support above what cannot be pushed (or above the first body of an
/// island that floats). Levels count only where an island stands and its bodies hardly move against each other:
/// of what falls or tumbles, nothing bears what is above it. In a small island, the bodies below a heavier body that is
/// about to strike them are a group for that step: sweeps would let a box that falls on a plate pass through the plate.
/// Contacts between bodies of one level are left to the sweeps. The others are solved in *body space*: for the
/// velocities v of all bodies together,
///
///     (M + sum w J^T J) v = M v0 + sum J^T (p - w bias)       over the active rows
///
/// with v0 the velocities without contact impulses, J a row's Jacobian, p its impulse of the sub-step before, and w
/// (kg) some sixty times the mass that the contact bears. The row's impulse is then p - w (J v + bias). This is a
/// proximal step (Rockafellar 1976): w decides how fast impulses converge from sub-step to sub-step, and not how stiff
/// contacts are; at rest J v = -bias, exactly. The system is sparse, symmetric and positive definite with any number of
/// redundant rows, a block of 6 x 6 for each body and each pair that touches, and is factored in double precision
/// (block Cholesky, minimum degree), which bears mass ratios of a million.
///
/// Rows are active or not: normal rows push and never pull; friction and twist stick within their limit, and where they
/// exceed it they are constant impulses at the limit. A few rounds find the set for which all of that holds (a
/// semismooth Newton method), beginning with the rows that pushed last. Factors are kept as long as the set stays, for
/// the soft and the relaxing pass apart, whose sets differ: at rest that is the whole step. Where no
/// set is found, the group gives nothing in that pass.
///
/// The work is limited in two ways. An island whose factors would take too many products of blocks is left to the
/// sweeps, which is found while the order of elimination is made, and remembered. A group that has made too many in a
/// step gives nothing in the passes that are left, and is left to the sweeps for a while. Numbers of bodies don't count:
/// a chain of 1,000 takes little.
///
/// Locked axes are part of M: rows have nothing along them.
///
/// Joints: bodies that joints tie together count as one part that stands and bears as a whole, and what a part has to
/// do with the ground is left to joint_contacts.cpp, so that ragdolls and cars that stand by themselves are no stiff
/// groups. In a group, rows of joints are rows like those of contacts, but active all the time, with a weight far above
/// all masses (or that of their spring). Their impulses are handed over to the joint solver, which begins with them in
/// solve(), or carries on from them after relax(): it alone knows how joints bend, what their bounds are, and what they
/// report. Limits and motors are taken as the joint solver had them last. Islands with gears are left to the sweeps.
///
/// That is done twice in a sub-step, before the sweep of `solve` and before that of `relax` (contact_solver.h), in
/// place of many such sweeps. The sweeps then find little to do, and do what the group leaves out: rolling resistance,
/// special surfaces.

#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/body_rows.h"
#include "engine/sleeping/islands.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class JointSolver;

class StiffGroups {
public:
    /// A joint between two bodies: solver indices, 0 for one that cannot be pushed.
    struct Tie {
        std::uint32_t a, b;
        bool simple;  ///< no gear, which would tie more bodies
    };
    /// Chooses groups among the islands that the edges make, in an order that depends on the order of the edges alone.
    /// Gives each edge of a group its `link`. `edges` are those of `in`; `dt` is the step and `substep` the usual sub-step,
    /// in seconds.
    void find(const SolverContacts& in, std::span<ConstraintGraph::Edge> edges, std::span<const Tie> ties,
              const vec3& gravity, float dt, float substep, Islands& islands);

    /// Groups push no body in common: any thread may solve any group.
    std::uint32_t group_count() const { return count_; }

    /// Reads the rows of groups first .. last, which the solver has prepared.
    void prepare(ContactSolver& solver, std::span<const SolverMass> masses, float substep,
                 std::span<const ConstraintGraph::Edge> edges, std::uint32_t first, std::uint32_t last);
    /// Before the first solve, once the joints are prepared.
    void prepare_joints(JointSolver& joints);
    /// Changes impulses and velocities: in the soft pass so that overlap is worked off, in the relaxing one not.
    enum class Pass : std::uint8_t { soft, relax };
    void solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, std::uint32_t first, std::uint32_t last);

    std::size_t bytes() const;

private:
    using Block = std::array<double, 36>;  ///< 6 x 6, row by row
    using Vector = std::array<double, 6>;  ///< linear, angular

    static constexpr int most_rows = 7;  ///< four normals, two tangents, twist
    static constexpr int tangents = 4, twist = 6;
    static constexpr std::uint32_t none = ~0u;

    struct Contact {
        Contact() {}  // a kilobyte, filled in by find(), prepare() and solve()
        std::uint32_t edge;
        std::uint32_t a, b;   ///< places of the bodies in the order of elimination; none: it is not pushed
        std::uint32_t block;  ///< of the pair; none if one is not pushed
        double borne;         ///< mass, kg
        ContactLane lane;
        double rows[most_rows][12];  ///< Jacobians
        double weight;               ///< of normals and tangents, kg
        double twist_weight;         ///< kg m^2
        double shared_arm;           ///< m; contact at one point: friction and twist / arm share a limit. 0: two limits
        // Of a pass.
        double bias[4];
        double before[most_rows];   ///< impulses of the sub-step before
        double now[most_rows];      ///< as they are in the lanes
        double impulse[most_rows];  ///< as the solve finds them
        double speed[most_rows];    ///< of the rows, at the velocities found
        double step[most_rows];     ///< ... how a round would change them
        double limit, twist_limit;  ///< of friction
        double outside[most_rows];  ///< row speeds from bodies that are not pushed
        std::uint8_t active;        ///< a bit a row; tangents: both or none
        std::uint8_t wanted;        ///< those that would be, at the velocities found
        std::uint8_t factored[2];   ///< those of the factors, by pass
        std::uint8_t kept[2];       ///< those of the last solve, by pass
    };
    /// What find() needs to know of a contact; most islands are looked at and left alone.
    struct Link {
        std::uint32_t edge, a, b;  ///< as a contact's
        float gap;                 ///< between its surfaces, m; 0: they press each other
        double borne = 0.0;        ///< as a contact's
        bool crushes = false;      ///< the heavier of its bodies is about to strike the other
        bool loaded = false;       ///< it is one of the group's
    };
    struct Body {
        std::uint32_t solver = 0;
        double mass = 0.0;
        double inertia[9] = {}, inverse_inertia[9] = {};
        std::uint8_t locked = 0;  ///< a bit for each axis along which it can't move and about which it can't turn
        bool held = false;        ///< locks bear its load
        bool tied = false;        ///< a joint ties it to what cannot be pushed
    };
    /// A joint's row, active all the time; as `body_rows`.
    struct JointRow {
        std::uint32_t a, b, block;  ///< as a contact's
        double row[12];             ///< Jacobian
        double bias, weight;
        double speed, step;  ///< as a contact's
        double impulse;
    };
    struct Column {
        std::uint32_t first, count;  ///< its blocks below the diagonal
        std::uint32_t first_target;  ///< where the products of each two of them go
    };
    struct Factors {
        std::vector<Block> diagonal, below;
        bool valid = false;  ///< of the active rows alone
    };
    struct Group {
        std::vector<Link> links;  ///< the contacts as find() has them
        std::vector<Contact> contacts;
        std::vector<Body> bodies;  ///< in the order of elimination
        std::vector<Tie> ties;     ///< joints, between places in `bodies`
        std::vector<std::uint32_t> articulations;
        std::vector<BodyRow> body_rows;  ///< as joints give them
        std::vector<JointRow> joint_rows;
        double mass = 0.0;  ///< of all bodies, kg
        // What follows from which bodies touch, and is kept while that stays.
        std::vector<std::uint32_t> pairs, pairs_before;
        std::vector<std::uint32_t> order, place;
        std::vector<Column> columns;
        std::vector<std::uint32_t> rows;     ///< by block below the diagonal
        std::vector<std::uint32_t> targets;  ///< blocks
        std::uint64_t products = 0;          ///< of blocks, to make the factors
        // Of a solve.
        Factors factors[2];  ///< by pass: at rest each has rows of its own, which stay
        Factors& now() { return factors[pass]; }
        std::vector<Vector> momentum, found, step, residual;
        std::vector<std::uint8_t> pushed;   ///< by body: some impulse is not 0
        bool by_levels = false;             ///< it stands, and its bodies hardly move against each other
        int pass = 0;                       ///< the one that is made: 0 soft, 1 relax
        bool has_set[2] = {};               ///< by pass, in this step
        std::uint64_t work = 0;             ///< in this step, in products of blocks
        std::vector<std::uint32_t> island;  ///< body slots of all of its island
        double inverse_substep = 0.0;
    };

    void find_parts(const Group& group);
    bool is_stiff(Group& group);
    void drop_idle(Group& group);
    static double lighter_of(const Group& group, const Link& link);
    static std::uint32_t block_of(const Group& group, std::uint32_t row, std::uint32_t column);
    bool order(Group& group);
    bool eliminate(Group& group);
    static bool is_spent(const Group& group);
    static void read_mass(Body& body, const SolverMass& mass);
    static void mask_row(const Group& group, std::uint32_t a, std::uint32_t b, double* row);
    void read_joint_rows(Group& group, Pass pass, const JointSolver& joints) const;
    static void update_joints(Group& group, const std::vector<Vector>& velocities);
    static void factor(Group& group, bool with_sliding);
    static void substitute(const Group& group, std::vector<Vector>& x);
    static void begin(Group& group, Pass pass, std::span<const SolverBody> bodies);
    static Vector momentum_of(const Body& body, const Vector& velocity);
    static bool has_row(const Contact& c, int row);
    static void push(const Contact& c, std::vector<Vector>& momenta, int row, double impulse);
    static void push(const JointRow& r, std::vector<Vector>& momenta, double impulse);
    static bool update(Contact& c, const std::vector<Vector>& velocities, bool with_limits);
    struct Friction;
    static Friction friction_at(const Contact& c, double part);
    static double slope(const Contact& c, double part);
    static bool converge(Group& group, int rounds, bool with_limits);
    static void converge_from_now(Group& group, std::span<const SolverBody> bodies);
    static void find_impulses(Group& group, std::span<const SolverBody> bodies);
    static bool is_blow(const Group& group);
    static Vector velocity_of(const Body& body, const Vector& momentum);
    static bool is_explained(Group& group);
    static void leave_unpushed(Group& group);
    static bool is_finite(const Group& group);
    static bool bound_joints(Group& group);
    static void hand_over(const Group& group, JointSolver& joints);
    void solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, Group& group);

    std::vector<Group> groups_;  ///< the first count_ are in use
    std::uint32_t count_ = 0;
    std::uint32_t looks_ = 1;  ///< calls of find(), and one more: no body was seen in call 0
    struct Seen {
        std::uint32_t step = 0;            ///< the last call with this body
        bool stiff = false;                ///< it was in a group then
        std::uint32_t refused = 0;         ///< the last call that found its island too much work
        std::uint32_t refused_bodies = 0;  ///< bodies of that island; 0: none was
    };
    std::vector<Seen> seen_;  ///< by body slot
    // Scratch of find().
    struct Island {
        std::uint32_t bodies = 0, contacts = 0, group = none;
        std::uint32_t refused_bodies = 0;              ///< the most of one that was too much work not long ago
        float mass = 0.0f, least = 0.0f, most = 0.0f;  ///< sum, and of one body, kg
        bool excluded = false;
        bool looked_at = false;  ///< for what its levels bear, too
        bool was_stiff = false;  ///< some body was in a group in the last step
        bool bounces = false;    ///< some contact has restitution
        bool jointed = false;    ///< some bodies are held by joints
        bool shares = false;     ///< some contacts share a stiffness: solved directly, bowls in bowls never rest
        bool stands = false;     ///< on something that cannot be pushed
        bool calm = true;        ///< no two bodies that touch move fast against each other
        bool light = false;      ///< the masses alone show that no contact bears much
        bool struck = false;     ///< it has few bodies, and one is about to strike a lighter one
    };
    std::vector<Island> islands_;       ///< by solver index of the root
    std::vector<std::uint32_t> local_;  ///< by solver index: its number in its group
    std::vector<std::uint32_t> place_;  ///< by solver index, in groups with joints: its place there
    std::vector<std::uint32_t> part_;   ///< by body of a group: the first of those that joints tie to it
    std::vector<std::uint8_t> tied_;    ///< ... and whether there are others
    std::vector<std::uint32_t> level_, queue_;
    struct Arrival {
        float reach;  ///< sum of the gaps between the body and what cannot be pushed, m
        std::uint32_t body, level;
    };
    std::vector<Arrival> arrivals_;  ///< a heap
    std::vector<float> reach_;       ///< by body
    std::vector<std::uint8_t> loaded_;
    std::vector<std::uint32_t> first_of_, contact_of_;  ///< contacts by body
    std::vector<double> borne_;
    std::vector<Body> bodies_;
    std::vector<std::vector<std::uint32_t>> neighbours_;
    std::vector<std::uint32_t> merged_;
    std::vector<std::uint64_t> heap_;
};

}  // namespace talus
