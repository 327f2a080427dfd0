/// Rays, moving shapes and nearest points on meshes, compared with all triangles one by one, to the bit.

#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>
#include "common/number_text.h"
#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/triangles/surface_contact.h"
#include "narrowphase/triangles/sweep_past.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace talus;
using glm::dvec3;
using test::Random;

namespace {

constexpr int kinds = 7;

/// Meshes as they are and as they should not be: bumpy ground, loose triangles, slivers, triangles in one plane, very
/// small ones, ones far from the origin, ones of very different sizes.
std::shared_ptr<const TriangleSet> some_mesh(Random& random, int kind, bool two_sided) {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    if (kind == 0) {
        constexpr std::uint32_t cells = 12;
        for (std::uint32_t j = 0; j <= cells; ++j) {
            for (std::uint32_t i = 0; i <= cells; ++i)
                vertices.push_back({float(i) - 6.0f, random.real(-0.5f, 0.5f), float(j) - 6.0f});
        }
        for (std::uint32_t j = 0; j < cells; ++j) {
            for (std::uint32_t i = 0; i < cells; ++i) {
                const std::uint32_t a = j * (cells + 1) + i, c = a + cells + 1;
                for (const std::uint32_t v : {a, c, c + 1, a, c + 1, a + 1}) indices.push_back(v);
            }
        }
    } else {
        for (std::uint32_t t = 0; t < 150; ++t) {
            const vec3 at = random.point(-5.0f, 5.0f);
            float size = 1.0f;
            if (kind == 6) size = float(random.scale(1e-3, 1e2));
            for (int i = 0; i < 3; ++i) {
                vec3 p = at + size * random.point(-1.0f, 1.0f);
                if (kind == 2 && i > 0) p = vertices.back() + vec3(0.0f, 4.0f * float(i), 1e-3f * float(i * i));
                if (kind == 3) p.y = 0.25f;
                if (kind == 4) p *= 1e-4f;
                if (kind == 5) p += vec3(8e5f, -8e5f, 8e5f);
                indices.push_back(std::uint32_t(vertices.size()));
                vertices.push_back(p);
            }
        }
    }
    const auto made = make_mesh({.vertices = vertices, .indices = indices, .two_sided = two_sided});
    REQUIRE_MESSAGE(bool(made), made.error().message);
    return *made;
}

/// A mesh that has only what each set must have: the slow ways of TriangleSet.
class Slow final : public TriangleSet {
public:
    explicit Slow(std::shared_ptr<const TriangleSet> mesh) : mesh_(std::move(mesh)) {
        bounds_ = mesh_->bounds();
        size_ = mesh_->size();
        two_sided_ = mesh_->is_two_sided();
    }
    SetTriangle triangle(std::uint32_t t) const override { return mesh_->triangle(t); }
    std::uint32_t source(std::uint32_t t) const override { return mesh_->source(t); }
    void find(const Aabb& box, std::vector<std::uint32_t>& found) const override { mesh_->find(box, found); }
    void cast(const vec3& origin, const vec3& translation, const vec3& half, CastVisitor visit) const override {
        mesh_->cast(origin, translation, half, visit);
    }
    void around(std::uint32_t t, int corner, PointVisitor visit) const override { mesh_->around(t, corner, visit); }
    std::size_t bytes() const override { return 0; }

private:
    std::shared_ptr<const TriangleSet> mesh_;
};

std::string numbers(const vec3& v) { return detail::text(v.x) + " " + detail::text(v.y) + " " + detail::text(v.z); }

/// Farther away, the tolerances of casts and the rounding of distances are larger than the meshes.
constexpr float sane = 1e9f;
float largest(const vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

struct Way {
    vec3 from, translation;
};

/// From anywhere or from a corner or an edge, to a point of a triangle or anywhere; along the axes, very short or long.
Way some_way(Random& random, const TriangleSet& mesh) {
    const SetTriangle s = mesh.triangle(random.below(mesh.size())), e = mesh.triangle(random.below(mesh.size()));
    const vec3 extent = mesh.bounds().upper - mesh.bounds().lower;
    const float size = std::max({extent.x, extent.y, extent.z});
    Way way{center(mesh.bounds()) + size * random.point(-1.0f, 1.0f), size * random.point(-1.5f, 1.5f)};
    if (random.chance(0.2)) way.from = s.points[0];
    if (random.chance(0.2)) way.from = 0.5f * (s.points[0] + s.points[1]);
    if (random.chance(0.1)) way.from = (s.points[0] + s.points[1] + s.points[2]) / 3.0f;
    if (random.chance(0.6)) {
        const vec3 target[] = {e.points[0], 0.5f * (e.points[0] + e.points[1]),
                               (e.points[0] + e.points[1] + e.points[2]) / 3.0f};
        way.translation = (random.chance(0.3) ? 1.0f : 1.7f) * (target[random.below(3)] - way.from);
    }
    if (random.chance(0.3)) way.translation[random.below(3)] = 0.0f;
    if (random.chance(0.2)) way.translation[random.below(3)] = random.chance(0.5) ? -0.0f : 1e-38f;
    if (random.chance(0.1)) way.translation *= 1e-20f;
    if (random.chance(0.1)) way.translation *= 1e15f;
    if (random.chance(0.1)) way.from -= 1e3f * way.translation, way.translation *= 1.5e3f;
    if (random.chance(0.02)) way.from *= 1e12f;
    return way;
}

/// The fraction at which a ray hits a triangle, or a negative number: Woop, Benthin and Wald 2013, plain.
double plain_hit(const Way& way, const SetTriangle& s) {
    const dvec3 d(way.translation), size = glm::abs(d);
    const int along = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const int i = (along + 1) % 3, j = (along + 2) % 3;
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
        const dvec3 p = dvec3(s.points[k]) - dvec3(way.from);
        x[k] = p[i] - d[i] / d[along] * p[along];
        y[k] = p[j] - d[j] / d[along] * p[along];
        z[k] = p[along] * (1.0 / d[along]);
    }
    const double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return -1.0;
    const double sum = u + v + w;
    return sum == 0.0 ? -1.0 : (u * z[0] + v * z[1] + w * z[2]) / sum;
}

TriangleRayHit plain_ray_cast(const TriangleSet& mesh, const Way& way) {
    TriangleRayHit best;
    double least = 2.0;
    for (std::uint32_t t = 0; t < mesh.size(); ++t) {
        const SetTriangle s = mesh.triangle(t);
        const double at = plain_hit(way, s), along = glm::dot(dvec3(s.normal), dvec3(way.translation));
        if (!(at >= 0.0) || at > 1.0 || at >= least || (!mesh.is_two_sided() && along >= 0.0)) continue;
        least = at;
        best = {true, float(at), along > 0.0 ? -s.normal : s.normal, t};
    }
    return best;
}

void check_same(const TriangleRayHit& hit, const TriangleRayHit& expected) {
    REQUIRE(hit.hit == expected.hit);
    CHECK(hit.fraction == expected.fraction);
    CHECK(hit.normal == expected.normal);
    CHECK(hit.triangle == expected.triangle);
}

}  // namespace

TEST_CASE("a ray hits the triangle of a mesh that a plain test of all triangles finds, to the bit") {
    Random random(3201);
    int hits = 0, at_start = 0, rays = 0;
    for (int k = 0; k < 4 * kinds; ++k) {
        CAPTURE(k);
        const auto mesh = some_mesh(random, k % kinds, random.chance(0.5));
        const Slow slow(mesh);
        for (int q = 0; q < 500; ++q) {
            const Way way = some_way(random, *mesh);
            if (way.translation == vec3(0.0f)) continue;
            CAPTURE(numbers(way.from));
            CAPTURE(numbers(way.translation));
            const TriangleRayHit expected = plain_ray_cast(*mesh, way);
            check_same(ray_cast(*mesh, way.from, way.translation), expected);
            check_same(ray_cast(slow, way.from, way.translation), expected);
            ++rays;
            hits += expected.hit;
            at_start += expected.hit && expected.fraction == 0.0f;
        }
    }
    CHECK(rays > 10000);
    CHECK(hits > rays / 4);
    CHECK(at_start > 100);
}

TEST_CASE("a ray that is not finite or does not move hits no mesh") {
    Random random(3202);
    const auto mesh = some_mesh(random, 0, true);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        for (int axis = 0; axis < 3; ++axis) {
            vec3 from(0.0f, 5.0f, 0.0f), way(0.0f, -10.0f, 0.0f);
            CHECK(ray_cast(*mesh, from, way).hit);
            way[axis] = bad;
            CHECK_FALSE(ray_cast(*mesh, from, way).hit);
            way = vec3(0.0f, -10.0f, 0.0f);
            from[axis] = -bad;
            CHECK_FALSE(ray_cast(*mesh, from, way).hit);
            CHECK_FALSE(nearest(*mesh, from).found);
        }
    }
    CHECK_FALSE(ray_cast(*mesh, mesh->triangle(0).points[0], vec3(0.0f)).hit);
}

TEST_CASE("the nearest point of a mesh is the nearest of all triangles, to the bit") {
    Random random(3203);
    int found = 0;
    for (int k = 0; k < 4 * kinds; ++k) {
        CAPTURE(k);
        const auto mesh = some_mesh(random, k % kinds, random.chance(0.5));
        const Slow slow(mesh);
        for (int q = 0; q < 150; ++q) {
            const Way way = some_way(random, *mesh);
            const vec3 p = random.chance(0.5) ? way.from : way.from + 1e-3f * way.translation;
            if (largest(p) > sane) continue;
            CAPTURE(numbers(p));
            NearestOnTriangles expected;
            for (std::uint32_t t = 0; t < mesh->size(); ++t) {
                const detail::PlacedTriangle placed = detail::place_triangle(*mesh, t);
                const ClosedForm form = closed_form(placed.shape, Shape{}, MatrixTransform{p - placed.middle});
                if (expected.found && form.separation >= expected.distance) continue;
                expected = {true, form.point_a + placed.middle, form.separation, t};
            }
            const float limit = random.chance(0.5) ? std::numeric_limits<float>::infinity()
                                                   : random.real(0.0f, 2.0f) * expected.distance;
            if (!(expected.distance <= limit)) expected = {};
            found += expected.found;
            for (const TriangleSet* set : {mesh.get(), static_cast<const TriangleSet*>(&slow)}) {
                const NearestOnTriangles near = nearest(*set, p, limit);
                REQUIRE(near.found == expected.found);
                CHECK(near.distance == expected.distance);
                CHECK(near.triangle == expected.triangle);
                CHECK(near.point == expected.point);
            }
        }
    }
    CHECK(found > 2000);
}

TEST_CASE("a shape that moves is stopped by the triangle at which it arrives first of all, to the bit") {
    Random random(3204);
    int hits = 0, passed = 0, tested = 0;
    for (int k = 0; k < 3 * kinds; ++k) {
        CAPTURE(k);
        const auto mesh = some_mesh(random, k % kinds, random.chance(0.5));
        const vec3 extent = mesh->bounds().upper - mesh->bounds().lower;
        const float size = 0.05f * std::max({extent.x, extent.y, extent.z});
        const Shape shapes[] = {sphere(size), box(size * vec3(1.0f, 0.4f, 0.7f)), capsule(size, 0.3f * size)};
        for (int q = 0; q < 40; ++q) {
            const Shape& shape = shapes[q % 3];
            const Way way = some_way(random, *mesh);
            const vec3 axis(random.direction());
            const quat turn = glm::angleAxis(random.real(0.0f, 3.0f), axis);
            const MatrixTransform frame = to_matrix_transform({way.from, turn});
            const float target = random.chance(0.3) ? 0.3f * size : 0.0f;
            CAPTURE(numbers(way.from));
            CAPTURE(numbers(way.translation));
            const Aabb around = transform_box(frame, bounds(shape));
            if (largest(way.from) > sane || largest(way.translation) > sane) continue;
            const vec3 half = half_extents(around);
            const detail::SweepPast sweep(center(around), half, std::sqrt(length_squared(half)), way.translation,
                                          target);
            TriangleCastResult expected;
            for (std::uint32_t t = 0; t < mesh->size(); ++t) {
                const detail::PlacedTriangle placed = detail::place_triangle(*mesh, t);
                MatrixTransform at = frame;
                at.position -= placed.middle;
                const float height = glm::dot(at.position - placed.shape.points[0], placed.surface.normal);
                if (!mesh->is_two_sided() && height < 0.0f) continue;
                const ShapeCastResult cast = shape_cast(placed.shape, shape, at, way.translation, target);
                const bool passes = sweep.passes(mesh->points(t), 1.0f);
                passed += passes;
                ++tested;
                if (!cast) continue;
                CHECK_FALSE(passes);
                CHECK_FALSE(sweep.passes(mesh->points(t), std::nextafter(cast.fraction, 2.0f)));
                if (!expected || std::tie(cast.fraction, cast.separation) <
                                     std::tie(expected.cast.fraction, expected.cast.separation))
                    expected = {cast, t};
            }
            const TriangleCastResult hit = shape_cast(*mesh, shape, frame, way.translation, target);
            REQUIRE(bool(hit) == bool(expected));
            hits += bool(hit);
            CHECK(hit.cast.fraction == expected.cast.fraction);
            CHECK(hit.cast.separation == expected.cast.separation);
            CHECK(hit.triangle == expected.triangle);
        }
    }
    CHECK(hits > 200);
    CHECK(passed > tested / 2);
}
