/// The scene's picture: poses between two steps, colours, marks.

#include "samples/render/mesh.h"
#include "samples/render/shading.h"
#include "samples/window/app/app.h"

#include <algorithm>

namespace talus::samples {

namespace {

constexpr std::uint64_t replay_version = ~std::uint64_t{0};  // of what the renderer holds

WorldTransform between(const WorldTransform& a, const WorldTransform& b, float t) {
    quat to = b.rotation;
    if (glm::dot(a.rotation, to) < 0.0f) to = -to;
    return {displaced(a.position, t * vec3(b.position - a.position)), normalized(a.rotation * (1.0f - t) + to * t)};
}

vec3 linear(Color c) {
    return linear_color((static_cast<unsigned>(c.r) << 16) | (static_cast<unsigned>(c.g) << 8) | c.b);
}

vec3 own_color(const App& app, std::size_t body, BodyType type) {
    switch (type) {
        case BodyType::fixed:
            return linear_color(0xc9c8c4);
        case BodyType::kinematic:
            return linear_color(0xa08f7a);
        case BodyType::dynamic:
            break;
    }
    return body_color(app.simulation.numbers()[body]);
}

/// The renderer knows the bodies that the simulation has now.
void update_renderer(App& app) {
    const Simulation& simulation = app.simulation;
    if (app.renderer_version == simulation.version()) return;
    app.renderer_version = simulation.version();
    const auto ids = simulation.ids();
    std::vector<BodyId>& known = app.renderer_ids;
    const bool grown = known.size() <= ids.size() && std::equal(known.begin(), known.end(), ids.begin());
    if (!grown) {
        known.clear();
        app.renderer.clear();
    }
    for (std::size_t i = known.size(); i < ids.size(); ++i) {
        app.renderer.add_body(simulation.world().shapes(ids[i]), simulation.world().type(ids[i]),
                              simulation.is_glass(i));
        known.push_back(ids[i]);
    }
}

void find_colors(App& app) {
    const World& world = app.simulation.world();
    const auto ids = app.simulation.ids();
    app.looks.resize(ids.size());
    std::vector<int> dearest;
    if (app.switches.color_by == ColorBy::rung) {
        std::uint32_t slots = 0;
        for (const BodyId id : ids) slots = std::max(slots, id.slot + 1);
        dearest.assign(slots, -1);
        for (const PairInfo& pair : world.pairs()) {
            if (!pair.active) continue;
            for (const BodyId id : {pair.body_a, pair.body_b}) {
                if (id.slot < slots) dearest[id.slot] = std::max(dearest[id.slot], static_cast<int>(pair.rung));
            }
        }
    }
    static const vec3 unmoved = linear_color(0xc9c8c4), nothing = linear_color(0x8f979e),
                      asleep = linear_color(0x7d8fa6), awake = linear_color(0xe0a458);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const BodyId id = ids[i];
        const BodyType type = world.type(id);
        vec3 color = own_color(app, i, type);
        if (type != BodyType::fixed) {
            switch (app.switches.color_by) {
                case ColorBy::body:
                    break;
                case ColorBy::sleep:
                    color = world.is_awake(id) ? awake : asleep;
                    break;
                case ColorBy::island: {
                    const std::uint32_t island = world.island(id);
                    color = island == no_island ? nothing : linear(color_of_number(island));
                    break;
                }
                case ColorBy::rung:
                    color = dearest[id.slot] < 0 ? nothing : linear(color_of(static_cast<Rung>(dearest[id.slot])));
                    break;
            }
        } else if (app.switches.color_by != ColorBy::body) {
            color = unmoved;
        }
        const bool marked =
            app.marked && (id == app.marked->pair.body_a || id == app.marked->pair.body_b) && type != BodyType::fixed;
        app.looks[i] = {color, id == app.selected || marked};
    }
}

void add_marks(App& app) {
    app.marks.clear(app.view.origin);
    const World& world = app.simulation.world();
    world.draw(app.marks, app.switches.debug);
    if (app.hand.holds()) {
        const dvec3 from = app.hand.held_point(app.simulation), to = app.hand.target();
        constexpr Color color{255, 170, 60};
        app.marks.line(from, to, color);
        app.marks.point(from, 9.0f, color);
        app.marks.point(to, 6.0f, color);
    }
}

/// The two shapes of the marked pair, filled and through what hides them, named A and B.
void add_marked_pair(App& app) {
    app.pair_marks.clear(app.view.origin);
    if (!app.marked) return;
    for (const bool is_a : {true, false}) {
        const std::optional<App::MarkedBody> body = app.marked_body(is_a);
        if (!body) continue;
        const Color color = is_a ? color_of_a : color_of_b;
        const WorldTransform pose = multiply(body->pose, body->shape_pose);
        const bool is_scenery = body->type == BodyType::fixed;  // filled, it would cover all
        const DrawMesh mesh = body->mesh ? triangulate(*body->mesh) : triangulate(body->shape, 16);
        for (const DrawTriangle& t : mesh.triangles) {
            dvec3 corner[3];
            for (int i = 0; i < 3; ++i) corner[i] = transform_point(pose, mesh.positions[t.v[i]]);
            if (!is_scenery) app.pair_marks.triangle(corner[0], corner[1], corner[2], {color.r, color.g, color.b, 70});
            for (int i = 0; i < 3; ++i) {
                if (t.edges >> i & 1) app.pair_marks.line(corner[(i + 1) % 3], corner[(i + 2) % 3], color);
            }
        }
        if (!is_scenery) app.pair_marks.text(pose.position, is_a ? "A" : "B", {255, 255, 255});
    }
}

void look_at_replay(App& app) {
    const Replay& replay = *app.replay;
    if (app.renderer_version != replay_version) {
        app.renderer_version = replay_version;
        replay.add_bodies(app.renderer);
    }
    std::vector<std::size_t> marked;
    if (app.marked) {
        for (const BodyId body : {app.marked->pair.body_a, app.marked->pair.body_b}) {
            const auto number = replay.number_of(body);
            if (number && replay.recording().bodies()[*number].type != BodyType::fixed) marked.push_back(*number);
        }
    }
    replay.look(app.switches, marked, app.shown, app.looks);
    app.marks.clear(app.view.origin);
    replay.draw_contacts(app.switches, app.marks);
}

void look_at_simulation(App& app) {
    update_renderer(app);
    const auto poses = app.simulation.poses(), before = app.simulation.poses_before();
    const float alpha = app.paused ? 1.0f : app.clock.alpha();
    app.shown.resize(poses.size());
    for (std::size_t i = 0; i < poses.size(); ++i)
        app.shown[i] = alpha >= 1.0f ? poses[i] : between(before[i], poses[i], alpha);
    find_colors(app);
    add_marks(app);
}

}  // namespace

void look_at_scene(App& app) {
    if (app.replay) {
        look_at_replay(app);
    } else {
        look_at_simulation(app);
    }
    add_marked_pair(app);
}

void draw_scene(App& app) {
    look_at_scene(app);

    const Rectangle& place = app.place;
    const auto pixel = [&](float x) { return static_cast<int>(x * app.density + 0.5f); };
    app.canvas.begin(pixel(place.x), pixel(static_cast<float>(app.height) - place.y - place.height), app.view.width,
                     app.view.height, app.renderer.quality().samples);
    const std::span<const WorldTransform> drawn =
        app.switches.bodies ? std::span<const WorldTransform>(app.shown) : std::span<const WorldTransform>{};
    app.renderer.draw({app.view, drawn, app.looks, app.to_sun, app.switches.wireframe, app.switches.shadows,
                       !app.paused && app.options.screenshot.empty()});
    app.marks.draw(app.view);
    app.pair_marks.draw(app.view, 0.8f);
    app.canvas.end();
}

}  // namespace talus::samples
