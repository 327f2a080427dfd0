/// In which order the bodies of a stiff group are eliminated (stiff_groups.h).

#include "engine/stiff_groups/stiff_groups.h"

#include "engine/settings.h"

#include <algorithm>
#include <iterator>

namespace talus {

/// The order of elimination (minimum degree, the lowest index of equals), and where blocks and their products go. Both
/// are kept while the same bodies touch. False, as soon as that is known, for a group whose factors are too much work.
bool StiffGroups::order(Group& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    group.pairs.clear();
    group.pairs.push_back(count);
    for (const Link& c : group.links) {
        group.pairs.push_back(c.a);
        group.pairs.push_back(c.b);
    }
    for (const Tie& tie : group.ties) {
        group.pairs.push_back(tie.a);
        group.pairs.push_back(tie.b);
    }
    if (group.pairs != group.pairs_before) {
        group.pairs_before.clear();
        if (!eliminate(group)) return false;
        for (std::uint32_t& r : group.rows) r = group.place[r];
        for (const Column& c : group.columns)
            std::sort(group.rows.begin() + c.first, group.rows.begin() + c.first + c.count);
        group.targets.clear();
        for (Column& c : group.columns) {
            c.first_target = static_cast<std::uint32_t>(group.targets.size());
            for (std::uint32_t q = c.first; q < c.first + c.count; ++q) {
                // The rows below q in this column are all rows of column rows[q], in the same order.
                std::uint32_t block = group.columns[group.rows[q]].first;
                for (std::uint32_t p = q + 1; p < c.first + c.count; ++p) {
                    while (group.rows[block] != group.rows[p]) ++block;
                    group.targets.push_back(block);
                }
            }
        }
        for (Factors& factors : group.factors) {
            factors.diagonal.resize(count);
            factors.below.resize(group.rows.size());
        }
        group.momentum.resize(count);
        group.found.resize(count);
        group.step.resize(count);
        group.residual.resize(count);
        group.pairs_before = group.pairs;
    }
    bodies_.assign(group.bodies.begin(), group.bodies.end());
    for (std::uint32_t i = 0; i < count; ++i) group.bodies[i] = bodies_[group.order[i]];
    return true;
}

/// Eliminates body after body from the graph of those that touch: the neighbours of one that goes become neighbours of
/// each other. Each body's neighbours are a sorted list, and a heap holds degrees, old ones among them that are skipped:
/// the time grows with the blocks of the factors and the lists that are merged for them, not with the square of the
/// number of bodies.
bool StiffGroups::eliminate(Group& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    if (neighbours_.size() < count) neighbours_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) neighbours_[i].clear();
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
        if (a == none || b == none || a == b) return;
        neighbours_[a].push_back(b);
        neighbours_[b].push_back(a);
    };
    for (const Link& c : group.links) join(c.a, c.b);
    for (const Tie& tie : group.ties) join(tie.a, tie.b);
    // Degree above, index below; the smallest first.
    const auto later = [](std::uint64_t x, std::uint64_t y) { return x > y; };
    heap_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<std::uint32_t>& list = neighbours_[i];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        heap_.push_back(std::uint64_t{list.size()} << 32 | i);
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
    group.order.clear();
    group.place.assign(count, none);
    group.columns.clear();
    group.rows.clear();
    group.products = 0;
    while (group.order.size() < count) {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const auto best = static_cast<std::uint32_t>(heap_.back());
        const std::uint64_t degree = heap_.back() >> 32;
        heap_.pop_back();
        if (group.place[best] != none || neighbours_[best].size() != degree) continue;
        const std::vector<std::uint32_t>& clique = neighbours_[best];
        group.place[best] = static_cast<std::uint32_t>(group.order.size());
        group.order.push_back(best);
        group.products += degree * (degree + 1) / 2;
        if (group.products > settings::stiff_most_products) return false;
        group.columns.push_back({static_cast<std::uint32_t>(group.rows.size()), static_cast<std::uint32_t>(degree), 0});
        group.rows.insert(group.rows.end(), clique.begin(), clique.end());
        for (const std::uint32_t k : clique) {
            std::vector<std::uint32_t>& list = neighbours_[k];
            merged_.clear();
            std::set_union(list.begin(), list.end(), clique.begin(), clique.end(), std::back_inserter(merged_));
            std::erase_if(merged_, [&](std::uint32_t i) { return i == best || i == k; });
            const bool same = merged_.size() == list.size();
            list.assign(merged_.begin(), merged_.end());
            if (same) continue;  // the heap has it already
            heap_.push_back(std::uint64_t{list.size()} << 32 | k);
            std::push_heap(heap_.begin(), heap_.end(), later);
        }
    }
    return true;
}

std::uint32_t StiffGroups::block_of(const Group& group, std::uint32_t row, std::uint32_t column) {
    const Column& c = group.columns[column];
    const auto first = group.rows.begin() + c.first;
    return static_cast<std::uint32_t>(std::lower_bound(first, first + c.count, row) - group.rows.begin());
}

}  // namespace talus
