#pragma once
/// Profiles for the tests of the writers.

#include <talus/engine/profile.h>
#include <talus/profiling/stages.h>
#include "tests/support/scratch_folder.h"

#include <string>

namespace talus {

using test::ScratchFolder;
using test::text_of;

/// A step of so many microseconds in all, spread over stages and rungs, `number`-th of a run of equal ones.
inline FrameProfile made_up_frame(std::uint64_t number, double total) {
    FrameProfile p;
    p.frame = number;
    p.start = 1e6 + 1e4 * static_cast<double>(number);
    p.total = total;
    double left = total;
    for (const Stage& stage : stages) {
        p.*stage.microseconds = stage.microseconds == &FrameProfile::publish ? left : 0.3 * left;
        left -= p.*stage.microseconds;
    }
    for (std::size_t i = 0; i < rung_count; ++i) p.narrowphase.pairs[i] = 10;
    for (const Pass& pass : passes) p.narrowphase.microseconds[static_cast<std::size_t>(pass.booked)] = p.collide / 8.0;
    p.narrowphase.gjk_queries = 20;
    p.narrowphase.gjk_iterations = 40;
    p.narrowphase.gjk_histogram[2] = 20;
    return p;
}

inline bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace talus
