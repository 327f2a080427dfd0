#pragma once
/// A pair of shapes as the narrowphase knows it, for those who want to look.

#include <talus/engine/body.h>
#include <talus/ids.h>
#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/profile.h>

namespace talus {

/// The number of what belongs to no island.
inline constexpr std::uint32_t no_island = 0xffffffffu;

struct PairInfo {
    BodyId body_a, body_b;                   ///< B's is the smaller shape
    std::uint32_t shape_a = 0, shape_b = 0;  ///< indices of the shapes in their bodies
    PairState state = PairState::unknown;    ///< unknown: it was never tested
    Rung rung = Rung::skip;                  ///< how it was settled last
    bool active = false;                     ///< the last step settled it, since one of the two was awake
    double microseconds = 0.0;  ///< what its tests took in the last step, where they were timed singly; else 0
    /// m. Touching: of its deepest point. Separated: a lower bound, when last tested; of pairs that were skipped for
    /// the balls around the shapes, that of the balls as they are.
    float separation = 0.0f;
    Transform b_in_a;                      ///< pose of shape B in A's frame when last tested
    SimplexCache simplex;                  ///< where its next GJK starts: trace.h steps through it
    std::uint32_t triangle = no_triangle;  ///< of the mesh, if one of the two is one
};

/// The convex shape that the narrowphase tests in a shape's place: itself, or a triangle of its mesh.
struct ConvexPart {
    Shape shape;
    Transform pose;  ///< of its frame in the body's
};
/// `triangle` counts for meshes only; for one beyond the mesh's last the first is given.
ConvexPart convex_part(const ShapeDef& shape, std::uint32_t triangle);

}  // namespace talus
