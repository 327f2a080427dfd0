/// For the test of a library without joints and meshes (small.cmake). Prints the hash of a heap after 100 steps, then
/// for each thing that such a library must refuse "taken", or why it is refused.
///
///     small FILE    writes a world with a joint to FILE, if the library has joints; else it must refuse to load FILE

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/talus.h>

#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

using namespace talus;

static void print(const char* what, bool taken, const std::string& why) {
    std::printf("%s: %s\n", what, taken ? "taken" : why.c_str());
}

int main(int, char** arguments) {
    World world;
    world.add_body({.type = BodyType::fixed, .shape = box({50, 1, 50}), .position = {0, -1, 0}});
    BodyId a, b;
    for (int i = 0; i < 64; ++i) {
        b = a;
        a = world.add_body({.shape = i % 3 == 0 ? sphere(0.5f) : box({0.5f, 0.4f, 0.5f}),
                            .position = {1.05 * (i % 4), 0.6 + 1.1 * (i / 16), 1.05 * (i / 4 % 4)}});
    }
    World copy = world;
    for (int i = 0; i < 100; ++i) {
        world.step(1.0f / 60.0f);
        if (i == 50) copy = world;
    }
    for (int i = 51; i < 100; ++i) copy.step(1.0f / 60.0f);
    const Result<World> loaded = World::load(*world.save());
    std::printf("%016" PRIx64 " %d %d\n", world.hash(), copy.hash() == world.hash(),
                loaded && loaded->hash() == world.hash());

    const std::vector<float> heights(9, 0.0f);
    const auto ground = make_height_field({.columns = 3, .rows = 3, .heights = heights});
    const BodyId body = world.add_body({.type = BodyType::fixed, .mesh = *ground, .position = {0, -5, 0}});
    print("mesh", static_cast<bool>(body), world.last_error().message);
    const JointId joint = world.add_joint(BallDef{.frames = world.joint_frames(a, b, world.position(a))});
    print("joint", static_cast<bool>(joint), world.last_error().message);
    if (joint) {
        const std::vector<std::byte> bytes = *world.save();
        std::ofstream(arguments[1], std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<World> saved = World::load(std::as_bytes(std::span(text)));
    print("saved world", static_cast<bool>(saved), saved ? "" : saved.error().message);
}
