#pragma once

#include "samples/runner/options.h"

namespace talus::samples {

/// What --from does: reads a recording, makes a page of it when asked to, and says what it holds; with --poses, where
/// each body is at a frame.
Result<std::string> show_recording(const Options& options);

}  // namespace talus::samples
