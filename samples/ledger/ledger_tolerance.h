#pragma once
/// What the ledger counts as rounding, and when a run fails.

namespace talus::samples {

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

}  // namespace talus::samples
