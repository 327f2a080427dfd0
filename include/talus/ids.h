#pragma once

#include <cstdint>
#include <functional>

namespace talus {

/// A handle to a body: slot and generation, 8 bytes, copyable, comparable. Default-constructed it is null, and a
/// handle whose body was removed is recognised as stale for 2^32 reuses of its slot.
struct BodyId {
    std::uint32_t slot = 0xffffffffu;
    std::uint32_t generation = 0;

    bool is_null() const { return slot == 0xffffffffu; }
    explicit operator bool() const { return !is_null(); }
    friend bool operator==(const BodyId&, const BodyId&) = default;
};

/// A handle to a joint, alike.
struct JointId {
    std::uint32_t slot = 0xffffffffu;
    std::uint32_t generation = 0;

    bool is_null() const { return slot == 0xffffffffu; }
    explicit operator bool() const { return !is_null(); }
    friend bool operator==(const JointId&, const JointId&) = default;
};

/// The number of a triangle where there is no mesh.
inline constexpr std::uint32_t no_triangle = 0xffffffffu;

}  // namespace talus

template <>
struct std::hash<talus::JointId> {
    std::size_t operator()(const talus::JointId& id) const noexcept {
        return std::hash<std::uint64_t>{}((std::uint64_t{id.generation} << 32) | id.slot);
    }
};

template <>
struct std::hash<talus::BodyId> {
    std::size_t operator()(const talus::BodyId& id) const noexcept {
        return std::hash<std::uint64_t>{}((std::uint64_t{id.generation} << 32) | id.slot);
    }
};
