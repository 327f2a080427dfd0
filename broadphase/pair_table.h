#pragma once
/// The set of pairs, asked in two ways: is (a, b) in it, and which pairs has proxy p?
///
/// An open-addressed table of 64-bit keys (8 bytes a probe, no pointers) answers the first; each slot also stands in
/// two doubly linked lists of slots, one for each of its proxies, which answer the second in time proportional to the
/// answer: what ends the pairs of ten boxes that moved must not look at the hundred thousand pairs of those that did
/// not. Erasing shifts the followers back instead of leaving tombstones, so lookups never decay.

#include <talus/broadphase/proxy.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class PairTable {
public:
    using Key = std::uint64_t;
    static constexpr Key no_key = 0;  ///< marks an empty slot; a pair has a < b, so (0, 0) is none

    static Key key_of(ProxyIndex a, ProxyIndex b) { return a < b ? Key{a} << 32 | b : Key{b} << 32 | a; }
    static ProxyPair pair_of(Key key) {
        return {static_cast<ProxyIndex>(key >> 32), static_cast<ProxyIndex>(key & 0xffffffffu)};
    }

    bool contains(Key key) const;
    void prefetch(Key key) const {
        if (!keys_.empty()) __builtin_prefetch(&keys_[home_slot(key)]);
    }

    void insert(Key key);  ///< must not be there yet
    void erase(Key key);   ///< must be there

    /// Makes room for `pairs` pairs and for lists of proxies 0 to proxies - 1; gives memory back after a burst.
    void reserve(std::size_t pairs, std::size_t proxies);

    /// Calls visit(key) for each pair of the proxy, in no order that means anything. The table must not change
    /// meanwhile.
    template <class Visit>
    void for_each_of(ProxyIndex proxy, Visit&& visit) const {
        if (proxy >= heads_.size()) return;
        for (Slot slot = heads_[proxy]; slot != no_slot; slot = links_[slot].next[side(keys_[slot], proxy)]) {
            visit(keys_[slot]);
        }
    }

    /// All slots, empty ones (no_key) included.
    std::span<const Key> slots() const { return keys_; }

    std::size_t size() const { return size_; }
    std::size_t bytes() const;

private:
    using Slot = std::uint32_t;
    static constexpr Slot no_slot = 0xffffffffu;
    struct Links {
        Slot next[2], previous[2];  // [0] in the list of the key's lower proxy, [1] of its higher one
    };

    static int side(Key key, ProxyIndex proxy) { return static_cast<ProxyIndex>(key >> 32) == proxy ? 0 : 1; }
    Slot home_slot(Key key) const {
        // Both halves must reach the top bits that are kept: neighbouring indices make very regular keys.
        std::uint64_t h = key * 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
        return static_cast<Slot>(h >> shift_);
    }
    Slot find(Key key) const;  // its slot, or the empty one where it belongs
    void rehash(std::size_t capacity);
    void link(Slot slot);
    void unlink(Slot slot);
    void relocate(Slot from, Slot to);

    std::vector<Key> keys_;     // capacity is a power of two
    std::vector<Links> links_;  // beside keys_
    std::vector<Slot> heads_;   // a proxy's first slot
    std::size_t size_ = 0;
    unsigned shift_ = 63;  // 64 - log2(capacity)
};

}  // namespace talus
