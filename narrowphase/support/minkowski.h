#pragma once
/// Internal: the Minkowski difference A - B of two posed cores, which GJK, EPA and the casts search.
///
/// All points are in A's frame and in double. A point of the difference keeps the point of A that it came from, so that
/// witness points are sums with the same weights, and its two support indices, so that it can be cached.

#include <talus/narrowphase/gjk.h>
#include "narrowphase/shapes/shape_measures.h"
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

class MinkowskiDifference {
public:
    MinkowskiDifference(const Shape& a, const Shape& b, const MatrixTransform& b_in_a)
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

    /// The difference of two open cores in one frame. Nothing can be cached; all else works as for shapes.
    MinkowskiDifference(const SupportMapping& a, const SupportMapping& b);

    /// Returns the point farthest along d. The hints are vertices from which to start the searches.
    SimplexVertex support(const dvec3& d, std::uint16_t hint_a, std::uint16_t hint_b) const {
        SimplexVertex v;
        v.index_a = hint_a;
        v.index_b = hint_b;
        v.a = support_point(core_a, d, v.index_a);
        const dvec3 d_in_b(-glm::dot(rotation[0], d), -glm::dot(rotation[1], d), -glm::dot(rotation[2], d));
        v.w = v.a - to_a(support_point(core_b, d_in_b, v.index_b));
        return v;
    }

    /// Returns the point of two cached indices; any indices are safe.
    SimplexVertex vertex(std::uint16_t index_a, std::uint16_t index_b) const {
        const dvec3 a = point(core_a, *shape_a, index_a);
        return {a - to_a(point(core_b, *shape_b, index_b)), a, index_a, index_b};
    }

    /// Returns the vector from A's middle to B's.
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
    /// How often GJK may move its simplex onto a cylinder or cone (round_core.h). The simplex then does not say any more
    /// on which of the round core's points it was: 0 keeps them. More than 2: where the nearest points are not unique,
    /// GJK may lose again and again what its own steps have found (4: 1% more instructions per step of `mixed`).
    int moves_onto_round_core = 2;
    dvec3 open_between_middles{0.0};

private:
    static dvec3 point(const Core& core, const Shape& shape, std::uint16_t index) {
        if (core.hull == nullptr) return dvec3(core_point(shape, index));
        return dvec3(core.points[index < core.hull->view.count ? index : 0]);
    }

    dvec3 to_a(const dvec3& b) const { return rotation * b + position; }
};

}  // namespace talus::detail
