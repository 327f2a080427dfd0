#pragma once
/// A recording that becomes a simulation again.

#include "samples/recording/recording.h"
#include "samples/window/simulation/simulation.h"

namespace talus::samples {

/// Loads the recording's scene and steps it to a frame. Returns true if the bodies are then where the recording has them: the
/// world has the bits of the one that was recorded. They are elsewhere if somebody touched them, or the seed was another.
/// Then each body gets its recorded pose, and the velocity from this frame and the one before; false is returned. An error
/// is returned if the scene is not known or has other bodies.
Result<bool> resume(Simulation& simulation, const Recording& recording, std::size_t frame);

}  // namespace talus::samples
