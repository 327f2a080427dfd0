#pragma once
/// How panels look, and the few widgets that Dear ImGui has not got.

#include "samples/window/panels/layout.h"

#include <talus/engine/debug_draw.h>

#include <imgui.h>

#include <string>

namespace talus::samples {

/// Sets fonts and colours, for a window of `density` pixels per unit. After ImGui::CreateContext().
void apply_style(float density);
ImFont* bold_font();

namespace ui {

inline constexpr ImU32 muted = IM_COL32(150, 160, 170, 255);
inline constexpr ImU32 accent = IM_COL32(232, 158, 76, 255);
inline ImU32 to_imgui(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }

/// A window without frame that fills the rectangle.
bool begin_docked(const char* name, const Rectangle& place, ImGuiWindowFlags more = 0);

/// A bold line over a group of widgets, with air above it.
void heading(const char* text);
/// A name on the left, a value in the column to the right of it.
void fact(const char* name, const std::string& value);
void muted_text(const std::string& text);
/// For the widget before.
void tooltip(const char* text);

enum class Icon { play, pause, step, restart, list, frame, ball, add, left, right, help };
/// A square button with a drawn icon.
bool icon_button(const char* id, Icon icon, const char* tip, bool lit = false);
/// A button that stays down.
bool toggle_button(const char* label, bool on, const char* tip);
/// A thin upright line between groups of a toolbar.
void gap();

/// A small square of a colour, as high as the text, and the text.
void swatch(Color color, const char* text);

}  // namespace ui

/// 12345 as "12,345".
std::string with_commas(std::uint64_t number);
/// "1 body", "2,345 bodies".
std::string counted(std::uint64_t number, const char* one, const char* many);
std::string format(const char* pattern, double value);

}  // namespace talus::samples
