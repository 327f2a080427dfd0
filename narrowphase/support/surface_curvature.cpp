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
    constexpr double even = 1e-3;
    if (std::abs(u.y - v.x) <= even * (std::abs(u.x) + std::abs(v.y))) return {u.x, 0.5 * (u.y + v.x), v.y};
    // At an edge the point jumps from end to end, whatever the direction of the probe. So the radii must be measured
    // along their own axes: the eigenvectors of u u^T + v v^T.
    const double half = 0.5 * (u.x * u.x + v.x * v.x - u.y * u.y - v.y * v.y), xy = u.x * u.y + v.x * v.y;
    const double size = std::sqrt(half * half + xy * xy);
    dvec2 axis = half >= 0.0 ? dvec2(half + size, xy) : dvec2(xy, size - half);
    const double length = std::sqrt(glm::dot(axis, axis));
    axis = length > 0.0 ? axis / length : dvec2(1.0, 0.0);
    const dvec2 across(-axis.y, axis.x);
    const double r = glm::dot(axis, moved(axis)), s = glm::dot(across, moved(across));
    return {r * axis.x * axis.x + s * axis.y * axis.y, (r - s) * axis.x * axis.y,
            r * axis.y * axis.y + s * axis.x * axis.x};
}

double core_curvature_along(const Shape& shape, const vec3& out, const vec3& across) {
    if (shape.type == ShapeType::sphere) return 0.0;
    return glm::dot(dvec3(across), Surface(shape, out).moved_along(dvec3(across)));
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
