/// Polygons: the hull of planar points, and GJK in the plane (Liu et al., section 3.1) by every combination of methods,
/// against all pairs of edges.

#include "tests/support/random.h"

#include <talus/narrowphase/gjk_variants.h>
#include "narrowphase/papers/simplex.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace talus;
using glm::dvec2;
using glm::dvec3;
using glm::vec2;
using test::Random;

namespace {

constexpr double full_turn = 6.283185307179586;

PolytopeGraph polygon(const std::vector<vec2>& points) {
    auto made = make_polygon_graph(points);
    REQUIRE(made);
    return *made;
}

std::vector<vec2> on_ellipse(Random& random, int count, double flattening) {
    std::vector<vec2> points;
    for (int i = 0; i < count; ++i) {
        const double angle = random.between(0.0, full_turn);
        points.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(flattening * std::sin(angle)));
    }
    return points;
}

MatrixTransform in_plane(double angle, const dvec2& position) {
    const auto c = static_cast<float>(std::cos(angle)), s = static_cast<float>(std::sin(angle));
    return {vec3(dvec3(position, 0.0)), mat3(vec3(c, s, 0.0f), vec3(-s, c, 0.0f), vec3(0.0f, 0.0f, 1.0f))};
}

std::vector<dvec2> corners(const PolytopeGraph& g, const MatrixTransform& f) {
    std::vector<dvec2> result;
    for (const vec3& v : g.vertices) result.emplace_back(glm::dmat3(f.rotation) * dvec3(v) + dvec3(f.position));
    return result;
}

double cross(const dvec2& a, const dvec2& b) { return a.x * b.y - a.y * b.x; }

double point_to_segment(const dvec2& p, const dvec2& a, const dvec2& b) {
    const dvec2 ab = b - a;
    const double t = std::clamp(glm::dot(p - a, ab) / glm::dot(ab, ab), 0.0, 1.0);
    return glm::length(p - a - t * ab);
}

/// The oracle: the least distance of a corner of one from an edge of the other; negative if no edge's line has the
/// other polygon on its outer side, and then the least depth.
double signed_distance(const std::vector<dvec2>& a, const std::vector<dvec2>& b) {
    double apart = std::numeric_limits<double>::infinity(), plane = -apart;
    for (const auto& [p, q] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        for (std::size_t i = 0; i < p->size(); ++i) {
            const dvec2 &from = (*p)[i], &to = (*p)[(i + 1) % p->size()];
            double least = std::numeric_limits<double>::infinity();
            for (const dvec2& c : *q) {
                apart = std::min(apart, point_to_segment(c, from, to));
                least = std::min(least, cross(c - from, to - from) / glm::length(to - from));
            }
            plane = std::max(plane, least);
        }
    }
    return plane > 0.0 ? apart : plane;
}

std::string describe(const GjkMethods& m) {
    return std::string(name_of(m.simplex)) + ", " + name_of(m.support) + ", " + name_of(m.start) + ", " +
           name_of(m.stop);
}

template <class Visit>
void for_each_combination(Visit&& visit) {
    for (int simplex = 0; simplex < simplex_method_count; ++simplex)
        for (int support = 0; support < support_method_count; ++support)
            for (int start = 0; start < start_method_count; ++start)
                for (int stop = 0; stop < stop_method_count; ++stop)
                    visit(GjkMethods{SimplexMethod(simplex), SupportMethod(support), StartMethod(start),
                                     StopMethod(stop)});
}

bool is_answer(const GjkVariantResult& r) {
    return r.status == GjkVariantStatus::separated || r.status == GjkVariantStatus::overlapping;
}

}  // namespace

TEST_CASE("a polygon has the corners of its points' hull in order, each joined to its two neighbours") {
    Random random(461);
    for (int i = 0; i < 200; ++i) {
        std::vector<vec2> points;
        const int count = 3 + random.below(60);
        for (int k = 0; k < count; ++k) {
            const auto x = static_cast<float>(random.between(-1, 1)), y = static_cast<float>(random.between(-1, 1));
            // On a coarse grid many are equal or on one line.
            points.push_back(i % 2 ? vec2(x, y) : vec2(std::round(4 * x), std::round(4 * y)));
        }
        const auto made = make_polygon_graph(points);
        if (!made) {
            CHECK(made.error().code == ErrorCode::degenerate_shape);
            continue;
        }
        CHECK(made->planar);
        const std::vector<dvec2> c = corners(*made, {{0, 0, 0}, mat3(1.0f)});
        const std::size_t n = c.size();
        for (std::size_t k = 0; k < n; ++k) {
            const dvec2 &here = c[k], &next = c[(k + 1) % n];
            CHECK(cross(next - here, c[(k + 2) % n] - here) > 0.0);  // a strict left turn
            for (const vec2& p : points) CHECK(cross(next - here, dvec2(p) - here) >= 0.0);
            CHECK(std::find(points.begin(), points.end(), vec2(here)) != points.end());
            const auto around = made->neighbours_of(k);
            REQUIRE(around.size() == 2);
            CHECK(around[0] == (k + n - 1) % n);
            CHECK(around[1] == (k + 1) % n);
        }
    }
}

TEST_CASE("points that make no polygon are refused") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto code = [](const std::vector<vec2>& points) {
        const auto made = make_polygon_graph(points);
        REQUIRE_FALSE(made);
        CHECK(made.error().message.find("make_polygon_graph: ") == 0);
        return made.error().code;
    };
    CHECK(code({}) == ErrorCode::degenerate_shape);
    CHECK(code({{0, 0}, {1, 0}}) == ErrorCode::degenerate_shape);
    CHECK(code({{0, 0}, {1, 1}, {2, 2}, {5, 5}}) == ErrorCode::degenerate_shape);
    CHECK(code({{1, 2}, {1, 2}, {1, 2}, {1, 2}}) == ErrorCode::degenerate_shape);
    CHECK(code({{0, 0}, {1, 0}, {0, nan}}) == ErrorCode::not_finite);
    CHECK(code(std::vector<vec2>(65536, vec2(1.0f))) == ErrorCode::too_complex);
}

TEST_CASE("nu_compute in the plane puts the closest point where equation 5 says") {
    const auto at = [](const dvec2& x1, const dvec2& x2) {
        papers::Simplex s;
        s.count = 2;
        s.vertex[0].w = dvec3(x1, 0.0);
        s.vertex[1].w = dvec3(x2, 0.0);
        papers::nu_compute_in_plane(s);
        CHECK(s.count == 2);
        CHECK(s.weight[0] + s.weight[1] == doctest::Approx(1.0));
        return dvec2(s.v);
    };
    CHECK(glm::distance(at({-1, 2}, {3, 2}), dvec2(0, 2)) <= 1e-15);  // both weights positive
    CHECK(at({1, 2}, {3, 2}) == dvec2(1, 2));                         // the second negative: X1
    CHECK(at({-5, 2}, {-3, 2}) == dvec2(-3, 2));                      // the first negative: X2
}

TEST_CASE("refine_set in the plane keeps the separating edge and of several the one without the farthest vertex") {
    const auto refined = [](const dvec2& p, const dvec2& q, const dvec2& r, papers::Simplex& s) {
        s = {};
        s.count = 3;
        const dvec2 points[] = {p, q, r};
        for (int i = 0; i < 3; ++i) {
            s.vertex[i].w = dvec3(points[i], 0.0);
            s.vertex[i].index_a = static_cast<std::uint16_t>(i);
        }
        return papers::refine_set_in_plane(s);
    };
    papers::Simplex s;
    CHECK(refined({-1, 1}, {1, 1}, {0, 4}, s) == papers::Refined::face);  // one edge separates
    CHECK(s.count == 2);
    CHECK(s.vertex[0].index_a == 0);
    CHECK(s.vertex[1].index_a == 1);
    CHECK(refined({0, 1}, {-1, 2}, {1, 3}, s) == papers::Refined::face);  // two edges: at vertex 0; 2 is the farthest
    CHECK(s.vertex[0].index_a == 0);
    CHECK(s.vertex[1].index_a == 1);
    CHECK(refined({-1, -1}, {2, -1}, {0, 3}, s) == papers::Refined::encloses);
    CHECK(s.encloses);
    CHECK(s.vv == 0.0);
    dvec3 sum(0.0);
    for (int i = 0; i < 3; ++i) sum += s.weight[i] * s.vertex[i].w;
    CHECK(glm::length(sum) <= 1e-15);
    CHECK(refined({1, 1}, {2, 2}, {3, 3}, s) == papers::Refined::flat);
}

TEST_CASE("every combination finds the distance of polygons, and discard-and-add says when it does not") {
    Random random(462);
    int separated = 0, overlapping = 0, failed[simplex_method_count] = {}, runs = 0;
    for (int pair = 0; pair < 120; ++pair) {
        const double flat_a = pair % 3 == 2 ? 0.02 : 1.0, flat_b = pair % 5 == 4 ? 0.001 : 1.0;
        const PolytopeGraph a = polygon(on_ellipse(random, 3 + random.below(40), flat_a));
        const PolytopeGraph b = polygon(on_ellipse(random, 3 + random.below(40), flat_b));
        for (int pose = 0; pose < 2; ++pose) {
            const double turn = random.between(0.0, full_turn), towards = random.between(0.0, full_turn);
            const double away = random.between(0.0, 4.0);
            const MatrixTransform f = in_plane(turn, away * dvec2(std::cos(towards), std::sin(towards)));
            const double truth = signed_distance(corners(a, {{0, 0, 0}, mat3(1.0f)}), corners(b, f));
            (truth > 0.0 ? separated : overlapping) += 1;
            for_each_combination([&](const GjkMethods& m) {
                GjkVariantMemory memory;
                for (int call = 0; call < 2; ++call) {  // and again from the memory
                    const GjkVariantResult r = gjk_variant(a, b, f, m, memory);
                    INFO("pair ", pair, ", ", describe(m), ": ", std::string(name_of(r.status)), " by ",
                         std::string(name_of(r.end)), ", ", r.distance, " should be ", truth);
                    ++runs;
                    if (!is_answer(r)) {
                        CHECK(m.simplex == SimplexMethod::discard_and_add);
                        ++failed[static_cast<int>(m.simplex)];
                        CHECK(r.lower_bound <= std::max(0.0, truth) + 1e-9);
                        CHECK(r.distance >= std::max(0.0, truth) - 1e-9);
                        continue;
                    }
                    CHECK(r.point_a.z == 0.0);
                    CHECK(r.point_b.z == 0.0);
                    if (std::abs(truth) <= 1e-6) continue;
                    CHECK((r.status == GjkVariantStatus::separated) == (truth > 0.0));
                    CHECK(std::abs(r.distance - std::max(0.0, truth)) <= 2e-6 * (1.0 + std::abs(truth)));
                    if (r.status == GjkVariantStatus::separated) CHECK(r.feature_of_difference != FeatureKind::face);
                    CHECK(std::abs(glm::length(r.point_b - r.point_a) - r.distance) <= 1e-9);
                }
            });
        }
    }
    MESSAGE(separated, " separated, ", overlapping, " overlapping, discard-and-add failed ",
            failed[static_cast<int>(SimplexMethod::discard_and_add)], " of ", runs / simplex_method_count, " times");
    CHECK(separated > 80);
    CHECK(overlapping > 40);
    CHECK(failed[static_cast<int>(SimplexMethod::discard_and_add)] <= 0.25 * runs / simplex_method_count);
}

TEST_CASE(
    "the two-dimensional form is taken in the plane only, and there it answers where four points in a plane fail") {
    Random random(463);
    int in_space = 0, in_the_plane = 0, pairs = 0;
    for (int pair = 0; pair < 200; ++pair) {
        const PolytopeGraph a = polygon(on_ellipse(random, 12, 1.0)), b = polygon(on_ellipse(random, 12, 1.0));
        const double turn = random.between(0.0, full_turn), away = random.between(2.05, 3.0);
        const MatrixTransform f = in_plane(turn, {away, 0.0});
        PolytopeGraph space_a = a, space_b = b;
        space_a.planar = space_b.planar = false;  // the same points, handed to the form in space
        const GjkMethods m{SimplexMethod::discard_and_add, SupportMethod::linear, StartMethod::centroids};
        GjkVariantMemory cold, colder;
        const GjkVariantResult planar = gjk_variant(a, b, f, m, cold),
                               space = gjk_variant(space_a, space_b, f, m, colder);
        ++pairs;
        in_the_plane += is_answer(planar);
        in_space += is_answer(space);
        if (planar.status == GjkVariantStatus::separated) CHECK(cold.simplex.count == 2);
    }
    MESSAGE("answered in the plane ", in_the_plane, ", in space ", in_space, " of ", pairs);
    CHECK(in_the_plane > 0.75 * pairs);
    CHECK(in_space < 0.3 * pairs);

    // Out of its plane, a polygon is a flat polytope in space.
    const PolytopeGraph square = polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
    const mat3 upright(vec3(0, 0, 1), vec3(0, 1, 0), vec3(-1, 0, 0));
    for (int simplex = 0; simplex < simplex_method_count; ++simplex) {
        GjkVariantMemory cold;
        const GjkMethods m{SimplexMethod(simplex)};
        const GjkVariantResult above = gjk_variant(square, square, {{0.2f, 0.3f, 0.5f}, mat3(1.0f)}, m, cold);
        if (is_answer(above)) CHECK(above.distance == doctest::Approx(0.5));
        cold = {};
        const GjkVariantResult across = gjk_variant(square, square, {{3.0f, 0.3f, 0.1f}, upright}, m, cold);
        if (is_answer(across)) CHECK(across.distance == doctest::Approx(2.0));
        if (m.simplex != SimplexMethod::discard_and_add) CHECK((is_answer(above) && is_answer(across)));
    }
}

TEST_CASE("polygons that touch, coincide or lie in each other overlap, and any memory is safe") {
    const PolytopeGraph square = polygon({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}),
                        small = polygon({{0, 0}, {0.1f, 0}, {0, 0.1f}});
    Random random(464);
    const mat3 unturned(1.0f);
    struct Case {
        const PolytopeGraph& b;
        vec3 at;
        double distance;
    };
    const Case cases[] = {{square, {0, 0, 0}, 0.0},           {square, {2, 0, 0}, 0.0},    {square, {2, 2, 0}, 0.0},
                          {small, {0.3f, 0, 0}, 0.0},         {square, {2.5f, 0, 0}, 0.5}, {square, {0.3f, -3, 0}, 1.0},
                          {square, {3, 3, 0}, std::sqrt(2.0)}};
    for (const Case& c : cases) {
        for_each_combination([&](const GjkMethods& m) {
            for (int i = 0; i < 4; ++i) {
                GjkVariantMemory memory;
                if (i > 0) {
                    memory.simplex.count = static_cast<std::uint8_t>(random.below(7));
                    for (int k = 0; k < 4; ++k) {
                        memory.simplex.a[k] = static_cast<std::uint16_t>(random.below(i == 3 ? 65536 : 4));
                        memory.simplex.b[k] = static_cast<std::uint16_t>(random.below(i == 3 ? 65536 : 4));
                    }
                    memory.support_a = static_cast<std::uint16_t>(random.below(5));
                }
                const GjkVariantResult r = gjk_variant(square, c.b, {c.at, unturned}, m, memory);
                INFO(c.at.x, " ", c.at.y, ", ", describe(m), ": ", std::string(name_of(r.status)), " by ",
                     std::string(name_of(r.end)), ", ", r.distance);
                CHECK(std::isfinite(r.distance));
                if (!is_answer(r)) {
                    CHECK(m.simplex == SimplexMethod::discard_and_add);
                    CHECK(r.distance >= c.distance - 1e-9);
                    continue;
                }
                CHECK(std::abs(r.distance - c.distance) <= 1e-6);
            }
        });
    }
}
