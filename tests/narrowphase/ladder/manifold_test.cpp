/// Manifolds whose points can be written down: every kind of feature on every kind, one pose each.

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/separation.h>

#include "tests/narrowphase/ladder/random_pairs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace talus;
using test::Random;
using test::turn;

constexpr double quarter = 1.5707963267948966, degree = quarter / 90.0;
const vec3 up(0.0f, 1.0f, 0.0f);

struct Expected {
    vec3 middle;  ///< halfway between on_a and on_b, A's frame
    float separation;
};

std::string describe(const Manifold& m, const MatrixTransform& b_in_a) {
    std::ostringstream out;
    out << m.count << " points, normal (" << m.normal.x << ", " << m.normal.y << ", " << m.normal.z << ")";
    for (int i = 0; i < m.count; ++i) {
        const vec3 a = m.points[i].on_a, b = transform_point(b_in_a, m.points[i].on_b), p = 0.5f * (a + b);
        out << "\n  (" << p.x << ", " << p.y << ", " << p.z << ") separation " << m.points[i].separation << " id "
            << std::hex << m.points[i].id << std::dec;
    }
    return out.str();
}

/// Empty if the manifold has exactly the expected points, in any order.
std::string difference(const Manifold& m, const MatrixTransform& b_in_a, const std::vector<Expected>& expected,
                       float tolerance = 1e-4f) {
    std::vector<char> used(expected.size(), 0);
    bool same = m.count == static_cast<int>(expected.size());
    for (int i = 0; i < m.count && same; ++i) {
        const vec3 p = 0.5f * (m.points[i].on_a + transform_point(b_in_a, m.points[i].on_b));
        same = false;
        for (std::size_t j = 0; j < expected.size() && !same; ++j) {
            if (used[j] || !(glm::length(p - expected[j].middle) <= tolerance)) continue;
            if (!(std::abs(m.points[i].separation - expected[j].separation) <= tolerance)) continue;
            used[j] = 1;
            same = true;
        }
    }
    return same ? "" : describe(m, b_in_a);
}

#define CHECK_POINTS(m, frame, ...) CHECK(difference(m, frame, __VA_ARGS__) == "")

/// Contact along `normal`; the witness points are the middle of what the caller says, `separation` apart.
Manifold contact(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal, const vec3& at,
                 float separation, float margin = 0.02f, FaceHints hints = {}) {
    const vec3 half = (0.5f * separation) * normal;
    return make_manifold(a, b, b_in_a, normal, at - half, at + half, margin, hints);
}

MatrixTransform placed(const vec3& position, const mat3& rotation = mat3(1.0f)) { return {position, rotation}; }

/// Area of the convex hull of the manifold's points, seen along the normal.
float spread(const Manifold& m) {
    const auto triangle_area = [&](int i, int j, int k) {
        return 0.5f *
               std::abs(glm::dot(glm::cross(m.points[j].on_a - m.points[i].on_a, m.points[k].on_a - m.points[i].on_a),
                                 m.normal));
    };
    if (m.count < 3) return 0.0f;
    if (m.count == 3) return triangle_area(0, 1, 2);
    return 0.5f * (triangle_area(0, 1, 2) + triangle_area(0, 1, 3) + triangle_area(0, 2, 3) + triangle_area(1, 2, 3));
}

std::vector<std::uint32_t> ids(const Manifold& m) {
    std::vector<std::uint32_t> list;
    for (int i = 0; i < m.count; ++i) list.push_back(m.points[i].id);
    std::sort(list.begin(), list.end());
    return list;
}

Shape hull_of(const std::vector<vec3>& points) {
    const auto built = make_hull(points);
    REQUIRE_MESSAGE(bool(built), built.error().message);
    return hull(*built);
}

std::vector<vec3> box_points(const vec3& h) {
    std::vector<vec3> p;
    for (int i = 0; i < 8; ++i)
        p.emplace_back((i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y, (i & 4) != 0 ? h.z : -h.z);
    return p;
}

Shape prism(int corners, float radius, float half_height) {
    std::vector<vec3> p;
    for (int i = 0; i < 2 * corners; ++i) {
        const double angle = 4.0 * quarter * (i / 2) / corners;
        p.emplace_back(static_cast<float>(radius * std::cos(angle)), (i & 1) != 0 ? half_height : -half_height,
                       static_cast<float>(radius * std::sin(angle)));
    }
    return hull_of(p);
}

struct Floor {
    std::string name;
    Shape shape;
};

/// The floor y = 0 as each kind of shape that can be one, large enough for everything here.
std::vector<Floor> floors() {
    std::vector<vec3> slab = box_points({20, 1, 20});
    for (vec3& p : slab) p.y -= 1.0f;
    return {{"triangle", triangle({-30, 0, -20}, {0, 0, 40}, {30, 0, -20})},
            {"triangle seen from its back", triangle({-30, 0, -20}, {30, 0, -20}, {0, 0, 40})},
            {"hull", hull_of(slab)}};
}

}  // namespace

TEST_CASE("a box on a box touches in the four corners of the overlap") {
    const Shape a = box({1, 1, 1}), b = box({0.5f, 0.5f, 0.5f});
    const MatrixTransform f = placed({0.7f, 1.49f, 0.2f});
    const Manifold m = contact(a, b, f, up, {0.5f, 0.995f, 0.1f}, -0.01f);
    CHECK_POINTS(m, f,
                 {{{0.2f, 0.995f, -0.3f}, -0.01f},
                  {{0.2f, 0.995f, 0.7f}, -0.01f},
                  {{1, 0.995f, -0.3f}, -0.01f},
                  {{1, 0.995f, 0.7f}, -0.01f}});
    CHECK(m.normal == up);
    CHECK(m.face_owner == FaceOwner::a);
    CHECK(m.overlaps);
    for (int i = 0; i < m.count; ++i) {
        CHECK(m.points[i].on_a.y == doctest::Approx(1.0f));
        CHECK(m.points[i].on_b.y == doctest::Approx(-0.5f));
    }
}

TEST_CASE("a normal a few degrees off a face's snaps to the face, one that a face would spoil does not") {
    const Shape a = box({1, 1, 1}), b = box({0.5f, 0.5f, 0.5f});
    Random random(3);
    for (int i = 0; i < 100; ++i) {
        const MatrixTransform f = placed({0.1f, 1.499f, 0.2f}, turn({0, 1, 0}, random.between(0, 6.0)));
        const vec3 axis = any_perpendicular(up) * static_cast<float>(random.between(-1, 1)) + vec3(0, 0, 0.2f);
        const vec3 off = turn(glm::normalize(glm::dvec3(axis)), random.between(-10, 10) * degree) * up;
        const Manifold m = contact(a, b, f, off, {0.1f, 0.9995f, 0.2f}, -0.001f);
        CHECK(m.normal == up);
        CHECK(m.count == 4);
        for (int k = 0; k < m.count; ++k) CHECK(m.points[k].separation == doctest::Approx(-0.001f).epsilon(1e-3));
    }
    // A capsule's round end beside the box's border: 10 degrees off the face is where it really touches.
    const float s = std::sin(0.17453293f), c = std::cos(0.17453293f);
    const Shape round = capsule(0.5f, 0.2f);
    const vec3 n(s, c, 0), corner(1, 1, 0.3f);
    const MatrixTransform g = placed(corner + 0.2f * n + vec3(0, 0.5f, 0));
    const Manifold m = contact(a, round, g, n, corner, 0.0f);
    CHECK(m.normal == n);
    CHECK(m.face_owner == FaceOwner::none);
    CHECK_POINTS(m, g, {{corner, 0.0f}});
}

TEST_CASE("a box on a ball or cylinder of forty times its size touches with its corners, too") {
    const Shape brick = box({0.5f, 0.25f, 0.4f});
    const auto on = [&](const Shape& round, const vec3& top, const mat3& turn) {
        FaceHints hints;
        const MatrixTransform frame{top + vec3(0.0f, 0.25f, 0.0f), turn};
        return make_manifold(round, brick, frame, {0, 1, 0}, top, top, 0.05f, hints);
    };
    for (const float radius : {15.0f, 40.0f, 4000.0f}) {
        CAPTURE(radius);
        const Manifold m = on(sphere(radius), {0, radius, 0}, mat3(1.0f));
        REQUIRE(m.count == (radius < 20.0f ? 1 : 4));
        for (int i = 0; i < m.count; ++i) {
            const glm::dvec3 corner = glm::dvec3(m.points[i].on_b) + glm::dvec3(0.0, double{radius} + 0.25, 0.0);
            CHECK(std::abs(double{m.points[i].separation} - (glm::length(corner) - double{radius})) <
                  1e-6 * double{radius});
        }
        // Where the ball is flat to 6e-3 of the box's size over the face, its top counts no more.
        if (radius == 4000.0f) {
            for (int i = 0; i < 4; ++i) CHECK(std::abs(m.points[i].on_b.x) == doctest::Approx(0.5));
        }
    }
    const mat3 lying(vec3(1, 0, 0), vec3(0, 0, -1), vec3(0, 1, 0));  // the cylinder's axis along z
    FaceHints hints;
    const MatrixTransform frame{{0.0f, 0.0f, 100.25f}, lying};
    const Manifold m =
        make_manifold(cylinder(100.0f, 100.0f), brick, frame, {0, 0, 1}, {0, 0, 100}, {0, 0, 100}, 0.05f, hints);
    CHECK(m.count == 4);
}

TEST_CASE("of the eight corners of two boxes at 45 degrees four are kept that span the most") {
    const Shape a = box({1, 1, 1});
    const MatrixTransform f = placed({0, 2, 0}, turn({0, 1, 0}, 45 * degree));
    const Manifold m = contact(a, a, f, up, {0, 1, 0}, 0.0f);
    REQUIRE(m.count == 4);
    const float root2 = std::sqrt(2.0f),
                r2 = 1.0f + (root2 - 1.0f) * (root2 - 1.0f);  // squared circumradius of the octagon
    for (int i = 0; i < 4; ++i) {
        const vec3 p = m.points[i].on_a;
        CHECK(p.x * p.x + p.z * p.z == doctest::Approx(r2).epsilon(1e-4));
    }
    CHECK(spread(m) == doctest::Approx(2.0f * r2).epsilon(0.05));
}

TEST_CASE("a tilted box touches with an edge or a corner, and the other corners of its face join within the margin") {
    const Shape b = box({0.5f, 0.5f, 0.5f});
    for (const Floor& ground : floors()) {
        const std::string& name = ground.name;
        const Shape& floor = ground.shape;
        CAPTURE(name);
        const double angle = 2 * degree;
        const float s = static_cast<float>(std::sin(angle)), c = static_cast<float>(std::cos(angle));
        const MatrixTransform f = placed({0, 0.5f * (s + c), 0}, turn({0, 0, 1}, angle));
        const float edge = 0.5f * (s - c), far = 0.5f * (s + c);
        const std::vector<Expected> two = {{{edge, 0, -0.5f}, 0}, {{edge, 0, 0.5f}, 0}};
        CHECK_POINTS(contact(floor, b, f, up, {edge, 0, 0.1f}, 0.0f, 0.02f), f, two);
        const std::vector<Expected> four = {two[0], two[1], {{far, 0.5f * s, -0.5f}, s}, {{far, 0.5f * s, 0.5f}, s}};
        CHECK_POINTS(contact(floor, b, f, up, {edge, 0, 0.1f}, 0.0f, 0.1f), f, four);

        // On a corner.
        const mat3 on_corner = turn({0, 0, 1}, 35 * degree) * turn({1, 0, 0}, 40 * degree);
        vec3 low(10.0f);
        for (const vec3& p : box_points(vec3(0.5f))) {
            if ((on_corner * p).y < low.y) low = on_corner * p;
        }
        const MatrixTransform g = placed({0, -low.y, 0}, on_corner);
        CHECK_POINTS(contact(floor, b, g, up, {low.x, 0, low.z}, 0.0f), g, {{{low.x, 0, low.z}, 0}});
    }
}

TEST_CASE("crossing edges touch in a point, parallel edges at the ends of their overlap") {
    // Both boxes stand on an edge: A's highest edge along z, B's lowest along x, at a height of 1.
    const Shape cube = box({1, 1, 1});
    const float h = std::sqrt(2.0f);
    const mat3 about_z = turn({0, 0, 1}, 45 * degree), about_x = turn({1, 0, 0}, 45 * degree);
    const mat3 to_a = glm::transpose(about_z);
    const vec3 n = to_a * up;
    for (double yaw : {0.0, 20.0, 70.0}) {
        CAPTURE(yaw);
        const MatrixTransform f =
            placed(to_a * vec3(0.2f, 2 * h - 0.01f, 0.3f), to_a * turn({0, 1, 0}, yaw * degree) * about_x);
        // Where the two lines cross: A's at x = 0, B's through (0.2, 0.3).
        const double along = -0.2 / std::cos(yaw * degree);
        const float z = static_cast<float>(0.3 - along * std::sin(yaw * degree));
        const vec3 at = to_a * vec3(0, h - 0.005f, z);
        CHECK_POINTS(contact(cube, cube, f, n, at, -0.01f), f, {{at, -0.01f}});
    }
    // Parallel, one shifted by 0.5 along the edges.
    const MatrixTransform g = placed(to_a * vec3(0, 2 * h + 0.004f, 0.5f), to_a * about_z);
    const Manifold m = contact(cube, cube, g, n, to_a * vec3(0, h + 0.002f, 0), 0.004f);
    CHECK_POINTS(m, g, {{to_a * vec3(0, h + 0.002f, -0.5f), 0.004f}, {to_a * vec3(0, h + 0.002f, 1), 0.004f}});
}

TEST_CASE(
    "round and flat shapes on a floor, whatever the floor is made of, touch in the points that keep them from "
    "rocking") {
    for (const Floor& ground : floors()) {
        const std::string& name = ground.name;
        const Shape& floor = ground.shape;
        CAPTURE(name);
        const float dip = -0.003f;
        {
            const MatrixTransform f = placed({0.3f, 0.5f + dip, 0.1f});
            CHECK_POINTS(contact(floor, sphere(0.5f), f, up, {0.3f, dip / 2, 0.1f}, dip), f,
                         {{{0.3f, dip / 2, 0.1f}, dip}});
        }
        {
            const MatrixTransform f = placed({0.3f, 0.5f + dip, 0.1f}, turn({0, 1, 0}, 0.4));
            std::vector<Expected> corners;
            for (const vec3& p : box_points({1, 0.5f, 2})) {
                if (p.y < 0) corners.push_back({transform_point(f, p) + vec3(0, -dip / 2, 0), dip});
            }
            CHECK_POINTS(contact(floor, box({1, 0.5f, 2}), f, up, {0.3f, dip / 2, 0.1f}, dip), f, corners);
        }
        {  // Capsule lying along x, then standing.
            const MatrixTransform f = placed({0, 0.2f + dip, 0}, turn({0, 0, 1}, quarter));
            CHECK_POINTS(contact(floor, capsule(0.7f, 0.2f), f, up, {0.1f, dip / 2, 0}, dip), f,
                         {{{0.7f, dip / 2, 0}, dip}, {{-0.7f, dip / 2, 0}, dip}});
            const MatrixTransform g = placed({0, 0.9f + dip, 0});
            CHECK_POINTS(contact(floor, capsule(0.7f, 0.2f), g, up, {0, dip / 2, 0}, dip), g, {{{0, dip / 2, 0}, dip}});
        }
        {  // Cylinder on its end: four points, a quarter turn apart.
            const MatrixTransform f = placed({1, 0.6f + dip, 0}, turn({0, 1, 0}, 1.0));
            const Manifold m = contact(floor, cylinder(0.6f, 0.4f), f, up, {1.1f, dip / 2, 0.2f}, dip);
            REQUIRE(m.count == 4);
            CHECK(spread(m) == doctest::Approx(2 * 0.4 * 0.4).epsilon(1e-4));
            for (int i = 0; i < 4; ++i) {
                CHECK(glm::length(m.points[i].on_b - vec3(0, -0.6f, 0)) == doctest::Approx(0.4f));
                CHECK(m.points[i].separation == doctest::Approx(dip).epsilon(1e-3));
            }
        }
        {  // ... on its side, ...
            const MatrixTransform f = placed({1, 0.4f + dip, 0}, turn({0, 0, 1}, quarter) * turn({0, 1, 0}, 0.7));
            CHECK_POINTS(contact(floor, cylinder(0.6f, 0.4f), f, up, {1, dip / 2, 0}, dip), f,
                         {{{1.6f, dip / 2, 0}, dip}, {{0.4f, dip / 2, 0}, dip}});
        }
        for (double angle : {20.0, 44.0, 46.0, 70.0}) {  // ... and on its rim.
            CAPTURE(angle);
            const float s = static_cast<float>(std::sin(angle * degree)),
                        c = static_cast<float>(std::cos(angle * degree));
            const MatrixTransform f =
                placed({0, 0.6f * c + 0.4f * s + dip, 0}, turn({0, 0, 1}, angle * degree) * turn({0, 1, 0}, 0.7));
            const vec3 low(0.6f * s - 0.4f * c, dip / 2, 0);
            CHECK_POINTS(contact(floor, cylinder(0.6f, 0.4f), f, up, low, dip, 0.004f), f, {{low, dip}});
        }
        {  // Cone on its base, on its side and on its tip.
            const Shape hat = cone(0.6f, 0.4f);
            const MatrixTransform f = placed({1, 0.6f + dip, 0}, turn({0, 1, 0}, 1.0));
            const Manifold m = contact(floor, hat, f, up, {1.1f, dip / 2, 0.2f}, dip);
            CHECK(m.count == 4);
            CHECK(spread(m) == doctest::Approx(2 * 0.4 * 0.4).epsilon(1e-4));

            const double half_angle = std::atan2(0.4, 1.2), lean = quarter + half_angle;
            const mat3 side = turn({0, 0, 1}, lean) * turn({0, 1, 0}, 0.3);
            const float length = std::sqrt(0.4f * 0.4f + 1.2f * 1.2f);
            const vec3 apex = side * vec3(0, 0.6f, 0);
            const MatrixTransform g = placed({0, -apex.y + dip, 0}, side);
            CHECK_POINTS(contact(floor, hat, g, up, {apex.x, dip / 2, 0}, dip), g,
                         {{{apex.x, dip / 2, 0}, dip}, {{apex.x + length, dip / 2, 0}, dip}});

            for (double angle : {180.0, 170.0, 130.0}) {
                CAPTURE(angle);
                const mat3 tip = turn({0, 0, 1}, angle * degree);
                const vec3 point = tip * vec3(0, 0.6f, 0);
                const MatrixTransform t = placed({0, -point.y + dip, 0}, tip);
                CHECK_POINTS(contact(floor, hat, t, up, {point.x, dip / 2, 0}, dip), t, {{{point.x, dip / 2, 0}, dip}});
            }
        }
    }
}

TEST_CASE("a rocking cylinder's lowest rim point is a contact point, exactly, at any tilt") {
    const Shape can = cylinder(0.6f, 0.4f);
    const Shape floor = box({20, 1, 20});
    for (double tilt : {0.002, 0.01, 0.05, 0.3}) {
        for (double yaw : {0.1, 0.25, 1.3, 4.0}) {
            CAPTURE(tilt);
            CAPTURE(yaw);
            const mat3 r = turn({0, 0, 1}, tilt) * turn({0, 1, 0}, yaw);
            const float s = static_cast<float>(std::sin(tilt)), c = static_cast<float>(std::cos(tilt));
            const MatrixTransform f = placed({0, 1 + 0.6f * c + 0.4f * s, 0}, r);
            const vec3 low(0.6f * s - 0.4f * c, 1, 0);
            const Manifold m = contact(floor, can, f, up, low, 0.0f);
            float nearest = 1.0f, deepest = 1.0f;
            for (int i = 0; i < m.count; ++i) {
                nearest = std::min(nearest, glm::length(m.points[i].on_a - low));
                deepest = std::min(deepest, m.points[i].separation);
            }
            CHECK(nearest < 1e-3f);
            CHECK(deepest == doctest::Approx(0.0f).epsilon(1e-5));
        }
    }
}

TEST_CASE("caps meet boxes and caps in points that lie in both") {
    const Shape can = cylinder(0.5f, 1.0f), table = box({2, 0.5f, 2});
    {  // A small box within the cap, then one whose corner sticks out.
        const Shape crate = box({0.3f, 0.3f, 0.3f});
        const MatrixTransform f = placed({0.1f, 0.8f, 0.2f});
        CHECK_POINTS(
            contact(can, crate, f, up, {0.1f, 0.5f, 0.2f}, 0), f,
            {{{-0.2f, 0.5f, -0.1f}, 0}, {{0.4f, 0.5f, -0.1f}, 0}, {{0.4f, 0.5f, 0.5f}, 0}, {{-0.2f, 0.5f, 0.5f}, 0}});
        const MatrixTransform g = placed({0.7f, 0.8f, 0.7f});
        const Manifold m = contact(can, crate, g, up, {0.6f, 0.5f, 0.6f}, 0);
        // The corner (0.4, 0.4), and the rim at x = 0.4 and at z = 0.4; the arc bulges out between these two.
        const float rim = std::sqrt(1 - 0.16f);
        REQUIRE(m.count >= 3);
        CHECK(spread(m) >= 0.5f * (rim - 0.4f) * (rim - 0.4f) * 0.99f);
        for (int i = 0; i < m.count; ++i) {
            const vec3 p = m.points[i].on_a;
            CHECK(std::min(p.x, p.z) >= 0.399f);
            CHECK(p.x * p.x + p.z * p.z <= 1.002f);
        }
    }
    {  // Half over the border of a table.
        const MatrixTransform f = placed({2.2f, 1.0f, 0});
        const Manifold m = contact(table, can, f, up, {1.9f, 0.5f, 0}, 0);
        REQUIRE(m.count == 4);
        const float half_chord = std::sqrt(1 - 0.04f);
        float low_z = 1, high_z = -1, low_x = 9;
        for (int i = 0; i < m.count; ++i) {
            const vec3 p = m.points[i].on_a;
            CHECK(p.x <= 2.002f);
            CHECK(glm::length(p - vec3(2.2f, 0.5f, 0)) <= 1.002f);
            low_z = std::min(low_z, p.z);
            high_z = std::max(high_z, p.z);
            low_x = std::min(low_x, p.x);
        }
        CHECK(high_z == doctest::Approx(half_chord).epsilon(0.03));
        CHECK(low_z == doctest::Approx(-half_chord).epsilon(0.03));
        CHECK(low_x < 1.35f);  // the far side of the cap is at 1.2
    }
    for (float shift : {0.0f, 0.4f, 1.2f, 1.8f}) {  // can on can
        CAPTURE(shift);
        const MatrixTransform f = placed({shift, 1.0f, 0});
        const Manifold m = contact(can, can, f, up, {shift / 2, 0.5f, 0}, 0);
        REQUIRE(m.count >= 3);
        // The lens of two unit circles: the quadrilateral of its two tips and the middles of its arcs.
        const float tips = 2 * std::sqrt(1 - shift * shift / 4), width = 2 - shift;
        CHECK(spread(m) >= 0.5f * tips * width * 0.8f);
        for (int i = 0; i < m.count; ++i) {
            const vec3 p = m.points[i].on_a;
            CHECK(std::hypot(p.x, p.z) <= 1.002f);
            CHECK(std::hypot(p.x - shift, p.z) <= 1.002f);
        }
    }
}

TEST_CASE("edges thousands of times as long as a disc is wide cross its rim on the rim") {
    // The crossings were roots of a quadratic in float that had lost the disc's radius by rounding: anchors were up to
    // 17 sizes off the disc.
    const float radius = 5.08f, tilt = 0.3f;
    const Shape can = cylinder(1.0f, radius);
    int points = 0;
    for (const float length : {1e2f, 1e3f, 1e4f}) {
        for (const float beside : {0.0f, 2.0f, 4.9f}) {
            // An edge over the top cap, its middle far from the disc's.
            const vec3 along(std::cos(tilt), 0.0f, std::sin(tilt)), across(-along.z, 0.0f, along.x);
            const vec3 middle = beside * across + 0.3f * length * along + vec3(0.0f, 0.999f, 0.0f);
            const Shape wire = segment(-length * along, length * along);
            const Manifold m = contact(can, wire, placed(middle), up, {0, 0.9995f, 0}, -1e-3f);
            const std::string found = describe(m, placed(middle));
            CAPTURE(found);
            REQUIRE(m.count == 2);
            for (int i = 0; i < 2; ++i) {
                const vec3& p = m.points[i].on_a;
                CHECK(std::sqrt(p.x * p.x + p.z * p.z) == doctest::Approx(radius).epsilon(1e-3 + 4e-7 * length));
                CHECK(p.y == doctest::Approx(1.0f).epsilon(1e-4));
                ++points;
            }
        }
    }
    CHECK(points == 18);
}

TEST_CASE("a rounded grain's face is the point that rounding makes of it, not a plane without edges") {
    // All corners of the face had the same float coordinates, ten kilometres out on a round surface. Its edges of
    // length 0 clipped nothing, so the whole face of the other shape became a contact, metres beside the small shape.
    const Shape rock = hull_of({{0, 0, 2}, {2, 0, -2}, {0, 0, -2}, {0, 2, 0.5f}});
    const Shape grain = triangle({2.5e-7f, 0, -3.75e-6f}, {-3.75e-6f, 2e-6f, 0}, {0, 0, 0}, 1e4f);
    SimplexCache cache;
    const MatrixTransform here = placed({0, 0, 0});
    const SeparationResult r = separation(rock, grain, here, cache);
    FaceHints hints;
    const Manifold m = make_manifold(rock, grain, here, r.normal, r.point_a, r.point_b, 0.02f, hints);
    const std::string found = describe(m, here);
    CAPTURE(found);
    REQUIRE(m.count >= 1);
    for (int i = 0; i < m.count; ++i) CHECK(glm::length(m.points[i].on_b) <= 1e4f + 0.05f);
}

TEST_CASE("capsules and cylinders on edges and on each other touch along the line they share") {
    const Shape table = box({2, 0.5f, 2});
    const vec3 n = glm::normalize(vec3(1, 1, 0)), edge(2, 0.5f, 0);
    const mat3 along_z = turn({1, 0, 0}, quarter), along_x = turn({0, 0, 1}, quarter);
    for (const Shape& roll : {capsule(0.7f, 0.2f), cylinder(0.7f, 0.2f)}) {
        CAPTURE(name_of(roll.type));
        {  // along a box's edge
            const MatrixTransform f = placed(edge + 0.2f * n + vec3(0, 0, 1.5f), along_z);
            CHECK_POINTS(contact(table, roll, f, n, edge + vec3(0, 0, 1), 0), f,
                         {{edge + vec3(0, 0, 0.8f), 0}, {edge + vec3(0, 0, 2), 0}});
        }
        {  // over the border of a face: one end on the face, the other at its edge
            const MatrixTransform f = placed({1.8f, 0.7f, 0}, along_x);
            CHECK_POINTS(contact(table, roll, f, up, {1.5f, 0.5f, 0}, 0), f, {{{1.1f, 0.5f, 0}, 0}, {{2, 0.5f, 0}, 0}},
                         2e-3f);
        }
        {  // on its like: parallel, shifted along by 0.4
            const vec3 side(1, 0, 0);
            const MatrixTransform g = placed({0.4f, 0.4f, 0});
            CHECK_POINTS(contact(roll, roll, g, side, {0.2f, 0, 0}, 0), g,
                         {{{0.2f, -0.3f, 0}, 0}, {{0.2f, 0.7f, 0}, 0}});
            // crossing
            const MatrixTransform x = placed({0.4f, 0.1f, 0.2f}, turn({1, 0, 0}, 50 * degree));
            const double s = -0.2 / std::sin(50 * degree);
            const float y = static_cast<float>(0.1 + s * std::cos(50 * degree));
            CHECK_POINTS(contact(roll, roll, x, side, {0.2f, y, 0}, 0), x, {{{0.2f, y, 0}, 0}});
            // 1 degree: still a stretch, centred on the crossing
            const MatrixTransform skew = placed({0.4f, 0, 0}, turn({1, 0, 0}, 1 * degree));
            const Manifold m = contact(roll, roll, skew, side, {0.2f, 0, 0}, 0);
            REQUIRE(m.count == 2);
            CHECK(std::abs(m.points[0].on_a.y + m.points[1].on_a.y) < 0.01f);
            CHECK(std::abs(m.points[0].on_a.y) > 0.3f);
        }
    }
}

TEST_CASE("faces with hundreds of corners are handled, alone and against each other") {
    const Shape drum = prism(300, 1.0f, 0.5f), crate = box({0.3f, 0.3f, 0.3f});
    const MatrixTransform inside = placed({0.1f, 0.8f, 0.2f});
    CHECK_POINTS(
        contact(drum, crate, inside, up, {0.1f, 0.5f, 0.2f}, 0), inside,
        {{{-0.2f, 0.5f, -0.1f}, 0}, {{0.4f, 0.5f, -0.1f}, 0}, {{0.4f, 0.5f, 0.5f}, 0}, {{-0.2f, 0.5f, 0.5f}, 0}});
    for (int corners : {63, 64, 65, 300}) {
        CAPTURE(corners);
        const Shape other = prism(corners, 1.0f, 0.5f);
        for (float shift : {0.0f, 0.5f, 1.5f}) {
            CAPTURE(shift);
            const MatrixTransform f = placed({shift, 0.999f, 0}, turn({0, 1, 0}, 0.01));
            const Manifold m = contact(drum, other, f, up, {shift / 2, 0.4995f, 0}, -0.001f);
            REQUIRE(m.count >= 3);
            const float tips = 2 * std::sqrt(1 - shift * shift / 4), width = 2 - shift;
            CHECK(spread(m) >= 0.5f * tips * width * 0.8f);
            for (int i = 0; i < m.count; ++i) {
                CHECK(m.points[i].separation == doctest::Approx(-0.001f).epsilon(1e-2));
                CHECK(std::hypot(m.points[i].on_a.x, m.points[i].on_a.z) <= 1.002f);
                CHECK(std::hypot(m.points[i].on_b.x, m.points[i].on_b.z) <= 1.002f);
            }
        }
    }
}

TEST_CASE("a hull that is a box has a box's manifold") {
    const vec3 half(0.5f, 0.4f, 0.3f);
    const Shape solid = box(half), cloud = hull_of(box_points(half)), floor = box({20, 1, 20});
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        const mat3 r = test::mixed_turn(random);
        float low = 10.0f;
        vec3 lowest(0.0f);
        for (const vec3& p : box_points(half)) {
            const vec3 q = r * p;
            if (q.y < low) low = q.y, lowest = q;
        }
        const MatrixTransform f = placed({0, 1 - low - 0.001f, 0}, r);
        const Manifold m = contact(floor, solid, f, up, {lowest.x, 0.9995f, lowest.z}, -0.001f);
        std::vector<Expected> expected;
        for (int k = 0; k < m.count; ++k) {
            expected.push_back(
                {0.5f * (m.points[k].on_a + transform_point(f, m.points[k].on_b)), m.points[k].separation});
        }
        CHECK(m.count >= 1);
        CHECK_POINTS(contact(floor, cloud, f, up, {lowest.x, 0.9995f, lowest.z}, -0.001f), f, expected);
    }
}

TEST_CASE("points within the margin are kept, and only those, a pair beyond it has none") {
    const Shape a = box({1, 1, 1}), b = box({0.5f, 0.5f, 0.5f});
    const MatrixTransform f = placed({0, 1.51f, 0});
    CHECK(contact(a, b, f, up, {0, 1.005f, 0}, 0.01f, 0.02f).count == 4);
    CHECK(contact(a, b, f, up, {0, 1.005f, 0}, 0.01f, 0.005f).count == 0);
    CHECK(contact(sphere(1), sphere(1), placed({0, 2.01f, 0}), up, {0, 1.005f, 0}, 0.01f, 0.005f).count == 0);
    CHECK(contact(sphere(1), sphere(1), placed({0, 2.01f, 0}), up, {0, 1.005f, 0}, 0.01f, 0.01f).count == 1);
}

TEST_CASE("a witness pair that no feature explains is a contact by itself") {
    // A made-up pair: the faces along the normal do not overlap at all.
    const Shape cube = box({1, 1, 1});
    const MatrixTransform f = placed({5, 2, 0});
    const Manifold m = contact(cube, cube, f, up, {1, 1, 0}, -0.01f);
    REQUIRE(m.count == 1);
    CHECK_FALSE(m.overlaps);
    CHECK(m.points[0].separation == doctest::Approx(-0.01f));
    CHECK(m.points[0].id == 0);
}

TEST_CASE("ids name the features: swapped shapes swap them, either face as reference gives the same") {
    const Shape a = box({1, 1, 1}), b = box({0.5f, 0.5f, 0.5f});
    for (double yaw : {0.0, 0.2, 0.8}) {
        const mat3 r = turn({0, 1, 0}, yaw);
        const vec3 position(0.8f, 1.499f, 0.1f);
        const MatrixTransform f = placed(position, r),
                              inverse = placed(-(glm::transpose(r) * position), glm::transpose(r));
        const vec3 at(0.6f, 0.9995f, 0.1f);
        const Manifold ab = contact(a, b, f, up, at, -0.001f);
        const Manifold ba =
            contact(b, a, inverse, glm::transpose(r) * -up, glm::transpose(r) * (at - position), -0.001f);
        std::vector<std::uint32_t> swapped;
        for (std::uint32_t id : ids(ba)) swapped.push_back((id >> 16) | (id << 16));
        std::sort(swapped.begin(), swapped.end());
        CHECK(ids(ab) == swapped);

        FaceHints by_b;
        by_b.owner = FaceOwner::b;
        const Manifold other = contact(a, b, f, up, at, -0.001f, 0.02f, by_b);
        CHECK(other.face_owner == FaceOwner::b);
        CHECK(ids(ab) == ids(other));
    }
}

TEST_CASE("boxes of equal size stacked edge on edge keep their ids under noise") {
    // Position noise of 1e-4 and rotation noise of 1e-4 rad; the corners coincide except for that noise.
    const Shape crate = box({0.5f, 0.5f, 0.5f});
    Random random(11);
    int kept = 0;
    const int frames = 2000;
    std::vector<std::uint32_t> before;
    for (int i = 0; i < frames; ++i) {
        const mat3 r = turn(random.direction(), 1e-4 * random.unit());
        const MatrixTransform f = placed(vec3(0, 0.999f, 0) + test::narrow(1e-4 * random.direction()), r);
        const Manifold m = contact(crate, crate, f, up, {0, 0.4995f, 0}, -0.001f);
        if (i == 0) before = ids(m);
        CHECK(m.count == 4);
        kept += ids(m) == before;
    }
    CHECK(kept >= frames * 99 / 100);
}

TEST_CASE("a standing cylinder's points do not wander with the noise of its tilt") {
    const Shape can = cylinder(0.5f, 0.4f), floor = box({20, 1, 20});
    Random random(13);
    std::vector<std::uint32_t> before;
    for (int i = 0; i < 1000; ++i) {
        const MatrixTransform f = placed({0, 1.499f, 0}, turn(random.direction(), 3e-4 * random.unit()));
        const Manifold m = contact(floor, can, f, up, {0, 0.9995f, 0}, -0.001f);
        if (i == 0) before = ids(m);
        CHECK(m.count == 4);
        CHECK(ids(m) == before);
        CHECK(spread(m) == doctest::Approx(2 * 0.16).epsilon(0.01));
    }
}

TEST_CASE("zero, huge, tiny and non-finite normals and points have an answer without NaN") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const std::vector<vec3> normals = {{0, 0, 0}, {nan, 0, 0}, {0, inf, 0}, {0, 1e-30f, 0}, {0, 1e30f, 0}, {0, 5, 0}};
    std::vector<Shape> shapes = {sphere(0.5f),
                                 capsule(0.3f, 0.2f),
                                 box({0.5f, 0.5f, 0.5f}),
                                 cylinder(0.5f, 0.5f),
                                 cone(0.5f, 0.5f),
                                 segment({0, -0.5f, 0}, {0, 0.5f, 0}),
                                 triangle({-0.5f, 0.5f, -0.5f}, {0, 0.5f, 0.5f}, {0.5f, 0.5f, -0.5f}),
                                 hull_of(box_points(vec3(0.5f)))};
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            CAPTURE(name_of(a.type));
            CAPTURE(name_of(b.type));
            for (const vec3& normal : normals) {
                FaceHints hints{65535, 65535, FaceOwner::b};
                const Manifold m =
                    make_manifold(a, b, placed({0, 0.99f, 0}), normal, {0, 0.5f, 0}, {0, 0.49f, 0}, 0.02f, hints);
                CHECK(m.count >= 1);
                CHECK(glm::length(m.normal) == doctest::Approx(1.0f));
                for (int i = 0; i < m.count; ++i) {
                    CHECK(is_finite(m.points[i].on_a));
                    CHECK(is_finite(m.points[i].on_b));
                    CHECK(is_finite(m.points[i].separation));
                }
            }
            FaceHints hints;
            CHECK(make_manifold(a, b, placed({nan, 0.99f, 0}), up, {0, 0.5f, 0}, {0, 0.49f, 0}, 0.02f, hints).count ==
                  0);
            CHECK(make_manifold(a, b, placed({0, 0.99f, 0}), up, {nan, 0.5f, 0}, {0, 0.49f, 0}, 0.02f, hints).count ==
                  0);
        }
    }
}
