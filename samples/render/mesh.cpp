#include "samples/render/mesh.h"

#include <talus/narrowphase/mapping_solid.h>

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr float smooth_cosine = 0.966f;  // hull faces that meet at less than 15 degrees show no line

vec3 around(int slice, int slices) {
    const double angle = 6.283185307179586 * slice / slices;
    return {static_cast<float>(std::cos(angle)), 0.0f, static_cast<float>(std::sin(angle))};
}

std::uint8_t quadrant_tone(int slice, int slices) { return static_cast<std::uint8_t>((4 * slice / slices) & 1); }

std::uint32_t add_vertex(DrawMesh& mesh, const vec3& position, const vec3& normal) {
    mesh.positions.push_back(position);
    mesh.normals.push_back(normal);
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
}

/// A flat convex polygon; lines[i] says whether the side from corner i to the next is drawn as a line.
void add_polygon(DrawMesh& mesh, const std::vector<vec3>& corners, const vec3& normal, const std::vector<bool>& lines) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    const auto count = static_cast<std::uint32_t>(corners.size());
    for (const vec3& corner : corners) add_vertex(mesh, corner, normal);
    for (std::uint32_t i = 1; i + 1 < count; ++i) {
        int edges = lines[i] ? 1 : 0;
        if (i == 1 && lines[0]) edges |= 4;
        if (i + 2 == count && lines[i + 1]) edges |= 2;
        mesh.triangles.push_back({{first, first + i, first + i + 1}, static_cast<std::uint8_t>(edges), 0});
    }
}

/// A ring of a surface of revolution about y: a radius, a height, and the normal there (outwards, upwards).
struct Ring {
    float radius, y;
    float normal_out, normal_up;
};

/// The band between two rings, `low` below `high`; bit 0 of `edges` draws the lower rim, bit 1 the upper one.
void add_band(DrawMesh& mesh, const Ring& low, const Ring& high, int edges, std::uint8_t tone_flip, int slices) {
    for (int s = 0; s < slices; ++s) {
        const auto vertex = [&](const Ring& ring, int slice) {
            const vec3 out = around(slice, slices);
            return add_vertex(mesh, out * ring.radius + vec3(0.0f, ring.y, 0.0f),
                              out * ring.normal_out + vec3(0.0f, ring.normal_up, 0.0f));
        };
        const std::uint8_t tone = quadrant_tone(s, slices) ^ tone_flip;
        const std::uint32_t a = vertex(low, s), b = vertex(low, s + 1), c = vertex(high, s + 1), d = vertex(high, s);
        if (low.radius > 0.0f)
            mesh.triangles.push_back({{a, c, b}, static_cast<std::uint8_t>((edges & 1) ? 2 : 0), tone});
        if (high.radius > 0.0f)
            mesh.triangles.push_back({{a, d, c}, static_cast<std::uint8_t>((edges & 2) ? 1 : 0), tone});
    }
}

/// A disc at height y; faces up or down.
void add_disc(DrawMesh& mesh, float radius, float y, bool up, int slices) {
    const vec3 normal(0.0f, up ? 1.0f : -1.0f, 0.0f);
    const vec3 center(0.0f, y, 0.0f);
    for (int s = 0; s < slices; ++s) {
        const std::uint32_t o = add_vertex(mesh, center, normal);
        const std::uint32_t a = add_vertex(mesh, center + around(s, slices) * radius, normal);
        const std::uint32_t b = add_vertex(mesh, center + around(s + 1, slices) * radius, normal);
        const std::uint8_t tone = quadrant_tone(s, slices);
        if (up) {
            mesh.triangles.push_back({{o, b, a}, 1, tone});
        } else {
            mesh.triangles.push_back({{o, a, b}, 1, tone});
        }
    }
}

/// A capsule about y, or a sphere when half_height is 0.
void add_capsule(DrawMesh& mesh, float half_height, float radius, int slices) {
    const int rings = slices / 4;   // of a hemisphere
    const auto ring = [=](int i) {  // i from -rings (south pole) to rings
        const double angle = 1.5707963267948966 * i / rings;
        const auto out = static_cast<float>(std::abs(i) == rings ? 0.0 : std::cos(angle));
        const auto up = static_cast<float>(std::sin(angle));
        return Ring{radius * out, radius * up + (i < 0 ? -half_height : half_height), out, up};
    };
    for (int i = -rings; i < 0; ++i) {
        Ring high = ring(i + 1);
        if (i == -1) high.y = -half_height;
        add_band(mesh, ring(i), high, 0, 0, slices);
    }
    if (half_height > 0.0f) {
        add_band(mesh, {radius, -half_height, 1, 0}, {radius, 0.0f, 1, 0}, 0, 0, slices);
        add_band(mesh, {radius, 0.0f, 1, 0}, {radius, half_height, 1, 0}, 0, 1, slices);
    }
    for (int i = 0; i < rings; ++i) add_band(mesh, ring(i), ring(i + 1), 0, 1, slices);
}

/// A capsule between two points.
void add_rod(DrawMesh& mesh, const vec3& a, const vec3& b, float radius, int slices) {
    const vec3 along = b - a;
    const float length = std::sqrt(length_squared(along));
    DrawMesh rod;
    add_capsule(rod, 0.5f * length, radius, slices);
    Transform pose{0.5f * (a + b), quat(1.0f, 0.0f, 0.0f, 0.0f)};
    if (length > 0.0f) {
        const vec3 to = along / length;
        // The half-way quaternion from y to `to`; upside down, any axis across does.
        pose.rotation =
            to.y > -0.999f ? normalized(quat(1.0f + to.y, to.z, 0.0f, -to.x)) : quat(0.0f, 1.0f, 0.0f, 0.0f);
    }
    append(mesh, rod, pose);
}

void add_box(DrawMesh& mesh, const vec3& half) {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0f, 1.0f}) {
            vec3 normal(0.0f), u(0.0f), v(0.0f);
            normal[axis] = side;
            u[(axis + 1) % 3] = half[(axis + 1) % 3];
            v[(axis + 2) % 3] = side * half[(axis + 2) % 3];
            const vec3 center = normal * half[axis];
            add_polygon(mesh, {center - u - v, center + u - v, center + u + v, center - u + v}, normal,
                        {true, true, true, true});
        }
    }
}

void add_hull(DrawMesh& mesh, const Hull& hull) {
    std::vector<vec3> corners;
    std::vector<bool> lines;
    for (const HullFace& face : hull.faces) {
        corners.clear();
        lines.clear();
        for (std::uint32_t i = face.first; i < face.first + face.count; ++i) {
            corners.push_back(hull.vertices[hull.face_vertices[i]]);
            lines.push_back(glm::dot(face.normal, hull.faces[hull.face_neighbours[i]].normal) < smooth_cosine);
        }
        add_polygon(mesh, corners, face.normal, lines);
    }
}

/// Two faces, with rods along the sides when it has a radius.
void add_triangle(DrawMesh& mesh, const vec3* p, float radius, int slices) {
    const vec3 across = glm::cross(p[1] - p[0], p[2] - p[0]);
    const vec3 normal = across * (1.0f / std::sqrt(length_squared(across)));
    const vec3 lift = normal * radius;
    const std::vector<bool> lines(3, radius == 0.0f);
    add_polygon(mesh, {p[0] + lift, p[1] + lift, p[2] + lift}, normal, lines);
    add_polygon(mesh, {p[0] - lift, p[2] - lift, p[1] - lift}, -normal, lines);
    if (radius > 0.0f) {
        for (int i = 0; i < 3; ++i) add_rod(mesh, p[i], p[(i + 1) % 3], radius, slices);
        for (DrawTriangle& t : mesh.triangles) t.tone = 0;
    }
}

/// A box or hull with a radius: its faces moved outward, and rods along its edges.
void add_rounded(DrawMesh& mesh, DrawMesh faces, const std::vector<std::pair<vec3, vec3>>& edges, float radius,
                 int slices) {
    for (std::size_t i = 0; i < faces.positions.size(); ++i) faces.positions[i] += radius * faces.normals[i];
    for (const auto& [a, b] : edges) add_rod(faces, a, b, radius, slices);
    for (DrawTriangle& t : faces.triangles) t.tone = t.edges = 0;
    append(mesh, faces, {});
}

void add_rounded_box(DrawMesh& mesh, const vec3& half, float radius, int slices) {
    DrawMesh faces;
    add_box(faces, half);
    std::vector<std::pair<vec3, vec3>> edges;
    for (int corner = 0; corner < 8; ++corner) {
        const auto at = [&](int c) {
            return vec3(c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z);
        };
        for (const int bit : {1, 2, 4}) {
            if (!(corner & bit)) edges.emplace_back(at(corner), at(corner | bit));
        }
    }
    add_rounded(mesh, std::move(faces), edges, radius, slices);
}

void add_rounded_hull(DrawMesh& mesh, const Hull& hull, float radius, int slices) {
    DrawMesh faces;
    add_hull(faces, hull);
    std::vector<std::pair<vec3, vec3>> edges;
    for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
        for (std::uint32_t i = hull.vertex_first[v]; i < hull.vertex_first[v + 1]; ++i) {
            if (hull.vertex_neighbours[i] > v)
                edges.emplace_back(hull.vertices[v], hull.vertices[hull.vertex_neighbours[i]]);
        }
    }
    add_rounded(mesh, std::move(faces), edges, radius, slices);
}

/// The support points along a sphere of directions, with these as the normals. The directions are divided by the sides
/// of the box, so that they are spread evenly over a long or flat solid. Triangles across a facet get its normal.
void add_mapping(DrawMesh& mesh, const MappingSolid& solid, int slices) {
    const vec3 half = half_extents(solid.bounds);
    const int rings = slices / 2;
    const auto vertex = [&](int ring, int slice) {
        const double up = 3.141592653589793 * (static_cast<double>(ring) / rings - 0.5);
        const double out = ring == 0 || ring == rings ? 0.0 : std::cos(up);
        const vec3 way = around(slice, slices);
        glm::dvec3 d(out * double(way.x), std::sin(up), out * double(way.z));
        d /= glm::dvec3(half);
        d /= std::sqrt(glm::dot(d, d));
        const vec3 p(solid.mapping->support(d) + double(solid.radius) * d);
        return add_vertex(mesh, p, vec3(d));
    };
    for (int ring = 0; ring < rings; ++ring) {
        for (int slice = 0; slice < slices; ++slice) {
            const std::uint32_t a = vertex(ring, slice), b = vertex(ring, slice + 1), c = vertex(ring + 1, slice + 1),
                                d = vertex(ring + 1, slice);
            const auto tone = static_cast<std::uint8_t>(quadrant_tone(slice, slices) ^ (2 * ring < rings ? 0 : 1));
            const auto add = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
                const vec3 across =
                    glm::cross(mesh.positions[j] - mesh.positions[i], mesh.positions[k] - mesh.positions[i]);
                const float area = std::sqrt(length_squared(across));
                if (!(area > 1e-9f * length_squared(half))) return;
                mesh.triangles.push_back({{i, j, k}, 0, tone});
            };
            add(a, c, b);
            add(a, d, c);
        }
    }
}

}  // namespace

DrawMesh triangulate(const TriangleSet& set) {
    DrawMesh mesh;
    for (std::uint32_t k = 0; k < set.size(); ++k) {
        if (set.is_hole(k)) continue;
        const SetTriangle t = set.triangle(k);
        std::vector<bool> lines(3);
        for (std::size_t i = 0; i < 3; ++i) {
            const vec3 &p = t.points[i], &q = t.points[(i + 1) % 3];
            const vec3 across = glm::cross(p - q, t.beyond[i] - q);
            const float size = std::sqrt(length_squared(across));
            lines[i] = !(size > 0.0f) || glm::dot(across, t.normal) < smooth_cosine * size;
        }
        add_polygon(mesh, {t.points[0], t.points[1], t.points[2]}, t.normal, lines);
        if (set.is_two_sided())
            add_polygon(mesh, {t.points[0], t.points[2], t.points[1]}, -t.normal, {lines[2], lines[1], lines[0]});
    }
    return mesh;
}

DrawMesh triangulate(const ShapeDef& shape) { return shape.mesh ? triangulate(*shape.mesh) : triangulate(shape.shape); }

float reach_of(const ShapeDef& shape) {
    if (!shape.mesh) return bounding_radius(shape.shape);
    const Aabb& box = shape.mesh->bounds();
    return glm::length(glm::max(glm::abs(box.lower), glm::abs(box.upper)));
}

void append(DrawMesh& mesh, const DrawMesh& part, const Transform& pose) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const vec3& p : part.positions) mesh.positions.push_back(transform_point(pose, p));
    for (const vec3& n : part.normals) mesh.normals.push_back(rotate(pose.rotation, n));
    for (DrawTriangle t : part.triangles) {
        for (std::uint32_t& v : t.v) v += first;
        mesh.triangles.push_back(t);
    }
}

DrawMesh triangulate(const Shape& shape, int slices) {
    DrawMesh mesh;
    const float h = shape.half_extents.y, r = shape.half_extents.x;
    switch (shape.type) {
        case ShapeType::sphere:
            add_capsule(mesh, 0.0f, shape.radius, slices);
            break;
        case ShapeType::capsule:
            add_capsule(mesh, h, shape.radius, slices);
            break;
        case ShapeType::segment:
            add_rod(mesh, shape.points[0], shape.points[1], std::max(shape.radius, 0.01f), slices);
            break;
        case ShapeType::triangle:
            add_triangle(mesh, shape.points, shape.radius, slices);
            break;
        case ShapeType::box:
            if (shape.radius > 0.0f) {
                add_rounded_box(mesh, shape.half_extents, shape.radius, slices);
            } else {
                add_box(mesh, shape.half_extents);
            }
            break;
        case ShapeType::cylinder:
            add_disc(mesh, r, -h, false, slices);
            add_band(mesh, {r, -h, 1, 0}, {r, h, 1, 0}, 3, 0, slices);
            add_disc(mesh, r, h, true, slices);
            break;
        case ShapeType::cone: {
            const float slant = std::sqrt(4.0f * h * h + r * r);
            const float out = 2.0f * h / slant, up = r / slant;
            add_disc(mesh, r, -h, false, slices);
            add_band(mesh, {r, -h, out, up}, {0.0f, h, out, up}, 1, 0, slices);
            break;
        }
        case ShapeType::hull:
            if (shape.hull && shape.radius > 0.0f) {
                add_rounded_hull(mesh, *shape.hull, shape.radius, slices);
            } else if (shape.hull) {
                add_hull(mesh, *shape.hull);
            }
            break;
        case ShapeType::mapping:
            if (shape.mapping) add_mapping(mesh, *shape.mapping, slices);
            break;
    }
    return mesh;
}

}  // namespace talus::samples
