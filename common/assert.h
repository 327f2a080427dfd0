#pragma once
/// Internal: TALUS_ASSERT states an invariant of our own code: an index in range, a unit vector, a finite value. It is
/// for our mistakes only; what users pass in is checked and refused with an error.
///
/// Active in Debug and sanitizer builds, where a false condition prints the place and ends the program. Elsewhere the
/// condition is not evaluated, and costs nothing.

#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TALUS_ASSERTS_ON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define TALUS_ASSERTS_ON 1
#endif
#endif

#ifdef TALUS_ASSERTS_ON
#include <cstdio>
#include <cstdlib>

namespace talus::detail {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: Talus has made a mistake: not true that %s\n", file, line, condition);
    std::abort();
}

}  // namespace talus::detail

#define TALUS_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::talus::detail::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define TALUS_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#endif
