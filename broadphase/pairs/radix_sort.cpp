#include "broadphase/pairs/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace talus::detail {

namespace {

constexpr unsigned digit_bits = 11;  // 2048 counters fit into half of a first-level cache
constexpr unsigned few_digit_bits = 8;
constexpr std::size_t many_count = 8192;
constexpr std::size_t small_count = 256;  // for fewer keys a comparison sort is faster than clearing the counters
constexpr std::size_t run_length = 8;

/// Sorts short runs by insertion, then merges runs in pairs. (std::stable_sort would allocate.)
template <class Less>
void merge_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch, const Less& less) {
    const std::size_t count = keys.size();
    for (std::size_t first = 0; first < count; first += run_length) {
        const std::size_t last = std::min(first + run_length, count);
        for (std::size_t i = first + 1; i < last; ++i) {
            const std::uint64_t key = keys[i];
            std::size_t place = i;
            for (; place > first && less(key, keys[place - 1]); --place) keys[place] = keys[place - 1];
            keys[place] = key;
        }
    }
    scratch.resize(count);
    for (std::size_t length = run_length; length < count; length *= 2) {
        const auto at = [&](std::size_t i) { return keys.begin() + static_cast<std::ptrdiff_t>(std::min(i, count)); };
        auto out = scratch.begin();
        for (std::size_t first = 0; first < count; first += 2 * length)
            out = std::merge(at(first), at(first + length), at(first + length), at(first + 2 * length), out, less);
        keys.swap(scratch);
    }
}

}  // namespace

void radix_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch, unsigned first_bit) {
    if (keys.size() <= small_count) {
        merge_sort(keys, scratch,
                   [first_bit](std::uint64_t a, std::uint64_t b) { return (a >> first_bit) < (b >> first_bit); });
        return;
    }
    std::uint64_t differing = 0;
    for (const std::uint64_t key : keys) differing |= key ^ keys.front();
    scratch.resize(keys.size());
    // Smaller digits for few keys, or clearing and adding up the counters would cost more than sorting the keys.
    const unsigned most_bits = keys.size() < many_count ? few_digit_bits : digit_bits;
    differing = differing >> first_bit << first_bit;
    while (differing != 0) {
        // The next digit begins at the lowest bit that differs between keys and ends before the next bit that does not.
        const auto shift = static_cast<unsigned>(std::countr_zero(differing));
        const auto run = static_cast<unsigned>(std::countr_one(differing >> shift));
        const unsigned passes = (run + most_bits - 1) / most_bits, bits = (run + passes - 1) / passes;
        const std::size_t radix = std::size_t{1} << bits;
        const std::uint64_t mask = radix - 1;
        differing &= ~(mask << shift);
        std::array<std::uint32_t, std::size_t{1} << digit_bits> position;
        std::fill_n(position.begin(), radix, 0u);
        const auto digit_of = [&](std::uint64_t key) { return static_cast<std::size_t>((key >> shift) & mask); };
        for (const std::uint64_t key : keys) ++position[digit_of(key)];
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < radix; ++i) {
            const std::uint32_t next = sum + position[i];
            position[i] = sum;
            sum = next;
        }
        for (const std::uint64_t key : keys) scratch[position[digit_of(key)]++] = key;
        keys.swap(scratch);
    }
}

}  // namespace talus::detail
