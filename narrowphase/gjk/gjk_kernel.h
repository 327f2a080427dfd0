#pragma once
/// Internal: the GJK loop that production runs on polytope cores, four doubles at a time.
///
/// `find_closest` of gjk.cpp is the plain loop: any core, scalar, easy to follow. This is the same search for points,
/// segments, triangles, boxes and hulls, laid out for speed: a new vertex and the old ones stand side by side in four
/// lanes, so that one pass of lane arithmetic says which face, edge or vertex is nearest. It takes the likely turns
/// only: when rounding makes a case doubtful it says so, and the caller lets the plain loop go on from the simplex it
/// left; after no iteration at all, when the cached simplex has gone stale, a new start costs less. Compiled for SSE2
/// and for AVX2, to the same bits; which one runs is chosen at run time. And once more, to be looked at (trace.h).
///
/// Plain data only: see double4.h.

#include "narrowphase/shapes/hull_view.h"

namespace talus::detail {

/// One core as the kernel reads it.
struct KernelCore {
    enum Kind : int { origin, capsule, segment, triangle, box, hull };
    Kind kind;
    const float* numbers;  ///< capsule and box: half extents; segment and triangle: the points
    const HullView* view;
};

struct KernelQuery {
    KernelCore a, b;
    const float* frame;  ///< of b in a's: position, then the columns of its rotation
    float middle[3];     ///< from a's middle to b's; read when nothing is cached
    double size;         ///< of the smaller shape
    double max_distance;
};

struct KernelAnswer {
    enum Outcome : int { separated, overlapping, beyond_limit, iteration_cap, doubtful };
    Outcome outcome;
    int iterations;
    float distance, lower_bound;
    float normal[4], point_a[4], point_b[4];  ///< the fourth is anything
    int count;  ///< vertices of the last simplex; the indices beyond are those of older ones, or 0
    unsigned short index_a[4], index_b[4];
};

/// Starts from `count` (0 to 3) cached index pairs, or along `middle`.
using Kernel = void(const KernelQuery&, const unsigned short* cached_a, const unsigned short* cached_b, int count,
                    KernelAnswer&);
Kernel gjk_kernel_sse2, gjk_kernel_avx2;

/// The same, telling `observer` what it does.
class GjkObserver;
void gjk_kernel_observed(const KernelQuery& query, const unsigned short* cached_a, const unsigned short* cached_b,
                         int count, KernelAnswer& answer, GjkObserver& observer);

}  // namespace talus::detail
