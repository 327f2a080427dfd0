/// Contacts of solids with convex shapes that are no polyhedra, against the triangles of the solid one by one: in random
/// poses in which they are within the margin of each other, or overlap a little.
///
/// Where they are apart: the smallest separation is the distance; each place at which the distance has a local minimum
/// has a contact; and each contact is what it says, a point on either surface and the distance between them.
/// Where they overlap, by having been moved on from where they touched: when the shape is moved by as little as all
/// contacts ask for, the two part, and that is no farther than back to where they touched.
///
/// TALUS_NONCONVEX_SCALE multiplies the poses.

#include "narrowphase/nonconvex/round_contacts.h"
#include "narrowphase/nonconvex/surfaces_cross.h"
#include "narrowphase/tolerances.h"
#include "tests/narrowphase/nonconvex/nonconvex_solids.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/triangles/queries.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;

namespace {

/// A shape of about this size, m.
Shape round_shape(Random& random, int kind, float size) {
    const auto length = [&] { return size * static_cast<float>(random.between(0.3, 1.0)); };
    const float a = length(), b = length(), c = length();
    switch (kind) {
        case 0:
            return sphere(a);
        case 1:
            return capsule(a, b);
        case 2:
            return cylinder(a, b);
        case 3:
            return cone(a, b);
        case 4:
            return rounded(box({a, b, c}), 0.2f * size);
        case 5: {
            const auto made = make_hull(std::vector<vec3>{{a, 0, 0}, {-a, 0, 0}, {0, b, 0}, {0, -b, 0}, {0, 0, c}});
            REQUIRE(bool(made));
            return rounded(hull(*made), 0.2f * size);
        }
        default: {
            const auto made = ellipsoid({a, b, c});
            REQUIRE_MESSAGE(bool(made), made.error().message);
            return *made;
        }
    }
}
constexpr int kinds = 7;

/// A place on the solid where a triangle is nearest to the shape.
struct Nearest {
    float separation;
    vec3 on_solid, on_shape, normal;  ///< in the solid's frame; normal: of the contact, from the solid to the shape
};

std::vector<Nearest> nearest_of_triangles(const TriangleSet& solid, const Shape& shape, const Transform& pose) {
    std::vector<Nearest> all;
    for (std::uint32_t t = 0; t < solid.size(); ++t) {
        const SetTriangle at = solid.triangle(t);
        SimplexCache cache;
        const SeparationResult found =
            separation(triangle(at.points[0], at.points[1], at.points[2]), shape, to_matrix_transform(pose), cache);
        all.push_back({found.separation, found.point_a, found.point_b, found.normal});
    }
    return all;
}

float least_of(const std::vector<Nearest>& all) {
    float least = std::numeric_limits<float>::infinity();
    for (const Nearest& each : all) least = std::min(least, each.separation);
    return least;
}

/// The smallest displacement that takes back all overlaps, by projecting on each in turn (Hildreth).
vec3 way_out(const std::vector<FeaturePoint>& points) {
    std::vector<float> pushes(points.size(), 0.0f);
    vec3 way(0.0f);
    for (int round = 0; round < 2000; ++round) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const float missing = -points[i].separation - glm::dot(points[i].normal, way);
            const float push = std::max(pushes[i] + missing, 0.0f);
            way += (push - pushes[i]) * points[i].normal;
            pushes[i] = push;
        }
    }
    return way;
}

/// Moves the shape along a direction until it nearly touches, from outside. Returns false if it passes by.
bool move_to_touch(const TriangleSet& solid, const Shape& shape, const vec3& direction, float close, float most,
                   Transform& pose) {
    float moved = 0.0f;
    for (int step = 0; step < 500 && moved < most; ++step) {
        const float distance = least_of(nearest_of_triangles(solid, shape, pose));
        if (distance <= close) return distance > 0.0f;
        pose.position += distance * direction;
        moved += distance;
    }
    return false;
}

struct Case {
    const SolidSurface& solid;
    Shape shape;
    float size;  ///< of the smaller one, m
    Transform pose;
    vec3 direction;
};

/// A solid and a shape that has been moved until it nearly touches.
template <class Visit>
void for_each_case(std::uint64_t seed, int count, const Visit& visit) {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(seed);
    for (int round = 0; round < count * nonconvex_scale(); ++round) {
        const SolidSurface& solid = any_of(all, random);
        const int kind = random.below(kinds);
        const float scale = std::exp(static_cast<float>(random.between(-2.5, 3.0)));
        const Shape shape = round_shape(random, kind, scale * solid.size);
        const float radius = bounding_radius(shape), size = std::min(solid.size, scale * solid.size);
        const vec3 direction(random.direction());
        const vec3 beside = solid.size * vec3(random.direction()) * static_cast<float>(random.between(0.0, 1.0));
        Transform pose{center(solid.set->bounds()) + beside - (2.0f * solid.size + radius) * direction,
                       any_orientation(random)};
        CAPTURE(round);
        CAPTURE(solid.solid.name);
        CAPTURE(kind);
        CAPTURE(scale);
        if (!move_to_touch(*solid.set, shape, direction, 1e-4f * size, 4.0f * (radius + solid.size), pose)) continue;
        visit(Case{solid, shape, size, pose, direction}, random);
    }
}

std::vector<FeaturePoint> contacts_of(const Case& c, const Transform& found_at, float reach, float margin) {
    RoundCandidates candidates;
    candidates.find(*c.solid.set, c.shape, to_matrix_transform(found_at), margin + reach);
    FeatureLimits limits;
    limits.room = 1e-4f * c.size;
    limits.sure = 0.005f * c.size;
    std::vector<FeaturePoint> points;
    candidates.evaluate(*c.solid.set, c.shape, to_matrix_transform(c.pose), margin, limits, points);
    return points;
}

}  // namespace

TEST_CASE("contacts of a solid with a round shape are all places where the distance is least") {
    int cases = 0, minima = 0;
    for_each_case(201, 300, [&](Case c, Random& random) {
        const float margin = 0.1f * c.size, room = 4e-4f * c.size + 2e-6f * bounding_radius(c.shape);
        const vec3 back = -c.direction * static_cast<float>(random.between(0.0, 0.08)) * c.size;
        c.pose.position += back;
        const std::vector<Nearest> all = nearest_of_triangles(*c.solid.set, c.shape, c.pose);
        const float distance = least_of(all);
        if (!(distance > room && distance <= 0.9f * margin)) return;
        ++cases;
        // The candidates were found before a small motion.
        Transform before = c.pose;
        before.position += 0.02f * c.size * vec3(random.direction());
        const std::vector<FeaturePoint> points = contacts_of(c, before, 0.02f * c.size, margin);
        REQUIRE(!points.empty());
        CHECK(std::abs(points.back().separation - distance) <= room);
        for (const FeaturePoint& p : points) {
            CHECK(p.separation >= distance - room);
            const vec3 on_b = transform_point(c.pose, p.on_b);
            CHECK(glm::length(on_b - p.on_a - p.separation * p.normal) <= 4.0f * room);  // lines up to 1 degree apart
            CHECK(nearest(*c.solid.set, p.on_a).distance <= room);
            CHECK(std::abs(distance_from_shape(c.shape, p.on_b).separation) <= room);
        }
        for (const Nearest& each : all) {
            if (each.separation > 0.9f * margin) continue;
            const vec3& at = each.on_solid;
            if (is_inside(*c.solid.set, at + 0.005f * (each.on_shape - at))) continue;
            bool is_least = true;
            for (std::uint32_t t = 0; t < c.solid.set->size() && is_least; ++t) {
                const SetTriangle other = c.solid.set->triangle(t);
                SimplexCache cache;
                Shape point = sphere(1.0f);
                point.radius = 0.0f;
                const float to = separation(triangle(other.points[0], other.points[1], other.points[2]), point,
                                            MatrixTransform{at, mat3(1.0f)}, cache)
                                     .separation;
                if (to <= 0.01f * c.size) is_least = all[t].separation >= each.separation - 0.25f * room;
            }
            if (!is_least) continue;
            ++minima;
            const bool has_contact = std::any_of(points.begin(), points.end(), [&](const FeaturePoint& p) {
                return glm::dot(p.normal, each.normal) > 0.98f && p.separation <= each.separation + room;
            });
            CAPTURE(each.separation);
            CHECK(has_contact);
        }
    });
    MESSAGE(cases << " poses, " << minima << " minima");
    CHECK(cases > 100);
}

TEST_CASE("a round shape that overlaps a solid a little is pushed out where it came in") {
    // Sharp tips that are in deeper than they are thick have more than one way out: those of cones, and of a pyramid.
    int cases = 0, farther = 0, unsolved = 0;
    for_each_case(202, 300, [&](Case c, Random& random) {
        const float depth = c.size * static_cast<float>(random.between(0.001, 0.02)), room = 5e-4f * c.size;
        c.pose.position += depth * c.direction;
        if (!overlaps(*c.solid.set, c.shape, to_matrix_transform(c.pose))) return;
        ++cases;
        const vec3 way = way_out(contacts_of(c, c.pose, 0.0f, 0.05f * c.size));
        const float length = glm::length(way);
        if (length > depth + room) ++farther;
        Transform out = c.pose;
        out.position += way * (1.0f + room / std::max(length, room));
        if (least_of(nearest_of_triangles(*c.solid.set, c.shape, out)) < -0.1f * depth - room) ++unsolved;
    });
    MESSAGE(cases << " poses; " << farther << " pushed farther than they came in, " << unsolved << " not apart then");
    CHECK(cases > 100);
    CHECK(100 * farther <= cases);
    CHECK(100 * unsolved <= cases);
}
