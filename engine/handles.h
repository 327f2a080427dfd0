#pragma once
/// The generations of handles (ids.h): the tag of the world in the upper bits, the number of reuses of the slot in the
/// lower ones.

#include <cstdint>

namespace talus::handles {

inline constexpr std::uint32_t use_bits = 22, last_use = (1u << use_bits) - 1, last_tag = (1u << (32 - use_bits)) - 1;

inline constexpr std::uint32_t first_generation(std::uint32_t tag) { return tag << use_bits; }
inline constexpr std::uint32_t tag_of(std::uint32_t generation) { return generation >> use_bits; }
inline constexpr std::uint32_t use_of(std::uint32_t generation) { return generation & last_use; }
/// The generation of the slot's next use. After the last one the first one comes again.
inline constexpr std::uint32_t next_generation(std::uint32_t generation) {
    return first_generation(tag_of(generation)) | use_of(generation + 1);
}

}  // namespace talus::handles
