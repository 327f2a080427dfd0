#include "broadphase/pairs/pair_lists.h"

#include "broadphase/pairs/radix_sort.h"
#include "common/assert.h"

#include <algorithm>
#include <bit>

namespace talus::detail {

namespace {

constexpr std::uint32_t least_capacity = 4;
constexpr std::uint32_t slack = 4;  // a block may be this many times too large, since partners come and go
constexpr std::uint32_t long_list = 64;
constexpr std::size_t least_changes = 1024;  // fewer are not worth a task of their own
// A pool this many times larger than its content is packed. So the memory of a burst of pairs is given back, but not
// after every small change.
constexpr std::size_t slack_factor = 6;

// The exponent of the smallest block for so many partners; 0 for no block.
std::uint32_t exponent_for(std::uint32_t count) {
    return count == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(std::max(count, least_capacity) - 1));
}

}  // namespace

// Changes the length of a list and keeps the partners that fit.
void PairLists::resize(ProxyIndex owner, std::uint32_t count) {
    List& list = lists_[owner];
    const std::uint32_t capacity = list.exponent == 0 ? 0 : std::uint32_t{1} << list.exponent;
    if (count > capacity || count * slack < capacity) {
        Shard& shard = shards_[shard_of(owner)];
        const std::uint32_t exponent = exponent_for(count);
        std::uint32_t block = 0;
        if (exponent != 0 && !shard.free[exponent].empty()) {
            block = shard.free[exponent].back();
            shard.free[exponent].pop_back();
        } else if (exponent != 0) {
            block = static_cast<std::uint32_t>(shard.pool.size());
            shard.pool.resize(shard.pool.size() + (std::size_t{1} << exponent));
        }
        std::copy_n(shard.pool.begin() + list.first, std::min<std::uint32_t>(list.count, count),
                    shard.pool.begin() + block);
        if (list.exponent != 0) shard.free[list.exponent].push_back(list.first);
        list.first = block;
        list.exponent = exponent & 31u;
    }
    list.count = count & 0x7ffffffu;
}

void PairLists::insert(ProxyIndex owner, ProxyIndex partner) {
    TALUS_ASSERT(owner != partner && owner < lists_.size());
    resize(owner, lists_[owner].count + 1);
    first_of(owner)[lists_[owner].count - 1] = partner;
}

// The last partner takes the place of the erased one. In a long list each search would take long: there erase_long()
// erases all at once.
void PairLists::erase(ProxyIndex owner, ProxyIndex partner, Task& task) {
    const std::uint32_t count = lists_[owner].count;
    if (count > long_list) {
        task.erased_long.push_back(key_of(owner, partner));
        return;
    }
    ProxyIndex* const first = first_of(owner);
    ProxyIndex* place = first;
    while (*place != partner) ++place;
    *place = first[count - 1];
    resize(owner, count - 1);
}

void PairLists::erase_long(Task& task) {
    std::vector<PairKey>& erased = task.erased_long;
    if (erased.empty()) return;
    task.marks.start(lists_.size());
    radix_sort(erased, task.sort, 32);
    for (std::size_t i = 0; i < erased.size();) {
        const ProxyIndex owner = pair_of(erased[i]).a;
        const Marks::Round marks = task.marks.next_round();
        for (; i < erased.size() && pair_of(erased[i]).a == owner; ++i) marks.add(pair_of(erased[i]).b);
        retain(owner, [&](ProxyIndex partner) { return !marks.has(partner); });
        resize(owner, lists_[owner].count);
    }
    erased.clear();
}

void PairLists::apply(std::span<const PairKey> halves, std::size_t ended, std::span<const PairKey> begun,
                      std::size_t proxies, const Jobs& jobs) {
    if (lists_.size() < proxies) lists_.resize(proxies);
    const auto count = static_cast<std::size_t>(
        std::min(jobs.tasks_for(halves.size() + 2 * begun.size(), least_changes), int{shard_count}));
    const std::span<Task> tasks = at_least(scratch_.tasks, count);
    jobs.for_each(static_cast<int>(count), [&](int t) {
        Task& task = tasks[static_cast<std::size_t>(t)];
        // Calls change(owner, partner) for the halves whose owner is in this task's shards, and prefetches.
        const auto each = [&](std::size_t size, auto&& at, auto&& change) {
            constexpr std::size_t ahead = 16;
            const auto walk = [&](std::size_t n, auto&& half) {
                for (std::size_t i = 0; i < n; ++i) {
                    if (i + 2 * ahead < n) prefetch_list(pair_of(half(i + 2 * ahead)).a);
                    if (i + ahead < n) prefetch_partners(pair_of(half(i + ahead)).a);
                    change(pair_of(half(i)).a, pair_of(half(i)).b);
                }
            };
            if (count == 1) {
                walk(size, at);
                return;
            }
            std::vector<PairKey>& mine = task.changes;
            mine.resize(size + 1);
            std::size_t n = 0;
            for (std::size_t i = 0; i < size; ++i) {
                mine[n] = at(i);
                n += shard_of(pair_of(mine[n]).a) % count == static_cast<std::size_t>(t);
            }
            walk(n, [&](std::size_t i) { return mine[i]; });
        };
        each(
            halves.size(), [&](std::size_t i) { return halves[i]; },
            [&](ProxyIndex owner, ProxyIndex partner) { erase(owner, partner, task); });
        erase_long(task);
        each(
            2 * begun.size(),
            [&](std::size_t i) { return i % 2 == 0 ? begun[i / 2] : begun[i / 2] >> 32 | begun[i / 2] << 32; },
            [&](ProxyIndex owner, ProxyIndex partner) { insert(owner, partner); });
    });
    pairs_ += begun.size();
    pairs_ -= ended;
    // Gives back the memory of a burst of pairs.
    const std::size_t most = 4 * (proxies + pairs_) + 1024;
    std::size_t pools = 0;
    for (const Shard& shard : shards_) pools += shard.pool.size();
    if (pools > slack_factor * 2 * pairs_ + most) {
        for (std::size_t shard = 0; shard < shard_count; ++shard) compact(shard);
    }
    for (Task& task : scratch_.tasks) {
        for (std::vector<PairKey>* keys : {&task.changes, &task.erased_long, &task.sort}) {
            keys->clear();
            trim(*keys, most);
        }
    }
}

void PairLists::compact(std::size_t index) {
    Shard packed;
    for (ProxyIndex owner = 0; owner < lists_.size(); ++owner) {
        if (shard_of(owner) != index) continue;
        List& list = lists_[owner];
        const auto first = static_cast<std::uint32_t>(packed.pool.size());
        const std::uint32_t exponent = exponent_for(list.count);
        if (exponent != 0) packed.pool.resize(packed.pool.size() + (std::size_t{1} << exponent));
        std::copy_n(first_of(owner), list.count, packed.pool.begin() + first);
        list.first = exponent == 0 ? 0 : first;
        list.exponent = exponent & 31u;
    }
    packed.pool.shrink_to_fit();
    shards_[index] = std::move(packed);
}

std::size_t PairLists::bytes() const {
    std::size_t bytes = lists_.capacity() * sizeof(List);
    for (const Shard& shard : shards_) {
        bytes += shard.pool.capacity() * sizeof(ProxyIndex);
        for (const std::vector<std::uint32_t>& free : shard.free) bytes += free.capacity() * sizeof(std::uint32_t);
    }
    for (const Task& task : scratch_.tasks) {
        bytes += task.marks.bytes() +
                 (task.changes.capacity() + task.erased_long.capacity() + task.sort.capacity()) * sizeof(PairKey);
    }
    return bytes;
}

}  // namespace talus::detail
