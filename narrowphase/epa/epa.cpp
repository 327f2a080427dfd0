#include <talus/narrowphase/epa.h>

#include "common/assert.h"
#include "narrowphase/epa/epa_ring.h"
#include "narrowphase/epa/epa_slide.h"
#include "narrowphase/epa/expand.h"
#include "narrowphase/epa/polytope.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/gjk/observer.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;

/// Finds the support point farthest from the affine hull so far, among the given directions. `height` measures the
/// distance.
template <class Height>
bool extend(const MinkowskiDifference& difference, std::initializer_list<dvec3> directions, int& supports, double least,
            SimplexVertex& out, const Height& height) {
    double most = least;
    bool found = false;
    for (const dvec3& d : directions) {
        const SimplexVertex v = difference.support(d, 0, 0);
        ++supports;
        const double h = height(v.w);
        if (h > most) {
            most = h;
            out = v;
            found = true;
        }
    }
    return found;
}

/// The first tetrahedron; fewer vertices if the Minkowski difference is flat and has no interior.
struct Start {
    int dimension = 0;
    SimplexVertex vertex[4];
    dvec3 normal{0.0, 1.0, 0.0};  ///< unit; at right angles to the affine hull if dimension < 3
};

/// Makes a tetrahedron from GJK's last simplex: keeps the vertices that are farthest from being degenerate, then adds
/// support points at right angles to them until there are four, or until the difference proves flat.
Start complete(const MinkowskiDifference& difference, const Simplex& simplex, int& supports) {
    Start s;
    SimplexVertex pool[4];
    int count = simplex.count;
    std::copy_n(simplex.vertex, count, pool);
    if (count == 0) {
        pool[count++] = difference.support(dvec3(0.0, 1.0, 0.0), 0, 0);
        ++supports;
    }
    double scale = 0.0;
    for (int i = 0; i < count; ++i) scale = std::max(scale, std::sqrt(glm::dot(pool[i].w, pool[i].w)));

    s.vertex[0] = pool[--count];
    const dvec3& p = s.vertex[0].w;
    // Moves the pool's best point into the simplex if it is clearly off the affine hull so far.
    const auto take = [&](double least, SimplexVertex& out, const auto& height) {
        int best = -1;
        for (int i = 0; i < count; ++i) {
            const double h = height(pool[i].w);
            if (h > least) {
                least = h;
                best = i;
            }
        }
        if (best < 0) return false;
        out = pool[best];
        pool[best] = pool[--count];
        return true;
    };

    // The extent of the whole difference decides what counts as flat, not that of the simplex, which may be tiny.
    const dvec3 x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0), z(0.0, 0.0, 1.0);
    constexpr double poor = 1e-3;  // fraction of the extent below which a point of the pool is not worth keeping
    const auto from_point = [&](const dvec3& w) { return std::sqrt(glm::dot(w - p, w - p)); };
    if (!take(poor * difference.size, s.vertex[1], from_point)) {
        if (!extend(difference, {x, -x, y, -y, z, -z}, supports, tolerance::epa_flatness * scale, s.vertex[1],
                    from_point)) {
            return s;
        }
    }
    const double length = from_point(s.vertex[1].w);
    scale = std::max(scale, length);
    const dvec3 along = (s.vertex[1].w - p) / length;
    s.dimension = 1;

    const auto from_line = [&](const dvec3& w) {
        const dvec3 c = glm::cross(w - p, along);
        return std::sqrt(glm::dot(c, c));
    };
    const dvec3 lean = absolute(along);
    const dvec3 axis = lean.x <= lean.y && lean.x <= lean.z ? x : lean.y <= lean.z ? y : z;
    dvec3 u = glm::cross(along, axis);
    u /= std::sqrt(glm::dot(u, u));
    const dvec3 v = glm::cross(along, u);
    s.normal = u;
    if (!take(poor * std::min(difference.size, length), s.vertex[2], from_line)) {
        if (!extend(difference, {u, -u, v, -v}, supports, tolerance::epa_flatness * scale, s.vertex[2], from_line))
            return s;
    }
    dvec3 n = glm::cross(along, s.vertex[2].w - p);
    const double width = std::sqrt(glm::dot(n, n));
    scale = std::max(scale, width);
    n /= width;
    s.normal = n;
    s.dimension = 2;

    const auto from_plane = [&](const dvec3& w) { return std::abs(glm::dot(w - p, n)); };
    if (!take(poor * std::min(difference.size, width), s.vertex[3], from_plane)) {
        if (!extend(difference, {n, -n}, supports, tolerance::epa_flatness * scale, s.vertex[3], from_plane)) return s;
    }
    s.dimension = 3;
    return s;
}

/// Barycentric coordinates of the origin's projection onto the triangle's plane.
dvec3 project_origin(const dvec3& a, const dvec3& b, const dvec3& c) {
    const dvec3 ab = b - a, ac = c - a, n = glm::cross(ab, ac);
    const double nn = glm::dot(n, n);
    if (!(nn > 0.0)) return dvec3(1.0, 0.0, 0.0);
    const double wc = -glm::dot(glm::cross(n, ab), a) / nn;
    const double wb = -glm::dot(glm::cross(ac, n), a) / nn;
    return dvec3(1.0 - wb - wc, wb, wc);
}

/// A facet of a polytope consists of coplanar triangles, all equally near to the origin. Walks to the one that contains
/// the origin's projection, so that the witness points lie inside it.
int walk_to_projection(const Polytope& polytope, int f, double slack) {
    for (int step = 0; step < Polytope::max_faces; ++step) {
        const Face& face = polytope.face(f);
        const dvec3 weight = project_origin(polytope.vertices[face.vertex[0]].w, polytope.vertices[face.vertex[1]].w,
                                            polytope.vertices[face.vertex[2]].w);
        const int least = weight.x <= weight.y && weight.x <= weight.z ? 0 : weight.y <= weight.z ? 1 : 2;
        if (weight[least] >= 0.0) return f;
        const int across = face.neighbour[after(least)];  // the edge opposite to that vertex
        const Face& next = polytope.face(across);
        if (glm::dot(next.normal, next.normal) == 0.0 || next.offset > face.offset + slack) return f;
        f = across;
    }
    return f;
}

EpaResult flat_answer(const MinkowskiDifference& difference, const Simplex& simplex, const Start& start) {
    // Nothing to expand: the difference is flat and GJK has found the origin in it, so its normal separates the cores.
    EpaResult result;
    result.status = EpaStatus::flat;
    const double side = glm::dot(start.normal, difference.between_middles());
    result.normal = vec3(side < 0.0 ? -start.normal : start.normal);
    const dvec3 on_a = simplex.count > 0 ? simplex.on_a() : start.vertex[0].a;
    result.point_a = result.point_b = vec3(on_a);
    result.face.count = static_cast<std::uint8_t>(start.dimension + 1);
    for (int i = 0; i <= start.dimension; ++i) difference.store(start.vertex[i], result.face, i);
    return result;
}

}  // namespace

namespace {

/// The point of the result's triangle that is nearest to the origin, and the point on A that it comes from.
struct Witness {
    dvec3 on_a, w;
};

Witness witness_of(const Polytope& polytope, const Answer& best) {
    const SimplexVertex* corner[3];
    for (int i = 0; i < 3; ++i) corner[i] = &polytope.vertices[best.vertex[i]];
    dvec3 weight = glm::max(project_origin(corner[0]->w, corner[1]->w, corner[2]->w), dvec3(0.0));
    weight /= weight.x + weight.y + weight.z;
    return {weight.x * corner[0]->a + weight.y * corner[1]->a + weight.z * corner[2]->a,
            weight.x * corner[0]->w + weight.y * corner[1]->w + weight.z * corner[2]->w};
}

/// Expands the polytope until its nearest face lies on the surface. If `warm`, it stops once the mesh is not
/// star-shaped any more, with a depth of infinity.
template <class Observer>
EpaResult grow(const MinkowskiDifference& difference, Polytope& polytope, bool warm, PolytopeCache* cache,
               Observer& observer) {
    const bool curved = difference.core_a.curved || difference.core_b.curved;
    const double gap = difference.size * (curved ? tolerance::epa_gap_curved : tolerance::epa_gap);
    EpaResult result;
    result.depth = std::numeric_limits<float>::infinity();
    Answer best;
    double proved = 0.0, slack = 0.0;  // the nearest face's distance: a lower bound of the depth
    bool converged = false, folded = false;
    int supports = 0;
    for (;;) {
        if (warm && !polytope.is_star()) return result;
        const int f = polytope.nearest();
        if (f < 0) break;
        const Face& face = polytope.face(f);
        const SimplexVertex& hint = polytope.vertices[face.vertex[0]];
        const SimplexVertex w = difference.support(face.normal, hint.index_a, hint.index_b);
        ++result.iterations;
        const double height = glm::dot(face.normal, w.w);
        if (warm && !(height > 0.0)) return result;
        slack = std::max(gap, 8.0 * tolerance::epa_visible * polytope.scale);
        // Vertices that differ only by rounding can fold the mesh, so that a face has the origin outside. The mesh
        // would then grow all over again from that face, and fold once more. The bound that was proved before is still
        // true, and will not get better.
        folded = proved > slack && face.offset < -slack;
        if constexpr (Observer::watches) {
            observer.support(polytope, f, w, std::max(proved, face.offset), std::min(best.depth, height));
        }
        if (folded) break;
        proved = std::max(proved, face.offset);
        converged = height - face.offset <= slack;
        if (height < best.depth || converged) {
            const int g = converged ? walk_to_projection(polytope, f, slack) : f;
            best.normal = face.normal;
            best.depth = height;
            std::copy_n(polytope.face(g).vertex, 3, best.vertex);
        }
        converged = converged || best.depth - proved <= slack;
        if (converged || !polytope.expand(f, w)) break;
    }
    supports += result.iterations;
    if (cache != nullptr && polytope.vertex_count != cache->vertex_count) polytope.store(difference, *cache);
    if (converged && !curved && !warm) result.other_depth = static_cast<float>(polytope.nearest_beside(best.normal));

    Witness witness = witness_of(polytope, best);
    const dvec3 off = witness.w - best.depth * best.normal;
    const double allowed = tolerance::epa_witness * difference.size + slack;
    if (curved || !converged || !(glm::dot(off, off) <= allowed * allowed)) {
        // If memory ran out, the depth is almost the same over many normals. Mostly they are those of a round side, on
        // which the ring search finds the best one. In other cases descents from several faces are tried.
        Answer starts[1 + tolerance::epa_rivals] = {best};
        if (!converged) supports += search_rings(difference, starts[0]);
        const int count = converged ? 1 : 1 + find_rivals(difference, polytope, starts[0].depth - gap, starts);
        bool slid = false;
        for (int i = 0; i < count; ++i) {
            Slide slide(difference, polytope, starts[i]);
            if (slide.run(starts[i]) && (!slid || starts[i].depth < best.depth)) {
                best = starts[i];
                slid = true;
                witness = {slide.on_a(), slide.nearest()};
            }
            supports += slide.supports();
        }
        const double spent = folded ? tolerance::epa_gap_curved * difference.size
                                    : tolerance::epa_gap_spent * std::max(difference.size, best.depth);
        converged = converged || (slid && best.depth - proved <= spent);
    }

    result.status = converged ? EpaStatus::converged : EpaStatus::out_of_memory;
    result.warm = warm;
    result.support_evaluations = static_cast<std::uint16_t>(std::min(2 * supports, 65535));
    const double depth = std::max(best.depth, 0.0);
    // w may lie below its support plane by up to the gap: each of the two points takes half of that.
    const dvec3 point_a = witness.on_a + 0.5 * (depth * best.normal - witness.w);
    result.depth = static_cast<float>(depth);
    result.normal = vec3(best.normal);
    result.point_a = vec3(point_a);
    result.point_b = vec3(point_a - depth * best.normal);
    result.face.count = 3;
    for (int i = 0; i < 3; ++i) difference.store(polytope.vertices[best.vertex[i]], result.face, i);
    return result;
}

}  // namespace

namespace {

template <class Observer>
EpaResult expand_watched(const MinkowskiDifference& difference, const Simplex& simplex, PolytopeCache* cache,
                         Observer& observer) {
    if (cache != nullptr) cache->vertex_count = 0;
    const auto from = [&](const Simplex& first) {
        int supports = 0;
        const Start start = complete(difference, first, supports);
        EpaResult result;
        if constexpr (Observer::watches) observer.start();
        if (start.dimension == 3) {
            Polytope polytope;
            polytope.start(start.vertex);
            result = grow(difference, polytope, false, cache, observer);
        }
        // The difference is flat, or a needle whose faces are all degenerate.
        if (start.dimension < 3 || !std::isfinite(result.depth)) result = flat_answer(difference, simplex, start);
        result.support_evaluations =
            static_cast<std::uint16_t>(std::min(result.support_evaluations + 2 * supports, 65535));
        return result;
    };
    const EpaResult result = from(simplex);
    if (result.status != EpaStatus::out_of_memory || simplex.count == 0) return result;
    // A bad simplex can make a polytope of thin triangles: try once more, from support points alone.
    const EpaResult again = from(Simplex{});
    const bool better = again.status == EpaStatus::converged || again.depth < result.depth;
    if constexpr (Observer::watches) observer.answered(better ? 0 : 1);
    return better ? again : result;
}

}  // namespace

EpaResult detail::expand(const MinkowskiDifference& difference, const Simplex& simplex, PolytopeCache* cache) {
    Unobserved nobody;
    return expand_watched(difference, simplex, cache, nobody);
}

bool detail::expand_again(const MinkowskiDifference& difference, PolytopeCache& cache, EpaResult& result) {
    if (cache.vertex_count < 4) return false;
    Polytope polytope;
    polytope.restart(difference, cache);
    Unobserved nobody;
    result = grow(difference, polytope, true, &cache, nobody);
    // A mesh that was reused over many poses may be too distorted to be expanded to the end; a new one is not.
    return std::isfinite(result.depth) && result.status == EpaStatus::converged;
}

EpaResult epa(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& cache) {
    if (!detail::is_usable(a, b, b_in_a)) {
        EpaResult refused;
        refused.status = EpaStatus::bad_input;
        return refused;
    }
    return detail::epa_unchecked(a, b, b_in_a, cache);
}

EpaResult detail::epa_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a,
                                const SimplexCache& cache) {
    TALUS_ASSERT(is_usable(a, b, b_in_a));
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    load(difference, cache, simplex);
    return expand(difference, simplex);
}

EpaResult detail::epa_observed(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& cache,
                               EpaObserver& observer) {
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    load(difference, cache, simplex);
    return expand_watched(difference, simplex, nullptr, observer);
}

namespace {

/// Returns what a descent has found without a polytope. `w` may lie below its support plane by a little: each of the
/// two points takes half of that.
EpaResult warm_result(const Answer& best, const dvec3& on_a, const dvec3& w, int supports) {
    const dvec3 point_a = on_a + 0.5 * (best.depth * best.normal - w);
    EpaResult result;
    result.warm = true;
    result.support_evaluations = static_cast<std::uint16_t>(2 * supports);
    result.depth = static_cast<float>(best.depth);
    result.normal = vec3(best.normal);
    result.point_a = vec3(point_a);
    result.point_b = vec3(point_a - best.depth * best.normal);
    return result;
}

bool from_face(const MinkowskiDifference& difference, const SimplexCache& face, bool may_slide, EpaResult& result) {
    if (face.count != 3 || difference.core_a.curved || difference.core_b.curved) return false;
    SimplexVertex corner[3];
    for (int i = 0; i < 3; ++i) corner[i] = difference.vertex(face.a[i], face.b[i]);
    dvec3 n = glm::cross(corner[1].w - corner[0].w, corner[2].w - corner[0].w);
    if (glm::dot(n, corner[0].w) < 0.0) n = -n;
    const double nn = glm::dot(n, n);
    if (!(nn > 0.0)) return false;
    Answer best;
    best.normal = n / std::sqrt(nn);
    best.depth = glm::dot(best.normal, difference.support(best.normal, corner[0].index_a, corner[0].index_b).w);
    if (!(best.depth > 0.0)) return false;
    const double allowed = tolerance::epa_witness * difference.size;
    const auto answer = [&](const dvec3& on_a, const dvec3& w, const SimplexVertex* vertex, int supports) {
        result = warm_result(best, on_a, w, supports);
        result.face.count = 3;
        for (int i = 0; i < 3; ++i) difference.store(vertex[i], result.face, i);
    };
    // In most cases the same three vertices are still a face, and it contains the surface point nearest to the origin.
    const dvec3 weight = project_origin(corner[0].w, corner[1].w, corner[2].w);
    if (weight.x >= 0.0 && weight.y >= 0.0 && weight.z >= 0.0) {
        const dvec3 w = weight.x * corner[0].w + weight.y * corner[1].w + weight.z * corner[2].w;
        if (best.depth - glm::dot(best.normal, w) <= allowed) {
            answer(weight.x * corner[0].a + weight.y * corner[1].a + weight.z * corner[2].a, w, corner, 1);
            return true;
        }
    }
    if (!may_slide) return false;
    Slide slide(difference, corner);
    if (!slide.run(best) || !(best.depth > 0.0)) return false;
    const dvec3 w = slide.nearest(), off = w - best.depth * best.normal;
    if (!(glm::dot(off, off) <= allowed * allowed) || slide.simplex().count != 3) return false;  // not at a minimum
    answer(slide.on_a(), w, slide.simplex().vertex, slide.supports() + 1);
    return true;
}

}  // namespace

bool detail::epa_again(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& face,
                       EpaResult& result) {
    return from_face(MinkowskiDifference(a, b, b_in_a), face, true, result);
}

bool detail::epa_on_face(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& face,
                         EpaResult& result) {
    return from_face(MinkowskiDifference(a, b, b_in_a), face, false, result);
}

bool detail::epa_along(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal,
                       SimplexCache& simplex, EpaResult& result) {
    const MinkowskiDifference difference(a, b, b_in_a);
    Answer best;
    best.normal = dvec3(normal) / std::sqrt(glm::dot(dvec3(normal), dvec3(normal)));
    SimplexVertex start[4] = {difference.support(best.normal, simplex.a[0], simplex.b[0])};
    best.depth = glm::dot(best.normal, start[0].w);
    const std::size_t known = std::min<std::size_t>(simplex.count, 4), count = std::max<std::size_t>(known, 1);
    for (std::size_t i = 0; i < known; ++i) start[i] = difference.vertex(simplex.a[i], simplex.b[i]);
    Slide slide(difference, std::span(start, count));
    if (!slide.run(best)) return false;
    const dvec3 w = slide.nearest(), off = w - best.depth * best.normal;
    const double allowed = tolerance::epa_slide_offset * difference.size;
    if (!(glm::dot(off, off) <= allowed * allowed)) return false;  // not at a minimum
    result = warm_result(best, slide.on_a(), w, slide.supports() + 1);
    simplex.count = static_cast<std::uint8_t>(slide.simplex().count);
    for (int i = 0; i < slide.simplex().count; ++i) difference.store(slide.vertex(i), simplex, i);
    return true;
}

}  // namespace talus
