#pragma once
/// What is drawn: every switch with its name, as the command line, the settings file and the panel know it.

#include <talus/engine/debug_draw.h>

#include <span>
#include <string_view>

namespace talus::samples {

enum class ColorBy : int { body, sleep, island, rung };
inline constexpr std::string_view color_by_names[] = {"body", "sleep", "island", "rung"};

struct DrawSwitches {
    DebugDrawOptions debug;
    ColorBy color_by = ColorBy::body;
    bool wireframe = false;
    bool shadows = true;
    bool bodies = true;  ///< false: marks alone
};

struct DrawSwitch {
    std::string_view name;  ///< one word
    const char* label;
    const char* help;  ///< a sentence
    const char* group;
    bool& (*of)(DrawSwitches&);
};

/// In the panel's order; groups stand together.
std::span<const DrawSwitch> draw_switches();

}  // namespace talus::samples
