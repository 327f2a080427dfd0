#include "narrowphase/manifold/projected_feature.h"

#include "narrowphase/shapes/hull_data.h"
#include "narrowphase/support/mapping_feature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

void set_plane(const View& view, const SupportingFeature& feature, ProjectedFeature& projected) {
    const Float4 m = view.turn(feature.normal), at = m * view.origin;
    const float scale = 1.0f / m[2];
    projected.h0 = (feature.offset + (at[0] + at[1] + at[2])) * scale;
    projected.gx = -m[0] * scale;
    projected.gy = -m[1] * scale;
}

/// Fills the last group of four, and the place after it, with copies of corner 0.
void close_loop(ProjectedFeature& projected) {
    for (int i = projected.count; i <= ((projected.count + 3) & ~3); ++i) {
        projected.x[i] = projected.x[0];
        projected.y[i] = projected.y[0];
    }
}

/// Replaces a polygon without area by the segment between its farthest corners, or by a point, because the lines of its
/// edges would enclose nothing, or all of the plane.
[[gnu::noinline]] void collapse(ProjectedFeature& projected) {
    const auto farthest_from = [&](int from) {
        int best = from;
        float most = 0.0f;
        for (int i = 0; i < projected.count; ++i) {
            const float dx = projected.x[i] - projected.x[from], dy = projected.y[i] - projected.y[from];
            const float distance2 = dx * dx + dy * dy;
            if (distance2 > most) most = distance2, best = i;
        }
        return best;
    };
    const int i = farthest_from(0), j = farthest_from(i);
    const int ends[2] = {std::min(i, j), std::max(i, j)};
    projected.kind = i == j ? SupportingFeatureKind::point : SupportingFeatureKind::segment;
    projected.count = i == j ? 1 : 2;
    for (int end = 0; end < projected.count;
         ++end) {  // downwards in the arrays: nothing is overwritten before it is read
        projected.x[end] = projected.x[ends[end]];
        projected.y[end] = projected.y[ends[end]];
        projected.vertex[end] = projected.vertex[ends[end]];
    }
    close_loop(projected);
}

/// The edges that enter and leave each of four corners. At corners that repeat corner 0 the leaving edges are 0.
void finish_polygon(ProjectedFeature& projected) {
    Float4 least{1.0f, 1.0f, 1.0f, 1.0f};  // squared sines
    Float4 area{};                         // twice that of the triangles between corner 0 and each edge
    for (int group = 0; group < projected.count; group += 4) {
        const Float4 x = load_lanes(projected.x + group), y = load_lanes(projected.y + group);
        const int before = group == 0 ? projected.count - 1 : group - 1;
        Float4 x0 = __builtin_shufflevector(x, x, 0, 0, 1, 2), y0 = __builtin_shufflevector(y, y, 0, 0, 1, 2);
        x0[0] = projected.x[before], y0[0] = projected.y[before];
        const Float4 px = x - x0, py = y - y0;
        const Float4 ex = load_lanes(projected.x + group + 1) - x, ey = load_lanes(projected.y + group + 1) - y;
        area += (x - projected.x[0]) * ey - (y - projected.y[0]) * ex;
        const Float4 along = px * ex + py * ey, lengths2 = (px * px + py * py) * (ex * ex + ey * ey);
        const Int4 sharp = (along < 0.0f) & (along * along > 0.25f * lengths2);
        if (lane_bits(sharp) == 0) continue;
        const Float4 sine2 = max_lanes(Float4{}, 1.0f - along * along / lengths2);
        least = sharp ? min_lanes(sine2, least) : least;
    }
    if (!((area[0] + area[1]) + (area[2] + area[3]) > 0.0f)) return collapse(projected);
    const float sharpest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    projected.sharpness = sharpest < 1.0f ? std::sqrt(sharpest) : 1.0f;
}

void project_box(const vec3& half, const SupportingFeature& feature, const View& view, ProjectedFeature& projected) {
    constexpr int next[] = {1, 2, 0, 1};
    const int axis = static_cast<int>(feature.face >> 1);
    const bool negative = feature.face & 1;
    // Counter-clockwise seen from +axis; clockwise if either the face or the view is reversed.
    const bool reversed = negative != view.mirrored;
    const int i = next[axis + (reversed ? 1 : 0)], j = next[axis + (reversed ? 0 : 1)];
    const float s = negative ? -half[axis] : half[axis];
    const Float4 sign_i = {1.0f, -1.0f, -1.0f, 1.0f}, sign_j = {1.0f, 1.0f, -1.0f, -1.0f};
    const Float4 along_i = half[i] * sign_i, along_j = half[j] * sign_j;
    const Float4 middle = s * view.axis[axis] + view.origin;
    const Float4 x = middle[0] + along_i * view.axis[i][0] + along_j * view.axis[j][0];
    const Float4 y = middle[1] + along_i * view.axis[i][1] + along_j * view.axis[j][1];
    projected.count = 4;
    std::memcpy(projected.x, &x, sizeof x);
    std::memcpy(projected.y, &y, sizeof y);
    projected.x[4] = projected.x[0];
    projected.y[4] = projected.y[0];
    // Numbers as in core_point: a bit is set if the coordinate is negative.
    const unsigned base = negative ? 1u << axis : 0u, bi = 1u << i, bj = 1u << j;
    projected.vertex[0] = static_cast<std::uint16_t>(base);
    projected.vertex[1] = static_cast<std::uint16_t>(base + bi);
    projected.vertex[2] = static_cast<std::uint16_t>(base + bi + bj);
    projected.vertex[3] = static_cast<std::uint16_t>(base + bj);
    projected.sharpness =
        1.0f;  // its face is at most 54.8 degrees off the contact plane, where a right angle may look like 60
}

void project_triangle(const Shape& shape, const SupportingFeature& feature, const View& view,
                      ProjectedFeature& projected) {
    const bool reversed = (feature.face == 1) != view.mirrored;
    projected.count = 3;
    for (int i = 0; i < 3; ++i) {
        const int corner = reversed ? 2 - i : i;
        const Float4 p = view.place(shape.points[corner] + shape.radius * feature.normal);
        projected.x[i] = p[0];
        projected.y[i] = p[1];
        projected.vertex[i] = static_cast<std::uint16_t>(corner);
    }
    close_loop(projected);
    finish_polygon(projected);
}

/// Chooses the corners that are kept of a face with more corners than a projection can have. A corner is dropped if the
/// boundary since the last kept corner is at most 1/16 of the perimeter long and has turned by at most 22.5 degrees. So
/// at most 64 corners are kept, and the dropped ones lie within (perimeter / 32) * tan(11.25 degrees) = 0.6% of the
/// perimeter of the remaining polygon.
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
            if (result == max_projected_corners) break;
            kept[result++] = i;
            from = i;
            run = 0.0f;
        }
        run += next_length;
    }
    return result;
}

void project_hull(const HullData& hull, const SupportingFeature& feature, const View& view,
                  ProjectedFeature& projected) {
    const HullFace& face = hull.faces[feature.face];
    const std::uint16_t* corners = face.count <= 4 ? face.corners : &hull.face_vertices[face.first];
    int kept[max_projected_corners];
    projected.count = static_cast<int>(face.count);
    const bool thinned = face.count > max_projected_corners;
    if (thinned) projected.count = thin_out(hull, corners, projected.count, kept);
    // Four corners at a time; those beyond the last are corner 0 again.
    const int start = view.mirrored ? projected.count - 1 : 0, step = view.mirrored ? -1 : 1;
    for (int group = 0; group < projected.count; group += 4) {
        std::uint16_t* vertex = projected.vertex + group;
        for (int lane = 0; lane < 4; ++lane) {
            const int at = group + lane < projected.count ? start + step * (group + lane) : start;
            vertex[lane] = corners[thinned ? kept[at] : at];
        }
        const auto gather = [&](const std::vector<float>& from) {
            return Float4{from[vertex[0]], from[vertex[1]], from[vertex[2]], from[vertex[3]]};
        };
        const Float4 px = gather(hull.x), py = gather(hull.y), pz = gather(hull.z);
        const Float4 x = view.axis[0][0] * px + view.axis[1][0] * py + view.axis[2][0] * pz + view.origin[0];
        const Float4 y = view.axis[0][1] * px + view.axis[1][1] * py + view.axis[2][1] * pz + view.origin[1];
        std::memcpy(projected.x + group, &x, sizeof x);
        std::memcpy(projected.y + group, &y, sizeof y);
    }
    const int padded = (projected.count + 3) & ~3;
    projected.x[padded] = projected.x[0];
    projected.y[padded] = projected.y[0];
    finish_polygon(projected);
}

[[gnu::noinline]] void project_mapping(const MappingSolid& solid, const SupportingFeature& feature, const View& view,
                                       ProjectedFeature& projected) {
    const MappingFacet facet = mapping_facet(solid, feature.normal, feature.curvature[0]);
    projected.count = facet.count;
    for (int i = 0; i < facet.count; ++i) {
        const int corner = view.mirrored ? facet.count - 1 - i : i;
        const Float4 p = view.place(facet.points[corner] + solid.radius * feature.normal);
        projected.x[i] = p[0];
        projected.y[i] = p[1];
        projected.vertex[i] = facet.ids[corner];
    }
    close_loop(projected);
    finish_polygon(projected);
}

void project_polygon(const Shape& shape, const SupportingFeature& feature, const View& given,
                     ProjectedFeature& projected) {
    // The corners of a rounded polytope's face are the core's, moved along the face's normal.
    const View* view = &given;
    View moved;
    if (shape.radius > 0.0f) {
        moved = given;
        moved.origin += given.turn(shape.radius * feature.normal);
        view = &moved;
    }
    if (shape.type == ShapeType::box) {
        project_box(shape.half_extents, feature, *view, projected);
    } else if (shape.type == ShapeType::hull) {
        project_hull(data_of(*shape.hull), feature, *view, projected);
    } else if (shape.type == ShapeType::triangle) {
        project_triangle(shape, feature, given, projected);
    } else {
        project_mapping(*shape.mapping, feature, given, projected);
    }
}

/// The rim points' steps from the lowest one: first the four that are 90 degrees apart, then those between them.
constexpr std::uint8_t rim_order[rim_points] = {0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15};

void project_disc(const Shape& shape, const SupportingFeature& feature, const View& view, ProjectedFeature& projected) {
    constexpr float c1 = 0.92387953f, c2 = 0.70710678f, c3 = 0.38268343f;
    constexpr float cosines[rim_points] = {1, c1, c2, c3, 0, -c3, -c2, -c1, -1, -c1, -c2, -c3, 0, c3, c2, c1};
    const float radius = shape.half_extents.x;
    const Float4 c = view.place(feature.points[0]);
    // Axes of the disc, the first to its lowest point; the second makes the rim run counter-clockwise on the contact
    // plane.
    const vec3 lowest = radius * feature.points[1];
    const vec3 second = glm::cross(view.mirrored ? -feature.normal : feature.normal, lowest);
    const Float4 a = view.turn(lowest), b = view.turn(second);
    projected.cx = c[0];
    projected.cy = c[1];
    projected.radius = radius;
    projected.count = rim_points;
    for (int i = 0; i < rim_points; ++i) {
        const int step = rim_order[i];
        const float cosine = cosines[step], sine = cosines[(step + 12) % rim_points];
        projected.x[i] = c[0] + cosine * a[0] + sine * b[0];
        projected.y[i] = c[1] + cosine * a[1] + sine * b[1];
        projected.vertex[i] = static_cast<std::uint16_t>(step);
    }
    close_loop(projected);
}

}  // namespace

void make_segment(const vec3& p0, const vec3& p1, std::uint16_t id0, std::uint16_t id1, const float (&curvature)[2],
                  ProjectedFeature& projected) {
    projected.kind = SupportingFeatureKind::segment;
    projected.count = 2;
    projected.curvature[0] = curvature[0];
    projected.curvature[1] = curvature[1];
    projected.x[0] = p0.x, projected.y[0] = p0.y;
    projected.x[1] = p1.x, projected.y[1] = p1.y;
    projected.vertex[0] = id0;
    projected.vertex[1] = id1;
    close_loop(projected);
    const float dx = p1.x - p0.x, dy = p1.y - p0.y;
    const float length2 = dx * dx + dy * dy;
    const float rise = length2 > 0.0f ? (p1.z - p0.z) / length2 : 0.0f;
    projected.gx = rise * dx;
    projected.gy = rise * dy;
    projected.h0 = p0.z - projected.gx * p0.x - projected.gy * p0.y;
}

void project(const Shape& shape, const SupportingFeature& feature, const View& view, ProjectedFeature& projected) {
    const auto full = [&](const vec3& p) {
        const Float4 at = view.place(p);
        return vec3(at[0], at[1], at[2]);
    };
    projected.kind = feature.kind;
    switch (feature.kind) {
        case SupportingFeatureKind::point: {
            const vec3 p = full(feature.points[0]);
            projected.count = 1;
            projected.x[0] = p.x, projected.y[0] = p.y;
            projected.vertex[0] = feature.ids[0];
            projected.h0 = p.z, projected.gx = 0.0f, projected.gy = 0.0f;
            close_loop(projected);
            break;
        }
        case SupportingFeatureKind::segment:
            make_segment(full(feature.points[0]), full(feature.points[1]), feature.ids[0], feature.ids[1],
                         feature.curvature, projected);
            break;
        case SupportingFeatureKind::polygon:
            set_plane(view, feature, projected);
            project_polygon(shape, feature, view, projected);
            break;
        case SupportingFeatureKind::disc:
            set_plane(view, feature, projected);
            project_disc(shape, feature, view, projected);
            break;
    }
}

int corners_of(const Shape& shape, const SupportingFeature& feature, const vec3& out,
               FeatureCorner (&corners)[max_projected_corners]) {
    if (!feature.has_face()) {
        const int count = feature.kind == SupportingFeatureKind::segment ? 2 : 1;
        for (int i = 0; i < count; ++i) corners[i] = {feature.points[i], feature.ids[i]};
        return count;
    }
    const vec3 size = absolute(out), axis = size.x <= size.y && size.x <= size.z ? vec3(1, 0, 0)
                                            : size.y <= size.z                   ? vec3(0, 1, 0)
                                                                                 : vec3(0, 0, 1);
    const vec3 across = glm::cross(out, axis), u = across / std::sqrt(length_squared(across)), v = glm::cross(out, u);
    const View view{{{u.x, v.x, out.x}, {u.y, v.y, out.y}, {u.z, v.z, out.z}}, {}, false};
    ProjectedFeature projected;
    project(shape, feature, view, projected);
    const int count = projected.kind == SupportingFeatureKind::disc ? 4 : projected.count;
    for (int i = 0; i < count; ++i) {
        const float x = projected.x[i], y = projected.y[i];
        corners[i] = {x * u + y * v + projected.height(x, y) * out, projected.vertex[i]};
    }
    return count;
}

ProjectedFeature disc_to_polygon(const ProjectedFeature& disc) {
    ProjectedFeature polygon;
    polygon.kind = SupportingFeatureKind::polygon;
    polygon.count = rim_points;
    polygon.h0 = disc.h0, polygon.gx = disc.gx, polygon.gy = disc.gy;
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
