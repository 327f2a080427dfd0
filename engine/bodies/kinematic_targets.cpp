#include "engine/bodies/kinematic_targets.h"

#include <talus/narrowphase/time_of_impact.h>
#include "engine/bodies/free_turn.h"

#include <algorithm>

namespace talus {

static bool is_kinematic(const BodyStore& bodies, BodyId id) {
    return bodies.is_valid(id) && bodies[id.slot].type == BodyType::kinematic;
}

void KinematicTargets::set(BodyId body, const dvec3& center, const quat& rotation) {
    const auto known = std::find_if(targets_.begin(), targets_.end(), [&](const Target& t) { return t.body == body; });
    if (known != targets_.end()) {
        *known = {body, center, rotation};
    } else {
        targets_.push_back({body, center, rotation});
    }
}

void KinematicTargets::stop_arrived(BodyStore& bodies) {
    for (const BodyId id : arrived_) {
        if (is_kinematic(bodies, id)) bodies[id.slot].linear_velocity = bodies[id.slot].angular_velocity = vec3(0.0f);
    }
    arrived_.clear();
}

void KinematicTargets::drop_gone(const BodyStore& bodies) {
    std::erase_if(targets_, [&](const Target& target) { return !is_kinematic(bodies, target.body); });
}

void KinematicTargets::set_velocity(Body& body, const Target& target, float dt, float max_speed) {
    const RigidMotion motion = motion_between({vec3(0.0f), body.rotation},
                                              {vec3(target.center - body.center), target.rotation}, vec3(0.0f), dt);
    body.linear_velocity = limited(motion.linear_velocity, max_speed);
    body.angular_velocity = limited(motion.angular_velocity, std::numeric_limits<float>::max());
}

void KinematicTargets::arrive(BodyStore& bodies) {
    for (const Target& target : targets_) {
        Body& body = bodies[target.body.slot];
        body.center = target.center;
        body.rotation = target.rotation;
        body.exact_rotation = glm::dquat(target.rotation);
        arrived_.push_back(target.body);
    }
    targets_.clear();
}

}  // namespace talus
