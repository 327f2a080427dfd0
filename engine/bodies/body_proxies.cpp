#include "engine/bodies/body_proxies.h"

#include "broadphase/broadphase_bytes.h"

#include "engine/bodies/turning.h"
#include "engine/solve/solver_indices.h"
#include "narrowphase/tolerances.h"

#include <cmath>

namespace talus {

/// Returns the filter of a body's proxy: it accepts each pair that one of the body's shapes would accept.
static Filter proxy_filter(const Body& body, const ShapePool& shapes) {
    Filter filter = shapes.defs[body.first_shape].filter;
    for (std::uint32_t i = body.first_shape + 1; i < body.first_shape + body.shape_count; ++i) {
        const Filter& other = shapes.defs[i].filter;
        if (other == filter) continue;
        filter.category |= other.category;
        filter.mask |= other.mask;
        // If the shapes have different groups, the proxy has none; contacts then decide for each shape.
        if (other.group != filter.group) return Filter{0xffffffffu, 0xffffffffu, 0};
    }
    return filter;
}

static WorldAabb swept(const WorldAabb& box, const vec3& displacement) {
    const dvec3 by = on_grid(displacement);
    return {glm::min(box.lower, box.lower + by), glm::max(box.upper, box.upper + by)};
}

void BodyProxies::note(std::uint32_t slot, Body& body, ProxyIndex proxy) {
    body.proxy = proxy;
    if (proxy >= body_of_.size()) body_of_.resize(proxy + 1, null_index);
    body_of_[proxy] = slot;
}

void BodyProxies::add(const ContactWorld& world, std::span<const std::uint32_t> slots,
                      std::span<const std::uint8_t> moves) {
    std::vector<ProxyDef> defs(slots.size());
    for (std::size_t k = 0; k < slots.size(); ++k) {
        defs[k] = {WorldAabb{}, slots[k], proxy_filter(world.bodies[slots[k]], world.shapes), moves[k] != 0};
        set_colliders(world, slots[k], defs[k].box, 0.0f);
    }
    std::vector<ProxyIndex> indices(slots.size());
    broadphase_.add(defs, indices);
    for (std::size_t k = 0; k < slots.size(); ++k) note(slots[k], world.bodies[slots[k]], indices[k]);
}

void BodyProxies::remove(const Body& body) {
    broadphase_.remove(body.proxy);
    body_of_[body.proxy] = null_index;
}

void BodyProxies::renew(const ContactWorld& world, std::uint32_t slot, bool moves) {
    remove(world.bodies[slot]);
    const std::uint8_t flag = moves ? 1 : 0;
    add(world, {&slot, 1}, {&flag, 1});
}

void BodyProxies::place(const ContactWorld& world, std::uint32_t slot, float dt) {
    WorldAabb box;
    set_colliders(world, slot, box, dt);
    const Body& body = world.bodies[slot];
    const vec3 displacement = dt * body.linear_velocity;
    broadphase_.move(body.proxy, swept(box, displacement), displacement);
}

void BodyProxies::begin_motion(float dt, std::size_t tasks) {
    expected_dt_ = dt;
    for (std::vector<Leaving>& each : leaving_) each.clear();
    at_least(leaving_, tasks);
}

void BodyProxies::expect_motion(const ContactWorld& world, std::uint32_t slot, std::size_t task) {
    WorldAabb box;
    set_colliders(world, slot, box, expected_dt_);
    const Body& body = world.bodies[slot];
    const vec3 displacement = expected_dt_ * body.linear_velocity;
    if (!broadphase_.keeps_box(body.proxy, swept(box, displacement), displacement))
        leaving_[task].push_back({slot, displacement});
}

void BodyProxies::move_awake(const ContactWorld& world) {
    for (const std::vector<Leaving>& of_task : leaving_) {
        for (const Leaving& each : of_task) {
            const Body& body = world.bodies[each.slot];
            const WorldAabb box = world.shapes.world_box(body, world.colliders);
            broadphase_.move(body.proxy, swept(box, each.displacement), each.displacement);
        }
    }
}

void BodyProxies::expect_longer_step(const ContactWorld& world, const AwakeSet& awake, float dt, const Jobs& jobs) {
    if (dt <= expected_dt_ || expected_dt_ == 0.0f) return;
    const auto list = awake.list();
    const auto tasks = static_cast<std::size_t>(jobs.tasks_for(list.size(), SolverIndices::least_bodies));
    begin_motion(dt, tasks);
    jobs.for_each_part(list.size(), tasks, [&](std::size_t k, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) expect_motion(world, list[i], k);
    });
    move_awake(world);
}

/// Places the colliders of a body, and its bounding sphere. `box` becomes the box of all its shapes.
void BodyProxies::set_colliders(const ContactWorld& world, std::uint32_t slot, WorldAabb& box, float dt) {
    const BodyStore& bodies = world.bodies;
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    const Body& body = bodies[slot];
    const WorldTransform pose = body.pose();
    const float spin = std::sqrt(length_squared(body.angular_velocity));
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        const LocalShape& local = shapes.locals[i];
        const WorldTransform placed_pose = local.at_origin ? pose : multiply(pose, local.pose);
        const float turned =
            local.is_mesh ? 1.0f : turning_part(colliders.shapes[i].type, placed_pose.rotation, body.angular_velocity);
        vec3 displacement = dt * body.linear_velocity;
        float turning = dt * spin * turned * body.radius;
        if (!(local.at_origin && body.is_centred())) {
            const vec3 arm(placed_pose.position - body.center);
            displacement += dt * glm::cross(body.angular_velocity, arm);
            turning += dt * spin * std::sqrt(length_squared(arm));
        }
        colliders.poses[i] = placed_pose;
        colliders.motions[i] = {displacement, dt * body.angular_velocity, turning,
                                std::sqrt(length_squared(displacement)) + turning};
        shapes.boxes[i] = shapes.box_at(i, placed_pose.rotation, colliders);
        if (local.is_mesh) world.place_triangles(slot, i);
        const WorldAabb placed = shapes.world_box(i, colliders);
        box = i == body.first_shape ? placed : merge(box, placed);
    }
    shapes.place_tree(body, colliders);
    if (slot >= spheres_.size()) spheres_.resize(slot + 1);  // for a new body; only one thread adds bodies
    const float displacement = dt * std::sqrt(length_squared(body.linear_velocity));
    spheres_[slot] = {body.center, (1.0f + tolerance::contact_margin) * body.radius + displacement};
}

void BodyProxies::visit_broadphase(ByteWriter& bytes) const { detail::BroadphaseBytes::write(bytes, broadphase_); }
void BodyProxies::visit_broadphase(ByteReader& bytes) { detail::BroadphaseBytes::read(bytes, broadphase_); }

std::size_t BodyProxies::bytes() const {
    const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    std::size_t sum = broadphase_.bytes() + of(body_of_) + of(spheres_) + of(leaving_);
    for (const std::vector<Leaving>& each : leaving_) sum += of(each);
    return sum;
}

}  // namespace talus
