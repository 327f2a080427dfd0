#include "samples/window/app/hand.h"

#include "samples/scenes/kit/parts.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr float pull_hertz = 3.0f;       // of the spring
constexpr float pull_strength = 60.0f;   // m/s^2: the largest force, over the mass of all that hangs together
constexpr float brake_strength = 25.0f;  // 1/s^2: the largest torque on the spin, over the moment of inertia

/// The mass of a body and all that joints tie to it, kg.
float tied_mass(const World& world, BodyId first) {
    std::vector<BodyId> found{first};
    float mass = 0.0f;
    for (std::size_t i = 0; i < found.size() && found.size() < 4096; ++i) {
        mass += world.mass(found[i]);
        for (const JointId joint : world.joints(found[i])) {
            for (const BodyId other : {world.body_a(joint), world.body_b(joint)}) {
                if (!other || world.mass(other) <= 0.0f) continue;
                if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
            }
        }
    }
    return mass;
}

}  // namespace

const char* name_of(SpawnKind kind) {
    constexpr const char* names[spawn_kind_count] = {"box", "sphere", "capsule", "cylinder", "cone", "hull", "ragdoll"};
    return names[static_cast<int>(kind)];
}

bool Hand::take(Simulation& simulation, BodyId body, const dvec3& point) {
    World& world = simulation.world();
    release(simulation);
    if (!world.is_valid(body) || world.type(body) != BodyType::dynamic) return false;
    BodyDef def;
    def.type = BodyType::fixed;
    def.shape = sphere(0.01f);
    def.filter = {.category = 0, .mask = 0};
    def.position = point;
    anchor_ = world.add_body(def);  // straight into the world: nobody is to see it
    const float mass = tied_mass(world, body);
    const mat3 inertia = world.inertia(body);
    drive_ = {};
    drive_.linear_hertz = pull_hertz;
    drive_.damping_ratio = 1.0f;
    drive_.max_force = mass * pull_strength;
    drive_.max_torque = brake_strength * std::max({inertia[0][0], inertia[1][1], inertia[2][2]});
    MotorDef motor;
    motor.frames = world.joint_frames(anchor_, body, point);
    motor.drive = drive_;
    joint_ = world.add_joint(motor);
    if (!joint_) {
        world.remove_body(anchor_);
        forget();
        return false;
    }
    body_ = body;
    origin_ = target_ = point;
    local_ = inverse_transform_point(world.transform(body), point);
    return true;
}

void Hand::pull(Simulation& simulation, const dvec3& target) {
    World& world = simulation.world();
    if (!holds()) return;
    if (!world.is_valid(joint_)) {  // the body is gone
        release(simulation);
        return;
    }
    target_ = target;
    // Frame A is turned as joint_frames() turned it.
    const JointFrames frames = world.joint_frames(anchor_, body_, origin_);
    drive_.target.position = inverse_rotate(frames.frame_a.rotation, vec3(target - origin_));
    world.set_joint_drive(joint_, drive_);
}

void Hand::release(Simulation& simulation) {
    World& world = simulation.world();
    if (world.is_valid(joint_)) world.remove_joint(joint_);
    if (world.is_valid(anchor_)) world.remove_body(anchor_);
    forget();
}

void Hand::forget() {
    body_ = anchor_ = {};
    joint_ = {};
}

dvec3 Hand::held_point(const Simulation& simulation) const {
    return transform_point(simulation.world().transform(body_), local_);
}

BodyId shoot(Simulation& simulation, const dvec3& eye, const vec3& direction, const ShotSettings& settings) {
    BodyDef def;
    def.shape = sphere(settings.radius);
    def.position = eye + dvec3(direction * (2.0f * settings.radius));
    def.linear_velocity = direction * settings.speed;
    def.density = settings.density;
    def.continuous = Continuous::all;
    def.hit_events = true;
    return simulation.add(def);
}

BodyId spawn(Simulation& simulation, SpawnKind kind, const dvec3& point, const vec3& normal, float size) {
    const float half = 0.5f * size;
    BodyDef def;
    switch (kind) {
        case SpawnKind::box:
            def.shape = box(vec3(half));
            break;
        case SpawnKind::sphere:
            def.shape = sphere(half);
            break;
        case SpawnKind::capsule:
            def.shape = capsule(0.5f * half, 0.5f * half);
            break;
        case SpawnKind::cylinder:
            def.shape = cylinder(half, 0.7f * half);
            break;
        case SpawnKind::cone:
            def.shape = cone(half, 0.7f * half);
            break;
        case SpawnKind::hull: {
            Random random(1000u + simulation.ids().size());
            const Result<Shape> shape = random_hull(random, 24, 0.8f * half, 1.2f * half);
            if (!shape) return {};
            def.shape = *shape;
            break;
        }
        case SpawnKind::ragdoll: {
            SceneData person;
            add_ragdoll(person, normal * 0.05f, quat(1.0f, 0.0f, 0.0f, 0.0f), vec3(0.0f));
            for (BodyDef& part : person.bodies) part.position += point;
            const std::size_t first = simulation.ids().size();
            return simulation.add(person) ? simulation.ids()[first] : BodyId{};
        }
    }
    // As far out as its box reaches along the normal, and a little more.
    const vec3 reach = half_extents(bounds(def.shape));
    def.position = point + dvec3(normal * (glm::dot(glm::abs(normal), reach) + 0.01f * size));
    return simulation.add(def);
}

}  // namespace talus::samples
