// Every kind of bad input gets an error code and a sentence, and leaves the world unchanged.

#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

/// A world with a fallen pile, and its state before the call under test.
struct Victim {
    World world;
    BodyId crate_id, fixed_id;

    Victim() {
        fixed_id = add(world, ground());
        crate_id = add(world, crate({0, 0.5f, 0}));
        add(world, crate({0.2f, 1.5f, 0}));
        run(world, 5);
    }

    /// The call must be refused with this code and a sentence, and must have changed nothing.
    template <class Call>
    void refuses(const char* what, ErrorCode code, Call&& call) const {
        CAPTURE(std::string(what));
        World w = world;
        const Footprint before(w);
        CHECK(!call(w));
        INFO("said: ", w.last_error().message);
        CHECK(static_cast<int>(w.last_error().code) == static_cast<int>(code));
        CHECK(w.last_error().message.size() > 15);
        CHECK(Footprint(w) == before);
        CHECK(w.memory().bodies == World(world).memory().bodies);
        // The call must not have changed anything that shows later either.
        World untouched = world;
        run(w, 10);
        run(untouched, 10);
        CHECK(w.hash() == untouched.hash());
    }

    void refuses_body(const char* what, ErrorCode code, const BodyDef& def) const {
        refuses(what, code, [&](World& w) { return static_cast<bool>(w.add_body(def)); });
        refuses(what, code, [&](World& w) {
            BodyId out[2];
            return w.add_bodies(std::vector<BodyDef>{crate({9, 9, 9}), def}, out);
        });
        if (!def.shapes.empty() || def.shape.radius + def.shape.half_extents.x == 0.0f) return;
        // The same with a compound, for errors of shapes.
        BodyDef outer = def;
        outer.shape = Shape{};
        outer.shapes.push_back(part(sphere(1.0f)));
        outer.shapes.push_back({def.shape, {}, def.material, def.density, def.filter, def.sensor});
        if (static_cast<bool>(check(def.shape)) || !(def.density >= 0.0f) || !(def.material.friction >= 0.0f))
            refuses(what, code, [&](World& w) { return static_cast<bool>(w.add_body(outer)); });
    }
};

BodyDef with(void (*change)(BodyDef&)) {
    BodyDef def = crate({0, 5, 0});
    change(def);
    return def;
}

}  // namespace

TEST_CASE("bodies with numbers that are not finite are refused") {
    const Victim victim;
    const ErrorCode code = ErrorCode::not_finite;
    victim.refuses_body("position", code, with([](BodyDef& d) { d.position.x = no_number; }));
    victim.refuses_body("position", code, with([](BodyDef& d) { d.position.y = infinite; }));
    victim.refuses_body("rotation", code, with([](BodyDef& d) { d.rotation.w = no_number; }));
    victim.refuses_body("rotation", code, with([](BodyDef& d) { d.rotation.z = -infinite; }));
    victim.refuses_body("velocity", code, with([](BodyDef& d) { d.linear_velocity.z = no_number; }));
    victim.refuses_body("spin", code, with([](BodyDef& d) { d.angular_velocity.z = infinite; }));
    victim.refuses_body("linear damping", code, with([](BodyDef& d) { d.linear_damping = no_number; }));
    victim.refuses_body("angular damping", code, with([](BodyDef& d) { d.angular_damping = infinite; }));
    victim.refuses_body("gravity scale", code, with([](BodyDef& d) { d.gravity_scale = no_number; }));
    victim.refuses_body("density", code, with([](BodyDef& d) { d.density = no_number; }));
    victim.refuses_body("density", code, with([](BodyDef& d) { d.density = infinite; }));
    victim.refuses_body("friction", code, with([](BodyDef& d) { d.material.friction = no_number; }));
    victim.refuses_body("friction", code, with([](BodyDef& d) { d.material.friction = infinite; }));
    victim.refuses_body("restitution", code, with([](BodyDef& d) { d.material.restitution = no_number; }));
    victim.refuses_body("sphere", code, with([](BodyDef& d) { d.shape = sphere(no_number); }));
    victim.refuses_body("box", code, with([](BodyDef& d) { d.shape = box({1, infinite, 1}); }));
    victim.refuses_body("box", code, with([](BodyDef& d) { d.shape = box({1, 1, no_number}); }));
    victim.refuses_body("capsule", code, with([](BodyDef& d) { d.shape = capsule(no_number, 1); }));
    victim.refuses_body("cylinder", code, with([](BodyDef& d) { d.shape = cylinder(1, infinite); }));
    victim.refuses_body("cone", code, with([](BodyDef& d) { d.shape = cone(no_number, no_number); }));
    victim.refuses_body("segment", code, with([](BodyDef& d) {
                            d.shape = segment({no_number, 0, 0}, {1, 0, 0}, 0.1f);
                        }));
    victim.refuses_body("triangle", code, with([](BodyDef& d) {
                            d.shape = triangle({0, 0, 0}, {1, 0, 0}, {0, infinite, 0}, 0.1f);
                        }));
    BodyDef posed = crate({});
    posed.shape = Shape{};
    posed.shapes = {part(sphere(1.0f)), part(sphere(1.0f), {no_number, 0, 0})};
    victim.refuses_body("shape pose", code, posed);
    posed.shapes[1].pose = {{}, quat(no_number, 0, 0, 0)};
    victim.refuses_body("shape rotation", code, posed);
}

TEST_CASE("bodies of zero, negative and impossible size are refused") {
    const Victim victim;
    const ErrorCode code = ErrorCode::bad_size;
    victim.refuses_body("sphere -1", code, with([](BodyDef& d) { d.shape = sphere(-1.0f); }));
    victim.refuses_body("box 0", code, with([](BodyDef& d) { d.shape = box({1, 0, 1}); }));
    victim.refuses_body("box -1", code, with([](BodyDef& d) { d.shape = box({1, 1, -1}); }));
    victim.refuses_body("capsule 0", code, with([](BodyDef& d) { d.shape = capsule(1, 0); }));
    victim.refuses_body("capsule -1", code, with([](BodyDef& d) { d.shape = capsule(-1, 1); }));
    victim.refuses_body("cylinder 0", code, with([](BodyDef& d) { d.shape = cylinder(0, 1); }));
    victim.refuses_body("cylinder -1", code, with([](BodyDef& d) { d.shape = cylinder(1, -1); }));
    victim.refuses_body("cone 0", code, with([](BodyDef& d) { d.shape = cone(1, 0); }));
    victim.refuses_body("tiny", code, with([](BodyDef& d) { d.shape = sphere(1e-20f); }));
    victim.refuses_body("huge", code, with([](BodyDef& d) { d.shape = sphere(1e20f); }));
    victim.refuses_body("mass 0", code, with([](BodyDef& d) { d.density = 0.0f; }));
    victim.refuses_body("mass -1", code, with([](BodyDef& d) { d.density = -1.0f; }));
    victim.refuses_body("only a sensor", code, with([](BodyDef& d) { d.sensor = true; }));
    victim.refuses_body("friction", code, with([](BodyDef& d) { d.material.friction = -0.1f; }));
    victim.refuses_body("restitution", code, with([](BodyDef& d) { d.material.restitution = -0.1f; }));
    victim.refuses_body("restitution", code, with([](BodyDef& d) { d.material.restitution = 1.1f; }));
    victim.refuses_body("damping", code, with([](BodyDef& d) { d.linear_damping = -1.0f; }));
    victim.refuses_body("damping", code, with([](BodyDef& d) { d.angular_damping = -1.0f; }));
    // Masses beyond the range of floats, too small or too large, of one shape or as a sum.
    victim.refuses_body("mass", code, with([](BodyDef& d) {
                            d.density = 3e38f;
                            d.shape = box(vec3(10.0f));
                        }));
    victim.refuses_body("mass", code, with([](BodyDef& d) {
                            d.density = 1e-38f;
                            d.shape = box(vec3(1e-3f));
                        }));
    BodyDef heavy = crate({});
    heavy.shape = Shape{};
    for (int i = 0; i < 4; ++i) {
        heavy.shapes.push_back(part(box(vec3(0.5f))));
        heavy.shapes.back().density = 2e38f;
    }
    victim.refuses_body("sum of masses", code, heavy);
}

TEST_CASE("shapes without volume are refused for dynamic bodies and welcome on fixed ones") {
    const Victim victim;
    const ErrorCode code = ErrorCode::degenerate_shape;
    victim.refuses_body("segment", code, with([](BodyDef& d) { d.shape = segment({0, 0, 0}, {1, 0, 0}); }));
    victim.refuses_body("triangle", code, with([](BodyDef& d) { d.shape = triangle({}, {1, 0, 0}, {0, 1, 0}); }));
    victim.refuses_body("point", code, with([](BodyDef& d) { d.shape = segment({1, 0, 0}, {1, 0, 0}, 0.1f); }));
    victim.refuses_body("collinear", code, with([](BodyDef& d) {
                            d.shape = triangle({}, {1, 0, 0}, {2, 0, 0}, 0.1f);
                        }));
    World world;
    CHECK(world.add_body(fixed_body(segment({0, 0, 0}, {1, 0, 0}))));
    CHECK(world.add_body(fixed_body(triangle({}, {1, 0, 0}, {0, 1, 0}))));
    CHECK(world.add_body(body(segment({0, 0, 0}, {1, 0, 0}, 0.1f))));
    CHECK(world.add_body(body(triangle({}, {1, 0, 0}, {0, 1, 0}, 0.1f))));
}

TEST_CASE("flat, duplicate and wild points make no hull, and no hull makes no body") {
    const auto refused = [](std::vector<vec3> points, ErrorCode code) {
        const auto made = make_hull(points);
        CHECK(!made);
        CHECK(static_cast<int>(made.error().code) == static_cast<int>(code));
        CHECK(made.error().message.size() > 15);
    };
    refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, ErrorCode::degenerate_shape);
    refused(std::vector<vec3>(20, vec3(1, 2, 3)), ErrorCode::degenerate_shape);
    refused({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}}, ErrorCode::degenerate_shape);
    refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, no_number, 1}}, ErrorCode::not_finite);
    refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, infinite}}, ErrorCode::not_finite);
    CHECK(!make_hull({}));
    const Victim victim;
    BodyDef def;
    def.shape = hull(nullptr);
    World w = victim.world;
    CHECK(w.add_body(def).is_null());
    CHECK(w.last_error());
}

TEST_CASE("bodies that make no sense are refused") {
    const Victim victim;
    const ErrorCode code = ErrorCode::bad_argument;
    victim.refuses_body("no shape", code, BodyDef{});
    BodyDef both = crate({});
    both.shapes.push_back(part(sphere(1.0f)));
    victim.refuses_body("shape and shapes", code, both);
    victim.refuses_body("no rotation", code, with([](BodyDef& d) { d.rotation = quat(0, 0, 0, 0); }));
    BodyDef posed;
    posed.shapes = {part(sphere(1.0f)), part(sphere(1.0f), {}, quat(0, 0, 0, 0))};
    victim.refuses_body("no shape rotation", code, posed);
}

TEST_CASE("setters refuse numbers that are not finite") {
    const Victim v;
    const BodyId id = v.crate_id;
    const ErrorCode code = ErrorCode::not_finite;
    const vec3 good(1, 2, 3);
    for (const vec3 bad : {vec3(no_number, 0, 0), vec3(0, infinite, 0), vec3(0, 0, -infinite)}) {
        v.refuses("set_transform", code, [&](World& w) { return w.set_transform(id, bad, quat(1, 0, 0, 0)); });
        v.refuses("set_transform", code,
                  [&](World& w) { return w.set_transform(id, good, quat(1, bad.x, bad.y, bad.z)); });
        v.refuses("set_linear_velocity", code, [&](World& w) { return w.set_linear_velocity(id, bad); });
        v.refuses("set_angular_velocity", code, [&](World& w) { return w.set_angular_velocity(id, bad); });
        v.refuses("apply_force", code, [&](World& w) { return w.apply_force(id, bad); });
        v.refuses("apply_force_at", code, [&](World& w) { return w.apply_force_at(id, bad, good); });
        v.refuses("apply_force_at", code, [&](World& w) { return w.apply_force_at(id, good, bad); });
        v.refuses("apply_torque", code, [&](World& w) { return w.apply_torque(id, bad); });
        v.refuses("apply_impulse", code, [&](World& w) { return w.apply_impulse(id, bad); });
        v.refuses("apply_impulse_at", code, [&](World& w) { return w.apply_impulse_at(id, bad, good); });
        v.refuses("apply_impulse_at", code, [&](World& w) { return w.apply_impulse_at(id, good, bad); });
        v.refuses("apply_angular_impulse", code, [&](World& w) { return w.apply_angular_impulse(id, bad); });
        v.refuses("set_gravity", code, [&](World& w) { return w.set_gravity(bad); });
        v.refuses("ray_cast", code, [&](World& w) { return static_cast<bool>(w.ray_cast(bad, good)); });
        v.refuses("ray_cast", code, [&](World& w) { return static_cast<bool>(w.ray_cast(good, bad)); });
        v.refuses("overlap", code, [&](World& w) { return !w.overlap(sphere(1.0f), {bad, quat(1, 0, 0, 0)}).empty(); });
        v.refuses("overlap", code, [&](World& w) { return !w.overlap(WorldAabb{bad, good}).empty(); });
    }
    v.refuses("set_gravity_scale", code, [&](World& w) { return w.set_gravity_scale(id, no_number); });
    v.refuses("set_damping", code, [&](World& w) { return w.set_damping(id, no_number, 0); });
    v.refuses("set_damping", code, [&](World& w) { return w.set_damping(id, 0, infinite); });
    v.refuses("set_damping", ErrorCode::bad_size, [&](World& w) { return w.set_damping(id, -1, 0); });
    v.refuses("set_damping", ErrorCode::bad_size, [&](World& w) { return w.set_damping(id, 0, -1); });
    v.refuses("set_transform", ErrorCode::bad_argument,
              [&](World& w) { return w.set_transform(id, good, quat(0, 0, 0, 0)); });
    v.refuses("overlap", ErrorCode::bad_size,
              [&](World& w) { return !w.overlap(sphere(-1.0f), WorldTransform{}).empty(); });
    v.refuses("overlap", ErrorCode::bad_argument, [&](World& w) {
        return !w.overlap(WorldAabb{{1, 1, 1}, {0, 0, 0}}).empty();
    });
}

TEST_CASE("a step of zero, negative, infinite or absurd length is refused") {
    const Victim v;
    // At the shortest floats, a sub-step was 0 and the number of sub-steps infinite.
    constexpr float shortest = std::numeric_limits<float>::denorm_min();
    for (const float dt :
         {0.0f, -1.0f / 60.0f, no_number, infinite, -infinite, 1.5f, 1e30f, shortest, 1e-30f, 0.9e-9f}) {
        CAPTURE(dt);
        v.refuses("step", ErrorCode::bad_argument, [&](World& w) { return w.step(dt); });
    }
    World world;
    CHECK(world.step(1.0f));
}

TEST_CASE("a torque of any size turns a body of any size by no more than its limit, and leaves it finite") {
    for (const Shape& shape : {box({0.01f, 0.01f, 0.01f}), capsule(0.5f, 0.001f), box({0.5f, 0.3f, 0.4f}),
                               triangle({0, 0, 0}, {0.02f, 0, 0}, {0, 0.03f, 0}, 0.002f)}) {
        for (const float size : {1e10f, 1e15f, 1e25f, 1e38f}) {
            World world;
            const BodyId id = add(world, body(shape, {0, 5, 0}));
            REQUIRE(world.apply_torque(id, {size, -0.3f * size, 0.4f * size}));
            run(world, 3);
            std::string complaint;
            REQUIRE_MESSAGE(is_sound(world, &complaint), complaint);
        }
    }
}

TEST_CASE("a gravity, a factor of it or a limit of speed at which speeds leave the range of floats is refused") {
    const Victim v;
    const BodyId id = v.crate_id;
    v.refuses("set_gravity", ErrorCode::bad_argument, [&](World& w) { return w.set_gravity({0, -2e15f, 0}); });
    v.refuses("set_gravity_scale", ErrorCode::bad_argument, [&](World& w) { return w.set_gravity_scale(id, 2e6f); });
    BodyDef heavy = crate({0, 0, 0});
    heavy.gravity_scale = std::numeric_limits<float>::max();
    v.refuses("add_body", ErrorCode::bad_argument, [&](World& w) { return !w.add_body(heavy).is_null(); });
    WorldDef def;
    def.max_speed = 1e30f;
    World world(def);
    CHECK(world.last_error().message.find("max_speed is 1e+30") != std::string::npos);
    CHECK(world.settings().max_speed == WorldDef{}.max_speed);
}

TEST_CASE("a pile stays as it is in the shortest steps") {
    World world;
    add(world, ground());
    for (int i = 0; i < 10; ++i) add(world, crate({0.0f, 0.5f + static_cast<float>(i), 0.0f}));
    run(world, 30);
    const double before = energy(world);
    run(world, 100, 1e-9f);
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    CHECK(energy(world) == doctest::Approx(before).epsilon(1e-6));
    run(world, 100);
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    CHECK(energy(world) == doctest::Approx(before).epsilon(1e-3));
}

TEST_CASE("a world with a bad definition says so and takes the defaults") {
    for (const int substeps : {0, -1, 65}) {
        WorldDef def;
        def.substeps = substeps;
        World world(def);
        CHECK(world.last_error().code == ErrorCode::bad_argument);
        CHECK(world.settings().substeps == WorldDef{}.substeps);
        CHECK(world.step(frame));
    }
    WorldDef def;
    def.gravity = {0, no_number, 0};
    def.substeps = 7;
    World world(def);
    CHECK(world.last_error());
    CHECK(world.gravity() == WorldDef{}.gravity);
    CHECK(world.settings().substeps == 7);
}

TEST_CASE("finite numbers at the end of the float range, and positions at the end of theirs, do no harm") {
    constexpr float big = 1e38f;
    constexpr double far_out = 1e18;  // m
    const auto survives = [](const char* what, auto&& harm) {
        CAPTURE(std::string(what));
        World world(sleepless());
        add(world, ground());
        const BodyId id = add(world, crate({0, 0.5f, 0}));
        add(world, crate({0, 1.5f, 0}));
        const BodyId far = add(world, crate({10, 0.5f, 0}));
        run(world, 2);
        harm(world, id);
        run(world, 30);
        std::string complaint;
        CHECK_MESSAGE(is_sound(world, &complaint), complaint);
        CHECK(world.position(far).y == doctest::Approx(0.5).epsilon(0.05));  // other bodies are not affected
    };
    survives("velocity", [](World& w, BodyId id) { w.set_linear_velocity(id, {big, -big, big}); });
    survives("spin", [](World& w, BodyId id) { w.set_angular_velocity(id, {big, -big, big}); });
    survives("impulse", [](World& w, BodyId id) {
        for (int i = 0; i < 9; ++i) w.apply_impulse(id, {big, big, 0});
    });
    survives("impulse at", [](World& w, BodyId id) { w.apply_impulse_at(id, {big, 0, 0}, {0, far_out, 0}); });
    survives("angular impulse", [](World& w, BodyId id) {
        for (int i = 0; i < 9; ++i) w.apply_angular_impulse(id, {big, big, 0});
    });
    survives("force", [](World& w, BodyId id) {
        for (int i = 0; i < 9; ++i) w.apply_force(id, {big, 3.0f * big, 0});
    });
    survives("force at", [](World& w, BodyId id) { w.apply_force_at(id, {big, 0, 0}, {0, far_out, 0}); });
    survives("torque", [](World& w, BodyId id) {
        for (int i = 0; i < 9; ++i) w.apply_torque(id, {big, 3.0f * big, 0});
    });
    survives("position", [](World& w, BodyId id) {
        CHECK(w.set_transform(id, {far_out, -far_out, far_out}, quat(1, 0, 0, 0)));
    });
    survives("position", [](World& w, BodyId id) { CHECK(w.set_transform(id, dvec3(1e10), quat(1, 0, 0, 0))); });
    survives("gravity scale", [](World& w, BodyId id) { w.set_gravity_scale(id, 3e38f); });
    survives("damping", [](World& w, BodyId id) { w.set_damping(id, 3e38f, 3e38f); });
    survives("added far away", [](World& w, BodyId) { add(w, crate(dvec3(far_out))); });
    survives("added fast", [](World& w, BodyId) {
        BodyDef def = crate({0, 9, 0});
        def.linear_velocity = {0, -3e38f, 3e38f};
        def.angular_velocity = {3e38f, 3e38f, 0};
        w.add_body(def);
    });
    survives("kinematic", [](World& w, BodyId) {
        BodyDef def = kinematic_body(box(vec3(0.5f)), {0, 9, 0}, {0, -3e38f, 3e38f});
        w.add_body(def);
    });
    survives("kinematic target", [](World& w, BodyId) {
        const BodyId id = add(w, kinematic_body(box(vec3(0.5f)), {0, 9, 0}));
        CHECK(w.set_kinematic_target(id, {-far_out, 0, 0}, quat(1, 0, 0, 0)));
        run(w, 1);
        CHECK(w.position(id).x == -far_out);
        CHECK(glm::length(w.linear_velocity(id)) <= w.settings().max_speed);
        CHECK(w.set_kinematic_target(id, {far_out, 0, 0}, quat(1, 0, 0, 0)));
    });
    World world(sleepless());
    const BodyId id = add(world, crate({0, 0.5f, 0}));
    REQUIRE(world.set_gravity({0, -1e15f, 1e15f}));
    run(world, 30);
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    CHECK(glm::length(world.linear_velocity(id)) > 1000.0f);  // very fast is not the same as at rest
    world.ray_cast({0, far_out, 0}, {0, -3e38f, 3e38f});
    const CastHit hit = world.ray_cast({far_out, far_out, 0}, {3e38f, 3e38f, 3e38f});
    CHECK(!hit);
    CHECK(!world.last_error());
}

TEST_CASE("materials at the end of the float range make no impulse that is no number") {
    constexpr float big = 3e38f;
    Material belt, rough, tacky, long_axis, short_axis;
    belt.surface_velocity = {big, -big, 1.0f};
    rough.friction = big;
    tacky.rolling_resistance = big;
    long_axis.grip_axis = {big, big, 0};
    long_axis.grip_across = 0.5f;
    short_axis = long_axis;
    short_axis.grip_axis = {1e-30f, 0, 0};
    for (const Material& material : {belt, rough, tacky, long_axis, short_axis}) {
        World world(sleepless());
        add(world, ground());
        BodyDef def = crate({0, 0.48f, 0}), ball = body(sphere(0.5f), {3, 0.48f, 0});
        def.linear_velocity = ball.linear_velocity = {1.0f, 0, 0.5f};
        def.material = ball.material = material;
        add(world, def);
        add(world, ball);
        for (int i = 0; i < 20; ++i) {
            run(world, 1);
            for (const Contact& contact : world.contacts()) {
                CHECK(is_finite(contact.friction_impulse));
                CHECK(std::isfinite(contact.points[0].normal_impulse));
            }
        }
        std::string complaint;
        CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    }
}

TEST_CASE("what is farther from its body than floats can tell is refused") {
    const Victim v;
    BodyDef def;
    def.shapes = {part(sphere(0.5f), {-3.4e38f, 0, 0})};
    v.refuses_body("shape a world away", ErrorCode::bad_size, def);
    const std::vector<ShapeDef> shapes = def.shapes;
    v.refuses("shape a world away", ErrorCode::bad_size, [&](World& w) { return w.set_shapes(v.crate_id, shapes); });
    v.refuses("centre of mass a world away", ErrorCode::bad_size, [&](World& w) {
        return w.set_mass_properties(v.crate_id, {1.0f, {0, 1e30f, 0}, mat3(1.0f)});
    });
    v.refuses("anchor a world away", ErrorCode::bad_size, [&](World& w) {
        return static_cast<bool>(w.add_joint(BallDef{.frames = {v.fixed_id, v.crate_id, {{0, 0, 1e30f}}, {}}}));
    });
}

TEST_CASE("positions farther than 1e18 m from the origin are refused") {
    const Victim v;
    const BodyId id = v.crate_id;
    const ErrorCode code = ErrorCode::bad_size;
    const quat upright(1, 0, 0, 0);
    v.refuses_body("position", code, with([](BodyDef& d) { d.position.x = -1.001e18; }));
    const vec3 some(1, 2, 3);
    for (const dvec3& far : {dvec3(1.001e18, 0, 0), dvec3(0, -1e30, 0), dvec3(0, 0, 1e300)}) {
        v.refuses("set_transform", code, [&](World& w) { return w.set_transform(id, far, upright); });
        v.refuses("apply_force_at", code, [&](World& w) { return w.apply_force_at(id, some, far); });
        v.refuses("apply_impulse_at", code, [&](World& w) { return w.apply_impulse_at(id, some, far); });
        v.refuses("ray_cast", code, [&](World& w) { return static_cast<bool>(w.ray_cast(far, some)); });
        v.refuses("shape_cast", code, [&](World& w) { return w.shape_cast_any(sphere(1.0f), {far, upright}, some); });
        v.refuses("overlap", code, [&](World& w) { return w.overlap_any(sphere(1.0f), {far, upright}); });
        v.refuses("overlap", code, [&](World& w) { return w.overlap_any(far); });
        v.refuses("overlap", code, [&](World& w) {
            return w.overlap_any(WorldAabb{glm::min(far, dvec3(0.0)), glm::max(far, dvec3(0.0))});
        });
        v.refuses("nearest", code, [&](World& w) { return !w.nearest(far, 1, infinite).empty(); });
    }
    Victim lifted;
    const BodyId lift = add(lifted.world, kinematic_body(sphere(1.0f), {0, 9, 0}));
    lifted.refuses("set_kinematic_target", code, [&](World& w) {
        return w.set_kinematic_target(lift, {0, 1.001e18, 0}, upright);
    });
}

TEST_CASE("masses whose impulses have no square are refused") {
    const Victim v;
    BodyDef def = body(box(vec3(1e6f)), {0, 1e7f, 0});
    v.refuses_body("a moon", ErrorCode::bad_size, def);
    def.type = BodyType::fixed;
    World world;
    CHECK(world.add_body(def));
    v.refuses("a moon's mass", ErrorCode::bad_size, [&](World& w) { return w.set_mass(v.crate_id, 1e20f); });
}

TEST_CASE("contacts at the end of the range of positions are somewhere") {
    World world(weightless());
    for (const double away : {0.0, 0.5}) add(world, crate({1e18, -1e18, away}));
    run(world, 2);
    REQUIRE(!world.contacts().empty());
    for (const Contact& contact : world.contacts()) {
        for (int i = 0; i < contact.point_count; ++i) CHECK(is_finite(contact.points[i].position));
    }
}

TEST_CASE("a very fast body stays very fast in the direction in which it was sent") {
    for (const float speed : {1e3f, 1e5f, 1e20f, 1e30f}) {
        CAPTURE(speed);
        World world(weightless());
        BodyDef def = body(sphere(0.5f));
        def.linear_velocity = {speed, 0, 0};
        const BodyId id = add(world, def);
        run(world, 1);
        CHECK(world.linear_velocity(id).x >= std::min(speed, 4000.0f) * 0.99f);
        BodyDef top = body(sphere(0.5f), {0, 100, 0});
        top.angular_velocity = {0, speed, 0};
        const BodyId spinning = add(world, top);
        run(world, 1);
        CHECK(world.angular_velocity(spinning).y > 100.0f);
    }
}

TEST_CASE("an error stays until the next one and does not stop the world") {
    World world;
    const BodyId id = add(world, crate({0, 5, 0}));
    CHECK(!world.step(-1.0f));
    CHECK(world.step(frame));
    CHECK(world.last_error().code == ErrorCode::bad_argument);  // it belongs to the last refused call
    CHECK(world.position(id).y < 5.0f);
    CHECK(!world.remove_body(BodyId{}));
    CHECK(world.last_error().code == ErrorCode::stale_handle);
}

TEST_CASE("enumerators that there are not are refused") {
    const Victim v;
    const ErrorCode code = ErrorCode::bad_argument;
    const auto type = static_cast<BodyType>(9);
    const auto continuous = static_cast<Continuous>(9);
    BodyDef def = crate({0, 5, 0});
    def.type = type;
    v.refuses_body("type", code, def);
    def = crate({0, 5, 0});
    def.continuous = continuous;
    v.refuses_body("continuous", code, def);
    v.refuses("set_type", code, [&](World& w) { return w.set_type(v.crate_id, type); });
    v.refuses("set_continuous", code, [&](World& w) { return w.set_continuous(v.crate_id, continuous); });
    v.refuses("set_locks", code, [&](World& w) { return w.set_locks(v.crate_id, 200); });
    def = crate({0, 5, 0});
    def.shape.type = static_cast<ShapeType>(77);
    v.refuses_body("shape", code, def);
    v.refuses("set_shape", code, [&](World& w) { return w.set_shape(v.crate_id, 0, def.shape); });
    v.refuses("overlap", code, [&](World& w) { return w.overlap_any(def.shape, WorldTransform{}); });
    v.refuses("shape_cast", code, [&](World& w) { return w.shape_cast_any(def.shape, WorldTransform{}, vec3(1.0f)); });
    WorldDef settings;
    settings.timing = static_cast<Timing>(9);
    v.refuses("set_settings", code, [&](World& w) { return w.set_settings(settings); });
    CHECK(World(settings).settings().timing == WorldDef{}.timing);
}

// They read past the end of an array.
TEST_CASE("a joint has nothing along an axis that there is not") {
    World world;
    const BodyId a = add(world, crate({})), b = add(world, crate({2, 0, 0}));
    const JointId joint = world.add_joint(HingeDef{.frames = world.joint_frames(a, b, {1, 0, 0})});
    REQUIRE(joint);
    run(world, 2);
    for (const int number : {7, 40, 255}) {
        CAPTURE(number);
        const auto axis = static_cast<JointAxis>(number);
        const auto refused = [&](const char* call, bool nothing) {
            CAPTURE(std::string(call));
            CHECK(nothing);
            CHECK(world.last_error().code == ErrorCode::bad_argument);
            CHECK(world.last_error().message == std::string(call) + ": axis is " + std::to_string(number) +
                                                    "; it must be a value of JointAxis (0 to 6).");
            world.set_user_data(BodyId{}, 0);  // another error between
            REQUIRE(world.last_error().code == ErrorCode::stale_handle);
        };
        refused("joint_coordinate", world.joint_coordinate(joint, axis) == 0.0f);
        refused("joint_speed", world.joint_speed(joint, axis) == 0.0f);
        refused("joint_motor_force", world.joint_motor_force(joint, axis) == 0.0f);
        refused("joint_stiffness", world.joint_stiffness(joint, axis) == 0.0f);
        refused("joint_limit", world.joint_limit(joint, axis).lower == -unlimited);
        refused("joint_motor", world.joint_motor(joint, axis).max_force == 0.0f);
        refused("joint_spring", world.joint_spring(joint, axis).hertz == 0.0f);
        refused("set_joint_limit", !world.set_joint_limit(joint, {-1.0f, 1.0f}, axis));
        refused("set_joint_motor", !world.set_joint_motor(joint, {.speed = 1.0f, .max_force = 1.0f}, axis));
        refused("set_joint_spring", !world.set_joint_spring(joint, {.hertz = 1.0f}, axis));
    }
}

TEST_CASE("an outline colour that there is not draws nothing") {
    struct Pen : DebugDraw {
        int figures = 0;
        void line(const dvec3&, const dvec3&, Color) override { ++figures; }
        void point(const dvec3&, float, Color) override { ++figures; }
        void triangle(const dvec3&, const dvec3&, const dvec3&, Color) override { ++figures; }
        void text(const dvec3&, std::string_view, Color) override { ++figures; }
    } pen;
    const Victim v;
    v.refuses("draw", ErrorCode::bad_argument,
              [&](World& w) { return w.draw(pen, {.outlines = true, .outline_color = static_cast<OutlineColor>(3)}); });
    CHECK(pen.figures == 0);
    CHECK(v.world.draw(pen, {.outlines = true}));
    CHECK(pen.figures > 0);
}

// They returned true and did nothing.
TEST_CASE("setters that can do nothing on this type of body are refused") {
    Victim v;
    const ErrorCode code = ErrorCode::bad_argument;
    BodyDef def = crate({0, 9, 0});
    def.type = BodyType::kinematic;
    const BodyId lift = add(v.world, def);
    const vec3 some(1, 2, 3);
    for (const BodyId id : {v.fixed_id, lift}) {
        v.refuses("set_mass", code, [&](World& w) { return w.set_mass(id, 2.0f); });
        v.refuses("set_mass_properties", code, [&](World& w) {
            return w.set_mass_properties(id, {1.0f, vec3(0.0f), mat3(1.0f)});
        });
        v.refuses("apply_force", code, [&](World& w) { return w.apply_force(id, some); });
        v.refuses("apply_force_at", code, [&](World& w) { return w.apply_force_at(id, some, some); });
        v.refuses("apply_torque", code, [&](World& w) { return w.apply_torque(id, some); });
        v.refuses("apply_impulse", code, [&](World& w) { return w.apply_impulse(id, some); });
        v.refuses("apply_impulse_at", code, [&](World& w) { return w.apply_impulse_at(id, some, some); });
        v.refuses("apply_angular_impulse", code, [&](World& w) { return w.apply_angular_impulse(id, some); });
    }
    v.refuses("set_linear_velocity", code, [&](World& w) { return w.set_linear_velocity(v.fixed_id, some); });
    v.refuses("set_angular_velocity", code, [&](World& w) { return w.set_angular_velocity(v.fixed_id, some); });
    for (const bool awake : {false, true}) {
        v.refuses("set_awake", code, [&](World& w) { return w.set_awake(v.fixed_id, awake); });
        v.refuses("set_awake", code, [&](World& w) { return w.set_awake(lift, awake); });
    }
    v.refuses("set_kinematic_target", code,
              [&](World& w) { return w.set_kinematic_target(v.crate_id, some, quat(1, 0, 0, 0)); });
    CHECK(v.world.set_linear_velocity(lift, some));
    v.refuses("set_mass", ErrorCode::bad_size, [&](World& w) { return w.set_mass(v.crate_id, 0.0f); });
    v.refuses("set_mass", ErrorCode::bad_size, [&](World& w) { return w.set_mass(v.crate_id, -1.0f); });
    v.refuses("set_mass", ErrorCode::not_finite, [&](World& w) { return w.set_mass(v.crate_id, no_number); });
}

// Velocities became infinite when the centre of mass of a body that spins at 1e35 rad/s moved away from it.
TEST_CASE("a body whose centre of mass moves keeps a finite velocity however fast it spins") {
    const auto changes = {+[](World& w, BodyId id) {
                              MassProperties properties{1.0f, vec3(1e5f, 0, 0), mat3(1.0f)};
                              return w.set_mass_properties(id, properties);
                          },
                          +[](World& w, BodyId id) {
                              const ShapeDef far{sphere(1.0f), Transform{{1e5f, 0, 0}}};
                              return w.set_shapes(id, {&far, 1});
                          },
                          +[](World& w, BodyId id) {  // back to where its shape has its centre of mass
                              MassProperties properties{1.0f, vec3(1e5f, 0, 0), mat3(1.0f)};
                              return w.set_angular_velocity(id, vec3(0.0f)) && w.set_mass_properties(id, properties) &&
                                     w.set_angular_velocity(id, {0, 1e35f, 0}) && w.set_type(id, BodyType::kinematic);
                          }};
    for (const auto change : changes) {
        World world;
        const BodyId id = add(world, crate({0, 5, 0}));
        REQUIRE(world.set_angular_velocity(id, {0, 1e35f, 0}));
        REQUIRE(change(world, id));
        CHECK(glm::length(world.linear_velocity(id)) > 1000.0f);
        CHECK(glm::length(world.linear_velocity(id)) <= world.settings().max_speed * 1.0001f);
        run(world, 2);
        CHECK(is_finite(world.position(id)));
    }
}

TEST_CASE("steps on no threads are refused") {
    const Victim v;
    TestPool pool(2);
    for (const int threads : {0, -3}) {
        Jobs jobs = pool.jobs();
        jobs.threads = threads;
        v.refuses("step", ErrorCode::bad_argument, [&](World& w) { return w.step(frame, jobs); });
    }
}

TEST_CASE("a world that was moved from is an empty one") {
    World world;
    add(world, ground());
    const BodyId id = add(world, crate({0, 5, 0}));
    World taken(std::move(world));
    CHECK(taken.is_valid(id));
    CHECK(world.body_count() == 0);  // NOLINT: the use after the move is the subject of this test
    CHECK(!world.is_valid(id));
    CHECK(world.position(id) == dvec3(0.0));
    CHECK(!world.ray_cast({0, 9, 0}, {0, -20, 0}));
    CHECK(!world.remove_body(id));
    CHECK(world.last_error().code == ErrorCode::stale_handle);
    CHECK(World(world).body_count() == 0);
    CHECK(world.step(frame));
    add(world, crate({}));
    CHECK(world.body_count() == 1);
    world = std::move(taken);
    CHECK(world.is_valid(id));
    CHECK(taken.body_count() == 0);
    CHECK(taken.step(frame));
}

// These calls crashed.
TEST_CASE("a world refuses to change in a contact modifier or as it is drawn") {
    struct User {
        World* world;
        BodyId id;
        int refused = 0, called = 0;

        void change() {
            ++called;
            World& w = *world;
            const auto refuse = [&](bool done) {
                refused += !done && w.last_error().message.find("within step() or draw()") != std::string::npos;
            };
            refuse(static_cast<bool>(w.add_body(crate({0, 9, 0}))));
            refuse(w.remove_body(id));
            refuse(w.set_transform(id, {0, 9, 0}, quat(1, 0, 0, 0)));
            refuse(w.set_type(id, BodyType::fixed));
            refuse(w.set_gravity({0, 1, 0}));
            refuse(w.apply_impulse(id, {0, 1, 0}));
            refuse(static_cast<bool>(w.add_joint(BallDef{})));
            refuse(w.set_settings(WorldDef{}));
            refuse(w.set_awake(id, false));
            refuse(w.set_contact_modifier(nullptr));
            refuse(w.step(frame));
        }
    };
    World world;
    add(world, ground());
    BodyDef def = crate({0, 0.5f, 0});
    def.modify_contacts = true;
    const BodyId id = add(world, def);
    User user{&world, id};
    world.set_contact_modifier([](ContactModification&, void* data) { static_cast<User*>(data)->change(); }, &user);
    run(world, 3);
    CHECK(user.called > 0);
    CHECK(user.refused == 11 * user.called);
    CHECK(world.body_count() == 2);

    struct Pen : DebugDraw {
        User& user;
        explicit Pen(User& u) : user(u) {}
        void line(const dvec3&, const dvec3&, Color) override { user.change(); }
        void point(const dvec3&, float, Color) override {}
        void triangle(const dvec3&, const dvec3&, const dvec3&, Color) override {}
        void text(const dvec3&, std::string_view, Color) override {}
    } pen(user);
    user.called = user.refused = 0;
    world.draw(pen, {.outlines = true});
    CHECK(user.called > 0);
    CHECK(user.refused == 11 * user.called);
    CHECK(world.set_gravity({0, -1, 0}));
    CHECK(world.set_contact_modifier(nullptr));
}

// Several named another call than the one that was made, and none gave the value.
TEST_CASE("an error names the call that was made, the value given and what is allowed") {
    Victim v;
    World& w = v.world;
    const BodyId lift = add(w, kinematic_body(box(vec3(0.5f)), {9, 9, 9}));
    const JointFrames frames = w.joint_frames(v.fixed_id, v.crate_id, {0, 0.5f, 0});
    const JointId hinge = w.add_joint(HingeDef{.frames = frames}), rope = w.add_joint(DistanceDef{.frames = frames});
    const auto says = [&](const std::string& message) { CHECK(w.last_error().message == message); };
    const vec3 bad(no_number, 0, -infinite), some(1, 2, 3);
    const quat identity(1, 0, 0, 0);

    // Handles: by the call that the user made, and by its argument.
    w.position(BodyId{});
    says("position: body is null; it must be the handle of a body of this world that was not removed (see is_valid).");
    w.rotation({77, v.crate_id.generation + 3});
    says(
        "rotation: body is slot 77, generation 3; it must be the handle of a body of this world that was not removed "
        "(see is_valid).");
    w.rotation(World().add_body({.shape = sphere(1)}));
    says(
        "rotation: body is slot 0, generation 0 of another world; it must be the handle of a body of this world that "
        "was "
        "not removed (see is_valid).");
    w.kind(JointId{});
    says(
        "kind: joint is null; it must be the handle of a joint of this world that was neither removed nor broken "
        "(see is_valid).");
    w.add_joint(BallDef{.frames = {v.fixed_id, {}}});
    says(
        "add_joint: frames.body_b is null; it must be the handle of a body of this world that was not removed (see "
        "is_valid).");

    // Calls that share their work with others.
    for (const BodyId id : {v.fixed_id, lift}) {
        const std::string is = id == lift ? "the body is kinematic" : "the body is fixed";
        w.apply_force(id, some);
        says("apply_force: " + is + "; it must be dynamic.");
        w.apply_force_at(id, some, some);
        says("apply_force_at: " + is + "; it must be dynamic.");
        w.apply_impulse(id, some);
        says("apply_impulse: " + is + "; it must be dynamic.");
        w.apply_impulse_at(id, some, some);
        says("apply_impulse_at: " + is + "; it must be dynamic.");
        w.set_mass(id, 1.0f);
        says("set_mass: " + is + "; it must be dynamic.");
    }
    w.apply_force_at(v.crate_id, some, bad);
    says(
        "apply_force_at: point is (nan, 0, -inf); it must be finite and within 1e18 of the world's origin along each "
        "axis (m).");
    w.apply_impulse_at(v.crate_id, {3e38f, 0, 0}, {0, 1e18, 0});
    CHECK(w.last_error().message.find("apply_impulse_at: the ") == 0);
    w.set_mass(v.crate_id, 3e16f);
    says("set_mass: mass is 3e+16; it must be at most 1e15 (kg).");
    w.set_shape(v.crate_id, 0, segment({0, 0, 0}, {1, 0, 0}));
    says(
        "set_shape: shapes[0].shape is a segment of radius 0 and the body is dynamic; its radius must be > 0 (m), or "
        "the body fixed or kinematic.");
    w.set_shape(v.crate_id, 2, sphere(1.0f));
    says("set_shape: shape is 2; it must be the index of one of the body's shapes (0 to 0).");
    w.set_kinematic_target(v.crate_id, some, identity);
    says("set_kinematic_target: the body is dynamic; it must be kinematic.");
    w.set_damping(v.crate_id, 0, -1);
    says("set_damping: angular is -1; it must be finite and >= 0 (1/s).");
    w.set_type(lift, static_cast<BodyType>(7));
    says("set_type: type is 7; it must be a value of BodyType (0 to 2).");
    w.set_transform(v.crate_id, some, quat(0, 0, 0, 0));
    says(
        "set_transform: rotation is (0, 0, 0, 0); it must be a unit quaternion (w, x, y, z), or one that can be "
        "normalised.");

    // Definitions: by the path to the field.
    BodyDef def = crate({});
    def.material.friction = -1.0f;
    w.add_body(def);
    says("add_body: material.friction is -1; it must be finite and >= 0.");
    BodyDef light = crate({});
    light.density = -3.0f;
    w.add_body(light);
    says("add_body: density is -3; it must be finite and >= 0 (kg/m^3).");
    BodyId out[2];
    w.add_bodies(std::vector<BodyDef>{crate({}), def}, out);
    says("add_bodies: defs[1]: material.friction is -1; it must be finite and >= 0.");
    w.add_bodies(std::vector<BodyDef>(3, crate({})), out);
    says("add_bodies: out has 2 elements and defs has 3; out needs one element per definition.");
    def.material = {};
    def.shape = {};
    def.shapes = {part(sphere(1.0f)), part(sphere(1.0f))};
    def.shapes[1].density = -3.0f;
    w.add_body(def);
    says("add_body: shapes[1].density is -3; it must be finite and >= 0 (kg/m^3).");
    def.shapes[1].density = def.shapes[0].density = 0.0f;
    w.add_body(def);
    says(
        "add_body: mass is 0; it must be > 0 (kg): a dynamic body needs a shape that is not a sensor, with a density "
        "> 0.");
    w.step(2.0f);
    says("step: dt is 2; it must be at least 1e-9 and at most 1 (s).");
    w.step(frame, {.threads = 0});
    says("step: jobs.threads is 0; it must be at least 1.");
    WorldDef settings;
    settings.substeps = 65;
    w.set_settings(settings);
    says("set_settings: substeps is 65; it must be 1 to 64.");
    CHECK(World(settings).last_error().message ==
          "World: substeps is 65; it must be 1 to 64. Settings that are out of range got their defaults.");

    // Joints.
    w.add_joint(HingeDef{.frames = frames, .limit = {2, 1}});
    says("add_joint: limit.lower is 2 and upper is 1; lower must not be above upper.");
    w.add_joint(SixDofDef{.frames = frames, .turn_y = {.spring = {.hertz = -1}}});
    says("add_joint: turn_y.spring.hertz is -1; it must be finite and >= 0.");
    w.add_joint(BallDef{.frames = {v.fixed_id, lift}});
    says("add_joint: frames.body_a is fixed and frames.body_b is kinematic; at least one must be dynamic.");
    w.add_joint(GearDef{.joint_a = hinge, .joint_b = rope});
    says("add_joint: joint_b is a distance joint; it must be a hinge or a slider.");
    w.set_joint_break(hinge, -1, 1);
    says("set_joint_break: force is -1; it must be >= 0 (N); infinity means that the joint never breaks.");
    w.set_joint_limit(hinge, {0, 1}, JointAxis::move_y);
    says("set_joint_limit: axis is move_y; the axes of a hinge joint that can be set are: turn_x (main).");
    w.set_joint_limit(rope, {-1, 1});
    says("set_joint_limit: limit.lower is -1; it must be >= 0 (m), because the joint is a distance joint.");
    w.set_joint_cone(hinge, 1);
    says("set_joint_cone: the joint is a hinge joint; it must be a ball joint.");

    // Queries.
    w.ray_cast_any(some, bad);
    says("ray_cast_any: translation is (nan, 0, -inf); it must be finite (m).");
    std::vector<CastHit> hits(2);
    w.ray_cast(std::vector<Ray>{{some, some}, {bad, some}}, hits);
    says(
        "ray_cast: rays[1].origin is (nan, 0, -inf); it must be finite and within 1e18 of the world's origin along "
        "each "
        "axis (m).");
    w.shape_cast(std::vector<ShapeCast>(3, {sphere(1.0f), {}, some}), hits);
    says("shape_cast: hits has 2 elements and casts has 3; hits must be at least as long.");
    w.overlap(sphere(1.0f), {some, quat(0, 0, 0, 0)});
    says(
        "overlap: pose.rotation is (0, 0, 0, 0); it must be a unit quaternion (w, x, y, z), or one that can be "
        "normalised.");
    w.overlap_any(WorldAabb{{1, 0, 0}, {0, 0, 0}});
    says("overlap_any: box.lower is (1, 0, 0) and box.upper is (0, 0, 0); lower must be <= upper on each axis.");
    w.nearest(some, 1, -1);
    says("nearest: max_distance is -1; it must be >= 0 (m); infinity means no limit.");
}
