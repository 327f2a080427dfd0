#include "broadphase/pairs/pair_finder.h"

#include "broadphase/pairs/radix_sort.h"

#include <algorithm>

namespace talus::detail {

namespace {

constexpr std::size_t least_comparisons = 64;  // fewer are not worth a task of their own
constexpr std::size_t lookahead = 8;           // data is prefetched for the proxy that is compared this much later

}  // namespace

// Finds the pairs that the proxy has gained and lost since the last update. If both proxies of a pair are dirty, the
// lower one reports it.
void PairFinder::compare(const Proxies& proxies, const ProxyGrids& grids, ProxyIndex p, Task& task) {
    FoundProxies& found = task.found;
    const Marks::Round marks = task.marks.next_round();
    const ProxyFlags* const flags = proxies.flags().data();
    const std::span<const ProxyIndex> partners = lists_.of(p);
    for (const ProxyIndex q : partners) marks.add(q);
    std::size_t lost = partners.size();
    if (flags[p].home != Home::none) {
        marks.see(p);
        const WorldAabb* const boxes = proxies.boxes().data();
        const auto look_into = [&](const ColumnGrid& grid, Home home) {
            found.count = 0;
            grid.find(boxes[p], found);
            const WorldLanes box = lanes_of(boxes[p]);
            for (const ProxyIndex q : found.ids()) {
                if (flags[q].home != home || !overlaps(box, boxes[q])) continue;
                const std::uint32_t mark = marks.of(q);
                if (mark < 2) [[likely]] {  // a partner, or found already
                    if (proxies.filters_changed() && !should_collide(proxies.filter(p), proxies.filter(q))) continue;
                    lost -= mark == 0;
                    marks.see(q);
                    continue;
                }
                marks.see(q);
                if ((flags[q].dirty && q < p) || !(flags[p].moving || flags[q].moving)) continue;
                task.begun.push_back(key_of(std::min(p, q), std::max(p, q)));  // filters are checked later
            }
        };
        look_into(grids.restless(), Home::restless);
        if (grids.settled().member_count() > 0) look_into(grids.settled(), Home::settled);
    }
    if (lost == 0) return;
    for (const ProxyIndex q : partners) {
        if (marks.is_seen(q)) continue;
        const bool dirty = flags[q].dirty;
        if (!dirty) task.halves.push_back(key_of(q, p));  // a dirty proxy changes its own list
        if (!dirty || p < q) task.ended.push_back(key_of(std::min(p, q), std::max(p, q)));
    }
    lists_.retain(p, [&](ProxyIndex q) { return marks.is_seen(q); });
}

// Compares one of `count` parts of the dirty proxies: first those in the restless grid, in its order, so that
// neighbours find in the cache what they look at; then the others.
void PairFinder::compare_part(const Proxies& proxies, const ProxyGrids& grids, Task& task, int index, int count) {
    const std::span<const ProxyIndex> dirty = proxies.dirty();
    std::vector<ProxyIndex>& order = task.order;
    order.resize(dirty.size() + 1);
    std::size_t size = 0;
    grids.restless().for_each_member(index, count, [&](ProxyIndex p) {
        order[size] = p;
        const ProxyFlags flags = proxies.flags(p);
        size += static_cast<std::size_t>(flags.dirty) & static_cast<std::size_t>(flags.home == Home::restless);
    });
    const auto part_begin = [&](int part) {
        return dirty.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(count);
    };
    const std::size_t end = part_begin(index + 1);
    for (std::size_t i = part_begin(index); i < end; ++i) {
        order[size] = dirty[i];
        size += proxies.flags(dirty[i]).home != Home::restless;
    }
    task.marks.start(proxies.size());
    task.begun.clear();
    task.ended.clear();
    task.halves.clear();
    for (std::size_t i = 0; i < size; ++i) {
        if (i + 2 * lookahead < size) lists_.prefetch_list(order[i + 2 * lookahead]);
        if (i + lookahead < size) {
            lists_.prefetch_partners(order[i + lookahead]);
            proxies.prefetch_box(order[i + lookahead]);
        }
        compare(proxies, grids, order[i], task);
    }
    // Filters are far apart in memory, and few are needed: they are checked together, so that they can be prefetched.
    std::size_t agreed = 0;
    for (std::size_t i = 0; i < task.begun.size(); ++i) {
        if (i + lookahead < task.begun.size()) {
            proxies.prefetch_filter(pair_of(task.begun[i + lookahead]).a);
            proxies.prefetch_filter(pair_of(task.begun[i + lookahead]).b);
        }
        const ProxyPair pair = pair_of(task.begun[i]);
        task.begun[agreed] = task.begun[i];
        agreed += should_collide(proxies.filter(pair.a), proxies.filter(pair.b));
    }
    task.begun.resize(agreed);
}

void PairFinder::clear_events() {
    begun_.clear();
    ended_.clear();
}

void PairFinder::update(const Proxies& proxies, const ProxyGrids& grids, const Jobs& jobs) {
    const int count = jobs.tasks_for(proxies.dirty().size(), least_comparisons);
    const std::span<Task> tasks = at_least(scratch_.tasks, static_cast<std::size_t>(count));
    jobs.for_each(count, [&](int t) { compare_part(proxies, grids, tasks[static_cast<std::size_t>(t)], t, count); });
    // The events are sorted, so they do not depend on which task found them.
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
    lists_.apply(all.halves, all.ended.size(), all.begun, proxies.size(), jobs);

    // Gives back what a burst of events needed: memory stays proportional to boxes and pairs.
    const std::size_t most = 2 * (proxies.size() + lists_.size()) + 1024;
    for (Task& task : scratch_.tasks) {
        for (std::vector<PairKey>* keys : {&task.begun, &task.ended, &task.halves, &task.sort}) {
            keys->clear();
            trim(*keys, most);
        }
    }
    trim(begun_, most);
    trim(ended_, most);
}

std::size_t PairFinder::bytes() const {
    const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    std::size_t scratch = 0;
    for (const Task& t : scratch_.tasks) {
        scratch +=
            of(t.found.slots) + t.marks.bytes() + of(t.order) + of(t.begun) + of(t.ended) + of(t.halves) + of(t.sort);
    }
    return lists_.bytes() + of(begun_) + of(ended_) + scratch;
}

}  // namespace talus::detail
