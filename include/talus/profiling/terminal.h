#pragma once
/// What a program may do with a stream: decorations are for terminals, files and pipes get plain text.

#include <cstdio>

namespace talus {

/// A terminal that can move its cursor: not a file, not a pipe, and not TERM=dumb.
bool is_terminal(std::FILE* stream);

/// The same, and NO_COLOR is not set in the environment (no-color.org).
bool wants_colors(std::FILE* stream);

}  // namespace talus
