#pragma once

#include <span>
#include <string>
#include <string_view>

namespace talus::samples {

/// The one of `names` that takes the fewest changes of one letter (inserted, dropped, replaced, or two neighbours
/// swapped) to become `word`; the first of equals. Empty when even that takes more than half of the longer one's
/// letters.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

/// " Did you mean 'x'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace talus::samples
