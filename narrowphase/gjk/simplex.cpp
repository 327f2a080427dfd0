#include "narrowphase/gjk/simplex.h"

#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

namespace {

/// The nearest feature of a simplex found so far: the slots and (scaled) weights of its vertices, and its y.
struct NearestFeature {
    int count = 0;
    int slot[4] = {};
    double weight[4] = {};
    dvec3 y{0.0};
    double yy = 0.0, yv = 0.0;
    double vv = std::numeric_limits<double>::infinity();
};

// The closest point of a convex polytope to an outside point lies on a facet that is visible from the point (the
// Voronoi regions of Ericson 2005, from the top down). So each level finds the facets that are visible from the origin,
// descends into these, and keeps the nearest result. With `all` it descends into every facet: slower, but right even if
// rounding hides on which side of a facet the origin is.
//
// In GJK's loop the features without the newest vertex need no search: the old closest point was the best of them, and
// the newest vertex was added because it is better. `newest_on_...` search only the features that meet in it.

inline void nearest_on_vertex(const SimplexVertex* s, int i, NearestFeature& best) {
    const double ww = glm::dot(s[i].w, s[i].w);
    if (!(ww < best.vv)) return;
    best.count = 1;
    best.slot[0] = i;
    best.weight[0] = 1.0;
    best.y = s[i].w;
    best.yy = best.yv = best.vv = ww;
}

inline void nearest_on_segment(const SimplexVertex* s, int i, int j, NearestFeature& best) {
    const dvec3& a = s[i].w;
    const dvec3 ab = s[j].w - a;
    const double along = -glm::dot(a, ab), length2 = glm::dot(ab, ab), rest = length2 - along;
    if (along <= 0.0) return nearest_on_vertex(s, i, best);
    if (rest <= 0.0) return nearest_on_vertex(s, j, best);
    const dvec3 y = length2 * a + along * ab;
    const double yy = glm::dot(y, y), yv = yy / length2, vv = yv / length2;
    if (!(vv < best.vv)) return;
    best.count = 2;
    best.slot[0] = i;
    best.slot[1] = j;
    best.weight[0] = rest;
    best.weight[1] = along;
    best.y = y;
    best.yy = yy;
    best.yv = yv;
    best.vv = vv;
}

inline void nearest_on_triangle(const SimplexVertex* s, int i, int j, int k, bool all, NearestFeature& best) {
    const dvec3& a = s[i].w;
    const dvec3 ab = s[j].w - a, ac = s[k].w - a;
    const dvec3 n = glm::cross(ab, ac);
    const double nn = glm::dot(n, n);
    // Barycentric coordinates of the origin's projection, times nn.
    const double wk = -glm::dot(glm::cross(n, ab), a);
    const double wj = -glm::dot(glm::cross(ac, n), a);
    const double wi = nn - wj - wk;
    constexpr double flat = tolerance::simplex_flatness * tolerance::simplex_flatness;
    const bool thin = !(nn > flat * glm::dot(ab, ab) * glm::dot(ac, ac));
    if (!thin && wi >= 0.0 && wj >= 0.0 && wk >= 0.0) {
        // v is computed from the normal, not from the weights, so that its direction is exact however near the origin
        // is.
        const double na = glm::dot(n, a), vv = na * na / nn;
        if (vv < best.vv) {
            best.count = 3;
            best.slot[0] = i;
            best.slot[1] = j;
            best.slot[2] = k;
            best.weight[0] = wi;
            best.weight[1] = wj;
            best.weight[2] = wk;
            best.y = na < 0.0 ? -n : n;
            best.yy = nn;
            best.yv = std::abs(na);
            best.vv = vv;
        }
        if (!all) return;
    }
    all = all || thin;
    if (all || wk < 0.0) nearest_on_segment(s, i, j, best);
    if (all || wj < 0.0) nearest_on_segment(s, i, k, best);
    if (all || wi < 0.0) nearest_on_segment(s, j, k, best);
}

inline void nearest_on_tetrahedron(const SimplexVertex* s, bool all, NearestFeature& best) {
    const dvec3& d = s[3].w;
    const dvec3 da = s[0].w - d, db = s[1].w - d, dc = s[2].w - d;
    const dvec3 na = glm::cross(db, dc), nb = glm::cross(dc, da), nc = glm::cross(da, db);
    double volume = glm::dot(nc, dc);
    // Signed volumes with the origin in place of a, b and c. The fourth is the remainder, so that the sum is exact.
    double wa = -glm::dot(na, d), wb = -glm::dot(nb, d), wc = -glm::dot(nc, d);
    if (volume < 0.0) {
        volume = -volume;
        wa = -wa;
        wb = -wb;
        wc = -wc;
    }
    const double wd = volume - wa - wb - wc;
    constexpr double flat = tolerance::simplex_flatness * tolerance::simplex_flatness;
    const bool thin = !(volume * volume > flat * glm::dot(da, da) * glm::dot(db, db) * glm::dot(dc, dc));
    if (!thin && wa >= 0.0 && wb >= 0.0 && wc >= 0.0 && wd >= 0.0) {
        best = NearestFeature{4, {0, 1, 2, 3}, {wa, wb, wc, wd}, dvec3(0.0), 0.0, 0.0, 0.0};
        return;
    }
    const bool every = all || thin;
    if (every || wa < 0.0) nearest_on_triangle(s, 1, 2, 3, all, best);
    if (every || wb < 0.0) nearest_on_triangle(s, 0, 2, 3, all, best);
    if (every || wc < 0.0) nearest_on_triangle(s, 0, 1, 3, all, best);
    if (every || wd < 0.0) nearest_on_triangle(s, 0, 1, 2, all, best);
}

void nearest(const SimplexVertex* s, int count, bool all, NearestFeature& best) {
    switch (count) {
        case 1:
            return nearest_on_vertex(s, 0, best);
        case 2:
            return nearest_on_segment(s, 0, 1, best);
        case 3:
            return nearest_on_triangle(s, 0, 1, 2, all, best);
        default:
            return nearest_on_tetrahedron(s, all, best);
    }
}

/// Searches the triangle i, j, k, where k is the newest vertex, di and dj are the edges from it, and n = cross(di, dj).
inline void newest_on_triangle(const SimplexVertex* s, int i, int j, int k, const dvec3& di, const dvec3& dj,
                               const dvec3& n, NearestFeature& best) {
    const dvec3& w = s[k].w;
    const double nn = glm::dot(n, n);
    const double wi = -glm::dot(glm::cross(dj, n), w), wj = -glm::dot(glm::cross(n, di), w);
    if (wi > 0.0 && wj > 0.0) {
        const double nw = glm::dot(n, w), vv = nw * nw / nn;
        if (!(vv < best.vv)) return;
        best.count = 3;
        best.slot[0] = i;
        best.slot[1] = j;
        best.slot[2] = k;
        best.weight[0] = wi;
        best.weight[1] = wj;
        best.weight[2] = nn - wi - wj;
        best.y = nw < 0.0 ? -n : n;
        best.yy = nn;
        best.yv = std::abs(nw);
        best.vv = vv;
        return;
    }
    if (!(wi > 0.0)) nearest_on_segment(s, j, k, best);
    if (!(wj > 0.0)) nearest_on_segment(s, i, k, best);
}

inline void newest_on_tetrahedron(const SimplexVertex* s, NearestFeature& best) {
    const dvec3& d = s[3].w;
    const dvec3 da = s[0].w - d, db = s[1].w - d, dc = s[2].w - d;
    const dvec3 na = glm::cross(db, dc), nb = glm::cross(dc, da), nc = glm::cross(da, db);
    double volume = glm::dot(nc, dc);
    double wa = -glm::dot(na, d), wb = -glm::dot(nb, d), wc = -glm::dot(nc, d);
    if (volume < 0.0) {
        volume = -volume;
        wa = -wa;
        wb = -wb;
        wc = -wc;
    }
    if (wa > 0.0 && wb > 0.0 && wc > 0.0) {
        best = NearestFeature{4, {0, 1, 2, 3}, {wa, wb, wc, volume - wa - wb - wc}, dvec3(0.0), 0.0, 0.0, 0.0};
        return;
    }
    if (!(wa > 0.0)) newest_on_triangle(s, 1, 2, 3, db, dc, na, best);
    if (!(wb > 0.0)) newest_on_triangle(s, 0, 2, 3, da, dc, -nb, best);
    if (!(wc > 0.0)) newest_on_triangle(s, 0, 1, 3, da, db, nc, best);
}

/// As `nearest`, over the features of the newest vertex only. An error by rounding appears as a negative last weight or
/// as no progress; the caller then uses `nearest`.
bool newest(const SimplexVertex* s, int count, NearestFeature& best) {
    switch (count) {
        case 2:
            nearest_on_segment(s, 0, 1, best);
            break;
        case 3: {
            const dvec3 di = s[0].w - s[2].w, dj = s[1].w - s[2].w;
            newest_on_triangle(s, 0, 1, 2, di, dj, glm::cross(di, dj), best);
            break;
        }
        default:
            newest_on_tetrahedron(s, best);
            break;
    }
    return best.count > 0 && best.weight[best.count - 1] > 0.0;
}

}  // namespace

bool reduce(Simplex& simplex, int previous) {
    NearestFeature best;
    if (previous == 0) {
        nearest(simplex.vertex, simplex.count, false, best);
    } else if (!newest(simplex.vertex, simplex.count, best) || !(best.vv < simplex.vv)) {
        best.count = 0;
        best.vv = std::numeric_limits<double>::infinity();
        nearest(simplex.vertex, simplex.count, true, best);
        if (!(best.vv < simplex.vv)) {
            simplex.count = previous;
            return false;
        }
    }
    // Slots ascend, so that vertices can move down in place.
    int kept = 0;
    for (int i = 0; i < best.count; ++i) {
        if (!(best.weight[i] > 0.0) && best.count < 4) continue;
        if (kept != best.slot[i]) simplex.vertex[kept] = simplex.vertex[best.slot[i]];
        simplex.weight[kept] = best.weight[i];
        ++kept;
    }
    simplex.count = kept;
    simplex.contains = best.count == 4;
    simplex.y = best.y;
    simplex.yy = best.yy;
    simplex.yv = best.yv;
    simplex.vv = best.vv;
    return true;
}

bool load(const MinkowskiDifference& difference, const SimplexCache& cache, Simplex& simplex) {
    const int count = std::min<int>(cache.count, 4);
    if (count == 0) return false;
    for (int i = 0; i < count; ++i) simplex.vertex[i] = difference.vertex(cache.a[i], cache.b[i]);
    simplex.count = count;
    return reduce(simplex, 0);
}

}  // namespace talus::detail
