#pragma once
/// Internal: the data of a hull that support search reads, as plain data, so that kernels compiled for other
/// instruction sets can read it too (double4.h says why they include nothing else).

namespace talus::detail {

/// Hulls with more vertices than this are climbed, not scanned. (The scan keeps one bit per vertex.) Measured on two
/// hulls of points on a sphere, ns per query, AVX2, tracked at small motion / cold:
///
///     vertices        45           85          110
///     scanned     100 / 332    124 / 435    141 / 530
///     climbed         -        120 / 478    119 / 494
inline constexpr int hull_scan_limit = 64;

/// Up to eight edges from a vertex to its neighbours, as lanes. Entries beyond the last repeat the first.
struct alignas(32) ClimbRing {
    float x[8], y[8], z[8];  ///< from the vertex to the neighbour, m
    unsigned short next[8];  ///< the neighbour
};

/// The data of a hull that support search reads.
struct HullView {
    int count = 0;                                         ///< vertices
    int padded = 0;                                        ///< the same, rounded up to a multiple of 8
    const float* vertices = nullptr;                       ///< x, y, z of each vertex
    const float *x = nullptr, *y = nullptr, *z = nullptr;  ///< the same as three arrays, padded
    const unsigned* first = nullptr;                       ///< the graph to climb, see Hull
    const unsigned short* neighbours = nullptr;
    const ClimbRing* rings = nullptr;  ///< the same graph: of vertex i from first_ring[i] to first_ring[i + 1]
    const unsigned* first_ring = nullptr;
    const unsigned short* starts = nullptr;  ///< where to start climbing, by cell of direction
    int cells = 0;                           ///< cells of that table along an edge of its cube; 0: no table, scan
    float largest_coordinate = 0.0f;         ///< of any vertex, m
    float half_size = 0.0f;                  ///< half the longest side of the box around it, m
};

/// Returns the vertex farthest along the direction d (x, y, z) by scanning all, at most `hull_scan_limit`: finds the
/// greatest dot product, then the first vertex that has it. Compiled for every processor and for AVX2, with the same bits;
/// `scan_hull` is the faster one that this processor has.
using HullScan = int(const HullView&, const float* d);
HullScan scan_hull_base, scan_hull_avx2;
extern HullScan* scan_hull;

/// Returns which of the 6 n^2 cells of the cube map the direction (not zero) points to.
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
