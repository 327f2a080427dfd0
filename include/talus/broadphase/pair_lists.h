#pragma once
/// The set of pairs, as one list of partners a proxy.
///
/// A pair stands in both proxies' lists: what a box that moved has lost is found among its own partners, and what it
/// has gained by comparing with them, in time proportional to the answer. Lists live in a few arrays, in blocks of a
/// power of two; a block that is too small or four times too large is given back and reused.

#include <talus/broadphase/proxy.h>
#include <talus/broadphase/scratch.h>
#include <talus/jobs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// A pair as a number that orders as the pair does: (a, b), a in the upper half.
using PairKey = std::uint64_t;
inline PairKey key_of(ProxyIndex a, ProxyIndex b) { return PairKey{a} << 32 | b; }
inline ProxyPair pair_of(PairKey key) {
    return {static_cast<ProxyIndex>(key >> 32), static_cast<ProxyIndex>(key & 0xffffffffu)};
}

/// A set of proxies that is emptied by a count: the marks of the last round are simply out of date.
class Marks {
public:
    /// Makes room for proxies below `count` and empties the set, or both sets.
    void start(std::size_t count);
    /// Empties both sets.
    void clear() { now_ += 2; }
    bool has(ProxyIndex p) const { return marks_[p] >= now_; }
    void add(ProxyIndex p) { marks_[p] = now_; }
    bool is_seen(ProxyIndex p) const { return marks_[p] == now_ + 1; }
    void see(ProxyIndex p) { marks_[p] = now_ + 1; }
    std::uint32_t of(ProxyIndex p) const { return marks_[p] - now_; }
    std::size_t bytes() const { return marks_.capacity() * sizeof(std::uint32_t); }

private:
    std::vector<std::uint32_t> marks_;
    std::uint32_t now_ = 1;
};

class PairLists {
public:
    /// The partners of a proxy, in no order that means anything.
    std::span<const ProxyIndex> of(ProxyIndex proxy) const {
        if (proxy >= lists_.size()) return {};
        return {first_of(proxy), lists_[proxy].count};
    }
    void prefetch_list(ProxyIndex proxy) const {
        if (proxy < lists_.size()) __builtin_prefetch(&lists_[proxy]);
    }
    void prefetch_partners(ProxyIndex proxy) const {
        if (proxy < lists_.size()) __builtin_prefetch(first_of(proxy));
    }
    std::size_t size() const { return pairs_; }

    /// Takes out of the proxy's list what `keep` says false of. The other halves of those pairs must be taken out, too,
    /// before anything is asked. Lists of different proxies may be changed by different threads.
    template <class Keep>
    void retain(ProxyIndex proxy, Keep&& keep) {
        if (proxy >= lists_.size()) return;
        ProxyIndex* const partners = first_of(proxy);
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < lists_[proxy].count; ++i) {
            const ProxyIndex partner = partners[i];
            partners[kept] = partner;
            kept += keep(partner);
        }
        lists_[proxy].count = kept & 0x7ffffffu;
    }
    /// Takes (owner, partner) out of the owners' lists for each of `halves`; that and what `retain` took out were
    /// `ended` pairs. Then puts in both halves of the pairs of `begun`, which must not be there. (What is in the lists
    /// does not depend on the number of threads.)
    void apply(std::span<const PairKey> halves, std::size_t ended, std::span<const PairKey> begun, std::size_t proxies,
               const Jobs& jobs = {});

    std::size_t bytes() const;

private:
    struct List {
        std::uint32_t first = 0;
        std::uint32_t count : 27 = 0;
        std::uint32_t exponent : 5 = 0;  // of the block's size
    };
    /// The blocks of every so many proxies, so that threads can work on one each.
    struct Shard {
        std::vector<ProxyIndex> pool = std::vector<ProxyIndex>(1);
        std::array<std::vector<std::uint32_t>, 32> free;  // blocks in the pool, by the exponent of their size
    };
    static constexpr std::size_t shard_count = 8;
    static std::size_t shard_of(ProxyIndex proxy) { return proxy / 1024 % shard_count; }

    /// What a task needs.
    struct Task {
        Marks marks;
        std::vector<PairKey> changes, erased_long, sort;
    };
    struct Memory {
        std::vector<Task> tasks;
    };

    ProxyIndex* first_of(ProxyIndex proxy) { return shards_[shard_of(proxy)].pool.data() + lists_[proxy].first; }
    const ProxyIndex* first_of(ProxyIndex proxy) const {
        return shards_[shard_of(proxy)].pool.data() + lists_[proxy].first;
    }
    void insert(ProxyIndex owner, ProxyIndex partner);
    void erase(ProxyIndex owner, ProxyIndex partner, Task& task);
    void erase_long(Task& task);
    void resize(ProxyIndex owner, std::uint32_t count);
    void compact(std::size_t shard);

    std::vector<List> lists_;  // by proxy
    std::array<Shard, shard_count> shards_;
    std::size_t pairs_ = 0;
    Scratch<Memory> scratch_;
};

}  // namespace talus
