#pragma once
/// The profiles of all steps: a column for each number, of which the changes from step to step are written.

#include "samples/recording/recording.h"

namespace talus::samples {

/// A step as it is written: its length (s), its profile with times in us, and the numbers of its slowest pair's bodies.
struct ProfileRow {
    float dt = 0.0f;
    FrameProfile profile;
    std::uint32_t slowest_a = 0xffffffffu, slowest_b = 0xffffffffu;
};

inline constexpr double ticks_a_microsecond = 16.0;  ///< times are rounded to that

std::string write_profiles(const std::vector<ProfileRow>& rows);

/// False for anything that write_profiles() could not have written for so many bodies.
bool read_profiles(std::string_view block, std::uint32_t bodies, std::vector<ProfileRow>& out);

/// Names and places of the columns that the page reads, as JSON: {"columns":...,"total":1,...}.
std::string profile_columns_json();

}  // namespace talus::samples
