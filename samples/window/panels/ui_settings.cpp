/// The engine's settings, live.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#include <cmath>
#include <thread>

namespace talus::samples {

namespace {

// Each draws a group of settings. Those with `wishes` return whether they changed any: the world takes them all at once.

bool draw_step(App& app, Simulation& simulation, Wishes& wishes) {
    ui::heading("Step");
    int hertz = static_cast<int>(std::lround(1.0f / simulation.data().dt));
    if (ImGui::SliderInt("Hz", &hertz, 15, 960, "%d", ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp)) {
        simulation.set_dt(1.0f / static_cast<float>(hertz));
        app.clock = FixedStep(simulation.data().dt, 4);
    }
    ui::tooltip("Steps per second of simulated time.");
    int substeps = simulation.world().settings().substeps;
    if (ImGui::SliderInt("sub-steps", &substeps, 1, 64, "%d",
                         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
        simulation.set_substeps(substeps);
    ui::tooltip("Sub-steps of the solver per step: more make stiffer contacts and joints.");
    const int most = std::max(8, static_cast<int>(std::thread::hardware_concurrency()));
    const bool changed =
        ImGui::SliderInt("threads", &wishes.threads, 1, std::min(64, most), "%d", ImGuiSliderFlags_AlwaysClamp);
    ui::tooltip("Any number gives the same bits.");

    return changed;
}

bool draw_world(Simulation& simulation, Wishes& wishes) {
    bool changed = false;
    ui::heading("World");
    vec3 gravity = simulation.world().gravity();
    ImGui::SetNextItemWidth(-58);
    if (ImGui::DragFloat3("m/s\xc2\xb2", &gravity.x, 0.1f, -100.0f, 100.0f, "%.1f")) simulation.set_gravity(gravity);
    ui::tooltip("Gravity. A scene that changes gravity by itself stops doing so when you change it.");
    changed |= ImGui::Checkbox("bodies at rest fall asleep", &wishes.def.allow_sleep);
    changed |= ImGui::Checkbox("continuous collision", &wishes.def.continuous);
    ui::tooltip("Fast bodies don't pass through others within a step.");
    if (simulation.has_script()) {
        ui::muted_text(simulation.scripted() ? "The scene acts on its bodies by itself."
                                             : "The scene stopped acting on its bodies when one of them was deleted; R "
                                               "restarts it.");
    }

    return changed;
}

bool draw_coherence(Wishes& wishes) {
    bool changed = false;
    ui::heading("Coherence");
    struct Switch {
        const char* label;
        bool WorldDef::*value;
        const char* help;
    };
    static constexpr Switch switches[] = {
        {"skip", &WorldDef::enable_skip, "Separated, and moved less than the gap since: nothing is computed."},
        {"reuse", &WorldDef::enable_reuse, "Hardly moved: the manifold is kept, its separations are refreshed."},
        {"closed form", &WorldDef::enable_closed_form, "Shapes whose distance needs no iteration."},
        {"cached axis", &WorldDef::enable_axis, "Last step's axis proves separation, or gives a shallow contact."},
        {"warm GJK", &WorldDef::enable_warm_gjk, "GJK starts from last step's simplex."},
        {"warm EPA", &WorldDef::enable_warm_epa, "EPA starts from last step's face, where a bound allows it."},
    };
    int place = 0;
    for (const Switch& each : switches) {
        if (place++ % 2 == 1) ImGui::SameLine(128);
        changed |= ImGui::Checkbox(each.label, &(wishes.def.*each.value));
        ui::tooltip(each.help);
    }
    ui::muted_text("These change what a step costs, not what it finds.");

    return changed;
}

bool draw_timing(Wishes& wishes) {
    bool changed = false;
    ui::heading("Timing");
    constexpr const char* timings[] = {"off", "stages", "pairs"};
    for (int i = 0; i < 3; ++i) {
        if (i > 0) ImGui::SameLine(0, 12);
        if (ImGui::RadioButton(timings[i], static_cast<int>(wishes.def.timing) == i)) {
            wishes.def.timing = static_cast<Timing>(i);
            changed = true;
        }
    }
    ui::tooltip("pairs: each test is timed by itself, at two clock reads per test.");
    return changed;
}

void draw_ball_and_body(App& app) {
    ui::heading("Ball (B) and body (V)");
    ImGui::SliderFloat("radius", &app.shot.radius, 0.02f, 2.0f, "%.2f m", ImGuiSliderFlags_Logarithmic);
    ImGui::SliderFloat("speed##ball", &app.shot.speed, 1.0f, 400.0f, "%.0f m/s", ImGuiSliderFlags_Logarithmic);
    ImGui::SliderFloat("density", &app.shot.density, 100.0f, 20000.0f, "%.0f kg/m\xc2\xb3",
                       ImGuiSliderFlags_Logarithmic);
    ImGui::SliderFloat("body size", &app.spawn_size, 0.05f, 5.0f, "%.2f m", ImGuiSliderFlags_Logarithmic);
}

void draw_picture(App& app) {
    ui::heading("Picture");
    Quality quality = app.renderer.quality();
    bool picture = ImGui::Checkbox("simple shading", &quality.lean);
    bool smooth = quality.samples > 0;
    picture |= ImGui::Checkbox("smooth edges", &smooth);
    quality.samples = smooth ? 4 : 0;
    int size = quality.shadow_size >= 4096 ? 2 : quality.shadow_size >= 2048 ? 1 : 0;
    if (ImGui::Combo("shadows", &size, "coarse\0medium\0fine\0")) {
        quality.shadow_size = 1024 << size;
        picture = true;
    }
    if (picture) {
        if (const Error error = app.renderer.set_quality(quality)) app.say(error.message);
    }
}

}  // namespace

void draw_settings_panel(App& app) {
    if (app.replay) {
        ui::muted_text("A recording plays: nothing is simulated.");
        return;
    }
    Simulation& simulation = app.simulation;
    ImGui::PushItemWidth(118);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6, 2));
    Wishes wishes = simulation.wishes();
    bool changed = draw_step(app, simulation, wishes);
    changed |= draw_world(simulation, wishes);
    changed |= draw_coherence(wishes);
    changed |= draw_timing(wishes);
    if (changed) simulation.set_wishes(wishes);
    draw_ball_and_body(app);
    draw_picture(app);
    ImGui::PopStyleVar();
    ImGui::PopItemWidth();
}

}  // namespace talus::samples
