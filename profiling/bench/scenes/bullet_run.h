#pragma once
/// One run of a scene in Bullet, for `talus-profile scenes`.

#include "profiling/bench/scenes/scene_run.h"

namespace talus::profiling {

#ifdef TALUS_WITH_BULLET
/// Runs the scene in Bullet on one thread, without sleeping. Refuses scenes with parts that Bullet lacks (bullet_scene.h). `threads`: those of
/// Talus, which decide what is timed (now_ms).
Result<SceneRun> run_bullet(const samples::SceneData& scene, int steps, int threads);
/// An error that names the parts of the scene that Bullet lacks; none if it has all.
Error missing_in_bullet(const samples::SceneData& scene);
#else
inline Result<SceneRun> run_bullet(const samples::SceneData&, int, int) {
    return Error{ErrorCode::bad_argument, "this talus-profile was built without Bullet"};
}
inline Error missing_in_bullet(const samples::SceneData&) { return {}; }
#endif

}  // namespace talus::profiling
