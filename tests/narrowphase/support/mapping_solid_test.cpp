#include <talus/narrowphase/mapping_solid.h>

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/shape_cast.h>
#include "narrowphase/shapes/mapping_bytes.h"
#include "narrowphase/support/core_support.h"
#include "narrowphase/support/ready_mappings.h"

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/oracle.h"
#include "tests/narrowphase/shapes/hull_clouds.h"
#include "tests/narrowphase/shapes/some_hull.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace talus;
using talus::test::Random;

namespace {

constexpr double pi = std::numbers::pi;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// An ellipsoid as a user would write it.
class PlainEllipsoid final : public SupportMapping {
public:
    explicit PlainEllipsoid(const dvec3& radii, const dvec3& center = dvec3(0.0)) : radii_(radii), center_(center) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 seen = radii_ * d;
        return center_ + radii_ * seen / glm::length(seen);
    }

private:
    dvec3 radii_, center_;
};

/// Two spherical caps on one rim: a ball of radius R cut by its mirror image. The rim has the radius r in the plane y =
/// 0.
class Lens final : public SupportMapping {
public:
    Lens(double ball, double rim) : ball_(ball), rim_(rim), drop_(std::sqrt(ball * ball - rim * rim)) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 n = glm::normalize(d);
        const double across = std::sqrt(n.x * n.x + n.z * n.z);
        if (across * ball_ < rim_) return ball_ * n - dvec3(0.0, n.y < 0.0 ? -drop_ : drop_, 0.0);
        return dvec3(n.x * rim_ / across, 0.0, n.z * rim_ / across);
    }

private:
    double ball_, rim_, drop_;
};

/// Returns what it is told.
template <class Function>
class Told final : public SupportMapping {
public:
    explicit Told(Function f) : f_(f) {}
    dvec3 support(const dvec3& d) const override { return f_(d); }

private:
    Function f_;
};
template <class Function>
auto told(Function f) {
    return std::make_shared<Told<Function>>(f);
}

double largest_entry(const mat3& m) {
    double most = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(double(m[i][j])));
    return most;
}
double difference(const mat3& a, const mat3& b) { return largest_entry(a - b) / largest_entry(b); }

dvec3 surface_point(const Shape& shape, const dvec3& d) { return ShapeSupport(shape).support(d); }

}  // namespace

TEST_CASE("the power function without libm agrees with the one of libm") {
    Random random(1);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const double x = random.scale(1e-12, 1e6), y = random.between(-1.0, 17.0);
        const double expected = std::pow(x, y);
        if (expected > 1e300 || expected < 1e-300) continue;
        worst = std::max(worst, std::abs(detail::power(x, y) / expected - 1.0));
    }
    MESSAGE("largest relative error ", worst);
    CHECK(worst < 1e-13);
    CHECK(detail::power(0.0, 0.5) == 0.0);
    CHECK(detail::power(7.0, 1.0) == 7.0);
    CHECK(detail::power(4.0, 0.5) == doctest::Approx(2.0).epsilon(1e-15));
}

TEST_CASE("direction codes lead back to a direction nearby, and to the same code") {
    Random random(2);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        dvec3 d = random.scale(1e-9, 1e9) * random.direction();
        if (i % 10 == 0) d[i / 10 % 3] = 0.0;
        if (i % 15 == 7) d = glm::abs(d.x) * dvec3(i % 30 == 7 ? 1.0 : -1.0, 1.0, -1.0);
        const std::uint16_t code = detail::direction_code(d);
        const dvec3 back = detail::coded_direction(code);
        worst = std::max(worst, glm::length(glm::cross(glm::normalize(d), glm::normalize(back))));
        CHECK(glm::dot(d, back) > 0.0);
        CHECK(detail::direction_code(back) == code);
    }
    CHECK(worst < 0.0141);
    CHECK(worst > 0.012);  // the bound is no larger than it has to be
    for (std::uint32_t code = 0; code < 65536; ++code) {
        const dvec3 d = detail::coded_direction(static_cast<std::uint16_t>(code));
        if (!(glm::dot(d, d) >= 1.0 && glm::dot(d, d) <= 3.0)) FAIL("code " << code);
    }
}

TEST_CASE("an ellipsoid's support points, bounds and mass are those of the closed forms") {
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        const double size = random.scale(1e-4, 1e4);
        const vec3 radii(float(size * random.scale(0.01, 1.0)), float(size * random.scale(0.01, 1.0)),
                         float(i % 5 == 0 ? size : size * random.scale(0.01, 1.0)));
        CAPTURE(radii.x);
        CAPTURE(radii.y);
        CAPTURE(radii.z);
        const auto made = ellipsoid(radii);
        REQUIRE_MESSAGE(made, made.error().message);
        const Shape& shape = *made;
        CHECK(!check(shape));
        const dvec3 r(radii);
        const double most = std::max({r.x, r.y, r.z});
        for (int k = 0; k < 50; ++k) {
            const dvec3 d = random.direction(), seen = r * d;
            const dvec3 expected = r * seen / glm::length(seen);
            CHECK(glm::length(surface_point(shape, d) - expected) < 1e-13 * most);
            CHECK(glm::length(dvec3(support(shape, vec3(d)).point) + double(shape.radius) * d - expected) <
                  1e-6 * most);
        }
        const Aabb box = bounds(shape);
        for (int k = 0; k < 3; ++k) {
            CHECK(box.upper[k] == doctest::Approx(radii[k]).epsilon(1e-6));
            CHECK(box.upper[k] >= radii[k]);
            CHECK(box.lower[k] <= -radii[k]);
        }
        CHECK(bounding_radius(shape) >= most);
        CHECK(bounding_radius(shape) <= most * 1.00001);
        const MassProperties m = mass_properties(shape, 2.0f);
        const double mass = 2.0 * 4.0 / 3.0 * pi * r.x * r.y * r.z;
        CHECK(m.mass == doctest::Approx(mass).epsilon(1e-6));
        CHECK(m.center == vec3(0.0f));
        CHECK(m.inertia[0][0] == doctest::Approx(0.2 * mass * (r.y * r.y + r.z * r.z)).epsilon(1e-6));
        CHECK(m.inertia[1][1] == doctest::Approx(0.2 * mass * (r.z * r.z + r.x * r.x)).epsilon(1e-6));
        CHECK(m.inertia[2][2] == doctest::Approx(0.2 * mass * (r.x * r.x + r.y * r.y)).epsilon(1e-6));
        CHECK(m.inertia[0][1] == 0.0f);
    }
}

TEST_CASE("the integrated mass properties of a user's mapping are within the stated error") {
    Random random(4);
    for (int i = 0; i < 30; ++i) {
        const dvec3 r(random.scale(0.05, 1.0), random.scale(0.05, 1.0), random.scale(0.05, 1.0));
        const dvec3 center = 2.0 * random.direction();
        CAPTURE(r.x);
        CAPTURE(r.y);
        CAPTURE(r.z);
        const auto solid = make_mapping_solid(std::make_shared<PlainEllipsoid>(r, center));
        REQUIRE_MESSAGE(solid, solid.error().message);
        const MappingSolid& s = **solid;
        const double volume = 4.0 / 3.0 * pi * r.x * r.y * r.z;
        CHECK(s.volume_error <= 1e-4f);
        CHECK(std::abs(double(s.volume) / volume - 1.0) < double(s.volume_error) + 1e-7);
        CHECK(glm::length(dvec3(s.centroid) - center) < 1e-6 * (1.0 + glm::length(center)));
        const dvec3 q = 0.2 * r * r;
        mat3 inertia(0.0f);
        for (int k = 0; k < 3; ++k) inertia[k][k] = float(q[(k + 1) % 3] + q[(k + 2) % 3]);
        CHECK(difference(s.unit_inertia, inertia) < 2e-4);
        // Found bounding radius: holds the set, and is not much larger.
        double far = 0.0;
        for (int k = 0; k < 20000; ++k) far = std::max(far, glm::length(center + r * random.direction()));
        CHECK(double(s.bounding_radius) >= far);
        CHECK(double(s.bounding_radius) <= 1.02 * far + 0.02);
        CHECK(double(s.inner_radius) >= std::min({r.x, r.y, r.z}) * (1.0 - 1e-5));
        CHECK(double(s.inner_radius) <= std::min({r.x, r.y, r.z}) * 1.01);
    }
    // A lens: volume of two caps of height h = R - sqrt(R^2 - r^2): 2 pi h^2 (R - h / 3).
    const auto lens = make_mapping_solid(std::make_shared<Lens>(2.0, 1.0), {.volume_error = 1e-5f});
    REQUIRE(lens);
    const double h = 2.0 - std::sqrt(3.0), volume = 2.0 * pi * h * h * (2.0 - h / 3.0);
    MESSAGE("lens: stated error ", (*lens)->volume_error, ", true one ", double((*lens)->volume) / volume - 1.0);
    CHECK(std::abs(double((*lens)->volume) / volume - 1.0) < double((*lens)->volume_error) + 1e-6);
    // Area of the two caps: 2 * 2 pi R h.
    CHECK((*lens)->thickness == doctest::Approx(6.0 * volume / (8.0 * pi * h)).epsilon(1e-2));
}

TEST_CASE("a rounded polytope, the sum with a ball and the numerical integral are the same solid" *
          doctest::test_suite("slow")) {
    Random random(5);
    for (int i = 0; i < 25; ++i) {
        CAPTURE(i);
        const float radius = static_cast<float>(random.scale(0.01, 2.0));
        Shape sharp = box({0.4f, 0.9f, 0.25f});
        if (i > 2) sharp = hull(*make_hull(test::hull_points(random, 1.0)));
        const Shape shape = rounded(sharp, radius);
        REQUIRE(!check(shape));
        const auto sum = convex_sum(sharp, sphere(radius));
        REQUIRE_MESSAGE(sum, sum.error().message);
        const auto integrated = make_mapping_solid(std::make_shared<ShapeSupport>(shape), {.volume_error = 1e-5f});
        REQUIRE(integrated);
        const MassProperties exact = mass_properties(shape, 3.0f), by_sum = mass_properties(*sum, 3.0f);
        CHECK(exact.mass == doctest::Approx(3.0 * double((*integrated)->volume)).epsilon(3e-4));
        CHECK(exact.mass == doctest::Approx(by_sum.mass).epsilon(3e-4));
        CHECK(glm::length(exact.center - (*integrated)->centroid) < 1e-3f);
        CHECK(difference(exact.inertia, exact.mass * (*integrated)->unit_inertia) < 2e-3);
        CHECK(difference(by_sum.inertia, exact.inertia) < 2e-3);
        const Aabb box_a = bounds(shape), box_b = bounds(*sum);
        for (int k = 0; k < 3; ++k) {
            CHECK(box_a.lower[k] == doctest::Approx(box_b.lower[k]).epsilon(1e-5));
            CHECK(box_a.upper[k] == doctest::Approx(box_b.upper[k]).epsilon(1e-5));
        }
        for (int k = 0; k < 100; ++k) {
            const dvec3 d = random.direction();
            CHECK(glm::dot(d, surface_point(shape, d) - surface_point(*sum, d)) == doctest::Approx(0.0).epsilon(1e-6));
            CHECK(glm::length(surface_point(shape, d)) <= double(bounding_radius(shape)));
        }
    }
    // The same solid as a box and as a hull.
    const Shape as_box = rounded(box({0.5f, 0.6f, 0.7f}), 0.3f);
    const Shape as_hull = rounded(hull(*make_hull(test::scaled(test::full_lattice(3), {0.5f, 0.6f, 0.7f}))), 0.3f);
    const MassProperties b = mass_properties(as_box, 1.0f), h = mass_properties(as_hull, 1.0f);
    CHECK(h.mass == doctest::Approx(b.mass).epsilon(1e-6));
    CHECK(difference(h.inertia, b.inertia) < 1e-6);
    // A box so small in its ball that it is a ball.
    const MassProperties ball = mass_properties(rounded(box(vec3(1e-6f)), 1.0f), 1.0f),
                         round = mass_properties(sphere(1.0f), 1.0f);
    CHECK(ball.mass == doctest::Approx(round.mass).epsilon(1e-5));
    CHECK(difference(ball.inertia, round.inertia) < 1e-5);
}

TEST_CASE("a superellipsoid's support points lie on its surface and nothing of it is farther" *
          doctest::test_suite("slow")) {
    Random random(6);
    for (const auto& exponents : {std::pair{2.0f, 2.0f},
                                  {2.0f, 4.0f},
                                  {4.0f, 4.0f},
                                  {1.5f, 3.0f},
                                  {8.0f, 2.5f},
                                  {16.0f, 16.0f},
                                  {1.0f, 1.0f},
                                  {1.0f, 2.0f}}) {
        const float around = exponents.first, along = exponents.second;  // clang 14 captures no structured bindings
        CAPTURE(around);
        CAPTURE(along);
        const vec3 radii(0.5f, 0.8f, 0.3f);
        const auto made = superellipsoid(radii, around, along);
        REQUIRE_MESSAGE(made, made.error().message);
        const double r = double(around), t = double(along);
        const auto level = [&](const dvec3& p) {
            const dvec3 q = glm::abs(p / dvec3(radii));
            return std::pow(std::pow(q.x, r) + std::pow(q.z, r), t / r) + std::pow(q.y, t);
        };
        const auto on_surface = [&](const dvec3& way) {
            return way / std::pow(level(way), 1.0 / t);  // the level is homogeneous of degree t
        };
        for (int i = 0; i < 50; ++i) {
            const dvec3 d = random.direction(), p = surface_point(*made, d);
            CHECK(level(p) == doctest::Approx(1.0).epsilon(1e-10));
            double most = -1e9;
            for (int k = 0; k < 500; ++k) most = std::max(most, glm::dot(d, on_surface(random.direction())));
            CHECK(glm::dot(d, p) >= most - 1e-12);
        }
        // Volume: 8 abc times integrals of Beta functions.
        const auto gamma = [](double x) { return std::tgamma(x); };
        const double disc = gamma(1.0 + 1.0 / r) * gamma(1.0 + 1.0 / r) / gamma(1.0 + 2.0 / r);
        const double stack = gamma(1.0 + 2.0 / t) * gamma(1.0 + 1.0 / t) / gamma(1.0 + 3.0 / t);
        const double volume = 8.0 * double(radii.x * radii.y * radii.z) * disc * stack;
        const MappingSolid& s = *made->mapping;
        MESSAGE(around, " ", along, ": stated ", s.volume_error, ", true ", double(s.volume) / volume - 1.0);
        CHECK(std::abs(double(s.volume) / volume - 1.0) < 2.0 * double(s.volume_error) + 1e-6);
    }
}

TEST_CASE("distances and depths of ellipsoids, rounded boxes and rounded hulls agree with the oracle") {
    Random random(7);
    double worst = 0.0;
    int apart = 0, overlapping = 0;
    for (int i = 0; i < 400; ++i) {
        CAPTURE(i);
        const auto any = [&](int kind) {
            const double size = random.scale(0.3, 2.0);
            if (kind == 0) return test::random_shape(random, ShapeType::mapping, size, nullptr);
            const float radius = static_cast<float>(size * random.scale(0.01, 0.5));
            if (kind == 1) return rounded(test::random_shape(random, ShapeType::box, size, nullptr), radius);
            if (kind == 2) return rounded(hull(test::some_hull(random, size)), radius);
            return test::random_shape(random, static_cast<ShapeType>(random.below(shape_type_count)), size,
                                      test::some_hull(random, size));
        };
        const Shape a = any(i % 3), b = any(random.below(4));
        const oracle::Solid sa = oracle::make_solid(a), sb = oracle::make_solid(b);
        const double reach = double(bounding_radius(a)) + double(bounding_radius(b));
        const MatrixTransform frame{test::narrow(random.between(0.0, 1.1) * reach * random.direction()),
                                    test::mixed_turn(random)};
        const double size = std::min(sa.size, sb.size);
        const oracle::SignedDistance truth = oracle::signed_distance(sa, sb, oracle::Pose(frame), 1e-4 * size);
        SimplexCache cache;
        for (int again = 0; again < 2; ++again) {  // the second time from the cached simplex
            const SeparationResult r = separation(a, b, frame, cache);
            const double error = std::max(truth.separation - double(r.separation),
                                          double(r.separation) - truth.separation - truth.error) /
                                 size;
            worst = std::max(worst, error);
            CHECK(error < 2e-4);
            CHECK(truth.separation - oracle::separation_along(sa, sb, oracle::Pose(frame), dvec3(r.normal)) <
                  3e-4 * size);
            CHECK(oracle::distance_outside(sa, dvec3(r.point_a)) < 1e-3 * size);
            (r.separation > 0.0f ? apart : overlapping) += 1;
        }
    }
    MESSAGE("worst error ", worst, " sizes; ", apart, " apart, ", overlapping, " overlapping");
    CHECK(apart > 100);
    CHECK(overlapping > 100);
}

TEST_CASE("rays meet ellipsoids and rounded boxes where the closed forms say") {
    Random random(8);
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
        const vec3 radii(float(random.scale(0.1, 1.0)), float(random.scale(0.1, 1.0)), float(random.scale(0.1, 1.0)));
        const Shape shape = *ellipsoid(radii);
        const vec3 from = test::narrow(3.0 * random.direction());
        const vec3 way = 2.0f * (test::narrow(0.7 * random.direction()) - from);
        const dvec3 o = dvec3(from) / dvec3(radii), d = dvec3(way) / dvec3(radii);
        const double a = glm::dot(d, d), b = glm::dot(o, d), c = glm::dot(o, o) - 1.0, root = b * b - a * c;
        const RayHit hit = ray_cast(shape, from, way);
        if (std::abs(root) < 1e-6 * b * b) continue;  // it grazes
        CHECK(hit.hit == (root > 0.0));
        if (!hit.hit) continue;
        ++hits;
        const double t = (-b - std::sqrt(root)) / a;
        CHECK(hit.fraction == doctest::Approx(t).epsilon(1e-5));
        const dvec3 n = glm::normalize((o + t * d) / dvec3(radii));
        CHECK(glm::length(dvec3(hit.normal) - n) < 2e-3);
    }
    CHECK(hits > 400);
    // A rounded box, by marching along the ray with the distance.
    const dvec3 half(0.4, 0.7, 0.2);
    const Shape shape = rounded(box(vec3(half)), 0.25f);
    for (int i = 0; i < 1000; ++i) {
        const vec3 from = test::narrow(3.0 * random.direction());
        const vec3 way = 2.0f * (test::narrow(0.9 * random.direction()) - from);
        const auto distance = [&](double t) {
            const dvec3 p = dvec3(from) + t * dvec3(way);
            return glm::length(glm::max(glm::abs(p) - half, dvec3(0.0))) - 0.25;
        };
        double t = 0.0, least = 1e9;
        for (int k = 0; k < 400 && t < 1.0; ++k) {
            const double gap = distance(t);
            least = std::min(least, gap);
            if (gap < 1e-10) break;
            t += gap / glm::length(dvec3(way));
        }
        const RayHit hit = ray_cast(shape, from, way);
        if (least > 1e-10 && least < 1e-5) continue;
        CHECK(hit.hit == (t < 1.0));
        if (hit.hit) CHECK(hit.fraction == doctest::Approx(t).epsilon(1e-5));
    }
}

TEST_CASE(
    "a rounded box lies on a plate with four points on its face, rolls on its edge with two, and on a corner with "
    "one") {
    const Shape plate = box({5, 0.5f, 5}), crate = rounded(box({0.5f, 0.3f, 0.4f}), 0.1f);
    FaceHints hints;
    const auto touch = [&](const mat3& turn) {
        // Deepest point of B along -y, in A's frame.
        const vec3 low = turn * vec3(support(crate, glm::transpose(turn) * vec3(0, -1, 0)).point) - vec3(0, 0.1f, 0);
        const MatrixTransform frame{{0.1f, 0.5f - low.y, 0.2f}, turn};
        const vec3 on = frame.position + low;
        return make_manifold(plate, crate, frame, {0, 1, 0}, on, on, 0.02f, hints);
    };
    const Manifold flat = touch(mat3(1.0f));
    REQUIRE(flat.count == 4);
    CHECK(flat.normal == vec3(0, 1, 0));
    for (int i = 0; i < 4; ++i) {
        CHECK(std::abs(flat.points[i].on_b.x) == doctest::Approx(0.5f).epsilon(1e-5));
        CHECK(flat.points[i].on_b.y == doctest::Approx(-0.4f).epsilon(1e-5));
        CHECK(std::abs(flat.points[i].on_b.z) == doctest::Approx(0.4f).epsilon(1e-5));
        CHECK(std::abs(flat.points[i].separation) < 1e-6f);
    }
    const Manifold edge = touch(test::turn({0, 0, 1}, 0.6));
    CHECK(edge.count == 2);
    for (int i = 0; i < edge.count; ++i) CHECK(std::abs(edge.points[i].separation) < 1e-4f);
    const Manifold corner = touch(test::turn(glm::normalize(dvec3(1, 0, 1)), 0.6));
    CHECK(corner.count == 1);
    // The hull of the same corners does the same.
    const Shape as_hull = rounded(hull(*make_hull(test::scaled(test::full_lattice(2), crate.half_extents))), 0.1f);
    FaceHints other;
    const MatrixTransform frame{{0, 0.9f, 0}, mat3(1.0f)};
    const Manifold m = make_manifold(plate, as_hull, frame, {0, 1, 0}, {0, 0.5f, 0}, {0, 0.5f, 0}, 0.02f, other);
    REQUIRE(m.count == 4);
    for (int i = 0; i < 4; ++i) CHECK(m.points[i].on_b.y == doctest::Approx(-0.4f).epsilon(1e-5));
}

TEST_CASE("a mapping shows its facets, its lines and its points") {
    const Shape plate = box({5, 0.5f, 5});
    const auto points_of = [&](const Shape& shape, const mat3& turn, float margin = 0.01f) {
        FaceHints hints;
        const vec3 d = glm::transpose(turn) * vec3(0, -1, 0);
        const vec3 low = turn * (vec3(support(shape, d).point) + shape.radius * d);
        const MatrixTransform frame{{0.0f, 0.5f - low.y, 0.0f}, turn};
        const vec3 on = frame.position + low;
        return make_manifold(plate, shape, frame, {0, 1, 0}, on, on, margin, hints);
    };
    const mat3 upright(1.0f);
    CHECK(points_of(*ellipsoid({0.5f, 0.3f, 0.4f}), upright).count == 1);
    CHECK(points_of(*superellipsoid({0.5f, 0.3f, 0.4f}, 2.0f, 2.0f), upright).count == 1);
    // Its curvature is 0 where it lies: it is flat to 3e-3 of its size over a third of it.
    CHECK(points_of(*superellipsoid({0.5f, 0.3f, 0.4f}, 4.0f, 4.0f), upright).count == 4);
    // A box that is not named as one, and with a ball around it.
    for (const Shape& other : {Shape(segment({-0.1f, 0, 0}, {0.1f, 0, 0})), Shape(sphere(0.2f))}) {
        const Shape sum = *convex_sum(box({0.4f, 0.3f, 0.4f}), other);
        const Manifold m = points_of(sum, upright);
        CAPTURE(name_of(other.type));
        REQUIRE(m.count == 4);
        double area = 0.0;
        for (int i = 0; i < 4; ++i) {
            CHECK(std::abs(m.points[i].separation) < 1e-4f);
            area = std::max(area, double(length_squared(m.points[i].on_b - m.points[0].on_b)));
        }
        CHECK(area > 0.8 * 0.8);
        // Tilted beyond the tilt of the ring it stands on an edge: a line of two points.
        CHECK(points_of(sum, test::turn({0, 0, 1}, 0.3)).count == 2);
        CHECK(points_of(sum, test::turn(glm::normalize(dvec3(1, 0.3, 0.7)), 0.5)).count == 1);
    }
    // A cylinder that is not named as one: a disc of points on its base, a line on its side.
    const Shape can = *convex_sum(cylinder(0.5f, 0.3f), segment({0, -0.1f, 0}, {0, 0.1f, 0}));
    CHECK(points_of(can, upright).count == 4);
    const Manifold side = points_of(can, test::turn({0, 0, 1}, pi / 2));
    REQUIRE(side.count == 2);
    CHECK(std::abs(side.points[0].on_b.y - side.points[1].on_b.y) == doctest::Approx(1.2f).epsilon(1e-3));
    // Tilted, it is a dome, of which three points around the lowest one count, at their true heights.
    const Shape box_like = *superellipsoid({0.5f, 0.3f, 0.4f}, 12.0f, 12.0f);
    const mat3 tilted = test::turn({0.6, 0, -0.8}, 0.03);
    const Manifold dome = points_of(box_like, tilted, 0.1f);
    REQUIRE(dome.count == 4);
    for (int i = 0; i < 4; ++i) {
        const ManifoldPoint& p = dome.points[i];
        const float x = std::abs(p.on_b.x) / 0.5f, y = std::abs(p.on_b.y) / 0.3f, z = std::abs(p.on_b.z) / 0.4f;
        CHECK(std::pow(x, 12.0f) + std::pow(y, 12.0f) + std::pow(z, 12.0f) == doctest::Approx(1.0).epsilon(1e-3));
        CHECK(p.on_a.y == doctest::Approx(0.5));
        CHECK(p.separation >= -1e-5f);
        CHECK(p.separation > (i == 0 ? -1e-5f : 1e-4f));
    }
    CHECK(points_of(box_like, tilted, 1e-4f).count == 1);
    // A lens on its dome touches in one point.
    const auto lens = make_mapping_solid(std::make_shared<Lens>(1.0, 0.5));
    REQUIRE(lens);
    CHECK(points_of(mapping_shape(*lens), upright).count == 1);
}

TEST_CASE("mappings are refused that are no convex solid, with a sentence that says why") {
    const auto refused = [](const std::shared_ptr<const SupportMapping>& mapping, ErrorCode code, const char* says,
                            const MappingDef& def = {}) {
        const auto made = make_mapping_solid(mapping, def);
        CAPTURE(says);
        REQUIRE(!made);
        CAPTURE(made.error().message);
        CHECK(int(made.error().code) == int(code));
        CHECK(made.error().message.find(says) != std::string::npos);
        CHECK(made.error().message.back() == '.');
    };
    const auto ball = std::make_shared<PlainEllipsoid>(dvec3(1.0));
    refused(nullptr, ErrorCode::bad_argument, "null");
    refused(told([](const dvec3&) { return dvec3(std::nan("")); }), ErrorCode::not_finite, "not finite");
    // Finite along the axes, not in between.
    refused(told([](const dvec3& d) { return d.x > 0.1 && d.y > 0.1 ? dvec3(std::nan("")) : glm::normalize(d); }),
            ErrorCode::not_finite, "not finite");
    refused(told([](const dvec3&) { return dvec3(0.0); }), ErrorCode::degenerate_shape, "enclose volume");
    refused(told([](const dvec3& d) { return dvec3(d.x < 0 ? -1 : 1, 0, d.z < 0 ? -1 : 1); }),
            ErrorCode::degenerate_shape, "along y");
    refused(std::make_shared<PlainEllipsoid>(dvec3(2e6)), ErrorCode::bad_size, "within 1e6 m");
    // A flat disc that lies across the axes.
    const dvec3 across = glm::normalize(dvec3(1, 2, 3));
    refused(told([=](const dvec3& d) {
                const dvec3 flat = d - glm::dot(d, across) * across;
                const double length = glm::length(flat);
                return length > 1e-12 ? flat / length : dvec3(0.0);
            }),
            ErrorCode::degenerate_shape, "encloses no volume");
    // A star: its support point would be on the tips.
    refused(told([](const dvec3& d) {
                const dvec3 n = glm::normalize(d);
                return n * (0.5 + 0.5 * std::abs(n.x * n.y * n.z));
            }),
            ErrorCode::degenerate_shape, "is not the farthest");
    // The nearest point in place of the farthest.
    refused(told([](const dvec3& d) { return -glm::normalize(d); }), ErrorCode::degenerate_shape, "along x");
    refused(ball, ErrorCode::bad_size, "radius is -1", {.radius = -1.0f});
    refused(ball, ErrorCode::not_finite, "radius is nan", {.radius = not_a_number});
    refused(ball, ErrorCode::bad_size, "bounding_radius is 0.5", {.bounding_radius = 0.5f});
    refused(ball, ErrorCode::bad_size, "volume_error is 0", {.volume_error = 0.0f});
    refused(ball, ErrorCode::bad_size, "volume is -1", {.volume = VolumeProperties{-1.0f, vec3(0.0f), mat3(1.0f)}});
    refused(ball, ErrorCode::not_finite, "not finite",
            {.volume = VolumeProperties{not_a_number, vec3(0.0f), mat3(1.0f)}});
    refused(ball, ErrorCode::bad_argument, "lie inside", {.volume = VolumeProperties{1.0f, vec3(2.0f), mat3(1.0f)}});
    mat3 rod(1.0f);
    rod[0][0] = 3.0f;
    refused(ball, ErrorCode::bad_argument, "unit_inertia", {.volume = VolumeProperties{1.0f, vec3(0.0f), rod}});

    for (const vec3& radii : {vec3(0, 1, 1), vec3(1, -1, 1), vec3(1, 1, not_a_number), vec3(1, 1e-7f, 1),
                              vec3(2e6f, 1e6f, 1e6f), vec3(1, 1, 0.0005f)}) {
        CHECK(!ellipsoid(radii));
        CHECK(!superellipsoid(radii, 2, 2));
    }
    for (const float e : {0.9f, 17.0f, -2.0f, not_a_number}) {
        CHECK(!superellipsoid(vec3(1.0f), e, 2.0f));
        CHECK(!superellipsoid(vec3(1.0f), 2.0f, e));
    }
    CHECK(convex_sum(sphere(-1), sphere(1)).error().message.find("a: sphere") != std::string::npos);
    CHECK(convex_sum(segment({0, 0, 0}, {1, 0, 0}), segment({0, 0, 0}, {0, 1, 0})).error().code ==
          ErrorCode::degenerate_shape);
    Shape nested = *convex_sum(sphere(1), box(vec3(1)));
    for (int i = 0; i < 3; ++i) nested = *convex_sum(nested, sphere(0.1f));
    CHECK(convex_sum(nested, sphere(1)).error().code == ErrorCode::too_complex);
}

TEST_CASE("given mass properties and bounds are taken as they are") {
    mat3 inertia(1.0f);
    inertia[1][1] = 1.5f;
    const auto made = make_mapping_solid(
        std::make_shared<PlainEllipsoid>(dvec3(1.0, 2.0, 1.0)),
        {.radius = 0.5f, .bounding_radius = 4.0f, .volume = VolumeProperties{7.0f, {0, -1, 0}, inertia}});
    REQUIRE_MESSAGE(made, made.error().message);
    const Shape shape = mapping_shape(*made);
    CHECK(!check(shape));
    const MassProperties m = mass_properties(shape, 2.0f);
    CHECK(m.mass == 14.0f);
    CHECK(m.center == vec3(0, -1, 0));
    CHECK(m.inertia[1][1] == 21.0f);
    CHECK(bounding_radius(shape) == 4.0f);
    CHECK(shape.radius == 0.5f);
    CHECK(bounds(shape).upper.y == doctest::Approx(2.5f));
    CHECK((*made)->volume_error == 0.0f);
}

TEST_CASE("a mapping that breaks its promise during the steps gives finite points") {
    bool broken = false;
    const auto made = make_mapping_solid(
        told([&broken](const dvec3& d) { return broken ? dvec3(std::nan(""), 1e300, 0.0) : glm::normalize(d); }));
    REQUIRE(made);
    broken = true;
    const Shape shape = mapping_shape(*made);
    const vec3 p = support(shape, {1, 2, 3}).point;
    CHECK(is_finite(p));
    SimplexCache cache;
    const SeparationResult r = separation(shape, box(vec3(1.0f)), {{3, 0, 0}, mat3(1.0f)}, cache);
    CHECK(is_finite(r.separation));
    CHECK(is_finite(r.normal));
}

TEST_CASE("solids of the library's own become the same bits when they are read back") {
    Random random(9);
    const Shape sum =
        *convex_sum(rounded(hull(test::some_hull(random, 1.0)), 0.1f), triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}));
    const Shape shapes[] = {*ellipsoid({0.5f, 0.7f, 0.9f}), *superellipsoid({0.5f, 0.7f, 0.9f}, 3.0f, 2.5f), sum,
                            *convex_sum(sum, *ellipsoid({0.1f, 0.2f, 0.3f}))};
    for (const Shape& shape : shapes) {
        ByteWriter writer;
        REQUIRE(detail::write_mapping(writer, *shape.mapping));
        ByteReader reader(writer.written());
        const auto read = detail::read_mapping(reader);
        REQUIRE(read);
        CHECK(reader.left() == 0);
        CHECK(read->volume == shape.mapping->volume);
        CHECK(read->unit_inertia == shape.mapping->unit_inertia);
        CHECK(read->bounds.lower == shape.mapping->bounds.lower);
        CHECK(read->radius == shape.radius);
        for (int i = 0; i < 50; ++i) {
            const dvec3 d = random.direction();
            CHECK(read->mapping->support(d) == shape.mapping->mapping->support(d));
        }
        // Each byte that is missing or wrong gives an error, or another valid solid.
        for (std::size_t n = 0; n < writer.size(); n += 7) {
            ByteReader cut(writer.written().first(n));
            CHECK(detail::read_mapping(cut) == nullptr);
            CHECK(cut.failed());
        }
    }
    ByteWriter writer;
    CHECK_FALSE(detail::write_mapping(writer, **make_mapping_solid(std::make_shared<PlainEllipsoid>(dvec3(1.0)))));
}
