#pragma once
/// The soak: worlds (random_world.h) that run under checks. A world that fails is shrunk (shrink.h).

#include "samples/ledger/ledger.h"
#include "samples/soak/text_run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace talus::samples {

/// What is checked after each step; docs/soak.md has a table.
enum class SoakCheck { energy, momentum, escape, finite, events, hash, limits, refused, force, gap, bound, jump };
inline constexpr int soak_check_count = 12;
const char* name_of(SoakCheck check);
constexpr std::uint32_t bit_of(SoakCheck check) { return 1u << static_cast<int>(check); }

struct SoakFailure {
    SoakCheck check = SoakCheck::energy;
    int step = 0;
    std::string what;
};

struct SoakOptions {
    std::uint32_t checks = (1u << soak_check_count) - 1;  ///< by bit_of()
    /// Checks of those that do not end the run: what they find is noted, and the world goes on.
    std::uint32_t noted = 0;
    LedgerTolerance tolerance{};
    /// The check `hash`: steps between two comparisons of the world with a second run of it, whose steps use two threads.
    /// 0: no such run.
    int compare_every = 0;
};

struct SoakOutcome {
    std::optional<SoakFailure> failure;                    ///< what ended the run
    std::optional<SoakFailure> found[soak_check_count]{};  ///< the first of each check, `failure` among them
    double steepest_gain = 0.0;                            ///< LedgerReport::steepest
    double gained = 0.0;                                   ///< energy, as a part of all that was put in
    int steps = 0;                                         ///< that the world made
    std::uint64_t body_steps = 0;                          ///< bodies that are not fixed, times steps
    std::uint64_t articulation_steps = 0;                  ///< awake articulations, times steps
    double widest_gap = 0.0;                               ///< of joints, m or rad; only if WorldText::gap is given
    /// Passes over articulations in all sub-steps, and how many of those were over one that was solved alone.
    std::uint64_t joint_passes = 0, passes_alone = 0;
    std::uint64_t hash = 0;  ///< of the world at its end
};

/// Runs the world under the checks, to its last step or the first failure.
SoakOutcome run_soak(const WorldText& text, const SoakOptions& options = {});

}  // namespace talus::samples
