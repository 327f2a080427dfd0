/// Piles of the scene library at default settings: they stand, they hold, they fall asleep.

#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace talus;

namespace {

struct Pile {
    samples::SceneData data;
    std::vector<BodyId> ids;
    World world;

    Pile(const char* name, bool sleep, float jitter) {
        const samples::Scene* scene = samples::find_scene(name);
        REQUIRE(scene != nullptr);
        samples::SceneOptions options;
        options.jitter = jitter;
        Result<samples::SceneData> made = scene->make(options);
        REQUIRE(made);
        data = *made;
        WorldDef def;
        def.allow_sleep = sleep;
        world = samples::make_world(data, &ids, def);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) REQUIRE(samples::step_scene(world, data, done++));
    }

    /// Largest horizontal way of any dynamic body from where it was put, m.
    float sideways() const {
        float most = 0.0f;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const vec3 d = world.position(ids[i]) - data.bodies[i].position;
            if (data.bodies[i].type == BodyType::dynamic) most = std::max(most, std::sqrt(d.x * d.x + d.z * d.z));
        }
        return most;
    }

    int done = 0;
};

/// Every dynamic body is still inside the box of the fixed ones, and above the floor.
void check_contained(const Pile& pile) {
    Aabb bin = pile.world.bounds(pile.ids[0]);
    for (std::size_t i = 0; i < pile.ids.size(); ++i) {
        if (pile.data.bodies[i].type == BodyType::fixed) bin = merge(bin, pile.world.bounds(pile.ids[i]));
    }
    int outside = 0;
    for (std::size_t i = 0; i < pile.ids.size(); ++i) {
        const vec3 p = pile.world.position(pile.ids[i]);
        const bool in = p.x > bin.lower.x && p.x < bin.upper.x && p.z > bin.lower.z && p.z < bin.upper.z && p.y > 0.0f;
        if (pile.data.bodies[i].type == BodyType::dynamic && !in) ++outside;
    }
    CHECK(outside == 0);
}

}  // namespace

TEST_CASE("a jittered tower of twenty boxes stands for twenty seconds") {
    Pile pile("stack20", false, 0.01f);
    const vec3 top = pile.world.position(pile.ids.back());
    pile.run(1200);
    const float way = glm::distance(pile.world.position(pile.ids.back()), top);
    MESSAGE("the top is ", way, " m from its place");
    CHECK(way < 0.05f);
}

TEST_CASE("a jittered pyramid of 820 boxes stays in place for 2000 steps") {
    Pile pile("pyramid40", false, 0.01f);
    pile.run(2000);
    MESSAGE("sideways at most ", pile.sideways(), " m");
    CHECK(pile.sideways() < 0.1f);
}

TEST_CASE("bins hold what falls into them, and it hardly overlaps once it rests") {
    for (const char* name : {"hullpile", "mixed"}) {
        CAPTURE(name);
        Pile pile(name, false, 0.0f);
        pile.run(480);
        check_contained(pile);
        float mean = 0.0f, max = 0.0f;
        for (int i = 0; i < 20; ++i) {
            pile.run(1);
            mean = std::max(mean, pile.world.profile().mean_penetration);
            max = std::max(max, pile.world.profile().max_penetration);
        }
        MESSAGE(name, ": overlap mean ", mean, " m, max ", max, " m");
        CHECK(mean < 0.002f);
        CHECK(max < 0.02f);
    }
}

TEST_CASE("every pile is asleep within twenty seconds") {
    for (const char* name : {"stack20", "pyramid10", "pyramid40", "wall", "hullpile", "mixed", "bighulls44", "bighulls"}) {
        for (const float jitter : {0.0f, 0.01f}) {
            CAPTURE(name);
            CAPTURE(jitter);
            Pile pile(name, true, jitter);
            while (pile.world.awake_body_count() != 0 && pile.done < 1200) pile.run(20);
            CHECK(pile.world.awake_body_count() == 0);
        }
    }
}
