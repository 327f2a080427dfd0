#include "narrowphase/nonconvex/surface_walk.h"

#include <cmath>

namespace talus::detail {

SurfaceWalk::SurfaceWalk(const SurfaceFeatures& surface, const vec3& point, float room) : surface_(surface) {
    surface.any_face(point, vec3(0.0f), room, [&](std::uint32_t f) {
        const SurfaceFeatures::Face& face = surface.faces[f];
        const float height = glm::dot(face.normal, point - face.points[0]);
        const bool holds = std::abs(height) <= room && beside_face(face, point, 0.0f) <= room;
        if (holds) face_ = f;
        return holds;
    });
}

vec3 SurfaceWalk::farthest(const vec3& direction) {
    constexpr int most_steps = 64, most_faces = 64;
    const auto point = [&](std::uint32_t face, int corner) -> const vec3& {
        return surface_.faces[face].points[corner];
    };
    float best = glm::dot(point(face_, corner_), direction);
    for (int step = 0; step < most_steps; ++step) {
        const std::uint32_t first = face_, center = surface_.faces[face_].corners[corner_];
        std::uint32_t face = face_;
        int corner = corner_;
        bool is_last = true;
        for (int k = 0; k < most_faces; ++k) {  // the faces around the corner
            for (int i = 1; i < 3; ++i) {
                const int other = (corner + i) % 3;
                const float along = glm::dot(point(face, other), direction);
                if (along > best) best = along, face_ = face, corner_ = other, is_last = false;
            }
            face = surface_.faces[face].beyond[corner];
            if (face == SurfaceFeatures::none || face == first) break;
            const std::uint32_t(&corners)[3] = surface_.faces[face].corners;
            corner = corners[0] == center ? 0 : corners[1] == center ? 1 : 2;
        }
        if (is_last) break;
    }
    return point(face_, corner_);
}

}  // namespace talus::detail
