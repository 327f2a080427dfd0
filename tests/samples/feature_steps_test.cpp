// The overlay that the window shows finds the pairs of features that the library finds, and those that can touch.

#include "samples/runner/outputs/feature_steps.h"
#include "samples/scenes/scene.h"

#include <talus/engine/world.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>

using namespace talus;
using namespace talus::samples;

namespace {

using Pairs = std::set<std::array<std::uint32_t, 2>>;

Pairs pairs_of(const std::vector<FeatureSteps::Found>& found) {
    Pairs pairs;
    for (const FeatureSteps::Found& each : found) pairs.insert({each.of_a, each.of_b});
    CHECK(pairs.size() == found.size());
    return pairs;
}

struct LibraryPairs {
    Pairs edges, a_vertices, b_vertices;
};

/// All pairs of features, tested one by one by the library.
LibraryPairs every_pair(const SolidShape& a, const SolidShape& b, const quat& rotation) {
    LibraryPairs pairs;
    for (const OverlayStep& step :
         trace_overlay(a.shape, b.shape, glm::dquat(rotation), OverlayMethod::every_pair).steps) {
        if (step.kind == OverlayStepKind::arcs_cross) pairs.edges.insert({step.index, step.other});
        if (step.kind == OverlayStepKind::node_in_region && step.of_b)
            pairs.a_vertices.insert({step.other, step.index});
        if (step.kind == OverlayStepKind::node_in_region && !step.of_b)
            pairs.b_vertices.insert({step.index, step.other});
    }
    return pairs;
}

enum class Verdict { cannot, may, can };

Verdict verdict_of(double least) {
    return least > 1e-4 ? Verdict::can : least < -1e-4 ? Verdict::cannot : Verdict::may;
}

/// By definition: a face can touch a vertex first if all edges of the vertex lead away from the face's plane.
Verdict face_and_vertex(const glm::dvec3& normal, const Polyhedron& p, std::uint32_t vertex) {
    double least = 1.0;
    for (const std::uint32_t e : p.edges_of_vertex(vertex)) {
        const double sign = p.edges[e].vertices[0] == vertex ? 1.0 : -1.0;
        least = std::min(least, sign * glm::dot(p.edges[e].direction, normal));
    }
    return verdict_of(least);
}

/// By definition: a direction across a convex edge is a contact normal if it lies between those of its two faces.
double inside_arc(const Polyhedron& p, const PolyhedronEdge& edge, const glm::dvec3& direction) {
    const glm::dvec3 &n = p.faces[edge.faces[0]].normal, &m = p.faces[edge.faces[1]].normal;
    const glm::dvec3 axis = glm::normalize(glm::cross(n, m));
    return std::min(glm::dot(glm::cross(n, direction), axis), glm::dot(glm::cross(direction, m), axis));
}

Verdict two_edges(const Polyhedron& a, const PolyhedronEdge& e, const Polyhedron& b, const PolyhedronEdge& f,
                  const glm::dmat3& to_a) {
    if (!e.convex || !f.convex) return Verdict::cannot;
    const glm::dvec3 across = glm::cross(e.direction, to_a * f.direction);
    if (glm::length(across) < 1e-3) return Verdict::may;
    double most = -1.0;
    for (const double sign : {1.0, -1.0}) {
        const glm::dvec3 normal = sign * glm::normalize(across);
        most = std::max(most, std::min(inside_arc(a, e, normal), inside_arc(b, f, -(glm::transpose(to_a) * normal))));
    }
    return verdict_of(most);
}

struct Checked {
    std::size_t sure = 0, open = 0;

    void check(Verdict verdict, bool found, std::size_t& wrong) {
        sure += std::size_t(verdict == Verdict::can);
        open += std::size_t(verdict == Verdict::may);
        wrong += std::size_t((verdict == Verdict::can && !found) || (verdict == Verdict::cannot && found));
    }
};

}  // namespace

TEST_CASE("the sweep over two solids of a heap finds the features that can touch first, and each once") {
    const Scene* scene = find_scene("solid_heap");
    REQUIRE(scene != nullptr);
    const auto data = scene->make({});
    REQUIRE(data);
    World world = make_world(*data);
    for (int step = 0; step < 150; ++step) REQUIRE(step_scene(world, *data, step));

    std::set<std::array<std::size_t, 2>> seen;  // by the numbers of edges: each two kinds of solids once
    Checked edges, vertices;
    bool with_box = false;
    for (const PairInfo& pair : world.pairs()) {
        if (pair.rung != Rung::features) continue;
        const ShapeDef shape_a = world.shapes(pair.body_a)[pair.shape_a],
                       shape_b = world.shapes(pair.body_b)[pair.shape_b];
        const auto a = solid_of(shape_a), b = solid_of(shape_b);
        REQUIRE(a);
        REQUIRE(b);
        const Polyhedron &pa = a->shape.polyhedron, &pb = b->shape.polyhedron;
        if (!seen.insert({pa.edges.size(), pb.edges.size()}).second) continue;
        with_box |= !shape_a.mesh || !shape_b.mesh;
        CAPTURE(pa.edges.size());
        CAPTURE(pb.edges.size());

        const quat& rotation = pair.b_in_a.rotation;
        const FeatureSteps steps = sweep_features(*a, *b, rotation);
        const Pairs found_edges = pairs_of(steps.edges), found_a = pairs_of(steps.a_vertices),
                    found_b = pairs_of(steps.b_vertices);
        const LibraryPairs library = every_pair(*a, *b, rotation);
        CHECK(found_edges == library.edges);
        CHECK(found_a == library.a_vertices);
        CHECK(found_b == library.b_vertices);

        CHECK(steps.all.edges == pa.edges.size() * pb.edges.size());
        CHECK(steps.applicable.edges == found_edges.size());
        CHECK(steps.applicable.vertices == found_a.size() + found_b.size());
        ContactScratch scratch;
        find_candidates(a->shape, {}, b->shape, {vec3(0.0f), rotation}, scratch, OverlayMethod::every_pair);
        CHECK(steps.applicable.edge_faces == scratch.candidates.size());
        CHECK(steps.applicable.edge_faces < steps.all.edge_faces);

        // The stops have the steps in order, and the meridian goes around from west to east, twice.
        REQUIRE(steps.stops.size() > 2);
        int rounds = 1;
        std::size_t before = 0;
        for (std::size_t s = 1; s < steps.stops.size(); ++s) {
            CHECK(steps.stops[s].first >= steps.stops[s - 1].last);
            CHECK((steps.stops[s].last > steps.stops[s].first) == (s + 1 < steps.stops.size()));
            rounds += int(steps.stops[s].longitude < steps.stops[s - 1].longitude);
            const FeaturePairs found = steps.found_up_to(s);
            CHECK(found.edges + found.vertices >= before);
            before = found.edges + found.vertices;
        }
        CHECK(rounds == 2);
        CHECK(steps.stops[steps.second_round].longitude < steps.stops[steps.second_round - 1].longitude);
        CHECK(before == steps.applicable.edges + steps.applicable.vertices);

        const glm::dmat3 to_a = glm::mat3_cast(glm::normalize(glm::dquat(rotation)));
        std::size_t wrong = 0;
        for (std::uint32_t v = 0; v < pa.vertices.size(); ++v) {
            for (std::uint32_t f = 0; f < pb.faces.size(); ++f)
                vertices.check(face_and_vertex(to_a * pb.faces[f].normal, pa, v), found_a.contains({v, f}), wrong);
        }
        for (std::uint32_t f = 0; f < pa.faces.size(); ++f) {
            const glm::dvec3 normal = glm::transpose(to_a) * pa.faces[f].normal;
            for (std::uint32_t v = 0; v < pb.vertices.size(); ++v)
                vertices.check(face_and_vertex(normal, pb, v), found_b.contains({f, v}), wrong);
        }
        CHECK(wrong == 0);
        for (std::uint32_t e = 0; e < pa.edges.size(); ++e) {
            for (std::uint32_t f = 0; f < pb.edges.size(); ++f)
                edges.check(two_edges(pa, pa.edges[e], pb, pb.edges[f], to_a), found_edges.contains({e, f}), wrong);
        }
        CHECK(wrong == 0);
    }
    MESSAGE(seen.size(), " kinds of pairs; edges: ", edges.sure, " can touch, ", edges.open,
            " on the border; vertices and faces: ", vertices.sure, " can touch, ", vertices.open, " on the border");
    CHECK(seen.size() >= 5);
    CHECK(with_box);
    CHECK(edges.sure > 500);
    CHECK(vertices.sure > 200);
}

TEST_CASE("shapes without flat faces, rounded shapes and open meshes have no orientation graph") {
    CHECK(solid_of({.shape = box(vec3(0.5f))}));
    CHECK(!solid_of({.shape = sphere(0.5f)}));
    CHECK(!solid_of({.shape = rounded(box(vec3(0.5f)), 0.1f)}));
    const auto a = solid_of({.shape = box(vec3(0.5f))});
    REQUIRE(a);
    CHECK(a->shape.polyhedron.edges.size() == 12);
    CHECK(a->graph.convex);
    CHECK(sweep_features(*a, *a, quat(0.0f, 0.0f, 0.0f, 0.0f)).stops.empty());
}
