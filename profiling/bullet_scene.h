#pragma once
/// A scene of the scene library built in Bullet, to be compared with. Bullet's own defaults wherever it has one: Dbvt broadphase,
/// sequential impulses with 10 iterations, its collision margins.

#include "samples/scenes/scene.h"

#include <memory>
#include <vector>

namespace talus::profiling {

class BulletScene {
public:
    explicit BulletScene(const samples::SceneData& scene);
    ~BulletScene();
    BulletScene(BulletScene&&) noexcept;

    /// Step number `step` (0 is the first), by scene_dt.
    void step(int step);

    std::size_t body_count() const;
    vec3 position(std::size_t body) const;  ///< of the body frame's origin, in the scene's order
    float max_penetration() const;          ///< over the contact points of the last step, m
    /// CPU time of the last step's moves of boxes and search for pairs, without that of computing the boxes (which is taken anew).
    double broadphase_ms() const;
    double narrowphase_ms() const;          ///< CPU time of the last step's pair tests and manifolds

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace talus::profiling
