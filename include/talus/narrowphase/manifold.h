#pragma once
/// Contact manifolds: from one normal to the up to four points that carry a resting contact.
///
/// A box on a floor touches it in a whole rectangle, of which GJK and EPA name one pair of points. With one point only,
/// a solver would let the box rock. So the contact region is found here: the supporting features of the two shapes are
/// overlapped, and the region is reduced to the four points that span it best. Between full tests the caller keeps the
/// points fixed in the two bodies and updates
///
///     separation = dot(b_in_a * on_b - on_a, normal)
///
/// which is why both anchors are points of the true surfaces, one along the normal from the other.
///
/// The normal. If a face of either shape looks along the given normal (within 15 degrees) and separates the shapes as
/// well as that does, the face's normal becomes the manifold's. It is exact, while a normal between nearly touching
/// witness points, or one from the last frame, is not, and the difference would make a resting body jitter. A face that
/// separates the shapes less well does not change the normal, so depths stay true.

#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

inline constexpr int max_manifold_points = 4;

struct ManifoldPoint {
    vec3 on_a{0.0f};  ///< on A's surface, in A's shape frame
    vec3 on_b{0.0f};  ///< on B's surface, in B's shape frame; a reused manifold keeps both fixed in their bodies
    float separation = 0.0f;  ///< along the normal, negative when penetrating, m
    /// The pair of features that made it: equal ids from frame to frame carry the impulse. A's feature in the high
    /// half, B's in the low one, 16 bits each: the inside of a face, a vertex, or an edge by its two vertices (clip.h).
    /// Faces are not named, so a corner keeps its id while it slides over an edge or the body rolls to its next face.
    /// Vertices beyond 32,767 and the edges of large hulls share codes; within a manifold such ids are moved apart, so
    /// that they are unique there, and between frames a clash could at worst carry an impulse to a neighbouring point.
    std::uint32_t id = 0;
};

/// Whose face gave a manifold its normal: the normal turns with that shape.
enum class FaceOwner : std::uint8_t {
    none,  ///< neither: it is the normal that was given
    a,
    b,
};

struct Manifold {
    vec3 normal{0.0f};  ///< unit, from A to B, in A's shape frame
    int count = 0;      ///< 0 to 4
    FaceOwner face_owner = FaceOwner::none;
    bool overlaps = false;  ///< the points come from overlapping features; false: the witness pair had to be added
    ManifoldPoint points[max_manifold_points];
};

/// The faces that made the last manifold: the next search starts from them, and ties go to them. Any value is safe.
struct FaceHints {
    std::uint32_t a = 0;  ///< faces
    std::uint32_t b = 0;
    FaceOwner owner = FaceOwner::none;
    std::uint16_t vertex_a = 0;  ///< support vertices of hulls
    std::uint16_t vertex_b = 0;
};

/// Returns the manifold of two shapes that touch, or nearly so, along `normal` (unit, A to B, A's frame), with closest
/// or deepest surface points `on_a` and `on_b` (both in A's frame). Overlaps the supporting features of the two shapes,
/// keeps points with separation <= margin (m), reduces them to the four that span the contact best. Holds at least one
/// point when the given pair itself is within margin: a hit always yields a contact. The ids within a manifold are
/// distinct; that of a lone witness pair is 0. A normal that is not a unit vector is normalised; a zero or non-finite
/// one is replaced by the direction from A's origin to B's. No points if a shape has no hull or a negative size, or the
/// pose, a point or the margin is not finite.
Manifold make_manifold(const Shape& a, const Shape& b, const Frame& b_in_a, const vec3& normal, const vec3& on_a,
                       const vec3& on_b, float margin, FaceHints& hints);

}  // namespace talus
