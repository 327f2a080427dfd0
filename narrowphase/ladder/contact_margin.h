#pragma once
/// Internal: the distance up to which two shapes get contact points. It depends on how far their bodies may move until
/// the next collide.

#include <talus/narrowphase/collide.h>
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// Returns the contact margin of shapes that may approach each other by `approach`, both in m.
inline float margin_for(const PairRecord& record, float approach) {
    return tolerance::contact_margin * record.size + std::min(approach, tolerance::contact_reach * record.size);
}

/// Returns by how much the predicted displacements of the two shapes bring them together along `normal` (unit, from a
/// to b, a's frame), m. A displacement that separates them counts as none: its shape may be stopped by a third one.
inline float approach_along(const Colliders& colliders, const PairRecord& record, const vec3& normal) {
    const vec3 n = rotate(colliders.poses[record.a].rotation, normal);
    return std::max(glm::dot(colliders.motions[record.a].displacement, n), 0.0f) +
           std::max(-glm::dot(colliders.motions[record.b].displacement, n), 0.0f);
}

/// Returns the contact margin of a pair along `normal` (unit, from a to b, a's frame), m: points of the two shapes that
/// are closer than this belong to the manifold. The two may come nearer by as much until the next collide, even if a
/// third shape stops one of them.
inline float contact_margin(const Colliders& colliders, const PairRecord& record, const vec3& normal) {
    const PredictedMotion &a = colliders.motions[record.a], &b = colliders.motions[record.b];
    return margin_for(record, approach_along(colliders, record, normal) + a.rotation_reach + b.rotation_reach);
}

/// Returns the separation along `normal` (as above) beyond which no contact is made, m. It is as much as the two
/// supporting planes may come nearer to each other: at most `contact_margin`, and less for round shapes. `height_a`,
/// `height_b`: how far the shapes reach towards each other from their origins, m.
inline float separation_margin(const Colliders& colliders, const PairRecord& record, const vec3& normal, float height_a,
                               float height_b) {
    // Within its bounding sphere of radius r, a point up to a height h reaches up to h + sqrt(r^2 - h^2) t after a turn
    // by t, if h is not negative.
    constexpr float rounding = 1e-6f;  // of heights and radii, for shapes far from their origins
    const auto rise = [](const PredictedMotion& motion, float radius, float height) {
        const float h = std::max(height, 0.0f), across = (radius - h + rounding * radius) * (radius + h);
        return std::min(motion.rotation_reach, std::sqrt(length_squared(motion.rotation) * std::max(across, 0.0f)));
    };
    const float risen = rise(colliders.motions[record.a], record.radius_a, height_a) +
                        rise(colliders.motions[record.b], record.radius_b, height_b);
    return margin_for(record, approach_along(colliders, record, normal) + risen);
}

/// Returns the greatest contact margin that a pair may have along any direction, m.
inline float contact_margin(const Colliders& colliders, const PairRecord& record) {
    return margin_for(record,
                      colliders.motions[record.a].max_displacement + colliders.motions[record.b].max_displacement);
}

}  // namespace talus::detail
