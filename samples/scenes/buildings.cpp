/// What stands by its shape and its friction alone.

#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

namespace talus::samples {

namespace {

/// Half of the catenary y = sqrt(a^2 + s^2), x = a asinh(s / a), by its arc length s, without libm.
struct Catenary {
    double a;

    double y(double s) const { return std::sqrt(a * a + s * s); }
    /// The integral of a / sqrt(a^2 + s^2), by Simpson's rule.
    double x(double s) const {
        constexpr int n = 64;
        double sum = 1.0 + a / y(s);
        for (int i = 1; i < n; ++i) sum += (i % 2 ? 4.0 : 2.0) * a / y(s * i / n);
        return sum * s / (3.0 * n);
    }
};

/// An arch of wedges without glue. Upside down, the line of a hanging chain is the one along which each wedge pushes
/// the next straight into its joint; its feet are cut level, and stand steep enough for friction to hold them.
Result<SceneData> arch(const SceneOptions& options) {
    constexpr int wedges = 17;
    constexpr double half_length = 6.0, half_thickness = 0.35, half_depth = 0.6;
    const Catenary curve{2.0};
    const double base = curve.y(half_length);
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());

    // The corners of each joint, inner and outer.
    glm::dvec2 inner[wedges + 1], outer[wedges + 1];
    for (int i = 0; i <= wedges; ++i) {
        const double s = half_length * (2.0 * i / wedges - 1.0);
        const glm::dvec2 middle(curve.x(s), base - curve.y(s));
        const glm::dvec2 along = glm::dvec2(curve.a, -s) / curve.y(s);
        const glm::dvec2 out(-along.y, along.x);
        inner[i] = middle - half_thickness * out;
        outer[i] = middle + half_thickness * out;
        if (i == 0 || i == wedges) {
            inner[i] -= along * (inner[i].y / along.y);
            outer[i] -= along * (outer[i].y / along.y);
        }
    }
    for (int i = 0; i < wedges; ++i) {
        const glm::dvec2 corners[] = {inner[i], outer[i], inner[i + 1], outer[i + 1]};
        const glm::dvec2 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
        std::vector<vec3> points;
        for (const glm::dvec2& corner : corners) {
            for (const double z : {-half_depth, half_depth})
                points.emplace_back(corner.x - middle.x, corner.y - middle.y, z);
        }
        const Result<std::shared_ptr<const Hull>> made = make_hull(points);
        if (!made) return made.error();
        BodyDef wedge;
        wedge.shape = hull(*made);
        wedge.position = {middle.x, middle.y, jitter(random, options.jitter).z};
        scene.bodies.push_back(wedge);
    }
    scene.figures.push_back(displacement("the keystone's displacement", scene, 1 + wedges / 2));
    scene.figures.push_back(largest_displacement(scene));
    scene.camera = orbit({0, 2.1f, 0}, 12, 24, 10);
    return scene;
}

/// Pairs of cards that lean on each other, storey upon storey, with a level card from tip to tip.
Result<SceneData> card_house(const SceneOptions& options) {
    constexpr int storeys = 5;
    constexpr float half_length = 0.44f, half_depth = 0.32f, half_thickness = 0.01f, gap = 0.002f;
    constexpr float half_tangent = 0.16f;  // of the lean: 18 degrees from the vertical
    constexpr float scale = 1.0f + half_tangent * half_tangent;
    constexpr float sine = 2.0f * half_tangent / scale, cosine = (1.0f - half_tangent * half_tangent) / scale;
    const float half_width = half_length * sine + half_thickness * cosine;  // of what a leaning card takes up
    const float half_height = half_length * cosine + half_thickness * sine;
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());

    const auto add = [&](const vec3& half, float x, float y, const quat& lean) {
        BodyDef card;
        card.shape = box(half);
        card.position = {x, y, jitter(random, options.jitter).z};
        card.rotation = lean;
        scene.bodies.push_back(card);
    };
    const float norm = 1.0f / std::sqrt(scale);
    float y = 0.0f;
    for (int storey = 0; storey < storeys; ++storey) {
        const int pairs = storeys - storey;
        const float left = -2.0f * half_width * static_cast<float>(pairs - 1);
        const auto tip = [&](int i) { return left + 4.0f * half_width * static_cast<float>(i); };
        for (int i = 0; i < pairs; ++i) {
            for (const float side : {-1.0f, 1.0f}) {
                add({half_thickness, half_length, half_depth}, tip(i) + side * half_width, y + half_height,
                    quat(norm, 0.0f, 0.0f, side * half_tangent * norm));
            }
        }
        y += 2.0f * half_height;
        for (int i = 0; i + 1 < pairs; ++i) {
            add({2.0f * half_width - 0.5f * gap, half_thickness, half_depth}, 0.5f * (tip(i) + tip(i + 1)),
                y + half_thickness, quat(1.0f, 0.0f, 0.0f, 0.0f));
        }
        y += 2.0f * half_thickness;
    }
    scene.figures.push_back(largest_displacement(scene));
    scene.camera = orbit({0, 0.5f * y, 0}, 1.9f * y, 22, 10);
    return scene;
}

constexpr Scene scenes[] = {
    {"arch", "A catenary of 17 wedges, without glue.", 1200, arch},
    {"card_house", "A house of 40 cards, five storeys.", 1200, card_house},
};

}  // namespace

std::span<const Scene> building_scenes() { return scenes; }

}  // namespace talus::samples
