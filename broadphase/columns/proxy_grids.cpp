#include "broadphase/columns/proxy_grids.h"

#include <algorithm>

namespace talus::detail {

namespace {

// A proxy that kept its fat box for this many refreshes is idle. Once as many idle entries have been sorted again as
// there are proxies, settling them costs no more than what they have cost already.
constexpr std::uint32_t idle_refreshes = 32;
constexpr std::uint32_t idle_checks = 8;  // idle proxies are counted once in this many refreshes
// The settled grid is also built again when it has this many times as many entries as are up to date, and some more.
constexpr std::size_t stale_factor = 2;

}  // namespace

void ProxyGrids::forget(Proxies& proxies, ProxyIndex proxy) {
    members_left_ |= proxies.flags(proxy).restless_member;
    proxies.set_restless_member(proxy, false);
}

void ProxyGrids::refresh(Proxies& proxies, const Jobs& jobs) {
    if (proxies.pending().empty()) return;
    ++refresh_count_;
    if (moved_at_.size() < proxies.size()) moved_at_.resize(proxies.size());
    if (members_left_)
        std::erase_if(restless_members_, [&](ProxyIndex p) { return !proxies.flags(p).restless_member; });
    members_left_ = false;
    std::vector<ProxyIndex>& joining = scratch_.joining;
    joining.clear();
    for (const ProxyIndex p : proxies.pending()) {
        if (proxies.flags(p).home != Home::pending) continue;
        proxies.set_home(p, Home::restless);
        moved_at_[p] = refresh_count_;
        if (!proxies.flags(p).restless_member) joining.push_back(p);
        proxies.set_restless_member(p, true);
    }
    proxies.clear_pending();
    if (!joining.empty()) {  // in ascending order, which is that of the boxes in memory
        if (!std::is_sorted(joining.begin(), joining.end())) std::sort(joining.begin(), joining.end());
        scratch_.merged.resize(restless_members_.size() + joining.size());
        std::merge(restless_members_.begin(), restless_members_.end(), joining.begin(), joining.end(),
                   scratch_.merged.begin());
        restless_members_.swap(scratch_.merged);
    }
    const std::uint32_t unchecked = refresh_count_ - checked_at_;
    if (!joining.empty() || unchecked >= idle_checks) {
        const auto idle = std::count_if(restless_members_.begin(), restless_members_.end(),
                                        [&](ProxyIndex p) { return is_idle(proxies, p); });
        idle_work_ += unchecked * static_cast<std::size_t>(idle);
        checked_at_ = refresh_count_;
    }
    const std::size_t settled = proxies.count() - restless_members_.size();
    if (idle_work_ >= proxies.count() || settled_.member_count() > stale_factor * settled + proxies.count() / 8)
        settle_idle(proxies, jobs);
    restless_.build(restless_members_, proxies.boxes(), jobs);
}

bool ProxyGrids::is_idle(const Proxies& proxies, ProxyIndex p) const {
    return !proxies.flags(p).moving || refresh_count_ - moved_at_[p] > idle_refreshes;
}

// Builds the settled grid from all proxies that have not changed lately.
void ProxyGrids::settle_idle(Proxies& proxies, const Jobs& jobs) {
    std::vector<ProxyIndex>& settled = scratch_.settled;
    settled.clear();
    restless_members_.clear();
    for (ProxyIndex p = 0; p < proxies.size(); ++p) {
        if (!proxies.exists(p)) continue;
        if (proxies.flags(p).home == Home::restless && !is_idle(proxies, p)) {
            restless_members_.push_back(p);
        } else {
            proxies.set_home(p, Home::settled);
            proxies.set_restless_member(p, false);
            settled.push_back(p);
        }
    }
    settled_.build(settled, proxies.boxes(), jobs);
    idle_work_ = 0;
}

std::size_t ProxyGrids::bytes() const {
    const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    return restless_.bytes() + settled_.bytes() + of(restless_members_) + of(moved_at_) + of(scratch_.settled) +
           of(scratch_.joining) + of(scratch_.merged);
}

}  // namespace talus::detail
