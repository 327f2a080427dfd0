#include "samples/scenes/kit/random.h"
#include "tests/samples/scene_checks.h"

#include <talus/narrowphase/separation.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <variant>

using namespace talus;
using namespace talus::samples;

namespace {

SceneData make(const char* name, const SceneOptions& options = {}) {
    const Scene* scene = find_scene(name);
    REQUIRE_MESSAGE(scene != nullptr, name);
    Result<SceneData> data = scene->make(options);
    REQUIRE_MESSAGE(static_cast<bool>(data), data.error().message);
    return *data;
}

std::size_t count(const SceneData& scene, BodyType type) {
    return static_cast<std::size_t>(
        std::count_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodyDef& b) { return b.type == type; }));
}

/// A body's shapes with their world poses.
struct Part {
    const Shape* shape;
    WorldTransform pose;
    WorldAabb box;
    std::size_t body;
    Filter filter;
};

std::vector<Part> parts_of(const SceneData& scene) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodyDef& body = scene.bodies[i];
        const WorldTransform pose{on_grid(body.position), normalized(body.rotation)};
        if (body.shapes.empty()) parts.push_back({&body.shape, pose, {}, i, body.filter});
        for (const ShapeDef& part : body.shapes)
            parts.push_back({&part.shape, multiply(pose, part.pose), {}, i, part.filter});
    }
    for (Part& part : parts)
        part.box = translated(turned_box(part.pose.rotation, bounds(*part.shape)), part.pose.position);
    return parts;
}

/// Bodies of one joint do not collide unless it says so.
bool tied(const SceneData& scene, std::size_t a, std::size_t b) {
    return std::any_of(scene.joints.begin(), scene.joints.end(), [&](const SceneJoint& joint) {
        if (std::holds_alternative<GearDef>(joint.def)) return false;
        return (joint.a == a && joint.b == b) || (joint.a == b && joint.b == a);
    });
}

/// The deepest overlap between different bodies that collide, at least one of them dynamic, m; negative when nothing
/// overlaps.
float deepest_overlap(const SceneData& scene) {
    std::vector<Part> parts = parts_of(scene);
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.box.lower.x < b.box.lower.x; });
    float deepest = -1.0f;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t j = i + 1; j < parts.size() && parts[j].box.lower.x <= parts[i].box.upper.x; ++j) {
            const Part &a = parts[i], &b = parts[j];
            if (a.body == b.body || !overlaps(a.box, b.box)) continue;
            if (scene.bodies[a.body].type != BodyType::dynamic && scene.bodies[b.body].type != BodyType::dynamic)
                continue;
            if (!should_collide(a.filter, b.filter) || tied(scene, a.body, b.body)) continue;
            SimplexCache cache;
            deepest = std::max(
                deepest,
                -separation(*a.shape, *b.shape, to_matrix_transform(relative(a.pose, b.pose)), cache).separation);
        }
    }
    return deepest;
}

}  // namespace

TEST_CASE("scene names are unique and easy to type") {
    std::set<std::string> seen;
    REQUIRE(all_scenes().size() >= 42);
    for (const Scene& scene : all_scenes()) {
        const std::string name = scene.name;
        CHECK_MESSAGE(seen.insert(name).second, name);
        CHECK_MESSAGE(name.size() <= 12, name);
        CHECK_MESSAGE(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos, name);
        CHECK_MESSAGE(std::string(scene.summary).back() == '.', name);
        CHECK_MESSAGE(scene.steps > 0, name);
        CHECK(find_scene(name) == &scene);
    }
    CHECK(find_scene("no_such_scene") == nullptr);
    CHECK(find_scene("") == nullptr);
}

TEST_CASE("every scene is made of valid bodies") {
    const ScratchFolder folder;
    for (const Scene& scene : all_scenes()) {
        CAPTURE(scene.name);
        const SceneData data = make(scene.name, options_with_meshes(folder));
        CHECK(count(data, BodyType::dynamic) > 0);
        CHECK(is_finite(data.gravity));
        CHECK(is_finite(data.camera.eye));
        CHECK(glm::length(data.camera.eye - data.camera.target) > 1.0f);
        for (const std::uint32_t i : data.glass) CHECK(i < data.bodies.size());
        for (std::size_t i = 0; i < data.bodies.size(); ++i) {
            CAPTURE(i);
            const BodyDef& body = data.bodies[i];
            REQUIRE(is_finite(body.position));
            REQUIRE(is_finite(body.linear_velocity));
            REQUIRE(is_finite(body.angular_velocity));
            const quat q = body.rotation;
            REQUIRE(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z == doctest::Approx(1.0).epsilon(1e-5));
            if (body.shapes.empty() && !body.mesh) REQUIRE_MESSAGE(!check(body.shape), check(body.shape).message);
            for (const ShapeDef& part : body.shapes) REQUIRE_MESSAGE(!check(part.shape), check(part.shape).message);
        }
    }
}

TEST_CASE("nothing overlaps when a scene begins") {
    const ScratchFolder folder;
    for (const Scene& scene : all_scenes()) {
        CAPTURE(scene.name);
        // Resting contacts are exact to rounding; the tip of the top stands on the floor.
        CHECK(deepest_overlap(make(scene.name, options_with_meshes(folder))) < 1e-4f);
    }
}

TEST_CASE("the scenes of the published comparison have its sizes") {
    struct Expected {
        const char* name;
        std::size_t dynamic;
        std::size_t hull_points;  // 0: no hulls only
    };
    for (const Expected& expected : {Expected{"pyramid40", 820, 0},
                                     {"wall", 2000, 0},
                                     {"hullpile", 1000, 24},
                                     {"mixed", 2000, 0},
                                     {"bighulls", 200, 200},
                                     {"bighulls44", 200, 44},
                                     {"sparse10k", 10000, 0},
                                     {"tumble", 400, 24},
                                     {"tumble8", 400, 8},
                                     {"stack20", 20, 0},
                                     {"drum", 400, 24}}) {
        CAPTURE(expected.name);
        const SceneData scene = make(expected.name);
        CHECK(count(scene, BodyType::dynamic) == expected.dynamic);
        const bool weightless = std::string(expected.name) == "sparse10k";
        CHECK(glm::length(scene.gravity) == (weightless ? 0.0f : 10.0f));
        for (const BodyDef& body : scene.bodies) {
            if (body.type != BodyType::dynamic) continue;
            REQUIRE(body.material.friction == 0.6f);
            REQUIRE(body.material.restitution == 0.0f);
            REQUIRE(body.density == 1000.0f);
            REQUIRE(body.linear_damping == 0.0f);
            REQUIRE(body.angular_damping == 0.0f);
            if (expected.hull_points > 0) {
                REQUIRE(body.shape.type == ShapeType::hull);
                REQUIRE(body.shape.hull->vertices.size() == expected.hull_points);
            }
        }
    }
}

TEST_CASE("the same seed gives the same scene and another seed another") {
    const ScratchFolder folder;
    // Those without anything random in them.
    const std::set<std::string> fixed = {"chains",      "falling_box", "slopes",      "bouncing",     "top",
                                         "t_handle",    "dominoes",    "sb_rolling",  "sb_rolling_y", "sb_bouncing",
                                         "cradle",      "bridge",      "chain",       "gears",        "robot",
                                         "tooth_gears", "tippe_top",   "joint_kinds", "roll_slope",   "solid_gears"};
    for (const Scene& scene : all_scenes()) {
        CAPTURE(scene.name);
        SceneOptions options = options_with_meshes(folder);
        options.jitter = 0.01f;
        const std::uint64_t first = digest(make(scene.name, options));
        CHECK(digest(make(scene.name, options)) == first);
        options.seed = 2;
        const bool same = digest(make(scene.name, options)) == first;
        CHECK(same == fixed.contains(scene.name));
    }
}

TEST_CASE("scenes have the same bits from every compiler") {
    // Digests of a g++ build, which clang must meet too. A deliberate change of a scene changes its number here.
    SceneOptions jitter;
    jitter.jitter = 0.01f;
    CHECK(digest(make("pyramid10", jitter)) == 4905460227513845700ull);
    CHECK(digest(make("slopes")) == 2351500645990773374ull);
    CHECK(digest(make("dominoes")) == 10601480268415637471ull);
    CHECK(digest(make("mixed")) == 12689424869668671277ull);
    CHECK(digest(make("sparse10k")) == 10297126774207084527ull);
}

TEST_CASE("solids of revolution roll down the slope as fast as their closed forms") {
    const SceneData scene = make("roll_slope");
    World world = make_world(scene);
    Figures figures(scene);
    for (int step = 0; step < 150; ++step) {
        REQUIRE(step_scene(world, scene, step));
        figures.observe(world);
    }
    REQUIRE(figures.values().size() == 6);
    for (const double value : figures.values()) CHECK(value == doctest::Approx(1.0).epsilon(0.01));
}

TEST_CASE("the ellipsoids come to rest in a heap that is as dense as a heap should be") {
    const SceneData scene = make("ellipsoids");
    World world = make_world(scene);
    Figures figures(scene);
    for (int step = 0; step < 600; ++step) REQUIRE(step_scene(world, scene, step));
    figures.observe(world);
    CHECK(figures.values()[0] > 0.5);
    CHECK(figures.values()[0] < 0.7);
    CHECK(figures.values()[1] < 0.05);
}

namespace {

std::vector<double> figures_of(const char* name, const SceneOptions& options = {}) {
    const SceneData scene = make(name, options);
    World world = make_world(scene);
    Figures figures(scene);
    for (int step = 0; step < find_scene(name)->steps; ++step) {
        REQUIRE(step_scene(world, scene, step));
        figures.observe(world);
    }
    return figures.values();
}

}  // namespace

TEST_CASE("gears that are solids turn as their numbers of teeth say and skip no tooth") {
    const std::vector<double> figures = figures_of("solid_gears");
    REQUIRE(figures.size() == 3);
    CHECK(figures[0] == doctest::Approx(1.0).epsilon(0.002));
    // Between two wheels, a tooth lacks 0.08 of the module, 0.026 of the pitch.
    CHECK(figures[1] < 0.03);
    CHECK(figures[2] > 3.0);
}

TEST_CASE("a nut turns down its bolt by the pitch per turn") {
    // It jammed and rose: 0.02 turns in 3 s. Nearly flat edges of the thread touched from inside.
    for (const std::uint64_t seed : {1, 2, 3}) {
        CAPTURE(seed);
        SceneOptions options;
        options.seed = seed;
        const std::vector<double> figures = figures_of("nut_and_bolt", options);
        REQUIRE(figures.size() == 2);
        CHECK(figures[0] == doctest::Approx(1.0).epsilon(0.005));
        CHECK(figures[1] > 4.0);  // 4.4 to 4.9
    }
}

TEST_CASE("a puzzle of six interlocked pieces falls down in one piece") {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        CAPTURE(seed);
        SceneOptions options;
        options.seed = seed;
        // One of the pieces can slide along the others, and is out after six cubes. In 2 of 12 seeds it slides by 1.4.
        CHECK(figures_of("burr_puzzle", options)[0] < 2.0);
    }
}

TEST_CASE("jitter moves stacked bodies sideways and no further than it says") {
    for (const char* name :
         {"stack20", "tower30", "tower50", "pyramid10", "pyramid40", "pyramid100", "wall", "arch", "card_house"}) {
        CAPTURE(name);
        SceneOptions jitter;
        jitter.jitter = 0.01f;
        const SceneData straight = make(name), moved = make(name, jitter);
        REQUIRE(straight.bodies.size() == moved.bodies.size());
        double largest = 0.0;
        for (std::size_t i = 0; i < moved.bodies.size(); ++i) {
            const dvec3 by = moved.bodies[i].position - straight.bodies[i].position;
            CHECK(by.y == 0.0);
            largest = std::max(largest, std::max(std::abs(by.x), std::abs(by.z)));
        }
        CHECK(largest <= 0.0101);
        CHECK(largest > 0.008);
    }
}

TEST_CASE("the gravity of tumble turns one radian a second about z") {
    const SceneData scene = make("tumble");
    REQUIRE(scene.gravity_at);
    CHECK(glm::distance(scene.gravity_at(0), vec3(0, -10, 0)) < 1e-5f);
    for (const int step : {1, 60, 94, 188, 200, 377, 600, 100000}) {
        CAPTURE(step);
        const double angle = step / 60.0;
        const vec3 expected(static_cast<float>(10.0 * std::sin(angle)), static_cast<float>(-10.0 * std::cos(angle)),
                            0.0f);
        CHECK(glm::distance(scene.gravity_at(step), expected) < 1e-4f);
    }
}

TEST_CASE("the drum is closed all around and turns about its own axis") {
    const SceneData scene = make("drum");
    const auto ring = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                   [](const BodyDef& b) { return b.type == BodyType::kinematic; });
    REQUIRE(ring != scene.bodies.end());
    CHECK(ring->angular_velocity.z != 0.0f);
    // From the middle, every direction across the axis meets a plank within a metre of the same distance.
    for (int i = 0; i < 360; ++i) {
        const double angle = i * 0.0174532925;
        const vec3 out(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0.0f);
        bool met = false;
        for (const ShapeDef& plank : ring->shapes) {
            const vec3 local = inverse_transform_point(plank.pose, out * 6.7f);
            const vec3 h = plank.shape.half_extents;
            met = met || (std::abs(local.x) <= h.x && std::abs(local.y) <= h.y && std::abs(local.z) <= h.z);
        }
        CHECK_MESSAGE(met, i);
    }
}

TEST_CASE("the same numbers come out of the generator each time") {
    // PCG-XSH-RR 64/32 with the default increment and seed 42, worked out in integers of any size.
    Random random(42);
    for (const std::uint32_t expected : {0xc2f57bd6u, 0x6b07c4a9u, 0x72b7b29bu, 0x44215383u})
        CHECK(random.bits() == expected);
}

TEST_CASE("random floats fill their range and random directions their sphere") {
    Random random(7);
    double sum = 0.0;
    vec3 mean(0.0f);
    float low = 1.0f, high = 0.0f;
    constexpr int n = 20000;
    for (int i = 0; i < n; ++i) {
        const float u = random.unit();
        REQUIRE(u >= 0.0f);
        REQUIRE(u < 1.0f);
        low = std::min(low, u);
        high = std::max(high, u);
        sum += u;
        const vec3 d = random.direction();
        REQUIRE(glm::length(d) == doctest::Approx(1.0).epsilon(1e-5));
        mean += d / static_cast<float>(n);
        REQUIRE(random.below(7) < 7);
    }
    CHECK(sum / n == doctest::Approx(0.5).epsilon(0.02));
    CHECK(low < 0.001f);
    CHECK(high > 0.999f);
    CHECK(glm::length(mean) < 0.03f);
}

TEST_CASE("figures keep the last or largest or smallest value or the mean of what was observed") {
    SceneData scene;
    scene.dt = 0.5f;
    const auto time = [](const SceneBodies&, double t) { return (t - 1.0) * (t - 1.0); };  // 0.25, 0, 0.25, 1
    for (const Over over : {Over::last, Over::largest, Over::smallest, Over::mean})
        scene.figures.push_back({"", "", over, time});
    Figures figures(scene);
    World world = make_world(scene);
    for (const double value : figures.values()) CHECK(value == 0.0);
    for (int i = 0; i < 4; ++i) figures.observe(world);
    const std::vector<double> values = figures.values();
    REQUIRE(values.size() == 4);
    CHECK(values[0] == 1.0);
    CHECK(values[1] == 1.0);
    CHECK(values[2] == 0.0);
    CHECK(values[3] == 0.375);
}

TEST_CASE("a scene's own step length and sub-steps and forces are those of its world") {
    SceneData scene;
    scene.dt = 0.01f;
    scene.substeps = 7;
    scene.gravity = vec3(0.0f);
    scene.bodies.resize(1);
    scene.bodies[0].shape = box(vec3(0.5f));
    scene.act = [](SceneBodies& bodies, int step) {
        const dvec3 center = bodies.center_of_mass(0);
        bodies.apply_force(0, {bodies.mass(0) * 3.0f, 0.0f, 0.0f}, center);
        if (step == 0) bodies.apply_impulse(0, {0.0f, bodies.mass(0) * 2.0f, 0.0f}, center);
    };
    std::vector<BodyId> ids;
    World world = make_world(scene, &ids);
    CHECK(world.settings().substeps == 7);
    for (int i = 0; i < 100; ++i) REQUIRE(step_scene(world, scene, i));
    CHECK(world.linear_velocity(ids[0]).x == doctest::Approx(3.0).epsilon(1e-4));
    CHECK(world.linear_velocity(ids[0]).y == doctest::Approx(2.0).epsilon(1e-4));
    CHECK(world.position(ids[0]).y == doctest::Approx(2.0).epsilon(1e-4));
}
