#include <talus/narrowphase/support_mapping.h>

#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/core_support.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// The largest coefficient of a map. Three such maps in a row keep a shape within 1e42, and GJK computes sixth powers
/// of lengths.
constexpr double largest_coefficient = 1e12;

bool is_usable(const dvec3& v) {
    return std::abs(v.x) <= largest_coefficient && std::abs(v.y) <= largest_coefficient &&
           std::abs(v.z) <= largest_coefficient;  // false for NaN
}

/// Returns v divided by its length. If its square would leave the range of double, it is first divided by its largest
/// coordinate.
dvec3 unit(dvec3 v) {
    double vv = glm::dot(v, v);
    if (!(vv > 1e-280 && vv < 1e280)) {
        const dvec3 a = absolute(v);
        v /= std::max(std::max(a.x, a.y), a.z);
        vv = glm::dot(v, v);
    }
    return v / std::sqrt(vv);
}

}  // namespace

bool detail::is_usable(const dmat3& linear, const dvec3& offset) {
    return talus::is_usable(linear[0]) && talus::is_usable(linear[1]) && talus::is_usable(linear[2]) &&
           talus::is_usable(offset);
}

ShapeSupport::ShapeSupport(Shape shape) : shape_(std::move(shape)), valid_(detail::is_usable(shape_)) {
    if (!valid_) shape_ = Shape{};
}

dvec3 ShapeSupport::support(const dvec3& direction) const {
    detail::Core core = detail::make_core(shape_);
    core.float_scan = false;  // the size of the other shape is unknown here
    std::uint16_t index = 0;
    const dvec3 on_core = detail::support_point(core, direction, index);
    return shape_.radius > 0.0f ? on_core + double(shape_.radius) * unit(direction) : on_core;
}

bool ShapeSupport::is_polytope() const { return !(shape_.radius > 0.0f) && !detail::is_curved(shape_); }

PointCloud::PointCloud(std::span<const vec3> points) : points_(points) {
    if (!std::all_of(points.begin(), points.end(), [](const vec3& p) { return is_finite(p); })) points_ = {};
}

dvec3 PointCloud::support(const dvec3& direction) const {
    if (points_.empty()) return dvec3(0.0);
    dvec3 best(points_[0]);
    double most = glm::dot(direction, best);
    for (const vec3& point : points_.subspan(1)) {
        const dvec3 p(point);
        const double along = glm::dot(direction, p);
        if (along > most) {
            most = along;
            best = p;
        }
    }
    return best;
}

CollectionHull::CollectionHull(std::span<const SupportMapping* const> of)
    : of_(of), valid_(std::any_of(of.begin(), of.end(), [](const SupportMapping* m) { return m != nullptr; })) {}

dvec3 CollectionHull::support(const dvec3& direction) const {
    dvec3 best(0.0);
    double most = 0.0;
    bool any = false;
    for (const SupportMapping* m : of_) {
        if (m == nullptr) continue;
        const dvec3 p = m->support(direction);
        const double along = glm::dot(direction, p);
        if (!any || along > most) {
            most = along;
            best = p;
            any = true;
        }
    }
    return best;
}

bool CollectionHull::is_polytope() const {
    return std::all_of(of_.begin(), of_.end(),
                       [](const SupportMapping* m) { return m == nullptr || m->is_polytope(); });
}

}  // namespace talus
