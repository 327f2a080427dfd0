#pragma once
/// Recordings: what a run looked like and what it cost, in a file small enough to keep and to send.
///
/// A recording holds the poses of all bodies at some thirty frames per second, their contacts, and the profile of every
/// step, so that no spike is lost between two frames. Poses are rounded to a step that suits the size of the bodies;
/// the recording says how far its poses are from the true ones, at most and on average, measured while it was written.
/// Positions are written relative to an origin near the bodies, so a world far from its own origin loses nothing.
/// docs/recording.md has the format and what it costs.
///
///     Recorder recorder;
///     if (Error error = recorder.begin(world, "stack20", scene)) ...   // before the first step
///     while (...) { step_scene(world, scene, step, jobs); recorder.after_step(world); }
///     Result<std::string> bytes = recorder.finish(world);              // the file's contents
///
///     Result<Recording> recording = Recording::load("run.talus");
///     recording->states(frame, states);                                // one state a body
///
/// Bodies are numbered in the order in which the recording met them; a body that is removed keeps its number, and one
/// whose shapes or type change gets a new one.

#include "samples/scenes/scene.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus::samples {

struct RecordingOptions {
    double poses_per_second = 30.0;  ///< of simulated time, > 0; no more than one per step
    bool contacts = true;
    bool rungs = true;         ///< the rung that settled the dearest pair of each body
    double key_seconds = 2.0;  ///< a jump to any frame decodes at most so much simulated time
};

/// What the rounding of a recording costs. Distances in m, angles in rad.
struct RecordingError {
    double max_position = 0, mean_position = 0;  ///< of the origins of bodies' frames
    double max_angle = 0, mean_angle = 0;        ///< of their rotations
    double max_surface = 0;   ///< bound for any point of any body: position, and the angle at its bounding radius
    double max_contact = 0;   ///< of contact points, in the frame of the body that carries them
    double max_normal = 0;    ///< of their normals
    double max_impulse = 0;   ///< of impulses, relative
    std::uint64_t poses = 0;  ///< so many were compared
};

/// A shape of a body, where the body has it.
struct RecordedShape {
    Shape shape;
    Transform pose;
    std::shared_ptr<const TriangleSet> mesh{};  ///< instead of `shape`
};

struct RecordedBody {
    BodyId id;  ///< in the world that was recorded
    BodyType type = BodyType::dynamic;
    std::vector<RecordedShape> shapes;
    std::uint32_t color = 0xffffff;  ///< sRGB, 0xRRGGBB
    bool glass = false;              ///< drawn as an outline
    std::uint32_t first_frame = 0;   ///< it is there from this frame on ...
    std::uint32_t end_frame = 0;     ///< ... up to the one before this
};

/// No rung: a body of which no pair was active.
inline constexpr std::uint8_t no_rung = 0xff;

/// A body in a frame.
struct RecordedState {
    WorldTransform pose;
    bool present = false;  ///< false: it is not in the world, and nothing else holds
    bool awake = false;
    std::uint8_t rung = no_rung;  ///< the dearest Rung among its active pairs
};

struct RecordedContactPoint {
    dvec3 position{0.0};   ///< world, m
    float impulse = 0.0f;  ///< along the normal over the last step, N s
};

/// A touching pair of shapes in a frame.
struct RecordedContact {
    std::uint32_t body_a = 0, body_b = 0;  ///< numbers of bodies
    vec3 normal{0.0f};                     ///< world, unit, from A to B
    int point_count = 0;
    RecordedContactPoint points[4];
};

/// A step's profile: FrameProfile with its times rounded to 1/16 us.
struct RecordedStep {
    double time = 0;  ///< of the world after it, s
    FrameProfile profile;
    std::uint32_t slowest_a = 0xffffffffu, slowest_b = 0xffffffffu;  ///< numbers of profile.slowest's bodies, if known
};

/// Writes a recording while a world runs.
class Recorder {
public:
    Recorder();
    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) noexcept;
    ~Recorder();

    /// Before the first step; frame 0 is the world as it is. `scene` gives the length of a step, the camera, and what
    /// is glass. Returns an error for invalid options, and in a build without zlib.
    Error begin(const World& world, std::string name, const SceneData& scene, const RecordingOptions& options = {});
    bool active() const;  ///< between begin() and finish()

    /// After every step, of `dt` seconds; 0: of the scene's length. Bodies may have come and gone since the last call.
    void after_step(const World& world, float dt = 0.0f);

    /// The file's contents. The last step becomes a frame even when none was due.
    Result<std::string> finish(const World& world);

    const RecordingError& error() const;  ///< after finish()
    std::size_t frame_count() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Reads one. Every length and index is checked when it is opened, so that nothing fails afterwards.
class Recording {
public:
    static Result<Recording> read(std::string bytes);        ///< the contents of a file
    static Result<Recording> load(const std::string& path);  ///< a file
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;
    ~Recording();

    const std::string& scene() const;
    float dt() const;  ///< of the scene's steps, s
    const Camera& camera() const;
    const RecordingError& error() const;
    const std::vector<RecordedBody>& bodies() const;
    std::string_view bytes() const;  ///< the file's contents

    std::size_t frame_count() const;                 ///< at least 1
    std::uint32_t step_of(std::size_t frame) const;  ///< so many steps were done by then
    double time_of(std::size_t frame) const;         ///< s
    double duration() const;                         ///< time of the last frame
    std::size_t frame_at(double time) const;         ///< the last frame that is not later

    /// All bodies at a frame (beyond the last: at the last), by number. Frames one after the other cost little; a jump
    /// decodes from the key frame before it.
    void states(std::size_t frame, std::vector<RecordedState>& out) const;
    /// Between frames: positions along the line, rotations along the shortest turn. Clamped to the recording.
    void states_at(double time, std::vector<RecordedState>& out) const;
    void contacts(std::size_t frame, std::vector<RecordedContact>& out) const;

    std::size_t step_count() const;
    const RecordedStep& step(std::size_t index) const;  ///< index below step_count(); 0 is the first step
    /// The step that took longest in all, or by its single slowest pair; step_count() when there is none. One that the
    /// system interrupted only if it interrupted all of them.
    std::size_t worst_step() const;
    std::size_t worst_pair_step() const;

private:
    struct State;
    explicit Recording(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// A recording in words: what it is about, and a few words.
std::vector<std::pair<std::string, std::string>> describe(const Recording& recording);

}  // namespace talus::samples
