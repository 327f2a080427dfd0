// The same world gives the same bits: run again, copied, with other bodies around. Another seed gives other bits.

#include "samples/scenes/scene.h"
#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

/// A rain of all shapes into a heap; `extra` bodies are added afterwards, a kilometre away and apart from each other.
World rain(std::uint64_t seed, int count, int extra = 0, WorldDef def = {}) {
    def.handle_tag = 1;  // worlds that are compared have the same handles
    World world(def);
    add(world, ground());
    Random random(seed);
    for (int i = 0; i < count; ++i) {
        const Shape shapes[] = {sphere(0.3f), box({0.4f, 0.2f, 0.3f}), capsule(0.3f, 0.2f), cylinder(0.3f, 0.25f),
                                cone(0.3f, 0.3f)};
        BodyDef body_def = body(shapes[i % 5], vec3(0, 5, 0) + random.in_box(vec3(2.0f, 4.5f, 2.0f)));
        body_def.rotation = random.rotation();
        body_def.linear_velocity = random.in_box(vec3(3.0f));
        if (i % 4 == 0) body_def.material.restitution = 0.6f;
        add(world, body_def);
    }
    for (int i = 0; i < extra; ++i) {
        BodyDef far = body(sphere(0.5f), {1000.0f + 10.0f * static_cast<float>(i), 30, 0});
        far.linear_velocity = random.in_box(vec3(0.3f));
        add(world, far);
    }
    return world;
}

const char* const scenes[] = {"shapes", "dominoes", "pyramid10", "tumble8", "bighulls44", "drum"};

World world_of(const char* name, samples::SceneData& data, std::vector<BodyId>* ids, std::uint64_t seed = 1,
               bool sleep = true) {
    const samples::Scene* scene = samples::find_scene(name);
    REQUIRE_MESSAGE(scene != nullptr, name);
    samples::SceneOptions options;
    options.seed = seed;
    options.jitter = 0.01f;
    Result<samples::SceneData> made = scene->make(options);
    REQUIRE(made);
    data = std::move(*made);
    WorldDef def;
    def.allow_sleep = sleep;
    return samples::make_world(data, ids, def);
}

}  // namespace

TEST_CASE("the same scene run twice gives the same bits at every step" * doctest::test_suite("slow")) {
    for (const char* name : scenes) {
        CAPTURE(std::string(name));
        samples::SceneData data;
        std::vector<BodyId> ids;
        World a = world_of(name, data, &ids), b = world_of(name, data, &ids);
        for (int i = 0; i < 60; ++i) {
            samples::step_scene(a, data, i);
            samples::step_scene(b, data, i);
            REQUIRE(a.hash() == b.hash());
        }
    }
}

TEST_CASE("another seed gives other bits") {
    for (const char* name : {"pyramid10", "tumble8"}) {
        samples::SceneData one, two;
        World a = world_of(name, one, nullptr, 1), b = world_of(name, two, nullptr, 2);
        CHECK(a.hash() != b.hash());
        for (int i = 0; i < 30; ++i) {
            samples::step_scene(a, one, i);
            samples::step_scene(b, two, i);
        }
        CHECK(a.hash() != b.hash());
    }
}

TEST_CASE("a copy stepped 300 times beside its original keeps the same hash" * doctest::test_suite("slow")) {
    for (const char* name : {"dominoes", "pyramid10", "tumble8", "shapes"}) {
        CAPTURE(std::string(name));
        samples::SceneData data;
        std::vector<BodyId> ids;
        World world = world_of(name, data, &ids);
        for (int i = 0; i < 90; ++i) samples::step_scene(world, data, i);
        World copy = world;
        REQUIRE(copy.hash() == world.hash());
        for (int i = 90; i < 390; ++i) {
            samples::step_scene(world, data, i);
            samples::step_scene(copy, data, i);
            REQUIRE(copy.hash() == world.hash());
        }
    }
}

TEST_CASE("a copy keeps the same hash through removals, teleports, sleep and what the caller adds" *
          doctest::test_suite("slow")) {
    World world = rain(4, 120);
    run(world, 45);
    World copy = world;
    Random random(5);
    std::vector<BodyId> ids = world.bodies();
    for (int i = 0; i < 300; ++i) {
        if (i % 10 == 5) {
            const std::size_t k = 1 + random.below(static_cast<std::uint32_t>(ids.size() - 1));
            const BodyDef def = body(box(vec3(0.3f)), vec3(0, 6, 0) + random.in_box(vec3(1.0f)));
            const vec3 place = vec3(0, 2, 0) + random.in_box(vec3(1.0f));
            BodyId added;
            for (World* w : {&world, &copy}) {
                if (i % 30 == 5) {
                    REQUIRE(w->remove_body(ids[k]));
                } else if (i % 30 == 15) {
                    REQUIRE(w->set_transform(ids[k], place, quat(1, 0, 0, 0)));
                } else {
                    const BodyId id = add(*w, def);
                    if (w == &copy) CHECK(id == added);
                    added = id;
                }
            }
            if (i % 30 == 5) ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(k));
            if (!added.is_null()) ids.push_back(added);
        }
        run(world, 1);
        run(copy, 1);
        REQUIRE(copy.hash() == world.hash());
        REQUIRE(copy.contacts_begun().size() == world.contacts_begun().size());
        REQUIRE(copy.awake_body_count() == world.awake_body_count());
    }
    run(world, 900);
    run(copy, 900);
    CHECK(copy.hash() == world.hash());
    CHECK(copy.awake_body_count() == world.awake_body_count());
    MESSAGE(world.awake_body_count(), " of ", world.body_count(), " awake at the end");
}

TEST_CASE("a copy of a copy made in the middle of sleep is as good as the original") {
    World world = rain(6, 40);
    run(world, 900);
    World copy = World(world);
    World assigned;
    run(assigned, 3);
    assigned = copy;
    const BodyId some = world.bodies()[10];
    for (World* w : {&world, &copy, &assigned}) {
        w->apply_impulse(some, {0, 500, 0});
        run(*w, 200);
    }
    CHECK(copy.hash() == world.hash());
    CHECK(assigned.hash() == world.hash());
}

TEST_CASE("bodies that are far away change nothing here") {
    World alone = rain(7, 60), crowded = rain(7, 60, 40);
    const std::vector<BodyId> ids = alone.bodies();
    for (int i = 0; i < 200; ++i) {
        run(alone, 1);
        run(crowded, 1);
        for (const BodyId id : ids) {
            REQUIRE(alone.position(id) == crowded.position(id));
            REQUIRE(alone.linear_velocity(id) == crowded.linear_velocity(id));
        }
    }
}

TEST_CASE("the hash sees every pose and velocity") {
    World world = rain(8, 10);
    const std::uint64_t hash = world.hash();
    const BodyId id = world.bodies()[4];
    World w = world;
    CHECK(w.hash() == hash);
    w.set_linear_velocity(id, w.linear_velocity(id) + vec3(1e-5f, 0, 0));
    CHECK(w.hash() != hash);
    w = world;
    w.set_angular_velocity(id, {0, 0, 1e-20f});
    CHECK(w.hash() != hash);
    w = world;
    w.set_transform(id, w.position(id) + dvec3(0, 1e-5, 0), w.rotation(id));
    CHECK(w.hash() != hash);
    w = world;
    w.remove_body(id);
    CHECK(w.hash() != hash);
}

TEST_CASE("free collisions conserve linear momentum to rounding, and gain no energy") {
    for (const float e : {0.0f, 0.5f, 1.0f}) {
        CAPTURE(e);
        World world(weightless());
        Random random(12);
        std::vector<BodyId> ids;
        for (int i = 0; i < 60; ++i) {
            BodyDef def = body(i % 2 ? sphere(0.4f) : box({0.3f, 0.4f, 0.2f}),
                               {1.1f * static_cast<float>(i % 4), 1.1f * static_cast<float>(i / 4 % 4),
                                1.1f * static_cast<float>(i / 16)});
            def.density = random.between(100.0f, 3000.0f);
            def.linear_velocity = random.in_box(vec3(4.0f));
            def.angular_velocity = random.in_box(vec3(4.0f));
            def.material.restitution = e;
            ids.push_back(add(world, def));
        }
        const auto measure = [&](glm::dvec3& p, glm::dvec3& l, double& energy, double& scale) {
            p = l = glm::dvec3(0.0);
            energy = scale = 0.0;
            for (const BodyId id : ids) {
                const dvec3 v(world.linear_velocity(id)), c = world.center_of_mass(id);
                const double m = world.mass(id);
                p += m * v;
                l += glm::cross(c, m * v) + spin_momentum(world, id);
                energy += kinetic_energy(world, id);
                scale += m * glm::length(v);
            }
        };
        glm::dvec3 p0, l0, p1, l1;
        double e0, e1, scale, ignored;
        measure(p0, l0, e0, scale);
        std::size_t hits = 0;
        double last = e0;
        for (int i = 0; i < 240; ++i) {
            run(world, 1);
            hits += world.contacts_begun().size();
            measure(p1, l1, e1, ignored);
            CHECK(e1 < last * (1.0 + (e == 1.0f ? 5e-3 : 1e-3)));
            last = e1;
        }
        CHECK(hits > 30);
        CHECK(glm::length(p1 - p0) < 1e-6 * scale);
        MESSAGE(hits, " hits, energy ", e1 / e0, ", angular momentum off by ", glm::length(l1 - l0) / (scale * 3.0));
        CHECK(glm::length(l1 - l0) < 5e-3 * scale * 3.0);  // 3 m is their distance from the centre
    }
}
