#pragma once
/// Numbers from the environment, for long or repeated runs of a test.

#include <cstdlib>

namespace talus::test {

/// Returns the number in the environment variable `name`, or `otherwise` if it is not set.
inline long from_environment(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::atol(text) : otherwise;
}

}  // namespace talus::test
