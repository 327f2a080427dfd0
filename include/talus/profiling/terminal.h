#pragma once
/// Finds out whether a stream is a terminal, which gets colours; files and pipes get plain text.

#include <cstdio>

namespace talus {

/// Returns whether the stream is a terminal that can move its cursor: not a file, not a pipe, and not TERM=dumb.
bool is_terminal(std::FILE* stream);

/// Returns whether it is such a terminal and NO_COLOR is not set in the environment (no-color.org).
bool wants_colors(std::FILE* stream);

}  // namespace talus
