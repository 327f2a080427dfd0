#pragma once
/// The window: a scene that runs, is drawn, and is touched; around it the panels (ui_panels.h).
///
/// A frame: read the input, advance the simulation by the time that passed, draw the bodies between their last two
/// poses, the marks over them, the panels over those.

#include "samples/runner/outputs/outputs.h"
#include "samples/window/app/config.h"
#include "samples/window/app/hand.h"
#include "samples/window/app/options.h"
#include "samples/window/panels/layout.h"
#include "samples/window/panels/profile_panel.h"
#include "samples/window/renderer/camera.h"
#include "samples/window/renderer/gl_canvas.h"
#include "samples/window/renderer/gl_marks.h"
#include "samples/window/renderer/gl_scene.h"
#include "samples/window/simulation/feature_stepper.h"
#include "samples/window/simulation/replay.h"
#include "samples/window/simulation/resume.h"
#include "samples/window/simulation/simulation.h"
#include "samples/window/simulation/stepper.h"
#include "samples/window/simulation/switches.h"

#include <talus/engine/fixed_step.h>

#include <string>
#include <vector>

struct GLFWwindow;

namespace talus::samples {

/// Times of frames, for the line below and for --fps. Milliseconds.
struct FrameTimes {
    std::vector<float> frame, step, draw;  ///< of the last frames, oldest first; of all under --fps
    void add(float frame_ms, float step_ms, float draw_ms, std::size_t keep);
    static float median(std::vector<float> values);
};

/// What the user changes and looks at. Panels read and write it.
struct App {
    App(GLFWwindow* glfw_window, SceneRenderer scene_renderer, GlMarks debug_marks, GlMarks marks_of_pair)
        : window(glfw_window),
          renderer(std::move(scene_renderer)),
          marks(std::move(debug_marks)),
          pair_marks(std::move(marks_of_pair)) {}

    GLFWwindow* window;
    SceneRenderer renderer;
    GlMarks marks;
    GlMarks pair_marks;  ///< the marked pair, seen through what hides it
    GlCanvas canvas;
    WindowOptions options;

    Simulation simulation;
    std::optional<Replay> replay;  ///< played in place of the simulation, which stands still
    CameraRig camera;
    vec3 to_sun{0, 1, 0};
    DrawSwitches switches;
    Panels panels;
    bool paused = false;
    float speed = 1.0f;  ///< simulated over real time
    FixedStep clock;
    BodyId selected;
    Hand hand;
    ShotSettings shot;
    SpawnKind spawn_kind = SpawnKind::box;
    float spawn_size = 0.6f;  ///< m
    FrameTimes times;

    ProfileHistory history;
    ProfilePanel profile_panel;
    Stepper stepper;
    FeatureStepper feature_stepper;     ///< in place of the other one if the pair's contacts come from features
    std::optional<PairInFrame> marked;  ///< its two bodies stand out
    std::optional<Outputs> outputs;     ///< files that this run writes

    std::string message;  ///< shown over the scene for a while
    double message_until = 0;

    // Of this frame.
    CameraView view;
    Rectangle place;                    ///< of the scene in the window
    int width = 1, height = 1;          ///< of the window
    float density = 1.0f;               ///< pixels a unit of the window: more than 1 on dense screens
    std::vector<WorldTransform> shown;  ///< poses drawn
    std::vector<BodyLook> looks;
    std::vector<PairInfo> pairs;  ///< of the last step, when something needs them
    std::uint64_t renderer_version = 0;
    std::vector<BodyId> renderer_ids;

    /// A point of the window as a pixel of the view, and back.
    glm::vec2 to_view(float x, float y) const { return {(x - place.x) * density, (y - place.y) * density}; }
    glm::vec2 to_window(const glm::vec2& pixel) const {
        return {pixel.x / density + place.x, pixel.y / density + place.y};
    }

    bool watches_pairs() const;  ///< somebody looks at single pairs
    void after_step(double wall_ms);
    std::string name_of_body(BodyId body) const;
    void show_pair(const PairInFrame& pair);
    Error show_pair_of(std::size_t a, std::size_t b);  ///< bodies by number: the dearest pair of their shapes
    void show_worst();  ///< the worst frame in the profile, and its slowest pair in the scene
    /// Where a body of the marked pair is shown: while time stands still where the pair's frame left it, else where it
    /// is now. Nothing when it is gone.
    struct MarkedBody {
        WorldTransform pose;
        Shape shape;                              ///< the one of the pair...
        std::shared_ptr<const TriangleSet> mesh;  ///< ...or all of a solid mesh, if features touch...
        Transform shape_pose;                     ///< ...in the body's frame
        BodyType type;
        bool moved_on;                                                            ///< it is elsewhere now
        float reach() const { return reach_of({.shape = shape, .mesh = mesh}); }  ///< of the shape or mesh, m
    };
    std::optional<MarkedBody> marked_body(bool is_a) const;
    /// Opens the panel with the pair's GJK and EPA, or with its features.
    void step_through_pair(const PairInFrame& pair, std::shared_ptr<const PairQuery> known = {});
    void step_through_features(const PairInFrame& pair);
    void follow_features();  ///< by the poses that its bodies have now, or had in the frame that is shown
    void step_through_dearest();

    void say(std::string text);
    void look_from(const Camera& eye);    ///< the camera, and the sun with it
    bool open_scene(const Scene& scene);  ///< false, and said why, if it can't be
    Error open_replay(const std::string& path);
    void continue_replay();  ///< from here on as a simulation
    void restart();
    void begin_run();       ///< after the world was made anew
    Error begin_outputs();  ///< the files that the options name; they end with the run: at a restart, another scene
    void end_outputs();
    void set_paused(bool pause);
    void step_once();
    void frame_selection();
    void frame_scene();
    void select(BodyId body) { selected = body, marked.reset(); }
    void delete_selected();
    void shoot_ball();
    void spawn_body();
    void change_speed(int steps);
};

/// Runs the program; the exit code.
int run_window(const WindowOptions& options);

/// Keys as they come: Dear ImGui looks at the keyboard once a frame, and when frames are long, misses what is tapped.
void watch_keys(GLFWwindow* window);  ///< before ImGui_ImplGlfw_InitForOpenGL(), which passes on what it gets
bool key_pressed(int key, bool repeat = false);  ///< since the frame before; GLFW_KEY_...
void forget_keys();                              ///< at the frame's end

// The parts of a frame, in app_*.cpp.
void handle_input(App& app, float seconds);  ///< app_input.cpp
void look_at_scene(App& app);                ///< app_draw.cpp: finds poses, colours and marks as they are now
void draw_scene(App& app);                   ///< app_draw.cpp
void draw_panels(App& app);                  ///< ui_panels.cpp

}  // namespace talus::samples
