#pragma once
/// Counts and times for the profile.

#include <cstdint>

namespace talus {

/// The cost of an articulation, a batch or a group of contacts in the step.
struct JointCost {
    std::uint32_t factorizations = 0, rounds = 0;
    std::uint32_t passes_alone = 0;
    std::uint32_t clock_reads = 0;
    double microseconds = 0.0;  ///< without Timing::pairs, one of those that ran together has the time of all
};

}  // namespace talus
