#include "narrowphase/nonconvex/feature_contacts.h"

#include "narrowphase/nonconvex/feature_geometry.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace talus::detail {

namespace {

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    std::uint64_t sum = (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
    return static_cast<std::uint32_t>((sum * 0xbf58476d1ce4e5b9u) >> 32);
}

vec3 unit_or_zero(const vec3& v) {
    const float length = std::sqrt(length_squared(v));
    return length > 0.0f ? v / length : vec3(0.0f);
}

/// Returns the places where two lines are nearest to each other, or nothing if they are parallel.
std::optional<LinePlaces> nearest_places(const SurfaceFeatures::Edge& a, const SurfaceFeatures::Edge& b) {
    const vec3 between = b.from - a.from;
    const float c = glm::dot(a.direction, b.direction), det = 1.0f - c * c;
    const float along_a = glm::dot(between, a.direction), along_b = glm::dot(between, b.direction);
    if (!(det > tolerance::feature_parallel * tolerance::feature_parallel)) return std::nullopt;
    return LinePlaces{(along_a - c * along_b) / det, (c * along_a - along_b) / det};
}

}  // namespace

// ---- finding candidates ---------------------------------------------------------------------------------------------

std::size_t FeatureCandidates::bytes() const {
    return (a_vertices_.capacity() + b_vertices_.capacity() + edges_.capacity()) * sizeof(Pair) +
           found_.capacity() * sizeof(Found) + placed_.capacity() * sizeof(SurfaceFeatures::Edge) +
           placed_at_.capacity() * sizeof(std::uint32_t) + near_.capacity() * sizeof(std::uint32_t);
}

namespace {

/// How far features may be from each other to become a pair, m.
struct Bounds {
    float highest, lowest;  ///< separation along the normal
    float beside;           ///< from a face or beyond the end of an edge
    float pad;  ///< in any direction: along the normal, and as far beyond hollow edges as beside_face allows

    Bounds(float margin, const FeatureLimits& limits)
        : highest(margin + limits.reach),
          lowest(-limits.depth),
          beside(limits.room + limits.reach),
          pad(std::max(highest, std::sqrt(5.0f) * limits.depth) + beside) {}
    bool hold(float separation) const { return separation <= highest && separation >= lowest; }
};

/// Calls visit(index) for those of a leaf's faces whose bit is set.
template <class Visit>
void for_each_lane(unsigned bits, const SurfaceFeatures::Range& faces, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t f = faces.first + static_cast<std::uint32_t>(std::countr_zero(bits));
        if (f < faces.last) visit(f);
    }
}

/// A leaf in the frame of the other surface: its box and what is within Bounds::pad around it, and its normals.
struct NearLeaf {
    vec3 middle, half;
    const DirectionCone& normals;
    vec3 opposite;  ///< to the axis of the normals
    float turn;

    bool meets(const SurfaceFeatures::Vertex& vertex) const {
        return all_of(absolute(vertex.at - middle), half) && vertex.normals.meets(normals, opposite, turn);
    }
    bool meets(const SurfaceFeatures::Edge& edge) const {
        return all_of(absolute(0.5f * (edge.from + edge.to) - middle), half + absolute(0.5f * (edge.to - edge.from))) &&
               edge.normals.meets(normals, opposite, turn);
    }

private:
    static bool all_of(const vec3& p, const vec3& most) { return p.x <= most.x && p.y <= most.y && p.z <= most.z; }
};

/// Returns whether a vertex admits a contact normal (unit, the surface's frame), or will after a rotation by `turn_ahead`
/// (rad). Far outside of the vertex's region, out_of_region() does not bound the angle; the cone of its normals does.
bool may_touch_along(const SurfaceFeatures& surface, const SurfaceFeatures::Vertex& vertex, const vec3& normal,
                     float turn_ahead) {
    const float out = out_of_region(surface, vertex, normal);
    if (out <= tolerance::feature_slack) return true;
    return out <= tolerance::feature_slack + turn_ahead && vertex.normals.holds(normal, turn_ahead);
}

/// Returns whether a vertex and a face may become a contact. `p`: the vertex in the frame of the face.
/// `to_vertex(normal)`: the face's normal in the frame of the vertex. Counts those that are near enough.
template <class ToVertex>
bool may_meet(const SurfaceFeatures& of_vertex, const SurfaceFeatures::Vertex& vertex, const vec3& p,
              const SurfaceFeatures::Face& face, const ToVertex& to_vertex, const Bounds& bounds,
              const FeatureLimits& limits, std::uint64_t& nearby) {
    if (!bounds.hold(glm::dot(face.normal, p - face.points[0])) ||
        !(beside_face(face, p, limits.depth) <= bounds.beside))
        return false;
    ++nearby;
    const float turn = limits.turn + limits.turn_ahead;
    return out_of_region(of_vertex, vertex, -to_vertex(face.normal)) <= tolerance::feature_slack + turn;
}

/// Returns whether two edges may become a contact, in one frame. Counts those whose boxes are near enough.
bool may_meet(const SurfaceFeatures::Edge& a, const SurfaceFeatures::Edge& b, const Bounds& bounds,
              const FeatureLimits& limits, std::uint64_t& nearby) {
    const vec3 low = glm::max(glm::min(a.from, a.to), glm::min(b.from, b.to)),
               high = glm::min(glm::max(a.from, a.to), glm::max(b.from, b.to));
    const vec3 gap = low - high;
    if (!(std::max({gap.x, gap.y, gap.z}) <= bounds.pad)) return false;
    ++nearby;
    const vec3 across = glm::cross(a.direction, b.direction);
    const float sine = std::sqrt(length_squared(across));
    if (!(sine > tolerance::feature_parallel + 4.0f * limits.turn)) return true;
    const vec3 n = across / sine;
    const float loose = tolerance::feature_edge_slack + limits.turn + limits.turn / sine;
    const bool forward = out_of_arc(a, n) <= loose && out_of_arc(b, -n) <= loose;
    const bool backward = out_of_arc(a, -n) <= loose && out_of_arc(b, n) <= loose;
    if (!forward && !backward) return false;
    const float apart = glm::dot(b.from - a.from, n);
    if (!(forward && bounds.hold(apart)) && !(backward && bounds.hold(-apart))) return false;
    const float lengths = length_of(a) + length_of(b) + std::abs(apart);
    const float loose_ends = bounds.beside + (limits.reach + lengths * limits.turn) / sine;
    return beyond_ends(a, b, *nearest_places(a, b), limits.depth) <= loose_ends;
}

/// Returns the number of pairs of a vertex and a face, and of two edges.
std::uint64_t pairs_of_features(const SurfaceFeatures::Node& a, const SurfaceFeatures::Node& b) {
    const auto times = [](const SurfaceFeatures::Range& x, const SurfaceFeatures::Range& y) {
        return std::uint64_t{x.last - x.first} * (y.last - y.first);
    };
    return times(a.vertices, b.faces) + times(a.faces, b.vertices) + times(a.edges, b.edges);
}

}  // namespace

void FeatureCandidates::clear() {
    a_vertices_.clear();
    b_vertices_.clear();
    edges_.clear();
}

void FeatureCandidates::find(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                             float margin, const FeatureLimits& limits) {
    clear();
    add(NodePairs(a, b, b_in_a), a, b, b_in_a, margin, limits);
}

void FeatureCandidates::add_overlapping(const SurfaceFeatures& a, std::span<const std::uint32_t> faces_a,
                                        const SurfaceFeatures& b, std::span<const std::uint32_t> faces_b,
                                        const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits) {
    NodePairs pairs(a, b, b_in_a);
    pairs.restrict_to(faces_a, faces_b);
    add(std::move(pairs), a, b, b_in_a, margin, limits);
}

/// Adds the pairs of features of the pairs of leaves that may touch.
void FeatureCandidates::add(NodePairs pairs, const SurfaceFeatures& a, const SurfaceFeatures& b,
                            const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits) {
    const Bounds bounds(margin, limits);
    const auto from_a = [&](const vec3& v) { return transpose_mul(b_in_a.rotation, v); };
    const auto from_b = [&](const vec3& v) { return b_in_a.rotation * v; };
    const std::size_t before = size();
    std::uint64_t in_leaves = 0, nearby = 0;
    placed_.clear();
    placed_at_.assign(b.edges.size(), SurfaceFeatures::none);
    const float turn = limits.turn + limits.turn_ahead;
    pairs.for_each(bounds.pad, turn, [&](const SurfaceFeatures::Node& of_a, const SurfaceFeatures::Node& of_b) {
        in_leaves += pairs_of_features(of_a, of_b);
        // Most features of a leaf are far from the box of the other one.
        const NearLeaf near_b{transform_point(b_in_a, of_b.middle), pairs.absolute_rotation() * of_b.half + bounds.pad,
                              of_b.normals, -(b_in_a.rotation * of_b.normals.axis), turn};
        const NearLeaf near_a{to_b(b_in_a, of_a.middle),
                              transpose_mul(pairs.absolute_rotation(), of_a.half) + bounds.pad, of_a.normals,
                              -transpose_mul(b_in_a.rotation, of_a.normals.axis), turn};
        for (std::uint32_t v = of_a.vertices.first; v < of_a.vertices.last; ++v) {
            if (!near_b.meets(a.vertices[v])) continue;
            const vec3 p = to_b(b_in_a, a.vertices[v].at);
            for_each_lane(b.leaves[of_b.leaf].over(p, bounds.lowest, bounds.highest, limits.depth, bounds.beside),
                          of_b.faces, [&](std::uint32_t f) {
                              if (may_meet(a, a.vertices[v], p, b.faces[f], from_b, bounds, limits, nearby))
                                  a_vertices_.push_back({v, f});
                          });
        }
        for (std::uint32_t v = of_b.vertices.first; v < of_b.vertices.last; ++v) {
            if (!near_a.meets(b.vertices[v])) continue;
            const vec3 p = transform_point(b_in_a, b.vertices[v].at);
            for_each_lane(a.leaves[of_a.leaf].over(p, bounds.lowest, bounds.highest, limits.depth, bounds.beside),
                          of_a.faces, [&](std::uint32_t f) {
                              if (may_meet(b, b.vertices[v], p, a.faces[f], from_a, bounds, limits, nearby))
                                  b_vertices_.push_back({f, v});
                          });
        }
        near_.clear();
        for (std::uint32_t e = of_a.edges.first; e < of_a.edges.last; ++e) {
            if (near_b.meets(a.edges[e])) near_.push_back(e);
        }
        if (near_.empty()) return;
        for (std::uint32_t k = of_b.edges.first; k < of_b.edges.last; ++k) {
            if (!near_a.meets(b.edges[k])) continue;
            // Each edge of B is met with several leaves of A.
            if (placed_at_[k] == SurfaceFeatures::none) {
                placed_at_[k] = static_cast<std::uint32_t>(placed_.size());
                placed_.push_back(rotated(b.edges[k], b_in_a));
            }
            const SurfaceFeatures::Edge& other = placed_[placed_at_[k]];
            for (const std::uint32_t e : near_) {
                if (may_meet(a.edges[e], other, bounds, limits, nearby)) edges_.push_back({e, k});
            }
        }
    });
    counts_ += {pairs.tested(), in_leaves, nearby, size() - before, 0};
    sort_pairs();
}

/// Puts pairs of one vertex, or of one edge of B, one after another.
void FeatureCandidates::sort_pairs() {
    const auto sort = [](std::vector<Pair>& pairs, const auto& less) {
        std::sort(pairs.begin(), pairs.end(), less);
        const auto same = [](const Pair& x, const Pair& y) { return x.of_a == y.of_a && x.of_b == y.of_b; };
        pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
    };
    const auto by_a = [](const Pair& x, const Pair& y) { return x.of_a != y.of_a ? x.of_a < y.of_a : x.of_b < y.of_b; };
    const auto by_b = [](const Pair& x, const Pair& y) { return x.of_b != y.of_b ? x.of_b < y.of_b : x.of_a < y.of_a; };
    sort(a_vertices_, by_a);
    sort(b_vertices_, by_b);
    sort(edges_, by_b);
}

// ---- evaluating candidates ------------------------------------------------------------------------------------------

void FeatureCandidates::add_vertex_contacts(const SurfaceFeatures& a, const SurfaceFeatures& b,
                                            const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits,
                                            bool of_a) {
    const SurfaceFeatures &of_vertices = of_a ? a : b, &of_faces = of_a ? b : a;
    const std::vector<Pair>& pairs = of_a ? a_vertices_ : b_vertices_;
    std::size_t first = found_.size();  // of this vertex
    std::uint32_t last_vertex = 0xffffffffu;
    vec3 p(0.0f);
    for (const Pair& pair : pairs) {
        const std::uint32_t v = of_a ? pair.of_a : pair.of_b, f = of_a ? pair.of_b : pair.of_a;
        const SurfaceFeatures::Vertex& vertex = of_vertices.vertices[v];
        const SurfaceFeatures::Face& face = of_faces.faces[f];
        if (v != last_vertex) {
            p = of_a ? to_b(b_in_a, vertex.at) : transform_point(b_in_a, vertex.at);
            last_vertex = v;
            first = found_.size();
        }
        const float height = glm::dot(face.normal, p - face.points[0]);
        if (!(height <= margin && height >= -std::min(limits.depth, face.depth))) continue;
        if (!(beside_face(face, p, std::max(-height, 0.0f)) <= limits.room)) continue;
        const vec3 normal =
            of_a ? -(b_in_a.rotation * face.normal) : -transpose_mul(b_in_a.rotation, face.normal);  // vertex's frame
        if (!may_touch_along(of_vertices, vertex, normal, limits.turn_ahead)) continue;
        // On an edge between two triangles of one plane, it is over both.
        const auto same = [&](const Found& other) {
            const SurfaceFeatures::Face& known = of_faces.faces[of_a ? other.pair.of_b : other.pair.of_a];
            return glm::dot(known.normal, face.normal) >= tolerance::feature_same_normal;
        };
        if (std::any_of(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(), same)) continue;
        const vec3 foot = p - height * face.normal;
        // The foot may be beyond a hollow edge, inside of the surface; else it is on the face.
        if (height < -limits.sure && is_blocked(of_faces, p, foot - limits.room * face.normal)) continue;
        Found found{{}, of_a ? Found::Kind::a_vertex : Found::Kind::b_vertex, pair};
        found.point = {of_a ? vertex.at : foot, of_a ? foot : vertex.at, of_a ? normal : face.normal, height,
                       mixed(vertex.id, of_a ? 1u : 2u)};
        found_.push_back(found);
    }
}

void FeatureCandidates::add_edge_contacts(const SurfaceFeatures& a, const SurfaceFeatures& b,
                                          const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits) {
    const auto add = [&](const Pair& pair, const vec3& n, const vec3& on_a, const vec3& on_b, std::uint32_t id) {
        const float separation = glm::dot(on_b - on_a, n);
        const float depth = std::min({limits.depth, a.edges[pair.of_a].depth, b.edges[pair.of_b].depth});
        if (!(separation <= margin && separation >= -depth)) return;
        if (separation < -limits.sure) {
            // Each end is on a surface of its own.
            const vec3 shift = 0.02f * (on_a - on_b), p = on_b + shift, q = on_a - shift;
            if (is_blocked(a, p, q) || is_blocked(b, to_b(b_in_a, p), to_b(b_in_a, q))) return;
        }
        found_.push_back({{on_a, to_b(b_in_a, on_b), n, separation, id}, Found::Kind::edges, pair});
    };
    std::uint32_t last = 0xffffffffu;
    SurfaceFeatures::Edge other{};
    for (const Pair& pair : edges_) {  // those of an edge of B follow each other
        const SurfaceFeatures::Edge& edge = a.edges[pair.of_a];
        if (pair.of_b != last) {
            other = rotated(b.edges[pair.of_b], b_in_a);
            last = pair.of_b;
        }
        const std::uint32_t id = mixed(edge.id, other.id);
        const std::optional<LinePlaces> at = nearest_places(edge, other);
        const auto can_touch = [&](const vec3& n) {
            return out_of_arc(edge, n) <= tolerance::feature_edge_slack &&
                   out_of_arc(other, -n) <= tolerance::feature_edge_slack;
        };
        if (!at) {
            // Along the part that the two have in common.
            const float start = glm::dot(other.from - edge.from, edge.direction),
                        end = glm::dot(other.to - edge.from, edge.direction);
            const float low = std::max(std::min(start, end), 0.0f),
                        high = std::min(std::max(start, end), length_of(edge));
            if (!(high - low > limits.room)) continue;
            for (const float place : {low, high}) {
                const vec3 p = edge.from + place * edge.direction;
                const vec3 q = other.from + glm::dot(p - other.from, other.direction) * other.direction;
                if (length_squared(q - p) <= limits.room * limits.room) continue;  // a direction out of rounding
                const vec3 n = unit_or_zero(q - p);
                if (can_touch(n)) add(pair, n, p, q, place == low ? id : ~id);
                // They overlap only if each is inside of the other one's wedge. The way between the two is exact here.
                if (std::max(out_of_arc(edge, -n), out_of_arc(other, n)) <= 0.0f)
                    add(pair, -n, p, q, place == low ? id : ~id);
            }
            // Between these ends they may cross, nearer to each other than there.
            const vec3 across = glm::cross(edge.direction, other.direction), between = other.from - edge.from;
            const float squared = length_squared(across);
            if (!(squared > tolerance::feature_crossing * tolerance::feature_crossing)) continue;
            const float on_a = glm::dot(glm::cross(between, other.direction), across) / squared,
                        on_b = glm::dot(glm::cross(between, edge.direction), across) / squared;
            if (!(on_a >= 0.0f && on_a <= length_of(edge) && on_b >= 0.0f && on_b <= length_of(other))) continue;
            const vec3 n = unit_or_zero(across);
            const vec3 p = edge.from + on_a * edge.direction, q = other.from + on_b * other.direction;
            const std::uint32_t crossing = mixed(id, 3u);
            if (can_touch(n)) add(pair, n, p, q, crossing);
            if (can_touch(-n)) add(pair, -n, p, q, crossing);
            continue;
        }
        const vec3 n = unit_or_zero(glm::cross(edge.direction, other.direction));
        const vec3 p = edge.from + at->on_a * edge.direction, q = other.from + at->on_b * other.direction;
        const float apart = glm::dot(q - p, n);
        const auto is_beside = [&](float depth) {
            return !(beyond_ends(edge, other, *at, std::max(depth, 0.0f)) <= limits.room);
        };
        if (can_touch(n) && !is_beside(-apart)) add(pair, n, p, q, id);
        if (can_touch(-n) && !is_beside(apart)) add(pair, -n, p, q, id);
    }
}

/// True if a contact is still there, or its features no longer overlap, when A moves by `shift` (A's frame).
bool FeatureCandidates::survives(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                                 const Found& deep, const vec3& shift, const FeatureLimits& limits) const {
    const float depth = -deep.point.separation;
    switch (deep.kind) {
        case Found::Kind::a_vertex:
            return beside_face(b.faces[deep.pair.of_b], to_b(b_in_a, a.vertices[deep.pair.of_a].at + shift), depth) <=
                   limits.room;
        case Found::Kind::b_vertex:
            return beside_face(a.faces[deep.pair.of_a], transform_point(b_in_a, b.vertices[deep.pair.of_b].at) - shift,
                               depth) <= limits.room;
        default:
            break;
    }
    SurfaceFeatures::Edge edge = a.edges[deep.pair.of_a];
    const SurfaceFeatures::Edge other = rotated(b.edges[deep.pair.of_b], b_in_a);
    edge.from += shift;
    edge.to += shift;
    const std::optional<LinePlaces> at = nearest_places(edge, other);
    if (at) return beyond_ends(edge, other, *at, depth) <= limits.room;
    if (depth < limits.room) return true;
    // At the place of the contact, each is still inside of the other one's wedge.
    const vec3 p = deep.point.on_a + shift;
    const vec3 q = other.from + glm::dot(p - other.from, other.direction) * other.direction;
    const vec3 n = unit_or_zero(p - q);
    return std::max(out_of_arc(edge, n), out_of_arc(other, -n)) <= 0.0f;
}

void FeatureCandidates::evaluate(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                                 float margin, const FeatureLimits& limits, std::vector<FeaturePoint>& points) {
    found_.clear();
    add_vertex_contacts(a, b, b_in_a, margin, limits, true);
    add_vertex_contacts(a, b, b_in_a, margin, limits, false);
    add_edge_contacts(a, b, b_in_a, margin, limits);
    // Features may overlap without having touched: the sides of two boxes of which one lies on the other. The
    // shallowest overlap is a contact. A deeper one is none if its features part when the two surfaces are moved out of
    // it. Where several just touch, those of faces come first: edges that cross at their ends touch there, too.
    const auto rank = [&](const Found& each) {
        return each.point.separation > -limits.room ? (each.kind == Found::Kind::edges ? 1 : 0) : 2;
    };
    std::stable_sort(found_.begin(), found_.end(), [&](const Found& x, const Found& y) {
        if (rank(x) != rank(y)) return rank(x) < rank(y);
        return x.point.separation != y.point.separation ? x.point.separation > y.point.separation
                                                        : x.point.id < y.point.id;
    });
    const std::size_t before = points.size();
    for (const Found& each : found_) {
        const float depth = std::max(-each.point.separation, 0.0f), around = 2.0f * depth + 20.0f * limits.room;
        const bool may_be_none = rank(each) != 0 && each.point.separation <= limits.room;
        bool stays = true;
        for (std::size_t k = before; k < points.size() && stays && may_be_none; ++k) {
            const FeaturePoint& other = points[k];
            const float shallower = std::max(-other.separation, 0.0f);
            if (other.separation > 4.0f * limits.room || (rank(each) == 2 && depth < shallower + limits.room)) continue;
            if (glm::dot(other.normal, each.point.normal) > tolerance::feature_same_way ||
                length_squared(other.on_a - each.point.on_a) > around * around)
                continue;
            stays = survives(a, b, b_in_a, each, -(shallower + 2.0f * limits.room) * other.normal, limits);
        }
        if (stays) points.push_back(each.point);
    }
    std::stable_sort(points.begin() + static_cast<std::ptrdiff_t>(before), points.end(),
                     [](const FeaturePoint& x, const FeaturePoint& y) { return x.separation > y.separation; });
}

}  // namespace talus::detail
