#pragma once
/// What the ledger counts as rounding, and when a run fails.

namespace talus::samples {

struct LedgerTolerance {
    /// Energy that counts as rounding, as a part of a group's kinetic energies and work in a step.
    double energy = 1e-5;
    /// Speed that counts as rounding: a body at rest may seem to have it, m/s.
    double speed = 1e-5;
    /// Change of speed in a step that counts as rounding, as a part of the speed: velocities are sums of floats.
    double float_share = 1e-6;
    /// Displacement in a step that counts as rounding, as a part of that displacement, or of a joint's lever, plus 1 m.
    double position = 2e-7;
    /// Energy that a group may gain in a step, as a part of the energy that went through the group in that step: kinetic
    /// energy before, work put in, and potential energy released.
    double step_gain = 0.01;
    /// Energy that all groups may gain in a run, as a part of all energy that was put into the world so far.
    double total_gain = 0.01;
    /// Height by which a body that something touches may rise in a run without a cause, m; in a step, a tenth of it. It
    /// is what the solver leaves of overlaps (settings::linear_slop).
    double height = 0.0005;
    /// Change of a free group's momentum without a cause, as a part of the sum of its bodies' momenta.
    double momentum = 1e-4;
    /// The same of angular momentum, as a part of that sum and of what the group's contacts exchanged.
    double angular_momentum = 1e-2;
    /// Whether the force of a joint times the length by which it opens counts as put in, too. Joints that contradict each
    /// other push against each other with any force, and how much of that becomes motion cannot be told.
    bool opening_is_work = false;
};

}  // namespace talus::samples
