#pragma once
/// The parts of a frame that are timed, by name and in the order in which they run: one list for all writers.

#include <talus/engine/profile.h>

#include <algorithm>
#include <array>
#include <span>

namespace talus {

/// A stage of the step.
struct Stage {
    const char* name;                    ///< as in CSV files, reports and the window
    double FrameProfile::*microseconds;  ///< its time
    std::uint64_t StageHashes::*hash;    ///< of the state that it leaves
};

/// Their times add up to FrameProfile::total.
inline constexpr std::array<Stage, 7> stages = {{{"pairs", &FrameProfile::pairs, &StageHashes::pairs},
                                                 {"collide", &FrameProfile::collide, &StageHashes::collide},
                                                 {"graph", &FrameProfile::graph, &StageHashes::graph},
                                                 {"solve", &FrameProfile::solve, &StageHashes::solve},
                                                 {"continuous", &FrameProfile::continuous, &StageHashes::continuous},
                                                 {"finish", &FrameProfile::finish, &StageHashes::finish},
                                                 {"publish", &FrameProfile::publish, &StageHashes::publish}}};

/// The narrowphase works lists of pairs one after the other. Two of its passes settle two rungs each and book their time
/// on the first of them.
struct Pass {
    const char* name;  ///< of its rungs
    Rung booked;       ///< the rung that has its time
    Rung also;         ///< the other rung that it settles, or the same
};

/// In the order in which they run.
inline constexpr std::array<Pass, 7> passes = {{{"skip, reuse", Rung::skip, Rung::reuse},
                                                {"closed form", Rung::closed_form, Rung::closed_form},
                                                {"warm EPA", Rung::warm_epa, Rung::warm_epa},
                                                {"cached axis", Rung::axis_separated, Rung::axis_touching},
                                                {"warm GJK", Rung::warm_gjk, Rung::warm_gjk},
                                                {"cold GJK", Rung::cold_gjk, Rung::cold_gjk},
                                                {"cold EPA", Rung::cold_epa, Rung::cold_epa}}};

/// What the pass took, us, summed over the threads.
inline double microseconds_of(const NarrowphaseProfile& profile, const Pass& pass) {
    return profile.microseconds[static_cast<std::size_t>(pass.booked)];
}

/// How many shape pairs the rung settled.
inline std::uint64_t pairs_of(const NarrowphaseProfile& profile, Rung rung) {
    return profile.pairs[static_cast<std::size_t>(rung)];
}

/// How many shape pairs the rungs of the pass settled.
inline std::uint64_t pairs_of(const NarrowphaseProfile& profile, const Pass& pass) {
    return pairs_of(profile, pass.booked) + (pass.also == pass.booked ? 0 : pairs_of(profile, pass.also));
}

}  // namespace talus
