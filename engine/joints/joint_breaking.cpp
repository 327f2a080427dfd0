/// Removes joints: those whose force or torque exceeds their limit, and gears with a joint that they couple. Reports
/// them.

#include "engine/world/world_state.h"

namespace talus {

void World::State::drop_joint(std::uint32_t slot, JointEvents::When when, bool overloaded) {
    const JointBodies pair = joints.bodies(slot);
    for (const std::uint32_t body : {pair.a, pair.b}) {
        if (body == null_index) continue;
        joints.for_each(body, [&](std::uint32_t j, std::uint32_t) {
            if (joints[j].geared[0] != slot && joints[j].geared[1] != slot) return;
            joint_events.add(event_of_joint(j, false), when);
            const JointBodies tied = joints.bodies(j);
            joints.remove(j);
            update_collision_of(tied.a, tied.b);
        });
    }
    joint_events.add(event_of_joint(slot, overloaded), when);
    joints.remove(slot);
    update_collision_of(pair.a, pair.b);
}

JointEvent World::State::event_of_joint(std::uint32_t slot, bool overloaded) const {
    const Joint& joint = joints[slot];
    const JointBodies pair = joints.bodies(slot);
    return {joints.id_of(slot),      bodies.id_of(pair.a), pair.b == null_index ? BodyId{} : bodies.id_of(pair.b),
            joint.options.user_data, overloaded,           joint.state.force,
            joint.state.torque};
}

void World::State::break_overloaded_joints() {
    const auto exceeds = [](const vec3& v, float limit) { return length_squared(v) > limit * limit; };
    for (std::uint32_t slot = 0; slot < joints.slot_count(); ++slot) {
        const Joint& joint = joints[slot];
        if (!joint.in_use) continue;
        if (!exceeds(joint.state.force, joint.options.break_force) &&
            !exceeds(joint.state.torque, joint.options.break_torque))
            continue;
        wake_joint(slot);
        drop_joint(slot, JointEvents::When::now, true);
    }
}

}  // namespace talus
