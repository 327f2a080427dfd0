#include "engine/pairs/compound_pairs.h"

#include "engine/settings.h"
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/relative_motion.h"

#include <algorithm>
#include <cmath>

namespace talus {

void CompoundPairs::drop_gone(const ContactTable& contacts) {
    std::erase_if(pairs_, [&](const CompoundPair& compound) {
        const Pair& pair = contacts.pairs[compound.pair];
        return !pair.in_use || !pair.compound;
    });
}

void CompoundPairs::begin(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events,
                          std::uint32_t p) {
    Pair& pair = world.contacts.pairs[p];
    // The pair may be known already: a joint that forbade its contacts was removed.
    auto known = pairs_.end();
    if (pair.compound) {
        known = std::find_if(pairs_.begin(), pairs_.end(), [&](const CompoundPair& each) { return each.pair == p; });
    } else {
        known = pairs_.insert(pairs_.end(), CompoundPair{.pair = p});
    }
    pair.compound = true;
    update(world, mesh_contacts, events, *known);
}

void CompoundPairs::update(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events,
                           const AwakeSet& awake) {
    for (CompoundPair& compound : pairs_) {
        const Pair& pair = world.contacts.pairs[compound.pair];
        if (pair.collision_disabled) continue;
        if (awake.contains(pair.body[0]) || awake.contains(pair.body[1]))
            update(world, mesh_contacts, events, compound);
    }
}

bool CompoundPairs::fit(const ContactTable& contacts) const {
    std::vector<bool> known(contacts.pairs.size(), false);
    for (const CompoundPair& compound : pairs_) {
        if (compound.pair >= known.size() || known[compound.pair]) return false;
        known[compound.pair] = true;
    }
    for (std::size_t p = 0; p < known.size(); ++p) {
        if (contacts.pairs[p].compound && !known[p]) return false;
    }
    return true;
}

void CompoundPairs::clear_edge_counts(ContactTable& contacts) const {
    for (const CompoundPair& compound : pairs_) contacts.pairs[compound.pair].edges = 0;
}

/// Returns an upper bound (m) of how far two shapes of the pair have approached each other since the last comparison of
/// boxes, including this step.
float CompoundPairs::motion(const ContactWorld& world, const CompoundPair& compound) {
    const ContactTable& contacts = world.contacts;
    const BodyStore& bodies = world.bodies;
    const Pair& pair = contacts.pairs[compound.pair];
    float sum =
        std::sqrt(length_squared(vec3(bodies[pair.body[1]].center - bodies[pair.body[0]].center) - compound.between));
    for (int i = 0; i < 2; ++i) {
        const Body& body = bodies[pair.body[i]];
        sum += detail::motion_bound({.rotation = compound.rotations[i]}, {.rotation = body.rotation}, body.radius);
        float reach = 0.0f;
        for (std::uint32_t k = body.first_shape; k < body.first_shape + body.shape_count; ++k)
            reach = std::max(reach, world.colliders.motions[k].max_displacement);
        sum += reach;
    }
    return sum;
}

void CompoundPairs::update(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events,
                           CompoundPair& compound) {
    ContactTable& contacts = world.contacts;
    const BodyStore& bodies = world.bodies;
    const ShapePool& shapes = world.shapes;
    const Pair& pair = contacts.pairs[compound.pair];
    const Body &a = bodies[pair.body[0]], &b = bodies[pair.body[1]];
    if (pair.compared && motion(world, compound) <= compound.slack) {
        if (++compound.steps == settings::compound_calm_steps) end_apart_contacts(world, compound);
        return;
    }
    compound.steps = 0;
    compound.between = vec3(b.center - a.center);
    compound.rotations[0] = a.rotation;
    compound.rotations[1] = b.rotation;
    compound.slack = settings::compound_slack * std::min(a.radius, b.radius);
    const auto is_mesh = [](const ShapeDef& shape) { return shape.mesh != nullptr; };
    const auto has_mesh = [&](const Body& body) {
        const auto first = shapes.defs.begin() + body.first_shape;
        return std::any_of(first, first + body.shape_count, is_mesh);  // its triangles are looked for in each step
    };
    const bool worth_it = !has_mesh(a) && !has_mesh(b) && motion(world, compound) <= 0.5f * compound.slack;
    compare_boxes(world, mesh_contacts, events, compound.pair, worth_it ? compound.slack : 0.0f);
    contacts.pairs[compound.pair].compared = worth_it;
}

/// Removes the contacts of shapes that cannot meet before the boxes are compared again. For bowls that lie in each
/// other, most boxes overlap but few walls are near each other.
void CompoundPairs::end_apart_contacts(const ContactWorld& world, const CompoundPair& compound) {
    const ContactTable& contacts = world.contacts;
    const Colliders& colliders = world.colliders;
    for_each_contact(contacts, compound.pair, [&](std::uint32_t c) {
        const ContactState& state = contacts.states[c];
        const PairRecord& record = contacts.records[c];
        if (record.state != PairState::separated || state.touching || state.modified || state.held_back) return;
        const Transform b_in_a = relative(colliders.poses[record.a], colliders.poses[record.b]);
        const float motion = detail::motion_bound(record.reference, b_in_a, record.radius_b) + 2.0f * compound.slack;
        if (motion < record.distance - detail::contact_margin(colliders, record)) world.remove_contact(c);
    });
}

/// Keeps, adds and removes contacts: two shapes have one if their boxes overlap when they are enlarged by the
/// displacements of this step and by `slack` (m).
void CompoundPairs::compare_boxes(const ContactWorld& world, MeshContacts& mesh_contacts, ContactEvents& events,
                                  std::uint32_t p, float slack) {
    ContactTable& contacts = world.contacts;
    const BodyStore& bodies = world.bodies;
    const ShapePool& shapes = world.shapes;
    const Colliders& colliders = world.colliders;
    const std::uint32_t slot_a = contacts.pairs[p].body[0], slot_b = contacts.pairs[p].body[1];
    const Body &a = bodies[slot_a], &b = bodies[slot_b];
    const auto update_meshes = [&](std::uint32_t i, std::uint32_t j) {
        if (shapes.defs[j].mesh) {
            mesh_contacts.update(world, p, i, slot_a, j, slot_b);
        } else if (shapes.defs[i].mesh) {
            mesh_contacts.update(world, p, j, slot_b, i, slot_a);
        } else {
            return false;
        }
        return true;
    };
    if ((a.shape_count == 1 && shapes.defs[a.first_shape].mesh) ||
        (b.shape_count == 1 && shapes.defs[b.first_shape].mesh)) {
        // All contacts are with triangles. There are many, and the loops below would read them all, to find none.
        for (std::uint32_t i = a.first_shape; i < a.first_shape + a.shape_count; ++i) {
            for (std::uint32_t j = b.first_shape; j < b.first_shape + b.shape_count; ++j) update_meshes(i, j);
        }
        return;
    }
    const auto near = [&](std::uint32_t i, std::uint32_t j) {
        const vec3 between(colliders.poses[j].position - colliders.poses[i].position);
        return overlaps(expand(shapes.boxes[i],
                               colliders.motions[i].max_displacement + colliders.motions[j].max_displacement + slack),
                        displaced(shapes.boxes[j], between));
    };
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].mesh_contact != null_index || near(contacts.records[c].a, contacts.records[c].b)) return;
        if (contacts.states[c].touching) events.end(world.view().event_of(c), ContactEvents::When::now);
        world.remove_contact(c);
    });
    // Notes which shape pairs have a contact already. Searching the list of contacts for each shape pair would take
    // most of the step if compounds of many shapes lie in each other.
    known_contacts_.assign(std::size_t{a.shape_count} * b.shape_count, 0);
    const auto known = [&](std::uint32_t i, std::uint32_t j) -> std::uint8_t& {
        return known_contacts_[std::size_t{i - a.first_shape} * b.shape_count + (j - b.first_shape)];
    };
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].mesh_contact != null_index) return;
        const PairRecord& record = contacts.records[c];
        const bool in_order = contacts.bodies[c].a == slot_a;
        known(in_order ? record.a : record.b, in_order ? record.b : record.a) = 1;
    });
    for (std::uint32_t i = a.first_shape; i < a.first_shape + a.shape_count; ++i) {
        for (std::uint32_t j = b.first_shape; j < b.first_shape + b.shape_count; ++j) {
            if (update_meshes(i, j) || !near(i, j)) continue;
            if (known(i, j) != 0 || !world.view().may_touch(i, j)) continue;
            contacts.states[world.add_contact(p, i, slot_a, j, slot_b)].of_compound = true;
        }
    }
}

}  // namespace talus
