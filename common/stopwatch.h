#pragma once
/// The clock of the profile: detail::ticks().

#include "common/lanes/processor.h"

#include <chrono>
#include <cstdint>

namespace talus {

/// False in a library built with TALUS_PROFILING off: then times and counts of the narrowphase are 0 and cost nothing.
#ifdef TALUS_NO_PROFILING
inline constexpr bool profiling_compiled_in = false;
#else
inline constexpr bool profiling_compiled_in = true;
#endif

using detail::ticks;

/// The length of a tick (us), within 0.1%. The first call compares the two clocks, which takes 0.2 ms.
inline double microseconds_per_tick() {
    static const double length = [] {
        using Clock = std::chrono::steady_clock;
        // Reads both clocks at one moment. The fastest of several tries counts, because the system
        // may run another program between two reads.
        const auto both = [](Clock::time_point& time, double& tick) {
            std::uint64_t least = ~std::uint64_t{0};
            for (int i = 0; i < 16; ++i) {
                const std::uint64_t before = ticks();
                const auto now = Clock::now();
                const std::uint64_t took = ticks() - before;
                if (took >= least) continue;
                least = took;
                time = now;
                tick = static_cast<double>(before) + 0.5 * static_cast<double>(took);
            }
        };
        Clock::time_point begin, end;
        double first = 0.0, last = 0.0;
        both(begin, first);
        while (Clock::now() - begin < std::chrono::microseconds(200)) {}
        both(end, last);
        return std::chrono::duration<double, std::micro>(end - begin).count() / (last - first);
    }();
    return length;
}

/// The time that reading the clock takes (us): the mean of a thousand reads, measured at the first call.
inline double microseconds_per_read() {
    static const double price = [] {
        constexpr int reads = 1000;
        const std::uint64_t first = ticks();
        std::uint64_t last = first;
        for (int i = 0; i < reads; ++i) last = ticks();
        return static_cast<double>(last - first) * microseconds_per_tick() / reads;
    }();
    return price;
}

/// Measures wall time.
class Stopwatch {
public:
    /// A stopwatch that is off reads no clock, and each lap is 0.
    explicit Stopwatch(bool on = true) : on_(on && profiling_compiled_in), last_(on_ ? ticks() : 0) {}

    /// Returns the microseconds since construction or the last call.
    double lap() {
        if (!on_) return 0.0;
        const std::uint64_t now = ticks(), since = now - last_;
        last_ = now;
        ++laps_;
        return static_cast<double>(since) * microseconds_per_tick();
    }

    /// When it last read the clock, us; the zero of this time is arbitrary. 0 if it is off.
    double last() const { return static_cast<double>(last_) * microseconds_per_tick(); }

    /// How many times it has read the clock.
    std::uint32_t reads() const { return on_ ? laps_ + 1 : 0; }

private:
    bool on_;
    std::uint32_t laps_ = 0;
    std::uint64_t last_;
};

}  // namespace talus
