#include "profiling/bench/papers/papers_planar.h"

#include "profiling/bench/gjk/paper_methods.h"
#include "profiling/bench/measure.h"
#include "samples/scenes/kit/random.h"

#include <glm/mat3x3.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace talus::profiling {

namespace {

using glm::dvec2;
using glm::dvec3;
using samples::Random;

/// A polygon of random points on the unit circle.
PolytopeGraph circle_polygon(Random& random, int corners) {
    for (;;) {
        std::vector<glm::vec2> points;
        for (int i = 0; i < corners; ++i) {
            const double angle = 6.283185307179586 * static_cast<double>(random.unit());
            points.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
        }
        Result<PolytopeGraph> made = make_polygon_graph(points);
        // Two points may be so near that the hull leaves one out; then others are drawn.
        if (made && made->vertices.size() == points.size()) return std::move(*made);
    }
}

struct PlanarPair {
    PolytopeGraph a, b;
    std::vector<MatrixTransform> poses;
};

double distance_to_edge(const dvec2& p, const dvec2& from, const dvec2& to) {
    const dvec2 edge = to - from;
    const double t = std::clamp(glm::dot(p - from, edge) / glm::dot(edge, edge), 0.0, 1.0);
    return glm::length(p - from - t * edge);
}

/// The distance of two polygons that are apart: each corner of one from each edge of the other.
double plain_distance(const PolytopeGraph& a, const PolytopeGraph& b, const MatrixTransform& pose) {
    std::vector<dvec2> p, q;
    for (const vec3& v : a.vertices) p.emplace_back(dvec3(v));
    for (const vec3& v : b.vertices) q.emplace_back(glm::dmat3(pose.rotation) * dvec3(v) + dvec3(pose.position));
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (std::size_t j = 0; j < q.size(); ++j) {
            least = std::min(least, distance_to_edge(p[i], q[j], q[(j + 1) % q.size()]));
            least = std::min(least, distance_to_edge(q[j], p[i], p[(i + 1) % p.size()]));
        }
    }
    return least;
}

/// Two polygons, the second anywhere so that the unit circles are 0.05 to 2 apart.
PlanarPair make_planar_pair(Random& random, int corners, int poses) {
    PlanarPair pair{circle_polygon(random, corners), circle_polygon(random, corners), {}};
    for (int i = 0; i < poses; ++i) {
        const double turn = 6.283185307179586 * static_cast<double>(random.unit());
        const double towards = 6.283185307179586 * static_cast<double>(random.unit());
        const double away = static_cast<double>(random.between(2.05f, 4.0f));
        const auto c = static_cast<float>(std::cos(turn)), s = static_cast<float>(std::sin(turn));
        pair.poses.push_back({vec3(dvec3(away * std::cos(towards), away * std::sin(towards), 0.0)),
                              mat3(vec3(c, s, 0.0f), vec3(-s, c, 0.0f), vec3(0.0f, 0.0f, 1.0f))});
    }
    return pair;
}

struct PlanarRow {
    const char* name;
    GjkMethods methods;
    bool in_space;  ///< hides that the polygons lie in a plane
};

constexpr PlanarRow rows[] = {
    {"original GJK", liu_original, false},
    {"Liu et al., 3.1", liu_ours, false},
    {"Cameron", liu_cameron, false},
    {"both, 3.1", liu_combined, false},
    {"orig., centroids", original_from_centroids, false},
    {"Voronoi", {SimplexMethod::voronoi, SupportMethod::linear, StartMethod::centroids}, false},
    {"Liu et al., 3.2", liu_ours, true},
};

}  // namespace

int print_planar(const PapersOptions& options) {
    std::fputs(R"(Polygons: the two-dimensional case (Liu et al., section 3.1, Figures 3 to 6)
Theirs: the method, no figures. Ours: pairs of polygons of n random points on a unit circle, the circles 0.05 to 2
apart. '3.1' keeps two vertices and tests the edges of a triangle; '3.2' is the form in space, asked about the same
polygons: four vertices in a plane make no tetrahedron. 'ns' is per query, answered or not; the error is against all
corners and edges.

)",
               stdout);
    std::printf("%-10s %-18s | %10s %10s %12s | %8s %9s %10s\n", "corners", "method", "ns", "iterations",
                "dot products", "queries", "failures", "error");
    for (const int corners : options.quick ? std::vector<int>{8, 32} : std::vector<int>{8, 32, 128, 512}) {
        Random random(options.seed);
        std::vector<PlanarPair> pairs;
        for (int i = 0; i < options.pairs(); ++i) pairs.push_back(make_planar_pair(random, corners, options.poses()));
        std::vector<double> truth;
        for (const PlanarPair& pair : pairs) {
            for (const MatrixTransform& pose : pair.poses) truth.push_back(plain_distance(pair.a, pair.b, pose));
        }
        for (const PlanarRow& row : rows) {
            for (PlanarPair& pair : pairs) pair.a.planar = !row.in_space;
            const auto run = [&](auto&& visit) {
                for (const PlanarPair& pair : pairs) {
                    for (const MatrixTransform& pose : pair.poses) {
                        GjkVariantMemory cold;
                        visit(gjk_variant(pair.a, pair.b, pose, row.methods, cold));
                    }
                }
            };
            double iterations = 0.0, dots = 0.0, error = 0.0;
            int failures = 0;
            std::size_t i = 0;
            run([&](const GjkVariantResult& r) {
                iterations += r.iterations;
                dots += r.dot_products;
                if (r.status == GjkVariantStatus::separated)
                    error = std::max(error, std::abs(r.distance - truth[i]));
                else
                    ++failures;
                ++i;
            });
            std::vector<double> ns;
            volatile double sink = 0.0;
            for (int k = 0; k < options.repeats; ++k)
                ns.push_back(time_of(1, [&] { run([&](const GjkVariantResult& r) { sink = r.distance; }); }));
            const auto count = static_cast<double>(truth.size());
            std::printf("%-10d %-18s | %10.0f %10.2f %12.1f | %8zu %9d %10.1e\n", corners, row.name, median(ns) / count,
                        iterations / count, dots / count, truth.size(), failures, error);
        }
    }
    std::printf("\n");
    return 0;
}

}  // namespace talus::profiling
