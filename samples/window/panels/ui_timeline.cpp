/// Under a recording that plays: what each step cost over time, and where one is. A click or a drag goes there.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#include <algorithm>

namespace talus::samples {

void draw_timeline(App& app) {
    Replay& replay = *app.replay;
    const std::vector<float>& costs = replay.step_costs();
    const double duration = std::max(1e-9, replay.duration());
    const ImVec2 from = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const float height = room.y - ImGui::GetTextLineHeight() - 6;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(from, {from.x + room.x, from.y + height}, IM_COL32(22, 27, 32, 255), 4);

    ImGui::InvisibleButton("##time", {room.x, height});
    if (ImGui::IsItemActive()) {
        replay.go_to(duration * static_cast<double>((ImGui::GetIO().MousePos.x - from.x) / std::max(1.0f, room.x)));
        app.profile_panel.select(std::nullopt);
    }

    // The dearest step of each column of pixels; the scale leaves out the very dearest, which would flatten the rest.
    float most = 1.0f;
    if (!costs.empty()) {
        std::vector<float> sorted = costs;
        std::sort(sorted.begin(), sorted.end());
        most = std::max(1.0f, 1.15f * sorted[std::min(sorted.size() - 1, sorted.size() * 99 / 100)]);
    }
    const int columns = std::max(1, static_cast<int>(room.x));
    std::size_t step = 0;
    for (int x = 0; x < columns; ++x) {
        const double until = duration * (x + 1) / columns;
        float cost = 0.0f;
        while (step < costs.size() && replay.recording().step(step).time <= until + 1e-9) {
            cost = std::max(cost, costs[step]);
            ++step;
        }
        const bool spike = cost > most;
        if (cost <= 0.0f) continue;
        const float top = from.y + height - (height - 4) * std::min(1.0f, cost / most);
        const float width =
            std::max(1.0f, static_cast<float>(room.x) / static_cast<float>(std::max<std::size_t>(1, costs.size())));
        const float left = from.x + static_cast<float>(x);
        draw.AddRectFilled({std::max(from.x, left - width + 1), top}, {left + 1, from.y + height},
                           spike ? IM_COL32(214, 92, 74, 255) : IM_COL32(108, 134, 158, 255));
    }
    const float at = from.x + room.x * static_cast<float>(replay.time() / duration);
    draw.AddLine({at, from.y}, {at, from.y + height}, ui::accent, 2.0f);
    draw.AddCircleFilled({at, from.y + 4}, 5.0f, ui::accent);

    std::string text = format("%.2f", replay.time()) + format(" of %.2f s", replay.duration());
    if (const FrameProfile* profile = replay.profile()) {
        text += "   step " + with_commas(profile->frame);
        if (replay.timed()) text += format("   %.2f ms", profile->total / 1000.0);
    }
    if (!replay.timed()) text += "   (above: pairs tested; the run was not timed)";
    ImGui::PushStyleColor(ImGuiCol_Text, ui::muted);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), room.x - 270));
    const bool goes_on = ImGui::SmallButton("Continue from here");
    const std::size_t worst = replay.recording().worst_step();
    if (replay.timed() && worst < replay.recording().step_count()) {
        ImGui::SameLine(std::max(ImGui::GetCursorPosX(), room.x - 110));
        if (ImGui::SmallButton("Worst step")) {
            app.set_paused(true);
            replay.go_to(replay.recording().step(worst).time);
            app.profile_panel.select(replay.recording().step(worst).profile.frame);
        }
    }
    if (goes_on) app.continue_replay();
}

}  // namespace talus::samples
