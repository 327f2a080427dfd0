#pragma once
/// Working memory that is kept between calls, so that a steady frame allocates nothing. It is not part of the state.

#include <cstddef>
#include <span>
#include <vector>

namespace talus {

/// A T whose copies start empty.
template <class T>
struct Scratch : T {
    Scratch() = default;
    Scratch(const Scratch&) : T() {}
    Scratch(Scratch&&) = default;
    Scratch& operator=(const Scratch&) { return *this; }
    Scratch& operator=(Scratch&&) = default;
};

/// Returns the first `count` elements; adds elements if there are fewer.
template <class T>
std::span<T> at_least(std::vector<T>& all, std::size_t count) {
    if (all.size() < count) all.resize(count);
    return std::span(all).first(count);
}

/// Gives back the capacity above the size if the capacity is larger than `most`.
template <class T>
void trim(std::vector<T>& list, std::size_t most) {
    if (list.capacity() > most) list.shrink_to_fit();
}

}  // namespace talus
