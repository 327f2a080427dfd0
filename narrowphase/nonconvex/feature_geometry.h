#pragma once
/// Internal: what the contacts of features (feature_contacts.h) and their sweeps (feature_sweep.h) share.

#include "narrowphase/nonconvex/surface_features.h"

#include <algorithm>

namespace talus::detail {

/// Maps a point of A's frame to B's.
inline vec3 to_b(const MatrixTransform& b_in_a, const vec3& p) {
    return transpose_mul(b_in_a.rotation, p - b_in_a.position);
}

/// Returns how far a direction leads out of an edge's arc: at most 0 inside.
inline float out_of_arc(const SurfaceFeatures::Edge& edge, const vec3& normal) {
    return std::max({glm::dot(normal, edge.into[0]), glm::dot(normal, edge.into[1]), -glm::dot(normal, edge.outward)});
}

/// Returns an edge in another frame. Its `normals` are left out.
inline SurfaceFeatures::Edge rotated(const SurfaceFeatures::Edge& edge, const MatrixTransform& frame) {
    return {transform_point(frame, edge.from),
            transform_point(frame, edge.to),
            frame.rotation * edge.direction,
            {frame.rotation * edge.into[0], frame.rotation * edge.into[1]},
            frame.rotation * edge.outward,
            edge.hollow_from,
            edge.hollow_to,
            edge.id,
            edge.triangle,
            edge.depth};
}

inline float length_of(const SurfaceFeatures::Edge& edge) { return glm::dot(edge.to - edge.from, edge.direction); }

/// The places where two lines are nearest to each other, in lengths along each from its first end.
struct LinePlaces {
    float on_a, on_b;
};

/// Returns by how much the nearest places of two lines are beyond the ends of the edges, m. Beyond hollow ends, `depth`
/// is allowed.
inline float beyond_ends(const SurfaceFeatures::Edge& a, const SurfaceFeatures::Edge& b, const LinePlaces& at,
                         float depth) {
    const auto beyond = [&](const SurfaceFeatures::Edge& edge, float place) {
        return std::max(-place - (edge.hollow_from ? depth : 0.0f),
                        place - length_of(edge) - (edge.hollow_to ? depth : 0.0f));
    };
    return std::max(beyond(a, at.on_a), beyond(b, at.on_b));
}

}  // namespace talus::detail
