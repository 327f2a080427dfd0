#include "profiling/bench/scenes/timing_cost.h"

#include "profiling/bench/measure.h"

#include <array>
#include <cstdio>

namespace talus::profiling {

namespace {

constexpr std::array kinds{Timing::off, Timing::stages, Timing::pairs};

}  // namespace

TimingCost time_timing(const char* name, const samples::SceneData& scene, int steps) {
    std::vector<World> worlds;
    for (const Timing timing : kinds) {
        WorldDef def;
        def.allow_sleep = false;
        def.timing = timing;
        worlds.push_back(samples::make_world(scene, nullptr, def));
    }
    std::vector<double> off, stages, pairs, stages_said, pairs_said;
    for (int i = 0; i < steps; ++i) {
        std::array<double, kinds.size()> us{};
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            const std::size_t which = (k + static_cast<std::size_t>(i)) % kinds.size();
            us[which] = 1e-3 * time_of(1, [&] { samples::step_scene(worlds[which], scene, i); });
        }
        off.push_back(us[0]);
        stages.push_back(us[1] / us[0]);
        pairs.push_back(us[2] / us[0]);
        stages_said.push_back(1.0 + worlds[1].profile().timing / us[0]);
        pairs_said.push_back(1.0 + worlds[2].profile().timing / us[0]);
    }
    return {name, median(off), median(stages), median(pairs), median(stages_said), median(pairs_said)};
}

void print_timing_costs(const std::vector<TimingCost>& costs) {
    std::printf("scene          off, us | stages   said |  pairs   said\n");
    std::vector<double> stages, pairs;
    for (const TimingCost& c : costs) {
        std::printf("%-12s %9.1f | %6.4f %6.4f | %6.4f %6.4f\n", c.scene.c_str(), c.off_us, c.stages, c.stages_said,
                    c.pairs, c.pairs_said);
        stages.push_back(c.stages);
        pairs.push_back(c.pairs);
    }
    std::printf("median                 | %6.4f        | %6.4f\n", median(stages), median(pairs));
}

}  // namespace talus::profiling
