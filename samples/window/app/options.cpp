#include "samples/window/app/options.h"

#include "samples/runner/command_line.h"
#include "samples/runner/nearest.h"
#include "samples/window/panels/layout.h"
#include "samples/window/simulation/switches.h"

#include <algorithm>

namespace talus::samples {

namespace {

std::string set_size(WindowOptions& options, Values values) {
    int width = 0, height = 0;
    if (!parse_size(values[0], 320, 240, width, height))
        return "wants WIDTHxHEIGHT in pixels, from 320x240 to 8192x8192";
    options.width = width;
    options.height = height;
    return {};
}

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (comma > 0) words.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(list.size(), comma + 1));
    }
    return words;
}

std::string check_names(const std::vector<std::string>& words, std::span<const std::string_view> names) {
    for (const std::string& word : words) {
        const std::string_view name = std::string_view(word).substr(word.starts_with("no-") ? 3 : 0);
        if (word == "none" || std::find(names.begin(), names.end(), name) != names.end()) continue;
        std::string wrong = "knows no '" + word + "'." + did_you_mean(word, names) + " It takes a list of:";
        for (const std::string_view each : names) wrong += " " + std::string(each);
        return wrong;
    }
    return {};
}

std::vector<std::string_view> switch_names() {
    std::vector<std::string_view> names;
    for (const DrawSwitch& each : draw_switches()) names.push_back(each.name);
    return names;
}

std::string set_draw(WindowOptions& options, Values values) {
    options.draw = split(values[0]);
    return check_names(*options.draw, switch_names());
}

std::string set_panels(WindowOptions& options, Values values) {
    options.panels = split(values[0]);
    return check_names(*options.panels, panel_names);
}

std::string set_choice(std::string& out, std::string_view text, std::span<const std::string_view> names) {
    out = text;
    if (std::find(names.begin(), names.end(), text) != names.end()) return {};
    std::string wrong = "is one of";
    for (const std::string_view name : names) wrong += " " + std::string(name);
    return wrong;
}

std::string set_pair(WindowOptions& options, Values values) {
    const std::string_view text = values[0];
    const std::size_t comma = text.find(',');
    std::array<std::size_t, 2> pair{};
    constexpr std::size_t most = 100'000'000;
    if (comma == std::string_view::npos || !parse(text.substr(0, comma), pair[0], std::size_t{0}, most) ||
        !parse(text.substr(comma + 1), pair[1], std::size_t{0}, most))
        return "wants the numbers of two bodies: 12,34";
    options.pair = pair;
    return {};
}

constexpr std::string_view qualities[] = {"low", "high"};

constexpr OptionSpec<WindowOptions> specs[] = {
    {"", "--scene", Takes::one, "NAME", "open this scene; without it, the one of last time",
     [](WindowOptions& o, Values v) { return o.scene = v[0], std::string(); }},
    {"", "--scene-file", Takes::one, "FILE", "open a world that talus-soak wrote (docs/soak.md)",
     [](WindowOptions& o, Values v) { return o.scene_file = v[0], std::string(); }},
    {"", "--list", Takes::none, "", "list the scenes, a line each, and stop",
     [](WindowOptions& o, Values) { return o.list = true, std::string(); }},
    {"", "--seed", Takes::one, "N", "for everything random in a scene; default 1",
     [](WindowOptions& o, Values v) {
         return parse(v[0], o.seed, std::uint64_t{0}, ~std::uint64_t{0}) ? std::string() : "wants a whole number";
     }},
    {"", "--jitter", Takes::one, "M", "move each body of a stack, pyramid or wall sideways by up to M metres",
     [](WindowOptions& o, Values v) {
         return parse(v[0], o.jitter, 0.0f, 1.0f) ? std::string() : "wants metres, 0 to 1";
     }},
    {"", "--sleep", Takes::one, "on|off", "may bodies at rest fall asleep; default on",
     [](WindowOptions& o, Values v) {
         bool sleep = true;
         const std::string wrong = set_on_off(sleep, v[0]);
         o.sleep = sleep;
         return wrong;
     }},
    {"", "--mesh", Takes::one, "FILE",
     "a mesh file for real_things (OFF, OBJ, PLY, STL, glTF, ...); may be given many times",
     [](WindowOptions& o, Values v) { return o.meshes.emplace_back(v[0]), std::string(); }, true},
    {"", "--at", Takes::one, "N", "go this many steps before anything is shown",
     [](WindowOptions& o, Values v) {
         return parse(v[0], o.at, 0, max_steps) ? std::string() : "wants a whole number from 0 on";
     }},
    {"", "--pause", Takes::none, "", "show it paused",
     [](WindowOptions& o, Values) { return o.pause = true, std::string(); }},
    {"", "--worst", Takes::none, "", "show the worst frame so far (of --at or --replay), and its slowest pair",
     [](WindowOptions& o, Values) { return o.worst = true, std::string(); }},
    {"", "--threads", Takes::one, "N", "threads that step the world, to the same bits; default 1",
     [](WindowOptions& o, Values v) {
         int threads = 0;
         if (!parse(v[0], threads, 1, 64)) return std::string("wants a whole number from 1 to 64");
         o.threads = threads;
         return std::string();
     }},
    {"", "--draw", Takes::one, "LIST", "what is drawn, by commas; no-NAME takes away (no-shadows): see below",
     set_draw},
    {"", "--color", Takes::one, "BY",
     "colour of bodies by: body, sleep, island or rung (how their most expensive pair was settled)",
     [](WindowOptions& o, Values v) { return set_choice(o.color, v[0], color_by_names); }},
    {"", "--panel", Takes::one, "LIST", "which panels are open, by commas, or none: see below", set_panels},
    {"", "--select", Takes::one, "N", "select the body with this number (as the Body panel shows it)",
     [](WindowOptions& o, Values v) {
         std::uint32_t number = 0;
         if (!parse(v[0], number, 0u, 100'000'000u)) return std::string("wants the number of a body");
         return o.select = v[0], std::string();
     }},
    {"", "--pair", Takes::one, "A,B", "look at these two bodies, and mark the most expensive pair of their shapes",
     set_pair},
    {"", "--pair-step", Takes::one, "N", "show this step in the panel pair, from 1 on; without it, the last one",
     [](WindowOptions& o, Values v) {
         std::size_t step = 0;
         if (!parse(v[0], step, std::size_t{1}, std::size_t{100'000'000}))
             return std::string("wants a whole number from 1 on");
         o.pair_step = step;
         return std::string();
     }},
    {"", "--size", Takes::one, "WxH", "size of the window in pixels; without it, that of last time", set_size},
    {"", "--quality", Takes::one, "low|high",
     "what the picture may cost; without it, low where a processor computes OpenGL",
     [](WindowOptions& o, Values v) { return set_choice(o.quality, v[0], qualities); }},
    {"", "--screenshot", Takes::one, "FILE.png", "write the window's picture (after --at steps) and stop",
     [](WindowOptions& o, Values v) { return o.screenshot = v[0], std::string(); }},
    {"", "--csv", Takes::one, "FILE", "write what each frame cost, one row per frame",
     [](WindowOptions& o, Values v) { return o.files.csv = v[0], std::string(); }},
    {"", "--trace", Takes::one, "FILE", "the same as events, for Perfetto or speedscope",
     [](WindowOptions& o, Values v) { return o.files.trace = v[0], std::string(); }},
    {"", "--report", Takes::one, "FILE.html", "the same as a page with plots and tables",
     [](WindowOptions& o, Values v) { return o.files.report = v[0], std::string(); }},
    {"", "--record", Takes::one, "FILE", "the poses, contacts and profiles, for --replay",
     [](WindowOptions& o, Values v) { return o.files.record = v[0], std::string(); }},
    {"", "--replay-html", Takes::one, "FILE.html", "the same as a page that plays them",
     [](WindowOptions& o, Values v) { return o.files.replay = v[0], std::string(); }},
    {"", "--replay", Takes::one, "FILE", "play what --record wrote, of talus-samples too",
     [](WindowOptions& o, Values v) { return o.replay = v[0], std::string(); }},
    {"", "--frames", Takes::one, "N", "stop after this many frames",
     [](WindowOptions& o, Values v) {
         return parse(v[0], o.frames, 1, max_steps) ? std::string() : "wants a whole number from 1 on";
     }},
    {"", "--fps", Takes::none, "",
     "a step each frame, as fast as it goes; at the end, say how fast that was; 300\nframes unless "
     "--frames says otherwise",
     [](WindowOptions& o, Values) { return o.fps = true, std::string(); }},
    {"", "--still", Takes::none, "", "show no measured times, so that equal runs give equal pictures",
     [](WindowOptions& o, Values) { return o.still = true, std::string(); }},
    {"", "--no-config", Takes::none, "", "neither read nor write the settings file ($XDG_CONFIG_HOME/talus/window.ini)",
     [](WindowOptions& o, Values) { return o.config = false, std::string(); }},
    {"", "--print-state", Takes::none, "",
     "at the end, print what was shown: scene, step, selected body and more, a line each",
     [](WindowOptions& o, Values) { return o.print_state = true, std::string(); }},
    {"", "--help", Takes::none, "", "this text", [](WindowOptions& o, Values) { return o.help = true, std::string(); }},
};

Error check_together(WindowOptions& options) {
    if (options.help || options.list) return {};
    if (!options.scene.empty()) {
        if (Error error = check_scene(options.scene)) return error;
    }
    if (!options.screenshot.empty() && options.fps) return refuse("--screenshot and --fps don't go together.");
    if (!options.screenshot.empty() && options.frames > 0)
        return refuse("--screenshot takes its picture after --at steps, and stops: it needs no --frames.");
    if (!options.scene.empty() && !options.scene_file.empty())
        return refuse("--scene-file is opened instead of a scene: leave out --scene.");
    if (!options.replay.empty() && !(options.scene.empty() && options.scene_file.empty()))
        return refuse("--replay plays the scene of its recording: leave out --scene.");
    if (!options.replay.empty() && options.files.any())
        return refuse(
            "--replay runs nothing, so it has nothing to write: leave out --csv, --trace, --report, --record and "
            "--replay-html.");
    if (options.worst && options.at == 0 && options.replay.empty())
        return refuse("--worst looks for the worst frame so far: make some steps before, by --at, or play a --replay.");
    if (!options.replay.empty() && options.pair)
        return refuse("--pair looks at a pair of a running scene: leave out --replay.");
    const auto& panels = options.panels;
    if (options.pair_step && (!panels || std::find(panels->begin(), panels->end(), "pair") == panels->end()))
        return refuse("--pair-step is of the panel with the steps of a pair: add --panel pair.");
    if (options.fps && options.frames == 0) options.frames = 300;
    return {};
}

}  // namespace

Result<WindowOptions> parse_window_options(std::span<const std::string_view> arguments) {
    WindowOptions options;
    if (Error error = read_arguments<WindowOptions>(arguments, specs, options)) return error;
    if (Error error = check_together(options)) return error;
    return options;
}

std::string window_help_text() {
    std::string text =
        "talus-window: sample scenes to look at, to touch and to measure.\n"
        "\n"
        "usage: talus-window [--scene NAME] [options]\n"
        "\n";
    text += options_text<WindowOptions>(specs, 24);
    const auto add_list = [&](const char* title, std::span<const std::string_view> names) {
        std::string line = title;
        for (const std::string_view name : names) {
            if (line.size() + name.size() > 100) text += line + "\n", line = "         ";
            line += " " + std::string(name);
        }
        text += line + "\n";
    };
    text += "\n";
    add_list("--draw:  ", switch_names());
    add_list("--panel: ", panel_names);
    text +=
        "\n"
        "In the window, F1 shows its keys.\n"
        "\n"
        "examples:\n"
        "  talus-window --scene tumble --color rung --draw rungs\n"
        "  talus-window --scene pyramid40 --at 300 --draw contacts,normals --screenshot pyramid.png\n"
        "  talus-window --scene hullpile --fps --frames 200\n"
        "\n"
        "exit code: 0 when all went well; 1 when there is no display, no OpenGL 3.3, or something could not be run or\n"
        "written; 2 for invalid arguments.\n";
    return text;
}

}  // namespace talus::samples
