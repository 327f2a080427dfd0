/// Bodies that change while the world runs: afterwards the world equals one that was built with the changed bodies.

#include "tests/engine/worlds.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

/// The bodies that a body touches, by slot.
std::set<std::uint32_t> touched_by(const World& world, BodyId id) {
    std::set<std::uint32_t> found;
    for (const Contact& c : world.contacts(id)) found.insert(c.body_a == id ? c.body_b.slot : c.body_a.slot);
    return found;
}

/// A settled pile: ids[0] is the ground.
std::vector<BodyId> add_pile(World& world, const std::function<void(int, BodyDef&)>& adjust = {}) {
    std::vector<BodyId> ids{add(world, ground())};
    Random random(4);
    for (int i = 0; i < 12; ++i) {
        BodyDef def = body(i % 3 == 0 ? sphere(0.4f) : box(vec3(0.4f)),
                           {0.2f * random.unit(), 0.5f + 0.9f * static_cast<float>(i), 0.2f * random.unit()});
        if (adjust) adjust(i, def);
        ids.push_back(add(world, def));
    }
    return ids;
}

/// Gives the bodies of `to` the poses and velocities of those of `from`.
void copy_state(const World& from, World& to, const std::vector<BodyId>& ids) {
    for (const BodyId id : ids) {
        REQUIRE(to.set_transform(id, from.position(id), from.rotation(id)));
        if (to.type(id) == BodyType::fixed) continue;
        REQUIRE(to.set_linear_velocity(id, from.linear_velocity(id)));
        REQUIRE(to.set_angular_velocity(id, from.angular_velocity(id)));
    }
}

/// Changes a settled pile, and builds one with the changed body from the start. The next step must find the same
/// contacts in both.
void check_like_built(const char* what, const std::function<void(World&, BodyId)>& change,
                      const std::function<void(BodyDef&)>& built) {
    for (const int which : {0, 3, 7}) {
        WorldDef settings = sleepless();
        settings.handle_tag = 1;  // both have the same handles
        World changed(settings), made(settings);
        const std::vector<BodyId> ids = add_pile(changed);
        add_pile(made, [&](int i, BodyDef& def) {
            if (i == which) built(def);
        });
        run(changed, 400);
        copy_state(changed, made, ids);
        const BodyId id = ids[static_cast<std::size_t>(which) + 1];
        change(changed, id);
        // The change keeps the body's frame in place; velocities belong to the centre of mass.
        copy_state(changed, made, ids);
        // A few steps, so that both worlds know the predicted motions.
        std::set<std::uint32_t> touched[2];
        for (int k = 0; k < 2; ++k) {
            World& world = k == 0 ? changed : made;
            run(world, 1, 1e-6f);
            for (int step = 0; step < 5; ++step) {  // bodies that almost touch may begin to do so in any of these steps
                run(world, 1);
                touched[k].merge(touched_by(world, id));
            }
        }
        std::string shown;
        for (const auto& slots : touched) {
            for (const std::uint32_t slot : slots) shown += std::to_string(slot) + " ";
            shown += "; ";
        }
        INFO(std::string(what), " of body ", which, " touches ", shown);
        CHECK(touched[0] == touched[1]);
        CHECK(changed.mass(id) == doctest::Approx(made.mass(id)));
        CHECK(changed.type(id) == made.type(id));
        const vec3 size = half_extents(changed.bounds(id)) - half_extents(made.bounds(id));
        CHECK(glm::length(size) < 0.02f);
        run(changed, 120);
        CHECK(is_sound(changed));
    }
}

}  // namespace

TEST_CASE("a changed body is what it would be had it been built that way") {
    check_like_built(
        "shape", [](World& w, BodyId id) { REQUIRE(w.set_shape(id, 0, cylinder(0.3f, 0.4f))); },
        [](BodyDef& def) { def.shape = cylinder(0.3f, 0.4f); });
    const std::vector<ShapeDef> two{part(sphere(0.3f), {0.2f, 0, 0}), part(box(vec3(0.2f)), {-0.2f, 0.1f, 0})};
    check_like_built(
        "shapes", [&](World& w, BodyId id) { REQUIRE(w.set_shapes(id, two)); },
        [&](BodyDef& def) {
            def.shape = Shape{};
            def.shapes = two;
        });
    check_like_built(
        "filter",
        [](World& w, BodyId id) {
            REQUIRE(w.set_filter(id, 0, {4, 0, 0}));
        },
        [](BodyDef& def) {
            def.filter = {4, 0, 0};
        });
    check_like_built(
        "fixed", [](World& w, BodyId id) { REQUIRE(w.set_type(id, BodyType::fixed)); },
        [](BodyDef& def) { def.type = BodyType::fixed; });
    check_like_built(
        "kinematic", [](World& w, BodyId id) { REQUIRE(w.set_type(id, BodyType::kinematic)); },
        [](BodyDef& def) { def.type = BodyType::kinematic; });
    check_like_built(
        "material",
        [](World& w, BodyId id) { REQUIRE(w.set_material(id, 0, {.friction = 0.1f, .restitution = 0.5f})); },
        [](BodyDef& def) { def.material = {.friction = 0.1f, .restitution = 0.5f}; });
    check_like_built(
        "mass", [](World& w, BodyId id) { REQUIRE(w.set_mass(id, 3.0f * w.mass(id))); },
        [](BodyDef& def) { def.density *= 3.0f; });
}

TEST_CASE("what stands on a support that shrinks or lets it through falls and what becomes fixed holds") {
    for (const int how : {0, 1, 2, 3}) {
        World world;
        const BodyId floor = add(world, ground());
        const BodyId support = add(world, body(box(vec3(0.5f)), {0, 0.5f, 0}));
        const BodyId above = add(world, body(box(vec3(0.3f)), {0, 1.3f, 0}));
        run(world, 200);
        REQUIRE(!world.is_awake(above));
        int ended = 0;
        if (how == 0) REQUIRE(world.set_shape(support, 0, box(vec3(0.2f))));
        if (how == 1) REQUIRE(world.set_filter(above, 0, {1, 2, 0}));
        if (how == 2) REQUIRE(world.set_shape(floor, 0, box({1.0f, 0.1f, 1.0f})));
        if (how == 3) REQUIRE(world.set_type(support, BodyType::fixed));
        CHECK(world.is_awake(above));
        for (int i = 0; i < 240; ++i) {
            run(world, 1);
            ended += static_cast<int>(world.contacts_ended().size());
        }
        INFO("change ", how, ": above at ", world.position(above).y, ", ended ", ended);
        if (how == 0) CHECK(world.position(above).y < 1.0f);
        if (how == 1) CHECK(world.position(above).y < -5.0f);
        if (how == 2) CHECK(world.position(support).y < -0.3f);
        if (how == 3) {
            CHECK(world.position(above).y == doctest::Approx(1.3f).epsilon(0.01));
            CHECK(ended == 1);  // between two fixed bodies
            CHECK(!world.is_awake(above));
        } else {
            CHECK(ended >= 1);
        }
    }
}

TEST_CASE("a change that leaves a contact as it is is not reported as an end and a beginning") {
    World world;
    const BodyId floor = add(world, ground());
    const BodyId crate_id = add(world, crate({0, 0.5f, 0}));
    run(world, 30);
    for (int how = 0; how < 5; ++how) {
        if (how == 0) REQUIRE(world.set_shape(crate_id, 0, box({0.6f, 0.5f, 0.4f})));
        if (how == 1) REQUIRE(world.set_material(floor, 0, {.friction = 0.2f}));
        if (how == 2) REQUIRE(world.set_filter(crate_id, 0, {3, 0xffffffffu, 0}));
        if (how == 3) REQUIRE(world.set_type(floor, BodyType::kinematic));
        if (how == 4) REQUIRE(world.set_mass(crate_id, 10.0f));
        for (int i = 0; i < 30; ++i) {
            run(world, 1);
            INFO("change ", how, " step ", i);
            CHECK(world.contacts_begun().empty());
            CHECK(world.contacts_ended().empty());
            CHECK(world.contacts().size() == 1);
        }
        CHECK(world.position(crate_id).y == doctest::Approx(0.5f).epsilon(0.01));
    }
}

TEST_CASE("a shape that grows into its neighbours pushes them out gently") {
    World world;
    add(world, ground());
    const BodyId middle = add(world, body(sphere(0.3f), {0, 0.3f, 0}));
    const BodyId left = add(world, crate({-0.85f, 0.5f, 0})), right = add(world, crate({0.85f, 0.5f, 0}));
    run(world, 200);
    REQUIRE(!world.is_awake(left));
    REQUIRE(world.set_shape(middle, 0, box({0.6f, 0.4f, 0.4f})));
    float fastest = 0.0f;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        for (const BodyId id : {left, right}) fastest = std::max(fastest, glm::length(world.linear_velocity(id)));
    }
    INFO("fastest ", fastest, " left ", world.position(left).x, " right ", world.position(right).x);
    CHECK(fastest < 3.0f);
    CHECK(world.position(right).x - world.position(left).x > 2.15);
}

TEST_CASE("points of a body keep their velocity when its centre of mass moves") {
    World world(weightless());
    BodyDef def = body(box(vec3(0.5f)));
    def.linear_velocity = {1, 2, 3};
    def.angular_velocity = {0, 0, 2};
    const BodyId id = add(world, def);
    REQUIRE(world.set_shapes(id, std::vector<ShapeDef>{part(box(vec3(0.5f))), part(box(vec3(0.5f)), {1, 0, 0})}));
    CHECK(world.position(id) == dvec3(0.0));
    CHECK(world.center_of_mass(id).x == doctest::Approx(0.5f));
    CHECK(world.linear_velocity(id).y == doctest::Approx(3.0f));  // 2 + 2 * 0.5
    REQUIRE(world.set_mass_properties(id, {5.0f, {0, 0, 0}, mat3(2.0f)}));
    CHECK(world.center_of_mass(id) == dvec3(0.0));
    CHECK(world.linear_velocity(id).y == doctest::Approx(2.0f));
    CHECK(world.mass(id) == 5.0f);
    CHECK(world.inertia(id)[0][0] == doctest::Approx(2.0f));
}

TEST_CASE("refused changes leave the world as it was and say why") {
    World world;
    const BodyId floor = add(world, ground()), id = add(world, crate({0, 3, 0}));
    const std::uint64_t hash = world.hash();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto refused = [&](bool answer) {
        CHECK_FALSE(answer);
        CHECK_FALSE(world.last_error().message.empty());
    };
    refused(world.set_shape(id, 1, sphere(1.0f)));
    refused(world.set_shape(id, 0, sphere(-1.0f)));
    refused(world.set_shape(id, 0, triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0})));
    refused(world.set_shapes(id, {}));
    refused(world.set_material(id, 0, {.friction = nan}));
    refused(world.set_material(id, 3, {}));
    refused(world.set_filter(id, 7, {}));
    refused(world.set_mass(id, 0.0f));
    refused(world.set_mass(id, nan));
    refused(world.set_mass_properties(id, {1.0f, vec3(0.0f), mat3(0.0f)}));
    refused(world.set_kinematic_target(id, dvec3(0.0), quat(1, 0, 0, 0)));
    refused(world.set_kinematic_target(floor, dvec3(nan), quat(1, 0, 0, 0)));
    refused(world.set_speed_limits(id, 0.0f, 1.0f));
    refused(world.set_hit_speed(-1.0f));
    refused(world.set_type(BodyId{}, BodyType::fixed));
    const BodyId plane = add(world, fixed_body(triangle({0, -9, 0}, {1, -9, 0}, {0, -9, 1})));
    refused(world.set_type(plane, BodyType::dynamic));
    CHECK(world.shapes(id)[0].shape.type == ShapeType::box);
    CHECK(world.mass(id) == doctest::Approx(1000.0f));
    REQUIRE(world.remove_body(plane));
    CHECK(world.hash() == hash);
}

TEST_CASE("a kinematic body reaches its target in one step at the velocity that takes it there") {
    World world;
    const BodyId lift = add(world, kinematic_body(box({1.0f, 0.1f, 1.0f}), dvec3(0.0)));
    const BodyId load = add(world, body(box(vec3(0.2f)), {0.5f, 0.3f, 0}));
    run(world, 30);
    const vec3 way(0.0f, 0.02f, 0.01f);
    dvec3 at(0.0);
    quat facing(1, 0, 0, 0);
    for (int i = 1; i <= 90; ++i) {
        at = displaced(at, way);
        facing = turn({0, 1, 0}, 0.01 * i);
        REQUIRE(world.set_kinematic_target(lift, at, facing));
        run(world, 1);
        CHECK(world.position(lift) == at);
        CHECK(glm::length(world.linear_velocity(lift) - way / frame) < 1e-3f);
        CHECK(world.angular_velocity(lift).y == doctest::Approx(0.01 / frame).epsilon(0.001));
        CHECK(std::abs(glm::dot(world.rotation(lift), facing)) == doctest::Approx(1.0f));
    }
    // The body on it has moved and rotated with it.
    const vec3 place = inverse_transform_point(world.transform(lift), world.position(load));
    INFO("load at ", place.x, " ", place.y, " ", place.z);
    CHECK(glm::length(place - vec3(0.5f, 0.3f, 0.0f)) < 0.05f);
    run(world, 2);
    CHECK(world.linear_velocity(lift) == vec3(0.0f));
    CHECK(world.position(lift) == at);
    run(world, 200);
    CHECK(!world.is_awake(load));
}

TEST_CASE("speed limits hold whatever pushes") {
    WorldDef settings = sleepless();
    settings.max_speed = 50.0f;
    World world(settings);
    BodyDef def = body(box({0.5f, 0.1f, 0.2f}));
    def.max_speed = 5.0f;
    def.max_spin = 3.0f;
    const BodyId slow = add(world, def);
    const BodyId fast = add(world, body(sphere(0.1f), {10, 0, 0}));
    REQUIRE(world.apply_impulse_at(slow, {1e4f, 0, 0}, {0, 0.1f, 0.2f}));
    run(world, 600);
    CHECK(glm::length(world.linear_velocity(slow)) <= 5.0f * 1.0001f);
    CHECK(glm::length(world.angular_velocity(slow)) <= 3.0f * 1.0001f);
    CHECK(glm::length(world.linear_velocity(fast)) == doctest::Approx(50.0f).epsilon(0.001));
}

TEST_CASE("a spin limit holds while a body tumbles, is twisted, and strikes a wall or another body at speed") {
    for (int seed = 0; seed < 8; ++seed) {
        Random random(910 + seed);
        World world(sleepless());
        add(world, ground());
        std::vector<BodyId> limited, twisted;
        for (int i = 0; i < 24; ++i) {
            // Sticks, because a wall rotates them strongly, and their angular velocity changes as they tumble.
            BodyDef def = body(box({0.02f, 0.3f * random.between(0.3f, 1.0f), 0.05f}),
                               vec3(0, 4, 0) + random.in_box(vec3(2.0f, 2.5f, 2.0f)));
            def.rotation = random.rotation();
            def.linear_velocity = 40.0f * random.in_box(vec3(1.0f));
            def.angular_velocity = 3.0f * random.direction();
            def.max_spin = 3.0f + 10.0f * random.unit();
            def.continuous = i % 2 == 0 ? Continuous::all : Continuous::fixed;
            limited.push_back(add(world, def));
            if (i % 3 == 0) twisted.push_back(limited.back());
        }
        for (int step = 0; step < 120; ++step) {
            for (const BodyId id : twisted) REQUIRE(world.apply_torque(id, 5.0f * random.direction()));
            run(world, 1);
            for (const BodyId id : limited) {
                CAPTURE(seed);
                CAPTURE(step);
                CHECK(glm::length(world.angular_velocity(id)) <= 1.0001f * world.max_spin(id));
            }
        }
    }
}

TEST_CASE("random changes at random times leave a sound world and balanced events") {
    for (int seed = 0; seed < 6; ++seed) {
        Random random(300 + seed);
        World world;
        std::vector<BodyId> ids{add(world, ground())};
        for (int i = 0; i < 30; ++i) {
            BodyDef def = body(random_shape(random, 0.5f), vec3(0, 3, 0) + random.in_box(vec3(1.5f, 2.5f, 1.5f)));
            if (i % 5 == 0) def.type = i % 2 == 0 ? BodyType::kinematic : BodyType::fixed;
            if (i % 7 == 0) {
                def.shape = Shape{};
                def.shapes = {part(random_shape(random, 0.3f)),
                              part(random_shape(random, 0.3f), random.in_box(vec3(0.5f)))};
            }
            ids.push_back(add(world, def));
        }
        World copy;
        using Side = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
        // solid contacts and those of sensors are counted separately
        std::map<std::tuple<Side, Side, bool>, int> touching;
        for (int i = 0; i < 300; ++i) {
            const std::size_t which = 1 + random.below(static_cast<std::uint32_t>(ids.size() - 1));
            const BodyId id = ids[which];
            switch (random.below(12)) {
                case 0:
                    world.set_shape(id, 0, random_shape(random, 0.6f));
                    break;
                case 1: {
                    std::vector<ShapeDef> defs;
                    for (std::uint32_t k = 0; k <= random.below(3); ++k)
                        defs.push_back(part(random_shape(random, 0.4f), random.in_box(vec3(0.4f))));
                    defs[0].sensor = defs.size() > 1 && random.below(4) == 0;
                    world.set_shapes(id, defs);
                    break;
                }
                case 2:
                    world.set_material(id, 0, {.friction = random.unit(), .restitution = random.unit()});
                    break;
                case 3:
                    world.set_filter(id, 0, {1u + random.below(3), random.below(4), 0});
                    break;
                case 4:
                    world.set_filter(id, 0, {});
                    break;
                case 5:
                    world.set_type(id, static_cast<BodyType>(random.below(3)));
                    break;
                case 6:
                    world.set_type(id, BodyType::dynamic);
                    break;
                case 7:
                    world.set_mass(id, random.between(0.1f, 100.0f));
                    break;
                case 8:
                    world.set_kinematic_target(id, displaced(world.position(id), random.in_box(vec3(0.2f))),
                                               random.rotation());
                    break;
                case 9:
                    REQUIRE(world.remove_body(id));
                    ids[which] = add(world, body(random_shape(random, 0.5f), vec3(0, 4, 0)));
                    break;
                case 10:
                    world.set_awake(id, random.below(2) == 0);
                    break;
                default:
                    world.set_shape(ids[0], 0, box({random.between(2.0f, 50.0f), 1.0f, 50.0f}));
                    break;
            }
            if (i % 3 == 0) continue;  // several changes before a step
            if (i == 200) copy = world;
            run(world, 1);
            if (i >= 200) {
                if (i == 200) {
                    run(copy, 1);
                    REQUIRE(copy.hash() == world.hash());
                }
            }
            std::string complaint;
            REQUIRE_MESSAGE(is_sound(world, &complaint), "seed ", seed, " step ", i, " ", complaint);
            const auto key = [](const ContactEvent& e) {
                const Side one{e.body_a.slot, e.body_a.generation, e.shape_a},
                    other{e.body_b.slot, e.body_b.generation, e.shape_b};
                return std::tuple(std::min(one, other), std::max(one, other), e.sensor);
            };
            for (const ContactEvent& e : world.contacts_begun()) {
                INFO("seed ", seed, " step ", i, " begun ", e.body_a.slot, " ", e.body_b.slot);
                REQUIRE(touching[key(e)]++ == 0);
            }
            for (const ContactEvent& e : world.contacts_ended()) {
                INFO("seed ", seed, " step ", i, " ended ", e.body_a.slot, " ", e.body_b.slot);
                REQUIRE(touching[key(e)]-- == 1);
            }
        }
    }
}
