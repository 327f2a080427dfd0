// Worlds, bodies and settings.

#include "bindings/c/world_handle.h"

#include <talus/engine/fixed_step.h>
#include <talus/narrowphase/mapping_solid.h>
#include <talus/thread_pool.h>

#include <system_error>

using namespace talus;
using c::body_from;
using c::call;
using c::from;
using c::make;
using c::to_c;

// ---- Defaults -------------------------------------------------------------------------------------------------------

TalusFilter talus_filter(void) { return to_c(Filter{}); }
TalusMaterial talus_material(void) { return to_c(Material{}); }

TalusShapeDef talus_shape_def(void) {
    const ShapeDef s;
    TalusShapeDef def{};
    def.size = sizeof def;
    def.shape = to_c(s.shape, nullptr);
    def.pose = to_c(s.pose);
    def.material = to_c(s.material);
    def.density = s.density;
    def.filter = to_c(s.filter);
    return def;
}

namespace {

/// The fields of a body's definition that are not about its shapes.
TalusBodyDef body_def_of(const BodyDef& b) {
    TalusBodyDef def{};
    def.size = sizeof def;
    def.type = static_cast<TalusBodyType>(b.type);
    def.position = to_c(b.position);
    def.rotation = to_c(b.rotation);
    def.linear_velocity = to_c(b.linear_velocity);
    def.angular_velocity = to_c(b.angular_velocity);
    def.shape = to_c(b.shape, nullptr);
    def.material = to_c(b.material);
    def.density = b.density;
    def.filter = to_c(b.filter);
    def.linear_damping = b.linear_damping;
    def.angular_damping = b.angular_damping;
    def.max_speed = b.max_speed;
    def.max_spin = b.max_spin;
    def.gravity_scale = b.gravity_scale;
    def.locks = b.locks;
    def.allow_sleep = b.allow_sleep;
    def.continuous = static_cast<TalusContinuous>(b.continuous);
    def.user_data = b.user_data;
    return def;
}

}  // namespace

TalusBodyDef talus_body_def(void) { return body_def_of(BodyDef{}); }
TalusWorldDef talus_world_def(void) { return to_c(WorldDef{}); }

// ---- Worlds ---------------------------------------------------------------------------------------------------------

TalusWorld* talus_world_create(const TalusWorldDef* def, TalusError* error) {
    return make(error, [&](Error& e) -> TalusWorld* {
        if (def == nullptr) return new TalusWorld{};
        const WorldDef settings = from(def, e);
        if (e) return nullptr;
        World world(settings);
        if (world.last_error()) {
            e = world.last_error();
            return nullptr;
        }
        return new TalusWorld{std::move(world)};
    });
}

void talus_world_destroy(TalusWorld* world) { delete world; }

TalusWorld* talus_world_clone(const TalusWorld* world, TalusError* error) {
    return make(error, [&](Error& e) -> TalusWorld* {
        c::need(world, "the world", e);
        if (e) return nullptr;
        return new TalusWorld{.world = world->world, .refusal = {}, .modifier = world->modifier};
    });
}

bool talus_world_assign(TalusWorld* world, const TalusWorld* source) {
    return call(world, [&](World& w, Error& e) {
        c::need(source, "the world to copy", e);
        if (e) return false;
        w = source->world;
        world->modifier = source->modifier;
        return true;
    });
}

TalusError talus_world_last_error(const TalusWorld* world) {
    if (world == nullptr) return {};
    if (!world->world.last_error()) return world->refusal.get();
    TalusError error;
    c::write(world->world.last_error(), &error);
    return error;
}

void talus_world_clear_error(const TalusWorld* world) {
    if (world == nullptr) return;
    world->world.clear_error();
    world->refusal.set(Error{});
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

struct TalusThreadPool {
    ThreadPool pool;
};

TalusThreadPool* talus_thread_pool_create(int32_t threads, TalusError* error) {
    return make(error, [&](Error& e) -> TalusThreadPool* {
        try {
            return new TalusThreadPool{ThreadPool(threads)};
        } catch (const std::system_error& failure) {
            e = {ErrorCode::bad_argument, std::string("the system cannot start the threads: ") + failure.what()};
            return nullptr;
        }
    });
}
void talus_thread_pool_destroy(TalusThreadPool* pool) { delete pool; }

static_assert(std::is_same_v<decltype(Jobs::run), decltype(TalusJobs::run)>);  // int32_t is int here, too

TalusJobs talus_thread_pool_jobs(TalusThreadPool* pool) {
    if (pool == nullptr) return {1, nullptr, nullptr, false, false};
    const Jobs jobs = pool->pool.jobs();
    return {jobs.threads, jobs.run, jobs.host, jobs.all_threads, jobs.simulate};
}

bool talus_world_step(TalusWorld* world, float dt, const TalusJobs* jobs) {
    return call(world, [&](World& w, Error&) {
        if (jobs == nullptr) return w.step(dt);
        return w.step(dt, {jobs->threads, jobs->run, jobs->host, c::flag(jobs->all_threads), c::flag(jobs->simulate)});
    });
}

// ---- Adding and removing bodies -------------------------------------------------------------------------------------

TalusBodyId talus_world_add_body(TalusWorld* world, const TalusBodyDef* def) {
    return call(world, [&](World& w, Error& e) {
        const BodyDef body = from(def, e);
        return e ? TalusBodyId{} : to_c(w.add_body(body));
    });
}

bool talus_world_add_bodies(TalusWorld* world, const TalusBodyDef* defs, size_t count, TalusBodyId* out) {
    if (out != nullptr) std::fill_n(out, count, TalusBodyId{});
    return call(world, [&](World& w, Error& e) {
        if (count > 0) c::need(out, "out", e);
        std::vector<BodyDef> bodies;
        c::for_each_of(defs, count, "defs", e, [&](const TalusBodyDef* def) { bodies.push_back(from(def, e)); });
        if (e) return false;
        std::vector<BodyId> ids(count);
        const bool added = w.add_bodies(bodies, ids);
        for (size_t i = 0; i < count && added; ++i) out[i] = to_c(ids[i]);
        return added;
    });
}

bool talus_world_remove_body(TalusWorld* world, TalusBodyId body) {
    return call(world, [&](World& w, Error&) { return w.remove_body(body_from(body)); });
}
bool talus_world_is_valid_body(const TalusWorld* world, TalusBodyId body) {
    return call(world, [&](const World& w, Error&) { return w.is_valid(body_from(body)); });
}

// ---- State of bodies ------------------------------------------------------------------------------------------------

namespace {

/// Returns what a getter of the engine says of a body, converted.
template <class T>
auto get(const TalusWorld* world, TalusBodyId body, T (World::*getter)(BodyId) const) {
    return call(world, [&](const World& w, Error&) {
        const T value = (w.*getter)(body_from(body));
        if constexpr (std::is_enum_v<T>) {
            return static_cast<std::int32_t>(value);
        } else if constexpr (std::is_arithmetic_v<T>) {
            return value;
        } else {
            return to_c(value);
        }
    });
}

}  // namespace

TalusDVec3 talus_world_position(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::position); }
TalusQuat talus_world_rotation(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::rotation); }
TalusWorldTransform talus_world_body_transform(const TalusWorld* w, TalusBodyId body) {
    return get(w, body, &World::transform);
}
TalusDVec3 talus_world_center_of_mass(const TalusWorld* w, TalusBodyId body) {
    return get(w, body, &World::center_of_mass);
}
TalusVec3 talus_world_linear_velocity(const TalusWorld* w, TalusBodyId body) {
    return get(w, body, &World::linear_velocity);
}
TalusVec3 talus_world_angular_velocity(const TalusWorld* w, TalusBodyId body) {
    return get(w, body, &World::angular_velocity);
}
float talus_world_mass(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::mass); }
TalusMat3 talus_world_inertia(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::inertia); }
TalusBodyType talus_world_type(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::type); }
bool talus_world_is_awake(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::is_awake); }
uint64_t talus_world_user_data(const TalusWorld* w, TalusBodyId body) {
    return get<std::uint64_t>(w, body, &World::user_data);
}
TalusWorldAabb talus_world_bounds(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::bounds); }
float talus_world_gravity_scale(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::gravity_scale); }
uint8_t talus_world_locks(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::locks); }
float talus_world_linear_damping(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::linear_damping); }
float talus_world_angular_damping(const TalusWorld* w, TalusBodyId body) {
    return get(w, body, &World::angular_damping);
}
float talus_world_max_speed(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::max_speed); }
float talus_world_max_spin(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::max_spin); }
TalusVec3 talus_world_force(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::force); }
TalusVec3 talus_world_torque(const TalusWorld* w, TalusBodyId body) { return get(w, body, &World::torque); }
size_t talus_world_shape_count(const TalusWorld* world, TalusBodyId body) {
    return call(world, [&](const World& w, Error&) { return w.shapes(body_from(body)).size(); });
}

namespace {

/// A definition that the library has allocated, with all that it points to. `def` is the first member, so that a
/// pointer to it leads back to the whole.
struct OwnedBodyDef {
    TalusBodyDef def{};
    std::vector<TalusShapeDef> shapes{};
    std::vector<std::unique_ptr<TalusHull>> hulls{};
    std::vector<std::unique_ptr<TalusMapping>> mappings{};
    std::vector<std::unique_ptr<TalusMesh>> meshes{};
    std::vector<std::vector<TalusMaterial>> materials{};
    TalusMassProperties mass_properties{};
};
static_assert(std::is_standard_layout_v<OwnedBodyDef>);

}  // namespace

TalusBodyDef* talus_world_describe_body(const TalusWorld* world, TalusBodyId body) {
    return call(world, [&](const World& w, Error& e) -> TalusBodyDef* {
        if (!w.is_valid(body_from(body))) {
            e = {ErrorCode::stale_handle, "describe_body: there is no such body"};
            return nullptr;
        }
        const BodyDef b = w.describe(body_from(body));
        auto owned = std::make_unique<OwnedBodyDef>();
        owned->def = body_def_of(b);
        for (const ShapeDef& s : b.shapes) {
            TalusShapeDef& shape = owned->shapes.emplace_back(talus_shape_def());
            if (s.shape.hull) owned->hulls.push_back(std::make_unique<TalusHull>(TalusHull{s.shape.hull}));
            const std::shared_ptr<const MappingSolid>& solid = s.shape.mapping;
            const bool has_mapping =
                solid && (solid->kind == MappingKind::superellipsoid || solid->kind == MappingKind::convex_sum);
            if (has_mapping) owned->mappings.push_back(std::make_unique<TalusMapping>(TalusMapping{solid}));
            shape.shape = to_c(s.shape, s.shape.hull ? owned->hulls.back().get() : nullptr,
                               has_mapping ? owned->mappings.back().get() : nullptr);
            shape.pose = to_c(s.pose);
            shape.material = to_c(s.material);
            shape.density = s.density;
            shape.filter = to_c(s.filter);
            shape.sensor = s.sensor;
            shape.hit_events = s.hit_events;
            shape.modify_contacts = s.modify_contacts;
            if (s.mesh) {
                owned->meshes.push_back(std::make_unique<TalusMesh>(TalusMesh{s.mesh}));
                shape.mesh = owned->meshes.back().get();
            }
            if (!s.mesh_materials.empty()) {
                std::vector<TalusMaterial>& list = owned->materials.emplace_back();
                for (const Material& m : s.mesh_materials) list.push_back(to_c(m));
                shape.mesh_materials = list.data();  // stays where it is when `materials` grows: a vector is moved
                shape.mesh_material_count = list.size();
            }
        }
        owned->def.shapes = owned->shapes.data();
        owned->def.shape_count = owned->shapes.size();
        if (b.mass_properties) {
            owned->mass_properties = to_c(*b.mass_properties);
            owned->def.mass_properties = &owned->mass_properties;
        }
        return &owned.release()->def;
    });
}

void talus_body_def_free(TalusBodyDef* def) { delete reinterpret_cast<OwnedBodyDef*>(def); }

static Error stale(const char* call, size_t i) {
    return {ErrorCode::stale_handle, std::string(call) + ": bodies[" + std::to_string(i) + "] is stale or null"};
}
bool talus_world_read_poses(const TalusWorld* world, const TalusBodyId* bodies, size_t count, TalusDVec3 origin,
                            float* poses) {
    return call(world, [&](const World& w, Error& e) {
        if (count > 0) c::need(bodies, "bodies", e);
        if (count > 0) c::need(poses, "poses", e);
        if (e) return false;
        for (size_t i = 0; i < count; ++i) {
            const BodyId body = body_from(bodies[i]);
            const bool valid = w.is_valid(body);
            if (!valid && !e) e = stale("read_poses", i);
            const WorldTransform nowhere{from(origin), quat(1.0f, 0.0f, 0.0f, 0.0f)};
            c::write_pose(valid ? w.transform(body) : nowhere, from(origin), poses + 7 * i);
        }
        return !e;
    });
}

bool talus_world_read_velocities(const TalusWorld* world, const TalusBodyId* bodies, size_t count, float* velocities) {
    return call(world, [&](const World& w, Error& e) {
        if (count > 0) c::need(bodies, "bodies", e);
        if (count > 0) c::need(velocities, "velocities", e);
        if (e) return false;
        for (size_t i = 0; i < count; ++i) {
            const BodyId body = body_from(bodies[i]);
            const bool valid = w.is_valid(body);
            if (!valid && !e) e = stale("read_velocities", i);
            const vec3 pair[2] = {valid ? w.linear_velocity(body) : vec3(0.0f),
                                  valid ? w.angular_velocity(body) : vec3(0.0f)};
            std::memcpy(velocities + 6 * i, pair, sizeof pair);
        }
        return !e;
    });
}

// ---- Changes of bodies ----------------------------------------------------------------------------------------------

bool talus_world_set_transform(TalusWorld* world, TalusBodyId body, TalusDVec3 position, TalusQuat rotation) {
    return call(world,
                [&](World& w, Error&) { return w.set_transform(body_from(body), from(position), from(rotation)); });
}
bool talus_world_set_linear_velocity(TalusWorld* world, TalusBodyId body, TalusVec3 velocity) {
    return call(world, [&](World& w, Error&) { return w.set_linear_velocity(body_from(body), from(velocity)); });
}
bool talus_world_set_angular_velocity(TalusWorld* world, TalusBodyId body, TalusVec3 velocity) {
    return call(world, [&](World& w, Error&) { return w.set_angular_velocity(body_from(body), from(velocity)); });
}
bool talus_world_set_gravity_scale(TalusWorld* world, TalusBodyId body, float scale) {
    return call(world, [&](World& w, Error&) { return w.set_gravity_scale(body_from(body), scale); });
}
bool talus_world_set_locks(TalusWorld* world, TalusBodyId body, uint8_t locks) {
    return call(world, [&](World& w, Error&) { return w.set_locks(body_from(body), locks); });
}
bool talus_world_set_damping(TalusWorld* world, TalusBodyId body, float linear, float angular) {
    return call(world, [&](World& w, Error&) { return w.set_damping(body_from(body), linear, angular); });
}
bool talus_world_set_kinematic_target(TalusWorld* world, TalusBodyId body, TalusDVec3 position, TalusQuat rotation) {
    return call(world, [&](World& w, Error&) {
        return w.set_kinematic_target(body_from(body), from(position), from(rotation));
    });
}
bool talus_world_set_speed_limits(TalusWorld* world, TalusBodyId body, float max_speed, float max_spin) {
    return call(world, [&](World& w, Error&) { return w.set_speed_limits(body_from(body), max_speed, max_spin); });
}
bool talus_world_set_continuous(TalusWorld* world, TalusBodyId body, TalusContinuous continuous) {
    return call(world, [&](World& w, Error& e) {
        const auto value = c::enum_from<Continuous>(continuous, 3, "continuous", e);
        return !e && w.set_continuous(body_from(body), value);
    });
}
bool talus_world_set_shapes(TalusWorld* world, TalusBodyId body, const TalusShapeDef* shapes, size_t count) {
    return call(world, [&](World& w, Error& e) {
        const std::vector<ShapeDef> list = c::shapes_from(shapes, count, e);
        return !e && w.set_shapes(body_from(body), list);
    });
}
bool talus_world_set_shape(TalusWorld* world, TalusBodyId body, uint32_t shape, const TalusShape* geometry) {
    return call(world, [&](World& w, Error& e) {
        c::need(geometry, "geometry", e);
        if (e) return false;
        const Shape s = from(*geometry, e);
        return !e && w.set_shape(body_from(body), shape, s);
    });
}
bool talus_world_set_material(TalusWorld* world, TalusBodyId body, uint32_t shape, const TalusMaterial* material) {
    return call(world, [&](World& w, Error& e) {
        c::need(material, "material", e);
        return !e && w.set_material(body_from(body), shape, from(*material));
    });
}
bool talus_world_set_filter(TalusWorld* world, TalusBodyId body, uint32_t shape, const TalusFilter* filter) {
    return call(world, [&](World& w, Error& e) {
        c::need(filter, "filter", e);
        return !e && w.set_filter(body_from(body), shape, from(*filter));
    });
}
bool talus_world_set_type(TalusWorld* world, TalusBodyId body, TalusBodyType type) {
    return call(world, [&](World& w, Error& e) {
        const auto value = c::enum_from<BodyType>(type, 3, "the body's type", e);
        return !e && w.set_type(body_from(body), value);
    });
}
bool talus_world_set_mass(TalusWorld* world, TalusBodyId body, float mass) {
    return call(world, [&](World& w, Error&) { return w.set_mass(body_from(body), mass); });
}
bool talus_world_set_mass_properties(TalusWorld* world, TalusBodyId body, const TalusMassProperties* properties) {
    return call(world, [&](World& w, Error& e) {
        c::need(properties, "properties", e);
        return !e && w.set_mass_properties(body_from(body), from(*properties));
    });
}
bool talus_world_set_user_data(TalusWorld* world, TalusBodyId body, uint64_t user_data) {
    return call(world, [&](World& w, Error&) { return w.set_user_data(body_from(body), user_data); });
}
bool talus_world_set_awake(TalusWorld* world, TalusBodyId body, bool awake) {
    return call(world, [&](World& w, Error&) { return w.set_awake(body_from(body), awake); });
}
bool talus_world_apply_force(TalusWorld* world, TalusBodyId body, TalusVec3 force) {
    return call(world, [&](World& w, Error&) { return w.apply_force(body_from(body), from(force)); });
}
bool talus_world_apply_force_at(TalusWorld* world, TalusBodyId body, TalusVec3 force, TalusDVec3 point) {
    return call(world, [&](World& w, Error&) { return w.apply_force_at(body_from(body), from(force), from(point)); });
}
bool talus_world_apply_torque(TalusWorld* world, TalusBodyId body, TalusVec3 torque) {
    return call(world, [&](World& w, Error&) { return w.apply_torque(body_from(body), from(torque)); });
}
bool talus_world_apply_impulse(TalusWorld* world, TalusBodyId body, TalusVec3 impulse) {
    return call(world, [&](World& w, Error&) { return w.apply_impulse(body_from(body), from(impulse)); });
}
bool talus_world_apply_impulse_at(TalusWorld* world, TalusBodyId body, TalusVec3 impulse, TalusDVec3 point) {
    return call(world,
                [&](World& w, Error&) { return w.apply_impulse_at(body_from(body), from(impulse), from(point)); });
}
bool talus_world_apply_angular_impulse(TalusWorld* world, TalusBodyId body, TalusVec3 impulse) {
    return call(world, [&](World& w, Error&) { return w.apply_angular_impulse(body_from(body), from(impulse)); });
}

// ---- Settings -------------------------------------------------------------------------------------------------------

bool talus_world_set_gravity(TalusWorld* world, TalusVec3 gravity) {
    return call(world, [&](World& w, Error&) { return w.set_gravity(from(gravity)); });
}
TalusVec3 talus_world_gravity(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) { return to_c(w.gravity()); });
}
TalusWorldDef talus_world_settings(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) { return to_c(w.settings()); });
}
bool talus_world_set_settings(TalusWorld* world, const TalusWorldDef* settings) {
    return call(world, [&](World& w, Error& e) {
        const WorldDef def = from(settings, e);
        return !e && w.set_settings(def);
    });
}
bool talus_world_set_allow_sleep(TalusWorld* world, bool allow) {
    return call(world, [&](World& w, Error&) { return w.set_allow_sleep(allow); });
}
bool talus_world_set_hit_speed(TalusWorld* world, float speed) {
    return call(world, [&](World& w, Error&) { return w.set_hit_speed(speed); });
}

namespace {

/// Passes a contact to the caller's modifier, and takes over what it may change.
void modify(ContactModification& contact, void* user) {
    const auto& call = *static_cast<const c::ModifierCall*>(user);
    TalusContactModification m{};
    m.body_a = to_c(contact.body_a);
    m.body_b = to_c(contact.body_b);
    m.shape_a = contact.shape_a;
    m.shape_b = contact.shape_b;
    m.user_data_a = contact.user_data_a;
    m.user_data_b = contact.user_data_b;
    m.normal = to_c(contact.normal);
    m.velocity = to_c(contact.velocity);
    m.touching = contact.touching;
    m.point_count = contact.point_count;
    for (int i = 0; i < contact.point_count; ++i) {
        m.points[i] = {to_c(contact.points[i].position), contact.points[i].separation, contact.points[i].enabled};
    }
    m.enabled = contact.enabled;
    m.friction = contact.friction;
    m.restitution = contact.restitution;
    call.modifier(&m, call.user);
    for (int i = 0; i < contact.point_count; ++i) contact.points[i].enabled = c::flag(m.points[i].enabled);
    contact.enabled = c::flag(m.enabled);
    contact.friction = m.friction;
    contact.restitution = m.restitution;
}

}  // namespace

bool talus_world_set_contact_modifier(TalusWorld* world, TalusContactModifier modifier, void* user) {
    return call(world, [&](World& w, Error&) {
        if (modifier == nullptr) return w.set_contact_modifier(nullptr);
        auto kept = std::make_shared<c::ModifierCall>(c::ModifierCall{modifier, user});
        if (!w.set_contact_modifier(modify, kept.get())) return false;
        world->modifier = std::move(kept);
        return true;
    });
}

// ---- Clock ----------------------------------------------------------------------------------------------------------

struct TalusFixedStep {
    FixedStep clock;
};

TalusFixedStep* talus_fixed_step_create(float dt, int32_t max_steps) {
    return make(nullptr, [&](Error&) { return new TalusFixedStep{FixedStep(dt, max_steps)}; });
}
void talus_fixed_step_destroy(TalusFixedStep* clock) { delete clock; }
int32_t talus_fixed_step_advance(TalusFixedStep* clock, double seconds) {
    return clock != nullptr ? clock->clock.advance(seconds) : 0;
}
float talus_fixed_step_dt(const TalusFixedStep* clock) { return clock != nullptr ? clock->clock.dt() : 0.0f; }
float talus_fixed_step_alpha(const TalusFixedStep* clock) { return clock != nullptr ? clock->clock.alpha() : 0.0f; }
double talus_fixed_step_dropped_seconds(const TalusFixedStep* clock) {
    return clock != nullptr ? clock->clock.dropped_seconds() : 0.0;
}
