#include "narrowphase/support/minkowski.h"

#include <talus/narrowphase/support_mapping.h>

#include <algorithm>

namespace talus::detail {

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
    if (!(size > 0.0)) size = std::max(box_a.half, box_b.half);  // a point has no size
    open_between_middles = box_b.middle - box_a.middle;
}

}  // namespace talus::detail
