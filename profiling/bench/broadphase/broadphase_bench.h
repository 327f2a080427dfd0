#pragma once

#include <string_view>
#include <vector>

namespace talus::profiling {

/// `talus-profile broadphase`. Gives the exit code: 0, 1 when an engine's pairs are wrong or the CSV file cannot be
/// written, or 2 for arguments it does not understand.
int run_broadphase(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
