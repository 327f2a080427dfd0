#pragma once
/// Cylinders and cones, and what the tests of their rims put beside them.

#include <talus/narrowphase/shape.h>
#include "tests/support/random.h"

#include <cmath>

namespace talus::test {

inline Shape some_round(Random& random) {
    const auto half = float(random.scale(0.03, 3.0));
    const auto radius = float(random.scale(0.03, 3.0));
    return random.chance(0.5) ? cylinder(half, radius) : cone(half, radius);
}

/// A segment, triangle, capsule or box.
inline Shape some_polytope(Random& random) {
    const vec3 p = random.point(-1.5f, 1.5f);
    const vec3 q = random.point(-1.5f, 1.5f);
    const vec3 r = random.point(-1.5f, 1.5f);
    switch (random.below(4)) {
        case 0:
            return segment(p, q);
        case 1:
            return triangle(p, q, r);
        case 2:
            return capsule(0.1f + std::abs(p.x), 0.1f);
        default:
            return box(0.05f + glm::abs(p));
    }
}

}  // namespace talus::test
