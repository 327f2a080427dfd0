#pragma once
/// The two grids in which the boxes of all proxies are stored.
///
/// The restless grid holds the boxes that changed lately and is sorted again in each refresh in which a box changed.
/// The settled grid holds all others, whether fixed, asleep or at rest; it is built again only when enough boxes have
/// left it or come to rest. When the box of a settled proxy changes, its entry in the settled grid stays there; the
/// proxy's `home` tells that it is out of date.

#include "broadphase/columns/column_grid.h"
#include "broadphase/proxies.h"

namespace talus::detail {

class ProxyGrids {
public:
    /// To be called before a proxy is removed.
    void forget(Proxies& proxies, ProxyIndex proxy);
    /// Puts the pending boxes into the restless grid.
    void refresh(Proxies& proxies, const Jobs& jobs);

    const ColumnGrid& restless() const { return restless_; }
    const ColumnGrid& settled() const { return settled_; }

    std::size_t bytes() const;

private:
    struct Memory {
        std::vector<ProxyIndex> settled, joining, merged;
    };

    bool is_idle(const Proxies& proxies, ProxyIndex proxy) const;
    void settle_idle(Proxies& proxies, const Jobs& jobs);

    ColumnGrid restless_, settled_;
    std::vector<ProxyIndex> restless_members_;  // ascending
    bool members_left_ = false;                 // some of them have been removed since the last refresh
    std::vector<std::uint32_t> moved_at_;       // by proxy: refresh count when the box last changed
    std::uint32_t refresh_count_ = 0;
    std::uint32_t checked_at_ = 0;  // refresh count when idle proxies were last counted
    std::size_t idle_work_ = 0;     // idle entries of the restless grid that were sorted since the last settling
    Scratch<Memory> scratch_;
};

}  // namespace talus::detail
