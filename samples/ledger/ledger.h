#pragma once
/// A ledger of energy and momentum: after each step it says whether energy appeared that nobody put in.
///
/// A step of rigid bodies may lose energy (friction, inelastic impacts, damping, implicit springs); it must not make
/// any. The ledger reads a world just before and just after a step. For each group of bodies that touched or were
/// jointed in the step it checks
///
///     kinetic + potential after  <=  kinetic + potential before  +  work put in  +  rounding
///
/// and, for each group that touched nothing fixed or kinematic, that momentum and angular momentum changed by what
/// gravity and the user's forces gave. Changes between two steps (impulses, teleports, new bodies) are not checked: the
/// ledger starts anew before each step.
///
/// Work put in, per group and step:
/// - User's forces and torques: force times the displacement of the centre of mass (exact); torque times the rotation, or
///   torque times the step and the mean angular velocity, whichever is more.
/// - Contacts with kinematic bodies: impulses times the velocity of the body's surface where they act. A contact can
///   only take energy as seen from that surface, so this is a sharp bound. Contacts do not report the moments of twist
///   friction, so these count with their largest size.
/// - Belts (Material::surface_velocity): friction impulse times that velocity. Sharp for the same reason.
/// - Overlap that is pushed out: impulse over the step's length times the length by which the overlap became less.
/// - Joints to kinematic bodies: force times the displacement of the joint's anchor, torque times the rotation.
/// - Motors: motor force times the change of the coordinate; a change of the coordinate's speed within the step counts in
///   the motor's favour. Where a constraint that was open closes against a motor or a spring, the motor or spring gives
///   the work that the bodies' velocities say: position correction moves bodies without kinetic energy, and the
///   constraint puts in what the motor or spring takes.
/// - Drives: their force, the whole step long, at the higher of the speeds before and after.
/// - Springs: energy stored before less energy stored after, both with the stiffness of this step, or the work of a motor
///   with the spring's force, whichever is more.
/// - Joints that were apart or beyond a limit and are less so: force times that length. Bodies whose joint breaks are not
///   checked in that step.

#include <talus/engine/world.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace talus::samples {

/// What counts as rounding, and when a run fails.
struct LedgerTolerance {
    double energy = 1e-5;       ///< of the kinetic energies and the work of a group, per step
    double speed = 1e-5;        ///< that a body at rest may seem to have, m/s
    double float_share = 1e-6;  ///< of a body's speed, in a step: what it may be off as sums of floats
    double position = 2e-7;     ///< of a body's distance from the origin and 1 m more, times its weight, per step
    /// A group may gain this part of the energy that went through it in a step (kinetic energy before, work put in,
    /// potential energy released)...
    double step_gain = 0.01;
    /// ... and this part of all that went into the world so far, over all steps.
    double total_gain = 0.01;
    /// Heights below this do not count, m: the weight of each body that something touches may rise by this much, once
    /// in a run, and by a tenth of it in a step. It is what the solver leaves of overlaps (settings::linear_slop).
    double height = 0.0005;
    /// Change of momentum of a free group that nothing explains, as a part of the sum of its bodies' momenta (of
    /// angular momentum: and of what its contacts exchanged).
    double momentum = 1e-4;
    double angular_momentum = 1e-2;
};

/// Energies of a world, J. Bodies that sleep count with their potential energy.
struct LedgerEnergy {
    double kinetic = 0.0;    ///< of dynamic bodies, linear and angular
    double potential = 0.0;  ///< in gravity, from the world's origin
    double springs = 0.0;    ///< of joints
    double total() const { return kinetic + potential + springs; }
};

/// Energy that a group of bodies got from nowhere in a step.
struct LedgerGain {
    double joules = 0.0;
    double share = 0.0;  ///< of the energy that went through the group in the step
    int step = -1;       ///< 0 is the first
    /// The group, the bodies that gained most first; at most `most_named`. Not the world's handles, which may be stale
    /// by now: `slot` is what BodyId holds.
    static constexpr std::size_t most_named = 4;
    std::vector<BodyId> bodies;
    std::size_t body_count = 0;
    bool failed = false;
};

struct LedgerReport {
    int steps = 0;
    LedgerEnergy start, end;  ///< before the first step and after the last
    double work = 0.0;        ///< put in, the sum of what was above 0 in each step and group, J
    double budget = 0.0;      ///< kinetic energy at the start, work, and potential energy released since, J
    double gained = 0.0;      ///< that nobody put in, sum over steps and groups, J
    double allowed = 0.0;     ///< of `gained`, by LedgerTolerance::total_gain and height, J
    LedgerGain worst;         ///< in a step, by joules above what is allowed
    /// The largest share of a gain that failed, and its step.
    double steepest = 0.0;
    int steepest_step = -1;
    double worst_momentum = 0.0,
           worst_angular = 0.0;  ///< change of a free group's, as a part of the sum of its bodies'
    int momentum_step = -1, angular_step = -1;
    std::vector<BodyId> momentum_bodies, angular_bodies;
    bool momentum_failed = false, angular_failed = false;
    bool not_finite = false;
    bool ok() const { return !worst.failed && gained <= allowed && !momentum_failed && !angular_failed && !not_finite; }
    /// What failed, in a sentence; empty if nothing did.
    std::string complaint() const;
};

/// Books of one world over a run. Call before() right before each step and after() right after it.
class Ledger {
public:
    explicit Ledger(const LedgerTolerance& tolerance = {}) : tolerance_(tolerance) {}

    void before(const World& world, float dt);
    void after(const World& world);

    const LedgerReport& report() const { return report_; }

private:
    struct State {
        BodyId id;
        BodyType type = BodyType::fixed;
        bool present = false, awake = false;
        std::uint8_t locks = 0;
        bool damped = false;
        double mass = 0.0, gravity_scale = 1.0, max_speed = 0.0, max_spin = 0.0;
        glm::dvec3 center{0.0}, velocity{0.0}, spin{0.0}, force{0.0}, torque{0.0};
        glm::dmat3 inertia{0.0};
        Transform pose;
        double kinetic = 0.0;
    };
    /// How a body moved in the step.
    struct Displacement {
        glm::dvec3 move{0.0};  ///< of the centre of mass, m
        glm::dvec3 turn{0.0};  ///< rad
    };
    struct JointState {
        JointId id;
        JointKind kind = JointKind::ball;
        double coordinates[6] = {}, speeds[6] = {};
    };
    struct Group {
        double before = 0.0, after = 0.0;  ///< kinetic
        double risen = 0.0;                ///< potential energy in gravity, after less before
        double ahead = 0.0;                ///< what forces add in half a sub-step, at the end less at the start
        double work = 0.0, work_in = 0.0;  ///< the sum, and of what is above 0
        double rounding = 0.0, weight = 0.0, mass = 0.0;
        double exchanged = 0.0;  ///< impulses between its bodies times how far those are apart, kg m^2/s
        double open = 0.0;       ///< by how much a joint was apart, m
        double twisted = 0.0;    ///< angular momentum that joints give whose anchors lie apart, at most, kg m^2/s
        std::uint32_t first = 0xffffffffu, count = 0;
        bool anchored = false, touched = false, broke = false;
    };

    void read(const World& world, std::vector<State>& states, bool forces) const;
    void read_joints(const World& world, std::vector<JointState>& joints) const;
    LedgerEnergy energy(const World& world, const std::vector<State>& states,
                        const std::vector<JointState>& joints) const;
    void find_displacements();
    std::uint32_t root(std::uint32_t slot);
    void unite(std::uint32_t a, std::uint32_t b);
    struct BookedContact;
    void book_contacts(const World& world);
    void mark_touched(std::uint32_t a, std::uint32_t b);
    void book_contact(const World& world, const Contact& contact);
    void book_kinematic_surfaces(const BookedContact& contact);
    void book_belts(const BookedContact& contact);
    void book_lost_overlap(const BookedContact& contact);
    void book_begun_contacts(const World& world);
    void book_ended_contacts(const World& world);
    const Contact* last_contact(const Contact& contact);

    struct BookedJoint;
    void book_joints(const World& world);
    void book_joint(const World& world, const JointState& then, const JointState& now);
    void book_kinematic_ends(const BookedJoint& joint);
    double charged(double work, double push, double change, double v0, double v1) const;
    void book_axis(const World& world, BookedJoint& joint, int axis);
    void book_violations(const World& world, BookedJoint& joint);
    void book_drive(const World& world, const BookedJoint& joint);

    void book_bodies(const World& world);
    double lifted_out(const World& world, std::uint32_t group);
    struct Momentum;
    std::vector<Momentum> momenta();
    std::vector<BodyId> members(std::uint32_t group);
    void judge_energy(const World& world, std::uint32_t group, int step);
    void judge_momentum(const Momentum& sum, std::uint32_t group, int step);
    void close(const World& world);
    glm::dvec3 displacement_at(std::uint32_t slot, const glm::dvec3& point) const;
    /// Adds to the group of whichever of the two is dynamic.
    void add_work(std::uint32_t a, std::uint32_t b, double joules, double slack = 0.0);

    LedgerTolerance tolerance_;
    LedgerReport report_;
    double dt_ = 0.0;
    glm::dvec3 gravity_{0.0};
    double max_speed_ = 0.0;
    double potential_change_ = 0.0, released_ = 0.0, height_allowance_ = 0.0;
    double last_total_ = 0.0, given_ = 0.0;
    std::vector<Contact> contacts_, last_contacts_;
    std::size_t next_last_ = 0;
    std::vector<ContactEvent> on_meshes_;  ///< that began and have not ended
    std::vector<State> before_, after_;
    std::vector<Displacement> displacements_;
    std::vector<JointState> joints_before_, joints_after_;
    std::vector<std::uint32_t> parent_;
    std::vector<Group> groups_;  ///< by root slot
};

/// A step under the ledger.
bool step(World& world, float dt, Ledger& ledger, const Jobs& jobs = {});

}  // namespace talus::samples
