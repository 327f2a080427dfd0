#include "samples/soak/tally.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace talus::samples {

void SoakTally::add(std::uint64_t seed, const SoakOutcome& outcome) {
    ++worlds_;
    body_steps_ += outcome.body_steps;
    steps_ += static_cast<std::uint64_t>(outcome.steps);
    articulation_steps_ += outcome.articulation_steps;
    joint_passes_ += outcome.joint_passes;
    passes_alone_ += outcome.passes_alone;
    if (outcome.widest_gap > widest_gap_) {
        widest_gap_ = outcome.widest_gap;
        widest_gap_seed_ = seed;
    }
    if (outcome.failure) ++failed_;
    for (int i = 0; i < soak_check_count; ++i) {
        if (!outcome.found[i]) continue;
        Finds& finds = checks_[i];
        if (finds.worlds++ != 0 && seed > finds.seed) continue;
        finds.seed = seed;
        finds.example = *outcome.found[i];
    }
    if (outcome.found[static_cast<int>(SoakCheck::energy)])
        gains_.push_back({outcome.steepest_gain, outcome.gained, seed});
}

/// How much worlds that gained energy gained: the one in the middle, and the one with most.
std::string SoakTally::energy_line() const {
    std::vector<Gain> gains = gains_;
    std::sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.in_a_step < b.in_a_step; });
    const double middle = gains[gains.size() / 2].in_a_step;
    const auto most =
        std::max_element(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.of_all < b.of_all; });
    char text[160];
    std::snprintf(text, sizeof text, "half of them at most x%.3g in a step; most x%.3g of all put in, seed %" PRIu64,
                  1.0 + middle, 1.0 + most->of_all, most->seed);
    return text;
}

std::string SoakTally::joint_line() const {
    const double alone =
        joint_passes_ > 0 ? static_cast<double>(passes_alone_) / static_cast<double>(joint_passes_) : 0.0;
    char text[256];
    std::snprintf(text, sizeof text,
                  "%" PRIu64 " steps, %" PRIu64
                  " articulation steps, %.0f%% of their passes in batches; widest gap %.3g m or rad, seed %" PRIu64,
                  steps_, articulation_steps_, 100.0 * (1.0 - alone), widest_gap_, widest_gap_seed_);
    return text;
}

std::string SoakTally::table(const SoakOptions& options) const {
    char text[512];
    std::snprintf(text, sizeof text, "%" PRIu64 " worlds, %" PRIu64 " body steps\n%-9s %8s %22s  %s\n", worlds_,
                  body_steps_, "check", "worlds", "per million body steps", "of them");
    std::string table = text;
    for (int i = 0; i < soak_check_count; ++i) {
        const auto check = static_cast<SoakCheck>(i);
        if ((options.checks & bit_of(check)) == 0) continue;
        const Finds& finds = checks_[i];
        const double rate =
            body_steps_ > 0 ? 1e6 * static_cast<double>(finds.worlds) / static_cast<double>(body_steps_) : 0.0;
        std::snprintf(text, sizeof text, "%-9s %8" PRIu64 " %22.3g  ", name_of(check), finds.worlds, rate);
        table += text;
        if (finds.worlds == 0) {
            table += "none";
        } else if (check == SoakCheck::energy && !gains_.empty()) {
            table += energy_line();
        } else {
            std::snprintf(text, sizeof text, "seed %" PRIu64 ", step %d: %s", finds.seed, finds.example.step,
                          finds.example.what.c_str());
            table += text;
        }
        table += (options.noted & bit_of(check)) != 0 ? " (only noted)\n" : "\n";
    }
    return table;
}

}  // namespace talus::samples
