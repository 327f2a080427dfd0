/// Scenes of SimBenchmark (Kang and Hwangbo 2018, github.com/leggedrobotics/SimBenchmark), with its sizes, step lengths
/// and error measures. Its z is up and ours is y; its random offsets come from our generator.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

#include <algorithm>

namespace talus::samples {

namespace {

constexpr double gravity = 9.81;

float ball_density(double mass, double radius) {
    return static_cast<float>(mass / (4.0 / 3.0 * 3.141592653589793 * radius * radius * radius));
}

double squared(const dvec3& v) { return glm::dot(v, v); }

/// Kinetic energy and height of all bodies from `first` on, J.
double energy(const SceneBodies& bodies, std::size_t first, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = first; i < first + count; ++i) {
        const double mass = static_cast<double>(bodies.mass(i));
        const vec3 spin = bodies.angular_velocity(i);
        sum += 0.5 * mass * squared(dvec3(bodies.linear_velocity(i)));
        sum += 0.5 * static_cast<double>(glm::dot(spin, bodies.inertia(i) * spin));
        sum += mass * gravity * bodies.center_of_mass(i).y;
    }
    return sum;
}

/// A plate on the ground with 25 balls on it is pushed: all speeds have a closed form, and none depends on the
/// direction of the push, unless friction does.
Result<SceneData> rolling(const vec3& direction) {
    constexpr double plate_mass = 10.0, ball_mass = 1.0, push = 150.0, ground_friction = 0.4;
    constexpr int side = 5, balls = side * side;
    SceneData scene;
    scene.dt = 0.001f;
    scene.gravity = {0.0f, -static_cast<float>(gravity), 0.0f};
    // Frictions mix as sqrt(a b): 0.4 between ground and plate, 0.8 between plate and balls.
    scene.bodies.push_back(floor_slab());
    scene.bodies[0].material.friction = 0.2f;
    BodyDef plate;
    plate.shape = box({10.0f, 0.5f, 10.0f});
    plate.density = static_cast<float>(plate_mass / 400.0);
    plate.position = {0.0f, 0.5f, 0.0f};
    plate.material.friction = 0.8f;
    scene.bodies.push_back(plate);
    for (int i = 0; i < balls; ++i) {
        BodyDef ball;
        ball.shape = sphere(0.5f);
        ball.density = ball_density(ball_mass, 0.5);
        ball.position = {2.0f * static_cast<float>(i / side) - 4.0f, 1.5f, 2.0f * static_cast<float>(i % side) - 4.0f};
        ball.material.friction = 0.8f;
        scene.bodies.push_back(ball);
    }
    scene.act = [=](SceneBodies& bodies, int) {
        bodies.apply_force(1, static_cast<float>(push) * direction, bodies.center_of_mass(1));
    };
    // Each ball is driven by the friction f = m a_ball of the plate and turns with it: the plate gains on the ball's
    // centre by f r^2 / I on top, so that a_plate = 3.5 a_ball.
    const double drag = ground_friction * (plate_mass + balls * ball_mass) * gravity;
    const double ball_rate = (push - drag) / (3.5 * plate_mass + balls * ball_mass);
    scene.figures.push_back(
        {"mean squared velocity error", "m^2/s^2", Over::mean, [=](const SceneBodies& bodies, double time) {
             const dvec3 along(direction);
             return squared(dvec3(bodies.linear_velocity(1)) - 3.5 * ball_rate * time * along) +
                    squared(dvec3(bodies.linear_velocity(2)) - ball_rate * time * along);
         }});
    scene.camera = orbit({0, 0.5f, 0}, 34, 30, 22);
    return scene;
}

/// 49 balls with restitution 1 fall on the ground.
Result<SceneData> bouncing(const SceneOptions&) {
    constexpr int side = 7, balls = side * side;
    constexpr double mass = 10.0, radius = 0.1, height = 5.0;
    SceneData scene;
    scene.dt = 0.01f;
    scene.gravity = {0.0f, -static_cast<float>(gravity), 0.0f};
    scene.bodies.push_back(floor_slab());
    for (int i = 0; i < balls; ++i) {
        BodyDef ball;
        ball.shape = sphere(static_cast<float>(radius));
        ball.density = ball_density(mass, radius);
        ball.position = {2.0f * static_cast<float>(i / side) - 6.0f, static_cast<float>(height),
                         2.0f * static_cast<float>(i % side) - 6.0f};
        ball.material = {0.0f, 1.0f};
        scene.bodies.push_back(ball);
    }
    const double start = balls * mass * gravity * height;
    const auto error = [=](const SceneBodies& bodies) { return energy(bodies, 1, balls) - start; };
    scene.figures.push_back({"mean squared energy error", "J^2", Over::mean,
                             [=](const SceneBodies& bodies, double) { return error(bodies) * error(bodies); }});
    scene.figures.push_back({"energy error in the end", "of it", Over::last,
                             [=](const SceneBodies& bodies, double) { return error(bodies) / start; }});
    scene.camera = orbit({0, 1.8f, 0}, 17, 25, 14);
    return scene;
}

/// 216 frictionless balls in a cube, dropped from a little above the ground, or from a metre and all elastic.
Result<SceneData> balls_666(const SceneOptions& options, double drop, float restitution) {
    constexpr int n = 6;
    constexpr double radius = 0.1, mass = 10.0, gap = 0.21, offset = 0.001;
    Random random(options.seed);
    SceneData scene;
    scene.dt = 0.001f;
    scene.gravity = {0.0f, -static_cast<float>(gravity), 0.0f};
    scene.bodies.push_back(floor_slab());
    scene.bodies[0].material = {0.0f, restitution};
    double start = 0.0;
    for (int i = 0; i < n * n * n; ++i) {
        const auto place = [&](int k) { return gap * k + offset * static_cast<double>(random.unit()); };
        BodyDef ball;
        ball.shape = sphere(static_cast<float>(radius));
        ball.density = ball_density(mass, radius);
        ball.position.x = place(i / (n * n)) - 0.6;
        ball.position.z = place(i / n % n) - 0.6;
        ball.position.y = place(i % n) + drop;
        ball.material = {0.0f, restitution};
        start += mass * gravity * ball.position.y;
        scene.bodies.push_back(ball);
    }
    if (restitution > 0.0f) {
        scene.figures.push_back(
            {"mean squared energy error", "J^2", Over::mean, [=](const SceneBodies& bodies, double) {
                 const double error = energy(bodies, 1, n * n * n) - start;
                 return error * error;
             }});
        scene.figures.push_back(
            {"energy error in the end", "of it", Over::last,
             [=](const SceneBodies& bodies, double) { return energy(bodies, 1, n * n * n) / start - 1.0; }});
    } else {
        scene.figures.push_back(
            {"mean sum of squared overlaps", "m^2", Over::mean, [=](const SceneBodies& bodies, double) {
                 dvec3 centers[n * n * n];
                 for (int i = 0; i < n * n * n; ++i)
                     centers[i] = bodies.transform(1 + static_cast<std::size_t>(i)).position;
                 double sum = 0.0;
                 for (int i = 0; i < n * n * n; ++i) {
                     const double under = std::max(0.0, radius - centers[i].y);
                     sum += under * under;
                     for (int j = i + 1; j < n * n * n; ++j) {
                         const double d2 = squared(centers[i] - centers[j]);
                         if (d2 >= 4.0 * radius * radius) continue;
                         const double overlap = 2.0 * radius - std::sqrt(d2);
                         sum += overlap * overlap;
                     }
                 }
                 return sum;
             }});
    }
    scene.camera = orbit({0, 0.6f, 0}, restitution > 0.0f ? 9.0f : 5.0f, 30, 16);
    return scene;
}

constexpr Scene scenes[] = {
    {"sb_rolling", "SimBenchmark's rolling: a plate with 25 balls on it is pushed askew.", 4000,
     [](const SceneOptions&) {
         return rolling({0.5f, 0.0f, 0.8660254f});
     }},
    {"sb_rolling_y", "The same, pushed along an axis.", 4000,
     [](const SceneOptions&) {
         return rolling({0, 0, 1});
     }},
    {"sb_bouncing", "SimBenchmark's bouncing: 49 balls with restitution 1.", 2000, bouncing},
    {"sb_666", "SimBenchmark's 666: 216 frictionless balls fall and spread.", 10000,
     [](const SceneOptions& options) { return balls_666(options, 0.101, 0.0f); }},
    {"sb_elastic", "SimBenchmark's elastic 666: the same with restitution 1, from a metre.", 10000,
     [](const SceneOptions& options) { return balls_666(options, 1.101, 1.0f); }},
};

}  // namespace

std::span<const Scene> benchmark_scenes() { return scenes; }

}  // namespace talus::samples
