#pragma once
/// The command line of talus-samples.

#include "samples/runner/outputs/outputs.h"
#include "samples/scenes/scene.h"

#include <talus/result.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples {

struct Options {
    bool help = false, list = false, hash = false, ledger = false;
    std::string scene;            ///< empty: all of them
    std::string scene_file;       ///< a file of talus-soak in place of a scene
    std::optional<int> steps;     ///< not given: as many as the scene wants
    std::optional<int> substeps;  ///< not given: as many as the scene wants
    std::uint64_t seed = 1;
    float jitter = 0.0f;  ///< m
    dvec3 origin{0.0};    ///< the scene is moved here, m
    bool sleep = true;
    int threads = 1;
    Timing timing = Timing::pairs;
    std::vector<std::string> meshes;
    OutputFiles files;
    std::string save;                   ///< file for the world at the end; empty: none
    std::string resume;                 ///< file of an earlier `save` from which the run goes on; empty: none
    std::vector<std::string> compared;  ///< two files of stage hashes to compare instead of running a scene
    std::string from;                   ///< recording to read instead of running a scene; empty: none
    std::optional<int> poses;           ///< frame of it whose poses are printed
    std::string png;                    ///< file to write; empty: none
    std::optional<int> at;              ///< step of the picture; not given: after the last one
    std::string frames;                 ///< folder for a picture every so many steps; empty: none
    int every = 1;                      ///< steps from one of these to the next
    int width = 1280, height = 720;
};

/// The scene that was asked for, or nullptr: all of them.
const Scene* chosen_scene(const Options& options);

/// Reads the arguments (without the program's name). Refused with a sentence: unknown options (the nearest one is
/// named), missing values, values out of range, options that don't go together.
Result<Options> parse_options(std::span<const std::string_view> arguments);

/// What --help prints.
std::string help_text();

}  // namespace talus::samples
