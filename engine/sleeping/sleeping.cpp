#include "engine/sleeping/sleeping.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns an upper bound of how far a rotation vector v moves a point of the body's surface, m; for an angular
/// velocity v, how fast, m/s. The bounding radius alone would not do: the surface of a rod that rocks about its own
/// axis moves by a 25th of what the rod's length suggests, so such a rod would always count as fast.
static float surface_displacement(const Body& body, const vec3& v) {
    const vec3 own = absolute(inverse_rotate(body.rotation, v) * mat3(body.principal.axes()));
    return std::min(std::sqrt(length_squared(v)) * body.radius, glm::dot(own, body.spread));
}

/// Returns whether a body has hardly moved since it last stopped. It may tremble: its displacement is compared with the
/// sleep speed times the time to sleep, not its speed.
static bool stays_near(const Body& body, float most_drift) {
    const quat &q = body.rotation, &p = body.still_rotation;
    const float sign = q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z < 0.0f ? -1.0f : 1.0f;
    const vec3 v = vec3(q.x, q.y, q.z) - sign * vec3(p.x, p.y, p.z);
    float turned = 2.0f * std::sqrt(glm::dot(v, v) + (q.w - sign * p.w) * (q.w - sign * p.w)) * body.radius;
    const float center_displacement = std::sqrt(length_squared(vec3(body.center - body.still_place)));
    if (center_displacement < most_drift && center_displacement + turned >= most_drift) {
        const quat turn = multiply(q, conjugate(p));
        turned = surface_displacement(body, (2.0f * sign) * vec3(turn.x, turn.y, turn.z));
    }
    return center_displacement + turned < most_drift;
}

/// Returns whether dry friction, at contacts or in joints, brings the body to rest in the end (settings::settle_speed).
/// It does not in an unsupported island, because friction between its bodies does not change their total momentum.
static bool is_braked(const SolveInput& in, const Islands& islands, const IslandSupports& supports,
                      std::uint32_t slot) {
    const std::uint32_t root = islands.root(in.indices.of(slot));
    const bool touches_immovable = supports.touches_immovable(root), jointed = supports.is_jointed_to_immovable(root);
    if (in.indices.has_contact(slot)) return touches_immovable || jointed;
    return in.indices.has_joint(slot) && touches_immovable && supports.has_jointed_contact(root) && !jointed;
}

void Sleeping::settle(std::size_t place, Body& body, const Step& step) {
    if (!body.is_dynamic()) {
        settled_[place] = {};
        return;
    }
    const auto& [in, islands, supports, moving, settings, dt] = step;
    const std::uint32_t slot = awake_.list()[place];
    const float v2 = length_squared(body.linear_velocity), w2 = length_squared(body.angular_velocity);
    const bool may_sleep = settings.allow_sleep && body.allow_sleep;
    float speed = 0.0f, spin_speed = 0.0f;  // not needed for a body that may not sleep
    if (may_sleep) {
        // A body that is pushed out of an overlap moves without velocity, so its displacement counts as well.
        const float* displacement = moving[in.indices.of(slot)].displacement;
        const float moved = std::sqrt(displacement[0] * displacement[0] + displacement[1] * displacement[1] +
                                      displacement[2] * displacement[2]) /
                            dt;
        speed = std::max(std::sqrt(v2), moved);
        spin_speed = std::sqrt(w2) * body.radius;
        // The better bound costs more, and is computed only if it decides.
        if (speed < settings::settle_speed && spin_speed > settings.sleep_speed)
            spin_speed = surface_displacement(body, body.angular_velocity);
    }
    const bool still = may_sleep && speed + spin_speed < settings::tremble * settings.sleep_speed &&
                       stays_near(body, settings.sleep_speed * settings.time_to_sleep);
    if (!still) {
        body.still_place = body.center;
        body.still_rotation = body.rotation;
    }
    const float room =
        std::min(body.radius, settings::settle_room * std::min({body.spread.x, body.spread.y, body.spread.z}));
    const bool in_place = length_squared(vec3(body.center - body.settle_place)) < room * room;
    const bool slow = may_sleep && in_place && speed < settings::settle_speed && spin_speed < settings::settle_spin &&
                      is_braked(in, islands, supports, slot);
    body.still_time = still ? body.still_time + dt : 0.0f;
    body.slow_time = slow ? body.slow_time + dt : 0.0f;
    if (!in_place) body.settle_place = body.center;
    if (body.slow_time > settings::time_to_settle && spin_speed > 0.0f) {
        body.angular_velocity *= std::max(0.0f, 1.0f - dt * settings::settle_deceleration / spin_speed);
        // A body that swings on its joint without touching anything.
        if (!in.indices.has_contact(slot) && speed > 0.0f)
            body.linear_velocity *= std::max(0.0f, 1.0f - dt * settings::settle_deceleration / speed);
    }
    const vec3 spin = inverse_rotate(body.rotation, body.angular_velocity);
    settled_[place] = {0.5 * (body.mass * v2 + glm::dot(spin, body.inertia.full() * spin)), body.still_time, true};
}

void Sleeping::end(const World& world, const Step& step, FrameProfile& profile) {
    const auto& [in, islands, supports, moving, settings, dt] = step;
    BodyStore& bodies = world.bodies;
    const JointStore& joints = world.joints;
    const auto list = awake_.list();
    island_still_time_.assign(in.indices.size(), settings.time_to_sleep);
    // An island that touches a moving kinematic body stays awake.
    for (std::uint32_t i = 0; i < in.indices.size(); ++i) {
        if (supports.touches_moving_kinematic(i)) island_still_time_[i] = 0.0f;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (!settled_[k].dynamic) continue;
        float& least = island_still_time_[islands.find(in.indices.of(list[k]))];
        least = std::min(least, settled_[k].still_time);
        profile.kinetic_energy += settled_[k].energy;
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        const std::uint32_t a = in.indices.of(ends.a), b = in.indices.of(ends.b);
        if (a != 0 && !bodies[ends.a].is_dynamic()) island_still_time_[islands.find(b)] = 0.0f;
        if (b != 0 && !bodies[ends.b].is_dynamic()) island_still_time_[islands.find(a)] = 0.0f;
    }
    std::uint32_t roots = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const std::uint32_t slot = list[k];
        if (settled_[k].dynamic) {
            const std::uint32_t index = in.indices.of(slot), root = islands.find(index);
            if (root == index) ++roots;
            if (island_still_time_[root] >= settings.time_to_sleep) put_to_sleep(world, slot);
        } else if (bodies[slot].linear_velocity == vec3(0.0f) && bodies[slot].angular_velocity == vec3(0.0f)) {
            awake_.erase(slot);
            world.broadphase.set_moving(bodies[slot].proxy, false);
        }
    }
    profile.islands = roots;
}

void Sleeping::put_to_sleep(const World& world, std::uint32_t slot) {
    Body& body = world.bodies[slot];
    body.linear_velocity = body.angular_velocity = body.force = body.torque = vec3(0.0f);
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i)
        world.colliders.motions[i] = {};
    world.shapes.stop_tree(body);
    awake_.erase(slot);
    world.broadphase.set_moving(body.proxy, false);
}

/// Returns whether the bodies of a pair touch at shapes that are no sensors.
static bool touches(const ContactTable& contacts, std::uint32_t pair) {
    for (std::uint32_t c = contacts.pairs[pair].first_contact; c != null_index; c = contacts.states[c].next_in_pair) {
        if (!contacts.states[c].sensor && contacts.has_manifold(c)) return true;
    }
    return false;
}

void Sleeping::wake(const World& world, std::uint32_t slot) {
    stack_.assign(1, slot);
    while (!stack_.empty()) {
        const std::uint32_t s = stack_.back();
        stack_.pop_back();
        Body& body = world.bodies[s];
        if (!body.is_dynamic()) continue;
        body.still_time = 0.0f;
        if (awake_.contains(s)) continue;
        awake_.insert(s);
        world.broadphase.set_moving(body.proxy, true);
        for_each_pair(world.contacts, world.bodies, s, [&](std::uint32_t p) {
            const std::uint32_t other = other_body(world.contacts.pairs[p], s);
            if (!awake_.contains(other) && touches(world.contacts, p)) stack_.push_back(other);
        });
        world.joints.for_each(s, [&](std::uint32_t, std::uint32_t other) {
            if (other != null_index && !awake_.contains(other)) stack_.push_back(other);
        });
    }
}

void Sleeping::wake_overlapping(const World& world, std::uint32_t slot) {
    std::vector<std::uint32_t> found;
    world.broadphase.query(world.broadphase.fat_box(world.bodies[slot].proxy),
                           [&](std::uint32_t other) { found.push_back(other); });
    for (const std::uint32_t other : found) {
        if (other != slot) wake(world, other);
    }
}

void Sleeping::wake_neighbours(const World& world, std::uint32_t slot) {
    std::vector<std::uint32_t> touched;
    for_each_pair(world.contacts, world.bodies, slot, [&](std::uint32_t p) {
        if (touches(world.contacts, p)) touched.push_back(other_body(world.contacts.pairs[p], slot));
    });
    world.joints.for_each(slot, [&](std::uint32_t, std::uint32_t other) {
        if (other != null_index) touched.push_back(other);
    });
    for (const std::uint32_t t : touched) wake(world, t);
}

void Sleeping::wake_all(const World& world) {
    for (std::uint32_t slot = 0; slot < world.bodies.slot_count(); ++slot) {
        if (world.bodies[slot].in_use) wake(world, slot);
    }
}

void Sleeping::start_moving(const World& world, std::uint32_t slot) {
    Body& body = world.bodies[slot];
    if (body.is_dynamic()) {
        wake(world, slot);
    } else if (!awake_.contains(slot)) {
        awake_.insert(slot);
        world.broadphase.set_moving(body.proxy, true);
        world.joints.for_each(slot, [&](std::uint32_t, std::uint32_t other) {
            if (other != null_index) wake(world, other);
        });
    }
}

}  // namespace talus
