/// The bar above and the line of facts below.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#include <cmath>
#include <cstdio>

namespace talus::samples {

namespace {

void toggle_tab(bool& open, std::string& tab, const char* name) {
    const bool shown = open && tab == name;
    open = !shown;
    tab = name;
}

void draw_scene_button(App& app) {
    if (ui::icon_button("##scenes", ui::Icon::list, "Choose a scene (O)", app.panels.scenes))
        app.panels.scenes = !app.panels.scenes;
    ImGui::SameLine(0, 4);
    if (bold_font()) ImGui::PushFont(bold_font());
    ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32(0, 0, 0, 0));
    const std::string name = app.replay ? app.replay->recording().scene() + " (recorded)" : app.simulation.scene().name;
    if (ImGui::Button(name.c_str(), {0, ImGui::GetFrameHeight() + 4})) app.panels.scenes = true;
    ImGui::PopStyleColor();
    if (bold_font()) ImGui::PopFont();
    ui::tooltip("Choose a scene (O)");
}

/// Run, one step, restart.
void draw_run(App& app) {
    if (ui::icon_button("##pause", app.paused ? ui::Icon::play : ui::Icon::pause,
                        app.paused ? "Run (Space)" : "Pause (Space)", app.paused))
        app.set_paused(!app.paused);
    ImGui::SameLine(0, 2);
    if (ui::icon_button("##step", ui::Icon::step, "One step (N)")) app.step_once();
    ImGui::SameLine(0, 2);
    if (ui::icon_button("##restart", ui::Icon::restart, "Restart the scene (R)")) app.restart();
}

void draw_speed(App& app, bool wide) {
    ImGui::SameLine(0, 8);
    ImGui::SetNextItemWidth(wide ? 84.0f : 56.0f);
    ImGui::SetCursorPosY(10);
    ImGui::SliderFloat("##speed", &app.speed, 0.05f, 4.0f, "", ImGuiSliderFlags_Logarithmic);
    ui::tooltip("Speed of simulated time, from 1/20 to 4 times real time ([ and ])");
    ImGui::SameLine(0, 6);
    const float x = ImGui::GetCursorPosX();
    char speed[16];
    std::snprintf(speed, sizeof speed, app.speed < 0.995f ? "%.2fx" : "%.1fx", static_cast<double>(app.speed));
    ImGui::TextUnformatted(speed);
    ImGui::SameLine(x + 42);
    ImGui::SetCursorPosY(8);
    ImGui::Dummy({0, 0});
}

void draw_camera(App& app) {
    ImGui::SetCursorPosY(8);
    const bool flies = app.camera.mode() == CameraMode::fly;
    if (ui::toggle_button(flies ? "Fly" : "Orbit", true, "Camera: orbit or fly (C)"))
        app.camera.set_mode(flies ? CameraMode::orbit : CameraMode::fly);
    ImGui::SameLine(0, 2);
    if (ui::icon_button("##frame", ui::Icon::frame, "Show the selected body, or the whole scene (F)"))
        app.frame_selection();
}

/// Shoots a ball, adds a body.
void draw_bodies(App& app) {
    ImGui::SetCursorPosY(8);
    if (ui::icon_button("##shoot", ui::Icon::ball, "Shoot a ball along the view, or at the mouse (B)"))
        app.shoot_ball();
    ImGui::SameLine(0, 2);
    if (ui::icon_button("##spawn", ui::Icon::add, "Add a body in the middle of the view, or at the mouse (V)"))
        app.spawn_body();
}

/// What V adds, if there is room left of the tabs.
void draw_spawn_kind(App& app, float taken) {
    ImGui::SameLine(0, 4);
    if (ImGui::GetCursorPosX() + 110.0f < ImGui::GetWindowWidth() - taken) {
        ImGui::SetNextItemWidth(96);
        ImGui::SetCursorPosY(10);
        if (ImGui::BeginCombo("##kind", name_of(app.spawn_kind))) {
            for (int i = 0; i < spawn_kind_count; ++i) {
                const auto kind = static_cast<SpawnKind>(i);
                if (ImGui::Selectable(name_of(kind), kind == app.spawn_kind)) app.spawn_kind = kind;
            }
            ImGui::EndCombo();
        }
        ui::tooltip("What is added (its size is in the settings)");
    }
}

struct Tab {
    const char* label;
    const char* name;
    bool left;
    const char* tip;
};
constexpr Tab tabs[] = {{"Draw", "draw", true, "What is drawn"},
                        {"Settings", "settings", true, "The engine's settings, live"},
                        {"Pair", "pair", true, "GJK and EPA of one pair, step by step"},
                        {"Body", "body", false, "The selected body"},
                        {"Profile", "profile", false, "What a frame costs, and where"}};

/// The width of the tabs and the help button.
float width_of_tabs() {
    float taken = 34;
    for (const Tab& tab : tabs) taken += ImGui::CalcTextSize(tab.label).x + 20;
    return taken;
}

/// The panels' tabs, at the right end.
void draw_tabs(App& app, float taken) {
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - taken - 12));
    ImGui::SetCursorPosY(8);
    for (const Tab& tab : tabs) {
        bool& open = tab.left ? app.panels.left : app.panels.right;
        std::string& current = tab.left ? app.panels.left_tab : app.panels.right_tab;
        if (ui::toggle_button(tab.label, open && current == tab.name, tab.tip)) toggle_tab(open, current, tab.name);
        ImGui::SameLine(0, 4);
    }
    if (ui::icon_button("##help", ui::Icon::help, "Keys and mouse (F1)", app.panels.help))
        app.panels.help = !app.panels.help;
}

/// In place of what a narrow window has no room for: the tabs, and with `tools` what works on the camera and on bodies.
void draw_menu(App& app, bool tools) {
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - 42.0f));
    ImGui::SetCursorPosY(8);
    if (ui::icon_button("##menu", ui::Icon::list, "Panels and tools")) ImGui::OpenPopup("menu");
    if (!ImGui::BeginPopup("menu")) return;
    if (tools) {
        const bool flies = app.camera.mode() == CameraMode::fly;
        if (ImGui::MenuItem("Fly (C)", nullptr, flies))
            app.camera.set_mode(flies ? CameraMode::orbit : CameraMode::fly);
        if (ImGui::MenuItem("Show the whole scene (F)")) app.frame_selection();
        if (ImGui::MenuItem("Shoot a ball (B)")) app.shoot_ball();
        if (ImGui::MenuItem("Add a body (V)")) app.spawn_body();
        ImGui::Separator();
    }
    for (const Tab& tab : tabs) {
        bool& open = tab.left ? app.panels.left : app.panels.right;
        std::string& current = tab.left ? app.panels.left_tab : app.panels.right_tab;
        if (ImGui::MenuItem(tab.label, nullptr, open && current == tab.name)) toggle_tab(open, current, tab.name);
    }
    if (ImGui::MenuItem("Keys and mouse (F1)", nullptr, app.panels.help)) app.panels.help = !app.panels.help;
    ImGui::EndPopup();
}

}  // namespace

void draw_toolbar(App& app) {
    const bool wide = app.width >= 900, narrow = app.width < 620;
    ImGui::SetCursorPosY(8);
    draw_scene_button(app);
    ui::gap();
    draw_run(app);
    if (!narrow) {
        draw_speed(app, wide);
        ui::gap();
        draw_camera(app);
        ui::gap();
        draw_bodies(app);
    }
    if (!wide) return draw_menu(app, narrow);
    const float taken = width_of_tabs();
    draw_spawn_kind(app, taken);
    draw_tabs(app, taken);
}

void draw_status(App& app) {
    ImGui::SetCursorPosY(6);
    static const FrameProfile nothing;
    const FrameProfile* recorded = app.replay ? app.replay->profile() : nullptr;
    const FrameProfile& profile = app.replay ? (recorded ? *recorded : nothing) : app.simulation.world().profile();
    const std::uint64_t step = app.replay ? profile.frame : static_cast<std::uint64_t>(app.simulation.step_number());
    const std::size_t bodies = app.replay ? profile.bodies : app.simulation.ids().size();
    std::string facts = counted(bodies, "body", "bodies") + "   " + with_commas(profile.awake_bodies) + " awake   " +
                        counted(profile.convex_pairs, "pair", "pairs") + "   " +
                        counted(profile.contact_points, "contact", "contacts") + "   step " + with_commas(step);
    if (app.options.still) {
        facts += "   -- ms per step   -- fps";
    } else {
        facts += format("   %.2f ms per step", profile.total / 1000.0);
        if (const float frame = FrameTimes::median(app.times.frame); frame > 0.0f) {
            facts += format("   %.1f ms to draw", static_cast<double>(FrameTimes::median(app.times.draw))) +
                     format("   %.0f fps", 1000.0 / static_cast<double>(frame));
        }
    }
    const float width = ImGui::CalcTextSize(facts.c_str()).x;
    const float left = ImGui::GetWindowWidth() - width - 14;
    const Scene* played = app.replay ? find_scene(app.replay->recording().scene()) : &app.simulation.scene();
    std::string summary = played ? played->summary : "";
    const float room = left - ImGui::GetCursorPosX() - 24;
    if (room > 120) {
        if (ImGui::CalcTextSize(summary.c_str()).x > room) {
            while (!summary.empty() && ImGui::CalcTextSize((summary + "...").c_str()).x > room) summary.pop_back();
            summary += "...";
        }
        ImGui::TextUnformatted(summary.c_str());
        ImGui::SameLine();
    }
    ImGui::SetCursorPos({std::max(8.0f, left), 6});
    ImGui::PushStyleColor(ImGuiCol_Text, ui::muted);
    ImGui::TextUnformatted(facts.c_str());
    ImGui::PopStyleColor();
}

}  // namespace talus::samples
