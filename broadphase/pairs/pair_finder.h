#pragma once
/// The pairs of overlapping boxes, brought up to date once per step.
///
/// Goes in: the dirty proxies and the two grids. Comes out: the pairs that began and ended since the last update. Kept
/// across frames: each proxy's list of partners. Each dirty proxy is looked up in the grids, and what is found is
/// compared with its list; so the cost depends only on the dirty proxies and their pairs, and each of them can be
/// compared by any thread.

#include "broadphase/columns/proxy_grids.h"
#include "broadphase/pairs/marks.h"
#include "broadphase/pairs/pair_lists.h"

#include <span>
#include <vector>

namespace talus::detail {

class PairFinder {
public:
    /// The caller has refreshed the grids and ends the update of the proxies afterwards.
    void update(const Proxies& proxies, const ProxyGrids& grids, const Jobs& jobs);
    void clear_events();

    std::span<const ProxyPair> begun() const { return begun_; }  ///< by the last update, ascending
    std::span<const ProxyPair> ended() const { return ended_; }  ///< the same
    std::size_t size() const { return lists_.size(); }

    std::size_t bytes() const;

    // See broadphase_bytes.h.
    void write(ByteWriter& bytes, std::size_t proxies) const;
    void read(ByteReader& bytes, const Proxies& proxies);

private:
    /// The working memory of one task, and its results.
    struct Task {
        FoundProxies found;
        Marks marks;
        std::vector<ProxyIndex> order;
        std::vector<PairKey> begun, ended, sort;
        std::vector<PairKey> halves;  // (owner, partner) of ended pairs, for the lists of owners that are not dirty
    };
    struct Memory {
        std::vector<Task> tasks;
    };

    static bool is_known(const Proxies& proxies, ProxyIndex p);
    void compare_part(const Proxies& proxies, const ProxyGrids& grids, Task& task, int index, int count);
    void compare(const Proxies& proxies, const ProxyGrids& grids, ProxyIndex proxy, Task& task);

    PairLists lists_;
    std::vector<ProxyPair> begun_, ended_;
    Scratch<Memory> scratch_;
};

}  // namespace talus::detail
