#pragma once
/// Working memory that is kept between calls, so that a steady frame allocates nothing, but is not state.

#include <cstddef>
#include <span>
#include <vector>

namespace talus {

/// A copy starts with none.
template <class T>
struct Scratch : T {
    Scratch() = default;
    Scratch(const Scratch&) : T() {}
    Scratch(Scratch&&) = default;
    Scratch& operator=(const Scratch&) { return *this; }
    Scratch& operator=(Scratch&&) = default;
};

/// The first so many, made when there are fewer.
template <class T>
std::span<T> at_least(std::vector<T>& all, std::size_t count) {
    if (all.size() < count) all.resize(count);
    return std::span(all).first(count);
}

/// Gives back what exceeds `most`; what is in it must not.
template <class T>
void trim(std::vector<T>& list, std::size_t most) {
    if (list.capacity() > most) list.shrink_to_fit();
}

}  // namespace talus
