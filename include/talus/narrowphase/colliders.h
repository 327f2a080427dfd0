#pragma once
/// The shapes that `collide` works on, where they are, and how they are expected to move.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

#include <cstdint>
#include <vector>

namespace talus {

class TriangleSet;

/// How a shape is expected to move until the next collide: its velocities times the step. All zero: it stands still.
struct PredictedMotion {
    vec3 displacement{0.0f};      ///< of the shape's origin, m, world axes
    vec3 rotation{0.0f};          ///< rotation vector, rad, world axes
    float rotation_reach = 0.0f;  ///< how far the rotation may move a point of the shape, on top of `displacement`, m
    float max_displacement =
        0.0f;  ///< of any point of the shape: the length of `displacement` plus `rotation_reach`, m
};

/// A collider that is one triangle of a surface: what it knows of its neighbours, in the collider's own frame (as in
/// SetTriangle). Its contacts are those of the surface, not those of a triangle alone.
struct SurfaceTriangle {
    vec3 normal{0.0f};  ///< unit, to the front; zero if the collider is no such triangle
    vec3 beyond[3] = {};
    const TriangleSet* set = nullptr;  ///< the surface; the triangle is its number `index`
    std::uint32_t index = 0;
    bool two_sided = false;
    bool face_only = false;  ///< no edge is convex or free: contacts are along the face, or belong to the neighbours
    bool pressed_through = false;  ///< the middle of the other shape of its pair was pressed through the surface
    vec3 side_point{0.0f};         ///< then: a point on the side where that shape belongs, m
};

/// The shapes that pairs refer to by index, with their world poses. The caller updates `poses` and `motions`, and
/// raises `versions[i]` whenever shape i changes or is teleported. Every shape must be one that `check` accepts:
/// collide does not check again.
struct Colliders {
    std::vector<Shape> shapes;
    std::vector<Transform> poses;
    std::vector<std::uint32_t> versions;
    std::vector<PredictedMotion> motions;
    std::vector<SurfaceTriangle> surface_triangles;  ///< may be shorter than the others: the rest are no such triangles

    /// Returns what collider i knows of its surface, or nullptr if it is no triangle of one.
    const SurfaceTriangle* surface_triangle(std::uint32_t i) const {
        const bool is_one = i < surface_triangles.size() && surface_triangles[i].normal != vec3(0.0f);
        return is_one ? &surface_triangles[i] : nullptr;
    }

    void resize(std::size_t count);
    std::size_t bytes() const;
};

}  // namespace talus
