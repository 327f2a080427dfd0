#include "samples/runner/options.h"

#include "samples/runner/nearest.h"
#include "samples/scenes/scene.h"

#include <charconv>
#include <cmath>

namespace talus::samples {

namespace {

using Values = std::span<const std::string_view>;

/// How many values an option takes.
enum class Takes { none, one, maybe_one, many };

struct OptionSpec {
    std::string_view name;
    Takes takes;
    const char* value;  ///< how help names it
    const char* help;   ///< lines after the first are indented by help_text()
    /// Sets the option; the string is what was wrong with the values, or empty.
    std::string (*set)(Options&, Values);
};

template <class Number>
bool parse(std::string_view text, Number& out, Number low, Number high) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) return false;
    out = value;
    return true;
}

constexpr int max_steps = 10'000'000;

std::string set_size(Options& options, Values values) {
    const std::string_view text = values[0];
    const std::size_t x = text.find('x');
    int width = 0, height = 0;
    if (x == std::string_view::npos || !parse(text.substr(0, x), width, 16, 8192) ||
        !parse(text.substr(x + 1), height, 16, 8192)) {
        return "wants WIDTHxHEIGHT in pixels, each 16 to 8192";
    }
    options.width = width;
    options.height = height;
    return {};
}

std::string set_steps(Options& options, Values values) {
    int steps = 0;
    if (!parse(values[0], steps, 1, max_steps)) return "wants a whole number from 1 to 10000000";
    options.steps = steps;
    return {};
}

std::string set_substeps(Options& options, Values values) {
    int substeps = 0;
    if (!parse(values[0], substeps, 1, 64)) return "wants a whole number from 1 to 64";
    options.substeps = substeps;
    return {};
}

std::string set_threads(Options& options, Values values) {
    int threads = 0;
    if (!parse(values[0], threads, 1, 64)) return "wants a whole number from 1 to 64";
    options.threads = threads;
    return {};
}

std::string set_at(Options& options, Values values) {
    int at = 0;
    if (!parse(values[0], at, 0, max_steps)) return "wants a whole number from 0 (before the first step) on";
    options.at = at;
    return {};
}

std::string set_jitter(Options& options, Values values) {
    options.jitter = 0.01f;
    if (!values.empty() && !parse(values[0], options.jitter, 0.0f, 1.0f)) return "wants metres, 0 to 1";
    return {};
}

std::string set_sleep(Options& options, Values values) {
    if (values[0] != "on" && values[0] != "off") return "is 'on' or 'off'";
    options.sleep = values[0] == "on";
    return {};
}

constexpr OptionSpec specs[] = {
    {"--list", Takes::none, "", "list the scenes, a line each, and stop",
     [](Options& o, Values) { return o.list = true, std::string(); }},
    {"--scene", Takes::one, "NAME", "run this scene; without it, all of them",
     [](Options& o, Values v) { return o.scene = v[0], std::string(); }},
    {"--steps", Takes::one, "N",
     "steps (of 1/60 s in most scenes); without it, as many as the scene takes to show\nits point", set_steps},
    {"--substeps", Takes::one, "N", "sub-steps of the solver in a step; without it, as many as the scene wants",
     set_substeps},
    {"--seed", Takes::one, "N", "for everything random in a scene; default 1",
     [](Options& o, Values v) {
         return parse(v[0], o.seed, std::uint64_t{0}, ~std::uint64_t{0}) ? std::string() : "wants a whole number";
     }},
    {"--jitter", Takes::maybe_one, "[M]",
     "move each body of a stack, pyramid or wall sideways by up to M metres;\nwithout M, 0.01", set_jitter},
    {"--sleep", Takes::one, "on|off", "may bodies at rest fall asleep; default on", set_sleep},
    {"--threads", Takes::one, "N", "threads that step the world, to the same bits; default 1", set_threads},
    {"--mesh", Takes::many, "FILE...",
     "mesh files for real_things (OFF, OBJ, PLY, STL, glTF, ...); without it, what\nsamples/fetch_meshes.sh fetched",
     [](Options& o, Values v) { return o.meshes.insert(o.meshes.end(), v.begin(), v.end()), std::string(); }},
    {"--csv", Takes::one, "FILE", "write what each frame cost, a row a frame (with --scene)",
     [](Options& o, Values v) { return o.csv = v[0], std::string(); }},
    {"--png", Takes::one, "FILE", "write a picture (with --scene)",
     [](Options& o, Values v) { return o.png = v[0], std::string(); }},
    {"--at", Takes::one, "STEP", "when the picture is taken: after this many steps; default the last", set_at},
    {"--size", Takes::one, "WxH", "its size in pixels; default 1280x720", set_size},
    {"--hash", Takes::none, "", "end with a line that hashes all poses and velocities: equal runs, equal hash",
     [](Options& o, Values) { return o.hash = true, std::string(); }},
    {"--help", Takes::none, "", "this text", [](Options& o, Values) { return o.help = true, std::string(); }},
};

Error refuse(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }

const OptionSpec* find_spec(std::string_view name) {
    if (name == "-h") name = "--help";
    for (const OptionSpec& spec : specs) {
        if (spec.name == name) return &spec;
    }
    return nullptr;
}

Error check_together(const Options& options) {
    if (options.help || options.list) return {};
    if (!options.scene.empty() && !find_scene(options.scene)) {
        std::vector<std::string_view> names;
        for (const Scene& scene : all_scenes()) names.push_back(scene.name);
        return refuse("There is no scene '" + options.scene + "'." + did_you_mean(options.scene, names) +
                      " --list shows them all.");
    }
    if (options.scene.empty() && !options.csv.empty()) return refuse("--csv needs a scene: add --scene NAME.");
    if (options.scene.empty() && !options.png.empty()) return refuse("--png needs a scene: add --scene NAME.");
    if (options.at && options.png.empty()) return refuse("--at says when a picture is taken: add --png FILE.");
    if (options.at && options.steps && *options.at > *options.steps) {
        return refuse("--at " + std::to_string(*options.at) + " lies beyond the last step, " +
                      std::to_string(*options.steps) + ".");
    }
    return {};
}

}  // namespace

Result<Options> parse_options(std::span<const std::string_view> arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size();) {
        const std::string_view argument = arguments[i++];
        const std::size_t equals = argument.find('=');
        const std::string_view name = argument.substr(0, equals);
        const OptionSpec* spec = find_spec(name);
        if (!spec) {
            if (!name.starts_with("-"))
                return refuse("'" + std::string(name) + "' is no option; a scene is named by --scene NAME.");
            std::vector<std::string_view> names;
            for (const OptionSpec& each : specs) names.push_back(each.name);
            return refuse("There is no option '" + std::string(name) + "'." + did_you_mean(name, names) +
                          " --help shows them all.");
        }
        std::vector<std::string_view> values;
        if (equals != std::string_view::npos) values.push_back(argument.substr(equals + 1));
        const auto is_value = [&] { return i < arguments.size() && !arguments[i].starts_with("--"); };
        if (spec->takes == Takes::none) {
            if (!values.empty()) return refuse(std::string(name) + " takes no value.");
        } else if (spec->takes == Takes::many) {
            while (is_value()) values.push_back(arguments[i++]);
        } else if (values.empty() && is_value()) {
            values.push_back(arguments[i++]);
        }
        const bool wants = spec->takes == Takes::one || spec->takes == Takes::many;
        if (wants && (values.empty() || values[0].empty()))
            return refuse(std::string(name) + " wants a value: " + spec->value + ".");
        const std::string wrong = spec->set(options, values);
        if (!wrong.empty())
            return refuse(std::string(name) + " " + wrong + "; it was given '" + std::string(values[0]) + "'.");
    }
    if (Error error = check_together(options)) return error;
    return options;
}

std::string help_text() {
    std::string text =
        "talus-samples: runs sample scenes without a window and says what each cost.\n"
        "\n"
        "usage: talus-samples [--scene NAME] [options]\n"
        "\n";
    constexpr std::size_t column = 20;
    for (const OptionSpec& spec : specs) {
        std::string line = "  " + std::string(spec.name) + (*spec.value ? " " : "") + spec.value;
        line.resize(std::max(line.size() + 1, column), ' ');
        for (const char* c = spec.help; *c; ++c) {
            line += *c;
            if (*c == '\n') line.append(column, ' ');
        }
        text += line + "\n";
    }
    text +=
        "\n"
        "examples:\n"
        "  talus-samples --scene stack20 --jitter --sleep off\n"
        "  talus-samples --scene hullpile --png pile.png --at 300\n"
        "  talus-samples --scene real_things --mesh my_model.obj --csv frames.csv\n"
        "\n"
        "Exit code: 0; 1 when something could not be run or written; 2 when these options make no sense.\n";
    return text;
}

}  // namespace talus::samples
