#pragma once

#include <atomic>

namespace talus {

/// How many calls of a world are running that call the user's functions: step() and draw(). A copy of a world has none.
struct RunningCallbacks {
    std::atomic<int> count{0};

    RunningCallbacks() = default;
    RunningCallbacks(const RunningCallbacks&) {}
    RunningCallbacks& operator=(const RunningCallbacks&) = delete;

    /// Counts one as long as it lives.
    class Scope {
    public:
        explicit Scope(RunningCallbacks& all) : all_(all) { ++all_.count; }
        ~Scope() { --all_.count; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        RunningCallbacks& all_;
    };
};

}  // namespace talus
