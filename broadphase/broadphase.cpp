#include <talus/broadphase/broadphase.h>
#include <talus/broadphase/radix_sort.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

namespace talus {

namespace {

// When more than one in this many proxies would be in the restless grid, everything is built into the settled one
// instead: that is one sort rather than two, and one grid to look into.
constexpr std::size_t restless_part = 4;
// A box that stayed in its fat box for this many refreshes is idle. Once as many idle boxes have been sorted again as there
// are proxies, settling them costs no more than what they already cost.
constexpr std::uint32_t idle_refreshes = 32;
// Sweeping all of a level finds a pair once and needs no search for where to start; looking up its dirty boxes one by one
// looks at fewer boxes. Sweep when more than one in this many of the level is dirty.
constexpr std::size_t sweep_part = 5;
// What following a pair's links costs, in slots of the table read in a row.
constexpr std::size_t slots_per_link = 8;
constexpr std::size_t lookahead = 8;  // pairs whose table slot is being fetched while one is looked up

Aabb fatten(const Aabb& tight, const vec3& margin, const vec3& stretch) {
    return {tight.lower - margin + glm::min(stretch, vec3(0.0f)), tight.upper + margin + glm::max(stretch, vec3(0.0f))};
}

float largest(const vec3& v) { return std::max(v.x, std::max(v.y, v.z)); }

vec3 margin_of(const vec3& edges) {
    const FatBoxSettings& s = fat_box_settings;
    const float least = std::max(s.min_margin, s.margin_of_longest * largest(edges));
    return glm::min(glm::max(s.margin * edges, vec3(least)), vec3(s.max_margin));
}

vec3 stretch_of(const vec3& edges, const vec3& displacement) {
    const FatBoxSettings& s = fat_box_settings;
    const vec3 step = glm::abs(displacement);
    const vec3 length = glm::min(s.steps_ahead * step, glm::max(step, vec3(s.max_stretch * largest(edges))));
    return glm::mix(length, -length, glm::lessThan(displacement, vec3(0.0f)));
}

// Fat boxes stay finite: what would overflow is cut off at the largest float, which no tight box exceeds.
Aabb finite(const Aabb& box) {
    const vec3 limit(std::numeric_limits<float>::max());
    return {glm::clamp(box.lower, -limit, limit), glm::clamp(box.upper, -limit, limit)};
}

bool is_box(const Aabb& box) {
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
    boxes_[proxy] = def.moving ? finite(fatten(def.box, margin_of(def.box.upper - def.box.lower), vec3(0.0f))) : def.box;
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
    const Aabb& fat = boxes_[proxy];
    const vec3 edges = tight.upper - tight.lower;
    const vec3 margin = margin_of(edges), stretch = stretch_of(edges, displacement);
    if (contains(fat, tight)) {
        const vec3 slack = (fat.upper - fat.lower) - edges;
        const vec3 allowed = fat_box_settings.shrink_factor * (2.0f * margin + glm::abs(stretch));
        if (glm::all(glm::lessThanEqual(slack, allowed))) return;
    }
    boxes_[proxy] = proxies_[proxy].moving ? finite(fatten(tight, margin, stretch)) : tight;
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
    return pa.home != Home::none && pb.home != Home::none && overlaps(boxes_[a], boxes_[b]) &&
           should_collide(pa.filter, pb.filter);
}

// Pairs can only end at a dirty or removed proxy: follow their lists, or read the whole table when that is less work.
void Broadphase::find_ended() {
    std::vector<PairTable::Key>& ended = scratch_.ended;
    ended.clear();
    if (pairs_.size() == 0) return;
    const std::size_t changed = dirty_.size() + removed_.size();
    const std::size_t links = 2 * pairs_.size() * changed / proxies_.size();
    if (links * slots_per_link > pairs_.slots().size()) {
        for (const PairTable::Key key : pairs_.slots()) {
            if (key == PairTable::no_key) continue;
            const ProxyPair pair = PairTable::pair_of(key);
            const Proxy &a = proxies_[pair.a], &b = proxies_[pair.b];
            if ((a.dirty || b.dirty || a.home == Home::none || b.home == Home::none) && !may_pair(pair.a, pair.b)) {
                ended.push_back(key);
            }
        }
    } else {
        const auto follow = [&](ProxyIndex p) {
            pairs_.for_each_of(p, [&](PairTable::Key key) {
                const ProxyPair pair = PairTable::pair_of(key);
                if (!may_pair(pair.a, pair.b)) ended.push_back(key);
            });
        };
        for (const ProxyIndex p : dirty_) follow(p);
        for (const ProxyIndex p : removed_) follow(p);
    }
    radix_sort(ended, scratch_.sort, 0);
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());  // pairs of which both changed
}

// Keeps the pairs that are new. Of two dirty proxies the lower one reports, unless a sweep did.
void Broadphase::drain(FoundPairs& found, Home home, bool swept) {
    std::size_t kept = 0;
    for (const ProxyPair pair : found.pairs()) {
        const Proxy &owner = proxies_[pair.a], &other = proxies_[pair.b];
        const bool ours = swept ? (owner.dirty | other.dirty) && owner.home == home
                                : pair.a != pair.b && !(other.dirty && pair.b < pair.a);
        const bool wanted = ours && other.home == home && (owner.moving | other.moving) &&
                            should_collide(owner.filter, other.filter);
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
    const Aabb bounded = finite(box);
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
           restless_.bytes() + settled_.bytes() + pairs_.bytes() + of(begun_) + of(ended_) + of(s.found.slots) + of(s.begun) +
           of(s.ended) + of(s.sort) + of(s.dirty_in_level) + of(s.build.members) + of(s.build.order) +
           of(s.build.order_scratch) + of(s.build.placements) + of(s.build.cursors);
}

}  // namespace talus
