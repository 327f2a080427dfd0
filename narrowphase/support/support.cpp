#include "common/lanes/processor.h"
#include "narrowphase/support/core_support.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr std::uint32_t quadrant_steps = rim_steps / 4;

/// Returns the rim step nearest to the direction (x, z); step 0 if that is zero.
std::uint16_t rim_code(double x, double z) {
    // Turn the direction into the first quadrant: (x, z) -> (z, -x) takes +z to +x.
    std::uint32_t quadrant = 0;
    if (x <= 0.0 && z > 0.0) {
        quadrant = 1;
        const double t = x;
        x = z;
        z = -t;
    } else if (x < 0.0 && z <= 0.0) {
        quadrant = 2;
        x = -x;
        z = -z;
    } else if (x >= 0.0 && z < 0.0) {
        quadrant = 3;
        const double t = x;
        x = -z;
        z = t;
    }
    const double sum = x + z;
    if (!(sum > 0.0)) return 0;
    const double steps = z / sum * quadrant_steps;              // rounded without libm, whose lround may differ
    const auto step = static_cast<std::uint32_t>(steps + 0.5);  // NOLINT(bugprone-incorrect-roundings)
    return static_cast<std::uint16_t>((quadrant * quadrant_steps + step) % rim_steps);
}

}  // namespace

vec3 rim_direction(std::uint16_t code) {
    const std::uint32_t quadrant = (code / quadrant_steps) % 4;
    const float t = static_cast<float>(code % quadrant_steps) * (1.0f / quadrant_steps);
    const float c = 1.0f - t;
    const float scale = 1.0f / std::sqrt(c * c + t * t);
    const float x = c * scale, z = t * scale;
    switch (quadrant) {
        case 0:
            return {x, 0.0f, z};
        case 1:
            return {-z, 0.0f, x};
        case 2:
            return {-x, 0.0f, -z};
        default:
            return {z, 0.0f, -x};
    }
}

namespace detail {

std::uint16_t index_of(const Core& core, const dvec3& p) {
    const std::uint16_t code = rim_code(p.x, p.z);
    if (core.type == ShapeType::cylinder) return static_cast<std::uint16_t>(code + (p.y < 0.0 ? rim_steps : 0));
    return p.y > 0.0 ? rim_steps : code;
}

HullScan* scan_hull = scan_hull_base;  // constant initialisation, for hulls that are built before main

#ifdef TALUS_AVX2
namespace {
const bool by_avx2 = has_avx2() && (scan_hull = scan_hull_avx2, true);
}
#endif

/// The scan in double, for hulls so much larger than the other shape that float is not accurate enough.
std::uint16_t scan_hull_double(const HullData& hull, const dvec3& d) {
    const vec3* vertices = hull.vertices.data();
    const std::size_t count = hull.vertices.size();
    std::size_t best = 0;
    double most = glm::dot(d, dvec3(vertices[0]));
    for (std::size_t i = 1; i < count; ++i) {
        const double along = glm::dot(d, dvec3(vertices[i]));
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return static_cast<std::uint16_t>(best);
}

/// Steepest ascent over the vertex graph (Jovanoski 2008, section 4.1). On a convex hull, a vertex without a farther
/// neighbour is a farthest vertex, even among equals, because the hull lies in the cone of the edges at that vertex.
/// The climb is in double: with float products it would stall in regions of many small faces, where a step gains less
/// than their rounding.
std::uint16_t climb_hull(const HullData& hull, const dvec3& d, std::uint16_t hint) {
    const vec3* vertices = hull.vertices.data();
    std::uint32_t at = hint;
    if (at >= hull.vertices.size()) at = 0;
    double most = glm::dot(d, dvec3(vertices[at]));
    if (hull.view.cells > 0) {
        const vec3 f(d);
        const std::uint16_t start =
            hull.climb_starts[static_cast<std::size_t>(support_cell(f.x, f.y, f.z, hull.view.cells))];
        const double start_most = glm::dot(d, dvec3(vertices[start]));
        if (start_most > most) {
            most = start_most;
            at = start;
        }
    }
    for (;;) {
        const std::uint32_t from = at;
        for (std::uint32_t i = hull.view.first[from]; i < hull.view.first[from + 1]; ++i) {
            const std::uint16_t neighbour = hull.view.neighbours[i];
            const double along = glm::dot(d, dvec3(vertices[neighbour]));
            if (along > most) {  // strictly, so that each step gains and the climb ends
                most = along;
                at = neighbour;
            }
        }
        if (at == from) return static_cast<std::uint16_t>(at);
    }
}

namespace {

/// Returns whether a climb may end at vertex v although the farthest vertex is farther by more than `loss`. Within the
/// builder's tolerance, faces are merged and vertices may lie close together. At such a vertex a plane may pass above
/// all neighbours, but below another corner of one of the vertex's faces, to which no edge leads. The planes to try are
/// those through two edges that have all other edges below them.
bool is_dented(const HullData& hull, std::uint32_t v, double loss) {
    const std::uint32_t first = hull.vertex_first[v], count = hull.vertex_first[v + 1] - first;
    const dvec3 at(hull.vertices[v]);
    const auto edge = [&](std::uint32_t i) { return dvec3(hull.vertices[hull.vertex_neighbours[first + i]]) - at; };
    const auto face = [&](std::uint32_t i) -> const HullFace& { return hull.faces[hull.vertex_faces[first + i]]; };
    bool triangles = true;
    for (std::uint32_t i = 0; i < count; ++i) triangles = triangles && face(i).count == 3;
    if (triangles) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
        for (std::uint32_t j = 0; j < count; ++j) {
            const dvec3 normal = glm::cross(edge(i), edge(j));  // one of (i, j) and (j, i) looks outwards
            const double length = std::sqrt(glm::dot(normal, normal));
            bool above_all = length > 0.0;
            for (std::uint32_t k = 0; k < count && above_all; ++k)
                above_all = k == i || k == j || glm::dot(normal, edge(k)) <= 0.0;
            if (!above_all) continue;
            for (std::uint32_t f = 0; f < count; ++f) {
                for (std::uint32_t k = 0; k < face(f).count; ++k) {
                    const dvec3 corner(hull.vertices[hull.face_vertices[face(f).first + k]]);
                    if (glm::dot(normal, corner - at) > loss * length) return true;
                }
            }
        }
    }
    return false;
}

/// Makes the graph for climbing: the vertex graph, with edges to all corners of their faces at the vertices found
/// above.
void set_climb_graph(HullData& hull, double loss) {
    bool dented = false;
    hull.climb_first.push_back(0);
    for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
        const std::uint32_t first = hull.vertex_first[v], end = hull.vertex_first[v + 1];
        const auto ring = hull.vertex_neighbours.begin();
        hull.climb_neighbours.insert(hull.climb_neighbours.end(), ring + first, ring + end);
        if (is_dented(hull, v, loss)) {
            dented = true;
            for (std::uint32_t i = first; i < end; ++i) {
                const HullFace& face = hull.faces[hull.vertex_faces[i]];
                const auto corners = hull.face_vertices.begin() + face.first;
                if (face.count > 3)
                    hull.climb_neighbours.insert(hull.climb_neighbours.end(), corners, corners + face.count);
            }
        }
        hull.climb_first.push_back(static_cast<std::uint32_t>(hull.climb_neighbours.size()));
    }
    if (dented) {
        hull.view.first = hull.climb_first.data();
        hull.view.neighbours = hull.climb_neighbours.data();
    } else {
        hull.climb_first = {};
        hull.climb_neighbours = {};
    }
}

void set_climb_rings(HullData& hull) {
    const HullView& view = hull.view;
    hull.climb_rings.reserve(hull.vertices.size());
    hull.climb_first_ring.reserve(hull.vertices.size() + 1);
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
        hull.climb_first_ring.push_back(static_cast<std::uint32_t>(hull.climb_rings.size()));
        for (std::uint32_t from = view.first[v]; from < view.first[v + 1]; from += 8) {
            ClimbRing& ring = hull.climb_rings.emplace_back();
            for (std::uint32_t lane = 0; lane < 8; ++lane) {
                ring.next[lane] = view.neighbours[from + lane < view.first[v + 1] ? from + lane : from];
                const vec3 way = hull.vertices[ring.next[lane]] - hull.vertices[v];
                ring.x[lane] = way.x, ring.y[lane] = way.y, ring.z[lane] = way.z;
            }
        }
    }
    hull.climb_first_ring.push_back(static_cast<std::uint32_t>(hull.climb_rings.size()));
    hull.view.rings = hull.climb_rings.data();
    hull.view.first_ring = hull.climb_first_ring.data();
}

}  // namespace

void set_view(HullData& hull) {
    HullView& view = hull.view;
    view.count = static_cast<int>(hull.vertices.size());
    view.padded = static_cast<int>(hull.x.size());
    view.vertices = &hull.vertices[0].x;
    view.x = hull.x.data();
    view.y = hull.y.data();
    view.z = hull.z.data();
    view.first = hull.vertex_first.data();
    view.neighbours = hull.vertex_neighbours.data();
    const vec3 far = glm::max(absolute(hull.bounds.lower), absolute(hull.bounds.upper)), h = half_extents(hull.bounds);
    view.largest_coordinate = std::max(std::max(far.x, far.y), far.z);
    view.half_size = std::max(std::max(h.x, h.y), h.z);
    if (view.count <= hull_scan_limit) return;
    set_climb_graph(hull, tolerance::climb_loss * double(std::max(view.largest_coordinate, view.half_size)));
    set_climb_rings(hull);

    int cells = 4;
    while (6 * cells * cells < 2 * view.count) cells *= 2;
    const auto at = [&](int face, int i, int j) {
        const auto n = static_cast<std::size_t>(cells);
        return (static_cast<std::size_t>(face) * n + static_cast<std::size_t>(i)) * n + static_cast<std::size_t>(j);
    };
    hull.climb_starts.resize(at(6, 0, 0));
    std::uint16_t start = 0;
    for (int face = 0; face < 6; ++face) {
        for (int i = 0; i < cells; ++i) {
            for (int k = 0; k < cells; ++k) {
                const int j =
                    i % 2 == 0 ? k : cells - 1 - k;  // in alternating directions, so that the last result is near
                dvec3 d;
                d[face / 2] = face % 2 == 0 ? 1.0 : -1.0;
                d[(face / 2 + 1) % 3] = (2.0 * i + 1.0) / cells - 1.0;
                d[(face / 2 + 2) % 3] = (2.0 * j + 1.0) / cells - 1.0;
                start = climb_hull(hull, d, start);
                hull.climb_starts[at(face, i, j)] = start;
            }
        }
    }
    view.starts = hull.climb_starts.data();
    view.cells = cells;
}

}  // namespace detail

SupportVertex support(const Shape& shape, const vec3& direction, std::uint16_t hint) {
    const bool has_core = shape.type == ShapeType::hull      ? shape.hull != nullptr
                          : shape.type == ShapeType::mapping ? shape.mapping != nullptr
                                                             : static_cast<int>(shape.type) < shape_type_count;
    if (!has_core || !is_finite(direction)) return {core_point(shape, 0), 0};
    return detail::support_unchecked(shape, direction, hint);
}

SupportVertex detail::support_unchecked(const Shape& shape, const vec3& direction, std::uint16_t hint) {
    const detail::Core core = detail::make_core(shape);
    std::uint16_t index = hint;
    const detail::dvec3 p = detail::support_point(core, detail::dvec3(direction), index);
    if (detail::has_rim(shape.type)) {
        index = detail::index_of(core, p);
        return {core_point(shape, index), index};
    }
    return {vec3(p), index};
}

namespace {

[[gnu::noinline]] vec3 mapping_point(const Shape& shape, std::uint16_t index) {
    if (!shape.mapping) return vec3(0.0f);
    return vec3(shape.mapping->mapping->support(detail::coded_direction(index)));
}

}  // namespace

vec3 core_point(const Shape& shape, std::uint16_t index) {
    if (index >= core_point_count(shape)) index = 0;
    const vec3& h = shape.half_extents;
    switch (shape.type) {
        case ShapeType::sphere:
            return vec3(0.0f);
        case ShapeType::capsule:
            return {0.0f, index ? -h.y : h.y, 0.0f};
        case ShapeType::segment:
        case ShapeType::triangle:
            return shape.points[index];
        case ShapeType::box:
            return {index & 1 ? -h.x : h.x, index & 2 ? -h.y : h.y, index & 4 ? -h.z : h.z};
        case ShapeType::cylinder: {
            const vec3 rim = h.x * rim_direction(index % rim_steps);
            return {rim.x, index < rim_steps ? h.y : -h.y, rim.z};
        }
        case ShapeType::cone: {
            if (index == rim_steps) return {0.0f, h.y, 0.0f};
            const vec3 rim = h.x * rim_direction(index);
            return {rim.x, -h.y, rim.z};
        }
        case ShapeType::hull:
            return shape.hull ? shape.hull->vertices[index] : vec3(0.0f);
        case ShapeType::mapping:
            return mapping_point(shape, index);
    }
    return vec3(0.0f);
}

std::uint32_t core_point_count(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
            return 1;
        case ShapeType::capsule:
        case ShapeType::segment:
            return 2;
        case ShapeType::triangle:
            return 3;
        case ShapeType::box:
            return 8;
        case ShapeType::cylinder:
            return 2u * rim_steps;
        case ShapeType::cone:
            return rim_steps + 1u;
        case ShapeType::hull:
            return shape.hull ? static_cast<std::uint32_t>(shape.hull->vertices.size()) : 1;
        case ShapeType::mapping:
            return shape.mapping ? 6 * detail::direction_cells * detail::direction_cells : 1;
    }
    return 1;
}

}  // namespace talus
