#include <talus/engine/pair_info.h>
#include "engine/debug_draw/outlines.h"
#include "engine/debug_draw/parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::debug_draw {

namespace {

Color color_of_type(BodyType type) {
    return type == BodyType::fixed ? colors::fixed : type == BodyType::kinematic ? colors::kinematic : colors::dynamic;
}

Color outline_color(OutlineColor by, const Body& body, bool awake, std::uint32_t island) {
    if (!body.is_dynamic() || by == OutlineColor::type) return color_of_type(body.type);
    if (!awake) return colors::asleep;
    if (by == OutlineColor::sleep) return colors::awake;
    return island == no_island ? colors::alone : color_of_number(island);
}

/// Returns the region as seen from a point, cut to what floats can tell.
Aabb region_near(const dvec3& origin, const WorldAabb& region) {
    constexpr double farthest = 1e9;  // m
    return {vec3(glm::clamp(region.lower - origin, -farthest, farthest)),
            vec3(glm::clamp(region.upper - origin, -farthest, farthest))};
}

/// The pen's origin is the body's centre of mass.
void draw_inertia(const Pen& pen, const Body& body) {
    const PrincipalAxes principal = principal_axes(body.inertia.full());
    constexpr Color of_axis[] = {colors::axis_x, colors::axis_y, colors::axis_z};
    for (int i = 0; i < 3; ++i) {
        const double moment = std::max(0.0, principal.moments[static_cast<std::size_t>(i)]);
        const auto length = static_cast<float>(std::sqrt(moment / double{body.mass}));
        pen.line(vec3(0.0f), length * rotate(body.rotation, principal.axes[i]), of_axis[i]);
    }
}

}  // namespace

void BodyPart::draw(DebugDraw& out, const DebugDrawOptions& options, std::uint32_t slot, std::uint32_t island) const {
    const Body& body = bodies[slot];
    const std::uint32_t first = body.first_shape, last = first + body.shape_count;
    const Pen pen(out, body.center);
    const auto box_of = [&](std::uint32_t shape) {
        return translated(shapes.boxes[shape], colliders.poses[shape].position);
    };
    WorldAabb tight = box_of(first);
    for (std::uint32_t i = first + 1; i < last; ++i) tight = merge(tight, box_of(i));
    if (options.fat_boxes) {
        const WorldAabb& fat = broadphase.fat_box(body.proxy);
        if (overlaps(fat, options.region))
            pen.box(relative_to(pen.origin(), fat), awake.contains(slot) ? colors::fat_box : colors::still_fat_box);
    }
    if (!overlaps(tight, options.region)) return;

    if (options.outlines) {
        const Color color = outline_color(options.outline_color, body, awake.contains(slot), island);
        for (std::uint32_t i = first; i < last; ++i) {
            if (!overlaps(box_of(i), options.region)) continue;
            const Color own = shapes.defs[i].sensor ? colors::sensor : color;
            const Transform pose = relative_to(pen.origin(), colliders.poses[i]);
            if (shapes.defs[i].mesh) {
                outline(pen, *shapes.defs[i].mesh, pose, region_near(pen.origin(), options.region), own);
            } else {
                outline(pen, colliders.shapes[i], pose, own);
            }
        }
    }
    if (options.boxes) pen.box(relative_to(pen.origin(), tight), colors::box);
    if (options.centers_of_mass && body.is_dynamic()) pen.point(vec3(0.0f), 6.0f, colors::center);
    if (options.inertia_axes && body.is_dynamic()) draw_inertia(pen, body);
    if (options.velocities && body.type != BodyType::fixed) {
        const vec3 &v = body.linear_velocity, &spin = body.angular_velocity;
        if (v != vec3(0.0f)) pen.arrow(vec3(0.0f), options.velocity_scale * v, colors::velocity);
        if (spin != vec3(0.0f)) pen.arrow(vec3(0.0f), options.velocity_scale * spin, colors::spin);
    }
}

/// Uses Jacobi rotations: each makes one element off the diagonal zero.
PrincipalAxes principal_axes(const mat3& inertia) {
    glm::dmat3 m(inertia), axes(1.0);
    constexpr int most_sweeps = 16;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const double beside = std::abs(m[0][1]) + std::abs(m[0][2]) + std::abs(m[1][2]);
        if (beside <= 1e-15 * (std::abs(m[0][0]) + std::abs(m[1][1]) + std::abs(m[2][2]))) break;
        for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
            if (m[p][q] == 0.0) continue;
            const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
            const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
            glm::dmat3 rotation(1.0);
            rotation[p][p] = rotation[q][q] = c;
            rotation[q][p] = s;
            rotation[p][q] = -s;
            m = glm::transpose(rotation) * m * rotation;
            axes = axes * rotation;
        }
    }
    int order[] = {0, 1, 2};
    std::stable_sort(order, order + 3, [&](int i, int j) { return m[i][i] < m[j][j]; });
    PrincipalAxes principal;
    for (int i = 0; i < 3; ++i) {
        principal.moments[static_cast<std::size_t>(i)] = m[order[i]][order[i]];
        principal.axes[i] = vec3(axes[order[i]]);
    }
    if (glm::determinant(principal.axes) < 0.0f) principal.axes[2] = -principal.axes[2];
    return principal;
}

}  // namespace talus::debug_draw
