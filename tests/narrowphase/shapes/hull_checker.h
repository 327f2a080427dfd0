#pragma once
/// Checks whether a hull is a convex polyhedron, and the hull of the given points. It is independent of the builder:
/// plain loops over the finished arrays, from the definitions. Returns the first error, or an empty string.

#include "narrowphase/shapes/hull_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace hull_checker {

using glm::dvec3;
using talus::Hull;
using talus::HullFace;
using talus::vec3;

/// The builder's tolerance: along each axis a millionth of the extent plus four units in the last place of the
/// coordinates.
struct Tolerance {
    dvec3 box{0.0};
    explicit Tolerance(std::span<const vec3> points) {
        dvec3 lower(points[0]), upper(points[0]), reach(0.0);
        for (const vec3& p : points) {
            lower = glm::min(lower, dvec3(p));
            upper = glm::max(upper, dvec3(p));
            reach = glm::max(reach, glm::abs(dvec3(p)));
        }
        box = 1e-6 * (upper - lower) + 4.8e-7 * reach;
    }
    double along(const dvec3& unit) const { return glm::dot(glm::abs(unit), box); }
};

struct Report {
    std::string problem;
    double highest_point = 0.0;   ///< of the input above a face, in tolerances
    double deepest_corner = 0.0;  ///< of a face under its own plane, in tolerances
    double deepest_dent = 0.0;    ///< of a face's outline, in tolerances
    int unmerged = 0;             ///< edges between faces that lie in one plane, well within the tolerance
};

/// Corner distances from the outline's convex hull: how far a polygon is from convex (m over the tolerance across the
/// outline).
inline double worst_dent(const std::vector<dvec3>& corners, const dvec3& normal, const Tolerance& tolerance,
                         bool& round_once) {
    // Two axes in the plane, then Andrew's monotone chain.
    const dvec3 a = glm::abs(normal);
    const dvec3 axis = a.x <= a.y && a.x <= a.z ? dvec3(1, 0, 0) : a.y <= a.z ? dvec3(0, 1, 0) : dvec3(0, 0, 1);
    const dvec3 u = glm::normalize(glm::cross(axis, normal)), v = glm::cross(normal, u);
    const std::size_t count = corners.size();
    std::vector<std::pair<double, double>> flat;
    for (const dvec3& c : corners) flat.push_back({glm::dot(u, c - corners[0]), glm::dot(v, c - corners[0])});
    const auto cross = [&](std::size_t o, std::size_t p, std::size_t q) {
        return (flat[p].first - flat[o].first) * (flat[q].second - flat[o].second) -
               (flat[p].second - flat[o].second) * (flat[q].first - flat[o].first);
    };
    std::vector<std::size_t> order(count), chain;
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto p, auto q) { return flat[p] < flat[q]; });
    for (int side = 0; side < 2; ++side) {
        const std::size_t base = chain.size();
        for (const std::size_t i : order) {
            while (chain.size() >= base + 2 && cross(chain[chain.size() - 2], chain.back(), i) <= 0.0) chain.pop_back();
            chain.push_back(i);
        }
        chain.pop_back();
        std::reverse(order.begin(), order.end());
    }
    // The hull's corners must come in the loop's own order, and each left-out corner close to the side it belongs to.
    const std::size_t start = std::min_element(chain.begin(), chain.end()) - chain.begin();
    std::rotate(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(start), chain.end());
    round_once = chain.size() >= 3 && std::is_sorted(chain.begin(), chain.end());
    double worst = 0.0;
    for (std::size_t k = 0; k < chain.size() && round_once; ++k) {
        const std::size_t from = chain[k], to = k + 1 < chain.size() ? chain[k + 1] : chain[0] + count;
        const dvec3 side = corners[to % count] - corners[from];
        const dvec3 inward = glm::normalize(glm::cross(normal, side));
        for (std::size_t i = from + 1; i < to; ++i)
            worst = std::max(worst, glm::dot(inward, corners[i % count] - corners[from]) / tolerance.along(inward));
    }
    return worst;
}

/// The outlines of faces narrower than `sliver_width` (tolerances) may run in either direction: the builder decides on
/// a grid of a thousandth of the tolerance, on which such a face may be reversed. Ordinary clouds have no such faces.
inline Report check(std::span<const vec3> points, const Hull& checked, double sliver_width = 0.0) {
    const talus::detail::HullData& hull = talus::detail::data_of(checked);
    Report report;
    const Tolerance tolerance(points);
    std::ostringstream out;
    const auto fail = [&]() -> Report {
        report.problem = out.str();
        return report;
    };
    const std::size_t vertex_count = hull.vertices.size(), face_count = hull.faces.size();
    if (vertex_count < 4 || face_count < 4 || vertex_count > Hull::max_vertices || face_count > Hull::max_faces)
        return out << "V " << vertex_count << ", F " << face_count, fail();

    // Vertices are input points, bit for bit, in the order of the input.
    std::size_t next = 0;
    for (std::size_t i = 0; i < vertex_count; ++i) {
        while (next < points.size() && std::memcmp(&points[next], &hull.vertices[i], sizeof(vec3)) != 0) ++next;
        if (next++ == points.size()) return out << "vertex " << i << " is not the next input point", fail();
    }
    const std::size_t padded = (vertex_count + 7) / 8 * 8;
    if (hull.x.size() != padded || hull.y.size() != padded || hull.z.size() != padded)
        return out << "SoA is not padded", fail();
    for (std::size_t i = 0; i < padded; ++i) {
        if (vec3(hull.x[i], hull.y[i], hull.z[i]) != hull.vertices[i < vertex_count ? i : 0])
            return out << "SoA differs at " << i, fail();
    }
    talus::Aabb box{hull.vertices[0], hull.vertices[0]};
    for (const vec3& v : hull.vertices) {
        box = talus::merge(box, {v, v});
        if (std::sqrt(glm::dot(dvec3(v), dvec3(v))) > double(hull.bounding_radius))
            return out << "outside its bounding radius", fail();
    }
    if (box.lower != hull.bounds.lower || box.upper != hull.bounds.upper) return out << "bounds", fail();

    // Faces.
    std::map<std::pair<int, int>, int> face_of_edge;
    std::uint32_t expected_first = 0;
    const dvec3 centroid(hull.centroid);
    double volume = 0.0;
    for (std::size_t f = 0; f < face_count; ++f) {
        const HullFace& face = hull.faces[f];
        if (face.count < 3 || face.first != expected_first)
            return out << "face " << f << " has " << face.count << " corners", fail();
        expected_first += face.count;
        const dvec3 normal(face.normal);
        if (!(std::abs(glm::dot(normal, normal) - 1.0) < 1e-6))
            return out << "face " << f << " normal is not unit", fail();
        const double thick = tolerance.along(normal);
        std::vector<dvec3> corners;
        std::set<int> distinct;
        dvec3 area(0.0);
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const int from = hull.face_vertices[face.first + i],
                      to = hull.face_vertices[face.first + (i + 1) % face.count];
            corners.push_back(dvec3(hull.vertices[static_cast<std::size_t>(from)]));
            distinct.insert(from);
            if (!face_of_edge.insert({{from, to}, int(f)}).second)
                return out << "edge " << from << "-" << to << " twice", fail();
            const double height = (glm::dot(normal, corners.back()) - double(face.offset)) / thick;
            report.deepest_corner = std::max(report.deepest_corner, -height);
            report.highest_point = std::max(report.highest_point, height);
        }
        if (distinct.size() != face.count) return out << "face " << f << " meets a vertex twice", fail();
        for (std::uint32_t i = 2; i < face.count; ++i)
            area += 0.5 * glm::cross(corners[i - 1] - corners[0], corners[i] - corners[0]);
        volume += glm::dot(area, corners[0] - centroid) / 3.0;
        double slit = 0.0;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const dvec3 side = corners[i] - corners[i == 0 ? corners.size() - 1 : i - 1];
            slit = std::max(slit, sliver_width * tolerance.along(glm::cross(normal, side)));
        }
        if (!(glm::dot(area, normal) > -slit)) return out << "face " << f << " is clockwise", fail();
        if (!(glm::dot(normal, centroid) < double(face.offset))) return out << "face " << f << " looks inward", fail();
        bool round_once = false;
        double dent = worst_dent(corners, normal, tolerance, round_once);
        if (!round_once) {
            // Two corners nearer than the tolerance may have changed places: once more with one of them.
            std::vector<dvec3> apart;
            for (const dvec3& c : corners) {
                const dvec3 step = c - (apart.empty() ? corners.back() : apart.back());
                if (glm::dot(step, step) > tolerance.along(step)) apart.push_back(c);
            }
            if (apart.size() >= 3) dent = worst_dent(apart, normal, tolerance, round_once);
        }
        report.deepest_dent = std::max(report.deepest_dent, dent);
        if (!round_once && glm::dot(area, normal) > slit)
            return out << "face " << f << " does not go round once", fail();
    }
    if (hull.face_vertices.size() != expected_first || hull.face_neighbours.size() != expected_first)
        return out << "loop arrays", fail();

    // Edges: each has its other half, which face_neighbours names; all faces hang together.
    std::vector<std::size_t> reached{0};
    std::vector<bool> seen(face_count, false);
    seen[0] = true;
    for (std::size_t f = 0; f < face_count; ++f) {
        const HullFace& face = hull.faces[f];
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const int from = hull.face_vertices[face.first + i],
                      to = hull.face_vertices[face.first + (i + 1) % face.count];
            const auto other = face_of_edge.find({to, from});
            if (other == face_of_edge.end()) return out << "edge " << from << "-" << to << " has one face", fail();
            if (other->second != int(hull.face_neighbours[face.first + i]))
                return out << "neighbour of face " << f, fail();
            const HullFace& g = hull.faces[static_cast<std::size_t>(other->second)];
            double lowest = 0.0;
            for (std::uint32_t j = 0; j < g.count; ++j) {
                const dvec3 corner(hull.vertices[hull.face_vertices[g.first + j]]);
                lowest = std::min(lowest, glm::dot(dvec3(face.normal), corner) - double(face.offset));
            }
            if (lowest > -0.25 * tolerance.along(dvec3(face.normal)) && glm::dot(face.normal, g.normal) > 0.0f)
                ++report.unmerged;
        }
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const HullFace& face = hull.faces[reached[i]];
        for (std::uint32_t e = 0; e < face.count; ++e) {
            const std::size_t g = hull.face_neighbours[face.first + e];
            if (!seen[g]) seen[g] = true, reached.push_back(g);
        }
    }
    if (reached.size() != face_count) return out << "the surface is in pieces", fail();
    if (2 * (vertex_count + face_count) != face_of_edge.size() + 4)
        return out << "Euler: V " << vertex_count << " E " << face_of_edge.size() / 2 << " F " << face_count, fail();

    // Rings around the vertices: face i lies between edge i and edge i + 1, counter-clockwise.
    if (hull.vertex_first.size() != vertex_count + 1 || hull.vertex_first[vertex_count] != face_of_edge.size() ||
        hull.vertex_neighbours.size() != face_of_edge.size() || hull.vertex_faces.size() != face_of_edge.size())
        return out << "ring arrays", fail();
    for (std::size_t v = 0; v < vertex_count; ++v) {
        const std::uint32_t first = hull.vertex_first[v], count = hull.vertex_first[v + 1] - first;
        if (count < 3) return out << "vertex " << v << " has " << count << " edges", fail();
        std::set<int> distinct;
        for (std::uint32_t i = 0; i < count; ++i) {
            const int to = hull.vertex_neighbours[first + i], after = hull.vertex_neighbours[first + (i + 1) % count];
            distinct.insert(to);
            const auto out_edge = face_of_edge.find({int(v), to}), in_edge = face_of_edge.find({after, int(v)});
            if (out_edge == face_of_edge.end() || in_edge == face_of_edge.end() ||
                out_edge->second != int(hull.vertex_faces[first + i]) ||
                in_edge->second != int(hull.vertex_faces[first + i]))
                return out << "ring of vertex " << v, fail();
        }
        if (distinct.size() != count) return out << "vertex " << v << " names a neighbour twice", fail();
    }

    // Data that is stored twice: the first corners of faces, the rings as lanes.
    for (std::size_t f = 0; f < face_count; ++f) {
        for (std::uint32_t i = 0; i < 4; ++i) {
            const HullFace& face = hull.faces[f];
            if (face.corners[i] != hull.face_vertices[face.first + (i < face.count ? i : 0)])
                return out << "first corners of face " << f, fail();
        }
    }
    for (std::size_t v = 0; v < vertex_count; ++v) {
        const std::uint32_t first = hull.vertex_first[v], count = hull.vertex_first[v + 1] - first;
        const bool wide = hull.rings.at(v).neighbour[0] == talus::detail::HullRing::elsewhere;
        if (wide != (count > 8)) return out << "vertex " << v << " is at the wrong place among the rings", fail();
        const std::size_t begin = wide ? hull.wide_rings.at(v) : v;
        const std::size_t entries = 8 * (wide ? hull.wide_rings.at(v + 1) - begin : 1);
        if (entries < count || (wide && entries >= count + 8)) return out << "ring entries of vertex " << v, fail();
        for (std::uint32_t i = 0; i < entries; ++i) {
            const talus::detail::HullRing& ring = hull.rings.at(begin + i / 8);
            const std::uint32_t j = first + (i < count ? i : 0);
            if (ring.neighbour[i % 8] != hull.vertex_neighbours[j] ||
                ring.face[i % 8] != (hull.vertex_faces[j] & 0xffffu))
                return out << "ring entry " << i << " of vertex " << v, fail();
            const talus::vec3 normal(ring.normal_x[i % 8], ring.normal_y[i % 8], ring.normal_z[i % 8]);
            if (normal != hull.faces.at(hull.vertex_faces[j]).normal)
                return out << "ring normal " << i << " of vertex " << v, fail();
        }
        if (hull.view.rings == nullptr) continue;
        const std::uint32_t ways = hull.view.first[v + 1] - hull.view.first[v], rings = (ways + 7) / 8;
        if (hull.climb_first_ring.at(v + 1) - hull.climb_first_ring.at(v) != rings)
            return out << "climb rings of vertex " << v, fail();
        for (std::uint32_t i = 0; i < 8 * rings; ++i) {
            const talus::detail::ClimbRing& ring = hull.climb_rings.at(hull.climb_first_ring[v] + i / 8);
            const std::uint16_t other = hull.view.neighbours[hull.view.first[v] + (i < ways ? i : i / 8 * 8)];
            const talus::vec3 way = hull.vertices.at(other) - hull.vertices[v];
            if (ring.next[i % 8] != other || way != talus::vec3(ring.x[i % 8], ring.y[i % 8], ring.z[i % 8]))
                return out << "climb ring entry " << i << " of vertex " << v, fail();
        }
    }

    // Every input point under every face; for big ones every k-th point, so that the test stays quick.
    const std::size_t stride = std::max<std::size_t>(1, points.size() * face_count / 20'000'000);
    for (std::size_t f = 0; f < face_count; ++f) {
        const dvec3 normal(hull.faces[f].normal);
        const double thick = tolerance.along(normal), offset = double(hull.faces[f].offset);
        double highest = 0.0;
        for (std::size_t i = f % stride; i < points.size(); i += stride)
            highest = std::max(highest, glm::dot(normal, dvec3(points[i])) - offset);
        report.highest_point = std::max(report.highest_point, highest / thick);
    }

    if (!(hull.volume > 0.0f) || !(std::abs(volume - double(hull.volume)) < 1e-4 * volume))
        return out << "volume " << hull.volume << ", by faces " << volume, fail();
    const talus::mat3& m = hull.unit_inertia;
    const double a = m[0][0], b = double(m[0][0]) * m[1][1] - double(m[0][1]) * m[1][0];
    if (!(a > 0.0) || !(b > 0.0) || !(glm::determinant(glm::dmat3(m)) > 0.0) || glm::transpose(m) != m)
        return out << "inertia is not positive definite", fail();

    if (report.highest_point > 3.0)
        return out << "a point lies " << report.highest_point << " tolerances outside", fail();
    if (report.deepest_corner > 3.0)
        return out << "a corner lies " << report.deepest_corner << " tolerances under its face", fail();
    if (report.deepest_dent > 3.0)
        return out << "a face has a dent of " << report.deepest_dent << " tolerances", fail();
    return report;
}

}  // namespace hull_checker
