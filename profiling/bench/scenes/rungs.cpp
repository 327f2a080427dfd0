#include "profiling/bench/scenes/rungs.h"

#include "profiling/bench/measure.h"

#include <talus/narrowphase/collide.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace talus::profiling {

namespace {

struct Case {
    const char* name;
    CollideSettings rungs;
};
constexpr Case cases[] = {
    {"all rungs", {}},
    {"without skip", {.skip = false}},
    {"without reuse", {.reuse = false}},
    {"without closed form", {.closed_form = false}},
    {"without axis", {.axis = false}},
    {"without warm GJK", {.warm_gjk = false}},
    {"without warm EPA", {.warm_epa = false}},
    {"without any", {false, false, false, false, false, false}},
};

/// Means a step.
struct Cost {
    double collide = 0.0;  ///< microseconds of the whole stage
    std::array<double, rung_count> pairs{}, microseconds{};
    FeatureCounts features;  ///< sums
};

Cost run(const samples::SceneData& scene, int steps, const CollideSettings& rungs) {
    WorldDef def;
    def.allow_sleep = false;
    def.enable_skip = rungs.skip;
    def.enable_reuse = rungs.reuse;
    def.enable_closed_form = rungs.closed_form;
    def.enable_axis = rungs.axis;
    def.enable_warm_gjk = rungs.warm_gjk;
    def.enable_warm_epa = rungs.warm_epa;
    World world = samples::make_world(scene, nullptr, def);
    Cost cost;
    for (int i = 0; i < steps; ++i) {
        const double cpu = 1e-3 * time_of(1, [&] { samples::step_scene(world, scene, i); });
        const FrameProfile& profile = world.profile();
        // The profile's times are wall time: what other programs took of this step is shared out among the stages.
        const double share = std::min(1.0, cpu / profile.total) / steps;
        cost.collide += share * profile.collide;
        cost.features += profile.narrowphase.features;
        for (std::size_t r = 0; r < rung_count; ++r) {
            cost.pairs[r] += static_cast<double>(profile.narrowphase.pairs[r]) / steps;
            cost.microseconds[r] += share * profile.narrowphase.microseconds[r];
        }
    }
    return cost;
}

template <class Value>
double median_of(const std::vector<Cost>& costs, Value&& value) {
    std::vector<double> values;
    for (const Cost& cost : costs) values.push_back(value(cost));
    return median(std::move(values));
}

/// Prints what the search for contacts of solids looked at. It is the same in all runs, whatever the rungs.
void print_features(const FeatureCounts& f, int steps) {
    if (f.points == 0 && f.node_pairs == 0) return;
    const auto mean = [&](std::uint64_t count) { return static_cast<double>(count) / steps; };
    std::printf("solids, per step    | %14s %14s %14s %14s %14s |\n", "node pairs", "feature pairs", "of them near",
                "candidates", "points");
    std::printf("%-19s | %14.1f %14.1f %14.1f %14.1f %14.1f |\n", "", mean(f.node_pairs), mean(f.pairs), mean(f.nearby),
                mean(f.candidates), mean(f.points));
}

void print_heading(const char* left, const char* last) {
    std::printf("%-19s |", left);
    for (int r = 0; r < rung_count; ++r) std::printf(" %14s", name_of(static_cast<Rung>(r)));
    std::printf(" |%s\n", last);
}

}  // namespace

void print_rungs(const char* name, const samples::SceneData& scene, int steps, int repeats) {
    std::array<std::vector<Cost>, std::size(cases)> costs;
    for (int i = 0; i < repeats; ++i) {
        for (std::size_t c = 0; c < std::size(cases); ++c) costs[c].push_back(run(scene, steps, cases[c].rungs));
    }
    std::printf("%s, %d steps, medians of %d runs\n", name, steps, repeats);
    print_heading("pairs per step", "");
    for (std::size_t c = 0; c < std::size(cases); ++c) {
        std::printf("%-19s |", cases[c].name);
        for (std::size_t r = 0; r < rung_count; ++r)
            std::printf(" %14.1f", median_of(costs[c], [&](const Cost& cost) { return cost.pairs[r]; }));
        std::printf(" |\n");
    }
    print_heading("microseconds", "  collide  times");
    double all = 0.0;
    for (std::size_t c = 0; c < std::size(cases); ++c) {
        std::printf("%-19s |", cases[c].name);
        for (std::size_t r = 0; r < rung_count; ++r)
            std::printf(" %14.1f", median_of(costs[c], [&](const Cost& cost) { return cost.microseconds[r]; }));
        const double collide = median_of(costs[c], [](const Cost& cost) { return cost.collide; });
        if (c == 0) all = collide;
        std::printf(" | %8.1f %6.2f\n", collide, collide / all);
    }
    print_features(costs[0][0].features, steps);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace talus::profiling
