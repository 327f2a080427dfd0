#include "engine/contacts/contact_table.h"

#include "engine/settings.h"

#include <algorithm>
#include <span>
#include <utility>

namespace talus {

namespace {

/// Returns a free slot: the one that was freed last, or a new one at the end. That is as deterministic as the lowest
/// free slot, and needs no search.
template <class Slots>
std::uint32_t take_slot(Slots& slots, std::vector<std::uint32_t>& free) {
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
    const PairRecord record = make_pair(colliders, collider_a, collider_b);
    const bool swapped = record.a != collider_a;
    return add_contact(pair, record, swapped ? ContactBodies{body_b, body_a} : ContactBodies{body_a, body_b});
}

std::uint32_t ContactTable::add_contact(std::uint32_t pair, const PairRecord& record, const ContactBodies& of) {
    const std::uint32_t c = take_slot(states, free_contacts_);
    bodies.resize(states.size());
    records.resize(states.size());
    caches.resize(states.size());
    records[c] = record;
    caches[c] = PairCache{};
    ContactState& state = states[c];
    state = ContactState{};
    state.pair = pair;
    state.slop = std::min(
        {settings::linear_slop, settings::relative_slop * records[c].size, settings::thin_slop * records[c].thickness});
    bodies[c] = of;
    state.next_in_pair = pairs[pair].first_contact;
    if (state.next_in_pair != null_index) states[state.next_in_pair].previous_in_pair = c;
    pairs[pair].first_contact = c;
    ++live_contacts_;
    return c;
}

void ContactTable::remove_contact(std::uint32_t c) {
    const ContactState& state = states[c];
    const std::uint32_t before = state.previous_in_pair, after = state.next_in_pair;
    (before == null_index ? pairs[state.pair].first_contact : states[before].next_in_pair) = after;
    if (after != null_index) states[after].previous_in_pair = before;
    if (state.mesh_contact != null_index) {
        const std::uint32_t left = state.previous_in_mesh_contact, right = state.next_in_mesh_contact;
        (left == null_index ? mesh_contacts[state.mesh_contact].first_contact : states[left].next_in_mesh_contact) =
            right;
        if (right != null_index) states[right].previous_in_mesh_contact = left;
    }
    set_touching(c, false);
    states[c] = ContactState{};
    caches[c] = PairCache{};
    bodies[c] = ContactBodies{};
    free_contacts_.push_back(c);
    --live_contacts_;
}

void ContactTable::put_in_mesh_contact(std::uint32_t c, std::uint32_t k) {
    ContactState& state = states[c];
    state.mesh_contact = k;
    state.next_in_mesh_contact = mesh_contacts[k].first_contact;
    if (state.next_in_mesh_contact != null_index) states[state.next_in_mesh_contact].previous_in_mesh_contact = c;
    mesh_contacts[k].first_contact = c;
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

namespace {

/// Checks a list of free slots: each slot must be either in use or in the list, once.
template <class InUse>
bool is_free_list(std::span<const std::uint32_t> free, std::size_t slots, std::size_t live, InUse&& in_use) {
    std::vector<bool> listed(slots, false);
    for (const std::uint32_t slot : free) {
        if (slot >= slots || listed[slot] || in_use(slot)) return false;
        listed[slot] = true;
    }
    return free.size() + live == slots;
}

}  // namespace

const char* ContactTable::restore() {
    std::uint32_t used_pairs = 0, used_contacts = 0, used_far = 0, used_meshes = 0;
    std::vector<bool> seen(bodies.size(), false), mesh_seen(mesh_contacts.size(), false);
    std::vector<std::uint32_t> touches(mesh_contacts.size(), 0), last_of_mesh(mesh_contacts.size(), null_index);
    const auto are_bodies_of = [](const Pair& pair, std::uint32_t a, std::uint32_t b) {
        return (pair.body[0] == a && pair.body[1] == b) || (pair.body[0] == b && pair.body[1] == a);
    };
    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        const Pair& pair = pairs[p];
        const bool is_far = far[p].a != null_index;
        if (!pair.in_use) {
            if (is_far) return "a far pair does not exist";
            continue;
        }
        ++used_pairs;
        used_far += is_far;
        if (pair.body[0] == pair.body[1]) return "a body has a pair with itself";
        if (is_far && (far[p].a != pair.body[0] || far[p].b != pair.body[1])) return "a far pair has other bodies";
        for (std::uint32_t k = pair.first_mesh_contact; k != null_index; k = mesh_contacts[k].next_in_pair) {
            if (k >= mesh_contacts.size() || mesh_seen[k]) return "a list of mesh contacts is wrong";
            mesh_seen[k] = true;
            ++used_meshes;
            const MeshContact& m = mesh_contacts[k];
            if (m.shape == null_index || m.mesh == null_index || !are_bodies_of(pair, m.shape_body, m.mesh_body))
                return "a mesh contact has other bodies than its pair";
        }
        std::uint32_t before = null_index;
        for (std::uint32_t c = pair.first_contact; c != null_index; before = c, c = states[c].next_in_pair) {
            if (c >= bodies.size() || seen[c] || bodies[c].a == null_index) return "a list of contacts is wrong";
            seen[c] = true;
            states[c].previous_in_pair = before;
            ++used_contacts;
            const ContactState& state = states[c];
            if (state.pair != p || !are_bodies_of(pair, bodies[c].a, bodies[c].b))
                return "a contact has other bodies than its pair";
            if (state.mesh_contact == null_index) continue;
            if (state.mesh_contact >= mesh_contacts.size() || !mesh_seen[state.mesh_contact])
                return "a contact has no such mesh contact";
            const MeshContact& m = mesh_contacts[state.mesh_contact];
            if (!are_bodies_of(pair, m.shape_body, m.mesh_body))
                return "a contact is one of another pair's mesh contact";
            touches[state.mesh_contact] += state.touching;
            // The lists of the mesh contacts have the order of the pair's list.
            const std::uint32_t last = std::exchange(last_of_mesh[state.mesh_contact], c);
            states[c].previous_in_mesh_contact = last;
            (last == null_index ? mesh_contacts[state.mesh_contact].first_contact : states[last].next_in_mesh_contact) =
                c;
        }
        if (is_far && pair.first_contact != null_index) return "a far pair has contacts";
    }
    if (used_pairs != live_pairs_ || used_contacts != live_contacts_ || used_far != far_pairs_)
        return "a number of contacts or pairs is wrong";
    if (!is_free_list(free_pairs_, pairs.size(), used_pairs, [&](std::uint32_t p) { return pairs[p].in_use; }) ||
        !is_free_list(free_contacts_, bodies.size(), used_contacts, [&](std::uint32_t c) { return bool(seen[c]); }) ||
        !is_free_list(free_mesh_contacts_, mesh_contacts.size(), used_meshes,
                      [&](std::uint32_t k) { return bool(mesh_seen[k]); }))
        return "a list of free contacts or pairs is wrong";
    for (std::uint32_t c = 0; c < bodies.size(); ++c) {
        if (bodies[c].a != null_index && !seen[c]) return "a contact belongs to no pair";
    }
    std::vector<bool> listed(mesh_contacts.size(), false);
    for (const std::uint32_t k : changed_mesh_contacts) {
        if (k >= mesh_contacts.size() || listed[k]) return "the list of changed mesh contacts is wrong";
        listed[k] = true;
    }
    for (std::uint32_t k = 0; k < mesh_contacts.size(); ++k) {
        if (mesh_seen[k] && mesh_contacts[k].touches != touches[k])
            return "a mesh contact has another number of touches";
        if (mesh_contacts[k].changed != listed[k]) return "the list of changed mesh contacts is wrong";
        if (!mesh_seen[k] && mesh_contacts[k].shape != null_index) return "a mesh contact belongs to no pair";
    }
    replacement_of_.assign(states.size(), null_index);
    for (std::uint32_t i = 0; i < replacements_.size(); ++i) {
        if (replacements_[i].contact >= states.size()) return "a replaced manifold belongs to no contact";
        replacement_of_[replacements_[i].contact] = i;
    }
    for (std::uint32_t c = 0; c < states.size(); ++c) {
        if (states[c].replaced && replacement_of_[c] == null_index) return "a replaced manifold is missing";
    }
    return nullptr;
}

std::size_t ContactTable::bytes() const {
    return mesh_contacts.capacity() * sizeof(MeshContact) +
           (free_mesh_contacts_.capacity() + changed_mesh_contacts.capacity()) * sizeof(std::uint32_t) +
           pairs.capacity() * sizeof(Pair) + (far.capacity() + bodies.capacity()) * sizeof(ContactBodies) +
           records.bytes() + caches.bytes() + states.bytes() + replacements_.capacity() * sizeof(Replacement) +
           replacement_of_.capacity() * sizeof(std::uint32_t) +
           (free_pairs_.capacity() + free_contacts_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace talus
