#include "samples/runner/options.h"

#include "samples/runner/command_line.h"
#include "samples/soak/text_run.h"

#include <algorithm>

namespace talus::samples {

namespace {

std::string set_size(Options& options, Values values) {
    return parse_size(values[0], 16, 16, options.width, options.height)
               ? ""
               : "wants WIDTHxHEIGHT in pixels, each 16 to 8192";
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

std::string set_every(Options& options, Values values) {
    if (!parse(values[0], options.every, 1, max_steps)) return "wants a whole number from 1 on";
    return {};
}

std::string set_jitter(Options& options, Values values) {
    options.jitter = 0.01f;
    if (!values.empty() && !parse(values[0], options.jitter, 0.0f, 1.0f)) return "wants metres, 0 to 1";
    return {};
}

std::string set_origin(Options& options, Values values) {
    std::string_view rest = values[0];
    for (int axis = 0; axis < 3; ++axis) {
        const std::size_t end = axis < 2 ? rest.find(',') : rest.size();
        if (end == std::string_view::npos || !parse(rest.substr(0, end), options.origin[axis], -1e18, 1e18))
            return "wants three numbers with commas between them, such as 8e6,0,-1000 (m)";
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

std::string set_sleep(Options& options, Values values) { return set_on_off(options.sleep, values[0]); }

std::string set_timing(Options& options, Values values) {
    for (const Timing timing : {Timing::off, Timing::stages, Timing::pairs}) {
        if (values[0] != name_of(timing)) continue;
        options.timing = timing;
        return {};
    }
    return "is 'off', 'stages' or 'pairs'";
}

std::string set_poses(Options& options, Values values) {
    int frame = 0;
    if (!parse(values[0], frame, 0, max_steps)) return "wants the number of a frame, 0 or more";
    options.poses = frame;
    return {};
}

constexpr OptionSpec<Options> specs[] = {
    {"What to run", "--scene", Takes::one, "NAME", "run this scene; without it, all of them",
     [](Options& o, Values v) { return o.scene = v[0], std::string(); }},
    {"", "--scene-file", Takes::one, "FILE", "run a world that talus-soak wrote (docs/soak.md)",
     [](Options& o, Values v) { return o.scene_file = v[0], std::string(); }},
    {"", "--list", Takes::none, "", "list the scenes, a line each, and stop",
     [](Options& o, Values) { return o.list = true, std::string(); }},
    {"", "--steps", Takes::one, "N",
     "steps (of 1/60 s in most scenes); without it, as many as\nthe scene takes to show its point", set_steps},
    {"", "--seed", Takes::one, "N", "for everything random in a scene; default 1",
     [](Options& o, Values v) {
         return parse(v[0], o.seed, std::uint64_t{0}, ~std::uint64_t{0}) ? std::string() : "wants a whole number";
     }},
    {"", "--jitter", Takes::maybe_one, "[M]",
     "move each body of a stack, pyramid or wall sideways by up\nto M metres; without M, 0.01", set_jitter},
    {"", "--origin", Takes::one, "X,Y,Z", "move the scene to this place in the world (m); default 0,0,0", set_origin},
    {"", "--mesh", Takes::many, "FILE...",
     "mesh files for real_things, nonconvex, solids\nand bowl (OFF, OBJ, STL, ...);\nwithout it, what "
     "samples/fetch_meshes.sh fetched",
     [](Options& o, Values v) { return o.meshes.insert(o.meshes.end(), v.begin(), v.end()), std::string(); }, true},

    {"", "--resume", Takes::one, "FILE",
     "go on with this scene's world, as --save wrote it; --steps\ncounts from the scene's beginning",
     [](Options& o, Values v) { return o.resume = v[0], std::string(); }},

    {"How to run it", "--threads", Takes::one, "N", "threads that step the world, to the same bits; default 1",
     set_threads},
    {"", "--substeps", Takes::one, "N",
     "sub-steps of the solver per step of up to 1/60 s;\nwithout it, as many as the scene wants", set_substeps},
    {"", "--sleep", Takes::one, "on|off", "whether bodies at rest fall asleep; default on", set_sleep},
    {"", "--timing", Takes::one, "HOW",
     "off: no times; stages: stages, rungs, and single pairs that\nare new or deep; pairs (the default): every tested "
     "pair, too",
     set_timing},

    {"What to write (with --scene)", "--csv", Takes::one, "FILE",
     "what each frame cost, one row per frame (docs/csv.md)",
     [](Options& o, Values v) { return o.files.csv = v[0], std::string(); }},
    {"", "--trace", Takes::one, "FILE", "the same as JSON for ui.perfetto.dev and speedscope.app",
     [](Options& o, Values v) { return o.files.trace = v[0], std::string(); }},
    {"", "--report", Takes::one, "FILE", "the same as a page of HTML: plots, tables, the worst frames\nand pairs",
     [](Options& o, Values v) { return o.files.report = v[0], std::string(); }},
    {"", "--record", Takes::one, "FILE", "poses, contacts and profiles, compact (docs/recording.md)",
     [](Options& o, Values v) { return o.files.record = v[0], std::string(); }},
    {"", "--replay-html", Takes::one, "FILE", "the same as a page of HTML that plays them in a browser",
     [](Options& o, Values v) { return o.files.replay = v[0], std::string(); }},
    {"", "--hash-stages", Takes::one, "FILE",
     "one line per step with a hash after each stage:\n--compare-hashes finds where two such files differ",
     [](Options& o, Values v) { return o.files.hashes = v[0], std::string(); }},
    {"", "--save", Takes::one, "FILE", "the world after the last step, for --resume and World::load()",
     [](Options& o, Values v) { return o.save = v[0], std::string(); }},
    {"", "--png", Takes::one, "FILE", "a picture", [](Options& o, Values v) { return o.png = v[0], std::string(); }},
    {"", "--at", Takes::one, "STEP", "take it after this many steps; default: after the last", set_at},
    {"", "--frames", Takes::one, "FOLDER", "a picture of every step, to make an animation of",
     [](Options& o, Values v) { return o.frames = v[0], std::string(); }},
    {"", "--every", Takes::one, "N", "... of every Nth step, beginning before the first step", set_every},
    {"", "--size", Takes::one, "WxH", "its size in pixels; default 1280x720", set_size},

    {"Instead of a run", "--from", Takes::one, "FILE",
     "say what a recording holds; with --replay-html, write it\nas a page",
     [](Options& o, Values v) { return o.from = v[0], std::string(); }},
    {"", "--poses", Takes::one, "FRAME", "also print the pose of each body at this frame", set_poses},

    {"", "--compare-hashes", Takes::many, "A B",
     "print the first step and stage in which two files of\n--hash-stages differ; exit code 1 if they do",
     [](Options& o, Values v) {
         o.compared.assign(v.begin(), v.end());
         return v.size() == 2 ? std::string() : "wants two files";
     }},

    {"", "--ledger", Takes::none, "",
     "check energy and momentum in each step, and fail if any\nappears that nothing put in: one line per scene",
     [](Options& o, Values) { return o.ledger = true, std::string(); }},

    {"What to say", "--hash", Takes::none, "",
     "print a hash of all poses and velocities at the end:\nequal runs have equal hashes",
     [](Options& o, Values) { return o.hash = true, std::string(); }},
    {"", "--help", Takes::none, "", "this text", [](Options& o, Values) { return o.help = true, std::string(); }},
};

/// "real_things, nonconvex, solids and bowl".
std::string scenes_with_meshes() {
    std::vector<std::string> names;
    for (const Scene& scene : all_scenes()) {
        if (scene.takes_meshes) names.emplace_back(scene.name);
    }
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

/// Refuses options that have no effect beside `option`; `allowed` names those that have.
Error check_alone(std::span<const std::string_view> given, std::string_view option, const char* what_it_does,
                  std::initializer_list<std::string_view> allowed) {
    for (const std::string_view name : given) {
        if (name == option || std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
        return refuse(std::string(option) + " " + what_it_does + " instead of running a scene: leave out " +
                      std::string(name) + ".");
    }
    return {};
}

/// `given`: the names of the options that were given.
Error check_together(const Options& options, std::span<const std::string_view> given) {
    if (options.help || options.list) return {};
    if (!options.from.empty()) return check_alone(given, "--from", "reads a recording", {"--poses", "--replay-html"});
    if (!options.compared.empty()) return check_alone(given, "--compare-hashes", "compares two files", {});
    if (!options.scene.empty()) {
        if (Error error = check_scene(options.scene)) return error;
    }
    if (!options.scene.empty() && !options.scene_file.empty())
        return refuse("--scene-file is run instead of a scene: leave out --scene.");
    const Scene* const scene = chosen_scene(options);
    if (scene && !scene->takes_meshes && !options.meshes.empty()) {
        return refuse("--mesh is given '" + options.meshes[0] + "', but the scene '" + scene->name +
                      "' takes no meshes; " + scenes_with_meshes() + " do.");
    }
    if (options.poses) return refuse("--poses needs a recording: add --from FILE.");
    const auto check_file = [&](const char* option, const std::string& path, bool timed) -> Error {
        if (path.empty()) return {};
        if (!scene) return refuse(std::string(option) + " needs a scene: add --scene NAME.");
        if (timed && options.timing == Timing::off)
            return refuse(std::string(option) + " shows times: leave out --timing off.");
        return {};
    };
    if (Error error = check_file("--csv", options.files.csv, false)) return error;
    if (Error error = check_file("--trace", options.files.trace, true)) return error;
    if (Error error = check_file("--report", options.files.report, true)) return error;
    if (Error error = check_file("--record", options.files.record, false)) return error;
    if (Error error = check_file("--replay-html", options.files.replay, false)) return error;
    if (Error error = check_file("--hash-stages", options.files.hashes, false)) return error;
    if (Error error = check_file("--save", options.save, false)) return error;
    if (Error error = check_file("--resume", options.resume, false)) return error;
    if (Error error = check_file("--png", options.png, false)) return error;
    if (Error error = check_file("--frames", options.frames, false)) return error;
    if (options.ledger && (options.files.any() || !options.png.empty() || !options.frames.empty() || options.hash ||
                           !options.save.empty() || !options.resume.empty()))
        return refuse("--ledger runs whole scenes, and writes no files and no hash: leave out the other options.");
    if (options.every != 1 && options.frames.empty())
        return refuse("--every says which steps --frames shows: add --frames FOLDER.");
    if (options.at && options.png.empty()) return refuse("--at says when a picture is taken: add --png FILE.");
    if (options.at && options.steps && *options.at > *options.steps) {
        return refuse("--at " + std::to_string(*options.at) + " lies beyond the last step, " +
                      std::to_string(*options.steps) + ".");
    }
    return {};
}

}  // namespace

const Scene* chosen_scene(const Options& options) {
    return options.scene_file.empty() ? find_scene(options.scene) : &file_scene();
}

Result<Options> parse_options(std::span<const std::string_view> arguments) {
    Options options;
    std::vector<std::string_view> given;
    if (Error error = read_arguments<Options>(arguments, specs, options, &given)) return error;
    if (Error error = check_together(options, given)) return error;
    return options;
}

std::string help_text() {
    std::string text =
        "talus-samples: runs sample scenes without a window and says what each cost.\n"
        "\n"
        "usage: talus-samples [--scene NAME] [options]\n";
    text += options_text<Options>(specs, 18);
    text +=
        "\n"
        "Examples:\n"
        "  talus-samples --scene stack20 --jitter --sleep off\n"
        "  talus-samples --scene hullpile --report pile.html\n"
        "  talus-samples --scene tumble --replay-html tumble.html\n"
        "  talus-samples --scene hullpile --png pile.png --at 300\n"
        "  talus-samples --scene real_things --mesh my_model.obj --csv frames.csv\n"
        "\n"
        "Exit code: 0; 1 when something could not be run or written; 2 for invalid\n"
        "options. Colours and the progress bar appear only on a terminal; NO_COLOR in the\n"
        "environment switches colours off.\n";
    return text;
}

}  // namespace talus::samples
