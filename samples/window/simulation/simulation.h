#pragma once
/// A scene's world as the window runs it: with bodies that the user added, and settings that he changed.
///
/// A scene's own code knows its bodies by their slots (scene.h), so those that are added come after them, and when one
/// of the scene's own is deleted, that code falls silent: scripted() says whether it still runs.

#include "samples/scenes/scene.h"

#include <talus/thread_pool.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace talus::samples {

/// What holds for each scene that is loaded, unlike gravity, the length of a step and the sub-steps, which scenes choose.
struct Wishes {
    WorldDef def;     ///< gravity and sub-steps are not used
    int threads = 1;  ///< 1 to 64
    std::uint64_t seed = 1;
    float jitter = 0.0f;  ///< m
    std::vector<std::string> meshes;
    std::string file;  ///< of the scene of a file
};

class Simulation {
public:
    /// In place of what was there. On an Error all is as it was.
    Error load(const Scene& scene, const Wishes& wishes);
    /// The same scene from its beginning.
    Error restart();

    /// After bodies were moved from outside: the poses below are those of now.
    void refresh() {
        refresh_poses();
        before_ = poses_;
    }

    /// One step. An Error when the world refuses it.
    Error step();

    const Scene& scene() const { return *scene_; }
    const SceneData& data() const { return data_; }
    World& world() { return world_; }
    const World& world() const { return world_; }
    std::span<const BodyId> scene_bodies() const { return scene_ids_; }
    int step_number() const { return step_; }    ///< steps done
    double time() const { return time_; }        ///< s
    double step_ms() const { return step_ms_; }  ///< wall time of the last step, the scene's doings included
    /// Counts changes of the list of bodies below, and of what they look like.
    std::uint64_t version() const { return version_; }

    // Bodies: those of the scene, then what was added.
    std::span<const BodyId> ids() const { return ids_; }
    std::span<const std::uint32_t> numbers() const { return numbers_; }       ///< for body_color()
    std::span<const WorldTransform> poses() const { return poses_; }          ///< after the last step
    std::span<const WorldTransform> poses_before() const { return before_; }  ///< ... and after the one before it
    bool is_glass(std::size_t body) const;
    std::optional<std::size_t> index_of(BodyId body) const;

    BodyId add(const BodyDef& def);
    /// A small scene's bodies and joints, where they are.
    bool add(const SceneData& part);
    bool remove(BodyId body);

    // Settings.
    const Wishes& wishes() const { return wishes_; }
    void set_wishes(const Wishes& wishes);
    void set_first_wishes(const Wishes& wishes) { wishes_ = wishes; }  ///< before the first load()
    void set_substeps(int substeps);
    void set_dt(float dt);                  ///< s
    void set_gravity(const vec3& gravity);  ///< the scene's own changes of it end
    /// Whether the scene's own doings (SceneData::act) go on; true when it has none.
    bool scripted() const { return scripted_; }
    bool has_script() const { return has_script_; }

    /// Keeps World::pairs() of before each step: where its GJK started from.
    bool keep_pairs = false;
    const std::vector<PairInfo>& pairs_before() const { return pairs_before_; }

private:
    void adopt(BodyId body, BodyType type);
    void refresh_poses();
    Jobs jobs();

    const Scene* scene_ = nullptr;
    Wishes wishes_;
    SceneData data_;
    World world_;
    std::unique_ptr<ThreadPool> pool_;
    std::vector<BodyId> scene_ids_, ids_;
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint8_t> glass_;
    std::vector<WorldTransform> before_, poses_;
    std::vector<PairInfo> pairs_before_;
    std::uint32_t next_number_ = 0;
    int step_ = 0;
    double time_ = 0, step_ms_ = 0;
    bool scripted_ = true, has_script_ = false;
    std::uint64_t version_ = 0;
};

}  // namespace talus::samples
