#pragma once
/// Internal: what support search reads of a hull, as plain data, so that kernels compiled for other instruction sets
/// can read it too (double4.h says why they see no more than that).

namespace talus::detail {

/// Hulls above this many vertices are climbed, not scanned; the scan keeps a bit a vertex. Measured on two hulls of
/// points on a ball, ns a query, AVX2, tracked at small motion and cold: of 45 vertices scanned 100 and 332; of 85
/// scanned 124 and 435, climbed 120 and 478; of 110 141 and 530, 119 and 494.
inline constexpr int hull_scan_limit = 64;

/// Up to eight ways from a vertex to the next, as lanes. Entries beyond the last repeat the first.
struct alignas(32) ClimbRing {
    float x[8], y[8], z[8];  ///< from the vertex to the other one, m
    unsigned short next[8];  ///< the other one
};

/// What support search reads of a hull.
struct HullView {
    int count = 0;                                         ///< vertices
    int padded = 0;                                        ///< the same, rounded up to a multiple of 8
    const float* vertices = nullptr;                       ///< x, y, z by turns
    const float *x = nullptr, *y = nullptr, *z = nullptr;  ///< the same as three arrays, padded
    const unsigned* first = nullptr;                       ///< the graph to climb, see Hull
    const unsigned short* neighbours = nullptr;
    const ClimbRing* rings = nullptr;  ///< the same graph: of vertex i from first_ring[i] to first_ring[i + 1]
    const unsigned* first_ring = nullptr;
    const unsigned short* starts = nullptr;  ///< where to start climbing, by cell of direction
    int cells = 0;                           ///< of that table along an edge of its cube; 0: no table, scan
    float largest_coordinate = 0.0f;         ///< of any vertex, m
    float half_size = 0.0f;                  ///< half the longest side of the box around it, m
};

/// The vertex farthest along the direction d (x, y, z), by asking all of at most `hull_scan_limit`: the greatest dot
/// product, then the first vertex that has it. For SSE2 and for AVX2, to the same bits, and the better that this
/// processor has.
using HullScan = int(const HullView&, const float* d);
HullScan scan_hull_sse2, scan_hull_avx2;
extern HullScan* scan_hull;

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
