#include "samples/scenes/moved_scene.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

using namespace talus;
using namespace talus::samples;

namespace {

bool same_bits(const vec3& a, const vec3& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool same_bits(const quat& a, const quat& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Returns what differs between a world and the same world displaced by `by`; nothing if nothing does.
std::string difference(const World& world, const World& far, const dvec3& by) {
    const std::vector<BodyId> ids = world.bodies(), far_ids = far.bodies();
    if (ids.size() != far_ids.size()) return "the number of bodies";
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const WorldTransform pose = world.transform(ids[i]), far_pose = far.transform(far_ids[i]);
        const std::string body = "body " + std::to_string(i) + ": ";
        if (far_pose.position - by != pose.position) return body + "its position";
        if (!same_bits(far_pose.rotation, pose.rotation)) return body + "its rotation";
        if (!same_bits(far.linear_velocity(far_ids[i]), world.linear_velocity(ids[i]))) return body + "its velocity";
        if (!same_bits(far.angular_velocity(far_ids[i]), world.angular_velocity(ids[i]))) return body + "its spin";
        if (far.is_awake(far_ids[i]) != world.is_awake(ids[i])) return body + "whether it is awake";
        const WorldAabb box = world.bounds(ids[i]), far_box = far.bounds(far_ids[i]);
        if (far_box.lower - by != box.lower || far_box.upper - by != box.upper) return body + "its bounds";
    }
    if (far.profile().kinetic_energy != world.profile().kinetic_energy) return "the kinetic energy";
    return {};
}

/// Rays, casts and overlaps through the places of some bodies.
std::string difference_of_queries(const World& world, const World& far, const dvec3& by) {
    const std::vector<BodyId> ids = world.bodies();
    for (std::size_t i = 0; i < ids.size(); i += 1 + ids.size() / 12) {
        const dvec3 at = world.center_of_mass(ids[i]), from = displaced(at, {3.0f, 5.0f, -4.0f});
        const vec3 way(at - from);
        const CastHit ray = world.ray_cast(from, 2.0f * way), far_ray = far.ray_cast(from + by, 2.0f * way);
        if (ray.body.slot != far_ray.body.slot || ray.fraction != far_ray.fraction) return "a ray";
        if (ray && (far_ray.position - by != ray.position || !same_bits(ray.normal, far_ray.normal)))
            return "where a ray hits";
        const Shape ball = sphere(0.3f);
        const CastHit cast = world.shape_cast(ball, {from, {}}, 2.0f * way);
        const CastHit far_cast = far.shape_cast(ball, {from + by, {}}, 2.0f * way);
        if (cast.body.slot != far_cast.body.slot || cast.fraction != far_cast.fraction) return "a shape cast";
        if (world.overlap(box({1, 1, 1}), {at, {}}).size() != far.overlap(box({1, 1, 1}), {at + by, {}}).size())
            return "an overlap";
        const std::vector<NearHit> near = world.nearest(from, 5, 100.0f), far_near = far.nearest(from + by, 5, 100.0f);
        if (near.size() != far_near.size()) return "the number of near bodies";
        for (std::size_t k = 0; k < near.size(); ++k) {
            if (near[k].body.slot != far_near[k].body.slot || near[k].distance != far_near[k].distance)
                return "the distance of a near body";
        }
    }
    return {};
}

}  // namespace

TEST_CASE("a scene that is moved by 2^10 to 2^23 m steps to the same bits") {
    struct Run {
        const char* scene;
        int steps;
    };
    // Stacks, heaps of all shapes, joints, cars, meshes, bullets, kinematic bodies, compounds, falls from high up, sleep.
    for (const auto& [name, steps] :
         {Run{"pyramid10", 150}, Run{"mixed", 150}, Run{"tumble", 100}, Run{"ragdolls", 150}, Run{"chains", 60},
          Run{"joint_kinds", 150}, Run{"terrain", 80}, Run{"marble_run", 120}, Run{"bullets", 60},
          Run{"tooth_gears", 90}, Run{"dominoes", 150}, Run{"explosion", 90}}) {
        const Scene* const scene = find_scene(name);
        REQUIRE_MESSAGE(scene != nullptr, name);
        const SceneData data = *scene->make({});
        int exponent = 10;
        for (const dvec3 direction : {dvec3(1, 0, 0), dvec3(-1, 1, 0.5), dvec3(1, -0.5, -1)}) {
            const dvec3 by = std::ldexp(1.0, exponent) * direction;
            exponent = exponent == 10 ? 17 : 23;
            CAPTURE(name);
            CAPTURE(by.x);
            const SceneData far_data = moved(data, by);
            World world = make_world(data), far = make_world(far_data);
            REQUIRE(far.body_count() == data.bodies.size());
            Figures figures(data), far_figures(far_data);
            std::string differs;
            int step = 0;
            for (; step < steps && differs.empty(); ++step) {
                step_scene(world, data, step);
                step_scene(far, far_data, step);
                figures.observe(world);
                far_figures.observe(far);
                differs = difference(world, far, by);
            }
            if (differs.empty()) differs = difference_of_queries(world, far, by);
            CAPTURE(step);
            CHECK(differs == "");
            CHECK(figures.values() == far_figures.values());
        }
    }
}

TEST_CASE("a slider that is moved by 1,000 km and slides at 1 m/s for 10 s slides 10.00 m") {
    for (const double place : {0.0, 1e4, 1e5, 3e5, 1e6, 1e7}) {
        World world({.gravity = vec3(0.0f)});
        const BodyId base =
            world.add_body({.type = BodyType::fixed, .shape = box({1, 1, 1}), .position = {place, 0, place}});
        const BodyId sled = world.add_body(
            {.shape = box({0.5f, 0.5f, 0.5f}), .position = {place + 3.0, 0, place}, .linear_velocity = {1, 0, 0}});
        SliderDef slider;
        slider.frames = world.joint_frames(base, sled, {place, 0, place});
        const JointId joint = world.add_joint(slider);
        REQUIRE(joint);
        const BodyId free =
            world.add_body({.shape = sphere(0.5f), .position = {place, 0, place + 5.0}, .linear_velocity = {1, 0, 0}});
        for (int i = 0; i < 600; ++i) world.step(1.0f / 60.0f);
        CHECK(std::abs(world.position(sled).x - place - 13.0) < 1e-5);
        CHECK(std::abs(world.position(free).x - place - 10.0) < 1e-5);
        CHECK(std::abs(static_cast<double>(world.joint_coordinate(joint)) - 10.0) < 1e-5);
    }
}
