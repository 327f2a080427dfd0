#include "narrowphase/support/supporting_feature.h"

#include "common/lanes.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

Feature vertex_feature(const vec3& p, std::uint16_t id) {
    Feature f;
    f.points[0] = p;
    f.ids[0] = id;
    return f;
}

/// The edge from its support end p0 to p1, or p0 alone where the edge leaves the contact plane too steeply: with a
/// radius soon, because the straight line between the ends runs below the round surface. The radius is added at the
/// support end along the direction (there the round end touches), at the other end across the edge (there its side is).
Feature edge_feature(const vec3& p0, std::uint16_t id0, const vec3& p1, std::uint16_t id1, float radius,
                     const vec3& d) {
    const vec3 edge = p1 - p0;
    const float length2 = length_squared(edge);
    const float along = glm::dot(edge, d);
    Feature f = vertex_feature(p0 + radius * d, id0);
    const float steepest = radius > 0.0f ? tolerance::steepest_round_edge : tolerance::steepest_edge;
    // Shorter than this the float ends on the round surface do not tell how the edge runs.
    const float shortest = tolerance::coordinate_noise / tolerance::parallel_lines * radius;
    if (!(along * along <= steepest * steepest * length2) || !(length2 > shortest * shortest)) return f;
    f.kind = FeatureKind::segment;
    f.ids[1] = id1;
    f.curvature[0] = f.curvature[1] = radius;
    f.points[1] = p1;
    if (radius > 0.0f) {
        const vec3 across = d - (along / length2) * edge;
        f.points[1] += (radius / std::sqrt(length_squared(across))) * across;
    }
    return f;
}

/// Ends in order of height, so that a tie goes to the first.
Feature segment_feature(const vec3& p0, const vec3& p1, float radius, const vec3& d) {
    const bool second = glm::dot(p1, d) > glm::dot(p0, d);
    return second ? edge_feature(p1, 1, p0, 0, radius, d) : edge_feature(p0, 0, p1, 1, radius, d);
}

void box_feature(const vec3& half, const vec3& d, Feature& f) {
    const vec3 a = glm::abs(d);
    const int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
    const bool negative = d[axis] < 0.0f;
    f.kind = FeatureKind::polygon;
    f.face = static_cast<std::uint32_t>(2 * axis + (negative ? 1 : 0));
    f.normal = vec3(0.0f);
    f.normal[axis] = negative ? -1.0f : 1.0f;
    f.offset = half[axis];
    f.height = glm::dot(a, half);
}

Feature triangle_feature(const Shape& shape, const vec3& d) {
    const vec3* p = shape.points;
    // In double: of a sliver, a cross product of floats points anywhere.
    const glm::dvec3 origin(p[0]), area = glm::cross(glm::dvec3(p[1]) - origin, glm::dvec3(p[2]) - origin);
    const double size = std::sqrt(glm::dot(area, area));
    const vec3 normal = size > 0.0 ? vec3(area / size) : vec3(0.0f);
    const float along = glm::dot(normal, d);
    const float least = shape.radius > 0.0f ? tolerance::rounded_face : tolerance::steepest_face;
    const float h[3] = {glm::dot(p[0], d), glm::dot(p[1], d), glm::dot(p[2], d)};
    const int top = h[1] > h[0] ? (h[2] > h[1] ? 2 : 1) : (h[2] > h[0] ? 2 : 0);
    if (std::abs(along) >= least && size > 0.0) {
        Feature f;
        f.kind = FeatureKind::polygon;
        f.face = along < 0.0f;
        f.normal = along < 0.0f ? -normal : normal;
        f.offset = glm::dot(f.normal, p[0]) + shape.radius;
        f.height = h[top] + shape.radius;
        return f;
    }
    // Edge-on: the flatter one of the edges at the top.
    const int i = (top + 1) % 3, j = (top + 2) % 3;
    const float drop_i = h[top] - h[i], drop_j = h[top] - h[j];
    const bool take_i =
        drop_i * drop_i * length_squared(p[j] - p[top]) <= drop_j * drop_j * length_squared(p[i] - p[top]);
    const int other = take_i ? i : j;
    return edge_feature(p[top], static_cast<std::uint16_t>(top), p[other], static_cast<std::uint16_t>(other),
                        shape.radius, d);
}

Feature disc_feature(float y, float radius, bool base, const vec3& d, const vec3& lowest) {
    Feature f;
    f.kind = FeatureKind::disc;
    f.face = base;
    f.normal.y = base ? -1.0f : 1.0f;
    f.offset = std::abs(y);
    f.points[0].y = y;
    // Of a cap that lies flat no rim point is the lowest; taking the one that noise picks would move all contact
    // points.
    const bool flat = d.x * d.x + d.z * d.z < tolerance::flat_rim * tolerance::flat_rim;
    f.points[1] = flat ? vec3(1.0f, 0.0f, 0.0f) : lowest;
    f.height = y * d.y + radius * std::sqrt(d.x * d.x + d.z * d.z);
    return f;
}

/// Unit direction of d across the y axis; +x where d has none.
vec3 radial_direction(const vec3& d) {
    const float length2 = d.x * d.x + d.z * d.z;
    if (!(length2 > 0.0f)) return {1.0f, 0.0f, 0.0f};
    const float scale = 1.0f / std::sqrt(length2);
    return {d.x * scale, 0.0f, d.z * scale};
}

Feature cylinder_feature(const vec3& half, const vec3& d) {
    const vec3 radial = radial_direction(d);
    const bool base = d.y < 0.0f;
    if (d.y * d.y >= 0.5f) return disc_feature(base ? -half.y : half.y, half.x, base, d, radial);
    // Nearer to lying on its side: the line on the side whose lower end is the support point.
    const vec3 side = half.x * radial, axis(0.0f, half.y, 0.0f);
    Feature f = base ? edge_feature(side - axis, 1, side + axis, 0, 0.0f, d)
                     : edge_feature(side + axis, 0, side - axis, 1, 0.0f, d);
    f.curvature[0] = f.curvature[1] = half.x;
    return f;
}

Feature cone_feature(const vec3& half, const vec3& d) {
    const vec3 radial = radial_direction(d);
    const float around = glm::dot(d, radial);
    const float slant = std::sqrt(4.0f * half.y * half.y + half.x * half.x);
    const float side = (2.0f * half.y * around + half.x * d.y) / slant;  // cosine between d and the side's normal
    const vec3 apex(0.0f, half.y, 0.0f);
    const vec3 rim = half.x * radial - apex;
    if (-d.y >= side && -d.y >= tolerance::steepest_face) return disc_feature(-half.y, half.x, true, d, radial);
    const bool at_apex = glm::dot(apex, d) > glm::dot(rim, d);
    Feature f = at_apex ? edge_feature(apex, 0, rim, 1, 0.0f, d) : edge_feature(rim, 1, apex, 0, 0.0f, d);
    f.curvature[at_apex ? 1 : 0] = half.x;
    // Straight up on its tip: no side line is the one that touches.
    if (around < tolerance::flat_rim) f.kind = FeatureKind::point;
    return f;
}

/// A step of the walk must climb at more than this slope (squared sine), so that rounding cannot lead it round a level
/// face for ever. What it leaves unclimbed is less than the float vertices are good for.
constexpr float least_climb = 1e-12f;

/// A direction as lanes.
struct Direction {
    explicit Direction(const vec3& d) : x{d.x, d.x, d.x, d.x}, y{d.y, d.y, d.y, d.y}, z{d.z, d.z, d.z, d.z} {}
    Float4 x, y, z;

    Float4 along(Float4 px, Float4 py, Float4 pz) const { return px * x + py * y + pz * z; }
};

/// What a vertex sees of its hull, four neighbours at a time.
struct Ring {
    Ring(const Hull& h, std::uint32_t v) : hull(h), vertex(v), begin(h.rings.data() + v), fours(2) {
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

    const Hull& hull;
    std::uint32_t vertex;
    const HullRing* begin;
    int fours;
};

/// The lane in a ring with the largest number, the first of equals.
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

/// From the hinted vertex, always along the steepest edge: no step or one from last frame's.
std::uint32_t walk_to_support(const Hull& hull, const vec3& d, std::uint32_t hint) {
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

/// Among the faces at the support vertex, the one that looks most along d. A face that merely passes by the vertex may
/// look better along d than the two faces of an edge that lies in the contact plane: then those two alone are asked.
void hull_feature(const Hull& hull, const vec3& d, std::uint32_t top, Feature& f) {
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

}  // namespace

void set_hull_face(const Hull& hull, std::uint32_t face, Feature& f) {
    f.kind = FeatureKind::polygon;
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
            box_feature(shape.half_extents, direction, feature);
            break;
        case ShapeType::cylinder:
            feature = cylinder_feature(shape.half_extents, direction);
            break;
        case ShapeType::cone:
            feature = cone_feature(shape.half_extents, direction);
            break;
        case ShapeType::hull:
            vertex_ = shape.hull->view.cells == 0
                          ? static_cast<std::uint32_t>(scan_hull(shape.hull->view, &direction.x))
                          : walk_to_support(*shape.hull, direction, vertex_hint);
            height = glm::dot(vec3(shape.hull->x[vertex_], shape.hull->y[vertex_], shape.hull->z[vertex_]), direction);
            return;
    }
    height = feature.has_face() ? feature.height : glm::dot(feature.points[0], direction);
}

void FeatureSearch::finish(const Shape& shape, const vec3& direction) {
    if (shape.type != ShapeType::hull) return;
    hull_feature(*shape.hull, direction, vertex_, feature);
}

Feature supporting_feature(const Shape& shape, const vec3& direction, std::uint32_t vertex_hint) {
    FeatureSearch search;
    search.start(shape, direction, vertex_hint);
    search.finish(shape, direction);
    return search.feature;
}

namespace {

void set_plane(const View& view, const Feature& feature, Patch& patch) {
    const Float4 m = view.turn(feature.normal), at = m * view.origin;
    const float scale = 1.0f / m[2];
    patch.h0 = (feature.offset + (at[0] + at[1] + at[2])) * scale;
    patch.gx = -m[0] * scale;
    patch.gy = -m[1] * scale;
}

/// Fills up to the end of the last group of four, and the corner after the last, with corner 0.
void close_loop(Patch& patch) {
    for (int i = patch.count; i <= ((patch.count + 3) & ~3); ++i) {
        patch.x[i] = patch.x[0];
        patch.y[i] = patch.y[0];
    }
}

/// A polygon without area becomes the line between its farthest corners, or a point: the lines of its edges would
/// enclose nothing, or all of the plane.
[[gnu::noinline]] void collapse(Patch& patch) {
    const auto farthest_from = [&](int from) {
        int best = from;
        float most = 0.0f;
        for (int i = 0; i < patch.count; ++i) {
            const float dx = patch.x[i] - patch.x[from], dy = patch.y[i] - patch.y[from];
            const float distance2 = dx * dx + dy * dy;
            if (distance2 > most) most = distance2, best = i;
        }
        return best;
    };
    const int i = farthest_from(0), j = farthest_from(i);
    const int ends[2] = {std::min(i, j), std::max(i, j)};
    patch.kind = i == j ? FeatureKind::point : FeatureKind::segment;
    patch.count = i == j ? 1 : 2;
    for (int end = 0; end < patch.count; ++end) {  // downwards in the arrays: nothing is overwritten before it is read
        patch.x[end] = patch.x[ends[end]];
        patch.y[end] = patch.y[ends[end]];
        patch.vertex[end] = patch.vertex[ends[end]];
    }
    close_loop(patch);
}

/// Four corners at a time: the edges that come in and go out at each. At corners that repeat corner 0 the latter are 0.
void finish_polygon(Patch& patch) {
    Float4 least{1.0f, 1.0f, 1.0f, 1.0f};  // squared sines
    Float4 area{};                         // twice that of the triangles between corner 0 and each edge
    for (int group = 0; group < patch.count; group += 4) {
        const Float4 x = load_lanes(patch.x + group), y = load_lanes(patch.y + group);
        const int before = group == 0 ? patch.count - 1 : group - 1;
        Float4 x0 = __builtin_shufflevector(x, x, 0, 0, 1, 2), y0 = __builtin_shufflevector(y, y, 0, 0, 1, 2);
        x0[0] = patch.x[before], y0[0] = patch.y[before];
        const Float4 px = x - x0, py = y - y0;
        const Float4 ex = load_lanes(patch.x + group + 1) - x, ey = load_lanes(patch.y + group + 1) - y;
        area += (x - patch.x[0]) * ey - (y - patch.y[0]) * ex;
        const Float4 along = px * ex + py * ey, lengths2 = (px * px + py * py) * (ex * ex + ey * ey);
        const Int4 sharp = (along < 0.0f) & (along * along > 0.25f * lengths2);
        if (lane_bits(sharp) == 0) continue;
        const Float4 sine2 = max_lanes(Float4{}, 1.0f - along * along / lengths2);
        least = sharp ? min_lanes(sine2, least) : least;
    }
    if (!((area[0] + area[1]) + (area[2] + area[3]) > 0.0f)) return collapse(patch);
    const float sharpest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    patch.sharpness = sharpest < 1.0f ? std::sqrt(sharpest) : 1.0f;
}

void project_box(const vec3& half, const Feature& feature, const View& view, Patch& patch) {
    constexpr int next[] = {1, 2, 0, 1};
    const int axis = static_cast<int>(feature.face >> 1);
    const bool negative = feature.face & 1;
    // Counter-clockwise seen from +axis; the other way round if one of the two, face and view, is turned over.
    const bool reversed = negative != view.mirrored;
    const int i = next[axis + (reversed ? 1 : 0)], j = next[axis + (reversed ? 0 : 1)];
    const float s = negative ? -half[axis] : half[axis];
    const Float4 sign_i = {1.0f, -1.0f, -1.0f, 1.0f}, sign_j = {1.0f, 1.0f, -1.0f, -1.0f};
    const Float4 along_i = half[i] * sign_i, along_j = half[j] * sign_j;
    const Float4 middle = s * view.axis[axis] + view.origin;
    const Float4 x = middle[0] + along_i * view.axis[i][0] + along_j * view.axis[j][0];
    const Float4 y = middle[1] + along_i * view.axis[i][1] + along_j * view.axis[j][1];
    patch.count = 4;
    std::memcpy(patch.x, &x, sizeof x);
    std::memcpy(patch.y, &y, sizeof y);
    patch.x[4] = patch.x[0];
    patch.y[4] = patch.y[0];
    // Numbers as in core_point: a bit is set where the coordinate is negative.
    const unsigned base = negative ? 1u << axis : 0u, bi = 1u << i, bj = 1u << j;
    patch.vertex[0] = static_cast<std::uint16_t>(base);
    patch.vertex[1] = static_cast<std::uint16_t>(base + bi);
    patch.vertex[2] = static_cast<std::uint16_t>(base + bi + bj);
    patch.vertex[3] = static_cast<std::uint16_t>(base + bj);
    patch.sharpness =
        1.0f;  // its face is at most 54.8 degrees off the contact plane, where a right angle may look like 60
}

void project_triangle(const Shape& shape, const Feature& feature, const View& view, Patch& patch) {
    const bool reversed = (feature.face == 1) != view.mirrored;
    patch.count = 3;
    for (int i = 0; i < 3; ++i) {
        const int corner = reversed ? 2 - i : i;
        const Float4 p = view.place(shape.points[corner] + shape.radius * feature.normal);
        patch.x[i] = p[0];
        patch.y[i] = p[1];
        patch.vertex[i] = static_cast<std::uint16_t>(corner);
    }
    close_loop(patch);
    finish_polygon(patch);
}

/// Which corners of a face with more than a patch holds are kept: a corner is dropped while the boundary since the last
/// kept one has neither run on for more than 1/16 of the perimeter nor turned by more than 22.5 degrees, so at most 64
/// stay, and the dropped ones lie within (perimeter / 32) * tan(11.25 degrees) = 0.6% of the perimeter of the polygon
/// that is left.
int thin_out(const Hull& hull, const std::uint16_t* corners, int count, int* kept) {
    constexpr float parts = 16.0f, cosine = 0.92387953f;
    const auto edge = [&](int i) {
        return hull.vertices[corners[(i + 1) % count]] - hull.vertices[corners[i % count]];
    };
    const auto length = [](const vec3& v) { return std::sqrt(length_squared(v)); };
    float perimeter = 0.0f;
    for (int i = 0; i < count; ++i) perimeter += length(edge(i));
    int result = 0, from = 0;
    float run = length(edge(0));
    kept[result++] = 0;
    for (int i = 1; i < count; ++i) {
        const vec3 start = edge(from), next = edge(i);
        const float next_length = length(next);
        const bool turned = glm::dot(start, next) < cosine * length(start) * next_length;
        if (turned || (run + next_length) * parts > perimeter) {
            if (result == max_patch_corners) break;
            kept[result++] = i;
            from = i;
            run = 0.0f;
        }
        run += next_length;
    }
    return result;
}

void project_hull(const Hull& hull, const Feature& feature, const View& view, Patch& patch) {
    const HullFace& face = hull.faces[feature.face];
    const std::uint16_t* corners = face.count <= 4 ? face.corners : &hull.face_vertices[face.first];
    int kept[max_patch_corners];
    patch.count = static_cast<int>(face.count);
    const bool thinned = face.count > max_patch_corners;
    if (thinned) patch.count = thin_out(hull, corners, patch.count, kept);
    // Four corners at a time; those beyond the last are corner 0 again.
    const int start = view.mirrored ? patch.count - 1 : 0, step = view.mirrored ? -1 : 1;
    for (int group = 0; group < patch.count; group += 4) {
        std::uint16_t* vertex = patch.vertex + group;
        for (int lane = 0; lane < 4; ++lane) {
            const int at = group + lane < patch.count ? start + step * (group + lane) : start;
            vertex[lane] = corners[thinned ? kept[at] : at];
        }
        const auto gather = [&](const std::vector<float>& from) {
            return Float4{from[vertex[0]], from[vertex[1]], from[vertex[2]], from[vertex[3]]};
        };
        const Float4 px = gather(hull.x), py = gather(hull.y), pz = gather(hull.z);
        const Float4 x = view.axis[0][0] * px + view.axis[1][0] * py + view.axis[2][0] * pz + view.origin[0];
        const Float4 y = view.axis[0][1] * px + view.axis[1][1] * py + view.axis[2][1] * pz + view.origin[1];
        std::memcpy(patch.x + group, &x, sizeof x);
        std::memcpy(patch.y + group, &y, sizeof y);
    }
    const int padded = (patch.count + 3) & ~3;
    patch.x[padded] = patch.x[0];
    patch.y[padded] = patch.y[0];
    finish_polygon(patch);
}

/// The rim points' steps from the lowest one: first the four quarters, then what lies between them.
constexpr std::uint8_t rim_order[rim_points] = {0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15};

void project_disc(const Shape& shape, const Feature& feature, const View& view, Patch& patch) {
    constexpr float c1 = 0.92387953f, c2 = 0.70710678f, c3 = 0.38268343f;
    constexpr float cosines[rim_points] = {1, c1, c2, c3, 0, -c3, -c2, -c1, -1, -c1, -c2, -c3, 0, c3, c2, c1};
    const float radius = shape.half_extents.x;
    const Float4 c = view.place(feature.points[0]);
    // Axes of the disc, the first to its lowest point; the second makes the rim run counter-clockwise on the contact
    // plane.
    const vec3 lowest = radius * feature.points[1];
    const vec3 second = glm::cross(view.mirrored ? -feature.normal : feature.normal, lowest);
    const Float4 a = view.turn(lowest), b = view.turn(second);
    patch.cx = c[0];
    patch.cy = c[1];
    patch.radius = radius;
    patch.count = rim_points;
    for (int i = 0; i < rim_points; ++i) {
        const int step = rim_order[i];
        const float cosine = cosines[step], sine = cosines[(step + 12) % rim_points];
        patch.x[i] = c[0] + cosine * a[0] + sine * b[0];
        patch.y[i] = c[1] + cosine * a[1] + sine * b[1];
        patch.vertex[i] = static_cast<std::uint16_t>(step);
    }
    close_loop(patch);
}

}  // namespace

void make_segment(const vec3& p0, const vec3& p1, std::uint16_t id0, std::uint16_t id1, const float (&curvature)[2],
                  Patch& patch) {
    patch.kind = FeatureKind::segment;
    patch.count = 2;
    patch.curvature[0] = curvature[0];
    patch.curvature[1] = curvature[1];
    patch.x[0] = p0.x, patch.y[0] = p0.y;
    patch.x[1] = p1.x, patch.y[1] = p1.y;
    patch.vertex[0] = id0;
    patch.vertex[1] = id1;
    close_loop(patch);
    const float dx = p1.x - p0.x, dy = p1.y - p0.y;
    const float length2 = dx * dx + dy * dy;
    const float rise = length2 > 0.0f ? (p1.z - p0.z) / length2 : 0.0f;
    patch.gx = rise * dx;
    patch.gy = rise * dy;
    patch.h0 = p0.z - patch.gx * p0.x - patch.gy * p0.y;
}

void project(const Shape& shape, const Feature& feature, const View& view, Patch& patch) {
    const auto full = [&](const vec3& p) {
        const Float4 at = view.place(p);
        return vec3(at[0], at[1], at[2]);
    };
    patch.kind = feature.kind;
    switch (feature.kind) {
        case FeatureKind::point: {
            const vec3 p = full(feature.points[0]);
            patch.count = 1;
            patch.x[0] = p.x, patch.y[0] = p.y;
            patch.vertex[0] = feature.ids[0];
            patch.h0 = p.z, patch.gx = 0.0f, patch.gy = 0.0f;
            close_loop(patch);
            break;
        }
        case FeatureKind::segment:
            make_segment(full(feature.points[0]), full(feature.points[1]), feature.ids[0], feature.ids[1],
                         feature.curvature, patch);
            break;
        case FeatureKind::polygon:
            set_plane(view, feature, patch);
            if (shape.type == ShapeType::box) {
                project_box(shape.half_extents, feature, view, patch);
            } else if (shape.type == ShapeType::triangle) {
                project_triangle(shape, feature, view, patch);
            } else {
                project_hull(*shape.hull, feature, view, patch);
            }
            break;
        case FeatureKind::disc:
            set_plane(view, feature, patch);
            project_disc(shape, feature, view, patch);
            break;
    }
}

Patch disc_to_polygon(const Patch& disc) {
    Patch polygon;
    polygon.kind = FeatureKind::polygon;
    polygon.count = rim_points;
    polygon.h0 = disc.h0, polygon.gx = disc.gx, polygon.gy = disc.gy;
    polygon.sharpness = 1.0f;
    for (int i = 0; i < rim_points; ++i) {
        const int step = rim_order[i];
        polygon.x[step] = disc.x[i];
        polygon.y[step] = disc.y[i];
        polygon.vertex[step] = disc.vertex[i];
    }
    close_loop(polygon);
    return polygon;
}

}  // namespace talus::detail
