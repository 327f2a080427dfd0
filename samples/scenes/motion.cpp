/// A few bodies, one law of motion each.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

namespace talus::samples {

namespace {

Result<SceneData> falling_box(const SceneOptions&) {
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    BodyDef crate;
    crate.shape = box(vec3(0.5f));
    crate.position = {0.0f, 5.0f, 0.0f};
    scene.bodies.push_back(crate);
    scene.camera = orbit({0, 2, 0}, 11, 30, 14);
    return scene;
}

/// Each solid shape, and a body of several, dropped in a row.
Result<SceneData> shapes(const SceneOptions& options) {
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    std::vector<BodyDef> loose(9);
    loose[0].shape = sphere(0.5f);
    loose[1].shape = capsule(0.4f, 0.3f);
    loose[2].shape = box({0.55f, 0.35f, 0.4f});
    loose[3].shape = cylinder(0.35f, 0.5f);
    loose[4].shape = cone(0.5f, 0.5f);
    const Result<Shape> stone = random_hull(random, 24, 0.4f, 0.6f);
    if (!stone) return stone.error();
    loose[5].shape = *stone;
    loose[6].shape = segment({-0.5f, 0.0f, 0.0f}, {0.4f, 0.2f, 0.3f}, 0.15f);
    loose[7].shape = triangle({-0.6f, 0.0f, -0.4f}, {0.6f, 0.0f, -0.4f}, {0.0f, 0.0f, 0.6f}, 0.1f);
    // A dumb-bell.
    loose[8].shapes.resize(3);
    loose[8].shapes[0].shape = cylinder(0.5f, 0.1f);
    loose[8].shapes[0].pose.rotation = turn({0, 0, 1}, 1.5707964f);
    loose[8].shapes[1].shape = sphere(0.32f);
    loose[8].shapes[1].pose.position = {-0.55f, 0.0f, 0.0f};
    loose[8].shapes[2].shape = box(vec3(0.26f));
    loose[8].shapes[2].pose.position = {0.55f, 0.0f, 0.0f};
    for (std::size_t i = 0; i < loose.size(); ++i) {
        loose[i].position = {1.7f * (static_cast<float>(i) - 4.0f), 1.6f, 0.0f};
        loose[i].rotation = turn(random.direction(), 0.5f);
        scene.bodies.push_back(loose[i]);
    }
    scene.camera = orbit({0.2f, 0.4f, 0}, 13.5f, 8, 18);
    return scene;
}

/// Friction 0.5 holds a box up to a slope of 0.5. Three slopes below it, three above.
Result<SceneData> slopes(const SceneOptions&) {
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const float slope[] = {0.40f, 0.45f, 0.49f, 0.51f, 0.55f, 0.60f};
    for (int i = 0; i < 6; ++i) {
        // Half-angle formulas: tan a is given.
        const float cosine = 1.0f / std::sqrt(1.0f + slope[i] * slope[i]);
        const float half_cosine = std::sqrt(0.5f * (1.0f + cosine));
        const float half_sine = std::sqrt(0.5f * (1.0f - cosine));
        const quat tilt(half_cosine, half_sine, 0.0f, 0.0f);  // about x: falls towards +z
        const float x = 2.2f * (static_cast<float>(i) - 2.5f);
        BodyDef ramp = block({x, 2.6f, 0.0f}, {0.9f, 0.1f, 5.0f}, tilt);
        ramp.material.friction = 0.5f;
        scene.bodies.push_back(ramp);
        BodyDef crate;
        crate.shape = box({0.5f, 0.25f, 0.5f});
        crate.position = displaced(ramp.position, rotate(tilt, {0.0f, 0.1f + 0.25f, -3.8f}));
        crate.rotation = tilt;
        crate.material.friction = 0.5f;
        scene.bodies.push_back(crate);
    }
    scene.camera = orbit({0, 2.0f, 0.6f}, 18, 35, 22);
    return scene;
}

/// Eleven balls, restitution 0 to 1 from left to right.
Result<SceneData> bouncing(const SceneOptions&) {
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    for (int i = 0; i <= 10; ++i) {
        BodyDef ball;
        ball.shape = sphere(0.3f);
        ball.position = {static_cast<float>(i - 5), 4.0f, 0.0f};
        ball.material.restitution = 0.1f * static_cast<float>(i);
        scene.bodies.push_back(ball);
    }
    scene.camera = orbit({0, 2.0f, 0}, 14.5f, 14, 9);
    return scene;
}

/// A cone on its tip, with a stem: it stands because it spins. It starts in the slow steady precession of a heavy top
/// with its tip held: I1 cos(tilt) W^2 - I3 w W + m g d = 0 for the rate W (Goldstein 1980, section 5-7; I1 about the
/// tip, w the spin along the axis, d from the tip to the centre of mass).
Result<SceneData> top(const SceneOptions&) {
    constexpr float spin = 60.0f;  // rad/s, above the 22 rad/s that it needs to stand
    constexpr float tilt = 0.3f;   // rad
    SceneData scene;
    scene.bodies.push_back(floor_slab());

    BodyDef def;
    def.shapes.resize(2);
    def.shapes[0].shape = cone(0.25f, 0.5f);  // its apex is the body's origin
    def.shapes[0].pose = {{0.0f, 0.25f, 0.0f}, quat(0.0f, 1.0f, 0.0f, 0.0f)};
    def.shapes[1].shape = cylinder(0.15f, 0.05f);
    def.shapes[1].pose.position = {0.0f, 0.65f, 0.0f};

    float mass = 0.0f, moment = 0.0f, axial = 0.0f, transverse = 0.0f;  // moment = m d; transverse about the tip
    for (const ShapeDef& part : def.shapes) {
        const MassProperties p = mass_properties(part.shape, part.density);
        const float height = transform_point(part.pose, p.center).y;
        mass += p.mass;
        moment += p.mass * height;
        axial += p.inertia[1][1];
        transverse += p.inertia[0][0] + p.mass * height * height;
    }
    def.rotation = turn({0, 0, 1}, -tilt);
    const vec3 axis = rotate(def.rotation, {0, 1, 0});
    const float g = -scene.gravity.y;
    const float a = transverse * axis.y, b = axial * spin;
    const float precession = 2.0f * moment * g / (b + std::sqrt(b * b - 4.0f * a * moment * g));
    def.angular_velocity = (spin - precession * axis.y) * axis + vec3(0.0f, precession, 0.0f);
    def.linear_velocity = glm::cross(def.angular_velocity, axis * (moment / mass));
    scene.bodies.push_back(def);
    scene.camera = orbit({0, 0.4f, 0}, 3.2f, 25, 18);
    return scene;
}

/// A tippe top: a ball of 10 cm whose centre of mass is below its own, spun on its round side. What friction does to
/// its sliding contact turns it over, onto its stem (Cohen 1977). It can do so as its moments lie between (1 - a) and
/// (1 + a) of each other, with a the distance of the two centres over the radius, and as it spins fast enough (Ciocci
/// and Langerock 2007); these are the moments and the distance that are usual there.
Result<SceneData> tippe_top(const SceneOptions&) {
    constexpr float radius = 0.05f, spin = 220.0f;                             // m, rad/s
    constexpr float apart = 0.3f, transverse = 131.0f / 350.0f, axial = 0.4f;  // in radii and m r^2
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    scene.bodies.back().material.friction = 0.3f;

    BodyDef def;
    def.shapes.resize(2);
    def.shapes[0].shape = sphere(radius);
    def.shapes[1].shape = capsule(0.3f * radius, 0.25f * radius);
    def.shapes[1].pose.position.y = 0.75f * radius;
    for (ShapeDef& part : def.shapes) part.material.friction = 0.3f;
    const float mass = 0.3f, unit = mass * radius * radius;
    def.mass_properties = MassProperties{mass, {0.0f, -apart * radius, 0.0f}, mat3(transverse * unit)};
    def.mass_properties->inertia[1][1] = axial * unit;
    def.position = {0.03f, radius, -0.15f};
    def.rotation = turn({0, 0, 1}, -0.1f);
    def.angular_velocity = spin * rotate(def.rotation, {0, 1, 0});
    def.linear_velocity = {0.1f, 0.0f, -0.45f};  // against where it rolls off
    def.allow_sleep = false;
    scene.bodies.push_back(def);
    scene.figures.push_back(
        {"the stem's direction", "1 up, -1 down", Over::last, [](const SceneBodies& bodies, double) {
             return static_cast<double>(rotate(bodies.transform(1).rotation, {0, 1, 0}).y);
         }});
    scene.camera = orbit({0, 0.05f, 0}, 1.05f, 25, 14);
    return scene;
}

/// A T-handle spins about its axis of middle inertia, in free flight: it turns over, again and again (Dzhanibekov).
Result<SceneData> t_handle(const SceneOptions&) {
    SceneData scene;
    scene.gravity = vec3(0.0f);
    BodyDef def;
    def.shapes.resize(2);
    def.shapes[0].shape = cylinder(0.3f, 0.1f);  // the stem, along y
    def.shapes[1].shape = cylinder(0.6f, 0.1f);  // the bar, along x
    def.shapes[1].pose = {{0.0f, 0.36f, 0.0f}, turn({0, 0, 1}, 1.5707964f)};
    def.angular_velocity = {0.02f, 5.0f, 0.0f};
    scene.bodies.push_back(def);
    scene.camera = orbit({0, 0.3f, 0}, 2.7f, 25, 18);
    return scene;
}

/// Solids of revolution roll down a slope of 7 in 25 about their axes, on their equators. Each accelerates by
/// g sin(a) / (1 + I / (m r^2)), with I about the axis: 5/7 g sin(a) for spheroids, whatever their length.
Result<SceneData> roll_slope(const SceneOptions&) {
    constexpr float sine = 0.28f, cosine = 0.96f, thick = 0.2f;
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    const quat tilt(std::sqrt(0.5f * (1.0f + cosine)), std::sqrt(0.5f * (1.0f - cosine)), 0.0f, 0.0f);
    scene.bodies.push_back(block({0.0f, 3.2f, 0.0f}, {5.5f, thick, 10.0f}, tilt));
    const dvec3 middle = scene.bodies.back().position;
    const Result<Shape> round[] = {ellipsoid({0.3f, 0.3f, 0.3f}),
                                   ellipsoid({0.3f, 0.6f, 0.3f}),
                                   ellipsoid({0.4f, 0.5f, 0.4f}),
                                   ellipsoid({0.5f, 0.4f, 0.5f}),
                                   superellipsoid({0.3f, 0.5f, 0.3f}, 2.0f, 3.0f),
                                   superellipsoid({0.4f, 0.45f, 0.4f}, 2.0f, 1.5f)};
    constexpr const char* names[] = {"ball",          "long spheroid", "spheroid",
                                     "flat spheroid", "superegg",      "pointed superegg"};
    for (std::size_t i = 0; i < 6; ++i) {
        if (!round[i]) return round[i].error();
        BodyDef def;
        def.shape = *round[i];
        const float radius = def.shape.mapping->radii.x;
        def.position =
            displaced(middle, rotate(tilt, vec3(1.7f * (static_cast<float>(i) - 2.5f), thick + radius, -8.0f)));
        def.rotation = multiply(tilt, turn({0, 0, 1}, 1.5707964f));  // the axis along x
        def.allow_sleep = false;
        const std::size_t body = scene.bodies.size();
        const MassProperties m = mass_properties(def.shape, def.density);
        const double part = static_cast<double>(m.inertia[1][1]) / static_cast<double>(m.mass * radius * radius);
        const double acceleration = static_cast<double>(-scene.gravity.y * sine) / (1.0 + part);
        scene.bodies.push_back(def);
        scene.figures.push_back({names[i], "of its closed form's speed", Over::last,
                                 [body, acceleration](const SceneBodies& bodies, double time) {
                                     const vec3 v = bodies.linear_velocity(body);
                                     return static_cast<double>(glm::length(v)) / (acceleration * time);
                                 }});
    }
    scene.camera = orbit({0, 2.4f, 0}, 22, 40, 22);
    return scene;
}

constexpr Scene scenes[] = {
    {"falling_box", "One box falls on a floor: the first program.", 120, falling_box},
    {"shapes", "Each shape, and a body of three shapes, dropped in a row.", 300, shapes},
    {"slopes", "Boxes with friction 0.5 on slopes of 0.40 to 0.60: the steeper three slide.", 240, slopes},
    {"bouncing", "Eleven balls with restitution 0 to 1.", 600, bouncing},
    {"top", "A spinning top on its tip, in steady precession.", 600, top},
    {"tippe_top", "A tippe top turns over as it spins, and stands on its stem.", 480, tippe_top},
    {"roll_slope", "Ellipsoids and superellipsoids roll down a slope as fast as they should.", 150, roll_slope},
    {"t_handle", "A T-handle in free flight turns over again and again.", 1200, t_handle},
};

}  // namespace

std::span<const Scene> motion_scenes() { return scenes; }

}  // namespace talus::samples
