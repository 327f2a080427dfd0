/// World's calls that add, remove, read and change bodies. The step is in step.cpp, queries are in queries.cpp.

#include <talus/engine/world.h>

#include "engine/bodies/body_setup.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus {

void World::State::put_shapes(Body& body, std::span<const ShapeDef> given) {
    body.shape_count = static_cast<std::uint32_t>(given.size());
    body.first_shape = shapes.allocate(body.shape_count, colliders);
    for (std::uint32_t i = 0; i < body.shape_count; ++i) put_shape(body.first_shape + i, given[i]);
}

void World::State::put_shape(std::uint32_t index, const ShapeDef& given) {
    shapes.defs[index] = given;
    shapes.defs[index].pose.rotation = normalized(given.pose.rotation);
    shapes.local_boxes[index] = given.mesh ? given.mesh->bounds() : talus::bounds(given.shape);
    shapes.surfaces[index] = surface_of(given.material);
    colliders.shapes[index] = given.shape;
    ++colliders.versions[index];
}

static bool is_good(int substeps) { return substeps >= 1 && substeps <= 64; }
static bool is_good(Timing timing) { return timing <= Timing::pairs; }
static bool is_good_speed(float max_speed) { return max_speed > 0.0f && is_finite(max_speed); }

World::World() : World(WorldDef{}) {}

World::World(const WorldDef& def) : state_(std::make_unique<State>()) {
    state_->def = def;
    WorldDef& used = state_->def;
    const WorldDef defaults;
    const bool good_gravity = is_finite(def.gravity), good_substeps = is_good(def.substeps);
    const bool good_speed = is_good_speed(def.max_speed);
    const bool good_hit_speed = def.hit_speed >= 0.0f, good_timing = is_good(def.timing);
    if (good_gravity && good_substeps && good_speed && good_hit_speed && good_timing) return;
    state_->error.set(refuse(ErrorCode::bad_argument,
                             "world: gravity must be finite, substeps 1 to 64, max_speed finite and above 0, "
                             "hit_speed at least 0, timing one of Timing's; defaults were taken instead"));
    if (!good_gravity) used.gravity = defaults.gravity;
    if (!good_substeps) used.substeps = defaults.substeps;
    if (!good_speed) used.max_speed = defaults.max_speed;
    if (!good_hit_speed) used.hit_speed = defaults.hit_speed;
    if (!good_timing) used.timing = defaults.timing;
}

World::World(const World& other) : state_(std::make_unique<State>(*other.state_)) {}
World::World(World&& other) noexcept : state_(std::make_unique<State>()) { state_.swap(other.state_); }
World& World::operator=(const World& other) {
    if (this != &other) state_ = std::make_unique<State>(*other.state_);
    return *this;
}
World& World::operator=(World&& other) noexcept {
    if (this != &other) state_ = std::exchange(other.state_, std::make_unique<State>());
    return *this;
}
World::~World() = default;

// ---- adding and removing --------------------------------------------------------------------------------------------

BodyId World::add_body(const BodyDef& def) {
    BodyId id;
    add_bodies({&def, 1}, {&id, 1});
    return id;
}

bool World::add_bodies(std::span<const BodyDef> defs, std::span<BodyId> out) {
    State& s = *state_;
    std::fill(out.begin(), out.end(), BodyId{});
    if (!s.may_change("add_body")) return false;
    if (out.size() < defs.size()) {
        s.error.set(refuse(ErrorCode::bad_argument, "add_bodies: out must have room for a handle a definition"));
        return false;
    }
    for (const BodyDef& def : defs) {
        if (Error error = check_body(def)) {
            s.error.set(std::move(error));
            return false;
        }
    }
    std::vector<std::uint32_t> slots(defs.size());
    std::vector<std::uint8_t> moves(defs.size());
    for (std::size_t k = 0; k < defs.size(); ++k) {
        const BodyDef& def = defs[k];
        const std::vector<ShapeDef> shapes = shapes_of(def);
        const std::uint32_t slot = s.bodies.allocate();
        Body& body = s.bodies[slot];
        body.type = def.type;
        body.linear_damping = def.linear_damping;
        body.angular_damping = def.angular_damping;
        body.gravity_scale = def.gravity_scale;
        body.locks = def.locks;
        s.any_locked = s.any_locked || def.locks != 0;
        body.allow_sleep = def.allow_sleep;
        body.continuous = def.continuous;
        body.user_data = def.user_data;
        s.put_shapes(body, shapes);
        const std::span<const ShapeDef> placed(&s.shapes.defs[body.first_shape], body.shape_count);
        talus::set_mass(body, placed);
        if (def.mass_properties && body.is_dynamic()) talus::set_mass(body, *def.mass_properties);
        body.max_speed = def.max_speed;
        body.max_spin = def.max_spin;
        body.rotation = normalized(def.rotation);
        body.center = def.position + rotate(body.rotation, body.local_center);
        if (def.type != BodyType::fixed) {
            body.linear_velocity = def.linear_velocity;
            body.angular_velocity = def.angular_velocity;
            drop_locked_motion(body);
        }
        set_extent(body, placed);
        moves[k] = def.type == BodyType::dynamic ||
                   (def.type == BodyType::kinematic &&
                    (def.linear_velocity != vec3(0.0f) || def.angular_velocity != vec3(0.0f)));
        if (moves[k] != 0) s.sleeping.add(slot);
        slots[k] = slot;
        out[k] = s.bodies.id_of(slot);
    }
    s.proxies.add(s.contact_world(), slots, moves);
    const bool anyone_asleep = s.awake().size() < s.bodies.live_count();
    for (const std::uint32_t slot : slots) {
        if (anyone_asleep && !s.awake().contains(slot)) s.wake_overlapping(slot);
    }
    return true;
}

bool World::remove_body(BodyId id) {
    State& s = *state_;
    if (!s.check_change(id, "remove_body")) return false;
    Body& body = s.bodies[id.slot];
    s.wake_neighbours(id.slot);
    s.joints.for_each(id.slot, [&](std::uint32_t j, std::uint32_t) {
        if (s.joints[j].kind == JointKind::gear) s.drop_joint(j, JointEvents::When::next_step);
    });
    s.joints.for_each(id.slot, [&](std::uint32_t j, std::uint32_t) { s.drop_joint(j, JointEvents::When::next_step); });
    s.with_pairs(
        [&](const BodyPairs::Input& in) { BodyPairs::drop_all_of(in, id.slot, ContactEvents::When::next_step); });
    s.proxies.remove(body);
    s.sleeping.remove(id.slot);
    s.indices.forget(id.slot);
    s.shapes.release(body.first_shape, body.shape_count, s.colliders);
    s.bodies.release(id.slot);
    return true;
}

bool World::is_valid(BodyId body) const { return state_->bodies.is_valid(body); }

bool World::State::check_handle(BodyId id, const char* call) const {
    if (bodies.is_valid(id)) return true;
    error.set(refuse(ErrorCode::stale_handle,
                     std::string(call) + (id.is_null() ? ": the handle is null; keep the one that add_body returned"
                                                       : ": the body was removed; ask is_valid() first")));
    return false;
}

// ---- reading --------------------------------------------------------------------------------------------------------

vec3 World::position(BodyId id) const { return transform(id).position; }
quat World::rotation(BodyId id) const { return transform(id).rotation; }

Transform World::transform(BodyId id) const {
    return state_->check_handle(id, "transform") ? state_->bodies[id.slot].pose() : Transform{};
}

vec3 World::center_of_mass(BodyId id) const {
    return state_->check_handle(id, "center_of_mass") ? state_->bodies[id.slot].center : vec3(0.0f);
}

vec3 World::linear_velocity(BodyId id) const {
    return state_->check_handle(id, "linear_velocity") ? state_->bodies[id.slot].linear_velocity : vec3(0.0f);
}

vec3 World::angular_velocity(BodyId id) const {
    return state_->check_handle(id, "angular_velocity") ? state_->bodies[id.slot].angular_velocity : vec3(0.0f);
}

float World::mass(BodyId id) const { return state_->check_handle(id, "mass") ? state_->bodies[id.slot].mass : 0.0f; }

mat3 World::inertia(BodyId id) const {
    if (!state_->check_handle(id, "inertia")) return mat3(0.0f);
    const Body& body = state_->bodies[id.slot];
    const mat3 r = to_matrix(body.rotation);
    return r * body.inertia * glm::transpose(r);
}

BodyType World::type(BodyId id) const {
    return state_->check_handle(id, "type") ? state_->bodies[id.slot].type : BodyType::fixed;
}

bool World::is_awake(BodyId id) const {
    return state_->check_handle(id, "is_awake") && state_->awake().contains(id.slot);
}

std::uint64_t World::user_data(BodyId id) const {
    return state_->check_handle(id, "user_data") ? state_->bodies[id.slot].user_data : 0;
}

Aabb World::bounds(BodyId id) const {
    if (!state_->check_handle(id, "bounds")) return {};
    const Body& body = state_->bodies[id.slot];
    Aabb box = state_->shapes.world_boxes[body.first_shape];
    for (std::uint32_t i = 1; i < body.shape_count; ++i)
        box = merge(box, state_->shapes.world_boxes[body.first_shape + i]);
    return box;
}

std::span<const ShapeDef> World::shapes(BodyId id) const {
    if (!state_->check_handle(id, "shapes")) return {};
    const Body& body = state_->bodies[id.slot];
    return {&state_->shapes.defs[body.first_shape], body.shape_count};
}

float World::gravity_scale(BodyId id) const {
    return state_->check_handle(id, "gravity_scale") ? state_->bodies[id.slot].gravity_scale : 0.0f;
}

std::uint8_t World::locks(BodyId id) const {
    return state_->check_handle(id, "locks") ? state_->bodies[id.slot].locks : std::uint8_t{0};
}

float World::linear_damping(BodyId id) const {
    return state_->check_handle(id, "linear_damping") ? state_->bodies[id.slot].linear_damping : 0.0f;
}

float World::angular_damping(BodyId id) const {
    return state_->check_handle(id, "angular_damping") ? state_->bodies[id.slot].angular_damping : 0.0f;
}

float World::max_speed(BodyId id) const {
    return state_->check_handle(id, "max_speed") ? state_->bodies[id.slot].max_speed : 0.0f;
}

float World::max_spin(BodyId id) const {
    return state_->check_handle(id, "max_spin") ? state_->bodies[id.slot].max_spin : 0.0f;
}

vec3 World::force(BodyId id) const {
    return state_->check_handle(id, "force") ? state_->bodies[id.slot].force : vec3(0.0f);
}

vec3 World::torque(BodyId id) const {
    return state_->check_handle(id, "torque") ? state_->bodies[id.slot].torque : vec3(0.0f);
}

std::vector<BodyId> World::bodies() const {
    std::vector<BodyId> ids;
    ids.reserve(state_->bodies.live_count());
    for (std::uint32_t slot = 0; slot < state_->bodies.slot_count(); ++slot) {
        if (state_->bodies[slot].in_use) ids.push_back(state_->bodies.id_of(slot));
    }
    return ids;
}

std::size_t World::body_count() const { return state_->bodies.live_count(); }
std::size_t World::awake_body_count() const { return state_->awake().size(); }

// ---- changing -------------------------------------------------------------------------------------------------------

bool World::State::refuse_unless(bool ok, ErrorCode code, std::string_view sentence, const char* call) const {
    if (!ok) error.set(refuse(code, std::string(call) + std::string(sentence)));
    return ok;
}

bool World::State::may_change(const char* call) const {
    return refuse_unless(callbacks.count == 0, ErrorCode::bad_argument,
                         ": the world cannot change while it steps or draws; call this afterwards", call);
}

bool World::State::check_change(BodyId id, const char* call) const {
    return may_change(call) && check_handle(id, call);
}

/// Returns whether the body is dynamic: only such bodies have forces and a mass.
bool World::State::check_dynamic(BodyId id, const char* call) const {
    return refuse_unless(bodies[id.slot].is_dynamic(), ErrorCode::bad_argument,
                         ": the body is not dynamic; only dynamic bodies have a mass and take forces", call);
}

/// Returns whether the body can move: it is dynamic or kinematic.
bool World::State::check_movable(BodyId id, const char* call) const {
    return refuse_unless(bodies[id.slot].type != BodyType::fixed, ErrorCode::bad_argument,
                         ": the body is fixed; make it kinematic or dynamic to move it", call);
}

bool World::set_transform(BodyId id, const vec3& position, const quat& rotation) {
    State& s = *state_;
    if (!s.check_change(id, "set_transform")) return false;
    if (Error error = check_finite("set_transform", "position", position)) {
        s.error.set(std::move(error));
        return false;
    }
    if (Error error = check_rotation(rotation)) {
        s.error.set(std::move(error));
        return false;
    }
    Body& body = s.bodies[id.slot];
    s.wake_neighbours(id.slot);
    body.rotation = normalized(rotation);
    body.center = position + rotate(body.rotation, body.local_center);
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) ++s.colliders.versions[i];
    s.proxies.place(s.contact_world(), id.slot, 0.0f);
    s.wake(id.slot);
    s.wake_overlapping(id.slot);
    return true;
}

bool World::set_linear_velocity(BodyId id, const vec3& velocity) {
    State& s = *state_;
    if (!s.check_change(id, "set_linear_velocity")) return false;
    if (!s.refuse_unless(is_finite(velocity), ErrorCode::not_finite,
                         "set_linear_velocity: the velocity has a NaN or an infinity"))
        return false;
    if (!s.check_movable(id, "set_linear_velocity")) return false;
    s.bodies[id.slot].linear_velocity = velocity;
    drop_locked_motion(s.bodies[id.slot]);
    s.sleeping.start_moving(s.sleeping_world(), id.slot);
    return true;
}

bool World::set_angular_velocity(BodyId id, const vec3& velocity) {
    State& s = *state_;
    if (!s.check_change(id, "set_angular_velocity")) return false;
    if (!s.refuse_unless(is_finite(velocity), ErrorCode::not_finite,
                         "set_angular_velocity: the velocity has a NaN or an infinity"))
        return false;
    if (!s.check_movable(id, "set_angular_velocity")) return false;
    s.bodies[id.slot].angular_velocity = velocity;
    drop_locked_motion(s.bodies[id.slot]);
    s.sleeping.start_moving(s.sleeping_world(), id.slot);
    return true;
}

bool World::set_gravity_scale(BodyId id, float scale) {
    State& s = *state_;
    if (!s.check_change(id, "set_gravity_scale")) return false;
    if (!s.refuse_unless(is_finite(scale), ErrorCode::not_finite, "set_gravity_scale: the scale must be finite"))
        return false;
    s.bodies[id.slot].gravity_scale = scale;
    s.wake(id.slot);
    return true;
}

bool World::set_locks(BodyId id, std::uint8_t locks) {
    State& s = *state_;
    if (!s.check_change(id, "set_locks")) return false;
    if (!s.refuse_unless(locks < 64, ErrorCode::bad_argument, "set_locks: locks must be made of the flags of AxisLock"))
        return false;
    s.bodies[id.slot].locks = locks;
    s.any_locked = s.any_locked || locks != 0;
    drop_locked_motion(s.bodies[id.slot]);
    s.wake(id.slot);
    return true;
}

bool World::set_damping(BodyId id, float linear, float angular) {
    State& s = *state_;
    if (!s.check_change(id, "set_damping")) return false;
    for (const float damping : {linear, angular}) {
        if (Error error = check_at_least_zero("set_damping: damping", damping)) {
            s.error.set(std::move(error));
            return false;
        }
    }
    s.bodies[id.slot].linear_damping = linear;
    s.bodies[id.slot].angular_damping = angular;
    return true;
}

bool World::set_user_data(BodyId id, std::uint64_t user_data) {
    if (!state_->check_change(id, "set_user_data")) return false;
    state_->bodies[id.slot].user_data = user_data;
    return true;
}

bool World::set_awake(BodyId id, bool awake) {
    State& s = *state_;
    if (!s.check_change(id, "set_awake") || !s.check_movable(id, "set_awake")) return false;
    if (awake) {
        s.wake(id.slot);
    } else if (s.bodies[id.slot].is_dynamic() && s.awake().contains(id.slot)) {
        s.sleeping.put_to_sleep(s.sleeping_world(), id.slot);
    }
    return true;
}

bool World::apply_force(BodyId id, const vec3& force) {
    return is_valid(id) ? apply_force_at(id, force, state_->bodies[id.slot].center)
                        : state_->check_change(id, "apply_force");
}

bool World::apply_force_at(BodyId id, const vec3& force, const vec3& point) {
    State& s = *state_;
    if (!s.check_change(id, "apply_force_at")) return false;
    if (!s.refuse_unless(is_finite(force) && is_finite(point), ErrorCode::not_finite,
                         "apply_force: the force or point has a NaN or an infinity"))
        return false;
    Body& body = s.bodies[id.slot];
    if (!s.check_dynamic(id, "apply_force")) return false;
    const vec3 sum = body.force + force, torque = body.torque + glm::cross(point - body.center, force);
    if (!s.refuse_unless(is_finite(sum) && is_finite(torque), ErrorCode::not_finite,
                         "apply_force: the sum of forces overflows; nothing was applied"))
        return false;
    body.force = sum;
    body.torque = torque;
    s.wake(id.slot);
    return true;
}

bool World::apply_torque(BodyId id, const vec3& torque) {
    State& s = *state_;
    if (!s.check_change(id, "apply_torque")) return false;
    if (!s.refuse_unless(is_finite(torque), ErrorCode::not_finite, "apply_torque: the torque has a NaN or an infinity"))
        return false;
    Body& body = s.bodies[id.slot];
    if (!s.check_dynamic(id, "apply_torque")) return false;
    const vec3 sum = body.torque + torque;
    if (!s.refuse_unless(is_finite(sum), ErrorCode::not_finite,
                         "apply_torque: the sum of torques overflows; nothing was applied"))
        return false;
    body.torque = sum;
    s.wake(id.slot);
    return true;
}

bool World::apply_impulse(BodyId id, const vec3& impulse) {
    return is_valid(id) ? apply_impulse_at(id, impulse, state_->bodies[id.slot].center)
                        : state_->check_change(id, "apply_impulse");
}

bool World::apply_impulse_at(BodyId id, const vec3& impulse, const vec3& point) {
    State& s = *state_;
    if (!s.check_change(id, "apply_impulse_at")) return false;
    if (!s.refuse_unless(is_finite(impulse) && is_finite(point), ErrorCode::not_finite,
                         "apply_impulse: the impulse or point has a NaN or an infinity"))
        return false;
    Body& body = s.bodies[id.slot];
    if (!s.check_dynamic(id, "apply_impulse")) return false;
    const vec3 velocity = body.linear_velocity + response_of(body, body.rotation).inverse_mass * impulse;
    if (!s.refuse_unless(is_finite(velocity), ErrorCode::not_finite,
                         "apply_impulse: the velocity overflows; nothing was applied"))
        return false;
    if (!apply_angular_impulse(id, glm::cross(point - body.center, impulse))) return false;
    body.linear_velocity = velocity;
    return true;
}

bool World::apply_angular_impulse(BodyId id, const vec3& impulse) {
    State& s = *state_;
    if (!s.check_change(id, "apply_angular_impulse")) return false;
    if (!s.refuse_unless(is_finite(impulse), ErrorCode::not_finite,
                         "apply_angular_impulse: the impulse has a NaN or an infinity"))
        return false;
    Body& body = s.bodies[id.slot];
    if (!s.check_dynamic(id, "apply_angular_impulse")) return false;
    const vec3 spin = body.angular_velocity + response_of(body, body.rotation).inverse_inertia * impulse;
    if (!s.refuse_unless(is_finite(spin), ErrorCode::not_finite,
                         "apply_angular_impulse: the spin overflows; nothing was applied"))
        return false;
    body.angular_velocity = spin;
    s.wake(id.slot);
    return true;
}

bool World::set_gravity(const vec3& gravity) {
    State& s = *state_;
    if (!s.may_change("set_gravity")) return false;
    if (!s.refuse_unless(is_finite(gravity), ErrorCode::not_finite, "set_gravity: gravity has a NaN or an infinity"))
        return false;
    if (gravity == s.def.gravity) return true;
    s.def.gravity = gravity;
    s.sleeping.wake_all(s.sleeping_world());
    return true;
}

vec3 World::gravity() const { return state_->def.gravity; }
const WorldDef& World::settings() const { return state_->def; }

bool World::set_settings(const WorldDef& settings) {
    State& s = *state_;
    if (!s.may_change("set_settings")) return false;
    const bool good = is_finite(settings.gravity) && is_good(settings.substeps) && is_good_speed(settings.max_speed) &&
                      settings.hit_speed >= 0.0f && is_good(settings.timing);
    if (!good) {
        s.error.set(refuse(ErrorCode::bad_argument,
                           "set_settings: gravity must be finite, substeps 1 to 64, max_speed finite and above 0, "
                           "hit_speed at least 0, timing one of Timing's; nothing was changed"));
        return false;
    }
    const bool wake = settings.gravity != s.def.gravity || (s.def.allow_sleep && !settings.allow_sleep);
    if (settings.substeps != s.def.substeps) s.stiffness.forget_usual_substep();
    s.def = settings;
    if (wake) s.sleeping.wake_all(s.sleeping_world());
    return true;
}

bool World::set_allow_sleep(bool allow) {
    if (!state_->may_change("set_allow_sleep")) return false;
    state_->def.allow_sleep = allow;
    if (!allow) state_->sleeping.wake_all(state_->sleeping_world());
    return true;
}

}  // namespace talus
