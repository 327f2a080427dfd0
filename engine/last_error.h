#pragma once

#include <talus/result.h>

#include <atomic>
#include <mutex>
#include <utility>

namespace talus {

/// The error of the last refused call. Queries on a const world may be refused in several threads at once, so setting
/// is serialised; reading is for when they are done.
class LastError {
public:
    LastError() = default;
    LastError(const LastError& other) : error_(other.error_) {}
    LastError& operator=(const LastError&) = delete;

    void set(Error error) {
        const std::scoped_lock lock(mutex_);
        error_ = std::move(error);
    }
    const Error& get() const { return error_; }

private:
    std::mutex mutex_;
    Error error_;
};

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
