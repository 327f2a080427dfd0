#include "samples/rollback/game.h"

#include "samples/recording/bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace talus::samples::rollback {

namespace {

// Layers of collision filters.
constexpr std::uint32_t layer_arena = 1, layer_thing = 2, layer_player = 4;

// What user_data says of a body. Contact events name bodies, and the game must know what they are.
constexpr std::uint64_t tag_ball = 1;
constexpr std::uint64_t tag_goal = 2;  // tag_goal + p: a ball in this goal is a point for player p

constexpr float arena_x = 12.0f, arena_z = 8.0f;  // half the size of the floor, m
constexpr float walk_speed = 5.0f;                // m/s
constexpr float step_on_ground = 0.8f;            // largest change of the walking speed in a frame, m/s
constexpr float step_in_air = 0.1f;               // the same in the air, m/s
constexpr float jump_speed = 5.5f;                // m/s
constexpr float kick_speed = 6.0f;                // m/s, of a body of kick_mass; heavier ones are slower
constexpr float kick_mass = 80.0f;                // kg
constexpr float rope_reach = 2.5f;                // m, farthest body that can be grabbed
constexpr float rope_strength = 20'000.0f;        // N; a stronger pull breaks the rope
constexpr float player_half_height = 0.5f;        // m, of the cylindrical part
constexpr float player_radius = 0.4f;             // m
constexpr std::uint32_t frames_between_kicks = 20;
constexpr std::uint32_t frames_between_throws = 45;

// ---- The arena -------------------------------------------------------------------------------------------------------

BodyId add_fixed(World& world, const vec3& half_extents, const dvec3& position) {
    return world.add_body({.type = BodyType::fixed, .shape = box(half_extents), .position = position});
}

BodyId add_thing(World& world, const Shape& shape, const dvec3& position, float density) {
    return world.add_body(
        {.shape = shape, .position = position, .density = density, .filter = {.category = layer_thing}});
}

void add_ball(World& world, const dvec3& position) {
    world.add_body({.shape = sphere(0.4f),
                    .position = position,
                    .material = {.restitution = 0.6f, .rolling_resistance = 0.005f},
                    .density = 150,
                    .filter = {.category = layer_thing},
                    .user_data = tag_ball});
}

/// A triangle of crates that stands across the arena, in front of a goal.
void add_pyramid(World& world, float x) {
    constexpr int rows = 6;
    constexpr float half = 0.3f, pitch = 0.62f;
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < rows - row; ++i) {
            const float z = (static_cast<float>(i) - 0.5f * static_cast<float>(rows - row - 1)) * pitch;
            add_thing(world, box(vec3(half)), {x, half + 2.0f * half * static_cast<float>(row), z}, 100);
        }
    }
}

void add_tower(World& world, float x, float z) {
    for (int i = 0; i < 6; ++i)
        add_thing(world, box({0.35f, 0.25f, 0.35f}), {x, 0.25f + 0.5f * static_cast<float>(i), z}, 100);
}

void add_dominoes(World& world, float z) {
    for (int i = 0; i < 16; ++i)
        add_thing(world, box({0.08f, 0.5f, 0.25f}), {-4.5f + 0.6f * static_cast<float>(i), 0.5f, z}, 100);
}

/// A chain with a heavy ball at its end, which is let go from the side.
void add_wrecking_ball(World& world, const dvec3& hook, float side) {
    BodyId above = add_fixed(world, vec3(0.2f), hook);
    constexpr int links = 6;
    constexpr float pitch = 0.5f;
    const auto at = [&](float distance) { return displaced(hook, {side * distance, 0.0f, 0.0f}); };
    const auto join = [&](BodyId next, float distance) {
        world.add_joint(BallDef{.frames = world.joint_frames(above, next, at(distance))});
        above = next;
    };
    for (int i = 0; i < links; ++i) {
        const float distance = pitch * static_cast<float>(i);
        const BodyId link = world.add_body({.shape = capsule(0.17f, 0.06f),
                                            .position = at(distance + 0.5f * pitch),
                                            .rotation = {0.7071068f, 0.0f, 0.0f, 0.7071068f},  // lies along x
                                            .density = 2000,
                                            .filter = {.category = layer_thing}});
        join(link, distance);
    }
    constexpr float end = pitch * links;
    join(add_thing(world, sphere(0.45f), at(end + 0.45f), 600), end);
}

/// A plank on a hinge.
void add_seesaw(World& world, const dvec3& place) {
    const dvec3 axle = displaced(place, {0, 0.5f, 0});
    const BodyId stand = add_fixed(world, {0.1f, 0.2f, 0.5f}, displaced(place, {0, 0.2f, 0}));
    const BodyId plank = add_thing(world, box({1.8f, 0.06f, 0.5f}), axle, 300);
    world.add_joint(HingeDef{.frames = world.joint_frames(stand, plank, axle, {0, 0, 1}), .limit = {-0.3f, 0.3f}});
}

/// A bar that a motor turns.
void add_turnstile(World& world, const dvec3& place) {
    const dvec3 pivot = displaced(place, {0, 0.6f, 0});
    const BodyId post = add_fixed(world, {0.1f, 0.5f, 0.1f}, displaced(place, {0, 0.5f, 0}));
    const BodyId bar = add_thing(world, box({1.2f, 0.1f, 0.1f}), pivot, 500);
    world.add_joint(HingeDef{.frames = world.joint_frames(post, bar, pivot, {0, 1, 0}),
                             .motor = {.speed = 2.0f, .max_force = 200.0f}});
}

dvec3 start_of(int player) { return {player == 0 ? -5.0f : 5.0f, player_half_height + player_radius, 0.0f}; }

// ---- What players do -------------------------------------------------------------------------------------------------

vec3 direction_of(Input input) {
    const auto axis = [&](Button plus, Button minus) {
        return static_cast<float>((input.buttons & plus) != 0) - static_cast<float>((input.buttons & minus) != 0);
    };
    const vec3 direction{axis(button_right, button_left), 0.0f, axis(button_back, button_forward)};
    const float length = glm::length(direction);
    return length > 0.0f ? direction / length : direction;
}

void walk(World& world, const Player& player, const vec3& direction, bool on_ground) {
    vec3 change = walk_speed * direction - world.linear_velocity(player.body);
    change.y = 0.0f;
    const float length = glm::length(change), largest = on_ground ? step_on_ground : step_in_air;
    if (length > largest) change *= largest / length;
    world.apply_impulse(player.body, world.mass(player.body) * change);
}

void jump(World& world, const Player& player) {
    const float rise = jump_speed - world.linear_velocity(player.body).y;
    if (rise > 0.0f) world.apply_impulse(player.body, {0.0f, world.mass(player.body) * rise, 0.0f});
}

void kick(World& world, Player& player) {
    if (player.kick_pause > 0) return;
    player.kick_pause = frames_between_kicks;
    const dvec3 foot = displaced(world.position(player.body), 0.9f * player.facing);
    const vec3 direction = player.facing + vec3(0.0f, 0.5f, 0.0f);
    for (const BodyId body : world.overlap(sphere(0.7f), {foot, {1.0f, 0.0f, 0.0f, 0.0f}}, {.mask = layer_thing}))
        world.apply_impulse(body, std::min(world.mass(body), kick_mass) * kick_speed * direction);
}

/// Adds the rope when the button goes down, and removes it when the button goes up.
void grab(World& world, Player& player, bool pressed) {
    const bool tied = world.is_valid(player.rope);
    if (pressed && !tied) {
        const dvec3 place = world.position(player.body);
        const std::vector<NearHit> nearest = world.nearest(place, 1, rope_reach, {.mask = layer_thing});
        if (nearest.empty()) return;
        const vec3 apart(world.position(nearest[0].body) - place);
        const float length = std::max(1.5f, glm::length(apart));
        player.rope =
            world.add_joint(DistanceDef{.frames = {.body_a = player.body, .body_b = nearest[0].body},
                                        .length = {0.0f, length},
                                        .options = {.collide_connected = true, .break_force = rope_strength}});
    } else if (!pressed && tied) {
        world.remove_joint(player.rope);
        player.rope = {};
    }
}

void throw_ball(World& world, Player& player) {
    if (player.throw_pause > 0) return;
    constexpr float radius = 0.2f;
    const dvec3 hand = displaced(world.position(player.body), 0.8f * player.facing + vec3(0.0f, 0.4f, 0.0f));
    if (world.overlap_any(sphere(radius), {hand, {1.0f, 0.0f, 0.0f, 0.0f}})) return;  // no room for it
    player.throw_pause = frames_between_throws;
    BodyId& ball = player.thrown_balls[player.next_thrown % player.thrown_balls.size()];
    ++player.next_thrown;
    if (world.is_valid(ball)) world.remove_body(ball);
    const vec3 velocity = world.linear_velocity(player.body) + 10.0f * player.facing + vec3(0.0f, 2.0f, 0.0f);
    ball = world.add_body({.shape = sphere(radius),
                           .position = hand,
                           .linear_velocity = velocity,
                           .material = {.restitution = 0.3f, .rolling_resistance = 0.01f},
                           .density = 600,
                           .filter = {.category = layer_thing}});
}

void control(World& world, Player& player, Input input) {
    const auto pressed = [&](Button button) { return (input.buttons & button) != 0; };
    if (player.kick_pause > 0) --player.kick_pause;
    if (player.throw_pause > 0) --player.throw_pause;
    const vec3 direction = direction_of(input);
    if (direction != vec3(0.0f)) player.facing = direction;
    const vec3 sole_and_below = {0.0f, -(player_half_height + player_radius + 0.1f), 0.0f};
    const bool on_ground =
        world.ray_cast_any(world.position(player.body), sole_and_below, {.mask = layer_arena | layer_thing});
    walk(world, player, direction, on_ground);
    if (pressed(button_jump) && on_ground) jump(world, player);
    if (pressed(button_kick)) kick(world, player);
    grab(world, player, pressed(button_grab));
    if (pressed(button_throw)) throw_ball(world, player);
}

// ---- Rules -----------------------------------------------------------------------------------------------------------

/// xorshift32 (Marsaglia 2003). Its state is part of the game, so that a frame that is played again draws the same
/// numbers.
float random_between(std::uint32_t& state, float low, float high) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24f;
}

void count_goals(Game& game) {
    struct Goal {
        BodyId ball;
        std::size_t player;
    };
    std::vector<Goal> goals;  // moving a ball changes the world, so the events are read first
    for (const ContactEvent& event : game.world.contacts_begun()) {
        BodyId goal = event.body_a, ball = event.body_b;
        if (game.world.user_data(ball) >= tag_goal) std::swap(goal, ball);
        const std::uint64_t tag = game.world.user_data(goal);
        if (!event.sensor || game.world.user_data(ball) != tag_ball || tag < tag_goal) continue;
        goals.push_back({ball, static_cast<std::size_t>(tag - tag_goal)});
    }
    for (const Goal& goal : goals) {
        ++game.players[goal.player].score;
        const float x = random_between(game.random, -2.0f, 2.0f);
        const float z = random_between(game.random, -2.0f, 2.0f);
        game.world.set_transform(goal.ball, {x, 6.0f, z}, {1.0f, 0.0f, 0.0f, 0.0f});
        game.world.set_linear_velocity(goal.ball, vec3(0.0f));
        game.world.set_angular_velocity(goal.ball, vec3(0.0f));
    }
}

// ---- The state besides the world ---------------------------------------------------------------------------------------

/// Visits each 32-bit number that the game keeps besides the world. hash(), save() and load() all go through this list.
template <class GameOrConst, class Visit>
void visit_numbers(GameOrConst& game, Visit&& visit) {
    for (auto& player : game.players) {
        visit(player.body.slot), visit(player.body.generation);
        visit(player.facing.x), visit(player.facing.y), visit(player.facing.z);
        visit(player.rope.slot), visit(player.rope.generation);
        visit(player.kick_pause), visit(player.throw_pause);
        for (auto& ball : player.thrown_balls) visit(ball.slot), visit(ball.generation);
        visit(player.next_thrown);
        visit(player.score);
    }
    visit(game.random);
}

std::uint64_t mix(std::uint64_t z) {  // the finaliser of splitmix64 (Steele, Lea and Flood 2014)
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace

Game make_game() {
    Game game{.world = World({.handle_tag = 1}), .players = {}};  // all peers have the same handles and saved bytes
    World& world = game.world;
    add_fixed(world, {20.0f, 1.0f, 20.0f}, {0.0f, -1.0f, 0.0f});
    for (const float side : {-1.0f, 1.0f}) {
        add_fixed(world, {0.5f, 6.0f, 9.0f}, {side * (arena_x + 0.5f), 6.0f, 0.0f});
        add_fixed(world, {13.0f, 6.0f, 0.5f}, {0.0f, 6.0f, side * (arena_z + 0.5f)});
        world.add_body({.type = BodyType::fixed,
                        .shape = box({0.3f, 1.0f, 2.0f}),
                        .position = {side * (arena_x - 0.3f), 1.0f, 0.0f},
                        .sensor = true,
                        .user_data = tag_goal + (side < 0.0f ? 1u : 0u)});
        add_pyramid(world, side * 8.0f);
        add_tower(world, side * 3.0f, -5.0f);
        add_tower(world, side * 3.0f, 5.0f);
        add_dominoes(world, side * 7.0f);
        add_ball(world, {side, 0.4f, 2.5f});
        add_ball(world, {side, 0.4f, -2.5f});
        add_wrecking_ball(world, {side * 1.0f, 4.5f, side * 4.0f}, side);
        add_turnstile(world, {side * 10.0f, 0.0f, side * 5.5f});
    }
    add_seesaw(world, {0.0f, 0.0f, 0.0f});
    for (int p = 0; p < player_count; ++p) {
        game.players[static_cast<std::size_t>(p)].body =
            world.add_body({.shape = capsule(player_half_height, player_radius),
                            .position = start_of(p),
                            .material = {.friction = 0.2f},
                            .density = 200,
                            .filter = {.category = layer_player},
                            .locks = lock_turning,
                            .allow_sleep = false});
    }
    return game;
}

void advance(Game& game, const Inputs& inputs) {
    for (std::size_t p = 0; p < inputs.size(); ++p) control(game.world, game.players[p], inputs[p]);
    game.world.step(dt);
    count_goals(game);
}

std::uint64_t hash(const Game& game) {
    std::uint64_t hash = game.world.hash();
    visit_numbers(game, [&](const auto& number) { hash = mix(hash ^ std::bit_cast<std::uint32_t>(number)); });
    return hash;
}

Result<std::string> save(const Game& game) {
    const Result<std::vector<std::byte>> world = game.world.save();
    if (!world) return world.error();
    ByteWriter out;
    visit_numbers(game, [&](const auto& number) { out.u32(std::bit_cast<std::uint32_t>(number)); });
    out.raw({reinterpret_cast<const char*>(world->data()), world->size()});
    return out.bytes();
}

Result<Game> load(std::string_view bytes) {
    Game game;
    ByteReader in(bytes);
    visit_numbers(game, [&]<class Number>(Number& number) { number = std::bit_cast<Number>(in.u32()); });
    if (!in.ok()) return Error{ErrorCode::bad_data, "load: the saved game is shorter than its list of players."};
    // Any other number is harmless: the world refuses handles that are stale and impulses that are not finite.
    const std::string_view rest = in.raw(in.left());
    Result<World> world = World::load({reinterpret_cast<const std::byte*>(rest.data()), rest.size()});
    if (!world) return world.error();
    for (const Player& player : game.players) {
        if (!world->is_valid(player.body))
            return Error{ErrorCode::bad_data, "load: a player has no body in the saved world."};
    }
    game.world = std::move(*world);
    return game;
}

Input random_input(std::uint64_t seed, int player, int frame) {
    const auto draw = [&](int period, std::uint64_t salt) {  // a number that changes every `period` frames
        return mix(mix(seed + salt) ^
                   (static_cast<std::uint64_t>(frame / period) * 2 + static_cast<std::uint64_t>(player)));
    };
    Input input;
    // A direction, or none, for about half a second; each button now and then, for as long as a person would press it.
    input.buttons = static_cast<std::uint8_t>(draw(27, 1) & 15u);
    if (draw(8, 2) % 12 == 0) input.buttons |= button_jump;
    if (draw(6, 3) % 10 == 0) input.buttons |= button_kick;
    if (draw(70, 4) % 3 == 0) input.buttons |= button_grab;
    if (draw(6, 5) % 20 == 0) input.buttons |= button_throw;
    return input;
}

}  // namespace talus::samples::rollback
