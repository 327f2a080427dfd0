#pragma once
/// The player: a recording as one page of HTML that opens from disk in a browser and asks for nothing else.

#include "samples/recording/recording.h"

namespace talus::samples {

/// Bytes as characters: thirteen bits become two of the 91 printable ones of ASCII that mean nothing in HTML or
/// JavaScript (all but space, ", & and <). 1.23 characters per byte, where base64 takes 1.33.
std::string to_text(std::string_view bytes);

std::string replay_page(const Recording& recording);

}  // namespace talus::samples
