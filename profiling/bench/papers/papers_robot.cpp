#include "profiling/bench/papers/papers_robot.h"

#include "profiling/bench/gjk/paper_methods.h"
#include "profiling/bench/measure.h"
#include "samples/scenes/kit/robot_arm.h"

#include "common/stopwatch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>

namespace talus::profiling {

namespace {

using namespace samples;

struct Method {
    const char* name;
    std::function<Result<ArmDistances>(const ArmTask& task, ArmQueryCounts* counts)> make;
};

Method variant(const char* name, const GjkMethods& methods) {
    return {name, [methods](const ArmTask& task, ArmQueryCounts* counts) {
                return variant_distances(task, methods, counts);
            }};
}

Method production(const char* name, bool warm) {
    return {name, [warm](const ArmTask& task, ArmQueryCounts*) {
                return Result<ArmDistances>(production_distances(task, warm));
            }};
}

struct Timing {
    double distance = 0.0, rest = 0.0;  ///< us per step
    std::vector<ArmPose> motion;
};

/// What reading the clock costs, us.
double read_cost() {
    constexpr int reads = 10000;
    const double start = thread_cpu_ns();
    double last = start;
    for (int i = 0; i < reads; ++i) last = thread_cpu_ns();
    return 1e-3 * (last - start) / reads;
}

/// Plans once. The thread's CPU time is read twice per step, which is not part of either time.
Result<Timing> plan_once(const ArmTask& task, const ArmDistances& distances) {
    Timing timing;
    double last = thread_cpu_ns();
    const auto lap = [&] {
        const double before = last;
        last = thread_cpu_ns();
        return 1e-3 * (last - before);
    };
    const auto timed = [&](std::span<const MatrixTransform> poses, std::span<ArmDistance> answers) {
        timing.rest += lap();
        distances(poses, answers);
        timing.distance += lap();
    };
    Result<std::vector<ArmPose>> motion = plan_motion(task, timed);
    if (!motion) return motion.error();
    timing.rest += lap();
    timing.motion = std::move(*motion);
    static const double cost = read_cost();
    const double steps = static_cast<double>(timing.motion.size());
    timing.distance = std::max(0.0, timing.distance / steps - cost);
    timing.rest = std::max(0.0, timing.rest / steps - cost);
    return timing;
}

double least_clearance(const std::vector<ArmPose>& motion) {
    return std::min_element(motion.begin(), motion.end(),
                            [](const ArmPose& a, const ArmPose& b) { return a.clearance < b.clearance; })
        ->clearance;
}

int fail(const Error& error) {
    std::fprintf(stderr, "talus-profile: %s\n", error.message.c_str());
    return 1;
}

}  // namespace

int print_robot(const PapersOptions& options) {
    Result<ArmTask> task = papers_task();
    if (!task) return fail(task.error());
    const std::vector<Method> methods{
        variant("original GJK", liu_original),   variant("Liu et al.", liu_ours),
        variant("Cameron", liu_cameron),         variant("both", liu_combined),
        variant("both, tracking", liu_tracking), variant("Cameron, track.", cameron_tracking),
        production("Talus, cold", false),        production("Talus, warm", true)};
    std::vector<std::vector<double>> distance(methods.size()), rest(methods.size());
    std::vector<ArmQueryCounts> counts(methods.size());
    std::vector<std::vector<ArmPose>> motions(methods.size());
    for (int i = 0; i < options.repeats; ++i) {
        for (std::size_t m = 0; m < methods.size(); ++m) {
            counts[m] = {};
            const Result<ArmDistances> distances = methods[m].make(*task, &counts[m]);
            if (!distances) return fail(distances.error());
            Result<Timing> timing = plan_once(*task, *distances);
            if (!timing) return fail(timing.error());
            distance[m].push_back(timing->distance);
            rest[m].push_back(timing->rest);
            motions[m] = std::move(timing->motion);
        }
    }

    const auto pairs = task->pairs();
    std::printf(R"(Collision-free motion of a redundant robot (Liu et al., section 4.4, Figures 14 and 15)
Theirs: distance 'about 70%% of total execution time', MATLAB 5.3; 'both' with their start in tracking is the fastest.
Ours: %d steps of 1/60 s along the path, %zu parts (4 links, 4 joints, the piece in the hand) against %zu pyramids, %zu
queries per step; samples/scenes/kit/robot_arm.h says what else differs. A failure of discard-and-add is answered by Talus's
query, whose time is in its row. 'Cameron, track.' is ours: the original subalgorithm with hill climbing and the last
simplex, the control of 'both, tracking'. 'off': the joints' largest difference from the last row's motion.

)",
                task->steps(), task->parts.size(), task->obstacles.size(), pairs);
    std::printf("%-16s | %9s %9s %9s | %8s %8s %9s %9s | %8s %9s\n", "method", "distance", "rest", "distance", "ns per",
                "iter", "dots", "failures", "least", "off");
    std::printf("%-16s | %9s %9s %9s | %8s %8s %9s %9s | %8s %9s\n", "", "us/step", "us/step", "share", "query",
                "per query", "per query", "", "clear, m", "rad");
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const double d = median(distance[m]), r = median(rest[m]);
        std::printf("%-16s | %9.2f %9.2f %8.0f%% | %8.0f ", methods[m].name, d, r, 100.0 * d / (d + r),
                    1e3 * d / static_cast<double>(pairs));
        if (counts[m].queries > 0) {
            const auto n = static_cast<double>(counts[m].queries);
            std::printf("%8.2f %9.1f %9ld", static_cast<double>(counts[m].iterations) / n,
                        static_cast<double>(counts[m].dot_products) / n, counts[m].failures);
        } else {
            std::printf("%8s %9s %9s", "-", "-", "-");
        }
        std::printf(" | %8.4f %9.1e\n", least_clearance(motions[m]), largest_difference(motions[m], motions.back()));
    }

    std::printf("\n%-16s | %12s %12s %12s\n", "k", "least", "steps in", "farthest off");
    std::printf("%-16s | %12s %12s %12s\n", "", "clear, m", "collision", "the path, m");
    for (const double gain : {0.0, -0.001, -0.01, -0.1, -1.0, -10.0}) {
        task->gain = gain;
        const Result<std::vector<ArmPose>> motion = plan_motion(*task, production_distances(*task));
        if (!motion) return fail(motion.error());
        const auto hits =
            std::count_if(motion->begin(), motion->end(), [](const ArmPose& p) { return p.clearance <= 0.0; });
        const double off = std::max_element(motion->begin(), motion->end(), [](const ArmPose& a, const ArmPose& b) {
                               return a.off_path < b.off_path;
                           })->off_path;
        std::printf("%-16g | %12.4f %12ld %12.1e\n", gain, least_clearance(*motion), static_cast<long>(hits), off);
    }
    std::printf("\n");
    return 0;
}

}  // namespace talus::profiling
