#pragma once
/// Where things stand in the window: a toolbar above, a line of facts below, a dock on each side, the scene between.
/// Fixed, so that nothing ever overlaps; docks shrink with the window.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace talus::samples {

/// Which panels are open. Those of one dock are its tabs.
struct Panels {
    bool left = true, right = false;
    std::string left_tab = "draw", right_tab = "body";
    bool scenes = false, help = false;
};

inline constexpr std::string_view panel_names[] = {"draw", "settings", "pair", "body", "profile", "scenes", "help"};

struct Rectangle {
    float x = 0, y = 0, width = 0, height = 0;
};

struct Layout {
    Rectangle toolbar, status, left, right, view, timeline;

    Layout(int window_width, int window_height, const Panels& panels, bool has_timeline) {
        constexpr float bar = 44.0f, line = 28.0f;
        const auto w = static_cast<float>(window_width), h = static_cast<float>(window_height);
        toolbar = {0, 0, w, bar};
        status = {0, h - line, w, line};
        const float middle = std::max(1.0f, h - bar - line);
        const float left_wanted = panels.left_tab == "pair" ? 456.0f : 276.0f;
        const float right_wanted = panels.right_tab == "profile" ? 420.0f : 320.0f;
        const float left_width = panels.left ? std::min(left_wanted, 0.45f * w) : 0.0f;
        const float wanted = panels.right ? std::min(right_wanted, 0.45f * w) : 0.0f;
        left = {0, bar, left_width, middle};
        right = {w - wanted, bar, wanted, middle};
        const float between = std::max(1.0f, w - left_width - wanted), foot = has_timeline ? 86.0f : 0.0f;
        view = {left_width, bar, between, std::max(1.0f, middle - foot)};
        timeline = {left_width, bar + view.height, between, foot};
    }
};

}  // namespace talus::samples
