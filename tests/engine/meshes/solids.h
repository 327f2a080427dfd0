#pragma once
/// Bodies of the solids that samples/scenes/kit/solids.h makes.

#include "samples/scenes/kit/solids.h"

#include <talus/engine/body.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace talus::test {

inline std::shared_ptr<const TriangleSet> solid_of(const samples::MeshFile& file, float scale = 1.0f) {
    std::vector<vec3> vertices = file.vertices;
    for (vec3& v : vertices) v *= scale;
    const auto made = make_mesh({.vertices = vertices, .indices = file.triangles, .solid = true});
    REQUIRE_MESSAGE(bool(made), made.error().message);
    return *made;
}

inline BodyDef solid_body(const std::shared_ptr<const TriangleSet>& mesh, const dvec3& position,
                          const quat& rotation = quat(1, 0, 0, 0)) {
    BodyDef def;
    def.mesh = mesh;
    def.position = position;
    def.rotation = rotation;
    return def;
}

}  // namespace talus::test
