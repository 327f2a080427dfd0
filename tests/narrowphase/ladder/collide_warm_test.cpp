/// The batch interface on adversarial pairs in motion: the cache is carried from frame to frame, and in every frame the
/// same pair is also tested cold, from a new record. All 36 kinds of pairs, in the families and meetings of
/// adversarial_pairs.h, through jitter, small and coarse motion, sliding, rocking, passing through each other, stop and
/// go, jumps and rotation in place.
///
/// The unit is the bar of adversarial_proof.h: max(1e-4 of the smaller shape, 16 * 2^-24 of the largest coordinate).
/// Let `real` be the separation by cold GJK and EPA (which the oracle checks now and then), and s(n) the separation
/// along the manifold's normal, by the oracle's support points. Allowed errors:
///
///   apart            apart by more than the margin along some direction; the distance kept for `skip` is at most
///                    real plus two bars
///   closed form,     s(n) is real to two bars, plus `face_preference` if a face gave the normal; the deepest point
///   GJK, EPA         is that of the cold manifold to two bars, plus what manifolds may miss
///   cached axis      the same plus `axis_depth`: a face that still explains the contact is used without a search for
///                    a smaller depth. It keeps a shape that penetrates a plate on its side, while a cold test may
///                    push it out on the other side
///   reuse            the error at the last test plus twice the motion since then: real and the anchors' gap can each
///                    change by that motion
///
/// The actual errors of the last two rungs, per ten thousand results (TALUS_LADDER_PAIRS=100000, seed 77): more than
/// two bars in 63 results of the axis, and in 176 of reuse. The largest are 240 and 280 bars, 0.024 and 0.028 sizes.
///
/// From the command line, a million moving pairs:
///     TALUS_LADDER_PAIRS=1000000 TALUS_LADDER_REPORT=1 build/release/talus-tests-narrowphase -tc="*carried from frame to frame*"
/// Further: TALUS_LADDER_SEED, _BATCH (the only one to run, by the number that failures give), _FAILURES (how many are
/// printed).

#include "tests/narrowphase/hard/adversarial_pairs.h"
#include "tests/narrowphase/hard/adversarial_proof.h"
#include "tests/narrowphase/ladder/collide_batch.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/support/environment.h"

#include <talus/narrowphase/separation.h>
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/ladder/relative_motion.h"
#include "narrowphase/tolerances.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace talus;
using glm::dmat3;
using glm::dvec3;
using test::Batch;
using test::deepest;
using test::from_environment;
using test::Random;

constexpr int shape_pairs = shape_type_count * (shape_type_count + 1) / 2;
constexpr int frames = 16;

#ifdef NDEBUG
constexpr long default_pairs = 9L * test::family_count * test::meeting_count * shape_pairs;
#else
constexpr long default_pairs = 24 * shape_pairs;  // unoptimised or sanitized, all takes ten times as long
#endif

/// The deepest point of a manifold may miss the depth along its normal by this, in sizes of the smaller shape:
/// `missed_depth` and what `flat_rim`, `rounded_face` and `contact_boundary` add (manifold_property_test.cpp).
constexpr double manifold_error = 1.5e-3;

// ---- Motion ---------------------------------------------------------------------------------------------------------

enum class Motion : std::uint8_t { jitter, slow, coarse, sliding, rocking, passing, stop_and_go, jump, spinning };
constexpr int motion_count = 9;
constexpr const char* motion_names[motion_count] = {"jitter",  "slow",        "coarse", "sliding", "rocking",
                                                    "passing", "stop and go", "jump",   "spinning"};

constexpr double degrees = 3.141592653589793 / 180.0;

/// A body B that moves past a resting A: poses in double, so that small steps add up.
struct Mover {
    dvec3 center;  ///< of B's solid, world
    dmat3 rotation;
    dvec3 way, axis;      ///< unit
    dvec3 contact;        ///< where the two were nearest at first
    double size, stride;  ///< of the smaller shape; 1 to 3

    /// One frame of the motion; returns it as the caller of `collide` would foretell it.
    PredictedMotion move(Motion motion, int frame, Random& random, double radius) {
        double length = 0.0, angle = 0.0;
        dvec3 along = way, about = axis, pivot = center;
        switch (motion) {
            case Motion::jitter:
                length = angle = 1e-5;
                along = random.direction();
                about = random.direction();
                break;
            case Motion::slow:
                length = 0.01, angle = 0.5 * degrees;
                break;
            case Motion::coarse:
                length = 0.1, angle = 10.0 * degrees;
                break;
            case Motion::sliding:
                length = 0.005 * stride;
                break;
            case Motion::rocking:
                angle = (frame % 8 < 4 ? 0.005 : -0.005) * stride;
                pivot = contact;
                break;
            case Motion::passing:
                length = 0.04;
                break;
            case Motion::stop_and_go:
                if (frame % 6 >= 3) length = angle = 0.01;
                break;
            case Motion::jump:
                length = angle = 1e-3;
                if (frame % 8 != 5) break;
                length = 0.3, angle = 1.0;
                along = random.direction();
                about = random.direction();
                break;
            case Motion::spinning:
                angle = 0.02 * stride;
                break;
        }
        const dmat3 turn = test::turn_exactly(about, angle);
        const dvec3 before = center;
        center = pivot + turn * (center + length * size * along - pivot);
        rotation = turn * rotation;
        const dvec3 moved = center - before;
        const double turning = std::abs(angle) * radius;
        return {vec3(moved), vec3(angle * about), float(turning), float(glm::length(moved) + turning)};
    }
};

// ---- Judgement ------------------------------------------------------------------------------------------------------

bool is_finite_manifold(const Manifold& m) {
    bool finite = is_finite(m.normal);
    for (int i = 0; i < m.count; ++i)
        finite =
            finite && is_finite(m.points[i].on_a) && is_finite(m.points[i].on_b) && is_finite(m.points[i].separation);
    return finite;
}

/// How far the shape reaches along a unit direction of its frame, m.
double extent(const Shape& shape, const vec3& d) {
    return glm::dot(dvec3(support(shape, d).point), dvec3(d)) + shape.radius;
}

/// The errors of the results at the last test of a pair, m, from which `reuse` starts.
struct Deviation {
    double depth = 0.0, normal = 0.0, surface = 0.0;
};

struct Tally {
    long answers = 0, touching = 0, compared = 0, beyond = 0;  ///< `beyond`: warm and cold differ by more than two bars
    long turned = 0;                                           ///< normals that lose more than two bars
    double worst = 0.0, worst_loss = 0.0;                      ///< bars
};

class Trial {
public:
    explicit Trial(std::uint64_t seed) : seed_(seed), source_(seed) {}

    /// `number` names the batch: which family, meeting and motion, and which rungs are on. Pairs are drawn also when it
    /// is not run.
    void run(long number, bool really) {
        // 115 has no factor in common with the number of kinds: few batches are spread over them.
        constexpr long kinds = long{test::family_count} * test::meeting_count * motion_count;
        const long kind = number * 115 % kinds;
        const auto family = test::Family(kind % test::family_count);
        const auto meeting = test::Meeting(kind / test::family_count % test::meeting_count);
        motion_ = Motion(kind / (test::family_count * test::meeting_count));
        where_ = "batch " + std::to_string(number) + ", " + test::family_names[int(family)] + ", " +
                 test::meeting_names[int(meeting)] + ", " + motion_names[int(motion_)];
        std::vector<test::AdversarialPair> pairs;
        for (int i = 0; i < shape_type_count; ++i)
            for (int j = i; j < shape_type_count; ++j)
                pairs.push_back(source_.next(family, meeting, ShapeType(i), ShapeType(j)));
        if (!really) return;
        Random random(seed_ + 1000003u * static_cast<std::uint64_t>(number));
        start(pairs, family == test::Family::far_poses, random);
        // The lower rungs would leave little to the upper ones; and half of the pairs foretell their motion.
        const int which = static_cast<int>(random.below(4));
        warm_.settings.reuse = which < 2;
        warm_.settings.axis = which != 2;
        warm_.settings.closed_form = which != 3;
        const bool foretold = random.chance(0.5);
        for (int frame = 0; frame < frames; ++frame) {
            for (std::size_t i = 0; i < pairs.size(); ++i) step(pairs[i].b, i, frame, foretold, random);
            cold_ = warm_.fresh();
            warm_.collide();
            cold_.collide();
            for (std::size_t i = 0; i < pairs.size(); ++i) judge(pairs[i], i, frame);
        }
    }

    const Tally& tally(Rung rung) const { return tally_[static_cast<std::size_t>(rung)]; }
    long failures() const { return failures_; }
    long lost() const { return lost_; }
    long searched() const { return searched_; }

    std::string table() const {
        std::string text;
        for (int r = 0; r < rung_count; ++r) {
            const Tally& t = tally_[r];
            char line[300];
            std::snprintf(line, sizeof line,
                          "%-15s answers %9ld  touching %9ld  warm against cold: beyond 2 bars %7ld of %9ld, worst "
                          "%6.2f  normals that lose more %7ld, worst %6.2f\n",
                          name_of(Rung(r)), t.answers, t.touching, t.beyond, t.compared, t.worst, t.turned,
                          t.worst_loss);
            text += line;
        }
        return text;
    }

private:
    void start(const std::vector<test::AdversarialPair>& pairs, bool far, Random& random) {
        warm_ = {};
        movers_.clear();
        last_.assign(pairs.size(), {});
        for (const test::AdversarialPair& pair : pairs) {
            WorldTransform pose_a;
            if (far) {
                const dvec3 place = random.direction() * 1e4;
                pose_a = {on_grid(place), normalized(glm::quat_cast(test::any_turn(random)))};
            }
            warm_.add(pair.a.shape, pair.b.shape, {}, pose_a);

            SimplexCache cache;
            const SeparationResult near = separation(pair.a.shape, pair.b.shape, pair.frame, cache);
            const dmat3 world(to_matrix(pose_a.rotation)), turned(pair.frame.rotation);
            const dvec3 &origin = pose_a.position, normal = world * dvec3(near.normal);
            Mover mover;
            mover.center = origin + world * (dvec3(pair.frame.position) + turned * pair.b.solid.center);
            mover.rotation = world * turned;
            mover.way = random.direction();
            mover.axis = random.direction();
            mover.contact = origin + world * dvec3(near.point_a);
            mover.size = std::min(pair.a.solid.size, pair.b.solid.size);
            mover.stride = 1.0 + random.below(3);
            if (motion_ == Motion::sliding || motion_ == Motion::rocking) {  // along the face that touches
                const dvec3 across = glm::cross(mover.way, normal);
                if (glm::length(across) > 1e-3) mover.way = mover.axis = glm::normalize(across);
            }
            if (motion_ == Motion::passing) mover.way = -normal;
            movers_.push_back(mover);
        }
    }

    void step(const test::Piece& b, std::size_t i, int frame, bool foretold, Random& random) {
        Mover& mover = movers_[i];
        if (frame > 0) {
            const PredictedMotion predicted = mover.move(motion_, frame, random, b.solid.size);
            if (foretold) warm_.colliders.motions[2 * i + 1] = predicted;
        }
        WorldTransform pose;
        pose.rotation = quat(glm::normalize(glm::quat_cast(mover.rotation)));
        pose.position = mover.center - dmat3(to_matrix(pose.rotation)) * b.solid.center;
        warm_.colliders.poses[2 * i + 1] = pose;
    }

    void judge(const test::AdversarialPair& pair, std::size_t i, int frame) {
        const PairRecord &record = warm_.records[i], &fresh = cold_.records[i];
        const Manifold &warm = warm_.caches[i].manifold, &cold = cold_.caches[i].manifold;
        const bool swapped = record.a != 2 * i;
        const test::Piece &a = swapped ? pair.b : pair.a, &b = swapped ? pair.a : pair.b;
        const Transform b_in_a = relative(warm_.colliders.poses[record.a], warm_.colliders.poses[record.b]);
        const MatrixTransform placed = to_matrix_transform(b_in_a);
        const oracle::Pose pose(placed);
        const double bar = test::allowed_error(a.solid, b.solid, pose), two_bars = 2.0 * bar;
        const double size = record.size;
        const double greatest_margin = detail::contact_margin(warm_.colliders, record);
        SimplexCache cache;
        const SeparationResult asked = separation(a.shape, b.shape, placed, cache);
        const double real = asked.separation;

        Tally& tally = tally_[static_cast<std::size_t>(record.rung)];
        ++tally.answers;
        std::string complaint;
        const auto expect = [&](bool good, const char* what, double value, double allowed) {
            char text[200];
            std::snprintf(text, sizeof text, "%s: %.9g, allowed %.9g; ", what, value, allowed);
            if (!good) complaint += text;
        };
        const auto at_most = [&](const char* what, double value, double allowed) {
            expect(value <= allowed, what, value, allowed);
        };
        if (frame % 8 == 7) check_yardstick(a.solid, b.solid, pose, asked, bar, complaint);
        if (record.state != PairState::touching) {
            // Apart by more than they may approach each other: along any direction, between their bounding spheres, or
            // along the direction of the last test.
            if (record.rung == Rung::skip) {
                const PredictedMotion &motion_a = warm_.colliders.motions[record.a],
                                      &motion_b = warm_.colliders.motions[record.b];
                const double ways =
                    glm::length(dvec3(motion_a.displacement)) + glm::length(dvec3(motion_b.displacement));
                const double by_balls = tolerance::contact_margin * size +
                                        std::min(ways, tolerance::contact_reach * size) + record.radius_a +
                                        record.radius_b - glm::length(dvec3(b_in_a.position));
                at_most("left alone, though nearer than the margin, by", std::min(greatest_margin - real, by_balls),
                        two_bars);
            } else {
                const PairCache& known = warm_.caches[i];
                const vec3 n = known.axis_in_b ? placed.rotation * known.axis : known.axis;
                const double height_a = extent(a.shape, n);
                const double height_b = extent(b.shape, transpose_mul(placed.rotation, -n));
                const double gap = double(glm::dot(n, b_in_a.position)) - height_a - height_b;
                const double margin =
                    detail::separation_margin(warm_.colliders, record, n, float(height_a), float(height_b));
                at_most("apart, though nearer than the margin, by", margin - gap, two_bars);
                at_most("lower bound of the distance", record.distance, real + two_bars);
            }
            lost_ += int(fresh.state == PairState::touching && real < -two_bars);
            last_[i] = {};
        } else {
            ++tally.touching;
            const dvec3 n(warm.normal);
            expect(is_finite_manifold(warm), "a number that is not finite among points", warm.count, 0);
            at_most("points", warm.count, max_manifold_points);
            at_most("length of the normal is off by", std::abs(glm::length(n) - 1.0), 1e-5);
            // Right at the margin rounding may leave no point.
            const double margin = detail::contact_margin(warm_.colliders, record, warm.normal);
            if (warm.count == 0) at_most("no point, though nearer than the margin, by", margin - real, two_bars);
            if (complaint.empty() && warm.count > 0) {
                const double found = deepest(warm), along = oracle::separation_along(a.solid, b.solid, pose, n);
                const Deviation now{std::abs(found - real), real - along, off_surface(a.solid, b.solid, warm)};
                double missed = manifold_error * size, off = surface_error(a, b) * size;
                if (fresh.state == PairState::touching && cold.count > 0) {
                    const double as_cold = oracle::separation_along(a.solid, b.solid, pose, dvec3(cold.normal));
                    missed = std::max(missed, std::abs(double(deepest(cold)) - as_cold));
                    off = std::max(off, off_surface(a.solid, b.solid, cold));
                }
                tally.turned += int(now.normal > two_bars);
                tally.worst_loss = std::max(tally.worst_loss, now.normal / bar);
                const double preference =
                    warm.face_owner == FaceOwner::none ? 0.0 : double(tolerance::face_preference) * size;
                for (int k = 0; k < warm.count; ++k) {
                    const ManifoldPoint& p = warm.points[k];
                    const double gap = glm::dot(dvec3(transform_point(b_in_a, p.on_b)) - dvec3(p.on_a), n);
                    at_most("separation is not that of the anchors, by", std::abs(gap - double(p.separation)), bar);
                }
                if (record.rung == Rung::reuse) {
                    const double motion = detail::motion_bound(record.reference, b_in_a, record.radius_b);
                    at_most("deepest point is off by", now.depth, last_[i].depth + 2.0 * motion + two_bars);
                    at_most("normal loses", now.normal, last_[i].normal + 2.0 * motion + two_bars);
                    at_most("points are off the surfaces by", now.surface, last_[i].surface + bar);
                } else {
                    const bool by_axis = record.rung == Rung::axis_touching;
                    const double stale = by_axis ? double(tolerance::axis_depth) * size : 0.0;
                    at_most("contact beyond the margin, by", real - margin, stale + two_bars);
                    at_most("normal loses", now.normal, preference + stale + (by_axis ? margin : 0.0) + two_bars);
                    at_most("deepest point is off the depth along its normal by", std::abs(found - along),
                            missed + two_bars);
                    at_most("points are off the surfaces by", now.surface, off + two_bars);
                    last_[i] = now;
                }
                if (fresh.state == PairState::touching && cold.count > 0) {
                    const double apart = std::abs(found - double(deepest(cold)));
                    ++tally.compared;
                    tally.beyond += int(apart > two_bars);
                    tally.worst = std::max(tally.worst, apart / bar);
                    if (record.rung != Rung::reuse && record.rung != Rung::axis_touching)
                        at_most("warm and cold deepest points differ by", apart,
                                two_bars + (tolerance::face_preference + manifold_error) * size);
                }
            }
        }
        if (!complaint.empty()) report(a, b, placed, i, frame, complaint);
    }

    /// Whether `real` is: proved by its plane and witness points where the cores are apart; where small polytopes
    /// overlap, the oracle looks for a direction of smaller depth.
    void check_yardstick(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose,
                         const SeparationResult& asked, double bar, std::string& complaint) {
        const test::Proof proof = test::prove(a, b, pose, asked, bar);
        const bool overlap = test::cores_overlap(a, b, asked);
        if (!overlap && !proof.proved) complaint += "the cold separation is not proved " + proof.complaint;
        if (!overlap || a.is_curved() || b.is_curved() || a.edges.size() * b.edges.size() > 300) return;
        const test::Rival rival = test::rival(a, b, pose, asked.separation, bar);
        if (rival.found) complaint += "the cold separation should be " + std::to_string(rival.best.separation);
        ++searched_;
    }

    /// How far off the surfaces points may stand, in sizes: deep inside of each other, where a border's tolerance leans
    /// in. Lines along round sides share a stretch that lies up to 8e-4 radii off (`parallel_offset`), of the larger
    /// shape too, and more around a cone's tip.
    static double surface_error(const test::Piece& a, const test::Piece& b) {
        const auto is_round = [](const test::Piece& p) { return p.solid.is_curved() || p.solid.radius > 0.0; };
        if (a.shape.type == ShapeType::cone || b.shape.type == ShapeType::cone) return 2e-2;
        const double ratio = std::max(a.solid.size, b.solid.size) / std::min(a.solid.size, b.solid.size);
        return 2.0 * manifold_error + (is_round(a) || is_round(b) ? 8e-4 * ratio : 0.0);
    }

    static double off_surface(const oracle::Solid& a, const oracle::Solid& b, const Manifold& m) {
        double off = 0.0;
        for (int i = 0; i < m.count; ++i) {
            const double off_a = oracle::distance_outside(a, dvec3(m.points[i].on_a));
            const double off_b = oracle::distance_outside(b, dvec3(m.points[i].on_b));
            off = std::max({off, std::abs(off_a), std::abs(off_b)});
        }
        return off;
    }

    void report(const test::Piece& a, const test::Piece& b, const MatrixTransform& frame_b, std::size_t i, int frame,
                const std::string& complaint) {
        ++failures_;
        if (failures_ > to_print_) return;
        FAIL_CHECK(where_, ": pair ", i, ", ", std::string(name_of(a.shape.type)), " and ",
                   std::string(name_of(b.shape.type)), ", frame ", frame, ", ",
                   std::string(name_of(warm_.records[i].rung)), " (cold: ", std::string(name_of(cold_.records[i].rung)),
                   "): ", complaint, "\n", test::reproduce(a.shape, b.shape, frame_b));
    }

    const std::uint64_t seed_;
    test::PairSource source_;
    Motion motion_ = Motion::jitter;
    std::string where_;
    Batch warm_, cold_;
    std::vector<Mover> movers_;
    std::vector<Deviation> last_;
    Tally tally_[rung_count];
    long failures_ = 0, lost_ = 0, searched_ = 0;
    const long to_print_ = from_environment("TALUS_LADDER_FAILURES", 12);
};

}  // namespace

TEST_CASE("contacts carried from frame to frame hold on pairs made to break them" * doctest::test_suite("slow")) {
    const long batches = std::max(1L, from_environment("TALUS_LADDER_PAIRS", default_pairs) / shape_pairs);
    const long only = from_environment("TALUS_LADDER_BATCH", -1);
    Trial trial(static_cast<std::uint64_t>(from_environment("TALUS_LADDER_SEED", 5)));
    for (long number = 0; number < batches; ++number) trial.run(number, only < 0 || number == only);

    if (from_environment("TALUS_LADDER_REPORT", 0) != 0 || trial.failures() > 0) MESSAGE("\n", trial.table());
    CHECK(trial.failures() == 0);
    CHECK(trial.lost() == 0);
    if (only >= 0) return;
    for (int r = 0; r < rung_count; ++r) {
        if (Rung(r) == Rung::features) continue;  // not of convex pairs
        CAPTURE(std::string(name_of(Rung(r))));
        CHECK(trial.tally(Rung(r)).answers >= 3 * batches);
    }
    CHECK(trial.searched() >= batches);
    // The larger errors that reuse and the cached axis may have must be rare.
    for (const Rung rung : {Rung::reuse, Rung::axis_touching}) {
        CAPTURE(std::string(name_of(rung)));
        CHECK(20 * trial.tally(rung).beyond <= trial.tally(rung).compared);
    }
}

TEST_CASE("an edge that just reaches a line does not come back as sunk in to its far side") {
    // A triangle's edge crosses a segment: the cores touch, at depth 0, and rounding alone decides on which side of
    // EPA's face the origin is. At the same pose again, warm EPA reversed the face and returned the whole width of the
    // triangle as the depth.
    Random random(6);
    int slid = 0, wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        const dvec3 edge = random.direction(), aside = random.direction();
        const Shape line = segment({0.0f, -3.0f, 0.0f}, {0.0f, 3.0f, 0.0f}, 1e-3f);
        const Shape blade = triangle(vec3(edge), vec3(-edge), vec3(0.6 * edge + 0.02 * aside));
        if (check(line) || check(blade)) continue;
        Batch batch;
        batch.settings.closed_form = batch.settings.reuse = false;
        batch.colliders.resize(2);
        batch.colliders.shapes = {line, blade};
        batch.colliders.poses[1].rotation = normalized(glm::quat_cast(test::any_turn(random)));
        batch.colliders.poses[1].position = {0.0, random.between(-2.0, 2.0), 0.0};
        batch.records = {make_pair(batch.colliders, 0, 1)};
        batch.caches.resize(1);
        batch.active = {0};
        batch.collide();
        const float before = deepest(batch.caches[0].manifold);
        batch.collide();
        slid += int(batch.records[0].rung == Rung::warm_epa);
        wrong += int(!(std::abs(deepest(batch.caches[0].manifold) - before) < 1e-4f));
    }
    CHECK(wrong == 0);
    CHECK(slid > 100);
}
