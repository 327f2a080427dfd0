#pragma once
/// Shape pairs as the narrowphase keeps them, for inspection.

#include <talus/engine/body.h>
#include <talus/ids.h>
#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/profile.h>

namespace talus {

/// The island number of bodies that are in no island.
inline constexpr std::uint32_t no_island = 0xffffffffu;

/// The narrowphase's record of a pair of shapes.
struct PairInfo {
    BodyId body_a;                         ///< body of the larger shape
    BodyId body_b;                         ///< body of the smaller shape
    std::uint32_t shape_a = 0;             ///< index of the shape in body A
    std::uint32_t shape_b = 0;             ///< index of the shape in body B
    PairState state = PairState::unknown;  ///< `unknown`: the pair was never tested
    Rung rung = Rung::skip;                ///< the method that last settled the pair
    bool active = false;                   ///< the last step settled the pair, because one of the bodies was awake
    double microseconds = 0.0;             ///< time of its tests in the last step; 0 if not timed singly: see Timing
    /// Separation, m. If the shapes touch, the separation of the deepest point. If they are separated, a lower bound of
    /// their distance: from the last test, or from the present bounding spheres if those settled the pair.
    float separation = 0.0f;
    Transform b_in_a;                      ///< pose of shape B in shape A's frame at the last test
    SimplexCache simplex;                  ///< where the next GJK starts; trace.h shows its iterations
    std::uint32_t triangle = no_triangle;  ///< index of the triangle if one of the shapes is a mesh
    /// If the pair is one with a facet, which stands for all triangles of the mesh in one plane near the other shape: the
    /// radius of the circle around its middle that is inside of it, m. Else 0.
    float facet_reach = 0.0f;
    vec3 facet_middle{0.0f};  ///< the facet's middle, in the mesh's frame, m
};

/// The convex shape that the narrowphase tests for a shape: the shape itself, or one triangle of a mesh or a facet.
struct ConvexPart {
    Shape shape;     ///< the convex shape
    Transform pose;  ///< pose of its frame in the body's frame
};

/// Returns the convex part of a shape. `triangle` is used for meshes only; if the mesh has no such triangle, the first
/// one is returned.
ConvexPart convex_part(const ShapeDef& shape, std::uint32_t triangle);
/// Returns the convex part of a shape of the pair.
ConvexPart convex_part(const ShapeDef& shape, const PairInfo& pair);

}  // namespace talus
