#include "narrowphase/nonconvex/surface_features.h"

#include "common/bit_cast.h"
#include "narrowphase/tolerances.h"

#include <array>
#include <limits>
#include <unordered_map>

namespace talus::detail {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    std::uint64_t sum = (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
    return static_cast<std::uint32_t>((sum * 0xbf58476d1ce4e5b9u) >> 32);
}

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
    return vertices.capacity() * sizeof(Vertex) + directions.capacity() * sizeof(vec3) +
           edges.capacity() * sizeof(Edge) + faces.capacity() * sizeof(Face) + nodes.capacity() * sizeof(Node) +
           leaves.capacity() * sizeof(FourFaces);
}

namespace {

/// A corner of a triangle, on the way to the vertices.
struct Corner {
    vec3 at;
    std::uint32_t face;
    int corner;
};

/// The edges that lead away from the vertices of a surface, those of vertices that are no features, too.
class VertexDirections {
public:
    VertexDirections(const TriangleSet& set, std::span<const std::uint32_t> triangles, SurfaceFeatures& out)
        : out_(out) {
        std::vector<Corner> corners;
        for (std::uint32_t f = 0; f < triangles.size(); ++f) {
            const std::array<vec3, 3> points = set.points(triangles[f]);
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
                index = add(set, triangles, std::span(corners).subspan(i, end - i));
            }
            out.faces[corner.face].vertices[corner.corner] = index;
            out.faces[corner.face].corners[corner.corner] = static_cast<std::uint32_t>(all_.size() - 1);
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
    std::uint32_t add(const TriangleSet& set, std::span<const std::uint32_t> triangles,
                      std::span<const Corner> corners) {
        const Corner& corner = corners.front();
        const std::uint32_t triangle = triangles[corner.face];
        const auto first = static_cast<std::uint32_t>(out_.directions.size());
        set.around(triangle, corner.corner,
                   [&](const vec3& end) { out_.directions.push_back(unit_or_zero(end - corner.at)); });
        const auto count = static_cast<std::uint32_t>(out_.directions.size()) - first;
        all_.push_back({corner.at, first, count, id_of(corner.at)});
        const vec3 normal = set.triangle(triangle).normal;
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
            const vec3 n = set.triangle(triangles[each.face]).normal;
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

    SurfaceFeatures& out_;
    std::vector<SurfaceFeatures::Vertex> all_;  ///< in the order of their places
};

}  // namespace

void SurfaceFeatures::collect(const TriangleSet& set, std::span<const std::uint32_t> triangles) {
    vertices.clear();
    directions.clear();
    edges.clear();
    faces.assign(triangles.size(), Face{});
    const VertexDirections around(set, triangles, *this);
    std::unordered_map<std::uint64_t, std::uint32_t> known;  // edges, by the ids of both ends
    for (std::uint32_t f = 0; f < triangles.size(); ++f) {
        const SetTriangle triangle = set.triangle(triangles[f]);
        Face& face = faces[f];
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
                      infinity};
            if (!ends) edge.into[1] = unit_or_zero(to_beyond - glm::dot(to_beyond, edge.direction) * edge.direction);
            edge.outward = ends ? triangle.normal : -unit_or_zero(edge.into[0] + edge.into[1]);
            edge.hollow_from = around.rises_beyond(from, -edge.direction, edge.outward);
            edge.hollow_to = around.rises_beyond(to, edge.direction, edge.outward);
            edges.push_back(edge);
        }
    }
    find_neighbours();
    build_tree();
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

float area_of(const Aabb& box) {
    const vec3 size = box.upper - box.lower;
    return size.x * size.y + size.y * size.z + size.z * size.x;
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

/// Adds the nodes of a tree from left to right, each before those below it.
class TreeBuilder {
public:
    explicit TreeBuilder(SurfaceFeatures& out) : out_(out), from_right_(out.faces.size()) {}

    /// Adds the node of some faces, and all below it.
    void add(std::uint32_t first, std::uint32_t last) {
        constexpr std::uint32_t leaf_size = lane_count<Float4>;
        const std::size_t index = out_.nodes.size();
        Aabb box = box_of(out_.faces[last - 1]);
        for (std::uint32_t f = last; f-- > first;) from_right_[f] = box = merge(box, box_of(out_.faces[f]));
        SurfaceFeatures::Node node{center(box), half_extents(box), {}, 0, 0, {first, last}, {}, {}};
        node.vertices.first = vertices_;
        node.edges.first = edges_;
        out_.nodes.push_back(node);
        if (last - first <= leaf_size) {
            for (std::uint32_t f = first; f < last; ++f) {
                for (int i = 0; i < 3; ++i) {
                    count(out_.faces[f].vertices[i], vertices_);
                    count(out_.faces[f].edges[i], edges_);
                }
            }
            out_.nodes[index].leaf = static_cast<std::uint32_t>(out_.leaves.size());
            out_.leaves.push_back(in_lanes(std::span(out_.faces).subspan(first, last - first)));
        } else {
            const std::uint32_t split = split_of(first, last);
            add(first, split);
            out_.nodes[index].right = static_cast<std::uint32_t>(out_.nodes.size());
            add(split, last);
        }
        out_.nodes[index].vertices.last = vertices_;
        out_.nodes[index].edges.last = edges_;
    }

private:
    static void count(std::uint32_t feature, std::uint32_t& so_far) {
        if (feature != SurfaceFeatures::none) so_far = std::max(so_far, feature + 1);
    }

    /// Returns where two halves have the least surface area. Neither is less than a quarter, so the tree stays low.
    std::uint32_t split_of(std::uint32_t first, std::uint32_t last) const {
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
    std::vector<Aabb> from_right_;            ///< boxes of the faces from here to the end of a node
    std::uint32_t vertices_ = 0, edges_ = 0;  ///< that belong to leaves so far
};

}  // namespace

/// Numbers the vertices in the order of the faces that have them (the edges are so already), and builds the nodes.
void SurfaceFeatures::build_tree() {
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
    if (!faces.empty()) TreeBuilder(*this).add(0, static_cast<std::uint32_t>(faces.size()));
}

bool is_blocked(const SurfaceFeatures& surface, const vec3& from, const vec3& to) {
    const vec3 middle = 0.5f * (from + to), half = absolute(0.5f * (to - from));
    const float along_face = tolerance::feature_along_face * std::sqrt(length_squared(to - from));
    const auto passes = [&](const SurfaceFeatures::Face& face) {
        const float start = glm::dot(from - face.points[0], face.normal),
                    end = glm::dot(to - face.points[0], face.normal);
        if ((start >= 0.0f) == (end >= 0.0f) || std::abs(start - end) <= along_face) return false;
        return beside_face(face, from + start / (start - end) * (to - from), 0.0f) <= 0.0f;
    };
    std::vector<std::uint32_t> waiting;
    if (!surface.nodes.empty()) waiting.push_back(0);
    while (!waiting.empty()) {
        const std::uint32_t k = waiting.back();
        waiting.pop_back();
        const SurfaceFeatures::Node& node = surface.nodes[k];
        const vec3 gap = absolute(node.middle - middle) - (node.half + half);
        if (std::max({gap.x, gap.y, gap.z}) > 0.0f) continue;
        if (node.right != 0) {
            waiting.push_back(node.right);
            waiting.push_back(k + 1);
            continue;
        }
        const auto first = surface.faces.begin() + node.faces.first, last = surface.faces.begin() + node.faces.last;
        if (std::any_of(first, last, passes)) return true;
    }
    return false;
}

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

/// Directions all around: the middles of the squares into which the sides of a cube are divided.
struct Directions {
    static constexpr int rows = 8, fine = 4;  ///< of squares per side; of smaller squares per square
    /// No other direction is farther than this from one of them, rad; and from a middle of the smaller squares.
    static constexpr float apart = 0.18f, fine_apart = 0.25f * apart;

    static vec3 at(int side, int row, int column, int rows_in_all) {
        const auto place = [&](int i) {
            return (2.0f * static_cast<float>(i) + 1.0f) / static_cast<float>(rows_in_all) - 1.0f;
        };
        vec3 d(0.0f);
        d[side / 2] = side % 2 == 0 ? 1.0f : -1.0f;
        d[(side / 2 + 1) % 3] = place(row);
        d[(side / 2 + 2) % 3] = place(column);
        return d / std::sqrt(length_squared(d));
    }

    /// Calls visit(direction) for smaller squares of the squares of which may_hold(direction, distance) is true, whose
    /// own it is, too.
    template <class MayHold, class Visit>
    static void for_each(const MayHold& may_hold, const Visit& visit) {
        for (int square = 0; square < 6 * rows * rows; ++square) {
            const int side = square / (rows * rows), row = square / rows % rows, column = square % rows;
            if (!may_hold(at(side, row, column, rows), apart)) continue;
            for (int k = 0; k < fine * fine; ++k) {
                const vec3 d = at(side, fine * row + k / fine, fine * column + k % fine, fine * rows);
                if (may_hold(d, fine_apart)) visit(d);
            }
        }
    }
};

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

}  // namespace

void SurfaceFeatures::find_cones() {
    // Contacts may be a little outside of the regions and arcs.
    std::vector<bool> can_touch(vertices.size());
    std::vector<DirectionCone> parts;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        parts.clear();
        // Each product changes by at most the angle between two directions.
        Directions::for_each(
            [&](const vec3& d, float apart) {
                return out_of_region(*this, vertices[v], d) <= tolerance::feature_slack + apart;
            },
            [&](const vec3& d) {
                constexpr float sine = Directions::fine_apart;
                parts.push_back({d, std::sqrt(1.0f - sine * sine), sine});
            });
        can_touch[v] = !parts.empty();
        vertices[v].normals = cone_around([&](auto&& visit) { std::for_each(parts.begin(), parts.end(), visit); });
    }
    for (Edge& edge : edges) {
        if (edge.into[1] == vec3(0.0f)) continue;
        // Contact normals are at right angles to the edge, between the normals of its two faces.
        constexpr float slack = tolerance::feature_edge_slack;
        const auto normal = [&](const vec3& into) {
            const vec3 n = glm::cross(edge.direction, into);
            return DirectionCone{glm::dot(n, edge.outward) >= 0.0f ? n : -n, std::sqrt(1.0f - slack * slack), slack};
        };
        edge.normals = cone_around([&](auto&& visit) {
            visit(normal(edge.into[0]));
            visit(normal(edge.into[1]));
        });
    }
    for (Node& node : nodes) {
        node.normals = cone_around([&](auto&& visit) {
            for (std::uint32_t f = node.faces.first; f < node.faces.last; ++f)
                visit(DirectionCone{faces[f].normal, 1.0f, 0.0f});
            for (std::uint32_t v = node.vertices.first; v < node.vertices.last; ++v) {
                if (can_touch[v]) visit(vertices[v].normals);
            }
            for (std::uint32_t e = node.edges.first; e < node.edges.last; ++e) visit(edges[e].normals);
        });
    }
}

}  // namespace talus::detail
