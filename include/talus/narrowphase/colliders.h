#pragma once
/// The shapes that `collide` works on, where they are, and how they are expected to move.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

#include <cstdint>
#include <vector>

namespace talus {

class TriangleSet;

/// How a shape is expected to move until the next `collide`: its velocities times the step. All zero: it is at rest.
struct PredictedMotion {
    vec3 displacement{0.0f};      ///< of the shape's origin, m, world axes
    vec3 rotation{0.0f};          ///< rotation vector, rad, world axes
    float rotation_reach = 0.0f;  ///< how far the rotation may move the shape's surface, besides `displacement`, m
    /// Upper bound of how far the shape's surface may move: the length of `displacement` plus `rotation_reach`, m. (The
    /// points of a ball that rolls move farther, but its surface does not.)
    float max_displacement = 0.0f;
};

/// The neighbourhood of a collider that is one triangle of a surface, in the collider's own frame. Its contacts are the
/// contacts of the surface, not those of a triangle alone.
struct SurfaceTriangle {
    vec3 normal{0.0f};                 ///< unit, to the front; zero if the collider is no triangle of a surface
    vec3 beyond[3] = {};               ///< the corners of the neighbours, as SetTriangle::beyond, m
    const TriangleSet* set = nullptr;  ///< the surface
    std::uint32_t index = 0;           ///< the number of the triangle in `set`
    bool two_sided = false;            ///< whether the surface stops shapes from behind, too
    bool face_only = false;  ///< no edge is convex or free: contacts are along the face, or belong to the neighbours
    bool pressed_through = false;  ///< the centre of the other shape of its pair was pressed through the surface
    vec3 side_point{0.0f};  ///< a point on the side to which that shape must return, m; only used if `pressed_through`
};

/// The shapes that pairs refer to by index, with their world poses. The caller updates `poses` and `motions`, and
/// increases `versions[i]` whenever shape i changes or is teleported. Every shape must be one that `check` accepts,
/// because `collide` does not check it again.
struct Colliders {
    std::vector<Shape> shapes;                       ///< each in its own frame
    std::vector<WorldTransform> poses;               ///< of the shapes' frames in the world, on the grid
    std::vector<std::uint32_t> versions;             ///< numbers that tell whether a shape has changed
    std::vector<PredictedMotion> motions;            ///< until the next collide
    std::vector<SurfaceTriangle> surface_triangles;  ///< may be shorter than the others: the rest are no triangles

    /// Returns the surface triangle that collider i is, or nullptr if it is none.
    const SurfaceTriangle* surface_triangle(std::uint32_t i) const {
        const bool is_one = i < surface_triangles.size() && surface_triangles[i].normal != vec3(0.0f);
        return is_one ? &surface_triangles[i] : nullptr;
    }

    void resize(std::size_t count);  ///< makes room for `count` colliders; `surface_triangles` stays as it is
    std::size_t bytes() const;       ///< heap memory held, hulls not included
};

}  // namespace talus
