/// Contact points of solids by their features: against all pairs of features, and against the exact distance.

#include "narrowphase/nonconvex/feature_contacts.h"
#include "narrowphase/nonconvex/node_pairs.h"
#include "narrowphase/nonconvex/surfaces_cross.h"
#include "narrowphase/tolerances.h"
#include "samples/scenes/kit/solids.h"
#include "tests/narrowphase/nonconvex/nonconvex_solids.h"
#include "tests/narrowphase/triangles/triangle_oracle.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;

namespace {

/// The same features with nodes of no bounds: all pairs of features are looked at. Vertices keep their cones, which tell
/// whether one will touch a face after a rotation.
SurfaceFeatures without_bounds(const SurfaceFeatures& features) {
    SurfaceFeatures all = features;
    const Float4 wide = splat<Float4>(1e4f * features.nodes[0].radius[0]), open = splat<Float4>(-1.0f);
    for (SurfaceFeatures::FourNodes& nodes : all.nodes) {
        for (Float4& half : nodes.boxes.half) half = wide;
        nodes.radius = 2.0f * wide;
        nodes.normals.cosine = open;
        nodes.normals.sine = Float4{};
    }
    for (SurfaceFeatures::FourVertices& four : all.four_vertices)
        four.normals.cosine = open, four.normals.sine = Float4{};
    for (SurfaceFeatures::FourEdges& four : all.four_edges) four.normals.cosine = open, four.normals.sine = Float4{};
    return all;
}

/// `all_pairs`: all pairs of features are candidates.
std::vector<FeaturePoint> contacts_of(const SurfaceFeatures& a, const SurfaceFeatures& b, const Transform& found_at,
                                      const Transform& now, float margin, const FeatureLimits& limits, float depth,
                                      bool all_pairs = false) {
    FeatureCandidates candidates;
    if (all_pairs)
        candidates.find(without_bounds(a), without_bounds(b), to_matrix_transform(found_at), margin, limits);
    else
        candidates.find(a, b, to_matrix_transform(found_at), margin, limits);
    std::vector<FeaturePoint> points;
    FeatureLimits then = limits;
    then.depth = depth;
    candidates.evaluate(a, b, to_matrix_transform(now), margin, then, points);
    return points;
}

}  // namespace

TEST_CASE("candidates that were found at a pose nearby give the contacts of all pairs of features" *
          doctest::test_suite("slow")) {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(61);
    std::size_t points = 0, candidates = 0, pairs = 0;
    for (int round = 0; round < 3000 * nonconvex_scale(); ++round) {
        const SolidSurface& a = any_of(all, random);
        const SolidSurface& b = any_of(all, random);
        CAPTURE(round);
        CAPTURE(a.solid.name);
        CAPTURE(b.solid.name);
        const float size = std::min(a.size, b.size), reach = 0.04f * size, margin = 0.1f * size, depth = 0.06f * size;
        const SurfaceFeatures all_a = without_bounds(a.features()), all_b = without_bounds(b.features());
        const Transform now = near_pose(random, a, b, 1.3);
        // The candidates were found before a motion by half of the reach, and a rotation by the other half.
        const glm::dvec3 axis = random.direction();
        const float turn = 0.5f * reach / (1.75f * b.size);  // b.size is half of its longest side
        const Transform before{now.position + vec3(random.direction()) * (0.5f * reach),
                               quat(glm::angleAxis(double{turn}, axis) * glm::dquat(now.rotation))};
        const float turn_ahead =
            random.chance(0.5) ? float(random.between(0.0, double{tolerance::feature_most_turn_ahead})) : 0.0f;
        const FeatureLimits limits{
            .reach = reach, .turn = turn, .turn_ahead = turn_ahead, .depth = depth + reach, .room = 1e-4f * size};
        const FeatureLimits here{.reach = 1e-3f * size,
                                 .turn = 1e-3f,
                                 .turn_ahead = turn_ahead,
                                 .depth = depth + 1e-3f * size,
                                 .room = 1e-4f * size};
        const std::vector<FeaturePoint> found =
            contacts_of(a.features(), b.features(), before, now, margin, limits, depth);
        const std::vector<FeaturePoint> oracle =
            contacts_of(a.features(), b.features(), now, now, margin, here, depth, true);
        const auto key = [](const FeaturePoint& p) {
            return std::tuple(p.id, p.separation, p.normal.x, p.normal.y, p.normal.z);
        };
        const auto by_key = [&](const FeaturePoint& x, const FeaturePoint& y) { return key(x) < key(y); };
        std::vector<FeaturePoint> x = found, y = oracle;
        std::sort(x.begin(), x.end(), by_key);
        std::sort(y.begin(), y.end(), by_key);
        REQUIRE(x.size() == y.size());
        for (std::size_t k = 0; k < x.size(); ++k) REQUIRE(key(x[k]) == key(y[k]));
        points += x.size();
        FeatureCandidates chosen, of_all;
        chosen.find(a.features(), b.features(), to_matrix_transform(before), margin, limits);
        of_all.find(all_a, all_b, to_matrix_transform(before), margin, limits);
        CHECK(chosen.size() <= of_all.size());
        candidates += chosen.size();
        pairs += a.features().vertices.size() * b.features().faces.size() +
                 b.features().vertices.size() * a.features().faces.size() +
                 a.features().edges.size() * b.features().edges.size();
    }
    MESSAGE(points << " points; " << candidates << " candidates of " << pairs << " pairs");
    CHECK(points > 1000);
    CHECK(50 * candidates < pairs);
}

TEST_CASE("the counts of a search are those of a plain loop, and each is a part of the one before") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(63);
    FeatureCounts sum;
    for (int round = 0; round < 300 * nonconvex_scale(); ++round) {
        const SolidSurface& a = any_of(all, random);
        const SolidSurface& b = any_of(all, random);
        CAPTURE(round);
        CAPTURE(a.solid.name);
        CAPTURE(b.solid.name);
        const SurfaceFeatures &fa = a.features(), &fb = b.features();
        const float size = std::min(a.size, b.size), reach = 0.04f * size, margin = 0.1f * size, depth = 0.06f * size;
        const FeatureLimits limits{.reach = reach, .turn = 0.02f, .depth = depth, .room = 1e-4f * size};
        const MatrixTransform pose = to_matrix_transform(near_pose(random, a, b, 1.3));
        const auto counts_of = [&](const SurfaceFeatures& x, const SurfaceFeatures& y) {
            FeatureCandidates candidates;
            candidates.find(x, y, pose, margin, limits);
            const FeatureCounts counts = candidates.take_counts();
            REQUIRE(counts.candidates == candidates.size());
            REQUIRE(counts.points == 0);
            REQUIRE(candidates.take_counts().node_pairs == 0);
            return counts;
        };
        const auto of_all = [](const SurfaceFeatures& x, const SurfaceFeatures& y) {
            return x.vertices.size() * y.faces.size() + x.faces.size() * y.vertices.size() +
                   x.edges.size() * y.edges.size();
        };
        // All pairs of features are looked at.
        const FeatureCounts plain = counts_of(without_bounds(fa), without_bounds(fb));
        CHECK(plain.pairs == of_all(fa, fb));
        // A plain loop over the leaves.
        std::size_t in_leaves = 0;
        NodePairs nodes(fa, fb, pose);
        const float highest = margin + reach, pad = std::max(highest, std::sqrt(5.0f) * depth) + limits.room + reach;
        nodes.for_each(pad, limits.turn, [&](const FoundLeaf& of_a, const FoundLeaf& of_b) {
            const SurfaceFeatures::Leaf &x = of_a.leaf, &y = of_b.leaf;
            for (std::uint32_t k = x.vertices.first; k < x.vertices.last; ++k)
                in_leaves += y.faces.last - y.faces.first;
            for (std::uint32_t k = x.faces.first; k < x.faces.last; ++k)
                in_leaves += y.vertices.last - y.vertices.first;
            for (std::uint32_t k = x.edges.first; k < x.edges.last; ++k) in_leaves += y.edges.last - y.edges.first;
        });
        const FeatureCounts found = counts_of(fa, fb);
        CHECK(found.pairs == in_leaves);
        CHECK(found.node_pairs == nodes.tested());
        for (const FeatureCounts& counts : {plain, found}) {
            CHECK(counts.pairs >= counts.nearby);
            CHECK(counts.nearby >= counts.candidates);
        }
        CHECK(found.pairs <= plain.pairs);
        CHECK(found.nearby <= plain.nearby);
        CHECK(found.candidates <= plain.candidates);
        sum += found;
    }
    MESSAGE(sum.node_pairs << " pairs of nodes, " << sum.pairs << " pairs of features in leaves, " << sum.nearby
                           << " of them near, " << sum.candidates << " candidates");
    CHECK(sum.pairs > 2 * sum.nearby);
    CHECK(sum.nearby > 2 * sum.candidates);
    CHECK(sum.candidates > 0);
}

TEST_CASE("two solids that come to touch have a contact, and none is nearer than their distance" *
          doctest::test_suite("slow")) {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(62);
    int touched = 0, too_near = 0, overlapping = 0, too_deep = 0;
    for (int round = 0; round < 600 * nonconvex_scale(); ++round) {
        const SolidSurface& a = any_of(all, random);
        const SolidSurface& b = any_of(all, random);
        CAPTURE(round);
        CAPTURE(a.solid.name);
        CAPTURE(b.solid.name);
        const float size = std::min(a.size, b.size);
        const glm::dvec3 way = random.direction();
        Transform pose{vec3(center(a.set->bounds())) - vec3(way) * (3.0f * (a.size + b.size)), any_orientation(random)};
        pose.position += vec3(random.direction() * (0.7 * double{a.size}));
        const double near = 2e-4 * double{size};
        double distance = 0.0;
        bool touches = false;
        for (int k = 0; k < 400 && !touches; ++k) {
            const InterferenceResult r = interference(a.solid.shape.polyhedron, Transform{}, b.solid.shape.polyhedron,
                                                      pose, DistanceKind::exact);
            REQUIRE(r.relation == Interference::disjoint);
            distance = r.distance;
            touches = distance < near;
            if (distance > 8.0 * double{a.size + b.size}) break;  // past each other
            pose.position += vec3(way * (touches ? 0.0 : distance - 0.5 * near));
        }
        if (!touches) continue;
        ++touched;
        const FeatureLimits limits{.reach = 0.0f, .turn = 0.0f, .depth = 0.01f * size, .room = 1e-4f * size};
        const auto points = contacts_of(a.features(), b.features(), pose, pose, 0.05f * size, limits, limits.depth);
        REQUIRE(!points.empty());
        float nearest = std::numeric_limits<float>::infinity();
        for (const FeaturePoint& p : points) {
            nearest = std::min(nearest, p.separation);
            CHECK(std::abs(length_squared(p.normal) - 1.0f) < 1e-4f);
            // The two points are where the separation says.
            const vec3 between = transform_point(pose, p.on_b) - p.on_a;
            CHECK(std::sqrt(length_squared(between - p.separation * p.normal)) < 1e-4f * size);
        }
        CHECK(nearest < 3.0f * static_cast<float>(near));
        too_near += nearest > static_cast<float>(distance) - 1e-4f * size ? 0 : 1;
        // A little deeper, the contact is still there, and pushes B back.
        const float deeper = 2e-3f * size;
        const Transform in{pose.position + vec3(way) * deeper, pose.rotation};
        const auto deep = contacts_of(a.features(), b.features(), in, in, 0.05f * size, limits, limits.depth);
        const Interference relation =
            interference(a.solid.shape.polyhedron, Transform{}, b.solid.shape.polyhedron, in).relation;
        if (relation == Interference::disjoint) continue;
        REQUIRE(!deep.empty());
        const FeaturePoint& deepest = deep.back();
        CHECK(deepest.separation < 1e-5f * size);
        ++overlapping;
        too_deep += deepest.separation > -2.0f * deeper && glm::dot(deepest.normal, vec3(way)) < 0.1f ? 0 : 1;
    }
    MESSAGE(touched << " came to touch, " << too_near << " with a contact that overlaps; " << overlapping
                    << " overlapped, " << too_deep << " with a contact that is deeper than they went in");
    CHECK(touched > 200);
    CHECK(overlapping > 200);
    // At edges and faces that are parallel, a feature within rounding of another one may overlap with it alone.
    CHECK(500 * too_near <= touched);
    CHECK(200 * too_deep <= overlapping);
}

TEST_CASE("edges and vertices that are nearly flat touch nothing from inside of their solid") {
    // They did: within the slack, the normal of such an edge and its opposite are at right angles to both of its faces.
    // A nut was pushed off its bolt by the far side of the thread, which seemed to be 1 mm deep.
    constexpr float thickness = 0.1f, rise = 0.005f;
    const auto made_of = [&](const samples::MeshFile& mesh) {
        const auto made = make_mesh({.vertices = mesh.vertices, .indices = mesh.triangles, .solid = true});
        REQUIRE_MESSAGE(bool(made), made.error().message);
        return *made;
    };
    // Plates with a roof: a ridge of 1 degree along z, and a peak.
    const samples::OutlinePoint outline[] = {
        {-0.5f, -thickness}, {0.5f, -thickness}, {0.5f, 0.0f}, {0.0f, rise}, {-0.5f, 0.0f}};
    const samples::MeshFile ridge = samples::prism(outline, 1.0f);
    samples::MeshFile peak;
    for (const float y : {-thickness, 0.0f}) {
        for (const auto& [x, z] : {std::pair(-0.5f, -0.5f), {-0.5f, 0.5f}, {0.5f, 0.5f}, {0.5f, -0.5f}})
            peak.vertices.push_back({x, y, z});
    }
    peak.vertices.push_back({0.0f, rise, 0.0f});
    peak.triangles = {0, 2, 1, 0, 3, 2, 4, 5, 8, 5, 6, 8, 6, 7, 8, 7, 4, 8};
    for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t j = (k + 1) % 4;
        for (const std::uint32_t i : {k, j, 4 + j, k, 4 + j, 4 + k}) peak.triangles.push_back(i);
    }
    const quat across(0.70710678f, 0.0f, 0.70710678f, 0.0f);
    for (const samples::MeshFile& mesh : {ridge, peak}) {
        const auto plate = made_of(mesh);
        // The upper plate lies on the lower one, its own roof a little above that of the lower one.
        const Transform pose{vec3(0.003f, rise + thickness + 1e-3f, 0.002f), across};
        const FeatureLimits limits{.reach = 1e-3f, .turn = 1e-3f, .depth = 0.02f, .room = 5e-5f};
        const auto points =
            contacts_of(*plate->solid_features(), *plate->solid_features(), pose, pose, 0.15f, limits, 0.02f);
        std::size_t right = 0;
        for (const FeaturePoint& p : points) {
            CAPTURE(p.separation);
            CHECK(p.normal.y > 0.9f);
            // At the ends of the ridge, the plate's side has a corner of almost 180 degrees: its edges tell little.
            if (std::abs(p.on_b.z) > 0.499f) continue;
            CHECK(p.on_b.y == doctest::Approx(-thickness));
            right += p.separation < 2e-3f ? 1 : 0;
        }
        CHECK(right > 0);
    }
}

TEST_CASE("a deep overlap stays a contact if a face is upright on what it has gone into") {
    // It was lost: the way from one surface to the other lies in that face, and rounding made it pass through.
    const auto made_of = [&](const samples::MeshFile& mesh) {
        const auto made = make_mesh({.vertices = mesh.vertices, .indices = mesh.triangles, .solid = true});
        REQUIRE_MESSAGE(bool(made), made.error().message);
        return *made;
    };
    // An edge of A goes along x. It is pressed into the lower face of B, whose sides are upright on it.
    const auto a = made_of(samples::box_solid({1.0f, 0.6f, 0.4f}));
    Random random(64);
    int lost = 0;
    for (int round = 0; round < 200; ++round) {
        const float angle = random.real(-1.2f, -0.3f), depth = random.real(0.006f, 0.015f);
        const quat rotation = quat(glm::angleAxis(double{angle}, glm::dvec3(1.0, 0.0, 0.0)));
        const vec3 up = rotate(rotation, vec3(0.0f, 0.0f, 1.0f)), along = rotate(rotation, vec3(0.0f, 1.0f, 0.0f));
        const vec3 on_edge(random.real(-0.5f, 0.5f), 0.6f, 0.4f);
        const quat any = any_orientation(random);  // of B in its own frame: its faces are rounded
        samples::MeshFile turned = samples::box_solid({0.4f, 0.7f, 0.6f});
        for (vec3& v : turned.vertices) v = rotate(any, v);
        const auto b = made_of(turned);
        const Transform pose{on_edge + (0.6f - depth) * up + random.real(-0.3f, 0.3f) * along,
                             multiply(rotation, conjugate(any))};
        const FeatureLimits limits{.reach = 1e-3f, .turn = 1e-3f, .depth = 0.02f, .sure = 0.0035f, .room = 7e-5f};
        const auto points = contacts_of(*a->solid_features(), *b->solid_features(), pose, pose, 0.014f, limits, 0.02f);
        const auto is_right = [&](const FeaturePoint& p) {
            return glm::dot(p.normal, up) > 0.999f && std::abs(p.separation + depth) < 1e-4f;
        };
        lost += std::count_if(points.begin(), points.end(), is_right) >= 2 ? 0 : 1;
    }
    CHECK(lost == 0);
}

TEST_CASE("parallel edges that have not touched do not push aligned solids aside") {
    // They did: of two boxes of which one lies on the border of the other, their edges overlap by the width of the strip
    // in which the faces touch.
    const auto made = make_mesh({.vertices = samples::box_solid({1.0f, 0.6f, 0.4f}).vertices,
                                 .indices = samples::box_solid({1.0f, 0.6f, 0.4f}).triangles,
                                 .solid = true});
    REQUIRE(bool(made));
    const SurfaceFeatures& features = *(*made)->solid_features();
    const FeatureLimits limits{.reach = 1e-3f, .turn = 1e-3f, .depth = 0.02f, .sure = 0.005f, .room = 1e-4f};
    for (const float depth : {0.0002f, 0.002f, 0.006f}) {
        for (const float strip : {0.008f, 0.012f, 0.016f}) {
            CAPTURE(depth);
            CAPTURE(strip);
            const Transform pose{{2.0f - strip, 0.1f, 0.8f - depth}, quat(1.0f, 0.0f, 0.0f, 0.0f)};
            const auto points = contacts_of(features, features, pose, pose, 0.02f, limits, 0.02f);
            CHECK(points.size() >= 3);
            for (const FeaturePoint& p : points) CHECK(p.normal.z > 0.999f);
        }
    }
}

TEST_CASE("two edges that cross at less than a degree have a contact where they cross") {
    // They had contacts only where their common part ends, much farther from each other.
    const samples::OutlinePoint roof[] = {{-1.0f, -0.5f}, {1.0f, -0.5f}, {0.0f, 0.0f}};
    const samples::MeshFile mesh = samples::prism(roof, 2.0f);  // a ridge along z
    const auto made = make_mesh({.vertices = mesh.vertices, .indices = mesh.triangles, .solid = true});
    REQUIRE(bool(made));
    const SurfaceFeatures& features = *(*made)->solid_features();
    const FeatureLimits limits{.reach = 1e-3f, .turn = 1e-3f, .depth = 0.02f, .sure = 0.005f, .room = 1e-4f};
    for (const float gap : {0.01f, 1e-3f, -1e-3f}) {
        for (const double angle : {0.003, 0.006, 0.012, 0.018}) {
            CAPTURE(gap);
            CAPTURE(angle);
            // B is turned over, and its ridge is over A's.
            const glm::dquat over = glm::angleAxis(angle, glm::dvec3(0, 1, 0)) * glm::dquat(0.0, 0.0, 0.0, 1.0);
            const Transform pose{{0.0f, gap, 0.0f}, quat(over)};
            const auto points = contacts_of(features, features, pose, pose, 0.02f, limits, 0.02f);
            const auto is_right = [&](const FeaturePoint& p) {
                return p.normal.y > 0.999f && std::abs(p.separation - gap) < 1e-4f && std::abs(p.on_a.z) < 1e-2f;
            };
            CHECK(std::any_of(points.begin(), points.end(), is_right));
        }
    }
}

TEST_CASE("the way out of an overlap is across the curve in which two solids cross") {
    const auto made =
        make_mesh({.vertices = samples::l_prism().vertices, .indices = samples::l_prism().triangles, .solid = true});
    REQUIRE(bool(made));
    const TriangleSet& set = **made;
    const vec3 size = set.bounds().upper - set.bounds().lower;
    const SurfaceFeatures& features = *set.solid_features();
    CHECK(!find_overlap(features, features, {vec3(2.0f * size.x, 0.0f, 0.0f), mat3(1.0f)}, 0.0f).crosses);
    Random random(63);
    for (int round = 0; round < 200; ++round) {
        // B is moved along one axis until it overlaps A by a tenth of its size.
        const int axis = random.below(3);
        const float side = random.chance(0.5) ? 1.0f : -1.0f;
        MatrixTransform pose;
        pose.position[axis] = side * 0.9f * size[axis];
        pose.position[(axis + 1) % 3] = 0.01f * size[(axis + 1) % 3];
        pose.position[(axis + 2) % 3] = 0.013f * size[(axis + 2) % 3];
        const SurfaceOverlap overlap = find_overlap(features, features, pose, 0.0f);
        CHECK(overlap.crosses ==
              surfaces_cross(soup_of(samples::l_prism(), {}), soup_of(samples::l_prism(), {pose.position})));
        if (!overlap.crosses) continue;
        CrossingCurve all;
        for (const CrossingCurve& curve : overlap.curves) all.add(curve);
        CHECK(side * all.area[axis] > 0.8f * std::sqrt(length_squared(all.area)));
    }
}
