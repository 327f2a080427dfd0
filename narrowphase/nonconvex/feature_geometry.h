#pragma once
/// Internal: what the contacts of features (feature_contacts.h, round_contacts.h) and their sweeps
/// (feature_sweep.h) share.

#include "narrowphase/nonconvex/surface_features.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cstdint>

namespace talus::detail {

/// Returns a number for two features.
inline std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    std::uint64_t sum = (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
    return static_cast<std::uint32_t>((sum * 0xbf58476d1ce4e5b9u) >> 32);
}

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

/// Returns whether a vertex admits a contact normal (unit, the surface's frame), or will after a rotation by `turn_ahead`
/// (rad). Far outside of the vertex's region, out_of_region() does not bound the angle; the cone of its normals does.
inline bool may_touch_along(const SurfaceFeatures& surface, const SurfaceFeatures::Vertex& vertex, const vec3& normal,
                            float turn_ahead) {
    const float out = out_of_region(surface, vertex, normal);
    if (out <= tolerance::feature_slack) return true;
    return out <= tolerance::feature_slack + turn_ahead && vertex.normals.holds(normal, turn_ahead);
}

}  // namespace talus::detail
