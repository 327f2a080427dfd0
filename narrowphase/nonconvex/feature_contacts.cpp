#include "narrowphase/nonconvex/feature_contacts.h"

#include "narrowphase/nonconvex/feature_geometry.h"
#include "narrowphase/nonconvex/node_pairs.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace talus::detail {

namespace {

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
           placed_at_.capacity() * sizeof(std::uint32_t);
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

/// Calls visit(index, lane) for the features of a leaf whose bit is set. `lanes(k)` returns the bits of its k-th four.
template <class Lanes, class Visit>
void for_each_lane(const SurfaceFeatures::Range& features, const Lanes& lanes, const Visit& visit) {
    for (std::uint32_t first = features.first, k = 0; first < features.last; first += 4, ++k) {
        const std::uint32_t rest = features.last - first;
        for (unsigned bits = lanes(k) & (rest < 4 ? (1u << rest) - 1u : 15u); bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            visit(first + static_cast<std::uint32_t>(lane), lane);
        }
    }
}

using FourVectors = Vec3Lanes<Float4>;

/// A leaf in the frame of the other surface: its box and what is within Bounds::pad around it, and its normals.
class NearLeaf {
public:
    /// `normals`: opposite to the leaf's.
    NearLeaf(const OrientedBox& box, float pad, const DirectionCone& normals) : box_(box), normals_(normals) {
        for (float& half : box_.half) half += pad;
    }

    /// Returns a bit for each of four vertices that is in the box and has normals opposite to the leaf's, or will after a
    /// rotation by `turn` (rad).
    unsigned near(const SurfaceFeatures::FourVertices& four, float turn) const {
        const FourVectors between = four.at - in_all_lanes(box_.middle);
        const auto is_in = [&](int i) { return absolute_lanes(along(between, i)) <= box_.half[i]; };
        const unsigned in_box = lane_bits(is_in(0) & is_in(1) & is_in(2));
        return in_box != 0 ? in_box & four.normals.meeting(normals_, normals_.axis, turn) : 0;
    }
    /// The same for four edges.
    unsigned near(const SurfaceFeatures::FourEdges& four, float turn) const {
        const FourVectors between = four.middle - in_all_lanes(box_.middle);
        const auto is_in = [&](int i) {
            return absolute_lanes(along(between, i)) <= absolute_lanes(along(four.half, i)) + box_.half[i];
        };
        const unsigned in_box = lane_bits(is_in(0) & is_in(1) & is_in(2));
        return in_box != 0 ? in_box & four.normals.meeting(normals_, normals_.axis, turn) : 0;
    }

private:
    Float4 along(const FourVectors& v, int axis) const {
        const vec3& d = box_.axes[axis];
        return v.x * d.x + v.y * d.y + v.z * d.z;
    }

    OrientedBox box_;
    DirectionCone normals_;
};

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

/// Returns whether two edges may become a contact, in one frame.
bool may_meet(const SurfaceFeatures::Edge& a, const SurfaceFeatures::Edge& b, const Bounds& bounds,
              const FeatureLimits& limits) {
    const vec3 low = glm::max(glm::min(a.from, a.to), glm::min(b.from, b.to)),
               high = glm::min(glm::max(a.from, a.to), glm::max(b.from, b.to));
    const vec3 gap = low - high;
    if (!(std::max({gap.x, gap.y, gap.z}) <= bounds.pad)) return false;
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

/// Returns which of four edges of A, those whose bit is set, may become a contact with an edge of B. It leaves out no edge
/// for which may_meet() is true. Counts those whose boxes are near enough.
unsigned may_meet(const SurfaceFeatures::FourEdges& a, unsigned edges, const SurfaceFeatures::Edge& b,
                  const Bounds& bounds, const FeatureLimits& limits, std::uint64_t& nearby) {
    constexpr float rounding = 1e-5f;
    const vec3 half_b = absolute(0.5f * (b.to - b.from));
    const FourVectors between = in_all_lanes(0.5f * (b.from + b.to)) - a.middle;
    const float pad = (1.0f + rounding) * bounds.pad;
    const auto is_near = [pad](Float4 apart, Float4 half, float other_half) {
        return absolute_lanes(apart) - (absolute_lanes(half) + other_half) <= pad;
    };
    const unsigned near =
        edges & lane_bits(is_near(between.x, a.half.x, half_b.x) & is_near(between.y, a.half.y, half_b.y) &
                          is_near(between.z, a.half.z, half_b.z));
    if (near == 0) return 0;
    nearby += static_cast<std::uint64_t>(std::popcount(near));
    // All of it is multiplied by the sine between the two directions.
    const FourVectors across = cross(a.direction, in_all_lanes(b.direction));
    const Float4 squared = dot(across, across), sine = sqrt_lanes(squared);
    const float parallel = tolerance::feature_parallel + 4.0f * limits.turn + rounding;
    const Float4 out_a[3] = {dot(across, a.into[0]), dot(across, a.into[1]), -dot(across, a.normals.axis)};
    const Float4 out_b[3] = {dot(across, in_all_lanes(b.into[0])), dot(across, in_all_lanes(b.into[1])),
                             -dot(across, in_all_lanes(b.outward))};
    const auto most = [](const Float4(&out)[3]) { return max_lanes(out[0], max_lanes(out[1], out[2])); };
    const auto least = [](const Float4(&out)[3]) { return min_lanes(out[0], min_lanes(out[1], out[2])); };
    const Float4 loose = (tolerance::feature_edge_slack + limits.turn) * sine + (limits.turn + rounding);
    const Float4 apart = dot(across, between), room = splat<Float4>(rounding * pad);
    const Float4 highest = bounds.highest * sine + room, lowest = bounds.lowest * sine - room;
    const auto forward = (most(out_a) <= loose) & (-least(out_b) <= loose) & (apart <= highest) & (apart >= lowest);
    const auto backward = (-least(out_a) <= loose) & (most(out_b) <= loose) & (-apart <= highest) & (-apart >= lowest);
    return near & lane_bits((squared <= parallel * parallel) | forward | backward);
}

/// The greatest number of edges of a leaf: three of each of its faces.
constexpr std::uint32_t most_edges = 3 * lane_count<Float4>;

/// Returns the number of pairs of a vertex and a face, and of two edges.
std::uint64_t pairs_of_features(const SurfaceFeatures::Leaf& a, const SurfaceFeatures::Leaf& b) {
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
    NodePairs pairs(a, b, b_in_a);
    add(pairs, a, b, b_in_a, margin, limits);
}

void FeatureCandidates::add_overlapping(const SurfaceFeatures& a, std::span<const std::uint32_t> faces_a,
                                        const SurfaceFeatures& b, std::span<const std::uint32_t> faces_b,
                                        const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits) {
    NodePairs pairs(a, b, b_in_a);
    pairs.restrict_to(faces_a, faces_b);
    add(pairs, a, b, b_in_a, margin, limits);
}

/// Adds the pairs of features of the pairs of leaves that may touch.
void FeatureCandidates::add(NodePairs& pairs, const SurfaceFeatures& a, const SurfaceFeatures& b,
                            const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits) {
    const Bounds bounds(margin, limits);
    const auto from_a = [&](const vec3& v) { return transpose_mul(b_in_a.rotation, v); };
    const auto from_b = [&](const vec3& v) { return b_in_a.rotation * v; };
    const auto in_b = [&](const OrientedBox& box) {
        return OrientedBox{to_b(b_in_a, box.middle),
                           {from_a(box.axes[0]), from_a(box.axes[1]), from_a(box.axes[2])},
                           {box.half[0], box.half[1], box.half[2]}};
    };
    const auto opposite_in_b = [&](const DirectionCone& cone) {
        return DirectionCone{-from_a(cone.axis), cone.cosine, cone.sine};
    };
    const std::size_t before = size();
    std::uint64_t in_leaves = 0, nearby = 0;
    placed_.clear();
    placed_at_.assign(b.edges.size(), SurfaceFeatures::none);
    const float turn = limits.turn + limits.turn_ahead;
    pairs.for_each(bounds.pad, turn, [&](const FoundLeaf& found_a, const FoundLeaf& found_b) {
        const SurfaceFeatures::Leaf &of_a = found_a.leaf, &of_b = found_b.leaf;
        in_leaves += pairs_of_features(of_a, of_b);
        // Most features of a leaf are far from the box of the other one.
        const NearLeaf near_a(in_b(found_a.box()), bounds.pad, opposite_in_b(found_a.normals())),
            near_b(found_b.box(), bounds.pad, found_b.normals());
        const auto for_each_near = [&](const NearLeaf& near, const SurfaceFeatures& own,
                                       const SurfaceFeatures::Leaf& leaf, const auto& visit) {
            const SurfaceFeatures::FourVertices* const four = own.four_vertices.data() + leaf.four_vertices;
            for_each_lane(
                leaf.vertices, [&](std::uint32_t k) { return near.near(four[k], turn); },
                [&](std::uint32_t v, int) { visit(v, own.vertices[v]); });
        };
        const auto for_each_under = [&](const vec3& p, const SurfaceFeatures::Leaf& leaf, const auto& visit) {
            const auto over = [&](std::uint32_t) {
                return leaf.four_faces.over(p, bounds.lowest, bounds.highest, limits.depth, bounds.beside);
            };
            for_each_lane(leaf.faces, over, visit);
        };
        for_each_near(near_b, a, of_a, [&](std::uint32_t v, const SurfaceFeatures::Vertex& vertex) {
            const vec3 p = to_b(b_in_a, vertex.at);
            for_each_under(p, of_b, [&](std::uint32_t f, int) {
                if (may_meet(a, vertex, p, b.faces[f], from_b, bounds, limits, nearby)) a_vertices_.push_back({v, f});
            });
        });
        for_each_near(near_a, b, of_b, [&](std::uint32_t v, const SurfaceFeatures::Vertex& vertex) {
            const vec3 p = transform_point(b_in_a, vertex.at);
            for_each_under(p, of_a, [&](std::uint32_t f, int) {
                if (may_meet(b, vertex, p, a.faces[f], from_a, bounds, limits, nearby)) b_vertices_.push_back({f, v});
            });
        });
        const SurfaceFeatures::FourEdges *const edges_a = a.four_edges.data() + of_a.four_edges,
                                                *const edges_b = b.four_edges.data() + of_b.four_edges;
        unsigned near_edges[most_edges / 4] = {}, any = 0;  // of A
        for_each_lane(
            of_a.edges, [&](std::uint32_t k) { return near_b.near(edges_a[k], limits.turn); },
            [&](std::uint32_t e, int lane) { any |= near_edges[(e - of_a.edges.first) / 4] |= 1u << lane; });
        if (any == 0) return;
        const auto near_of_b = [&](std::uint32_t k) { return near_a.near(edges_b[k], limits.turn); };
        for_each_lane(of_b.edges, near_of_b, [&](std::uint32_t k, int) {
            // Each edge of B is met with several leaves of A.
            if (placed_at_[k] == SurfaceFeatures::none) {
                placed_at_[k] = static_cast<std::uint32_t>(placed_.size());
                placed_.push_back(rotated(b.edges[k], b_in_a));
            }
            const SurfaceFeatures::Edge& other = placed_[placed_at_[k]];
            const auto that_meet = [&](std::uint32_t i) {
                return near_edges[i] != 0 ? may_meet(edges_a[i], near_edges[i], other, bounds, limits, nearby) : 0u;
            };
            for_each_lane(of_a.edges, that_meet, [&](std::uint32_t e, int) {
                if (may_meet(a.edges[e], other, bounds, limits)) edges_.push_back({e, k});
            });
        });
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
        const std::uint32_t id = mixed(vertex.id, of_a ? 1u : 2u);
        if (!(height <= margin && height >= -limits.depth_of(id, face.depth))) continue;
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
        found.point = {of_a ? vertex.at : foot,
                       of_a ? foot : vertex.at,
                       of_a ? normal : face.normal,
                       height,
                       id,
                       of_a ? FaceOwner::b : FaceOwner::a,
                       {of_a ? vertex.triangle : face.triangle, of_a ? face.triangle : vertex.triangle}};
        found_.push_back(found);
    }
}

void FeatureCandidates::add_edge_contacts(const SurfaceFeatures& a, const SurfaceFeatures& b,
                                          const MatrixTransform& b_in_a, float margin, const FeatureLimits& limits) {
    const auto add = [&](const Pair& pair, const vec3& n, const vec3& on_a, const vec3& on_b, std::uint32_t id) {
        const float separation = glm::dot(on_b - on_a, n);
        const float depth = limits.depth_of(id, std::min(a.edges[pair.of_a].depth, b.edges[pair.of_b].depth));
        if (!(separation <= margin && separation >= -depth)) return;
        if (separation < -limits.sure) {
            // Each end is on a surface of its own.
            const vec3 shift = 0.02f * (on_a - on_b), p = on_b + shift, q = on_a - shift;
            if (is_blocked(a, p, q) || is_blocked(b, to_b(b_in_a, p), to_b(b_in_a, q))) return;
        }
        found_.push_back({{on_a,
                           to_b(b_in_a, on_b),
                           n,
                           separation,
                           id,
                           FaceOwner::none,
                           {a.edges[pair.of_a].triangle, b.edges[pair.of_b].triangle}},
                          Found::Kind::edges,
                          pair});
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
