#pragma once
/// Files of a hash after each stage of each step, and where two of them differ first.

#include <talus/engine/profile.h>
#include <talus/result.h>

#include <string>

namespace talus::samples {

/// A line of such a file: the step, and the stages' hashes in their order, in hexadecimal.
std::string stage_hash_line(const FrameProfile& profile);

struct HashComparison {
    bool equal = false;
    std::string text;  ///< a sentence
};

/// Names the first step and stage in which the two files differ. An Error when one cannot be read, or is no such file.
Result<HashComparison> compare_stage_hashes(const std::string& first, const std::string& second);

}  // namespace talus::samples
