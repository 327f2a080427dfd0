#include "narrowphase/nonconvex/surfaces_cross.h"

#include "narrowphase/nonconvex/node_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus::detail {

void keep_near(const TriangleSet& set, std::vector<std::uint32_t>& triangles, const TriangleSet& other,
               const Transform& set_in_other, float distance) {
    constexpr std::size_t together = 8;
    const MatrixTransform to_other = to_matrix_transform(set_in_other);
    std::size_t kept = 0;
    for (std::size_t first = 0; first < triangles.size(); first += together) {
        const std::size_t last = std::min(first + together, triangles.size());
        const std::array<vec3, 3> start = set.points(triangles[first]);
        Aabb box{start[0], start[0]};
        for (std::size_t i = first; i < last; ++i) {
            for (const vec3& p : set.points(triangles[i])) box = {glm::min(box.lower, p), glm::max(box.upper, p)};
        }
        const Aabb near = expand(transform_box(to_other, box), distance);
        bool any = false;
        other.cast(center(near), vec3(0.0f), half_extents(near), [&](std::uint32_t, float) {
            any = true;
            return -1.0f;
        });
        if (!any) continue;
        for (std::size_t i = first; i < last; ++i) triangles[kept++] = triangles[i];
    }
    triangles.resize(kept);
}

bool is_inside(const TriangleSet& solid, const vec3& point) {
    const Aabb& box = solid.bounds();
    if (!contains(box, Aabb{point, point})) return false;
    // The ray goes along y, so it meets a triangle if the triangle's projection along y contains the point. Two triangles
    // that share an edge compute the same number for it, with opposite signs, so the ray never meets both or neither.
    using Plane = glm::dvec2;
    const Plane at(point.x, point.z);
    const auto side = [&](const vec3& from, const vec3& to) {
        const bool in_order = from.x != to.x ? from.x < to.x : from.z < to.z;
        const vec3 &p = in_order ? from : to, &q = in_order ? to : from;
        const Plane along = Plane(q.x, q.z) - Plane(p.x, p.z), across = at - Plane(p.x, p.z);
        const bool left = along.x * across.y - along.y * across.x >= 0.0;
        return left == in_order;
    };
    bool inside = false;
    const vec3 up(0.0f, box.upper.y - point.y, 0.0f);
    solid.cast(point, 2.0f * up, vec3(0.0f), [&](std::uint32_t t, float most) {
        const std::array<vec3, 3> p = solid.points(t);
        const bool first = side(p[0], p[1]);
        if (side(p[1], p[2]) != first || side(p[2], p[0]) != first) return most;
        const glm::dvec3 a(p[0]), normal = glm::cross(glm::dvec3(p[1]) - a, glm::dvec3(p[2]) - a);
        // The ray meets the plane above the point if the point is behind the triangle that faces up.
        const double height = glm::dot(normal, glm::dvec3(point) - a);
        if ((normal.y > 0.0) == (height < 0.0)) inside = !inside;
        return most;
    });
    return inside;
}

namespace {

/// A triangle in A's frame.
struct Placed {
    vec3 points[3];
    vec3 normal;  ///< unit
    Aabb box;
};

Placed placed(const vec3& p, const vec3& q, const vec3& r, const vec3& normal) {
    return {{p, q, r}, normal, {glm::min(p, glm::min(q, r)), glm::max(p, glm::max(q, r))}};
}

/// Returns whether a segment goes through a triangle, and at which part of it.
bool passes(const vec3& from, const vec3& to, const Placed& triangle, float& part) {
    const vec3(&p)[3] = triangle.points;
    const float start = glm::dot(from - p[0], triangle.normal), end = glm::dot(to - p[0], triangle.normal);
    if ((start >= 0.0f) == (end >= 0.0f)) return false;
    part = start / (start - end);
    const vec3 at = from + part * (to - from);
    for (int i = 0; i < 3; ++i) {
        if (glm::dot(glm::cross(p[(i + 1) % 3] - p[i], at - p[i]), triangle.normal) < 0.0f) return false;
    }
    return true;
}

/// The faces of a leaf of B in A's frame, one per lane.
class PlacedLeaf {
public:
    PlacedLeaf(const SurfaceFeatures::FourFaces& faces, const MatrixTransform& b_in_a) {
        const auto rotated = [&](const Vec3Lanes<Float4>& v) {
            const mat3& m = b_in_a.rotation;
            return Vec3Lanes<Float4>{m[0].x * v.x + m[1].x * v.y + m[2].x * v.z,
                                     m[0].y * v.x + m[1].y * v.y + m[2].y * v.z,
                                     m[0].z * v.x + m[1].z * v.y + m[2].z * v.z};
        };
        const vec3& t = b_in_a.position;
        for (int i = 0; i < 3; ++i) {
            const Vec3Lanes<Float4> p = rotated(faces.points[i]);
            points_[i] = {p.x + t.x, p.y + t.y, p.z + t.z};
        }
        normal_ = rotated(faces.normal);
        const auto lowest = [&](Float4 Vec3Lanes<Float4>::*axis) {
            return min_lanes(points_[0].*axis, min_lanes(points_[1].*axis, points_[2].*axis));
        };
        const auto highest = [&](Float4 Vec3Lanes<Float4>::*axis) {
            return max_lanes(points_[0].*axis, max_lanes(points_[1].*axis, points_[2].*axis));
        };
        using V = Vec3Lanes<Float4>;
        lower_ = {lowest(&V::x), lowest(&V::y), lowest(&V::z)};
        upper_ = {highest(&V::x), highest(&V::y), highest(&V::z)};
    }

    /// Returns a bit per face that may cross a triangle: the boxes overlap, and neither is on one side of the other.
    unsigned may_cross(const Placed& own) const {
        const Aabb& box = own.box;
        const auto overlap = (lower_.x <= box.upper.x) & (lower_.y <= box.upper.y) & (lower_.z <= box.upper.z) &
                             (upper_.x >= box.lower.x) & (upper_.y >= box.lower.y) & (upper_.z >= box.lower.z);
        if (lane_bits(overlap) == 0) return 0;
        const auto is_mixed = [](const Float4(&height)[3]) {
            const auto first = height[0] >= 0.0f;
            return ((height[1] >= 0.0f) ^ first) | ((height[2] >= 0.0f) ^ first);
        };
        const Vec3Lanes<Float4> plane_point = in_all_lanes(own.points[0]), plane_normal = in_all_lanes(own.normal);
        Float4 of_own[3], of_other[3];
        for (int i = 0; i < 3; ++i) {
            of_own[i] = dot(in_all_lanes(own.points[i]) - points_[0], normal_);
            of_other[i] = dot(points_[i] - plane_point, plane_normal);
        }
        return lane_bits(overlap & is_mixed(of_own) & is_mixed(of_other));
    }

    Placed face(int lane) const {
        const auto at = [lane](const Vec3Lanes<Float4>& v) { return vec3(v.x[lane], v.y[lane], v.z[lane]); };
        return placed(at(points_[0]), at(points_[1]), at(points_[2]), at(normal_));
    }

private:
    Vec3Lanes<Float4> points_[3], normal_, lower_, upper_;
};

/// Calls visit(triangle of A, its number, triangle of B, its number) for pairs that may cross, until it returns true.
template <class Visit>
void for_each_crossing(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                       const Visit& visit) {
    NodePairs(a, b, b_in_a).for_each_overlap([&](const FoundLeaf& found_a, const FoundLeaf& found_b) {
        const SurfaceFeatures::Leaf &of_a = found_a.leaf, &of_b = found_b.leaf;
        const PlacedLeaf others(of_b.four_faces, b_in_a);
        unsigned bits[lane_count<Float4>] = {}, any = 0;
        const auto own = [&](std::uint32_t f) {
            const SurfaceFeatures::Face& face = a.faces[f];
            return placed(face.points[0], face.points[1], face.points[2], face.normal);
        };
        for (std::uint32_t f = of_a.faces.first; f < of_a.faces.last; ++f)
            any |= bits[f - of_a.faces.first] = others.may_cross(own(f));
        for (std::uint32_t k = of_b.faces.first; k < of_b.faces.last && any != 0; ++k) {
            const int lane = static_cast<int>(k - of_b.faces.first);
            for (std::uint32_t f = of_a.faces.first; f < of_a.faces.last; ++f) {
                if ((bits[f - of_a.faces.first] >> lane & 1u) != 0 && visit(own(f), f, others.face(lane), k))
                    return true;
            }
        }
        return false;
    });
}

/// The part of a surface inside of another one: found from where its edges cross that one, and from there along the
/// edges that do not.
class InsidePart {
public:
    explicit InsidePart(const SurfaceFeatures& of) : of_(of) {}

    /// Adds a face that crosses the other surface.
    void add_face(std::uint32_t face) { faces_.push_back(face); }

    /// Adds a place where an edge of a face crosses the other surface. `enters`: it goes inside on the way from
    /// the corner `edge` to the next one. `part`: of that way.
    void add_edge(std::uint32_t face, int edge, float part, bool enters) {
        const std::uint32_t p = of_.faces[face].corners[edge], q = of_.faces[face].corners[(edge + 1) % 3];
        if (p < q)
            crossed_.push_back({p, q, part, enters});
        else
            crossed_.push_back({q, p, 1.0f - part, !enters});
    }

    /// Returns the faces, in ascending order. `box`: those outside of it are left out, unless they cross.
    std::vector<std::uint32_t> faces(const Aabb& box) {
        const auto unique = [](auto& list) { list.erase(std::unique(list.begin(), list.end()), list.end()); };
        std::sort(faces_.begin(), faces_.end());
        unique(faces_);
        std::sort(crossed_.begin(), crossed_.end(), [](const Crossed& x, const Crossed& y) {
            return x.low != y.low ? x.low < y.low : x.high != y.high ? x.high < y.high : x.part < y.part;
        });
        inside_.assign(of_.corner_count, false);
        state_.assign(of_.faces.size(), State::unknown);
        for (std::size_t k = 0; k < crossed_.size(); ++k) {
            const Crossed& c = crossed_[k];
            const auto same = [&](const Crossed& other) { return c.low == other.low && c.high == other.high; };
            // The first crossing tells of the lower end, the last one of the higher end.
            if ((k == 0 || !same(crossed_[k - 1])) && !c.enters) inside_[c.low] = true;
            if ((k + 1 == crossed_.size() || !same(crossed_[k + 1])) && c.enters) inside_[c.high] = true;
        }
        for (const std::uint32_t f : faces_) state_[f] = State::crosses;
        std::vector<std::uint32_t> waiting = faces_;
        while (!waiting.empty()) {
            const SurfaceFeatures::Face& face = of_.faces[waiting.back()];
            waiting.pop_back();
            for (int i = 0; i < 3; ++i) {
                const std::uint32_t p = face.corners[i], q = face.corners[(i + 1) % 3], next = face.beyond[i];
                if (!(inside_[p] || inside_[q]) || is_crossed(p, q)) continue;
                const bool is_new = !inside_[p] || !inside_[q];
                inside_[p] = inside_[q] = true;
                if (next == SurfaceFeatures::none) continue;
                if (state_[next] == State::unknown) {
                    state_[next] = State::inside;
                    const vec3(&points)[3] = of_.faces[next].points;
                    if (!overlaps(box, Aabb{glm::min(points[0], glm::min(points[1], points[2])),
                                            glm::max(points[0], glm::max(points[1], points[2]))}))
                        continue;
                    for (const std::uint32_t corner : of_.faces[next].corners) inside_[corner] = true;
                    faces_.push_back(next);
                    waiting.push_back(next);
                } else if (state_[next] == State::crosses && is_new) {
                    waiting.push_back(next);
                }
            }
        }
        std::sort(faces_.begin(), faces_.end());
        return std::move(faces_);
    }

private:
    struct Crossed {
        std::uint32_t low, high;  ///< corners of the edge
        float part;
        bool enters;
    };
    enum class State : std::uint8_t { unknown, crosses, inside };

    bool is_crossed(std::uint32_t p, std::uint32_t q) const {
        const std::uint32_t low = std::min(p, q), high = std::max(p, q);
        const auto at = std::lower_bound(crossed_.begin(), crossed_.end(), 0, [&](const Crossed& c, int) {
            return c.low != low ? c.low < low : c.high < high;
        });
        return at != crossed_.end() && at->low == low && at->high == high;
    }

    const SurfaceFeatures& of_;
    std::vector<std::uint32_t> faces_;
    std::vector<Crossed> crossed_;  ///< in order by their corners and parts
    std::vector<bool> inside_;      ///< by corner
    std::vector<State> state_;      ///< by face
};

}  // namespace

namespace {

/// The straight parts of the curves: one for each pair of triangles that cross.
class CurveParts {
public:
    /// Where a part ends: at an edge of one surface, in a triangle of the other one. The next part begins there.
    struct End {
        vec3 at;
        std::uint32_t low, high;  ///< corners of the edge
        std::uint32_t face;       ///< of the other surface
        bool of_b;                ///< the edge is B's
    };

    void add(const End& from, const End& to) {
        ends_.push_back({from, static_cast<std::uint32_t>(parts_.size())});
        ends_.push_back({to, static_cast<std::uint32_t>(parts_.size())});
        parts_.push_back({from.at, to.at, static_cast<std::uint32_t>(parts_.size())});
    }
    bool any() const { return !parts_.empty(); }

    /// Returns the curves, in the order of their first parts.
    std::vector<CrossingCurve> curves() {
        std::sort(ends_.begin(), ends_.end(), [](const Place& x, const Place& y) {
            const End &p = x.end, &q = y.end;
            return p.of_b != q.of_b   ? p.of_b < q.of_b
                   : p.low != q.low   ? p.low < q.low
                   : p.high != q.high ? p.high < q.high
                   : p.face != q.face ? p.face < q.face
                                      : x.part < y.part;
        });
        for (std::size_t k = 1; k < ends_.size(); ++k) {
            const End &p = ends_[k - 1].end, &q = ends_[k].end;
            if (p.of_b != q.of_b || p.low != q.low || p.high != q.high || p.face != q.face) continue;
            const std::uint32_t x = root(ends_[k - 1].part), y = root(ends_[k].part);
            parts_[std::max(x, y)].first = std::min(x, y);
        }
        std::vector<CrossingCurve> all;
        std::vector<std::uint32_t> places(parts_.size());
        for (std::uint32_t k = 0; k < parts_.size(); ++k) {
            const Part& part = parts_[k];
            const std::uint32_t first = root(k);
            if (first == k) {
                places[k] = static_cast<std::uint32_t>(all.size());
                all.emplace_back().box = {part.from, part.from};
            }
            // About a point on the curve, so that little is lost to rounding. It is closed, so any point will do.
            const vec3 origin = parts_[first].from;
            const float length = std::sqrt(length_squared(part.to - part.from));
            all[places[first]].add({0.5f * glm::cross(part.from - origin, part.to - origin),
                                    0.5f * (part.from + part.to),
                                    length,
                                    {glm::min(part.from, part.to), glm::max(part.from, part.to)}});
        }
        return all;
    }

private:
    struct Place {
        End end;
        std::uint32_t part;
    };
    struct Part {
        vec3 from, to;
        std::uint32_t first;  ///< a part of the same curve before this one, or itself
    };

    std::uint32_t root(std::uint32_t part) {
        while (parts_[part].first != part) part = parts_[part].first = parts_[parts_[part].first].first;
        return part;
    }

    std::vector<Place> ends_;
    std::vector<Part> parts_;
};

}  // namespace

void CrossingCurve::add(const CrossingCurve& other) {
    area += other.area;
    const float sum = length + other.length;
    if (sum > 0.0f) middle = (length * middle + other.length * other.middle) / sum;
    length = sum;
    box = merge(box, other.box);
}

SurfaceOverlap find_overlap(const SurfaceFeatures& a, const SurfaceFeatures& b, const MatrixTransform& b_in_a,
                            float depth) {
    SurfaceOverlap result;
    Aabb box{vec3(std::numeric_limits<float>::infinity()), vec3(-std::numeric_limits<float>::infinity())};
    InsidePart inside_a(a), inside_b(b);
    CurveParts parts;
    for_each_crossing(a, b, b_in_a, [&](const Placed& of_a, std::uint32_t f, const Placed& of_b, std::uint32_t g) {
        CurveParts::End ends[2];
        int count = 0;
        const auto add = [&](const SurfaceFeatures& surface, const Placed& of_edge, int i, const Placed& triangle,
                             InsidePart& part, std::uint32_t face, std::uint32_t other, bool edge_of_b) {
            const vec3 &from = of_edge.points[i], &to = of_edge.points[(i + 1) % 3];
            float where = 0.0f;
            if (!passes(from, to, triangle, where)) return;
            const vec3 at = from + where * (to - from);
            box = {glm::min(box.lower, at), glm::max(box.upper, at)};
            const std::uint32_t p = surface.faces[face].corners[i], q = surface.faces[face].corners[(i + 1) % 3];
            if (count < 2) ends[count] = {at, std::min(p, q), std::max(p, q), other, edge_of_b};
            ++count;
            part.add_edge(face, i, where, glm::dot(to - from, triangle.normal) < 0.0f);
        };
        for (int i = 0; i < 3; ++i) {
            add(a, of_a, i, of_b, inside_a, f, g, false);
            add(b, of_b, i, of_a, inside_b, g, f, true);
        }
        if (count == 0) return false;
        inside_a.add_face(f);
        inside_b.add_face(g);
        if (count < 2) return false;
        // In this direction, the part of A inside of B is on the left, as seen from A's front.
        if (glm::dot(ends[1].at - ends[0].at, glm::cross(of_a.normal, of_b.normal)) < 0.0f) std::swap(ends[0], ends[1]);
        parts.add(ends[0], ends[1]);
        return false;
    });
    result.crosses = parts.any();
    if (!result.crosses) return result;
    result.curves = parts.curves();
    const MatrixTransform a_in_b{transpose_mul(b_in_a.rotation, -b_in_a.position), glm::transpose(b_in_a.rotation)};
    result.faces_a = inside_a.faces(expand(box, depth));
    result.faces_b = inside_b.faces(transform_box(a_in_b, expand(box, depth)));
    return result;
}

}  // namespace talus::detail
