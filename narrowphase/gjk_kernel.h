#pragma once
/// Internal: the GJK loop that production runs on polytope cores, four doubles at a time.
///
/// `find_closest` of gjk.cpp is the plain loop: any core, scalar, easy to follow. This is the same search for points, segments,
/// triangles, boxes and hulls, laid out for speed: a new vertex and the old ones stand side by side in four lanes, so that one pass
/// of lane arithmetic says which face, edge or vertex is nearest. It takes the likely turns only: when rounding makes a case
/// doubtful it says so, and the caller lets the plain loop go on from the simplex it left. Compiled twice, for SSE2 and for AVX2, to
/// the same bits; which one runs is chosen at run time.
///
/// Plain data only: see double4.h.

namespace talus::detail {

/// Hulls above this many vertices are climbed, not scanned.
inline constexpr int hull_scan_limit = 192;

/// What support search reads of a hull.
struct HullView {
    int count = 0;                                         ///< vertices
    int padded = 0;                                        ///< the same, rounded up to a multiple of 8
    const float* vertices = nullptr;                       ///< x, y, z by turns
    const float *x = nullptr, *y = nullptr, *z = nullptr;  ///< the same as three arrays, padded
    const unsigned* first = nullptr;                       ///< the vertex graph, see Hull
    const unsigned short* neighbours = nullptr;
    const unsigned short* starts = nullptr;  ///< where to start climbing, by cell of direction
    int cells = 0;                           ///< of that table along an edge of its cube; 0: no table, scan
    float largest_coordinate = 0.0f;         ///< of any vertex, m
    float half_size = 0.0f;                  ///< half the longest side of the box around it, m
};

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
    float normal[3], point_a[3], point_b[3];
    int count;  ///< vertices of the last simplex
    unsigned short index_a[4], index_b[4];
};

/// Starts from `count` (0 to 3) cached index pairs, or along `middle`.
using Kernel = void(const KernelQuery&, const unsigned short* cached_a, const unsigned short* cached_b, int count,
                    KernelAnswer&);
Kernel gjk_kernel_sse2, gjk_kernel_avx2;

/// Which of the 6 n^2 cells of the cube map the direction points to (any but zero).
inline int support_cell(float x, float y, float z, int n) {
    const float ax = x < 0.0f ? -x : x, ay = y < 0.0f ? -y : y, az = z < 0.0f ? -z : z;
    int face = x < 0.0f ? 1 : 0;
    float major = ax, u = y, v = z;
    if (ay > major) {
        face = y < 0.0f ? 3 : 2;
        major = ay;
        u = z;
        v = x;
    }
    if (az > major) {
        face = z < 0.0f ? 5 : 4;
        major = az;
        u = x;
        v = y;
    }
    const float half = 0.5f * static_cast<float>(n), scale = half / major;
    int i = static_cast<int>(u * scale + half), j = static_cast<int>(v * scale + half);
    if (i >= n) i = n - 1;
    if (j >= n) j = n - 1;
    return (face * n + i) * n + j;
}

}  // namespace talus::detail
