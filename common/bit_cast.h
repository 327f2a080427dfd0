#pragma once
/// Internal: std::bit_cast, which clang's standard library lacks before version 14. It includes nothing.

namespace talus::detail {

/// Returns the value of type To that has the bytes of x.
template <class To, class From>
constexpr To bit_cast(const From& x) {
    return __builtin_bit_cast(To, x);
}

}  // namespace talus::detail
