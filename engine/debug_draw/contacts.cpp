#include "engine/debug_draw/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::debug_draw {

namespace {

/// Draws the polygon of the contact's points, in their order around the normal.
void draw_area(Pen& pen, const Contact& contact, const vec3& middle) {
    const auto count = static_cast<std::size_t>(contact.point_count);
    if (count < 2) return;
    struct Corner {
        float angle;
        vec3 at;
    };
    std::array<Corner, 4> corners;
    const vec3 u = any_perpendicular(contact.normal), v = glm::cross(contact.normal, u);
    for (std::size_t i = 0; i < count; ++i) {
        const vec3 at = contact.points[i].position, arm = at - middle;
        corners[i] = {std::atan2(glm::dot(arm, v), glm::dot(arm, u)), at};
    }
    std::sort(corners.begin(), corners.begin() + contact.point_count,
              [](const Corner& a, const Corner& b) { return a.angle < b.angle; });
    for (std::size_t i = 2; i < count; ++i) pen.triangle(corners[0].at, corners[i - 1].at, corners[i].at, colors::area);
    for (std::size_t i = 0; i < (count == 2 ? 1 : count); ++i)
        pen.line(corners[i].at, corners[(i + 1) % count].at, colors::area_edge);
}

void draw_id(Pen& pen, const ContactPoint& point) {
    char text[16];
    std::snprintf(text, sizeof text, "%04x:%04x", point.id >> 16, point.id & 0xffffu);
    pen.text(point.position, text, colors::text);
}

}  // namespace

void draw_contact(Pen& pen, const DebugDrawOptions& options, const Contact& contact) {
    if (contact.point_count == 0) return;
    const std::span points(contact.points, static_cast<std::size_t>(contact.point_count));
    Aabb box{points[0].position, points[0].position};
    vec3 middle(0.0f);
    for (const ContactPoint& point : points) {
        box = merge(box, {point.position, point.position});
        middle += (point.position - points[0].position) / static_cast<float>(contact.point_count);
    }
    middle += points[0].position;
    if (!overlaps(box, options.region)) return;

    if (options.manifold_areas) draw_area(pen, contact, middle);
    for (const ContactPoint& point : points) {
        const vec3& at = point.position;
        if (options.contact_normals) pen.line(at, at + options.normal_length * contact.normal, colors::normal);
        if (options.contact_impulses && point.normal_impulse != 0.0f)
            pen.line(at, at + options.impulse_scale * point.normal_impulse * contact.normal, colors::normal_impulse);
        if (options.contact_points) pen.point(at, 7.0f, point.is_new ? colors::new_point : colors::old_point);
        if (options.feature_ids) draw_id(pen, point);
    }
    if (options.contact_impulses && contact.friction_impulse != vec3(0.0f))
        pen.line(middle, middle + options.impulse_scale * contact.friction_impulse, colors::friction_impulse);
}

void draw_columns(Pen& pen, const DebugDrawOptions& options, const Broadphase& broadphase) {
    for (const bool settled : {false, true}) {
        for (const CellRun& run : broadphase.cell_runs(settled)) {
            if (!overlaps(run.box, options.region)) continue;
            const Color color = settled ? colors::settled_cell : colors::restless_cell;
            pen.box(run.box, faded(color, 96));
            // A line through the middle along the sweep axis.
            const auto s = static_cast<int>(run.sweep_axis);
            vec3 from = center(run.box), to = from;
            from[s] = run.box.lower[s];
            to[s] = run.box.upper[s];
            pen.line(from, to, color);
        }
    }
}

}  // namespace talus::debug_draw
