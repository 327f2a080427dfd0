#pragma once

#include <string_view>
#include <vector>

namespace talus::profiling {

/// `talus-profile meshes`. Gives the exit code: 0, 1 when something could not be made, or 2 for arguments it does not
/// understand.
int run_meshes(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
