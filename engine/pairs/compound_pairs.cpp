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
        sum += world.shapes.max_displacement(body, world.colliders);
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
    if (a.shape_count == 1 && b.shape_count == 1) {
        update_mesh(world, mesh_contacts, compound.pair);
        contacts.pairs[compound.pair].compared = false;
        return;
    }
    const auto has_mesh = [&](const Body& body) {
        const auto first = shapes.locals.begin() + body.first_shape;
        return std::any_of(first, first + body.shape_count, [](const LocalShape& shape) { return shape.is_mesh; });
    };
    const bool any_mesh = has_mesh(a) || has_mesh(b);  // its triangles are looked for in each step
    const bool worth_it = !any_mesh && motion(world, compound) <= 0.5f * compound.slack;
    new_pairs_.clear();
    const auto is_one_mesh = [&](const Body& body) {
        return body.shape_count == 1 && shapes.locals[body.first_shape].is_mesh;
    };
    // If all contacts are with triangles, there are no others to compare.
    if (!is_one_mesh(a) && !is_one_mesh(b))
        compare_boxes(world, events, compound.pair, worth_it ? compound.slack : 0.0f);
    if (any_mesh) list_mesh_pairs(world, compound.pair);
    // In this order, whatever the order in which trees have found the shapes.
    std::sort(new_pairs_.begin(), new_pairs_.end());
    add_contacts(world, mesh_contacts, compound.pair);
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

/// Two shapes have a contact if their boxes overlap when they are enlarged by the displacements of this step and by
/// `slack` (m). Removes the contacts of others, and lists the shapes that get one in `new_pairs_`.
void CompoundPairs::compare_boxes(const ContactWorld& world, ContactEvents& events, std::uint32_t p, float slack) {
    const ContactTable& contacts = world.contacts;
    const ShapePool& shapes = world.shapes;
    const Colliders& colliders = world.colliders;
    const std::uint32_t slot_a = contacts.pairs[p].body[0];
    const Body &a = world.bodies[slot_a], &b = world.bodies[contacts.pairs[p].body[1]];
    const auto near = [&](std::uint32_t i, std::uint32_t j) {
        const vec3 between(colliders.poses[j].position - colliders.poses[i].position);
        return overlaps(expand(shapes.boxes[i],
                               colliders.motions[i].max_displacement + colliders.motions[j].max_displacement + slack),
                        displaced(shapes.boxes[j], between));
    };
    // Notes which shape pairs keep their contact. Searching the list of contacts for each shape pair would take most of
    // the step if compounds of many shapes lie in each other.
    known_.resize(std::max(known_.size(), std::size_t{a.shape_count} * b.shape_count / 64 + 1), 0);
    const auto bit = [&](std::uint32_t i, std::uint32_t j) {
        return std::size_t{i - a.first_shape} * b.shape_count + (j - b.first_shape);
    };
    kept_.clear();
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].mesh_contact != null_index) return;
        const PairRecord& record = contacts.records[c];
        if (near(record.a, record.b)) {
            const bool in_order = contacts.bodies[c].a == slot_a;
            kept_.push_back(in_order ? bit(record.a, record.b) : bit(record.b, record.a));
            known_[kept_.back() / 64] |= std::uint64_t{1} << kept_.back() % 64;
            return;
        }
        if (contacts.states[c].touching) events.end(world.view().event_of(c), ContactEvents::When::now);
        world.remove_contact(c);
    });
    const float displacement_b = shapes.max_displacement(b, colliders);
    const float farthest = shapes.max_displacement(a, colliders) + displacement_b + slack;
    const dvec3 origin_a = shapes.origin_of(a, colliders), origin_b = shapes.origin_of(b, colliders);
    const Aabb all_of_b = displaced(expand(shapes.bounds(b, colliders), farthest), vec3(origin_b - origin_a));
    shapes.for_each_near(a, all_of_b, [&](std::uint32_t i) {
        if (shapes.locals[i].is_mesh) return;
        const float reach = colliders.motions[i].max_displacement + displacement_b + slack;
        const Aabb box = displaced(expand(shapes.boxes[i], reach), vec3(colliders.poses[i].position - origin_b));
        shapes.for_each_near(b, box, [&](std::uint32_t j) {
            const std::size_t k = bit(i, j);
            if ((known_[k / 64] >> k % 64 & 1u) == 0 && !shapes.locals[j].is_mesh && near(i, j) &&
                world.view().may_touch(i, j))
                new_pairs_.push_back({i, j});
        });
    });
    for (const std::size_t k : kept_) known_[k / 64] = 0;
}

/// The same as add_contacts() for two bodies of one shape each, one of which is a mesh: most of the pairs on a terrain.
void CompoundPairs::update_mesh(const ContactWorld& world, MeshContacts& mesh_contacts, std::uint32_t p) {
    const std::uint32_t slot_a = world.contacts.pairs[p].body[0], slot_b = world.contacts.pairs[p].body[1];
    const std::uint32_t i = world.bodies[slot_a].first_shape, j = world.bodies[slot_b].first_shape;
    const std::uint32_t known = world.contacts.pairs[p].first_mesh_contact;
    if (world.shapes.locals[j].is_mesh) {
        mesh_contacts.update(world, p, i, slot_a, j, slot_b, known);
    } else {
        mesh_contacts.update(world, p, j, slot_b, i, slot_a, known);
    }
}

/// Lists all pairs of a shape and a mesh in `new_pairs_`, too: their contacts depend on more than their boxes.
void CompoundPairs::list_mesh_pairs(const ContactWorld& world, std::uint32_t p) {
    const ShapePool& shapes = world.shapes;
    const Body& a = world.bodies[world.contacts.pairs[p].body[0]];
    const Body& b = world.bodies[world.contacts.pairs[p].body[1]];
    for (std::uint32_t i = a.first_shape; i < a.first_shape + a.shape_count; ++i) {
        for (std::uint32_t j = b.first_shape; j < b.first_shape + b.shape_count; ++j) {
            if (shapes.locals[i].is_mesh || shapes.locals[j].is_mesh) new_pairs_.push_back({i, j});
        }
    }
}

/// Adds the contacts of the pairs of shapes in `new_pairs_`, and updates the ones with meshes.
void CompoundPairs::add_contacts(const ContactWorld& world, MeshContacts& mesh_contacts, std::uint32_t p) {
    ContactTable& contacts = world.contacts;
    const ShapePool& shapes = world.shapes;
    const std::uint32_t slot_a = contacts.pairs[p].body[0], slot_b = contacts.pairs[p].body[1];
    mesh_pairs_.clear();
    for_each_mesh_contact(contacts, p, [&](std::uint32_t k) {
        const MeshContact& m = contacts.mesh_contacts[k];
        mesh_pairs_.push_back({m.shape_body == slot_a ? ShapePair{m.shape, m.mesh} : ShapePair{m.mesh, m.shape}, k});
    });
    std::sort(mesh_pairs_.begin(), mesh_pairs_.end(),
              [](const MeshPair& x, const MeshPair& y) { return x.shapes < y.shapes; });
    auto known = mesh_pairs_.begin();
    for (const ShapePair& pair : new_pairs_) {
        const auto [i, j] = pair;
        const bool b_is_mesh = shapes.locals[j].is_mesh;
        if (!b_is_mesh && !shapes.locals[i].is_mesh) {
            contacts.states[world.add_contact(p, i, slot_a, j, slot_b)].of_compound = true;
            continue;
        }
        while (known != mesh_pairs_.end() && known->shapes < pair) ++known;
        const std::uint32_t k = known != mesh_pairs_.end() && known->shapes == pair ? known->mesh_contact : null_index;
        if (b_is_mesh) {
            mesh_contacts.update(world, p, i, slot_a, j, slot_b, k);
        } else {
            mesh_contacts.update(world, p, j, slot_b, i, slot_a, k);
        }
    }
}

std::size_t CompoundPairs::bytes() const {
    return pairs_.capacity() * sizeof(CompoundPair) + known_.capacity() * sizeof(known_[0]) +
           kept_.capacity() * sizeof(kept_[0]) + new_pairs_.capacity() * sizeof(ShapePair) +
           mesh_pairs_.capacity() * sizeof(MeshPair);
}

}  // namespace talus
