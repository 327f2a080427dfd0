#include "narrowphase/support/supporting_feature.h"

#include "common/lanes/float4.h"
#include "narrowphase/shapes/hull_data.h"
#include "narrowphase/support/core_support.h"
#include "narrowphase/support/mapping_feature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

SupportingFeature vertex_feature(const vec3& p, std::uint16_t id) {
    SupportingFeature f;
    f.points[0] = p;
    f.ids[0] = id;
    return f;
}

/// Makes a segment from the support end p0 to p1, or a point p0 if the edge is too steep to the contact plane. With a
/// radius even small angles are too steep, because the straight line between the ends is below the round surface. The
/// radius is added along the direction at the support end, where the round end touches, and across the edge at the
/// other end, on its side.
SupportingFeature edge_feature(const vec3& p0, std::uint16_t id0, const vec3& p1, std::uint16_t id1, float radius,
                               const vec3& d) {
    const vec3 edge = p1 - p0;
    const float length2 = length_squared(edge);
    const float along = glm::dot(edge, d);
    SupportingFeature f = vertex_feature(p0 + radius * d, id0);
    const float steepest = radius > 0.0f ? tolerance::steepest_round_edge : tolerance::steepest_edge;
    // If the edge is shorter than this, its ends on the round surface are not accurate enough in float to tell its
    // direction.
    const float shortest = tolerance::coordinate_noise / tolerance::parallel_lines * radius;
    if (!(along * along <= steepest * steepest * length2) || !(length2 > shortest * shortest)) return f;
    f.kind = SupportingFeatureKind::segment;
    f.ids[1] = id1;
    f.curvature[0] = f.curvature[1] = radius;
    f.points[1] = p1;
    if (radius > 0.0f) {
        const vec3 across = d - (along / length2) * edge;
        f.points[1] += (radius / std::sqrt(length_squared(across))) * across;
    }
    return f;
}

/// Orders the ends by height; a tie goes to the first.
SupportingFeature segment_feature(const vec3& p0, const vec3& p1, float radius, const vec3& d) {
    const bool second = glm::dot(p1, d) > glm::dot(p0, d);
    return second ? edge_feature(p1, 1, p0, 0, radius, d) : edge_feature(p0, 0, p1, 1, radius, d);
}

[[gnu::always_inline]] inline void box_feature(const vec3& half, const vec3& d, SupportingFeature& f) {
    const vec3 a = absolute(d);
    const int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
    const bool negative = d[axis] < 0.0f;
    f.kind = SupportingFeatureKind::polygon;
    f.face = static_cast<std::uint32_t>(2 * axis + (negative ? 1 : 0));
    f.normal = vec3(0.0f);
    f.normal[axis] = negative ? -1.0f : 1.0f;
    f.offset = half[axis];
    f.height = glm::dot(a, half);
}

/// A box with a radius: a face if d is nearly across it, else the most level edge at the support vertex.
[[gnu::noinline]] SupportingFeature rounded_box_feature(const vec3& half, float radius, const vec3& d) {
    const vec3 a = absolute(d);
    SupportingFeature f;
    if (std::max(std::max(a.x, a.y), a.z) >= tolerance::rounded_face) {
        box_feature(half, d, f);
        f.offset += radius;
        f.height += radius;
        return f;
    }
    const int level = a.x <= a.y && a.x <= a.z ? 0 : a.y <= a.z ? 1 : 2;
    vec3 top;
    unsigned index = 0;
    for (int i = 0; i < 3; ++i) {
        top[i] = d[i] < 0.0f ? -half[i] : half[i];
        if (d[i] < 0.0f) index |= 1u << i;
    }
    vec3 other = top;
    other[level] = -top[level];
    return edge_feature(top, static_cast<std::uint16_t>(index), other,
                        static_cast<std::uint16_t>(index ^ (1u << level)), radius, d);
}

SupportingFeature triangle_feature(const Shape& shape, const vec3& d) {
    const vec3* p = shape.points;
    // In double, because the cross product of a thin triangle's edges in float has an arbitrary direction.
    const glm::dvec3 origin(p[0]), area = glm::cross(glm::dvec3(p[1]) - origin, glm::dvec3(p[2]) - origin);
    const double size = std::sqrt(glm::dot(area, area));
    const vec3 normal = size > 0.0 ? vec3(area / size) : vec3(0.0f);
    const float along = glm::dot(normal, d);
    const float least = shape.radius > 0.0f ? tolerance::rounded_face : tolerance::steepest_face;
    const float h[3] = {glm::dot(p[0], d), glm::dot(p[1], d), glm::dot(p[2], d)};
    const int top = h[1] > h[0] ? (h[2] > h[1] ? 2 : 1) : (h[2] > h[0] ? 2 : 0);
    if (std::abs(along) >= least && size > 0.0) {
        SupportingFeature f;
        f.kind = SupportingFeatureKind::polygon;
        f.face = along < 0.0f;
        f.normal = along < 0.0f ? -normal : normal;
        f.offset = glm::dot(f.normal, p[0]) + shape.radius;
        f.height = h[top] + shape.radius;
        return f;
    }
    // Seen edge-on: the more level one of the two edges at the highest corner.
    const int i = (top + 1) % 3, j = (top + 2) % 3;
    const float drop_i = h[top] - h[i], drop_j = h[top] - h[j];
    const bool take_i =
        drop_i * drop_i * length_squared(p[j] - p[top]) <= drop_j * drop_j * length_squared(p[i] - p[top]);
    const int other = take_i ? i : j;
    return edge_feature(p[top], static_cast<std::uint16_t>(top), p[other], static_cast<std::uint16_t>(other),
                        shape.radius, d);
}

SupportingFeature disc_feature(float y, float radius, bool base, const vec3& d, const vec3& lowest) {
    SupportingFeature f;
    f.kind = SupportingFeatureKind::disc;
    f.face = base;
    f.normal.y = base ? -1.0f : 1.0f;
    f.offset = std::abs(y);
    f.points[0].y = y;
    // On a cap that lies flat, noise decides which rim point is the lowest; starting from that one would move all
    // contact points.
    const bool flat = d.x * d.x + d.z * d.z < tolerance::flat_rim * tolerance::flat_rim;
    f.points[1] = flat ? vec3(1.0f, 0.0f, 0.0f) : lowest;
    f.height = y * d.y + radius * std::sqrt(d.x * d.x + d.z * d.z);
    return f;
}

/// Returns the unit direction of d across the y axis; +x if d is along the axis.
vec3 radial_direction(const vec3& d) {
    const float length2 = d.x * d.x + d.z * d.z;
    if (!(length2 > 0.0f)) return {1.0f, 0.0f, 0.0f};
    const float scale = 1.0f / std::sqrt(length2);
    return {d.x * scale, 0.0f, d.z * scale};
}

SupportingFeature cylinder_feature(const vec3& half, const vec3& d) {
    const vec3 radial = radial_direction(d);
    const bool base = d.y < 0.0f;
    if (d.y * d.y >= 0.5f) return disc_feature(base ? -half.y : half.y, half.x, base, d, radial);
    // Nearer to lying on its side: the feature is the side line whose lower end is the support point.
    const vec3 side = half.x * radial, axis(0.0f, half.y, 0.0f);
    SupportingFeature f = base ? edge_feature(side - axis, 1, side + axis, 0, 0.0f, d)
                               : edge_feature(side + axis, 0, side - axis, 1, 0.0f, d);
    f.curvature[0] = f.curvature[1] = half.x;
    return f;
}

SupportingFeature cone_feature(const vec3& half, const vec3& d) {
    const vec3 radial = radial_direction(d);
    const float around = glm::dot(d, radial);
    const float slant = std::sqrt(4.0f * half.y * half.y + half.x * half.x);
    const float side = (2.0f * half.y * around + half.x * d.y) / slant;  // cosine between d and the side's normal
    const vec3 apex(0.0f, half.y, 0.0f);
    const vec3 rim = half.x * radial - apex;
    if (-d.y >= side && -d.y >= tolerance::steepest_face) return disc_feature(-half.y, half.x, true, d, radial);
    const bool at_apex = glm::dot(apex, d) > glm::dot(rim, d);
    SupportingFeature f = at_apex ? edge_feature(apex, 0, rim, 1, 0.0f, d) : edge_feature(rim, 1, apex, 0, 0.0f, d);
    f.curvature[at_apex ? 1 : 0] = half.x;
    // Straight up on its tip: no side line touches more than the others.
    if (around < tolerance::flat_rim) f.kind = SupportingFeatureKind::point;
    return f;
}

/// A step of the climb must have more than this slope (squared sine), so that rounding cannot lead it around a level
/// face forever. The height that is lost by this is less than the rounding of the float vertices.
constexpr float least_climb = 1e-12f;

/// A direction as lanes.
struct Direction {
    explicit Direction(const vec3& d) : x{d.x, d.x, d.x, d.x}, y{d.y, d.y, d.y, d.y}, z{d.z, d.z, d.z, d.z} {}
    Float4 x, y, z;

    Float4 along(Float4 px, Float4 py, Float4 pz) const { return px * x + py * y + pz * z; }
};

/// The neighbours and faces around a vertex of a hull, four at a time.
struct Ring {
    Ring(const HullData& h, std::uint32_t v) : hull(h), vertex(v), begin(h.rings.data() + v), fours(2) {
        if (begin->neighbour[0] != HullRing::elsewhere) return;
        begin = h.rings.data() + h.wide_rings[v];
        fours = static_cast<int>(2 * (h.wide_rings[v + 1] - h.wide_rings[v]));
    }
    std::uint16_t neighbour(std::uint32_t i) const { return begin[i / 8].neighbour[i % 8]; }
    /// Number of face i of the ring: 17 bits on hulls of more than 32,769 vertices.
    std::uint32_t face(std::uint32_t i) const {
        if (hull.faces.size() > 65536) {
            const std::uint32_t first = hull.vertex_first[vertex], count = hull.vertex_first[vertex + 1] - first;
            return hull.vertex_faces[first + (i < count ? i : 0)];
        }
        return begin[i / 8].face[i % 8];
    }
    /// The last entries may repeat the first.
    std::uint32_t last() const {
        auto i = static_cast<std::uint32_t>(4 * fours) - 1;
        while (neighbour(i) == neighbour(0)) --i;
        return i;
    }
    /// The cosines between d and the normals of faces 4 * four to 4 * four + 3.
    Float4 cosines(int four, const Direction& d) const {
        const HullRing& ring = begin[four / 2];
        const int lane = 4 * (four % 2);
        return d.along(load_lanes(ring.normal_x + lane), load_lanes(ring.normal_y + lane),
                       load_lanes(ring.normal_z + lane));
    }

    const HullData& hull;
    std::uint32_t vertex;
    const HullRing* begin;
    int fours;
};

/// Finds the lane of a ring with the largest number, the first of equals.
class Largest {
public:
    explicit Largest(Float4 first) : most_(first) {}
    void add(Float4 next) {
        lanes_ += 4;
        const Int4 better = next > most_;
        most_ = max_lanes(next, most_);
        at_ = (better & lanes_) | (~better & at_);
    }
    /// To be called once, after which value() and at() hold.
    void finish() {
        fold(__builtin_shufflevector(most_, most_, 2, 3, 0, 1), __builtin_shufflevector(at_, at_, 2, 3, 0, 1));
        fold(__builtin_shufflevector(most_, most_, 1, 0, 3, 2), __builtin_shufflevector(at_, at_, 1, 0, 3, 2));
    }
    float value() const { return most_[0]; }
    std::uint32_t at() const { return static_cast<std::uint32_t>(at_[0]); }

private:
    void fold(Float4 other, Int4 other_at) {
        const Int4 better = (other > most_) | ((other == most_) & (other_at < at_));
        most_ = max_lanes(other, most_);
        at_ = (better & other_at) | (~better & at_);
    }

    Float4 most_;
    Int4 at_{0, 1, 2, 3}, lanes_{0, 1, 2, 3};
};

/// The edges from the ring's vertex to four neighbours.
struct Edges {
    Edges(const Ring& ring, int four, const Direction& d) {
        const std::uint16_t* n = ring.begin[four / 2].neighbour + 4 * (four % 2);
        const auto from_vertex = [&](const std::vector<float>& at) {
            return Float4{at[n[0]], at[n[1]], at[n[2]], at[n[3]]} - at[ring.vertex];
        };
        const Float4 x = from_vertex(ring.hull.x), y = from_vertex(ring.hull.y), z = from_vertex(ring.hull.z);
        along = d.along(x, y, z);
        length2 = x * x + y * y + z * z;
    }
    Float4 along, length2;
};

template <class Measure>
Largest largest_in(const Ring& ring, Measure measure) {
    Largest result(measure(0));
    for (int four = 1; four < ring.fours; ++four) result.add(measure(four));
    result.finish();
    return result;
}

/// Climbs from the hinted vertex along the steepest edges: from last frame's vertex that is usually no step or one.
std::uint32_t walk_to_support(const HullData& hull, const vec3& d, std::uint32_t hint) {
    const Direction direction(d);
    std::uint32_t top = hint < hull.vertices.size() ? hint : 0;
    for (;;) {
        const Ring ring(hull, top);
        const Largest steepest = largest_in(ring, [&](int four) {
            const Edges edges(ring, four, direction);
            return edges.along * max_lanes(edges.along, Float4{}) / edges.length2;
        });
        if (!(steepest.value() > least_climb)) return top;
        top = ring.neighbour(steepest.at());
    }
}

/// A hull with a radius: the face at the support vertex that is nearly across d, else the most level edge there.
[[gnu::noinline]] void rounded_hull_feature(const HullData& hull, float radius, const vec3& d, std::uint32_t top,
                                            SupportingFeature& f) {
    const Direction direction(d);
    const Ring ring(hull, top);
    const Largest best = largest_in(ring, [&](int four) { return ring.cosines(four, direction); });
    if (best.value() >= tolerance::rounded_face) {
        set_hull_face(hull, ring.face(best.at()), f);
        f.offset += radius;
        f.ids[0] = static_cast<std::uint16_t>(top);
        return;
    }
    const Largest flattest = largest_in(ring, [&](int four) {
        const Edges edges(ring, four, direction);
        return -(edges.along * edges.along / edges.length2);
    });
    const std::uint16_t other = ring.neighbour(flattest.at());
    f = edge_feature(hull.vertices[top], static_cast<std::uint16_t>(top), hull.vertices[other], other, radius, d);
}

/// Returns the face at the support vertex that is best aligned with d. If an edge at the vertex lies in the contact
/// plane, only its two faces are considered, although another face at the vertex may be better aligned with d.
void hull_feature(const HullData& hull, const vec3& d, std::uint32_t top, SupportingFeature& f) {
    const Direction direction(d);
    const Ring ring(hull, top);
    const Largest best = largest_in(ring, [&](int four) { return ring.cosines(four, direction); });
    std::uint32_t face = best.at();
    if (best.value() < tolerance::rounded_face) {
        const Largest flattest = largest_in(ring, [&](int four) {
            const Edges edges(ring, four, direction);
            return -(edges.along * edges.along / edges.length2);
        });
        float cosine = best.value();
        if (flattest.value() > -tolerance::level_edge * tolerance::level_edge) {
            const std::uint32_t edge = flattest.at(), before = edge == 0 ? ring.last() : edge - 1;
            const float cosine_before = glm::dot(hull.faces[ring.face(before)].normal, d);
            const float cosine_behind = glm::dot(hull.faces[ring.face(edge)].normal, d);
            face = cosine_behind > cosine_before ? edge : before;
            cosine = std::max(cosine_before, cosine_behind);
        }
        if (cosine < tolerance::steepest_face) {
            const std::uint16_t other = ring.neighbour(flattest.at());
            f = edge_feature(hull.vertices[top], static_cast<std::uint16_t>(top), hull.vertices[other], other, 0.0f, d);
            return;
        }
    }
    set_hull_face(hull, ring.face(face), f);
    f.ids[0] = static_cast<std::uint16_t>(top);
}

[[gnu::noinline]] void set_mapping_feature(const MappingSolid& solid, const vec3& direction, const vec3& top,
                                           SupportingFeature& f) {
    f = mapping_feature(solid, direction, top);
}

}  // namespace

void set_hull_face(const Hull& hull, std::uint32_t face, SupportingFeature& f) {
    f.kind = SupportingFeatureKind::polygon;
    f.face = face;
    f.normal = hull.faces[face].normal;
    f.offset = hull.faces[face].offset;
}

void FeatureSearch::start(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint) {
    switch (shape.type) {
        case ShapeType::sphere:
            feature = vertex_feature(shape.radius * direction, 0);
            break;
        case ShapeType::capsule: {
            const vec3 end(0.0f, shape.half_extents.y, 0.0f);
            feature = segment_feature(end, -end, shape.radius, direction);
            break;
        }
        case ShapeType::segment:
            feature = segment_feature(shape.points[0], shape.points[1], shape.radius, direction);
            break;
        case ShapeType::triangle:
            feature = triangle_feature(shape, direction);
            break;
        case ShapeType::box:
            if (shape.radius > 0.0f) {
                feature = rounded_box_feature(shape.half_extents, shape.radius, direction);
            } else {
                box_feature(shape.half_extents, direction, feature);
            }
            break;
        case ShapeType::cylinder:
            feature = cylinder_feature(shape.half_extents, direction);
            break;
        case ShapeType::cone:
            feature = cone_feature(shape.half_extents, direction);
            break;
        case ShapeType::hull:
            vertex_ = data_of(*shape.hull).view.cells == 0
                          ? static_cast<std::uint32_t>(scan_hull(data_of(*shape.hull).view, &direction.x))
                          : walk_to_support(data_of(*shape.hull), direction, vertex_hint);
            height = glm::dot(
                vec3(data_of(*shape.hull).x[vertex_], data_of(*shape.hull).y[vertex_], data_of(*shape.hull).z[vertex_]),
                direction);
            height += shape.radius;
            return;
        case ShapeType::mapping:
            top_ = vec3(shape.mapping->mapping->support(glm::dvec3(direction)));
            height = glm::dot(top_, direction) + shape.radius;
            return;
    }
    height = feature.has_face() ? feature.height : glm::dot(feature.points[0], direction);
}

void FeatureSearch::find_feature(const Shape& shape, const vec3& direction) {
    if (shape.type == ShapeType::hull) {
        const HullData& hull = data_of(*shape.hull);
        if (shape.radius > 0.0f) {
            rounded_hull_feature(hull, shape.radius, direction, vertex_, feature);
        } else {
            hull_feature(hull, direction, vertex_, feature);
        }
    } else if (shape.type == ShapeType::mapping) {
        set_mapping_feature(*shape.mapping, direction, top_, feature);
    }
}

SupportingFeature supporting_feature(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint) {
    FeatureSearch search;
    search.start(shape, direction, vertex_hint);
    search.finish(shape, direction);
    return search.feature;
}

}  // namespace talus::detail
