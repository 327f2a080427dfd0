#pragma once
/// The experiments of `talus-profile gjk`: which hulls, which motions, and the order in which poses are asked about.

#include "profiling/bench/gjk/gjk_poses.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace talus::profiling {

/// Vertices of the two hulls.
struct Sizes {
    int a, b;
};

/// Those of Liu et al., Table 2, and two larger ones.
inline constexpr Sizes all_sizes[] = {{8, 8},     {10, 20},   {20, 30},   {30, 40},   {40, 50},   {50, 60},
                                      {100, 120}, {150, 180}, {200, 240}, {250, 300}, {500, 500}, {1000, 1000}};
inline constexpr Sizes quick_sizes[] = {{8, 8}, {40, 50}, {250, 300}};

struct Experiment {
    const char* name;
    const char* title;
    Motion motion;
    struct Bar {
        int vertices;  ///< of the first hull; 0: no more bars
        float times;   ///< how many times faster than Bullet Talus wants to be
    } bars[8];
    bool overlapping() const { return motion.most < 0.0f; }
};

/// "steps" is the motion of Liu et al., Table 3: balls 5 sqrt(3) apart at first, paths of ten steps of 1 unit and 10
/// degrees. Walks do not go through the other hull.
inline constexpr Experiment experiments[] = {
    {"tracked",
     "tracked, small motion: 0.01 and 0.5 degrees a step, gaps 0.05 to 2",
     {.step = 0.01f, .degrees = 0.5f, .least = 0.05f, .most = 2.0f},
     {{8, 7}, {20, 8}, {40, 10}, {100, 15}, {200, 25}, {250, 30}, {500, 50}, {1000, 80}}},
    {"coarse",
     "tracked, coarse motion: 0.1 and 10 degrees a step, gaps 0.05 to 2",
     {.step = 0.1f, .degrees = 10.0f, .least = 0.05f, .most = 2.0f},
     {{8, 5}, {20, 5}, {40, 6}, {100, 8}, {200, 12}, {250, 15}, {500, 25}, {1000, 50}}},
    {"steps",
     "tracked, the steps of Liu et al.: paths of ten steps of 1 and 10 degrees, from 5 sqrt(3) apart",
     {.step = 1.0f, .degrees = 10.0f, .least = 0.01f, .most = 100.0f, .path = 10, .start = 8.660254f},
     {}},
    {"static",
     "static, cold: unrelated poses, gaps 0.05 to 2",
     {.least = 0.05f, .most = 2.0f},
     {{8, 5}, {20, 4}, {40, 4}, {100, 4}, {200, 6}, {250, 7}, {500, 11}, {1000, 18}}},
    {"penetrating",
     "penetrating, cold: unrelated poses, depths 0.01 to 0.2",
     {.least = -0.2f, .most = -0.01f},
     {{8, 2.5f}, {20, 2.2f}, {40, 2}, {100, 2.5f}, {200, 3.2f}, {250, 3.6f}, {500, 5.5f}, {1000, 7}}},
    {"penetrating-tracked",
     "penetrating, tracked: 0.01 and 0.5 degrees a step, depths 0.01 to 0.2",
     {.step = 0.01f, .degrees = 0.5f, .least = -0.2f, .most = -0.01f},
     {{8, 8}, {20, 10}, {40, 10}, {100, 15}, {200, 20}, {250, 25}, {500, 40}, {1000, 60}}},
};

/// The experiment of this name, or nullptr.
constexpr const Experiment* find_experiment(std::string_view name) {
    for (const Experiment& experiment : experiments) {
        if (name == experiment.name) return &experiment;
    }
    return nullptr;
}

struct GjkOptions {
    std::vector<const Experiment*> chosen;
    std::vector<Sizes> sizes;
    int pairs = 16, poses = 250, repeats = 7;
    int checks = 64;  ///< overlapping poses a row that get an exact depth; 0: no errors at all
    std::uint64_t seed = 1;
    bool by_step = false, bullet = true;
    std::FILE* csv = nullptr;
};

/// All poses but each pair's first: one pair after the other, or (by_step) the first step of all pairs, then the
/// second. `visit(pair number, pose number)`.
template <class Visit>
void for_each_pose(const std::vector<PosedPair>& pairs, bool by_step, Visit&& visit) {
    const std::size_t poses = pairs[0].poses.size();
    if (by_step) {
        for (std::size_t k = 1; k < poses; ++k) {
            for (std::size_t i = 0; i < pairs.size(); ++i) visit(i, k);
        }
    } else {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            for (std::size_t k = 1; k < poses; ++k) visit(i, k);
        }
    }
}

/// Says on a terminal's stderr what is being measured, in a line that the next output overwrites.
inline void show_progress(const Experiment& experiment, const Sizes& sizes) {
    if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r%s %d/%d ...\033[K\r", experiment.name, sizes.a, sizes.b);
}

}  // namespace talus::profiling
