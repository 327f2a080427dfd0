#pragma once

#include <string_view>
#include <vector>

namespace talus::profiling {

/// `talus-profile diff`: compares two CSV files of talus-samples. Returns the program's exit code.
int run_diff(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
