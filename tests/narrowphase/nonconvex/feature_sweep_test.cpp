/// Moving surfaces: the time at which their features get into each other, against sampled points and against the exact
/// time of contact.

#include "narrowphase/nonconvex/feature_sweep.h"
#include "tests/narrowphase/nonconvex/contact_oracle.h"
#include "tests/narrowphase/nonconvex/nonconvex_solids.h"

#include <talus/narrowphase/nonconvex/motion.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;

namespace {

Transform pose_of(const RelativePlace& place) { return {vec3(place.position), quat(place.rotation)}; }

OracleSurface surface_at(const SolidSurface& s, const RelativePlace& place) {
    return OracleSurface(s.solid.mesh, place.position, place.rotation);
}

/// Returns the corners of a surface and some points of the sides of its triangles.
std::vector<glm::dvec3> points_of(const OracleSurface& surface) {
    std::vector<glm::dvec3> points;
    for (const OracleTriangle& t : surface.triangles()) {
        for (std::size_t i = 0; i < 3; ++i) {
            for (int k = 0; k < 6; ++k) points.push_back(glm::mix(t[i], t[(i + 1) % 3], k / 6.0));
        }
    }
    return points;
}

/// Returns whether a point of either surface is deeper than `depth` (m) inside of the other one.
bool any_deeper(const OracleSurface& a, const OracleSurface& b, double depth) {
    const auto is_deep = [&](const OracleSurface& of, const OracleSurface& in) {
        const std::vector<glm::dvec3> points = points_of(of);
        return std::any_of(points.begin(), points.end(), [&](const glm::dvec3& p) {
            return in.distance_to(p, depth) > depth && in.winding(p) > 0.5;
        });
    };
    return triangles_cross(a, b) && (is_deep(a, b) || is_deep(b, a));
}

/// A motion that begins apart and often ends in A.
RelativeMotion any_motion(const SolidSurface& a, const SolidSurface& b, Random& random) {
    RelativeMotion m;
    m.rotation = glm::dquat(any_orientation(random));
    const double apart = 1.8 * double{a.size + b.size};
    m.position = apart * random.direction();
    m.displacement = random.between(0.3f, 2.0f) * (0.4 * double{a.size} * random.direction() - m.position);
    if (random.chance(0.8)) {
        m.axis = random.direction();
        m.angle = double{random.between(0.0f, 3.0f)};
    }
    return m;
}

float first_hit(const SolidSurface& a, const SolidSurface& b, const RelativeMotion& m, float depth, float window,
                FeatureSweep& sweep) {
    const auto b_in_a = [&](float time) { return pose_of(place_at(m, double{time})); };
    double reach = 0.0;
    for (const vec3& v : b.solid.mesh.vertices) reach = std::max(reach, glm::length(glm::dvec3(v) - m.center));
    const auto turn = static_cast<float>(m.angle);
    const float speed = static_cast<float>(glm::length(m.displacement) + m.angle * reach);
    return sweep.first_hit(a.features(), b.features(), {b_in_a, 1.0f, speed, turn, window}, {depth, depth, 0.0f}, 1.0f);
}

}  // namespace

TEST_CASE("until features of moving solids hit, no point of one is deep inside of the other" *
          doctest::test_suite("slow")) {
    const std::vector<SolidSurface> all = solid_surfaces();
    Random random(81);
    FeatureSweep sweep;
    int hits = 0, passes = 0, early = 0;
    std::size_t windows = 0, pairs = 0;
    double late = 0.0;
    for (int round = 0; round < 300 * nonconvex_scale(); ++round) {
        const SolidSurface& a = any_of(all, random);
        const SolidSurface& b = any_of(all, random);
        CAPTURE(round);
        CAPTURE(a.solid.name);
        CAPTURE(b.solid.name);
        const RelativeMotion m = any_motion(a, b, random);
        const float size = std::min(a.size, b.size), depth = 0.02f * size;
        const OracleSurface still = surface_at(a, {});
        const ContactTime contact = time_of_contact(a.solid.shape, b.solid.shape, m);
        if (contact.status == ToiStatus::initially_overlapping) continue;
        const float hit = first_hit(a, b, m, depth, 0.02f, sweep);
        windows += sweep.windows();
        pairs += sweep.pairs();
        const bool is_hit = hit < 1.0f;
        ++(is_hit ? hits : passes);
        // Features cannot be in each other before they touch, except beside each other, within rounding.
        early += double{hit} < contact.time - 1e-4 ? 1 : 0;
        CHECK(double{hit} >= contact.time - 0.01);
        if (is_hit && contact.status == ToiStatus::hit) late += double{hit} - contact.time;
        for (const double part : {0.5, 0.7, 0.9, 0.98, 1.0}) {
            const double time = part * double{hit};
            CAPTURE(time);
            CHECK(!any_deeper(still, surface_at(b, place_at(m, time)), 1.25 * double{depth}));
        }
    }
    MESSAGE(hits << " hits, " << early << " of them early, " << passes << " passes, on average " << late / hits
                 << " of the motion after the touch; " << windows << " windows, " << pairs << " pairs");
    CHECK(300 * (early - 1) <= hits);  // compilers draw different motions: one in the everyday run may be among them
    CHECK(hits > 100);
    CHECK(passes > 30);
}
