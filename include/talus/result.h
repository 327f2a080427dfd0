#pragma once
/// Errors are values: nothing in Talus throws, aborts or prints on user input.

#include <optional>
#include <string>
#include <utility>

namespace talus {

enum class ErrorCode {
    none,
    not_finite,        ///< a NaN or an infinity where a number is needed
    bad_size,          ///< a length, radius, mass or count that is zero, negative or out of range
    degenerate_shape,  ///< points that span no volume, a zero-length axis
    too_complex,       ///< more vertices or shapes than the format holds
    stale_handle,      ///< the body (or other object) was removed, or never existed
    bad_argument,      ///< anything else that makes no sense; the sentence says what
};

/// What was wrong and what to do about it. `message` is one sentence for a person.
struct Error {
    ErrorCode code = ErrorCode::none;
    std::string message;
    explicit operator bool() const { return code != ErrorCode::none; }
};

/// A T, or the reason why there is none. Ask `if (result)` before you take the value.
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
