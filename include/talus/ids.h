#pragma once
/// Handles of bodies and joints.

#include <cstddef>
#include <cstdint>
#include <typeindex>  // the shortest header that declares std::hash

namespace talus {

/// A handle of a body: a slot and a generation. 8 bytes, copyable, comparable. A default-constructed handle is null. The
/// handle of a removed body is recognised as stale until its slot has been reused 2^32 times.
struct BodyId {
    std::uint32_t slot = 0xffffffffu;
    std::uint32_t generation = 0;

    bool is_null() const { return slot == 0xffffffffu; }
    explicit operator bool() const { return !is_null(); }
    friend bool operator==(const BodyId&, const BodyId&) = default;
};

/// A handle of a joint, like BodyId.
struct JointId {
    std::uint32_t slot = 0xffffffffu;
    std::uint32_t generation = 0;

    bool is_null() const { return slot == 0xffffffffu; }
    explicit operator bool() const { return !is_null(); }
    friend bool operator==(const JointId&, const JointId&) = default;
};

/// The triangle number of a shape that is not a mesh or a height field.
inline constexpr std::uint32_t no_triangle = 0xffffffffu;

}  // namespace talus

template <>
struct std::hash<talus::JointId> {
    std::size_t operator()(const talus::JointId& id) const noexcept {
        return static_cast<std::size_t>((std::uint64_t{id.generation} << 32) | id.slot);
    }
};

template <>
struct std::hash<talus::BodyId> {
    std::size_t operator()(const talus::BodyId& id) const noexcept {
        return static_cast<std::size_t>((std::uint64_t{id.generation} << 32) | id.slot);
    }
};
