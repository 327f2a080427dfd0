#include "profiling/bench/papers/papers_stop.h"

#include "profiling/bench/gjk/gjk_check.h"
#include "profiling/bench/gjk/gjk_experiment.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/gjk_variants.h>
#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace talus::profiling {

namespace {

using samples::Random;

// --- The lower bound, by allowed error ---

struct Stop {
    const char* name;
    StopMethod method;
    double gap;
};

constexpr Stop stops[] = {
    {"bound, e = 0.1 |v|", StopMethod::bound, 0.1},           {"bound, e = 0.01 |v|", StopMethod::bound, 0.01},
    {"bound, e = 0.001 |v|", StopMethod::bound, 1e-3},        {"bound, e = 1e-6 |v|", StopMethod::bound, 1e-6},
    {"recurring vertex", StopMethod::recurring_vertex, 1e-6},
};

void print_errors(const PapersOptions& options) {
    std::printf("%-22s %-10s |", "stop", "vertices");
    std::printf(" %10s %10s %12s %10s\n", "iterations", "ns", "mean error", "largest");
    for (const Sizes& sizes : quick_sizes) {
        const std::vector<PosedPair> pairs = make_pairs(sizes.a, sizes.b, find_experiment("static")->motion,
                                                        options.pairs(), options.poses(), options.seed);
        std::vector<PolytopeGraph> a, b;
        for (const PosedPair& pair : pairs) {
            a.push_back(*make_polytope_graph(pair.a));
            b.push_back(*make_polytope_graph(pair.b));
        }
        // All poses by one stop, in order; `visit(result)`.
        const auto run = [&](const Stop& stop, auto&& visit) {
            GjkMethods methods;
            methods.stop = stop.method;
            methods.gap = stop.gap;
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                for (const MatrixTransform& pose : pairs[p].poses) {
                    GjkVariantMemory memory;
                    visit(gjk_variant(a[p], b[p], pose, methods, memory));
                }
            }
        };
        std::vector<double> truth;
        run({"", StopMethod::bound, 1e-9}, [&](const GjkVariantResult& r) { truth.push_back(r.distance); });
        for (const Stop& stop : stops) {
            double iterations = 0.0, sum = 0.0, largest = 0.0;
            std::size_t i = 0;
            run(stop, [&](const GjkVariantResult& r) {
                const double error = std::abs(1.0 - truth[i++] / r.distance);
                iterations += r.iterations;
                sum += error;
                largest = std::max(largest, error);
            });
            std::vector<double> ns;
            volatile double sink = 0.0;
            for (int k = 0; k < options.repeats; ++k)
                ns.push_back(time_of(1, [&] { run(stop, [&](const GjkVariantResult& r) { sink = r.distance; }); }));
            const auto count = static_cast<double>(truth.size());
            char text[32];
            std::snprintf(text, sizeof text, "%d/%d", sizes.a, sizes.b);
            std::printf("%-22s %-10s | %10.2f %10.0f %12.1e %10.1e\n", stop.name, text, iterations / count,
                        median(ns) / count, sum / count, largest);
        }
    }
    std::printf("\n");
}

// --- The recurring vertex, on pairs of every kind ---

/// The hull of random points on an ellipsoid with these half axes.
Shape ellipsoid_hull(Random& random, int vertices, const vec3& half_axes) {
    for (;;) {
        std::vector<vec3> points;
        for (int i = 0; i < vertices; ++i) points.push_back(random.direction() * half_axes);
        if (const auto made = make_hull(points)) return hull(*made);
    }
}

/// A prism over a regular polygon, along y.
Shape prism_hull(int sides) {
    std::vector<vec3> points;
    for (int i = 0; i < 2 * sides; ++i) {
        const double angle = 6.283185307179586 * (i / 2) / sides;
        points.emplace_back(static_cast<float>(std::cos(angle)), i % 2 ? 0.5f : -0.5f,
                            static_cast<float>(std::sin(angle)));
    }
    return hull(*make_hull(points));
}

/// The hull of points on the faces of a cube, off them by 1e-6 to 1e-4: faces that are hardly faces, and vertices that
/// are hardly vertices.
Shape dented_cube(Random& random) {
    for (;;) {
        std::vector<vec3> points;
        const float dents = std::exp(random.between(std::log(1e-6f), std::log(1e-4f)));
        for (int i = 0; i < 40; ++i) {
            vec3 p = random.in_box(vec3(1.0f));
            p[i % 3] = (i / 3) % 2 ? 1.0f : -1.0f;
            points.push_back(p + dents * random.direction());
        }
        if (const auto made = make_hull(points)) return hull(*made);
    }
}

/// Triangles and segments, in the plane y = 0 if they are to be parallel.
PosedPair flat_pair(Random& random, bool parallel) {
    const auto corner = [&] {
        vec3 p = random.direction();
        if (parallel) p.y = 0.0f;
        return p;
    };
    const auto one = [&]() -> Shape {
        const vec3 a = corner(), b = corner(), c = corner();
        return random.unit() < 0.5f ? segment(a, b) : triangle(a, b, c);
    };
    for (;;) {
        Shape a = one(), b = one();
        if (!check(a) && !check(b)) return {std::move(a), std::move(b), {}};
    }
}

float log_between(Random& random, float least, float most) {
    return std::exp(random.between(std::log(least), std::log(most)));
}

/// One of the rotations that turn the axes into each other: faces and edges stay exactly parallel.
mat3 aligned(Random& random) {
    mat3 m(0.0f);
    const int first = std::min(2, static_cast<int>(random.between(0.0f, 3.0f)));
    for (int i = 0; i < 3; ++i) m[i][(i + first) % 3] = 1.0f;
    return m;
}

/// A kind of pair: its shapes, its rotations, and how far it is apart, in m.
struct Family {
    const char* name;
    float least, most;
    bool aligned;
    PosedPair (*make)(Random& random);
};

const Family families[] = {
    {"balls", 0.05f, 2.0f, false,
     [](Random& r) {
         Shape a = ball_hull(r, 40);
         return PosedPair{std::move(a), ball_hull(r, 50), {}};
     }},
    {"near contact", 1e-5f, 1e-3f, false,
     [](Random& r) {
         Shape a = ball_hull(r, 40);
         return PosedPair{std::move(a), ball_hull(r, 50), {}};
     }},
    {"thin", 0.01f, 1.0f, false,
     [](Random& r) {
         const float plate = log_between(r, 1e-4f, 1e-2f), needle = log_between(r, 1e-4f, 1e-2f);
         Shape a = ellipsoid_hull(r, 40, {1.0f, plate, 1.0f});
         return PosedPair{std::move(a), ellipsoid_hull(r, 40, {1.0f, needle, needle}), {}};
     }},
    {"huge, small", 0.05f, 2.0f, false,
     [](Random& r) {
         Shape a = ellipsoid_hull(r, 40, vec3(log_between(r, 1e3f, 1e5f)));
         return PosedPair{std::move(a), ball_hull(r, 50), {}};
     }},
    {"both huge", 1e3f, 1e5f, false,
     [](Random& r) {
         Shape a = ellipsoid_hull(r, 40, vec3(1e5f));
         return PosedPair{std::move(a), ellipsoid_hull(r, 50, vec3(1e5f)), {}};
     }},
    {"parallel", 0.05f, 2.0f, true,
     [](Random& r) {
         const int sides = 4 + 4 * static_cast<int>(r.between(0.0f, 3.99f));
         return PosedPair{prism_hull(sides), prism_hull(r.between(0.0f, 1.0f) < 0.5f ? 4 : sides), {}};
     }},
    {"dented", 1e-3f, 2.0f, false,
     [](Random& r) {
         Shape a = dented_cube(r);
         return PosedPair{std::move(a), dented_cube(r), {}};
     }},
    {"flat", 0.05f, 2.0f, false, [](Random& r) { return flat_pair(r, false); }},
    {"flat, parallel", 0.05f, 2.0f, true, [](Random& r) { return flat_pair(r, true); }},
    {"parallel twins", 1e-3f, 2.0f, true,
     [](Random& r) {
         const Shape twin = ball_hull(r, 40);
         return PosedPair{twin, twin, {}};
     }},
};

/// Gives the pair poses at the family's separations. A pose is dropped if it does not come near the one asked for.
PosedPair placed(const Family& family, Random& random, int poses) {
    PosedPair pair = family.make(random);
    const auto reach = [](const Shape& shape) {
        const Result<PolytopeGraph> graph = make_polytope_graph(shape);
        float most = 0.0f;
        for (const vec3& v : graph->vertices) most = std::max(most, glm::length(v));
        return most;
    };
    const float radii = reach(pair.a) + reach(pair.b);
    const bool twins = pair.a.hull != nullptr && pair.a.hull == pair.b.hull;
    while (static_cast<int>(pair.poses.size()) < poses) {
        const mat3 rotation = twins ? mat3(1.0f) : family.aligned ? aligned(random) : to_matrix(random.rotation());
        const vec3 direction = random.direction();
        const float target = log_between(random, family.least, family.most);
        MatrixTransform pose{(radii + target) * direction, rotation};
        float separated = 0.0f;
        for (int i = 0; i < 30; ++i) {
            SimplexCache cold;
            separated = separation(pair.a, pair.b, pose, cold).separation;
            if (std::abs(separated - target) < 0.1f * target) break;
            pose.position += (target - separated) * direction;
        }
        if (separated > 0.5f * family.least && separated < 2.0f * family.most) pair.poses.push_back(pose);
    }
    return pair;
}

/// How a search by one stop ended.
struct Ends {
    double iterations = 0.0;  ///< sum
    int most = 0;             ///< iterations of one query
    int wrong = 0;            ///< the distance is off by more than a millionth
    int silent = 0;           ///< of these without saying so
    int unchecked = 0;        ///< a vertex came back, but the bound showed that v is not the closest point
    double error = 0.0;       ///< largest, relative, of those that were answered

    void add(const GjkVariantResult& r, const DistanceBounds& truth, double size) {
        iterations += r.iterations;
        most = std::max(most, r.iterations);
        const double off = std::max({0.0, r.distance - truth.upper, truth.lower - r.distance});
        const bool answered = r.status == GjkVariantStatus::separated;
        const bool is_wrong = off > 1e-6 * truth.upper + 1e-12 * size || r.status == GjkVariantStatus::overlapping;
        wrong += is_wrong;
        silent += is_wrong && r.status != GjkVariantStatus::failed && r.status != GjkVariantStatus::iteration_cap;
        unchecked += r.status == GjkVariantStatus::failed && (r.end == GjkEnd::cycle || r.end == GjkEnd::stuck);
        if (answered) error = std::max(error, off / truth.upper);
    }
};

void print_robustness(const PapersOptions& options) {
    const int pairs = options.quick ? 2 : options.full ? 100 : 40, poses = options.quick ? 5 : 25;
    std::printf("%-32s %7s | %-18s | %-44s | %-14s |\n", "", "", "bound", "recurring vertex", "which is");
    std::printf("%-15s %-16s %7s | %6s %4s %6s | %6s %4s %6s %7s %8s %8s | %7s %6s | %8s\n", "pairs", "simplices",
                "queries", "iter", "most", "wrong", "iter", "most", "wrong", "silent", "bare", "error", "later", "by",
                "proof");
    for (const Family& family : families) {
        Random random(options.seed);
        double loosest = 0.0;  // of the proofs, relative
        struct Query {
            PolytopeGraph a, b;
            std::vector<MatrixTransform> poses;
            std::vector<DistanceBounds> truth;
            double size;
        };
        std::vector<Query> queries;
        for (int i = 0; i < pairs; ++i) {
            const PosedPair pair = placed(family, random, poses);
            const DistanceOracle oracle(pair);
            Query q{*make_polytope_graph(pair.a), *make_polytope_graph(pair.b), pair.poses, {}, 0.0};
            for (const vec3& v : q.a.vertices) q.size = std::max(q.size, glm::length(glm::dvec3(v)));
            for (const MatrixTransform& pose : pair.poses) {
                q.truth.push_back(oracle(pose));
                loosest = std::max(loosest, 1.0 - q.truth.back().lower / q.truth.back().upper);
            }
            queries.push_back(std::move(q));
        }
        for (int simplex = 0; simplex < simplex_method_count; ++simplex) {
            Ends bound, recurs;
            int later = 0, most_later = 0, count = 0;
            for (const Query& q : queries) {
                for (std::size_t k = 0; k < q.poses.size(); ++k) {
                    GjkMethods methods;
                    methods.simplex = static_cast<SimplexMethod>(simplex);
                    GjkVariantMemory cold, colder;
                    const GjkVariantResult r = gjk_variant(q.a, q.b, q.poses[k], methods, cold);
                    methods.stop = StopMethod::recurring_vertex;
                    const GjkVariantResult s = gjk_variant(q.a, q.b, q.poses[k], methods, colder);
                    bound.add(r, q.truth[k], q.size);
                    recurs.add(s, q.truth[k], q.size);
                    later += s.iterations > r.iterations;
                    most_later = std::max(most_later, s.iterations - r.iterations);
                    ++count;
                }
            }
            std::printf("%-15s %-16s %7d | %6.2f %4d %6d | %6.2f %4d %6d %7d %8d %8.1e | %6.1f%% %6d | %8.1e\n",
                        family.name, name_of(static_cast<SimplexMethod>(simplex)), count, bound.iterations / count,
                        bound.most, bound.wrong, recurs.iterations / count, recurs.most, recurs.wrong, recurs.silent,
                        recurs.unchecked, recurs.error, 100.0 * later / count, most_later, loosest);
        }
    }
    std::printf("\n");
}

}  // namespace

int print_stop(const PapersOptions& options) {
    std::fputs(R"(The lower-bound stop (Jovanoski, section 2; recurring vertices: Liu et al., section 2.1)
Theirs: |v| - mu <= e ends the search; mu, the best support plane so far, is a lower bound of the distance, so e bounds
the error. No figures. Ours: unrelated poses of hulls of random points on a unit ball, 0.05 to 2 apart; simplices of the
production query, linear search. The error is the share of the distance that is too much, never more than e, by a run
with e = 1e-9.

)",
               stdout);
    print_errors(options);
    std::fputs(R"(The recurring vertex, 'more robust' than the bound (Liu et al., section 2.1)
Theirs: a claim, no figures. Ours: pairs of every kind, linear search from the centroids, both stops on the same poses.
'wrong': the distance is off by more than a millionth, by proofs that share nothing with the search; 'silent': those of
them that are not reported as failed. When a vertex recurs, Talus looks at the bound once; 'bare': the queries that the
stop without that look would have answered wrongly, or never ended. 'error': the largest of the answered ones. 'later':
queries that take more iterations than with the bound, e = 1e-6 |v|, and by how many at most. 'proof': how loose the
proofs are at most. Balls, near contact: hulls of 40 and 50 random points, 0.05 to 2 and 1e-5 to 1e-3 apart; thin:
plates and needles, 1 to 1e-2..1e-4; huge: radius 1e3..1e5 beside 1, and both 1e5; parallel: prisms with parallel
faces; dented: cubes with points that are off their faces by 1e-6..1e-4; flat: triangles and segments; twins: a hull
and itself, not turned.

)",
               stdout);
    print_robustness(options);
    return 0;
}

}  // namespace talus::profiling
