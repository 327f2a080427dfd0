#pragma once
/// Handles of bodies and joints.

#include <cstddef>
#include <cstdint>
#include <typeindex>  // the shortest header that declares std::hash

namespace talus {

/// A handle to a body, 8 bytes. A default-constructed handle is null. The handle of a removed body is stale, and is
/// recognised as such for 2^22 reuses of its slot. Each world refuses the handles of other worlds, except for its own
/// copies and those with the same tag (see WorldDef::handle_tag).
struct BodyId {
    std::uint32_t slot = 0xffffffffu;  ///< index of the body in the world
    /// The world's tag in the upper 10 bits, and how often the slot has been reused in the lower 22.
    std::uint32_t generation = 0;

    bool is_null() const { return slot == 0xffffffffu; }             ///< whether it refers to no body
    explicit operator bool() const { return !is_null(); }            ///< whether it is not null; it may be stale
    friend bool operator==(const BodyId&, const BodyId&) = default;  ///< compares both fields
};

/// A handle to a joint, with the properties of BodyId.
struct JointId {
    std::uint32_t slot = 0xffffffffu;  ///< index of the joint in the world
    std::uint32_t generation = 0;      ///< as in BodyId

    bool is_null() const { return slot == 0xffffffffu; }               ///< whether it refers to no joint
    explicit operator bool() const { return !is_null(); }              ///< whether it is not null; it may be stale
    friend bool operator==(const JointId&, const JointId&) = default;  ///< compares both fields
};

/// The triangle number of a shape that is not a mesh.
inline constexpr std::uint32_t no_triangle = 0xffffffffu;

}  // namespace talus

/// @cond  Hashes of handles, for unordered containers.
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
/// @endcond
