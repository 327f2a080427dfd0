#include <talus/profiling/diff.h>

#include <talus/profiling/csv.h>

#include "tests/profiling/profiles.h"

#include <doctest/doctest.h>

#include <functional>

using namespace talus;

namespace {

/// Uniform in 0 to 1, the same everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    double roll() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }

private:
    std::uint64_t state_;
};

/// A run of frames with 2% of jitter in each part, and one frame in 50 interrupted for 5 ms; `change` does the rest.
CsvTable run_of(std::uint64_t seed, const std::function<void(FrameProfile&)>& change = {}, std::uint64_t frames = 400,
                std::uint64_t first = 1) {
    Dice dice(seed);
    std::string text = csv_header();
    for (std::uint64_t i = first; i < first + frames; ++i) {
        FrameProfile p = made_up_frame(i, 1000.0 + 200.0 * static_cast<double>(i % 100) / 100.0);
        if (change) change(p);
        p.total = 0.0;
        for (const Stage& stage : stages) {
            p.*stage.microseconds *= 0.99 + 0.02 * dice.roll();
            if (stage.microseconds == &FrameProfile::solve && dice.roll() < 0.02) p.*stage.microseconds += 5000.0;
            p.total += p.*stage.microseconds;
        }
        for (double& us : p.narrowphase.microseconds) us *= 0.99 + 0.02 * dice.roll();
        text += csv_row(p);
    }
    const Result<CsvTable> table = parse_csv(text, "it");
    REQUIRE_MESSAGE(static_cast<bool>(table), table.error().message);
    return *table;
}

ProfileDiff diff_of(const CsvTable& a, const CsvTable& b) {
    const Result<ProfileDiff> diff = diff_profiles(a, b);
    REQUIRE_MESSAGE(static_cast<bool>(diff), diff.error().message);
    return *diff;
}

const Compared& find(const std::vector<Compared>& list, const std::string& name) {
    for (const Compared& each : list) {
        if (each.name == name) return each;
    }
    FAIL("there is no " << name);
    return list.front();
}

}  // namespace

TEST_CASE("two runs of the same cost differ by nothing but noise") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        const ProfileDiff diff = diff_of(run_of(2 * seed), run_of(2 * seed + 1));
        CHECK(diff.warnings.empty());
        CHECK(!diff.totals.front().is_different);
        for (const Compared& stage : diff.stages) CHECK_MESSAGE(!stage.is_different, stage.name);
        for (const ComparedPass& pass : diff.passes) CHECK_MESSAGE(!pass.time.is_different, pass.time.name);
        CHECK(diff.work.empty());
        CHECK(!diff.is_machine);
        CHECK(says(describe(diff, "a", "b", false), "No difference beyond noise in the median step"));
        CHECK(says(describe(diff, "a", "b", false), "The work is the same in every frame"));
    }
}

TEST_CASE("how often the system interrupted a run is no work of its own") {
    const ProfileDiff diff = diff_of(run_of(1), run_of(1, [](FrameProfile& p) { p.interruptions += 2; }));
    CHECK(diff.work.empty());
    CHECK(says(describe(diff, "a", "b", false), "The work is the same in every frame"));
}

TEST_CASE("a stage that got slower is found among interrupted frames and no other is blamed") {
    const ProfileDiff diff = diff_of(run_of(1), run_of(2, [](FrameProfile& p) { p.solve *= 1.3; }));
    CHECK(diff.stages.front().name == "solve");
    CHECK(diff.stages.front().is_different);
    CHECK(diff.stages.front().percent() == doctest::Approx(30.0).epsilon(0.03));
    for (std::size_t i = 1; i < diff.stages.size(); ++i)
        CHECK_MESSAGE(!diff.stages[i].is_different, diff.stages[i].name);
    CHECK(diff.totals.front().is_different);
    CHECK(diff.totals.front().percent() == doctest::Approx(30.0 * 0.3 * 0.7 * 0.7 * 0.7).epsilon(0.1));
    CHECK(!diff.is_machine);
    const std::string text = describe(diff, "a", "b", false);
    CHECK(says(text, "slower:"));
    CHECK(says(text, "Most of it: solve (+"));
    CHECK(!says(text, "\033"));
    CHECK(says(describe(diff, "a", "b", true), "\033[31m"));
}

TEST_CASE("one that got faster is found too") {
    const ProfileDiff diff = diff_of(run_of(1), run_of(2, [](FrameProfile& p) { p.pairs *= 0.5; }));
    CHECK(diff.stages.front().name == "pairs");
    CHECK(diff.stages.front().percent() == doctest::Approx(-50.0).epsilon(0.03));
    CHECK(says(describe(diff, "a", "b", false), "% faster:"));
}

TEST_CASE("more work at the same price is told from the same work at a higher price") {
    const auto gjk = static_cast<std::size_t>(Rung::cold_gjk);
    const ProfileDiff more = diff_of(run_of(1), run_of(2, [&](FrameProfile& p) {
                                         p.narrowphase.pairs[gjk] *= 2;
                                         p.narrowphase.microseconds[gjk] *= 2.0;
                                         p.narrowphase.gjk_iterations += 10;
                                     }));
    CHECK(more.passes.front().time.name == "cold GJK");
    CHECK(more.passes.front().time.percent() == doctest::Approx(100.0).epsilon(0.05));
    CHECK(more.passes.front().pairs.percent() == 100.0);
    CHECK(more.passes.front().price.percent() == doctest::Approx(0.0).scale(100.0).epsilon(0.03));
    CHECK(more.frames_with_other_work == 400);
    REQUIRE(more.work.size() == 2);
    CHECK(more.work[0].name == "cold_gjk_pairs");
    CHECK(more.work[1].name == "gjk_iterations");
    CHECK(more.iterations.front().before == 2.0);
    CHECK(more.iterations.front().after == 2.5);
    CHECK(says(describe(more, "a", "b", false), "The work is another in 400 of 400 frames"));

    const ProfileDiff dearer =
        diff_of(run_of(1), run_of(2, [&](FrameProfile& p) { p.narrowphase.microseconds[gjk] *= 2.0; }));
    CHECK(dearer.passes.front().time.name == "cold GJK");
    CHECK(dearer.passes.front().pairs.change() == 0.0);
    CHECK(dearer.passes.front().price.percent() == doctest::Approx(100.0).epsilon(0.05));
    CHECK(dearer.work.empty());
}

TEST_CASE("a part that works in few frames is compared by those") {
    const auto epa = static_cast<std::size_t>(Rung::cold_epa);
    const auto seldom = [&](double us) {
        return [=](FrameProfile& p) {
            const bool works = p.frame % 10 == 0;
            p.narrowphase.microseconds[epa] = works ? us : 0.0;
            p.narrowphase.pairs[epa] = works ? 4 : 0;
        };
    };
    const ProfileDiff diff = diff_of(run_of(1, seldom(50.0)), run_of(2, seldom(75.0)));
    const ComparedPass& pass = diff.passes.front();
    CHECK(pass.time.name == "cold EPA");
    CHECK(pass.time.is_different);
    CHECK(pass.time.before == doctest::Approx(5.0).epsilon(0.02));
    CHECK(pass.time.after == doctest::Approx(7.5).epsilon(0.02));
    CHECK(pass.price.before == doctest::Approx(12.5).epsilon(0.02));
}

TEST_CASE("a machine that was slower in everything is suspected") {
    const ProfileDiff diff = diff_of(run_of(1), run_of(2, [](FrameProfile& p) {
                                         for (const Stage& stage : stages) p.*stage.microseconds *= 1.2;
                                     }));
    CHECK(diff.totals.front().percent() == doctest::Approx(20.0).epsilon(0.05));
    CHECK(diff.is_machine);
    CHECK(says(describe(diff, "a", "b", false), "rather the machine"));
}

TEST_CASE("a slower tail is seen in the quantiles and not in the median") {
    const ProfileDiff diff = diff_of(run_of(1), run_of(2, [](FrameProfile& p) {
                                         if (p.frame % 12 == 0) p.collide += 20'000.0;
                                     }));
    CHECK(!find(diff.totals, "p50").is_different);
    CHECK(find(diff.totals, "p95").is_different);
    CHECK(find(diff.totals, "p95").change() > 10'000.0);
}

TEST_CASE("frames and columns that only one run has are left out with a warning") {
    const CsvTable a = run_of(1, {}, 400), b = run_of(2, {}, 300, 51);
    const ProfileDiff diff = diff_of(a, b);
    CHECK(diff.frames_before == 400);
    CHECK(diff.frames_after == 300);
    CHECK(diff.frames_compared == 300);
    REQUIRE(diff.warnings.size() == 1);
    CHECK(says(diff.warnings[0], "400 and 300 frames"));

    CsvTable other = run_of(2);
    *std::find(other.names.begin(), other.names.end(), "graph_us") = "plan_us";
    const ProfileDiff columns = diff_of(run_of(1), other);
    REQUIRE(columns.warnings.size() == 2);
    CHECK(says(columns.warnings[0], "Only the first file has the column graph_us"));
    CHECK(says(columns.warnings[1], "Only the second file has the column plan_us"));
    CHECK(columns.stages.size() == stages.size() - 1);

    const ProfileDiff few = diff_of(run_of(1, {}, 1), run_of(2, {}, 1));
    CHECK(says(few.warnings.at(0), "Few frames"));
    CHECK(!describe(few, "a", "b", false).empty());
}

TEST_CASE("what cannot be compared is refused") {
    CHECK(says(diff_profiles(run_of(1, {}, 10), run_of(2, {}, 10, 11)).error().message, "no frame in common"));
    CsvTable other = run_of(2, {}, 10);
    other.names[1] = "whole_us";
    CHECK(says(diff_profiles(run_of(1, {}, 10), other).error().message, "The second file has no column 'total_us'"));
    CHECK(says(diff_profiles(other, run_of(1, {}, 10)).error().message, "The first file"));
    CsvTable ragged = run_of(1, {}, 10);  // its last column was read beyond its end
    ragged.columns.back().resize(3);
    CHECK(says(diff_profiles(run_of(1, {}, 10), ragged).error().message, "the second table has 3 values"));
    CHECK(says(diff_profiles(ragged, run_of(1, {}, 10)).error().message, "the first table has 3 values"));
    ragged.columns.pop_back();
    CHECK(says(diff_profiles(ragged, run_of(1, {}, 10)).error().message, "one column per name"));
    CsvTable off = run_of(1);
    for (double& us : off.columns[1]) us = 0.0;
    REQUIRE(off.names[1] == "total_us");
    const ProfileDiff untimed = diff_of(off, run_of(2));
    CHECK(says(untimed.warnings.at(0), "without times"));
}

TEST_CASE("no line of the comparison is wider than a terminal") {
    const ProfileDiff diff = diff_of(run_of(1), run_of(2, [](FrameProfile& p) {
                                         p.solve *= 100.0;
                                         p.narrowphase.pairs[0] *= 123456;
                                         p.narrowphase.microseconds_by_shapes[5][6] = 1e6;
                                         p.kinetic_energy = 1e12;
                                     }));
    const std::string text = describe(diff, "a", "b", false);
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = text.find('\n', start);
        CHECK_MESSAGE(end - start <= 80, text.substr(start, end - start));
        start = end + 1;
    }
}
