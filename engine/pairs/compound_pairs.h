#pragma once
/// Pairs of bodies of which one has several shapes: contacts come and go with the boxes of the shapes.
///
/// To compare all boxes of two compounds in each step takes most of a step in which 50 bowls of 17 hulls lie in each other. So boxes
/// are grown by a slack when they are compared, and compared again once the two bodies have moved so far that the slack is used up.
/// Bodies that move faster than that are compared in each step, without slack.

#include "engine/contacts/contact_world.h"
#include "engine/events/contact_events.h"
#include "engine/mesh_contacts/mesh_contacts.h"
#include "engine/sleeping/awake_set.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

class CompoundPairs {
public:
    /// Forgets pairs that are gone, before their slots are taken by others.
    void drop_gone(const ContactTable& contacts);
    /// Adds a pair, or finds it, and gives it its contacts.
    void begin(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events, std::uint32_t pair);
    /// Adds and removes the contacts of all pairs with an awake body.
    void update(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events, const AwakeSet& awake);

    void clear_edge_counts(ContactTable& contacts) const;
    std::size_t bytes() const { return pairs_.capacity() * sizeof(CompoundPair) + known_contacts_.capacity(); }

private:
    /// Boxes that were not near when they were last compared are not near while the two bodies have moved and turned by less
    /// than `slack` since.
    struct CompoundPair {
        std::uint32_t pair = null_index;
        float slack = 0.0f;       ///< m
        std::uint32_t steps = 0;  ///< since then
        vec3 between{0.0f};       ///< from the centre of the first body to that of the second one
        quat rotations[2] = {};
    };
    static float motion(const ContactWorld& world, const CompoundPair& compound);
    void update(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events, CompoundPair& compound);
    static void end_apart_contacts(const ContactWorld& world, const CompoundPair& compound);
    void compare_boxes(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events,
                       std::uint32_t pair, float slack);

    std::vector<CompoundPair> pairs_;
    std::vector<std::uint8_t> known_contacts_;  ///< scratch: by shape of A and shape of B
};

}  // namespace talus
