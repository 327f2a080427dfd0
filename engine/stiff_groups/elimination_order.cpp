#include "engine/stiff_groups/elimination_order.h"

#include "engine/settings.h"

#include <algorithm>
#include <iterator>

namespace talus {

namespace {

/// Renumbers the rows of the factors by position, finds the target of each product of blocks, and allocates the
/// numbers.
void find_targets(StiffGroup& group) {
    const std::size_t count = group.bodies.size();
    for (std::uint32_t& r : group.rows) r = group.position[r];
    for (const FactorColumn& c : group.columns)
        std::sort(group.rows.begin() + c.first, group.rows.begin() + c.first + c.count);
    group.targets.clear();
    for (FactorColumn& c : group.columns) {
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
    for (GroupFactors& factors : group.factors) {
        factors.diagonal.resize(count);
        factors.below.resize(group.rows.size());
    }
    group.momentum.resize(count);
    group.found.resize(count);
    group.step.resize(count);
    group.residual.resize(count);
}

}  // namespace

bool EliminationOrder::find(StiffGroup& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    group.pairs.clear();
    group.pairs.push_back(count);
    for (const GroupCandidate& c : group.candidates) {
        group.pairs.push_back(c.a);
        group.pairs.push_back(c.b);
    }
    for (const JointEdge& tie : group.joint_edges) {
        group.pairs.push_back(tie.a);
        group.pairs.push_back(tie.b);
    }
    if (group.pairs != group.pairs_before) {
        group.pairs_before.clear();
        if (!eliminate(group)) return false;
        find_targets(group);
        group.pairs_before = group.pairs;
    }
    bodies_.assign(group.bodies.begin(), group.bodies.end());
    for (std::uint32_t i = 0; i < count; ++i) group.bodies[i] = bodies_[group.order[i]];
    return true;
}

/// Eliminates body after body from the graph of touching bodies. The neighbours of an eliminated body become neighbours
/// of each other. Each body's neighbours are a sorted list. A heap holds the degrees; entries that are out of date are
/// skipped. The time grows with the number of blocks of the factors and the lists that are merged for them, not with
/// the square of the number of bodies.
bool EliminationOrder::eliminate(StiffGroup& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    if (neighbours_.size() < count) neighbours_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) neighbours_[i].clear();
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
        if (a == null_index || b == null_index || a == b) return;
        neighbours_[a].push_back(b);
        neighbours_[b].push_back(a);
    };
    for (const GroupCandidate& c : group.candidates) join(c.a, c.b);
    for (const JointEdge& tie : group.joint_edges) join(tie.a, tie.b);
    // Heap keys: the degree in the upper half, the index in the lower half; smallest first.
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
    group.position.assign(count, null_index);
    group.columns.clear();
    group.rows.clear();
    group.products = 0;
    while (group.order.size() < count) {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const auto best = static_cast<std::uint32_t>(heap_.back());
        const std::uint64_t degree = heap_.back() >> 32;
        heap_.pop_back();
        if (group.position[best] != null_index || neighbours_[best].size() != degree) continue;
        const std::vector<std::uint32_t>& clique = neighbours_[best];
        group.position[best] = static_cast<std::uint32_t>(group.order.size());
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
            if (same) continue;  // this degree is already in the heap
            heap_.push_back(std::uint64_t{list.size()} << 32 | k);
            std::push_heap(heap_.begin(), heap_.end(), later);
        }
    }
    return true;
}

std::size_t EliminationOrder::bytes() const {
    std::size_t sum = bodies_.capacity() * sizeof(GroupBody) + merged_.capacity() * sizeof(std::uint32_t) +
                      heap_.capacity() * sizeof(std::uint64_t);
    for (const auto& list : neighbours_) sum += sizeof(list) + list.capacity() * sizeof(std::uint32_t);
    return sum;
}

std::uint32_t block_of(const StiffGroup& group, std::uint32_t row, std::uint32_t column) {
    const FactorColumn& c = group.columns[column];
    const auto first = group.rows.begin() + c.first;
    return static_cast<std::uint32_t>(std::lower_bound(first, first + c.count, row) - group.rows.begin());
}

}  // namespace talus
