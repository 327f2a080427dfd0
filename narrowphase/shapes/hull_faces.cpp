#include "narrowphase/shapes/hull_faces.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <numeric>

namespace talus::hull_builder {
namespace {

using glm::dvec3;

double length(const dvec3& v) { return std::sqrt(glm::dot(v, v)); }
double thickness(const dvec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

/// How far an outline may be from convex: see hull_faces.h.
struct Slack {
    double dent, bend, share;
};
constexpr Slack merging{merge_dent, merge_bend, merge_share}, valid{valid_dent, valid_bend, valid_share};

/// Measures a face's outline as contacts do: projected along the face's normal, in metres. In tolerance units the
/// projection of a short side could have another direction, because right angles there are not right angles in metres.
struct Outline {
    const Cloud& cloud;
    dvec3 unit;  ///< normal
    double area;

    Outline(const Cloud& of, const dvec3& area_in_units) : cloud(of), unit(of.area_in_metres(area_in_units)) {
        area = length(unit);
        unit /= area;
    }

    dvec3 side(Index from, Index to) const { return (cloud.points[to] - cloud.points[from]) * cloud.tolerance; }
    /// Area of the triangle between two sides, negative when it turns to the right.
    double turn(const dvec3& in, const dvec3& out) const { return 0.5 * glm::dot(glm::cross(in, out), unit); }
    /// Returns a tolerance unit at right angles to a side, times the side's length.
    double width(const dvec3& side) const { return glm::dot(absolute(glm::cross(unit, side)), cloud.tolerance); }

    /// Returns whether the outline may have these three successive corners.
    bool bends_outward(Index before, Index corner, Index after, const Slack& slack) const {
        const dvec3 in = side(before, corner), out = side(corner, after);
        const double inward = -turn(in, out);
        if (inward <= 0.0) return true;
        return inward <= slack.share * area && 2.0 * inward <= slack.dent * width(in + out) &&
               2.0 * inward <= slack.bend * length(in) * length(out) && glm::dot(in, out) > 0.0;
    }
};

/// A plane one tolerance unit thick, under which a group gathers its triangles.
struct PatchPlane {
    dvec3 normal;
    double offset;

    /// The support plane of the triangles' corners with the normal `area`.
    PatchPlane(const Cloud& cloud, const TriangleMesh& mesh, std::span<const Index> triangles, const dvec3& area)
        : normal(area / thickness(area)), offset(-1e300) {
        for (const Index t : triangles) {
            for (const Index v : mesh[t].vertex) offset = std::max(offset, glm::dot(normal, cloud.points[v]));
        }
    }

    bool holds(const Cloud& cloud, const Triangle& triangle) const {
        if (!(glm::dot(triangle.area, normal) > 0.0)) return false;
        for (const Index v : triangle.vertex) {
            if (!(std::abs(glm::dot(normal, cloud.points[v]) - offset) <= 1.0)) return false;
        }
        return true;
    }
};

/// The mesh as half-edges with faces that can be merged. Half-edge 3t + i is edge i of triangle t.
class Merger {
public:
    Merger(const Cloud& cloud, const TriangleMesh& mesh, std::span<const Index> group);

    void merge_within_groups();
    void drop_straight_vertices();
    PolygonMesh polygons();

private:
    Index face_of(Index edge);
    bool merge_across(Index edge);
    Index origin(Index edge) const { return origin_[edge]; }
    Index target(Index edge) const { return origin_[next_[edge]]; }
    /// Returns whether the vertex at which the edge starts has only two faces.
    bool starts_straight(Index edge) const { return twin_[previous_[edge]] == next_[twin_[edge]]; }
    void link(Index edge, Index following) { next_[edge] = following, previous_[following] = edge; }

    const Cloud& cloud_;
    std::span<const Index> group_;
    std::vector<Index> origin_, next_, previous_, twin_;
    std::vector<bool> gone_;      ///< by edge
    std::vector<Index> parent_;   ///< by triangle: the forest of merged faces
    std::vector<Index> corners_;  ///< by root triangle
    std::vector<dvec3> area_;     ///< by root triangle
};

Merger::Merger(const Cloud& cloud, const TriangleMesh& mesh, std::span<const Index> group)
    : cloud_(cloud),
      group_(group),
      origin_(3 * mesh.size()),
      next_(3 * mesh.size()),
      previous_(3 * mesh.size()),
      twin_(3 * mesh.size()),
      gone_(3 * mesh.size(), false),
      parent_(mesh.size()),
      corners_(mesh.size(), 3) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    area_.reserve(mesh.size());
    for (Index t = 0; t < mesh.size(); ++t) {
        area_.push_back(mesh[t].area);
        for (Index i = 0; i < 3; ++i) {
            const Index edge = 3 * t + i;
            origin_[edge] = mesh[t].vertex[i];
            link(edge, 3 * t + (i + 1) % 3);
            const Triangle& across = mesh[mesh[t].neighbour[i]];
            const Index to = mesh[t].vertex[(i + 1) % 3];
            const Index j = across.vertex[0] == to ? 0 : across.vertex[1] == to ? 1 : 2;
            twin_[edge] = 3 * mesh[t].neighbour[i] + j;
        }
    }
}

Index Merger::face_of(Index edge) {
    Index face = edge / 3;
    while (parent_[face] != face) face = parent_[face] = parent_[parent_[face]];
    return face;
}

/// Removes the chain of edges that two faces share, of which `edge` is one. Returns false, and does nothing, if the
/// union would not be one convex loop.
bool Merger::merge_across(Index edge) {
    const Index a = face_of(edge), b = face_of(twin_[edge]);
    Index first = edge, last = edge;
    Index length_of_chain = 1;
    const Index shortest = std::min(corners_[a], corners_[b]);
    while (starts_straight(first)) {
        first = previous_[first];
        if (++length_of_chain >= shortest) return false;
    }
    while (starts_straight(next_[last])) {
        last = next_[last];
        if (++length_of_chain >= shortest) return false;
    }
    const Index corners = corners_[a] + corners_[b] - 2 * length_of_chain;
    if (corners < 3) return false;

    // If the two faces touch elsewhere, too, their union would be a ring. Count along the shorter loop.
    const Index shorter_start = corners_[a] < corners_[b] ? edge : twin_[edge];
    const Index other = corners_[a] < corners_[b] ? b : a;
    Index shared = 0, e = shorter_start;
    do {
        if (face_of(twin_[e]) == other) ++shared;
        e = next_[e];
    } while (e != shorter_start);
    if (shared != length_of_chain) return false;

    const Index into_first = previous_[first], out_of_first = next_[twin_[first]];
    const Index into_last = previous_[twin_[last]], out_of_last = next_[last];
    const dvec3 area = area_[a] + area_[b];
    const Outline outline(cloud_, area);
    const auto is_corner = [&](Index before, Index corner, Index after) {
        return outline.bends_outward(before, corner, after, merging);
    };
    if (origin(into_first) == target(out_of_first) || origin(into_last) == target(out_of_last)) return false;
    if (!is_corner(origin(into_first), origin(first), target(out_of_first))) return false;
    if (!is_corner(origin(into_last), target(last), target(out_of_last))) return false;

    for (e = first;; e = next_[e]) {
        gone_[e] = gone_[twin_[e]] = true;
        if (e == last) break;
    }
    link(into_first, out_of_first);
    link(into_last, out_of_last);
    const Index root = std::min(a, b), child = std::max(a, b);
    parent_[child] = root;
    corners_[root] = corners;
    area_[root] = area;
    return true;
}

void Merger::merge_within_groups() {
    std::vector<Index> candidates;
    for (Index e = 0; e < twin_.size(); ++e) {
        if (e < twin_[e] && group_[e / 3] == group_[twin_[e] / 3]) candidates.push_back(e);
    }
    // An edge that had to stay may be removable after its neighbours are gone, so repeat while anything changes.
    for (std::size_t left = candidates.size() + 1; candidates.size() < left;) {
        left = candidates.size();
        std::erase_if(candidates, [&](Index e) { return gone_[e] || merge_across(e); });
    }
}

/// Removes vertices at which only two faces meet: they are no corners, and their two edges become one.
void Merger::drop_straight_vertices() {
    for (bool again = true; again;) {
        again = false;
        for (Index e = 0; e < twin_.size(); ++e) {
            if (gone_[e] || !starts_straight(e)) continue;
            const Index a = face_of(e), b = face_of(twin_[e]);
            if (corners_[a] == 3 || corners_[b] == 3) {
                // One of the faces would vanish. Its corners all lie on the other face, so it becomes part of that one.
                again |= merge_across(e);
                continue;
            }
            const Index incoming = previous_[e], back = twin_[e], back_out = next_[back];
            link(incoming, next_[e]);
            link(back, next_[back_out]);
            twin_[incoming] = back;
            twin_[back] = incoming;
            gone_[e] = gone_[back_out] = true;
            --corners_[a];
            --corners_[b];
        }
    }
}

PolygonMesh Merger::polygons() {
    std::vector<Index> number(parent_.size(), none);
    PolygonMesh result;
    for (Index e = 0; e < twin_.size(); ++e) {
        if (gone_[e] || number[face_of(e)] != none) continue;
        number[face_of(e)] = static_cast<Index>(result.faces.size());
        result.faces.push_back(
            {static_cast<std::uint32_t>(result.corners.size()), corners_[face_of(e)], area_[face_of(e)]});
        Index edge = e;
        do {
            result.corners.push_back(origin_[edge]);
            result.neighbours.push_back(face_of(twin_[edge]));
            edge = next_[edge];
        } while (edge != e);
    }
    for (Index& face : result.neighbours) face = number[face];
    return result;
}

}  // namespace

std::vector<Index> coplanar_groups(const Cloud& cloud, const TriangleMesh& mesh) {
    std::vector<Index> seeds(mesh.size());
    std::iota(seeds.begin(), seeds.end(), 0u);
    std::vector<double> size(mesh.size());
    for (Index t = 0; t < mesh.size(); ++t) size[t] = glm::dot(mesh[t].area, mesh[t].area);
    std::sort(seeds.begin(), seeds.end(),
              [&](Index a, Index b) { return size[a] != size[b] ? size[a] > size[b] : a < b; });

    std::vector<Index> group(mesh.size(), none), visited(mesh.size(), none), region;
    Index count = 0, visit = 0;
    const auto gather = [&](Index seed, const PatchPlane& plane) {
        region.assign(1, seed);
        visited[seed] = visit;
        for (std::size_t i = 0; i < region.size(); ++i) {
            for (const Index t : mesh[region[i]].neighbour) {
                if (visited[t] == visit || group[t] != none) continue;
                visited[t] = visit;
                if (plane.holds(cloud, mesh[t])) region.push_back(t);
            }
        }
        ++visit;
    };
    for (const Index seed : seeds) {
        if (group[seed] != none) continue;
        gather(seed, PatchPlane(cloud, mesh, std::span(&seed, 1), mesh[seed].area));
        if (region.size() > 1) {
            // Once more with the mean plane, which a noisy first triangle does not tilt.
            dvec3 area(0.0);
            for (const Index t : region) area += mesh[t].area;
            const std::vector<Index> first = region;
            const PatchPlane mean(cloud, mesh, first, area);
            if (mean.holds(cloud, mesh[seed])) gather(seed, mean);
            if (region.size() < first.size()) region = first;
        }
        for (const Index t : region) group[t] = count;
        ++count;
    }
    return group;
}

std::vector<Index> vertices_inside_groups(const TriangleMesh& mesh, std::span<const Index> group) {
    constexpr Index several = none - 1;
    Index last = 0;
    for (const Triangle& t : mesh) last = std::max({last, t.vertex[0], t.vertex[1], t.vertex[2]});
    std::vector<Index> only_group(last + 1, none);
    for (Index t = 0; t < mesh.size(); ++t) {
        for (const Index v : mesh[t].vertex) {
            if (only_group[v] == none) only_group[v] = group[t];
            if (only_group[v] != group[t]) only_group[v] = several;
        }
    }
    std::vector<Index> inside;
    for (Index v = 0; v <= last; ++v) {
        if (only_group[v] < several) inside.push_back(v);
    }
    return inside;
}

PolygonMesh merge_groups(const Cloud& cloud, const TriangleMesh& mesh, std::span<const Index> group) {
    Merger merger(cloud, mesh, group);
    merger.merge_within_groups();
    merger.drop_straight_vertices();
    return merger.polygons();
}

PolygonMesh keep_triangles(const TriangleMesh& mesh) {
    PolygonMesh result;
    for (const Triangle& t : mesh) {
        result.faces.push_back({static_cast<std::uint32_t>(result.corners.size()), 3, t.area});
        result.corners.insert(result.corners.end(), t.vertex, t.vertex + 3);
        result.neighbours.insert(result.neighbours.end(), t.neighbour, t.neighbour + 3);
    }
    return result;
}

bool is_valid(const Cloud& cloud, const PolygonMesh& mesh) {
    struct Side {
        Index from, to, face;
        auto operator<=>(const Side&) const = default;
    };
    std::vector<Side> sides;
    sides.reserve(mesh.corners.size());
    for (Index f = 0; f < mesh.faces.size(); ++f) {
        const PolygonFace& face = mesh.faces[f];
        for (std::uint32_t i = 0; i < face.count; ++i)
            sides.push_back({mesh.corners[face.first + i], mesh.corners[face.first + (i + 1) % face.count], f});
    }
    std::sort(sides.begin(), sides.end());
    dvec3 inside(0.0);
    for (const Index corner : mesh.corners) inside += cloud.points[corner] / double(mesh.corners.size());

    std::vector<std::uint32_t> degree(cloud.points.size(), 0);
    for (Index f = 0; f < mesh.faces.size(); ++f) {
        const PolygonFace& face = mesh.faces[f];
        if (face.count < 3) return false;
        const Index* corner = &mesh.corners[face.first];
        const auto at = [&](std::uint32_t i) { return corner[i % face.count]; };

        const Outline outline(cloud, face.area);
        const dvec3 normal = face.area / thickness(face.area);
        double highest = -1e300, lowest = 1e300;
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const double h = glm::dot(normal, cloud.points[at(i)]);
            highest = std::max(highest, h), lowest = std::min(lowest, h);
            ++degree[corner[i]];
        }
        if (!(highest - lowest <= valid_depth) || !(glm::dot(normal, inside) < highest)) return false;

        double area = 0.0;
        for (std::uint32_t i = 0; i < face.count; ++i) {
            // Convex: no dent at any corner, and the fan from corner 0 never turns back, so that the loop goes around
            // once.
            if (!outline.bends_outward(at(i), at(i + 1), at(i + 2), valid)) return false;
            const double fan = outline.turn(outline.side(at(0), at(i)), outline.side(at(i), at(i + 1)));
            if (!(fan >= -valid.share * outline.area)) return false;
            area += fan;

            const Index across = mesh.neighbours[face.first + i];
            const Index from = at(i), to = at(i + 1);
            if (across == f || !std::binary_search(sides.begin(), sides.end(), Side{to, from, across})) return false;
        }
        // If a thin face has lost corners because they were straight, its plane is not reliable.
        if (!(area >= valid_area * outline.area)) return false;
    }
    for (std::size_t i = 1; i < sides.size(); ++i) {
        if (sides[i].from == sides[i - 1].from && sides[i].to == sides[i - 1].to) return false;
    }
    std::size_t vertices = 0;
    for (const std::uint32_t d : degree) {
        if (d == 1 || d == 2) return false;
        if (d > 0) ++vertices;
    }
    return 2 * (vertices + mesh.faces.size()) == mesh.corners.size() + 4;
}

}  // namespace talus::hull_builder
