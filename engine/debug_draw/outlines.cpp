#include "engine/debug_draw/outlines.h"

#include <talus/narrowphase/mapping_solid.h>

#include <cmath>

namespace talus::debug_draw {

namespace {

constexpr vec3 x_axis{1.0f, 0.0f, 0.0f}, y_axis{0.0f, 1.0f, 0.0f}, z_axis{0.0f, 0.0f, 1.0f};

vec3 unit(const vec3& v) { return v / std::sqrt(length_squared(v)); }

/// Draws lines and circles that are given in a shape's frame.
struct Outline {
    const Pen& pen;
    Transform pose;
    Color color;

    vec3 place(const vec3& p) const { return transform_point(pose, p); }
    vec3 turn(const vec3& v) const { return rotate(pose.rotation, v); }
    void line(const vec3& a, const vec3& b) const { pen.line(place(a), place(b), color); }
    void arc(const vec3& center, const vec3& u, const vec3& v, float radius, double to) const {
        pen.arc(place(center), turn(u), turn(v), radius, 0.0, to, color);
    }
    void circle(const vec3& center, const vec3& u, const vec3& v, float radius) const {
        arc(center, u, v, radius, 2.0 * pi);
    }

    void sphere(float radius) const {
        circle(vec3(0.0f), x_axis, y_axis, radius);
        circle(vec3(0.0f), y_axis, z_axis, radius);
        circle(vec3(0.0f), z_axis, x_axis, radius);
    }

    void capsule(const vec3& a, const vec3& b, float radius) const {
        const vec3 along = unit(b - a), u = any_perpendicular(along), v = glm::cross(along, u);
        for (const vec3& end : {a, b}) circle(end, u, v, radius);
        for (const vec3& side : {u, -u, v, -v}) line(a + radius * side, b + radius * side);
        for (const vec3& side : {u, v}) {  // a half circle over each end
            arc(a, side, -along, radius, pi);
            arc(b, side, along, radius, pi);
        }
    }

    /// Circles at both ends, and lines between them. If upper_radius is 0, the upper end is a point.
    void frustum(float half_height, float lower_radius, float upper_radius) const {
        const vec3 lower = -half_height * y_axis, upper = half_height * y_axis;
        circle(lower, x_axis, z_axis, lower_radius);
        if (upper_radius > 0.0f) circle(upper, x_axis, z_axis, upper_radius);
        constexpr int lines = 8;
        for (int i = 0; i < lines; ++i) {
            const double angle = 2.0 * pi * i / lines;
            const vec3 side(static_cast<float>(std::cos(angle)), 0.0f, static_cast<float>(std::sin(angle)));
            line(lower + lower_radius * side, upper + upper_radius * side);
        }
    }

    void hull(const Hull& hull) const {
        for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
            for (std::uint32_t i = hull.vertex_first[v]; i < hull.vertex_first[v + 1]; ++i) {
                const std::uint32_t other = hull.vertex_neighbours[i];
                if (v < other) line(hull.vertices[v], hull.vertices[other]);
            }
        }
    }

    /// The edges of a rounded polytope, moved out along the normals of both their faces.
    void rounded_edge(const vec3& a, const vec3& b, const vec3& normal, const vec3& other, float radius) const {
        line(a + radius * normal, b + radius * normal);
        line(a + radius * other, b + radius * other);
        const vec3 across = other - glm::dot(other, normal) * normal;
        const float length = std::sqrt(length_squared(across));
        if (!(length > 0.0f)) return;
        const double turn = std::atan2(length, glm::dot(other, normal));
        for (const vec3& end : {a, b}) arc(end, normal, across / length, radius, turn);
    }

    void rounded_box(const vec3& half, float radius) const {
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            for (const float sj : {-1.0f, 1.0f}) {
                for (const float sk : {-1.0f, 1.0f}) {
                    vec3 a(0.0f), nj(0.0f), nk(0.0f);
                    a[j] = sj * half[j], a[k] = sk * half[k], nj[j] = sj, nk[k] = sk;
                    vec3 b = a;
                    a[i] = -half[i], b[i] = half[i];
                    rounded_edge(a, b, nj, nk, radius);
                }
            }
        }
    }

    void rounded_hull(const Hull& hull, float radius) const {
        for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
            const HullFace& face = hull.faces[f];
            for (std::uint32_t i = 0; i < face.count; ++i) {
                const std::uint32_t other = hull.face_neighbours[face.first + i];
                if (other < f) continue;  // each edge once
                rounded_edge(hull.vertices[hull.face_vertices[face.first + i]],
                             hull.vertices[hull.face_vertices[face.first + (i + 1) % face.count]], face.normal,
                             hull.faces[other].normal, radius);
            }
        }
    }

    /// Three closed curves through the support points along three great circles of directions. The directions are
    /// divided by the sides of the box, so that they are spread evenly over a long or flat solid.
    void mapping(const MappingSolid& solid) const {
        constexpr int steps = 48;
        const vec3 half = half_extents(solid.bounds);
        for (int axis = 0; axis < 3; ++axis) {
            vec3 last(0.0f);
            for (int i = 0; i <= steps; ++i) {
                const double angle = 2.0 * pi * i / steps;
                glm::dvec3 d(0.0);
                d[(axis + 1) % 3] = std::cos(angle) / double(half[(axis + 1) % 3]);
                d[(axis + 2) % 3] = std::sin(angle) / double(half[(axis + 2) % 3]);
                d /= std::sqrt(glm::dot(d, d));
                const vec3 p(solid.mapping->support(d) + double(solid.radius) * d);
                if (i > 0 && p != last) line(last, p);
                last = p;
            }
        }
    }

    /// The triangle's two faces, and the rounding along its edges and at its corners.
    void triangle(const vec3 (&p)[3], float radius) const {
        const vec3 normal = unit(glm::cross(p[1] - p[0], p[2] - p[0]));
        vec3 outward[3];  // of the edge from corner i
        for (int i = 0; i < 3; ++i) outward[i] = unit(glm::cross(p[(i + 1) % 3] - p[i], normal));
        for (int i = 0; i < 3; ++i) {
            const vec3 &from = p[i], &to = p[(i + 1) % 3];
            line(from + radius * normal, to + radius * normal);
            if (radius == 0.0f) continue;
            line(from - radius * normal, to - radius * normal);
            line(from + radius * outward[i], to + radius * outward[i]);
            const vec3 &u = outward[(i + 2) % 3], &next = outward[i], v = glm::cross(normal, u);
            arc(from, u, v, radius, std::atan2(glm::dot(next, v), glm::dot(next, u)));
            for (const vec3& side : {u, next})
                pen.arc(place(from), turn(side), turn(normal), radius, -0.5 * pi, 0.5 * pi, color);
        }
    }
};

}  // namespace

void outline(const Pen& pen, const Shape& shape, const Transform& pose, Color color) {
    const Outline out{pen, pose, color};
    const vec3& half = shape.half_extents;
    switch (shape.type) {
        case ShapeType::sphere:
            out.sphere(shape.radius);
            break;
        case ShapeType::capsule:
            if (half.y > 0.0f) {
                out.capsule({0.0f, -half.y, 0.0f}, {0.0f, half.y, 0.0f}, shape.radius);
            } else {
                out.sphere(shape.radius);
            }
            break;
        case ShapeType::segment:
            if (shape.radius > 0.0f) {
                out.capsule(shape.points[0], shape.points[1], shape.radius);
            } else {
                out.line(shape.points[0], shape.points[1]);
            }
            break;
        case ShapeType::triangle:
            out.triangle(shape.points, shape.radius);
            break;
        case ShapeType::box:
            if (shape.radius > 0.0f) {
                out.rounded_box(half, shape.radius);
            } else {
                pen.box(pose, half, color);
            }
            break;
        case ShapeType::cylinder:
            out.frustum(half.y, half.x, half.x);
            break;
        case ShapeType::cone:
            out.frustum(half.y, half.x, 0.0f);
            break;
        case ShapeType::hull:
            if (shape.radius > 0.0f) {
                out.rounded_hull(*shape.hull, shape.radius);
            } else {
                out.hull(*shape.hull);
            }
            break;
        case ShapeType::mapping:
            out.mapping(*shape.mapping);
            break;
    }
}

void outline(const Pen& pen, const TriangleSet& mesh, const Transform& pose, const Aabb& region, Color color) {
    std::vector<std::uint32_t> triangles;
    mesh.find(transform_box(to_matrix_transform(relative(pose, Transform{})), region), triangles);
    for (const std::uint32_t k : triangles) {
        const SetTriangle t = mesh.triangle(k);
        for (int i = 0; i < 3; ++i) {
            const vec3 from = transform_point(pose, t.points[i]), to = transform_point(pose, t.points[(i + 1) % 3]);
            if (overlaps({glm::min(from, to), glm::max(from, to)}, region)) pen.line(from, to, color);
        }
    }
}

}  // namespace talus::debug_draw
