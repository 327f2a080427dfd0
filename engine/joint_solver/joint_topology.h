#pragma once
/// Which joints form an articulation, and the patterns of their matrices.
///
/// The topology is built when joints are added or removed, or when a body becomes dynamic or stops being dynamic. It is
/// kept until then.

#include "engine/joint_solver/articulations.h"

#include <cstdint>
#include <vector>

namespace talus {

class JointTopology {
public:
    /// Whether the articulations no longer fit the joints and bodies.
    bool has_changed(const JointStore& joints, const BodyStore& bodies) const;

    /// Whether `other` has built the same articulations: from the same joints, between bodies of the same kinds.
    bool matches(const JointTopology& other) const {
        return built_ && other.built_ && version_ == other.version_ && ends_of_slot_ == other.ends_of_slot_;
    }

    /// Builds all articulations: their links, joints, couplings and matrices.
    void build(Articulations& s, const JointStore& joints, const BodyStore& bodies);

    std::size_t bytes() const { return joint_of_slot_.capacity() * sizeof(std::uint32_t) + ends_of_slot_.capacity(); }

private:
    static std::uint8_t ends_of(const JointBodies& pair, const BodyStore& bodies);

    bool built_ = false;
    std::uint64_t version_ = 0;                 ///< of the joints, when it was built
    std::vector<std::uint32_t> joint_of_slot_;  ///< index in Articulations::joints, by joint slot
    /// By joint slot: which of its bodies were dynamic. Two bits; a body that is not dynamic is in no list of links.
    std::vector<std::uint8_t> ends_of_slot_;
};

}  // namespace talus
