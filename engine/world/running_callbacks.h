#pragma once

#include <atomic>

namespace talus {

/// Counts the running calls of step() and draw(), which call functions of the user. While there is one, the world must
/// not be changed. A copied world begins with none.
struct RunningCallbacks {
    std::atomic<int> count{0};

    RunningCallbacks() = default;
    RunningCallbacks(const RunningCallbacks&) {}
    RunningCallbacks& operator=(const RunningCallbacks&) { return *this; }

    /// Counts as one running call during its lifetime.
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
