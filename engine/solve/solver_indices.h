#pragma once
/// The order of a step's bodies in the solver.
///
/// The solver does not use body slots. Each body that takes part in the step has a *solver index*. Bodies of the same
/// kind have consecutive indices, so that whole groups of SIMD lanes can be loaded at once:
///
///     | immovable | movable, slab by slab | constrained, immovable | free |
///     0           group_size              movable_end()            constrained_end()  size()
///
///   immovable              index 0 stands for all bodies that do not take part: fixed and sleeping ones
///   movable                dynamic bodies with a contact or a joint, ordered by slab of space (slabs.h)
///   constrained, immovable kinematic bodies with a contact or a joint
///   free                   bodies without a constraint; nothing but they themselves reads or writes them in the solve
///
/// Each kind, and each slab, begins at a multiple of group_size. The indices that are left over belong to no body.
///
/// Each step: clear(), add_contacts() and add_joint() for all constraints, then assign(). Only the slabs are kept
/// across frames.

#include <talus/jobs.h>
#include "engine/bodies/body_store.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/slabs.h"
#include "engine/sleeping/awake_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SolverIndices {
public:
    /// The number of lanes of the widest SIMD vector.
    static constexpr std::uint32_t group_size = 8;
    /// A thread gets at least this many bodies.
    static constexpr std::size_t least_bodies = 128;

    // ---- building: once per step

    /// Forgets the constraints of the last step. `body_slots` is the number of slots of the body store.
    void clear(std::uint32_t body_slots, const AwakeSet& awake);
    /// Counts the contacts. Their bodies are body slots here.
    void add_contacts(std::span<const ConstraintGraph::Edge> edges);
    /// Counts a joint between two body slots.
    void add_joint(std::uint32_t slot_a, std::uint32_t slot_b);
    /// Gives each awake body its index, and divides the slabs into one group per thread of `jobs`, or fewer.
    void assign(const BodyStore& bodies, const AwakeSet& awake, const Jobs& jobs);
    /// Called when the body in this slot is removed, so that the next body in the slot has no index.
    void forget(std::uint32_t slot);

    // ---- constraints by body slot

    bool has_contact(std::uint32_t slot) const { return (constraints_[slot] & by_contact) != 0; }
    bool has_joint(std::uint32_t slot) const { return (constraints_[slot] & by_joint) != 0; }
    /// Returns whether the body has a contact with restitution.
    bool has_bounce(std::uint32_t slot) const { return (constraints_[slot] & by_bounce) != 0; }
    /// Returns, by body slot, the number of the body's contacts plus one.
    std::span<const std::uint32_t> contact_counts() const { return contact_counts_; }

    // ---- indices

    /// Returns the solver index of a body slot; 0 if the body does not take part. The body must have existed when the
    /// step began.
    std::uint32_t of(std::uint32_t slot) const { return index_[slot]; }
    /// The same for any body.
    std::uint32_t find(std::uint32_t slot) const { return slot < index_.size() ? index_[slot] : 0; }
    /// Returns the solver indices by body slot.
    std::span<const std::uint32_t> index_by_slot() const { return index_; }
    /// Returns the body slots by solver index; null_index at indices that belong to no body.
    std::span<const std::uint32_t> slots() const { return slots_; }
    std::uint32_t slot(std::uint32_t index) const { return slots_[index]; }
    bool is_body(std::uint32_t index) const { return slots_[index] != null_index; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }

    std::uint32_t movable_end() const { return movable_end_; }
    std::uint32_t constrained_end() const { return constrained_end_; }
    /// Returns the body slots of the movable bodies, in the order of the awake list.
    std::span<const std::uint32_t> movable() const { return movable_; }
    /// Calls visit(solver index) for each movable body.
    template <class Visit>
    void for_each_movable(Visit&& visit) const {
        for (std::uint32_t i = group_size; i < movable_end_; ++i) {
            if (slots_[i] != null_index) visit(i);
        }
    }

    // ---- slabs of the movable bodies

    std::uint32_t slab_count() const { return slabs_.count(); }
    std::span<const std::uint8_t> slabs() const { return slab_of_; }  ///< by solver index
    /// Returns the group of each slab. A group is neighbouring slabs that one thread solves.
    const SlabGroups& slab_groups() const { return slab_groups_; }
    std::uint32_t slab_group_count() const { return slab_groups_.back() + 1u; }
    /// Returns the first solver index of a group of slabs. For the number of groups, returns the end of the last group.
    std::uint32_t slab_group_begin(std::size_t group) const { return slab_group_begins_[group]; }

    /// For saved worlds (common/bytes.h). Of the indices only what is asked for between steps.
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(slabs_, index_, slots_, movable_end_);
    }
    /// Returns whether what was read can be right for so many body slots.
    bool fit(std::size_t slots) const;
    std::size_t bytes() const;

private:
    static constexpr std::uint8_t by_contact = 1, by_joint = 2, by_bounce = 4;

    bool is_movable(const BodyStore& bodies, std::uint32_t slot) const {
        return constraints_[slot] != 0 && bodies[slot].inverse_mass > 0.0f;
    }
    void constrain(std::uint32_t slot, std::uint8_t how);
    void group_slabs(std::size_t groups);
    template <class Wanted>
    std::uint32_t append(const AwakeSet& awake, Wanted&& wanted);

    std::vector<std::uint8_t> constraints_;      ///< by body slot: by_contact, by_joint, by_bounce
    std::vector<std::uint32_t> contact_counts_;  ///< by body slot: number of contacts plus one
    std::vector<std::uint32_t> constrained_;     ///< body slots with constraints
    std::vector<std::uint32_t> index_;           ///< by body slot
    std::vector<std::uint32_t> slots_;           ///< by solver index
    std::vector<std::uint8_t> slab_of_;          ///< by solver index
    std::vector<std::uint32_t> movable_;
    std::uint32_t movable_end_ = 0, constrained_end_ = 0;
    Slabs slabs_;
    std::array<std::uint32_t, most_slabs> slab_costs_{};  ///< sums of contact_counts_
    SlabGroups slab_groups_{};
    std::array<std::uint32_t, most_slabs + 1> slab_group_begins_{};
};

}  // namespace talus
