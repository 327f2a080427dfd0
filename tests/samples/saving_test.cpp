/// Scenes that are saved in the middle and go on.

#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <cstddef>
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
    for (const auto& [name, before, after] : runs) {
        CAPTURE(name);
        const Result<SceneData> scene = find_scene(name)->make({});
        REQUIRE(scene);
        World world = make_world(*scene);
        for (int step = 0; step < before; ++step) step_scene(world, *scene, step);
        const Result<std::vector<std::byte>> saved = world.save();
        REQUIRE_MESSAGE(static_cast<bool>(saved), saved.error().message);
        Result<World> loaded = World::load(*saved);
        REQUIRE_MESSAGE(static_cast<bool>(loaded), loaded.error().message);
        for (int step = before; step < before + after; ++step) {
            CAPTURE(step);
            step_scene(world, *scene, step);
            step_scene(*loaded, *scene, step);
            REQUIRE(world.hash() == loaded->hash());
        }
    }
}
