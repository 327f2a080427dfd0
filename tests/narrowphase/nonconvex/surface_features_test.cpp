/// The trees over surfaces: distances, and the parts of surfaces inside of each other, against all pairs of triangles.

#include "narrowphase/nonconvex/surface_features.h"
#include "narrowphase/nonconvex/node_pairs.h"
#include "narrowphase/nonconvex/seen_sides.h"
#include "narrowphase/nonconvex/surface_walk.h"
#include "narrowphase/nonconvex/surfaces_cross.h"
#include "narrowphase/tolerances.h"
#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/solids.h"
#include "tests/narrowphase/nonconvex/nonconvex_solids.h"
#include "tests/narrowphase/triangles/triangle_oracle.h"

#include <talus/narrowphase/triangles/queries.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;

namespace {

/// Six times the volume of a tetrahedron.
double volume(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c, const glm::dvec3& d) {
    return glm::dot(b - a, glm::cross(c - a, d - a));
}

struct Triangle {
    glm::dvec3 points[3];
};

Triangle triangle_of(const SurfaceFeatures& surface, std::size_t f) {
    const vec3(&p)[3] = surface.faces[f].points;
    return {{glm::dvec3(p[0]), glm::dvec3(p[1]), glm::dvec3(p[2])}};
}

bool passes(const glm::dvec3& from, const glm::dvec3& to, const Triangle& t) {
    const double start = volume(t.points[0], t.points[1], t.points[2], from),
                 end = volume(t.points[0], t.points[1], t.points[2], to);
    if ((start > 0.0) == (end > 0.0)) return false;
    const double x = volume(from, to, t.points[0], t.points[1]), y = volume(from, to, t.points[1], t.points[2]),
                 z = volume(from, to, t.points[2], t.points[0]);
    return (x > 0.0) == (y > 0.0) && (y > 0.0) == (z > 0.0);
}

bool cross(const Triangle& a, const Triangle& b) {
    for (int i = 0; i < 3; ++i) {
        if (passes(a.points[i], a.points[(i + 1) % 3], b) || passes(b.points[i], b.points[(i + 1) % 3], a)) return true;
    }
    return false;
}

/// Whether a point is inside: a ray in a direction of no edge or face leaves the surface more often than it enters.
bool is_inside(const SurfaceFeatures& surface, const glm::dvec3& point) {
    const glm::dvec3 far = point + 100.0 * glm::normalize(glm::dvec3(0.571, 0.337, 0.749));
    int count = 0;
    for (std::size_t f = 0; f < surface.faces.size(); ++f) count += passes(point, far, triangle_of(surface, f)) ? 1 : 0;
    return count % 2 == 1;
}

/// Checks the listed faces of a surface against another one. Returns how many of them are inside of it.
int check_part(const SurfaceFeatures& of, const SurfaceFeatures& other, const Transform& of_in_other,
               const std::vector<std::uint32_t>& listed) {
    std::vector<Triangle> own, others;
    for (std::size_t f = 0; f < of.faces.size(); ++f) {
        Triangle t = triangle_of(of, f);
        for (glm::dvec3& p : t.points)
            p = glm::dvec3(of_in_other.position) + rotate(glm::dquat(of_in_other.rotation), p);
        own.push_back(t);
    }
    for (std::size_t f = 0; f < other.faces.size(); ++f) others.push_back(triangle_of(other, f));
    std::vector<bool> is_listed(own.size());
    for (const std::uint32_t f : listed) is_listed[f] = true;
    std::vector<bool> crosses(own.size()), inside(own.size());
    for (std::size_t f = 0; f < own.size(); ++f) {
        crosses[f] = std::any_of(others.begin(), others.end(), [&](const Triangle& t) { return cross(own[f], t); });
        inside[f] = !crosses[f] && is_inside(other, (own[f].points[0] + own[f].points[1] + own[f].points[2]) / 3.0);
        if (crosses[f]) CHECK(is_listed[f]);
    }
    int count = 0;
    for (const std::uint32_t f : listed) {
        CHECK((crosses[f] || inside[f]));
        count += inside[f] ? 1 : 0;
        for (int i = 0; i < 3 && inside[f]; ++i) {
            const std::uint32_t next = of.faces[f].beyond[i];
            REQUIRE(next != SurfaceFeatures::none);  // solids are closed
            CHECK(is_listed[next]);
        }
    }
    return count;
}

}  // namespace

TEST_CASE("the bound of the distance of two surfaces is below the distance, and near it") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(71);
    double sum = 0.0;
    int count = 0;
    for (int round = 0; round < 400 * nonconvex_scale(); ++round) {
        const SolidSurface &a = any_of(all, random), &b = any_of(all, random);
        CAPTURE(a.solid.name);
        CAPTURE(b.solid.name);
        const Transform pose = near_pose(random, a, b, 2.0);
        NodePairs nodes(a.features(), b.features(), to_matrix_transform(pose));
        const float bound = nodes.distance_bound(std::numeric_limits<float>::infinity());
        const InterferenceResult exact =
            interference(a.solid.shape.polyhedron, Transform{}, b.solid.shape.polyhedron, pose, DistanceKind::exact);
        if (find_overlap(a.features(), b.features(), to_matrix_transform(pose), 0.0f).crosses) {
            CHECK(exact.relation != Interference::disjoint);
            CHECK(bound <= 0.0f);
            continue;
        }
        if (exact.relation != Interference::disjoint) continue;  // one is inside of the other, or they just touch
        CHECK(double{bound} <= exact.distance + 1e-5 * double{a.size});
        CHECK(nodes.distance_bound(0.5f * bound) <= std::max(0.5f * bound, 0.0f));
        if (exact.distance < 0.1 * double{a.size}) continue;
        sum += double{std::max(bound, 0.0f)} / exact.distance;
        ++count;
    }
    MESSAGE(count << " pairs apart; the bound is " << sum / count << " of the distance in the mean");
    REQUIRE(count > 100);
    CHECK(sum / count > 0.6);
}

TEST_CASE("the faces of a leaf together tell what each of them tells") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(77);
    int over = 0;
    for (int round = 0; round < 4000 * nonconvex_scale(); ++round) {
        const SolidSurface& a = any_of(all, random);
        const SurfaceFeatures& surface = a.features();
        const SurfaceFeatures::Leaf& leaf =
            surface.leaves[random.below(static_cast<std::uint32_t>(surface.leaves.size()))];
        const float size = a.size, highest = 0.2f * size, lowest = -0.1f * size, depth = 0.05f * size,
                    beside = 0.01f * size;
        const SurfaceFeatures::Face& any =
            surface.faces[leaf.faces.first + random.below(leaf.faces.last - leaf.faces.first)];
        const vec3 p = any.points[random.below(3)] + 0.6f * size * random.point(-1.0f, 1.0f);
        const unsigned bits = leaf.four_faces.over(p, lowest, highest, depth, beside);
        for (std::uint32_t f = leaf.faces.first; f < leaf.faces.last; ++f) {
            const SurfaceFeatures::Face& face = surface.faces[f];
            const float height = glm::dot(face.normal, p - face.points[0]);
            float most = -std::numeric_limits<float>::infinity();
            for (int i = 0; i < 3; ++i)
                most = std::max(most, glm::dot(face.out[i], p - face.points[i]) - (face.hollow[i] ? depth : 0.0f));
            const bool expected = height <= highest && height >= lowest && most <= beside;
            CHECK((bits >> (f - leaf.faces.first) & 1u) == (expected ? 1u : 0u));
            // It keeps all that beside_face() keeps.
            if (height <= highest && height >= lowest && beside_face(face, p, depth) <= beside) CHECK(expected);
            over += expected ? 1 : 0;
        }
    }
    CHECK(over > 100);
}

TEST_CASE("the cones of a surface's features hold all normals that each of them admits") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(78);
    int admitted = 0, narrow = 0, vertices = 0;
    for (const SolidSurface& a : all) {
        const SurfaceFeatures& surface = a.features();
        CAPTURE(a.solid.name);
        for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
            const SurfaceFeatures::Vertex& vertex = surface.vertices[v];
            const DirectionCone& cone = vertex.normals;
            ++vertices;
            narrow += cone.cosine > 0.0f ? 1 : 0;
            for (int round = 0; round < 200 * nonconvex_scale(); ++round) {
                // Everywhere, and around the cone's rim, beyond which there is none.
                vec3 n(random.direction());
                if (round % 2 == 0) n = glm::normalize(cone.axis + 1.5f * std::max(cone.sine, 0.2f) * n);
                if (out_of_region(surface, vertex, n) > tolerance::feature_slack) continue;
                ++admitted;
                CHECK(cone.holds(n, 0.0f));
            }
        }
        for (const SurfaceFeatures::FourNodes& four : surface.nodes) {
            for (int lane = 0; lane < 4; ++lane) {
                if ((four.lanes >> lane & 1u) == 0) continue;
                for (std::uint32_t k = four.leaves[lane].first; k < four.leaves[lane].last; ++k) {
                    const SurfaceFeatures::Leaf& leaf = surface.leaves[k];
                    for (std::uint32_t v = leaf.vertices.first; v < leaf.vertices.last; ++v) {
                        const vec3 n(random.direction());
                        if (out_of_region(surface, surface.vertices[v], n) <= tolerance::feature_slack)
                            CHECK(four.normals.cone(lane).holds(n, 0.0f));
                    }
                    for (std::uint32_t f = leaf.faces.first; f < leaf.faces.last; ++f)
                        CHECK(four.normals.cone(lane).holds(surface.faces[f].normal, 1e-6f));
                }
            }
        }
    }
    MESSAGE(admitted << " normals of " << vertices << " vertices, " << narrow
                     << " with a cone of less than 90 degrees");
    CHECK(admitted > 5000);
    CHECK(2 * narrow > vertices);
}

TEST_CASE("the back of a surface has the features of its mirror image's front") {
    const auto mesh_of = [](bool reversed) {
        Random random(81);
        std::vector<vec3> vertices;
        std::vector<std::uint32_t> indices;
        for (std::uint32_t k = 0; k < 7; ++k) {
            for (std::uint32_t i = 0; i < 7; ++i) {
                vertices.emplace_back(float(i), float(random.between(-0.5, 0.5)), float(k));
                if (i == 6 || k == 6) continue;
                const std::uint32_t p = 7 * k + i, q = p + 7;
                for (const auto& t : {std::array{p, q, q + 1}, std::array{p, q + 1, p + 1}})
                    indices.insert(indices.end(), {t[0], reversed ? t[2] : t[1], reversed ? t[1] : t[2]});
            }
        }
        const auto made = make_mesh({.vertices = vertices, .indices = indices, .two_sided = true});
        REQUIRE(bool(made));
        return *made;
    };
    const auto front = mesh_of(false), back = mesh_of(true);
    std::vector<std::uint32_t> all(front->size());
    for (std::uint32_t t = 0; t < front->size(); ++t) all[t] = t;
    SurfaceFeatures behind, expected;
    behind.collect(*front, all, std::vector<bool>(all.size(), true));
    expected.collect(*back, all);
    REQUIRE(behind.faces.size() == expected.faces.size());
    REQUIRE(behind.vertices.size() == expected.vertices.size());
    REQUIRE(behind.edges.size() == expected.edges.size());
    REQUIRE(behind.edges.size() > 20);
    const auto ids_of = [](const auto& features) {
        std::vector<std::uint32_t> ids;
        for (const auto& each : features) ids.push_back(each.id);
        std::sort(ids.begin(), ids.end());
        return ids;
    };
    CHECK(ids_of(behind.vertices) == ids_of(expected.vertices));
    CHECK(ids_of(behind.edges) == ids_of(expected.edges));
    double off = 0.0;
    for (const SurfaceFeatures::Face& face : behind.faces) {
        const auto same = std::find_if(expected.faces.begin(), expected.faces.end(), [&](const auto& each) {
            return glm::length(each.points[0] + each.points[1] + each.points[2] - face.points[0] - face.points[1] -
                               face.points[2]) < 1e-5f;
        });
        REQUIRE(same != expected.faces.end());
        off = std::max(off, double{glm::length(same->normal - face.normal)});
        int hollow = 0;
        for (int i = 0; i < 3; ++i) hollow += (face.hollow[i] ? 1 : 0) - (same->hollow[i] ? 1 : 0);
        CHECK(hollow == 0);
    }
    CHECK(off < 1e-5);
}

TEST_CASE("a point sees the back of a surface if it is on that side, near sharp edges and at crossings, too") {
    const auto all_of = [](const TriangleSet& set) {
        std::vector<std::uint32_t> all(set.size());
        for (std::uint32_t t = 0; t < set.size(); ++t) all[t] = t;
        return all;
    };
    Random random(82);
    int inside = 0;
    for (const SolidSurface& a : solid_surfaces()) {
        CAPTURE(a.solid.name);
        for (int round = 0; round < 100; ++round) {
            const vec3 p = 1.5f * a.size * random.point(-1.0f, 1.0f);
            const bool expected = is_inside(a.features(), glm::dvec3(p));
            CHECK(seen_from_behind(*a.set, all_of(*a.set), p)[nearest(*a.set, p).triangle] == expected);
            inside += expected ? 1 : 0;
        }
    }
    CHECK(inside > 50);
    // A floor that faces up and a wall that faces along x. They cross, or share an edge in which their windings differ.
    const std::vector<vec3> vertices{{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5},  {5, 0, -5}, {0, -5, -5},
                                     {0, -5, 5},  {0, 5, 5},  {0, 5, -5}, {0, 0, -5}, {0, 0, 5}};
    const auto crossing = make_mesh({.vertices = vertices,
                                     .indices = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6},
                                     .two_sided = true});
    const auto corner = make_mesh({.vertices = vertices,
                                   .indices = std::vector<std::uint32_t>{0, 1, 9, 0, 9, 8, 8, 6, 9, 8, 7, 6},
                                   .two_sided = true});
    REQUIRE(bool(crossing));
    REQUIRE(bool(corner));
    for (const float x : {-1.0f, 1.0f}) {
        for (const float y : {-1.0f, 1.0f}) {
            const std::vector<bool> behind = seen_from_behind(**crossing, all_of(**crossing), {x, 1.5f * y, 0.3f});
            for (std::uint32_t t = 0; t < 4; ++t) {
                const bool is_floor = (*crossing)->triangle(t).normal.y > 0.5f;
                CHECK(behind[t] == (is_floor ? y < 0.0f : x < 0.0f));
            }
        }
    }
    // From within the corner: the front of the floor and the back of the wall.
    const std::vector<bool> within = seen_from_behind(**corner, all_of(**corner), {-1.0f, 1.5f, 0.3f});
    const std::vector<bool> beyond = seen_from_behind(**corner, all_of(**corner), {1.0f, -1.5f, 0.3f});
    for (std::uint32_t t = 0; t < 4; ++t) {
        const bool is_floor = (*corner)->triangle(t).normal.y > 0.5f;
        CHECK(within[t] == !is_floor);
        CHECK(beyond[t] == is_floor);
    }
}

TEST_CASE("four cones together tell what each of them tells") {
    Random random(79);
    int met = 0, apart = 0;
    for (int round = 0; round < 20000 * nonconvex_scale(); ++round) {
        FourCones four;
        DirectionCone each[4];
        const auto cone = [&] {
            const float angle = float(random.between(0.0, 3.14));
            return DirectionCone{vec3(random.direction()), std::cos(angle), std::sin(angle)};
        };
        for (int i = 0; i < 4; ++i) {
            each[i] = cone();
            for (int axis = 0; axis < 3; ++axis)
                (axis == 0 ? four.axis.x : axis == 1 ? four.axis.y : four.axis.z)[i] = each[i].axis[axis];
            four.cosine[i] = each[i].cosine;
            four.sine[i] = each[i].sine;
        }
        const DirectionCone other = cone();
        const vec3 axis(random.direction());
        const float turn = float(random.between(0.0, 0.8));
        const unsigned bits = four.meeting(other, axis, turn);
        for (int i = 0; i < 4; ++i) {
            const bool meets = each[i].meets(other, axis, turn);
            CHECK((bits >> i & 1u) == (meets ? 1u : 0u));
            (meets ? met : apart) += 1;
        }
    }
    CHECK(std::min(met, apart) > 1000);
}

TEST_CASE("the parts of two surfaces inside of each other are those that all pairs of triangles tell") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(72);
    int overlapping = 0, inside = 0;
    for (int round = 0; round < 300 * nonconvex_scale(); ++round) {
        const SolidSurface &a = any_of(all, random), &b = any_of(all, random);
        CAPTURE(round);
        CAPTURE(a.solid.name);
        CAPTURE(b.solid.name);
        // No ties: those are for rounding to decide.
        Transform pose = near_pose(random, a, b, 0.8);
        pose.rotation = quat(glm::angleAxis(random.between(0.1, 3.0), random.direction()));
        const SurfaceOverlap overlap =
            find_overlap(a.features(), b.features(), to_matrix_transform(pose), 10.0f * (a.size + b.size));
        CHECK(overlap.crosses == surfaces_cross(soup_of(a.solid.mesh, {}), soup_of(b.solid.mesh, pose)));
        if (!overlap.crosses) continue;
        ++overlapping;
        inside += check_part(a.features(), b.features(), relative(pose, Transform{}), overlap.faces_a);
        inside += check_part(b.features(), a.features(), pose, overlap.faces_b);
    }
    MESSAGE(overlapping << " pairs overlap, with " << inside << " faces inside of the other one");
    CHECK(overlapping > 100);
    CHECK(inside > 500);
}

TEST_CASE("a point is inside of a solid where a ray in another direction tells so") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(74);
    int inside = 0, rounds = 3000 * nonconvex_scale();
    for (int round = 0; round < rounds; ++round) {
        const SolidSurface& a = any_of(all, random);
        CAPTURE(a.solid.name);
        vec3 point = center(a.set->bounds()) + half_extents(a.set->bounds()) * random.point(-1.0f, 1.0f);
        // Often right below or above a vertex, where triangles meet and some are upright.
        if (random.chance(0.3)) {
            const auto& vertices = a.solid.mesh.vertices;
            const vec3& vertex = vertices[static_cast<std::size_t>(random.below(static_cast<int>(vertices.size())))];
            point = {vertex.x, point.y, vertex.z};
            // On the surface itself, rounding decides.
            if (!(nearest(*a.set, point).distance > 1e-4f * a.size)) continue;
        }
        const bool is_in = is_inside(a.features(), glm::dvec3(point));
        CHECK(is_inside(*a.set, point) == is_in);
        inside += is_in ? 1 : 0;
    }
    CHECK(inside > rounds / 10);
}

TEST_CASE("a segment is blocked by the faces that it passes through, and by no others") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(73);
    int blocked = 0;
    for (int round = 0; round < 4000 * nonconvex_scale(); ++round) {
        const SolidSurface& a = any_of(all, random);
        const vec3 middle = center(a.set->bounds());
        const vec3 from = middle + vec3(random.direction()) * (a.size * float(random.between(0.0, 1.5)));
        const vec3 to = from + vec3(random.direction()) * (a.size * float(random.between(0.0, 0.6)));
        bool any = false;
        for (std::size_t f = 0; f < a.features().faces.size() && !any; ++f)
            any = passes(glm::dvec3(from), glm::dvec3(to), triangle_of(a.features(), f));
        CHECK(is_blocked(a.features(), from, to) == any);
        blocked += any ? 1 : 0;
    }
    MESSAGE(blocked << " of the segments are blocked");
    CHECK(blocked > 300);
}

// A search for candidates left out contacts of saddles at one pose that it had found at another one.
TEST_CASE("the vertices of a solid are those that can touch something") {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(84);
    std::size_t corners = 0, saddles = 0;
    for (const SolidSurface& a : all) {
        const SurfaceFeatures& surface = a.features();
        CAPTURE(a.solid.name);
        SurfaceFeatures everything;
        std::vector<std::uint32_t> triangles(a.set->size());
        for (std::uint32_t t = 0; t < a.set->size(); ++t) triangles[t] = t;
        everything.collect(*a.set, triangles);
        CHECK(surface.vertices.size() <= everything.vertices.size());
        for (const SurfaceFeatures::Vertex& vertex : everything.vertices) {
            const auto has = [&](const SurfaceFeatures::Vertex& other) { return other.at == vertex.at; };
            const bool kept = std::any_of(surface.vertices.begin(), surface.vertices.end(), has);
            ++corners;
            saddles += kept ? 0 : 1;
            if (kept) continue;
            for (int round = 0; round < 2000; ++round)
                CHECK(out_of_region(everything, vertex, vec3(random.direction())) > tolerance::feature_slack);
        }
    }
    MESSAGE(saddles << " of " << corners << " vertices are no features");
    CHECK(saddles > 0);
    CHECK(10 * saddles < corners);
}

TEST_CASE("the boxes of a surface's tree hold its faces") {
    for (const SolidSurface& a : solid_surfaces()) {
        const SurfaceFeatures& surface = a.features();
        CAPTURE(a.solid.name);
        for (const SurfaceFeatures::FourNodes& four : surface.nodes) {
            for (int lane = 0; lane < 4; ++lane) {
                if ((four.lanes >> lane & 1u) == 0) continue;
                const OrientedBox box = four.boxes.box(lane);
                for (int i = 0; i < 3; ++i) {
                    CHECK(glm::dot(box.axes[i], box.axes[i]) == doctest::Approx(1.0));
                    CHECK(std::abs(glm::dot(box.axes[i], box.axes[(i + 1) % 3])) < 1e-5f);
                }
                for (std::uint32_t k = four.leaves[lane].first; k < four.leaves[lane].last; ++k) {
                    const SurfaceFeatures::Range& range = surface.leaves[k].faces;
                    for (std::uint32_t f = range.first; f < range.last; ++f) {
                        for (const vec3& p : surface.faces[f].points) {
                            for (int i = 0; i < 3; ++i)
                                CHECK(std::abs(glm::dot(box.axes[i], p - box.middle)) <= box.half[i]);
                            CHECK(length_squared(p - box.middle) <= four.radius[lane] * four.radius[lane]);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("a walk over a convex surface ends at the corner that is farthest of all") {
    Random random(85);
    samples::Random shapes(86);
    std::size_t walks = 0;
    for (int round = 0; round < 100; ++round) {
        const Result<Shape> drawn = samples::random_hull(shapes, 8 + random.below(200), 0.5f, 1.0f);
        if (!drawn) continue;
        const Shape& shape = *drawn;
        std::vector<std::uint32_t> indices;
        for (const HullFace& face : shape.hull->faces) {
            for (std::uint32_t k = 2; k < face.count; ++k) {
                for (const std::uint32_t corner : {0u, k - 1, k})
                    indices.push_back(shape.hull->face_vertices[face.first + corner]);
            }
        }
        const auto made = make_mesh({.vertices = shape.hull->vertices, .indices = indices, .solid = true});
        if (!made) continue;
        const SurfaceFeatures& surface = *(*made)->solid_features();
        const SurfaceFeatures::Face& face =
            surface.faces[static_cast<std::size_t>(random.below(int(surface.faces.size())))];
        const vec3 start = (face.points[0] + 2.0f * face.points[1] + face.points[2]) / 4.0f;
        SurfaceWalk walk(surface, start, 1e-5f);
        REQUIRE(walk.is_on_surface());
        for (int k = 0; k < 20; ++k) {
            const vec3 way(random.direction());
            float most = -std::numeric_limits<float>::infinity();
            for (const vec3& p : shape.hull->vertices) most = std::max(most, glm::dot(p, way));
            CHECK(glm::dot(walk.farthest(way), way) == doctest::Approx(most).epsilon(1e-5));
            ++walks;
        }
        CHECK(!SurfaceWalk(surface, vec3(10.0f), 1e-5f).is_on_surface());
    }
    CHECK(walks > 1000);
}

TEST_CASE("a bar that goes through a plate crosses it in two curves of opposite area vectors") {
    const auto solid = [](const vec3& half) {
        const samples::MeshFile file = samples::box_solid(half);
        const auto made = make_mesh({.vertices = file.vertices, .indices = file.triangles, .solid = true});
        REQUIRE(bool(made));
        return *made;
    };
    const auto plate = solid({1.0f, 0.1f, 1.0f}), bar = solid({0.2f, 1.0f, 0.3f});
    const SurfaceOverlap overlap =
        find_overlap(*plate->solid_features(), *bar->solid_features(), {vec3(0.05f, 0.1f, 0.02f), mat3(1.0f)}, 0.0f);
    REQUIRE(overlap.curves.size() == 2);
    CrossingCurve all;
    for (const CrossingCurve& curve : overlap.curves) {
        CHECK(std::abs(curve.area.y) == doctest::Approx(0.4 * 0.6));
        CHECK(curve.length == doctest::Approx(2.0));
        CHECK(std::abs(curve.middle.y) == doctest::Approx(0.1));
        CHECK(half_extents(curve.box).x == doctest::Approx(0.2));
        all.add(curve);
    }
    CHECK(std::abs(all.area.y) < 1e-5f);
    CHECK(all.length == doctest::Approx(4.0));
    // A corner alone is one curve, whose area vector leads out.
    const SurfaceOverlap corner =
        find_overlap(*plate->solid_features(), *bar->solid_features(), {vec3(1.1f, 1.0f, 1.2f), mat3(1.0f)}, 0.0f);
    REQUIRE(corner.curves.size() == 1);
    CHECK(corner.curves[0].area.x > 0.0f);
    CHECK(corner.curves[0].area.y > 0.0f);
    CHECK(corner.curves[0].area.z > 0.0f);
}
