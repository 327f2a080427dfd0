/// A world that is rewound when input arrives late, as games over a network do. docs/saving.md explains it.
#include <talus/talus.h>

#include <cstdio>
#include <vector>

constexpr float dt = 1.0f / 60.0f;

/// What a player does in a frame.
struct Input {
    bool push = false;
};

void play(talus::World& world, talus::BodyId player, const Input& input) {
    if (input.push) world.apply_impulse(player, {400.0f, 300.0f, 0.0f});
    world.step(dt);
}

/// The last frames of a world: before each one, its state and the input that was used.
class History {
public:
    explicit History(std::size_t frames) : worlds_(frames), inputs_(frames) {}

    /// Plays the next frame with the input that is known by now.
    void advance(talus::World& world, talus::BodyId player, const Input& input) {
        worlds_[frame_ % worlds_.size()] = world;  // allocates only if a list is longer than ever before
        inputs_[frame_ % inputs_.size()] = input;
        ++frame_;
        play(world, player, input);
    }

    /// The input of an earlier frame has arrived: goes back to that frame, and plays from there to the present.
    void correct(talus::World& world, talus::BodyId player, std::size_t frame, const Input& input) {
        const std::size_t present = frame_;
        inputs_[frame % inputs_.size()] = input;
        world = worlds_[frame % worlds_.size()];
        for (frame_ = frame; frame_ < present;) advance(world, player, inputs_[frame_ % inputs_.size()]);
    }

    std::size_t frame() const { return frame_; }

private:
    std::vector<talus::World> worlds_;
    std::vector<Input> inputs_;
    std::size_t frame_ = 0;
};

talus::World make_world(talus::BodyId& player) {
    talus::World world;
    world.add_body({.type = talus::BodyType::fixed, .shape = talus::box({20, 1, 20}), .position = {0, -1, 0}});
    player = world.add_body({.shape = talus::sphere(0.4f), .position = {-3, 0.4f, 0}, .density = 500});
    for (int i = 0; i < 12; ++i) {
        world.add_body({.shape = talus::box({0.25f, 0.25f, 0.25f}),
                        .position = {0.0f, 0.25f + 0.5f * static_cast<float>(i % 6), i < 6 ? 0.0f : 0.6f}});
    }
    return world;
}

int main() {
    talus::BodyId player;
    talus::World on_time = make_world(player);
    talus::World late = on_time;
    History history(9);

    // The player pushes every 20 frames. One world knows at once, the other one 8 frames later.
    constexpr std::size_t delay = 8;
    const auto input_of = [](std::size_t frame) { return Input{frame % 20 == 5}; };
    std::size_t corrections = 0;
    for (std::size_t frame = 0; frame < 300; ++frame) {
        play(on_time, player, input_of(frame));
        history.advance(late, player, Input{});  // it guesses that nobody pushes
        if (frame >= delay && input_of(frame - delay).push) {
            history.correct(late, player, frame - delay, input_of(frame - delay));
            ++corrections;
        }
    }
    std::printf("%zu corrections\n", corrections);
    std::printf("input on time: %016llx\n", static_cast<unsigned long long>(on_time.hash()));
    std::printf("input late:    %016llx\n", static_cast<unsigned long long>(late.hash()));
    return on_time.hash() == late.hash() ? 0 : 1;
}
