#pragma once
/// What a soak of many worlds found, check by check, for a table that people read.

#include "samples/soak/soak.h"

#include <cstdint>
#include <string>
#include <vector>

namespace talus::samples {

class SoakTally {
public:
    void add(std::uint64_t seed, const SoakOutcome& outcome);

    std::uint64_t worlds() const { return worlds_; }
    std::uint64_t body_steps() const { return body_steps_; }
    /// Worlds in which the check found something, whether that ended the run or was only noted.
    std::uint64_t found(SoakCheck check) const { return checks_[static_cast<int>(check)].worlds; }
    /// Worlds that failed.
    std::uint64_t failed() const { return failed_; }

    /// A line per check of `options`: how many worlds, how often per million body steps, an example; and whether it
    /// counts as failure.
    std::string table(const SoakOptions& options) const;
    /// The numbers of steps and articulations, how many of their passes ran in batches, and the widest gap of a joint.
    std::string joint_line() const;

private:
    struct Finds {
        std::uint64_t worlds = 0;
        std::uint64_t seed = 0;  ///< the lowest
        SoakFailure example;
    };
    /// Of a world that gained energy, as parts: of what went through a group in a step, of all that was put in.
    struct Gain {
        double in_a_step, of_all;
        std::uint64_t seed;
    };
    std::string energy_line() const;

    Finds checks_[soak_check_count];
    std::vector<Gain> gains_;
    std::uint64_t steps_ = 0, articulation_steps_ = 0, joint_passes_ = 0, passes_alone_ = 0;
    double widest_gap_ = 0.0;
    std::uint64_t widest_gap_seed_ = 0;
    std::uint64_t worlds_ = 0, body_steps_ = 0, failed_ = 0;
};

}  // namespace talus::samples
