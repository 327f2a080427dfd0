/// Who takes part in the step: islands that fall asleep together, and what wakes them.

#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// How far a turn by the rotation vector v (or a spin: how fast) moves a body's surface at most. The bounding radius
/// alone would not do: a rod that rocks between others, about its own axis, moves its surface by a 25th of what its
/// length says, and was taken for fast for ever.
static float surface_way(const Body& body, const vec3& v) {
    const vec3 own = glm::abs(inverse_rotate(body.rotation, v) * mat3(body.principal.axes));
    return std::min(std::sqrt(length_squared(v)) * body.radius, glm::dot(own, body.spread));
}

/// Still is what hardly gets anywhere, though it may tremble: its way since it last stopped, not its speed, is held
/// against the sleep speed.
static bool stays_near(const Body& body) {
    const quat &q = body.rotation, &p = body.still_rotation;
    const float sign = q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z < 0.0f ? -1.0f : 1.0f;
    const vec3 v = vec3(q.x, q.y, q.z) - sign * vec3(p.x, p.y, p.z);
    float turned = 2.0f * std::sqrt(glm::dot(v, v) + (q.w - sign * p.w) * (q.w - sign * p.w)) * body.radius;
    constexpr float most_drift = settings::sleep_speed * settings::time_to_sleep;
    const float way_of_center = std::sqrt(length_squared(body.center - body.still_place));
    if (way_of_center < most_drift && way_of_center + turned >= most_drift) {
        const quat turn = multiply(q, conjugate(p));
        turned = surface_way(body, (2.0f * sign) * vec3(turn.x, turn.y, turn.z));
    }
    return way_of_center + turned < most_drift;
}

bool World::State::bears_load(std::uint32_t contact) const {
    const ContactState& state = contacts.states[contact];
    for (int i = 0; i < state.point_count; ++i) {
        if (state.impulses[i] > 0.0f) return true;
    }
    return false;
}

/// By root of an island: whether something that is not pushed itself bears it, whether what joints hold lies on
/// something, whether a joint ties it to what does not move with it, whether it lies on a moving kinematic body, and
/// whether something that is not pushed itself has pushed it in the last step.
void World::State::note_supports() {
    island_supports.assign(solver_slots.size(), 0);
    for (const ConstraintGraph::Edge& edge : edges) {
        const bool borne = !edge.pushes_a || !edge.pushes_b;
        if (!borne && !edge.jointed) continue;
        const std::uint32_t root = islands.find(edge.pushes_a ? edge.a : edge.b);
        if (edge.jointed) island_supports[root] |= island_lies;
        if (!borne) continue;
        island_supports[root] |= island_borne;
        if ((island_supports[root] & island_loaded) == 0 && bears_load(edge.contact))
            island_supports[root] |= island_loaded;
        if ((edge.pushes_a ? edge.b : edge.a) != 0) island_supports[root] |= island_carried;
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        const bool pushes_a = bodies[ends.a].is_dynamic(), pushes_b = bodies[ends.b].is_dynamic();
        if (pushes_a == pushes_b) continue;
        island_supports[islands.find(solver_index[pushes_a ? ends.a : ends.b])] |= island_tied;
    }
}

/// Whether dry friction, of what it lies on or of its joints, brings the body to rest in the end
/// (settings::settle_speed). Not in what floats: friction between its bodies leaves their momentum as it is.
bool World::State::is_braked(std::uint32_t slot) {
    const std::uint8_t support = island_supports[islands.find(solver_index[slot])];
    if ((constrained[slot] & by_contact) != 0) return (support & (island_borne | island_tied)) != 0;
    return (constrained[slot] & by_joint) != 0 &&
           (support & (island_borne | island_lies | island_tied)) == (island_borne | island_lies);
}

void World::State::put_islands_to_sleep(float dt) {
    const auto list = awake.list();
    island_still_time.assign(solver_slots.size(), settings::time_to_sleep);
    // What rests on a moving kinematic body stays awake.
    for (std::size_t i = 0; i < island_still_time.size(); ++i) {
        if ((island_supports[i] & island_carried) != 0) island_still_time[i] = 0.0f;
    }
    for (const std::uint32_t slot : list) {
        Body& body = bodies[slot];
        const std::uint32_t index = solver_index[slot];
        if (!body.is_dynamic()) continue;
        const float v2 = length_squared(body.linear_velocity), w2 = length_squared(body.angular_velocity);
        const bool may_sleep = def.allow_sleep && body.allow_sleep;
        float speed = 0.0f, spin_speed = 0.0f;  // not asked for where it may not sleep
        if (may_sleep) {
            // What is being pushed out of an overlap moves without velocity: the way it went counts as well.
            const float* way = solver_bodies[index].displacement;
            const float moved = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) / dt;
            speed = std::max(std::sqrt(v2), moved);
            spin_speed = std::sqrt(w2) * body.radius;
            // Looked at more closely only where it decides.
            if (speed < settings::settle_speed && spin_speed > settings::sleep_speed)
                spin_speed = surface_way(body, body.angular_velocity);
        }
        const bool still =
            may_sleep && speed + spin_speed < settings::tremble * settings::sleep_speed && stays_near(body);
        if (!still) {
            body.still_place = body.center;
            body.still_rotation = body.rotation;
        }
        const float room =
            std::min(body.radius, settings::settle_room * std::min({body.spread.x, body.spread.y, body.spread.z}));
        const bool in_place = length_squared(body.center - body.settle_place) < room * room;
        const bool slow = may_sleep && in_place && speed < settings::settle_speed &&
                          spin_speed < settings::settle_spin && is_braked(slot);
        body.still_time = still ? body.still_time + dt : 0.0f;
        body.slow_time = slow ? body.slow_time + dt : 0.0f;
        if (!in_place) body.settle_place = body.center;
        if (body.slow_time > settings::time_to_settle && spin_speed > 0.0f) {
            body.angular_velocity *= std::max(0.0f, 1.0f - dt * settings::settle_deceleration / spin_speed);
            // A limb that swings in its joint without touching anything.
            if ((constrained[slot] & by_contact) == 0 && speed > 0.0f)
                body.linear_velocity *= std::max(0.0f, 1.0f - dt * settings::settle_deceleration / speed);
        }
        float& least = island_still_time[islands.find(index)];
        least = std::min(least, body.still_time);
        const vec3 spin = inverse_rotate(body.rotation, body.angular_velocity);
        profile.kinetic_energy += 0.5 * (body.mass * v2 + glm::dot(spin, body.inertia * spin));
    }
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies ends = joints.bodies(j);
        if (ends.b == null_index) continue;
        const std::uint32_t a = solver_index[ends.a], b = solver_index[ends.b];
        if (a != 0 && !bodies[ends.a].is_dynamic()) island_still_time[islands.find(b)] = 0.0f;
        if (b != 0 && !bodies[ends.b].is_dynamic()) island_still_time[islands.find(a)] = 0.0f;
    }
    std::uint32_t roots = 0;
    for (const std::uint32_t slot : list) {
        const Body& body = bodies[slot];
        const std::uint32_t index = solver_index[slot], root = islands.find(index);
        if (body.is_dynamic()) {
            if (root == index) ++roots;
            if (island_still_time[root] >= settings::time_to_sleep) sleep(slot);
        } else if (body.linear_velocity == vec3(0.0f) && body.angular_velocity == vec3(0.0f)) {
            awake.erase(slot);
            broadphase.set_moving(body.proxy, false);
        }
    }
    profile.islands = roots;
}

void World::State::sleep(std::uint32_t slot) {
    Body& body = bodies[slot];
    body.linear_velocity = body.angular_velocity = body.force = body.torque = vec3(0.0f);
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) colliders.motions[i] = {};
    awake.erase(slot);
    broadphase.set_moving(body.proxy, false);
}

void World::State::wake(std::uint32_t slot) {
    stack.assign(1, slot);
    while (!stack.empty()) {
        const std::uint32_t s = stack.back();
        stack.pop_back();
        Body& body = bodies[s];
        if (!body.is_dynamic()) continue;
        body.still_time = 0.0f;
        if (awake.contains(s)) continue;
        awake.insert(s);
        broadphase.set_moving(body.proxy, true);
        for_each_pair(contacts, bodies, s, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                if (contacts.caches[c].manifold.count == 0 || contacts.states[c].sensor) return;
                const ContactBodies& pair = contacts.bodies[c];
                const std::uint32_t other = pair.a == s ? pair.b : pair.a;
                if (!awake.contains(other)) stack.push_back(other);
            });
        });
        joints.for_each(s, [&](std::uint32_t, std::uint32_t other) {
            if (other != null_index && !awake.contains(other)) stack.push_back(other);
        });
    }
}

void World::State::wake_overlapping(std::uint32_t slot) {
    std::vector<std::uint32_t> found;
    broadphase.query(broadphase.fat_box(bodies[slot].proxy), [&](std::uint32_t other) { found.push_back(other); });
    for (const std::uint32_t other : found) {
        if (other != slot) wake(other);
    }
}

void World::State::wake_neighbours(std::uint32_t slot) {
    std::vector<std::uint32_t> touched;
    for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
        const Pair& pair = contacts.pairs[p];
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            if (contacts.caches[c].manifold.count != 0 && !contacts.states[c].sensor)
                touched.push_back(other_body(pair, slot));
        });
    });
    joints.for_each(slot, [&](std::uint32_t, std::uint32_t other) {
        if (other != null_index) touched.push_back(other);
    });
    for (const std::uint32_t t : touched) wake(t);
}

void World::State::wake_all() {
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        if (bodies[slot].in_use) wake(slot);
    }
}

void World::State::start_moving(std::uint32_t slot) {
    Body& body = bodies[slot];
    if (body.is_dynamic()) {
        wake(slot);
    } else if (!awake.contains(slot)) {
        awake.insert(slot);
        broadphase.set_moving(body.proxy, true);
        joints.for_each(slot, [&](std::uint32_t, std::uint32_t other) {
            if (other != null_index) wake(other);
        });
    }
}

}  // namespace talus
