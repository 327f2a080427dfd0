#pragma once
/// Shrinks a world that fails a check to the few bodies, joints and changes that the failure needs.

#include "samples/soak/soak.h"

namespace talus::samples {

/// A smaller world that fails the same check, found in runs of at most `body_steps` body steps together. The walls stay if the failure is
/// an escape.
WorldText shrink(const WorldText& text, const SoakFailure& failure, const SoakOptions& options,
                 std::uint64_t body_steps = 2'000'000);

}  // namespace talus::samples
