#pragma once
/// Pairs of bodies with several shapes or with a mesh: two shapes have a contact while their boxes are near each other.
///
/// If 50 bowls of 17 hulls lie in each other, comparing all boxes in each step would take most of the step. So boxes
/// are enlarged by a slack when they are compared, and compared again when the two bodies have moved so far that the
/// slack is used up. The boxes of bodies that move faster are compared in each step, without slack. Bodies of many
/// shapes have trees (bodies/shape_tree.h), so that only few of the boxes are compared at all.

#include "engine/contacts/contact_world.h"
#include "engine/events/contact_events.h"
#include "engine/mesh_contacts/mesh_contacts.h"
#include "engine/sleeping/awake_set.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

class CompoundPairs {
public:
    /// Forgets the pairs that were removed. Called before new pairs take their slots.
    void drop_gone(const ContactTable& contacts);
    /// Adds a pair, or finds it, and gives it its contacts.
    void begin(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events, std::uint32_t pair);
    /// Adds and removes the contacts of all pairs with an awake body.
    void update(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events, const AwakeSet& awake);

    void clear_edge_counts(ContactTable& contacts) const;
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(pairs_);
    }
    /// Returns whether the pairs that were read exist, and each is there once.
    bool fit(const ContactTable& contacts) const;
    std::size_t bytes() const;

private:
    /// The state of the two bodies when their boxes were last compared. Boxes that were not near then are not near as
    /// long as the bodies have moved and rotated by less than `slack` since.
    struct CompoundPair {
        std::uint32_t pair = null_index;
        float slack = 0.0f;       ///< m
        std::uint32_t steps = 0;  ///< since the last comparison
        vec3 between{0.0f};       ///< from the centre of the first body to the centre of the second one
        quat rotations[2] = {};
        template <class Bytes>
        void visit_fields(Bytes& bytes) {
            bytes(pair, slack, steps, between, rotations);
        }
    };
    static float motion(const ContactWorld& world, const CompoundPair& compound);
    void update(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events, CompoundPair& compound);
    static void end_apart_contacts(const ContactWorld& world, const CompoundPair& compound);
    void compare_boxes(const ContactWorld& world, ContactEvents& events, std::uint32_t pair, float slack);
    void list_mesh_pairs(const ContactWorld& world, std::uint32_t pair);
    static void update_mesh(const ContactWorld& world, MeshContacts& mesh_contacts, std::uint32_t pair);
    void add_contacts(const ContactWorld& world, MeshContacts& mesh_contacts, std::uint32_t pair);

    /// A shape of each of the pair's bodies.
    struct ShapePair {
        std::uint32_t a, b;
        auto operator<=>(const ShapePair&) const = default;
    };
    struct MeshPair {
        ShapePair shapes;
        std::uint32_t mesh_contact;
    };
    std::vector<CompoundPair> pairs_;
    // Scratch:
    std::vector<std::uint64_t> known_;  ///< a bit by shape of A and of B: they keep a contact; all 0 between calls
    std::vector<std::size_t> kept_;     ///< the bits that are set
    std::vector<ShapePair> new_pairs_;
    std::vector<MeshPair> mesh_pairs_;
};

}  // namespace talus
