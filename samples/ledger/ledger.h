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
/// The work that is put into a group in a step is a sum:
/// - The user's forces: force times the displacement of the centre of mass, which is exact. Torques: the larger of two
///   products, torque times rotation, and torque times the mean angular velocity times the step's length.
/// - Contacts with kinematic bodies: impulses times the velocity of the kinematic surface at the contact. As seen from
///   that surface a contact can only take energy, so this bound is sharp. The moments of twist friction are not reported,
///   so the largest possible ones are used.
/// - Belts (Material::surface_velocity): the friction impulse times that velocity. This bound is sharp for the same reason.
/// - Overlap that is pushed out: the contact's mean force times the length by which its overlap became smaller.
/// - Joints to kinematic bodies: force times the displacement of the joint's anchor, torque times the rotation.
/// - Motors: the motor's force times the change of the coordinate. If the coordinate's speed changed in the step, the
///   force times that change times the step's length is added, because the force may have acted at either speed.
/// - Motors and springs against an open constraint that closes: their work is computed from the velocities of the bodies,
///   not from the displacement. The rest of the displacement is position correction, which adds no kinetic energy.
/// - Drives: their force times the step's length times the higher of the relative speeds before and after the step.
/// - Springs: the larger of two numbers, the stored energy before minus that after (with the stiffness of this step), and
///   the work that a motor with the spring's force would do.
/// - Joints that were open, or beyond a limit, and came closer: their force times the length by which they came closer.
///
/// The bodies of a joint that breaks are not checked in that step.

#include <talus/engine/world.h>
#include "samples/ledger/contact_work.h"
#include "samples/ledger/ledger_step.h"
#include "samples/ledger/ledger_tolerance.h"

#include <cstdint>
#include <string>
#include <vector>

namespace talus::samples {

/// Energies of a world, J. Bodies that sleep count with their potential energy.
struct LedgerEnergy {
    double kinetic = 0.0;    ///< of dynamic bodies, linear and angular
    double potential = 0.0;  ///< in gravity, from where the world's first body was at the start
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
    double fallen = 0.0;      ///< the most by which potential energy fell below what it was before in the run, J
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
    struct Momentum;

    void add_bodies(const World& world);
    double lifted_out(const World& world, std::uint32_t group);
    std::vector<Momentum> momenta();
    std::vector<BodyId> members(std::uint32_t group);
    void judge_energy(const World& world, std::uint32_t group, int step);
    void judge_momentum(const Momentum& sum, std::uint32_t group, int step);
    void judge(const World& world);

    LedgerTolerance tolerance_;
    LedgerReport report_;
    LedgerStep step_;
    ContactWork contact_work_;
    double max_speed_ = 0.0;
    double potential_change_ = 0.0, highest_ = 0.0, released_ = 0.0, height_allowance_ = 0.0;
    double last_total_ = 0.0, given_ = 0.0;
};

/// A step under the ledger.
bool step(World& world, float dt, Ledger& ledger, const Jobs& jobs = {});

}  // namespace talus::samples
