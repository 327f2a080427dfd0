/// 100,000 pairs, all 36 kinds of pairs in both orders, compared with the oracle: a third apart by up to two sizes, a
/// third touching to within a twentieth of a size, a third far inside each other. Sizes 0.1 to 10, ratios up to 1:30;
/// at random orientations, or with faces or edges exactly parallel; vertex on vertex, concentric, contained.
///
/// Each pose is tested cold, and with the cache of the pose before, half of the time after a small motion and half of
/// the time after a jump. Both results must be right, and so must a third one with a distance limit.
///
/// TALUS_AGREEMENT_REPORT=1 prints the errors by kind of pair. TALUS_AGREEMENT_PAIRS, _SEED, _ONLY (such as box-cone)
/// and _FAILURES (how many are printed) change the run.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/support/environment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace talus;
using oracle::dmat3;
using oracle::dvec3;
using test::from_environment;
using test::Random;

#ifdef NDEBUG
constexpr int default_pairs = 100000;
#else
constexpr int default_pairs = 10000;  // unoptimised or sanitized, the oracle takes ten times as long
#endif

/// The share of each kind of pairs. Pairs for which the oracle must search a sphere are fewer, those with two curved
/// cores fewest (about 0.02, 0.2 and 0.5 ms per oracle call), so that the test takes less than a minute.
int weight(ShapeType a, ShapeType b) {
    const auto curved = [](ShapeType t) { return t == ShapeType::cylinder || t == ShapeType::cone; };
    return 4 - int(curved(a)) - int(curved(b));
}

struct Piece {
    Shape shape;
    oracle::Solid solid;
};

Piece make_piece(Shape shape) { return {shape, oracle::make_solid(shape)}; }

/// Hulls are built once, and picked by size.
std::vector<Piece> make_pool(Random& random) {
    std::vector<Piece> pool;
    while (pool.size() < 80) {
        const auto built = make_hull(test::hull_points(random, random.scale(0.1, 10.0)));
        REQUIRE_MESSAGE(bool(built), built.error().message);
        pool.push_back(make_piece(hull(*built)));
    }
    return pool;
}

Piece pick(Random& random, ShapeType type, double size, const std::vector<Piece>& pool) {
    if (type != ShapeType::hull) return make_piece(test::random_shape(random, type, size, nullptr));
    const Piece* best = nullptr;
    for (int i = 0; i < 8; ++i) {  // of a few at random, the one nearest in size
        const Piece& candidate = pool[static_cast<std::size_t>(random.below(static_cast<int>(pool.size())))];
        const auto off = [&](const Piece& p) { return std::abs(std::log(p.solid.size / size)); };
        if (best == nullptr || off(candidate) < off(*best)) best = &candidate;
    }
    return *best;
}

struct Tally {
    long poses = 0, apart = 0, shallow = 0, deep = 0;
    long answers = 0, epa = 0, flat = 0, warm = 0, failures = 0;
    double error = 0.0, normal_loss = 0.0, witness_error = 0.0, angle_apart = 0.0;
    long iterations[2] = {0, 0};  ///< of GJK, cold and warm

    void add(const Tally& t) {
        poses += t.poses, apart += t.apart, shallow += t.shallow, deep += t.deep;
        answers += t.answers, epa += t.epa, flat += t.flat, warm += t.warm, failures += t.failures;
        error = std::max(error, t.error), normal_loss = std::max(normal_loss, t.normal_loss);
        witness_error = std::max(witness_error, t.witness_error), angle_apart = std::max(angle_apart, t.angle_apart);
        for (int i = 0; i < 2; ++i) iterations[i] += t.iterations[i];
    }
};

std::string line(const std::string& name, const Tally& t) {
    char text[400];
    std::snprintf(text, sizeof text,
                  "%-19s poses %6ld (apart %5ld shallow %5ld deep %5ld)  EPA %6ld flat %5ld warm %6ld  failures %5ld  "
                  "max error %.1e "
                  "normal loss %.1e witness %.1e angle apart %.1e  iterations %.1f %.1f",
                  name.c_str(), t.poses, t.apart, t.shallow, t.deep, t.epa, t.flat, t.warm, t.failures, t.error,
                  t.normal_loss, t.witness_error, t.angle_apart,
                  static_cast<double>(t.iterations[0]) / static_cast<double>(std::max(1L, t.poses)),
                  static_cast<double>(t.iterations[1]) / static_cast<double>(std::max(1L, t.answers - t.poses)));
    return text;
}

class Agreement {
public:
    explicit Agreement(std::uint64_t seed) : random_(seed), pool_(make_pool(random_)) {}

    Tally run(ShapeType type_a, ShapeType type_b, long poses) {
        tally_ = {};
        while (tally_.poses < poses) {
            const bool swapped = random_.chance(0.5);
            scenario(swapped ? type_b : type_a, swapped ? type_a : type_b, poses);
        }
        return tally_;
    }

private:
    /// Six poses: apart, nudged; touching, nudged; deep, nudged.
    void scenario(ShapeType type_a, ShapeType type_b, long poses) {
        const double size = random_.scale(0.1, 10.0);
        a_ = pick(random_, type_a, size, pool_);
        do {
            const double ratio = random_.chance(0.5) ? random_.scale(0.5, 2.0) : random_.scale(1.0 / 30.0, 30.0);
            b_ = pick(random_, type_b, std::clamp(size * ratio, 0.1, 10.0), pool_);
        } while (b_.solid.size > 30.0 * a_.solid.size || a_.solid.size > 30.0 * b_.solid.size);
        smaller_ = std::min(a_.solid.size, b_.solid.size);
        rotation_ = dmat3(test::mixed_turn(random_));
        stale_ = {};

        const dvec3 n = ask(place_apart(), false);
        nudge();
        if (tally_.poses < poses) ask(place_touching(n), false), nudge();
        if (tally_.poses < poses) ask(place_deep(), false), nudge();
    }

    dvec3 support_of_a(const dvec3& u) const { return oracle::core_support(a_.solid, u) + a_.solid.radius * u; }
    dvec3 support_of_b(const dvec3& u) const {  // relative to B's origin, A's axes
        return rotation_ * oracle::core_support(b_.solid, u * rotation_) + b_.solid.radius * u;
    }

    dvec3 place_apart() {
        dvec3 u = random_.direction();
        if (random_.chance(0.3)) u = dvec3(test::quarter_turns(random_)[0]);
        const double gap = std::pow(random_.unit(), 3.0) * 2.0 * std::max(a_.solid.size, b_.solid.size);
        const dvec3 offset =
            random_.chance(0.5) ? dvec3(0.0) : perpendicular(u) * random_.between(0.0, 1.0) * a_.solid.size;
        const dvec3 touching = support_of_a(u) - support_of_b(-u);
        if (random_.chance(0.5)) return touching + gap * u;  // vertex against vertex along u
        // Side by side along u, shifted freely across it.
        const dvec3 between = a_.solid.center - rotation_ * b_.solid.center;
        return between + offset + u * (glm::dot(u, touching - between) + gap);
    }

    /// From the last pose straight along its normal until the pair is `target` apart: on that axis at least, and in
    /// truth mostly.
    dvec3 place_touching(const dvec3& n) {
        const double target = random_.chance(0.15) ? 0.0 : random_.between(-0.05, 0.05) * smaller_;
        return dvec3(frame_.position) + n * (target - last_separation_);
    }

    dvec3 place_deep() {
        const double kind = random_.unit();
        if (kind < 0.15) return dvec3(0.0);
        const dvec3 center_a = a_.solid.center, center_b = rotation_ * b_.solid.center;
        if (kind < 0.3) return center_a - center_b;
        // A point inside A on a point inside B.
        const dvec3 u = random_.direction(), v = random_.direction();
        const double deep_a = random_.between(0.0, 0.9), deep_b = random_.between(0.0, 0.9);
        const dvec3 in_a = center_a + deep_a * (oracle::core_support(a_.solid, u) - center_a);
        const dvec3 in_b = center_b + deep_b * (rotation_ * oracle::core_support(b_.solid, v) - center_b);
        return in_a - in_b;
    }

    static dvec3 perpendicular(const dvec3& u) { return dvec3(any_perpendicular(vec3(u))); }

    /// A small motion of the last pose: a hundredth of the smaller size and half a degree, or the same without turning.
    void nudge() {
        const double moved = 0.01 * smaller_ * random_.unit();
        const dvec3 position = dvec3(frame_.position) + moved * random_.direction();
        const dmat3 aligned = rotation_;
        if (random_.chance(0.7)) rotation_ = dmat3(test::turn_between(random_, 0.0, 0.01)) * rotation_;
        ask(position, true);
        rotation_ = aligned;
    }

    /// Runs Talus cold and with the caches of the last pose, and the oracle once; returns the true normal.
    dvec3 ask(const dvec3& position, bool nudged) {
        frame_ = {vec3(position), mat3(rotation_)};
        const oracle::Pose pose(frame_);
        const oracle::SignedDistance truth = oracle::signed_distance(a_.solid, b_.solid, pose, 2e-7 * smaller_);
        last_separation_ = truth.separation;
        ++tally_.poses;
        (std::abs(truth.separation) < 0.05 * smaller_ ? tally_.shallow
         : truth.separation > 0.0                     ? tally_.apart
                                                      : tally_.deep)++;

        SimplexCache cold;
        answer(pose, truth, cold, "cold");
        answer(pose, truth, stale_, nudged ? "warm after a nudge" : "with a cache from elsewhere");
        stale_ = cold;
        if (truth.separation > 0.0) check_limit(truth.separation);
        return truth.normal;
    }

    void answer(const oracle::Pose& pose, const oracle::SignedDistance& truth, SimplexCache& cache,
                const std::string& how) {
        const bool cold = cache.count == 0;
        const SeparationResult r = separation(a_.shape, b_.shape, frame_, cache);
        const test::Verdict v = test::judge(a_.solid, b_.solid, pose, truth, r);
        ++tally_.answers;
        tally_.epa += int(r.used_epa);
        tally_.flat += int(r.used_epa && r.epa.status == EpaStatus::flat);
        tally_.warm += int(r.gjk.warm);
        tally_.iterations[cold ? 0 : 1] += r.gjk.iterations;
        tally_.error = std::max(tally_.error, v.error);
        tally_.normal_loss = std::max(tally_.normal_loss, v.normal_loss);
        tally_.witness_error = std::max(tally_.witness_error, v.witness_error);
        tally_.angle_apart = std::max(tally_.angle_apart, v.angle);
        if (!v.complaint.empty()) report(how, v.complaint, truth);
    }

    /// A limit may only cut the answer short when it is exceeded, and then leaves a lower bound beyond it.
    void check_limit(double truth) {
        const double limit = random_.between(0.3, 1.5) * truth, slack = test::separation_tolerance * smaller_;
        SimplexCache cache;
        const SeparationResult r = separation(a_.shape, b_.shape, frame_, cache, static_cast<float>(limit));
        const bool honest = r.beyond_limit ? limit - slack <= r.separation && r.separation <= truth + slack
                                           : std::abs(r.separation - truth) <= slack;
        if (honest) return;
        report("with a limit",
               "limit " + std::to_string(limit) + " gives " + std::to_string(r.separation) + " for " +
                   std::to_string(truth),
               {});
    }

    void report(const std::string& how, const std::string& complaint, const oracle::SignedDistance& truth) {
        ++tally_.failures;
        if (++printed_ > to_print_) return;
        FAIL_CHECK(name_of(a_.shape.type), " and ", name_of(b_.shape.type), ", ", how, ": ", complaint, "; truth ",
                   truth.separation, " along (", truth.normal.x, ", ", truth.normal.y, ", ", truth.normal.z, ")\n",
                   test::reproduce(a_.shape, b_.shape, frame_));
    }

    Random random_;
    std::vector<Piece> pool_;
    Piece a_, b_;
    double smaller_ = 0.0;
    dmat3 rotation_{1.0};
    MatrixTransform frame_;
    double last_separation_ = 0.0;
    SimplexCache stale_;
    Tally tally_;
    int printed_ = 0;
    const long to_print_ = from_environment("TALUS_AGREEMENT_FAILURES", 12);
};

}  // namespace

TEST_CASE("distance, depth, normal and witness points agree with the oracle on 100 000 pairs of all kinds" *
          doctest::test_suite("slow")) {
    const long pairs = from_environment("TALUS_AGREEMENT_PAIRS", default_pairs);
    const bool verbose = from_environment("TALUS_AGREEMENT_REPORT", 0) != 0;
    const char* only = std::getenv("TALUS_AGREEMENT_ONLY");  // such as "box-cone"
    Agreement agreement(static_cast<std::uint64_t>(from_environment("TALUS_AGREEMENT_SEED", 2008)));

    long weights = 0;
    for (int i = 0; i < shape_type_count; ++i) {
        for (int j = i; j < shape_type_count; ++j) weights += weight(ShapeType(i), ShapeType(j));
    }
    Tally total;
    long weight_so_far = 0, given = 0;
    std::string table;
    for (int i = 0; i < shape_type_count; ++i) {
        for (int j = i; j < shape_type_count; ++j) {
            const ShapeType a = ShapeType(i), b = ShapeType(j);
            weight_so_far += weight(a, b);
            const long share = pairs * weight_so_far / weights - given;
            given += share;
            const std::string name = std::string(name_of(a)) + "-" + std::string(name_of(b));
            if (only != nullptr && name != only) continue;
            const Tally tally = agreement.run(a, b, share);
            total.add(tally);
            table += line(name, tally) + "\n";
            // The hard path ran: cores with an inside overlap in about half of the poses.
            const bool solid =
                b == ShapeType::box || b == ShapeType::cylinder || b == ShapeType::cone || b == ShapeType::hull;
            if (solid)
                CHECK_MESSAGE(5 * tally.epa > tally.answers, name, " used EPA ", tally.epa, " times of ",
                              tally.answers);
        }
    }
    table += line("all", total);
    if (verbose || total.failures > 0) MESSAGE("\n", table);
    CHECK(total.failures == 0);
    if (only != nullptr) return;
    CHECK(total.poses >= pairs);
    CHECK(4 * total.apart > total.poses);
    CHECK(4 * total.shallow > total.poses);
    CHECK(4 * total.deep > total.poses);
    CHECK(4 * total.epa > total.answers);
    CHECK(4 * (total.answers - total.epa) > total.answers);
    CHECK(4 * total.warm > total.answers);
}
