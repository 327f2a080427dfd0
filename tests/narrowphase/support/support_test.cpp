/// Support mappings: the result is a farthest point, its index gives the same bits again, ties are decided as
/// documented, the error on rims is within the documented bound, and climbing a large hull finds the same point as a
/// scan.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/shapes/hull_clouds.h"

#include <talus/narrowphase/support.h>
#include "narrowphase/shapes/hull_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>

using namespace talus;
using glm::dvec3;
using test::Random;

namespace {

bool same_bits(const vec3& a, const vec3& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Points on a sphere: all of them are extreme.
Shape ball_hull(Random& random, int count) {
    std::vector<vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(vec3(random.direction()));
    auto made = make_hull(points);
    REQUIRE(made);
    return hull(*made);
}

/// The farthest that any indexed point of the core reaches along d, in double.
double reach(const Shape& shape, const dvec3& d) {
    double most = -1e300;
    for (std::uint32_t i = 0; i < core_point_count(shape); ++i) {
        most = std::max(most, glm::dot(d, dvec3(core_point(shape, static_cast<std::uint16_t>(i)))));
    }
    return most;
}

std::vector<Shape> one_of_each(Random& random) {
    return {sphere(0.7f),
            capsule(0.8f, 0.2f),
            segment({0.1f, -1.0f, 0.3f}, {0.5f, 0.7f, -0.2f}),
            triangle({1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.2f}, {-0.5f, -0.5f, 1.0f}),
            box({0.5f, 1.0f, 2.0f}),
            cylinder(0.8f, 0.6f),
            cone(0.9f, 0.5f),
            ball_hull(random, 24),
            ball_hull(random, 700)};
}

}  // namespace

TEST_CASE("a support point is a farthest point of its core, and its index gives back the same bits") {
    Random random(11);
    for (const Shape& shape : one_of_each(random)) {
        std::uint16_t hint = 0;
        for (int i = 0; i < 400; ++i) {
            const double length = random.scale(1e-3, 1e3);
            const vec3 d(random.direction() * length);
            const SupportVertex v = support(shape, d, hint);
            hint = v.index;
            INFO(name_of(shape.type), " direction ", d.x, " ", d.y, " ", d.z, " index ", v.index);
            CHECK(same_bits(v.point, core_point(shape, v.index)));
            REQUIRE(v.index < core_point_count(shape));
            const double lost = (reach(shape, dvec3(d)) - glm::dot(dvec3(d), dvec3(v.point))) / glm::length(dvec3(d));
            CHECK(lost <= 3e-7 * bounding_radius(shape));
        }
    }
}

TEST_CASE("the indexed point of a rim is at most 4e-8 radii short of the true support plane") {
    Random random(12);
    const Shape shapes[] = {cylinder(0.8f, 0.6f), cone(0.9f, 0.5f)};
    double worst = 0.0;
    for (const Shape& shape : shapes) {
        const double r = shape.half_extents.x, h = shape.half_extents.y;
        for (int i = 0; i < 20000; ++i) {
            const vec3 d(random.direction());
            const double sigma = std::sqrt(double(d.x) * d.x + double(d.z) * d.z);
            double truth = std::abs(double(d.y)) * h + r * sigma;
            if (shape.type == ShapeType::cone) truth = std::max(double(d.y) * h, -double(d.y) * h + r * sigma);
            const double lost = (truth - glm::dot(dvec3(d), dvec3(support(shape, d).point))) / r;
            worst = std::max(worst, lost);
        }
    }
    MESSAGE("worst loss ", worst, " radii");
    CHECK(worst <= 4e-8 + 1.5e-7);  // and the rounding of the point itself
    CHECK(worst >= 1e-8);           // it is quantised: the bound is about something
}

TEST_CASE("rim steps run once around, evenly, and hit the axes exactly") {
    CHECK(same_bits(rim_direction(0), vec3(1, 0, 0)));
    CHECK(rim_direction(rim_steps / 4) == vec3(0, 0, 1));
    CHECK(rim_direction(rim_steps / 2) == vec3(-1, 0, 0));
    CHECK(rim_direction(3 * (rim_steps / 4)) == vec3(0, 0, -1));
    double widest = 0.0, around = 0.0;
    for (std::uint32_t i = 0; i < rim_steps; ++i) {
        const dvec3 a(rim_direction(static_cast<std::uint16_t>(i)));
        const dvec3 b(rim_direction(static_cast<std::uint16_t>((i + 1) % rim_steps)));
        const double step = std::atan2(a.x * b.z - a.z * b.x, glm::dot(a, b));
        REQUIRE(step > 0.0);
        widest = std::max(widest, step);
        around += step;
    }
    CHECK(around == doctest::Approx(6.283185307179586));
    CHECK(widest <= 4.9e-4);
}

TEST_CASE("ties go to the lowest index") {
    CHECK(support(box({1, 1, 1}), {0, 0, 1}).index == 0);
    CHECK(support(box({1, 1, 1}), {-1, 0, 0}).index == 1);
    CHECK(support(capsule(1, 1), {1, 0, 0}).index == 0);
    CHECK(support(segment({0, 0, 0}, {1, 0, 0}), {0, 1, 0}).index == 0);
    CHECK(support(triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), {0, 1, 0}).index == 0);
    CHECK(support(triangle({0, 0, 0}, {1, 0, 0}, {1, 0, 1}), {1, 0, 0}).index == 1);
    CHECK(support(cylinder(1, 1), {0, 1, 0}).index == 0);
    CHECK(support(cylinder(1, 1), {0, -1, 0}).index == rim_steps);
    CHECK(support(cone(1, 1), {0, 1, 0}).index == rim_steps);  // the apex

    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i) corners.push_back({i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f});
    auto cube = make_hull(corners);
    REQUIRE(cube);
    for (int axis = 0; axis < 3; ++axis) {
        for (float side : {-1.0f, 1.0f}) {
            vec3 d(0.0f);
            d[axis] = side;
            std::uint16_t lowest = 0;
            while ((*cube)->vertices[lowest][axis] != side) ++lowest;
            CHECK(support(hull(*cube), d).index == lowest);
        }
    }
}

TEST_CASE("climbing a large hull ends at a farthest vertex from any hint, on plateaus too") {
    Random random(13);
    // A prism over a fine polygon has plateaus of hundreds of vertices along its axis and ridges across it.
    std::vector<vec3> prism;
    for (int i = 0; i < 400; ++i) {
        const double angle = 6.283185307179586 * i / 400;
        for (double y : {-1.0, 1.0}) prism.push_back(vec3(dvec3(std::cos(angle), y, std::sin(angle))));
    }
    auto made = make_hull(prism);
    REQUIRE(made);
    const Shape shapes[] = {hull(*made), ball_hull(random, 3000)};
    for (const Shape& shape : shapes) {
        const auto& vertices = shape.hull->vertices;
        REQUIRE(vertices.size() > 128);  // or it would be scanned
        for (int i = 0; i < 2000; ++i) {
            vec3 d(random.direction());
            if (i % 4 == 0) d = vec3(0.0f, i % 8 ? 1.0f : -1.0f, 0.0f);
            if (i % 4 == 1) d.y = 0.0f;
            const auto hint = static_cast<std::uint16_t>(random.bits());  // in range or not
            const SupportVertex v = support(shape, d, hint);
            double most = -1e300;
            for (const vec3& p : vertices) most = std::max(most, glm::dot(dvec3(d), dvec3(p)));
            INFO("direction ", d.x, " ", d.y, " ", d.z, " hint ", hint);
            CHECK(most - glm::dot(dvec3(d), dvec3(v.point)) <= 1e-7);
        }
    }
}

TEST_CASE("an index out of range gives the first point") {
    Random random(14);
    for (const Shape& shape : one_of_each(random)) {
        const std::uint32_t count = core_point_count(shape);
        if (count <= 0xffff) CHECK(same_bits(core_point(shape, 0xffff), core_point(shape, 0)));
        CHECK(is_finite(core_point(shape, static_cast<std::uint16_t>(count - 1))));
    }
}

// Vertices that lie closer together than the builder's tolerance can leave dents, in which a climb may end. On a cube
// with rounded corners that was once 2.6e-4 m short, so that GJK's support plane was none.
TEST_CASE("a support plane of a large hull is one on whatever cloud it was built" * doctest::test_suite("slow")) {
    Random random(15);
    int climbed = 0, dented = 0;
    double worst = 0.0;
    for (const test::CloudFamily& family : test::cloud_families) {
        for (int k = 0; k < 12; ++k) {
            const auto made = make_hull(family.make(random));
            if (!made || (*made)->vertices.size() <= 128) continue;
            const Shape shape = hull(*made);
            ++climbed;
            dented += int(!detail::data_of(**made).climb_first.empty());
            const vec3 far = glm::max(glm::abs((*made)->bounds.lower), glm::abs((*made)->bounds.upper));
            const double size = double(std::max(std::max(far.x, far.y), far.z));
            for (int i = 0; i < 300; ++i) {
                const dvec3 d = random.direction();
                const auto hint = static_cast<std::uint16_t>(random.bits());
                const SupportVertex v = support(shape, vec3(d), hint);
                double most = -1e300;
                for (const vec3& p : (*made)->vertices) most = std::max(most, glm::dot(dvec3(vec3(d)), dvec3(p)));
                const double lost = (most - glm::dot(dvec3(vec3(d)), dvec3(v.point))) / size;
                worst = std::max(worst, lost);
                CAPTURE(std::string(family.name));
                CHECK(lost <= 2e-6);
            }
        }
    }
    MESSAGE(climbed, " hulls climbed, ", dented, " of them with dents, worst loss ", worst, " sizes");
    CHECK(climbed > 10);
    CHECK(dented > 0);
}
