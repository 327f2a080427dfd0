#pragma once
/// Contact manifolds: from one normal to the up to four points that carry a resting contact.

#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

inline constexpr int max_manifold_points = 4;

struct ManifoldPoint {
    vec3 on_a{0.0f};         ///< on A's surface, in A's shape frame
    vec3 on_b{0.0f};         ///< on B's surface, in B's shape frame: both stay fixed in their bodies when the manifold is reused
    float separation = 0.0f; ///< along the normal, negative when penetrating, m
    std::uint32_t id = 0;    ///< the pair of features that made the point: equal ids from frame to frame carry the impulse
};

struct Manifold {
    vec3 normal{0.0f};  ///< unit, from A to B, in A's shape frame
    int count = 0;      ///< 0 to 4
    ManifoldPoint points[max_manifold_points];
};

/// Which faces made the last manifold: where the next search starts. Any value is safe.
struct FaceHints {
    std::uint16_t a = 0;
    std::uint16_t b = 0;
};

/// The manifold of two shapes that touch, or nearly so, along `normal` (unit, A to B, A's frame), with closest or deepest
/// surface points `on_a` and `on_b` (both in A's frame). Clips the supporting features of the two shapes against each other,
/// keeps points with separation <= margin (m), reduces them to the four that span the contact best. Holds at least one point
/// when the given pair itself is within margin: a hit always yields a contact.
Manifold make_manifold(const Shape& a, const Shape& b, const Frame& b_in_a, const vec3& normal, const vec3& on_a,
                       const vec3& on_b, float margin, FaceHints& hints);

}  // namespace talus
