#pragma once
/// A scene of the scene library built in Bullet, to be compared with. Bullet's own defaults wherever it has one: Dbvt
/// broadphase, sequential impulses with 10 iterations, its collision margins. Its positions are floats.

#include "samples/scenes/scene.h"

#include <memory>
#include <vector>

namespace talus::profiling {

class BulletScene : public samples::SceneBodies {
public:
    /// An error that names everything in the scene that Bullet has no equal of, or that this class would leave out; none if it has all.
    static Error missing(const samples::SceneData& scene);

    /// Of a scene of which nothing is missing().
    explicit BulletScene(const samples::SceneData& scene);
    ~BulletScene() override;
    BulletScene(BulletScene&&) noexcept;

    /// Step number `step` (0 is the first), of the scene's length.
    void step(int step);

    // In the scene's order.
    WorldTransform transform(std::size_t body) const override;
    dvec3 center_of_mass(std::size_t body) const override;
    vec3 linear_velocity(std::size_t body) const override;
    vec3 angular_velocity(std::size_t body) const override;
    float mass(std::size_t body) const override;
    mat3 inertia(std::size_t body) const override;
    void apply_force(std::size_t body, const vec3& force, const dvec3& point) override;
    void apply_impulse(std::size_t body, const vec3& impulse, const dvec3& point) override;
    void set_target(std::size_t body, const WorldTransform& target) override;
    void set_joint_motor(std::size_t joint, const JointMotor& motor, JointAxis axis) override;     ///< of hinges
    void set_joint_spring(std::size_t joint, const JointSpring& spring, JointAxis axis) override;  ///< does nothing

    /// Over the contact points of the last step, m; in the mean, separated ones count as 0.
    struct Overlap {
        float deepest = 0.0f, mean = 0.0f;
    };
    Overlap overlap() const;
    /// CPU time of the last step's moves of boxes and search for pairs, without that of computing the boxes (which is
    /// taken anew).
    double broadphase_ms() const;
    double narrowphase_ms() const;  ///< CPU time of the last step's pair tests and manifolds
    double solve_ms() const;        ///< CPU time of the last step's constraint solving, islands included
    /// What this scene holds of Bullet's allocator: bodies, shapes, pairs, manifolds, solver.
    std::size_t bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace talus::profiling
