#pragma once
/// Internal: the GJK loop for polytope cores, four doubles at a time.
///
/// `find_closest` (find_closest.cpp) is the plain loop: any core, scalar, easy to follow. This is the same search for
/// points, segments, triangles, boxes and hulls, laid out for speed. A new vertex and the old ones are side by side in
/// four lanes, so that one pass of lane arithmetic finds the nearest face, edge or vertex.
///
/// The kernel handles the common cases only. If rounding makes a case doubtful, it returns `doubtful`, and the plain
/// loop continues from its simplex. If that happens before the first iteration, because the cached simplex is out of
/// date, a new start costs less. The kernel is compiled for every processor and for AVX2, with the same bits; which one runs is
/// chosen at run time. It is compiled a third time with an observer (trace.h).
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
    const float* frame;  ///< pose of b in a's frame: position, then the columns of its rotation
    float middle[3];     ///< from a's middle to b's; read if nothing is cached
    double size;         ///< of the smaller shape, m
    double max_distance;
};

struct KernelAnswer {
    enum Outcome : int { separated, overlapping, beyond_limit, iteration_cap, doubtful };
    Outcome outcome;
    int iterations;
    float distance, lower_bound;
    float normal[4], point_a[4], point_b[4];  ///< the fourth element is undefined
    int count;  ///< vertices of the last simplex; indices beyond them are left over from earlier ones, or 0
    unsigned short index_a[4], index_b[4];
};

/// Starts from `count` (0 to 3) cached index pairs, or along `middle`.
using Kernel = void(const KernelQuery&, const unsigned short* cached_a, const unsigned short* cached_b, int count,
                    KernelAnswer&);
Kernel gjk_kernel_base, gjk_kernel_avx2;

/// The same; `observer` is called at each step.
class GjkObserver;
void gjk_kernel_observed(const KernelQuery& query, const unsigned short* cached_a, const unsigned short* cached_b,
                         int count, KernelAnswer& answer, GjkObserver& observer);

}  // namespace talus::detail
