#include "samples/scenes/kit/parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>
#include <variant>

namespace talus::samples {

BodyDef block(const dvec3& center, const vec3& half_extents, const quat& rotation) {
    BodyDef def;
    def.type = BodyType::fixed;
    def.shape = box(half_extents);
    def.position = center;
    def.rotation = rotation;
    return def;
}

BodyDef floor_slab(float half, float top) {
    return block({0.0f, top - 0.5f * wall_thickness, 0.0f}, {half, 0.5f * wall_thickness, half});
}

void add_bin(SceneData& scene, float width, float height) {
    const float t = 0.5f * wall_thickness;
    const float inside = 0.5f * width;
    const float away = inside + t;
    const auto first = static_cast<std::uint32_t>(scene.bodies.size());
    scene.bodies.push_back(block({-away, 0.5f * height, 0.0f}, {t, 0.5f * height, inside}));
    scene.bodies.push_back(block({away, 0.5f * height, 0.0f}, {t, 0.5f * height, inside}));
    scene.bodies.push_back(block({0.0f, 0.5f * height, -away}, {inside + wall_thickness, 0.5f * height, t}));
    scene.bodies.push_back(block({0.0f, 0.5f * height, away}, {inside + wall_thickness, 0.5f * height, t}));
    for (std::uint32_t i = 0; i < 4; ++i) scene.glass.push_back(first + i);
}

std::vector<vec3> lattice(std::size_t count, int columns, float pitch, float bottom) {
    std::vector<vec3> points;
    points.reserve(count);
    const float middle = 0.5f * static_cast<float>(columns - 1);
    for (int layer = 0; points.size() < count; ++layer) {
        for (int i = 0; i < columns * columns && points.size() < count; ++i) {
            points.emplace_back(pitch * (static_cast<float>(i % columns) - middle),
                                bottom + pitch * static_cast<float>(layer),
                                pitch * (static_cast<float>(i / columns) - middle));
        }
    }
    return points;
}

vec3 jitter(Random& random, float size) {
    const float x = random.between(-size, size);
    const float z = random.between(-size, size);
    return {x, 0.0f, z};
}

Figure displacement(const char* name, const SceneData& scene, std::size_t body) {
    return {name, "m", Over::largest, [body, place = scene.bodies[body].position](const SceneBodies& bodies, double) {
                return glm::distance(bodies.transform(body).position, place);
            }};
}

Figure largest_displacement(const SceneData& scene) {
    std::vector<std::pair<std::size_t, dvec3>> places;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].type == BodyType::dynamic) places.emplace_back(i, scene.bodies[i].position);
    }
    return {"the largest displacement", "m", Over::largest, [places](const SceneBodies& bodies, double) {
                double largest = 0.0;
                for (const auto& [body, place] : places)
                    largest = std::max(largest, glm::distance(bodies.transform(body).position, place));
                return largest;
            }};
}

Figure widest_joint_gap(const SceneData& scene) {
    struct Ends {
        std::size_t a, b;
        vec3 on_a, on_b;
    };
    std::vector<Ends> all;
    for (const SceneJoint& joint : scene.joints) {
        std::visit(
            [&]<class Def>(const Def& def) {
                if constexpr (std::is_same_v<Def, BallDef> || std::is_same_v<Def, HingeDef>)
                    all.push_back({joint.a, joint.b, def.frames.frame_a.position, def.frames.frame_b.position});
            },
            joint.def);
    }
    return {"widest gap of a joint", "m", Over::largest, [all](const SceneBodies& bodies, double) {
                double widest = 0.0;
                for (const Ends& e : all) {
                    widest = std::max(widest, glm::distance(transform_point(bodies.transform(e.a), e.on_a),
                                                            transform_point(bodies.transform(e.b), e.on_b)));
                }
                return widest;
            }};
}

double TurnCounter::operator()(const SceneBodies& bodies) {
    const quat now = bodies.transform(body_).rotation, by = multiply(now, conjugate(last_));
    const double along =
        double{by.x} * double{axis_.x} + double{by.y} * double{axis_.y} + double{by.z} * double{axis_.z};
    constexpr double pi = std::numbers::pi;
    double angle = 2.0 * std::atan2(along, double{by.w});
    if (angle > pi) angle -= 2.0 * pi;
    if (angle < -pi) angle += 2.0 * pi;
    last_ = now;
    return turns_ += angle / (2.0 * pi);
}

Result<Shape> random_hull(Random& random, int points, float low, float high) {
    const float a = random.between(low, high);
    const float b = random.between(low, high);
    const float c = random.between(low, high);
    std::vector<vec3> cloud(static_cast<std::size_t>(points));
    for (vec3& p : cloud) p = vec3(a, b, c) * random.direction();
    const Result<std::shared_ptr<const Hull>> made = make_hull(cloud);
    if (!made) return made.error();
    return hull(*made);
}

Camera orbit(const dvec3& target, float distance, float yaw, float pitch) {
    constexpr float degree = 0.017453293f;
    const quat look = multiply(turn({0, 1, 0}, yaw * degree), turn({1, 0, 0}, -pitch * degree));
    return {displaced(target, rotate(look, {0.0f, 0.0f, distance})), target};
}

}  // namespace talus::samples
