#include <talus/narrowphase/nonconvex/translating_pair.h>

#include "narrowphase/casts/double_rotation.h"
#include "narrowphase/nonconvex/edge_face.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;
using Index = std::uint32_t;

constexpr float unbounded = std::numeric_limits<float>::infinity();

/// How far the intervals are rounded outward, in sums of the radii: float rounding of products with displacements of up
/// to `farthest` sums. Beyond those the two are apart without a test.
constexpr double outward = 4e-6, farthest = 2.0;

/// Boxes of blocks pay from so many blocks on.
constexpr std::size_t blocks_for_boxes = 16;

/// Sides of a prism that are kept for the second comparison, at most; none of a face with more edges.
constexpr std::size_t most_sides = 8;

/// Edges of a face that are tried, at most, to find the directions that enclose its prism most tightly.
constexpr std::size_t most_tried = 64;

struct Interval {
    double low, high;
    double length() const { return high - low; }
};

/// Displacements at which an edge and a face meet: the differences of their points, A's minus B's.
class Prism {
public:
    Prism(const std::vector<dvec3>& of_a, const std::vector<dvec3>& of_b) : of_a_(of_a), of_b_(of_b) {}

    Interval along(const dvec3& axis) const {
        const Interval a = along(of_a_, axis), b = along(of_b_, axis);
        return {a.low - b.high, a.high - b.low};
    }

private:
    static Interval along(const std::vector<dvec3>& points, const dvec3& axis) {
        Interval i{glm::dot(points[0], axis), glm::dot(points[0], axis)};
        for (const dvec3& p : points) {
            const double d = glm::dot(p, axis);
            i.low = std::min(i.low, d), i.high = std::max(i.high, d);
        }
        return i;
    }
    const std::vector<dvec3>&of_a_, &of_b_;
};

float larger(float x, float y) { return x > y ? x : y; }

/// Spreads the lowest ten bits of x to every third bit.
Index spread(Index x) {
    x = (x | (x << 16)) & 0x030000ff;
    x = (x | (x << 8)) & 0x0300f00f;
    x = (x | (x << 4)) & 0x030c30c3;
    return (x | (x << 2)) & 0x09249249;
}

}  // namespace

bool TranslatingPair::start(const Transform& pose_a, const Transform& pose_b) {
    ready_ = false;
    pairs_.clear(), sides_.clear(), blocks_.clear(), boxes_.clear();
    find_candidates(a_, pose_a, b_, pose_b, scratch_);
    const auto usable = [](const quat& q) {
        return is_finite(q) && q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12f;
    };
    if (!a_.graph || !b_.graph || a_.polyhedron.faces.empty() || b_.polyhedron.faces.empty() ||
        !usable(pose_a.rotation) || !usable(pose_b.rotation) || !is_finite(pose_a.position) ||
        !is_finite(pose_b.position))
        return false;
    const glm::dquat inverse_a = detail::inverse(detail::unit(pose_a.rotation));
    to_a_ = to_matrix(inverse_a);
    rotation_ = to_matrix(detail::times(inverse_a, detail::unit(pose_b.rotation)));
    band_ = a_.polyhedron.tolerance + b_.polyhedron.tolerance;
    return true;
}

bool TranslatingPair::prepare(const Transform& pose_a, const Transform& pose_b) {
    if (!start(pose_a, pose_b)) return false;
    add_blocks(scratch_.candidates);
    return ready_ = true;
}

bool TranslatingPair::prepare(const Transform& pose_a, const Transform& pose_b, const EdgeFaceCandidates& pairs) {
    if (!start(pose_a, pose_b)) return false;
    const auto exist = [](const std::vector<EdgeFacePair>& list, const Polyhedron& edges, const Polyhedron& faces) {
        return std::all_of(list.begin(), list.end(), [&](const EdgeFacePair& p) {
            return p.edge < edges.edges.size() && p.face < faces.faces.size();
        });
    };
    if (!exist(pairs.a_edges, a_.polyhedron, b_.polyhedron) || !exist(pairs.b_edges, b_.polyhedron, a_.polyhedron))
        return false;
    add_blocks(pairs);
    return ready_ = true;
}

/// A pair with its intervals, before it has a place in a block.
struct TranslatingPair::Prepared {
    Pair pair;
    std::array<Slab, slabs> intervals;
    std::array<Interval, 3> box;  ///< along x, y and z
    std::vector<Slab> sides;
    Index place = 0;  ///< along a curve through all boxes
};

/// points: A's vertices from its centre and B's from its own, all in A's axes.
TranslatingPair::Prepared TranslatingPair::prepare_pair(const EdgeFacePair& pair, bool edge_of_a,
                                                        const std::array<std::vector<dvec3>, 2>& points) const {
    const Polyhedron &a = a_.polyhedron, &b = b_.polyhedron;
    const Polyhedron &edges = edge_of_a ? a : b, &faces = edge_of_a ? b : a;
    const double sum = a.radius + b.radius, margin = band_ + outward * sum;
    const auto in_a = [&](const dvec3& v, bool is_a) { return is_a ? v : rotation_ * v; };

    const PolyhedronEdge& edge = edges.edges[pair.edge];
    std::array<std::vector<dvec3>, 2> used;
    for (const Index v : edge.vertices) used[edge_of_a ? 0 : 1].push_back(points[edge_of_a ? 0 : 1][v]);
    const std::span<const Index> boundary = faces.edges_of_face(pair.face);
    for (const Index g : boundary) {
        for (const Index v : faces.edges[g].vertices) used[edge_of_a ? 1 : 0].push_back(points[edge_of_a ? 1 : 0][v]);
    }
    const Prism prism(used[0], used[1]);
    const auto slab = [&](const dvec3& axis) {
        const vec3 rounded(axis);
        const Interval i = prism.along(dvec3(rounded));
        return Slab{rounded, static_cast<float>(i.low - margin), static_cast<float>(i.high + margin)};
    };

    // At right angles to the edge: the sides of the prism, which are parallel to the edges of the face.
    const dvec3 direction = in_a(edge.direction, edge_of_a);
    std::vector<dvec3> across;
    const auto offer = [&](const dvec3& v) {
        const double length = detail::length(v);
        if (length > 1e-6) across.push_back(v / length);
    };
    for (const Index g : boundary.first(std::min(boundary.size(), most_tried)))
        offer(glm::cross(direction, in_a(faces.edges[g].direction, !edge_of_a)));
    if (across.empty()) offer(glm::cross(direction, std::abs(direction.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
    // The narrowest rectangle around the prism.
    dvec3 u{}, w{};
    double least = std::numeric_limits<double>::infinity();
    for (const dvec3& v : across) {
        const dvec3 other = glm::cross(direction, v);
        const double area = prism.along(v).length() * prism.along(other).length();
        if (area < least) least = area, u = v, w = other;
    }

    const dvec3 normal = in_a(faces.faces[pair.face].normal, !edge_of_a);
    Prepared p{{pair, edge_of_a, 0, 0}, {slab(normal), slab(u), slab(w)}, {}, {}};
    if (boundary.size() <= most_sides) {
        for (const dvec3& v : across) {
            if (v != u) p.sides.push_back(slab(v));
        }
    }
    const dvec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t k = 0; k < 3; ++k) {
        const Interval i = prism.along(unit[k]);
        p.box[k] = {i.low - margin, i.high + margin};
        const double middle = 0.5 * (i.low + i.high) / sum;  // in [-1, 1]
        p.place |= spread(static_cast<Index>(std::clamp(512.0 * (middle + 1.0), 0.0, 1023.0))) << k;
    }
    return p;
}

void TranslatingPair::add_blocks(const EdgeFaceCandidates& candidates) {
    const Polyhedron &a = a_.polyhedron, &b = b_.polyhedron;
    std::array<std::vector<dvec3>, 2> points;
    for (const dvec3& v : a.vertices) points[0].push_back(v - a.center);
    for (const dvec3& v : b.vertices) points[1].push_back(rotation_ * (v - b.center));
    std::vector<Prepared> prepared;
    for (const EdgeFacePair& p : candidates.a_edges) prepared.push_back(prepare_pair(p, true, points));
    for (const EdgeFacePair& p : candidates.b_edges) prepared.push_back(prepare_pair(p, false, points));
    std::stable_sort(prepared.begin(), prepared.end(),
                     [](const Prepared& x, const Prepared& y) { return x.place < y.place; });
    fill_blocks(prepared);
}

void TranslatingPair::fill_blocks(const std::vector<Prepared>& prepared) {
    const std::size_t count = (prepared.size() + lanes - 1) / lanes;
    blocks_.resize(count);
    boxes_.resize((count + lanes - 1) / lanes);
    // Lanes without a pair: no displacement is between these.
    for (Block& block : blocks_) {
        block = {};
        std::fill(&block.low[0][0], &block.low[0][0] + slabs * lanes, unbounded);
    }
    for (Boxes& boxes : boxes_) {
        std::fill(&boxes.low[0][0], &boxes.low[0][0] + 3 * lanes, unbounded);
        std::fill(&boxes.high[0][0], &boxes.high[0][0] + 3 * lanes, -unbounded);
    }
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        const Prepared& p = prepared[i];
        pairs_.push_back(p.pair);
        pairs_.back().first_side = static_cast<Index>(sides_.size());
        pairs_.back().sides = static_cast<Index>(p.sides.size());
        sides_.insert(sides_.end(), p.sides.begin(), p.sides.end());
        const std::size_t place = i / lanes, lane = i % lanes;
        Block& block = blocks_[place];
        for (std::size_t k = 0; k < slabs; ++k) {
            const Slab& slab = p.intervals[k];
            for (int c = 0; c < 3; ++c) block.axis[k][c][lane] = slab.axis[c];
            block.low[k][lane] = slab.low;
            block.high[k][lane] = slab.high;
        }
        Boxes& boxes = boxes_[place / lanes];
        for (std::size_t k = 0; k < 3; ++k) {
            float &low = boxes.low[k][place % lanes], &high = boxes.high[k][place % lanes];
            low = std::min(low, static_cast<float>(p.box[k].low));
            high = std::max(high, static_cast<float>(p.box[k].high));
        }
    }
}

InterferenceResult TranslatingPair::test(const vec3& position_a, const vec3& position_b) const {
    if (!ready_ || !is_finite(position_a) || !is_finite(position_b)) return {.relation = Interference::bad_input};
    const Polyhedron &a = a_.polyhedron, &b = b_.polyhedron;
    const dvec3 position = to_a_ * (dvec3(position_b) - dvec3(position_a));
    const dvec3 between = position + rotation_ * b.center - a.center;
    InterferenceResult result{Interference::disjoint, 0.0, pairs_.size()};
    const double far = farthest * (a.radius + b.radius) + band_;
    if (glm::dot(between, between) > far * far) return result;

    const vec3 d(between);
    if (blocks_.size() < blocks_for_boxes) {
        if (meets_in_blocks(0, blocks_.size(), d, position)) result.relation = Interference::boundaries_meet;
        return result;
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        const Boxes& boxes = boxes_[i];
        int inside[lanes], any = 0;
        for (std::size_t l = 0; l < lanes; ++l) {
            inside[l] = int(d.x >= boxes.low[0][l]) & int(d.x <= boxes.high[0][l]) & int(d.y >= boxes.low[1][l]) &
                        int(d.y <= boxes.high[1][l]) & int(d.z >= boxes.low[2][l]) & int(d.z <= boxes.high[2][l]);
            any |= inside[l];
        }
        if (!any) continue;
        for (std::size_t l = 0; l < lanes; ++l) {
            if (inside[l] && meets_in_blocks(lanes * i + l, lanes * i + l + 1, d, position)) {
                result.relation = Interference::boundaries_meet;
                return result;
            }
        }
    }
    return result;
}

bool TranslatingPair::meets_in_blocks(std::size_t first, std::size_t last, const vec3& d, const dvec3& position) const {
    const float x = d.x, y = d.y, z = d.z;
    for (std::size_t index = first; index < last; ++index) {
        const Block& block = blocks_[index];
        // How far outside: plain loops over lanes, so that the compiler takes them four at a time.
        float outside[lanes];
        for (std::size_t l = 0; l < lanes; ++l) {
            const auto off = [&](int k) {
                const float along = x * block.axis[k][0][l] + y * block.axis[k][1][l] + z * block.axis[k][2][l];
                return larger(block.low[k][l] - along, along - block.high[k][l]);
            };
            outside[l] = larger(larger(off(0), off(1)), off(2));
        }
        int any = 0;
        for (std::size_t l = 0; l < lanes; ++l) any |= outside[l] <= 0.0f ? 1 : 0;
        if (!any) continue;
        for (std::size_t l = 0; l < lanes; ++l) {
            if (outside[l] <= 0.0f && meets(pairs_[lanes * index + l], d, position)) return true;
        }
    }
    return false;
}

bool TranslatingPair::meets(const Pair& p, const vec3& d, const dvec3& position) const {
    for (Index k = p.first_side; k < p.first_side + p.sides; ++k) {
        const Slab& side = sides_[k];
        const float along = glm::dot(side.axis, d);
        if (along < side.low || along > side.high) return false;
    }
    const Polyhedron &a = a_.polyhedron, &b = b_.polyhedron;
    if (p.edge_of_a) {
        const Segment s = segment_of(a, p.pair.edge);
        const dmat3 to_b = glm::transpose(rotation_);
        return edge_meets_face({{to_b * (s.ends[0] - position), to_b * (s.ends[1] - position)}, to_b * s.direction}, b,
                               p.pair.face, band_);
    }
    const Segment s = segment_of(b, p.pair.edge);
    return edge_meets_face(
        {{position + rotation_ * s.ends[0], position + rotation_ * s.ends[1]}, rotation_ * s.direction}, a, p.pair.face,
        band_);
}

}  // namespace talus
