#pragma once
/// Internal: what the public queries ask of their arguments before they begin. The library's own calls leave it out:
/// their shapes have been checked when they came in.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

namespace talus::detail {

inline bool is_usable(const Shape& shape) { return !check(shape); }

inline bool is_usable(const Frame& frame) {
    return is_finite(frame.position) && is_finite(frame.rotation[0]) && is_finite(frame.rotation[1]) &&
           is_finite(frame.rotation[2]);
}

inline bool is_usable(const Shape& a, const Shape& b, const Frame& b_in_a) {
    return is_usable(a) && is_usable(b) && is_usable(b_in_a);
}

}  // namespace talus::detail
