#include <talus/narrowphase/supporting_feature.h>

#include <talus/lanes.h>
#include <talus/narrowphase/core_support.h>
#include <talus/narrowphase/tolerances.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

Feature vertex_feature(const vec3& p, std::uint16_t id) {
    Feature f;
    f.points[0] = p;
    f.ids[0] = id;
    return f;
}

/// The edge from its support end p0 to p1, or p0 alone where the edge leaves the contact plane too steeply: with a
/// radius soon, because the straight line between the ends runs below the round surface. The radius is added at the
/// support end along the direction (there the round end touches), at the other end across the edge (there its side is).
Feature edge_feature(const vec3& p0, std::uint16_t id0, const vec3& p1, std::uint16_t id1, float radius,
                     const vec3& d) {
    const vec3 edge = p1 - p0;
    const float length2 = length_squared(edge);
    const float along = glm::dot(edge, d);
    Feature f = vertex_feature(p0 + radius * d, id0);
    const float steepest = radius > 0.0f ? tolerance::steepest_round_edge : tolerance::steepest_edge;
    if (!(along * along <= steepest * steepest * length2) || length2 == 0.0f) return f;
    f.kind = FeatureKind::segment;
    f.ids[1] = id1;
    f.curvature = radius;
    f.points[1] = p1;
    if (radius > 0.0f) {
        const vec3 across = d - (along / length2) * edge;
        f.points[1] += (radius / std::sqrt(length_squared(across))) * across;
    }
    return f;
}

/// Ends in order of height, so that a tie goes to the first.
Feature segment_feature(const vec3& p0, const vec3& p1, float radius, const vec3& d) {
    const bool second = glm::dot(p1, d) > glm::dot(p0, d);
    return second ? edge_feature(p1, 1, p0, 0, radius, d) : edge_feature(p0, 0, p1, 1, radius, d);
}

Feature box_feature(const vec3& half, const vec3& d) {
    const vec3 a = glm::abs(d);
    const int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
    const bool negative = d[axis] < 0.0f;
    Feature f;
    f.kind = FeatureKind::polygon;
    f.face = static_cast<std::uint16_t>(2 * axis + (negative ? 1 : 0));
    f.normal[axis] = negative ? -1.0f : 1.0f;
    f.offset = half[axis];
    f.height = glm::dot(a, half);
    return f;
}

Feature triangle_feature(const Shape& shape, const vec3& d) {
    const vec3* p = shape.points;
    const vec3 normal = glm::cross(p[1] - p[0], p[2] - p[0]);
    const float length2 = length_squared(normal);
    const float along = glm::dot(normal, d);
    const float least = shape.radius > 0.0f ? tolerance::rounded_face : tolerance::steepest_face;
    const float h[3] = {glm::dot(p[0], d), glm::dot(p[1], d), glm::dot(p[2], d)};
    const int top = h[1] > h[0] ? (h[2] > h[1] ? 2 : 1) : (h[2] > h[0] ? 2 : 0);
    if (along * along >= least * least * length2 && length2 > 0.0f) {
        const float scale = 1.0f / std::sqrt(length2);
        Feature f;
        f.kind = FeatureKind::polygon;
        f.face = along < 0.0f;
        f.normal = (along < 0.0f ? -scale : scale) * normal;
        f.offset = glm::dot(f.normal, p[0]) + shape.radius;
        f.height = h[top] + shape.radius;
        return f;
    }
    // Edge-on: the flatter one of the edges at the top.
    const int i = (top + 1) % 3, j = (top + 2) % 3;
    const float drop_i = h[top] - h[i], drop_j = h[top] - h[j];
    const bool take_i =
        drop_i * drop_i * length_squared(p[j] - p[top]) <= drop_j * drop_j * length_squared(p[i] - p[top]);
    const int other = take_i ? i : j;
    return edge_feature(p[top], static_cast<std::uint16_t>(top), p[other], static_cast<std::uint16_t>(other),
                        shape.radius, d);
}

Feature disc_feature(float y, float radius, bool base, const vec3& d, const vec3& lowest) {
    Feature f;
    f.kind = FeatureKind::disc;
    f.face = base;
    f.normal.y = base ? -1.0f : 1.0f;
    f.offset = std::abs(y);
    f.points[0].y = y;
    // Of a cap that lies flat no rim point is the lowest; taking the one that noise picks would move all contact
    // points.
    const bool flat = d.x * d.x + d.z * d.z < tolerance::flat_rim * tolerance::flat_rim;
    f.points[1] = flat ? vec3(1.0f, 0.0f, 0.0f) : lowest;
    f.height = y * d.y + radius * std::sqrt(d.x * d.x + d.z * d.z);
    return f;
}

/// Unit direction of d across the y axis; +x where d has none.
vec3 radial_direction(const vec3& d) {
    const float length2 = d.x * d.x + d.z * d.z;
    if (!(length2 > 0.0f)) return {1.0f, 0.0f, 0.0f};
    const float scale = 1.0f / std::sqrt(length2);
    return {d.x * scale, 0.0f, d.z * scale};
}

Feature cylinder_feature(const vec3& half, const vec3& d) {
    const vec3 radial = radial_direction(d);
    const bool base = d.y < 0.0f;
    if (d.y * d.y >= 0.5f) return disc_feature(base ? -half.y : half.y, half.x, base, d, radial);
    // Nearer to lying on its side: the line on the side whose lower end is the support point.
    const vec3 side = half.x * radial, axis(0.0f, half.y, 0.0f);
    Feature f = base ? edge_feature(side - axis, 1, side + axis, 0, 0.0f, d)
                     : edge_feature(side + axis, 0, side - axis, 1, 0.0f, d);
    f.curvature = half.x;
    return f;
}

Feature cone_feature(const vec3& half, const vec3& d) {
    const vec3 radial = radial_direction(d);
    const float around = glm::dot(d, radial);
    const float slant = std::sqrt(4.0f * half.y * half.y + half.x * half.x);
    const float side = (2.0f * half.y * around + half.x * d.y) / slant;  // cosine between d and the side's normal
    const vec3 apex(0.0f, half.y, 0.0f);
    const vec3 rim = half.x * radial - apex;
    if (-d.y >= side && -d.y >= tolerance::steepest_face) return disc_feature(-half.y, half.x, true, d, radial);
    const bool at_apex = glm::dot(apex, d) > glm::dot(rim, d);
    Feature f = at_apex ? edge_feature(apex, 0, rim, 1, 0.0f, d) : edge_feature(rim, 1, apex, 0, 0.0f, d);
    f.curvature = 0.5f * half.x;  // of the middle of the line
    // Straight up on its tip: no side line is the one that touches.
    if (around < tolerance::flat_rim) f.kind = FeatureKind::point;
    return f;
}

/// Among the faces at the support vertex, the one that looks most along d. A face that merely passes by the vertex may
/// look better along d than the two faces of an edge that lies in the contact plane: then those two alone are asked.
Feature hull_feature(const Hull& hull, const vec3& d, std::uint16_t face_hint) {
    std::uint16_t top;
    if (hull.vertices.size() <= hull_scan_limit) {
        top = scan_hull(hull, d, hull.x.size());
    } else {
        const std::uint16_t start = face_hint < hull.faces.size() ? hull.face_vertices[hull.faces[face_hint].first] : 0;
        top = climb_hull(hull, dvec3(d), start);
    }
    const vec3& p = hull.vertices[top];
    const float height = glm::dot(p, d);
    const std::uint32_t first = hull.vertex_first[top], last = hull.vertex_first[top + 1];

    std::uint16_t face = hull.vertex_faces[first];
    float best = glm::dot(hull.faces[face].normal, d);
    for (std::uint32_t i = first + 1; i < last; ++i) {
        const float cosine = glm::dot(hull.faces[hull.vertex_faces[i]].normal, d);
        if (cosine > best) {
            best = cosine;
            face = hull.vertex_faces[i];
        }
    }
    if (best < tolerance::rounded_face) {
        std::uint16_t flattest = top;
        float least = 2.0f;  // squared sine of the edge's slope
        for (std::uint32_t i = first; i < last; ++i) {
            const vec3 edge = hull.vertices[hull.vertex_neighbours[i]] - p;
            const float along = glm::dot(edge, d);
            const float slope = along * along / length_squared(edge);
            if (slope < least) {
                least = slope;
                flattest = hull.vertex_neighbours[i];
            }
        }
        if (least < tolerance::level_edge * tolerance::level_edge) {
            best = -2.0f;
            for (std::uint32_t i = first; i < last; ++i) {
                const HullFace& f = hull.faces[hull.vertex_faces[i]];
                const std::uint16_t* corners = &hull.face_vertices[f.first];
                const float cosine = glm::dot(f.normal, d);
                if (cosine > best && std::find(corners, corners + f.count, flattest) != corners + f.count) {
                    best = cosine;
                    face = hull.vertex_faces[i];
                }
            }
        }
        if (best < tolerance::steepest_face) return edge_feature(p, top, hull.vertices[flattest], flattest, 0.0f, d);
    }
    Feature f = hull_face(hull, face);
    f.height = height;
    return f;
}

}  // namespace

Feature hull_face(const Hull& hull, std::uint16_t face) {
    Feature f;
    f.kind = FeatureKind::polygon;
    f.face = face;
    f.normal = hull.faces[face].normal;
    f.offset = hull.faces[face].offset;
    return f;
}

Feature supporting_feature(const Shape& shape, const vec3& direction, std::uint16_t face_hint) {
    switch (shape.type) {
        case ShapeType::sphere:
            return vertex_feature(shape.radius * direction, 0);
        case ShapeType::capsule: {
            const vec3 end(0.0f, shape.half_extents.y, 0.0f);
            return segment_feature(end, -end, shape.radius, direction);
        }
        case ShapeType::segment:
            return segment_feature(shape.points[0], shape.points[1], shape.radius, direction);
        case ShapeType::triangle:
            return triangle_feature(shape, direction);
        case ShapeType::box:
            return box_feature(shape.half_extents, direction);
        case ShapeType::cylinder:
            return cylinder_feature(shape.half_extents, direction);
        case ShapeType::cone:
            return cone_feature(shape.half_extents, direction);
        case ShapeType::hull:
            return hull_feature(*shape.hull, direction, face_hint);
    }
    return {};
}

float support_height(const Feature& feature, const vec3& direction) {
    if (feature.has_face()) return feature.height;
    return glm::dot(feature.points[0], direction);
}

namespace {

struct Point2 {
    float x, y;
};

/// A direction of the shape, seen from the contact.
Point2 turn(const View& view, const vec3& d) { return {glm::dot(view.u, d), glm::dot(view.v, d)}; }

Point2 place(const View& view, const vec3& p) {
    return {glm::dot(view.u, p) + view.origin.x, glm::dot(view.v, p) + view.origin.y};
}

void set_plane(const View& view, const Feature& feature, Patch& patch) {
    const vec3 m(glm::dot(view.u, feature.normal), glm::dot(view.v, feature.normal), glm::dot(view.n, feature.normal));
    const float scale = 1.0f / m.z;
    patch.h0 = (feature.offset + glm::dot(m, view.origin)) * scale;
    patch.gx = -m.x * scale;
    patch.gy = -m.y * scale;
}

/// Fills up to the end of the last group of four, and the corner after the last, with corner 0.
void close_loop(Patch& patch) {
    for (int i = patch.count; i <= ((patch.count + 3) & ~3); ++i) {
        patch.x[i] = patch.x[0];
        patch.y[i] = patch.y[0];
    }
}

void set_sharpness(Patch& patch) {
    float least = 1.0f;  // squared sine
    float px = patch.x[0] - patch.x[patch.count - 1], py = patch.y[0] - patch.y[patch.count - 1];
    for (int i = 0; i < patch.count; ++i) {
        const float ex = patch.x[i + 1] - patch.x[i], ey = patch.y[i + 1] - patch.y[i];
        const float along = px * ex + py * ey, lengths2 = (px * px + py * py) * (ex * ex + ey * ey);
        if (along < 0.0f && along * along > 0.25f * lengths2)
            least = std::min(least, std::max(0.0f, 1.0f - along * along / lengths2));
        px = ex, py = ey;
    }
    patch.sharpness = least < 1.0f ? std::sqrt(least) : 1.0f;
}

void project_box(const vec3& half, const Feature& feature, const View& view, Patch& patch) {
    constexpr int next[] = {1, 2, 0, 1};
    const int axis = feature.face >> 1;
    const bool negative = feature.face & 1;
    // Counter-clockwise seen from +axis; the other way round if one of the two, face and view, is turned over.
    const bool reversed = negative != view.mirrored;
    const int i = next[axis + (reversed ? 1 : 0)], j = next[axis + (reversed ? 0 : 1)];
    const float s = negative ? -half[axis] : half[axis];
    const Float4 sign_i = {1.0f, -1.0f, -1.0f, 1.0f}, sign_j = {1.0f, 1.0f, -1.0f, -1.0f};
    const Float4 along_i = half[i] * sign_i, along_j = half[j] * sign_j;
    const Float4 x = (s * view.u[axis] + view.origin.x) + along_i * view.u[i] + along_j * view.u[j];
    const Float4 y = (s * view.v[axis] + view.origin.y) + along_i * view.v[i] + along_j * view.v[j];
    patch.count = 4;
    std::memcpy(patch.x, &x, sizeof x);
    std::memcpy(patch.y, &y, sizeof y);
    patch.x[4] = patch.x[0];
    patch.y[4] = patch.y[0];
    // Numbers as in core_point: a bit is set where the coordinate is negative.
    const unsigned base = negative ? 1u << axis : 0u, bi = 1u << i, bj = 1u << j;
    patch.vertex[0] = static_cast<std::uint16_t>(base);
    patch.vertex[1] = static_cast<std::uint16_t>(base + bi);
    patch.vertex[2] = static_cast<std::uint16_t>(base + bi + bj);
    patch.vertex[3] = static_cast<std::uint16_t>(base + bj);
    patch.sharpness =
        1.0f;  // its face is at most 54.8 degrees off the contact plane, where a right angle may look like 60
}

void project_triangle(const Shape& shape, const Feature& feature, const View& view, Patch& patch) {
    const bool reversed = (feature.face == 1) != view.mirrored;
    patch.count = 3;
    for (int i = 0; i < 3; ++i) {
        const int corner = reversed ? 2 - i : i;
        const Point2 p = place(view, shape.points[corner] + shape.radius * feature.normal);
        patch.x[i] = p.x;
        patch.y[i] = p.y;
        patch.vertex[i] = static_cast<std::uint16_t>(corner);
    }
    close_loop(patch);
    set_sharpness(patch);
}

/// Which corners of a face with more than a patch holds are kept: a corner is dropped while the boundary since the last
/// kept one has neither run on for more than 1/16 of the perimeter nor turned by more than 22.5 degrees, so at most 64
/// stay, and the dropped ones lie within (perimeter / 32) * tan(11.25 degrees) = 0.6% of the perimeter of the polygon
/// that is left.
int thin_out(const Hull& hull, const std::uint16_t* corners, int count, int* kept) {
    constexpr float parts = 16.0f, cosine = 0.92387953f;
    const auto edge = [&](int i) {
        return hull.vertices[corners[(i + 1) % count]] - hull.vertices[corners[i % count]];
    };
    const auto length = [](const vec3& v) { return std::sqrt(length_squared(v)); };
    float perimeter = 0.0f;
    for (int i = 0; i < count; ++i) perimeter += length(edge(i));
    int result = 0, from = 0;
    float run = length(edge(0));
    kept[result++] = 0;
    for (int i = 1; i < count; ++i) {
        const vec3 start = edge(from), next = edge(i);
        const float next_length = length(next);
        const bool turned = glm::dot(start, next) < cosine * length(start) * next_length;
        if (turned || (run + next_length) * parts > perimeter) {
            if (result == max_patch_corners) break;
            kept[result++] = i;
            from = i;
            run = 0.0f;
        }
        run += next_length;
    }
    return result;
}

void project_hull(const Hull& hull, const Feature& feature, const View& view, Patch& patch) {
    const HullFace& face = hull.faces[feature.face];
    const std::uint16_t* corners = &hull.face_vertices[face.first];
    int kept[max_patch_corners];
    patch.count = static_cast<int>(face.count);
    const bool thinned = face.count > max_patch_corners;
    if (thinned) patch.count = thin_out(hull, corners, patch.count, kept);
    for (int i = 0; i < patch.count; ++i) {
        const int at = view.mirrored ? patch.count - 1 - i : i;
        const std::uint16_t vertex = corners[thinned ? kept[at] : at];
        const Point2 p = place(view, hull.vertices[vertex]);
        patch.x[i] = p.x;
        patch.y[i] = p.y;
        patch.vertex[i] = vertex;
    }
    close_loop(patch);
    set_sharpness(patch);
}

/// The rim points' steps from the lowest one: first the four quarters, then what lies between them.
constexpr std::uint8_t rim_order[rim_points] = {0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15};

void project_disc(const Shape& shape, const Feature& feature, const View& view, Patch& patch) {
    constexpr float c1 = 0.92387953f, c2 = 0.70710678f, c3 = 0.38268343f;
    constexpr float cosines[rim_points] = {1, c1, c2, c3, 0, -c3, -c2, -c1, -1, -c1, -c2, -c3, 0, c3, c2, c1};
    const float radius = shape.half_extents.x;
    const Point2 c = place(view, feature.points[0]);
    // Axes of the disc, the first to its lowest point; the second makes the rim run counter-clockwise on the contact
    // plane.
    const vec3 lowest = radius * feature.points[1];
    const vec3 second = glm::cross(view.mirrored ? -feature.normal : feature.normal, lowest);
    const Point2 a = turn(view, lowest), b = turn(view, second);
    patch.cx = c.x;
    patch.cy = c.y;
    patch.radius = radius;
    patch.count = rim_points;
    for (int i = 0; i < rim_points; ++i) {
        const int step = rim_order[i];
        const float cosine = cosines[step], sine = cosines[(step + 12) % rim_points];
        patch.x[i] = c.x + cosine * a.x + sine * b.x;
        patch.y[i] = c.y + cosine * a.y + sine * b.y;
        patch.vertex[i] = static_cast<std::uint16_t>(step);
    }
    close_loop(patch);
}

}  // namespace

void make_segment(const vec3& p0, const vec3& p1, std::uint16_t id0, std::uint16_t id1, float curvature, Patch& patch) {
    patch.kind = FeatureKind::segment;
    patch.count = 2;
    patch.curvature = curvature;
    patch.x[0] = p0.x, patch.y[0] = p0.y;
    patch.x[1] = p1.x, patch.y[1] = p1.y;
    patch.vertex[0] = id0;
    patch.vertex[1] = id1;
    close_loop(patch);
    const float dx = p1.x - p0.x, dy = p1.y - p0.y;
    const float length2 = dx * dx + dy * dy;
    const float rise = length2 > 0.0f ? (p1.z - p0.z) / length2 : 0.0f;
    patch.gx = rise * dx;
    patch.gy = rise * dy;
    patch.h0 = p0.z - patch.gx * p0.x - patch.gy * p0.y;
}

void project(const Shape& shape, const Feature& feature, const View& view, Patch& patch) {
    const auto full = [&](const vec3& p) {
        return vec3(glm::dot(view.u, p), glm::dot(view.v, p), glm::dot(view.n, p)) + view.origin;
    };
    patch.kind = feature.kind;
    patch.curvature = 0.0f;
    switch (feature.kind) {
        case FeatureKind::point: {
            const vec3 p = full(feature.points[0]);
            patch.count = 1;
            patch.x[0] = p.x, patch.y[0] = p.y;
            patch.vertex[0] = feature.ids[0];
            patch.h0 = p.z, patch.gx = 0.0f, patch.gy = 0.0f;
            close_loop(patch);
            break;
        }
        case FeatureKind::segment:
            make_segment(full(feature.points[0]), full(feature.points[1]), feature.ids[0], feature.ids[1],
                         feature.curvature, patch);
            break;
        case FeatureKind::polygon:
            set_plane(view, feature, patch);
            if (shape.type == ShapeType::box) {
                project_box(shape.half_extents, feature, view, patch);
            } else if (shape.type == ShapeType::triangle) {
                project_triangle(shape, feature, view, patch);
            } else {
                project_hull(*shape.hull, feature, view, patch);
            }
            break;
        case FeatureKind::disc:
            set_plane(view, feature, patch);
            project_disc(shape, feature, view, patch);
            break;
    }
}

Patch disc_to_polygon(const Patch& disc) {
    Patch polygon;
    polygon.kind = FeatureKind::polygon;
    polygon.count = rim_points;
    polygon.h0 = disc.h0, polygon.gx = disc.gx, polygon.gy = disc.gy;
    polygon.curvature = 0.0f;
    polygon.sharpness = 1.0f;
    for (int i = 0; i < rim_points; ++i) {
        const int step = rim_order[i];
        polygon.x[step] = disc.x[i];
        polygon.y[step] = disc.y[i];
        polygon.vertex[step] = disc.vertex[i];
    }
    close_loop(polygon);
    return polygon;
}

}  // namespace talus::detail
