#pragma once
/// Seeded random shapes and poses for the narrowphase's tests: sizes over two decades, every kind of shape, loose and
/// exactly aligned orientations. A seed gives the same pair on every platform.

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/shape.h>
#include "tests/support/random.h"

#include <cmath>
#include <memory>
#include <vector>

namespace talus::test {

inline vec3 narrow(const glm::dvec3& v) { return vec3(v); }

/// A point in a shell around the origin.
inline vec3 somewhere(Random& random, double nearest, double farthest) {
    const glm::dvec3 direction = random.direction();
    return vec3(direction * random.between(nearest, farthest));
}

/// A rotation by `angle` (rad) about the unit `axis`.
inline glm::dmat3 turn_exactly(const glm::dvec3& axis, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    glm::dmat3 m;
    for (int column = 0; column < 3; ++column) {
        glm::dvec3 e(0.0);
        e[column] = 1.0;
        m[column] = c * e + s * glm::cross(axis, e) + (1.0 - c) * glm::dot(axis, e) * axis;
    }
    return m;
}

/// The same, rounded once from double.
inline mat3 turn(const glm::dvec3& axis, double angle) { return mat3(turn_exactly(axis, angle)); }

/// And as a quaternion.
inline quat turned(const glm::dvec3& axis, double angle) {
    const double s = std::sin(0.5 * angle);
    return quat(float(std::cos(0.5 * angle)), float(axis.x * s), float(axis.y * s), float(axis.z * s));
}

/// A rotation about any axis, by an angle between the two given (rad).
inline mat3 turn_between(Random& random, double least, double most) {
    const glm::dvec3 axis = random.direction();
    return turn(axis, random.between(least, most));
}

inline mat3 any_turn(Random& random) { return turn_between(random, 0.0, 6.283185307179586); }

/// One of the 24 rotations that map the axes onto themselves, exact.
inline mat3 quarter_turns(Random& random) {
    const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    const int* axis = order[random.below(6)];
    mat3 m(0.0f);
    for (int i = 0; i < 3; ++i) m[i][axis[i]] = random.chance(0.5) ? 1.0f : -1.0f;
    if (glm::dot(glm::cross(m[0], m[1]), m[2]) < 0.0f) m[2] = -m[2];
    return m;
}

/// Three kinds: anything; faces parallel and edges too; faces across y parallel, edges crossing.
inline mat3 mixed_turn(Random& random) {
    const double kind = random.unit();
    if (kind < 0.6) return any_turn(random);
    if (kind < 0.85) return quarter_turns(random);
    return turn({0, 1, 0}, random.between(0.0, 6.283185307179586));
}

/// Corners of a convex polyhedron of about the given radius: random clouds of 4 to 60 points, bricks, prisms, wedges,
/// and flattened or stretched ones.
inline std::vector<vec3> hull_points(Random& random, double size) {
    std::vector<glm::dvec3> p;
    const int kind = random.below(8);
    const int sides = 3 + random.below(10);
    if (kind <= 3) {
        const int count = kind == 3 ? 30 + random.below(31) : 4 + random.below(25);
        for (int i = 0; i < count; ++i) {
            const glm::dvec3 q = random.direction();
            p.push_back(q * random.between(0.9, 1.0));
        }
        // Random points on a half sphere can be nearly flat; four spread ones keep every cloud solid.
        for (const glm::dvec3& q :
             {glm::dvec3(1, 1, 1), glm::dvec3(-1, -1, 1), glm::dvec3(-1, 1, -1), glm::dvec3(1, -1, -1)}) {
            p.push_back(0.5 * q);
        }
    } else if (kind == 4) {
        for (int i = 0; i < 8; ++i) {
            p.emplace_back((i & 1) != 0 ? 0.6 : -0.6, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.4 : -0.4);
        }
    } else if (kind == 5) {
        for (int i = 0; i < 2 * sides; ++i) {
            const double angle = 6.283185307179586 * (i / 2) / sides;
            p.emplace_back(0.6 * std::cos(angle), (i & 1) != 0 ? 0.5 : -0.5, 0.6 * std::sin(angle));
        }
    } else if (kind == 6) {
        p = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    } else {
        p = {{-0.7, -0.4, -0.5}, {0.7, -0.4, -0.5}, {-0.7, -0.4, 0.5},
             {0.7, -0.4, 0.5},   {-0.7, 0.4, -0.5}, {-0.7, 0.4, 0.5}};
    }
    const bool stretched = random.chance(0.3);
    const glm::dvec3 stretch{stretched ? random.between(0.1, 1.0) : 1.0, stretched ? random.between(0.1, 1.0) : 1.0,
                             1.0};
    std::vector<vec3> out;
    for (const glm::dvec3& q : p) out.push_back(narrow(size * stretch * q));
    return out;
}

/// A shape of this type that fits roughly into a sphere of radius `size`; hulls come from `pool`, already of that size.
inline Shape random_shape(Random& random, ShapeType type, double size, const std::shared_ptr<const Hull>& pooled) {
    const auto part = [&](double low, double high) { return static_cast<float>(size * random.between(low, high)); };
    switch (type) {
        case ShapeType::sphere:
            return sphere(static_cast<float>(size));
        case ShapeType::capsule: {
            const float half_height = part(0.1, 0.8);
            return capsule(half_height, part(0.05, 0.6));
        }
        case ShapeType::segment: {
            const glm::dvec3 to_middle = random.direction();
            const glm::dvec3 middle = to_middle * random.between(0.0, 0.3) * size;
            const glm::dvec3 along = random.chance(0.3) ? glm::dvec3(0, 1, 0) : random.direction();
            const glm::dvec3 half = along * random.between(0.2, 0.7) * size;
            return segment(narrow(middle - half), narrow(middle + half), random.chance(0.5) ? 0.0f : part(0.0, 0.3));
        }
        case ShapeType::triangle:
            for (;;) {
                glm::dvec3 p[3];
                const bool flat = random.chance(0.4);  // in the plane y = 0, so that aligned poses meet it face to face
                for (glm::dvec3& q : p)
                    q = size * (flat ? random.direction() * glm::dvec3(1, 0, 1) : random.direction());
                if (glm::length(glm::cross(p[1] - p[0], p[2] - p[0])) < 0.2 * size * size) continue;
                return triangle(narrow(p[0]), narrow(p[1]), narrow(p[2]), random.chance(0.7) ? 0.0f : part(0.0, 0.2));
            }
        case ShapeType::box:
            if (random.chance(0.2)) return box(vec3(part(0.57, 0.58)));
            return box(vec3{part(0.05, 0.8), part(0.05, 0.8), part(0.05, 0.8)});
        case ShapeType::cylinder: {
            const float half_height = part(0.1, 0.9);
            return cylinder(half_height, part(0.1, 0.9));
        }
        case ShapeType::cone: {
            const float half_height = part(0.1, 0.9);
            return cone(half_height, part(0.1, 0.9));
        }
        case ShapeType::hull:
            return hull(pooled);
        case ShapeType::mapping: {
            const float x = part(0.2, 0.9), y = part(0.2, 0.9);
            return *ellipsoid({x, y, random.chance(0.3) ? x : part(0.2, 0.9)});
        }
    }
    return sphere(static_cast<float>(size));
}

}  // namespace talus::test
