#pragma once
/// Poses that kinematic bodies are to have after the next step (World::set_kinematic_target).

#include "engine/bodies/body_store.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus {

class KinematicTargets {
public:
    /// A pose of the centre of mass. Replaces the target that the body may have.
    void set(BodyId body, const vec3& center, const quat& rotation);

    /// At the start of a step of dt seconds: bodies that arrived in the last step stop, and those with a target get the velocity that
    /// brings them there, at most `max_speed` m/s. Calls `start(slot)` for each of these.
    template <class Start>
    void set_off(BodyStore& bodies, float dt, float max_speed, Start&& start) {
        stop_arrived(bodies);
        drop_gone(bodies);
        for (const Target& target : targets_) {
            set_velocity(bodies[target.body.slot], target, dt, max_speed);
            start(target.body.slot);
        }
    }
    /// After the solve: puts the bodies exactly there, also those whose target was too far for their speed.
    void arrive(BodyStore& bodies);

private:
    struct Target {
        BodyId body;
        vec3 center;
        quat rotation;
    };
    void stop_arrived(BodyStore& bodies);
    void drop_gone(const BodyStore& bodies);
    static void set_velocity(Body& body, const Target& target, float dt, float max_speed);

    std::vector<Target> targets_;  ///< for the next step
    std::vector<BodyId> arrived_;  ///< in the last step
};

}  // namespace talus
