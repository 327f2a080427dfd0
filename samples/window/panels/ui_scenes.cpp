/// The scene picker: type to filter, arrows and Enter to open.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <cctype>
#include <cstring>

namespace talus::samples {

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// All words of the query occur in the name or the sentence. 0: no; else higher for better.
int match(const Scene& scene, const std::string& query) {
    const std::string name = lower(scene.name), all = name + " " + lower(scene.summary);
    int score = 1;
    for (std::size_t at = 0; at < query.size();) {
        const std::size_t end = std::min(query.find(' ', at), query.size());
        const std::string word = query.substr(at, end - at);
        at = end + 1;
        if (word.empty()) continue;
        if (all.find(word) == std::string::npos) return 0;
        if (name.find(word) != std::string::npos) score += 10;
        if (name.starts_with(word)) score += 20;
        if (name == word) score += 100;
    }
    return score;
}

/// The scenes that match the words, with their scores, best first; without words all scenes in their order.
std::vector<std::pair<int, const Scene*>> find_scenes(const char* query) {
    const std::string words = lower(query);
    std::vector<std::pair<int, const Scene*>> found;
    for (const Scene& scene : all_scenes()) {
        if (const int score = match(scene, words)) found.emplace_back(score, &scene);
    }
    if (!words.empty()) {
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    }
    return found;
}

/// A scene's name and summary; the mouse moves `chosen` here. True if it was clicked.
bool draw_row(const Scene& scene, int i, bool scroll_here, int& chosen) {
    ImGui::PushID(i);
    const ImVec2 from = ImGui::GetCursorPos();
    const float row = 2.0f * ImGui::GetTextLineHeight() + 10.0f;
    const bool clicked = ImGui::Selectable("##row", i == chosen, 0, {0, row});
    if (scroll_here) ImGui::SetScrollHereY(0.5f);
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (ImGui::IsItemHovered() && (moved.x != 0.0f || moved.y != 0.0f)) chosen = i;
    const ImVec2 after = ImGui::GetCursorPos();
    ImGui::SetCursorPos({from.x + 10, from.y + 4});
    if (bold_font()) ImGui::PushFont(bold_font());
    ImGui::TextUnformatted(scene.name);
    if (bold_font()) ImGui::PopFont();
    ImGui::SetCursorPos({from.x + 10, from.y + 5 + ImGui::GetTextLineHeight()});
    ImGui::PushStyleColor(ImGuiCol_Text, ui::muted);
    ImGui::TextUnformatted(scene.summary);
    ImGui::PopStyleColor();
    ImGui::SetCursorPos(after);
    ImGui::PopID();
    return clicked;
}

}  // namespace

void draw_scene_picker(App& app) {
    static char query[64] = "";
    static int chosen = 0;
    static bool was_open = false;
    if (!app.panels.scenes) {
        was_open = false;
        return;
    }
    const float width = std::min(640.0f, 0.9f * static_cast<float>(app.width));
    const float height = std::min(560.0f, static_cast<float>(app.height) - 96.0f);
    ImGui::SetNextWindowPos({0.5f * (static_cast<float>(app.width) - width), 60});
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::Begin("##scene picker", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    if (!was_open) {
        query[0] = '\0';
        chosen = 0;
        ImGui::SetWindowFocus();
        ImGui::SetKeyboardFocusHere();
        const std::span<const Scene> all = all_scenes();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (&all[i] == &app.simulation.scene()) chosen = static_cast<int>(i);
        }
    }
    // Dear ImGui takes a frame or two to give the field the keyboard: what is typed until then counts, too.
    static bool typing = false;
    if (!was_open) typing = false;
    ImGuiIO& io = ImGui::GetIO();
    if (was_open && !typing) {
        std::size_t length = std::strlen(query);
        for (const ImWchar c : io.InputQueueCharacters) {
            if (c >= 32 && c < 127 && length + 1 < sizeof query) query[length++] = static_cast<char>(c), chosen = 0;
        }
        query[length] = '\0';
        io.ClearInputCharacters();
    }
    // It would begin with all of it selected.
    const auto go_to_end = [](ImGuiInputTextCallbackData* data) {
        if (!*static_cast<bool*>(data->UserData)) {
            data->ClearSelection();
            data->CursorPos = data->BufTextLen;
        }
        return 0;
    };
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##query", "Type a name, or a word of what happens", query, sizeof query,
                                 ImGuiInputTextFlags_CallbackAlways, go_to_end, &typing))
        chosen = 0;
    typing = ImGui::IsItemActive();

    const std::vector<std::pair<int, const Scene*>> found = find_scenes(query);
    const int count = static_cast<int>(found.size());
    bool moved = !was_open;
    if (key_pressed(GLFW_KEY_DOWN, true)) chosen = std::min(chosen + 1, count - 1), moved = true;
    if (key_pressed(GLFW_KEY_UP, true)) chosen = std::max(chosen - 1, 0), moved = true;
    const Scene* open = nullptr;
    if (key_pressed(GLFW_KEY_ENTER) || key_pressed(GLFW_KEY_KP_ENTER)) {
        if (chosen >= 0 && chosen < count) open = found[static_cast<std::size_t>(chosen)].second;
    }

    ImGui::BeginChild("##list");
    if (count == 0) ui::muted_text("No scene has all of these words.");
    for (int i = 0; i < count; ++i) {
        const Scene& scene = *found[static_cast<std::size_t>(i)].second;
        if (draw_row(scene, i, i == chosen && moved, chosen)) open = &scene;
    }
    ImGui::EndChild();
    const bool outside = was_open && ImGui::IsMouseClicked(0) &&
                         !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
                         ImGui::GetIO().MousePos.y > 44.0f;
    ImGui::End();
    ImGui::PopStyleVar(2);
    was_open = true;
    if (open && app.open_scene(*open)) app.panels.scenes = false;
    if (outside) app.panels.scenes = false;
}

}  // namespace talus::samples
