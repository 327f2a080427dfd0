#pragma once

#include <string_view>
#include <vector>

namespace talus::profiling {

/// `talus-profile scenes`. Gives the exit code: 0, or 2 for arguments it does not understand.
int run_scenes(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
