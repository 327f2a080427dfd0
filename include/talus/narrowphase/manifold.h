#pragma once
/// Contact manifolds: the normal of a contact and up to four points that span the contact region.
///
/// A box on a floor touches it in a whole rectangle, but GJK and EPA give only one pair of points in it. With one point
/// a solver would let the box rock. So the contact region is found here: the supporting features of the two shapes are
/// clipped against each other, and the region is reduced to the four points that span it best. Between full tests the
/// caller keeps the points fixed in the two bodies and updates
///
///     separation = dot(b_in_a * on_b - on_a, normal)
///
/// Therefore both anchors are points of the true surfaces, one along the normal from the other.
///
/// The normal: if the normal of a face of either shape is within 15 degrees of the given normal, and the face separates
/// the shapes as well as the given normal does, then the face's normal becomes the manifold's. It is exact, while a
/// normal between nearly touching witness points, or one from the last frame, is not, and the difference would make a
/// resting body jitter. A face that separates the shapes less well does not change the normal, so depths stay true.

#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

/// The greatest number of points in a manifold.
inline constexpr int max_manifold_points = 4;

/// A contact point: a point of each surface, one along the normal from the other. While a manifold is reused, both
/// points stay fixed in their bodies; those of a round shape that rolls stay where it is nearest to the other one.
struct ManifoldPoint {
    vec3 on_a{0.0f};          ///< on A's surface, in A's shape frame, m
    vec3 on_b{0.0f};          ///< on B's surface, in B's shape frame, m
    float separation = 0.0f;  ///< along the normal, negative when penetrating, m
    /// The pair of features that made the point. A point with the same id in the next frame inherits its impulse. A's
    /// feature is in the high half, B's in the low one, 16 bits each: the inside of a face, a vertex, or an edge by its
    /// two vertices (clip.h). Faces have no numbers here, so a corner keeps its id while it slides over an edge or the
    /// body rolls to its next face. Vertices beyond 32,767 and the edges of large hulls share codes. Within a manifold
    /// ids are made unique; between frames a clash can at worst carry an impulse to a neighbouring point.
    std::uint32_t id = 0;
};

/// Which shape's face gave a manifold its normal: the normal rotates with that shape.
enum class FaceOwner : std::uint8_t {
    none,  ///< neither: it is the normal that was given
    a,     ///< a face of A
    b,     ///< a face of B
};

/// A contact of two shapes: one normal and up to four points.
struct Manifold {
    vec3 normal{0.0f};                       ///< unit, from A to B, in A's shape frame
    int count = 0;                           ///< number of points, 0 to 4
    FaceOwner face_owner = FaceOwner::none;  ///< where the normal comes from
    bool overlaps = false;  ///< the points come from overlapping features; false: the witness pair had to be added
    ManifoldPoint points[max_manifold_points];  ///< the first `count` of them
};

/// The faces that made the last manifold: the next search starts from them, and ties go to them. Any value is safe.
struct FaceHints {
    std::uint32_t a = 0;                ///< face of A
    std::uint32_t b = 0;                ///< face of B
    FaceOwner owner = FaceOwner::none;  ///< which of the two gave the normal
    std::uint16_t vertex_a = 0;         ///< support vertex of A, if it is a hull
    std::uint16_t vertex_b = 0;         ///< support vertex of B, if it is a hull
};

/// Returns the manifold of two shapes that touch, or nearly so, along `normal` (unit, A to B, A's frame), with closest
/// or deepest surface points `on_a` and `on_b` (both in A's frame). It clips the supporting features of the two shapes
/// against each other, keeps points with separation <= margin (m), and reduces them to the four that span the contact
/// best. The manifold has at least one point if the given pair itself is within margin. The ids within a manifold are
/// distinct; the id of a lone witness pair is 0. A normal that is not a unit vector is normalised; a zero or non-finite
/// one is replaced by the direction from A's origin to B's. There are no points if a shape has no hull or a negative
/// size, or if the pose, a point or the margin is not finite.
Manifold make_manifold(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal,
                       const vec3& on_a, const vec3& on_b, float margin, FaceHints& hints);

}  // namespace talus
