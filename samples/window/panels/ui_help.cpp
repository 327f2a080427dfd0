/// Keys and mouse, on a page.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

namespace talus::samples {

namespace {

struct Line {
    const char* key;  ///< nullptr: a heading
    const char* what;
};

constexpr Line left_column[] = {
    {nullptr, "Run"},
    {"Space", "pause, go on"},
    {"N  or  .", "one step"},
    {"R", "restart the scene"},
    {"[   ]", "slower, faster"},
    {"O", "choose a scene"},
    {"G", "a recording goes on as a scene"},
    {nullptr, "Touch"},
    {"Click", "select a body"},
    {"Drag a body", "pull it on a spring"},
    {"... let go", "throw it"},
    {"B", "shoot a ball at the mouse"},
    {"V", "add a body at the mouse"},
    {"Del", "delete the selected body"},
};

constexpr Line right_column[] = {
    {nullptr, "Look"},
    {"Right drag", "orbit, or look around"},
    {"Left drag", "the same, beside bodies"},
    {"Middle drag", "move sideways (Shift + right, too)"},
    {"Wheel", "nearer, farther"},
    {"W A S D Q E", "walk, or fly; Shift: faster"},
    {"C", "orbit or fly"},
    {"F", "show the selected body, or all"},
    {"X", "go to the worst frame's slowest pair"},
    {"Home", "the scene's own view"},
    {nullptr, "Draw"},
    {"1  2  3  4", "colour by body, sleep, island, rung"},
    {"5  6  7  8", "contacts, joints, pair rungs, wireframe"},
    {"Tab", "panels away, and back"},
    {"F1  or  ?", "this page"},
    {"Ctrl + Q", "the end"},
};

void draw_column(std::span<const Line> lines, float x, float key_width) {
    for (const Line& line : lines) {
        ImGui::SetCursorPosX(x);
        if (!line.key) {
            ImGui::Dummy({0, 2});
            ImGui::SetCursorPosX(x);
            if (bold_font()) ImGui::PushFont(bold_font());
            ImGui::TextUnformatted(line.what);
            if (bold_font()) ImGui::PopFont();
            continue;
        }
        ImGui::PushStyleColor(ImGuiCol_Text, ui::accent);
        ImGui::TextUnformatted(line.key);
        ImGui::PopStyleColor();
        ImGui::SameLine(x + key_width);
        ImGui::TextUnformatted(line.what);
    }
}

}  // namespace

void draw_help(App& app) {
    if (!app.panels.help) return;
    const float width = std::min(780.0f, static_cast<float>(app.width) - 20.0f);
    const float height = std::min(396.0f, static_cast<float>(app.height) - 90.0f);
    ImGui::SetNextWindowPos({0.5f * (static_cast<float>(app.width) - width), 60});
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(22, 14));
    ImGui::Begin("##help", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::BeginChild("##left", {0.44f * width, 0});
    draw_column(left_column, 0, 118);
    ImGui::EndChild();
    ImGui::SameLine();
    ImGui::BeginChild("##right");
    draw_column(right_column, 0, 118);
    ImGui::EndChild();
    if (ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
        ImGui::GetIO().MousePos.y > 44.0f) {
        app.panels.help = false;
    }
    ImGui::End();
    ImGui::PopStyleVar(3);
}

}  // namespace talus::samples
