#pragma once
/// Internal: simplices in the Minkowski difference, and how their point closest to the origin is found.

#include "narrowphase/support/minkowski.h"

namespace talus::detail {

/// Up to four vertices and the point v of their hull that is closest to the origin. It lies between all of them:
/// vertices that v does not need are dropped.
///
/// The search needs the direction of v first. So v is stored as a multiple y = s v (s > 0), which follows from the
/// feature without a division: the triangle's normal, the edge's perpendicular, the vertex. This also keeps its
/// direction exact close to contact.
struct Simplex {
    SimplexVertex vertex[4];
    /// All > 0: v is the sum of weight[i] * vertex[i].w, divided by the sum of the weights.
    double weight[4] = {1.0, 0.0, 0.0, 0.0};
    int count = 0;
    bool contains = false;  ///< the four vertices enclose the origin; y is zero
    dvec3 y{0.0};           ///< points from the origin to v
    double yy = 0.0;        ///< dot(y, y)
    double yv = 0.0;        ///< dot(y, v)
    double vv = 0.0;        ///< dot(v, v)

    dvec3 closest() const { return yy > 0.0 ? y * (yv / yy) : dvec3(0.0); }

    /// Returns the point of A's core that belongs to v.
    dvec3 on_a() const {
        dvec3 sum(0.0);
        double total = 0.0;
        for (int i = 0; i < count; ++i) {
            sum += weight[i] * vertex[i].a;
            total += weight[i];
        }
        return sum / total;
    }
};

/// Sets v to the closest point to the origin of the first `count` vertices, and drops the vertices that it does not
/// need. If the new v is not strictly nearer than the old one, returns false and leaves the simplex as it was with
/// `previous` vertices (previous = 0: there is no old one).
bool reduce(Simplex& simplex, int previous);

/// Looks up the points of cached index pairs at the present pose and reduces them. Returns false if the cache is empty.
bool load(const MinkowskiDifference& difference, const SimplexCache& cache, Simplex& simplex);

}  // namespace talus::detail
