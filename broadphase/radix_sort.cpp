#include <talus/broadphase/radix_sort.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace talus {

namespace {

constexpr unsigned digit_bits = 11;  // 2048 counters fit into half of a first-level cache
constexpr std::size_t radix = std::size_t{1} << digit_bits;
constexpr std::size_t small_count = 256;  // below, a comparison sort beats clearing the counters

}  // namespace

void radix_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch, unsigned first_bit) {
    if (keys.size() <= small_count) {
        std::stable_sort(keys.begin(), keys.end(),
                         [first_bit](std::uint64_t a, std::uint64_t b) { return (a >> first_bit) < (b >> first_bit); });
        return;
    }
    std::uint64_t differing = 0;
    for (const std::uint64_t key : keys) differing |= key ^ keys.front();
    scratch.resize(keys.size());
    for (unsigned shift = first_bit; shift < 64; shift += digit_bits) {
        if (((differing >> shift) & (radix - 1)) == 0) continue;
        std::array<std::uint32_t, radix> position{};
        for (const std::uint64_t key : keys) ++position[(key >> shift) & (radix - 1)];
        std::uint32_t sum = 0;
        for (std::uint32_t& count : position) {
            const std::uint32_t next = sum + count;
            count = sum;
            sum = next;
        }
        for (const std::uint64_t key : keys) scratch[position[(key >> shift) & (radix - 1)]++] = key;
        keys.swap(scratch);
    }
}

}  // namespace talus
