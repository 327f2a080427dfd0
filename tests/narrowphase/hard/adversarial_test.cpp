/// `separation` on adversarial pairs: all 36 kinds of pairs, 6 families of shapes (needles and plates to 1:10,000, size
/// ratios to 1:100,000, millimetres, kilometres, 10 km from the origin) in 6 relative positions (touching faces,
/// parallel edges, vertex on vertex, concentric, contained, loose). Each pose is tested cold, and after a small motion
/// warm and cold.
///
/// adversarial_proof.h defines the allowed errors. Results for separated pairs are proved by their own support plane
/// and witness points; for overlapping cores a direction of smaller depth is searched for. 26,000 poses per second
/// (x86-64, one core).
///
/// From the command line, ten million pairs:
///     TALUS_ADVERSARIAL_PAIRS=10000000 TALUS_ADVERSARIAL_REPORT=1 build/release/talus-tests-narrowphase -tc="*made to break*"
/// Further: TALUS_ADVERSARIAL_SEED, _ONLY (such as box-cone), _FAMILY and _MEETING (numbers), _FAILURES (how many are
/// printed).

#include "tests/narrowphase/hard/adversarial_pairs.h"
#include "tests/narrowphase/hard/adversarial_proof.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/support/environment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace talus;
using test::from_environment;

#ifdef NDEBUG
constexpr long default_pairs = 40000;
#else
constexpr long default_pairs = 3000;  // unoptimised or sanitized, all takes ten times as long
#endif

/// Cap hits fail the test while neither ratio of sizes nor of sides exceeds this.
constexpr double ordinary_ratio = 1e3;

struct Tally {
    long poses = 0, answers = 0, overlaps = 0, searched = 0, unsettled = 0, failures = 0, caps = 0;
    double error = 0.0, disagreement = 0.0;  ///< largest, in allowed errors

    void add(const Tally& t) {
        poses += t.poses, answers += t.answers, overlaps += t.overlaps, searched += t.searched;
        unsettled += t.unsettled, failures += t.failures, caps += t.caps;
        error = std::max(error, t.error), disagreement = std::max(disagreement, t.disagreement);
    }
};

std::string line(const std::string& name, const Tally& t) {
    char text[300];
    std::snprintf(text, sizeof text,
                  "%-24s poses %9ld  overlaps %9ld (searched %8ld, given up %5ld)  failures %6ld  caps %5ld  "
                  "worst error %6.2f, warm against cold %6.2f\n",
                  name.c_str(), t.poses, t.overlaps, t.searched, t.unsettled, t.failures, t.caps, t.error,
                  t.disagreement);
    return text;
}

class Trial {
public:
    explicit Trial(std::uint64_t seed) : source_(seed) {}

    Tally run(test::Family family, test::Meeting meeting, ShapeType type_a, ShapeType type_b, long poses) {
        tally_ = {};
        where_ = std::string(test::family_names[int(family)]) + ", " + test::meeting_names[int(meeting)];
        while (tally_.poses < poses) {
            const test::AdversarialPair pair = source_.next(family, meeting, type_a, type_b);
            SimplexCache cache;
            ask(pair, pair.frame, cache);
            if (tally_.poses < poses) ask(pair, pair.nudged, cache);
        }
        return tally_;
    }

private:
    /// Cold; and warm when the cache holds something. Leaves the cold answer's cache.
    void ask(const test::AdversarialPair& pair, const MatrixTransform& frame, SimplexCache& cache) {
        const oracle::Solid &a = pair.a.solid, &b = pair.b.solid;
        const oracle::Pose pose(frame);
        const double allowed = test::allowed_error(a, b, pose);
        ++tally_.poses;
        SimplexCache fresh;
        const SeparationResult cold = separation(pair.a.shape, pair.b.shape, frame, fresh);
        const bool good = answer(pair, frame, pose, cold, allowed, "cold");
        if (test::cores_overlap(a, b, cold)) {
            ++tally_.overlaps;
            if (good) search(pair, frame, pose, cold, allowed);
        }
        if (cache.count != 0) {
            const SeparationResult warm = separation(pair.a.shape, pair.b.shape, frame, cache);
            answer(pair, frame, pose, warm, allowed, "warm");
            const double off = std::abs(double(warm.separation) - double(cold.separation)) / allowed;
            tally_.disagreement = std::max(tally_.disagreement, off);
            if (!(off <= 2.0))
                report(pair, frame, "warm",
                       "separation " + std::to_string(warm.separation) + ", cold " + std::to_string(cold.separation) +
                           ", allowed " + std::to_string(allowed));
        }
        cache = fresh;
    }

    bool answer(const test::AdversarialPair& pair, const MatrixTransform& frame, const oracle::Pose& pose,
                const SeparationResult& r, double allowed, const std::string& how) {
        const test::Proof proof = test::prove(pair.a.solid, pair.b.solid, pose, r, allowed);
        ++tally_.answers;
        tally_.error = std::max(tally_.error, proof.error / allowed);
        std::string complaint = proof.complaint + proof.witness_complaint;
        const bool cap =
            r.gjk.status == GjkStatus::iteration_cap || (r.used_epa && r.epa.status == EpaStatus::out_of_memory);
        tally_.caps += int(cap);
        if (cap && ordinary(pair)) complaint += "; a cap was hit";
        if (!test::cores_overlap(pair.a.solid, pair.b.solid, r) && !proof.proved && complaint.empty())
            complaint = "separation " + std::to_string(r.separation) + " is " + std::to_string(proof.error) +
                        " off its bounds, allowed " + std::to_string(allowed);
        if (!complaint.empty()) report(pair, frame, how, complaint);
        return complaint.empty();
    }

    void search(const test::AdversarialPair& pair, const MatrixTransform& frame, const oracle::Pose& pose,
                const SeparationResult& r, double allowed) {
        const test::Rival rival = test::rival(pair.a.solid, pair.b.solid, pose, r.separation, allowed);
        ++tally_.searched;
        tally_.unsettled += int(!rival.searched_all);
        tally_.error = std::max(tally_.error, (rival.best.separation - double(r.separation)) / allowed);
        if (rival.found)
            report(pair, frame, "cold",
                   "separation " + std::to_string(r.separation) + " should be " +
                       std::to_string(rival.best.separation) + ", allowed " + std::to_string(allowed));
    }

    static bool ordinary(const test::AdversarialPair& pair) {
        const auto aspect = [](const Shape& s) {
            const Aabb box = bounds(s);
            const vec3 h = box.upper - box.lower;
            const float least = std::min({h.x, h.y, h.z}), most = std::max({h.x, h.y, h.z});
            return least > 0.0f ? double(most) / double(least) : 1.0;
        };
        const double a = pair.a.solid.size, b = pair.b.solid.size;
        return std::max({a / b, b / a, aspect(pair.a.shape), aspect(pair.b.shape)}) <= ordinary_ratio;
    }

    void report(const test::AdversarialPair& pair, const MatrixTransform& frame, const std::string& how,
                const std::string& complaint) {
        ++tally_.failures;
        if (++printed_ > to_print_) return;
        FAIL_CHECK(where_, ": ", name_of(pair.a.shape.type), " and ", name_of(pair.b.shape.type), ", ", how, ": ",
                   complaint, "\n", test::reproduce(pair.a.shape, pair.b.shape, frame));
    }

    test::PairSource source_;
    Tally tally_;
    std::string where_;
    long printed_ = 0;
    const long to_print_ = from_environment("TALUS_ADVERSARIAL_FAILURES", 12);
};

}  // namespace

TEST_CASE("distances and depths hold on pairs made to break them" * doctest::test_suite("slow")) {
    const long pairs = from_environment("TALUS_ADVERSARIAL_PAIRS", default_pairs);
    const bool verbose = from_environment("TALUS_ADVERSARIAL_REPORT", 0) != 0;
    const long only_family = from_environment("TALUS_ADVERSARIAL_FAMILY", -1);
    const long only_meeting = from_environment("TALUS_ADVERSARIAL_MEETING", -1);
    const char* only = std::getenv("TALUS_ADVERSARIAL_ONLY");  // such as "box-cone"
    Trial trial(static_cast<std::uint64_t>(from_environment("TALUS_ADVERSARIAL_SEED", 3)));

    constexpr int shape_pairs = shape_type_count * (shape_type_count + 1) / 2;
    constexpr long kinds = long{test::family_count} * test::meeting_count * shape_pairs;
    Tally total, by_shapes[shape_pairs];
    std::string table;
    long kind = 0;
    for (int f = 0; f < test::family_count; ++f) {
        for (int m = 0; m < test::meeting_count; ++m) {
            Tally here;
            int index = 0;
            for (int i = 0; i < shape_type_count; ++i) {
                for (int j = i; j < shape_type_count; ++j, ++index) {
                    const long share = pairs * (kind + 1) / kinds - pairs * kind / kinds;
                    ++kind;
                    const std::string name =
                        std::string(name_of(ShapeType(i))) + "-" + std::string(name_of(ShapeType(j)));
                    if ((only != nullptr && name != only) || (only_family >= 0 && f != only_family) ||
                        (only_meeting >= 0 && m != only_meeting))
                        continue;
                    const Tally t = trial.run(test::Family(f), test::Meeting(m), ShapeType(i), ShapeType(j), share);
                    here.add(t);
                    by_shapes[index].add(t);
                }
            }
            total.add(here);
            table += line(std::string(test::family_names[f]) + ", " + test::meeting_names[m], here);
        }
    }
    int index = 0;
    for (int i = 0; i < shape_type_count; ++i) {
        for (int j = i; j < shape_type_count; ++j)
            table +=
                line(std::string(name_of(ShapeType(i))) + "-" + std::string(name_of(ShapeType(j))), by_shapes[index++]);
    }
    table += line("all", total);
    if (verbose || total.failures > 0) MESSAGE("\n", table);
    CHECK(total.failures == 0);
    if (only != nullptr || only_family >= 0 || only_meeting >= 0) return;
    CHECK(total.poses == pairs);
    // The hard paths ran: at least a third of the cores overlap, and a third are apart.
    CHECK(3 * total.overlaps > total.poses);
    CHECK(3 * (total.poses - total.overlaps) > total.poses);
    CHECK(total.unsettled * 100 <= total.searched);
}
