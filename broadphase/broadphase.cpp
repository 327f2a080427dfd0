#include <talus/broadphase/broadphase.h>
#include "broadphase/radix_sort.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

namespace talus {

namespace {

// A box that stayed in its fat box for this many refreshes is idle. Once as many idle boxes have been sorted again as
// there are proxies, settling them costs no more than what they already cost.
constexpr std::uint32_t idle_refreshes = 32;
constexpr std::uint32_t idle_checks = 8;  // once in so many refreshes they are counted
// The settled grid is built anew, too, when it holds this many times the entries that still count, and some more.
constexpr std::size_t stale_factor = 2;
// Fewer are not worth a task of their own.
constexpr std::size_t least_moves = 2048, least_comparisons = 512;
constexpr std::size_t lookahead = 8;  // proxies whose partners are being fetched while one is compared
// A stretched box is held against what it needs once in this many updates: what trembles is not always as slow as it is
// now.
constexpr std::uint32_t shrink_updates = 8;

// How much of so many steps (m) a box with this longest edge is stretched along.
Float4 stretch_of(Float4 longest, Float4 step, float steps) {
    constexpr FatBoxSettings s = fat_box_settings;
    return min(splat<Float4>(steps) * step, max(step, splat<Float4>(s.max_stretch) * longest));
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
    const Float4 zero{}, ahead = stretch_of(longest, max(motion, zero), s.steps_ahead),
                         behind = stretch_of(longest, max(-motion, zero), s.steps_ahead),
                         back = stretch_of(longest, absolute(motion), s.steps_behind);
    return aabb_of(finite({box.lower - margin - max(behind, back), box.upper + margin + max(ahead, back)}));
}

// Whether `fat` holds the tight box and reaches nowhere beyond it so far that it should be made anew.
bool still_fits(const Aabb& fat, const Aabb& tight, const vec3& displacement) {
    constexpr FatBoxSettings s = fat_box_settings;
    const BoxLanes inner = lanes_of(tight), outer = lanes_of(fat);
    const Float4 below = inner.lower - outer.lower, above = outer.upper - inner.upper;
    const Float4 longest = largest(inner.upper - inner.lower), step = largest(absolute(lanes_of(displacement)));
    const Float4 margin =
        min(max(splat<Float4>(s.margin) * longest, splat<Float4>(s.min_margin)), splat<Float4>(s.max_margin));
    const Float4 gap = splat<Float4>(s.shrink_factor) * (margin + stretch_of(longest, step, s.steps_ahead));
    return all((below >= splat<Float4>(0.0f)) & (above >= splat<Float4>(0.0f)) & (below <= gap) & (above <= gap));
}

// Where a part begins when so many items are cut into `parts` parts.
std::size_t part_begin(std::size_t items, int part, std::size_t parts) {
    return items * static_cast<std::size_t>(part) / parts;
}

[[maybe_unused]] bool is_box(const Aabb& box) {
    return is_finite(box.lower) && is_finite(box.upper) && glm::all(glm::lessThanEqual(box.lower, box.upper));
}

}  // namespace

void Broadphase::mark_dirty(ProxyIndex proxy) {
    if (flags_[proxy].dirty) return;
    flags_[proxy].dirty = true;
    dirty_.push_back(proxy);
}

void Broadphase::mark_pending(ProxyIndex proxy) {
    if (flags_[proxy].home != Home::pending) pending_.push_back(proxy);
    flags_[proxy].home = Home::pending;
    mark_dirty(proxy);
}

ProxyIndex Broadphase::add(const ProxyDef& def) {
    assert(is_box(def.box));
    ProxyIndex proxy;
    if (free_.empty()) {
        proxy = static_cast<ProxyIndex>(proxies_.size());
        proxies_.emplace_back();
        flags_.emplace_back();
        moved_at_.emplace_back();
        boxes_.emplace_back();
    } else {
        std::pop_heap(free_.begin(), free_.end(), std::greater<>{});
        proxy = free_.back();
        free_.pop_back();
    }
    proxies_[proxy] = {def.filter, def.user_data};
    flags_[proxy] = Flags{};
    flags_[proxy].moving = def.moving;
    boxes_[proxy] = def.moving ? fatten(def.box, vec3(0.0f)) : def.box;
    ++proxy_count_;
    mark_pending(proxy);
    return proxy;
}

void Broadphase::add(std::span<const ProxyDef> defs, std::span<ProxyIndex> out) {
    assert(out.size() >= defs.size());
    const std::size_t size = proxies_.size() + defs.size();
    const auto make_room = [size](auto& list) {  // by factors: many small batches must not copy everything each time
        if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
    };
    make_room(proxies_), make_room(flags_), make_room(moved_at_), make_room(boxes_);
    for (std::size_t i = 0; i < defs.size(); ++i) out[i] = add(defs[i]);
}

void Broadphase::remove(ProxyIndex proxy) {
    assert(flags_[proxy].home != Home::none);
    members_left_ |= flags_[proxy].restless_member;
    flags_[proxy].restless_member = false;
    flags_[proxy].home = Home::none;
    mark_dirty(proxy);
    removed_.push_back(proxy);
    --proxy_count_;
}

void Broadphase::remove(std::span<const ProxyIndex> proxies) {
    for (const ProxyIndex proxy : proxies) remove(proxy);
}

// Whether the proxy, inside its fat box, can keep it.
bool Broadphase::may_keep_box(ProxyIndex proxy, const Aabb& tight, const vec3& displacement) const {
    return (proxy + update_count_) % shrink_updates != 0 || still_fits(boxes_[proxy], tight, displacement);
}

void Broadphase::renew_box(ProxyIndex proxy, const Aabb& tight, const vec3& displacement) {
    const bool moving = flags_[proxy].moving;
    boxes_[proxy] = moving ? fatten(tight, displacement) : tight;
    flags_[proxy].stretched = moving && displacement != vec3(0.0f);
}

void Broadphase::move(ProxyIndex proxy, const Aabb& tight, const vec3& displacement) {
    assert(flags_[proxy].home != Home::none && is_box(tight) && is_finite(displacement));
    // A wide load of a box that was written float by float a moment ago would have to wait for those stores.
    if (contains(lanes_of(boxes_[proxy]), {lanes_of(tight.lower), lanes_of(tight.upper)}) &&
        (!flags_[proxy].stretched || may_keep_box(proxy, tight, displacement)))
        return;
    renew_box(proxy, tight, displacement);
    mark_pending(proxy);
}

void Broadphase::move(std::span<const ProxyIndex> proxies, std::span<const Aabb> tight,
                      std::span<const vec3> displacements, const Jobs& jobs) {
    assert(tight.size() == proxies.size() && displacements.size() == proxies.size());
    const auto count = static_cast<std::size_t>(jobs.tasks_for(proxies.size(), least_moves));
    const std::span<Task> tasks = at_least(scratch_.tasks, count);
    jobs.for_each(static_cast<int>(count), [&](int t) {
        std::vector<ProxyIndex>& left = tasks[static_cast<std::size_t>(t)].left;
        left.clear();
        const ProxyIndex* const ids = proxies.data();
        const Aabb *const tight_boxes = tight.data(), *const fat_boxes = boxes_.data();
        const Flags* const flags = flags_.data();
        const std::size_t end = part_begin(proxies.size(), t + 1, count);
        for (std::size_t i = part_begin(proxies.size(), t, count); i < end; ++i) {
            const ProxyIndex p = ids[i];
            if (contains(lanes_of(fat_boxes[p]), lanes_of(tight_boxes[i])) &&
                (!flags[p].stretched || may_keep_box(p, tight_boxes[i], displacements[i]))) [[likely]]
                continue;
            renew_box(p, tight_boxes[i], displacements[i]);
            left.push_back(p);
        }
    });
    for (const Task& task : tasks) {
        for (const ProxyIndex proxy : task.left) mark_pending(proxy);
    }
}

void Broadphase::set_moving(ProxyIndex proxy, bool moving) {
    assert(flags_[proxy].home != Home::none);
    if (moving && !flags_[proxy].moving) mark_dirty(proxy);
    flags_[proxy].moving = moving;
}

void Broadphase::set_filter(ProxyIndex proxy, const Filter& filter) {
    assert(flags_[proxy].home != Home::none);
    if (proxies_[proxy].filter == filter) return;
    proxies_[proxy].filter = filter;
    filters_changed_ = true;
    mark_dirty(proxy);
}

void Broadphase::refresh(const Jobs& jobs) {
    if (pending_.empty()) return;
    ++refresh_count_;
    if (members_left_) std::erase_if(restless_members_, [&](ProxyIndex p) { return !flags_[p].restless_member; });
    members_left_ = false;
    std::vector<ProxyIndex>& joining = scratch_.joining;
    joining.clear();
    for (const ProxyIndex p : pending_) {
        if (flags_[p].home != Home::pending) continue;
        flags_[p].home = Home::restless;
        moved_at_[p] = refresh_count_;
        if (!flags_[p].restless_member) joining.push_back(p);
        flags_[p].restless_member = true;
    }
    pending_.clear();
    if (!joining.empty()) {  // in ascending order, which is that of the boxes in memory
        if (!std::is_sorted(joining.begin(), joining.end())) std::sort(joining.begin(), joining.end());
        scratch_.merged.resize(restless_members_.size() + joining.size());
        std::merge(restless_members_.begin(), restless_members_.end(), joining.begin(), joining.end(),
                   scratch_.merged.begin());
        restless_members_.swap(scratch_.merged);
    }
    const std::uint32_t unchecked = refresh_count_ - checked_at_;
    if (!joining.empty() || unchecked >= idle_checks) {
        const auto idle =
            std::count_if(restless_members_.begin(), restless_members_.end(), [&](ProxyIndex p) { return is_idle(p); });
        idle_work_ += unchecked * static_cast<std::size_t>(idle);
        checked_at_ = refresh_count_;
    }
    const std::size_t settled = proxy_count_ - restless_members_.size();
    if (idle_work_ >= proxy_count_ || settled_.member_count() > stale_factor * settled + proxy_count_ / 8)
        settle_idle(jobs);
    restless_.build(restless_members_, boxes_, jobs);
}

bool Broadphase::is_idle(ProxyIndex p) const {
    return !flags_[p].moving || refresh_count_ - moved_at_[p] > idle_refreshes;
}

// All that has not moved lately goes into a new settled grid.
void Broadphase::settle_idle(const Jobs& jobs) {
    std::vector<ProxyIndex>& settled = scratch_.settled;
    settled.clear();
    restless_members_.clear();
    for (ProxyIndex p = 0; p < proxies_.size(); ++p) {
        if (flags_[p].home == Home::none) continue;
        if (flags_[p].home == Home::restless && !is_idle(p)) {
            restless_members_.push_back(p);
        } else {
            flags_[p].home = Home::settled;
            flags_[p].restless_member = false;
            settled.push_back(p);
        }
    }
    settled_.build(settled, boxes_, jobs);
    idle_work_ = 0;
}

// What the proxy has gained and lost since the last update. Of two dirty proxies the lower one reports.
void Broadphase::compare(ProxyIndex p, Task& task) {
    FoundProxies& found = task.found;
    Marks& marks = task.marks;
    marks.clear();
    const std::span<const ProxyIndex> partners = pairs_.of(p);
    for (const ProxyIndex q : partners) marks.add(q);
    std::size_t lost = partners.size();
    if (flags_[p].home != Home::none) {
        marks.see(p);
        const auto look_into = [&](const ColumnGrid& grid, Home home) {
            found.count = 0;
            grid.find(boxes_[p], found);
            for (const ProxyIndex q : found.ids()) {
                if (flags_[q].home != home) continue;
                const std::uint32_t mark = marks.of(q);
                if (mark < 2) [[likely]] {  // a partner, or found already
                    if (filters_changed_ && !should_collide(proxies_[p].filter, proxies_[q].filter)) continue;
                    lost -= mark == 0;
                    marks.see(q);
                    continue;
                }
                marks.see(q);
                if ((flags_[q].dirty && q < p) || !(flags_[p].moving || flags_[q].moving)) continue;
                task.begun.push_back(key_of(std::min(p, q), std::max(p, q)));  // if their filters agree
            }
        };
        look_into(restless_, Home::restless);
        if (settled_.member_count() > 0) look_into(settled_, Home::settled);
    }
    if (lost == 0) return;
    for (const ProxyIndex q : partners) {
        if (marks.is_seen(q)) continue;
        if (!flags_[q].dirty) task.halves.push_back(key_of(q, p));  // dirty ones see to their own lists
        if (!flags_[q].dirty || p < q) task.ended.push_back(key_of(std::min(p, q), std::max(p, q)));
    }
    pairs_.retain(p, [&](ProxyIndex q) { return marks.is_seen(q); });
}

// One of `count` parts of the dirty proxies: those of the restless grid in its order, so that neighbours find in the
// cache what they look at, then the others.
void Broadphase::compare_all(Task& task, int index, int count) {
    std::vector<ProxyIndex>& order = task.order;
    order.resize(dirty_.size() + 1);
    std::size_t size = 0;
    restless_.for_each_member(index, count, [&](ProxyIndex p) {
        order[size] = p;
        size += static_cast<std::size_t>(flags_[p].dirty) & static_cast<std::size_t>(flags_[p].home == Home::restless);
    });
    const auto parts = static_cast<std::size_t>(count);
    const std::size_t end = part_begin(dirty_.size(), index + 1, parts);
    for (std::size_t i = part_begin(dirty_.size(), index, parts); i < end; ++i) {
        order[size] = dirty_[i];
        size += flags_[dirty_[i]].home != Home::restless;
    }
    task.marks.start(proxies_.size());
    task.begun.clear();
    task.ended.clear();
    task.halves.clear();
    for (std::size_t i = 0; i < size; ++i) {
        if (i + 2 * lookahead < size) pairs_.prefetch_list(order[i + 2 * lookahead]);
        if (i + lookahead < size) {
            pairs_.prefetch_partners(order[i + lookahead]);
            __builtin_prefetch(&boxes_[order[i + lookahead]]);
        }
        compare(order[i], task);
    }
    // Filters are far apart in memory, and only few are asked for: all together, so that they can be fetched ahead.
    std::size_t agreed = 0;
    for (std::size_t i = 0; i < task.begun.size(); ++i) {
        if (i + lookahead < task.begun.size()) {
            __builtin_prefetch(&proxies_[pair_of(task.begun[i + lookahead]).a]);
            __builtin_prefetch(&proxies_[pair_of(task.begun[i + lookahead]).b]);
        }
        const ProxyPair pair = pair_of(task.begun[i]);
        task.begun[agreed] = task.begun[i];
        agreed += should_collide(proxies_[pair.a].filter, proxies_[pair.b].filter);
    }
    task.begun.resize(agreed);
}

void Broadphase::update(const Jobs& jobs) {
    begun_.clear();
    ended_.clear();
    ++update_count_;
    if (dirty_.empty()) return;
    refresh(jobs);

    const int count = jobs.tasks_for(dirty_.size(), least_comparisons);
    const std::span<Task> tasks = at_least(scratch_.tasks, static_cast<std::size_t>(count));
    jobs.for_each(count, [&](int t) { compare_all(tasks[static_cast<std::size_t>(t)], t, count); });
    // Sorted, the events do not tell who found them.
    Task& all = tasks.front();
    for (Task& task : tasks.subspan(1)) {
        all.begun.insert(all.begun.end(), task.begun.begin(), task.begun.end());
        all.ended.insert(all.ended.end(), task.ended.begin(), task.ended.end());
        all.halves.insert(all.halves.end(), task.halves.begin(), task.halves.end());
    }
    const auto publish = [](std::vector<PairKey>& keys, std::vector<PairKey>& sort, std::vector<ProxyPair>& events) {
        radix_sort(keys, sort, 0);
        events.resize(keys.size());
        std::transform(keys.begin(), keys.end(), events.begin(), pair_of);
    };
    Task& other = tasks.back();
    jobs.for_each(count > 1 ? 2 : 1, [&](int t) {
        if (t == 0) publish(all.ended, all.sort, ended_);
        if (t == 1 || count == 1) publish(all.begun, other.sort, begun_);
    });
    pairs_.apply(all.halves, all.ended.size(), all.begun, proxies_.size(), jobs);

    for (const ProxyIndex p : dirty_) flags_[p].dirty = false;
    dirty_.clear();
    for (const ProxyIndex p : removed_) {
        free_.push_back(p);
        std::push_heap(free_.begin(), free_.end(), std::greater<>{});
    }
    removed_.clear();
    filters_changed_ = false;
    // What a burst of events took is given back: memory stays proportional to boxes and pairs.
    const std::size_t most = 2 * (proxies_.size() + pairs_.size()) + 1024;
    for (Task& task : scratch_.tasks) {
        for (std::vector<PairKey>* keys : {&task.begun, &task.ended, &task.halves, &task.sort}) {
            keys->clear();
            trim(*keys, most);
        }
    }
    trim(begun_, most);
    trim(ended_, most);
}

std::size_t Broadphase::bytes() const {
    const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    std::size_t scratch = of(scratch_.settled) + of(scratch_.joining);
    for (const Task& t : scratch_.tasks) {
        scratch += of(t.found.slots) + t.marks.bytes() + of(t.order) + of(t.left) + of(t.begun) + of(t.ended) +
                   of(t.halves) + of(t.sort);
    }
    return of(proxies_) + of(flags_) + of(moved_at_) + of(boxes_) + of(free_) + of(removed_) + of(pending_) +
           of(dirty_) + of(restless_members_) + restless_.bytes() + settled_.bytes() + pairs_.bytes() + of(begun_) +
           of(ended_) + scratch;
}

}  // namespace talus
