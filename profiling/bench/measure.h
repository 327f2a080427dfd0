#pragma once
/// What the parts of talus-profile share: a clock, medians, numbers from the command line.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::profiling {

/// CPU time of this thread, ns: other programs on the machine do not count.
inline double thread_cpu_ns() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

/// Thread CPU time of `pass`, ns: the mean over `times` calls.
template <class Pass>
double time_of(int times, Pass&& pass) {
    const double start = thread_cpu_ns();
    for (int i = 0; i < times; ++i) pass();
    return (thread_cpu_ns() - start) / times;
}

/// Wall time of `pass`, ns: for what runs on several threads.
template <class Pass>
double wall_time_of(Pass&& pass) {
    const auto start = std::chrono::steady_clock::now();
    pass();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// The upper of the two in the middle, if there are two; 0 of nothing.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// An option that takes a value, and what that may be, in words.
struct OptionValues {
    std::string_view name;
    const char* allowed;
};

/// Says on stderr what is wrong with an option or its value, and what is allowed; false.
inline bool refuse(std::string_view name, std::string_view value, std::span<const OptionValues> options) {
    const std::string option(name), given(value);
    for (const OptionValues& known : options) {
        if (known.name != name) continue;
        if (value.empty())
            std::fprintf(stderr, "talus-profile: %s needs a value: %s.\n", option.c_str(), known.allowed);
        else
            std::fprintf(stderr, "talus-profile: %s was given '%s'; it must be %s.\n", option.c_str(), given.c_str(),
                         known.allowed);
        return false;
    }
    std::fprintf(stderr, "talus-profile: there is no option '%s'; --help lists them.\n", option.c_str());
    return false;
}

/// False unless the whole text is one number.
template <class T>
bool parse_number(std::string_view text, T& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace talus::profiling
