#include "samples/render/renderer.h"

#include "samples/render/openness.h"
#include "samples/render/shading.h"
#include "samples/render/shadow_map.h"

namespace talus::samples {

namespace {

constexpr float ground_size =
    20.0f;  // fixed bodies with a larger radius, but meshes, are ground: it casts no shadow, m

bool is_ground(const Renderer::Thing& thing) { return thing.fixed && !thing.mesh && thing.model.radius > ground_size; }

Surfaces find_surfaces(const View& view, std::span<const Renderer::Thing> things,
                       std::span<const MatrixTransform> frames) {
    Surfaces surfaces(static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height));
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (things[i].glass) continue;
        draw_model(view, things[i].model, frames[i],
                   [&](int x, int y, float nearness, const vec3& normal, float line, bool second_tone) {
                       Surface& s = surfaces[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) +
                                             static_cast<std::size_t>(x)];
                       if (nearness <= s.nearness) return;
                       s = {nearness, static_cast<std::uint32_t>(i), normal, line, second_tone};
                   });
    }
    return surfaces;
}

ShadowMap cast_shadows(const Light& light, std::span<const Renderer::Thing> things,
                       std::span<const MatrixTransform> frames) {
    const auto casts = [&](std::size_t i) { return !things[i].glass && !is_ground(things[i]); };
    bool any = false;
    Aabb box;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (!casts(i)) continue;
        const Aabb around = expand(Aabb{frames[i].position, frames[i].position}, things[i].model.radius);
        box = any ? merge(box, around) : around;
        any = true;
    }
    ShadowMap shadows(light.to_sun, center(box), any ? glm::length(half_extents(box)) : 1.0f);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (casts(i)) shadows.add(things[i].model, frames[i]);
    }
    return shadows;
}

/// How far around a surface others dim it: about the size of a middling moving body.
float occlusion_radius(std::span<const Renderer::Thing> things) {
    std::vector<float> radii;
    for (const Renderer::Thing& thing : things) {
        if (!thing.fixed) radii.push_back(thing.model.radius);
    }
    if (radii.empty()) return 0.5f;
    std::nth_element(radii.begin(), radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2), radii.end());
    return radii[radii.size() / 2];
}

/// Outlines and a faint tint over what was drawn, where nothing hides it.
void add_glass(const View& view, const Renderer::Thing& thing, const MatrixTransform& frame, const Surfaces& surfaces,
               std::vector<vec3>& colors) {
    static const vec3 outline = linear_color(0x7d8d99);
    draw_model(view, thing.model, frame, [&](int x, int y, float nearness, const vec3&, float line, bool) {
        const std::size_t k =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x);
        if (nearness <= surfaces[k].nearness) return;
        colors[k] = glm::mix(glm::mix(colors[k], vec3(1.0f), 0.03f), outline, 0.4f * line);
    });
}

}  // namespace

std::vector<WorldTransform> initial_poses(const SceneData& scene) {
    std::vector<WorldTransform> poses;
    for (const BodyDef& body : scene.bodies) poses.push_back({body.position, normalized(body.rotation)});
    return poses;
}

std::vector<WorldTransform> current_poses(const World& world, std::span<const BodyId> ids) {
    std::vector<WorldTransform> poses;
    for (const BodyId id : ids) poses.push_back(world.transform(id));
    return poses;
}

Renderer::Renderer(const SceneData& scene) : camera_(scene.camera) {
    std::size_t number = 0;
    for (const BodyDef& body : scene.bodies) {
        Thing thing;
        if (body.shapes.empty()) thing.model.mesh = body.mesh ? triangulate(*body.mesh) : triangulate(body.shape);
        for (const ShapeDef& part : body.shapes) append(thing.model.mesh, triangulate(part), part.pose);
        for (const vec3& p : thing.model.mesh.positions) {
            thing.model.radius = std::max(thing.model.radius, glm::length(p));
        }
        thing.fixed = body.type == BodyType::fixed;
        thing.mesh = body.mesh != nullptr;
        switch (body.type) {
            case BodyType::fixed:
                thing.color = linear_color(thing.mesh ? 0xaeb69c : 0xc9c8c4);
                break;
            case BodyType::kinematic:
                thing.color = linear_color(0xa08f7a);
                break;
            case BodyType::dynamic:
                thing.color = body_color(number++);
                break;
        }
        things_.push_back(std::move(thing));
    }
    for (const std::uint32_t i : scene.glass) {
        if (i < things_.size()) things_[i].glass = true;
    }
}

Image Renderer::draw(std::span<const WorldTransform> poses, const PictureOptions& options) const {
    Image image;
    image.width = std::clamp(options.width, 1, 8192);
    image.height = std::clamp(options.height, 1, 8192);
    const View view(camera_, image.width * per_pixel, image.height * per_pixel);
    std::vector<MatrixTransform> frames;
    for (std::size_t i = 0; i < std::min(poses.size(), things_.size()); ++i)
        frames.push_back(to_matrix_transform(relative_to(view.origin, poses[i])));

    // The sun stands behind the viewer's left shoulder.
    const vec3 ahead = glm::normalize(glm::cross(vec3(0, 1, 0), view.right));
    const Light light{glm::normalize(vec3(0.0f, 1.25f, 0.0f) - 0.75f * view.right - 0.45f * ahead)};

    const Surfaces surfaces = find_surfaces(view, things_, frames);
    const ShadowMap shadows = cast_shadows(light, things_, frames);
    const Openness openness(view, surfaces, occlusion_radius(things_));
    const float distance = glm::length(view.target - view.eye);

    std::vector<vec3> colors(surfaces.size());
    for (int y = 0; y < view.height; ++y) {
        for (int x = 0; x < view.width; ++x) {
            const std::size_t k =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x);
            const Surface& s = surfaces[k];
            const vec3 ray = view.ray(x, y);
            const vec3 direction = glm::normalize(ray);
            const vec3 behind = sky(direction);
            colors[k] = behind;
            if (s.thing == nothing) continue;
            const Thing& thing = things_[s.thing];
            const vec3 point = view.eye + ray / s.nearness;
            const vec3 normal = glm::normalize(s.normal);
            vec3 albedo = thing.color;
            if (s.second_tone) albedo *= 0.72f;
            if (thing.fixed && normal.y > 0.999f) {
                const float footprint = 1.0f / (s.nearness * view.focal * std::max(0.05f, -direction.y));
                albedo *= checker(point.x, point.z, footprint);
            }
            albedo *= 1.0f - 0.45f * s.line;
            const vec3 color = shade(light, albedo, normal, -direction, shadows.light(point, normal),
                                     openness.at(x / per_pixel, y / per_pixel));
            float haze = 0.0f;
            if (is_ground(thing)) {
                // The floor melts into the horizon, long before its edge.
                const vec3 away = point - view.target;
                const float far = std::min(2.0f * distance, 0.65f * thing.model.radius);
                const float f = std::clamp((glm::length(vec3(away.x, 0.0f, away.z)) / far - 0.35f) / 0.65f, 0.0f, 1.0f);
                haze = f * f * (3.0f - 2.0f * f);
            }
            colors[k] = glm::mix(color, behind, haze);
        }
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (things_[i].glass) add_glass(view, things_[i], frames[i], surfaces, colors);
    }

    image.rgb.resize(3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    std::size_t out = 0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            vec3 sum(0.0f);
            for (int j = 0; j < per_pixel; ++j) {
                for (int i = 0; i < per_pixel; ++i) {
                    sum += colors[static_cast<std::size_t>(y * per_pixel + j) * static_cast<std::size_t>(view.width) +
                                  static_cast<std::size_t>(x * per_pixel + i)];
                }
            }
            const vec3 shown = to_display(sum / static_cast<float>(per_pixel * per_pixel));
            // Half a step of ordered noise keeps the sky free of bands.
            const float noise = static_cast<float>((x * 5 + y * 3 + (x ^ y) * 2) & 7) / 8.0f;
            for (int c = 0; c < 3; ++c) {
                image.rgb[out++] = static_cast<std::uint8_t>(std::clamp(255.0f * shown[c] + noise, 0.0f, 255.0f));
            }
        }
    }
    return image;
}

}  // namespace talus::samples
