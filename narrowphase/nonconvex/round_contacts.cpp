#include "narrowphase/nonconvex/round_contacts.h"

#include <talus/narrowphase/separation.h>
#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/manifold/projected_feature.h"
#include "narrowphase/nonconvex/feature_geometry.h"
#include "narrowphase/nonconvex/surfaces_cross.h"
#include "narrowphase/shapes/point_shape.h"
#include "narrowphase/support/supporting_feature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace talus::detail {

namespace {

/// Returns the signed distance of a shape (A) and a point or segment (B) in its frame.
ClosedForm distance_of(const Shape& shape, const Shape& other, const vec3& place) {
    const MatrixTransform at{place, mat3(1.0f)};
    if (has_closed_form(shape.type, other.type)) return closed_form(shape, other, at);
    SimplexCache cache;
    const SeparationResult found = separation(shape, other, at, cache);
    return {found.separation, found.normal, found.point_a, found.point_b};
}

}  // namespace

ShapeDistance distance_from_shape(const Shape& shape, const vec3& point) {
    const ClosedForm found = distance_of(shape, point_shape(), point);
    return {found.separation, found.normal, found.point_a};
}

// ---- finding candidates ---------------------------------------------------------------------------------------------

void RoundCandidates::clear() {
    vertices_.clear();
    edges_.clear();
    faces_.clear();
}

void RoundCandidates::find(const TriangleSet& solid, const Shape& shape, const MatrixTransform& shape_in_solid,
                           float reach) {
    clear();
    const SurfaceFeatures& surface = *solid.solid_features();
    std::uint64_t tested = 0, in_leaves = 0;
    const auto is_near = [&](const vec3& middle, float radius) {
        return distance_from_shape(shape, to_b(shape_in_solid, middle)).separation <= radius + reach;
    };
    std::vector<std::uint32_t> waiting;
    if (!surface.nodes.empty()) waiting.push_back(0);
    while (!waiting.empty()) {
        const SurfaceFeatures::FourNodes& nodes = surface.nodes[waiting.back()];
        waiting.pop_back();
        for (unsigned lanes = nodes.lanes; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            ++tested;
            if (!is_near(nodes.boxes.box(lane).middle, nodes.radius[lane])) continue;
            if (nodes.below[lane] != SurfaceFeatures::none) {
                waiting.push_back(nodes.below[lane]);
                continue;
            }
            const SurfaceFeatures::Leaf& leaf = surface.leaves[nodes.leaves[lane].first];
            in_leaves += (leaf.vertices.last - leaf.vertices.first) + (leaf.edges.last - leaf.edges.first) +
                         (leaf.faces.last - leaf.faces.first);
            for (std::uint32_t v = leaf.vertices.first; v < leaf.vertices.last; ++v) {
                if (is_near(surface.vertices[v].at, 0.0f)) vertices_.push_back(v);
            }
            for (std::uint32_t e = leaf.edges.first; e < leaf.edges.last; ++e) {
                const SurfaceFeatures::Edge& edge = surface.edges[e];
                if (is_near(0.5f * (edge.from + edge.to), 0.5f * length_of(edge))) edges_.push_back(e);
            }
            for (std::uint32_t f = leaf.faces.first; f < leaf.faces.last; ++f) {
                const vec3(&p)[3] = surface.faces[f].points;
                const vec3 middle = (p[0] + p[1] + p[2]) / 3.0f;
                float radius2 = 0.0f;
                for (const vec3& corner : p) radius2 = std::max(radius2, length_squared(corner - middle));
                if (is_near(middle, std::sqrt(radius2))) faces_.push_back(f);
            }
        }
    }
    for (auto* const list : {&vertices_, &edges_, &faces_}) std::sort(list->begin(), list->end());
    counts_ += {tested, in_leaves, size(), size(), 0};
}

// ---- evaluating candidates ------------------------------------------------------------------------------------------

/// The search for the contact points of one pose. Points of edges, and what is called `from`, `way` or `at`, are in the
/// shape's frame.
class RoundCandidates::Evaluation {
public:
    Evaluation(const TriangleSet& solid, const Shape& shape, const MatrixTransform& b_in_a, float margin,
               const FeatureLimits& limits)
        : solid_(solid),
          surface_(*solid.solid_features()),
          shape_(shape),
          b_in_a_(b_in_a),
          margin_(margin),
          limits_(limits) {}

    void add_vertices(const std::vector<std::uint32_t>& vertices) {
        for (const std::uint32_t v : vertices) {
            const SurfaceFeatures::Vertex& vertex = surface_.vertices[v];
            const vec3 p = to_b(b_in_a_, vertex.at);
            ShapeDistance at = distance_from_shape(shape_, p);
            if (!(at.separation <= margin_)) continue;
            vec3 n = -(b_in_a_.rotation * at.normal);
            if (!may_touch_along(surface_, vertex, n, limits_.turn_ahead)) {
                if (!(at.separation < -limits_.room) || !find_way_back(p, vertex.normals.axis, at)) continue;
                n = -(b_in_a_.rotation * at.normal);
                if (!may_touch_along(surface_, vertex, n, limits_.turn_ahead)) continue;
            }
            const FaceOwner owner = owner_of(at.normal);
            if (owner == FaceOwner::none &&
                !(out_of_region(surface_, vertex, n) <= tolerance::round_slack + limits_.turn_ahead))
                continue;
            add(vertex.at, at.on_shape, n, at.separation, mixed(vertex.id, 1u), owner, vertex.triangle, none);
        }
    }

    void add_edges(const std::vector<std::uint32_t>& edges) {
        for (const std::uint32_t e : edges) {
            const SurfaceFeatures::Edge& edge = surface_.edges[e];
            const float length = length_of(edge);
            const vec3 from = to_b(b_in_a_, edge.from), to = to_b(b_in_a_, edge.to);
            const vec3 way = transpose_mul(b_in_a_.rotation, edge.direction), middle = 0.5f * (from + to);
            if (!(distance_from_shape(shape_, middle).separation <= margin_ + 0.5f * length)) continue;
            const float slope_from = glm::dot(distance_from_shape(shape_, from).normal, way),
                        slope_to = glm::dot(distance_from_shape(shape_, to).normal, way);
            // If it is nearest at an end, that is a vertex.
            if (!(slope_from <= tolerance::round_level) || !(slope_to >= -tolerance::round_level)) continue;
            const ClosedForm nearest = distance_of(shape_, segment(from - middle, to - middle), middle);
            if (!(nearest.separation <= margin_)) continue;
            const float place = std::clamp(glm::dot(nearest.point_b - from, way), 0.0f, length);
            ShapeDistance at{nearest.separation, nearest.normal, nearest.point_a};
            const auto is_contact = [&] {
                return at.separation >= -edge.depth &&
                       std::abs(glm::dot(at.normal, way)) <= tolerance::feature_edge_slack &&
                       out_of_arc(edge, -(b_in_a_.rotation * at.normal)) <= tolerance::feature_edge_slack;
            };
            if (!is_contact() && (!(at.separation < -limits_.room) ||
                                  !find_way_back(from + place * way, edge.outward, at) || !is_contact()))
                continue;
            const vec3 n = -(b_in_a_.rotation * at.normal);
            const SupportingFeature feature = supporting_feature(shape_, at.normal, 0);
            const bool is_flat = feature.has_face() && is_across(feature, at.normal);
            if (is_flat) {
                keep_flat(feature);
                const bool is_level = slope_from > -tolerance::round_level || slope_to < tolerance::round_level;
                if (is_level) continue;  // see add_crossings()
            }
            if (!lies_on(edge, n, feature)) continue;
            const FaceOwner owner = is_normal_of_face(edge, n) ? FaceOwner::a : FaceOwner::none;
            const auto add_at = [&](float along, const vec3& on_b, float separation, std::uint32_t kind) {
                add(edge.from + along * edge.direction, on_b, n, separation, mixed(edge.id, kind), owner, edge.triangle,
                    none, !is_flat);
            };
            add_at(place, at.on_shape, at.separation, 2u);
            float ends[2];
            if (!common_part(feature, from, way, length, ends)) continue;
            for (int k = 0; k < 2; ++k) {
                const vec3 p = from + ends[k] * way;
                const ShapeDistance there = distance_from_shape(shape_, p);
                add_at(ends[k], there.on_shape, there.separation, 6u + static_cast<std::uint32_t>(k));
            }
        }
    }

    void add_faces(const std::vector<std::uint32_t>& faces) {
        for (const std::uint32_t f : faces) {
            const SurfaceFeatures::Face& face = surface_.faces[f];
            const vec3 down = -transpose_mul(b_in_a_.rotation, face.normal);
            const vec3 origin = to_b(b_in_a_, face.points[0]);
            FeatureSearch search;
            search.start(shape_, down, 0);
            if (!(glm::dot(origin, down) - search.height <= margin_)) continue;
            search.finish(shape_, down);
            for (const FeatureCorner& corner : corners(search.feature, down)) {
                const float height = glm::dot(origin - corner.at, down);
                const vec3 p = transform_point(b_in_a_, corner.at);
                if (!(height <= margin_ && height >= -face.depth) ||
                    !(beside_face(face, p, std::max(-height, 0.0f)) <= limits_.room))
                    continue;
                // Beyond a hollow edge it is in the solid, or it is none of this face.
                if (beside_face(face, p, 0.0f) > limits_.room && !is_inside(solid_, p)) continue;
                const vec3 foot = p - height * face.normal;
                if (height < -limits_.sure && is_blocked(surface_, p, foot - limits_.room * face.normal)) continue;
                const std::uint32_t id = mixed(corner.number, 3u);
                // On an edge between two triangles of one plane, it is over both.
                const bool is_known = std::any_of(found_.begin(), found_.end(), [&](const Found& other) {
                    return other.point.id == id &&
                           glm::dot(other.point.normal, face.normal) >= tolerance::feature_same_normal;
                });
                if (is_known) continue;
                add(foot, corner.at, face.normal, height, id, FaceOwner::a, face.triangle, f,
                    !search.feature.has_face());
                if (search.feature.has_face()) keep_flat(search.feature);
            }
        }
    }

    /// Adds the places where edges cross the rims of those faces of the shape that touch.
    void add_crossings(const std::vector<std::uint32_t>& edges) {
        for (std::size_t i = 0; i < flats_.size(); ++i) {
            const SupportingFeature& flat = flats_[i];
            const vec3 n = -(b_in_a_.rotation * flat.normal);
            const std::span<const FeatureCorner> polygon = corners(flat, flat.normal);
            for (const std::uint32_t e : edges) {
                const SurfaceFeatures::Edge& edge = surface_.edges[e];
                if (!(out_of_arc(edge, n) <= tolerance::feature_edge_slack) ||
                    !(std::abs(glm::dot(n, edge.direction)) <= tolerance::feature_edge_slack))
                    continue;
                const vec3 from = to_b(b_in_a_, edge.from), way = to_b(b_in_a_, edge.to) - from;
                float ends[2] = {0.0f, 1.0f};
                if (!(flat.kind == SupportingFeatureKind::disc
                          ? clip_to_disc(flat, from, way, ends)
                          : clip_to_polygon(polygon, flat.normal, from, way, ends)))
                    continue;
                for (int k = 0; k < 2; ++k) {
                    if (!(ends[k] > 0.0f && ends[k] < 1.0f)) continue;
                    const vec3 p = from + ends[k] * way;
                    const float separation = glm::dot(p, flat.normal) - flat.offset;
                    if (!(separation <= margin_ && separation >= -edge.depth)) continue;
                    add(edge.from + ends[k] * (edge.to - edge.from), p - separation * flat.normal, n, separation,
                        mixed(edge.id, 4u + static_cast<std::uint32_t>(k)), FaceOwner::b, edge.triangle, none);
                }
            }
        }
    }

    /// Appends those that are contacts. Features may overlap without having touched (the side of a block and a cylinder
    /// that stands on its edge). A deeper overlap is none if it ends when the two are moved out of a shallower one.
    void put(std::vector<FeaturePoint>& points) {
        std::stable_sort(found_.begin(), found_.end(), [](const Found& x, const Found& y) {
            return x.point.separation != y.point.separation ? x.point.separation > y.point.separation
                                                            : x.point.id < y.point.id;
        });
        const auto first = static_cast<std::ptrdiff_t>(points.size());
        for (const Found& each : found_) {
            const float depth = -each.point.separation;
            bool stays = true;
            for (auto k = static_cast<std::size_t>(first); k < points.size() && stays && depth > limits_.room; ++k) {
                const FeaturePoint& other = points[k];
                const float shallower = std::max(-other.separation, 0.0f);
                if (other.separation > limits_.room || depth < shallower + limits_.room ||
                    glm::dot(other.normal, each.point.normal) > tolerance::feature_same_way)
                    continue;
                stays = survives(each, -(shallower + 2.0f * limits_.room) * other.normal, depth);
            }
            if (stays) points.push_back(each.point);
        }
    }

private:
    static constexpr std::uint32_t none = SurfaceFeatures::none;

    struct Found {
        FeaturePoint point;
        std::uint32_t face;  ///< of the surface, or `none`
    };

    void add(const vec3& on_a, const vec3& on_b, const vec3& n, float separation, std::uint32_t id, FaceOwner owner,
             std::uint32_t triangle, std::uint32_t face, bool rolls = false) {
        if (separation < -limits_.sure && face == none) {
            // Each end is on a surface of its own.
            const vec3 there = transform_point(b_in_a_, on_b), shift = 0.02f * (on_a - there);
            if (is_blocked(surface_, there + shift, on_a - shift)) return;
        }
        found_.push_back({{on_a, on_b, n, separation, id, owner, {triangle, no_triangle}, rolls}, face});
    }

    /// In a thin shape, the nearest way out of it may lead to its far side. Finds where the way from a point inside of it
    /// (p, in its frame) leads out that goes against `outward`, the direction in which the solid's feature points. Returns
    /// false if it does not lead out.
    bool find_way_back(const vec3& p, const vec3& outward, ShapeDistance& at) const {
        constexpr int most_steps = 64;
        const vec3 back = -transpose_mul(b_in_a_.rotation, outward);
        const float least = 0.1f * limits_.room;
        float way = 0.0f;
        for (int step = 0; step < most_steps; ++step) {
            const ShapeDistance here = distance_from_shape(shape_, p + way * back);
            if (here.separation < -least) {
                way -= here.separation;  // the surface is no nearer
                continue;
            }
            if (!(glm::dot(here.normal, back) > tolerance::feature_edge_slack)) return false;
            const float depth = way * glm::dot(here.normal, back);
            at = {-depth, here.normal, p + depth * here.normal};
            return true;
        }
        return false;
    }

    /// Returns whether the shape touches an edge along n, with `feature`. A side line (of a cylinder) that is slightly
    /// tilted over a face touches at only one of the face's edges. The other one counts, too, since the line comes to lie
    /// on it; but not what is beside the line.
    bool lies_on(const SurfaceFeatures::Edge& edge, const vec3& n, const SupportingFeature& feature) const {
        const float out = out_of_arc(edge, n);
        if (out <= tolerance::round_slack) return true;
        if (!(out <= tolerance::feature_edge_slack) || feature.kind == SupportingFeatureKind::point) return false;
        if (feature.has_face()) return true;
        const vec3 line = b_in_a_.rotation * (feature.points[1] - feature.points[0]);
        const vec3& into = glm::dot(n, edge.into[0]) > glm::dot(n, edge.into[1]) ? edge.into[0] : edge.into[1];
        const float along = glm::dot(line, into);
        return 2.0f * along * along >= length_squared(line);
    }

    /// Finds the part of an edge (from + 0 to length * way) that is beside a side line of the shape along it. Returns false
    /// if it has no such line.
    static bool common_part(const SupportingFeature& feature, const vec3& from, const vec3& way, float length,
                            float (&ends)[2]) {
        if (feature.kind != SupportingFeatureKind::segment) return false;
        const vec3 line = feature.points[1] - feature.points[0], across = glm::cross(line, way);
        constexpr float parallel2 = tolerance::feature_parallel * tolerance::feature_parallel;
        if (!(length_squared(across) <= parallel2 * length_squared(line))) return false;
        const float first = glm::dot(feature.points[0] - from, way), second = glm::dot(feature.points[1] - from, way);
        ends[0] = std::max(std::min(first, second), 0.0f);
        ends[1] = std::min(std::max(first, second), length);
        return ends[0] <= ends[1];
    }

    /// Returns whether a normal across an edge is that of one of its faces: a cylinder that lies on a face touches it at
    /// two edges.
    static bool is_normal_of_face(const SurfaceFeatures::Edge& edge, const vec3& n) {
        constexpr float sine2 = 2.0f * (1.0f - tolerance::feature_same_normal);
        const float out[2] = {glm::dot(n, edge.into[0]), glm::dot(n, edge.into[1])};
        return std::min(out[0] * out[0], out[1] * out[1]) <= sine2;
    }

    static bool is_across(const SupportingFeature& face, const vec3& normal) {
        return glm::dot(face.normal, normal) >= tolerance::feature_same_normal;
    }

    /// Returns whether the shape touches with a face if it touches along `normal` (of the shape, outward), which is kept
    /// for add_crossings() then.
    FaceOwner owner_of(const vec3& normal) {
        const SupportingFeature feature = supporting_feature(shape_, normal, 0);
        if (!feature.has_face() || !is_across(feature, normal)) return FaceOwner::none;
        keep_flat(feature);
        return FaceOwner::b;
    }

    void keep_flat(const SupportingFeature& feature) {
        const auto same = [&](const SupportingFeature& each) {
            return each.face == feature.face && glm::dot(each.normal, feature.normal) >= tolerance::feature_same_normal;
        };
        if (std::none_of(flats_.begin(), flats_.end(), same)) flats_.push_back(feature);
    }

    /// The corners of a feature of the shape that is farthest along `out`; see corners_of().
    std::span<const FeatureCorner> corners(const SupportingFeature& feature, const vec3& out) {
        return {corners_, static_cast<std::size_t>(corners_of(shape_, feature, out, corners_))};
    }

    /// Shortens a line, from + ends[0 to 1] * way, to what is over a disc. Returns false if nothing is.
    bool clip_to_disc(const SupportingFeature& disc, const vec3& from, const vec3& way, float (&ends)[2]) const {
        const auto flat = [&](const vec3& v) { return v - glm::dot(v, disc.normal) * disc.normal; };
        const vec3 at = flat(from - disc.points[0]), along = flat(way);
        const float radius = shape_.half_extents.x, a = length_squared(along), b = glm::dot(at, along);
        if (!(a > 0.0f)) return false;
        const vec3 nearest = at - (b / a) * along;
        const float half2 = (radius * radius - length_squared(nearest)) / a;
        if (!(half2 > 0.0f)) return false;
        const float half = std::sqrt(half2);
        ends[0] = std::max(ends[0], -b / a - half);
        ends[1] = std::min(ends[1], -b / a + half);
        return ends[0] < ends[1];
    }

    /// The same for a polygon across `normal`.
    static bool clip_to_polygon(std::span<const FeatureCorner> polygon, const vec3& normal, const vec3& from,
                                const vec3& way, float (&ends)[2]) {
        if (polygon.size() < 3) return false;
        for (std::size_t i = 0; i < polygon.size(); ++i) {
            const vec3& corner = polygon[i].at;
            const vec3 out = glm::cross(polygon[(i + 1) % polygon.size()].at - corner, normal);
            const float start = glm::dot(from - corner, out), rise = glm::dot(way, out);
            if (rise == 0.0f) {
                if (start > 0.0f) return false;
                continue;
            }
            const float at = -start / rise;
            if (rise > 0.0f)
                ends[1] = std::min(ends[1], at);
            else
                ends[0] = std::max(ends[0], at);
        }
        return ends[0] < ends[1];
    }

    /// True if an overlap is still there when A moves by `shift` (A's frame).
    bool survives(const Found& deep, const vec3& shift, float depth) const {
        if (deep.face == none)
            return distance_from_shape(shape_, to_b(b_in_a_, deep.point.on_a + shift)).separation <= limits_.room;
        const vec3 p = transform_point(b_in_a_, deep.point.on_b);
        return beside_face(surface_.faces[deep.face], p - shift, depth) <= limits_.room;
    }

    const TriangleSet& solid_;
    const SurfaceFeatures& surface_;
    const Shape& shape_;
    const MatrixTransform& b_in_a_;
    float margin_;
    const FeatureLimits& limits_;
    std::vector<Found> found_;
    std::vector<SupportingFeature> flats_;  // faces of the shape that touch
    FeatureCorner corners_[max_projected_corners];
};

void RoundCandidates::evaluate(const TriangleSet& solid, const Shape& shape, const MatrixTransform& shape_in_solid,
                               float margin, const FeatureLimits& limits, std::vector<FeaturePoint>& points) {
    Evaluation evaluation(solid, shape, shape_in_solid, margin, limits);
    evaluation.add_vertices(vertices_);
    evaluation.add_edges(edges_);
    evaluation.add_faces(faces_);
    evaluation.add_crossings(edges_);
    evaluation.put(points);
}

}  // namespace talus::detail
