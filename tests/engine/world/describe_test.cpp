/// World::describe(): what can be defined can be asked.

#include <talus/narrowphase/triangles/mesh.h>
#include "samples/soak/joint_world.h"
#include "samples/soak/text_run.h"
#include "tests/engine/worlds.h"

#include <map>
#include <optional>
#include <tuple>
#include <variant>

using namespace talus;
using namespace talus::test;

namespace {

// The fields of each definition. A field that is added to one of these structs does not compile here until it is named.
auto fields(const JointLimit& d) {
    const auto& [lower, upper] = d;
    return std::tie(lower, upper);
}
auto fields(const JointMotor& d) {
    const auto& [speed, max_force] = d;
    return std::tie(speed, max_force);
}
auto fields(const JointSpring& d) {
    const auto& [hertz, damping_ratio, target, max_force] = d;
    return std::tie(hertz, damping_ratio, target, max_force);
}
auto fields(const JointOptions& d) {
    const auto& [collide_connected, break_force, break_torque, user_data] = d;
    return std::tie(collide_connected, break_force, break_torque, user_data);
}
auto fields(const Transform& d) {
    const auto& [position, rotation] = d;
    return std::tie(position, rotation);
}
auto fields(const JointDrive& d) {
    const auto& [velocity, angular_velocity, target, linear_hertz, angular_hertz, damping_ratio, max_force,
                 max_torque] = d;
    return std::tie(velocity, angular_velocity, target, linear_hertz, angular_hertz, damping_ratio, max_force,
                    max_torque);
}
auto fields(const AxisDef& d) {
    const auto& [limit, motor, spring] = d;
    return std::tie(limit, motor, spring);
}
auto fields(const JointFrames& d) {
    const auto& [body_a, body_b, frame_a, frame_b] = d;
    return std::tie(body_a, body_b, frame_a, frame_b);
}
auto fields(const BallDef& d) {
    const auto& [frames, cone, twist, drive, options] = d;
    return std::tie(frames, cone, twist, drive, options);
}
auto fields(const HingeDef& d) {
    const auto& [frames, limit, motor, spring, options] = d;
    return std::tie(frames, limit, motor, spring, options);
}
auto fields(const SliderDef& d) {
    const auto& [frames, limit, motor, spring, options] = d;
    return std::tie(frames, limit, motor, spring, options);
}
auto fields(const FixedDef& d) {
    const auto& [frames, linear_hertz, angular_hertz, damping_ratio, options] = d;
    return std::tie(frames, linear_hertz, angular_hertz, damping_ratio, options);
}
auto fields(const DistanceDef& d) {
    const auto& [frames, length, motor, spring, rest_length, options] = d;
    return std::tie(frames, length, motor, spring, rest_length, options);
}
auto fields(const SixDofDef& d) {
    const auto& [frames, move_x, move_y, move_z, turn_x, turn_y, turn_z, options] = d;
    return std::tie(frames, move_x, move_y, move_z, turn_x, turn_y, turn_z, options);
}
auto fields(const WheelDef& d) {
    const auto& [frames, travel, suspension, steering, steering_servo, motor, options] = d;
    return std::tie(frames, travel, suspension, steering, steering_servo, motor, options);
}
auto fields(const GearDef& d) {
    const auto& [joint_a, joint_b, ratio, options] = d;
    return std::tie(joint_a, joint_b, ratio, options);
}
auto fields(const MotorDef& d) {
    const auto& [frames, drive, options] = d;
    return std::tie(frames, drive, options);
}
auto fields(const Material& d) {
    const auto& [friction, restitution, rolling_resistance, grip_axis, grip_across, surface_velocity] = d;
    return std::tie(friction, restitution, rolling_resistance, grip_axis, grip_across, surface_velocity);
}
auto fields(const MassProperties& d) {
    const auto& [mass, center, inertia] = d;
    return std::tie(mass, center, inertia);
}
auto fields(const Shape& d) {
    const auto& [type, radius, half_extents, points, hull, mapping] = d;
    return std::tie(type, radius, half_extents, points[0], points[1], points[2], hull, mapping);
}
auto fields(const ShapeDef& d) {
    const auto& [shape, pose, material, density, filter, sensor, hit_events, modify_contacts, mesh, mesh_materials] = d;
    return std::tie(shape, pose, material, density, filter, sensor, hit_events, modify_contacts, mesh, mesh_materials);
}
auto fields(const BodyDef& d) {
    const auto& [type, shape, mesh, shapes, position, rotation, linear_velocity, angular_velocity, material,
                 mesh_materials, density, mass_properties, filter, sensor, hit_events, modify_contacts, linear_damping,
                 angular_damping, max_speed, max_spin, gravity_scale, locks, allow_sleep, continuous, user_data] = d;
    return std::tie(type, shape, mesh, shapes, position, rotation, linear_velocity, angular_velocity, material,
                    mesh_materials, density, mass_properties, filter, sensor, hit_events, modify_contacts,
                    linear_damping, angular_damping, max_speed, max_spin, gravity_scale, locks, allow_sleep, continuous,
                    user_data);
}

template <class T>
bool same(const T& a, const T& b);

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
bool same(const JointDef& a, const JointDef& b) {
    if (a.index() != b.index()) return false;
    return std::visit([&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}
template <class T>
bool same(const T& a, const T& b) {
    if constexpr (requires { fields(a); }) {
        const auto x = fields(a), y = fields(b);
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return (same(std::get<i>(x), std::get<i>(y)) && ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(x)>>());
    } else {
        return a == b;
    }
}

/// Whether each field differs from its default, so that a test of the field can fail.
template <class T>
bool differs_everywhere(const T& def) {
    const T usual{};
    const auto x = fields(def), y = fields(usual);
    return [&]<std::size_t... i>(std::index_sequence<i...>) { return (!same(std::get<i>(x), std::get<i>(y)) && ...); }
    (std::make_index_sequence<std::tuple_size_v<decltype(x)>>());
}

const quat aslant = turn(vec3(0.6f, 0.0f, 0.8f), 0.7);
const Material rough{.friction = 0.9f,
                     .restitution = 0.3f,
                     .rolling_resistance = 0.02f,
                     .grip_axis = {1.0f, 0.0f, 0.0f},
                     .grip_across = 0.5f,
                     .surface_velocity = {0.5f, 0.0f, 0.0f}};
const JointSpring spring{.hertz = 3.0f, .damping_ratio = 0.4f, .target = 0.2f, .max_force = 50.0f};
const JointMotor motor{.speed = 2.0f, .max_force = 30.0f};
const JointLimit range{-0.5f, 0.75f};
const JointOptions options{.collide_connected = true, .break_force = 1e5f, .break_torque = 1e4f, .user_data = 77};
const JointDrive drive{.velocity = {0.1f, 0.0f, 0.0f},
                       .angular_velocity = {0.0f, 0.2f, 0.0f},
                       .target = {{0.1f, 0.2f, 0.3f}, aslant},
                       .linear_hertz = 2.0f,
                       .angular_hertz = 3.0f,
                       .damping_ratio = 0.8f,
                       .max_force = 20.0f,
                       .max_torque = 10.0f};

ShapeDef odd_part() {
    ShapeDef def = part(cylinder(0.3f, 0.2f), {0.4f, 0.1f, 0.0f}, aslant);
    def.material = rough;
    def.density = 700.0f;
    def.filter = {2, 0xff, 5};
    def.hit_events = def.modify_contacts = true;
    return def;
}

BodyDef odd_body() {
    BodyDef def;
    ShapeDef sensor = part(sphere(0.5f));
    sensor.sensor = true;
    def.shapes = {odd_part(), part(box({0.2f, 0.3f, 0.4f}), {-0.5f, 0.0f, 0.0f}), sensor};
    def.position = {1.0f, 2.0f, 3.0f};
    def.rotation = aslant;
    def.linear_velocity = {0.5f, 0.25f, -0.5f};
    def.angular_velocity = {1.0f, -2.0f, 0.5f};
    def.mass_properties = MassProperties{3.0f, {0.1f, 0.0f, 0.0f}, mat3(0.5f)};
    def.linear_damping = 0.1f;
    def.angular_damping = 0.2f;
    def.max_speed = 100.0f;
    def.max_spin = 50.0f;
    def.gravity_scale = 0.5f;
    def.locks = 0;
    def.allow_sleep = false;
    def.continuous = Continuous::all;
    def.user_data = 99;
    return def;
}

}  // namespace

TEST_CASE("a body is described by the definition that made it, field by field") {
    World world;
    const BodyDef def = odd_body();
    const BodyDef found = world.describe(add(world, def));
    CHECK(found.type == def.type);
    CHECK(same(found.shapes, def.shapes));
    CHECK(glm::distance(found.position, def.position) < 1e-6);
    CHECK(length_squared(vec3(found.rotation.x - def.rotation.x, found.rotation.y - def.rotation.y,
                              found.rotation.z - def.rotation.z)) < 1e-12f);
    CHECK(found.linear_velocity == def.linear_velocity);
    CHECK(found.angular_velocity == def.angular_velocity);
    CHECK(same(found.mass_properties, def.mass_properties));
    CHECK(found.linear_damping == def.linear_damping);
    CHECK(found.angular_damping == def.angular_damping);
    CHECK(found.max_speed == def.max_speed);
    CHECK(found.max_spin == def.max_spin);
    CHECK(found.gravity_scale == def.gravity_scale);
    CHECK(found.allow_sleep == def.allow_sleep);
    CHECK(found.continuous == def.continuous);
    CHECK(found.user_data == def.user_data);
}

TEST_CASE("locks, a mesh with its materials, and bodies of other types are described") {
    World world;
    BodyDef flat = crate({0.0f, 3.0f, 0.0f});
    flat.locks = lock_to_plane_xy;
    CHECK(world.describe(add(world, flat)).locks == lock_to_plane_xy);

    const vec3 corners[] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f}};
    const std::uint32_t indices[] = {0, 1, 2};
    const auto mesh = make_mesh({.vertices = corners, .indices = indices});
    REQUIRE(mesh);
    BodyDef floor;
    floor.type = BodyType::fixed;
    floor.mesh = *mesh;
    floor.mesh_materials = {rough};
    const BodyDef found = world.describe(add(world, floor));
    CHECK(found.type == BodyType::fixed);
    REQUIRE(found.shapes.size() == 1);
    CHECK(found.shapes[0].mesh == *mesh);
    CHECK(same(found.shapes[0].mesh_materials, floor.mesh_materials));

    const BodyDef lift = world.describe(add(world, kinematic_body(box(vec3(1.0f)), vec3(0.0f), {0.0f, 1.0f, 0.0f})));
    CHECK(lift.type == BodyType::kinematic);
    CHECK(lift.linear_velocity == vec3(0.0f, 1.0f, 0.0f));
    CHECK_FALSE(lift.mass_properties);
}

TEST_CASE("a description gives mass properties only where they do not follow from the shapes") {
    World world;
    const BodyId id = add(world, crate({0.0f, 1.0f, 0.0f}));
    CHECK_FALSE(world.describe(id).mass_properties);
    REQUIRE(world.set_mass(id, 12.0f));
    REQUIRE(world.describe(id).mass_properties);
    CHECK(world.describe(id).mass_properties->mass == 12.0f);
    REQUIRE(world.set_shape(id, 0, box(vec3(0.25f))));
    CHECK_FALSE(world.describe(id).mass_properties);
}

TEST_CASE("joints of all kinds are described by the definitions that made them, field by field") {
    World world;
    const BodyId a = add(world, crate({0.0f, 2.0f, 0.0f})), b = add(world, crate({2.0f, 2.0f, 0.0f}));
    const JointFrames frames{a, b, {{0.5f, 0.1f, 0.2f}, aslant}, {{-0.5f, 0.3f, 0.0f}, turn({0.0f, 1.0f, 0.0f}, 0.3)}};
    const AxisDef axis{range, motor, spring};
    const auto check = [&]<class Def>(const Def& def) {
        CAPTURE(JointDef(def).index());
        CHECK(differs_everywhere(def));
        const JointId id = world.add_joint(def);
        REQUIRE(world.is_valid(id));
        const JointDef found = world.describe(id);
        CHECK(same(found, JointDef(def)));
        return id;
    };
    JointDrive rotation = drive;
    rotation.max_force = 0.0f;
    check(BallDef{frames, 0.6f, range, rotation, options});
    const JointId hinge = check(HingeDef{frames, range, motor, spring, options});
    const JointId slider = check(SliderDef{frames, range, motor, spring, options});
    check(FixedDef{frames, 4.0f, 5.0f, 0.3f, options});
    check(DistanceDef{frames, {0.5f, 3.0f}, motor, spring, 0.2f, options});
    check(SixDofDef{frames, axis, axis, axis, axis, axis, axis, options});
    check(WheelDef{frames, range, spring, range, spring, motor, options});
    check(GearDef{hinge, slider, 2.0f, options});
    check(MotorDef{frames, drive, options});
}

TEST_CASE("changed bodies and joints are described as they are now") {
    World world;
    const BodyId a = add(world, crate({0.0f, 2.0f, 0.0f})), b = add(world, crate({2.0f, 2.0f, 0.0f}));
    REQUIRE(world.set_damping(a, 0.5f, 0.25f));
    REQUIRE(world.set_continuous(a, Continuous::off));
    CHECK(world.describe(a).linear_damping == 0.5f);
    CHECK(world.describe(a).angular_damping == 0.25f);
    CHECK(world.describe(a).continuous == Continuous::off);
    const JointId id = world.add_joint(HingeDef{.frames = world.joint_frames(a, b, {1.0f, 2.0f, 0.0f})});
    REQUIRE(world.set_joint_limit(id, range));
    REQUIRE(world.set_joint_break(id, 100.0f, 200.0f));
    const auto found = std::get<HingeDef>(world.describe(id));
    CHECK(same(found.limit, range));
    CHECK(found.options.break_force == 100.0f);
    CHECK(found.options.break_torque == 200.0f);
}

TEST_CASE("a stale handle is described by a default definition, and the world says why") {
    World world;
    const BodyId id = add(world, crate({0.0f, 1.0f, 0.0f}));
    REQUIRE(world.remove_body(id));
    CHECK(same(world.describe(id), BodyDef{}));
    CHECK(world.last_error().code == ErrorCode::stale_handle);
    CHECK(same(world.describe(JointId{}), JointDef{}));
}

/// Builds a world from the descriptions of another one.
static World rebuilt(const World& from) {
    World world(from.settings());
    std::map<std::uint32_t, BodyId> bodies;
    std::map<std::uint32_t, JointId> joints;
    for (const BodyId id : from.bodies()) bodies[id.slot] = world.add_body(from.describe(id));
    for (const bool gears : {false, true}) {
        for (const JointId id : from.joints()) {
            JointDef def = from.describe(id);
            auto* const gear = std::get_if<GearDef>(&def);
            if ((gear != nullptr) != gears) continue;
            if (gear != nullptr) {
                gear->joint_a = joints[gear->joint_a.slot];
                gear->joint_b = joints[gear->joint_b.slot];
            }
            std::visit(
                [&](auto& d) {
                    if constexpr (requires { d.frames; }) {
                        d.frames.body_a = bodies[d.frames.body_a.slot];
                        d.frames.body_b = bodies[d.frames.body_b.slot];
                    }
                },
                def);
            joints[id.slot] = world.add_joint(def);
        }
    }
    return world;
}

TEST_CASE("worlds of joints that are built again from their descriptions move alike") {
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const samples::WorldText text = samples::joint_world(seed);
        World world = samples::make_text_world(text);
        samples::TextRun run(text);
        run.prepare(world, 0);
        World other = rebuilt(world);
        REQUIRE(other.body_count() == world.body_count());
        REQUIRE(other.joint_count() == world.joint_count());
        const std::vector<BodyId> from = world.bodies(), to = other.bodies();
        const std::vector<JointId> joints_from = world.joints(), joints_to = other.joints();
        for (std::size_t i = 0; i < from.size(); ++i) {
            const BodyDef a = world.describe(from[i]), b = other.describe(to[i]);
            CHECK(same(a.shapes, b.shapes));
            CHECK(same(a.mass_properties, b.mass_properties));
        }
        world.step(frame);
        other.step(frame);
        double farthest = 0.0;
        float fastest = 1.0f;
        for (std::size_t i = 0; i < from.size(); ++i) {
            fastest = std::max(fastest, std::sqrt(length_squared(world.linear_velocity(from[i]))));
            farthest = std::max(farthest, glm::distance(world.center_of_mass(from[i]), other.center_of_mass(to[i])));
        }
        if (text.contradictory) continue;
        ++checked;
        CAPTURE(seed);
        CHECK(farthest < 1e-4f * fastest);
    }
    CHECK(checked > 20);
}
