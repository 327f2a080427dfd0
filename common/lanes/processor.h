#pragma once
/// Which instructions the processor has, and functions of processors and compilers that C++ does not have.

#include <cstdint>

#if !defined(__x86_64__) && !defined(__i386__)
#include <chrono>
#endif
#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__)
#include <thread>
#endif

namespace talus::detail {

/// True if this library was built for AVX2, too, and this processor has it.
bool has_avx2();

/// True if the engine was built for AVX-512, too, and this processor has it for doubles and for shorter vectors (F, DQ
/// and VL).
bool has_avx512();

/// The instruction set of the vectors in common/lanes, without AVX: "SSE2", "NEON", "SIMD128" or "plain".
const char* base_lanes();

/// The time in ticks of a clock that never goes back: the time-stamp counter if the processor has one, because reading
/// it costs a third of reading the system's clock.
inline std::uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// For loops that spin: some tens of nanoseconds in which the processor does little.
inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#else
    std::this_thread::yield();
#endif
}

/// Asks for the cache line of an address that will be read soon.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#endif
}

/// Asks for the cache line of an address that will be written soon.
inline void prefetch_to_write([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#endif
}

/// Sets a flag that other threads may set at the same time, as std::atomic_ref would. Clang's standard library has that
/// since version 19.
inline void set_relaxed(bool& flag) { __atomic_store_n(&flag, true, __ATOMIC_RELAXED); }

}  // namespace talus::detail
