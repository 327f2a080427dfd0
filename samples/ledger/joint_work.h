#pragma once
/// The work that joints put into a step: kinematic bodies that pull, motors, drives, springs, and joints that were apart
/// (samples/ledger/ledger.h says how each counts).

#include "samples/ledger/ledger_step.h"
#include "samples/ledger/ledger_tolerance.h"

#include <span>

namespace talus::samples {

/// Energy that is stored in the springs of joints, J.
double spring_energy(const World& world, std::span<const LedgerStep::Joint> joints);

/// Adds what joints did in the step to the groups. Call it after all groups are made.
void add_joint_work(const World& world, const LedgerTolerance& tolerance, LedgerStep& step);

}  // namespace talus::samples
