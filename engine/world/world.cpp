/// World's calls that add, remove, read and change bodies. The step is in step.cpp, queries are in queries.cpp.

#include <talus/engine/world.h>

#include "engine/bodies/body_setup.h"
#include "engine/handles.h"
#include "engine/settings.h"
#include "engine/world/error_text.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace talus {

void World::State::put_shapes(Body& body, std::span<const ShapeDef> given) {
    body.shape_count = static_cast<std::uint32_t>(given.size());
    body.first_shape = shapes.allocate(body.shape_count, colliders);
    for (std::uint32_t i = 0; i < body.shape_count; ++i) put_shape(body.first_shape + i, given[i]);
    shapes.build_tree(body);
}

void World::State::put_shape(std::uint32_t index, const ShapeDef& given) {
    shapes.defs[index] = given;
    shapes.defs[index].pose.rotation = normalized(given.pose.rotation);
    shapes.derive_shape(index, colliders);
    ++colliders.versions[index];
}

static Error check_gravity(const vec3& gravity) {
    if (Error error = check_finite("gravity", gravity, "m/s^2")) return error;
    const vec3 size = absolute(gravity);
    if (std::max({size.x, size.y, size.z}) <= settings::largest_gravity) return {};
    return out_of_range(ErrorCode::bad_argument, "gravity", text(gravity),
                        "from -1e15 to 1e15 (m/s^2) along each axis");
}

/// Returns the error of the first setting that is out of range, and gives all such settings of `mended` their defaults.
static Error check_settings(const WorldDef& def, WorldDef* mended = nullptr) {
    const WorldDef defaults;
    Error first;
    const auto check = [&](bool ok, const char* what, auto WorldDef::*setting, const char* allowed) {
        if (ok) return;
        if (!first) first = out_of_range(ErrorCode::bad_argument, what, text(def.*setting), allowed);
        if (mended != nullptr) mended->*setting = defaults.*setting;
    };
    check(!check_gravity(def.gravity), "gravity", &WorldDef::gravity, "from -1e15 to 1e15 (m/s^2) along each axis");
    check(def.substeps >= 1 && def.substeps <= 64, "substeps", &WorldDef::substeps, "1 to 64");
    check(def.max_speed > 0.0f && def.max_speed <= settings::largest_max_speed, "max_speed", &WorldDef::max_speed,
          "> 0 and at most 1e15 (m/s)");
    check(def.sleep_speed >= 0.0f && def.sleep_speed <= 1e6f, "sleep_speed", &WorldDef::sleep_speed, "0 to 1e6 (m/s)");
    check(def.time_to_sleep >= 0.01f && def.time_to_sleep <= 1e6f, "time_to_sleep", &WorldDef::time_to_sleep,
          "0.01 to 1e6 (s)");
    check(def.contact_rate >= 0.01f && def.contact_rate <= 0.5f, "contact_rate", &WorldDef::contact_rate,
          "0.01 to 0.5");
    check(def.hit_speed >= 0.0f, "hit_speed", &WorldDef::hit_speed, ">= 0 (m/s)");
    check(def.handle_tag <= handles::last_tag, "handle_tag", &WorldDef::handle_tag, "0 to 1023");
    check(def.timing <= Timing::pairs, "timing", &WorldDef::timing, "a value of Timing (0 to 2)");
    return first;
}

/// Tags are given out in turn.
static std::uint32_t next_handle_tag() {
    static std::atomic<std::uint32_t> worlds{0};
    return worlds.fetch_add(1, std::memory_order_relaxed) % handles::last_tag + 1;
}

void World::State::set_handle_tag(std::uint32_t tag) {
    def.handle_tag = tag;
    bodies.set_tag(tag);
    joints.set_tag(tag);
}

World::World() : World(WorldDef{}) {}

World::World(const WorldDef& def) : state_(std::make_unique<State>()) {
    state_->def = def;
    Error error = check_settings(def, &state_->def);
    state_->set_handle_tag(state_->def.handle_tag != 0 ? state_->def.handle_tag : next_handle_tag());
    if (!error) return;
    error.message += " Settings that are out of range got their defaults.";
    state_->refuse("World", std::move(error));
}

World::World(const World& other) : state_(std::make_unique<State>(*other.state_)) {}
World::World(World&& other) noexcept : state_(std::make_unique<State>()) { state_.swap(other.state_); }
World& World::operator=(const World& other) {
    if (this != &other) *state_ = *other.state_;  // keeps its memory
    return *this;
}
World& World::operator=(World&& other) noexcept {
    if (this != &other) state_ = std::exchange(other.state_, std::make_unique<State>());
    return *this;
}
World::~World() = default;

// ---- adding and removing --------------------------------------------------------------------------------------------

BodyId World::add_body(const BodyDef& def) {
    State& s = *state_;
    BodyId id;
    if (s.may_change("add_body") && s.accept("add_body", check_body(def))) s.add_bodies({&def, 1}, {&id, 1});
    return id;
}

bool World::add_bodies(std::span<const BodyDef> defs, std::span<BodyId> out) {
    State& s = *state_;
    std::fill(out.begin(), out.end(), BodyId{});
    if (!s.may_change("add_bodies")) return false;
    if (out.size() < defs.size())
        return s.refuse("add_bodies",
                        {ErrorCode::bad_argument, "out has " + text(out.size()) + " elements and defs has " +
                                                      text(defs.size()) + "; out needs one element per definition."});
    for (std::size_t i = 0; i < defs.size(); ++i) {
        if (!s.accept("add_bodies", within("defs", i, ": ", check_body(defs[i])))) return false;
    }
    s.add_bodies(defs, out);
    return true;
}

void World::State::add_bodies(std::span<const BodyDef> defs, std::span<BodyId> out) {
    if (def.handle_tag == 0) set_handle_tag(next_handle_tag());  // what is left of a moved world
    std::vector<std::uint32_t> slots(defs.size());
    std::vector<std::uint8_t> moves(defs.size());
    for (std::size_t k = 0; k < defs.size(); ++k) {
        const BodyDef& asked = defs[k];
        const std::vector<ShapeDef> given = shapes_of(asked);
        const std::uint32_t slot = bodies.allocate();
        Body& body = bodies[slot];
        body.type = asked.type;
        body.linear_damping = asked.linear_damping;
        body.angular_damping = asked.angular_damping;
        body.gravity_scale = asked.gravity_scale;
        body.locks = asked.locks;
        any_locked = any_locked || asked.locks != 0;
        body.allow_sleep = asked.allow_sleep;
        body.continuous = asked.continuous;
        body.user_data = asked.user_data;
        put_shapes(body, given);
        const std::span<const ShapeDef> placed(&shapes.defs[body.first_shape], body.shape_count);
        talus::set_mass(body, placed);
        if (asked.mass_properties && body.is_dynamic()) talus::set_mass(body, *asked.mass_properties);
        body.max_speed = asked.max_speed;
        body.max_spin = asked.max_spin;
        body.rotation = normalized(asked.rotation);
        body.center = body.center_at(asked.position, body.rotation);
        // Without this they would be the world's origin, and a body near it would fall asleep a step earlier than elsewhere.
        body.still_place = body.settle_place = body.center;
        body.still_rotation = body.rotation;
        if (asked.type != BodyType::fixed) {
            body.linear_velocity = asked.linear_velocity;
            body.angular_velocity = asked.angular_velocity;
            drop_locked_motion(body);
        }
        set_extent(body, placed);
        moves[k] = asked.type == BodyType::dynamic ||
                   (asked.type == BodyType::kinematic &&
                    (asked.linear_velocity != vec3(0.0f) || asked.angular_velocity != vec3(0.0f)));
        if (moves[k] != 0) sleeping.add(slot);
        moved_bodies.place(slot);
        slots[k] = slot;
        out[k] = bodies.id_of(slot);
    }
    proxies.add(contact_world(), slots, moves);
    const bool anyone_asleep = awake().size() < bodies.live_count();
    for (const std::uint32_t slot : slots) {
        if (anyone_asleep && !awake().contains(slot)) wake_overlapping(slot);
    }
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

bool World::State::check_handle(BodyId id, const char* call, const char* name) const {
    return bodies.is_valid(id) ||
           refuse(call, out_of_range(ErrorCode::stale_handle, name, handle_text(id, def.handle_tag),
                                     "the handle of a body of this world that was not removed (see is_valid)"));
}

// ---- reading --------------------------------------------------------------------------------------------------------

dvec3 World::position(BodyId id) const {
    return state_->check_handle(id, "position") ? state_->bodies[id.slot].pose().position : dvec3(0.0);
}

quat World::rotation(BodyId id) const {
    return state_->check_handle(id, "rotation") ? state_->bodies[id.slot].rotation : Transform{}.rotation;
}

WorldTransform World::transform(BodyId id) const {
    return state_->check_handle(id, "transform") ? state_->bodies[id.slot].pose() : WorldTransform{};
}

dvec3 World::center_of_mass(BodyId id) const {
    return state_->check_handle(id, "center_of_mass") ? state_->bodies[id.slot].center : dvec3(0.0);
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
    return r * body.inertia.full() * glm::transpose(r);
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

WorldAabb World::bounds(BodyId id) const {
    if (!state_->check_handle(id, "bounds")) return {};
    const Body& body = state_->bodies[id.slot];
    return state_->shapes.world_box(body, state_->colliders);
}

BodyDef World::describe(BodyId id) const {
    BodyDef def;
    const State& s = *state_;
    if (!s.check_handle(id, "describe")) return def;
    const Body& body = s.bodies[id.slot];
    const WorldTransform pose = body.pose();
    const std::span<const ShapeDef> own = shapes(id);
    def.type = body.type;
    def.shapes.assign(own.begin(), own.end());
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.linear_velocity = body.linear_velocity;
    def.angular_velocity = body.angular_velocity;
    if (body.is_dynamic()) {
        Body by_shapes;
        by_shapes.type = body.type;
        talus::set_mass(by_shapes, own);
        if (by_shapes.mass != body.mass || by_shapes.local_center != body.local_center ||
            by_shapes.inertia != body.inertia)
            def.mass_properties = {body.mass, body.local_center, body.inertia.full()};
    }
    def.linear_damping = body.linear_damping;
    def.angular_damping = body.angular_damping;
    def.max_speed = body.max_speed;
    def.max_spin = body.max_spin;
    def.gravity_scale = body.gravity_scale;
    def.locks = body.locks;
    def.allow_sleep = body.allow_sleep;
    def.continuous = body.continuous;
    def.user_data = body.user_data;
    return def;
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

bool World::State::refuse(const char* call, Error problem) const {
    problem.message.insert(0, std::string(call) + ": ");
    error.set(std::move(problem));
    return false;
}

bool World::State::may_change(const char* call) const {
    return callbacks.count == 0 ||
           refuse(call, {ErrorCode::bad_argument,
                         "the world cannot be changed from within step() or draw(); call it after they return."});
}

bool World::State::check_change(BodyId id, const char* call) const {
    return may_change(call) && check_handle(id, call);
}

/// Returns whether the body is dynamic: only such bodies have forces and a mass.
bool World::State::check_dynamic(BodyId id, const char* call) const {
    const BodyType type = bodies[id.slot].type;
    return type == BodyType::dynamic ||
           refuse(call, out_of_range(ErrorCode::bad_argument, "the body", name_of(type), "dynamic"));
}

bool World::State::check_movable(BodyId id, const char* call) const {
    const BodyType type = bodies[id.slot].type;
    return type != BodyType::fixed ||
           refuse(call, out_of_range(ErrorCode::bad_argument, "the body", name_of(type), "kinematic or dynamic"));
}

bool World::set_transform(BodyId id, const dvec3& position, const quat& rotation) {
    State& s = *state_;
    constexpr const char* call = "set_transform";
    if (!s.check_change(id, call) || !s.accept(call, check_position("position", position)) ||
        !s.accept(call, check_rotation("rotation", rotation)))
        return false;
    Body& body = s.bodies[id.slot];
    s.wake_neighbours(id.slot);
    body.rotation = normalized(rotation);
    body.center = body.center_at(position, body.rotation);
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) ++s.colliders.versions[i];
    s.moved_bodies.place(id.slot);
    s.proxies.place(s.contact_world(), id.slot, 0.0f);
    s.wake(id.slot);
    s.wake_overlapping(id.slot);
    return true;
}

bool World::set_linear_velocity(BodyId id, const vec3& velocity) {
    State& s = *state_;
    constexpr const char* call = "set_linear_velocity";
    if (!s.check_change(id, call) || !s.accept(call, check_finite("velocity", velocity, "m/s")) ||
        !s.check_movable(id, call))
        return false;
    s.bodies[id.slot].linear_velocity = velocity;
    drop_locked_motion(s.bodies[id.slot]);
    s.sleeping.start_moving(s.sleeping_world(), id.slot);
    return true;
}

bool World::set_angular_velocity(BodyId id, const vec3& velocity) {
    State& s = *state_;
    constexpr const char* call = "set_angular_velocity";
    if (!s.check_change(id, call) || !s.accept(call, check_finite("velocity", velocity, "rad/s")) ||
        !s.check_movable(id, call))
        return false;
    s.bodies[id.slot].angular_velocity = velocity;
    drop_locked_motion(s.bodies[id.slot]);
    s.sleeping.start_moving(s.sleeping_world(), id.slot);
    return true;
}

bool World::set_awake(BodyId id, bool awake) {
    State& s = *state_;
    if (!s.check_change(id, "set_awake") || !s.check_dynamic(id, "set_awake")) return false;
    if (awake) {
        s.wake(id.slot);
    } else if (s.awake().contains(id.slot)) {
        s.sleeping.put_to_sleep(s.sleeping_world(), id.slot);
    }
    return true;
}

/// Returns the error of a sum that floats cannot hold.
static Error check_sum(const char* what, const vec3& sum, const char* unit) {
    if (is_finite(sum)) return {};
    return {ErrorCode::not_finite, std::string(what) + " would be " + text(sum) + " " + unit +
                                       ", which is beyond the range of floats. Nothing was applied."};
}

bool World::apply_force(BodyId id, const vec3& force) {
    return state_->check_change(id, "apply_force") &&
           state_->add_force(id, "apply_force", force, state_->bodies[id.slot].center);
}

bool World::apply_force_at(BodyId id, const vec3& force, const dvec3& point) {
    return state_->check_change(id, "apply_force_at") && state_->add_force(id, "apply_force_at", force, point);
}

bool World::State::add_force(BodyId id, const char* call, const vec3& force, const dvec3& point) {
    Body& body = bodies[id.slot];
    if (!accept(call, check_finite("force", force, "N")) || !accept(call, check_position("point", point)) ||
        !check_dynamic(id, call))
        return false;
    const vec3 sum = body.force + force, torque = body.torque + glm::cross(vec3(on_grid(point) - body.center), force);
    if (!accept(call, check_sum("the sum of forces", sum, "N")) ||
        !accept(call, check_sum("the sum of torques", torque, "N m")))
        return false;
    body.force = sum;
    body.torque = torque;
    wake(id.slot);
    return true;
}

bool World::apply_torque(BodyId id, const vec3& torque) {
    State& s = *state_;
    constexpr const char* call = "apply_torque";
    if (!s.check_change(id, call) || !s.accept(call, check_finite("torque", torque, "N m")) ||
        !s.check_dynamic(id, call))
        return false;
    Body& body = s.bodies[id.slot];
    const vec3 sum = body.torque + torque;
    if (!s.accept(call, check_sum("the sum of torques", sum, "N m"))) return false;
    body.torque = sum;
    s.wake(id.slot);
    return true;
}

bool World::apply_impulse(BodyId id, const vec3& impulse) {
    return state_->check_change(id, "apply_impulse") &&
           state_->add_impulse(id, "apply_impulse", impulse, state_->bodies[id.slot].center);
}

bool World::apply_impulse_at(BodyId id, const vec3& impulse, const dvec3& point) {
    return state_->check_change(id, "apply_impulse_at") && state_->add_impulse(id, "apply_impulse_at", impulse, point);
}

static vec3 velocity_after(const Body& body, const vec3& impulse) {
    return body.linear_velocity + response_of(body, body.rotation).inverse_mass * impulse;
}

static vec3 spin_after(const Body& body, const vec3& impulse) {
    return body.angular_velocity + response_of(body, body.rotation).inverse_inertia * impulse;
}

bool World::State::add_impulse(BodyId id, const char* call, const vec3& impulse, const dvec3& point) {
    Body& body = bodies[id.slot];
    if (!accept(call, check_finite("impulse", impulse, "N s")) || !accept(call, check_position("point", point)) ||
        !check_dynamic(id, call))
        return false;
    const vec3 velocity = velocity_after(body, impulse);
    const vec3 spin = spin_after(body, glm::cross(vec3(on_grid(point) - body.center), impulse));
    if (!accept(call, check_sum("the velocity", velocity, "m/s")) ||
        !accept(call, check_sum("the angular velocity", spin, "rad/s")))
        return false;
    body.linear_velocity = velocity;
    body.angular_velocity = spin;
    wake(id.slot);
    return true;
}

bool World::apply_angular_impulse(BodyId id, const vec3& impulse) {
    State& s = *state_;
    constexpr const char* call = "apply_angular_impulse";
    if (!s.check_change(id, call) || !s.accept(call, check_finite("impulse", impulse, "N m s")) ||
        !s.check_dynamic(id, call))
        return false;
    Body& body = s.bodies[id.slot];
    const vec3 spin = spin_after(body, impulse);
    if (!s.accept(call, check_sum("the angular velocity", spin, "rad/s"))) return false;
    body.angular_velocity = spin;
    s.wake(id.slot);
    return true;
}

bool World::set_gravity(const vec3& gravity) {
    State& s = *state_;
    if (!s.may_change("set_gravity") || !s.accept("set_gravity", check_gravity(gravity))) return false;
    if (gravity == s.def.gravity) return true;
    s.def.gravity = gravity;
    s.sleeping.wake_all(s.sleeping_world());
    return true;
}

vec3 World::gravity() const { return state_->def.gravity; }
const WorldDef& World::settings() const { return state_->def; }

bool World::set_settings(const WorldDef& settings) {
    State& s = *state_;
    if (!s.may_change("set_settings") || !s.accept("set_settings", check_settings(settings))) return false;
    const std::uint32_t tag = s.def.handle_tag != 0 ? s.def.handle_tag : settings.handle_tag;
    if (settings.handle_tag != 0 && settings.handle_tag != tag) {
        return s.refuse("set_settings",
                        out_of_range(ErrorCode::bad_argument, "handle_tag", text(settings.handle_tag),
                                     "0 or that of the world, " + text(tag) + ": its handles have been given out"));
    }
    const bool wake = settings.gravity != s.def.gravity || (s.def.allow_sleep && !settings.allow_sleep);
    if (settings.substeps != s.def.substeps) s.substeps.forget_usual_length();
    s.def = settings;
    s.set_handle_tag(tag);
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
