#pragma once
/// What collision detection knows about the positions of bodies: poses and boxes of their colliders, bounding spheres,
/// and proxies in the broadphase.
///
/// The broadphase also gets the predicted motion of a body, so that the body's pairs before a step contain everything
/// that it may come near to in the step. So all of this depends on the expected length of the step, which is the length
/// of the last one.

#include <talus/broadphase/broadphase.h>
#include <talus/jobs.h>
#include "common/bytes.h"
#include "common/scratch.h"
#include "engine/contacts/contact_world.h"
#include "engine/pairs/body_pairs.h"
#include "engine/sleeping/awake_set.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class BodyProxies {
public:
    /// Adds proxies for new bodies and places their colliders. `moves` is parallel to `slots`.
    void add(const ContactWorld& world, std::span<const std::uint32_t> slots, std::span<const std::uint8_t> moves);
    void remove(const Body& body);
    /// Replaces a body's proxy after its shapes, filter or type have changed.
    void renew(const ContactWorld& world, std::uint32_t slot, bool moves);
    /// Moves colliders, boxes and proxy of a body to its pose, for a step of dt seconds.
    void place(const ContactWorld& world, std::uint32_t slot, float dt);

    // To move colliders and boxes of the awake bodies to their poses for a step of dt seconds: begin_motion(),
    // expect_motion() for each body, by one of `tasks` threads, then move_awake().
    void begin_motion(float dt, std::size_t tasks);
    void expect_motion(const ContactWorld& world, std::uint32_t slot, std::size_t task);
    /// Passes the awake bodies that have left their fat boxes to the broadphase.
    void move_awake(const ContactWorld& world);
    /// Extends the predicted motion of the awake bodies if this step is longer than the last one. Otherwise a body that
    /// moves farther would not find what it hits, and the next step would find it deep inside. `awake` must be compact.
    void expect_longer_step(const ContactWorld& world, const AwakeSet& awake, float dt, const Jobs& jobs);

    Broadphase& broadphase() { return broadphase_; }
    const Broadphase& broadphase() const { return broadphase_; }
    std::span<const std::uint32_t> bodies_of() const { return body_of_; }  ///< slots by proxy; null_index once removed
    std::span<const BoundingSphere> spheres() const { return spheres_; }   ///< by body slot
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        visit_broadphase(bytes);
        bytes(body_of_, spheres_, expected_dt_);
    }
    std::size_t bytes() const;

private:
    void visit_broadphase(ByteWriter& bytes) const;
    void visit_broadphase(ByteReader& bytes);
    void set_colliders(const ContactWorld& world, std::uint32_t slot, WorldAabb& box, float dt);
    void note(std::uint32_t slot, Body& body, ProxyIndex proxy);

    Broadphase broadphase_;
    std::vector<std::uint32_t> body_of_;
    std::vector<BoundingSphere> spheres_;
    /// Length of the step for which the awake bodies are placed, s; 0 before the first step.
    float expected_dt_ = 0.0f;
    /// An awake body that has left its fat box.
    struct Leaving {
        std::uint32_t slot;
        vec3 displacement;  ///< expected in the next step, m
    };
    Scratch<std::vector<std::vector<Leaving>>> leaving_;  ///< by task, in the order of the awake list
};

}  // namespace talus
