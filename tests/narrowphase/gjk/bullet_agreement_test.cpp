/// Talus compared with Bullet's pair detector (GJK, then its EPA) on hulls, with the oracle as referee. Bullet has
/// conventions of its own, so a sign, a frame or a unit that Talus and its oracle both got wrong would be found.
///
/// Bullet 3.24 (float, absolute tolerances, margin 0) is 6e-3 radii off at worst and within 1e-3 in 5,999 of these
/// 6,000 pairs. So the two must agree on most pairs; if they disagree, the oracle must agree with Talus every time.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"

#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace talus;
using oracle::dvec3;

/// In radii of the smaller hull. Two answers this close say the same thing.
constexpr double bullet_tolerance = 1e-3;
/// A normal of Bullet's that loses no more than this against the best is as good an answer as any.
constexpr double bullet_normal_loss = 1e-3;

struct Listener : btDiscreteCollisionDetectorInterface::Result {
    bool hit = false;
    double separation = 0.0;
    dvec3 normal{0.0};  ///< from A to B, as Talus has it

    void setShapeIdentifiersA(int, int) override {}
    void setShapeIdentifiersB(int, int) override {}
    void addContactPoint(const btVector3& normal_on_b, const btVector3&, btScalar depth) override {
        hit = true;
        separation = static_cast<double>(depth);
        normal = -dvec3(normal_on_b.x(), normal_on_b.y(), normal_on_b.z());
    }
};

struct HullPair {
    Shape shape;
    oracle::Solid solid;
    std::unique_ptr<btConvexHullShape> bullet;
};

HullPair make_one(test::Random& random, double size) {
    const auto built = make_hull(test::hull_points(random, size));
    REQUIRE_MESSAGE(bool(built), built.error().message);
    HullPair one{hull(*built), {}, std::make_unique<btConvexHullShape>()};
    one.solid = oracle::make_solid(one.shape);
    for (const vec3& p : (*built)->vertices) one.bullet->addPoint(btVector3(p.x, p.y, p.z), false);
    one.bullet->recalcLocalAabb();
    one.bullet->setMargin(0.0f);
    return one;
}

btTransform to_bullet(const MatrixTransform& f) {
    const mat3& m = f.rotation;
    return btTransform(btMatrix3x3(m[0].x, m[1].x, m[2].x, m[0].y, m[1].y, m[2].y, m[0].z, m[1].z, m[2].z),
                       btVector3(f.position.x, f.position.y, f.position.z));
}

Listener ask_bullet(const HullPair& a, const HullPair& b, const MatrixTransform& f) {
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    btGjkPairDetector detector(a.bullet.get(), b.bullet.get(), &simplex, &epa);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = btTransform::getIdentity();
    input.m_transformB = to_bullet(f);
    Listener listener;
    detector.getClosestPoints(input, listener, nullptr);
    return listener;
}

}  // namespace

TEST_CASE("on hull pairs Talus and Bullet mostly agree, and where they do not the oracle sides with Talus" *
          doctest::test_suite("slow")) {
    test::Random random(324);
    std::vector<HullPair> pool;
    for (int i = 0; i < 40; ++i) pool.push_back(make_one(random, random.scale(0.5, 2.0)));

    constexpr int pairs = 6000;
    int agreed = 0, normals_agreed = 0, silent = 0, apart = 0, deep = 0, talus_wrong = 0;
    double worst_talus = 0.0, worst_bullet = 0.0;
    for (int i = 0; i < pairs; ++i) {
        const HullPair& a = pool[static_cast<std::size_t>(random.below(40))];
        const HullPair& b = pool[static_cast<std::size_t>(random.below(40))];
        const double size = std::min(a.solid.size, b.solid.size), reach = a.solid.size + b.solid.size;
        const MatrixTransform f{test::narrow(random.between(0.0, 1.3) * reach * random.direction()),
                                test::mixed_turn(random)};
        const oracle::Pose pose(f);
        const oracle::SignedDistance truth = oracle::signed_distance(a.solid, b.solid, pose, 1e-7 * size);
        (truth.separation > 0.0 ? apart : deep)++;

        SimplexCache cache;
        const SeparationResult mine = separation(a.shape, b.shape, f, cache);
        const test::Verdict verdict = test::judge(a.solid, b.solid, pose, truth, mine);
        worst_talus = std::max(worst_talus, verdict.error);
        if (!verdict.complaint.empty() && ++talus_wrong <= 5) {
            FAIL_CHECK(verdict.complaint, "\n", test::reproduce(a.shape, b.shape, f));
        }

        const Listener theirs = ask_bullet(a, b, f);
        silent += int(!theirs.hit);
        if (!theirs.hit) continue;
        const double error = std::abs(theirs.separation - truth.separation) / size;
        worst_bullet = std::max(worst_bullet, error);
        agreed += int(std::abs(theirs.separation - static_cast<double>(mine.separation)) <= bullet_tolerance * size);
        const double loss = truth.separation - oracle::separation_along(a.solid, b.solid, pose, theirs.normal);
        normals_agreed += int(loss <= bullet_normal_loss * size);
    }
    INFO("apart ", apart, ", deep ", deep, "; Bullet silent ", silent, ", same separation ", agreed,
         ", normal as good ", normals_agreed, "; worst error Talus ", worst_talus, ", Bullet ", worst_bullet, " radii");
    CHECK(talus_wrong == 0);
    CHECK(apart > pairs / 4);
    CHECK(deep > pairs / 4);
    CHECK(1000 * agreed >= 999 * pairs);
    CHECK(1000 * normals_agreed >= 999 * pairs);
    CHECK(worst_talus <= test::separation_tolerance);
}
