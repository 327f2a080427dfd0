#include <talus/broadphase/broadphase.h>
#include <talus/broadphase/radix_sort.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

namespace talus {

namespace {

// When more than one in this many proxies would be in the restless grid, everything is built into the settled one
// instead: that is one sort rather than two, and one grid to look into.
constexpr std::size_t restless_part = 4;
// A box that stayed in its fat box for this many refreshes is idle. Once as many idle boxes have been sorted again as
// there are proxies, settling them costs no more than what they already cost.
constexpr std::uint32_t idle_refreshes = 32;
// Sweeping all of a level finds a pair once and needs no search for where to start; looking up its dirty boxes one by
// one looks at fewer boxes. Sweep when more than one in this many of the level is dirty.
constexpr std::size_t sweep_part = 5;
// What following a pair's links costs (a miss or two of the second-level cache), in slots of the table read in a row.
constexpr std::size_t slots_per_link = 40;
constexpr std::size_t lookahead = 8;  // pairs whose table slot is being fetched while one is looked up

// How far ahead of a box with this longest edge one moves that moves `step` (m) a step.
Float4 stretch_of(Float4 longest, Float4 step) {
    constexpr FatBoxSettings s = fat_box_settings;
    return min(splat<Float4>(s.steps_ahead) * step, max(step, splat<Float4>(s.max_stretch) * longest));
}

// Fat boxes stay finite: what would overflow is cut off at the largest float, which no tight box exceeds.
BoxLanes finite(const BoxLanes& box) {
    const Float4 limit = splat<Float4>(std::numeric_limits<float>::max());
    return {max(min(box.lower, limit), -limit), max(min(box.upper, limit), -limit)};
}

Aabb fatten(const Aabb& tight, const vec3& displacement) {
    constexpr FatBoxSettings s = fat_box_settings;
    const BoxLanes box = lanes_of(tight);
    const Float4 edges = box.upper - box.lower, longest = largest(edges), motion = lanes_of(displacement);
    const Float4 least = max(splat<Float4>(s.min_margin), splat<Float4>(s.margin_of_longest) * longest);
    const Float4 margin = min(max(splat<Float4>(s.margin) * edges, least), splat<Float4>(s.max_margin));
    const Float4 ahead = stretch_of(longest, max(motion, splat<Float4>(0.0f))),
                 behind = stretch_of(longest, max(-motion, splat<Float4>(0.0f)));
    return aabb_of(finite({box.lower - margin - behind, box.upper + margin + ahead}));
}

// Whether `fat` holds the tight box and reaches nowhere beyond it so far that it should be made anew.
bool still_fits(const Aabb& fat, const Aabb& tight, const vec3& displacement) {
    constexpr FatBoxSettings s = fat_box_settings;
    const BoxLanes inner = lanes_of(tight), outer = lanes_of(fat);
    const Float4 below = inner.lower - outer.lower, above = outer.upper - inner.upper;
    const Float4 longest = largest(inner.upper - inner.lower), step = largest(absolute(lanes_of(displacement)));
    const Float4 margin =
        min(max(splat<Float4>(s.margin) * longest, splat<Float4>(s.min_margin)), splat<Float4>(s.max_margin));
    const Float4 gap = splat<Float4>(s.shrink_factor) * (margin + stretch_of(longest, step));
    return all((below >= splat<Float4>(0.0f)) & (above >= splat<Float4>(0.0f)) & (below <= gap) & (above <= gap));
}

[[maybe_unused]] bool is_box(const Aabb& box) {
    return is_finite(box.lower) && is_finite(box.upper) && glm::all(glm::lessThanEqual(box.lower, box.upper));
}

}  // namespace

void Broadphase::mark_dirty(ProxyIndex proxy) {
    if (proxies_[proxy].dirty) return;
    proxies_[proxy].dirty = true;
    dirty_.push_back(proxy);
}

void Broadphase::mark_pending(ProxyIndex proxy) {
    if (proxies_[proxy].home != Home::pending) pending_.push_back(proxy);
    proxies_[proxy].home = Home::pending;
    mark_dirty(proxy);
}

ProxyIndex Broadphase::add(const ProxyDef& def) {
    assert(is_box(def.box));
    ProxyIndex proxy;
    if (free_.empty()) {
        proxy = static_cast<ProxyIndex>(proxies_.size());
        proxies_.emplace_back();
        boxes_.emplace_back();
    } else {
        std::pop_heap(free_.begin(), free_.end(), std::greater<>{});
        proxy = free_.back();
        free_.pop_back();
    }
    proxies_[proxy] = {};
    proxies_[proxy].filter = def.filter;
    proxies_[proxy].user_data = def.user_data;
    proxies_[proxy].moving = def.moving;
    boxes_[proxy] = def.moving ? fatten(def.box, vec3(0.0f)) : def.box;
    ++proxy_count_;
    mark_pending(proxy);
    return proxy;
}

void Broadphase::add(std::span<const ProxyDef> defs, std::span<ProxyIndex> out) {
    assert(out.size() >= defs.size());
    proxies_.reserve(proxies_.size() + defs.size());
    boxes_.reserve(boxes_.size() + defs.size());
    for (std::size_t i = 0; i < defs.size(); ++i) out[i] = add(defs[i]);
}

void Broadphase::remove(ProxyIndex proxy) {
    assert(proxies_[proxy].home != Home::none);
    proxies_[proxy].home = Home::none;
    removed_.push_back(proxy);
    --proxy_count_;
}

void Broadphase::move(ProxyIndex proxy, const Aabb& tight, const vec3& displacement) {
    assert(proxies_[proxy].home != Home::none && is_box(tight) && is_finite(displacement));
    if (still_fits(boxes_[proxy], tight, displacement)) return;
    boxes_[proxy] = proxies_[proxy].moving ? fatten(tight, displacement) : tight;
    mark_pending(proxy);
}

void Broadphase::set_moving(ProxyIndex proxy, bool moving) {
    assert(proxies_[proxy].home != Home::none);
    if (moving && !proxies_[proxy].moving) mark_dirty(proxy);
    proxies_[proxy].moving = moving;
}

void Broadphase::set_filter(ProxyIndex proxy, const Filter& filter) {
    assert(proxies_[proxy].home != Home::none);
    if (proxies_[proxy].filter == filter) return;
    proxies_[proxy].filter = filter;
    mark_dirty(proxy);
}

void Broadphase::refresh() {
    if (pending_.empty()) return;
    ++refresh_count_;
    std::size_t kept = 0, idle = 0;
    for (const ProxyIndex p : restless_members_) {
        if (proxies_[p].home != Home::restless) continue;
        restless_members_[kept++] = p;
        idle += refresh_count_ - proxies_[p].moved_at > idle_refreshes;
    }
    restless_members_.resize(kept);
    for (const ProxyIndex p : pending_) {
        if (proxies_[p].home != Home::pending) continue;
        proxies_[p].home = Home::restless;
        proxies_[p].moved_at = refresh_count_;
        restless_members_.push_back(p);
    }
    pending_.clear();
    idle_work_ += idle;
    const bool settle = restless_members_.size() * restless_part > proxy_count_ || idle_work_ > proxy_count_;
    if (settle) {
        restless_members_.clear();
        for (ProxyIndex p = 0; p < proxies_.size(); ++p) {
            if (proxies_[p].home == Home::none) continue;
            proxies_[p].home = Home::settled;
            restless_members_.push_back(p);
        }
        settled_.build(restless_members_, boxes_, scratch_.build);
        restless_members_.clear();
        idle_work_ = 0;
    }
    restless_.build(restless_members_, boxes_, scratch_.build);
}

bool Broadphase::may_pair(ProxyIndex a, ProxyIndex b) const {
    const Proxy &pa = proxies_[a], &pb = proxies_[b];
    return pa.home != Home::none && pb.home != Home::none && overlaps(lanes_of(boxes_[a]), lanes_of(boxes_[b])) &&
           should_collide(pa.filter, pb.filter);
}

// Pairs can only end at a dirty or removed proxy: follow their lists, or read the whole table when that is less work.
void Broadphase::find_ended() {
    std::vector<PairTable::Key>& ended = scratch_.ended;
    ended.clear();
    if (pairs_.size() == 0) return;
    const auto end_if_over = [&](PairTable::Key key) {
        const ProxyPair pair = PairTable::pair_of(key);
        if (!may_pair(pair.a, pair.b)) ended.push_back(key);
    };
    const std::size_t links = 2 * pairs_.size() * (dirty_.size() + removed_.size()) / proxies_.size();
    if (links * slots_per_link > pairs_.slots().size()) {
        std::vector<std::uint8_t>& changed = scratch_.changed;
        changed.assign(proxies_.size(), 0);
        for (const ProxyIndex p : dirty_) changed[p] = 1;
        for (const ProxyIndex p : removed_) changed[p] = 1;
        // Which slots are in use and whose proxies changed is noise: sieve without a branch, then test what is left.
        std::array<PairTable::Key, 256> sieved;
        const std::span<const PairTable::Key> slots = pairs_.slots();
        for (std::size_t first = 0; first < slots.size(); first += sieved.size()) {
            std::size_t count = 0;
            for (const PairTable::Key key : slots.subspan(first, std::min(sieved.size(), slots.size() - first))) {
                const ProxyPair pair = PairTable::pair_of(key);
                sieved[count] = key;
                count += (changed[pair.a] | changed[pair.b]) & static_cast<unsigned>(key != PairTable::no_key);
            }
            for (std::size_t i = 0; i < count; ++i) end_if_over(sieved[i]);
        }
    } else {
        for (const ProxyIndex p : dirty_) pairs_.for_each_of(p, end_if_over);
        for (const ProxyIndex p : removed_) pairs_.for_each_of(p, end_if_over);
    }
    radix_sort(ended, scratch_.sort, 0);
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());  // pairs of which both changed
}

// Keeps the pairs that are new. Of two dirty proxies the lower one reports, unless a sweep did. No branch in the first
// loop: a third of what is found falls through the sieve at random.
void Broadphase::drain(FoundPairs& found, Home home, bool swept) {
    std::size_t kept = 0;
    for (const ProxyPair pair : found.pairs()) {
        const Proxy &owner = proxies_[pair.a], &other = proxies_[pair.b];
        const bool reports = swept ? (owner.dirty | other.dirty) & (owner.home == home)
                                   : (pair.a != pair.b) & !(other.dirty & (pair.b < pair.a));
        const bool wanted =
            reports & (other.home == home) & (owner.moving | other.moving) & should_collide(owner.filter, other.filter);
        found.slots[kept] = {std::min(pair.a, pair.b), std::max(pair.a, pair.b)};
        kept += wanted;
    }
    const auto key = [&](std::size_t i) { return PairTable::key_of(found.slots[i].a, found.slots[i].b); };
    for (std::size_t i = 0; i < std::min(kept, lookahead); ++i) pairs_.prefetch(key(i));
    for (std::size_t i = 0; i < kept; ++i) {
        if (i + lookahead < kept) pairs_.prefetch(key(i + lookahead));
        if (!pairs_.contains(key(i))) scratch_.begun.push_back(key(i));
    }
    found.count = 0;
}

void Broadphase::find_begun_in(const ColumnGrid& grid, Home home) {
    if (grid.member_count() == 0) return;
    FoundPairs& found = scratch_.found;
    std::vector<std::uint32_t>& dirty_in_level = scratch_.dirty_in_level;
    dirty_in_level.assign(grid.level_count(), 0);
    for (const ProxyIndex p : dirty_) {
        if (proxies_[p].home == home) ++dirty_in_level[grid.level_of(boxes_[p])];
    }
    for (std::size_t level = 0; level < grid.level_count(); ++level) {
        const bool sweep = dirty_in_level[level] * sweep_part > grid.members_of(level);
        if (sweep) grid.sweep(level, found, [&](FoundPairs& f) { drain(f, home, true); });
        for (const ProxyIndex p : dirty_) {
            if (proxies_[p].home == Home::none) continue;
            if (sweep && proxies_[p].home == home && grid.level_of(boxes_[p]) == level) continue;
            grid.find(level, boxes_[p], p, found);
            if (found.count >= 1024) drain(found, home, false);
        }
        drain(found, home, false);
    }
}

void Broadphase::find_begun() {
    scratch_.begun.clear();
    find_begun_in(settled_, Home::settled);
    find_begun_in(restless_, Home::restless);
    radix_sort(scratch_.begun, scratch_.sort, 0);
}

void Broadphase::update() {
    begun_.clear();
    ended_.clear();
    if (dirty_.empty() && removed_.empty()) return;
    refresh();

    find_ended();
    for (const PairTable::Key key : scratch_.ended) {
        pairs_.erase(key);
        ended_.push_back(PairTable::pair_of(key));
    }
    find_begun();
    pairs_.reserve(pairs_.size() + scratch_.begun.size(), proxies_.size());
    for (const PairTable::Key key : scratch_.begun) {
        pairs_.insert(key);
        begun_.push_back(PairTable::pair_of(key));
    }

    for (const ProxyIndex p : dirty_) proxies_[p].dirty = false;
    dirty_.clear();
    for (const ProxyIndex p : removed_) {
        free_.push_back(p);
        std::push_heap(free_.begin(), free_.end(), std::greater<>{});
    }
    removed_.clear();
}

std::vector<ProxyIndex> Broadphase::find_all(const Aabb& box) const {
    std::vector<ProxyIndex> result;
    if (!glm::all(glm::lessThanEqual(box.lower, box.upper))) return result;  // NaN lands here too
    const Aabb bounded = aabb_of(finite(lanes_of(box)));
    FoundPairs found;
    const auto collect = [&](const ColumnGrid& grid, Home home) {
        for (std::size_t level = 0; level < grid.level_count(); ++level) {
            grid.find(level, bounded, 0, found);
            for (const ProxyPair pair : found.pairs()) {
                if (proxies_[pair.b].home == home) result.push_back(pair.b);
            }
            found.count = 0;
        }
    };
    collect(settled_, Home::settled);
    collect(restless_, Home::restless);
    for (const ProxyIndex p : pending_) {
        if (proxies_[p].home == Home::pending && overlaps(boxes_[p], bounded)) result.push_back(p);
    }
    std::sort(result.begin(), result.end());
    return result;
}

void Broadphase::cast(const vec3& origin, const vec3& translation, RayVisit visit, void* context) const {
    if (!is_finite(origin) || !is_finite(translation)) return;
    struct Filtered {
        const Broadphase& broadphase;
        Home home;
        RayVisit visit;
        void* context;
    } filtered{*this, Home::settled, visit, context};
    const auto pass_on = [](void* c, ProxyIndex proxy, float max_fraction) -> float {
        const Filtered& f = *static_cast<const Filtered*>(c);
        const Proxy& p = f.broadphase.proxies_[proxy];
        return p.home == f.home ? f.visit(f.context, p.user_data, max_fraction) : max_fraction;
    };
    Ray ray{origin, translation, 1.0f};
    settled_.cast(ray, boxes_, pass_on, &filtered);
    filtered.home = Home::restless;
    restless_.cast(ray, boxes_, pass_on, &filtered);
    for (const ProxyIndex p : pending_) {
        if (proxies_[p].home != Home::pending || enter_fraction(ray, boxes_[p]) < 0.0) continue;
        ray.max_fraction = std::min(ray.max_fraction, visit(context, proxies_[p].user_data, ray.max_fraction));
    }
}

std::size_t Broadphase::bytes() const {
    const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    const Scratch& s = scratch_;
    return of(proxies_) + of(boxes_) + of(free_) + of(removed_) + of(pending_) + of(dirty_) + of(restless_members_) +
           restless_.bytes() + settled_.bytes() + pairs_.bytes() + of(begun_) + of(ended_) + of(s.found.slots) +
           of(s.begun) + of(s.ended) + of(s.changed) + of(s.sort) + of(s.dirty_in_level) + of(s.build.members) +
           of(s.build.order) + of(s.build.order_scratch) + of(s.build.placements) + of(s.build.cursors);
}

}  // namespace talus
