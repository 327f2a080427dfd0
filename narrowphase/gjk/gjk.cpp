#include <talus/narrowphase/gjk.h>

#include "narrowphase/gjk/gjk_kernel.h"
#include "narrowphase/ladder/observer.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace talus {

namespace detail {

namespace {

/// The nearest feature found so far while a simplex is taken apart: its vertices' slots and (scaled) weights, and its
/// y.
struct Feature {
    int count = 0;
    int slot[4] = {};
    double weight[4] = {};
    dvec3 y{0.0};
    double yy = 0.0, yv = 0.0;
    double vv = std::numeric_limits<double>::infinity();
};

// The closest point of a convex polytope to an outside point lies on a facet that sees the point (the Voronoi regions
// of Ericson 2005, taken from the top down). So each level asks which facets see the origin, goes down into those, and
// the nearest answer wins. `all` goes down into every facet: slower, and right even where rounding hides a facet's
// side.
//
// In GJK's loop the features without the newest vertex need no look: the old closest point was the best of them, and
// the newest vertex was added because it does better. `newest_on_...` search only the features that meet in it.

inline void nearest_on_vertex(const SimplexVertex* s, int i, Feature& best) {
    const double ww = glm::dot(s[i].w, s[i].w);
    if (!(ww < best.vv)) return;
    best.count = 1;
    best.slot[0] = i;
    best.weight[0] = 1.0;
    best.y = s[i].w;
    best.yy = best.yv = best.vv = ww;
}

inline void nearest_on_segment(const SimplexVertex* s, int i, int j, Feature& best) {
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

inline void nearest_on_triangle(const SimplexVertex* s, int i, int j, int k, bool all, Feature& best) {
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
        // v by the normal, not by the weights: it keeps its direction however near the origin is.
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

inline void nearest_on_tetrahedron(const SimplexVertex* s, bool all, Feature& best) {
    const dvec3& d = s[3].w;
    const dvec3 da = s[0].w - d, db = s[1].w - d, dc = s[2].w - d;
    const dvec3 na = glm::cross(db, dc), nb = glm::cross(dc, da), nc = glm::cross(da, db);
    double volume = glm::dot(nc, dc);
    // Signed volumes with the origin in place of a, b and c; the fourth is the rest, so that they agree in sum.
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
        best = Feature{4, {0, 1, 2, 3}, {wa, wb, wc, wd}, dvec3(0.0), 0.0, 0.0, 0.0};
        return;
    }
    const bool every = all || thin;
    if (every || wa < 0.0) nearest_on_triangle(s, 1, 2, 3, all, best);
    if (every || wb < 0.0) nearest_on_triangle(s, 0, 2, 3, all, best);
    if (every || wc < 0.0) nearest_on_triangle(s, 0, 1, 3, all, best);
    if (every || wd < 0.0) nearest_on_triangle(s, 0, 1, 2, all, best);
}

void nearest(const SimplexVertex* s, int count, bool all, Feature& best) {
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

/// The triangle i, j, k with k the newest, di and dj its edges from there and n = cross(di, dj).
inline void newest_on_triangle(const SimplexVertex* s, int i, int j, int k, const dvec3& di, const dvec3& dj,
                               const dvec3& n, Feature& best) {
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

inline void newest_on_tetrahedron(const SimplexVertex* s, Feature& best) {
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
        best = Feature{4, {0, 1, 2, 3}, {wa, wb, wc, volume - wa - wb - wc}, dvec3(0.0), 0.0, 0.0, 0.0};
        return;
    }
    if (!(wa > 0.0)) newest_on_triangle(s, 1, 2, 3, db, dc, na, best);
    if (!(wb > 0.0)) newest_on_triangle(s, 0, 2, 3, da, dc, -nb, best);
    if (!(wc > 0.0)) newest_on_triangle(s, 0, 1, 3, da, db, nc, best);
}

/// As `nearest`, over the features of the newest vertex. What rounding gets wrong here shows as a negative last weight
/// or as no progress; the caller then asks `nearest`.
bool newest(const SimplexVertex* s, int count, Feature& best) {
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

/// For a `next` that seems to make no progress because rounding has made v too short: measured from a vertex far out, v
/// is off by the rounding there times the ratio of the simplex's sides. Measured from the nearest vertex it is not.
/// False, and the simplex as it was, where there is no progress indeed.
bool reduce_from_nearest(Simplex& simplex, const SimplexVertex& next) {
    const auto nearer = [](const SimplexVertex& p, const SimplexVertex& q) {
        return glm::dot(p.w, p.w) < glm::dot(q.w, q.w);
    };
    Simplex without = simplex, with = simplex;
    with.vertex[with.count++] = next;
    for (Simplex* s : {&without, &with}) {
        std::sort(s->vertex, s->vertex + s->count, nearer);
        reduce(*s, 0);
    }
    if (!(with.vv < without.vv)) return false;
    simplex = with;
    return true;
}

bool same_point(const SimplexVertex& p, const SimplexVertex& q) { return p.w == q.w && p.a == q.a; }

}  // namespace

bool reduce(Simplex& simplex, int previous) {
    Feature best;
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

namespace {

ObservedVertex observed(const SimplexVertex& v) {
    return {{v.w.x, v.w.y, v.w.z}, {v.a.x, v.a.y, v.a.z}, v.index_a, v.index_b};
}

void tell_support(GjkObserver& observer, const dvec3& d, const SimplexVertex& newest, double bound2, double vv) {
    observer.support({d.x, d.y, d.z}, observed(newest), std::sqrt(std::min(bound2, vv)));
}

void tell_simplex(GjkObserver& observer, const Simplex& simplex, double bound2) {
    ObservedSimplex s = {};
    s.count = simplex.count;
    for (int i = 0; i < simplex.count; ++i) s.vertex[i] = observed(simplex.vertex[i]);
    s.encloses = simplex.contains;
    const dvec3 v = simplex.closest();
    for (int i = 0; i < 3; ++i) s.closest[i] = v[i];
    s.distance = std::sqrt(simplex.vv);
    s.lower_bound = std::sqrt(std::min(bound2, simplex.vv));
    observer.simplex(s);
}

template <class Observer>
inline Search search_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance,
                             Observer& observer) {
    Search search;
    double bound2 = 0.0;  // the square of the lower bound
    const double max_distance2 = max_distance * max_distance;
    // The support plane at w with normal -y proves that the distance is at least y.w / |y|, whatever y is.
    const auto prove = [&](const dvec3& y, double yy, double yw) {
        if (yw > 0.0 && yw * yw > bound2 * yy) {
            bound2 = yw * yw / yy;
            search.axis = -y;
        }
        return bound2 > max_distance2;
    };
    const auto finish = [&](Outcome outcome) {
        search.outcome = outcome;
        search.lower_bound = std::sqrt(bound2);
        return search;
    };

    if (simplex.count == 0) {
        dvec3 d = difference.between_middles();
        double dd = glm::dot(d, d);
        if (!(dd > 0.0)) {
            d = dvec3(0.0, 1.0, 0.0);
            dd = 1.0;
        }
        simplex.vertex[0] = difference.support(d, 0, 0);
        simplex.count = 1;
        ++search.iterations;
        reduce(simplex, 0);
        const bool beyond = prove(-d, dd, -glm::dot(d, simplex.y));
        if constexpr (Observer::watches) {
            tell_support(observer, d, simplex.vertex[0], bound2, simplex.vv);
            tell_simplex(observer, simplex, bound2);
        }
        if (beyond) return finish(Outcome::beyond_limit);
    }

    std::uint16_t hint_a = simplex.vertex[0].index_a, hint_b = simplex.vertex[0].index_b;
    const double size2 = difference.size * difference.size;
    const double gap2 = difference.gap * difference.gap;
    const double floor2 = std::min(gap2, tolerance::gjk_gap_floor * tolerance::gjk_gap_floor);
    constexpr double touching2 = tolerance::gjk_touching * tolerance::gjk_touching;
    double largest2 = 0.0;  // squared distance of the farthest vertex met
    int rescues = 4;        // from rounding; more of them, at a touch, could go on among the same few vertices
    for (int i = 0; i < simplex.count; ++i) {
        largest2 = std::max(largest2, glm::dot(simplex.vertex[i].w, simplex.vertex[i].w));
    }
    for (;;) {
        if constexpr (Observer::watches) tell_simplex(observer, simplex, bound2);
        if (simplex.contains) return finish(Outcome::overlapping);
        if (simplex.vv <= touching2 * largest2) return finish(Outcome::overlapping);
        if (search.iterations >= tolerance::gjk_max_iterations) return finish(Outcome::iteration_cap);

        const SimplexVertex next = difference.support(-simplex.y, hint_a, hint_b);
        hint_a = next.index_a;
        hint_b = next.index_b;
        ++search.iterations;
        largest2 = std::max(largest2, glm::dot(next.w, next.w));
        const double yw = glm::dot(simplex.y, next.w);
        const bool beyond = prove(simplex.y, simplex.yy, yw);
        if constexpr (Observer::watches) tell_support(observer, -simplex.y, next, bound2, simplex.vv);
        if (beyond) return finish(Outcome::beyond_limit);

        // |v| - y.w / |y| <= gap * min(|v|, size), squared and without a root.
        const double rest = simplex.yv - yw;
        const double allowed = std::max(gap2 * std::min(simplex.vv, size2), floor2 * simplex.vv);
        if (!(rest > 0.0) || rest * rest <= simplex.yy * allowed) return finish(Outcome::separated);
        // An end by rounding. Without a plane that separates it is a touch: the origin may lie inside by less than
        // that, and y could then point either way. With one, that plane is the answer where y's own falls short.
        const auto stuck = [&] {
            constexpr double enough = 1.0 - tolerance::gjk_stuck;
            search.by_axis = !(yw > 0.0 && yw * yw >= enough * enough * simplex.vv * simplex.yy);
            return finish(bound2 > 0.0 ? Outcome::separated : Outcome::overlapping);
        };
        for (int i = 0; i < simplex.count; ++i) {
            if (same_point(simplex.vertex[i], next)) return stuck();
        }

        const int previous = simplex.count;
        simplex.vertex[simplex.count++] = next;
        if (!reduce(simplex, previous) && (rescues-- == 0 || !reduce_from_nearest(simplex, next))) return stuck();
    }
}

}  // namespace

Search find_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance) {
    Unobserved nobody;
    return search_closest(difference, simplex, max_distance, nobody);
}

GjkResult to_result(const Simplex& simplex, const Search& search) {
    GjkResult result;
    const dvec3 on_a = simplex.on_a(), v = simplex.closest();
    result.point_a = vec3(on_a);
    result.point_b = vec3(on_a - v);
    result.iterations = static_cast<std::uint16_t>(search.iterations);
    result.support_evaluations = static_cast<std::uint16_t>(2 * search.iterations);
    if (search.outcome == Outcome::overlapping) {
        result.status = GjkStatus::overlapping;
        return result;
    }
    const bool by_axis = search.by_axis || search.outcome == Outcome::beyond_limit;
    const dvec3 normal = by_axis ? search.axis : -simplex.y;
    result.normal = vec3(normal / std::sqrt(glm::dot(normal, normal)));
    result.distance = static_cast<float>(std::sqrt(simplex.vv));
    result.lower_bound = std::min(static_cast<float>(search.lower_bound), result.distance);
    if (by_axis) result.distance = result.lower_bound;
    if (search.outcome == Outcome::beyond_limit) {
        result.status = GjkStatus::beyond_limit;
    } else if (search.outcome == Outcome::iteration_cap) {
        result.status = GjkStatus::iteration_cap;
    }
    return result;
}

}  // namespace detail

namespace {

using namespace detail;

/// Null: there is none, which leaves the plain loop.
Kernel* kernel_of(GjkLoop loop) {
    switch (loop) {
        case GjkLoop::sse2:
            return gjk_kernel_sse2;
        case GjkLoop::avx2:
#ifdef TALUS_AVX2
            if (has_avx2()) return gjk_kernel_avx2;
#endif
            return nullptr;
        case GjkLoop::plain:
            return nullptr;
    }
    return nullptr;
}

Kernel* const best_kernel = kernel_of(GjkLoop::avx2) != nullptr ? kernel_of(GjkLoop::avx2) : gjk_kernel_sse2;

/// False for the cores that the kernel leaves to the plain loop: rims, and hulls that need a scan in double.
bool lay_out(const Shape& shape, double largest_coordinate, KernelCore& core) {
    core.view = nullptr;
    core.numbers = &shape.half_extents.x;
    switch (shape.type) {
        case ShapeType::sphere:
            core.kind = KernelCore::origin;
            return true;
        case ShapeType::capsule:
            core.kind = KernelCore::capsule;
            return true;
        case ShapeType::box:
            core.kind = KernelCore::box;
            return true;
        case ShapeType::segment:
            core.kind = KernelCore::segment;
            core.numbers = &shape.points[0].x;
            return true;
        case ShapeType::triangle:
            core.kind = KernelCore::triangle;
            core.numbers = &shape.points[0].x;
            return true;
        case ShapeType::hull:
            core.kind = KernelCore::hull;
            core.view = &shape.hull->view;
            return core.view->largest_coordinate <= largest_coordinate;
        case ShapeType::cylinder:
        case ShapeType::cone:
            return false;
    }
    return false;
}

template <class Observer>
GjkResult by_plain_loop(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache, float max_distance,
                        Observer& observer) {
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    const bool warm = load(difference, cache, simplex);
    if constexpr (Observer::watches) observer.start(false, warm);
    const Search search = search_closest(difference, simplex, double(max_distance), observer);
    cache.count = static_cast<std::uint8_t>(simplex.count);
    for (int i = 0; i < simplex.count; ++i) difference.store(simplex.vertex[i], cache, i);
    GjkResult result = to_result(simplex, search);
    result.warm = warm;
    return result;
}

void run_kernel(Kernel* kernel, const KernelQuery& query, const SimplexCache& cache, int count, KernelAnswer& answer,
                Unobserved&) {
    kernel(query, cache.a, cache.b, count, answer);
}

void run_kernel(Kernel*, const KernelQuery& query, const SimplexCache& cache, int count, KernelAnswer& answer,
                GjkObserver& observer) {
    observer.start(true, count > 0);
    gjk_kernel_observed(query, cache.a, cache.b, count, answer, observer);
}

/// By the kernel. False, and nothing is changed but the cache, where that cannot or gives up: then the plain loop goes
/// on from there.
template <class Observer>
bool by_kernel(Kernel* kernel, const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
               float max_distance, GjkResult& result, Observer& observer) {
    static_assert(offsetof(Frame, position) == 0 && offsetof(Frame, rotation) == sizeof(vec3));
    KernelQuery query;
    query.size = std::min(size_of(a), size_of(b));
    const double limit = tolerance::float_scan_ratio * query.size;
    if (!lay_out(a, limit, query.a) || !lay_out(b, limit, query.b)) return false;
    query.frame = &b_in_a.position.x;
    query.max_distance = double(max_distance);
    KernelAnswer answer;
    result.warm = false;
    if (cache.count > 0) {
        // Of a tetrahedron that held the origin three will do: the kernel finds the fourth again, or another.
        run_kernel(kernel, query, cache, std::min<int>(cache.count, 3), answer, observer);
        result.warm = answer.outcome != KernelAnswer::doubtful || answer.iterations > 0;
    }
    if (!result.warm) {  // nothing to start from, or something stale: a new start is the shorter way
        const vec3 middle = transform_point(b_in_a, vec3(middle_of(b))) - vec3(middle_of(a));
        query.middle[0] = middle.x;
        query.middle[1] = middle.y;
        query.middle[2] = middle.z;
        run_kernel(kernel, query, cache, 0, answer, observer);
    }
    static_assert(sizeof cache.a == sizeof answer.index_a && sizeof cache.b == sizeof answer.index_b);
    cache.count = static_cast<std::uint8_t>(answer.count);
    std::memcpy(cache.a, answer.index_a, sizeof cache.a);
    std::memcpy(cache.b, answer.index_b, sizeof cache.b);
    result.iterations = static_cast<std::uint16_t>(answer.iterations);
    result.support_evaluations = static_cast<std::uint16_t>(2 * answer.iterations);
    const auto to_vec3 = [](const float(&v)[4]) { return vec3(v[0], v[1], v[2]); };
    switch (answer.outcome) {
        case KernelAnswer::doubtful:
            return false;
        case KernelAnswer::overlapping:
            result.status = GjkStatus::overlapping;
            result.point_a = result.point_b = to_vec3(answer.point_a);
            return true;
        case KernelAnswer::separated:
            break;
        case KernelAnswer::beyond_limit:
            result.status = GjkStatus::beyond_limit;
            break;
        case KernelAnswer::iteration_cap:
            result.status = GjkStatus::iteration_cap;
            break;
    }
    result.distance = answer.distance;
    result.lower_bound = answer.lower_bound;
    result.normal = to_vec3(answer.normal);
    result.point_a = to_vec3(answer.point_a);
    result.point_b = to_vec3(answer.point_b);
    return true;
}

template <class Observer>
GjkResult by_loop(Kernel* kernel, const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                  float max_distance, Observer& observer) {
    GjkResult result;
    if (kernel != nullptr && by_kernel(kernel, a, b, b_in_a, cache, max_distance, result, observer)) return result;
    const GjkResult begun = result;
    result = by_plain_loop(a, b, b_in_a, cache, max_distance, observer);
    result.iterations = static_cast<std::uint16_t>(result.iterations + begun.iterations);
    result.support_evaluations = static_cast<std::uint16_t>(result.support_evaluations + begun.support_evaluations);
    if (begun.iterations > 0) result.warm = begun.warm;
    return result;
}

}  // namespace

bool has_loop(GjkLoop loop) { return loop == GjkLoop::plain || kernel_of(loop) != nullptr; }

GjkResult gjk(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache, float max_distance) {
    Unobserved nobody;
    return by_loop(best_kernel, a, b, b_in_a, cache, max_distance, nobody);
}

GjkResult gjk_by(GjkLoop loop, const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                 float max_distance) {
    Unobserved nobody;
    return by_loop(kernel_of(loop), a, b, b_in_a, cache, max_distance, nobody);
}

GjkResult detail::gjk_observed(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                               float max_distance, GjkObserver& observer) {
    return by_loop(best_kernel, a, b, b_in_a, cache, max_distance, observer);
}

}  // namespace talus
