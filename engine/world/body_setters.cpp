/// World's calls that change the definition of a body: its shapes, filter, type, mass, locks, damping and limits.
///
/// A change of shapes, filter or type has two parts. begin_change() wakes the bodies that touch the body, and removes
/// its pairs. end_change() removes its proxy from the broadphase and adds it again, so that the next update finds the
/// same pairs as in a world that was built with the changed body. The touching contacts are remembered until then, so
/// that the ones that go on are not reported as new. Version stamps make caches of the old shapes invalid.

#include "engine/bodies/body_setup.h"
#include "engine/bodies/free_turn.h"
#include "engine/world/error_text.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus {

void World::State::begin_change(std::uint32_t slot) {
    wake_neighbours(slot);
    with_pairs([&](const BodyPairs::Input& in) { BodyPairs::drop_all_of(in, slot, ContactEvents::When::if_changed); });
}

void World::State::end_change(std::uint32_t slot) {
    proxies.renew(contact_world(), slot, awake().contains(slot));
    wake(slot);
    wake_overlapping(slot);
}

/// Gives a body whose centre of mass is about to move the velocity of the new centre. The computation is in double
/// precision, because for a body that rotates very fast the velocity before it is limited may exceed the range of
/// float.
void World::State::carry_velocity_to(Body& body, const dvec3& center) const {
    const glm::dvec3 velocity =
        glm::dvec3(body.linear_velocity) + glm::cross(dvec3(body.angular_velocity), center - body.center);
    const double most = static_cast<double>(std::min(body.max_speed, def.max_speed)), speed = glm::length(velocity);
    body.linear_velocity = vec3(speed > most ? (most / speed) * velocity : velocity);
}

/// Replaces the shapes of a body. Its frame and the velocities of its points do not change.
void World::State::replace_shapes(std::uint32_t slot, std::span<const ShapeDef> defs) {
    begin_change(slot);
    Body& body = bodies[slot];
    const WorldTransform frame = body.pose();
    const dvec3 center = body.center;
    if (defs.size() == body.shape_count) {
        for (std::uint32_t i = 0; i < body.shape_count; ++i) put_shape(body.first_shape + i, defs[i]);
        shapes.build_tree(body);
    } else {
        shapes.release(body.first_shape, body.shape_count, colliders);
        put_shapes(body, defs);
    }
    const std::span<const ShapeDef> placed(&shapes.defs[body.first_shape], body.shape_count);
    talus::set_mass(body, placed);
    set_extent(body, placed);
    body.center = transform_point(frame, body.local_center);
    const dvec3 new_center = std::exchange(body.center, center);
    if (body.type != BodyType::fixed) carry_velocity_to(body, new_center);
    body.center = new_center;
    end_change(slot);
}

bool World::State::set_shapes(BodyId id, const char* call, std::span<const ShapeDef> defs) {
    const BodyType type = bodies[id.slot].type;
    if (!accept(call, check_shapes(defs, type))) return false;
    if (type == BodyType::dynamic && !accept(call, check_mass(defs))) return false;
    // The caller may have passed a span of the world's own shapes.
    const std::vector<ShapeDef> kept(defs.begin(), defs.end());
    replace_shapes(id.slot, kept);
    return true;
}

bool World::set_shapes(BodyId id, std::span<const ShapeDef> defs) {
    State& s = *state_;
    if (!s.check_change(id, "set_shapes")) return false;
    if (defs.empty())
        return s.refuse("set_shapes", {ErrorCode::bad_argument,
                                       "shapes is empty; a body needs at least one. Call remove_body to remove it."});
    return s.set_shapes(id, "set_shapes", defs);
}

bool World::set_shape(BodyId id, std::uint32_t shape, const Shape& geometry) {
    State& s = *state_;
    if (!s.check_change(id, "set_shape") || !s.check_shape_index(id, shape, "set_shape")) return false;
    const std::span<const ShapeDef> old = shapes(id);
    std::vector<ShapeDef> defs(old.begin(), old.end());
    defs[shape].shape = geometry;
    return s.set_shapes(id, "set_shape", defs);
}

bool World::set_material(BodyId id, std::uint32_t shape, const Material& material) {
    State& s = *state_;
    constexpr const char* call = "set_material";
    if (!s.check_change(id, call) || !s.check_shape_index(id, shape, call) ||
        !s.accept(call, within("material.", check_material(material))))
        return false;
    const std::uint32_t index = s.bodies[id.slot].first_shape + shape;
    s.shapes.defs[index].material = material;
    for_each_pair(s.contacts, s.bodies, id.slot, [&](std::uint32_t p) {
        for_each_contact(s.contacts, p, [&](std::uint32_t c) {
            const PairRecord& record = s.contacts.records[c];
            if (s.shapes.shape_of(record.a) != index && s.shapes.shape_of(record.b) != index) return;
            s.contact_world().mix_materials(c);
        });
    });
    s.wake_neighbours(id.slot);
    s.wake(id.slot);
    return true;
}

bool World::set_filter(BodyId id, std::uint32_t shape, const Filter& filter) {
    State& s = *state_;
    if (!s.check_change(id, "set_filter") || !s.check_shape_index(id, shape, "set_filter")) return false;
    const std::uint32_t index = s.bodies[id.slot].first_shape + shape;
    if (s.shapes.defs[index].filter == filter) return true;
    s.begin_change(id.slot);
    s.shapes.defs[index].filter = filter;
    s.end_change(id.slot);
    return true;
}

bool World::set_type(BodyId id, BodyType type) {
    State& s = *state_;
    constexpr const char* call = "set_type";
    if (!s.check_change(id, call) || !s.accept(call, check_type(type))) return false;
    Body& body = s.bodies[id.slot];
    if (body.type == type) return true;
    if (type == BodyType::dynamic &&
        (!s.accept(call, check_shapes(shapes(id), type)) || !s.accept(call, check_mass(shapes(id)))))
        return false;
    s.begin_change(id.slot);
    const WorldTransform frame = body.pose();
    const dvec3 center = body.center;
    body.type = type;
    body.mass = body.inverse_mass = 0.0f;
    body.inertia = body.inverse_inertia = {};
    body.isotropic = true;
    body.force = body.torque = vec3(0.0f);
    talus::set_mass(body, shapes(id));
    set_extent(body, shapes(id));
    body.center = transform_point(frame, body.local_center);
    const dvec3 new_center = std::exchange(body.center, center);
    s.carry_velocity_to(body, new_center);
    body.center = new_center;
    if (type == BodyType::fixed) body.linear_velocity = body.angular_velocity = vec3(0.0f);
    const bool moves = body.linear_velocity != vec3(0.0f) || body.angular_velocity != vec3(0.0f);
    if (type == BodyType::dynamic || (type == BodyType::kinematic && moves)) {
        body.still_time = body.slow_time = 0.0f;
        s.sleeping.add(id.slot);
    } else {
        s.sleeping.remove(id.slot);
    }
    s.end_change(id.slot);
    return true;
}

bool World::set_mass(BodyId id, float mass) {
    State& s = *state_;
    constexpr const char* call = "set_mass";
    if (!s.check_change(id, call)) return false;
    if (!is_finite(mass) || !(mass > 0.0f))
        return s.refuse(call, out_of_range(is_finite(mass) ? ErrorCode::bad_size : ErrorCode::not_finite, "mass",
                                           text(mass), "> 0 and at most 1e15 (kg)"));
    if (!s.check_dynamic(id, call)) return false;
    const Body& body = s.bodies[id.slot];
    return s.set_mass_properties(id, call, {mass, body.local_center, (mass / body.mass) * body.inertia.full()});
}

bool World::set_mass_properties(BodyId id, const MassProperties& properties) {
    return state_->check_change(id, "set_mass_properties") &&
           state_->set_mass_properties(id, "set_mass_properties", properties);
}

bool World::State::set_mass_properties(BodyId id, const char* call, const MassProperties& properties) {
    if (!accept(call, check_mass_properties(properties)) || !check_dynamic(id, call)) return false;
    Body& body = bodies[id.slot];
    const dvec3 center = transform_point(body.pose(), properties.center);
    carry_velocity_to(body, center);
    body.center = center;
    talus::set_mass(body, properties);
    set_extent(body, {&shapes.defs[body.first_shape], body.shape_count});
    proxies.place(contact_world(), id.slot, 0.0f);
    wake_neighbours(id.slot);
    wake(id.slot);
    return true;
}

bool World::State::check_shape_index(BodyId id, std::uint32_t shape, const char* call) const {
    const std::uint32_t count = bodies[id.slot].shape_count;
    return shape < count ||
           refuse(call, out_of_range(ErrorCode::bad_argument, "shape", text(shape),
                                     "the index of one of the body's shapes (0 to " + text(count - 1) + ")"));
}

// ---- kinematic targets and limits -----------------------------------------------------------------------------------

bool World::set_kinematic_target(BodyId id, const dvec3& position, const quat& rotation) {
    State& s = *state_;
    constexpr const char* call = "set_kinematic_target";
    if (!s.check_change(id, call) || !s.accept(call, check_position("position", position)) ||
        !s.accept(call, check_rotation("rotation", rotation)))
        return false;
    const Body& body = s.bodies[id.slot];
    if (body.type != BodyType::kinematic)
        return s.refuse(call, out_of_range(ErrorCode::bad_argument, "the body", name_of(body.type), "kinematic"));
    const quat turned = normalized(rotation);
    s.kinematic_targets.set(id, body.center_at(position, turned), turned);
    return true;
}

bool World::set_gravity_scale(BodyId id, float scale) {
    State& s = *state_;
    if (!s.check_change(id, "set_gravity_scale") || !s.accept("set_gravity_scale", check_gravity_scale("scale", scale)))
        return false;
    s.bodies[id.slot].gravity_scale = scale;
    s.wake(id.slot);
    return true;
}

bool World::set_locks(BodyId id, std::uint8_t locks) {
    State& s = *state_;
    if (!s.check_change(id, "set_locks") || !s.accept("set_locks", check_locks(locks))) return false;
    s.bodies[id.slot].locks = locks;
    s.any_locked = s.any_locked || locks != 0;
    drop_locked_motion(s.bodies[id.slot]);
    s.wake(id.slot);
    return true;
}

bool World::set_damping(BodyId id, float linear, float angular) {
    State& s = *state_;
    constexpr const char* call = "set_damping";
    if (!s.check_change(id, call) || !s.accept(call, check_at_least_zero("linear", linear, "1/s")) ||
        !s.accept(call, check_at_least_zero("angular", angular, "1/s")))
        return false;
    s.bodies[id.slot].linear_damping = linear;
    s.bodies[id.slot].angular_damping = angular;
    return true;
}

bool World::set_user_data(BodyId id, std::uint64_t user_data) {
    if (!state_->check_change(id, "set_user_data")) return false;
    state_->bodies[id.slot].user_data = user_data;
    return true;
}

bool World::set_speed_limits(BodyId id, float max_speed, float max_spin) {
    State& s = *state_;
    constexpr const char* call = "set_speed_limits";
    if (!s.check_change(id, call) || !s.accept(call, check_speed_limit("max_speed", max_speed, "m/s")) ||
        !s.accept(call, check_speed_limit("max_spin", max_spin, "rad/s")))
        return false;
    s.bodies[id.slot].max_speed = max_speed;
    s.bodies[id.slot].max_spin = max_spin;
    return true;
}

bool World::set_continuous(BodyId id, Continuous continuous) {
    if (!state_->check_change(id, "set_continuous") || !state_->accept("set_continuous", check_continuous(continuous)))
        return false;
    state_->bodies[id.slot].continuous = continuous;
    return true;
}

bool World::set_hit_speed(float speed) {
    if (!state_->may_change("set_hit_speed")) return false;
    if (!(speed >= 0.0f))
        return state_->refuse("set_hit_speed", out_of_range(ErrorCode::bad_size, "speed", text(speed), ">= 0 (m/s)"));
    state_->def.hit_speed = speed;
    return true;
}

bool World::set_contact_modifier(ContactModifier modifier, void* user) {
    if (!state_->may_change("set_contact_modifier")) return false;
    state_->modified_contacts.set(modifier, user);
    return true;
}

}  // namespace talus
