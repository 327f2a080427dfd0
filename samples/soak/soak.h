#pragma once
/// The soak: random worlds of everything, run under checks; a world that fails is shrunk to what it takes to fail.

#include "samples/ledger/ledger.h"
#include "samples/soak/world_text.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace talus::samples {

/// What random worlds may have. Each is drawn for some worlds only, and leaving one out leaves the others as they were.
enum SoakFeature : std::uint32_t {
    soak_thin = 1u << 0,       ///< shapes 10 to 100 times as long as they are thick
    soak_sizes = 1u << 1,      ///< shapes of 5 mm and of 5 m among those of 10 cm to 1 m
    soak_heavy = 1u << 2,      ///< densities up to 1,000 times that of others
    soak_compounds = 1u << 3,  ///< bodies of several shapes
    soak_meshes = 1u << 4,     ///< rooms of triangles, and grounds
    soak_joints = 1u << 5,     ///< chains of all kinds, limits, motors, springs
    soak_loops = 1u << 6,      ///< more joints between any two bodies
    soak_locks = 1u << 7,      ///< locked axes
    soak_sensors = 1u << 8,    ///< sensors
    soak_kinematic = 1u << 9,  ///< kinematic bodies that turn
    soak_modifier = 1u << 10,  ///< a contact modifier
    soak_changes = 1u << 11,   ///< changes while it runs
    soak_dt = 1u << 12,        ///< steps of other lengths, and of changing ones
    soak_limits = 1u << 13,    ///< speed limits
    soak_fast = 1u << 14,      ///< speeds up to 50 m/s and 100 rad/s
    soak_bouncy = 1u << 15,    ///< restitution
    soak_belts = 1u << 16,     ///< running surfaces, anisotropic grip, rolling resistance
    soak_overlaps = 1u << 17,  ///< bodies put into each other
    soak_all = (1u << 18) - 1,
};
/// By the names that the command line takes.
struct SoakFeatureName {
    const char* name;
    std::uint32_t feature;
};
std::span<const SoakFeatureName> soak_feature_names();

/// What is checked after each step; docs/soak.md has a table.
enum class SoakCheck { energy, momentum, escape, finite, events, hash, limits, refused, force };
inline constexpr int soak_check_count = 9;
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
};

struct SoakOutcome {
    std::optional<SoakFailure> failure;                    ///< what ended the run
    std::optional<SoakFailure> found[soak_check_count]{};  ///< the first of each check, `failure` among them
    double steepest_gain = 0.0;                            ///< LedgerReport::steepest
    double gained = 0.0;                                   ///< energy, as a part of all that was put in
    std::uint64_t body_steps = 0;                          ///< bodies that are not fixed, times steps
    std::uint64_t hash = 0;                                ///< of the world at its end
};

/// A seed from a text, as the name of a commit: another one for each.
std::uint64_t seed_from(std::string_view text);

/// The world of a seed: the same from any compiler.
WorldText random_world(std::uint64_t seed, std::uint32_t features = soak_all);

/// Runs it under the checks, to its last step or the first failure.
SoakOutcome run_soak(const WorldText& text, const SoakOptions& options = {});

/// A smaller world that fails the same check, found in runs of so many body steps together. Of one that a body escapes
/// from the walls stay.
WorldText shrink(const WorldText& text, const SoakFailure& failure, const SoakOptions& options,
                 std::uint64_t body_steps = 2'000'000);

}  // namespace talus::samples
