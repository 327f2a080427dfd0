/// World's bodies: adding, removing, reading and changing them. The step is in step.cpp, queries in queries.cpp.

#include <talus/engine/world.h>

#include <talus/engine/world_state.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

Error refuse(ErrorCode code, std::string message) { return {code, std::move(message)}; }

Error check_finite(const char* call, const char* what, const vec3& v) {
    if (is_finite(v)) return {};
    return refuse(ErrorCode::not_finite, std::string(call) + ": " + what + " has a NaN or an infinity; give finite numbers");
}

Error check_at_least_zero(const char* what, float x) {
    if (!is_finite(x)) return refuse(ErrorCode::not_finite, std::string(what) + " is a NaN or an infinity; give a finite number");
    if (x < 0.0f) return refuse(ErrorCode::bad_size, std::string(what) + " is negative; give 0 or more");
    return {};
}

Error check_material(const Material& m) {
    if (Error error = check_at_least_zero("material: friction", m.friction)) return error;
    if (Error error = check_at_least_zero("material: restitution", m.restitution)) return error;
    if (m.restitution > 1.0f)
        return refuse(ErrorCode::bad_size, "material: restitution is above 1; give 0 (no bounce) to 1");
    if (Error error = check_at_least_zero("material: rolling_resistance", m.rolling_resistance)) return error;
    if (Error error = check_at_least_zero("material: grip_across", m.grip_across)) return error;
    if (m.grip_across > 1.0f)
        return refuse(ErrorCode::bad_size, "material: grip_across is above 1; give 0 to 1, and the axis of the greatest grip");
    if (Error error = check_finite("material", "grip_axis", m.grip_axis)) return error;
    if (Error error = check_finite("material", "surface_velocity", m.surface_velocity)) return error;
    return {};
}

Error check_rotation(const quat& q) {
    if (!is_finite(q)) return refuse(ErrorCode::not_finite, "rotation has a NaN or an infinity; give a unit quaternion");
    const float n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(n2 > 1e-12f) || !is_finite(n2))
        return refuse(ErrorCode::bad_argument, "rotation has no direction: give a unit quaternion (identity is w = 1)");
    return {};
}

Surface surface_of(const Material& material) {
    const bool has_axis = material.grip_axis != vec3(0.0f);
    return {material.surface_velocity, material.grip_axis, has_axis ? material.grip_across : 1.0f};
}

bool is_unset(const Shape& shape) { return shape.type == ShapeType::sphere && shape.radius == 0.0f; }

/// The shapes of a body, however they were given.
std::vector<ShapeDef> shapes_of(const BodyDef& def) {
    if (!def.shapes.empty()) return def.shapes;
    return {ShapeDef{def.shape, Transform{}, def.material, def.density, def.filter, def.sensor}};
}

Error check_shape(const ShapeDef& shape, BodyType type) {
    if (Error error = check(shape.shape)) return error;
    if (Error error = check_material(shape.material)) return error;
    if (Error error = check_finite("shape", "pose", shape.pose.position)) return error;
    if (Error error = check_rotation(shape.pose.rotation)) return error;
    if (Error error = check_at_least_zero("shape: density", shape.density)) return error;
    if (type == BodyType::dynamic && !shape.sensor && !is_solid(shape.shape))
        return refuse(ErrorCode::degenerate_shape,
                      "shape: a segment or triangle without radius has no volume; give it a radius, or make the body fixed");
    return {};
}

/// Mass, centre of mass and inertia of all the shapes together, in the body's frame.
void set_mass(Body& body, std::span<const ShapeDef> shapes) {
    double mass = 0.0;
    glm::dvec3 moment(0.0);
    for (const ShapeDef& shape : shapes) {
        if (shape.sensor) continue;
        const MassProperties part = mass_properties(shape.shape, shape.density);
        mass += part.mass;
        moment += static_cast<double>(part.mass) * glm::dvec3(transform_point(shape.pose, part.center));
    }
    body.local_center = mass > 0.0 ? vec3(moment / mass) : vec3(0.0f);
    if (!body.is_dynamic() || !(mass > 0.0)) return;
    glm::dmat3 inertia(0.0);
    for (const ShapeDef& shape : shapes) {
        if (shape.sensor) continue;
        const MassProperties part = mass_properties(shape.shape, shape.density);
        const glm::dmat3 r(to_matrix(shape.pose.rotation));
        const glm::dvec3 d = glm::dvec3(transform_point(shape.pose, part.center)) - glm::dvec3(body.local_center);
        const glm::dmat3 shift = glm::dmat3(glm::dot(d, d)) - glm::outerProduct(d, d);
        inertia += r * glm::dmat3(part.inertia) * glm::transpose(r) + static_cast<double>(part.mass) * shift;
    }
    inertia = 0.5 * (inertia + glm::transpose(inertia));
    body.mass = static_cast<float>(mass);
    body.inverse_mass = static_cast<float>(1.0 / mass);
    body.inertia = mat3(inertia);
    body.inverse_inertia = mat3(glm::inverse(inertia));
    const double mean = (inertia[0][0] + inertia[1][1] + inertia[2][2]) / 3.0;
    double off = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(inertia[i][j] - (i == j ? mean : 0.0)));
    }
    body.isotropic = off <= 1e-6 * mean;  // float rounding of a cube's or a ball's inertia
}

/// Half the least width of a solid: of its box, or from its volume over its surface, where that is less.
float half_width(const Shape& shape) {
    const vec3 half = half_extents(talus::bounds(shape));
    return std::min({half.x, half.y, half.z, 0.5f * thickness(shape)});
}

Error check_body(const BodyDef& def) {
    if (!def.shapes.empty() && !is_unset(def.shape))
        return refuse(ErrorCode::bad_argument, "body: give either shape or shapes, not both");
    if (def.shapes.empty() && is_unset(def.shape))
        return refuse(ErrorCode::bad_argument, "body: it has no shape; set shape, for example talus::sphere(0.5f)");
    if (Error error = check_finite("body", "position", def.position)) return error;
    if (Error error = check_finite("body", "linear_velocity", def.linear_velocity)) return error;
    if (Error error = check_finite("body", "angular_velocity", def.angular_velocity)) return error;
    if (Error error = check_rotation(def.rotation)) return error;
    if (Error error = check_at_least_zero("body: linear_damping", def.linear_damping)) return error;
    if (Error error = check_at_least_zero("body: angular_damping", def.angular_damping)) return error;
    if (!is_finite(def.gravity_scale)) return refuse(ErrorCode::not_finite, "body: gravity_scale must be finite");
    if (def.locks >= 64) return refuse(ErrorCode::bad_argument, "body: locks must be made of the flags of AxisLock");
    const std::vector<ShapeDef> shapes = shapes_of(def);
    for (const ShapeDef& shape : shapes) {
        if (Error error = check_shape(shape, def.type)) return error;
    }
    if (def.type != BodyType::dynamic) return {};
    Body body;
    body.type = def.type;
    set_mass(body, shapes);
    if (!(body.mass > 0.0f))
        return refuse(ErrorCode::bad_size,
                      "body: a dynamic body needs mass; give a shape that is no sensor a density above 0, or make the body fixed");
    const auto fits = [](const mat3& m) {
        return is_finite(m[0]) && is_finite(m[1]) && is_finite(m[2]) && m[0][0] > 0.0f && m[1][1] > 0.0f && m[2][2] > 0.0f;
    };
    if (!is_finite(body.mass) || !is_finite(body.inverse_mass) || !fits(body.inertia) || !fits(body.inverse_inertia))
        return refuse(ErrorCode::bad_size,
                      "body: its mass or inertia, or one over it, is beyond what a float holds; change its density or size");
    return {};
}

}  // namespace

Filter proxy_filter(const Body& body, const ShapePool& shapes) {
    Filter filter = shapes.defs[body.first_shape].filter;
    for (std::uint32_t i = body.first_shape + 1; i < body.first_shape + body.shape_count; ++i) {
        const Filter& other = shapes.defs[i].filter;
        if (other == filter) continue;
        filter.category |= other.category;
        filter.mask |= other.mask;
        // Shapes of different groups: no group speaks for the whole body; contacts decide shape by shape.
        if (other.group != filter.group) return Filter{0xffffffffu, 0xffffffffu, 0};
    }
    return filter;
}

World::World() : World(WorldDef{}) {}

World::World(const WorldDef& def) : state_(std::make_unique<State>()) {
    state_->def = def;
    if (!is_finite(def.gravity) || def.substeps < 1 || def.substeps > 64) {
        state_->error.set(refuse(ErrorCode::bad_argument,
                                 "world: gravity must be finite and substeps 1 to 64; defaults were taken instead"));
        const WorldDef defaults;
        if (!is_finite(def.gravity)) state_->def.gravity = defaults.gravity;
        if (def.substeps < 1 || def.substeps > 64) state_->def.substeps = defaults.substeps;
    }
}

World::World(const World& other) : state_(std::make_unique<State>(*other.state_)) {}
World::World(World&& other) noexcept : state_(std::move(other.state_)) {}
World& World::operator=(const World& other) {
    if (this != &other) state_ = std::make_unique<State>(*other.state_);
    return *this;
}
World& World::operator=(World&& other) noexcept = default;
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
    std::vector<ProxyDef> proxies;
    std::vector<std::uint32_t> slots;
    proxies.reserve(defs.size());
    slots.reserve(defs.size());
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
        body.allow_sleep = def.allow_sleep;
        body.continuous = def.continuous;
        body.user_data = def.user_data;
        body.shape_count = static_cast<std::uint32_t>(shapes.size());
        body.first_shape = s.shapes.allocate(body.shape_count, s.colliders);
        for (std::uint32_t i = 0; i < body.shape_count; ++i) {
            ShapeDef shape = shapes[i];
            shape.pose.rotation = normalized(shape.pose.rotation);
            const std::uint32_t index = body.first_shape + i;
            s.colliders.shapes[index] = shape.shape;
            s.shapes.local_boxes[index] = talus::bounds(shape.shape);
            s.shapes.surfaces[index] = surface_of(shape.material);
            s.shapes.defs[index] = std::move(shape);
        }
        const std::span<const ShapeDef> placed(&s.shapes.defs[body.first_shape], body.shape_count);
        set_mass(body, placed);
        body.rotation = normalized(def.rotation);
        body.center = def.position + rotate(body.rotation, body.local_center);
        if (def.type != BodyType::fixed) {
            body.linear_velocity = def.linear_velocity;
            body.angular_velocity = def.angular_velocity;
        }
        body.inner_radius = std::numeric_limits<float>::infinity();
        for (const ShapeDef& shape : placed) {
            const float far = std::sqrt(length_squared(shape.pose.position - body.local_center));
            body.radius = std::max(body.radius, far + bounding_radius(shape.shape));
            if (!shape.sensor) body.inner_radius = std::min(body.inner_radius, half_width(shape.shape));
        }
        const bool moves = def.type == BodyType::dynamic ||
                           (def.type == BodyType::kinematic &&
                            (def.linear_velocity != vec3(0.0f) || def.angular_velocity != vec3(0.0f)));
        if (moves) s.awake.insert(slot);
        proxies.push_back({Aabb{}, slot, proxy_filter(body, s.shapes), moves});
        s.set_colliders(slot, proxies.back().box, 0.0f);
        slots.push_back(slot);
        out[k] = s.bodies.id_of(slot);
    }
    std::vector<ProxyIndex> indices(defs.size());
    s.broadphase.add(proxies, indices);
    for (std::size_t k = 0; k < defs.size(); ++k) {
        s.bodies[slots[k]].proxy = indices[k];
        if (indices[k] >= s.proxy_body.size()) s.proxy_body.resize(indices[k] + 1, null_index);
        s.proxy_body[indices[k]] = slots[k];
    }
    const bool anyone_asleep = s.awake.size() < s.bodies.live_count();
    for (const std::uint32_t slot : slots) {
        if (anyone_asleep && !s.awake.contains(slot)) s.wake_overlapping(slot);
    }
    return true;
}

bool World::remove_body(BodyId id) {
    State& s = *state_;
    if (!s.check_handle(id, "remove_body")) return false;
    Body& body = s.bodies[id.slot];
    s.wake_neighbours(id.slot);
    for_each_pair(s.contacts, s.bodies, id.slot, [&](std::uint32_t p) { s.drop_pair(p, s.ended_at_next_step); });
    s.broadphase.remove(body.proxy);
    s.proxy_body[body.proxy] = null_index;
    s.awake.erase(id.slot);
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

bool World::is_awake(BodyId id) const { return state_->check_handle(id, "is_awake") && state_->awake.contains(id.slot); }

std::uint64_t World::user_data(BodyId id) const {
    return state_->check_handle(id, "user_data") ? state_->bodies[id.slot].user_data : 0;
}

Aabb World::bounds(BodyId id) const {
    if (!state_->check_handle(id, "bounds")) return {};
    const Body& body = state_->bodies[id.slot];
    Aabb box = state_->shapes.world_boxes[body.first_shape];
    for (std::uint32_t i = 1; i < body.shape_count; ++i) box = merge(box, state_->shapes.world_boxes[body.first_shape + i]);
    return box;
}

std::span<const ShapeDef> World::shapes(BodyId id) const {
    if (!state_->check_handle(id, "shapes")) return {};
    const Body& body = state_->bodies[id.slot];
    return {&state_->shapes.defs[body.first_shape], body.shape_count};
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
std::size_t World::awake_body_count() const { return state_->awake.size(); }

// ---- changing -------------------------------------------------------------------------------------------------------

bool World::State::refuse_unless(bool ok, const char* sentence) {
    if (!ok) error.set(refuse(ErrorCode::not_finite, sentence));
    return ok;
}

bool World::set_transform(BodyId id, const vec3& position, const quat& rotation) {
    State& s = *state_;
    if (!s.check_handle(id, "set_transform")) return false;
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
    s.place(id.slot, 0.0f);
    s.wake(id.slot);
    s.wake_overlapping(id.slot);
    return true;
}

bool World::set_linear_velocity(BodyId id, const vec3& velocity) {
    State& s = *state_;
    if (!s.check_handle(id, "set_linear_velocity")) return false;
    if (!s.refuse_unless(is_finite(velocity), "set_linear_velocity: the velocity has a NaN or an infinity")) return false;
    if (s.bodies[id.slot].type == BodyType::fixed) return true;
    s.bodies[id.slot].linear_velocity = velocity;
    s.start_moving(id.slot);
    return true;
}

bool World::set_angular_velocity(BodyId id, const vec3& velocity) {
    State& s = *state_;
    if (!s.check_handle(id, "set_angular_velocity")) return false;
    if (!s.refuse_unless(is_finite(velocity), "set_angular_velocity: the velocity has a NaN or an infinity")) return false;
    if (s.bodies[id.slot].type == BodyType::fixed) return true;
    s.bodies[id.slot].angular_velocity = velocity;
    s.start_moving(id.slot);
    return true;
}

bool World::set_gravity_scale(BodyId id, float scale) {
    State& s = *state_;
    if (!s.check_handle(id, "set_gravity_scale")) return false;
    if (!s.refuse_unless(is_finite(scale), "set_gravity_scale: the scale must be finite")) return false;
    s.bodies[id.slot].gravity_scale = scale;
    s.wake(id.slot);
    return true;
}

bool World::set_locks(BodyId id, std::uint8_t locks) {
    State& s = *state_;
    if (!s.check_handle(id, "set_locks")) return false;
    if (!s.refuse_unless(locks < 64, "set_locks: locks must be made of the flags of AxisLock")) return false;
    s.bodies[id.slot].locks = locks;
    s.wake(id.slot);
    return true;
}

bool World::set_damping(BodyId id, float linear, float angular) {
    State& s = *state_;
    if (!s.check_handle(id, "set_damping")) return false;
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
    if (!state_->check_handle(id, "set_user_data")) return false;
    state_->bodies[id.slot].user_data = user_data;
    return true;
}

bool World::set_awake(BodyId id, bool awake) {
    State& s = *state_;
    if (!s.check_handle(id, "set_awake")) return false;
    if (awake) {
        s.wake(id.slot);
    } else if (s.bodies[id.slot].is_dynamic() && s.awake.contains(id.slot)) {
        s.sleep(id.slot);
    }
    return true;
}

bool World::apply_force(BodyId id, const vec3& force) {
    return is_valid(id) ? apply_force_at(id, force, state_->bodies[id.slot].center)
                        : state_->check_handle(id, "apply_force");
}

bool World::apply_force_at(BodyId id, const vec3& force, const vec3& point) {
    State& s = *state_;
    if (!s.check_handle(id, "apply_force_at")) return false;
    if (!s.refuse_unless(is_finite(force) && is_finite(point), "apply_force: the force or point has a NaN or an infinity"))
        return false;
    Body& body = s.bodies[id.slot];
    if (!body.is_dynamic()) return true;
    const vec3 sum = body.force + force, torque = body.torque + glm::cross(point - body.center, force);
    if (!s.refuse_unless(is_finite(sum) && is_finite(torque), "apply_force: the sum of forces overflows; nothing was applied"))
        return false;
    body.force = sum;
    body.torque = torque;
    s.wake(id.slot);
    return true;
}

bool World::apply_torque(BodyId id, const vec3& torque) {
    State& s = *state_;
    if (!s.check_handle(id, "apply_torque")) return false;
    if (!s.refuse_unless(is_finite(torque), "apply_torque: the torque has a NaN or an infinity")) return false;
    Body& body = s.bodies[id.slot];
    if (!body.is_dynamic()) return true;
    const vec3 sum = body.torque + torque;
    if (!s.refuse_unless(is_finite(sum), "apply_torque: the sum of torques overflows; nothing was applied")) return false;
    body.torque = sum;
    s.wake(id.slot);
    return true;
}

bool World::apply_impulse(BodyId id, const vec3& impulse) {
    return is_valid(id) ? apply_impulse_at(id, impulse, state_->bodies[id.slot].center)
                        : state_->check_handle(id, "apply_impulse");
}

bool World::apply_impulse_at(BodyId id, const vec3& impulse, const vec3& point) {
    State& s = *state_;
    if (!s.check_handle(id, "apply_impulse_at")) return false;
    if (!s.refuse_unless(is_finite(impulse) && is_finite(point),
                         "apply_impulse: the impulse or point has a NaN or an infinity"))
        return false;
    Body& body = s.bodies[id.slot];
    if (!body.is_dynamic()) return true;
    const vec3 velocity = body.linear_velocity + body.inverse_mass * impulse;
    if (!s.refuse_unless(is_finite(velocity), "apply_impulse: the velocity overflows; nothing was applied")) return false;
    if (!apply_angular_impulse(id, glm::cross(point - body.center, impulse))) return false;
    body.linear_velocity = velocity;
    return true;
}

bool World::apply_angular_impulse(BodyId id, const vec3& impulse) {
    State& s = *state_;
    if (!s.check_handle(id, "apply_angular_impulse")) return false;
    if (!s.refuse_unless(is_finite(impulse), "apply_angular_impulse: the impulse has a NaN or an infinity")) return false;
    Body& body = s.bodies[id.slot];
    if (!body.is_dynamic()) return true;
    const mat3 r = to_matrix(body.rotation);
    const vec3 spin = body.angular_velocity + r * (body.inverse_inertia * transpose_mul(r, impulse));
    if (!s.refuse_unless(is_finite(spin), "apply_angular_impulse: the spin overflows; nothing was applied")) return false;
    body.angular_velocity = spin;
    s.wake(id.slot);
    return true;
}

bool World::set_gravity(const vec3& gravity) {
    State& s = *state_;
    if (!s.refuse_unless(is_finite(gravity), "set_gravity: gravity has a NaN or an infinity")) return false;
    if (gravity == s.def.gravity) return true;
    s.def.gravity = gravity;
    s.wake_all();
    return true;
}

vec3 World::gravity() const { return state_->def.gravity; }
const WorldDef& World::settings() const { return state_->def; }

bool World::set_allow_sleep(bool allow) {
    state_->def.allow_sleep = allow;
    if (!allow) state_->wake_all();
    return true;
}

}  // namespace talus
