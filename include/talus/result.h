#pragma once
/// Errors as values: Talus does not throw, abort or print because of user input.

#include <optional>
#include <string>
#include <utility>

namespace talus {

/// The kind of an error.
enum class ErrorCode {
    none,              ///< no error
    not_finite,        ///< a NaN or an infinity where a number is needed
    bad_size,          ///< a length, radius, mass or count that is zero, negative or out of range
    degenerate_shape,  ///< points that span no volume, an axis of length zero
    too_complex,       ///< more vertices or shapes than can be stored
    stale_handle,      ///< the body or joint was removed, or never existed
    bad_argument,      ///< any other argument that is not allowed; the message says which
    bad_data,          ///< saved bytes that are damaged, or of another format
};

/// An error: what was wrong, and what is allowed.
struct Error {
    ErrorCode code = ErrorCode::none;                                   ///< its kind
    std::string message;                                                ///< a sentence for a person
    explicit operator bool() const { return code != ErrorCode::none; }  ///< whether there is an error
};

/// A value of type T, or an error that says why there is no value. Test `if (result)` before you use the value.
template <class T>
class Result {
public:
    Result(T value) : value_(std::move(value)) {}      ///< holds a value
    Result(Error error) : error_(std::move(error)) {}  ///< holds an error

    explicit operator bool() const { return value_.has_value(); }  ///< whether there is a value
    const T& operator*() const { return *value_; }                 ///< the value; there must be one
    T& operator*() { return *value_; }                             ///< the value; there must be one
    const T* operator->() const { return &*value_; }               ///< the value's members; there must be one
    T* operator->() { return &*value_; }                           ///< the value's members; there must be one
    const Error& error() const { return error_; }  ///< the error; its code is `none` if there is a value

private:
    std::optional<T> value_;
    Error error_;
};

}  // namespace talus
