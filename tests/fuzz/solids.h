#pragma once
/// The oracle's view of a fuzzer's shapes.

#include "tests/narrowphase/oracle/oracle.h"

#include <algorithm>

namespace talus::fuzz {

/// As oracle::make_solid, which finds a hull's faces by trying all triples: too slow for large hulls, and blind to the
/// faces of extreme needles. A hull's own faces are good to their builder's tolerance, which fuzz_hull checks.
inline oracle::Solid make_solid(const Shape& shape) {
    if (shape.type != ShapeType::hull) return oracle::make_solid(shape);
    const Hull& hull = *shape.hull;
    oracle::Solid solid;
    solid.type = ShapeType::hull;
    for (const vec3& v : hull.vertices) solid.vertices.emplace_back(v);
    for (const HullFace& face : hull.faces) {
        oracle::Solid::Face f{glm::dvec3(face.normal), {}};
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const int from = hull.face_vertices[face.first + i];
            const int to = hull.face_vertices[face.first + (i + 1) % face.count];
            f.corners.push_back(from);
            if (from < to) solid.edges.push_back({from, to});
        }
        solid.faces.push_back(std::move(f));
    }
    solid.center = 0.5 * (glm::dvec3(hull.bounds.lower) + glm::dvec3(hull.bounds.upper));
    for (const glm::dvec3& v : solid.vertices) solid.size = std::max(solid.size, glm::length(v - solid.center));
    return solid;
}

}  // namespace talus::fuzz
