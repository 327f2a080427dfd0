/// What must hold for every manifold, over seeded random pairs of all kinds: apart within the margin, touching and overlapping,
/// turned at random or with faces and edges exactly parallel, sizes 1 cm to 10 m.

#include "tests/narrowphase/oracle.h"
#include "tests/narrowphase/random_pairs.h"

#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/manifold.h>

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
    Frame b_in_a;
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
Touching make_touching(Random& random, ShapeType ta, ShapeType tb, const std::vector<std::shared_ptr<const Hull>>& hulls) {
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
    // Slide B along the normal until the separation is what is asked for.
    const double kind = random.unit();
    const double wanted = pair.size * (kind < 0.3 ? random.between(0.001, 0.02) : kind < 0.7 ? -random.scale(1e-5, 1e-2) : -random.scale(1e-2, 0.2));
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
    const oracle::Pose pose(p.b_in_a);
    const auto text = [](double x) { return std::to_string(x); };
    if (truth > p.margin) return m.count == 0 ? "" : "";
    if (m.count < 1 || m.count > 4) return "count " + std::to_string(m.count);
    if (!is_finite(m.normal) || std::abs(glm::length(m.normal) - 1.0f) > 1e-5f) return "normal is no unit vector";
    const double kept = oracle::separation_along(p.solid_a, p.solid_b, pose, dvec3(m.normal));
    if (kept < truth - 1.5e-3 * size) return "the normal loses " + text((truth - kept) / size) + " sizes of separation";
    for (int i = 0; i < m.count; ++i) {
        const ManifoldPoint& q = m.points[i];
        if (!is_finite(q.on_a) || !is_finite(q.on_b) || !is_finite(q.separation)) return "not finite";
        if (q.separation > p.margin) return "a point beyond the margin";
        const vec3 between = transform_point(p.b_in_a, q.on_b) - q.on_a;
        if (std::abs(glm::dot(between, m.normal) - q.separation) > 1e-5 * size) return "separation is not that of the anchors";
        const double off_a = std::abs(oracle::distance_outside(p.solid_a, dvec3(q.on_a))) / size;
        const double off_b = std::abs(oracle::distance_outside(p.solid_b, dvec3(q.on_b))) / size;
        if (off_a > 2e-3) return "point " + std::to_string(i) + " is " + text(off_a) + " sizes off A's surface";
        if (off_b > 2e-3) return "point " + std::to_string(i) + " is " + text(off_b) + " sizes off B's surface";
        for (int j = 0; j < i; ++j) {
            if (m.points[j].id == q.id) return "an id twice";
        }
    }
    if (std::abs(deepest(m) - truth) > 2e-3 * size) {
        return "deepest point " + text(deepest(m) / size) + " but separation " + text(truth / size) + " sizes";
    }
    return "";
}

std::string detail(const Touching& p, const Manifold& m) {
    char t[400];
    std::snprintf(t, sizeof t, " | n %g %g %g -> %g %g %g owner %d sep %g size %g ids", p.answer.normal.x, p.answer.normal.y, p.answer.normal.z, m.normal.x,
                  m.normal.y, m.normal.z, int(m.face_owner), p.answer.separation, p.size);
    std::string s = t;
    for (int i = 0; i < m.count; ++i) { std::snprintf(t, sizeof t, " %x:%g", m.points[i].id, m.points[i].separation); s += t; }
    std::snprintf(t, sizeof t, " ra %g rb %g", p.a.radius, p.b.radius); s += t;
    return s;
}

}  // namespace

TEST_CASE("every touching pair of any kind has a manifold on its surfaces that holds the true depth") {
    Random random(7);
    const auto hulls = make_hulls(random, 60);
    int failures = 0, manifolds = 0, points = 0, fallbacks = 0, spanning = 0;
    std::string first;
    const int rounds = 400;
    for (ShapeType ta : all_types) {
        for (ShapeType tb : all_types) {
            int bad = 0, fb = 0, lone = 0;
            std::string one;
            for (int i = 0; i < rounds; ++i) {
                const Touching pair = make_touching(random, ta, tb, hulls);
                FaceHints hints{static_cast<std::uint16_t>(random.bits()), static_cast<std::uint16_t>(random.bits()),
                                static_cast<FaceOwner>(random.below(3))};
                const Manifold m = manifold_of(pair, hints);
                const std::string wrong = complaint(pair, m);
                ++manifolds;
                points += m.count;
                fb += m.count > 0 && !m.overlaps; lone += m.count == 1 && !m.overlaps;
                fallbacks += m.count > 0 && !m.overlaps;
                spanning += m.count > 1;
                if (!wrong.empty()) {
                    if (bad == 0) one = wrong + detail(pair, m);
                    ++bad;
                }
            }
            std::printf("%s-%s: %d/%d fall back, of them %d lone\n", std::string(name_of(ta)).c_str(), std::string(name_of(tb)).c_str(), fb, rounds, lone);
            if (bad > 0) MESSAGE(name_of(ta), " on ", name_of(tb), ": ", bad, " of ", rounds, ", first: ", one);
            failures += bad;
        }
    }
    CHECK(failures == 0);
    MESSAGE(manifolds, " manifolds, ", points, " points, ", spanning, " of more than one, ", fallbacks, " by the witness pair");
}
