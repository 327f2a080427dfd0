#include <talus/broadphase/pair_table.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace talus {

namespace {

// Filled to at most 5/8: linear probing looks at about two slots for a pair that is there and at four for one that is
// not.
constexpr std::size_t min_capacity = 64;
std::size_t capacity_for(std::size_t pairs) {
    return std::bit_ceil(std::max(min_capacity, pairs + pairs / 2 + pairs / 10));
}

// A table this many times too large is rebuilt smaller: what a burst of pairs took is given back, without flutter.
constexpr std::size_t shrink_factor = 8;

}  // namespace

PairTable::Slot PairTable::find(Key key) const {
    const Slot mask = static_cast<Slot>(keys_.size() - 1);
    Slot slot = home_slot(key);
    while (keys_[slot] != key && keys_[slot] != no_key) slot = (slot + 1) & mask;
    return slot;
}

bool PairTable::contains(Key key) const { return !keys_.empty() && keys_[find(key)] == key; }

void PairTable::link(Slot slot) {
    const ProxyPair pair = pair_of(keys_[slot]);
    for (int s = 0; s < 2; ++s) {
        const ProxyIndex proxy = s == 0 ? pair.a : pair.b;
        const Slot head = heads_[proxy];
        links_[slot].next[s] = head;
        links_[slot].previous[s] = no_slot;
        if (head != no_slot) links_[head].previous[side(keys_[head], proxy)] = slot;
        heads_[proxy] = slot;
    }
}

void PairTable::unlink(Slot slot) {
    const ProxyPair pair = pair_of(keys_[slot]);
    for (int s = 0; s < 2; ++s) {
        const ProxyIndex proxy = s == 0 ? pair.a : pair.b;
        const Slot next = links_[slot].next[s], previous = links_[slot].previous[s];
        if (next != no_slot) links_[next].previous[side(keys_[next], proxy)] = previous;
        if (previous != no_slot)
            links_[previous].next[side(keys_[previous], proxy)] = next;
        else
            heads_[proxy] = next;
    }
}

void PairTable::relocate(Slot from, Slot to) {
    keys_[to] = keys_[from];
    links_[to] = links_[from];
    const ProxyPair pair = pair_of(keys_[to]);
    for (int s = 0; s < 2; ++s) {
        const ProxyIndex proxy = s == 0 ? pair.a : pair.b;
        const Slot next = links_[to].next[s], previous = links_[to].previous[s];
        if (next != no_slot) links_[next].previous[side(keys_[next], proxy)] = to;
        if (previous != no_slot)
            links_[previous].next[side(keys_[previous], proxy)] = to;
        else
            heads_[proxy] = to;
    }
}

void PairTable::insert(Key key) {
    assert(key != no_key && (key & 0xffffffffu) < heads_.size() && capacity_for(size_ + 1) <= keys_.size());
    const Slot slot = find(key);
    assert(keys_[slot] == no_key);
    keys_[slot] = key;
    link(slot);
    ++size_;
}

void PairTable::erase(Key key) {
    const Slot mask = static_cast<Slot>(keys_.size() - 1);
    Slot hole = find(key);
    assert(keys_[hole] == key);
    unlink(hole);
    --size_;
    // A follower may fill the hole unless its home lies behind the hole, cyclically.
    for (Slot slot = (hole + 1) & mask; keys_[slot] != no_key; slot = (slot + 1) & mask) {
        const Slot distance_from_home = (slot - home_slot(keys_[slot])) & mask;
        if (distance_from_home >= ((slot - hole) & mask)) {
            relocate(slot, hole);
            hole = slot;
        }
    }
    keys_[hole] = no_key;
}

void PairTable::rehash(std::size_t capacity) {
    std::vector<Key> old(capacity, no_key);
    old.swap(keys_);
    links_.assign(capacity, Links{});
    links_.shrink_to_fit();
    shift_ = 64u - static_cast<unsigned>(std::countr_zero(capacity));
    std::fill(heads_.begin(), heads_.end(), no_slot);
    for (const Key key : old) {
        if (key == no_key) continue;
        const Slot slot = find(key);
        keys_[slot] = key;
        link(slot);
    }
}

void PairTable::reserve(std::size_t pairs, std::size_t proxies) {
    if (heads_.size() < proxies) heads_.resize(proxies, no_slot);
    const std::size_t capacity = capacity_for(std::max(pairs, size_));
    if (capacity > keys_.size() || capacity * shrink_factor <= keys_.size()) rehash(capacity);
}

std::size_t PairTable::bytes() const {
    return keys_.capacity() * sizeof(Key) + links_.capacity() * sizeof(Links) + heads_.capacity() * sizeof(Slot);
}

}  // namespace talus
