/// Keys and mouse.

#include "samples/window/app/app.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr float turn_rate = 0.006f;  // rad a pixel

struct KeyPress {
    int key, mods;
    bool repeated;
};
std::vector<KeyPress> key_presses;  // of this frame

bool down(int key) { return ImGui::IsKeyDown(key); }

bool scenes_were_open = false;  // at the end of the last frame's input

/// Whether a text field gets the keys. ImGui says so for one frame more than the field in the list of scenes is shown.
bool is_typing(const App& app) { return ImGui::GetIO().WantTextInput && (app.panels.scenes || !scenes_were_open); }

/// One after the other, as they came: those that a slow frame collects may depend on each other.
void handle_shortcut(App& app, const KeyPress& press) {
    const auto pressed = [&](int key, bool repeat = false) { return press.key == key && (repeat || !press.repeated); };
    const auto pressed_with = [&](int key, int mods) { return press.key == key && (press.mods & mods) != 0; };
    if (pressed_with(GLFW_KEY_Q, GLFW_MOD_CONTROL)) glfwSetWindowShouldClose(app.window, GLFW_TRUE);
    if (pressed(GLFW_KEY_F1)) app.panels.help = !app.panels.help;
    if (pressed(GLFW_KEY_ESCAPE)) {
        if (app.panels.help || app.panels.scenes) {
            app.panels.help = app.panels.scenes = false;
        } else {
            app.select({});
        }
    }
    if (is_typing(app)) return;
    if (pressed_with(GLFW_KEY_SLASH, GLFW_MOD_SHIFT)) app.panels.help = !app.panels.help;
    if (pressed(GLFW_KEY_O) || pressed_with(GLFW_KEY_P, GLFW_MOD_CONTROL)) app.panels.scenes = true;
    if (app.panels.scenes || (press.mods & GLFW_MOD_CONTROL) != 0) return;
    if (pressed(GLFW_KEY_SPACE)) app.set_paused(!app.paused);
    if (pressed(GLFW_KEY_N, true) || pressed(GLFW_KEY_PERIOD, true)) app.step_once();
    if (pressed(GLFW_KEY_R)) app.restart();
    if (pressed(GLFW_KEY_G)) app.continue_replay();
    if (pressed(GLFW_KEY_F)) app.frame_selection();
    if (pressed(GLFW_KEY_X)) app.show_worst();
    if (pressed(GLFW_KEY_HOME)) app.frame_scene();
    if (pressed(GLFW_KEY_C)) {
        const bool flies = app.camera.mode() == CameraMode::fly;
        app.camera.set_mode(flies ? CameraMode::orbit : CameraMode::fly);
        app.say(flies ? "The camera orbits" : "The camera flies: W A S D Q E, right button looks around");
    }
    if (pressed(GLFW_KEY_B)) app.shoot_ball();
    if (pressed(GLFW_KEY_V)) app.spawn_body();
    if (pressed(GLFW_KEY_DELETE) || pressed(GLFW_KEY_BACKSPACE)) app.delete_selected();
    if (pressed(GLFW_KEY_LEFT_BRACKET, true)) app.change_speed(-1);
    if (pressed(GLFW_KEY_RIGHT_BRACKET, true)) app.change_speed(+1);
    if (pressed(GLFW_KEY_TAB)) {
        const bool any = app.panels.left || app.panels.right;
        app.panels.left = app.panels.right = !any;
    }
    for (int i = 0; i < 4; ++i) {  // 1 to 4: what bodies are coloured by
        if (pressed(GLFW_KEY_1 + i)) app.switches.color_by = static_cast<ColorBy>(i);
    }
    if (pressed(GLFW_KEY_5)) app.switches.debug.contact_points = !app.switches.debug.contact_points;
    if (pressed(GLFW_KEY_6)) app.switches.debug.joints = !app.switches.debug.joints;
    if (pressed(GLFW_KEY_7)) app.switches.debug.pair_rungs = !app.switches.debug.pair_rungs;
    if (pressed(GLFW_KEY_8)) app.switches.wireframe = !app.switches.wireframe;
}

void walk(App& app, float seconds) {
    const ImGuiIO& io = ImGui::GetIO();
    if (is_typing(app) || io.KeyCtrl || app.panels.scenes) return;
    vec3 way(0.0f);
    if (down(GLFW_KEY_D)) way.x += 1.0f;
    if (down(GLFW_KEY_A)) way.x -= 1.0f;
    if (down(GLFW_KEY_E)) way.y += 1.0f;
    if (down(GLFW_KEY_Q)) way.y -= 1.0f;
    if (down(GLFW_KEY_W)) way.z += 1.0f;
    if (down(GLFW_KEY_S)) way.z -= 1.0f;
    const float speed = 0.7f * app.camera.distance() * (io.KeyShift ? 4.0f : 1.0f);
    if (way != vec3(0.0f)) app.camera.fly(glm::normalize(way) * speed * std::min(seconds, 0.1f));
}

/// Where the mouse's ray meets the plane through `point` that faces the viewer.
dvec3 under_mouse(const App& app, const dvec3& point) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const vec3 ray = app.view.ray(app.to_view(mouse.x, mouse.y));
    const float depth = glm::dot(vec3(point - app.view.eye), app.view.forward);
    const float way = std::max(0.1f, depth) / std::max(0.05f, glm::dot(ray, app.view.forward));
    return app.view.eye + dvec3(ray * way);
}

void use_mouse(App& app) {
    const ImGuiIO& io = ImGui::GetIO();
    static bool turns_with_left = false;
    if (!io.WantCaptureMouse && ImGui::IsMouseClicked(0) && app.replay) turns_with_left = true;
    if (!io.WantCaptureMouse && ImGui::IsMouseClicked(0) && !app.replay) {
        const vec3 ray = app.view.ray(app.to_view(io.MousePos.x, io.MousePos.y));
        const CastHit hit = app.simulation.world().ray_cast(app.view.eye, ray * (100.0f * app.view.distance));
        turns_with_left = true;
        if (hit && app.simulation.world().type(hit.body) != BodyType::fixed) {
            app.select(hit.body);
            turns_with_left = !app.hand.take(app.simulation, hit.body, hit.position);
        } else if (!hit) {
            app.select({});
        }
    }
    if (app.hand.holds()) {
        if (!ImGui::IsMouseDown(0)) {
            app.hand.release(app.simulation);
        } else {
            app.hand.pull(app.simulation, under_mouse(app, app.hand.target()));
        }
    } else if (turns_with_left && !ImGui::IsMouseDown(0)) {
        turns_with_left = false;
    }

    const bool over_scene = !io.WantCaptureMouse;
    const auto drags = [&](int button) { return over_scene && ImGui::IsMouseDragging(button, 2.0f); };
    const bool pans = drags(2) || (drags(1) && io.KeyShift);
    if (pans) {
        const float scale = app.view.distance / app.view.focal() * app.density;
        app.camera.pan(-io.MouseDelta.x * scale, io.MouseDelta.y * scale);
    } else if (drags(1) || (drags(0) && turns_with_left && !app.hand.holds())) {
        const float way = app.camera.mode() == CameraMode::fly ? 0.5f : 1.0f;
        app.camera.turn(io.MouseDelta.x * turn_rate * way, -io.MouseDelta.y * turn_rate * way);
    }
    if (over_scene && io.MouseWheel != 0.0f) app.camera.zoom(std::pow(0.88f, io.MouseWheel));
}

}  // namespace

void watch_keys(GLFWwindow* window) {
    glfwSetKeyCallback(window, [](GLFWwindow*, int key, int, int action, int mods) {
        if (action != GLFW_RELEASE) key_presses.push_back({key, mods, action == GLFW_REPEAT});
    });
}

bool key_pressed(int key, bool repeat) {
    return std::any_of(key_presses.begin(), key_presses.end(),
                       [&](const KeyPress& press) { return press.key == key && (repeat || !press.repeated); });
}

void forget_keys() { key_presses.clear(); }

void handle_input(App& app, float seconds) {
    for (const KeyPress& press : key_presses) handle_shortcut(app, press);
    walk(app, seconds);
    scenes_were_open = app.panels.scenes;
    use_mouse(app);
    app.camera.update(seconds);
}

void App::shoot_ball() {
    if (replay) return say("A recording plays: its bodies cannot be touched (O opens a scene)");
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool inside = ImGui::IsMousePosValid(&mouse) && !ImGui::GetIO().WantCaptureMouse;
    const vec3 ray = inside ? view.ray(to_view(mouse.x, mouse.y)) : view.forward;
    const BodyId ball = shoot(simulation, view.eye, ray, shot);
    if (!ball) say(simulation.world().last_error().message);
}

void App::spawn_body() {
    if (replay) return say("A recording plays: its bodies cannot be touched (O opens a scene)");
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool inside = ImGui::IsMousePosValid(&mouse) && !ImGui::GetIO().WantCaptureMouse;
    const vec3 ray = inside ? view.ray(to_view(mouse.x, mouse.y)) : view.forward;
    const CastHit hit = simulation.world().ray_cast(view.eye, ray * (10.0f * view.distance));
    const dvec3 point = hit ? hit.position : view.eye + dvec3(ray * view.distance);
    const vec3 normal = hit && hit.normal != vec3(0.0f) ? hit.normal : vec3(0, 1, 0);
    const BodyId body = spawn(simulation, spawn_kind, point, normal, spawn_size);
    if (body) {
        select(body);
    } else {
        say(simulation.world().last_error().message);
    }
}

}  // namespace talus::samples
