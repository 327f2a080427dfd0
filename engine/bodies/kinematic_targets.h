#pragma once
/// Target poses of kinematic bodies for the end of the next step (World::set_kinematic_target).

#include "engine/bodies/body_store.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus {

class KinematicTargets {
public:
    /// Sets the target of a body: a pose of its centre of mass. It replaces an earlier target.
    void set(BodyId body, const dvec3& center, const quat& rotation);

    /// Starts a step of dt seconds. Bodies that arrived in the last step stop. Bodies with a target get the velocity
    /// that brings them there, at most `max_speed` m/s; calls `start(slot)` for each of these.
    template <class Start>
    void set_off(BodyStore& bodies, float dt, float max_speed, Start&& start) {
        stop_arrived(bodies);
        drop_gone(bodies);
        for (const Target& target : targets_) {
            set_velocity(bodies[target.body.slot], target, dt, max_speed);
            start(target.body.slot);
        }
    }
    /// Ends the solve: puts the bodies exactly at their targets, even if a target was too far for their speed.
    void arrive(BodyStore& bodies);

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(targets_, arrived_);
    }

    /// Calls visit(center, rotation) for each target, for checks of saved worlds.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Target& target : targets_) visit(target.center, target.rotation);
    }

private:
    struct Target {
        BodyId body;
        dvec3 center;
        quat rotation;
        template <class Bytes>
        void visit_fields(Bytes& bytes) {
            bytes(body, center, rotation);
        }
    };
    void stop_arrived(BodyStore& bodies);
    void drop_gone(const BodyStore& bodies);
    static void set_velocity(Body& body, const Target& target, float dt, float max_speed);

    std::vector<Target> targets_;  ///< for the next step
    std::vector<BodyId> arrived_;  ///< in the last step
};

}  // namespace talus
