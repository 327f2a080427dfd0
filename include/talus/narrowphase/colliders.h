#pragma once
/// The shapes that `collide` works on, where they are, and how they are expected to move.

#include <talus/math.h>
#include <talus/narrowphase/shape.h>

#include <cstdint>
#include <vector>

namespace talus {

class TriangleSet;

/// How a shape is expected to move before the next collide: its velocity times the step. All zero: it does not.
struct Sweep {
    vec3 way{0.0f};        ///< of the shape's origin, m, world axes
    vec3 turn{0.0f};       ///< rotation vector, rad, world axes
    float turning = 0.0f;  ///< how far that turn may take points of the shape from where `way` takes them, m
    float reach = 0.0f;    ///< length of `way` and `turning`
};

/// What a collider that is one triangle of a surface knows of the rest of it, in the collider's own frame: see
/// SetTriangle. Its contacts are the surface's (surface_contact.h).
struct SurfaceTriangle {
    vec3 normal{0.0f};  ///< unit; zero: the collider is no such triangle
    vec3 beyond[3] = {};
    const TriangleSet* set = nullptr;  ///< that it is part of, as number `index`
    std::uint32_t index = 0;
    bool two_sided = false;
    bool face_only = false;  ///< no edge sticks out or ends: contacts are along the face, or the neighbours'
    bool through = false;    ///< the middle of the other of its pair was pressed through the surface from ...
    vec3 place{0.0f};        ///< here, where it belongs; m
};

/// The shapes that pairs refer to by index, with their world poses. The caller moves `poses` and raises `versions[i]`
/// whenever shape i changes or jumps.
struct Colliders {
    std::vector<Shape> shapes;
    std::vector<Transform> poses;
    std::vector<std::uint32_t> versions;
    std::vector<Sweep> sweeps;
    std::vector<SurfaceTriangle> surface_triangles;  ///< shorter than the others where the rest are none

    /// Of a collider that is one triangle of a surface, else nullptr.
    const SurfaceTriangle* surface_triangle(std::uint32_t i) const {
        const bool is_one = i < surface_triangles.size() && surface_triangles[i].normal != vec3(0.0f);
        return is_one ? &surface_triangles[i] : nullptr;
    }

    void resize(std::size_t count);
    std::size_t bytes() const;
};

}  // namespace talus
