#pragma once
/// Internal: the fields of what a pair keeps across frames, for saved worlds (common/bytes.h).

#include <talus/narrowphase/pair_record.h>
#include "common/bytes.h"

namespace talus {

template <>
inline constexpr ShapeType last_value<ShapeType> = ShapeType::mapping;
template <>
inline constexpr PairState last_value<PairState> = PairState::touching;
template <>
inline constexpr Rung last_value<Rung> = Rung::features;
template <>
inline constexpr FaceOwner last_value<FaceOwner> = FaceOwner::b;
template <>
inline constexpr RollingShape last_value<RollingShape> = RollingShape::both;

template <class Bytes>
void visit_fields(Bytes& bytes, PredictedMotion& motion) {
    auto& [displacement, rotation, rotation_reach, max_displacement] = motion;
    bytes(displacement, rotation, rotation_reach, max_displacement);
}

template <class Bytes>
void visit_fields(Bytes& bytes, SimplexCache& simplex) {
    auto& [a, b, count] = simplex;
    bytes(a, b, count);
    if constexpr (Bytes::reads) bytes.expect(count <= 4, "a simplex has too many vertices");
}

template <class Bytes>
void visit_fields(Bytes& bytes, FaceHints& hints) {
    auto& [a, b, owner, vertex_a, vertex_b] = hints;
    bytes(a, b, owner, vertex_a, vertex_b);
}

template <class Bytes>
void visit_fields(Bytes& bytes, ManifoldPoint& point) {
    auto& [on_a, on_b, separation, id] = point;
    bytes(on_a, on_b, separation, id);
}

template <class Bytes>
void visit_fields(Bytes& bytes, Manifold& manifold) {
    auto& [normal, count, face_owner, overlaps, points] = manifold;
    auto saved_count = static_cast<std::uint8_t>(count);
    bytes(normal, saved_count, face_owner, overlaps);
    if constexpr (Bytes::reads) {
        count = bytes.expect(saved_count <= max_manifold_points, "a manifold has too many points") ? saved_count : 0;
    }
    for (int i = 0; i < count; ++i) bytes(points[i]);
}

template <class Bytes>
void visit_fields(Bytes& bytes, EpaCache& epa) {
    auto& [face, depth, other_depth, reference] = epa;
    bytes(face, depth, other_depth, reference);
}

template <class Bytes>
void visit_fields(Bytes& bytes, PairCache& cache) {
    auto& [simplex, hints, axis_in_b, axis_is_face, rolling, axis, epa, manifold] = cache;
    bytes(simplex, hints, axis_in_b, axis_is_face, rolling, axis, epa, manifold);
}

/// `cost` is not saved: it is a time.
template <class Bytes>
void visit_fields(Bytes& bytes, PairRecord& r) {
    static_assert(sizeof(PairRecord) == 64, "a new field must be saved, too");
    bytes(r.a, r.b, r.reference, r.radius_a, r.radius_b, r.size, r.thickness, r.distance, r.stamp, r.state, r.rung);
}

}  // namespace talus
