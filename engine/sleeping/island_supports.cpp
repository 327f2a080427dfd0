#include "engine/sleeping/island_supports.h"

namespace talus {

/// Returns whether the contact had a normal impulse in the last step.
static bool bears_load(const ContactState& state) {
    for (int i = 0; i < state.point_count; ++i) {
        if (state.impulses[i] > 0.0f) return true;
    }
    return false;
}

void IslandSupports::find(const SolveInput& in, Islands& islands, const PagedArray<ContactState>& states) {
    flags_.assign(in.indices.size(), 0);
    for (const ConstraintGraph::Edge& edge : in.edges) {
        const bool immovable = !edge.pushes_a || !edge.pushes_b;  // one of the two bodies is fixed or kinematic
        if (!immovable && !edge.jointed) continue;
        std::uint8_t& flags = flags_[islands.find(edge.pushes_a ? edge.a : edge.b)];
        if (edge.jointed) flags |= jointed_contact;
        if (!immovable) continue;
        flags |= immovable_contact;
        if ((flags & immovable_push) == 0 && bears_load(states[edge.contact])) flags |= immovable_push;
        if ((edge.pushes_a ? edge.b : edge.a) != 0) flags |= kinematic_contact;
    }
    for (std::uint32_t j = 0; j < in.joints.slot_count(); ++j) {
        const JointBodies ends = in.joints.bodies(j);
        if (ends.b == null_index) continue;
        const bool pushes_a = in.bodies[ends.a].is_dynamic(), pushes_b = in.bodies[ends.b].is_dynamic();
        if (pushes_a == pushes_b) continue;
        flags_[islands.find(in.indices.of(pushes_a ? ends.a : ends.b))] |= joint_to_immovable;
    }
}

}  // namespace talus
