#pragma once

#include <string_view>
#include <vector>

namespace talus::profiling {

/// `talus-profile gjk`. Gives the exit code: 0, 1 when the CSV file cannot be written, or 2 for arguments it does not
/// understand.
int run_gjk(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
