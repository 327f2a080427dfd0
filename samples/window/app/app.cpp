#include "samples/window/app/app.h"

#include "samples/render/image.h"
#include "samples/runner/command_line.h"
#include "samples/soak/text_run.h"
#include "samples/window/app/platform.h"
#include "samples/window/panels/ui_style.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace talus::samples {

namespace {

constexpr int exit_failed = 1;
constexpr const char* first_scene = "tumble";

double now() { return glfwGetTime(); }

int complain(const std::string& message) {
    std::fprintf(stderr, "talus-window: %s\n", message.c_str());
    return exit_failed;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

void open_panel(Panels& panels, const std::string& name) {
    if (name == "draw" || name == "settings" || name == "pair") panels.left = true, panels.left_tab = name;
    if (name == "body" || name == "profile") panels.right = true, panels.right_tab = name;
    if (name == "scenes") panels.scenes = true;
    if (name == "help") panels.help = true;
}

void switch_on(DrawSwitches& switches, const std::vector<std::string>& names) {
    for (const DrawSwitch& each : draw_switches()) {
        if (std::find(names.begin(), names.end(), each.name) != names.end()) each.of(switches) = true;
        if (std::find(names.begin(), names.end(), "no-" + std::string(each.name)) != names.end())
            each.of(switches) = false;
    }
}

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : list + ",") {
        if (c != ',') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    return words;
}

std::optional<ColorBy> color_by_of(const std::string& name) {
    for (int i = 0; i < 4; ++i) {
        if (color_by_names[i] == name) return static_cast<ColorBy>(i);
    }
    return std::nullopt;
}

void apply_config(App& app, const Config& config) {
    switch_on(app.switches, words_of(config.text("draw")));
    for (const std::string& name : words_of(config.text("draw_not"))) {
        for (const DrawSwitch& each : draw_switches()) {
            if (each.name == name) each.of(app.switches) = false;
        }
    }
    app.switches.color_by = color_by_of(config.text("color")).value_or(ColorBy::body);
    app.panels.left = config.flag("left_open", true);
    app.panels.right = config.flag("right_open", false);
    app.panels.left_tab = config.text("left_tab") == "settings" ? "settings" : "draw";
    app.panels.right_tab = config.text("right_tab") == "profile" ? "profile" : "body";
    app.camera.set_mode(config.text("camera") == "fly" ? CameraMode::fly : CameraMode::orbit);
    app.speed = static_cast<float>(config.number("speed", 1.0, 0.05, 4.0));
}

void remember(const App& app, Config& config) {
    if (!app.replay) config.set("scene", std::string(app.simulation.scene().name));
    config.set("width", static_cast<double>(app.width));
    config.set("height", static_cast<double>(app.height));
    config.set("camera", std::string(app.camera.mode() == CameraMode::fly ? "fly" : "orbit"));
    config.set("color", std::string(color_by_names[static_cast<int>(app.switches.color_by)]));
    config.set("left_open", app.panels.left);
    config.set("right_open", app.panels.right);
    config.set("left_tab", app.panels.left_tab);
    config.set("right_tab", app.panels.right_tab);
    config.set("speed", static_cast<double>(app.speed));
    std::vector<std::string> on, off;
    DrawSwitches switches = app.switches;
    for (const DrawSwitch& each : draw_switches()) (each.of(switches) ? on : off).emplace_back(each.name);
    config.set("draw", joined(on));
    config.set("draw_not", joined(off));
}

void print_state(const App& app) {
    const Simulation& simulation = app.simulation;
    const World& world = simulation.world();
    std::printf("scene %s\n", simulation.scene().name);
    std::printf("step %d\n", simulation.step_number());
    std::printf("paused %d\n", app.paused ? 1 : 0);
    std::printf("bodies %zu\n", simulation.ids().size());
    std::printf("camera %s\n", app.camera.mode() == CameraMode::fly ? "fly" : "orbit");
    std::printf("speed %.3f\n", static_cast<double>(app.speed));
    const auto print = [](const char* name, const dvec3& v) {
        std::printf("%s %.5f %.5f %.5f\n", name, v.x, v.y, v.z);
    };
    print("eye", app.view.eye);
    if (const auto index = simulation.index_of(app.selected)) {
        std::printf("selected %zu\n", *index);
        print("position", world.position(app.selected));
        print("velocity", world.linear_velocity(app.selected));
    } else {
        std::printf("selected none\n");
    }
    std::printf("hash %016llx\n", static_cast<unsigned long long>(world.hash()));
}

std::string marked_numbers(const App& app) {
    if (!app.marked) return "none";
    const auto number = [&](BodyId body) {
        const auto index = app.replay ? app.replay->number_of(body) : app.simulation.index_of(body);
        return index ? std::to_string(*index) : std::string("gone");
    };
    return number(app.marked->pair.body_a) + "," + number(app.marked->pair.body_b);
}

/// A line each time that something changes which a user would notice: for programs that drive this one.
void print_changes(const App& app) {
    static std::string last;
    const auto selected = app.simulation.index_of(app.selected);
    std::string line = "now scene=" + (app.replay ? app.replay->recording().scene() : app.simulation.scene().name) +
                       " paused=" + (app.paused ? "1" : "0") +
                       " step=" + (app.paused ? std::to_string(app.simulation.step_number()) : std::string("-")) +
                       " bodies=" + std::to_string(app.simulation.ids().size()) +
                       " selected=" + (selected ? std::to_string(*selected) : std::string("none")) +
                       " holds=" + (app.hand.holds() ? "1" : "0") + " marked=" + marked_numbers(app) +
                       " camera=" + (app.camera.mode() == CameraMode::fly ? "fly" : "orbit") +
                       " scenes=" + (app.panels.scenes ? "1" : "0") + " help=" + (app.panels.help ? "1" : "0");
    if (glm::vec2 pixel; app.shown.size() > 1 && app.view.project(app.shown[1].position, pixel)) {
        const glm::vec2 at = app.to_window(pixel);
        line += " at1=" + std::to_string(static_cast<int>(at.x)) + "," + std::to_string(static_cast<int>(at.y));
    }
    line += format(" distance=%.2f", static_cast<double>(app.view.distance));
    if (app.replay) line += format(" time=%.3f", app.replay->time());
    const FeatureSteps* const steps = app.feature_stepper.empty() ? nullptr : app.feature_stepper.steps();
    if (steps != nullptr) {
        line += " sweep=" + std::to_string(app.feature_stepper.stop() + 1) + "/" + std::to_string(steps->stops.size()) +
                " applicable=" + std::to_string(steps->applicable.edges + steps->applicable.vertices);
    }
    if (line == last) return;
    last = line;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

void print_fps(const App& app) {
    double total = 0;
    for (const float ms : app.times.frame) total += static_cast<double>(ms);
    const double frames = static_cast<double>(app.times.frame.size());
    std::printf("%s: %zu bodies, %dx%d, %s\n", app.simulation.scene().name, app.simulation.ids().size(), app.width,
                app.height, reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
    std::printf("%.1f fps over %.0f frames; median frame %.2f ms: step %.2f ms, draw %.2f ms\n",
                1000.0 * frames / std::max(1e-9, total), frames,
                static_cast<double>(FrameTimes::median(app.times.frame)),
                static_cast<double>(FrameTimes::median(app.times.step)),
                static_cast<double>(FrameTimes::median(app.times.draw)));
}

/// Steps for the time that passed; ms that it took.
float advance(App& app, float seconds) {
    const auto start = std::chrono::steady_clock::now();
    int steps = 0;
    if (app.replay) {
        if (!app.paused) app.replay->go_to(app.replay->time() + static_cast<double>(seconds * app.speed));
        if (app.replay->at_end()) app.paused = true;
        return 0.0f;
    }
    if (app.options.fps) {
        steps = 1;
    } else if (!app.paused) {
        steps = app.clock.advance(static_cast<double>(std::min(seconds, 0.25f) * app.speed));
    }
    for (; steps > 0; --steps) {
        app.simulation.keep_pairs = app.watches_pairs();
        if (const Error error = app.simulation.step()) {
            app.say(error.message);
            app.set_paused(true);
            break;
        }
        app.after_step(1000.0 * static_cast<double>(seconds));
        // Catching up must not stop the picture.
        if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(50)) break;
    }
    return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void measure_window(App& app) {
    const WindowSize size = window_size(app.window);
    app.width = size.width, app.height = size.height, app.density = size.density;
    app.place = Layout(app.width, app.height, app.panels, app.replay.has_value()).view;
    const auto pixels = [&](float x) { return std::max(1, static_cast<int>(x * app.density + 0.5f)); };
    app.view = app.camera.view(pixels(app.place.width), pixels(app.place.height));
}

void draw_frame(App& app) {
    draw_scene(app);
    draw_panels(app);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

Error take_screenshot(App& app, Platform& platform) {
    // Dear ImGui sizes some things by what it saw in the frame before.
    for (int i = 0; i < 4; ++i) {
        glfwPollEvents();
        platform.begin_panels();
        ImGui::GetIO().MousePos = {-1e9f, -1e9f};  // wherever it is, nothing is under it
        measure_window(app);
        draw_frame(app);
        if (i < 3) glfwSwapBuffers(app.window);
    }
    glFinish();
    const auto pixels = [&](int x) { return static_cast<int>(static_cast<float>(x) * app.density + 0.5f); };
    return write_png(read_pixels(pixels(app.width), pixels(app.height)), app.options.screenshot);
}

}  // namespace

void FrameTimes::add(float frame_ms, float step_ms, float draw_ms, std::size_t keep) {
    frame.push_back(frame_ms);
    step.push_back(step_ms);
    draw.push_back(draw_ms);
    for (std::vector<float>* values : {&frame, &step, &draw}) {
        if (values->size() > keep) values->erase(values->begin());
    }
}

float FrameTimes::median(std::vector<float> values) {
    if (values.empty()) return 0.0f;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void App::say(std::string text) {
    message = std::move(text);
    message_until = now() + 3.0;
}

void App::look_from(const Camera& eye) {
    camera.set(eye);
    // The sun stands behind the left shoulder of who looks at the scene as it is meant, as in samples/render.
    const vec3 look(eye.target - eye.eye);
    const vec3 ahead = glm::normalize(vec3(look.x, 0.0f, look.z) + vec3(0, 0, -1e-6f));
    const vec3 right = glm::cross(ahead, vec3(0, 1, 0));
    to_sun = glm::normalize(vec3(0.0f, 1.25f, 0.0f) - 0.75f * right - 0.45f * ahead);
}

bool App::open_scene(const Scene& scene) {
    const bool from_replay = replay.has_value();
    hand.forget();
    Wishes wishes = simulation.wishes();
    end_outputs();  // they point into the scene's data
    if (const Error error = simulation.load(scene, wishes)) {
        say(error.message);
        return false;
    }
    selected = {};
    replay.reset();
    if (from_replay) history = ProfileHistory();
    begin_run();
    look_from(simulation.data().camera);
    if (window) glfwSetWindowTitle(window, (std::string(scene.name) + " - Talus").c_str());
    return true;
}

Error App::open_replay(const std::string& path) {
    Result<Replay> loaded = Replay::load(path);
    if (!loaded) return loaded.error();
    replay.emplace(std::move(*loaded));
    begin_run();
    const Recording& recording = replay->recording();
    look_from(recording.camera());
    history = ProfileHistory(std::max<std::size_t>(1, recording.step_count()));
    for (std::size_t i = 0; i < recording.step_count(); ++i) {
        history.add({.profile = recording.step(i).profile});
    }
    if (window) glfwSetWindowTitle(window, (recording.scene() + " (recorded) - Talus").c_str());
    return {};
}

void App::continue_replay() {
    if (!replay) return;
    const Recording& recording = replay->recording();
    end_outputs();
    const Result<bool> exact = resume(simulation, recording, recording.frame_at(replay->time() + 1e-9));
    if (!exact) return say(exact.error().message);
    say(*exact ? "The scene goes on from here, with the recorded bits"
               : "The scene goes on from the recorded poses: it was not played like this from its beginning");
    if (window) glfwSetWindowTitle(window, (recording.scene() + " - Talus").c_str());
    replay.reset();
    history = ProfileHistory();
    selected = {};
    begin_run();
}

void App::restart() {
    if (replay) return replay->go_to(0.0);
    hand.forget();
    end_outputs();
    const std::optional<std::size_t> index = simulation.index_of(selected);
    if (const Error error = simulation.restart()) {
        say(error.message);
        return;
    }
    selected = index && *index < simulation.ids().size() ? simulation.ids()[*index] : BodyId{};
    begin_run();
}

void App::begin_run() {
    renderer_version = 0;
    renderer_ids.clear();
    renderer.clear();
    clock = FixedStep(simulation.data().dt, 4);
    history.clear();
    profile_panel.select(std::nullopt);
    stepper.clear();
    feature_stepper.clear();
    marked.reset();
}

Error App::begin_outputs() {
    if (!options.files.any()) return {};
    outputs.emplace(options.files);
    const Wishes& wishes = simulation.wishes();
    return outputs->begin({.scene = simulation.scene(),
                           .data = simulation.data(),
                           .seed = wishes.seed,
                           .jitter = wishes.jitter,
                           .steps = 0,
                           .threads = wishes.threads,
                           .def = simulation.world().settings(),
                           .bodies = simulation.scene_bodies()},
                          simulation.world());
}

void App::end_outputs() {
    if (!outputs) return;
    if (const Error error = outputs->finish(simulation.world())) say(error.message);
    outputs.reset();
}

void App::set_paused(bool pause) {
    if (replay && !pause && replay->at_end()) replay->go_to(0.0);
    paused = pause;
    clock = FixedStep(simulation.data().dt, 4);
}

void App::step_once() {
    set_paused(true);
    if (replay) return replay->go_by_frames(1);
    simulation.keep_pairs = watches_pairs();
    if (const Error error = simulation.step()) return say(error.message);
    after_step(simulation.step_ms());
}

void App::frame_selection() {
    if (replay || !simulation.index_of(selected)) return frame_scene();
    const WorldAabb box = simulation.world().bounds(selected);
    camera.frame(center(box), 2.0f * glm::length(half_extents(box)));
}

void App::frame_scene() {
    if (replay) return camera.set(replay->recording().camera());
    camera.set(simulation.data().camera);
}

void App::delete_selected() {
    if (replay) return;
    if (!simulation.index_of(selected)) return;
    if (hand.body() == selected) hand.release(simulation);
    const bool had_script = simulation.scripted();
    simulation.remove(selected);
    selected = {};
    if (had_script && !simulation.scripted())
        say("The scene's own doings end here: one of its bodies is gone (R restarts)");
}

void App::change_speed(int steps) {
    constexpr float speeds[] = {0.05f, 0.1f, 0.25f, 0.5f, 1.0f, 2.0f, 4.0f};
    int at = 0;
    for (int i = 1; i < static_cast<int>(std::size(speeds)); ++i) {
        if (std::abs(std::log(speeds[i] / speed)) < std::abs(std::log(speeds[at] / speed))) at = i;
    }
    speed = speeds[std::clamp(at + steps, 0, static_cast<int>(std::size(speeds)) - 1)];
    say(format("%g x time", static_cast<double>(speed)));
}

namespace {

Quality quality_of(const WindowOptions& options) {
    if (options.quality == "low") return Quality::software();
    if (options.quality == "high") return Quality::full();
    return options.screenshot.empty() ? Quality::of_this_machine() : Quality::full();  // a picture has time
}

Wishes wishes_of(const WindowOptions& options) {
    Wishes wishes;
    wishes.seed = options.seed;
    wishes.jitter = options.jitter;
    wishes.threads = options.threads.value_or(1);
    wishes.def.allow_sleep = options.sleep.value_or(true);
    wishes.def.timing = options.still ? Timing::off : Timing::pairs;
    wishes.meshes = options.meshes.empty() ? fetched_meshes() : options.meshes;
    wishes.file = options.scene_file;
    return wishes;
}

/// What is drawn and which panels are open.
void apply_options(App& app, const WindowOptions& options) {
    app.options = options;
    if (options.draw) switch_on(app.switches, *options.draw);
    if (options.panels) {
        app.panels.left = app.panels.right = false;
        for (const std::string& name : *options.panels) open_panel(app.panels, name);
    }
    if (const auto color = color_by_of(options.color)) app.switches.color_by = *color;
}

Error failed(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }

/// Opens the scene that the options name, else that of the last time, else the first. Under a replay it stands still.
Error open_first_scene(App& app, const WindowOptions& options, const Config& config) {
    const Scene* scene = find_scene(options.scene.empty() ? config.text("scene", first_scene) : options.scene);
    if (!scene || !options.replay.empty()) scene = find_scene(first_scene);
    if (!options.scene_file.empty()) scene = &file_scene();
    if (app.open_scene(*scene)) return {};
    const std::string why = app.message;
    const bool was_named = !options.scene.empty() || !options.scene_file.empty();
    return was_named || !app.open_scene(*find_scene(first_scene)) ? failed(why) : Error{};
}

/// Goes to the step or frame that --at names.
Error go_to_start(App& app, const WindowOptions& options) {
    for (int i = 0; i < options.at && options.replay.empty(); ++i) {
        app.simulation.keep_pairs = app.watches_pairs();
        if (Error error = app.simulation.step()) return error;
        app.after_step(app.options.still ? 0.0 : app.simulation.step_ms());
    }
    if (app.panels.left && app.panels.left_tab == "pair" && !options.pair) app.step_through_dearest();
    if (!options.replay.empty()) {
        if (Error error = app.open_replay(options.replay)) return error;
        app.replay->go_to(options.at * static_cast<double>(app.replay->recording().dt()));
    }
    app.paused = options.pause || !options.screenshot.empty();
    return {};
}

/// Marks the pair and selects the body that the options name.
Error mark_and_select(App& app, const WindowOptions& options) {
    if (options.pair) {
        const auto [a, b] = *options.pair;
        if (const Error error = app.show_pair_of(a, b))
            return failed("--pair " + std::to_string(a) + "," + std::to_string(b) + ": " + error.message + ".");
        if (app.panels.left && app.panels.left_tab == "pair") app.step_through_pair(*app.marked);
    }
    if (options.pair_step) {
        app.stepper.go_to(*options.pair_step - 1);
        app.feature_stepper.go_to(*options.pair_step - 1);
    }
    if (options.worst) app.show_worst();
    if (app.marked) {
        for (int i = 0; i < 20; ++i) app.camera.update(1.0f);  // there at once
    }
    if (options.select.empty()) return {};
    const auto number = static_cast<std::size_t>(std::stoul(options.select));
    const std::size_t bodies = app.simulation.ids().size();
    if (number >= bodies)
        return failed("--select " + options.select + ": the scene has " + std::to_string(bodies) +
                      (bodies == 1 ? " body, number 0." : " bodies, from 0 on."));
    app.select(app.simulation.ids()[number]);
    return {};
}

/// The window with what it shows, from its opening until it is closed.
class Program {
public:
    Error start(const WindowOptions& options);
    bool run_frame();  ///< false: it was closed, or has shown as many frames as it was to
    Error finish();    ///< writes what the options want written
    void open_replay(const char* path) {
        if (const Error error = app_->open_replay(path)) app_->say(error.message);
    }

    Platform platform;

private:
    std::string config_path_;  ///< empty: neither read nor written
    Config config_;
    std::optional<App> app_;
    int frame_ = 0;
    double last_ = 0;  ///< when the frame before began, s
};

Error Program::start(const WindowOptions& options) {
    if (options.config) config_path_ = config_path();
    if (!config_path_.empty()) config_ = Config::load(config_path_);
    const bool quick = options.fps || !options.screenshot.empty();
    if (quick) config_path_.clear();
    const int width = options.width.value_or(static_cast<int>(config_.number("width", 1280, 320, 8192)));
    const int height = options.height.value_or(static_cast<int>(config_.number("height", 720, 240, 8192)));
    if (Error error = platform.open(width, height, !quick)) return error;
    Result<SceneRenderer> renderer = SceneRenderer::make(quality_of(options));
    if (!renderer) return renderer.error();
    Result<GlMarks> marks = GlMarks::make(), pair_marks = GlMarks::make();
    if (!marks || !pair_marks) return (marks ? pair_marks : marks).error();

    App& app = app_.emplace(platform.window, std::move(*renderer), std::move(*marks), std::move(*pair_marks));
    apply_config(app, config_);
    apply_options(app, options);
    app.simulation.set_first_wishes(wishes_of(options));
    Error error = open_first_scene(app, options, config_);
    if (!error) error = app.begin_outputs();
    if (!error) error = go_to_start(app, options);
    if (!error) error = mark_and_select(app, options);
    if (!error && !options.screenshot.empty()) error = take_screenshot(app, platform);
    last_ = now();
    return error;
}

bool Program::run_frame() {
    App& app = *app_;
    const WindowOptions& options = app.options;
    if (!options.screenshot.empty() || glfwWindowShouldClose(app.window)) return false;
    if (options.frames > 0 && frame_ >= options.frames) return false;
    glfwPollEvents();
    const double time = now();
    const auto seconds = static_cast<float>(time - last_);
    last_ = time;
    platform.begin_panels();
    measure_window(app);
    if (app.width == 0 || app.height == 0) {  // made an icon
        ImGui::EndFrame();
        glfwWaitEventsTimeout(0.1);
        return true;
    }
    handle_input(app, seconds);
    measure_window(app);
    const float step_ms = advance(app, seconds);
    const double start = now();
    draw_frame(app);
    if (options.fps) glFinish();
    const auto draw_ms = static_cast<float>(1000.0 * (now() - start));
    glfwSwapBuffers(app.window);
    forget_keys();
    if (options.print_state) print_changes(app);
    if (frame_++ > 0) app.times.add(1000.0f * seconds, step_ms, draw_ms, options.fps ? 1u << 24 : 60);
    return true;
}

Error Program::finish() {
    App& app = *app_;
    const WindowOptions& options = app.options;
    if (options.screenshot.empty() && options.fps) print_fps(app);
    if (app.outputs) {
        if (Error error = app.outputs->finish(app.simulation.world())) return error;
    }
    if (options.print_state) print_state(app);
    if (config_path_.empty()) return {};
    remember(app, config_);
    if (const Error saved = config_.save(config_path_)) complain(saved.message);
    return {};
}

std::optional<Program> program;  // a page's goes on when run_window() has returned

}  // namespace

#ifdef __EMSCRIPTEN__
/// For page.js: plays a recording in place of the scene.
extern "C" EMSCRIPTEN_KEEPALIVE void talus_open_replay(const char* path) {
    if (program) program->open_replay(path);
}
#endif

int run_window(const WindowOptions& options) {
    program.emplace();
    if (const Error error = program->start(options)) return complain(error.message);
    program->platform.run([] { return program->run_frame(); });
#ifndef __EMSCRIPTEN__
    const Error error = program->finish();
    program.reset();
    if (error) return complain(error.message);
#endif
    return 0;
}

}  // namespace talus::samples
