#include <talus/narrowphase/gjk.h>

#include "common/assert.h"
#include "common/lanes/processor.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/gjk/gjk_kernel.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/gjk/observer.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/minkowski.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace talus {

namespace {

using namespace detail;

/// The kernel to use; null: none, so the plain loop runs.
Kernel* kernel_of(GjkLoop loop) {
    switch (loop) {
        case GjkLoop::base:
            return gjk_kernel_base;
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

Kernel* const best_kernel = kernel_of(GjkLoop::avx2) != nullptr ? kernel_of(GjkLoop::avx2) : gjk_kernel_base;

/// Returns false for cores that the kernel cannot handle: rims, and hulls that need a scan in double.
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
            core.view = &data_of(*shape.hull).view;
            return core.view->largest_coordinate <= largest_coordinate;
        case ShapeType::cylinder:
        case ShapeType::cone:
        case ShapeType::mapping:
            return false;
    }
    return false;
}

Search plain_search(const MinkowskiDifference& difference, Simplex& simplex, double max_distance, Unobserved&) {
    return find_closest(difference, simplex, max_distance);
}

Search plain_search(const MinkowskiDifference& difference, Simplex& simplex, double max_distance,
                    GjkObserver& observer) {
    return find_closest(difference, simplex, max_distance, observer);
}

template <class Observer>
GjkResult by_plain_loop(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                        float max_distance, Observer& observer) {
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    const bool warm = load(difference, cache, simplex);
    if constexpr (Observer::watches) observer.start(false, warm);
    const Search search = plain_search(difference, simplex, double(max_distance), observer);
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

/// Runs the kernel. If the kernel cannot handle the pair or gives up, returns false and changes only the cache, from
/// which the plain loop then continues.
template <class Observer>
bool by_kernel(Kernel* kernel, const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
               float max_distance, GjkResult& result, Observer& observer) {
    static_assert(offsetof(MatrixTransform, position) == 0 && offsetof(MatrixTransform, rotation) == sizeof(vec3));
    KernelQuery query;
    query.size = std::min(size_of(a), size_of(b));
    const double limit = tolerance::float_scan_ratio * query.size;
    if (!lay_out(a, limit, query.a) || !lay_out(b, limit, query.b)) return false;
    query.frame = &b_in_a.position.x;
    query.max_distance = double(max_distance);
    KernelAnswer answer;
    result.warm = false;
    if (cache.count > 0) {
        // Three vertices of a tetrahedron that enclosed the origin are enough: the kernel finds the fourth again, or
        // another one.
        run_kernel(kernel, query, cache, std::min<int>(cache.count, 3), answer, observer);
        result.warm = answer.outcome != KernelAnswer::doubtful || answer.iterations > 0;
    }
    if (!result.warm) {  // no cached simplex, or one that is out of date: a new start is cheaper
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
GjkResult by_loop(Kernel* kernel, const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
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

GjkResult gjk(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache, float max_distance) {
    if (!is_usable(a, b, b_in_a) || std::isnan(max_distance)) return {.status = GjkStatus::bad_input};
    return gjk_unchecked(a, b, b_in_a, cache, max_distance);
}

GjkResult detail::gjk_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                                float max_distance) {
    TALUS_ASSERT(is_usable(a, b, b_in_a));
    Unobserved nobody;
    return by_loop(best_kernel, a, b, b_in_a, cache, max_distance, nobody);
}

GjkResult gjk_by(GjkLoop loop, const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                 float max_distance) {
    if (!is_usable(a, b, b_in_a) || std::isnan(max_distance)) return {.status = GjkStatus::bad_input};
    Unobserved nobody;
    return by_loop(kernel_of(loop), a, b, b_in_a, cache, max_distance, nobody);
}

GjkResult detail::gjk_observed(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, SimplexCache& cache,
                               float max_distance, GjkObserver& observer) {
    return by_loop(best_kernel, a, b, b_in_a, cache, max_distance, observer);
}

}  // namespace talus
