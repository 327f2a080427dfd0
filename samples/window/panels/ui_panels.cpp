#include "samples/window/panels/ui_panels.h"

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_style.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace talus::samples {

namespace {

/// A dock: its tabs above, the chosen panel below, with its own scrolling.
template <std::size_t Count>
void draw_dock(App& app, const char* name, const Rectangle& place, std::string& tab,
               const std::pair<const char*, void (*)(App&)> (&panels)[Count]) {
    if (ui::begin_docked(name, place)) {
        for (const auto& [panel, draw] : panels) {
            if (tab != panel) continue;
            ImGui::BeginChild(panel, {0, 0}, false, 0);
            draw(app);
            ImGui::EndChild();
        }
    }
    ImGui::End();
}

void draw_texts(App& app) {
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    draw.PushClipRect({app.place.x, app.place.y}, {app.place.x + app.place.width, app.place.y + app.place.height});
    for (const GlMarks* marks : {&app.marks, &app.pair_marks}) {
        for (const GlMarks::Text& text : marks->texts()) {
            glm::vec2 pixel;
            if (!app.view.project(text.at, pixel)) continue;
            const glm::vec2 at = app.to_window(pixel);
            if (at.x < app.place.x - 100 || at.y < app.place.y || at.x > app.place.x + app.place.width ||
                at.y > app.place.y + app.place.height)
                continue;
            draw.AddText({at.x + 1, at.y + 1}, IM_COL32(20, 25, 30, 160), text.text.c_str());
            draw.AddText({at.x, at.y}, ui::to_imgui(text.color), text.text.c_str());
        }
    }
    draw.PopClipRect();
}

void draw_message(App& app) {
    const bool shown = !app.message.empty() && (app.options.still || glfwGetTime() < app.message_until);
    const std::string text = shown ? app.message : app.paused && !app.options.still ? "Paused" : "";
    if (text.empty()) return;
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    const float wrap = 0.7f * app.place.width;
    const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
    const float x = app.place.x + 0.5f * (app.place.width - size.x), y = app.place.y + 16;
    draw.AddRectFilled({x - 12, y - 6}, {x + size.x + 12, y + size.y + 6}, IM_COL32(32, 38, 44, 220), 6);
    draw.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {x, y}, IM_COL32(228, 232, 236, 255), text.c_str(), nullptr,
                 wrap);
}

}  // namespace

void draw_panels(App& app) {
    const Layout layout(app.width, app.height, app.panels, app.replay.has_value());
    if (ui::begin_docked("##toolbar", layout.toolbar, ImGuiWindowFlags_NoScrollWithMouse)) draw_toolbar(app);
    ImGui::End();
    if (ui::begin_docked("##status", layout.status, ImGuiWindowFlags_NoScrollWithMouse)) draw_status(app);
    ImGui::End();
    if (app.panels.left) {
        draw_dock(app, "##left dock", layout.left, app.panels.left_tab,
                  {{"draw", draw_view_panel}, {"settings", draw_settings_panel}, {"pair", draw_pair_panel}});
    }
    if (app.panels.right) {
        draw_dock(app, "##right dock", layout.right, app.panels.right_tab,
                  {{"body", draw_body_panel}, {"profile", draw_profile_panel}});
    }
    if (app.replay) {
        if (ui::begin_docked("##timeline", layout.timeline)) draw_timeline(app);
        ImGui::End();
    }
    draw_texts(app);
    draw_message(app);
    draw_scene_picker(app);
    draw_help(app);
}

}  // namespace talus::samples
