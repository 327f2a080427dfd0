#pragma once
/// Errors are values: Talus does not throw, abort or print because of bad input.

#include <optional>
#include <string>
#include <utility>

namespace talus {

enum class ErrorCode {
    none,
    not_finite,        ///< a NaN or an infinity
    bad_size,          ///< a length, radius, mass or count that is zero, negative or out of range
    degenerate_shape,  ///< points without volume, an axis of length zero
    too_complex,       ///< more vertices or shapes than Talus can store
    stale_handle,      ///< the body (or other object) was removed, or never existed
    bad_argument,      ///< any other bad input
};

/// Why a call was refused. `message` says what was wrong, the value that was given, and what is allowed.
struct Error {
    ErrorCode code = ErrorCode::none;
    std::string message;
    explicit operator bool() const { return code != ErrorCode::none; }
};

/// A T, or the error if there is none. Test `if (result)` before you use the value.
template <class T>
class Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const { return value_.has_value(); }
    const T& operator*() const { return *value_; }
    T& operator*() { return *value_; }
    const T* operator->() const { return &*value_; }
    T* operator->() { return &*value_; }
    const Error& error() const { return error_; }

private:
    std::optional<T> value_;
    Error error_;
};

}  // namespace talus
