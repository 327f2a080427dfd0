// Traces of GJK and EPA against the queries that they trace, bit for bit, and against the geometry that each step
// claims.

#include "tests/narrowphase/hard/adversarial_pairs.h"
#include "tests/narrowphase/shapes/some_hull.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/trace.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace {

using namespace talus;
using glm::dvec3;
using test::Random;

struct Query {
    Shape a, b;
    MatrixTransform frame;
    bool fresh;  ///< else warm, from the query before
    float limit;
};

/// Pairs of every two types of shapes, each at some poses in small steps: apart, touching and overlapping.
std::vector<Query> make_queries(std::uint64_t seed, int per_types) {
    Random random(seed);
    std::vector<Query> queries;
    for (int i = 0; i < per_types * shape_type_count * shape_type_count; ++i) {
        const auto any = [&](int type) {
            const double size = random.scale(0.3, 3.0);
            return test::random_shape(random, ShapeType(type), size, test::some_hull(random, size));
        };
        const Shape a = any(i % shape_type_count), b = any(i / shape_type_count % shape_type_count);
        const double reach = bounding_radius(a) + bounding_radius(b), away = random.between(0.0, 1.3);
        vec3 position = test::narrow(away * reach * random.direction());
        mat3 rotation = test::mixed_turn(random);
        for (int step = 0; step < 6; ++step) {
            const float limit = random.chance(0.2) ? float(random.between(0.0, 1.0)) : INFINITY;
            queries.push_back({a, b, {position, rotation}, step % 3 == 0, limit});
            position += test::narrow(0.02 * random.direction());
            rotation = test::turn(random.direction(), 0.02) * rotation;
        }
    }
    return queries;
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

bool same_bits(const SimplexCache& a, const SimplexCache& b) {
    return a.count == b.count && same_bits(a.a, b.a) && same_bits(a.b, b.b);
}

bool same_bits(const GjkResult& a, const GjkResult& b) {
    return a.status == b.status && same_bits(a.distance, b.distance) && same_bits(a.lower_bound, b.lower_bound) &&
           same_bits(a.normal, b.normal) && same_bits(a.point_a, b.point_a) && same_bits(a.point_b, b.point_b) &&
           a.iterations == b.iterations && a.support_evaluations == b.support_evaluations && a.warm == b.warm;
}

bool same_bits(const EpaResult& a, const EpaResult& b) {
    return a.status == b.status && same_bits(a.depth, b.depth) && same_bits(a.normal, b.normal) &&
           same_bits(a.point_a, b.point_a) && same_bits(a.point_b, b.point_b) && a.iterations == b.iterations &&
           a.support_evaluations == b.support_evaluations && a.warm == b.warm &&
           same_bits(a.other_depth, b.other_depth) && same_bits(a.face, b.face);
}

bool same_bits(const TraceVertex& a, const TraceVertex& b) {
    return same_bits(a.w, b.w) && same_bits(a.on_a, b.on_a) && same_bits(a.on_b, b.on_b);
}

/// How far the core reaches along d, by trying all its points; for rims, which have too many, by their support mapping.
double reach_along(const Shape& shape, const dvec3& d) {
    if (shape.type == ShapeType::cylinder || shape.type == ShapeType::cone)
        return glm::dot(d, dvec3(support(shape, vec3(d)).point));
    if (shape.type == ShapeType::mapping)  // an ellipsoid: its own support point, less the ball of the radius
        return glm::length(dvec3(shape.mapping->radii) * d) - double(shape.radius) * glm::length(d);
    double most = -INFINITY;
    for (std::uint32_t i = 0; i < core_point_count(shape); ++i)
        most = std::max(most, glm::dot(d, dvec3(core_point(shape, std::uint16_t(i)))));
    return most;
}

/// Checks a support pair: each of its points must be the farthest of its core along the direction, and w their
/// difference. Returns the error, in sizes.
double wrong_by(const Query& q, const dvec3& direction, const TraceVertex& v) {
    const double length = glm::length(direction);
    const dvec3 d = direction / length, d_in_b = -d * glm::dmat3(q.frame.rotation);
    const dvec3 b_in_b = (v.on_b - dvec3(q.frame.position)) * glm::dmat3(q.frame.rotation);
    const double scale = bounding_radius(q.a) + bounding_radius(q.b);
    return std::max({std::abs(reach_along(q.a, d) - glm::dot(d, v.on_a)),
                     std::abs(reach_along(q.b, d_in_b) - glm::dot(d_in_b, b_in_b)),
                     glm::length(v.w - (v.on_a - v.on_b))}) /
           scale;
}

/// The point of the vertices' hull nearest to the origin, by a search that shares nothing with GJK: Frank and Wolfe's
/// method with pairwise steps over the weights.
dvec3 nearest_by_weights(const TraceSimplex& s) {
    double weight[4] = {1, 0, 0, 0};
    dvec3 p = s.vertex[0].w;
    for (int round = 0; round < 2000; ++round) {
        int low = 0, high = -1;
        for (int i = 0; i < s.count; ++i) {
            if (glm::dot(p, s.vertex[i].w) < glm::dot(p, s.vertex[low].w)) low = i;
            if (weight[i] > 0 && (high < 0 || glm::dot(p, s.vertex[i].w) > glm::dot(p, s.vertex[high].w))) high = i;
        }
        const dvec3 step = s.vertex[low].w - s.vertex[high].w;
        const double length2 = glm::dot(step, step);
        if (!(length2 > 0)) break;
        const double t = std::clamp(-glm::dot(p, step) / length2, 0.0, weight[high]);
        if (!(t > 0)) break;
        weight[low] += t;
        weight[high] -= t;
        p += t * step;
    }
    return p;
}

bool is_round(const Shape& shape) { return shape.type == ShapeType::cylinder || shape.type == ShapeType::cone; }

/// True if all vertices have the same point of one core, to rounding.
bool has_one_point(const Query& q, const TraceSimplex& s, bool of_a) {
    const double rounding =
        1e-12 * (bounding_radius(q.a) + bounding_radius(q.b) + glm::length(dvec3(q.frame.position)));
    for (int k = 1; k < s.count; ++k) {
        const TraceVertex &v = s.vertex[k], &first = s.vertex[0];
        if (glm::length(of_a ? v.on_a - first.on_a : v.on_b - first.on_b) > rounding) return false;
    }
    return true;
}

/// True if the vertex is a difference of points of the two cores: no direction separates either from its core.
bool is_in_core(const Query& q, const TraceVertex& v) {
    const double slack = 1e-6 * (bounding_radius(q.a) + bounding_radius(q.b));
    const dvec3 b_in_b = (v.on_b - dvec3(q.frame.position)) * glm::dmat3(q.frame.rotation);
    for (int i = 0; i < 60; ++i) {
        const double y = 1.0 - (2.0 * i + 1.0) / 60.0, r = std::sqrt(1.0 - y * y);
        const dvec3 d(r * std::cos(2.4 * i), y, r * std::sin(2.4 * i));
        if (glm::dot(d, v.on_a) > reach_along(q.a, d) + slack || glm::dot(d, b_in_b) > reach_along(q.b, d) + slack)
            return false;
    }
    return glm::length(v.w - (v.on_a - v.on_b)) <= slack;
}

struct Seen {
    int queries = 0, steps = 0, warm = 0, in_kernel = 0, plain = 0, handed_over = 0, stale = 0, early = 0;
};

void check_gjk(const Query& q, const GjkTrace& t, Seen& seen) {
    const double scale = bounding_radius(q.a) + bounding_radius(q.b);
    const bool may_move = is_round(q.a) != is_round(q.b);
    const bool has_hull = q.a.type == ShapeType::hull || q.b.type == ShapeType::hull;
    REQUIRE(!t.parts.empty());
    CHECK(t.steps.size() == t.result.iterations);
    CHECK(t.parts.front().first_step == 0);
    for (std::size_t p = 0; p < t.parts.size(); ++p) {
        const GjkPart& part = t.parts[p];
        const std::size_t end = p + 1 < t.parts.size() ? t.parts[p + 1].first_step : t.steps.size();
        seen.stale += int(part.warm && part.start.count == 0);
        seen.handed_over += int(p > 0 && !part.in_kernel && t.parts[p - 1].in_kernel && part.first_step > 0);
        TraceSimplex before = part.start;
        double lower = 0.0, upper = INFINITY;
        for (std::size_t i = part.first_step; i < end; ++i) {
            const GjkStep& step = t.steps[i];
            CAPTURE(i);
            CHECK(wrong_by(q, step.direction, step.newest) <= 1e-6);
            // It asks from the closest point towards the origin.
            if (before.count > 0) CHECK(glm::dot(step.direction, before.closest) <= 0.0);
            // The simplex is made of the one before and the newest vertex. Beside a polytope, a cylinder or cone may have
            // one point of its own in all vertices: the nearest one (round_core_test.cpp).
            const bool moved = may_move && has_one_point(q, step.simplex, is_round(q.a));
            for (int k = 0; k < step.simplex.count; ++k) {
                if (moved) {
                    CHECK(is_in_core(q, step.simplex.vertex[k]));
                    continue;
                }
                bool known = same_bits(step.simplex.vertex[k], step.newest);
                for (int m = 0; m < before.count; ++m)
                    known = known || same_bits(step.simplex.vertex[k], before.vertex[m]);
                CHECK(known);
            }
            CHECK(step.simplex.distance == step.upper_bound);
            CHECK(std::abs(glm::length(step.simplex.closest) - step.simplex.distance) <= 1e-12 * scale);
            // To rounding: a simplex far out, measured once more from its nearest vertex, may prove a little longer. A
            // hull's farthest vertex is looked for in floats, and beside it a simplex may be moved.
            CHECK(step.lower_bound >= lower - (may_move && has_hull ? 1e-7 : 1e-10) * scale);
            CHECK(step.upper_bound <= upper + 1e-10 * scale);
            CHECK(step.lower_bound <= step.upper_bound);
            lower = step.lower_bound;
            upper = step.upper_bound;
            before = step.simplex;
            ++seen.steps;
        }
    }
    const GjkPart& last = t.parts.back();
    const bool moved = t.steps.size() > last.first_step;
    const TraceSimplex& simplex = moved ? t.steps.back().simplex : last.start;
    CHECK(simplex.count == t.simplex.count);
    if (t.result.status == GjkStatus::overlapping) {
        CHECK((simplex.encloses || simplex.distance <= 1e-6 * scale));
    } else if (moved) {
        const GjkStep& step = t.steps.back();
        const bool by_plane = t.result.status == GjkStatus::beyond_limit || !last.in_kernel;
        const bool distance_agrees = t.result.distance == float(step.upper_bound);
        CHECK((distance_agrees || (by_plane && t.result.distance == float(step.lower_bound))));
        CHECK(t.result.lower_bound == float(step.lower_bound));
    }
    ++seen.queries;
    seen.warm += int(t.result.warm);
    (last.in_kernel ? seen.in_kernel : seen.plain) += 1;
    seen.early += int(t.result.status == GjkStatus::beyond_limit);
}

}  // namespace

TEST_CASE("a trace of GJK ends where gjk ends bit for bit and each of its steps is what it says") {
    Seen seen;
    SimplexCache cache;
    for (const Query& q : make_queries(11, 12)) {
        if (q.fresh) cache = {};
        const GjkTrace trace = trace_gjk(q.a, q.b, q.frame, cache, q.limit);
        const GjkResult result = gjk(q.a, q.b, q.frame, cache, q.limit);
        CAPTURE(seen.queries);
        CAPTURE(name_of(q.a.type));
        CAPTURE(name_of(q.b.type));
        CHECK(same_bits(trace.result, result));
        CHECK(same_bits(trace.simplex, cache));
        check_gjk(q, trace, seen);
    }
    MESSAGE(seen.queries, " queries, ", seen.steps, " steps, ", seen.warm, " warm, ", seen.in_kernel,
            " in the kernel, ", seen.plain, " in the plain loop, ", seen.handed_over, " handed over, ", seen.stale,
            " stale, ", seen.early, " ended early");
    CHECK(seen.queries > 4000);
    CHECK(seen.warm > 1500);
    CHECK(seen.in_kernel > 1000);
    CHECK(seen.plain > 1000);
    CHECK(seen.early > 200);
    CHECK(seen.stale > 0);
}

TEST_CASE("the bounds of every step of a GJK trace hold the distance between them") {
    int checked = 0;
    for (const Query& q : make_queries(12, 6)) {
        const GjkTrace trace = trace_gjk(q.a, q.b, q.frame, {});
        SimplexCache cache;
        const double distance = gjk_by(GjkLoop::plain, q.a, q.b, q.frame, cache).distance;
        const double rounding = 2e-6 * (bounding_radius(q.a) + bounding_radius(q.b));
        for (const GjkStep& step : trace.steps) {
            CHECK(step.lower_bound <= distance + rounding);
            CHECK(step.upper_bound >= distance - rounding);
            ++checked;
        }
    }
    CHECK(checked > 4000);
}

TEST_CASE("the closest point of a step of GJK is that of its simplex") {
    int checked = 0;
    double worst = 0.0;
    for (const Query& q : make_queries(13, 3)) {
        const GjkTrace trace = trace_gjk(q.a, q.b, q.frame, {});
        const double scale = bounding_radius(q.a) + bounding_radius(q.b);
        for (const GjkStep& step : trace.steps) {
            // By weights it converges slowly from near: only clear cases.
            if (step.simplex.encloses || step.simplex.distance < 0.05 * scale) continue;
            const double nearest = glm::length(nearest_by_weights(step.simplex));
            worst = std::max(worst, std::abs(nearest - step.simplex.distance) / scale);
            ++checked;
        }
    }
    CHECK(checked > 1000);
    CHECK(worst <= 1e-6);
}

TEST_CASE("where the kernel is in doubt the trace shows its part and the plain loop's") {
    Seen seen;
    test::PairSource source(3);
    for (const test::Meeting meeting : {test::Meeting::concentric, test::Meeting::contained, test::Meeting::vertices}) {
        constexpr int types = int(ShapeType::mapping);  // the kernel takes no mappings
        for (int i = 0; i < 10 * types * types; ++i) {
            const test::AdversarialPair pair = source.next(i % 2 == 0 ? test::Family::plain : test::Family::slender,
                                                           meeting, ShapeType(i % types), ShapeType(i / types % types));
            SimplexCache cache;
            for (const MatrixTransform& frame : {pair.frame, pair.nudged}) {
                const Query q{pair.a.shape, pair.b.shape, frame, false, INFINITY};
                const GjkTrace trace = trace_gjk(q.a, q.b, q.frame, cache);
                const GjkResult result = gjk(q.a, q.b, q.frame, cache);
                CAPTURE(seen.queries);
                CAPTURE(name_of(q.a.type));
                CAPTURE(name_of(q.b.type));
                CHECK(same_bits(trace.result, result));
                CHECK(same_bits(trace.simplex, cache));
                check_gjk(q, trace, seen);
            }
        }
    }
    MESSAGE(seen.handed_over, " of ", seen.queries, " handed over, ", seen.stale, " stale");
    CHECK(seen.handed_over >= 20);
}

TEST_CASE("a trace of EPA gives epa's answer bit for bit from closed meshes around the origin" *
          doctest::test_suite("slow")) {
    int overlapping = 0, steps = 0, curved = 0, flat = 0, again = 0, slivers = 0;
    std::map<std::pair<int, int>, int> met;
    for (const Query& q : make_queries(15, 30)) {
        SimplexCache cache;
        if (gjk(q.a, q.b, q.frame, cache).status != GjkStatus::overlapping) continue;
        ++overlapping;
        const EpaTrace trace = trace_epa(q.a, q.b, q.frame, cache);
        const EpaResult result = epa(q.a, q.b, q.frame, cache);
        CAPTURE(overlapping);
        CAPTURE(name_of(q.a.type));
        CAPTURE(name_of(q.b.type));
        CHECK(same_bits(trace.result, result));
        REQUIRE(trace.answer < trace.parts.size());
        CHECK(trace.parts[trace.answer].steps.size() == result.iterations);
        again += int(trace.parts.size() > 1);
        flat += int(result.status == EpaStatus::flat);
        ++met[{int(q.a.type), int(q.b.type)}];
        const auto has_rim = [](const Shape& s) {
            return s.type == ShapeType::cylinder || s.type == ShapeType::cone || s.type == ShapeType::mapping;
        };
        const bool polytopes = !has_rim(q.a) && !has_rim(q.b);
        curved += int(!polytopes);
        const double scale = bounding_radius(q.a) + bounding_radius(q.b), slack = 1e-6 * scale;
        for (const EpaPart& part : trace.parts) {
            double lower = 0.0, upper = INFINITY;
            for (std::size_t i = 0; i < part.steps.size(); ++i) {
                const EpaStep& step = part.steps[i];
                CAPTURE(i);
                ++steps;
                REQUIRE(step.vertex_count <= part.vertices.size());
                REQUIRE(step.nearest < step.faces.size());
                const TraceFace& nearest = step.faces[step.nearest];
                CHECK(wrong_by(q, nearest.normal, step.newest) <= 1e-6);
                if (i + 1 < part.steps.size()) {
                    REQUIRE(part.steps[i + 1].vertex_count == step.vertex_count + 1);
                    CHECK(same_bits(part.vertices[step.vertex_count], step.newest));
                }
                // Each edge runs once each way.
                std::map<std::pair<int, int>, int> edges;
                bool in_range = true;
                for (const TraceFace& face : step.faces) {
                    for (int k = 0; k < 3; ++k) {
                        in_range = in_range && face.vertex[k] < step.vertex_count;
                        ++edges[{face.vertex[k], face.vertex[(k + 1) % 3]}];
                    }
                }
                REQUIRE(in_range);
                bool closed = true, on_plane = true, outside = false, none_nearer = true;
                for (const auto& [edge, count] : edges) {
                    const auto back = edges.find({edge.second, edge.first});
                    closed = closed && count == 1 && back != edges.end() && back->second == 1;
                }
                CHECK(closed);
                for (const TraceFace& face : step.faces) {
                    const bool sliver = glm::dot(face.normal, face.normal) == 0.0;
                    slivers += int(sliver);
                    if (sliver) continue;
                    outside = outside || face.offset < -slack;
                    none_nearer = none_nearer && face.offset >= nearest.offset;
                    for (const std::uint16_t k : face.vertex)
                        on_plane =
                            on_plane && std::abs(glm::dot(face.normal, part.vertices[k].w) - face.offset) <= slack;
                }
                CHECK(on_plane);
                CHECK(none_nearer);
                // The origin lies inside. Points of rims are cached to the nearest index, so that a first tetrahedron
                // may miss it.
                const bool exact = polytopes || i + 1 == part.steps.size();
                if (exact && result.status == EpaStatus::converged) CHECK(!outside);
                CHECK(step.lower_bound >= lower);
                CHECK(step.upper_bound <= upper);
                CHECK(step.lower_bound <= step.upper_bound + slack);
                CHECK(step.lower_bound >= nearest.offset);
                lower = step.lower_bound;
                upper = step.upper_bound;
                if (result.status == EpaStatus::converged) {
                    // Rims: to the gap that EPA stops at.
                    const double depth = result.depth, allowed = polytopes ? slack : 1e-4 * scale;
                    CHECK(depth >= lower - allowed);
                    CHECK(depth <= upper + allowed);
                }
            }
        }
        if (polytopes && result.status == EpaStatus::converged && result.iterations > 0) {
            const EpaStep& last = trace.parts[trace.answer].steps.back();
            CHECK(std::abs(last.upper_bound - last.lower_bound) <= slack);
            CHECK(std::abs(double(result.depth) - last.upper_bound) <= slack);
        }
    }
    MESSAGE(overlapping, " overlapping, ", steps, " steps, ", curved, " with rims, ", flat, " flat, ", again,
            " started again, ", slivers, " slivers, ", met.size(), " pairs of types");
    CHECK(overlapping > 2000);
    CHECK(curved > 500);
    CHECK(met.size() > 40);
}

TEST_CASE("of a flat difference EPA has no polytope to show") {
    SimplexCache cache;
    const Shape a = triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1}), b = segment({-1, 0, 0}, {1, 0, 0});
    const MatrixTransform frame;
    REQUIRE(gjk(a, b, frame, cache).status == GjkStatus::overlapping);
    const EpaTrace trace = trace_epa(a, b, frame, cache);
    CHECK(trace.result.status == EpaStatus::flat);
    REQUIRE(trace.parts.size() == 1);
    CHECK(trace.parts[0].steps.empty());
}
