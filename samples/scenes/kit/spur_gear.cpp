#include "samples/scenes/kit/spur_gear.h"

#include "samples/scenes/kit/parts.h"

#include <cmath>

namespace talus::samples {

static constexpr float pi = 3.14159265f;

std::vector<glm::vec2> SpurGear::tooth() const {
    constexpr float cosine = 0.93969262f, involute = 0.01490438f;  // of the pressure angle
    const float base = pitch_radius() * cosine, tip = pitch_radius() + module;
    const float half = pi / (2.0f * static_cast<float>(teeth)) + involute - thinner * module / pitch_radius();
    const float end = std::sqrt(tip * tip / (base * base) - 1.0f);
    std::vector<glm::vec2> flank{glm::vec2(rotate(turn({0, 0, 1}, -half), {root_radius(), 0.0f, 0.0f}))};
    for (int k = 0; k < flank_points; ++k) {
        const float t = end * static_cast<float>(k) / static_cast<float>(flank_points - 1);
        const vec3 c = on_circle(1.0f, t);
        const vec3 p = base * vec3(c.x + t * c.y, c.y - t * c.x, 0.0f);
        flank.push_back(glm::vec2(rotate(turn({0, 0, 1}, -half), p)));
    }
    for (std::size_t k = flank.size(); k-- > 0;) flank.push_back({flank[k].x, -flank[k].y});
    return flank;
}

quat SpurGear::tooth_turn(int k) const {
    const float angle = 2.0f * pi * static_cast<float>(k) / static_cast<float>(teeth);
    return turn({0, 0, 1}, angle > pi ? angle - 2.0f * pi : angle);
}

MeshFile SpurGear::surface() const {
    MeshFile mesh;
    const std::vector<glm::vec2> outline = tooth();
    for (int k = 0; k < teeth; ++k) {
        for (const glm::vec2& p : outline) {
            for (const float z : {-half_width, half_width})
                mesh.vertices.push_back(rotate(tooth_turn(k), {p.x, p.y, z}));
        }
    }
    const auto count = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back({0.0f, 0.0f, -half_width});
    mesh.vertices.push_back({0.0f, 0.0f, half_width});
    for (std::uint32_t v = 0; v < count; v += 2) {
        const std::uint32_t next = (v + 2) % count;
        for (const std::uint32_t i : {v, next, v + 1, v + 1, next, next + 1}) mesh.triangles.push_back(i);
        for (const std::uint32_t i : {count, next, v, count + 1, v + 1, next + 1}) mesh.triangles.push_back(i);
    }
    return mesh;
}

}  // namespace talus::samples
