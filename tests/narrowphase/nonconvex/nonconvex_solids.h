#pragma once
/// The solids and poses that the tests of narrowphase/nonconvex share.

#include "narrowphase/nonconvex/surface_features.h"
#include "samples/scenes/kit/solids.h"
#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/support/environment.h"

#include <talus/narrowphase/nonconvex/interference.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace talus::test {

struct NonconvexSolid {
    std::string name;
    samples::MeshFile mesh;
    NonconvexShape shape;
};

inline NonconvexSolid solid(std::string name, samples::MeshFile mesh) {
    Result<NonconvexShape> shape = make_nonconvex(mesh.vertices, mesh.triangles);
    if (!shape) return {name + ": " + shape.error().message, {}, {}};  // no faces: tests see it at once
    return {std::move(name), std::move(mesh), std::move(*shape)};
}

inline std::vector<NonconvexSolid> nonconvex_solids() {
    std::vector<NonconvexSolid> all;
    all.push_back(solid("pentahedron", samples::pentahedron()));
    all.push_back(solid("l prism", samples::l_prism()));
    all.push_back(solid("u prism", samples::u_prism()));
    all.push_back(solid("star of 5", samples::star_prism(5)));
    all.push_back(solid("frame", samples::square_frame()));
    all.push_back(solid("gear of 6", samples::gear(6)));
    all.push_back(solid("hollow box", samples::hollow_box()));
    all.push_back(solid("two boxes", samples::two_boxes()));
    all.push_back(solid("hourglass of 8", samples::hourglass(8)));
    all.push_back(solid("hourglass of 32", samples::hourglass(32)));
    samples::MeshFile small = samples::star_prism(7);  // fits into the others, and through their holes
    for (vec3& v : small.vertices) v *= 0.12f;
    all.push_back(solid("small star of 7", small));
    return all;
}

/// One of those solids as a mesh that bodies can have.
struct SolidSurface {
    NonconvexSolid solid;
    std::shared_ptr<const TriangleSet> set;
    float size = 0.0f;  ///< half of the longest side of its box, m

    const detail::SurfaceFeatures& features() const { return *set->solid_features(); }
};

inline std::vector<SolidSurface> solid_surfaces() {
    std::vector<SolidSurface> all;
    for (NonconvexSolid& solid : nonconvex_solids()) {
        const auto made = make_mesh({.vertices = solid.mesh.vertices, .indices = solid.mesh.triangles, .solid = true});
        REQUIRE_MESSAGE(bool(made), solid.name << ": " << made.error().message);
        const vec3 half = half_extents((*made)->bounds());
        all.push_back({std::move(solid), *made, std::max({half.x, half.y, half.z})});
    }
    return all;
}

inline const SolidSurface& any_of(const std::vector<SolidSurface>& all, Random& random) {
    return all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
}

/// A rotation for tests: often exactly aligned with the axes (by multiples of 90 degrees), where all ties are, else
/// any.
inline quat any_orientation(Random& random) {
    if (random.chance(0.3)) {
        const float h = std::sqrt(0.5f);
        const quat quarter[] = {quat(1, 0, 0, 0), quat(h, h, 0, 0), quat(h, 0, h, 0), quat(h, 0, 0, h)};
        const int first = random.below(4), second = random.below(4);
        return multiply(quarter[first], quarter[second]);
    }
    const glm::dvec3 axis = random.direction();
    const double angle = random.between(0.0, 3.14);
    return quat(glm::angleAxis(angle, axis));
}

/// A pose of B in A's frame, with their middles no farther apart than `most` times the sum of their sizes.
inline Transform near_pose(Random& random, const SolidSurface& a, const SolidSurface& b, double most) {
    const glm::dvec3 way = random.direction();
    const double distance = random.between(0.0, most) * double{a.size + b.size};
    return {vec3(center(a.set->bounds())) + vec3(way * distance), any_orientation(random)};
}

/// How many times as many cases are tested as in everyday runs: TALUS_NONCONVEX_SCALE in the environment.
inline int nonconvex_scale() { return static_cast<int>(std::max(1L, from_environment("TALUS_NONCONVEX_SCALE", 1))); }

}  // namespace talus::test
