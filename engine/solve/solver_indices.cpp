#include "engine/solve/solver_indices.h"

#include <algorithm>

namespace talus {

void SolverIndices::clear(std::uint32_t body_slots, const AwakeSet& awake) {
    constraints_.resize(body_slots, 0);
    contact_counts_.resize(body_slots, 0);
    for (const std::uint32_t slot : constrained_) constraints_[slot] = 0, contact_counts_[slot] = 1;
    constrained_.clear();
    for (const std::uint32_t slot : awake.list()) constraints_[slot] = 0, contact_counts_[slot] = 1;
}

/// Notes a constraint of a body. Fixed and sleeping bodies have them, too, and lose them before the next step.
void SolverIndices::constrain(std::uint32_t slot, std::uint8_t how) {
    if (constraints_[slot] == 0) constrained_.push_back(slot);
    constraints_[slot] |= how;
}

void SolverIndices::add_contacts(std::span<const ConstraintGraph::Edge> edges) {
    for (const ConstraintGraph::Edge& edge : edges) {
        const std::uint8_t how = edge.bounces ? by_contact | by_bounce : by_contact;
        constrain(edge.a, how);
        constrain(edge.b, how);
        ++contact_counts_[edge.a];
        ++contact_counts_[edge.b];
    }
}

void SolverIndices::add_joint(std::uint32_t slot_a, std::uint32_t slot_b) {
    constrain(slot_a, by_joint);
    constrain(slot_b, by_joint);
}

void SolverIndices::forget(std::uint32_t slot) {
    if (slot < index_.size()) index_[slot] = 0;
}

/// Divides the slabs into groups of neighbours that have about the same cost.
void SolverIndices::group_slabs(std::size_t groups) {
    slab_groups_ = {};
    std::uint64_t all = 0, before = 0;
    for (const std::uint32_t cost : slab_costs_) all += cost;
    for (std::uint32_t i = 1, group = 0; i < slabs_.count(); ++i) {
        before += slab_costs_[i - 1];
        // A new group begins if more of the slab's cost lies beyond the group's end, or if there are only as many slabs
        // left as groups.
        const std::uint64_t middle = 2 * before + slab_costs_[i];
        const bool is_next = middle * groups >= 2 * all * (group + 1) || slabs_.count() - i == groups - 1 - group;
        if (is_next && group + 1 < groups) ++group;
        slab_groups_[i] = static_cast<std::uint8_t>(group);
    }
    for (std::uint32_t i = slabs_.count(); i < most_slabs; ++i) slab_groups_[i] = slab_groups_[i - 1];
}

/// Appends the awake bodies for which wanted(slot) is true, and fills up the last group of lanes. Returns the new end.
template <class Wanted>
std::uint32_t SolverIndices::append(const AwakeSet& awake, Wanted&& wanted) {
    for (const std::uint32_t slot : awake.list()) {
        if (!wanted(slot)) continue;
        index_[slot] = size();
        slots_.push_back(slot);
    }
    while (slots_.size() % group_size != 0) slots_.push_back(null_index);
    return size();
}

void SolverIndices::assign(const BodyStore& bodies, const AwakeSet& awake, const Jobs& jobs) {
    for (const std::uint32_t slot : slots_) {  // still those of the last step
        if (slot != null_index) index_[slot] = 0;
    }
    index_.resize(bodies.slot_count(), 0);
    movable_.clear();
    for (const std::uint32_t slot : awake.list()) {
        if (is_movable(bodies, slot)) movable_.push_back(slot);
    }

    slabs_.cut(movable_, contact_counts_, bodies);
    std::array<std::uint32_t, most_slabs>
        places{};  // the number of bodies of each slab, then the index of its next one
    slab_costs_ = {};
    for (const std::uint32_t slot : movable_) {
        ++places[slabs_.of(slot)];
        slab_costs_[slabs_.of(slot)] += contact_counts_[slot];
    }
    group_slabs(
        std::min<std::size_t>(slabs_.count(), static_cast<std::size_t>(jobs.tasks_for(movable_.size(), least_bodies))));
    const auto whole_groups = [](std::uint32_t count) { return (count + group_size - 1) / group_size * group_size; };
    movable_end_ = group_size;
    slab_group_begins_ = {group_size};
    for (std::uint32_t i = 0; i < most_slabs; ++i) {
        const std::uint32_t count = whole_groups(places[i]);
        places[i] = movable_end_;
        movable_end_ += count;
        slab_group_begins_[slab_groups_[i] + 1u] = movable_end_;
    }
    slots_.assign(movable_end_, null_index);
    slab_of_.assign(movable_end_, 0);
    for (const std::uint32_t slot : movable_) {
        const std::uint8_t slab = slabs_.of(slot);
        const std::uint32_t i = places[slab]++;
        index_[slot] = i;
        slots_[i] = slot;
        slab_of_[i] = slab;
    }

    constrained_end_ =
        append(awake, [&](std::uint32_t slot) { return constraints_[slot] != 0 && !is_movable(bodies, slot); });
    append(awake, [&](std::uint32_t slot) { return constraints_[slot] == 0; });
    slab_of_.resize(slots_.size(), 0);
}

bool SolverIndices::fit(std::size_t slots) const {
    if (index_.size() > slots || movable_end_ > slots_.size() || !slabs_.fit()) return false;
    for (std::uint32_t slot = 0; slot < index_.size(); ++slot) {
        // A slot that has an index is in the list, so that the next step takes the index from it.
        if (index_[slot] != 0 && (index_[slot] >= slots_.size() || slots_[index_[slot]] != slot)) return false;
    }
    return std::all_of(slots_.begin(), slots_.end(),
                       [&](std::uint32_t slot) { return slot == null_index || slot < index_.size(); });
}

std::size_t SolverIndices::bytes() const {
    return slabs_.bytes() + constraints_.capacity() + slab_of_.capacity() +
           (contact_counts_.capacity() + index_.capacity() + slots_.capacity() + movable_.capacity()) *
               sizeof(std::uint32_t);
}

}  // namespace talus
