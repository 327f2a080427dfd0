#pragma once
/// The command line of talus-window.

#include "samples/runner/outputs/outputs.h"

#include <talus/result.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples {

struct WindowOptions {
    bool help = false, list = false;
    std::string scene;       ///< empty: the last one
    std::string scene_file;  ///< a file of talus-soak in place of a scene
    std::uint64_t seed = 1;
    float jitter = 0.0f;  ///< m
    std::optional<bool> sleep;
    std::vector<std::string> meshes;
    std::optional<int> width, height;  ///< of the window, pixels
    int at = 0;                        ///< steps before anything is shown
    bool pause = false;
    bool worst = false;
    std::optional<int> threads;
    std::optional<std::vector<std::string>> draw, panels;  ///< names of switches and panels
    std::string color;                                     ///< "" or body, sleep, island, rung
    std::string quality;                                   ///< "", low or high
    std::string screenshot;                                ///< PNG to write; then the program ends
    int frames = 0;                                        ///< then the program ends; 0: it goes on
    bool fps = false;
    bool still = false;  ///< no times are shown
    bool config = true, print_state = false;
    std::string select;                              ///< number of a body to select
    std::optional<std::array<std::size_t, 2>> pair;  ///< numbers of two bodies to look at
    std::optional<std::size_t> pair_step;            ///< shown by the panel "pair"; 1: the first one
    OutputFiles files;
    std::string replay;  ///< file to play
};

/// Reads the arguments (without the program's name). Refused with a sentence: unknown options, scenes, switches and
/// panels (the nearest one is named), missing values, values out of range, options that don't go together.
Result<WindowOptions> parse_window_options(std::span<const std::string_view> arguments);

/// What --help prints.
std::string window_help_text();

}  // namespace talus::samples
