#pragma once

#include "samples/scenes/scene.h"

#include <string>
#include <vector>

namespace talus::profiling {

/// What taking times costs in one scene: CPU time of a step over that of the same step with Timing::off.
struct TimingCost {
    std::string scene;
    double off_us = 0.0;                         ///< median step
    double stages = 0.0, pairs = 0.0;            ///< ratios, medians over the steps
    double stages_said = 0.0, pairs_said = 0.0;  ///< 1 + what the profile says of itself (FrameProfile::timing)
};

/// Steps three equal worlds side by side, in an order that changes from step to step: they differ in nothing but the
/// clock reads, and a machine that is slow for a while slows all three. Sleeping is off.
TimingCost time_timing(const char* name, const samples::SceneData& scene, int steps);

/// A table of them, and the medians over the scenes.
void print_timing_costs(const std::vector<TimingCost>& costs);

}  // namespace talus::profiling
