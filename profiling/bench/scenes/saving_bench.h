#pragma once

#include <string_view>
#include <vector>

namespace talus::profiling {

/// talus-profile saving: what assigning, saving and loading a world cost beside a step of it.
int run_saving(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
