/// What hangs and swings on joints.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

namespace {

float ball_density(float mass, float radius) { return mass / (4.1887902f * radius * radius * radius); }

/// Five balls with restitution 1, each on two threads so that they swing in one plane; the first is let go.
Result<SceneData> cradle(const SceneOptions&) {
    constexpr int balls = 5;
    constexpr float radius = 0.5f, gap = 0.001f, height = 4.5f, drop = 3.0f, half_width = 1.2f;
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    BodyDef frame;
    frame.type = BodyType::fixed;
    frame.shapes.resize(2);
    for (int i = 0; i < 2; ++i) {
        frame.shapes[static_cast<std::size_t>(i)].shape = box({3.2f, 0.08f, 0.08f});
        frame.shapes[static_cast<std::size_t>(i)].pose.position = {0.0f, height, i == 0 ? -half_width : half_width};
    }
    scene.bodies.push_back(frame);
    const auto place_of = [=](int i) {
        return (2.0f * radius + gap) * (static_cast<float>(i) - 0.5f * static_cast<float>(balls - 1));
    };
    for (int i = 0; i < balls; ++i) {
        const float x = place_of(i);
        BodyDef ball;
        ball.shape = sphere(radius);
        // The first is pulled aside by 53 degrees: 0.8 of its drop outwards, 0.6 down.
        ball.position = i == 0 ? vec3(x - 0.8f * drop, height - 0.6f * drop, 0.0f) : vec3(x, height - drop, 0.0f);
        ball.material = {0.0f, 1.0f};
        scene.bodies.push_back(ball);
        for (const float side : {-half_width, half_width}) {
            DistanceDef thread;
            thread.frames.frame_a.position = {x, height, side};
            scene.joints.push_back({1, static_cast<std::uint32_t>(scene.bodies.size() - 1), thread});
        }
    }
    const std::size_t first = 2, last = first + balls - 1;
    const double rise = 0.4 * static_cast<double>(drop), bottom = static_cast<double>(height - drop);
    const float mass = mass_properties(sphere(radius), 1000.0f).mass;
    const auto energy = [=, g = -scene.gravity.y](const SceneBodies& bodies) {
        double sum = 0.0;
        for (std::size_t i = first; i <= last; ++i) {
            const vec3 v = bodies.linear_velocity(i);
            sum += static_cast<double>(mass) * (0.5 * static_cast<double>(glm::dot(v, v)) +
                                                static_cast<double>(g) * (bodies.transform(i).position.y - bottom));
        }
        return sum / (static_cast<double>(mass) * static_cast<double>(g) * rise);
    };
    scene.figures.push_back(
        {"the last ball's best swing", "of the first's", Over::largest,
         [=](const SceneBodies& bodies, double) { return (bodies.transform(last).position.y - bottom) / rise; }});
    scene.figures.push_back(
        {"energy in the end", "of it", Over::last, [=](const SceneBodies& bodies, double) { return energy(bodies); }});
    scene.figures.push_back(
        {"the inner balls' furthest swing", "m", Over::largest, [=](const SceneBodies& bodies, double) {
             double furthest = 0.0;
             for (std::size_t i = first + 1; i < last; ++i) {
                 const double place = static_cast<double>(place_of(static_cast<int>(i - first)));
                 furthest = std::max(furthest, std::abs(bodies.transform(i).position.x - place));
             }
             return furthest;
         }});
    scene.camera = orbit({0, 2.6f, 0}, 9.5f, 24, 10);
    return scene;
}

/// 40 planks on hinges between two pillars fall from a V and come to rest along the polygon of a hanging chain: each
/// hinge carries one plank more, so that the tangents of the planks' slopes are equally far apart.
Result<SceneData> bridge(const SceneOptions&) {
    constexpr int planks = 40;
    constexpr float length = 0.5f, half_width = 1.0f, half_thickness = 0.04f, steepness = 0.03f;
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    glm::dvec2 joints[planks + 1] = {};  // at rest
    for (int i = 0; i < planks; ++i) {
        const double slope = static_cast<double>(steepness) * (i - 0.5 * (planks - 1));
        joints[i + 1] =
            joints[i] + static_cast<double>(length) / std::sqrt(1.0 + slope * slope) * glm::dvec2(1.0, slope);
    }
    const double half_span = 0.5 * joints[planks].x, half_length = 0.5 * static_cast<double>(length) * planks;
    const double fall = std::sqrt(half_length * half_length - half_span * half_span);
    const double height = fall + 1.0;
    for (const float side : {-1.0f, 1.0f}) {
        scene.bodies.push_back(block({static_cast<double>(side) * (half_span + 0.55), 0.5 * height, 0.0},
                                     {0.5f, static_cast<float>(0.5 * height), half_width}));
    }
    const glm::dvec2 along(half_span / half_length, -fall / half_length);
    for (int i = 0; i < planks; ++i) {
        const bool left = i < planks / 2;
        const double s = static_cast<double>(length) * (left ? i + 0.5 : planks - i - 0.5);
        const glm::dvec2 middle = along * s + glm::dvec2(-half_span, height);
        BodyDef plank;
        plank.shape = box({0.5f * length - 0.02f, half_thickness, half_width});
        plank.position = {left ? middle.x : -middle.x, middle.y, 0.0};
        // Half-angle formulas: the cosine is given.
        const double c = std::sqrt(0.5 * (1.0 + along.x)), h = std::sqrt(0.5 * (1.0 - along.x));
        plank.rotation = quat(static_cast<float>(c), 0.0f, 0.0f, static_cast<float>(left ? -h : h));
        plank.linear_damping = plank.angular_damping = 0.6f;
        scene.bodies.push_back(plank);
    }
    const std::size_t first = 3;
    for (int i = 0; i <= planks; ++i) {
        const bool left = 2 * i <= planks;
        const double s = static_cast<double>(length) * (left ? i : planks - i);
        const glm::dvec2 at = along * s + glm::dvec2(-half_span, height);
        const std::size_t a = i == 0 ? 1 : first + static_cast<std::size_t>(i) - 1;
        const std::size_t b = i == planks ? 2 : first + static_cast<std::size_t>(i);
        tie(scene, a, b, {left ? at.x : -at.x, at.y, 0.0}, {0, 0, 1}, HingeDef{});
    }
    std::vector<dvec3> rest;
    double sag = 0.0;
    for (int i = 0; i < planks; ++i) {
        const glm::dvec2 middle = 0.5 * (joints[i] + joints[i + 1]) + glm::dvec2(-half_span, height);
        rest.emplace_back(middle.x, middle.y, 0.0);
        sag = std::max(sag, -joints[i].y);
    }
    scene.figures.push_back({"off the hanging chain", "of its sag", Over::last, [=](const SceneBodies& bodies, double) {
                                 double worst = 0.0;
                                 for (std::size_t i = 0; i < rest.size(); ++i)
                                     worst =
                                         std::max(worst, glm::distance(bodies.transform(first + i).position, rest[i]));
                                 return worst / sag;
                             }});
    scene.figures.push_back(widest_joint_gap(scene));
    scene.camera = orbit({0.0, 0.5 * height, 0.0}, 27, 28, 14);
    return scene;
}

/// Hangs links from the scene's second body, on ball joints: the first at `top`, each `length` further along the unit
/// vector `along`. Returns where the last one ends.
dvec3 hang_chain(SceneData& scene, const Shape& link, float density, int links, float length, const dvec3& top,
                 const vec3& along, const quat& rotation) {
    for (int i = 0; i < links; ++i) {
        BodyDef def;
        def.shape = link;
        def.density = density;
        def.position = displaced(top, (static_cast<float>(i) + 0.5f) * length * along);
        def.rotation = rotation;
        scene.bodies.push_back(def);
        tie(scene, i == 0 ? 1 : scene.bodies.size() - 2, scene.bodies.size() - 1,
            displaced(top, static_cast<float>(i) * length * along), along, BallDef{});
    }
    return displaced(top, static_cast<float>(links) * length * along);
}

/// 100 links on ball joints with a ball of 1,000 times a link's mass at their end, let go aslant.
Result<SceneData> chain(const SceneOptions&) {
    constexpr int links = 100;
    constexpr float length = 0.2f, radius = 0.04f, link_mass = 1.0f, weight_mass = 1000.0f, weight_radius = 0.5f;
    const vec3 along(0.28f, -0.96f, 0.0f);  // a unit vector
    const dvec3 top(0.0, 22.0, 0.0);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    scene.bodies.push_back(block(top + dvec3(0.0, 0.3, 0.0), {1.0f, 0.2f, 1.0f}));
    // Turns y to -along: half-angle formulas about z.
    const float c = std::sqrt(0.5f * (1.0f - along.y)), h = std::sqrt(0.5f * (1.0f + along.y));
    const quat lean(c, 0.0f, 0.0f, h);
    const Shape link = capsule(0.5f * length - radius, radius);
    const dvec3 end =
        hang_chain(scene, link, link_mass / mass_properties(link, 1.0f).mass, links, length, top, along, lean);
    BodyDef weight;
    weight.shape = sphere(weight_radius);
    weight.density = ball_density(weight_mass, weight_radius);
    weight.position = displaced(end, weight_radius * along);
    weight.rotation = lean;
    weight.linear_damping = weight.angular_damping = 0.2f;
    scene.bodies.push_back(weight);
    const std::size_t last = scene.bodies.size() - 1;
    tie(scene, last - 1, last, end, along, BallDef{});
    scene.figures.push_back({"stretch in the end", "of its length", Over::last, [=](const SceneBodies& bodies, double) {
                                 // Along the links: the sum of the ways from joint to joint.
                                 dvec3 before = top;
                                 double sum = 0.0;
                                 for (std::size_t i = 2; i <= last; ++i) {
                                     const vec3 on_link(0.0f, i == last ? weight_radius : -0.5f * length, 0.0f);
                                     const dvec3 at = transform_point(bodies.transform(i), on_link);
                                     sum += glm::distance(at, before);
                                     before = at;
                                 }
                                 return sum / static_cast<double>(links * length) - 1.0;
                             }});
    scene.figures.push_back(widest_joint_gap(scene));
    scene.camera = orbit({2, 11.5f, 0}, 38, 12, 4);
    return scene;
}

/// A ball of three tonnes on a chain swings into a brick wall.
Result<SceneData> wrecking(const SceneOptions& options) {
    constexpr int links = 12, courses = 14, bricks = 10;
    constexpr float length = 0.6f, radius = 0.1f, ball_radius = 0.8f, ball_mass = 3000.0f, pitch = 1.02f;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const dvec3 top(0.0, 11.0, 0.0);
    scene.bodies.push_back(block(top + dvec3(0.0, 0.35, 0.0), {0.4f, 0.2f, 4.0f}));
    const vec3 along(0.0f, -0.28f, 0.96f);
    // Turns y to -along: about x.
    const float c = std::sqrt(0.5f * (1.0f - along.y)), h = std::sqrt(0.5f * (1.0f + along.y));
    const quat lean(c, -h, 0.0f, 0.0f);
    const dvec3 end =
        hang_chain(scene, capsule(0.5f * length - radius, radius), BodyDef{}.density, links, length, top, along, lean);
    BodyDef ball;
    ball.shape = sphere(ball_radius);
    ball.density = ball_density(ball_mass, ball_radius);
    ball.position = displaced(end, ball_radius * along);
    scene.bodies.push_back(ball);
    tie(scene, scene.bodies.size() - 2, scene.bodies.size() - 1, end, along, BallDef{});
    const std::size_t first = scene.bodies.size();
    for (int course = 0; course < courses; ++course) {
        const float left = -0.5f * pitch * static_cast<float>(bricks - 1) + (course % 2 ? 0.23f : -0.23f);
        for (int i = 0; i < bricks; ++i) {
            BodyDef brick;
            brick.shape = box({0.5f, 0.25f, 0.25f});
            brick.position = {left + pitch * static_cast<float>(i), 0.25f + 0.5f * static_cast<float>(course), -1.5f};
            brick.position += jitter(random, options.jitter);
            scene.bodies.push_back(brick);
        }
    }
    scene.figures.push_back(
        {"bricks knocked out", "", Over::last, [copy = scene.bodies, first](const SceneBodies& bodies, double) {
             double count = 0.0;
             for (std::size_t i = first; i < copy.size(); ++i)
                 count += glm::distance(bodies.transform(i).position, copy[i].position) > 0.5 ? 1.0 : 0.0;
             return count;
         }});
    scene.figures.push_back(widest_joint_gap(scene));
    scene.camera = orbit({0, 4.9f, 0}, 24, 52, 12);
    return scene;
}

/// 40 chains of 25 links, each with a ball of 20 links' mass at its end, are let go at 60 degrees.
Result<SceneData> chains(const SceneOptions&) {
    constexpr int count = 40, columns = 8, links = 25;
    constexpr float length = 0.3f, radius = 0.05f, ball_radius = 0.25f, pitch = 1.2f, spread = 18.0f;
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const Shape link = capsule(0.5f * length - radius, radius);
    const float ball_mass = 20.0f * mass_properties(link, BodyDef{}.density).mass;
    const vec3 along(0.8660254f, -0.5f, 0.0f);
    // Turns y to -along: about z.
    const float c = std::sqrt(0.5f * (1.0f - along.y)), h = std::sqrt(0.5f * (1.0f + along.y));
    for (int i = 0; i < count; ++i) {
        const dvec3 top(spread * (static_cast<float>(i / columns) - 2.0f), 9.0f,
                        pitch * (static_cast<float>(i % columns) - 0.5f * static_cast<float>(columns - 1)));
        scene.bodies.push_back(block(top + dvec3(0.0, 0.15, 0.0), vec3(0.1f)));
        const std::size_t anchor = scene.bodies.size() - 1;
        for (int k = 0; k < links; ++k) {
            BodyDef def;
            def.shape = link;
            def.position = displaced(top, length * (static_cast<float>(k) + 0.5f) * along);
            def.rotation = quat(c, 0.0f, 0.0f, h);
            scene.bodies.push_back(def);
            tie(scene, k == 0 ? anchor : scene.bodies.size() - 2, scene.bodies.size() - 1,
                displaced(top, length * static_cast<float>(k) * along), along, BallDef{});
        }
        BodyDef ball;
        ball.shape = sphere(ball_radius);
        ball.density = ball_density(ball_mass, ball_radius);
        const dvec3 end = displaced(top, length * static_cast<float>(links) * along);
        ball.position = displaced(end, ball_radius * along);
        scene.bodies.push_back(ball);
        tie(scene, scene.bodies.size() - 2, scene.bodies.size() - 1, end, along, BallDef{});
    }
    scene.figures.push_back(widest_joint_gap(scene));
    scene.camera = orbit({5, 4, 0}, 70, 12, 14);
    return scene;
}

constexpr Scene scenes[] = {
    {"cradle", "Newton's cradle: one ball in, one ball out.", 600, cradle},
    {"bridge", "40 planks on hinges fall into the shape of a hanging chain.", 1500, bridge},
    {"chain", "100 links carry 1,000 times a link's mass.", 1200, chain},
    {"chains", "40 chains of 25 links swing with balls at their ends.", 600, chains},
    {"wrecking", "A ball of three tonnes on a chain swings into a wall.", 480, wrecking},
};

}  // namespace

std::span<const Scene> hanging_scenes() { return scenes; }

}  // namespace talus::samples
