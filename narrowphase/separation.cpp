#include <talus/narrowphase/epa.h>

#include <talus/narrowphase/minkowski.h>
#include <talus/narrowphase/support_mapping.h>

namespace talus {

namespace {

/// Puts a core's answers together; `radii` come off the separation, `radius_a` moves the point on A.
SeparationResult combine(const GjkResult& gjk, const EpaResult* epa, float radius_a, float radii) {
    SeparationResult result;
    result.gjk = gjk;
    float core_separation = gjk.distance;
    vec3 on_a = gjk.point_a;
    result.normal = gjk.normal;
    result.beyond_limit = gjk.status == GjkStatus::beyond_limit;
    if (epa != nullptr) {
        // GJK calls everything overlapping whose distance is too short to carry a normal: there is no gap between the
        // two.
        result.epa = *epa;
        result.used_epa = true;
        result.normal = epa->normal;
        core_separation = -epa->depth;
        on_a = epa->point_a;
    }
    result.separation = core_separation - radii;
    result.point_a = on_a + radius_a * result.normal;
    result.point_b = result.point_a + result.separation * result.normal;
    return result;
}

}  // namespace

SeparationResult separation(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                            float max_separation) {
    const float radii = a.radius + b.radius;
    const GjkResult near = gjk(a, b, b_in_a, cache, max_separation + radii);
    if (near.status != GjkStatus::overlapping) return combine(near, nullptr, a.radius, radii);
    const EpaResult deep = epa(a, b, b_in_a, cache);
    return combine(near, &deep, a.radius, radii);
}

SeparationResult separation(const Shape& a, const Shape& b, const Frame& b_in_a, SeparationCache& cache,
                            float max_separation) {
    using namespace detail;
    const float radii = a.radius + b.radius;
    EpaResult deep;
    if (cache.polytope.vertex_count != 0) {
        const MinkowskiDifference difference(a, b, b_in_a);
        if (expand_again(difference, cache.polytope, deep)) {
            GjkResult overlap;
            overlap.status = GjkStatus::overlapping;
            return combine(overlap, &deep, a.radius, radii);
        }
        cache.polytope.vertex_count = 0;
    }
    const GjkResult near = gjk(a, b, b_in_a, cache.simplex, max_separation + radii);
    if (near.status != GjkStatus::overlapping) return combine(near, nullptr, a.radius, radii);
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    load(difference, cache.simplex, simplex);
    deep = expand(difference, simplex, &cache.polytope);
    return combine(near, &deep, a.radius, radii);
}

// ---- open cores ------------------------------------------------------------------------------------------------------

namespace detail {

dvec3 open_support(const SupportMapping& mapping, const dvec3& d) { return mapping.support(d); }

namespace {

struct Box {
    dvec3 middle;
    double half;  ///< of the longest side
};

Box box_around(const SupportMapping& mapping) {
    Box box{dvec3(0.0), 0.0};
    for (int i = 0; i < 3; ++i) {
        dvec3 d(0.0);
        d[i] = 1.0;
        const double high = mapping.support(d)[i], low = mapping.support(-d)[i];
        box.middle[i] = 0.5 * (high + low);
        box.half = std::max(box.half, 0.5 * (high - low));
    }
    return box;
}

Core make_open_core(const SupportMapping& mapping) {
    Core core;
    core.type = open_core;
    core.curved = !mapping.is_polytope();
    core.mapping = &mapping;
    return core;
}

}  // namespace

MinkowskiDifference::MinkowskiDifference(const SupportMapping& a, const SupportMapping& b)
    : rotation(1.0), position(0.0), core_a(make_open_core(a)), core_b(make_open_core(b)) {
    const Box box_a = box_around(a), box_b = box_around(b);
    size = std::min(box_a.half, box_b.half);
    if (!(size > 0.0)) size = std::max(box_a.half, box_b.half);  // a point has no scale of its own
    open_between_middles = box_b.middle - box_a.middle;
}

}  // namespace detail

SeparationResult separation(const SupportMapping& a, const SupportMapping& b, float max_separation) {
    using namespace detail;
    const MinkowskiDifference difference(a, b);
    Simplex simplex;
    const Search search = find_closest(difference, simplex, double(max_separation));
    const GjkResult near = to_result(simplex, search);
    if (near.status != GjkStatus::overlapping) return combine(near, nullptr, 0.0f, 0.0f);
    const EpaResult deep = expand(difference, simplex);
    return combine(near, &deep, 0.0f, 0.0f);
}

}  // namespace talus
