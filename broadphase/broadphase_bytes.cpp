#include "broadphase/broadphase_bytes.h"

#include "broadphase/broadphase_state.h"

#include <algorithm>
#include <functional>

namespace talus::detail {

template <class Bytes>
void Proxies::visit_fields(Bytes& bytes) {
    auto size = static_cast<std::uint32_t>(flags_.size());
    bytes(size, removed_, dirty_, free_, update_count_, filters_changed_);
    visit_parallel(bytes, size, owners_);
    visit_parallel(bytes, size, boxes_);
    visit_parallel(bytes, size, flags_);
    if constexpr (Bytes::reads) {
        if (!bytes.failed()) restore(bytes);
    }
}

template <class Bytes>
void visit_fields(Bytes& bytes, Proxies::Owner& owner) {
    auto& [filter, user_data] = owner;
    bytes(filter, user_data);
}

template <class Bytes>
void visit_fields(Bytes& bytes, ProxyFlags& flags) {
    const bool exists = flags.home != Home::none;
    auto bits = static_cast<std::uint8_t>(exists | flags.moving << 1 | flags.dirty << 2 | flags.stretched << 3);
    bytes(bits);
    if constexpr (Bytes::reads) {
        bytes.expect(bits < 16, "a proxy has unknown flags");
        flags = ProxyFlags{};
        flags.home = (bits & 1) != 0 ? Home::pending : Home::none;
        flags.moving = (bits & 2) != 0;
        flags.dirty = (bits & 4) != 0;
        flags.stretched = (bits & 8) != 0;
    }
}

/// Checks the lists, and derives what they do not contain: all boxes are to be put into a grid.
void Proxies::restore(ByteReader& bytes) {
    constexpr std::uint8_t in_use = 1, free = 2, removed = 4, dirty = 8;
    std::vector<std::uint8_t> seen(size(), 0);
    const auto mark = [&](const std::vector<ProxyIndex>& list, std::uint8_t what) {
        for (const ProxyIndex p : list) {
            if (!bytes.expect(p < size() && (seen[p] & what) == 0, "a list of proxies is wrong")) return;
            seen[p] |= what;
        }
    };
    mark(free_, free);
    mark(removed_, removed);
    mark(dirty_, dirty);
    for (ProxyIndex p = 0; p < size() && !bytes.failed(); ++p) {
        if (flags_[p].home != Home::none) {
            seen[p] |= in_use;
            pending_.push_back(p);
            ++count_;
            bytes.expect(is_box(boxes_[p]), "a box is turned inside out, or not finite");
        }
        const std::uint8_t where = seen[p] & (in_use | free | removed);
        bytes.expect(where == in_use || where == free || where == removed, "a proxy is in none or two of the lists");
        bytes.expect(((seen[p] & dirty) != 0) == flags_[p].dirty, "the list of changed proxies is wrong");
        bytes.expect(where != removed || flags_[p].dirty, "a removed proxy is not in the list of changed proxies");
    }
    std::make_heap(free_.begin(), free_.end(), std::greater<>{});
}

void PairFinder::write(ByteWriter& bytes, std::size_t proxies) const {
    std::vector<ProxyIndex> partners;
    for (ProxyIndex p = 0; p < proxies; ++p) {
        partners.clear();
        for (const ProxyIndex q : lists_.of(p)) {
            if (q > p) partners.push_back(q);
        }
        std::sort(partners.begin(), partners.end());
        bytes(partners);
    }
}

void PairFinder::read(ByteReader& bytes, const Proxies& proxies) {
    std::vector<PairKey> pairs;
    std::vector<ProxyIndex> partners;
    for (ProxyIndex p = 0; p < proxies.size() && !bytes.failed(); ++p) {
        bytes(partners);
        ProxyIndex last = p;
        for (const ProxyIndex q : partners) {
            const bool valid = q > last && q < proxies.size() && is_known(proxies, p) && is_known(proxies, q);
            if (!bytes.expect(valid, "a pair of proxies is wrong")) return;
            pairs.push_back(key_of(p, q));
            last = q;
        }
    }
    if (!bytes.failed()) lists_.apply({}, 0, pairs, proxies.size());
}

/// Whether the proxy may have pairs: it exists, or was removed since the last update.
bool PairFinder::is_known(const Proxies& proxies, ProxyIndex p) { return proxies.exists(p) || proxies.flags(p).dirty; }

void BroadphaseBytes::write(ByteWriter& bytes, const Broadphase& broadphase) {
    const Broadphase::State& state = broadphase.state();
    bytes(state.proxies);
    state.pairs.write(bytes, state.proxies.size());
}

void BroadphaseBytes::read(ByteReader& bytes, Broadphase& broadphase) {
    Broadphase::State& state = broadphase.state_to_change();
    bytes(state.proxies);
    if (bytes.failed()) return;
    state.pairs.read(bytes, state.proxies);
    if (!bytes.failed()) broadphase.refresh();
}

}  // namespace talus::detail
