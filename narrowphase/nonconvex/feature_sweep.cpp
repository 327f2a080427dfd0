#include "narrowphase/nonconvex/feature_sweep.h"

#include "narrowphase/nonconvex/feature_geometry.h"
#include "narrowphase/nonconvex/node_pairs.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// In depths of a hit:
/// How far the two move in the time to which a hit is known. Larger: they stop earlier.
constexpr float precision = 0.02f;
/// By how much the place of a contact may be beside a feature. Smaller: hits on the seam between two faces are lost to
/// rounding.
constexpr float beside_feature = 0.1f;
/// A function that is farther beyond the depth has jumped there. Smaller: hits in fast rotation count as jumps.
constexpr float jump = 0.5f;

/// The greatest depth of features that were pressed into each other before the motion, in half thicknesses of the solid
/// there. Larger: the far side of a wall counts.
constexpr float most_thick = 1.8f;

/// A basic contact function at a time.
struct ContactValue {
    float separation;  ///< m
    float beside;      ///< by how much the place of the contact is beside one of the features, m
    float out;         ///< by how much the normal leads out of what the features admit, sine; at most 0: not at all

    bool touches(float room) const { return beside <= room && out <= 0.0f; }
};

/// Returns a time up to which a condition is false, s: it is false at `from` and true at `to`.
template <class Condition>
float last_before(const Condition& condition, float from, float to, float precise) {
    constexpr int most = 24;
    for (int k = 0; k < most && to - from > precise; ++k) {
        const float middle = 0.5f * (from + to);
        (condition(middle) ? to : from) = middle;
    }
    return from;
}

}  // namespace

/// A part of the motion.
struct FeatureSweep::Window {
    const SurfaceFeatures &a, &b;
    const SurfaceMotion& motion;
    float depth;                          ///< at which features hit, m
    float deeper;                         ///< by how much features may get deeper that were deeper before, m
    float room;                           ///< by how much the place of a contact may be beside a feature, m
    float from, to;                       ///< s
    MatrixTransform start, end;           ///< of the window
    const MatrixTransform &first, &last;  ///< of the motion

    MatrixTransform pose(float time) const {
        return time == from ? start : time == to ? end : to_matrix_transform(motion.b_in_a(time));
    }

    /// A vertex with a face, at a pose. `of_a`: the vertex is A's.
    ContactValue vertex_value(std::uint32_t v, std::uint32_t f, bool of_a, const MatrixTransform& b_in_a) const {
        const SurfaceFeatures& of_vertices = of_a ? a : b;
        const SurfaceFeatures::Vertex& vertex = of_vertices.vertices[v];
        const SurfaceFeatures::Face& face = (of_a ? b : a).faces[f];
        const vec3 p = of_a ? to_b(b_in_a, vertex.at) : transform_point(b_in_a, vertex.at);
        const float height = glm::dot(face.normal, p - face.points[0]);
        const vec3 normal = of_a ? b_in_a.rotation * face.normal : transpose_mul(b_in_a.rotation, face.normal);
        return {height, beside_face(face, p, std::max(-height, 0.0f)),
                out_of_region(of_vertices, vertex, -normal) - tolerance::feature_slack};
    }

    /// Two edges, with the normal along the product of their directions (`sign` 1) or against it (-1).
    ContactValue edge_value(std::uint32_t e, std::uint32_t k, float sign, const MatrixTransform& b_in_a) const {
        const SurfaceFeatures::Edge& own = a.edges[e];
        const SurfaceFeatures::Edge other = rotated(b.edges[k], b_in_a);
        const vec3 across = glm::cross(own.direction, other.direction), between = other.from - own.from;
        const float squared = length_squared(across);
        if (!(squared > tolerance::feature_crossing * tolerance::feature_crossing)) return {0.0f, infinity, infinity};
        const vec3 normal = sign / std::sqrt(squared) * across;
        const float separation = glm::dot(between, normal);
        const LinePlaces at{glm::dot(glm::cross(between, other.direction), across) / squared,
                            glm::dot(glm::cross(between, own.direction), across) / squared};
        return {separation, beyond_ends(own, other, at, std::max(-separation, 0.0f)),
                std::max(out_of_arc(own, normal), out_of_arc(other, -normal)) - tolerance::feature_edge_slack};
    }

    /// Returns when a pair of features gets deeper than it may; infinity if it does not.
    template <class Value>
    float hit(const Value& value, float thick) const {
        float level = -std::min(depth, 0.5f * thick);
        const ContactValue there = value(end);
        if (!(there.separation <= level)) return infinity;
        const auto is_hit = [&](const ContactValue& at) { return at.separation <= level && at.touches(room); };
        const ContactValue here = value(start), before = value(first);
        // Features that were pressed deeper before get deeper by the depth of a hit at most.
        if (before.separation <= level && before.touches(room)) {
            level = before.separation - deeper;
            if (!(there.separation <= level && level >= -most_thick * thick)) return infinity;
        }
        if (is_hit(here)) return infinity;
        const bool was_contact = before.separation <= 0.0f && before.touches(room);
        if (was_contact && value(last).separation > level) return infinity;
        const auto at = [&](float time) { return value(pose(time)); };
        const float precise = precision * depth / motion.speed;
        if (here.separation > level) {
            const float time = last_before([&](float t) { return at(t).separation <= level; }, from, to, precise);
            const ContactValue then = at(time);
            // Where edges become parallel and their order changes, the function jumps.
            if (then.touches(room) && then.separation <= level + jump * depth) return time;
        }
        // In fast rotation a contact moves from one feature to the next one, which may be too deep already.
        if (!(is_hit(there) && there.separation > level - depth)) return infinity;
        return last_before([&](float t) { return is_hit(at(t)); }, from, to, precise);
    }
};

float FeatureSweep::first_hit(const SurfaceFeatures& a, const SurfaceFeatures& b, const SurfaceMotion& motion,
                              const HitDepths& depths, float until) {
    windows_ = pairs_ = 0;
    if (!(motion.speed > 0.0f)) return until;
    const MatrixTransform first_pose = to_matrix_transform(motion.b_in_a(0.0f)),
                          last_pose = to_matrix_transform(motion.b_in_a(motion.end));
    const float room = beside_feature * depths.depth;
    float depth = depths.depth;
    for (float time = 0.0f; time < until;) {
        const MatrixTransform start = to_matrix_transform(motion.b_in_a(time));
        const float way = motion.speed * (until - time), step = motion.speed * motion.window;
        const float apart = NodePairs(a, b, start).distance_bound(way);
        if (apart >= way) return until;
        if (apart > 0.5f * step) {
            time += apart / motion.speed;
            continue;
        }
        const float to = std::min(time + motion.window, until), half = 0.5f * (to - time);
        FeatureLimits limits;
        limits.reach = half * motion.speed;
        limits.turn = half * motion.turn;
        limits.depth = depths.deepest + limits.reach;
        limits.room = room;
        candidates_.find(a, b, to_matrix_transform(motion.b_in_a(time + half)), 0.0f, limits);
        if (time == 0.0f) {
            contacts_.clear();
            candidates_.evaluate(a, b, start, 0.0f, limits, contacts_);
            for (const FeaturePoint& each : contacts_) {
                const float overlap = -each.separation;
                depth = std::max({depth, std::min(overlap + depths.depth, depths.deepest), overlap + depths.drop});
            }
        }
        const Window window{.a = a,
                            .b = b,
                            .motion = motion,
                            .depth = depth,
                            .deeper = depths.depth,
                            .room = room,
                            .from = time,
                            .to = to,
                            .start = start,
                            .end = to_matrix_transform(motion.b_in_a(to)),
                            .first = first_pose,
                            .last = last_pose};
        ++windows_;
        pairs_ += candidates_.size();
        float first = until;
        for (const bool of_a : {true, false}) {
            for (const FeatureCandidates::Pair& pair : of_a ? candidates_.a_vertices() : candidates_.b_vertices()) {
                const std::uint32_t vertex = of_a ? pair.of_a : pair.of_b, face = of_a ? pair.of_b : pair.of_a;
                const auto value = [&](const MatrixTransform& pose) {
                    return window.vertex_value(vertex, face, of_a, pose);
                };
                first = std::min(first, window.hit(value, (of_a ? b : a).faces[face].depth));
            }
        }
        for (const FeatureCandidates::Pair& pair : candidates_.edges()) {
            for (const float sign : {1.0f, -1.0f}) {
                const auto value = [&](const MatrixTransform& pose) {
                    return window.edge_value(pair.of_a, pair.of_b, sign, pose);
                };
                first =
                    std::min(first, window.hit(value, std::min(a.edges[pair.of_a].depth, b.edges[pair.of_b].depth)));
            }
        }
        if (first < until) return first;
        time = to;
    }
    return until;
}

}  // namespace talus::detail
