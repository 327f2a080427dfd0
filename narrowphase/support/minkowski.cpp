#include "narrowphase/support/minkowski.h"

#include <talus/narrowphase/support_mapping.h>

#include <algorithm>

namespace talus::detail {

dvec3 open_support(const SupportMapping& mapping, const dvec3& d, std::uint16_t& index) {
    // A direction may be zero where a pose's matrix is, and so short or long that its square is out of range.
    const dvec3 a = absolute(d);
    const double most = std::max(std::max(a.x, a.y), a.z);
    if (!(most > 1e-100 && most < 1e100)) [[unlikely]] {
        const dvec3 scaled = most > 0.0 && most <= 1e308 ? d / most : dvec3(0.0, 1.0, 0.0);
        index = direction_code(scaled);
        return mapping.support(scaled);
    }
    index = direction_code(d);
    return mapping.support(d);
}

std::uint16_t direction_code(const dvec3& d) {
    const dvec3 a = absolute(d);
    const int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
    const double scale = 0.5 * direction_cells / a[axis];
    const auto cell = [&](int k) {
        const double at = d[(axis + k) % 3] * scale + 0.5 * direction_cells;
        return at < direction_cells - 1 ? static_cast<std::uint32_t>(at) : direction_cells - 1;
    };
    const std::uint32_t side = static_cast<std::uint32_t>(2 * axis) + (d[axis] < 0.0 ? 1 : 0);
    return static_cast<std::uint16_t>((side * direction_cells + cell(1)) * direction_cells + cell(2));
}

dvec3 coded_direction(std::uint16_t code) {
    const std::uint32_t side = code / (direction_cells * direction_cells) % 6;
    const int axis = static_cast<int>(side / 2);
    dvec3 d(0.0);
    d[axis] = side % 2 == 1 ? -1.0 : 1.0;
    d[(axis + 1) % 3] = (2.0 * (code / direction_cells % direction_cells) + 1.0) / direction_cells - 1.0;
    d[(axis + 2) % 3] = (2.0 * (code % direction_cells) + 1.0) / direction_cells - 1.0;
    return d;
}

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
    core.type = ShapeType::mapping;
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
