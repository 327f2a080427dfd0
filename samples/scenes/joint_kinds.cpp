/// Each kind of joint at work, on a board of three by three panels. docs/joints.md shows the panels one by one.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/toothed.h"
#include "samples/scenes/scene_list.h"

namespace talus::samples {

namespace {

constexpr float pi = 3.14159265f;
constexpr float panel_width = 3.2f, panel_height = 3.0f;  // m
constexpr vec3 board_middle(0.0f, 0.0f, -0.55f);          // in its panel, m

/// One panel while it is built. Positions are relative to `middle`.
struct Panel {
    SceneData& scene;
    dvec3 middle;       ///< world, m
    std::size_t board;  ///< the fixed body behind the exhibit
    std::size_t add(BodyDef def) const {
        def.position += middle;
        scene.bodies.push_back(def);
        return scene.bodies.size() - 1;
    }
    std::size_t fixed(const dvec3& center, const vec3& half_extents) const { return add(block(center, half_extents)); }
    std::size_t movable(const Shape& shape, const dvec3& place, float density = 1000.0f) const {
        BodyDef def;
        def.shape = shape;
        def.position = place;
        def.density = density;
        return add(def);
    }
    template <class Def>
    std::size_t tie(std::size_t a, std::size_t b, const dvec3& anchor, const vec3& axis, const Def& def) const {
        return samples::tie(scene, a, b, middle + anchor, axis, def);
    }
};

/// What changes by itself: called before each step.
using Act = std::function<void(SceneBodies& bodies, int step)>;

/// Moves to and fro: +1 and -1 in turns of `steps`, beginning in the middle of a turn.
float direction(int step, int steps) { return (step + steps / 2) / steps % 2 == 0 ? 1.0f : -1.0f; }
bool is_turn(int step, int steps) { return (step + steps / 2) % steps == 0; }

/// A club swings round in the cone that its joint allows.
Act ball(const Panel& panel) {
    constexpr float cone = 0.7f, tilt = 0.6f;
    constexpr vec3 grip(0.0f, 0.9f, 0.0f);  // where the club hangs, m
    panel.fixed({0, 1.0f, -0.22f}, {0.06f, 0.06f, 0.28f});
    BodyDef club;
    club.shapes.resize(2);
    club.shapes[0].shape = capsule(0.5f, 0.06f);
    club.shapes[0].pose.position = {0, -0.56f, 0};
    club.shapes[1].shape = box({0.2f, 0.2f, 0.2f});
    club.shapes[1].pose.position = {0, -1.3f, 0};
    club.position = grip;
    club.rotation = turn({0, 0, 1}, tilt);
    club.angular_velocity = {1.2f, 2.5f, 0.0f};
    const std::size_t body = panel.add(club);
    BallDef def{.cone = cone};
    def.frames.frame_b.rotation = turn({0, 0, 1}, -0.5f * pi);  // x points down the club
    def.frames.frame_a = {grip - board_middle, def.frames.frame_b.rotation};
    panel.scene.joints.push_back({static_cast<std::uint32_t>(panel.board), static_cast<std::uint32_t>(body), def});
    return {};
}

/// A door opens and closes between its limits.
Act hinge(const Panel& panel) {
    constexpr int steps = 120;
    constexpr float torque = 100.0f;  // N m
    const std::size_t post = panel.fixed({-0.95f, 0, 0}, {0.08f, 1.1f, 0.08f});
    panel.fixed({0.85f, 0, 0}, {0.08f, 1.1f, 0.08f});
    const std::size_t door = panel.movable(box({0.8f, 0.95f, 0.05f}), {-0.05f, 0, 0}, 200.0f);
    const std::size_t joint =
        panel.tie(post, door, {-0.86f, 0.97f, 0}, {0, -1, 0}, HingeDef{.limit = {0.0f, 1.4f}, .motor = {1.0f, torque}});
    return [joint](SceneBodies& bodies, int step) {
        if (step % steps == 0) bodies.set_joint_motor(joint, {step / steps % 2 == 0 ? 1.0f : -1.0f, torque});
    };
}

/// A sled runs along a rail.
Act slider(const Panel& panel) {
    constexpr int steps = 100;
    constexpr float force = 2000.0f;  // N
    const std::size_t rail = panel.fixed({0, 0, 0}, {1.3f, 0.06f, 0.06f});
    for (const float side : {-1.3f, 1.3f}) panel.fixed({side, 0, -0.1f}, {0.06f, 0.25f, 0.4f});
    const std::size_t sled = panel.movable(box({0.3f, 0.22f, 0.22f}), {0, 0, 0});
    const std::size_t joint = panel.tie(rail, sled, {0, 0, 0.23f}, {1, 0, 0}, SliderDef{.limit = {-0.9f, 0.9f}});
    return [joint](SceneBodies& bodies, int step) {
        if (step == 0 || is_turn(step, steps)) bodies.set_joint_motor(joint, {1.2f * direction(step, steps), force});
    };
}

/// Two beams of three planks, each welded to the next. The upper one is rigid, the lower one soft.
Act fixed(const Panel& panel) {
    std::size_t ends[2];
    for (int i = 0; i < 2; ++i) {
        const float y = i == 0 ? 0.75f : -0.45f;
        std::size_t last = panel.fixed({-1.15f, y, 0}, {0.2f, 0.25f, 0.25f});
        FixedDef weld;
        if (i == 1) weld.angular_hertz = 16.0f, weld.damping_ratio = 0.1f;
        for (int k = 0; k < 3; ++k) {
            const float x = -0.95f + 0.6f * static_cast<float>(k);
            const std::size_t plank = panel.movable(box({0.3f, 0.05f, 0.2f}), {x + 0.3f, y, 0});
            panel.tie(last, plank, {x, y, 0.2f}, {1, 0, 0}, weld);
            last = plank;
        }
        ends[i] = panel.movable(box({0.17f, 0.17f, 0.17f}), {0.95f, y + 0.22f, 0});
        panel.tie(last, ends[i], {0.85f, y + 0.05f, 0.2f}, {1, 0, 0}, FixedDef{});
    }
    return [upper = ends[0], lower = ends[1]](SceneBodies& bodies, int step) {
        if (step % 150 != 0) return;
        for (const std::size_t end : {upper, lower})
            bodies.apply_impulse(end, {0.0f, 2.0f * bodies.mass(end), 0.0f}, bodies.center_of_mass(end));
    };
}

/// A rod, a rope and a coil spring.
Act distance(const Panel& panel) {
    constexpr float top = 1.1f;
    const std::size_t beam = panel.fixed({0, top, 0}, {1.3f, 0.07f, 0.1f});
    const auto hang = [&](std::size_t body, float x, DistanceDef def, const vec3& on_body) {
        def.frames.frame_a.position = {x, -0.07f, 0};
        def.frames.frame_b.position = on_body;
        panel.scene.joints.push_back({static_cast<std::uint32_t>(beam), static_cast<std::uint32_t>(body), def});
    };
    BodyDef bob;
    bob.shape = sphere(0.2f);
    bob.position = {-0.85f - 0.3f, top - 0.07f - 1.4f, 0};
    hang(panel.add(bob), -0.85f, DistanceDef{}, {0, 0, 0});
    const std::size_t crate = panel.movable(box({0.2f, 0.2f, 0.2f}), {0, top - 1.9f, 0});
    hang(crate, 0.0f, DistanceDef{.length = {0.0f, 1.65f}}, {0, 0.2f, 0});
    const std::size_t weight = panel.movable(cylinder(0.2f, 0.2f), {0.85f, top - 1.1f, 0});
    hang(weight, 0.85f,
         {.length = {0.3f, 2.0f}, .spring = {.hertz = 0.8f, .damping_ratio = 0.01f}, .rest_length = 0.9f},
         {0, 0.2f, 0});
    return [crate](SceneBodies& bodies, int step) {
        // The rope hangs loose while the crate flies.
        if (step % 120 == 60)
            bodies.apply_impulse(crate, {0.0f, 4.0f * bodies.mass(crate), 0.0f}, bodies.center_of_mass(crate));
    };
}

/// A plate moves in the plane of a frame, within limits, and turns. The joint's x axis is at right angles to the plane.
Act six_dof(const Panel& panel) {
    constexpr int across = 160, up = 100;
    constexpr float force = 2000.0f;  // N
    BodyDef border;
    border.type = BodyType::fixed;
    for (const float side : {-1.0f, 1.0f}) {
        ShapeDef bar;
        bar.shape = box({1.35f, 0.06f, 0.06f});
        bar.pose.position = {0, side * 1.1f, 0};
        border.shapes.push_back(bar);
        bar.shape = box({0.06f, 1.1f, 0.06f});
        bar.pose.position = {side * 1.35f, 0, 0};
        border.shapes.push_back(bar);
    }
    const std::size_t base = panel.add(border);
    const std::size_t plate = panel.movable(box({0.35f, 0.2f, 0.06f}), {0, 0, 0});
    SixDofDef def;
    def.frames.frame_a.rotation = def.frames.frame_b.rotation = {0.5f, -0.5f, -0.5f, -0.5f};  // x: z, y: x, z: y
    def.move_y.limit = {-0.85f, 0.85f};
    def.move_z.limit = {-0.6f, 0.6f};
    def.turn_x = {.limit = {}, .motor = {1.5f, 100.0f}};
    panel.scene.joints.push_back({static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(plate), def});
    const std::size_t joint = panel.scene.joints.size() - 1;
    return [joint](SceneBodies& bodies, int step) {
        if (step == 0 || is_turn(step, across))
            bodies.set_joint_motor(joint, {0.6f * direction(step, across), force}, JointAxis::move_y);
        if (step == 0 || is_turn(step, up))
            bodies.set_joint_motor(joint, {0.7f * direction(step, up), force}, JointAxis::move_z);
    };
}

/// A cart drives to and fro over a bump under its near wheels.
Act wheel(const Panel& panel) {
    constexpr int steps = 100;
    constexpr float radius = 0.25f, ground = -1.1f;
    BodyDef shelf;
    shelf.type = BodyType::fixed;
    shelf.shapes.resize(4);
    shelf.shapes[0].shape = box({1.5f, 0.06f, 0.7f});
    shelf.shapes[0].pose.position = {0, ground - 0.06f, 0};
    shelf.shapes[1].shape = box({0.05f, 0.2f, 0.7f});
    shelf.shapes[1].pose.position = {-1.5f, ground + 0.2f, 0};
    shelf.shapes[2].shape = shelf.shapes[1].shape;
    shelf.shapes[2].pose.position = {1.5f, ground + 0.2f, 0};
    shelf.shapes[3].shape = cylinder(0.25f, 0.5f);
    shelf.shapes[3].pose = {{0, ground - 0.44f, 0.38f}, turn({1, 0, 0}, 0.5f * pi)};
    panel.add(shelf);
    const float axle = ground + radius;
    BodyDef cart;
    cart.shapes.resize(2);
    cart.shapes[0].shape = box({0.75f, 0.1f, 0.28f});
    cart.shapes[1].shape = box({0.35f, 0.15f, 0.24f});
    cart.shapes[1].pose.position = {0, 0.25f, 0};
    cart.shapes[1].density = 100.0f;
    cart.position = {0, axle + 0.2f, 0};
    const std::size_t chassis = panel.add(cart);
    std::size_t wheels[4];
    for (int i = 0; i < 4; ++i) {
        const vec3 place(i % 2 ? 0.5f : -0.5f, axle, i < 2 ? 0.38f : -0.38f);
        BodyDef rim;
        rim.shape = cylinder(0.09f, radius);
        rim.position = place;
        rim.rotation = turn({1, 0, 0}, 0.5f * pi);  // its own y, the axle, along z
        rim.material.friction = 1.2f;
        wheels[i] = panel.tie(
            chassis, panel.add(rim), place + vec3(0, 0, i < 2 ? 0.1f : -0.1f), {0, 0, 1},
            WheelDef{.travel = {-0.15f, 0.2f}, .suspension = {.hertz = 3.0f, .damping_ratio = 0.5f, .target = -0.03f}});
    }
    return [first = wheels[0]](SceneBodies& bodies, int step) {
        if (step != 0 && !is_turn(step, steps)) return;
        for (std::size_t i = 0; i < 4; ++i) bodies.set_joint_motor(first + i, {-3.0f * direction(step, steps), 100.0f});
    };
}

/// A motor turns a wheel, which turns another one and moves a rack.
Act gear(const Panel& panel) {
    constexpr int large = 20, small = 12, steps = 100;
    constexpr float torque = 2000.0f;  // N m
    constexpr float reach = pitch_radius(large), height = -0.2f, x = -0.45f;
    const std::size_t board = panel.fixed({0, 0, -0.32f}, {1.4f, 1.2f, 0.1f});
    const auto place = [&](BodyDef def, const dvec3& at) {
        def.position = at;
        return panel.add(def);
    };
    const vec3 first(x, height, 0), second(x + reach + pitch_radius(small), height, 0), top(x, height + reach, 0);
    const vec3 front(0, 0, 0.16f);  // joints lie at the front, where they can be seen
    const std::size_t driver =
        panel.tie(board, place(toothed_wheel(large, false), first), first + front, {0, 0, 1}, HingeDef{});
    const std::size_t driven =
        panel.tie(board, place(toothed_wheel(small, true), second), second + front, {0, 0, 1}, HingeDef{});
    const std::size_t rack = panel.tie(board, place(toothed_rack(9), top), top + front, {1, 0, 0}, SliderDef{});
    GearDef mesh;
    mesh.ratio = -static_cast<float>(large) / static_cast<float>(small);
    panel.scene.joints.push_back({static_cast<std::uint32_t>(driver), static_cast<std::uint32_t>(driven), mesh});
    mesh.ratio = -reach;
    panel.scene.joints.push_back({static_cast<std::uint32_t>(driver), static_cast<std::uint32_t>(rack), mesh});
    return [driver](SceneBodies& bodies, int step) {
        if (step == 0 || is_turn(step, steps)) bodies.set_joint_motor(driver, {0.7f * direction(step, steps), torque});
    };
}

/// A box follows a sliding base that it does not touch: the drive pulls it to a pose above the base.
Act motor(const Panel& panel) {
    constexpr int steps = 60;
    constexpr float reach = 0.75f, y = -1.0f;
    panel.fixed({0, y - 0.2f, -0.05f}, {1.4f, 0.06f, 0.4f});
    BodyDef base = block({0, y, 0}, {0.35f, 0.1f, 0.25f});
    base.type = BodyType::kinematic;
    const std::size_t carrier = panel.add(base);
    const std::size_t follower = panel.movable(box({0.3f, 0.3f, 0.3f}), {0, y + 1.2f, 0}, 200.0f);
    MotorDef def;
    def.frames.frame_a.position = {0, 1.3f, 0};
    def.drive = {.linear_hertz = 1.0f,
                 .angular_hertz = 1.0f,
                 .damping_ratio = 0.15f,
                 .max_force = 2000.0f,
                 .max_torque = 200.0f};
    panel.scene.joints.push_back({static_cast<std::uint32_t>(carrier), static_cast<std::uint32_t>(follower), def});
    return [carrier, at = panel.middle + dvec3(0, y, 0)](SceneBodies& bodies, int step) {
        // Smoothly from side to side, without a sine.
        const int next = step + 1 + steps / 2;
        const float part = static_cast<float>(next % steps) / static_cast<float>(steps);
        const float smooth = part * part * (3.0f - 2.0f * part);
        const float side = next / steps % 2 == 0 ? 2.0f * smooth - 1.0f : 1.0f - 2.0f * smooth;
        bodies.set_target(carrier, {at + dvec3(reach * side, 0, 0), quat(1, 0, 0, 0)});
    };
}

Result<SceneData> joint_kinds(const SceneOptions&) {
    using Exhibit = Act (*)(const Panel&);
    constexpr Exhibit exhibits[] = {ball, hinge, slider, fixed, distance, six_dof, wheel, gear, motor};
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    std::vector<Act> acts;
    for (int i = 0; i < 9; ++i) {
        const dvec3 middle(panel_width * static_cast<float>(i % 3 - 1),
                           panel_height * (2.5f - static_cast<float>(i / 3)), 0.0f);
        scene.bodies.push_back(
            block(displaced(middle, board_middle), {0.5f * panel_width - 0.03f, 0.5f * panel_height - 0.03f, 0.05f}));
        acts.push_back(exhibits[i](Panel{scene, middle, scene.bodies.size() - 1}));
    }
    scene.act = [acts](SceneBodies& bodies, int step) {
        for (const Act& act : acts) {
            if (act) act(bodies, step);
        }
    };
    scene.figures.push_back(widest_joint_gap(scene));
    scene.camera = orbit({0, 1.5f * panel_height, 0}, 31, 14, 8);
    scene.camera.vertical_fov_degrees = 19.0f;
    return scene;
}

constexpr Scene scenes[] = {
    {"joint_kinds", "The nine kinds of joint, one on each panel of a board.", 600, joint_kinds},
};

}  // namespace

std::span<const Scene> joint_kind_scenes() { return scenes; }

}  // namespace talus::samples
