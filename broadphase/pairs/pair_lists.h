#pragma once
/// The set of pairs, as one list of partners per proxy.
///
/// A pair is in the lists of both of its proxies. So the pairs that a proxy has lost are found among its own partners,
/// and those that it has gained by comparing with them, in time proportional to the number of pairs. The lists are
/// blocks in a few arrays. The size of a block is a power of two; a block that is too small, or four times too large,
/// is given back and reused.

#include <talus/jobs.h>
#include "broadphase/pairs/marks.h"
#include "broadphase/pairs/pair_key.h"
#include "common/lanes/processor.h"
#include "common/scratch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

class PairLists {
public:
    /// The partners of a proxy, in no particular order.
    std::span<const ProxyIndex> of(ProxyIndex proxy) const {
        if (proxy >= lists_.size()) return {};
        return {first_of(proxy), lists_[proxy].count};
    }
    void prefetch_list(ProxyIndex proxy) const {
        if (proxy < lists_.size()) detail::prefetch(&lists_[proxy]);
    }
    void prefetch_partners(ProxyIndex proxy) const {
        if (proxy < lists_.size()) detail::prefetch(first_of(proxy));
    }
    std::size_t size() const { return pairs_; }

    /// Removes from the proxy's list the partners for which `keep` returns false. The caller must also remove the other
    /// half of each of these pairs, before anything is read. Different threads may change the lists of different
    /// proxies.
    template <class Keep>
    void retain(ProxyIndex proxy, Keep&& keep) {
        if (proxy >= lists_.size()) return;
        ProxyIndex* const partners = first_of(proxy);
        std::uint32_t kept = 0;
        const std::uint32_t count = lists_[proxy].count;
        for (std::uint32_t i = 0; i < count; ++i) {
            const ProxyIndex partner = partners[i];
            partners[kept] = partner;
            kept += keep(partner);
        }
        lists_[proxy].count = kept & 0x7ffffffu;
    }
    /// Removes the partner from the owner's list for each (owner, partner) of `halves`. Together with what retain()
    /// removed, these are the halves of `ended` pairs. Then adds both halves of the pairs in `begun`, which must be
    /// new. The content of the lists does not depend on the number of threads.
    void apply(std::span<const PairKey> halves, std::size_t ended, std::span<const PairKey> begun, std::size_t proxies,
               const Jobs& jobs = {});

    std::size_t bytes() const;

private:
    struct List {
        std::uint32_t first = 0;
        std::uint32_t count : 27 = 0;
        std::uint32_t exponent : 5 = 0;  // of the block's size
    };
    /// The blocks of some of the proxies: each thread works on a shard of its own.
    struct Shard {
        std::vector<ProxyIndex> pool = std::vector<ProxyIndex>(1);
        std::array<std::vector<std::uint32_t>, 32> free;  // blocks in the pool, by the exponent of their size
    };
    static constexpr std::size_t shard_count = 8;
    static std::size_t shard_of(ProxyIndex proxy) { return proxy / 1024 % shard_count; }

    /// Working memory of one task.
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

}  // namespace talus::detail
