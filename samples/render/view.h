#pragma once
/// From the world onto the picture: the pinhole camera, the buffer of what each sample sees, and the walk over a mesh's
/// samples.

#include "samples/render/mesh.h"
#include "samples/render/origin.h"
#include "samples/render/raster.h"
#include "samples/scenes/scene.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace talus::samples {

inline constexpr int per_pixel = 2;             ///< samples along each side of a pixel
inline constexpr float line_width = 1.1f;       ///< half the width of an edge's line, pixels, at most ...
inline constexpr float line_of_radius = 0.02f;  ///< ... and of the body's radius
inline constexpr std::uint32_t nothing = 0xffffffffu;

/// A mesh and the radius of a ball around its origin that holds it, m.
struct Model {
    DrawMesh mesh;
    float radius = 0.0f;
};

/// What is seen at one sample.
struct Surface {
    float nearness = 0.0f;  ///< 1 / depth along the view direction, 1/m; 0: sky
    std::uint32_t thing = nothing;
    vec3 normal{0.0f};
    float line = 0.0f;  ///< 0 to 1: on a drawn edge
    bool second_tone = false;
};

/// The pinhole: between the world, and samples of the picture. All points are relative to `origin`.
struct View {
    dvec3 origin;  ///< near the eye, world
    vec3 eye, target;
    vec3 right, up, forward;
    float focal;  ///< samples at depth 1
    int width, height;
    float near_depth;

    View(const Camera& camera, int w, int h)
        : origin(picture_origin(camera.eye)),
          eye(camera.eye - origin),
          target(camera.target - origin),
          width(w),
          height(h) {
        const vec3 look = target - eye;
        const float distance = std::max(1e-3f, std::sqrt(length_squared(look)));
        forward = look / distance;
        right = glm::normalize(glm::cross(forward, std::abs(forward.y) > 0.999f ? vec3(0, 0, 1) : vec3(0, 1, 0)));
        up = glm::cross(right, forward);
        focal = 0.5f * static_cast<float>(h) / std::tan(0.5f * camera.vertical_fov_degrees * 0.017453293f);
        near_depth = 0.01f * distance;
    }
    vec3 to_view(const vec3& p) const {
        const vec3 d = p - eye;
        return {glm::dot(d, right), glm::dot(d, up), glm::dot(d, forward)};
    }
    ScreenPoint project(const vec3& v) const {
        const double scale = static_cast<double>(focal) / v.z;
        return {0.5 * width + scale * v.x, 0.5 * height - scale * v.y};
    }
    /// Through the sample's centre, with depth 1.
    vec3 ray(int x, int y) const {
        const float sx = (static_cast<float>(x) + 0.5f - 0.5f * static_cast<float>(width)) / focal;
        const float sy = (0.5f * static_cast<float>(height) - static_cast<float>(y) - 0.5f) / focal;
        return forward + right * sx + up * sy;
    }
};

struct Corner {
    vec3 view, normal;
};

/// Cuts a triangle at the near plane, then hands each piece to draw(corners, edges).
template <class Draw>
void clip_near(const Corner (&in)[3], int edges, float near_depth, Draw&& draw) {
    if (in[0].view.z >= near_depth && in[1].view.z >= near_depth && in[2].view.z >= near_depth) {
        draw(in, edges);
        return;
    }
    Corner kept[4];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const Corner& a = in[i];
        const Corner& b = in[(i + 1) % 3];
        const bool a_in = a.view.z >= near_depth, b_in = b.view.z >= near_depth;
        if (a_in) kept[count++] = a;
        if (a_in != b_in) {
            const float t = (near_depth - a.view.z) / (b.view.z - a.view.z);
            kept[count++] = {glm::mix(a.view, b.view, t), glm::mix(a.normal, b.normal, t)};
        }
    }
    for (int i = 1; i + 1 < count; ++i) {
        const Corner piece[3] = {kept[0], kept[i], kept[i + 1]};
        draw(piece, 0);  // what is so near shows no lines
    }
}

/// Calls pixel(x, y, nearness, normal, line, second_tone) for each sample of the model that faces the eye.
template <class Pixel>
void draw_model(const View& view, const Model& model, const MatrixTransform& pose, Pixel&& pixel) {
    for (const DrawTriangle& t : model.mesh.triangles) {
        Corner corners[3];
        for (int i = 0; i < 3; ++i) {
            corners[i].view = view.to_view(transform_point(pose, model.mesh.positions[t.v[i]]));
            corners[i].normal = pose.rotation * model.mesh.normals[t.v[i]];
        }
        clip_near(corners, t.edges, view.near_depth, [&](const Corner(&c)[3], int edges) {
            const ScreenPoint p[3] = {view.project(c[0].view), view.project(c[1].view), view.project(c[2].view)};
            const double area = doubled_area(p[0], p[1], p[2]);
            if (area >= 0) return;  // outsides turn counter-clockwise on a y-up screen: this is an inside
            const double nearness[3] = {1.0 / c[0].view.z, 1.0 / c[1].view.z, 1.0 / c[2].view.z};
            double altitude[3];
            for (int i = 0; i < 3; ++i) {
                const ScreenPoint& j = p[(i + 1) % 3];
                const ScreenPoint& k = p[(i + 2) % 3];
                altitude[i] = -area / std::max(1e-9, std::hypot(k.x - j.x, k.y - j.y));
            }
            const float wanted = line_of_radius * model.radius * view.focal * static_cast<float>(nearness[0]);
            const float half_width = std::min(wanted, line_width * per_pixel);
            fill_triangle(p, view.width, view.height, [&](int x, int y, const double(&w)[3]) {
                const double n = w[0] * nearness[0] + w[1] * nearness[1] + w[2] * nearness[2];
                float line = 0.0f;
                for (int i = 0; i < 3; ++i) {
                    if (!(edges & (1 << i))) continue;
                    const auto distance = static_cast<float>(w[i] * altitude[i]);
                    line = std::max(line,
                                    std::clamp(half_width + 0.5f - distance, 0.0f, std::min(1.0f, 2.0f * half_width)));
                }
                const vec3 normal = static_cast<float>(w[0]) * c[0].normal + static_cast<float>(w[1]) * c[1].normal +
                                    static_cast<float>(w[2]) * c[2].normal;
                pixel(x, y, static_cast<float>(n), normal, line, t.tone != 0);
            });
        });
    }
}

using Surfaces = std::vector<Surface>;  // row by row, view.width a row

}  // namespace talus::samples
