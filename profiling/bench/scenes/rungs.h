#pragma once

#include "samples/scenes/scene.h"

namespace talus::profiling {

/// Runs a scene in Talus, sleeping off, with all rungs of the coherence ladder, without each of them in turn, and
/// with none, and prints what the narrowphase costs in each case: pairs and microseconds a step by rung, medians over
/// `repeats` rounds through all cases. Answers stay within tolerance but not the same bits, so a stirred scene takes
/// another course in each case: what is compared is the mean over many steps.
void print_rungs(const char* name, const samples::SceneData& scene, int steps, int repeats);

}  // namespace talus::profiling
