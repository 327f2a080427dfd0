#include "tests/fuzz/targets.h"
#include "tests/support/worlds_to_save.h"

#include <talus/talus.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace talus::fuzz {

namespace {

constexpr float dt = 1.0f / 60.0f;

const std::vector<std::vector<std::byte>>& saved_worlds() {
    static const std::vector<std::vector<std::byte>> all = [] {
        std::vector<std::vector<std::byte>> saved;
        for (const test::WorldToSave& each : test::worlds_to_save()) saved.push_back(*each.world.save());
        return saved;
    }();
    return all;
}

/// Changes bytes as the input says: single bits, single bytes, numbers of four bytes, and the length.
std::vector<std::byte> damaged(Input input) {
    const auto byte = [&](std::size_t i) { return i < input.size() ? input[i] : std::uint8_t{0}; };
    const auto& all = saved_worlds();
    std::vector<std::byte> bytes = all[byte(0) % all.size()];
    constexpr std::size_t edit_size = 8;
    for (std::size_t at = 1; at < input.size(); at += edit_size) {
        const std::size_t place =
            (byte(at) | std::size_t{byte(at + 1)} << 8 | std::size_t{byte(at + 2)} << 16) % bytes.size();
        std::uint8_t four[4];
        for (std::size_t i = 0; i < 4; ++i) four[i] = byte(at + 4 + i);
        switch (byte(at + 3) % 8) {
            case 0:
                bytes[place] ^= static_cast<std::byte>(1u << (four[0] & 7u));
                break;
            case 1:
                bytes[place] = static_cast<std::byte>(four[0]);
                break;
            case 2:
                bytes.resize(std::max<std::size_t>(place, 1));
                break;
            case 3: {  // a copy of what is elsewhere
                const std::size_t from =
                    (four[0] | std::size_t{four[1]} << 8 | std::size_t{four[2]} << 16) % bytes.size();
                const std::size_t count =
                    std::min({std::size_t{four[3]} + 1, bytes.size() - place, bytes.size() - from});
                std::memmove(bytes.data() + place, bytes.data() + from, count);
                break;
            }
            default:  // a whole number; small ones and -1 are the likeliest to be believed
                std::memcpy(bytes.data() + place, four, std::min<std::size_t>(4, bytes.size() - place));
        }
    }
    test::mend_checksum(bytes);
    return bytes;
}

}  // namespace

std::string fuzz_load(Input input) {
    const std::vector<std::byte> bytes = damaged(input);
    Result<World> loaded = World::load(bytes);
    if (!loaded) return loaded.error().message.empty() ? "load() refuses without a reason\n" : "";
    const Result<std::vector<std::byte>> again = loaded->save();
    if (!again) return "a loaded world cannot be saved: " + again.error().message + "\n";
    const Result<World> twice = World::load(*again);
    if (!twice) return "a loaded world cannot be loaded again: " + twice.error().message + "\n";
    World copy = *loaded;
    for (int i = 0; i < 4; ++i) {
        if (!loaded->step(dt)) return "a loaded world refuses to step: " + loaded->last_error().message + "\n";
        copy.step(dt);
        if (copy.hash() != loaded->hash()) return "a copy of a loaded world steps to other bits\n";
        for (const BodyId id : loaded->bodies()) {
            if (!is_finite(loaded->position(id)) || !is_finite(loaded->linear_velocity(id)))
                return "a loaded world steps to no number\n";
        }
    }
    loaded->contacts();
    loaded->ray_cast({-5, 1, 0}, {10, -1, 0});
    return "";
}

}  // namespace talus::fuzz
