#pragma once
/// What several scenes are made of: floors, bins, lattices of loose bodies, random hulls, rotations.

#include "samples/scenes/kit/random.h"
#include "samples/scenes/scene.h"

namespace talus::samples {

/// Thickness of floors and walls, m. There is no continuous collision for bodies that cross it in one step: 60 m/s.
inline constexpr float wall_thickness = 1.0f;

/// A turn by `radians` (at most pi either way) about a unit axis, without libm.
inline quat turn(const vec3& axis, float radians) {
    return integrate_rotation(quat(1.0f, 0.0f, 0.0f, 0.0f), axis * radians);
}

/// A point on the circle of this radius in the plane z = 0, without libm.
inline vec3 on_circle(float radius, float radians) { return rotate(turn({0, 0, 1}, radians), {radius, 0.0f, 0.0f}); }

/// A fixed box.
BodyDef block(const dvec3& center, const vec3& half_extents, const quat& rotation = quat(1.0f, 0.0f, 0.0f, 0.0f));

/// A fixed square slab whose top is y = top, `half` to each side of the origin.
BodyDef floor_slab(float half = 60.0f, float top = 0.0f);

/// Adds four glass walls, `height` tall, around a square of `width` on the floor y = 0.
void add_bin(SceneData& scene, float width, float height);

/// Points of a lattice, layer by layer from the bottom: `columns` by `columns` points a layer, `pitch` apart, centred
/// over the origin, the first layer at y = bottom.
std::vector<vec3> lattice(std::size_t count, int columns, float pitch, float bottom);

/// The jitter of SceneOptions: where its size is 0, nothing changes.
vec3 jitter(Random& random, float size);

/// How far a body got from its place in the scene, and how far any dynamic one did, at most, m.
Figure displacement(const char* name, const SceneData& scene, std::size_t body);
Figure largest_displacement(const SceneData& scene);

/// Ties body b to body a at a point and along an axis of the world, as they are placed; gives the joint's place.
template <class Def>
std::size_t tie(SceneData& scene, std::size_t a, std::size_t b, const dvec3& anchor, const vec3& axis, Def def) {
    const auto first = static_cast<std::uint32_t>(a), second = static_cast<std::uint32_t>(b);
    def.frames = scene_ends(scene, first, second, anchor, axis);
    scene.joints.push_back({first, second, def});
    return scene.joints.size() - 1;
}

/// A person 1.75 m tall and of about 75 kg with its feet at `origin`, arms spread, facing +z: 13 parts, 12 joints with
/// limits.
void add_ragdoll(SceneData& scene, const dvec3& origin, const quat& facing, const vec3& velocity);

/// The widest gap between the two anchors of a ball joint or hinge that should be one point, m.
Figure widest_joint_gap(const SceneData& scene);

/// Counts the turns of a body about an axis of the world, from call to call; at most half a turn in each.
class TurnCounter {
public:
    /// `body` of the scene, which has not moved yet; `axis`: unit.
    TurnCounter(const SceneData& scene, std::size_t body, const vec3& axis)
        : body_(body), axis_(axis), last_(normalized(scene.bodies[body].rotation)) {}
    /// Returns the turns since the scene began, right-handed.
    double operator()(const SceneBodies& bodies);

private:
    std::size_t body_;
    vec3 axis_;
    quat last_;
    double turns_ = 0.0;
};

/// The hull of `points` random points on an ellipsoid with semi-axes drawn from [low, high].
Result<Shape> random_hull(Random& random, int points, float low, float high);

/// A camera at `distance` from `target`, `yaw` degrees from +z towards +x, `pitch` degrees above it.
Camera orbit(const dvec3& target, float distance, float yaw, float pitch);

}  // namespace talus::samples
