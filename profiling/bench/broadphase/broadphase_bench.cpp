/// The broadphases of Talus and Bullet on the same boxes, by turns: each repeat runs the frames of a case once through
/// each engine, in thread CPU time, and gives one ratio of their medians.

#include "profiling/bench/broadphase/broadphase_bench.h"

#include "profiling/bench/broadphase/broadphase_engines.h"
#include "profiling/bench/broadphase/broadphase_lane.h"
#include "profiling/bench/broadphase/broadphase_worlds.h"
#include "profiling/bench/bullet.h"
#include "profiling/bench/measure.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace talus::profiling {

namespace {

// ---- The cases ------------------------------------------------------------------------------------------------------

/// What the bar is about.
enum class Score { times_faster, times_uniform, times_one_thread, update_us, box_ns };

struct Case {
    const char* name;
    Act act;
    Score score;
    BoxWorld (*make)(std::size_t boxes, const BoxMotion& motion);
    BoxMotion motion;
    struct Bar {
        std::size_t boxes;  ///< 0: any number
        double value;       ///< times faster: at least; others: at most
    } bars[2];
    bool wide = false;  ///< floats cannot hold the positions: Bullet is left out
};

struct Table {
    const char* name;
    const char* title;
    std::span<const Case> cases;
    std::size_t largest;  ///< 0: a row for each size; else one row, of the largest size or this one
};

constexpr BoxMotion all{}, tenth{.share = 0.1f}, teleport{.teleporting = 0.01f};
constexpr BoxMotion awake{.jitter = 0.0f}, none{.share = 0.0f};
constexpr BoxMotion quiver{.jitter = 0.01f}, trek{.jitter = 0.02f, .drift = vec3(0.1f, 0.0f, 0.0f)};

constexpr Case motion_cases[] = {
    {"cube", Act::move, Score::times_faster, cube_world, all, {{10'000, 12}, {100'000, 30}}},
    {"cube-tenth", Act::move, Score::times_faster, cube_world, tenth, {{10'000, 3.5}, {100'000, 15}}},
    {"cube-teleport", Act::move, Score::times_faster, cube_world, teleport, {{100'000, 30}}},
    {"flat", Act::move, Score::times_faster, flat_world, all, {{10'000, 12}, {100'000, 30}}},
    {"flat-tenth", Act::move, Score::times_faster, flat_world, tenth, {{10'000, 3.5}, {100'000, 15}}},
    {"flat-teleport", Act::move, Score::times_faster, flat_world, teleport, {{100'000, 30}}},
};
constexpr Case rest_cases[] = {
    {"sleeping", Act::idle, Score::update_us, cube_world, awake, {{100'000, 5}}},
    {"still", Act::move, Score::box_ns, cube_world, awake, {{100'000, 3}}},
};
constexpr Case thread_cases[] = {
    {"threads", Act::move_threads, Score::times_one_thread, cube_world, all, {{100'000, 1.6}}},
    {"threads-tenth", Act::move_threads, Score::times_one_thread, cube_world, tenth, {}},
};
constexpr Case pathologies[] = {
    {"tower", Act::move, Score::times_uniform, tower_world, all, {{0, 4}}},
    {"heap", Act::move, Score::times_uniform, heap_world, all, {{0, 4}}},
    {"slabs", Act::move, Score::times_uniform, slab_world, all, {{0, 4}}},
    {"point", Act::move, Score::times_uniform, point_world, quiver, {{0, 4}}},
    {"burst", Act::add, Score::times_uniform, burst_world, all, {{0, 4}}},
    {"line", Act::move, Score::times_uniform, line_world, all, {{0, 4}}},
    {"crowd", Act::move, Score::times_uniform, crowd_world, trek, {{0, 4}}},
    {"far", Act::move, Score::times_uniform, far_world, all, {{0, 1.1}}, true},
    {"apart", Act::move, Score::times_uniform, apart_world, all, {{0, 1.6}}, true},
};
constexpr Case ray_cases[] = {
    {"rays", Act::cast, Score::times_faster, cube_world, none, {{0, 3}}},
    {"rays-closest", Act::cast_closest, Score::times_faster, cube_world, none, {}},
    {"rays-batch", Act::cast_batch, Score::times_faster, cube_world, none, {{0, 5}}},
};
constexpr Table tables[] = {
    {"motion", "cube and flat worlds, 4.5 overlaps a box; all move, a tenth moves, all move and 1% teleport",
     motion_cases, 0},
    {"rest", "all asleep; all awake and told about, but still", rest_cases, 100'000},
    {"threads", "two threads beside one (as `uniform`), wall time", thread_cases, 100'000},
    {"pathologies", "beside a uniform world with as many boxes and pairs and the same motion", pathologies, 10'000},
    {"rays", "between random points of a cube world, as many as boxes; a frame is all of them", ray_cases, 10'000},
};
constexpr std::size_t all_sizes[] = {1000, 10'000, 50'000, 100'000};

constexpr const char* help = R"(usage: talus-profile broadphase [options]
Compares broadphases, begin and end events included, on the same boxes: Talus's, and by turns Bullet's btDbvtBroadphase, the
same with m_deferedcollide, and bt32BitAxisSweep3. One thread, CPU time; medians over the frames of a repeat, then over the
repeats.
  --case NAME     only this case (may be given several times): cube, cube-tenth, cube-teleport, flat, flat-tenth,
                  flat-teleport; sleeping, still; threads, threads-tenth; tower, heap, slabs, point, burst, line, crowd,
                  far, apart; rays, rays-closest, rays-batch
  --boxes N       only this size, 100 to 1000000 (may be given several times; default 1000, 10000, 50000, 100000). The
                  cases at rest and of threads take the largest size; the cases from tower to rays-batch take the largest
                  up to 10000
  --frames N      timed frames per repeat (default 40); fewer, but at least two, if they take more than a second
  --repeats N     repeats (default 5)
  --all-engines   all engines at all sizes. Without it, an engine that takes 5 s to add the boxes is left out, and so is
                  bt32BitAxisSweep3 above 20000 boxes: it cannot add in bulk, so that 100000 boxes take it 5 minutes
  --no-bullet     run Talus alone
  --quick         1000 boxes, a few frames and one repeat, to see that it works
  --csv FILE      write the tables as CSV, with Talus's mean ms per frame and the memory of each engine
Columns: Talus's ms per frame, and ns per box or ray. Bullet's ms per frame, "-" for engines that are left out. `uniform`:
Talus's ms in a uniform world, or of one thread. The result and its bar: times faster than Bullet's fastest engine, or times
the uniform world's time (medians over the repeats); < marks a missed bar. Pairs of boxes that overlap in the last frame;
pairs that Talus keeps, whose boxes are larger; MB held by Talus and by Bullet's fastest engine.
"!" marks an engine that lacks pairs that a plain sweep finds in the last frame, or whose rays miss what a loop over all boxes
hits; the exit code is then 1. Bullet reads a ray's length once per tree, so that a callback cannot shorten the ray: its
closest hit takes as long as all candidates.
)";

constexpr OptionValues option_values[] = {{"--case", "a name that --help lists"},
                                          {"--boxes", "a whole number from 100 to 1000000"},
                                          {"--frames", "a whole number, 1 or more"},
                                          {"--repeats", "a whole number, 1 or more"},
                                          {"--csv", "a file name"}};

struct Options {
    std::vector<std::string_view> cases;
    std::vector<std::size_t> sizes;
    int repeats = 5;
    Timing timing;
    bool bullet = with_bullet, all_engines = false;
    std::string csv;
};

/// False, and a sentence on stderr, for invalid arguments.
bool parse(const std::vector<std::string_view>& arguments, Options& options) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--quick") {
            options.sizes = {1000};
            options.repeats = 1;
            options.timing.frames = options.timing.warm_up = 4;
            continue;
        }
        if (name == "--all-engines") {
            options.all_engines = true;
            options.timing.patience = std::numeric_limits<double>::infinity();
            continue;
        }
        if (name == "--no-bullet") {
            options.bullet = false;
            continue;
        }
        const std::string_view value = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
        bool good = !value.empty();
        if (name == "--case") {
            good = std::any_of(std::begin(tables), std::end(tables), [&](const Table& table) {
                return std::any_of(table.cases.begin(), table.cases.end(),
                                   [&](const Case& c) { return value == c.name; });
            });
            options.cases.push_back(value);
        } else if (name == "--boxes") {
            std::size_t boxes = 0;
            good = parse_number(value, boxes) && boxes >= 100 && boxes <= 1'000'000;
            options.sizes.push_back(boxes);
        } else if (name == "--frames") {
            good = parse_number(value, options.timing.frames) && options.timing.frames > 0;
        } else if (name == "--repeats") {
            good = parse_number(value, options.repeats) && options.repeats > 0;
        } else if (name == "--csv") {
            options.csv = value;
        } else {
            good = false;
        }
        if (!good) return refuse(name, value, option_values);
    }
    if (options.sizes.empty()) options.sizes.assign(std::begin(all_sizes), std::end(all_sizes));
    return true;
}

// ---- Measuring ------------------------------------------------------------------------------------------------------

/// Which lane of a row: the engines, each in the same world, and Talus in the uniform one, of pathologies only.
enum LaneIndex : std::size_t { talus, dbvt, deferred, sap, uniform, lane_count };
constexpr EngineKind engines[] = {EngineKind::talus, EngineKind::dbvt, EngineKind::dbvt_deferred, EngineKind::sap,
                                  EngineKind::talus};

struct Row {
    Case what;
    BoxWorld world, uniform_world;
    std::array<std::unique_ptr<Lane>, lane_count> lanes;  ///< null: not asked, or given up
    double score = 0.0, bar = 0.0;                        ///< 0: none

    double boxes() const { return static_cast<double>(world.boxes.size()); }
    bool right() const {
        return std::all_of(lanes.begin(), lanes.end(), [](const auto& lane) { return !lane || lane->right(); });
    }
    bool misses() const {
        if (score == 0.0 || bar == 0.0) return false;
        const bool more_is_better = what.score == Score::times_faster || what.score == Score::times_one_thread;
        return more_is_better ? score < bar : score > bar;
    }
    /// Of Bullet's, by `ms` of a lane; null if none ran.
    template <class Ms>
    const Lane* fastest(Ms&& ms) const {
        const Lane* best = nullptr;
        for (const LaneIndex i : {dbvt, deferred, sap}) {
            if (lanes[i] && (best == nullptr || ms(*lanes[i]) < ms(*best))) best = lanes[i].get();
        }
        return best;
    }
};

/// Whether the row has this lane.
bool wants(const Row& row, std::size_t lane, const Options& options) {
    constexpr std::size_t sap_limit = 20'000;
    if (lane == talus) return true;
    if (lane == uniform) return row.what.score == Score::times_uniform || row.what.score == Score::times_one_thread;
    if (row.what.score == Score::times_one_thread) return false;
    if (!options.bullet || row.what.wide) return false;
    if (casts(row.what.act)) return lane == dbvt;  // both modes have the same tree
    return lane != sap || row.world.boxes.size() <= sap_limit || options.all_engines;
}

double score_of(const Row& row, const std::vector<double>& ratios) {
    switch (row.what.score) {
        case Score::times_faster:
        case Score::times_uniform:
        case Score::times_one_thread:
            break;
        case Score::update_us:
            return 1e3 * row.lanes[talus]->ms();
        case Score::box_ns:
            return 1e6 * row.lanes[talus]->ms() / row.boxes();
    }
    return median(ratios);
}

/// Measures and checks.
void run(Row& row, std::size_t size, const Options& options) {
    row.world = row.what.make(size, row.what.motion);
    const bool threads = row.what.score == Score::times_one_thread;
    if (wants(row, uniform, options)) row.uniform_world = threads ? row.world : uniform_like(row.world);
    for (std::size_t i = 0; i < lane_count; ++i) {
        if (!wants(row, i, options)) continue;
        const BoxWorld& world = i == uniform ? row.uniform_world : row.world;
        const EngineKind kind = threads && i == talus ? EngineKind::talus_two_threads : engines[i];
        row.lanes[i] = std::make_unique<Lane>(kind, world, row.what.act, options.timing);
    }
    std::vector<double> ratios;
    for (int i = 0; i < options.repeats; ++i) {
        for (auto& lane : row.lanes) {
            if (lane && !lane->run_repeat()) lane.reset();
        }
        const auto ms = [](const Lane& lane) { return lane.last_ms(); };
        const Lane* bullet = row.fastest(ms);
        if (row.lanes[uniform]) {
            const double ratio = ms(*row.lanes[talus]) / ms(*row.lanes[uniform]);
            ratios.push_back(threads ? 1.0 / ratio : ratio);
        } else if (bullet != nullptr) {
            ratios.push_back(ms(*bullet) / ms(*row.lanes[talus]));
        }
    }
    for (auto& lane : row.lanes) {
        if (lane) lane->check();
    }
    row.score = score_of(row, ratios);
    for (const Case::Bar& bar : row.what.bars) {
        if (bar.boxes == 0 || bar.boxes == size) row.bar = std::max(row.bar, bar.value);
    }
}

// ---- Printing -------------------------------------------------------------------------------------------------------

constexpr const char* units[] = {"x faster", "x uniform", "x faster", "us", "ns/box"};  ///< by Score

std::string number(const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

void print_header(const Table& table) {
    std::printf("%s: %s\n", table.name, table.title);
    std::printf("%-13s %7s | %9s  %7s | %9s  %9s  %9s  | %9s  | %18s %7s | %8s %8s | %6s %6s\n", "case", "boxes",
                "Talus ms", "ns/item", "Dbvt ms", "deferred", "SAP", "uniform", "result       ", "bar  ", "overlaps",
                "pairs", "MB", "Bullet");
}

void print_row(const Row& row) {
    const auto ms = [&](LaneIndex i) {
        const Lane* lane = row.lanes[i].get();
        return lane == nullptr ? std::string("- ") : number("%.3f", lane->ms()) + (lane->right() ? " " : "!");
    };
    const auto mb = [](const Lane* lane) {
        return lane == nullptr ? std::string("-") : number("%.1f", 1e-6 * static_cast<double>(lane->bytes()));
    };
    const Lane& ours = *row.lanes[talus];
    const std::string score = row.score > 0.0 ? number("%.2f", row.score) : "-";
    const std::string bar = row.bar > 0.0 ? number("%.1f", row.bar) + (row.misses() ? " <" : "  ") : "-  ";
    std::printf("%-13s %7zu | %10s %7.1f | %10s %10s %10s | %10s | %8s %-9s %7s | %8zu %8zu | %6s %6s\n", row.what.name,
                row.world.boxes.size(), ms(talus).c_str(), 1e6 * ours.ms() / row.boxes(), ms(dbvt).c_str(),
                ms(deferred).c_str(), ms(sap).c_str(), ms(uniform).c_str(), score.c_str(),
                units[static_cast<int>(row.what.score)], bar.c_str(), ours.overlapping(), ours.pairs(),
                mb(&ours).c_str(), mb(row.fastest([](const Lane& lane) { return lane.ms(); })).c_str());
    std::fflush(stdout);
}

constexpr const char* csv_header =
    "table,case,boxes,score,unit,bar,right,overlaps,uniform_overlaps,talus_pairs,talus_mean_ms,talus_ms,dbvt_ms,"
    "deferred_ms,sap_ms,uniform_ms,talus_bytes,dbvt_bytes,deferred_bytes,sap_bytes,uniform_bytes\n";

/// Fields of lanes that did not run are empty.
void write_row(std::FILE* csv, const Table& table, const Row& row) {
    const Lane& ours = *row.lanes[talus];
    std::fprintf(csv, "%s,%s,%zu,%.4f,%s,%.1f,%d,%zu,%s,%zu,%.6f", table.name, row.what.name, row.world.boxes.size(),
                 row.score, units[static_cast<int>(row.what.score)], row.bar, row.right(), ours.overlapping(),
                 row.lanes[uniform] ? std::to_string(row.lanes[uniform]->overlapping()).c_str() : "", ours.pairs(),
                 ours.mean_ms());
    for (const auto& lane : row.lanes) std::fprintf(csv, ",%s", lane ? number("%.6f", lane->ms()).c_str() : "");
    for (const auto& lane : row.lanes) std::fprintf(csv, ",%s", lane ? std::to_string(lane->bytes()).c_str() : "");
    std::fputc('\n', csv);
}

/// Runs and prints what is chosen of a table. False if an engine was wrong somewhere.
bool run_table(const Table& table, const Options& options, std::FILE* csv) {
    std::vector<Case> chosen;
    std::copy_if(table.cases.begin(), table.cases.end(), std::back_inserter(chosen), [&](const Case& c) {
        return options.cases.empty() ||
               std::find(options.cases.begin(), options.cases.end(), c.name) != options.cases.end();
    });
    if (chosen.empty()) return true;
    std::vector<std::size_t> sizes = options.sizes;
    if (table.largest != 0) sizes = {std::min(table.largest, *std::max_element(sizes.begin(), sizes.end()))};
    bool right = true;
    print_header(table);
    for (const Case& what : chosen) {
        for (const std::size_t size : sizes) {
            if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r%s %zu ...\033[K\r", what.name, size);
            Row row;
            row.what = what;
            run(row, size, options);
            print_row(row);
            if (csv != nullptr) write_row(csv, table, row);
            right = right && row.right();
        }
    }
    std::printf("\n");
    return right;
}

}  // namespace

int run_broadphase(const std::vector<std::string_view>& arguments) {
    if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
        std::fputs(help, stdout);
        return 0;
    }
    Options options;
    if (!parse(arguments, options)) return 2;
    std::FILE* csv = options.csv.empty() ? nullptr : std::fopen(options.csv.c_str(), "w");
    bool written = options.csv.empty() || csv != nullptr, right = true;
    if (csv != nullptr) std::fputs(csv_header, csv);
    std::printf("%s\n", bullet_note);
    for (const Table& table : tables) right = (written && run_table(table, options, csv)) && right;
    if (csv != nullptr) written = std::fclose(csv) == 0;
    if (!written)
        std::fprintf(stderr, "talus-profile: cannot write %s: %s\n", options.csv.c_str(), std::strerror(errno));
    return written && right ? 0 : 1;
}

}  // namespace talus::profiling
