/// A game that is saved to a file, quit, loaded and played on. docs/saving.md explains it.
#include <talus/talus.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// A pile of crates. Each crate has a number of its own, which the game knows.
void build(talus::World& world) {
    world.add_body({.type = talus::BodyType::fixed, .shape = talus::box({20, 1, 20}), .position = {0, -1, 0}});
    for (int i = 0; i < 30; ++i) {
        talus::BodyDef crate{.shape = talus::box({0.5f, 0.5f, 0.5f}),
                             .position = {0.3f * static_cast<float>(i % 3), 0.5f + 1.2f * static_cast<float>(i), 0}};
        crate.user_data = static_cast<std::uint64_t>(i);
        world.add_body(crate);
    }
}

bool write_file(const std::string& path, const std::vector<std::byte>& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
}

std::vector<std::byte> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

/// Writes the world to a file.
bool save_game(const talus::World& world, const std::string& path) {
    const talus::Result<std::vector<std::byte>> bytes = world.save();
    if (!bytes) {
        std::fprintf(stderr, "%s\n", bytes.error().message.c_str());
        return false;
    }
    return write_file(path, *bytes);
}

/// Replaces the world by the one in a file. If the file is damaged, the world stays as it is.
bool load_game(talus::World& world, const std::string& path) {
    talus::Result<talus::World> loaded = talus::World::load(read_file(path));
    if (!loaded) {
        std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
        return false;
    }
    world = std::move(*loaded);
    return true;
}

int main(int argc, char** argv) {
    const std::string path = argc > 1 ? argv[1] : "saved_game.talus";
    constexpr float dt = 1.0f / 60.0f;

    talus::World world;
    build(world);
    for (int i = 0; i < 120; ++i) world.step(dt);
    if (!save_game(world, path)) return 1;
    for (int i = 0; i < 600; ++i) world.step(dt);
    std::printf("played on:  %016llx\n", static_cast<unsigned long long>(world.hash()));

    talus::World later;  // as if the program had been started again
    if (!load_game(later, path)) return 1;
    for (int i = 0; i < 600; ++i) later.step(dt);
    std::printf("loaded:     %016llx\n", static_cast<unsigned long long>(later.hash()));
    return world.hash() == later.hash() ? 0 : 1;
}
