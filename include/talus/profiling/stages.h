#pragma once
/// The parts of a frame that are timed, by name and in the order in which they run: one list for all writers.

#include <talus/engine/profile.h>

#include <algorithm>
#include <array>
#include <span>

namespace talus {

/// A stage of the step.
struct Stage {
    const char* name;                    ///< in CSV columns, reports and the window
    const char* meaning;                 ///< one sentence
    double FrameProfile::*microseconds;  ///< where a frame's profile has its time
    std::uint64_t StageHashes::*hash;    ///< hash of the world's state after the stage
};

/// The stages in the order in which they run. Their times, and those of reading clocks, add up to FrameProfile::total.
inline constexpr std::array<Stage, 7> stages = {
    {{"pairs", "stage: broadphase update; body pairs begin and end", &FrameProfile::pairs, &StageHashes::pairs},
     {"collide", "stage: narrowphase over the active shape pairs", &FrameProfile::collide, &StageHashes::collide},
     {"graph", "stage: islands of the bodies that touch, colours of the constraint graph", &FrameProfile::graph,
      &StageHashes::graph},
     {"solve", "stage: velocities, impulses and poses, in sub-steps", &FrameProfile::solve, &StageHashes::solve},
     {"continuous", "stage: continuous collision of fast bodies", &FrameProfile::continuous, &StageHashes::continuous},
     {"finish", "stage: boxes for the broadphase, bodies that fall asleep", &FrameProfile::finish,
      &StageHashes::finish},
     {"publish", "stage: events and the profile", &FrameProfile::publish, &StageHashes::publish}}};

/// A pass of the narrowphase over a list of pairs. Two of the passes settle the pairs of two rungs and count their time
/// for the first of the two.
struct Pass {
    const char* name;  ///< for people
    Rung booked;       ///< the rung that its time is counted for
    Rung also;         ///< the other rung that it settles, or the same
};

/// The passes in the order in which they run.
inline constexpr std::array<Pass, 8> passes = {{{"skip, reuse", Rung::skip, Rung::reuse},
                                                {"closed form", Rung::closed_form, Rung::closed_form},
                                                {"warm EPA", Rung::warm_epa, Rung::warm_epa},
                                                {"cached axis", Rung::axis_separated, Rung::axis_touching},
                                                {"warm GJK", Rung::warm_gjk, Rung::warm_gjk},
                                                {"cold GJK", Rung::cold_gjk, Rung::cold_gjk},
                                                {"cold EPA", Rung::cold_epa, Rung::cold_epa},
                                                {"features", Rung::features, Rung::features}}};

/// Returns the time of the pass, us, summed over the threads.
inline double microseconds_of(const NarrowphaseProfile& profile, const Pass& pass) {
    return profile.microseconds[static_cast<std::size_t>(pass.booked)];
}

/// Returns the number of pairs that were settled on the rung.
inline std::uint64_t pairs_of(const NarrowphaseProfile& profile, Rung rung) {
    return profile.pairs[static_cast<std::size_t>(rung)];
}

/// Returns the number of pairs that the pass settled.
inline std::uint64_t pairs_of(const NarrowphaseProfile& profile, const Pass& pass) {
    return pairs_of(profile, pass.booked) + (pass.also == pass.booked ? 0 : pairs_of(profile, pass.also));
}

}  // namespace talus
