// The GJK kernel against the plain loop, and its instruction sets against each other, bit for bit.

#include "tests/narrowphase/ladder/random_pairs.h"

#include <talus/narrowphase/gjk.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using namespace talus;
using test::Random;

struct Query {
    Shape a, b;
    MatrixTransform frame;
    bool fresh;  ///< else warm, from the query before
    float limit;
};

Shape any_hull(Random& random, int count, double size) {
    std::vector<vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(test::narrow(size * random.direction()));
    const auto built = make_hull(points);
    REQUIRE(built);
    return hull(*built);
}

/// Pairs that the kernel can handle, each at some poses in small steps: apart, touching and overlapping.
std::vector<Query> make_queries() {
    Random random(3);
    constexpr ShapeType types[] = {ShapeType::sphere,   ShapeType::capsule, ShapeType::segment,
                                   ShapeType::triangle, ShapeType::box,     ShapeType::hull};
    std::vector<Query> queries;
    for (int pair = 0; pair < 1200; ++pair) {
        const auto any = [&] {
            const double size = random.scale(0.3, 3.0);
            const ShapeType type = types[random.below(6)];
            if (type != ShapeType::hull) return test::random_shape(random, type, size, nullptr);
            constexpr int counts[] = {4, 8, 9, 17, 40, 100, 128, 129, 300, 700};
            return any_hull(random, counts[random.below(10)], size);
        };
        const Shape a = any(), b = any();
        vec3 position =
            test::narrow(random.between(0.0, 1.6) * (bounding_radius(a) + bounding_radius(b)) * random.direction());
        mat3 rotation = test::mixed_turn(random);
        for (int step = 0; step < 12; ++step) {
            const float limit = random.chance(0.2) ? static_cast<float>(random.between(0.0, 1.0))
                                                   : std::numeric_limits<float>::infinity();
            queries.push_back({a, b, {position, rotation}, step % 6 == 0, limit});
            position += test::narrow(0.02 * random.direction());
            rotation = test::turn(random.direction(), 0.02) * rotation;
        }
    }
    return queries;
}

std::vector<GjkResult> ask(GjkLoop loop, const std::vector<Query>& queries) {
    std::vector<GjkResult> answers;
    SimplexCache cache;
    for (const Query& q : queries) {
        if (q.fresh) cache.count = 0;
        answers.push_back(gjk_by(loop, q.a, q.b, q.frame, cache, q.limit));
    }
    return answers;
}

bool same_bits(const vec3& a, const vec3& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool same_bits(const GjkResult& a, const GjkResult& b) {
    return a.status == b.status && std::memcmp(&a.distance, &b.distance, sizeof a.distance) == 0 &&
           std::memcmp(&a.lower_bound, &b.lower_bound, sizeof a.lower_bound) == 0 && same_bits(a.normal, b.normal) &&
           same_bits(a.point_a, b.point_a) && same_bits(a.point_b, b.point_b) && a.iterations == b.iterations;
}

}  // namespace

TEST_CASE("the kernels for every processor and for AVX2 give the same bits") {
    const std::vector<Query> queries = make_queries();
    if (!has_loop(GjkLoop::avx2)) {
        MESSAGE("this processor has no AVX2");
        return;
    }
    const std::vector<GjkResult> with_avx2 = ask(GjkLoop::avx2, queries), with_base = ask(GjkLoop::base, queries);
    int different = 0, warm = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        different += int(!same_bits(with_avx2[i], with_base[i]));
        warm += int(with_avx2[i].warm);
    }
    CHECK(different == 0);
    CHECK(warm > 5000);
}

TEST_CASE("the kernel and the plain loop end at the same distance") {
    const std::vector<Query> queries = make_queries();
    const GjkLoop best = has_loop(GjkLoop::avx2) ? GjkLoop::avx2 : GjkLoop::base;
    const std::vector<GjkResult> fast = ask(best, queries), plain = ask(GjkLoop::plain, queries);
    int overlapping = 0, beyond = 0, other_steps = 0;
    double worst = 0.0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const Query& q = queries[i];
        const double size = double(std::min(bounding_radius(q.a), bounding_radius(q.b)));
        const GjkResult &f = fast[i], &p = plain[i];
        CAPTURE(i);
        CAPTURE(test::narrow(glm::dvec3(f.distance, p.distance, q.limit)).x);
        overlapping += int(f.status == GjkStatus::overlapping);
        beyond += int(f.status == GjkStatus::beyond_limit);
        other_steps += int(f.iterations != p.iterations);
        CHECK(f.status != GjkStatus::iteration_cap);
        // Either bounds the other: a limit may be proved exceeded by one plane or another.
        CHECK(double(f.lower_bound) <=
              double(p.distance) + 1e-5 * size + (p.status == GjkStatus::beyond_limit ? 1e9 : 0.0));
        if (f.status == GjkStatus::beyond_limit || p.status == GjkStatus::beyond_limit) {
            CHECK(f.distance >= q.limit - 1e-5f * float(size));
            CHECK(p.distance >= q.limit - 1e-5f * float(size));
            continue;
        }
        worst = std::max(worst, std::abs(double(f.distance) - double(p.distance)) / size);
    }
    MESSAGE("largest difference of the distances ", worst, " sizes");
    CHECK(worst < 1e-5);
    CHECK(overlapping > 2000);
    CHECK(beyond > 500);
    CHECK(other_steps > 0);  // they are not the same code
    CHECK(other_steps < int(queries.size()) / 4);
}

TEST_CASE("a cached simplex of any content is safe for the kernel") {
    Random random(5);
    const Shape shapes[] = {sphere(1),
                            capsule(1, 0.5f),
                            segment({-1, 0, 0}, {1, 0, 0}),
                            triangle({-1, 0, 0}, {1, 0, 0}, {0, 1, 0}),
                            box({1, 1, 1}),
                            any_hull(random, 30, 1.0),
                            any_hull(random, 300, 1.0)};
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            for (int i = 0; i < 60; ++i) {
                const MatrixTransform frame{test::narrow(random.between(0.0, 4.0) * random.direction()),
                                            test::any_turn(random)};
                SimplexCache none, rubbish;
                rubbish.count = static_cast<std::uint8_t>(random.below(6));
                for (int k = 0; k < 4; ++k) {
                    rubbish.a[k] = static_cast<std::uint16_t>(random.below(random.chance(0.5) ? 400 : 65536));
                    rubbish.b[k] = static_cast<std::uint16_t>(random.below(random.chance(0.5) ? 400 : 65536));
                }
                const GjkResult cold = gjk(a, b, frame, none), warm = gjk(a, b, frame, rubbish);
                CAPTURE(name_of(a.type));
                CAPTURE(name_of(b.type));
                CHECK((cold.status == GjkStatus::overlapping) == (warm.status == GjkStatus::overlapping));
                CHECK(std::abs(cold.distance - warm.distance) < 1e-5f);
            }
        }
    }
}
