/// Sets of triangles: searches, neighbours, rays and casts, compared with slow and simple methods.

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>
#include "narrowphase/analytic/closed_forms.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace talus;

namespace {

class Draw {
public:
    explicit Draw(unsigned seed) : bits_(seed) {}
    float between(float low, float high) { return low + (high - low) * static_cast<float>(bits_() >> 8) * 0x1p-24f; }
    vec3 in_box(float half) {
        const float x = between(-half, half), y = between(-half, half), z = between(-half, half);
        return {x, y, z};
    }

private:
    std::mt19937 bits_;
};

struct Soup {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    void add(const vec3& a, const vec3& b, const vec3& c) {
        for (const vec3& p : {a, b, c}) {
            indices.push_back(static_cast<std::uint32_t>(vertices.size()));
            vertices.push_back(p);
        }
    }
    std::shared_ptr<const TriangleSet> mesh(bool two_sided = false) const {
        const auto made = make_mesh({.vertices = vertices, .indices = indices, .two_sided = two_sided});
        REQUIRE_MESSAGE(bool(made), made.error().message);
        return *made;
    }
};

/// A subdivided octahedron, deformed to a bumpy sphere: closed, front outward.
Soup ball(int rounds, float bumps, Draw& draw) {
    std::vector<std::array<vec3, 3>> faces;
    const vec3 x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
    for (const float sx : {1.0f, -1.0f}) {
        for (const float sy : {1.0f, -1.0f}) {
            for (const float sz : {1.0f, -1.0f}) {
                std::array<vec3, 3> face{sx * x, sy * y, sz * z};
                if (sx * sy * sz < 0.0f) std::swap(face[1], face[2]);
                faces.push_back(face);
            }
        }
    }
    for (int k = 0; k < rounds; ++k) {
        std::vector<std::array<vec3, 3>> finer;
        for (const auto& [a, b, c] : faces) {
            const vec3 ab = glm::normalize(a + b), bc = glm::normalize(b + c), ca = glm::normalize(c + a);
            for (const auto& face : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
                finer.push_back(face);
        }
        faces = std::move(finer);
    }
    std::map<std::tuple<float, float, float>, float> radius;  // one a corner
    Soup soup;
    for (auto& face : faces) {
        for (vec3& p : face) {
            const auto [at, fresh] = radius.try_emplace({p.x, p.y, p.z}, 0.0f);
            if (fresh) at->second = 1.0f + draw.between(-bumps, bumps);
            p *= at->second;
        }
        soup.add(face[0], face[1], face[2]);
    }
    return soup;
}

Aabb box_of(const SetTriangle& t) {
    return {glm::min(t.points[0], glm::min(t.points[1], t.points[2])),
            glm::max(t.points[0], glm::max(t.points[1], t.points[2]))};
}

double length(const glm::dvec3& v) { return std::sqrt(glm::dot(v, v)); }

/// Height fields and the mesh of the same triangles.
struct Ground {
    std::vector<float> heights;
    std::vector<std::uint8_t> holes;
    HeightFieldDef def;
    Soup soup;
    std::vector<std::uint32_t> kept;  ///< by triangle of the soup: its number in the field
    /// One cell in `one_hole_in` is a hole; 0: none.
    Ground(std::uint32_t columns, std::uint32_t rows, Draw& draw, int one_hole_in = 0) {
        for (std::uint32_t k = 0; k < columns * rows; ++k) heights.push_back(draw.between(-1.0f, 1.0f));
        for (std::uint32_t k = 0; k < (columns - 1) * (rows - 1) && one_hole_in != 0; ++k)
            holes.push_back(draw.between(0.0f, static_cast<float>(one_hole_in)) < 1.0f ? 7 : 0);
        def = {.columns = columns,
               .rows = rows,
               .heights = heights,
               .spacing_x = 0.5f,
               .spacing_z = 0.75f,
               .holes = holes};
        const auto at = [&](std::uint32_t i, std::uint32_t j) {
            return vec3(0.5f * static_cast<float>(i), heights[j * columns + i], 0.75f * static_cast<float>(j));
        };
        for (std::uint32_t j = 0; j + 1 < rows; ++j) {
            for (std::uint32_t i = 0; i + 1 < columns; ++i) {
                const std::uint32_t cell = j * (columns - 1) + i;
                if (!holes.empty() && holes[cell] != 0) continue;
                soup.add(at(i, j), at(i, j + 1), at(i + 1, j + 1));
                soup.add(at(i, j), at(i + 1, j + 1), at(i + 1, j));
                kept.insert(kept.end(), {2 * cell, 2 * cell + 1});
            }
        }
    }
};

using Key = std::tuple<float, float, float>;
Key key(const vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

TEST_CASE("a mesh finds exactly the triangles whose boxes overlap in ascending order") {
    Draw draw(1);
    for (int kind = 0; kind < 4; ++kind) {
        Soup soup = kind == 0 ? ball(3, 0.2f, draw) : Soup{};
        for (int i = 0; i < 400 && kind == 1; ++i) {
            const vec3 p = draw.in_box(2.0f), q = p + draw.in_box(0.3f);
            soup.add(p, q, p + draw.in_box(0.3f));
        }
        for (int i = 0; i < 400 && kind == 2; ++i) {  // all long, all across each other
            const vec3 p = draw.in_box(2.0f);
            soup.add(p, -p, draw.in_box(0.01f) + vec3(0.1f));
        }
        for (int i = 0; i < 300 && kind == 3; ++i) {  // all at one place, and ever larger
            const float size = std::pow(1.04f, static_cast<float>(i));
            const vec3 a = draw.in_box(size), b = draw.in_box(size), c = -a - b;
            soup.add(a, b, c);
        }
        const auto mesh = soup.mesh();
        for (int k = 0; k < 200; ++k) {
            const vec3 at = draw.in_box(1.5f), half = glm::abs(draw.in_box(0.5f));
            const Aabb box{at - half, at + half};
            std::vector<std::uint32_t> found, wanted;
            mesh->find(box, found);
            for (std::uint32_t t = 0; t < mesh->size(); ++t) {
                if (overlaps(box_of(mesh->triangle(t)), box)) wanted.push_back(t);
            }
            CHECK(found == wanted);
        }
    }
}

TEST_CASE("a hundred thousand triangles at one place and needles without end are found in time and memory") {
    Draw draw(2);
    Soup soup;
    for (int i = 0; i < 30000; ++i) {
        const vec3 a = draw.in_box(0.01f), b = draw.in_box(0.01f);
        soup.add(a, b, -a - b);  // all boxes have one middle, nearly
        soup.add(vec3(0.0f), vec3(100.0f) + a, vec3(100.0f) + b);
    }
    const auto mesh = soup.mesh();
    std::vector<std::uint32_t> found;
    mesh->find({vec3(99.9f), vec3(100.1f)}, found);
    CHECK(found.size() > 29000);
    CHECK(std::is_sorted(found.begin(), found.end()));
}

TEST_CASE("neighbours and what is around corners are those of the surface whether vertices are shared or not") {
    Draw draw(3);
    const auto mesh = ball(2, 0.3f, draw).mesh();  // a soup: each triangle has corners of its own
    for (std::uint32_t t = 0; t < mesh->size(); ++t) {
        const SetTriangle own = mesh->triangle(t);
        for (int i = 0; i < 3; ++i) {
            const Key p = key(own.points[i]), q = key(own.points[(i + 1) % 3]);
            std::set<Key> beyond, around;
            for (std::uint32_t u = 0; u < mesh->size(); ++u) {
                const SetTriangle other = mesh->triangle(u);
                for (int k = 0; k < 3; ++k) {
                    const Key a = key(other.points[k]), b = key(other.points[(k + 1) % 3]);
                    if (a == q && b == p) beyond.insert(key(other.points[(k + 2) % 3]));
                    if (a == p) around.insert(b), around.insert(key(other.points[(k + 2) % 3]));
                }
            }
            REQUIRE(beyond.size() == 1);
            CHECK(*beyond.begin() == key(own.beyond[i]));
            std::set<Key> visited;
            mesh->around(t, i, [&](const vec3& point) { visited.insert(key(point)); });
            CHECK(visited == around);
        }
    }
}

TEST_CASE("where three triangles share an edge the one that rises most is the neighbour") {
    Soup soup;
    const vec3 p(0, 0, 0), q(0, 0, 1);
    soup.add(q, p, {-1, 0, 0.5f});       // level, to the left, front up
    soup.add(p, q, {1, -0.5f, 0.5f});    // falls
    soup.add(p, q, {0.5f, 0.8f, 0.5f});  // rises
    const auto mesh = soup.mesh();
    for (std::uint32_t t = 0; t < 3; ++t) {
        if (mesh->source(t) != 0) continue;
        CHECK(mesh->triangle(t).normal.y > 0.9f);
        CHECK(key(mesh->triangle(t).beyond[0]) == Key(0.5f, 0.8f, 0.5f));
        CHECK(key(mesh->triangle(t).beyond[1]) == key(mesh->triangle(t).points[0]));  // the surface ends
    }
    // A triangle that faces the opposite way is a neighbour only in a two-sided mesh.
    Soup turned;
    turned.add(q, p, {-1, 0, 0.5f});
    turned.add(q, p, {1, 0, 0.5f});
    CHECK(key(turned.mesh(false)->triangle(0).beyond[0]) == key(turned.mesh(false)->triangle(0).points[2]));
    CHECK(key(turned.mesh(true)->triangle(0).beyond[0]) != key(turned.mesh(true)->triangle(0).points[2]));
}

// Each was compared with each: 20,000 triangles at one edge took a minute.
TEST_CASE("where thousands of triangles share an edge the next one on the front's side is the neighbour") {
    test::Random random(77);
    for (const bool two_sided : {false, true}) {
        for (const int count : {17, 40, 200, 20000}) {
            std::vector<vec3> vertices{{0, 0, 0}, {0, 0, 1}};
            std::vector<std::uint32_t> indices;
            std::vector<double> angles;
            std::vector<bool> rising;
            const double pi = 3.14159265358979;
            for (int i = 0; i < count; ++i) {
                // Not nearer to each other than a triangle's front is to its back.
                const double angle = 2.0 * pi * (i + 0.4 * random.unit()) / count, radius = random.between(0.5, 2.0);
                const auto corner = static_cast<std::uint32_t>(vertices.size());
                vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), random.unit());
                const bool rises = random.chance(count == 40 ? 0.05 : 0.5);  // also few among many
                for (const std::uint32_t v : {rises ? 0u : 1u, rises ? 1u : 0u, corner}) indices.push_back(v);
                angles.push_back(angle);
                rising.push_back(rises);
            }
            const auto mesh = make_mesh({.vertices = vertices, .indices = indices, .two_sided = two_sided});
            REQUIRE(mesh);
            const TriangleSet& set = **mesh;
            for (std::uint32_t t = 0; t<set.size(); t += count> 1000 ? 97 : 1) {
                const std::size_t own = set.source(t);
                std::size_t next = own;
                double least = 7.0;
                for (std::size_t k = 0; k < angles.size(); ++k) {
                    if (k == own || (!two_sided && rising[k] == rising[own])) continue;
                    // A triangle from 0 to 1 to its corner has its front towards greater angles.
                    double beyond = rising[own] ? angles[k] - angles[own] : angles[own] - angles[k];
                    if (beyond < 0.0) beyond += 2.0 * pi;
                    if (beyond < least) least = beyond, next = k;
                }
                const SetTriangle triangle = set.triangle(t);
                for (int i = 0; i < 3; ++i) {
                    const vec3 &p = triangle.points[i], &q = triangle.points[(i + 1) % 3];
                    if (p.x == 0.0f && p.y == 0.0f && q.x == 0.0f && q.y == 0.0f)
                        CHECK(triangle.beyond[i] == vertices[2 + next]);
                }
            }
        }
    }
}

// A flat triangle in whose plane the shape moved was not looked at.
TEST_CASE("what slides in the plane of a level mesh meets its triangles") {
    const std::vector<vec3> vertices{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}};
    const std::vector<std::uint32_t> indices{0, 1, 2, 2, 1, 3};
    const auto mesh = make_mesh({.vertices = vertices, .indices = indices});
    REQUIRE(mesh);
    int visited = 0;
    (*mesh)->cast({0.25f, 0.0f, -1.0f}, {0, 0, 3}, vec3(0.0f), [&](std::uint32_t, float most) {
        ++visited;
        return most;
    });
    CHECK(visited == 2);
    const TriangleCastResult hit =
        shape_cast(**mesh, segment({-0.1f, 0, 0}, {0.1f, 0, 0}), MatrixTransform{vec3(0.5f, 0.0f, -1.0f)}, {0, 0, 3});
    REQUIRE(hit);
    CHECK(hit.cast.fraction == doctest::Approx(1.0 / 3.0));
    std::vector<std::uint32_t> found;
    const float infinite = std::numeric_limits<float>::infinity();
    (*mesh)->find({vec3(-infinite), vec3(infinite)}, found);
    CHECK(found.empty());  // as the header says
}

TEST_CASE("a height field is the mesh of its triangles") {
    Draw draw(4);
    for (const auto& [columns, rows, one_hole_in] :
         {std::tuple{2u, 2u, 0}, {9u, 6u, 0}, {17u, 33u, 0}, {9u, 6u, 4}, {17u, 33u, 2}}) {
        const Ground ground(columns, rows, draw, one_hole_in);
        const auto made = make_height_field(ground.def);
        REQUIRE(made);
        const TriangleSet& field = **made;
        const auto mesh = ground.soup.mesh();
        REQUIRE(field.size() == 2 * (columns - 1) * (rows - 1));
        REQUIRE(ground.kept.size() == mesh->size());
        CHECK(std::set<std::uint32_t>(ground.kept.begin(), ground.kept.end()).size() == mesh->size());
        std::uint32_t solid = 0;
        for (std::uint32_t t = 0; t < field.size(); ++t) solid += field.is_hole(t) ? 0 : 1;
        CHECK(solid == mesh->size());
        CHECK(field.bounds().lower == mesh->bounds().lower);
        CHECK(field.bounds().upper == mesh->bounds().upper);
        for (std::uint32_t t = 0; t < mesh->size(); ++t) {
            const std::uint32_t in_field = ground.kept[mesh->source(t)];
            CHECK_FALSE(field.is_hole(in_field));
            const SetTriangle a = field.triangle(in_field), b = mesh->triangle(t);
            CHECK(length(glm::dvec3(a.normal) - glm::dvec3(b.normal)) < 1e-5);
            for (int i = 0; i < 3; ++i) {
                int k = 0;  // the mesh may begin with another corner
                while (k < 3 && key(b.points[k]) != key(a.points[i])) ++k;
                REQUIRE(k < 3);
                CHECK(key(a.beyond[i]) == key(b.beyond[k]));
                std::set<Key> of_field, of_mesh;
                field.around(in_field, i, [&](const vec3& p) { of_field.insert(key(p)); });
                mesh->around(t, k, [&](const vec3& p) { of_mesh.insert(key(p)); });
                if (one_hole_in == 0) CHECK(of_field == of_mesh);
                // Two sheets that touch in that corner only: the mesh visits its own one at least.
                CHECK(std::includes(of_field.begin(), of_field.end(), of_mesh.begin(), of_mesh.end()));
            }
        }
        for (int k = 0; k < 200; ++k) {
            const vec3 at = draw.in_box(8.0f), half = glm::abs(draw.in_box(1.5f));
            const Aabb box{at - half, at + half};
            std::vector<std::uint32_t> a, b;
            field.find(box, a);
            mesh->find(box, b);
            for (std::uint32_t& t : b) t = ground.kept[mesh->source(t)];
            std::sort(b.begin(), b.end());
            CHECK(a == b);
            const vec3 from = draw.in_box(10.0f) + vec3(4, 0, 8), way = draw.in_box(20.0f);
            const TriangleRayHit x = ray_cast(field, from, way), y = ray_cast(*mesh, from, way);
            CHECK(x.hit == y.hit);
            CHECK(x.fraction == doctest::Approx(y.fraction));
        }
    }
}

TEST_CASE("no ray from inside a closed mesh gets out through an edge or a corner") {
    Draw draw(5);
    const auto mesh = ball(3, 0.2f, draw).mesh(true);
    const vec3 from(0.1f, -0.05f, 0.2f);
    int rays = 0;
    for (std::uint32_t t = 0; t < mesh->size(); ++t) {
        const SetTriangle s = mesh->triangle(t);
        for (int i = 0; i < 3; ++i) {
            for (const float along : {0.0f, 0.5f, 0.3f, draw.between(0.0f, 1.0f)}) {
                const vec3 target = s.points[i] + along * (s.points[(i + 1) % 3] - s.points[i]);
                const TriangleRayHit hit = ray_cast(*mesh, from, 3.0f * (target - from));
                CHECK(hit.hit);
                ++rays;
            }
        }
    }
    CHECK(rays > 6000);
}

TEST_CASE("rays meet the nearest of all triangles that face them") {
    Draw draw(6);
    for (const bool two_sided : {false, true}) {
        const auto mesh = ball(3, 0.4f, draw).mesh(two_sided);
        for (int k = 0; k < 400; ++k) {
            const vec3 from = draw.in_box(2.0f), way = draw.in_box(4.0f);
            double least = 2.0;
            for (std::uint32_t t = 0; t < mesh->size(); ++t) {
                const SetTriangle s = mesh->triangle(t);
                const glm::dvec3 a(s.points[0]), b(s.points[1]), c(s.points[2]), d(way), o(from);
                const glm::dvec3 n = glm::cross(b - a, c - a);
                const double along = glm::dot(d, n), at = glm::dot(a - o, n) / along;
                if ((!two_sided && along >= 0.0) || !(at >= 0.0 && at <= 1.0)) continue;
                const glm::dvec3 x = o + at * d;
                if (glm::dot(glm::cross(b - a, x - a), n) < 0.0 || glm::dot(glm::cross(c - b, x - b), n) < 0.0 ||
                    glm::dot(glm::cross(a - c, x - c), n) < 0.0)
                    continue;
                least = std::min(least, at);
            }
            const TriangleRayHit hit = ray_cast(*mesh, from, way);
            REQUIRE(hit.hit == (least <= 1.0));
            if (!hit.hit) continue;
            CHECK(hit.fraction == doctest::Approx(least).epsilon(1e-5));
            CHECK(glm::dot(hit.normal, way) < 0.0f);
        }
    }
}

TEST_CASE("a shape is stopped where the first of all triangles stops it") {
    Draw draw(7);
    const auto mesh = ball(3, 0.3f, draw).mesh(true);
    const Shape shapes[] = {sphere(0.2f), box({0.2f, 0.1f, 0.15f}), capsule(0.2f, 0.1f)};
    for (int k = 0; k < 150; ++k) {
        const Shape& shape = shapes[k % 3];
        MatrixTransform frame;
        frame.position = 3.0f * glm::normalize(draw.in_box(1.0f));
        const vec3 way = -1.8f * frame.position + draw.in_box(1.5f);
        float least = 2.0f;
        for (std::uint32_t t = 0; t < mesh->size(); ++t) {
            const SetTriangle s = mesh->triangle(t);
            const ShapeCastResult one = shape_cast(triangle(s.points[0], s.points[1], s.points[2]), shape, frame, way);
            if (one) least = std::min(least, one.fraction);
        }
        const TriangleCastResult hit = shape_cast(*mesh, shape, frame, way);
        CHECK(bool(hit) == (least <= 1.0f));
        if (hit) CHECK(hit.cast.fraction == doctest::Approx(least).epsilon(1e-4));
        CHECK(overlaps(*mesh, shape, frame) == false);
        MatrixTransform inside = frame;
        inside.position = mesh->triangle(static_cast<std::uint32_t>(k)).points[0];
        CHECK(overlaps(*mesh, shape, inside));
    }
}

TEST_CASE("the nearest point of a mesh is that of its nearest triangle") {
    Draw draw(8);
    const auto mesh = ball(3, 0.3f, draw).mesh();
    for (int k = 0; k < 300; ++k) {
        const vec3 p = draw.in_box(k % 10 == 0 ? 30.0f : 2.0f);
        float least = 1e9f;
        for (std::uint32_t t = 0; t < mesh->size(); ++t) {
            const SetTriangle s = mesh->triangle(t);
            least = std::min(
                least,
                closed_form(triangle(s.points[0], s.points[1], s.points[2]), Shape{}, MatrixTransform{p}).separation);
        }
        const NearestOnTriangles near = nearest(*mesh, p);
        REQUIRE(near.found);
        CHECK(near.distance == doctest::Approx(least).epsilon(1e-5));
        CHECK(length(glm::dvec3(near.point) - glm::dvec3(p)) == doctest::Approx(least).epsilon(1e-4));
        CHECK(!nearest(*mesh, p, 0.9f * least).found);
        CHECK(nearest(*mesh, p, 1.1f * least + 1e-6f).found);
    }
}

TEST_CASE("the mass of a closed mesh is exact and an open or inside out one is refused") {
    const auto box_soup = [](Soup& soup, const vec3& h, bool inward) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const float side : {1.0f, -1.0f}) {
                const int u = (axis + 1) % 3, v = (axis + 2) % 3;
                vec3 corner[4];
                for (int k = 0; k < 4; ++k) {
                    corner[k][axis] = side * h[axis];
                    corner[k][u] = (k == 1 || k == 2 ? 1.0f : -1.0f) * h[u];
                    corner[k][v] = (k >= 2 ? 1.0f : -1.0f) * h[v];
                }
                if ((side < 0.0f) != inward) std::swap(corner[1], corner[3]);
                soup.add(corner[0], corner[1], corner[2]);
                soup.add(corner[0], corner[2], corner[3]);
            }
        }
    };
    Soup hollow;
    box_soup(hollow, {1.0f, 0.5f, 0.75f}, false);
    box_soup(hollow, {0.5f, 0.25f, 0.5f}, true);
    const auto mass = mesh_mass_properties(hollow.vertices, hollow.indices, 1000.0f);
    REQUIRE_MESSAGE(bool(mass), mass.error().message);
    const MassProperties outer = mass_properties(box({1.0f, 0.5f, 0.75f}), 1000.0f);
    const MassProperties inner = mass_properties(box({0.5f, 0.25f, 0.5f}), 1000.0f);
    CHECK(mass->mass == doctest::Approx(outer.mass - inner.mass));
    for (int i = 0; i < 3; ++i)
        CHECK(mass->inertia[i][i] == doctest::Approx(outer.inertia[i][i] - inner.inertia[i][i]));
    for (vec3& p : hollow.vertices) p += vec3(1000.0f, 0.0f, -500.0f);
    const auto far = mesh_mass_properties(hollow.vertices, hollow.indices, 1000.0f);
    REQUIRE(far);
    CHECK(far->center.x == doctest::Approx(1000.0));
    CHECK(far->inertia[0][0] == doctest::Approx(mass->inertia[0][0]).epsilon(1e-3));

    Soup inside_out;
    box_soup(inside_out, vec3(1.0f), true);
    CHECK(mesh_mass_properties(inside_out.vertices, inside_out.indices, 1.0f).error().message.find("inward") !=
          std::string::npos);
    Soup open;
    box_soup(open, vec3(1.0f), false);
    open.indices.resize(open.indices.size() - 3);
    CHECK(mesh_mass_properties(open.vertices, open.indices, 1.0f).error().message.find("edge between vertices") !=
          std::string::npos);
    CHECK(!mesh_mass_properties(hollow.vertices, hollow.indices, 0.0f));
}

TEST_CASE("what is no mesh is refused with a sentence and what is degenerate is left out") {
    const std::vector<vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {NAN, 0, 0}, {1e7f, 0, 0}};
    const auto message = [&](std::vector<std::uint32_t> indices, std::size_t count,
                             std::vector<std::uint8_t> materials = {}) {
        const auto made =
            make_mesh({.vertices = std::span(vertices).first(count), .indices = indices, .materials = materials});
        return made ? std::string() : made.error().message;
    };
    CHECK(message({0, 1, 2}, 4).empty());
    CHECK(message({}, 4).find("three for each triangle") != std::string::npos);
    CHECK(message({0, 1}, 4).find("three for each triangle") != std::string::npos);
    CHECK(message({0, 1, 9}, 4).find("index 9 is beyond the 4 vertices") != std::string::npos);
    CHECK(message({0, 1, 3}, 4).find("area") != std::string::npos);
    CHECK(message({0, 1, 2}, 5).find("vertex 4 is (nan, 0, 0); its coordinates must be finite") != std::string::npos);
    CHECK(message({0, 1, 2}, 6).find("vertex 4") != std::string::npos);
    CHECK(message({0, 1, 2}, 4, {1, 2}).find("materials") != std::string::npos);
    const std::vector<std::uint32_t> indices{0, 1, 3, 0, 1, 2, 1, 2, 0, 0, 0, 1, 0, 2, 1};
    const auto made = make_mesh({.vertices = std::span(vertices).first(4), .indices = indices});
    REQUIRE(made);
    REQUIRE((*made)->size() == 2);  // one, and the same from behind
    std::set<std::uint32_t> sources{(*made)->source(0), (*made)->source(1)};
    CHECK(sources == std::set<std::uint32_t>{1, 4});

    const std::vector<float> heights(6, 0.0f);
    CHECK(make_height_field({.columns = 3, .rows = 2, .heights = heights}));
    CHECK(!make_height_field({.columns = 3, .rows = 3, .heights = heights}));
    CHECK(!make_height_field({.columns = 1, .rows = 6, .heights = heights}));
    CHECK(!make_height_field({.columns = 3, .rows = 2, .heights = heights, .spacing_x = 0.0f}));
    CHECK(!make_height_field({.columns = 3, .rows = 2, .heights = std::vector<float>{0, 0, 0, 0, 0, INFINITY}}));
}

TEST_CASE("the messages about a bad mesh or height field give the values that are wrong") {
    // They were "columns and rows must be 2 to 32,769", "spacing must be positive" for 1e-7, and so on.
    const auto says = [](const auto& made, const char* part) {
        REQUIRE_FALSE(bool(made));
        INFO(made.error().message);
        CHECK(made.error().message.find(part) != std::string::npos);
    };
    const std::vector<float> heights(6, 0.0f);
    const auto field = [&](HeightFieldDef def) {
        if (def.columns == 0) def.columns = 3;
        if (def.rows == 0) def.rows = 2;
        if (def.heights.empty()) def.heights = heights;
        return make_height_field(def);
    };
    const std::vector<float> infinite{0, 0, 0, 0, 0, INFINITY}, high{0, 0, 1000001.0f, 0, 0, 0};
    const std::vector<std::uint8_t> three(3), holes(2, 1);
    says(field({.columns = 1, .rows = 40000}), "columns is 1 and rows is 40000; both must be 2 to 32,769");
    says(field({.rows = 3}), "there are 6 heights; there must be columns * rows, 9");
    says(field({.materials = three}), "there are 3 materials; there must be (columns - 1) * (rows - 1), 2");
    says(field({.holes = three}), "there are 3 holes; there must be (columns - 1) * (rows - 1), 2");
    says(field({.holes = holes}), "all its cells are holes");
    says(field({.spacing_x = NAN}), "spacing_x is nan and spacing_z is 1; both must be finite");
    says(field({.spacing_z = 1e-7f}), "spacing_x is 1 and spacing_z is 1e-07 m; both must be at least 1e-6 m");
    says(field({.spacing_x = -2.0f}), "spacing_x is -2");
    says(field({.spacing_x = 1e6f}), "which makes a field of 2e+06 by 1 m");
    says(field({.heights = infinite}), "heights[5] is inf; it must be finite");
    says(field({.heights = high}), "heights[2] is 1000001 m; it must be within 1e6 m");

    const std::vector<vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1000001.0f}};
    const std::vector<std::uint32_t> indices{0, 1, 2}, two{0, 1};
    says(make_mesh({.vertices = vertices, .indices = indices}), "vertex 3 is (0, 0, -1000001) m");
    const auto near = std::span(vertices).first(3);
    says(make_mesh({.vertices = near, .indices = two}), "there are 2 indices; there must be three for each triangle");
    says(make_mesh({.vertices = near, .indices = indices, .materials = three}), "there are 3 materials and 3 indices");
    says(mesh_mass_properties(near, indices, -1.0f), "its density is -1; it must be positive and finite");
    says(mesh_mass_properties(near, indices, NAN), "its density is nan");

    // The mass of a closed mesh was infinite.
    const std::vector<vec3> corners{{0, 0, 0}, {9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    const std::vector<std::uint32_t> closed{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    CHECK(bool(mesh_mass_properties(corners, closed, 1000.0f)));
    says(mesh_mass_properties(corners, closed, 3e38f), "its density is 3e+38 kg/m^3 and its volume about 121.5 m^3");
}
