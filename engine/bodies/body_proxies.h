#pragma once
/// Where bodies are for collision: poses and boxes of their colliders, bounding spheres, and proxies in the broadphase.
///
/// The broadphase is given where a body will be, too: a body finds what it will come near to in a step among its pairs before the
/// step. So all of this depends on the length of the step that is expected, which is that of the last one.

#include <talus/broadphase/broadphase.h>
#include <talus/jobs.h>
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
    /// Adds proxies for new bodies, whose colliders this places. `moves` is parallel to `slots`.
    void add(const ContactWorld& world, std::span<const std::uint32_t> slots, std::span<const std::uint8_t> moves);
    void remove(const Body& body);
    /// Makes a body's proxy anew after its shapes, filter or type have changed.
    void renew(const ContactWorld& world, std::uint32_t slot, bool moves);
    /// Colliders, boxes and proxy of a body follow it, for a step of dt seconds.
    void place(const ContactWorld& world, std::uint32_t slot, float dt);

    /// Colliders and boxes of the awake bodies follow them, for a step of dt seconds. `awake` must be compact.
    void expect_motion(const ContactWorld& world, const AwakeSet& awake, float dt, const Jobs& jobs);
    /// The last step expected the next one to be as long as it was. A body that moves farther in a longer one would not see what it
    /// comes to, and be found deep in it by the step after.
    void expect_longer_step(const ContactWorld& world, const AwakeSet& awake, float dt, const Jobs& jobs);
    /// Tells the broadphase of the awake bodies, after expect_motion().
    void move_awake(const Jobs& jobs) { broadphase_.move(moved_proxies_, moved_boxes_, moved_displacements_, jobs); }

    Broadphase& broadphase() { return broadphase_; }
    const Broadphase& broadphase() const { return broadphase_; }
    std::span<const std::uint32_t> bodies_of() const { return body_of_; }  ///< slots by proxy; null_index once removed
    std::span<const BoundingSphere> spheres() const { return spheres_; }   ///< by body slot
    std::size_t bytes() const;

private:
    void set_colliders(const ContactWorld& world, std::uint32_t slot, Aabb& box, float dt);
    void note(std::uint32_t slot, Body& body, ProxyIndex proxy);

    Broadphase broadphase_;
    std::vector<std::uint32_t> body_of_;
    std::vector<BoundingSphere> spheres_;
    float expected_dt_ = 0.0f;  ///< the length of the step for which the awake bodies are placed, s; 0: there was none
    // Of the awake bodies, in the order of the list.
    std::vector<ProxyIndex> moved_proxies_;
    std::vector<Aabb> moved_boxes_;
    std::vector<vec3> moved_displacements_;
};

}  // namespace talus
