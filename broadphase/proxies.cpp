#include "broadphase/proxies.h"

#include "broadphase/columns/box_lanes.h"
#include "broadphase/fat_box.h"

#include <algorithm>
#include <functional>

namespace talus::detail {

namespace {

constexpr std::size_t least_moves = 2048;  // fewer are not worth a task of their own
// The margins of a stretched box are checked once in this many updates: a jittering body is not always as slow as now.
constexpr std::uint32_t shrink_updates = 8;

// Returns where part number `part` begins if so many items are divided into `parts` parts.
std::size_t part_begin(std::size_t items, int part, std::size_t parts) {
    return items * static_cast<std::size_t>(part) / parts;
}

}  // namespace

bool is_box(const WorldAabb& box) {
    return is_finite(box.lower) && is_finite(box.upper) && glm::all(glm::lessThanEqual(box.lower, box.upper));
}

void Proxies::mark_dirty(ProxyIndex proxy) {
    if (flags_[proxy].dirty) return;
    flags_[proxy].dirty = true;
    dirty_.push_back(proxy);
}

void Proxies::mark_pending(ProxyIndex proxy) {
    if (flags_[proxy].home != Home::pending) pending_.push_back(proxy);
    flags_[proxy].home = Home::pending;
    mark_dirty(proxy);
}

void Proxies::reserve(std::size_t more) {
    const std::size_t size = flags_.size() + more;
    const auto make_room = [size](auto& list) {
        if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
    };
    make_room(owners_), make_room(flags_), make_room(boxes_);
}

ProxyIndex Proxies::add(const ProxyDef& def) {
    ProxyIndex proxy;
    if (free_.empty()) {
        proxy = static_cast<ProxyIndex>(flags_.size());
        owners_.emplace_back();
        flags_.emplace_back();
        boxes_.emplace_back();
    } else {
        std::pop_heap(free_.begin(), free_.end(), std::greater<>{});
        proxy = free_.back();
        free_.pop_back();
    }
    owners_[proxy] = {def.filter, def.user_data};
    flags_[proxy] = ProxyFlags{};
    flags_[proxy].moving = def.moving;
    boxes_[proxy] = def.moving ? fatten(def.box, vec3(0.0f)) : def.box;
    ++count_;
    mark_pending(proxy);
    return proxy;
}

void Proxies::remove(ProxyIndex proxy) {
    flags_[proxy].home = Home::none;
    mark_dirty(proxy);
    removed_.push_back(proxy);
    --count_;
}

// Returns whether a fat box that contains the tight box is no larger than a new one would be, or not by much.
bool Proxies::fits_well(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) const {
    return (proxy + update_count_) % shrink_updates != 0 || still_fits(boxes_[proxy], tight, displacement);
}

void Proxies::renew_box(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) {
    const bool moving = flags_[proxy].moving;
    boxes_[proxy] = moving ? fatten(tight, displacement) : tight;
    flags_[proxy].stretched = moving && displacement != vec3(0.0f);
}

void Proxies::move(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) {
    if (keeps_box(proxy, tight, displacement)) return;
    renew_box(proxy, tight, displacement);
    mark_pending(proxy);
}

void Proxies::move(std::span<const ProxyIndex> proxies, std::span<const WorldAabb> tight,
                   std::span<const vec3> displacements, const Jobs& jobs) {
    const auto count = static_cast<std::size_t>(jobs.tasks_for(proxies.size(), least_moves));
    const std::span<Task> tasks = at_least(scratch_.tasks, count);
    jobs.for_each(static_cast<int>(count), [&](int t) {
        std::vector<ProxyIndex>& leaving = tasks[static_cast<std::size_t>(t)].leaving;
        leaving.clear();
        const ProxyIndex* const ids = proxies.data();
        const WorldAabb *const tight_boxes = tight.data(), *const fat_boxes = boxes_.data();
        const ProxyFlags* const flags = flags_.data();
        const std::size_t end = part_begin(proxies.size(), t + 1, count);
        for (std::size_t i = part_begin(proxies.size(), t, count); i < end; ++i) {
            const ProxyIndex p = ids[i];
            if (contains_wide(fat_boxes[p], tight_boxes[i]) &&
                (!flags[p].stretched || fits_well(p, tight_boxes[i], displacements[i]))) [[likely]]
                continue;
            renew_box(p, tight_boxes[i], displacements[i]);
            leaving.push_back(p);
        }
    });
    for (const Task& task : tasks) {
        for (const ProxyIndex proxy : task.leaving) mark_pending(proxy);
    }
}

void Proxies::set_moving(ProxyIndex proxy, bool moving) {
    if (moving && !flags_[proxy].moving) mark_dirty(proxy);
    flags_[proxy].moving = moving;
}

void Proxies::set_filter(ProxyIndex proxy, const Filter& filter) {
    if (owners_[proxy].filter == filter) return;
    owners_[proxy].filter = filter;
    filters_changed_ = true;
    mark_dirty(proxy);
}

void Proxies::end_update() {
    for (const ProxyIndex p : dirty_) flags_[p].dirty = false;
    dirty_.clear();
    for (const ProxyIndex p : removed_) {
        free_.push_back(p);
        std::push_heap(free_.begin(), free_.end(), std::greater<>{});
    }
    removed_.clear();
    filters_changed_ = false;
}

std::size_t Proxies::bytes() const {
    const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    std::size_t scratch = 0;
    for (const Task& task : scratch_.tasks) scratch += of(task.leaving);
    return of(owners_) + of(flags_) + of(boxes_) + of(free_) + of(removed_) + of(pending_) + of(dirty_) + scratch;
}

}  // namespace talus::detail
