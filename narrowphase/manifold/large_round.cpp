#include "narrowphase/manifold/large_round.h"

#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/manifold/deepest_points.h"
#include "narrowphase/manifold/projected_feature.h"
#include "narrowphase/shapes/point_shape.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/support/supporting_feature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>

namespace talus::detail {

namespace {

/// The radius of the round side of a shape, m; 0 if it has none.
float side_radius(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
        case ShapeType::capsule:
            return shape.radius;
        case ShapeType::cylinder:
            return shape.half_extents.x;
        default:
            return 0.0f;
    }
}

bool has_faces(const Shape& shape) {
    return shape.radius == 0.0f && (shape.type == ShapeType::box || shape.type == ShapeType::hull ||
                                    shape.type == ShapeType::cylinder || shape.type == ShapeType::cone);
}

}  // namespace

void add_corners_on_large_round(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, float margin,
                                Manifold& manifold) {
    if (manifold.count == 0 || manifold.count > 2) return;
    const auto lies_on = [](const Shape& round, const Shape& flat) {
        return has_faces(flat) && side_radius(round) > tolerance::large_round * static_cast<float>(size_of(flat));
    };
    const bool round_a = lies_on(a, b);
    if (!round_a && !lies_on(b, a)) return;
    const Shape &round = round_a ? a : b, &flat = round_a ? b : a;
    // The normal from the flat shape to the round one, in the frame of the flat shape.
    const vec3 n = round_a ? transpose_mul(b_in_a.rotation, -manifold.normal) : manifold.normal;
    const SupportingFeature face = supporting_feature(flat, n, 0);
    if (!face.has_face() || !(glm::dot(face.normal, n) >= tolerance::large_round_face)) return;
    FeatureCorner corners[max_projected_corners];
    const int count = corners_of(flat, face, face.normal, corners);
    ManifoldPoint found[max_projected_corners];
    int near = 0;
    const vec3 out = round_a ? manifold.normal : -transpose_mul(b_in_a.rotation, manifold.normal);
    const float deepest_corner = tolerance::large_round_depth * static_cast<float>(size_of(flat));
    for (int i = 0; i < count; ++i) {
        const vec3& corner = corners[i].at;
        const vec3 p = round_a
                           ? transform_point(b_in_a, corner)
                           : transpose_mul(b_in_a.rotation, corner - b_in_a.position);  // in the round shape's frame
        const ClosedForm at = closed_form(round, point_shape(), {p, mat3(1.0f)});
        if (!(at.separation <= margin && at.separation >= -deepest_corner) ||
            !(glm::dot(at.normal, out) >= tolerance::large_round_face))
            continue;
        const std::uint32_t id = 0x100u + corners[i].number;
        const vec3 on_round = p - at.separation * out;  // along the normal of the contact
        found[near++] = round_a ? ManifoldPoint{on_round, corner, at.separation, id}
                                : ManifoldPoint{corner, on_round, at.separation, id};
    }
    // Where the round side is flat over the whole face, all corners touch, and hold the body.
    float deepest = manifold.points[0].separation, shallowest = deepest;
    for (int i = 0; i < manifold.count; ++i) deepest = std::min(deepest, manifold.points[i].separation);
    for (int i = 0; i < near; ++i) shallowest = std::max(shallowest, found[i].separation);
    const float flat_to = tolerance::large_round_flat * static_cast<float>(size_of(flat));
    if (near == count && near >= 3 && near <= max_manifold_points && shallowest <= deepest + flat_to)
        manifold.count = 0;
    add_deepest({found, static_cast<std::size_t>(near)}, manifold);
}

}  // namespace talus::detail
