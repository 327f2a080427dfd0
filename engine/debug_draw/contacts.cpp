#include "engine/debug_draw/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::debug_draw {

namespace {

/// Draws the polygon of the contact's points, in their order around the normal.
void draw_area(const Pen& pen, std::span<const vec3> points, const vec3& normal, const vec3& middle) {
    const std::size_t count = points.size();
    if (count < 2) return;
    struct Corner {
        float angle;
        vec3 at;
    };
    std::array<Corner, 4> corners;
    const vec3 u = any_perpendicular(normal), v = glm::cross(normal, u);
    for (std::size_t i = 0; i < count; ++i) {
        const vec3 arm = points[i] - middle;
        corners[i] = {std::atan2(glm::dot(arm, v), glm::dot(arm, u)), points[i]};
    }
    std::sort(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Corner& a, const Corner& b) { return a.angle < b.angle; });
    for (std::size_t i = 2; i < count; ++i) pen.triangle(corners[0].at, corners[i - 1].at, corners[i].at, colors::area);
    for (std::size_t i = 0; i < (count == 2 ? 1 : count); ++i)
        pen.line(corners[i].at, corners[(i + 1) % count].at, colors::area_edge);
}

void draw_id(const Pen& pen, const vec3& at, std::uint32_t id) {
    char text[16];
    std::snprintf(text, sizeof text, "%04x:%04x", id >> 16, id & 0xffffu);
    pen.text(at, text, colors::text);
}

}  // namespace

void draw_contact(DebugDraw& out, const DebugDrawOptions& options, const Contact& contact) {
    if (contact.point_count == 0) return;
    const Pen pen(out, contact.points[0].position);
    const auto count = static_cast<std::size_t>(contact.point_count);
    std::array<vec3, 4> points;
    Aabb box;  // around the points: the first one is the origin
    vec3 middle(0.0f);
    for (std::size_t i = 0; i < count; ++i) {
        points[i] = vec3(contact.points[i].position - pen.origin());
        box = merge(box, {points[i], points[i]});
        middle += points[i] / static_cast<float>(count);
    }
    if (!overlaps(translated(box, pen.origin()), options.region)) return;

    if (options.manifold_areas) draw_area(pen, std::span(points).first(count), contact.normal, middle);
    for (std::size_t i = 0; i < count; ++i) {
        const ContactPoint& point = contact.points[i];
        const vec3& at = points[i];
        if (options.contact_normals) pen.line(at, at + options.normal_length * contact.normal, colors::normal);
        if (options.contact_impulses && point.normal_impulse != 0.0f)
            pen.line(at, at + options.impulse_scale * point.normal_impulse * contact.normal, colors::normal_impulse);
        if (options.contact_points) pen.point(at, 7.0f, point.is_new ? colors::new_point : colors::old_point);
        if (options.feature_ids) draw_id(pen, at, point.id);
    }
    if (options.contact_impulses && contact.friction_impulse != vec3(0.0f))
        pen.line(middle, middle + options.impulse_scale * contact.friction_impulse, colors::friction_impulse);
}

void draw_columns(DebugDraw& out, const DebugDrawOptions& options, const Broadphase& broadphase) {
    for (const bool settled : {false, true}) {
        for (const CellRun& run : broadphase.cell_runs(settled)) {
            if (!overlaps(run.box, options.region)) continue;
            const Pen pen(out, run.box.lower);
            const Aabb box = relative_to(pen.origin(), run.box);
            const Color color = settled ? colors::settled_cell : colors::restless_cell;
            pen.box(box, faded(color, 96));
            // A line through the middle along the sweep axis.
            const auto s = static_cast<int>(run.sweep_axis);
            vec3 from = center(box), to = from;
            from[s] = box.lower[s];
            to[s] = box.upper[s];
            pen.line(from, to, color);
        }
    }
}

}  // namespace talus::debug_draw
