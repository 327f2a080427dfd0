#pragma once

#include <chrono>

namespace talus {

/// Wall time.
class Stopwatch {
public:
    /// Microseconds since construction or the last call.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double since = std::chrono::duration<double, std::micro>(now - last_).count();
        last_ = now;
        return since;
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace talus
