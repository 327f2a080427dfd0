#pragma once
/// Plots for Dear ImGui: stacked bars over frames, histograms, two bounds that close. And numbers as people read them.

#include <talus/engine/debug_draw.h>

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace talus::samples::plot {

inline constexpr ImU32 to_imgui(Color c, int alpha = 255) { return IM_COL32(c.r, c.g, c.b, alpha); }

inline constexpr ImU32 with_alpha(ImU32 color, int alpha) {
    return (color & 0x00ffffffu) | (static_cast<ImU32>(alpha) << 24);
}

inline constexpr ImU32 muted = IM_COL32(146, 156, 166, 255);
inline constexpr ImU32 ground = IM_COL32(22, 26, 31, 255);
inline constexpr ImU32 grid = IM_COL32(255, 255, 255, 20);
inline constexpr ImU32 highlight = IM_COL32(255, 255, 255, 200);

std::string format(const char* pattern, ...) IM_FMTARGS(1);
std::string microseconds(double us);        ///< "0.42 us", "38.2 us", "1.24 ms"
std::string round_microseconds(double us);  ///< for scales: no more digits than the number has
std::string meters(double m);               ///< four digits, in m, mm or um
std::string count(double number);           ///< "12,345"; "3.5" where it is a mean below a hundred

/// The next round number that is no less: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten.
double nice_ceil(double value);

struct Stack {
    std::size_t frames = 0;
    int layers = 0;
    std::function<double(std::size_t frame, int layer)> value;
    std::span<const ImU32> colors;
    std::function<bool(std::size_t frame)> is_pale;  ///< frames to leave out of account; empty: none
    std::optional<std::size_t> selected;
    std::string (*format)(double) = round_microseconds;
};

struct StackAnswer {
    std::optional<std::size_t> hovered, clicked;
};

/// Frames from left to right, layers from the bottom up. Where several frames share a pixel the tallest is drawn, a
/// pale one only among its like. Rare
/// towers are cut, and marked, so that the others can be seen.
StackAnswer stacked(const char* id, ImVec2 size, const Stack& stack);

/// Bars with the number of what each counts below it. Returns the bar under the mouse.
std::optional<int> histogram(const char* id, ImVec2 size, std::span<const std::uint64_t> bins, ImU32 color,
                             const std::function<std::string(int bin)>& label);

struct Bounds {
    std::vector<double> lower, upper;    ///< infinite where there is none yet
    std::vector<std::size_t> new_start;  ///< a line stands before these
    std::size_t at = 0;
    ImU32 lower_color = 0, upper_color = 0;
};
/// Lower and upper bound over steps, in decades where they end far below where they began. The uppermost line is left to
/// a legend. Returns the step that was clicked.
std::optional<std::size_t> bounds(const char* id, ImVec2 size, const Bounds& bounds);

/// A line of small muted text in the corner of the last item.
void corner_text(ImVec2 at, const std::string& text, ImU32 color = muted);

/// A small square in a colour, as high as the text; the next item stands right of it.
void swatch(ImU32 color);

/// A heading with air above it.
void heading(const char* text, const std::string& note = {});

/// A tooltip for the item before, wrapped.
void tip(const char* text);

/// Buttons side by side of which one is down. Returns the one that was pressed.
std::optional<int> choice(const char* id, std::span<const char* const> labels, int current,
                          std::span<const char* const> tips = {});

/// Buttons to the start, back, on and to the end of `count` steps, and the arrow keys for the same. Returns the step to go
/// to. The next item stands right of them.
std::size_t step_buttons(std::size_t at, std::size_t count);
/// A slider over the steps.
std::size_t step_slider(std::size_t at, std::size_t count, float width);

}  // namespace talus::samples::plot
