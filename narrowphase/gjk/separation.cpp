#include <talus/narrowphase/separation.h>

#include <talus/narrowphase/support_mapping.h>
#include "narrowphase/epa/expand.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/finite_mapping.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;

/// Subtracts the radii, in double: if they are large compared with the gap, a sum in float would lose it.
void take_off_radii(SeparationResult& result, double core_separation, const vec3& on_a, float radius_a,
                    float radius_b) {
    result.separation = static_cast<float>(core_separation - (double(radius_a) + double(radius_b)));
    result.point_a = on_a + radius_a * result.normal;
    result.point_b = result.point_a + result.separation * result.normal;
}

/// Returns the result of GJK with the radii subtracted; `distance` is that of the cores.
SeparationResult apart(const GjkResult& gjk, double distance, float radius_a, float radius_b) {
    SeparationResult result;
    result.gjk = gjk;
    result.normal = gjk.normal;
    result.beyond_limit = gjk.status == GjkStatus::beyond_limit;
    take_off_radii(result, distance, gjk.point_a, radius_a, radius_b);
    return result;
}

/// Returns the result of EPA with the radii subtracted. There is no gap between the ranges of GJK and EPA: pairs whose
/// distance is too short to define a normal are overlapping to GJK.
SeparationResult overlapping(const GjkResult& gjk, const EpaResult& epa, float radius_a, float radius_b) {
    SeparationResult result;
    result.gjk = gjk;
    result.epa = epa;
    result.used_epa = true;
    result.normal = epa.normal;
    take_off_radii(result, -double(epa.depth), epa.point_a, radius_a, radius_b);
    return result;
}

/// If the radii are larger than this times the smaller shape, the cores are so far apart that the distance's rounding
/// to float (6e-8 of it) matters after the subtraction, and so does the gap at which GJK stops. Then the distance is
/// computed again, in double and to `gjk_gap` of the smaller shape.
constexpr float large_radii = 16.0f;

/// Returns the distance between two cores that GJK found apart; `cache` has its simplex.
double core_distance(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& cache,
                     const GjkResult& near) {
    const bool fits_float = a.radius + b.radius <= large_radii * std::min(size_of(a), size_of(b));
    if (fits_float || near.status != GjkStatus::separated) return double(near.distance);
    MinkowskiDifference difference(a, b, b_in_a);
    difference.gap = std::max(tolerance::gjk_gap * difference.size / double(near.distance), tolerance::gjk_touching);
    Simplex simplex;
    load(difference, cache, simplex);
    const Search search = find_closest(difference, simplex, std::numeric_limits<double>::infinity());
    if (search.outcome != Outcome::separated) return double(near.distance);
    return search.by_axis ? search.lower_bound : std::sqrt(simplex.vv);
}

SeparationResult bad_input() {
    SeparationResult result;
    result.gjk.status = GjkStatus::bad_input;
    return result;
}

}  // namespace

SeparationResult separation(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                            float max_separation) {
    if (!is_usable(a, b, b_in_a) || std::isnan(max_separation)) return bad_input();
    const GjkResult near = gjk_unchecked(a, b, b_in_a, cache, max_separation + (a.radius + b.radius));
    if (near.status == GjkStatus::overlapping)
        return overlapping(near, epa_unchecked(a, b, b_in_a, cache), a.radius, b.radius);
    return apart(near, core_distance(a, b, b_in_a, cache, near), a.radius, b.radius);
}

SeparationResult separation(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SeparationCache& cache,
                            float max_separation) {
    if (!is_usable(a, b, b_in_a) || std::isnan(max_separation)) return bad_input();
    if (cache.polytope.vertex_count != 0) {
        EpaResult deep;
        if (expand_again(MinkowskiDifference(a, b, b_in_a), cache.polytope, deep)) {
            GjkResult overlap;
            overlap.status = GjkStatus::overlapping;
            return overlapping(overlap, deep, a.radius, b.radius);
        }
        cache.polytope.vertex_count = 0;
    }
    const GjkResult near = gjk_unchecked(a, b, b_in_a, cache.simplex, max_separation + (a.radius + b.radius));
    if (near.status != GjkStatus::overlapping)
        return apart(near, core_distance(a, b, b_in_a, cache.simplex, near), a.radius, b.radius);
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    load(difference, cache.simplex, simplex);
    return overlapping(near, expand(difference, simplex, &cache.polytope), a.radius, b.radius);
}

SeparationResult separation(const SupportMapping& a, const SupportMapping& b, float max_separation) {
    if (std::isnan(max_separation)) return bad_input();
    const FiniteMapping finite_a(a), finite_b(b);
    const MinkowskiDifference difference(finite_a, finite_b);
    Simplex simplex;
    const Search search = find_closest(difference, simplex, double(max_separation));
    const GjkResult near = to_result(simplex, search);
    const SeparationResult result = near.status == GjkStatus::overlapping
                                        ? overlapping(near, expand(difference, simplex), 0.0f, 0.0f)
                                        : apart(near, double(near.distance), 0.0f, 0.0f);
    return finite_a.is_valid() && finite_b.is_valid() ? result : bad_input();
}

}  // namespace talus
