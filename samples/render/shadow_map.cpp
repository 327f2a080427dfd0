#include "samples/render/shadow_map.h"

namespace talus::samples {

namespace {

constexpr int size = 3072;  // texels along each side
constexpr int reach = 2;    // of the soft border, texels

}  // namespace

ShadowMap::ShadowMap(const vec3& to_sun, const vec3& center, float radius)
    : forward_(to_sun),
      right_(any_perpendicular(to_sun)),
      up_(glm::cross(to_sun, right_)),
      center_(center),
      texel_(2.0f * radius / size),
      height_(static_cast<std::size_t>(size) * size, -1e30f) {}

void ShadowMap::add(const Model& model, const MatrixTransform& pose) {
    for (const DrawTriangle& t : model.mesh.triangles) {
        ScreenPoint p[3];
        double h[3];
        for (int i = 0; i < 3; ++i) {
            const vec3 m = to_map(transform_point(pose, model.mesh.positions[t.v[i]]));
            p[i] = {m.x, m.y};
            h[i] = m.z;
        }
        fill_triangle(p, size, size, [&](int x, int y, const double(&w)[3]) {
            float& top = height_[static_cast<std::size_t>(y) * size + static_cast<std::size_t>(x)];
            top = std::max(top, static_cast<float>(w[0] * h[0] + w[1] * h[1] + w[2] * h[2]));
        });
    }
}

float ShadowMap::light(const vec3& point, const vec3& normal) const {
    // Lifted off its surface, so that it does not shade itself.
    const vec3 m = to_map(point + normal * (2.5f * texel_)) + vec3(0.0f, 0.0f, 2.0f * texel_);
    if (!(m.x > reach + 1 && m.y > reach + 1 && m.x < size - reach - 1 && m.y < size - reach - 1)) return 1.0f;
    const auto x = static_cast<int>(m.x), y = static_cast<int>(m.y);
    float lit = 0.0f, all = 0.0f;
    for (int j = -reach; j <= reach; ++j) {
        for (int i = -reach; i <= reach; ++i) {
            // A tent around the exact place.
            const float dx = std::abs(static_cast<float>(x + i) + 0.5f - m.x);
            const float dy = std::abs(static_cast<float>(y + j) + 0.5f - m.y);
            const float weight = std::max(0.0f, reach + 0.5f - dx) * std::max(0.0f, reach + 0.5f - dy);
            all += weight;
            if (height_[static_cast<std::size_t>(y + j) * size + static_cast<std::size_t>(x + i)] <= m.z) lit += weight;
        }
    }
    return lit / all;
}

vec3 ShadowMap::to_map(const vec3& point) const {
    const vec3 d = point - center_;
    return {glm::dot(d, right_) / texel_ + 0.5f * size, glm::dot(d, up_) / texel_ + 0.5f * size, glm::dot(d, forward_)};
}

}  // namespace talus::samples
