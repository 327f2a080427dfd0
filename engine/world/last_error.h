#pragma once

#include <talus/result.h>

#include <mutex>
#include <utility>

namespace talus {

/// The error of the last refused call. set() may be called by several threads at once, because queries on a const world
/// may be refused in several threads. get() must not be called at the same time.
class LastError {
public:
    LastError() = default;
    LastError(const LastError& other) : error_(other.error_) {}
    LastError& operator=(const LastError& other) {
        if (this != &other) error_ = other.error_;
        return *this;
    }

    void set(Error error) {
        const std::scoped_lock lock(mutex_);
        error_ = std::move(error);
    }
    const Error& get() const { return error_; }

private:
    std::mutex mutex_;
    Error error_;
};

}  // namespace talus
