#pragma once
/// Internal: where two surfaces of triangles are near each other, and whether they cross.

#include "narrowphase/nonconvex/surface_features.h"

#include <cstdint>
#include <vector>

namespace talus::detail {

/// Removes from `triangles`, which are triangles of a set, those that are farther than `distance` (m) from all
/// triangles of another set, and some that are a little nearer. Consecutive ones should be near each other.
void keep_near(const TriangleSet& set, std::vector<std::uint32_t>& triangles, const TriangleSet& other,
               const Transform& set_in_other, float distance);

/// Returns whether a point is inside of a solid: whether a ray from the point meets an odd number of triangles.
bool is_inside(const TriangleSet& solid, const vec3& point);

/// A closed curve in which the boundaries of two solids cross.
struct CrossingCurve {
    /// Its area vector, m^2, from A to B: the integral of A's normal over the part of its boundary inside of B. The
    /// overlap's volume falls fastest if A moves against it.
    vec3 area{0.0f};
    vec3 middle{0.0f};    ///< m
    float length = 0.0f;  ///< m
    Aabb box;             ///< around it, m

    /// Adds another one.
    void add(const CrossingCurve& other);
};

/// Where two solids overlap, by the curves in which their boundaries cross.
struct SurfaceOverlap {
    bool crosses = false;
    std::vector<CrossingCurve> curves;
    /// The faces of A that cross B or are connected to the curve inside of B, and those of B that cross A or are inside
    /// of A, in ascending order. (Those of a part that is wholly inside are not found.)
    std::vector<std::uint32_t> faces_a, faces_b;
};

/// Finds where two surfaces cross, in A's frame. Faces that are farther than `depth` (m) from the box of all curves are
/// left out.
SurfaceOverlap find_overlap(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                            float depth);

}  // namespace talus::detail
