/// Scenes that are saved in the middle and go on.

#include "samples/scenes/kit/random.h"
#include "samples/scenes/scene.h"
#include "samples/soak/joint_world.h"
#include "samples/soak/text_run.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

using namespace talus;
using namespace talus::samples;

namespace {

struct Run {
    const char* scene;
    int before, after;
};

// Joints, meshes, sleeping bodies, continuous collision, stiff groups, high walls, belts, compounds.
constexpr Run runs[] = {
    {"stack20", 20, 600},     {"tower30", 90, 600},     {"pyramid10", 200, 600}, {"dominoes", 100, 600},
    {"card_house", 50, 600},  {"arch", 30, 600},        {"cradle", 77, 600},     {"bridge", 60, 600},
    {"ragdolls", 90, 600},    {"car", 150, 600},        {"gears", 40, 600},      {"conveyor", 60, 600},
    {"bullets", 31, 600},     {"shapes", 33, 600},      {"explosion", 62, 600},  {"buoyancy", 45, 600},
    {"joint_kinds", 80, 600}, {"tooth_gears", 60, 200}, {"marble_run", 200, 60}, {"terrain", 100, 20}};

}  // namespace

TEST_CASE("a scene that is saved and loaded in the middle has the same hash after each of the next steps") {
    for (const Run& run : runs) {
        CAPTURE(run.scene);
        const Result<SceneData> scene = find_scene(run.scene)->make({});
        REQUIRE(scene);
        World world = make_world(*scene);
        for (int step = 0; step < run.before; ++step) step_scene(world, *scene, step);
        const Result<std::vector<std::byte>> saved = world.save();
        REQUIRE_MESSAGE(static_cast<bool>(saved), saved.error().message);
        Result<World> loaded = World::load(*saved);
        REQUIRE_MESSAGE(static_cast<bool>(loaded), loaded.error().message);
        for (int step = run.before; step < run.before + run.after; ++step) {
            CAPTURE(step);
            step_scene(world, *scene, step);
            step_scene(*loaded, *scene, step);
            REQUIRE(world.hash() == loaded->hash());
        }
    }
}

TEST_CASE("a world that is assigned over an older or a newer one goes on as a new copy does") {
    struct Game {
        World world;
        std::optional<TextRun> run;
        int step = 0;

        void assign(const Game& other) {
            world = other.world;
            run.emplace(*other.run);
            step = other.step;
        }
        bool play() {
            run->prepare(world, step);
            return world.step(run->dt(step++));
        }
    };
    std::size_t joints = 0, jumps = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        CAPTURE(seed);
        const WorldText text = joint_world(seed);
        std::array<Game, 4> games;
        for (Game& game : games) {
            game.world = make_text_world(text);
            game.run.emplace(text);
        }
        Random random(seed);
        const auto any = [&]() -> Game& { return games[random.below(static_cast<std::uint32_t>(games.size()))]; };
        for (int round = 0; round < 40; ++round) {
            Game &from = any(), &to = any();
            if (&from == &to) continue;
            const World copy = from.world;
            Game fresh{copy, *from.run, from.step};
            to.assign(from);
            const int steps = 1 + static_cast<int>(random.below(5));
            for (int i = 0; i < steps; ++i) {
                CAPTURE(round);
                REQUIRE(to.play() == fresh.play());
                REQUIRE(to.world.hash() == fresh.world.hash());
            }
            const auto bytes = to.world.save(), fresh_bytes = fresh.world.save();
            REQUIRE(static_cast<bool>(bytes) == static_cast<bool>(fresh_bytes));
            if (bytes) REQUIRE(*bytes == *fresh_bytes);
            joints += to.world.joint_count();
            ++jumps;
        }
    }
    CHECK(jumps > 3000);
    CHECK(joints > 10 * jumps);
}
