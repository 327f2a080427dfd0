#include "engine/contacts/contact_table.h"

#include "engine/settings.h"

#include <algorithm>
#include <utility>

namespace talus {

namespace {

/// Returns a free slot: the one that was freed last, or a new one at the end. That is as deterministic as the lowest
/// free slot, and needs no search.
template <class T>
std::uint32_t take_slot(std::vector<T>& slots, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
        slots.emplace_back();
        return static_cast<std::uint32_t>(slots.size() - 1);
    }
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
}

}  // namespace

std::uint32_t ContactTable::begin_pair(BodyStore& store, std::uint32_t body_a, std::uint32_t body_b) {
    const std::uint32_t p = take_slot(pairs, free_pairs_);
    far.resize(pairs.size());
    Pair& pair = pairs[p];
    pair = Pair{};
    pair.in_use = true;
    pair.body[0] = body_a;
    pair.body[1] = body_b;
    for (int side = 0; side < 2; ++side) {
        const std::uint32_t slot = pair.body[side];
        Body& body = store[slot];
        std::uint32_t before = null_index, after = body.first_pair;
        if (store[pair.body[1 - side]].is_dynamic()) {
            while (after != null_index && !store[other_body(pairs[after], slot)].is_dynamic()) {
                before = after;
                after = pairs[after].next[side_of(pairs[after], slot)];
            }
        }
        pair.previous[side] = before;
        pair.next[side] = after;
        if (after != null_index) pairs[after].previous[side_of(pairs[after], slot)] = p;
        (before == null_index ? body.first_pair : pairs[before].next[side_of(pairs[before], slot)]) = p;
        ++body.pair_count;
    }
    ++live_pairs_;
    return p;
}

void ContactTable::set_far(std::uint32_t p, bool is_far) {
    if (is_far == (far[p].a != null_index)) return;
    far[p] = is_far ? ContactBodies{pairs[p].body[0], pairs[p].body[1]} : ContactBodies{};
    is_far ? ++far_pairs_ : --far_pairs_;
}

void ContactTable::end_pair(BodyStore& store, std::uint32_t p) {
    set_far(p, false);
    Pair& pair = pairs[p];
    for (int side = 0; side < 2; ++side) {
        Body& body = store[pair.body[side]];
        const std::uint32_t before = pair.previous[side], after = pair.next[side];
        if (before != null_index) {
            Pair& other = pairs[before];
            other.next[side_of(other, pair.body[side])] = after;
        } else {
            body.first_pair = after;
        }
        if (after != null_index) {
            Pair& other = pairs[after];
            other.previous[side_of(other, pair.body[side])] = before;
        }
        --body.pair_count;
    }
    for_each_mesh_contact(*this, p, [&](std::uint32_t k) {
        mesh_contacts[k].shape = mesh_contacts[k].mesh = null_index;
        free_mesh_contacts_.push_back(k);
    });
    pair = Pair{};
    free_pairs_.push_back(p);
    --live_pairs_;
}

std::uint32_t ContactTable::find_pair(const BodyStore& store, std::uint32_t body_a, std::uint32_t body_b) const {
    if (store[body_a].pair_count > store[body_b].pair_count) std::swap(body_a, body_b);
    for (std::uint32_t p = store[body_a].first_pair; p != null_index;) {
        const Pair& pair = pairs[p];
        if (other_body(pair, body_a) == body_b) return p;
        p = pair.next[side_of(pair, body_a)];
    }
    return null_index;
}

std::uint32_t ContactTable::find_contact(const BodyStore& store, std::uint32_t body_a, std::uint32_t shape_a,
                                         std::uint32_t body_b, std::uint32_t shape_b) const {
    const std::uint32_t p = find_pair(store, body_a, body_b);
    return p == null_index ? null_index : find_contact(p, shape_a, shape_b);
}

std::uint32_t ContactTable::find_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t shape_b) const {
    for (std::uint32_t c = pairs[pair].first_contact; c != null_index; c = states[c].next_in_pair) {
        const PairRecord& r = records[c];
        if ((r.a == shape_a && r.b == shape_b) || (r.a == shape_b && r.b == shape_a)) return c;
    }
    return null_index;
}

std::uint32_t ContactTable::add_contact(std::uint32_t pair, const Colliders& colliders, std::uint32_t collider_a,
                                        std::uint32_t body_a, std::uint32_t collider_b, std::uint32_t body_b) {
    const std::uint32_t c = take_slot(states, free_contacts_);
    bodies.resize(states.size());
    records.resize(states.size());
    caches.resize(states.size());
    records[c] = make_pair(colliders, collider_a, collider_b);
    caches[c] = PairCache{};
    ContactState& state = states[c];
    state = ContactState{};
    state.pair = pair;
    state.slop = std::min(
        {settings::linear_slop, settings::relative_slop * records[c].size, settings::thin_slop * records[c].thickness});
    const bool swapped = records[c].a != collider_a;
    bodies[c] = swapped ? ContactBodies{body_b, body_a} : ContactBodies{body_a, body_b};
    state.next_in_pair = pairs[pair].first_contact;
    pairs[pair].first_contact = c;
    ++live_contacts_;
    return c;
}

void ContactTable::remove_contact(std::uint32_t c) {
    std::uint32_t* link = &pairs[states[c].pair].first_contact;
    while (*link != c) link = &states[*link].next_in_pair;
    *link = states[c].next_in_pair;
    set_touching(c, false);
    states[c] = ContactState{};
    caches[c] = PairCache{};
    bodies[c] = ContactBodies{};
    free_contacts_.push_back(c);
    --live_contacts_;
}

Manifold& ContactTable::replace_manifold(std::uint32_t c) {
    if (!states[c].replaced) {
        replacement_of_.resize(states.size());
        replacement_of_[c] = static_cast<std::uint32_t>(replacements_.size());
        replacements_.push_back({c, caches[c].manifold});
        states[c].replaced = true;
    }
    return replacements_[replacement_of_[c]].manifold;
}

void ContactTable::restore_manifold(std::uint32_t c) { states[c].replaced = states[c].merged = false; }

void ContactTable::restore_manifolds() {
    // A slot may belong to another contact by now, whose manifold was not replaced yet. Restoring it changes nothing.
    for (const Replacement& replacement : replacements_) restore_manifold(replacement.contact);
    replacements_.clear();
}

std::uint32_t ContactTable::find_mesh_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t shape_b) const {
    for (std::uint32_t k = pairs[pair].first_mesh_contact; k != null_index; k = mesh_contacts[k].next_in_pair) {
        const MeshContact& mesh_contact = mesh_contacts[k];
        if ((mesh_contact.shape == shape_a && mesh_contact.mesh == shape_b) ||
            (mesh_contact.shape == shape_b && mesh_contact.mesh == shape_a))
            return k;
    }
    return null_index;
}

std::uint32_t ContactTable::find_or_add_mesh_contact(std::uint32_t pair, std::uint32_t shape, std::uint32_t shape_body,
                                                     std::uint32_t mesh, std::uint32_t mesh_body) {
    const std::uint32_t known = find_mesh_contact(pair, shape, mesh);
    if (known != null_index) return known;
    const std::uint32_t k = take_slot(mesh_contacts, free_mesh_contacts_);
    const bool changed =
        mesh_contacts[k].changed;  // the slot may still be in the list, for a mesh contact that was removed
    mesh_contacts[k] = MeshContact{};
    mesh_contacts[k].changed = changed;
    mesh_contacts[k].shape = shape;
    mesh_contacts[k].shape_body = shape_body;
    mesh_contacts[k].mesh = mesh;
    mesh_contacts[k].mesh_body = mesh_body;
    mesh_contacts[k].next_in_pair = pairs[pair].first_mesh_contact;
    pairs[pair].first_mesh_contact = k;
    return k;
}

void ContactTable::set_touching(std::uint32_t c, bool touching) {
    ContactState& state = states[c];
    if (state.touching == touching) return;
    state.touching = touching;
    if (state.mesh_contact == null_index) return;
    MeshContact& mesh_contact = mesh_contacts[state.mesh_contact];
    touching ? ++mesh_contact.touches : --mesh_contact.touches;
    mark_mesh_contact_changed(state.mesh_contact);
}

void ContactTable::mark_mesh_contact_changed(std::uint32_t k) {
    if (!mesh_contacts[k].changed) changed_mesh_contacts.push_back(k);
    mesh_contacts[k].changed = true;
}

std::size_t ContactTable::bytes() const {
    return mesh_contacts.capacity() * sizeof(MeshContact) +
           (free_mesh_contacts_.capacity() + changed_mesh_contacts.capacity()) * sizeof(std::uint32_t) +
           pairs.capacity() * sizeof(Pair) + (far.capacity() + bodies.capacity()) * sizeof(ContactBodies) +
           records.capacity() * sizeof(PairRecord) + caches.capacity() * sizeof(PairCache) +
           states.capacity() * sizeof(ContactState) + replacements_.capacity() * sizeof(Replacement) +
           replacement_of_.capacity() * sizeof(std::uint32_t) +
           (free_pairs_.capacity() + free_contacts_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace talus
