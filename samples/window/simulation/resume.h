#pragma once
/// A recording that becomes a simulation again.

#include "samples/recording/recording.h"
#include "samples/window/simulation/simulation.h"

namespace talus::samples {

/// Loads the recording's scene and brings it to a frame: by the steps that led there, which give the recorded poses, bit for
/// bit before they were rounded, if nobody touched the bodies and the seed was the same. True then. Else false: the bodies
/// are put where the recording has them, with speeds from this frame and the one before. Refused: a scene that is not
/// known, or that has other bodies.
Result<bool> resume(Simulation& simulation, const Recording& recording, std::size_t frame);

}  // namespace talus::samples
