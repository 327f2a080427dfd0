#pragma once
/// The first contact of a convex shape that moves along a line with one that stands still.
///
/// The cast is a ray cast against the Minkowski difference of the two. On polytopes the answer is exact to rounding,
/// because the last plane is a facet's. On curved shapes it converges as fast as Newton's method.

#include <talus/narrowphase/support_mapping.h>

namespace talus {

enum class CastStatus : std::uint8_t {
    miss,
    hit,
    initially_overlapping,  ///< touching, overlapping, or nearer than the target distance at the start: fraction 0
    iteration_cap,          ///< no contact before `fraction`, which is as far as it got: grazing a curved surface
    bad_input,              ///< a null hull, a negative size, or a number that is not finite: all else is as on a miss
};

struct ShapeCastResult {
    CastStatus status = CastStatus::miss;
    /// Of the translation, 0 to 1, how far B can go; 1 on a miss. Rounded down, never beyond the contact by more than a
    /// billionth of the smaller shape's size and the rounding of the coordinates.
    float fraction = 1.0f;
    /// Between the surfaces there, m: the target distance on a hit, at most that (negative: depth) when initially
    /// overlapping.
    float separation = 0.0f;
    vec3 normal{0.0f};             ///< unit, from A to B, in A's frame; zero on a miss
    vec3 point_a{0.0f};            ///< on A's surface, in A's frame, when B has gone `fraction` of its way
    vec3 point_b{0.0f};            ///< on B's surface, in A's frame, likewise
    std::uint16_t iterations = 0;  ///< support pairs

    /// True if something stops B.
    explicit operator bool() const { return status != CastStatus::miss && status != CastStatus::bad_input; }
};

/// Moves B by `translation` (m, in A's frame, any length), from the pose `b_in_a` and without turning it, until it
/// comes within `target_distance` (m, not negative) of A.
///
/// Sets are closed: touching is contact, so B that starts in touch and moves away is `initially_overlapping`, with a
/// normal that does not oppose the translation; and B that passes within a billionth of its size of A without touching
/// may count as a hit. When initially overlapping, the normal is the one of least depth, as `separation` gives it.
/// A negative target counts as 0.
///
/// Costs about one GJK query, and a support pair or two for each further plane. Implements van den Bergen 2004, "Ray
/// casting against general convex objects with application to continuous collision detection", on two objects.
ShapeCastResult shape_cast(const Shape& a, const Shape& b, const Frame& b_in_a, const vec3& translation,
                           float target_distance = 0.0f);

/// The same for two support mappings that stand in one frame.
ShapeCastResult shape_cast(const SupportMapping& a, const SupportMapping& b, const vec3& translation,
                           float target_distance = 0.0f);

}  // namespace talus
