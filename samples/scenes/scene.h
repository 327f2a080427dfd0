#pragma once
/// One library of scenes, used by the samples, the tests and the benchmarks.
///
/// A scene is data: a list of bodies, gravity, and what changes by itself as time goes on. Nothing in it names a world,
/// so the same scene can be built in another engine and the two compared. Data depends on the options alone: the same
/// seed gives the same bits from any compiler (own random numbers, no libm), another seed gives another scene.

#include <talus/talus.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples {

/// Scenes are made for this step unless they say otherwise, s.
inline constexpr float scene_dt = 1.0f / 60.0f;

struct SceneOptions {
    std::uint64_t seed = 1;
    float jitter = 0.0f;  ///< horizontal, uniform in +-jitter on each body of a stack, pyramid or wall, m
    std::vector<std::string> mesh_files;  ///< for scenes without meshes of their own (Scene::takes_meshes)
    std::string file{};                   ///< for the scene of a file (samples/soak/text_run.h)
};

struct Camera {
    dvec3 eye{10, 6, 14};
    dvec3 target{0, 1, 0};
    float vertical_fov_degrees = 40.0f;
};

/// The bodies of a scene in whichever engine runs it, by their place in SceneData::bodies. Through it a scene's own
/// code acts on them (explosions, water, robots), and figures are measured on them by the same formula in every engine.
class SceneBodies {
public:
    virtual ~SceneBodies() = default;
    virtual WorldTransform transform(std::size_t body) const = 0;  ///< of the body's frame
    virtual dvec3 center_of_mass(std::size_t body) const = 0;      ///< world, m
    virtual vec3 linear_velocity(std::size_t body) const = 0;      ///< of the centre of mass, m/s
    virtual vec3 angular_velocity(std::size_t body) const = 0;     ///< world axes, rad/s
    virtual float mass(std::size_t body) const = 0;                ///< kg; 0 unless dynamic
    /// About the centre of mass, world axes, kg m^2; 0 unless dynamic.
    virtual mat3 inertia(std::size_t body) const = 0;
    virtual void apply_force(std::size_t body, const vec3& force, const dvec3& point) = 0;  ///< for one step, N; world
    virtual void apply_impulse(std::size_t body, const vec3& impulse, const dvec3& point) = 0;  ///< at once, N s; world
    /// Where a kinematic body shall be after the next step.
    virtual void set_target(std::size_t body, const WorldTransform& target) = 0;
    /// By place in SceneData::joints.
    virtual void set_joint_motor(std::size_t joint, const JointMotor& motor, JointAxis axis = JointAxis::main) = 0;
    virtual void set_joint_spring(std::size_t joint, const JointSpring& spring, JointAxis axis = JointAxis::main) = 0;
};

/// What becomes of a quantity that is measured after each step.
enum class Over { last, largest, smallest, mean };

/// A number that says how well a scene went, measured on the bodies and not taken from the engine.
struct Figure {
    const char* name;  ///< what is measured, in words
    const char* unit;  ///< "" for ratios
    Over over;
    /// `time` is that of the bodies, s: dt after the first step.
    std::function<double(const SceneBodies& bodies, double time)> value;
};

/// A joint of a scene: its definition with the handles left null, which are these bodies (or, for a gear, joints) of
/// the scene.
struct SceneJoint {
    std::uint32_t a = 0, b = 0;
    JointDef def;
};

struct SceneData {
    float dt = scene_dt;                 ///< length of a step, s
    int substeps = WorldDef{}.substeps;  ///< of Talus's solver
    vec3 gravity{0.0f, -10.0f, 0.0f};
    std::vector<BodyDef> bodies;
    std::vector<SceneJoint> joints;
    /// Gravity at a step (0 is the first), when it changes with time; else empty.
    std::function<vec3(int step)> gravity_at;
    /// What the scene itself does before a step (0 is the first); else empty.
    std::function<void(SceneBodies& bodies, int step)> act;
    std::vector<Figure> figures;

    // For pictures only.
    Camera camera;
    std::vector<std::uint32_t> glass;  ///< bodies that are drawn as outlines, so that one sees what is behind them
};

struct Scene {
    const char* name;     ///< snake_case, unique
    const char* summary;  ///< one sentence: what it shows
    int steps;            ///< how long it takes to show it
    Result<SceneData> (*make)(const SceneOptions&);
    bool takes_meshes = false;  ///< whether it uses SceneOptions::mesh_files
};

/// In the order in which a reader would want to meet them.
std::span<const Scene> all_scenes();

/// The scene of this name, or nullptr.
const Scene* find_scene(std::string_view name);

/// Frames for a joint of two of the scene's bodies where they stand, from a point (m) and an axis in the world; handles
/// null.
JointFrames scene_ends(const SceneData& scene, std::uint32_t a, std::uint32_t b, const dvec3& anchor,
                       const vec3& axis = {1.0f, 0.0f, 0.0f});

/// A world with the scene's bodies and joints in it, in the scene's order; `ids[i]` is the handle of bodies[i],
/// `joints[i]` of joints[i]. `def` may choose all but gravity and sub-steps. A scene whose bodies the world refuses
/// gives an empty world, whose last_error() says why; a joint that it refuses is left out, and last_error() says why
/// too.
World make_world(const SceneData& scene, std::vector<BodyId>* ids = nullptr, WorldDef def = {},
                 std::vector<JointId>* joints = nullptr);

/// What step_scene() does before its step.
void act_scene(World& world, const SceneData& scene, int step);

/// Step number `step` (0 is the first) of a world that make_world() made and from which no body was removed: the
/// scene's own doings, then a step of its length.
bool step_scene(World& world, const SceneData& scene, int step, const Jobs& jobs = {});

/// The figures of a run: observe() after each step, then values().
class Figures {
public:
    explicit Figures(const SceneData& scene)
        : figures_(scene.figures), values_(scene.figures.size(), 0.0), dt_(scene.dt) {}

    void observe(const SceneBodies& bodies);
    void observe(World& world);  ///< of make_world(), as in step_scene()
    /// Parallel to SceneData::figures; 0 before the first observation.
    std::vector<double> values() const;

private:
    std::vector<Figure> figures_;
    std::vector<double> values_;  ///< for means the sums
    double dt_;
    int count_ = 0;
};

}  // namespace talus::samples
