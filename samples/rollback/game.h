#pragma once
/// The game that two peers play over a network: two players run about an arena, push over stacks of crates, kick, throw
/// and pull things on a rope, and score a goal when a ball enters a goal.
///
/// `Game` is everything that the next frame depends on: the world, and what the game keeps besides it (players, their
/// scores, the state of the random generator). A rollback copies a Game and nothing else. A value that is kept anywhere
/// else, such as a score in a global variable, would not go back with the world.
///
/// `advance` is the only function that changes a Game. Its result depends on the Game and on the inputs, and on nothing
/// else: no clock, no address, no file, no order of a hash table.

#include <talus/talus.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace talus::samples::rollback {

inline constexpr float dt = 1.0f / 60.0f;  ///< length of a frame, s

/// Bits of Input::buttons. Opposite directions cancel each other.
enum Button : std::uint8_t {
    button_left = 1,
    button_right = 2,
    button_forward = 4,
    button_back = 8,
    button_jump = 16,
    button_kick = 32,   ///< gives an impulse to everything in front of the player
    button_grab = 64,   ///< ties the nearest thing to the player with a rope, for as long as the button is pressed
    button_throw = 128  ///< throws a new ball; each player's oldest ball is removed when there are too many
};

/// What a player does in a frame. Each of the 256 values is a valid input, so bytes of the network need no check.
struct Input {
    std::uint8_t buttons = 0;
    friend bool operator==(const Input&, const Input&) = default;
};

inline constexpr int player_count = 2;
using Inputs = std::array<Input, player_count>;

struct Player {
    BodyId body;
    vec3 facing{1.0f, 0.0f, 0.0f};       ///< horizontal direction of the last steps, of length 1
    JointId rope;                        ///< null, or stale after it broke: no rope
    std::uint32_t kick_pause = 0;        ///< frames until the player can kick again
    std::uint32_t throw_pause = 0;       ///< frames until the player can throw again
    std::array<BodyId, 6> thrown_balls;  ///< a ring
    std::uint32_t next_thrown = 0;       ///< index of the oldest thrown ball, which the next one replaces
    std::uint32_t score = 0;
};

struct Game {
    World world;
    std::array<Player, player_count> players;
    std::uint32_t random = 1;  ///< state of the generator that decides where a ball reappears
};

/// Builds the arena: about 130 bodies. Each call returns an equal game.
Game make_game();

/// Plays one frame.
void advance(Game& game, const Inputs& inputs);

/// Returns a hash of the world's poses and velocities, and of everything else in the game.
std::uint64_t hash(const Game& game);

/// Returns the game as bytes, for a player who joins later.
Result<std::string> save(const Game& game);
/// Returns the game that save() has saved. The bytes may come from anywhere; an Error says why they are refused.
Result<Game> load(std::string_view bytes);

/// Stands for a person at the keys: presses buttons at random and holds them for a while. Another seed is another
/// person.
Input random_input(std::uint64_t seed, int player, int frame);

}  // namespace talus::samples::rollback
