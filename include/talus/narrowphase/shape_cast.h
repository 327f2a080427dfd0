#pragma once
/// The first contact of a convex shape that moves along a line with a convex shape at rest.
///
/// The cast is a ray cast against the Minkowski difference of the two. On polytopes the result is exact to rounding,
/// because the last clipping plane is that of a facet. On curved shapes it converges as fast as Newton's method.

#include <talus/narrowphase/support_mapping.h>

namespace talus {

/// The result of a shape cast.
enum class CastStatus : std::uint8_t {
    miss,                   ///< no contact
    hit,                    ///< contact at `fraction`
    initially_overlapping,  ///< touching, overlapping, or nearer than the target distance at the start: fraction 0
    iteration_cap,          ///< gave up while grazing a curved surface: no contact before `fraction`, unknown after it
    bad_input,              ///< a null hull, a negative size, or a number that is not finite: all else is as on a miss
};

/// How far a shape can move, and where it touches the other one.
struct ShapeCastResult {
    CastStatus status = CastStatus::miss;  ///< how the cast ended
    /// How far B can move, as a fraction of the translation, 0 to 1; 1 on a miss. Rounded down. It exceeds the contact
    /// by no more than a billionth of the smaller shape's size and the rounding of the coordinates.
    float fraction = 1.0f;
    /// Between the surfaces at `fraction`, m. On a hit it is the target distance, when initially overlapping at most
    /// that (negative if they penetrate).
    float separation = 0.0f;
    vec3 normal{0.0f};             ///< unit, from A to B, in A's frame; zero on a miss
    vec3 point_a{0.0f};            ///< on A's surface at `fraction`, in A's frame, m
    vec3 point_b{0.0f};            ///< on B's surface at `fraction`, in A's frame, m
    std::uint16_t iterations = 0;  ///< support pairs

    /// True unless the cast missed or the input was bad.
    explicit operator bool() const { return status != CastStatus::miss && status != CastStatus::bad_input; }
};

/// Moves B by `translation` (m, in A's frame, reliable up to 1e12 m), from the pose `b_in_a` and without turning it,
/// until it comes within `target_distance` (m, not negative) of A.
///
/// Shapes include their boundary, so touching is contact. If B touches A at the start and moves away, the status is
/// `initially_overlapping`, and the normal does not oppose the translation. A B that passes A within a billionth of its
/// size may count as a hit. When initially overlapping, the normal is the one of least depth, as `separation` gives it.
/// A negative target counts as 0.
///
/// Costs about one GJK query, and one or two support pairs for each further plane. Implements van den Bergen 2004, "Ray
/// casting against general convex objects with application to continuous collision detection", for two objects.
ShapeCastResult shape_cast(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& translation,
                           float target_distance = 0.0f);

/// The same for two support mappings in one frame.
ShapeCastResult shape_cast(const SupportMapping& a, const SupportMapping& b, const vec3& translation,
                           float target_distance = 0.0f);

}  // namespace talus
