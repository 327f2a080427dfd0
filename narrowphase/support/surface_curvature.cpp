#include "narrowphase/support/surface_curvature.h"

#include "narrowphase/support/core_support.h"
#include "narrowphase/tolerances.h"

#include <glm/vec2.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace talus::detail {

namespace {

using glm::dvec2;

/// A core around the point with the outward normal `out`.
class Surface {
public:
    Surface(const Shape& shape, const vec3& out) : core_(make_core(shape)), out_(out) {}

    /// Returns by how much the point moves while the normal changes from out - probe d to out + probe d, over 2 probe.
    dvec3 moved_along(const dvec3& d) {
        const dvec3 by = tolerance::curvature_probe * d;
        return (support_point(core_, out_ + by, hint_) - support_point(core_, out_ - by, hint_)) *
               (0.5 / tolerance::curvature_probe);
    }

private:
    Core core_;
    dvec3 out_;
    std::uint16_t hint_ = 0;
};

}  // namespace

bool is_across_face(const Shape& shape, const vec3& normal) {
    switch (shape.type) {
        case ShapeType::box: {
            const vec3 n = absolute(normal);
            return std::max({n.x, n.y, n.z}) >= tolerance::surface_face;
        }
        case ShapeType::triangle: {
            const vec3 across = glm::cross(shape.points[1] - shape.points[0], shape.points[2] - shape.points[0]);
            const float along = glm::dot(normal, across);
            return along * along >= tolerance::surface_face * tolerance::surface_face * length_squared(across);
        }
        case ShapeType::cylinder:
        case ShapeType::cone:
            return std::abs(normal.y) >= tolerance::surface_face;
        default:
            return false;
    }
}

PlaneTensor core_curvature(const Shape& shape, const vec3& out, const vec3& tangent_1, const vec3& tangent_2) {
    if (shape.type == ShapeType::sphere) return {};
    Surface surface(shape, out);
    const dvec3 t1(tangent_1), t2(tangent_2);
    const auto moved = [&](const dvec2& d) {
        const dvec3 by = surface.moved_along(d.x * t1 + d.y * t2);
        return dvec2(glm::dot(by, t1), glm::dot(by, t2));
    };
    const dvec2 u = moved({1.0, 0.0}), v = moved({0.0, 1.0});
    // A small radius is lost in an error of a large one, so both count.
    constexpr double even = 1e-3;
    if (std::abs(u.y - v.x) <= even * std::sqrt(std::abs(u.x * v.y))) return {u.x, 0.5 * (u.y + v.x), v.y};
    // Along an edge or a straight side the point jumps from end to end, whatever the direction of the probe, and rounding
    // can make it jump across, too. So the radii are measured along their own axes, and across such a jump.
    const auto unit = [](const dvec2& w) {
        const double length = std::sqrt(glm::dot(w, w));
        return length > 0.0 ? w / length : dvec2(1.0, 0.0);
    };
    dvec2 axis = unit(glm::dot(u, u) > glm::dot(v, v) ? u : v);
    axis = unit(moved(axis));
    const dvec2 across(-axis.y, axis.x);
    const double r = glm::dot(axis, moved(axis)), s = glm::dot(across, moved(across));
    return {r * axis.x * axis.x + s * axis.y * axis.y, (r - s) * axis.x * axis.y,
            r * axis.y * axis.y + s * axis.x * axis.x};
}

double core_curvature_along(const Shape& shape, const vec3& out, const vec3& across) {
    if (shape.type == ShapeType::sphere) return 0.0;
    return glm::dot(dvec3(across), Surface(shape, out).moved_along(dvec3(across)));
}

vec3 moved_over_facets(const Shape& hull, const vec3& out, const vec3& change) {
    const Core core = make_core(hull);
    std::uint16_t hint = 0;
    return moved_over_facets([&](const vec3& direction) { return vec3(support_point(core, dvec3(direction), hint)); },
                             out, change);
}

vec3 moved_over_core(const Shape& shape, const vec3& point, const vec3& out, const vec3& change) {
    if (shape.type == ShapeType::cylinder || shape.type == ShapeType::cone) {
        // The points of a circle around the axis have normals at one angle to it.
        const float across2 = out.x * out.x + out.z * out.z;
        if (!(across2 > 0.0f)) return vec3(0.0f);
        const vec3 around(out.z, 0.0f, -out.x);
        return std::sqrt((point.x * point.x + point.z * point.z) / across2) * glm::dot(change, around) / across2 *
               around;
    }
    const float size2 = length_squared(change);
    if (shape.type != ShapeType::mapping || !(size2 > 0.0f)) return vec3(0.0f);
    const double size = std::sqrt(static_cast<double>(size2));
    return vec3(size * Surface(shape, out).moved_along(dvec3(change) / size));
}

}  // namespace talus::detail
