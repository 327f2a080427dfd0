#include <talus/profiling/csv.h>
#include <talus/profiling/csv_table.h>
#include <talus/profiling/stages.h>
#include <talus/profiling/statistics.h>

#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace talus;
using namespace talus::samples;

namespace {

constexpr int steps = 60;

/// A world of the scene, or nothing where it needs files that are not there.
bool make(const Scene& scene, SceneData& data, World& world) {
    const Result<SceneData> made = scene.make({});
    if (!made) return false;
    data = *made;
    WorldDef def;
    def.allow_sleep = false;  // pairs() says what is active after the step, the profile what was active in it
    world = make_world(data, nullptr, def);
    return true;
}

}  // namespace

TEST_CASE("the counts of a profile are those that its world's pairs and contacts give") {
    int scenes = 0;
    double solid_points = 0.0;
    for (const Scene& scene : all_scenes()) {
        CAPTURE(std::string(scene.name));
        SceneData data;
        World world;
        if (!make(scene, data, world)) continue;
        ++scenes;
        for (int step = 0; step < steps; ++step) {
            REQUIRE(step_scene(world, data, step));
            if (step % 10 != 9) continue;
            CAPTURE(step);
            // As a reader of the file sees it.
            const Result<CsvTable> table = parse_csv(csv_header() + csv_row(world.profile()), "it");
            REQUIRE_MESSAGE(static_cast<bool>(table), table.error().message);
            const auto value = [&](const std::string& name) { return table->find(name)->front(); };
            std::array<std::uint32_t, rung_count> settled{};
            std::uint32_t all = 0;
            for (const PairInfo& pair : world.pairs()) {
                ++all;
                if (pair.active) ++settled[static_cast<std::size_t>(pair.rung)];
            }
            double active = 0.0, tested = 0.0, histogram = 0.0, iterations = 0.0;
            // Pairs far apart are skipped without a record, so pairs() does not list them.
            for (std::size_t i = 0; i < rung_count; ++i) {
                const std::string rung = name_of(static_cast<Rung>(i));
                CAPTURE(rung);
                if (i == 0) {
                    CHECK(value(rung + "_pairs") >= settled[i]);
                } else {
                    CHECK(value(rung + "_pairs") == settled[i]);
                }
                active += value(rung + "_pairs");
            }
            CHECK(value("convex_pairs") >= all);
            CHECK(active == value("convex_pairs"));  // nobody sleeps
            CHECK(value("bodies") == static_cast<double>(data.bodies.size()));
            for (int i = 0; i < 16; ++i) {
                histogram += value("gjk_" + std::to_string(i));
                iterations += i * value("gjk_" + std::to_string(i));
            }
            CHECK(histogram == value("gjk_queries"));
            if (value("gjk_15") == 0.0) CHECK(iterations == value("gjk_iterations"));
            for (std::size_t i = 0; i < table->names.size(); ++i) {
                if (table->names[i].starts_with("tested_")) tested += table->columns[i][0];
            }
            // Features: each count is a part of the one before; patches have some of the points.
            CHECK(value("solid_feature_pairs") >= value("solid_near_pairs"));
            CHECK(value("solid_near_pairs") >= value("solid_candidates"));
            CHECK((value("solid_candidates") == 0.0 || value("solid_node_pairs") > 0.0));
            CHECK((value("features_pairs") == 0.0 || value("solid_points") >= value("features_pairs")));
            solid_points += value("solid_points");
            CHECK(tested >= value("gjk_queries"));
            CHECK(tested <= value("gjk_queries") + value("closed_form_pairs"));
        }
    }
    CHECK(scenes >= 40);
    CHECK(solid_points > 0.0);
}

// A frame may be interrupted between two reads of the clock, so no single frame is asked: half of them are, by the median.
// What lies between the stages' reads and those of the whole step are two reads of the clock, which matters in steps of a
// few microseconds only: there is 0.2 us of slack.
TEST_CASE("the stages of a file add up to the step within three percent in every scene") {
    for (const Scene& scene : all_scenes()) {
        CAPTURE(std::string(scene.name));
        SceneData data;
        World world;
        if (!make(scene, data, world)) continue;
        std::string text = csv_header();
        for (int step = 0; step < steps; ++step) {
            REQUIRE(step_scene(world, data, step));
            text += csv_row(world.profile());
        }
        const Result<CsvTable> table = parse_csv(text, "it");
        REQUIRE_MESSAGE(static_cast<bool>(table), table.error().message);
        std::vector<double> missing;
        for (std::size_t row = 0; row < table->rows(); ++row) {
            double sum = 0.0;
            for (const Stage& stage : stages) sum += (*table->find(std::string(stage.name) + "_us"))[row];
            const double total = (*table->find("total_us"))[row];
            missing.push_back(total - sum);
            REQUIRE(sum <= total * (1.0 + 1e-6));  // nine digits
            REQUIRE(total > 0.0);
            REQUIRE(missing.back() >= -1e-6 * total);
            missing.back() = std::max(0.0, missing.back() - 0.2) / total;
        }
        CHECK(quantile_of(missing, 0.5) <= 0.03);
    }
}
