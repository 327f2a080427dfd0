/// Queries on null hulls, negative sizes and numbers that are not finite: each returns a status, nothing crashes, and
/// the cache stays as it was.

#include <talus/narrowphase/gjk_variants.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/nonconvex/interference.h>
#include <talus/narrowphase/papers/vertex_hierarchy.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/support_mapping.h>
#include <talus/narrowphase/swept.h>
#include <talus/narrowphase/time_of_impact.h>
#include <talus/narrowphase/trace.h>
#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/queries.h>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace talus;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

struct RefusedShape {
    std::string name;
    Shape shape;
};

std::vector<RefusedShape> refused_shapes() {
    Shape unknown;
    unknown.type = static_cast<ShapeType>(99);
    return {{"a hull shape without a hull", hull(nullptr)},
            {"a sphere of negative radius", sphere(-1.0f)},
            {"a sphere of radius NaN", sphere(not_a_number)},
            {"a box of negative size", box({1.0f, -1.0f, 1.0f})},
            {"a box of size NaN", box({1.0f, 1.0f, not_a_number})},
            {"a capsule of infinite height", capsule(infinity, 1.0f)},
            {"a cone of radius NaN", cone(1.0f, not_a_number)},
            {"a triangle with a corner at infinity", triangle({0, 0, 0}, {infinity, 0, 0}, {0, 1, 0})},
            {"a shape of no type", unknown}};
}

const MatrixTransform beside{{3.0f, 0.0f, 0.0f}};
const MatrixTransform nowhere{{not_a_number, 0.0f, 0.0f}};
const MatrixTransform bent{vec3(0.0f), mat3(infinity)};

SimplexCache some_simplex() {
    SimplexCache cache;
    cache.count = 2;
    cache.a[0] = 1, cache.a[1] = 5, cache.b[0] = 2, cache.b[1] = 3;
    return cache;
}

bool same(const SimplexCache& a, const SimplexCache& b) {
    return a.count == b.count && std::equal(a.a, a.a + 4, b.a) && std::equal(a.b, a.b + 4, b.b);
}

/// Calls `ask(a, b, pose)` with each bad shape as A and as B, and with good shapes at bad poses.
template <class Ask>
void for_each_refused_pair(const Ask& ask) {
    const Shape good = box({0.5f, 0.5f, 0.5f});
    for (const RefusedShape& refused : refused_shapes()) {
        const Shape& bad = refused.shape;
        CAPTURE(refused.name);
        ask(bad, good, beside);
        ask(good, bad, beside);
        ask(bad, bad, beside);
    }
    for (const MatrixTransform& pose : {nowhere, bent}) ask(good, good, pose);
}

}  // namespace

TEST_CASE("gjk on a null hull or on NaN sizes says bad_input and leaves its cache alone") {
    for_each_refused_pair([](const Shape& a, const Shape& b, const MatrixTransform& pose) {
        SimplexCache cache = some_simplex();
        for (const GjkResult& r :
             {gjk(a, b, pose, cache), gjk_by(GjkLoop::plain, a, b, pose, cache), trace_gjk(a, b, pose, cache).result}) {
            CHECK(r.status == GjkStatus::bad_input);
            CHECK(r.distance == 0.0f);
            CHECK(r.normal == vec3(0.0f));
        }
        CHECK(same(cache, some_simplex()));
    });
    SimplexCache cache = some_simplex();
    const Shape good = sphere(1.0f);
    CHECK(gjk(good, good, beside, cache, not_a_number).status == GjkStatus::bad_input);
    CHECK(gjk(good, good, beside, cache).status == GjkStatus::separated);
}

TEST_CASE("epa on a null hull or on NaN sizes says bad_input") {
    for_each_refused_pair([](const Shape& a, const Shape& b, const MatrixTransform& pose) {
        for (const EpaResult& r : {epa(a, b, pose, some_simplex()), trace_epa(a, b, pose, some_simplex()).result}) {
            CHECK(r.status == EpaStatus::bad_input);
            CHECK(r.depth == 0.0f);
        }
    });
}

TEST_CASE("separation of a null hull or of NaN sizes is not valid, and its caches stay as they were") {
    for_each_refused_pair([](const Shape& a, const Shape& b, const MatrixTransform& pose) {
        SimplexCache cache = some_simplex();
        SeparationCache both;
        both.simplex = some_simplex();
        for (const SeparationResult& r : {separation(a, b, pose, cache), separation(a, b, pose, both)}) {
            CHECK_FALSE(r.is_valid());
            CHECK(r.separation == 0.0f);
            CHECK_FALSE(r.used_epa);
        }
        CHECK(same(cache, some_simplex()));
        CHECK(same(both.simplex, some_simplex()));
    });
    SimplexCache cache;
    CHECK(separation(sphere(1.0f), sphere(1.0f), beside, cache).is_valid());
    CHECK_FALSE(separation(sphere(1.0f), sphere(1.0f), beside, cache, not_a_number).is_valid());
}

TEST_CASE("a ray at a null hull or at NaN sizes hits nothing and says so") {
    const vec3 from(-5, 0, 0), along(10, 0, 0);
    for (const RefusedShape& refused : refused_shapes()) {
        const Shape& bad = refused.shape;
        CAPTURE(refused.name);
        const RayHit hit = ray_cast(bad, from, along);
        CHECK(hit.bad_input);
        CHECK_FALSE(hit.hit);
    }
    CHECK(ray_cast(sphere(1.0f), from, {infinity, 0, 0}).bad_input);
    CHECK(ray_cast(sphere(1.0f), {0, not_a_number, 0}, along).bad_input);
    CHECK(ray_cast(ShapeSupport(sphere(1.0f)), from, {infinity, 0, 0}).bad_input);
    const RayHit good = ray_cast(sphere(1.0f), from, along);
    CHECK(good.hit);
    CHECK_FALSE(good.bad_input);
}

TEST_CASE("a cast of a null hull or of NaN sizes stops nothing and says so") {
    const vec3 along(-10, 0, 0);
    for_each_refused_pair([&](const Shape& a, const Shape& b, const MatrixTransform& pose) {
        const ShapeCastResult r = shape_cast(a, b, pose, along);
        CHECK(r.status == CastStatus::bad_input);
        CHECK_FALSE(bool(r));
        CHECK(r.fraction == 1.0f);
        for (int method = 0; method < swept_method_count; ++method) {
            const SweptResult swept = swept_test(a, b, pose, along, static_cast<SweptMethod>(method));
            CHECK(swept.bad_input);
            CHECK_FALSE(swept.hit);
        }
    });
    const Shape good = sphere(1.0f);
    CHECK(shape_cast(good, good, beside, {not_a_number, 0, 0}).status == CastStatus::bad_input);
    CHECK(shape_cast(good, good, beside, along, infinity).status == CastStatus::bad_input);
    CHECK(swept_test(good, good, beside, along, static_cast<SweptMethod>(77)).bad_input);
    CHECK(shape_cast(good, good, beside, along).status == CastStatus::hit);
}

TEST_CASE("a time of impact of a null hull or of NaN sizes says bad_input at time 0") {
    for_each_refused_pair([](const Shape& a, const Shape& b, const MatrixTransform& pose) {
        if (!is_finite(pose.position) || !is_finite(pose.rotation[0])) return;
        const TimeOfImpact r = time_of_impact(a, {}, b, {.start = {.position = pose.position}});
        CHECK(r.status == ToiStatus::bad_input);
        CHECK(r.time == 0.0f);
    });
}

TEST_CASE("a manifold of a null hull or of NaN sizes has no points") {
    for_each_refused_pair([](const Shape& a, const Shape& b, const MatrixTransform& pose) {
        FaceHints hints;
        CHECK(make_manifold(a, b, pose, {1, 0, 0}, {0.5f, 0, 0}, {0.5f, 0, 0}, 0.1f, hints).count == 0);
    });
    FaceHints hints;
    const Shape good = box({0.5f, 0.5f, 0.5f});
    const MatrixTransform touching{{1.0f, 0.0f, 0.0f}};
    const vec3 point(0.5f, 0, 0), lost(not_a_number, 0, 0);
    CHECK(make_manifold(good, good, touching, {1, 0, 0}, lost, point, 0.1f, hints).count == 0);
    CHECK(make_manifold(good, good, touching, {1, 0, 0}, point, point, not_a_number, hints).count == 0);
    CHECK(make_manifold(good, good, touching, {1, 0, 0}, point, point, 0.1f, hints).count == 4);
}

TEST_CASE("the support point of a null hull is the origin") {
    const SupportVertex v = support(hull(nullptr), {1, 0, 0});
    CHECK(v.point == vec3(0.0f));
    CHECK(core_point(hull(nullptr), 3) == vec3(0.0f));
    CHECK(support(box({1, 1, 1}), {not_a_number, 0, 0}).point == core_point(box({1, 1, 1}), 0));
}

TEST_CASE("a support mapping of a refused shape is the point at the origin") {
    for (const RefusedShape& refused : refused_shapes()) {
        const Shape& bad = refused.shape;
        CAPTURE(refused.name);
        const ShapeSupport mapping(bad);
        CHECK_FALSE(mapping.valid());
        CHECK(mapping.support({1, 2, 3}) == glm::dvec3(0.0));
        CHECK(separation(mapping, ShapeSupport(sphere(1.0f))).separation == doctest::Approx(-1.0));
    }
    CHECK(ShapeSupport(sphere(1.0f)).valid());
}

TEST_CASE("refused shapes neither touch nor stop at a height field") {
    const float heights[4] = {0, 0, 0, 0};
    const auto field = make_height_field({.columns = 2, .rows = 2, .heights = heights});
    REQUIRE(bool(field));
    const MatrixTransform over{{0.4f, 2.0f, 0.3f}}, on{{0.4f, 0.0f, 0.3f}};
    for (const RefusedShape& refused : refused_shapes()) {
        const Shape& bad = refused.shape;
        CAPTURE(refused.name);
        CHECK(shape_cast(**field, bad, over, {0, -4, 0}).cast.status == CastStatus::bad_input);
        CHECK_FALSE(overlaps(**field, bad, on));
    }
    CHECK(shape_cast(**field, sphere(0.1f), nowhere, {0, -4, 0}).cast.status == CastStatus::bad_input);
    CHECK_FALSE(overlaps(**field, sphere(0.1f), nowhere));
    CHECK(bool(shape_cast(**field, sphere(0.1f), over, {0, -4, 0})));
    CHECK(overlaps(**field, sphere(0.1f), on));
}

TEST_CASE("polyhedra that no function made, and poses that are not finite, are bad_input to interference") {
    const vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const auto made = make_nonconvex(corners, triangles);
    REQUIRE(bool(made));
    const Transform here{}, lost{{not_a_number, 0, 0}}, turned_by_nothing{vec3(0.0f), quat(0, 0, 0, 0)};
    const NonconvexShape empty;
    ContactScratch scratch;
    CHECK(interference(made->polyhedron, here, made->polyhedron, lost).relation == Interference::bad_input);
    CHECK(interference(made->polyhedron, here, made->polyhedron, turned_by_nothing).relation ==
          Interference::bad_input);
    CHECK(interference(empty.polyhedron, here, made->polyhedron, here).relation == Interference::bad_input);
    CHECK(first_contact(*made, here, empty, here, scratch).relation == Interference::bad_input);
    CHECK(scratch.candidates.size() == 0);
    CHECK(NonconvexPair(*made, empty).update(here, here).relation == Interference::bad_input);
    CHECK(first_contact(*made, here, *made, {{3, 0, 0}}, scratch).relation == Interference::disjoint);
}

TEST_CASE("the papers' methods refuse empty graphs, poses that are not finite and methods that do not exist") {
    const auto graph = make_polytope_graph(box({1, 1, 1}));
    REQUIRE(bool(graph));
    GjkVariantMemory memory;
    GjkMethods none;
    none.simplex = static_cast<SimplexMethod>(50);
    CHECK(gjk_variant(*graph, PolytopeGraph{}, beside, {}, memory).status == GjkVariantStatus::bad_input);
    CHECK(gjk_variant(*graph, *graph, nowhere, {}, memory).status == GjkVariantStatus::bad_input);
    CHECK(gjk_variant(*graph, *graph, beside, none, memory).status == GjkVariantStatus::bad_input);
    CHECK(gjk_variant(*graph, *graph, beside, {}, memory).status == GjkVariantStatus::separated);
}

TEST_CASE("a nonconvex pair with a kept angle out of range does not say disjoint at an infinite distance") {
    const vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const auto made = make_nonconvex(corners, triangles);
    REQUIRE(bool(made));
    const Transform here{}, off{{3, 0, 0}};
    for (const double angle : {-1.0, 0.0, 0.0291, 1.0, 10.0, double(not_a_number), double(infinity)}) {
        CAPTURE(angle);
        const InterferenceResult result = NonconvexPair(*made, *made, angle).update(here, off);
        CHECK(result.relation == Interference::bad_input);
        CHECK(result.distance == 0.0);
    }
    for (const double angle : {1e-9, 0.02, NonconvexPair::max_kept_angle}) {
        const InterferenceResult result = NonconvexPair(*made, *made, angle).update(here, off);
        CHECK(result.relation == Interference::disjoint);
        CHECK(result.distance == doctest::Approx(2.0));
    }
}

TEST_CASE("candidates whose indices are out of range do not crash first_contact") {
    const vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const auto made = make_nonconvex(corners, triangles);
    REQUIRE(bool(made));
    const Transform here{}, off{{3, 0, 0}};
    const auto relation = [&](const EdgeFaceCandidates& candidates) {
        return first_contact(*made, here, *made, off, candidates).relation;
    };
    CHECK(relation({}) == Interference::disjoint);
    CHECK(relation({.a_edges = {{5, 3}}, .b_edges = {{5, 3}}}) == Interference::disjoint);
    CHECK(relation({.a_edges = {{6, 0}}, .b_edges = {}}) == Interference::bad_input);
    CHECK(relation({.a_edges = {{0, 4}}, .b_edges = {}}) == Interference::bad_input);
    CHECK(relation({.a_edges = {{0, 0}}, .b_edges = {{4000000000u, 0}}}) == Interference::bad_input);
    CHECK(relation({.a_edges = {}, .b_edges = {{0, 0}, {0, 4000000000u}}}) == Interference::bad_input);
}

TEST_CASE("the search of a vertex hierarchy without vertices does not crash") {
    int dot_products = 0;
    CHECK(VertexHierarchy{}.support({}, {1, 0, 0}, dot_products) == 0);
    CHECK(VertexHierarchy(0).support({}, {1, 0, 0}, dot_products) == 0);
    CHECK(dot_products == 0);
    CHECK(VertexHierarchy{}.long_neighbours(0).empty());
    CHECK(VertexHierarchy(3).long_neighbours(2).empty());
    CHECK(VertexHierarchy(3).long_neighbours(std::numeric_limits<std::size_t>::max()).empty());
}

TEST_CASE("the papers' methods do not accept an error bound that is NaN, infinite or negative") {
    const auto graph = make_polytope_graph(box({1, 1, 1}));
    REQUIRE(bool(graph));
    GjkVariantMemory memory;
    for (const double gap : {double(not_a_number), double(infinity), -1.0}) {
        CHECK(gjk_variant(*graph, *graph, beside, {.gap = gap}, memory).status == GjkVariantStatus::bad_input);
    }
    CHECK(gjk_variant(*graph, *graph, beside, {.gap = 0.0}, memory).status == GjkVariantStatus::separated);
}

namespace {

/// A unit sphere at a place that answers with something else along directions with a large x.
struct BrokenMapping final : SupportMapping {
    dvec3 center;
    double answer;
    double from;  ///< least x of a unit direction that gets the broken answer
    BrokenMapping(const dvec3& at, double broken, double least_x) : center(at), answer(broken), from(least_x) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 n = glm::normalize(d);
        return n.x >= from ? dvec3(answer, 0.0, 0.0) : center + n;
    }
};

}  // namespace

TEST_CASE("a support mapping that returns NaN is neither at a distance of infinity nor hit") {
    const ShapeSupport ball(sphere(1.0f));
    for (const double answer : {double(not_a_number), double(infinity), -double(infinity)}) {
        for (const double from : {-2.0, 0.9}) {  // always, and only toward +x
            CAPTURE(answer);
            CAPTURE(from);
            const BrokenMapping broken({-4, 0, 0}, answer, from);
            for (const SeparationResult& r : {separation(broken, ball), separation(ball, broken)}) {
                CHECK_FALSE(r.is_valid());
                CHECK(r.separation == 0.0f);
            }
            const RayHit hit = ray_cast(broken, {4, 0, 0}, {-8, 0, 0});
            CHECK(hit.bad_input);
            CHECK_FALSE(hit.hit);
            CHECK(shape_cast(broken, ball, {-8, 0, 0}).status == CastStatus::bad_input);
            CHECK(shape_cast(ball, broken, {8, 0, 0}).status == CastStatus::bad_input);
            const SweptResult swept = swept_test(broken, ball, {-8, 0, 0}, SweptMethod::clipping);
            CHECK(swept.bad_input);
            CHECK_FALSE(swept.hit);
            CHECK(time_of_impact(broken, {}, ball, {.linear_velocity = {-8, 0, 0}}, {}).status == ToiStatus::bad_input);
        }
    }
    const BrokenMapping sound({-4, 0, 0}, 0.0, 2.0);
    CHECK(separation(sound, ball).separation == doctest::Approx(2.0).epsilon(1e-3));
    CHECK(ray_cast(sound, {4, 0, 0}, {-8, 0, 0}).hit);
}
