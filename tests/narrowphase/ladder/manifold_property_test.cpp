/// Properties of every manifold, over seeded random pairs of all kinds: apart within the margin, touching and
/// overlapping, at random orientations or with faces and edges exactly parallel, sizes 1 cm to 10 m.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/narrowphase/oracle/oracle.h"

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/separation.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace talus;
using oracle::dmat3;
using oracle::dvec3;
using test::Random;

constexpr ShapeType all_types[] = {ShapeType::sphere, ShapeType::capsule,  ShapeType::segment, ShapeType::triangle,
                                   ShapeType::box,    ShapeType::cylinder, ShapeType::cone,    ShapeType::hull};

/// A pair whose shapes touch, nearly touch or overlap, with what GJK and EPA say about it.
struct Touching {
    Shape a, b;
    oracle::Solid solid_a, solid_b;
    MatrixTransform b_in_a;
    double size;  ///< of the smaller shape, m
    float margin;
    SeparationResult answer;

    std::string name() const { return std::string(name_of(a.type)) + " on " + std::string(name_of(b.type)); }
};

std::vector<std::shared_ptr<const Hull>> make_hulls(Random& random, int count) {
    std::vector<std::shared_ptr<const Hull>> hulls;
    for (int i = 0; i < count; ++i) {
        const auto built = make_hull(test::hull_points(random, 1.0));
        REQUIRE_MESSAGE(bool(built), built.error().message);
        hulls.push_back(*built);
    }
    return hulls;
}

/// `scale` is that of both shapes; hulls come in size 1 only, so they are asked for with scale 1.
Touching make_touching(Random& random, ShapeType ta, ShapeType tb,
                       const std::vector<std::shared_ptr<const Hull>>& hulls) {
    Touching pair;
    const bool fixed_size = ta == ShapeType::hull || tb == ShapeType::hull;
    const double scale = fixed_size ? 1.0 : random.scale(0.01, 10.0);
    const auto pick = [&] { return hulls[static_cast<std::size_t>(random.below(static_cast<int>(hulls.size())))]; };
    pair.a = test::random_shape(random, ta, scale * random.scale(0.5, 2.0), pick());
    pair.b = test::random_shape(random, tb, scale * random.scale(0.5, 2.0), pick());
    pair.solid_a = oracle::make_solid(pair.a);
    pair.solid_b = oracle::make_solid(pair.b);
    pair.size = std::min(pair.solid_a.size, pair.solid_b.size);
    pair.margin = static_cast<float>(0.02 * pair.size);
    pair.b_in_a.rotation = test::mixed_turn(random);
    pair.b_in_a.position = test::narrow(random.direction() * (0.7 * (pair.solid_a.size + pair.solid_b.size)));
    // Move B along the normal until the separation has the given value.
    const double kind = random.unit();
    const double wanted = pair.size * (kind < 0.3   ? random.between(0.001, 0.02)
                                       : kind < 0.7 ? -random.scale(1e-5, 1e-2)
                                                    : -random.scale(1e-2, 0.2));
    for (int i = 0; i < 6; ++i) {
        SimplexCache cache;
        pair.answer = separation(pair.a, pair.b, pair.b_in_a, cache);
        if (i == 5) break;
        pair.b_in_a.position += (static_cast<float>(wanted) - pair.answer.separation) * pair.answer.normal;
    }
    return pair;
}

float deepest(const Manifold& m) {
    float least = m.points[0].separation;
    for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].separation);
    return least;
}

Manifold manifold_of(const Touching& p, FaceHints& hints) {
    return make_manifold(p.a, p.b, p.b_in_a, p.answer.normal, p.answer.point_a, p.answer.point_b, p.margin, hints);
}

/// Empty when nothing is wrong.
std::string complaint(const Touching& p, const Manifold& m) {
    const double size = p.size, truth = p.answer.separation;
    const auto text = [](double x) { return std::to_string(x); };
    // Flat things cannot be made to overlap; and rounding may decide a pair right at the margin.
    if (truth > 1.001 * p.margin) return m.count == 0 ? "" : "a contact beyond the margin";
    if (truth > 0.999 * p.margin) return "";
    if (m.count < 1 || m.count > 4) return "count " + std::to_string(m.count);
    if (!is_finite(m.normal) || std::abs(glm::length(m.normal) - 1.0f) > 1e-5f) return "normal is no unit vector";
    const double kept = oracle::separation_along(p.solid_a, p.solid_b, oracle::Pose(p.b_in_a), dvec3(m.normal));
    if (kept < truth - 1.2e-3 * size) return "the normal loses " + text((truth - kept) / size) + " sizes of separation";
    for (int i = 0; i < m.count; ++i) {
        const ManifoldPoint& q = m.points[i];
        if (!is_finite(q.on_a) || !is_finite(q.on_b) || !is_finite(q.separation)) return "not finite";
        if (q.separation > p.margin) return "a point beyond the margin";
        const vec3 between = transform_point(p.b_in_a, q.on_b) - q.on_a;
        if (std::abs(glm::dot(between, m.normal) - q.separation) > 5e-6 * size)
            return "separation is not that of the anchors";
        if (glm::length(between - q.separation * m.normal) > 5e-6 * size && q.id != 0)
            return "anchors are not one along the normal from the other";
        if (q.id != 0) {  // a witness pair is as good as it was given
            const double off_a = std::abs(oracle::distance_outside(p.solid_a, dvec3(q.on_a))) / size;
            const double off_b = std::abs(oracle::distance_outside(p.solid_b, dvec3(q.on_b))) / size;
            if (off_a > 1.5e-3) return "point " + std::to_string(i) + " is " + text(off_a) + " sizes off A's surface";
            if (off_b > 1.5e-3) return "point " + std::to_string(i) + " is " + text(off_b) + " sizes off B's surface";
        }
        for (int j = 0; j < i; ++j) {
            if (m.points[j].id == q.id) return "an id twice";
        }
    }
    if (std::abs(deepest(m) - truth) > 1.5e-3 * size) {
        return "deepest point " + text(deepest(m) / size) + " but separation " + text(truth / size) + " sizes";
    }
    return "";
}

bool is_flat(ShapeType t) { return t == ShapeType::box || t == ShapeType::hull; }

/// Puts a random face of b onto a random face of a, a little inside it or apart, at any turn about the normal.
Touching face_on_face(Random& random, const Shape& a, const Shape& b, double dip) {
    Touching pair{a, b, oracle::make_solid(a), oracle::make_solid(b), {}, 0.0, 0.0f, {}};
    const auto face = [&](const oracle::Solid& s, dvec3& normal, dvec3& middle) {
        const auto& f = s.faces[static_cast<std::size_t>(random.below(static_cast<int>(s.faces.size())))];
        normal = f.normal;
        middle = dvec3(0.0);
        for (int corner : f.corners)
            middle += s.vertices[static_cast<std::size_t>(corner)] / static_cast<double>(f.corners.size());
    };
    dvec3 na, nb, ma, mb;
    face(pair.solid_a, na, ma);
    face(pair.solid_b, nb, mb);
    // Turn nb onto -na, then about na.
    const auto frame = [&](const dvec3& n) {
        const dvec3 u(any_perpendicular(test::narrow(n)));
        const dvec3 v = glm::normalize(glm::cross(n, u));
        return dmat3(glm::cross(v, n), v, n);
    };
    dmat3 flip(1.0);
    flip[1] = -flip[1];
    flip[2] = -flip[2];
    const dmat3 spin = dmat3(test::turn({0, 0, 1}, random.between(0.0, 6.28)));
    const dmat3 r = frame(na) * spin * flip * glm::transpose(frame(nb));
    pair.b_in_a.rotation = mat3(r);
    pair.size = std::min(pair.solid_a.size, pair.solid_b.size);
    pair.margin = static_cast<float>(0.02 * pair.size);
    pair.b_in_a.position = test::narrow(ma - r * mb + dip * pair.size * na);
    return pair;
}

void ask(Touching& pair) {
    SimplexCache cache;
    pair.answer = separation(pair.a, pair.b, pair.b_in_a, cache);
}

}  // namespace

TEST_CASE("every touching pair of any kind has a manifold on its surfaces that holds the true depth" *
          doctest::test_suite("slow")) {
    Random random(7);
    const auto hulls = make_hulls(random, 60);
    const int rounds = 300;
    int overlapping_faces = 0, spanning = 0, helped = 0;
    for (ShapeType ta : all_types) {
        for (ShapeType tb : all_types) {
            int failures = 0;
            std::string first;
            for (int i = 0; i < rounds; ++i) {
                const Touching pair = make_touching(random, ta, tb, hulls);
                FaceHints hints{static_cast<std::uint16_t>(random.bits()), static_cast<std::uint16_t>(random.bits()),
                                static_cast<FaceOwner>(random.below(3))};
                const Manifold m = manifold_of(pair, hints);
                const std::string wrong = complaint(pair, m);
                if (!wrong.empty() && failures++ == 0)
                    first = wrong + "\n" + test::reproduce(pair.a, pair.b, pair.b_in_a);
                overlapping_faces += is_flat(ta) && is_flat(tb) && m.overlaps;
                spanning += m.count > 1;
                helped += m.count > 1 && !m.overlaps;
            }
            CAPTURE(name_of(ta));
            CAPTURE(name_of(tb));
            CAPTURE(first);
            CHECK(failures == 0);
        }
    }
    // The paths were taken: polytopes explain their contacts by features, many manifolds have several points.
    CHECK(overlapping_faces >= 4 * rounds * 99 / 100);
    CHECK(spanning > rounds * 8);
    MESSAGE(overlapping_faces, " of ", 4 * rounds, " polytope contacts from features, ", spanning,
            " with more points, ", helped, " of these with the witness pair's help");
}

TEST_CASE("a pair seen from the other side has the same contact" * doctest::test_suite("slow")) {
    Random random(19);
    const auto hulls = make_hulls(random, 60);
    int same_count = 0, same_points = 0, pairs = 0;
    for (ShapeType ta : all_types) {
        for (ShapeType tb : all_types) {
            for (int i = 0; i < 100; ++i) {
                const Touching pair = make_touching(random, ta, tb, hulls);
                if (pair.answer.separation > 0.9f * pair.margin) continue;
                const mat3 back = glm::transpose(pair.b_in_a.rotation);
                const MatrixTransform a_in_b{-(back * pair.b_in_a.position), back};
                const auto into_b = [&](const vec3& p) { return back * (p - pair.b_in_a.position); };
                FaceHints hints, swapped_hints;
                const Manifold ab = manifold_of(pair, hints);
                const Manifold ba =
                    make_manifold(pair.b, pair.a, a_in_b, -(back * pair.answer.normal), into_b(pair.answer.point_b),
                                  into_b(pair.answer.point_a), pair.margin, swapped_hints);
                ++pairs;
                CAPTURE(pair.name());
                REQUIRE(ba.count >= 1);
                CHECK(std::abs(deepest(ab) - deepest(ba)) <= 1.5e-3 * pair.size);
                same_count += ab.count == ba.count;
                bool all = true;
                for (int k = 0; k < ab.count; ++k) {
                    bool found = false;
                    for (int l = 0; l < ba.count; ++l)
                        found = found || glm::length(ba.points[l].on_a - ab.points[k].on_b) < 0.01 * pair.size;
                    all = all && found;
                }
                same_points += all;
            }
        }
    }
    MESSAGE(pairs, " pairs: ", same_count, " with the same number of points, ", same_points, " with the same points");
    CHECK(same_count >= pairs * 98 / 100);
    CHECK(same_points >= pairs * 96 / 100);
}

TEST_CASE("faces on faces keep their ids from frame to frame, and span what they share") {
    Random random(23);
    const auto hulls = make_hulls(random, 60);
    int frames = 0, unchanged = 0, points = 0, carried = 0;
    for (int i = 0; i < 600; ++i) {
        const auto pick = [&] { return hulls[static_cast<std::size_t>(random.below(static_cast<int>(hulls.size())))]; };
        const auto piece = [&] {
            return test::random_shape(random, random.chance(0.5) ? ShapeType::box : ShapeType::hull, 1.0, pick());
        };
        Touching pair = face_on_face(random, piece(), piece(), -1e-3);
        const MatrixTransform rest = pair.b_in_a;
        FaceHints hints;
        std::vector<std::uint32_t> before;
        for (int frame = 0; frame < 10; ++frame) {
            pair.b_in_a.position = rest.position + test::narrow(1e-4 * pair.size * random.direction());
            pair.b_in_a.rotation = test::turn(random.direction(), 1e-4 * random.unit()) * rest.rotation;
            ask(pair);
            const Manifold m = manifold_of(pair, hints);
            CHECK(complaint(pair, m) == "");
            std::vector<std::uint32_t> now;
            for (int k = 0; k < m.count; ++k) now.push_back(m.points[k].id);
            if (frame > 0) {
                ++frames;
                unchanged += now == before;
                for (std::uint32_t id : now) carried += std::count(before.begin(), before.end(), id) > 0;
                points += m.count;
            }
            before = now;
        }
    }
    MESSAGE(frames, " frames, ", unchanged, " with the same ids; ", carried, " of ", points, " points carried over");
    CHECK(unchanged >= frames * 95 / 100);
    CHECK(carried >= points * 98 / 100);
}

TEST_CASE("a manifold scales with its shapes, bit for bit") {
    Random random(17);
    for (int i = 0; i < 500; ++i) {
        const ShapeType kinds[] = {ShapeType::capsule, ShapeType::box, ShapeType::cylinder, ShapeType::cone,
                                   ShapeType::triangle};
        const Shape a = test::random_shape(random, kinds[random.below(5)], 1.0, nullptr);
        const Shape b = test::random_shape(random, kinds[random.below(5)], 1.0, nullptr);
        const MatrixTransform f{test::narrow(random.direction()), test::mixed_turn(random)};
        const vec3 n = test::narrow(random.direction()), at = test::narrow(random.direction());
        FaceHints hints;
        const Manifold m = make_manifold(a, b, f, n, at, at - 0.01f * n, 0.1f, hints);
        for (float scale : {1.0f / 1024, 1024.0f}) {
            const auto scaled = [&](Shape s) {
                s.radius *= scale;
                s.half_extents *= scale;
                for (vec3& p : s.points) p *= scale;
                return s;
            };
            hints = {};
            const Manifold big = make_manifold(scaled(a), scaled(b), {scale * f.position, f.rotation}, n, scale * at,
                                               scale * (at - 0.01f * n), scale * 0.1f, hints);
            REQUIRE(big.count == m.count);
            CHECK(big.normal == m.normal);
            for (int k = 0; k < m.count; ++k) {
                CHECK(big.points[k].id == m.points[k].id);
                CHECK(big.points[k].on_a == scale * m.points[k].on_a);
                CHECK(big.points[k].separation == scale * m.points[k].separation);
            }
        }
    }
}
