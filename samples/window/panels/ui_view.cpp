/// What is drawn: colours, marks, and what they mean.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace talus::samples {

namespace {

constexpr float column = 128.0f;

void draw_legend(const App& app) {
    switch (app.switches.color_by) {
        case ColorBy::body:
            break;
        case ColorBy::sleep:
            ui::swatch({224, 164, 88}, "awake");
            ImGui::SameLine(0, 14);
            ui::swatch({125, 143, 166}, "asleep");
            break;
        case ColorBy::island:
            ui::muted_text("Bodies of one colour touch, or hang together: they fall asleep and wake as one.");
            break;
        case ColorBy::rung:
            ui::muted_text("The dearest way in which one of the body's pairs was settled:");
            break;
    }
}

void draw_rung_legend() {
    for (int i = 0; i < rung_count; ++i) {
        const auto rung = static_cast<Rung>(i);
        if (i % 2 == 1) ImGui::SameLine(column);
        ui::swatch(color_of(rung), title_of(rung));
    }
}

}  // namespace

void draw_view_panel(App& app) {
    DrawSwitches& switches = app.switches;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6, 2));
    ui::heading("Colour of bodies");
    constexpr const char* labels[] = {"their own", "sleep", "island", "rung"};
    for (int i = 0; i < 4; ++i) {
        if (i % 2 == 1) ImGui::SameLine(column);
        if (ImGui::RadioButton(labels[i], static_cast<int>(switches.color_by) == i))
            switches.color_by = static_cast<ColorBy>(i);
    }
    draw_legend(app);
    if (switches.color_by == ColorBy::rung || switches.debug.pair_rungs) draw_rung_legend();

    const char* group = "";
    int place = 0;
    for (const DrawSwitch& each : draw_switches()) {
        if (std::strcmp(group, each.group) != 0) {
            group = each.group;
            place = 0;
            ui::heading(group);
        }
        if (place++ % 2 == 1) ImGui::SameLine(column);
        ImGui::Checkbox(each.label, &each.of(switches));
        ui::tooltip(each.help);
    }
    ui::heading("Lengths");
    ImGui::PushItemWidth(110);
    ImGui::SliderFloat("normals", &switches.debug.normal_length, 0.01f, 2.0f, "%.2f m", ImGuiSliderFlags_Logarithmic);
    ImGui::SliderFloat("impulses", &switches.debug.impulse_scale, 1e-5f, 1.0f, "%.2g m/Ns",
                       ImGuiSliderFlags_Logarithmic);
    ImGui::SliderFloat("velocities", &switches.debug.velocity_scale, 0.005f, 1.0f, "%.2g s",
                       ImGuiSliderFlags_Logarithmic);
    ImGui::PopItemWidth();
    ImGui::PopStyleVar();
}

}  // namespace talus::samples
