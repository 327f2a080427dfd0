#include "samples/runner/run.h"

#include "samples/runner/outputs/pictures.h"
#include "samples/runner/outputs/report.h"
#include "samples/runner/outputs/stage_hashes.h"
#include "tests/samples/scene_checks.h"

#include <talus/profiling/csv_table.h>
#include <talus/profiling/statistics.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

using namespace talus;
using namespace talus::samples;

namespace {

Summary run(const char* scene, Options options = {}, const std::function<void(int, int)>& progress = {}) {
    const Result<Summary> summary = run_scene(*find_scene(scene), options, progress);
    REQUIRE_MESSAGE(static_cast<bool>(summary), summary.error().message);
    return *summary;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::size_t columns_of(const std::string& line) {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
}

}  // namespace

TEST_CASE("quantiles are values of the list") {
    CHECK(quantile_of({}, 0.5) == 0.0);
    CHECK(quantile_of({3.0}, 0.99) == 3.0);
    CHECK(quantile_of({5, 1, 4, 2, 3}, 0.5) == 3.0);
    CHECK(quantile_of({5, 1, 4, 2, 3}, 0.0) == 1.0);
    CHECK(quantile_of({5, 1, 4, 2, 3}, 1.0) == 5.0);
    std::vector<double> hundred;
    for (int i = 1; i <= 100; ++i) hundred.push_back(i);
    CHECK(quantile_of(hundred, 0.99) == 99.0);
}

TEST_CASE("every scene is taken by a world and steps without losing a body") {
    const ScratchFolder folder;
    for (const Scene& scene : all_scenes()) {
        CAPTURE(scene.name);
        const Result<SceneData> data = scene.make(options_with_meshes(folder));
        REQUIRE(static_cast<bool>(data));
        std::vector<BodyId> ids;
        World world = make_world(*data, &ids);
        REQUIRE_MESSAGE(world.body_count() == data->bodies.size(), world.last_error().message);
        for (int step = 0; step < 3; ++step)
            REQUIRE_MESSAGE(step_scene(world, *data, step), world.last_error().message);
        for (const BodyId id : ids) {
            REQUIRE(is_finite(world.position(id)));
            REQUIRE(is_finite(world.rotation(id)));
        }
    }
}

TEST_CASE("a scene that the world refuses says why") {
    SceneData scene;
    scene.bodies.resize(2);
    scene.bodies[0].shape = sphere(1.0f);
    scene.bodies[1].shape = sphere(-1.0f);
    const World world = make_world(scene);
    CHECK(world.body_count() == 0);
    CHECK(world.last_error().message.size() > 10);
}

TEST_CASE("the falling box ends at rest on the floor") {
    const Scene& scene = *find_scene("falling_box");
    const Result<SceneData> data = scene.make({});
    REQUIRE(static_cast<bool>(data));
    std::vector<BodyId> ids;
    World world = make_world(*data, &ids);
    for (int step = 0; step < scene.steps; ++step) step_scene(world, *data, step);
    CHECK(world.position(ids[1]).y == doctest::Approx(0.5).epsilon(0.01));
    CHECK(glm::length(world.linear_velocity(ids[1])) < 0.01f);
}

TEST_CASE("a run reports what happened and how far it is") {
    Options options;
    options.steps = 120;
    int calls = 0, last = 0;
    const Summary summary = run("pyramid10", options, [&](int done, int steps) {
        ++calls;
        CHECK(done == last + 1);
        CHECK(steps == 120);
        last = done;
    });
    CHECK(calls == 120);
    CHECK(summary.steps == 120);
    CHECK(summary.bodies == 56);
    CHECK(summary.pairs >= 100);           // 10 on the floor, 90 between rows
    CHECK(summary.contact_points >= 200);  // at least two points each
    CHECK(summary.max_penetration < 0.01);
    CHECK(summary.mean_penetration <= summary.max_penetration);
    CHECK(summary.median_ms > 0.0);
    CHECK(summary.p99_ms >= summary.median_ms);
    CHECK(summary.collide_share > 0.0);
    CHECK(summary.collide_share < 1.0);
    double pairs = 0.0;
    for (const double rung : summary.rungs) pairs += rung;
    CHECK(pairs > 0.0);
}

TEST_CASE("a run measures its scene's figures with the sub-steps it was asked for") {
    Options options;
    options.steps = 30;
    const Summary arch = run("arch", options);
    CHECK(arch.substeps == WorldDef{}.substeps);
    REQUIRE(arch.figures.size() == 2);
    CHECK(arch.figures[1].name == "the largest displacement");
    CHECK(arch.figures[1].value > 0.0);
    CHECK(arch.figures[1].value < 0.05);
    options.substeps = 9;
    const Summary finer = run("arch", options);
    CHECK(finer.substeps == 9);
    CHECK(finer.hash != arch.hash);
    CHECK(run("sb_bouncing", options).dt == doctest::Approx(0.01));
}

TEST_CASE("sleep can be switched off") {
    Options options;
    options.steps = 300;
    CHECK(run("stack20", options).asleep == 20);
    options.sleep = false;
    CHECK(run("stack20", options).asleep == 0);
}

TEST_CASE("equal runs have equal hashes and other seeds or lengths other ones") {
    Options options;
    options.steps = 40;
    const std::uint64_t first = run("shapes", options).hash;
    CHECK(run("shapes", options).hash == first);
    options.seed = 2;
    CHECK(run("shapes", options).hash != first);
    options.seed = 1;
    options.steps = 41;
    CHECK(run("shapes", options).hash != first);
}

TEST_CASE("a run on two threads has the hash of a run on one") {
    Options options;
    options.steps = 60;
    for (const char* scene : {"pyramid10", "shapes", "explosion"}) {
        CAPTURE(std::string(scene));
        options.threads = 1;
        const std::uint64_t one = run(scene, options).hash;
        options.threads = 2;
        CHECK(run(scene, options).hash == one);
    }
}

TEST_CASE("hashes of stages name the first step and stage in which two runs differ") {
    Options options;
    options.steps = 30;
    const auto write = [&](const char* path) {
        options.files.hashes = path;
        run("shapes", options);
    };
    write("hashes_a.txt");
    options.threads = 2;
    write("hashes_b.txt");
    Result<HashComparison> comparison = compare_stage_hashes("hashes_a.txt", "hashes_b.txt");
    REQUIRE(static_cast<bool>(comparison));
    CHECK(comparison->equal);
    CHECK(comparison->text == "All 30 steps are equal.");

    options.substeps = 5;  // bodies fall a little differently
    write("hashes_b.txt");
    comparison = compare_stage_hashes("hashes_a.txt", "hashes_b.txt");
    REQUIRE(static_cast<bool>(comparison));
    CHECK(!comparison->equal);
    CHECK(comparison->text == "The first difference is in step 1, after stage solve.");

    options.substeps.reset();
    options.steps = 20;
    write("hashes_b.txt");
    comparison = compare_stage_hashes("hashes_a.txt", "hashes_b.txt");
    REQUIRE(static_cast<bool>(comparison));
    CHECK(!comparison->equal);
    CHECK(comparison->text == "The first 20 steps are equal; the files have 30 and 20.");

    CHECK(!compare_stage_hashes("hashes_a.txt", "no_such_file.txt"));
    std::ofstream("hashes_b.txt") << "1 not a hash\n";
    CHECK(!compare_stage_hashes("hashes_a.txt", "hashes_b.txt"));
    for (const char* path : {"hashes_a.txt", "hashes_b.txt"}) std::filesystem::remove(path);
}

TEST_CASE("a run writes one row per frame and the picture of the step it was asked for") {
    const ScratchFolder folder;
    Options options;
    options.steps = 30;
    options.files.csv = folder.path("frames.csv");
    options.png = folder.path("start.png");
    options.at = 0;
    options.width = 160;
    options.height = 90;
    run("falling_box", options);
    const std::vector<std::string> lines = lines_of(options.files.csv);
    REQUIRE(lines.size() == 31);
    for (const std::string& line : lines) CHECK(columns_of(line) == columns_of(lines[0]));
    const auto size_of_start = std::filesystem::file_size(options.png);
    CHECK(size_of_start > 1000);
    options.files.csv.clear();
    options.png = folder.path("end.png");
    options.at.reset();
    run("falling_box", options);
    CHECK(std::filesystem::file_size(options.png) > 1000);
    CHECK(lines_of(folder.path("start.png")) != lines_of(folder.path("end.png")));
}

TEST_CASE("a run takes a picture every so many steps from that before the first on") {
    const ScratchFolder folder;
    Options options;
    options.steps = 20;
    options.frames = folder.path("movie/frames");
    options.every = 8;
    options.width = 80;
    options.height = 45;
    run("falling_box", options);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(options.frames))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"000000.png", "000008.png", "000016.png"});
    CHECK(lines_of(Pictures::frame_path(options.frames, 0)) != lines_of(Pictures::frame_path(options.frames, 16)));
}

TEST_CASE("a run that cannot write its files stops before it starts") {
    const ScratchFolder folder;
    int calls = 0;
    const auto count_calls = [&](int, int) { ++calls; };
    Options options;
    options.steps = 5;
    options.files.csv = folder.path("no/such/folder/a.csv");
    CHECK(!run_scene(*find_scene("falling_box"), options, count_calls));
    options.files.csv.clear();
    options.files.trace = folder.path("no/such/folder/a.json");
    CHECK(!run_scene(*find_scene("falling_box"), options, count_calls));
    options.files.trace.clear();
    options.files.report = folder.path("no/such/folder/a.html");
    CHECK(!run_scene(*find_scene("falling_box"), options, count_calls));
    options.files.report.clear();
    options.png = folder.path("no/such/folder/a.png");
    CHECK(!run_scene(*find_scene("falling_box"), options, count_calls));
    options.png = folder.path("a.png");
    options.at = 6;
    CHECK(!run_scene(*find_scene("falling_box"), options, count_calls));
    options.png.clear();
    options.at.reset();
    std::ofstream(folder.path("file")) << "a file where a folder should be";
    options.frames = folder.path("file");
    CHECK(!run_scene(*find_scene("falling_box"), options, count_calls));
    options.frames.clear();
    CHECK(!run_scene(*find_scene("real_things"), options, count_calls));
    CHECK(calls == 0);
}

TEST_CASE("the table keeps its columns under their headings") {
    const std::string header = table_header();
    const std::string first = header.substr(0, header.find('\n'));
    const std::string second = header.substr(first.size() + 1);
    Summary summary;
    summary.scene = "real_things";
    summary.steps = 1200;
    summary.bodies = 10000;
    summary.pairs = 99999;
    summary.contact_points = 99999;
    summary.median_ms = 12.345;
    summary.p99_ms = 99.999;
    summary.collide_us = 12345;
    summary.collide_share = 1.0;
    summary.rungs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1e6};
    summary.gjk_iterations = 9.99;
    summary.epa_calls = 12345;
    summary.mean_penetration = 0.0123;
    summary.max_penetration = 0.123;
    summary.kinetic_energy = 1.2e9;
    summary.asleep = 10000;
    const std::string row = table_row(summary);
    CHECK(row.size() == second.size());
    for (std::size_t i = 0; i < std::min(row.size(), second.size()); ++i) {
        CAPTURE(i);
        CHECK((row[i] == '|') == (second[i] == '|'));
        if (i < first.size()) CHECK((first[i] == '|') == (second[i] == '|'));
    }
}

TEST_CASE("a run writes the trace and the report that it was asked for") {
    const ScratchFolder folder;
    Options options;
    options.steps = 30;
    options.files.trace = folder.path("a.json");
    options.files.report = folder.path("a.html");
    options.timing = Timing::pairs;
    run("shapes", options);
    const std::vector<std::string> trace = lines_of(options.files.trace);
    CHECK(std::count_if(trace.begin(), trace.end(), [](const std::string& line) {
              return line.find("\"name\":\"step\",\"ts\"") != std::string::npos;
          }) == 30);
    std::string page;
    for (const std::string& line : lines_of(options.files.report)) page += line;
    CHECK(page.find("<title>shapes - Talus profile</title>") != std::string::npos);
    CHECK(page.find("./run.sh --window --scene shapes --at {frame}") != std::string::npos);
    CHECK(page.find(R"(["timing","pairs"])") != std::string::npos);
    CHECK(page.find("\"frames\":30,") != std::string::npos);
    CHECK(describe(options.files).find(options.files.report) != std::string::npos);
}

TEST_CASE("a run without timing has counts and no times") {
    const ScratchFolder folder;
    Options options;
    options.steps = 3;
    options.files.csv = folder.path("a.csv");
    options.timing = Timing::off;
    run("pyramid10", options);
    const Result<CsvTable> table = read_csv(options.files.csv);
    REQUIRE_MESSAGE(static_cast<bool>(table), table.error().message);
    CHECK(*table->find("total_us") == std::vector<double>{0, 0, 0});
    CHECK(*table->find("clock_reads") == std::vector<double>{0, 0, 0});
    CHECK(table->find("convex_pairs")->front() > 0.0);
}

TEST_CASE("a run that goes on with a saved world ends in the same bits, and refuses what it cannot go on with") {
    const ScratchFolder folder;
    Options options;
    options.timing = Timing::off;
    options.steps = 90;
    const std::uint64_t whole = run("ragdolls", options).hash;
    options.steps = 40;
    options.save = folder.path("ragdolls.world");
    CHECK(run("ragdolls", options).hash != whole);
    options.steps = 90;
    options.resume = std::exchange(options.save, "");
    CHECK(run("ragdolls", options).hash == whole);

    const auto refusal = [&](const char* scene) {
        const Result<Summary> summary = run_scene(*find_scene(scene), options, {});
        return summary ? std::string() : summary.error().message;
    };
    CHECK(refusal("bridge").find("another scene") != std::string::npos);
    options.steps = 40;
    CHECK(refusal("ragdolls").find("has done 40 steps") != std::string::npos);
    options.resume = folder.write("noise.world", "no world");
    CHECK(refusal("ragdolls").find("noise.world") != std::string::npos);
    options.resume = folder.path("missing.world");
    CHECK(refusal("ragdolls").find("Cannot read") != std::string::npos);
}
