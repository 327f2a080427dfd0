/// make_hull: quickhull (quickhull.h), faces (hull_faces.h), then the arrays that the narrowphase reads.
///
/// Cost: CPU time of one core of a shared 2-core x86-64 virtual machine, g++ 12 -O2:
///
///   points on a sphere     24: 0.02 ms   200: 0.4 ms   2,000: 6 ms    30,000: 0.14 s (57,653 faces, 6.1 MB)
///                          50,000: 0.25 s (49,860 vertices, 93,750 faces, 9.9 MB)   65,535: 0.34 s
///   points in a ball       24: 0.01 ms   200: 0.06 ms  2,000: 0.5 ms  50,000: 8 ms (1,024 vertices)
///   21^3 lattice: 0.4 ms   10,000 points on two rings: 7 ms   20,000 points on a noisy cube: 3 ms

#include <talus/narrowphase/hull.h>

#include "narrowphase/shapes/hull_data.h"
#include "narrowphase/shapes/hull_faces.h"
#include "narrowphase/shapes/moments.h"
#include "narrowphase/shapes/quickhull.h"
#include "narrowphase/support/core_support.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace talus {
namespace {

using namespace hull_builder;
using detail::HullData;
using detail::HullParts;
using detail::HullRing;
using glm::dvec3;

/// Rounds of leaving out vertices that lie inside a face. One is usual; each leaves out at least one vertex.
constexpr int max_rounds = 8;

/// Tolerance of the later rounds, in tolerance units. They must not drop points that the first round kept.
constexpr double later_tolerance = 0.125;

/// The polygonal hull in cloud indices.
Result<PolygonMesh> polygonal_hull(const Cloud& cloud) {
    std::vector<Index> subset(cloud.points.size());
    std::iota(subset.begin(), subset.end(), 0u);
    Result<TriangleMesh> mesh = quickhull(cloud, subset, 1.0);
    if (!mesh) return mesh.error();

    std::vector<Index> group = coplanar_groups(cloud, *mesh);
    for (int round = 0; round < max_rounds; ++round) {
        const std::vector<Index> inside = vertices_inside_groups(*mesh, group);
        if (inside.empty()) break;
        std::vector<Index> used, kept;
        for (const Triangle& t : *mesh) used.insert(used.end(), t.vertex, t.vertex + 3);
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        std::set_difference(used.begin(), used.end(), inside.begin(), inside.end(), std::back_inserter(kept));
        Result<TriangleMesh> leaner = quickhull(cloud, kept, later_tolerance);
        if (!leaner) break;  // too thin without them: keep the present hull
        mesh = std::move(leaner);
        group = coplanar_groups(cloud, *mesh);
    }

    PolygonMesh merged = merge_groups(cloud, *mesh, group);
    return is_valid(cloud, merged) ? std::move(merged) : keep_triangles(*mesh);
}

/// Brings the hull into an order that does not depend on how it was built: loops start at their lowest vertex, and
/// faces are sorted by their loops. Corners become hull vertices, which keep the order of the points. Returns the
/// points that they come from.
std::vector<Index> renumber(PolygonMesh& mesh) {
    std::vector<Index> points = mesh.corners;
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    for (Index& corner : mesh.corners)
        corner = static_cast<Index>(std::lower_bound(points.begin(), points.end(), corner) - points.begin());

    for (const PolygonFace& face : mesh.faces) {
        const auto corners = mesh.corners.begin() + face.first, neighbours = mesh.neighbours.begin() + face.first;
        const auto lowest = std::min_element(corners, corners + face.count) - corners;
        std::rotate(corners, corners + lowest, corners + face.count);
        std::rotate(neighbours, neighbours + lowest, neighbours + face.count);
    }
    std::vector<Index> order(mesh.faces.size()), place(mesh.faces.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        const PolygonFace &f = mesh.faces[a], &g = mesh.faces[b];
        const auto p = mesh.corners.begin() + f.first, q = mesh.corners.begin() + g.first;
        return std::lexicographical_compare(p, p + f.count, q, q + g.count);
    });
    PolygonMesh sorted;
    for (Index i = 0; i < order.size(); ++i) {
        PolygonFace face = mesh.faces[order[i]];
        const auto corners = mesh.corners.begin() + face.first, neighbours = mesh.neighbours.begin() + face.first;
        place[order[i]] = i;
        face.first = static_cast<std::uint32_t>(sorted.corners.size());
        sorted.faces.push_back(face);
        sorted.corners.insert(sorted.corners.end(), corners, corners + face.count);
        sorted.neighbours.insert(sorted.neighbours.end(), neighbours, neighbours + face.count);
    }
    for (Index& face : sorted.neighbours) face = place[face];
    mesh = std::move(sorted);
    return points;
}

void set_vertices(HullData& hull, std::vector<vec3> vertices) {
    hull.vertices = std::move(vertices);
    for (std::vector<float>* axis : {&hull.x, &hull.y, &hull.z}) axis->reserve((hull.vertices.size() + 7) / 8 * 8);
    hull.bounds = {hull.vertices[0], hull.vertices[0]};
    double farthest = 0.0;
    for (const vec3& v : hull.vertices) {
        hull.x.push_back(v.x);
        hull.y.push_back(v.y);
        hull.z.push_back(v.z);
        hull.bounds = merge(hull.bounds, {v, v});
        farthest = std::max(farthest, glm::dot(dvec3(v), dvec3(v)));
    }
    hull.bounding_radius = static_cast<float>(std::sqrt(farthest) * (1.0 + 1.2e-7));  // rounded up
    while (hull.x.size() % 8 != 0) {
        hull.x.push_back(hull.vertices[0].x);
        hull.y.push_back(hull.vertices[0].y);
        hull.z.push_back(hull.vertices[0].z);
    }
}

/// Sets the faces, except for their first corners.
void set_faces(HullData& hull, const HullParts& parts) {
    hull.faces.reserve(parts.faces.size());
    std::uint32_t first = 0;
    for (const HullParts::Face& face : parts.faces) {
        // The plane with the float normal touches the outermost corner, so that all vertices are under it.
        double offset = -1e300;
        for (std::uint32_t i = first; i < first + face.count; ++i)
            offset = std::max(offset, glm::dot(dvec3(face.normal), dvec3(hull.vertices[parts.corners[i]])));
        hull.faces.push_back({face.normal, static_cast<float>(offset), first, face.count, {}});
        first += face.count;
    }
    hull.face_vertices = parts.corners;
    hull.face_neighbours = parts.neighbours;
}

/// Walks around each vertex: from the edge that leaves it along one face to the edge that leaves it along the next.
void set_vertex_rings(HullData& hull) {
    const std::size_t corner_count = hull.face_vertices.size();
    // For each corner of a face, the edge of that face that ends there; the edges that leave a vertex, by ascending
    // face.
    std::vector<std::uint32_t> first(hull.vertices.size() + 1, 0), previous(corner_count), face_at(corner_count);
    for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
        const HullFace& face = hull.faces[f];
        for (std::uint32_t i = 0; i < face.count; ++i) {
            ++first[hull.face_vertices[face.first + i] + 1];
            previous[face.first + i] = face.first + (i + face.count - 1) % face.count;
            face_at[face.first + i] = f;
        }
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> leaving(corner_count), fill(first.begin(), first.end() - 1);
    for (std::uint32_t c = 0; c < corner_count; ++c) leaving[fill[hull.face_vertices[c]]++] = c;

    hull.vertex_first = first;
    hull.vertex_neighbours.reserve(corner_count);
    hull.vertex_faces.reserve(corner_count);
    const auto target = [&](std::uint32_t c) {
        const HullFace& face = hull.faces[face_at[c]];
        return hull.face_vertices[c + 1 == face.first + face.count ? face.first : c + 1];
    };
    for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
        const auto begin = leaving.begin() + first[v], end = leaving.begin() + first[v + 1];
        std::uint32_t c = *std::min_element(begin, end, [&](auto a, auto b) { return target(a) < target(b); });
        for (std::uint32_t i = first[v]; i < first[v + 1]; ++i) {
            hull.vertex_neighbours.push_back(target(c));
            hull.vertex_faces.push_back(face_at[c]);
            // The next face counter-clockwise is across the edge of this face that ends at the vertex.
            const std::uint32_t across = hull.face_neighbours[previous[c]];
            c = *std::lower_bound(begin, end, across, [&](auto edge, auto face) { return face_at[edge] < face; });
        }
    }
}

/// Fills the rings in lanes, and the first corners of faces.
void set_lanes(HullData& hull) {
    constexpr std::uint32_t at_hand = 8;  // neighbours
    const auto degree = [&](std::uint32_t v) { return hull.vertex_first[v + 1] - hull.vertex_first[v]; };
    const auto fill = [&](std::uint32_t v, std::uint32_t from, HullRing& ring) {
        for (std::uint32_t lane = 0; lane < at_hand; ++lane) {
            const std::uint32_t i = hull.vertex_first[v] + (from + lane < degree(v) ? from + lane : 0);
            ring.neighbour[lane] = hull.vertex_neighbours[i];
            ring.face[lane] = static_cast<std::uint16_t>(hull.vertex_faces[i]);
            const vec3& normal = hull.faces[hull.vertex_faces[i]].normal;
            ring.normal_x[lane] = normal.x, ring.normal_y[lane] = normal.y, ring.normal_z[lane] = normal.z;
        }
    };
    const auto count = static_cast<std::uint32_t>(hull.vertices.size());
    std::size_t wide = 0;
    for (std::uint32_t v = 0; v < count; ++v) wide += degree(v) > at_hand ? (degree(v) + at_hand - 1) / at_hand : 0;
    hull.rings.reserve(hull.vertices.size() + wide);
    hull.rings.resize(hull.vertices.size());
    if (wide != 0) hull.wide_rings.resize(hull.vertices.size() + 1);
    for (std::uint32_t v = 0; v < count; ++v) {
        fill(v, 0, hull.rings[v]);
        if (wide == 0) continue;
        hull.wide_rings[v] = static_cast<std::uint32_t>(hull.rings.size());
        if (degree(v) <= at_hand) continue;
        hull.rings[v].neighbour[0] = HullRing::elsewhere;
        for (std::uint32_t from = 0; from < degree(v); from += at_hand) fill(v, from, hull.rings.emplace_back());
    }
    if (wide != 0) hull.wide_rings[count] = static_cast<std::uint32_t>(hull.rings.size());
    for (HullFace& face : hull.faces) {
        for (std::uint32_t i = 0; i < 4; ++i)
            face.corners[i] = hull.face_vertices[face.first + (i < face.count ? i : 0)];
    }
}

void set_mass(HullData& hull) {
    dvec3 inside(0.0);
    for (const vec3& v : hull.vertices) inside += dvec3(v);
    inside /= double(hull.vertices.size());

    Moments moments;
    double surface = 0.0;
    for (const HullFace& face : hull.faces) {
        const auto corner = [&](std::uint32_t i) {
            return dvec3(hull.vertices[hull.face_vertices[face.first + i]]) - inside;
        };
        dvec3 area(0.0);
        for (std::uint32_t i = 2; i < face.count; ++i) {
            moments.add_tetrahedron(corner(0), corner(i - 1), corner(i));
            area += 0.5 * glm::cross(corner(i - 1) - corner(0), corner(i) - corner(0));
        }
        surface += std::sqrt(glm::dot(area, area));
    }
    hull.volume = static_cast<float>(moments.volume);
    hull.thickness = static_cast<float>(6.0 * moments.volume / surface);
    hull.centroid = vec3(moments.center() + inside);
    hull.unit_inertia = round_inertia(moments.inertia() / moments.volume);
}

Error too_many_vertices(std::size_t count) {
    char text[256];
    std::snprintf(text, sizeof text, "hull: it has %zu vertices and can hold at most %zu; thin out the points first.",
                  count, Hull::max_vertices);
    return {ErrorCode::too_complex, text};
}

}  // namespace

Result<std::shared_ptr<const Hull>> make_hull(std::span<const vec3> points) {
    const Result<Cloud> cloud = make_cloud(points);
    if (!cloud) return cloud.error();
    Result<PolygonMesh> mesh = polygonal_hull(*cloud);
    if (!mesh) return mesh.error();
    const std::vector<Index> chosen = renumber(*mesh);
    if (chosen.size() > Hull::max_vertices) return too_many_vertices(chosen.size());

    HullParts parts;
    for (const Index i : chosen) parts.vertices.push_back(points[i]);
    for (const PolygonFace& face : mesh->faces) {
        const dvec3 area = cloud->area_in_metres(face.area);
        parts.faces.push_back({vec3(area / std::sqrt(glm::dot(area, area))), face.count});
    }
    for (const Index corner : mesh->corners) parts.corners.push_back(static_cast<std::uint16_t>(corner));
    parts.neighbours.assign(mesh->neighbours.begin(), mesh->neighbours.end());
    return std::shared_ptr<const Hull>(detail::assemble_hull(std::move(parts)));
}

std::shared_ptr<const HullData> detail::assemble_hull(HullParts parts) {
    auto hull = std::make_shared<HullData>();
    set_vertices(*hull, std::move(parts.vertices));
    set_faces(*hull, parts);
    set_vertex_rings(*hull);
    set_lanes(*hull);
    set_mass(*hull);
    detail::set_view(*hull);
    return hull;
}

std::size_t Hull::bytes() const {
    const HullData& data = detail::data_of(*this);
    const auto held = [](const auto& v) { return v.capacity() * sizeof v[0]; };
    return held(vertices) + held(data.x) + held(data.y) + held(data.z) + held(faces) + held(face_vertices) +
           held(face_neighbours) + held(vertex_first) + held(vertex_neighbours) + held(vertex_faces) +
           held(data.climb_starts) + held(data.climb_first) + held(data.climb_neighbours) + held(data.climb_rings) +
           held(data.climb_first_ring) + held(data.rings) + held(data.wide_rings);
}

}  // namespace talus
