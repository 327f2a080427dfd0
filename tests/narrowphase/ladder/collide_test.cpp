// The batch interface without the engine: every rung gives the result of a cold test, no cache is used after the shapes
// that it describes have changed, and batches may run on several threads.

#include "tests/narrowphase/ladder/collide_batch.h"
#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/support/threads.h"

#include <talus/narrowphase/separation.h>
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/relative_motion.h"
#include "narrowphase/tolerances.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace talus;
using test::Batch;
using test::deepest;
using test::lacks_threads;
using test::Random;

CollideSettings all_off() { return {false, false, false, false, false, false}; }

quat turned(Random& random, double angle) {
    const glm::dvec3 axis = random.direction();
    const double s = std::sin(0.5 * angle);
    return glm::normalize(quat(float(std::cos(0.5 * angle)), float(s * axis.x), float(s * axis.y), float(s * axis.z)));
}

Shape stone(Random& random, int count, double size) {
    std::vector<vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(test::narrow(size * random.direction()));
    const auto built = make_hull(points);
    REQUIRE(built);
    return hull(*built);
}

/// The signed separation of a pair, computed without a cache.
float truth(const Batch& batch, std::size_t pair) {
    const PairRecord& r = batch.records[pair];
    const MatrixTransform frame = to_matrix_transform(relative(batch.colliders.poses[r.a], batch.colliders.poses[r.b]));
    SimplexCache cache;
    return separation(batch.colliders.shapes[r.a], batch.colliders.shapes[r.b], frame, cache).separation;
}

/// Pairs of all kinds that slowly tumble through each other.
Batch tumbling(Random& random, int count) {
    Batch batch;
    for (int i = 0; i < count; ++i) {
        const auto any = [&] {
            const ShapeType type = static_cast<ShapeType>(random.below(shape_type_count));
            return type == ShapeType::hull ? stone(random, 24, 0.5) : test::random_shape(random, type, 0.5, nullptr);
        };
        const Shape a = any(), b = any();
        batch.add(a, b, {random.between(0.0, 1.2) * random.direction(), turned(random, random.between(0.0, 6.0))});
    }
    return batch;
}

void stir(Batch& batch, Random& random, double way, double angle) {
    for (std::size_t i = 1; i < batch.colliders.poses.size(); i += 2) {
        WorldTransform& pose = batch.colliders.poses[i];
        pose.position += way * random.direction();
        pose.rotation = glm::normalize(turned(random, angle) * pose.rotation);
    }
}

}  // namespace

TEST_CASE("every rung is climbed and each agrees with a cold test to within what it may reuse") {
    Random random(11);
    Batch batch = tumbling(random, 400);
    std::array<std::uint64_t, rung_count> total{};
    double worst = 0.0;
    for (int frame = 0; frame < 60; ++frame) {
        batch.collide();
        for (std::size_t r = 0; r < total.size(); ++r) total[r] += batch.profile.pairs[r];
        for (std::size_t pair = 0; pair < batch.records.size(); ++pair) {
            const PairRecord& record = batch.records[pair];
            const float margin = detail::contact_margin(batch.colliders, record), real = truth(batch, pair);
            CAPTURE(frame);
            CAPTURE(pair);
            CAPTURE(std::string(name_of(record.rung)));
            CAPTURE(real);
            // The allowed error of a rung: for reuse the motion that it allows, for a shallow face contact its depth.
            const float slack = 1e-4f * record.size + (record.rung == Rung::reuse ? 2.0f * record.reuse_motion : 0.0f) +
                                (record.rung == Rung::axis_touching ? tolerance::axis_depth * record.size : 0.0f);
            if (record.state == PairState::separated) {
                CHECK(real > std::min(0.0f, margin) - slack);
                if (record.rung != Rung::skip) CHECK(record.distance <= real + slack);  // a lower bound
            } else {
                const float found = deepest(batch.caches[pair].manifold);
                CHECK(batch.caches[pair].manifold.count > 0);
                CHECK(found < margin + slack);
                if (record.rung == Rung::warm_epa || record.rung == Rung::cold_epa || record.rung == Rung::closed_form)
                    worst = std::max(worst, double(std::abs(found - real) / record.size));
            }
        }
        stir(batch, random, frame % 20 == 19 ? 0.2 : 0.002, frame % 20 == 19 ? 0.5 : 0.005);
    }
    std::string text;
    for (int r = 0; r < rung_count; ++r)
        text += std::string(name_of(static_cast<Rung>(r))) + " " + std::to_string(total[static_cast<std::size_t>(r)]) +
                "  ";
    MESSAGE(text, "; depths by closed form and EPA differ by ", worst, " sizes at most");
    for (int r = 0; r < rung_count; ++r) {  // convex pairs have no features
        CHECK_MESSAGE((total[static_cast<std::size_t>(r)] > 0) == (Rung(r) != Rung::features), text);
    }
}

TEST_CASE("warm EPA gives the depth that cold EPA gives") {
    Random random(12);
    Batch warm;
    warm.settings.reuse = warm.settings.axis = false;
    for (int i = 0; i < 200; ++i) {
        const Shape a = stone(random, 24, 0.5), b = stone(random, 24, 0.5);
        warm.add(
            a, b,
            {test::narrow(random.between(0.4, 0.8) * random.direction()), turned(random, random.between(0.0, 6.0))});
    }
    std::uint64_t slid = 0;
    for (int frame = 0; frame < 40; ++frame) {
        warm.collide();
        slid += warm.settled(Rung::warm_epa);
        for (std::size_t pair = 0; pair < warm.records.size(); ++pair) {
            if (warm.records[pair].rung != Rung::warm_epa) continue;
            Batch cold = warm;
            cold.settings = all_off();
            cold.records[pair].state = PairState::unknown;
            cold.active = {static_cast<std::uint32_t>(pair)};
            cold.collide();
            CHECK(cold.settled(Rung::cold_epa) == 1);
            // Two directions may have the same depth up to rounding; then the manifolds may differ, but not the depth.
            const float real = truth(warm, pair);
            const vec3 n = warm.caches[pair].manifold.normal;
            CAPTURE(n.x);
            CHECK(deepest(warm.caches[pair].manifold) <= real + 1e-4f);
            CHECK(deepest(warm.caches[pair].manifold) >= real - 2.0f * tolerance::face_preference * 0.5f - 1e-4f);
        }
        stir(warm, random, 0.002, 0.004);
    }
    MESSAGE(slid, " of 8000 answers by warm EPA");
    CHECK(slid > 500);
}

TEST_CASE("faces that overlap along a narrow strip touch unless slivers are dropped and thin shapes always do") {
    for (const bool drop : {false, true}) {
        const quat level(1, 0, 0, 0);
        Batch batch;
        batch.settings.drop_slivers = drop;
        batch.add(box({1, 1, 1}), box({1, 1, 1}), {vec3(1.995f, 1.999f, 0), level});
        batch.add(box({5, 1, 5}), box({1, 0.001f, 0.001f}), {vec3(0, 1.0f, 0), level});
        batch.add(box({5, 1, 5}), box({1, 1, 0.001f}), {vec3(0, 1.999f, 0), level});
        batch.collide();
        CHECK((batch.caches[0].manifold.count > 0) == !drop);
        CHECK(batch.caches[1].manifold.count > 0);
        CHECK(batch.caches[2].manifold.count > 0);
    }
}

TEST_CASE("a cache does not match once its shape changed or moved its centre or jumped") {
    struct Change {
        const char* name;
        void (*make)(Colliders&);
    };
    // The pair is box on hull; shape 1 is the hull, seen from box 0.
    const Change changes[] = {
        {"another shape",
         [](Colliders& c) {
             c.shapes[1] = box({0.5f, 0.4f, 0.3f});
         }},
        {"another size",
         [](Colliders& c) {
             std::vector<vec3> points;
             for (const vec3& v : c.shapes[1].hull->vertices) points.push_back(1.2f * v);
             c.shapes[1] = hull(*make_hull(points));
         }},
        {"another origin, as when the centre of mass moves",
         [](Colliders& c) {
             std::vector<vec3> points;
             for (const vec3& v : c.shapes[1].hull->vertices) points.push_back(v + vec3(0.1f, 0.0f, 0.0f));
             c.shapes[1] = hull(*make_hull(points));
         }},
        {"a teleport", [](Colliders& c) { c.poses[1].position.y += 0.05f; }},
    };
    for (const Change& change : changes) {
        for (const double height : {0.9, 1.3}) {  // overlapping, and apart
            Random random(13);
            Batch batch;
            batch.add(box({0.5f, 0.5f, 0.5f}), stone(random, 24, 0.5),
                      {{0.05f, float(height), 0.0f}, quat(1, 0, 0, 0)});
            batch.settings.closed_form = false;
            for (int i = 0; i < 3; ++i) batch.collide();
            CAPTURE(change.name);
            CAPTURE(std::string(name_of(batch.records[0].rung)));
            CHECK(batch.settled(Rung::skip) + batch.settled(Rung::reuse) == 1);
            change.make(batch.colliders);
            ++batch.colliders.versions[1];
            batch.collide();
            CHECK(batch.settled(Rung::cold_gjk) + batch.settled(Rung::cold_epa) == 1);
            Batch fresh;
            fresh.add(batch.colliders.shapes[0], batch.colliders.shapes[1], batch.colliders.poses[1]);
            fresh.settings.closed_form = false;
            fresh.collide();
            REQUIRE(fresh.records[0].state == batch.records[0].state);
            if (fresh.records[0].state == PairState::touching)
                CHECK(deepest(fresh.caches[0].manifold) == deepest(batch.caches[0].manifold));
        }
    }
}

TEST_CASE("a pair that grew into its neighbour is not skipped by the balls it had") {
    for (const float size : {0.5f, 1.5f}) {
        Random random(17);
        Batch batch;
        batch.add(stone(random, 24, 0.5), box(vec3(0.2f)), {{1.5f, 0.0f, 0.0f}});
        for (int i = 0; i < 2; ++i) {
            batch.collide();
            REQUIRE(batch.settled(Rung::skip) == 1);
            REQUIRE(batch.records[0].state == PairState::separated);
        }
        batch.colliders.shapes[1] = box(vec3(size, 0.2f, 0.2f));
        ++batch.colliders.versions[1];
        batch.collide();
        CAPTURE(size);
        CHECK((batch.caches[0].manifold.count > 0) == (size > 1.0f));
        CHECK(batch.records[0].radius_b >= size);
    }
}

TEST_CASE("bodies thrown apart lose their contact at once and find it again when they are back") {
    Random random(18);
    Batch batch;
    batch.add(stone(random, 24, 0.5), stone(random, 24, 0.5), {{0.75f, 0.0f, 0.0f}});
    batch.collide();
    REQUIRE(batch.records[0].state == PairState::touching);
    const float depth = deepest(batch.caches[0].manifold);
    for (int round = 0; round < 3; ++round) {
        batch.colliders.poses[1].position.x = 2.0f;
        batch.collide();
        CHECK(batch.settled(Rung::skip) == 1);
        CHECK(batch.records[0].state == PairState::separated);
        CHECK(batch.caches[0].manifold.count == 0);
        batch.colliders.poses[1].position.x = 0.75f;
        batch.collide();
        CHECK(batch.records[0].state == PairState::touching);
        CHECK(deepest(batch.caches[0].manifold) == doctest::Approx(depth).epsilon(1e-4));
    }
}

TEST_CASE("edges that rub at a shallow depth do not ask EPA at each step") {
    // Two boxes, one on its edge across an edge of the other, with a penetration of 4 mm, sliding by 25 mm per step.
    const float h = 0.5f * std::sqrt(2.0f);
    const float s = std::sin(0.125f * 3.14159265f), c = std::cos(0.125f * 3.14159265f);
    Batch batch;
    batch.settings.closed_form = false;
    batch.add(box(vec3(0.5f)), box(vec3(0.5f)), {{0.0f, 2.0f * h - 0.004f, 0.0f}, quat(c, 0, 0, s)},
              {vec3(0.0f), quat(c, s, 0, 0)});
    std::uint64_t cold = 0, kept = 0;
    for (int frame = 0; frame < 16; ++frame) {
        batch.colliders.poses[1].position.x += 0.02f;
        batch.colliders.poses[1].position.z -= 0.015f;
        batch.collide();
        cold += batch.settled(Rung::cold_epa);
        kept += batch.settled(Rung::axis_touching) + batch.settled(Rung::warm_epa) + batch.settled(Rung::reuse);
        REQUIRE(batch.records[0].state == PairState::touching);
        Batch fresh = batch.fresh();
        fresh.collide();
        CHECK(deepest(batch.caches[0].manifold) == doctest::Approx(deepest(fresh.caches[0].manifold)).epsilon(1e-2));
    }
    CHECK(cold == 1);
    CHECK(kept == 15);
}

TEST_CASE("relative poses and motions of four are to the bit those of one") {
    Random random(5);
    const auto any = [&](const dvec3& around) {
        return WorldTransform{on_grid(around + random.between(0.0, 9.0) * random.direction()),
                              turned(random, random.between(0.0, 6.0))};
    };
    for (int n = 0; n < 1000; ++n) {
        WorldTransform a[4], b[4];
        const WorldTransform *pa[4], *pb[4];
        Transform from[4], together[4];
        const Transform* pf[4];
        Float4 radius;
        for (int i = 0; i < 4; ++i) {
            const dvec3 around = n % 2 == 0 ? dvec3(0.0) : 1e6 * random.direction();
            pa[i] = &(a[i] = any(around)), pb[i] = &(b[i] = any(around));
            pf[i] = &(from[i] = relative_to(dvec3(0.0), any(dvec3(0.0))));
            radius[i] = float(random.between(0.0, 2.0));
        }
        const detail::TransformLanes lanes =
            detail::relative(detail::load_rotations(pa), detail::load_transforms(pb, pa));
        const Float4 motion = detail::motion_bound(detail::load_transforms(pf), lanes, radius);
        detail::store_transforms(lanes, together);
        for (int i = 0; i < 4; ++i) {
            const Transform alone = relative(a[i], b[i]);
            CHECK(together[i].position == alone.position);
            CHECK(together[i].rotation == alone.rotation);
            CHECK(motion[i] == detail::motion_bound(from[i], alone, radius[i]));
        }
    }
}

TEST_CASE("shapes about to meet get their whole faces and those that could if one is stopped their nearest points") {
    // A box 0.2 m above another, level and face to face.
    Batch batch;
    batch.add(box(vec3(0.5f)), box(vec3(0.5f)), {{0.1f, 1.2f, 0.0f}});
    const auto points = [&](const vec3& way, const vec3& turn) {
        const float length = std::sqrt(length_squared(way)), turning = 2.2f * std::sqrt(length_squared(turn));
        batch.colliders.motions[1] = {way, turn, turning, length + turning};
        batch.records[0] = make_pair(batch.colliders, 0, 1);
        batch.collide();
        const bool touching = batch.records[0].state == PairState::touching;
        CHECK(touching == (batch.caches[0].manifold.count != 0));
        if (touching) CHECK(deepest(batch.caches[0].manifold) == doctest::Approx(0.2));
        return batch.caches[0].manifold.count;
    };
    const vec3 none(0.0f);
    CHECK(points({0.0f, -0.25f, 0.0f}, none) == 4);  // falls on it
    CHECK(points({0.0f, -0.19f, 0.0f}, none) == 4);  // nearly, and then it is within what always counts as near
    CHECK(points({0.0f, -0.11f, 0.0f}, none) == 0);
    CHECK(points({0.0f, 0.25f, 0.0f}, none) == 0);  // leaves
    CHECK(points({0.25f, 0.0f, 0.0f}, none) == 0);  // passes by
    batch.colliders.motions[0] = {{0.0f, 0.25f, 0.0f}, none, 0.0f, 0.25f};
    CHECK(points({0.0f, 0.25f, 0.0f}, none) == 1);  // both in the same direction: the upper one may be stopped
    CHECK(points(none, none) == 4);                 // the lower one flies up

    // A beam, turned by 0.2 so that its end at +x is 0.2 m above a floor: what counts is how that end moves.
    const float angle = 0.2f, low = 2.0f * std::sin(angle) + 0.1f * std::cos(angle);
    batch = {};
    batch.add(box({5.0f, 0.5f, 5.0f}), box({2.0f, 0.1f, 0.1f}),
              {{0.0f, 0.5f + 0.2f + low, 0.0f}, glm::angleAxis(-angle, vec3(0.0f, 0.0f, 1.0f))});
    CHECK(points(none, {0.0f, 0.0f, -0.1f}) == 2);  // comes down
    CHECK(points(none, {0.0f, 0.0f, 0.1f}) == 1);   // goes up
    CHECK(points({0.0f, -0.25f, 0.0f}, {0.0f, 0.0f, 0.1f}) ==
          2);  // goes up, but the beam falls and brings the other end down
}

TEST_CASE("batches side by side in threads give the bits of one batch alone") {
    if (lacks_threads()) return;
    Random random(14);
    Batch alone = tumbling(random, 300);
    Batch shared = alone;
    for (int frame = 0; frame < 10; ++frame) {
        alone.collide();
        const auto half = [&](std::size_t first, std::size_t last) {
            CollideScratch scratch;
            NarrowphaseProfile profile;
            const std::span<const std::uint32_t> active(shared.active.data() + first, last - first);
            collide(shared.colliders, shared.records, shared.caches, active, shared.settings, scratch, profile);
        };
        std::thread other(half, 0, 150);
        half(150, 300);
        other.join();
        int different = 0;
        for (std::size_t pair = 0; pair < alone.records.size(); ++pair) {
            const Manifold &p = alone.caches[pair].manifold, &q = shared.caches[pair].manifold;
            bool same = p.count == q.count && alone.records[pair].rung == shared.records[pair].rung;
            for (int i = 0; same && i < p.count; ++i)
                same = p.points[i].on_a == q.points[i].on_a && p.points[i].separation == q.points[i].separation;
            different += int(!same);
        }
        CHECK(different == 0);
        Random moves(frame + 100u), again(frame + 100u);
        stir(alone, moves, 0.01, 0.02);
        stir(shared, again, 0.01, 0.02);
    }
}
