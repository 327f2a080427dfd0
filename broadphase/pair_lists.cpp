#include <talus/broadphase/pair_lists.h>
#include <talus/broadphase/radix_sort.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace talus {

namespace {

constexpr std::uint32_t least_capacity = 4;
constexpr std::uint32_t long_list = 64;
// A pool this many times larger than what is in it is packed: what a burst of pairs took is given back, without flutter.
constexpr std::size_t slack_factor = 6;

std::uint32_t capacity_of(std::uint32_t count) {
    return count == 0 ? 0 : std::bit_ceil(std::max(count, least_capacity));
}

}  // namespace

void Marks::start(std::size_t count) {
    if (now_ > 0x7fffffffu) {
        std::fill(marks_.begin(), marks_.end(), 0u);
        now_ = 1;
    }
    if (marks_.size() < count) marks_.resize(count, 0);
    clear();
}

std::uint32_t PairLists::allocate(std::uint32_t capacity) {
    std::vector<std::uint32_t>& free = free_[static_cast<std::size_t>(std::countr_zero(capacity))];
    if (!free.empty()) {
        const std::uint32_t block = free.back();
        free.pop_back();
        return block;
    }
    const auto block = static_cast<std::uint32_t>(pool_.size());
    pool_.resize(pool_.size() + capacity);
    return block;
}

// Changes the length, keeps what is in it as far as it fits.
void PairLists::resize(List& list, std::uint32_t count) {
    const std::uint32_t before = capacity_of(list.count), after = capacity_of(count);
    if (before != after) {
        const std::uint32_t block = after == 0 ? 0 : allocate(after);
        std::copy_n(pool_.begin() + list.first, std::min(list.count, count), pool_.begin() + block);
        if (before != 0) free_[static_cast<std::size_t>(std::countr_zero(before))].push_back(list.first);
        list.first = block;
    }
    list.count = count;
}

void PairLists::insert(ProxyIndex owner, ProxyIndex partner) {
    List& list = lists_[owner];
    resize(list, list.count + 1);
    pool_[list.first + list.count - 1] = partner;
}

// The last partner takes the place; in a long list, where looking for many would take long for each, `erase_long` does it for all at once.
void PairLists::erase(ProxyIndex owner, ProxyIndex partner) {
    List& list = lists_[owner];
    if (list.count > long_list) {
        scratch_.erased_long.push_back(key_of(owner, partner));
        return;
    }
    ProxyIndex* place = &pool_[list.first];
    while (*place != partner) ++place;
    *place = pool_[list.first + list.count - 1];
    resize(list, list.count - 1);
}

void PairLists::erase_long(std::size_t proxies) {
    std::vector<PairKey>& erased = scratch_.erased_long;
    if (erased.empty()) return;
    Marks& marks = scratch_.marks;
    marks.start(proxies);
    radix_sort(erased, scratch_.sort, 32);
    for (std::size_t i = 0; i < erased.size();) {
        const ProxyIndex owner = pair_of(erased[i]).a;
        marks.clear();
        for (; i < erased.size() && pair_of(erased[i]).a == owner; ++i) marks.add(pair_of(erased[i]).b);
        List& list = lists_[owner];
        ProxyIndex* const partners = &pool_[list.first];
        std::uint32_t kept = 0;
        for (std::uint32_t k = 0; k < list.count; ++k) {
            const ProxyIndex partner = partners[k];
            partners[kept] = partner;
            kept += !marks.has(partner);
        }
        resize(list, kept);
    }
    erased.clear();
}

void PairLists::apply(std::span<const PairKey> ended, std::span<const PairKey> begun, std::size_t proxies) {
    if (lists_.size() < proxies) lists_.resize(proxies);
    const auto each = [&](std::span<const PairKey> keys, auto&& change) {
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (i + 2 * ahead < keys.size()) prefetch_list(pair_of(keys[i + 2 * ahead]).b);
            if (i + ahead < keys.size())
                prefetch_partners(pair_of(keys[i + ahead]).a), prefetch_partners(pair_of(keys[i + ahead]).b);
            const ProxyPair pair = pair_of(keys[i]);
            change(pair.a, pair.b);
            change(pair.b, pair.a);
        }
    };
    each(ended, [&](ProxyIndex owner, ProxyIndex partner) { erase(owner, partner); });
    erase_long(proxies);
    each(begun, [&](ProxyIndex owner, ProxyIndex partner) { insert(owner, partner); });
    pairs_ += begun.size();
    pairs_ -= ended.size();
    if (pool_.size() > 1024 && pool_.size() > slack_factor * 2 * (pairs_ + 1)) compact();
}

void PairLists::compact() {
    std::vector<ProxyIndex> packed(1);
    for (List& list : lists_) {
        const auto first = static_cast<std::uint32_t>(packed.size());
        packed.resize(packed.size() + capacity_of(list.count));
        std::copy_n(pool_.begin() + list.first, list.count, packed.begin() + first);
        list.first = list.count == 0 ? 0 : first;
    }
    pool_ = std::move(packed);
    pool_.shrink_to_fit();
    for (std::vector<std::uint32_t>& free : free_) free = {};
}

std::size_t PairLists::bytes() const {
    std::size_t bytes =
        lists_.capacity() * sizeof(List) + pool_.capacity() * sizeof(ProxyIndex) + scratch_.marks.bytes();
    for (const std::vector<std::uint32_t>& free : free_) bytes += free.capacity() * sizeof(std::uint32_t);
    return bytes + (scratch_.erased_long.capacity() + scratch_.sort.capacity()) * sizeof(PairKey);
}

}  // namespace talus
