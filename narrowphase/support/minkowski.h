#pragma once
/// Internal: the Minkowski difference A - B of two posed cores, and simplices in it. What GJK, EPA and ray casts share.
///
/// All in A's frame and in double. A point of the difference keeps the point of A that it came from, so that witness
/// points are sums with the same weights, and its two indices, so that it can be cached.

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/gjk.h>
#include "narrowphase/support/core_support.h"

#include <algorithm>

namespace talus::detail {

/// w = a - b, a on A's core and b on B's, in A's frame.
struct SimplexVertex {
    dvec3 w;
    dvec3 a;
    std::uint16_t index_a;
    std::uint16_t index_b;
};

/// Half the longest side of the box around the shape: what "size" means in tolerances.
inline double size_of(const Shape& shape) {
    vec3 h = shape.half_extents;
    switch (shape.type) {
        case ShapeType::sphere:
            return shape.radius;
        case ShapeType::segment:
            h = 0.5f * glm::abs(shape.points[1] - shape.points[0]);
            break;
        case ShapeType::triangle:
            h = glm::max(glm::abs(shape.points[1] - shape.points[0]), glm::abs(shape.points[2] - shape.points[0])) *
                0.5f;
            break;
        case ShapeType::hull:
            return shape.hull->view.half_size;
        default:
            break;
    }
    return std::max(std::max(h.x, h.y), h.z) + shape.radius;
}

/// A point near the middle of the core, shape frame.
inline dvec3 middle_of(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::segment:
            return dvec3(0.5f * (shape.points[0] + shape.points[1]));
        case ShapeType::triangle:
            return dvec3((shape.points[0] + shape.points[1] + shape.points[2]) * (1.0f / 3.0f));
        case ShapeType::hull:
            return dvec3(center(shape.hull->bounds));
        default:
            return dvec3(0.0);
    }
}

/// A point inside of the core, shape frame: on the side of a surface on which the shape is. The middle of a flat hull's
/// bounds may lie beside the hull, and behind a surface that the hull only touches.
inline dvec3 inside_of(const Shape& shape) {
    return shape.type == ShapeType::hull ? dvec3(shape.hull->centroid) : middle_of(shape);
}

class MinkowskiDifference {
public:
    MinkowskiDifference(const Shape& a, const Shape& b, const Frame& b_in_a)
        : rotation(b_in_a.rotation),
          position(b_in_a.position),
          shape_a(&a),
          shape_b(&b),
          core_a(make_core(a)),
          core_b(make_core(b)),
          size(std::min(size_of(a), size_of(b))) {
        const double limit = tolerance::float_scan_ratio * size;
        if (core_a.hull) core_a.float_scan = core_a.hull->view.largest_coordinate <= limit;
        if (core_b.hull) core_b.float_scan = core_b.hull->view.largest_coordinate <= limit;
    }

    /// Of two open cores that stand in one frame: nothing can be cached, all else works as for shapes.
    MinkowskiDifference(const SupportMapping& a, const SupportMapping& b);

    /// The point farthest along d. The vertex's indices are hints on the way in.
    SimplexVertex support(const dvec3& d, std::uint16_t hint_a, std::uint16_t hint_b) const {
        SimplexVertex v;
        v.index_a = hint_a;
        v.index_b = hint_b;
        v.a = support_point(core_a, d, v.index_a);
        const dvec3 d_in_b(-glm::dot(rotation[0], d), -glm::dot(rotation[1], d), -glm::dot(rotation[2], d));
        v.w = v.a - to_a(support_point(core_b, d_in_b, v.index_b));
        return v;
    }

    /// The point that two cached indices name; any indices are safe.
    SimplexVertex vertex(std::uint16_t index_a, std::uint16_t index_b) const {
        const dvec3 a = point(core_a, *shape_a, index_a);
        return {a - to_a(point(core_b, *shape_b, index_b)), a, index_a, index_b};
    }

    /// From A's middle to B's.
    dvec3 between_middles() const {
        if (shape_a == nullptr) return open_between_middles;
        return to_a(middle_of(*shape_b)) - middle_of(*shape_a);
    }

    void store(const SimplexVertex& v, std::uint16_t& index_a, std::uint16_t& index_b) const {
        if (shape_a == nullptr) return;
        index_a = has_rim(core_a.type) ? index_of(core_a, v.a) : v.index_a;
        index_b = v.index_b;
        if (has_rim(core_b.type)) {
            const dvec3 b = v.a - v.w - position;
            index_b =
                index_of(core_b, dvec3(glm::dot(rotation[0], b), glm::dot(rotation[1], b), glm::dot(rotation[2], b)));
        }
    }
    void store(const SimplexVertex& v, SimplexCache& cache, int slot) const { store(v, cache.a[slot], cache.b[slot]); }

    dmat3 rotation;                  ///< of B in A's frame
    dvec3 position;                  ///< of B in A's frame; a ray cast moves it
    const Shape* shape_a = nullptr;  ///< null for open cores
    const Shape* shape_b = nullptr;
    Core core_a, core_b;
    double size;  ///< of the smaller shape, m
    double gap = tolerance::gjk_gap;
    dvec3 open_between_middles{0.0};

private:
    static dvec3 point(const Core& core, const Shape& shape, std::uint16_t index) {
        if (core.hull == nullptr) return dvec3(core_point(shape, index));
        return dvec3(core.points[index < core.hull->view.count ? index : 0]);
    }

    dvec3 to_a(const dvec3& b) const { return rotation * b + position; }
};

/// Up to four vertices and the point v of their hull that is closest to the origin. The vertices are those that v
/// needs.
///
/// What the search wants first is the direction, so v is kept as a multiple y = s v (s > 0) that the feature gives
/// without a division: the triangle's normal, the edge's perpendicular, the vertex. That also keeps its direction exact
/// close to contact.
struct Simplex {
    SimplexVertex vertex[4];
    /// V = sum of weight[i] * vertex[i].w, over the sum of the weights; all > 0.
    double weight[4] = {1.0, 0.0, 0.0, 0.0};
    int count = 0;
    bool contains = false;  ///< the four vertices enclose the origin; y is zero
    dvec3 y{0.0};           ///< points from the origin to v
    double yy = 0.0;        ///< dot(y, y)
    double yv = 0.0;        ///< dot(y, v)
    double vv = 0.0;        ///< dot(v, v)

    dvec3 closest() const { return yy > 0.0 ? y * (yv / yy) : dvec3(0.0); }

    /// The point of A's core that belongs to v.
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

/// Makes v the closest point to the origin of the first `count` vertices and drops the vertices it doesn't need.
/// Returns false, and leaves the simplex as it was with `previous` vertices, when the new v is not strictly nearer than
/// the old one (previous = 0: there is no old one).
bool reduce(Simplex& simplex, int previous);

enum class Outcome : std::uint8_t { separated, overlapping, beyond_limit, iteration_cap };

/// What the GJK loop found out beside the simplex itself.
struct Search {
    Outcome outcome = Outcome::separated;
    double lower_bound = 0.0;  ///< proved, m
    dvec3 axis{0.0};           ///< whose support plane proved it, any length
    bool by_axis = false;      ///< that plane is a better answer than the simplex, which rounding has spoilt
    int iterations = 0;        ///< support pairs
};

/// The GJK loop: brings the simplex (empty, or reduced) to the closest point of A - B to the origin.
Search find_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance);

/// `gjk` and `epa`, telling an observer what they do (observer.h).
class GjkObserver;
class EpaObserver;
GjkResult gjk_observed(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache, float max_distance,
                       GjkObserver& observer);
EpaResult epa_observed(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& simplex,
                       EpaObserver& observer);

/// What the search found as a public answer.
GjkResult to_result(const Simplex& simplex, const Search& search);

/// EPA from the simplex that GJK left; leaves its polytope in `cache`, if there is one.
EpaResult expand(const MinkowskiDifference& difference, const Simplex& simplex, PolytopeCache* cache = nullptr);

/// EPA from the polytope of an earlier pose. False when that does not hold the origin any more, or cannot be grown to
/// the end.
bool expand_again(const MinkowskiDifference& difference, PolytopeCache& cache, EpaResult& result);

/// Re-poses cached index pairs into `simplex` and reduces it. False when the cache was empty.
bool load(const MinkowskiDifference& difference, const SimplexCache& cache, Simplex& simplex);

}  // namespace talus::detail
