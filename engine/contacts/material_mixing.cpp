#include "engine/contacts/material_mixing.h"

#include <talus/narrowphase/mapping_solid.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Returns the radius on which a shape rolls, m; 0 if it has corners.
float rolling_radius(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
        case ShapeType::capsule:
            return shape.radius;
        case ShapeType::cylinder:
        case ShapeType::cone:
            return shape.half_extents.x;
        case ShapeType::mapping:
            return shape.mapping->inner_radius;
        default:
            return 0.0f;
    }
}

/// Returns the radius of the disc's curvature where a round shape touches, m; of a mapping, a guess.
float contact_radius(const Shape& shape) {
    return shape.type == ShapeType::mapping ? std::max(shape.radius, shape.mapping->inner_radius) : shape.radius;
}

}  // namespace

void mix_materials(const ShapePool& shapes, const Colliders& colliders, const PairRecord& record, ContactState& state) {
    const Shape &shape_a = colliders.shapes[record.a], &shape_b = colliders.shapes[record.b];
    const Material &a = shapes.material(record.a, state.triangle_a), &b = shapes.material(record.b, state.triangle_b);
    state.friction = mixed_friction(a, b);
    state.restitution = mixed_restitution(a, b);
    // A round surface that overlaps by the slop touches on a disc. Without the friction of that disc, a ball that spins
    // on the spot would never stop. Uniform pressure on a disc of radius R gives friction a mean lever arm of 2/3 R.
    const float round_radius = std::max(contact_radius(shape_a), contact_radius(shape_b));
    state.twist_arm = (2.0f / 3.0f) * std::sqrt(2.0f * round_radius * state.slop);
    const float radius_a = rolling_radius(shape_a), radius_b = rolling_radius(shape_b);
    const float radius =
        radius_a > 0.0f && radius_b > 0.0f ? std::min(radius_a, radius_b) : std::max(radius_a, radius_b);
    state.rolling_arm = std::max(a.rolling_resistance, b.rolling_resistance) * radius;
    state.special_surface = state.rolling_arm > 0.0f || !shapes.surface(record.a, state.triangle_a).is_plain() ||
                            !shapes.surface(record.b, state.triangle_b).is_plain();
}

}  // namespace talus
