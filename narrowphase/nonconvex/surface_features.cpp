#include "narrowphase/nonconvex/surface_features.h"

#include "narrowphase/nonconvex/feature_geometry.h"

#include "common/bit_cast.h"
#include "narrowphase/tolerances.h"

#include <array>
#include <bit>
#include <limits>
#include <unordered_map>

namespace talus::detail {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::uint32_t id_of(const vec3& p) {
    const auto bits = [](float x) { return bit_cast<std::uint32_t>(x + 0.0f); };  // -0 counts as 0
    return mixed(mixed(bits(p.x), bits(p.y)), bits(p.z));
}

vec3 unit_or_zero(const vec3& v) {
    const float length = std::sqrt(length_squared(v));
    return length > 0.0f ? v / length : vec3(0.0f);
}

bool are_in_order(const vec3& p, const vec3& q) { return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z; }

}  // namespace

// ---- collecting features --------------------------------------------------------------------------------------------

std::size_t SurfaceFeatures::bytes() const {
    const auto sum = [](const auto&... lists) { return (0 + ... + (lists.capacity() * sizeof(lists[0]))); };
    return sum(vertices, directions, edges, faces, nodes, leaves, four_vertices, four_edges);
}

namespace {

/// The triangles of a set as they are seen: from the front, or, with the corners in the other order, from behind.
class SeenTriangles {
public:
    SeenTriangles(const TriangleSet& set, std::span<const std::uint32_t> triangles,
                  const std::vector<bool>& from_behind)
        : set_(set), triangles_(triangles), from_behind_(from_behind) {}

    std::uint32_t size() const { return static_cast<std::uint32_t>(triangles_.size()); }
    std::uint32_t number(std::uint32_t face) const { return triangles_[face]; }
    std::array<vec3, 3> points(std::uint32_t face) const { return set_.points(triangles_[face]); }
    bool is_behind(std::uint32_t face) const { return !from_behind_.empty() && from_behind_[face]; }

    SetTriangle triangle(std::uint32_t face) const {
        SetTriangle seen = set_.triangle(triangles_[face]);
        if (!is_behind(face)) return seen;
        seen.normal = -seen.normal;
        std::swap(seen.points[1], seen.points[2]);
        std::swap(seen.beyond[0], seen.beyond[2]);
        return seen;
    }
    /// Returns the number of a corner of the set's triangle as it is seen.
    int seen_corner(std::uint32_t face, int corner) const { return is_behind(face) ? (3 - corner) % 3 : corner; }

    template <class Visit>
    void around(std::uint32_t face, int corner, const Visit& visit) const {
        set_.around(triangles_[face], corner, visit);
    }

private:
    const TriangleSet& set_;
    std::span<const std::uint32_t> triangles_;
    const std::vector<bool>& from_behind_;
};

/// A corner of a triangle, on the way to the vertices.
struct Corner {
    vec3 at;
    std::uint32_t face;
    int corner;
};

/// The edges that lead away from the vertices of a surface, those of vertices that are no features, too.
class VertexDirections {
public:
    VertexDirections(const SeenTriangles& triangles, SurfaceFeatures& out) : triangles_(triangles), out_(out) {
        std::vector<Corner> corners;
        for (std::uint32_t f = 0; f < triangles.size(); ++f) {
            const std::array<vec3, 3> points = triangles.points(f);
            for (int i = 0; i < 3; ++i) corners.push_back({points[static_cast<std::size_t>(i)], f, i});
        }
        std::sort(corners.begin(), corners.end(), [](const Corner& x, const Corner& y) {
            return x.at != y.at ? are_in_order(x.at, y.at) : x.face < y.face;
        });
        std::uint32_t index = SurfaceFeatures::none;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Corner& corner = corners[i];
            if (i == 0 || corners[i - 1].at != corner.at) {
                std::size_t end = i + 1;
                while (end < corners.size() && corners[end].at == corner.at) ++end;
                index = add(std::span(corners).subspan(i, end - i));
            }
            const int place = triangles.seen_corner(corner.face, corner.corner);
            out.faces[corner.face].vertices[place] = index;
            out.faces[corner.face].corners[place] = static_cast<std::uint32_t>(all_.size() - 1);
        }
        out.corner_count = static_cast<std::uint32_t>(all_.size());
    }

    /// Returns whether an edge leads on from the vertex at `end`, in front along `along`, that rises along `up`.
    bool rises_beyond(const vec3& end, const vec3& along, const vec3& up) const {
        const auto at = std::lower_bound(all_.begin(), all_.end(), end,
                                         [](const auto& v, const vec3& place) { return are_in_order(v.at, place); });
        if (at == all_.end() || at->at != end) return false;
        const auto first = out_.directions.begin() + at->first;
        return std::any_of(first, first + at->count, [&](const vec3& d) {
            return glm::dot(d, along) > 0.0f && glm::dot(d, up) > tolerance::surface_rise;
        });
    }

private:
    /// Adds a vertex by its corners. Returns its number among the features, or `none` if it is inside of a flat face.
    std::uint32_t add(std::span<const Corner> corners) {
        const Corner& corner = corners.front();
        const auto first = static_cast<std::uint32_t>(out_.directions.size());
        triangles_.around(corner.face, corner.corner,
                          [&](const vec3& end) { out_.directions.push_back(unit_or_zero(end - corner.at)); });
        const auto count = static_cast<std::uint32_t>(out_.directions.size()) - first;
        all_.push_back({corner.at, first, count, id_of(corner.at), triangles_.number(corner.face)});
        const vec3 normal = triangles_.triangle(corner.face).normal;
        const bool flat = std::all_of(out_.directions.begin() + first, out_.directions.end(), [&](const vec3& d) {
            return std::abs(glm::dot(d, normal)) <= tolerance::feature_level;
        });
        if (flat) return SurfaceFeatures::none;
        // The edges of a vertex that is nearly flat are at right angles to its normal and to the opposite direction alike,
        // within tolerance::feature_slack. One more direction, into the surface, tells the two apart.
        vec3 sum(0.0f);
        // With faces all around, TriangleSet::around() ends with the edge that it called second.
        bool nearly_flat =
            corners.size() >= 3 && corners.size() + 1 == count && out_.directions.back() == out_.directions[first + 1];
        for (const Corner& each : corners) {
            const vec3 n = triangles_.triangle(each.face).normal;
            nearly_flat = nearly_flat && glm::dot(n, normal) > tolerance::feature_nearly_flat;
            sum += n;
        }
        if (nearly_flat) {
            out_.directions.push_back(-unit_or_zero(sum));
            ++all_.back().count;
        }
        out_.vertices.push_back(all_.back());
        return static_cast<std::uint32_t>(out_.vertices.size() - 1);
    }

    const SeenTriangles& triangles_;
    SurfaceFeatures& out_;
    std::vector<SurfaceFeatures::Vertex> all_;  ///< in the order of their places
};

}  // namespace

void SurfaceFeatures::collect(const TriangleSet& set, std::span<const std::uint32_t> triangles,
                              const std::vector<bool>& from_behind) {
    const SeenTriangles seen(set, triangles, from_behind);
    vertices.clear();
    directions.clear();
    edges.clear();
    faces.assign(triangles.size(), Face{});
    const VertexDirections around(seen, *this);
    std::unordered_map<std::uint64_t, std::uint32_t> known;  // edges, by the ids of both ends
    for (std::uint32_t f = 0; f < triangles.size(); ++f) {
        const SetTriangle triangle = seen.triangle(f);
        Face& face = faces[f];
        face.triangle = triangles[f];
        face.normal = triangle.normal;
        face.depth = infinity;
        for (int i = 0; i < 3; ++i) {
            const vec3 &p = triangle.points[i], &q = triangle.points[(i + 1) % 3], &beyond = triangle.beyond[i];
            face.points[i] = p;
            face.edges[i] = none;
            face.out[i] = unit_or_zero(glm::cross(q - p, triangle.normal));
            const vec3 to_beyond = beyond - p;
            const float size = std::sqrt(length_squared(to_beyond));
            const float rise = glm::dot(triangle.normal, to_beyond), away = glm::dot(face.out[i], to_beyond);
            face.hollow[i] = rise > tolerance::surface_rise * size;
            const bool ends = beyond == triangle.points[(i + 2) % 3];
            const bool level = std::abs(rise) <= tolerance::feature_level * size && away > 0.0f;
            if (face.hollow[i] || (level && !ends)) continue;
            const bool forward = are_in_order(p, q);
            const vec3 &from = forward ? p : q, &to = forward ? q : p;
            const std::uint32_t id_from = id_of(from), id_to = id_of(to);
            if (!ends) {  // the neighbour has the same edge
                const auto [place, is_new] =
                    known.try_emplace(std::uint64_t{id_from} << 32 | id_to, static_cast<std::uint32_t>(edges.size()));
                face.edges[i] = place->second;
                if (!is_new) continue;
            }
            face.edges[i] = static_cast<std::uint32_t>(edges.size());
            Edge edge{from,
                      to,
                      unit_or_zero(to - from),
                      {-face.out[i], vec3(0.0f)},
                      vec3(0.0f),
                      false,
                      false,
                      mixed(id_from, id_to),
                      triangles[f],
                      infinity};
            if (!ends) edge.into[1] = unit_or_zero(to_beyond - glm::dot(to_beyond, edge.direction) * edge.direction);
            edge.outward = ends ? triangle.normal : -unit_or_zero(edge.into[0] + edge.into[1]);
            edge.hollow_from = around.rises_beyond(from, -edge.direction, edge.outward);
            edge.hollow_to = around.rises_beyond(to, edge.direction, edge.outward);
            edges.push_back(edge);
        }
    }
    find_neighbours();
    build_tree(false);
    float area = 0.0f;
    for (const Face& face : faces) {
        const vec3 across = glm::cross(face.points[1] - face.points[0], face.points[2] - face.points[0]);
        area += 0.5f * std::sqrt(length_squared(across));
    }
    grain = faces.empty() ? 0.0f : std::sqrt(area / static_cast<float>(faces.size()));
}

/// Finds the faces beyond the edges of all faces.
void SurfaceFeatures::find_neighbours() {
    struct Side {
        std::uint32_t low, high;  ///< corners
        std::uint32_t face, edge;
    };
    std::vector<Side> sides;
    sides.reserve(3 * faces.size());
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            const std::uint32_t p = faces[f].corners[i], q = faces[f].corners[(i + 1) % 3];
            faces[f].beyond[i] = none;
            sides.push_back({std::min(p, q), std::max(p, q), f, i});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
        return x.low != y.low ? x.low < y.low : x.high != y.high ? x.high < y.high : x.face < y.face;
    });
    for (std::size_t k = 1; k < sides.size(); ++k) {
        const Side &x = sides[k - 1], &y = sides[k];
        if (x.low != y.low || x.high != y.high) continue;
        faces[x.face].beyond[x.edge] = y.face;
        faces[y.face].beyond[y.edge] = x.face;
    }
}

void SurfaceFeatures::find_depths(const TriangleSet& set) {
    const Aabb& box = set.bounds();
    const float far = std::sqrt(length_squared(box.upper - box.lower));
    // How far it is through the solid from a point of its surface, m.
    const auto thickness = [&](const vec3& from, const vec3& inward, std::uint32_t own_face) {
        const vec3 way = far * inward;
        float nearest = 1.0f;
        set.cast(from, way, vec3(0.0f), [&](std::uint32_t t, float most) {
            const Face& other = faces[t];
            const float along = glm::dot(way, other.normal);
            if (t == own_face || !(along > 0.0f)) return most;  // the ray leaves the solid at its end
            const float fraction = glm::dot(other.points[0] - from, other.normal) / along;
            if (!(fraction > 0.0f && fraction < nearest) || beside_face(other, from + fraction * way, 0.0f) > 0.0f)
                return most;
            nearest = fraction;
            return std::min(most, fraction);
        });
        return nearest * far;
    };
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        const vec3(&p)[3] = faces[f].points;
        faces[f].depth = 0.5f * thickness((p[0] + p[1] + p[2]) / 3.0f, -faces[f].normal, f);
    }
    // Between the two faces of an edge, the solid may be thicker than across either: a square rod by 1.4 times.
    for (Edge& edge : edges) {
        if (edge.outward != vec3(0.0f))
            edge.depth = 0.5f * thickness(0.5f * (edge.from + edge.to), -edge.outward, none);
    }
}

// ---- the tree -------------------------------------------------------------------------------------------------------

namespace {

Aabb box_of(const SurfaceFeatures::Face& face) {
    const vec3(&p)[3] = face.points;
    return {glm::min(p[0], glm::min(p[1], p[2])), glm::max(p[0], glm::max(p[1], p[2]))};
}

float area_of(const vec3& sides) { return sides.x * sides.y + sides.y * sides.z + sides.z * sides.x; }
float area_of(const Aabb& box) { return area_of(box.upper - box.lower); }

/// Returns the box of some faces along these axes.
OrientedBox box_along(std::span<const SurfaceFeatures::Face> faces, const vec3& x, const vec3& y, const vec3& z) {
    constexpr float rounding = 1e-6f;
    OrientedBox box{vec3(0.0f), {x, y, z}, {}};
    for (int i = 0; i < 3; ++i) {
        float low = infinity, high = -infinity;
        for (const SurfaceFeatures::Face& face : faces) {
            for (const vec3& p : face.points) {
                const float along = glm::dot(box.axes[i], p);
                low = std::min(low, along), high = std::max(high, along);
            }
        }
        box.middle += 0.5f * (low + high) * box.axes[i];
        box.half[i] = 0.5f * (high - low) + rounding * std::max(std::abs(low), std::abs(high));
    }
    return box;
}

/// Returns a box around some faces: with one side along the surface, if that is smaller than one along the axes of the
/// frame. The other two go with the spread of the corners on that side, or with the longest edge.
OrientedBox fitting_box(std::span<const SurfaceFeatures::Face> faces) {
    OrientedBox best = box_along(faces, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
    vec3 sum(0.0f), middle(0.0f), longest(0.0f);
    for (const SurfaceFeatures::Face& face : faces) {
        const vec3(&p)[3] = face.points;
        sum += glm::cross(p[1] - p[0], p[2] - p[0]);
        for (int i = 0; i < 3; ++i) {
            const vec3 edge = p[(i + 1) % 3] - p[i];
            if (length_squared(edge) > length_squared(longest)) longest = edge;
            middle += p[i];
        }
    }
    const vec3 z = unit_or_zero(sum);
    if (z == vec3(0.0f)) return best;
    middle /= static_cast<float>(3 * faces.size());
    const vec3 x = unit_or_zero(longest - glm::dot(longest, z) * z), y = glm::cross(z, x);
    if (x == vec3(0.0f)) return best;
    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
    for (const SurfaceFeatures::Face& face : faces) {
        for (const vec3& p : face.points) {
            const float u = glm::dot(p - middle, x), v = glm::dot(p - middle, y);
            xx += u * u, xy += u * v, yy += v * v;
        }
    }
    // The direction of the largest spread is at half the angle of (xx - yy, 2 xy) to the x axis.
    const float across = xx - yy, twist = 2.0f * xy, length = std::sqrt(across * across + twist * twist);
    const auto take = [&](const vec3& u, const vec3& v) {
        const OrientedBox box = box_along(faces, u, v, z);
        const auto area = [](const OrientedBox& b) { return area_of(vec3(b.half[0], b.half[1], b.half[2])); };
        if (area(box) < area(best)) best = box;
    };
    take(x, y);
    if (!(length > 0.0f)) return best;
    const float cosine = std::sqrt(std::max(0.5f * (1.0f + across / length), 0.0f)),
                sine = (twist < 0.0f ? -1.0f : 1.0f) * std::sqrt(std::max(0.5f * (1.0f - across / length), 0.0f));
    const vec3 u = unit_or_zero(cosine * x + sine * y);
    take(u, glm::cross(z, u));
    return best;
}

void set_lane(Vec3Lanes<Float4>& lanes, int lane, const vec3& v) {
    lanes.x[lane] = v.x;
    lanes.y[lane] = v.y;
    lanes.z[lane] = v.z;
}

SurfaceFeatures::FourFaces in_lanes(std::span<const SurfaceFeatures::Face> faces) {
    SurfaceFeatures::FourFaces lanes;
    for (int lane = 0; lane < lane_count<Float4>; ++lane) {
        const SurfaceFeatures::Face& face =
            faces[std::min<std::size_t>(static_cast<std::size_t>(lane), faces.size() - 1)];
        set_lane(lanes.normal, lane, face.normal);
        for (int i = 0; i < 3; ++i) {
            set_lane(lanes.points[i], lane, face.points[i]);
            set_lane(lanes.out[i], lane, face.out[i]);
            lanes.hollow[i][lane] = face.hollow[i] ? 1.0f : 0.0f;
        }
    }
    return lanes;
}

/// Builds the tree over the faces in their order.
class TreeBuilder {
public:
    TreeBuilder(SurfaceFeatures& out, bool fits) : out_(out), fits_(fits), from_right_(out.faces.size()) {}

    /// Adds up to four nodes for some faces, and all below them. Returns the index of the nodes.
    std::uint32_t add(std::uint32_t first, std::uint32_t last) {
        // Halves, quarters of the halves that are not leaves yet.
        std::uint32_t ends[5] = {first, last, last, last, last};
        int count = 1;
        for (int round = 0; round < 2; ++round) {
            for (int i = count; i-- > 0;) {
                if (ends[i + 1] - ends[i] <= leaf_size) continue;
                const std::uint32_t split = split_of(ends[i], ends[i + 1]);
                for (int k = ++count; k > i + 1; --k) ends[k] = ends[k - 1];
                ends[i + 1] = split;
            }
        }
        const auto index = static_cast<std::uint32_t>(out_.nodes.size());
        SurfaceFeatures::FourNodes nodes{};
        nodes.normals.cosine = splat<Float4>(-1.0f);
        nodes.lanes = (1u << count) - 1u;
        out_.nodes.push_back(nodes);
        for (int lane = 0; lane < count; ++lane) {
            const std::uint32_t from = ends[lane], to = ends[lane + 1];
            const auto below = std::span(out_.faces).subspan(from, to - from);
            const OrientedBox box = fits_ ? fitting_box(below) : box_along(below, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
            set_lane(nodes.boxes.middle, lane, box.middle);
            for (int i = 0; i < 3; ++i) {
                set_lane(nodes.boxes.axes[i], lane, box.axes[i]);
                nodes.boxes.half[i][lane] = box.half[i];
            }
            nodes.radius[lane] = std::sqrt(length_squared(vec3(box.half[0], box.half[1], box.half[2])));
            nodes.leaves[lane].first = static_cast<std::uint32_t>(out_.leaves.size());
            if (to - from <= leaf_size) {
                nodes.below[lane] = SurfaceFeatures::none;
                add_leaf(from, to);
            } else {
                nodes.below[lane] = add(from, to);
            }
            nodes.leaves[lane].last = static_cast<std::uint32_t>(out_.leaves.size());
        }
        out_.nodes[index] = nodes;
        return index;
    }

private:
    static constexpr std::uint32_t leaf_size = lane_count<Float4>;

    void add_leaf(std::uint32_t first, std::uint32_t last) {
        SurfaceFeatures::Leaf leaf{{first, last},
                                   {vertices_, vertices_},
                                   {edges_, edges_},
                                   0,
                                   0,
                                   in_lanes(std::span(out_.faces).subspan(first, last - first))};
        for (std::uint32_t f = first; f < last; ++f) {
            for (int i = 0; i < 3; ++i) {
                count(out_.faces[f].vertices[i], vertices_);
                count(out_.faces[f].edges[i], edges_);
            }
        }
        leaf.vertices.last = vertices_;
        leaf.edges.last = edges_;
        out_.leaves.push_back(leaf);
    }

    static void count(std::uint32_t feature, std::uint32_t& so_far) {
        if (feature != SurfaceFeatures::none) so_far = std::max(so_far, feature + 1);
    }

    /// Returns where two halves have the least surface area. Neither is less than a quarter, so the tree stays low.
    std::uint32_t split_of(std::uint32_t first, std::uint32_t last) {
        Aabb right = box_of(out_.faces[last - 1]);
        for (std::uint32_t f = last; f-- > first;) from_right_[f] = right = merge(right, box_of(out_.faces[f]));
        const std::uint32_t quarter = (last - first) / 4;
        std::uint32_t split = first + (last - first) / 2;
        float least = infinity;
        Aabb left = box_of(out_.faces[first]);
        for (std::uint32_t f = first + 1; f <= last - quarter; ++f) {
            if (f >= first + quarter) {
                const float cost = area_of(left) * static_cast<float>(f - first) +
                                   area_of(from_right_[f]) * static_cast<float>(last - f);
                if (cost < least) least = cost, split = f;
            }
            left = merge(left, box_of(out_.faces[f]));
        }
        return split;
    }

    SurfaceFeatures& out_;
    bool fits_;
    std::vector<Aabb> from_right_;            ///< boxes of the faces from here to the end of a node
    std::uint32_t vertices_ = 0, edges_ = 0;  ///< that belong to leaves so far
};

}  // namespace

/// Numbers the vertices in the order of the faces that have them (the edges are so already), and builds the nodes.
/// `fits`: their boxes follow the surface.
void SurfaceFeatures::build_tree(bool fits) {
    std::vector<std::uint32_t> places(vertices.size(), none);
    std::vector<Vertex> in_order;
    in_order.reserve(vertices.size());
    for (Face& face : faces) {
        for (std::uint32_t& v : face.vertices) {
            if (v == none) continue;
            if (places[v] == none) {
                places[v] = static_cast<std::uint32_t>(in_order.size());
                in_order.push_back(vertices[v]);
            }
            v = places[v];
        }
    }
    vertices = std::move(in_order);
    nodes.clear();
    leaves.clear();
    if (!faces.empty()) TreeBuilder(*this, fits).add(0, static_cast<std::uint32_t>(faces.size()));
    fill_lanes();
}

/// Puts the vertices and edges of each leaf side by side. Their cones hold all directions.
void SurfaceFeatures::fill_lanes() {
    four_vertices.clear();
    four_edges.clear();
    FourVertices no_vertices{};
    FourEdges no_edges{};
    no_vertices.normals.cosine = no_edges.normals.cosine = splat<Float4>(-1.0f);
    for (Leaf& leaf : leaves) {
        leaf.four_vertices = static_cast<std::uint32_t>(four_vertices.size());
        for (std::uint32_t v = leaf.vertices.first; v < leaf.vertices.last; ++v) {
            const int lane = static_cast<int>((v - leaf.vertices.first) % 4);
            if (lane == 0) four_vertices.push_back(no_vertices);
            set_lane(four_vertices.back().at, lane, vertices[v].at);
        }
        leaf.four_edges = static_cast<std::uint32_t>(four_edges.size());
        for (std::uint32_t e = leaf.edges.first; e < leaf.edges.last; ++e) {
            const int lane = static_cast<int>((e - leaf.edges.first) % 4);
            if (lane == 0) four_edges.push_back(no_edges);
            FourEdges& four = four_edges.back();
            const Edge& edge = edges[e];
            set_lane(four.middle, lane, 0.5f * (edge.from + edge.to));
            set_lane(four.half, lane, 0.5f * (edge.to - edge.from));
            set_lane(four.normals.axis, lane, edge.outward);
            set_lane(four.direction, lane, edge.direction);
            for (int i = 0; i < 2; ++i) set_lane(four.into[i], lane, edge.into[i]);
        }
    }
}

bool is_blocked(const SurfaceFeatures& surface, const vec3& from, const vec3& to) {
    const float along_face = tolerance::feature_along_face * std::sqrt(length_squared(to - from));
    const auto passes = [&](std::uint32_t f) {
        const SurfaceFeatures::Face& face = surface.faces[f];
        const float start = glm::dot(from - face.points[0], face.normal),
                    end = glm::dot(to - face.points[0], face.normal);
        if ((start >= 0.0f) == (end >= 0.0f) || std::abs(start - end) <= along_face) return false;
        return beside_face(face, from + start / (start - end) * (to - from), 0.0f) <= 0.0f;
    };
    return surface.any_face(0.5f * (from + to), 0.5f * (to - from), 0.0f, passes);
}

// ---- cones ----------------------------------------------------------------------------------------------------------

void DirectionCone::add(const DirectionCone& other) {
    constexpr float rounding = 1e-6f;
    const float apart = std::min(glm::dot(axis, other.axis), 1.0f);
    if (apart + other.cosine <= 0.0f) {
        cosine = -1.0f;
    } else {
        const float across = std::sqrt(1.0f - std::min(apart * apart, 1.0f));
        cosine = std::min(cosine, apart * other.cosine - across * other.sine - rounding);
    }
    cosine = std::max(cosine, -1.0f);
    sine = std::sqrt(1.0f - cosine * cosine);
}

namespace {

/// The cone of some cones: about the middle of their axes.
template <class ForEach>
DirectionCone cone_around(ForEach&& for_each) {
    DirectionCone cone;
    vec3 sum(0.0f);
    for_each([&](const DirectionCone& each) { sum += each.axis; });
    if (!(length_squared(sum) > 1e-6f)) return cone;
    cone.axis = unit_or_zero(sum);
    cone.cosine = 1.0f;
    for_each([&](const DirectionCone& each) { cone.add(each); });
    return cone;
}

/// The contact normals that a vertex admits: those that lead out of its region by at most the slack.
///
/// Each direction d of an edge leaves the normals n with n . d <= slack: a bit more than half of the sphere. What all of
/// them leave is bounded by arcs of such circles. An arc bends towards what it leaves. So a cone that holds the ends of
/// all arcs, the corners, holds all between them, if it is narrow and no arc goes more than half around. A corner is
/// where two circles meet and no other direction takes it away.
class RegionCone {
public:
    RegionCone(const SurfaceFeatures& surface, const SurfaceFeatures::Vertex& vertex)
        : surface_(surface), vertex_(vertex) {
        const vec3* const d = surface.directions.data() + vertex.first;
        for (std::uint32_t i = 0; i < vertex.count; ++i) {
            bool is_cut = false;
            for (std::uint32_t k = 0; k < vertex.count; ++k) {
                const float along = glm::dot(d[i], d[k]);
                is_cut = is_cut || std::abs(along) <= across;
                if (k > i) add_corners(d[i], d[k], along);
            }
            has_long_arc_ = has_long_arc_ || !is_cut;
        }
    }

    /// Returns whether the vertex can touch anything.
    bool any() const { return has_long_arc_ || !corners_.empty(); }

    DirectionCone cone() const {
        DirectionCone all;
        if (has_long_arc_ || corners_.empty()) return all;
        vec3 axis(0.0f);
        for (const vec3& n : corners_) axis += n;
        if (!(length_squared(axis) > 1e-6f)) return all;
        axis = unit_or_zero(axis);
        // The axis goes a little towards the farthest corner, again and again (Badoiu and Clarkson 2003).
        constexpr int rounds = 16;
        float least = -1.0f;
        vec3 best = axis;
        for (int round = 0; round < rounds; ++round) {
            float cosine = 2.0f;
            vec3 farthest(0.0f);
            for (const vec3& n : corners_) {
                const float along = glm::dot(axis, n);
                if (along < cosine) cosine = along, farthest = n;
            }
            if (cosine > least) least = cosine, best = axis;
            axis = unit_or_zero(axis + (farthest - axis) / static_cast<float>(round + 2));
        }
        if (!(least > widest)) return all;
        const float cosine = least - rounding;
        return {best, cosine, std::sqrt(1.0f - cosine * cosine)};
    }

private:
    static constexpr float slack = tolerance::feature_slack;
    static constexpr float rounding = 1e-4f;
    /// A direction at this cosine or less to another one, either way, takes away so much of its circle that the ends of
    /// what is left are at least 157 degrees from each other, unless it is less than half of the circle.
    static constexpr float across = 0.6f;
    /// Cosine of the largest angle of a cone that is not all directions: less than half of that.
    static constexpr float widest = 0.25f;

    /// Adds the places where both circles meet.
    void add_corners(const vec3& d, const vec3& e, float along) {
        const float apart = 1.0f - along * along;
        if (!(apart > 1e-6f)) return;
        const vec3 middle = slack / (1.0f + along) * (d + e);
        const float height = 1.0f - length_squared(middle);
        if (!(height > 0.0f)) return;
        const vec3 up = std::sqrt(height / apart) * glm::cross(d, e);
        for (const vec3& n : {middle + up, middle - up}) {
            if (out_of_region(surface_, vertex_, n) <= slack + rounding) corners_.push_back(n);
        }
    }

    const SurfaceFeatures& surface_;
    const SurfaceFeatures::Vertex& vertex_;
    std::vector<vec3> corners_;
    bool has_long_arc_ = false;  ///< a circle may be whole, or nearly so
};

void set_cone(FourCones& cones, int lane, const DirectionCone& cone) {
    set_lane(cones.axis, lane, cone.axis);
    cones.cosine[lane] = cone.cosine;
    cones.sine[lane] = cone.sine;
}

}  // namespace

void SurfaceFeatures::fit_tree() {
    std::vector<bool> can_touch(vertices.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const RegionCone region(*this, vertices[v]);
        can_touch[v] = region.any();
        vertices[v].normals = region.cone();
    }
    for (Face& face : faces) {
        for (std::uint32_t& v : face.vertices) {
            if (v != none && !can_touch[v]) v = none;
        }
    }
    build_tree(true);
    std::vector<DirectionCone> of_edges(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const Edge& edge = edges[e];
        DirectionCone& cone = of_edges[e];
        cone.axis = edge.outward;
        if (edge.into[1] == vec3(0.0f)) continue;  // all directions
        // Contact normals are at right angles to the edge, between the normals of its two faces, or a little outside.
        constexpr float slack = tolerance::feature_edge_slack;
        const auto normal = [&](const vec3& into) {
            const vec3 n = glm::cross(edge.direction, into);
            return DirectionCone{glm::dot(n, edge.outward) >= 0.0f ? n : -n, std::sqrt(1.0f - slack * slack), slack};
        };
        cone.cosine = 1.0f;
        for (const vec3& into : edge.into) cone.add(normal(into));
    }
    for (const Leaf& leaf : leaves) {
        for (std::uint32_t v = leaf.vertices.first; v < leaf.vertices.last; ++v) {
            const std::uint32_t k = v - leaf.vertices.first;
            set_cone(four_vertices[leaf.four_vertices + k / 4].normals, static_cast<int>(k % 4), vertices[v].normals);
        }
        for (std::uint32_t e = leaf.edges.first; e < leaf.edges.last; ++e) {
            const std::uint32_t k = e - leaf.edges.first;
            set_cone(four_edges[leaf.four_edges + k / 4].normals, static_cast<int>(k % 4), of_edges[e]);
        }
    }
    for (FourNodes& four : nodes) {
        for (unsigned lanes = four.lanes; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            const Leaf &first = leaves[four.leaves[lane].first], &last = leaves[four.leaves[lane].last - 1];
            set_cone(four.normals, lane, cone_around([&](auto&& visit) {
                         for (std::uint32_t f = first.faces.first; f < last.faces.last; ++f)
                             visit(DirectionCone{faces[f].normal, 1.0f, 0.0f});
                         for (std::uint32_t v = first.vertices.first; v < last.vertices.last; ++v)
                             visit(vertices[v].normals);
                         for (std::uint32_t e = first.edges.first; e < last.edges.last; ++e) visit(of_edges[e]);
                     }));
        }
    }
    const auto shrink = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
    shrink(vertices, directions, edges, faces, nodes, leaves, four_vertices, four_edges);
}

}  // namespace talus::detail
