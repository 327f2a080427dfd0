#pragma once
/// Shrinks a world that fails a check to the few bodies, joints and changes that the failure needs.

#include "samples/soak/soak.h"

namespace talus::samples {

/// A smaller world that fails the same check, as far as it is found within `seconds`. The walls stay if the failure is an
/// escape.
WorldText shrink(const WorldText& text, const SoakFailure& failure, const SoakOptions& options, double seconds);

}  // namespace talus::samples
