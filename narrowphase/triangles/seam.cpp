#include "narrowphase/triangles/seam.h"

#include "narrowphase/tolerances.h"

#include <cmath>

namespace talus::detail {

bool rises_at(const TriangleSet& set, const vec3& point, const vec3& normal, float tolerance,
              std::vector<std::uint32_t>& found) {
    const auto goes_through = [&](const SetTriangle& t) {
        if (!(std::abs(glm::dot(t.normal, point - t.points[0])) <= tolerance)) return false;
        for (int i = 0; i < 3; ++i) {
            const vec3 out = glm::cross(t.points[(i + 1) % 3] - t.points[i], t.normal);
            const float beside = glm::dot(out, point - t.points[i]);
            if (beside > 0.0f && beside * beside > tolerance * tolerance * length_squared(out)) return false;
        }
        return true;
    };
    found.clear();
    set.find(expand(Aabb{point, point}, tolerance), found);
    for (const std::uint32_t index : found) {
        const SetTriangle t = set.triangle(index);
        const bool from_behind = !set.is_two_sided() && glm::dot(normal, t.normal) < -tolerance::seam_behind;
        if (from_behind || !goes_through(t)) continue;
        const vec3 in_plane = point - glm::dot(t.normal, point - t.points[0]) * t.normal;
        for (const vec3& corner : t.points) {
            const vec3 way = corner - in_plane;
            if (glm::dot(normal, way) > tolerance::surface_rise * std::sqrt(length_squared(way))) return true;
        }
    }
    return false;
}

}  // namespace talus::detail
