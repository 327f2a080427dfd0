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

/// What planning a task cost by each of some methods.
struct Costs {
    std::vector<double> distance, rest;  ///< us per step, medians
    std::vector<ArmQueryCounts> counts;
    std::vector<std::vector<ArmPose>> motions;
};

/// Plans by all methods in turn, several times.
Result<Costs> measure(const ArmTask& task, const std::vector<Method>& methods, int repeats) {
    Costs costs;
    costs.counts.resize(methods.size());
    costs.motions.resize(methods.size());
    std::vector<std::vector<double>> distance(methods.size()), rest(methods.size());
    for (int i = 0; i < repeats; ++i) {
        for (std::size_t m = 0; m < methods.size(); ++m) {
            costs.counts[m] = {};
            const Result<ArmDistances> distances = methods[m].make(task, &costs.counts[m]);
            if (!distances) return distances.error();
            Result<Timing> timing = plan_once(task, *distances);
            if (!timing) return timing.error();
            distance[m].push_back(timing->distance);
            rest[m].push_back(timing->rest);
            costs.motions[m] = std::move(timing->motion);
        }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
        costs.distance.push_back(median(distance[m]));
        costs.rest.push_back(median(rest[m]));
    }
    return costs;
}

int fail(const Error& error) {
    std::fprintf(stderr, "talus-profile: %s\n", error.message.c_str());
    return 1;
}

/// A task of the second table, and what differs in it.
struct Variation {
    const char* name;
    int value;  ///< links, obstacles or cm
    ArmVariation arm;
    double gain = -1.0;
};

/// One table: a row for each variation.
Error print_variation(const char* title, const std::vector<Variation>& variations, const PapersOptions& options) {
    const std::vector<Method> methods{variant("original", liu_original), variant("Cameron", liu_cameron),
                                      variant("both, track.", liu_tracking), variant("Cam., track.", cameron_tracking),
                                      production("Talus, warm", true)};
    std::printf("%-22s %8s |", title, "queries");
    for (const Method& method : methods) std::printf(" %12s", method.name);
    std::printf(" | %8s %8s %9s | %8s %8s\n", "rest", "iter", "dots", "mean", "least");
    std::printf("%-22s %8s |", "", "per step");
    for (std::size_t m = 0; m < methods.size(); ++m) std::printf(" %12s", "us (ns)");
    std::printf(" | %8s %8s %9s | %8s %8s\n", "us/step", "original", "C., track", "dist., m", "clear, m");
    for (const Variation& variation : variations) {
        Result<ArmTask> task = varied_task(variation.arm);
        if (!task) return task.error();
        task->gain = variation.gain;
        const Result<Costs> costs = measure(*task, methods, options.repeats);
        if (!costs) return costs.error();
        double sum = 0.0, count = 0.0;
        const ArmDistances warm = production_distances(*task);
        const Result<std::vector<ArmPose>> motion =
            plan_motion(*task, [&](std::span<const MatrixTransform> poses, std::span<ArmDistance> answers) {
                warm(poses, answers);
                for (const ArmDistance& answer : answers) sum += answer.distance;
                count += static_cast<double>(answers.size());
            });
        if (!motion) return motion.error();
        std::printf("%-18s %3d %8zu |", variation.name, variation.value, task->pairs());
        for (std::size_t m = 0; m < methods.size(); ++m)
            std::printf(" %6.2f (%3.0f)", costs->distance[m],
                        1e3 * costs->distance[m] / static_cast<double>(task->pairs()));
        const ArmQueryCounts &original = costs->counts[0], &tracking = costs->counts[3];
        std::printf(" | %8.2f %8.2f %9.2f | %8.3f %8.4f\n", costs->rest.back(),
                    static_cast<double>(original.iterations) / static_cast<double>(original.queries),
                    static_cast<double>(tracking.dot_products) / static_cast<double>(tracking.queries), sum / count,
                    least_clearance(*motion));
    }
    std::printf("\n");
    return {};
}

int print_variations(const PapersOptions& options) {
    std::fputs(R"(The robot's cost by its links, by its obstacles, and by their distance (Liu et al., section 4.4)
Theirs: 'the computational cost depends on the number of obstacles and links and the proximity of obstacles and links';
no figures. Ours: the same path. Links: each of the three after the first is cut into pieces with joints between them;
the arm starts in the same shape. Obstacles: from the third on they stand aside, out of the potential's reach.
Distance: the two pyramids are moved out of the arm's plane, one to either side (cm); and with a smaller k the arm goes
nearer to them. 'us (ns)': distance queries, per step (per query). 'rest': all else of a step, with Talus's query.
'iter': per query of the original; 'dots': per query of 'Cameron, track.'; 'mean dist.': over all queries.

)",
               stdout);
    std::vector<Variation> links, obstacles, distances;
    for (const int pieces : {1, 2, 3, 4, 5}) links.push_back({"links", 1 + 3 * pieces, {.pieces = pieces}});
    for (const int number : {1, 2, 4, 8, 16, 32}) obstacles.push_back({"obstacles", number, {.obstacles = number}});
    distances.push_back({"k = -0.001, aside", 0, {}, -0.001});
    distances.push_back({"k = -0.01, aside", 0, {}, -0.01});
    for (const int cm : {0, 25, 50, 100, 200, 400}) distances.push_back({"aside", cm, {.aside = 0.01 * cm}});
    if (options.quick) {
        links.resize(2);
        obstacles.resize(2);
        distances.resize(3);
    }
    for (const auto& [title, variations] :
         {std::pair("links", &links), std::pair("obstacles", &obstacles), std::pair("distance", &distances)}) {
        if (const Error error = print_variation(title, *variations, options)) return fail(error);
    }
    return 0;
}

}  // namespace

int print_robot(const PapersOptions& options) {
    Result<ArmTask> task = papers_task();
    if (!task) return fail(task.error());
    const std::vector<Method> methods{variant("original GJK", liu_original),
                                      variant("Liu et al.", liu_ours),
                                      variant("Cameron", liu_cameron),
                                      variant("both", liu_combined),
                                      variant("both, tracking", liu_tracking),
                                      variant("Cameron, track.", cameron_tracking),
                                      variant("orig., tracking", original_tracking),
                                      production("Talus, cold", false),
                                      production("Talus, warm", true)};
    const Result<Costs> costs = measure(*task, methods, options.repeats);
    if (!costs) return fail(costs.error());
    const std::vector<ArmQueryCounts>& counts = costs->counts;
    const std::vector<std::vector<ArmPose>>& motions = costs->motions;

    const auto pairs = task->pairs();
    std::printf(R"(Collision-free motion of a redundant robot (Liu et al., section 4.4, Figures 14 and 15)
Theirs: distance 'about 70%% of total execution time', MATLAB 5.3; 'both' with their start in tracking is the fastest.
Ours: %d steps of 1/60 s along the path, %zu parts (4 links, 4 joints, the piece in the hand) against %zu pyramids, %zu
queries per step; samples/scenes/kit/robot_arm.h says what else differs. A failure of discard-and-add is answered by
Talus's query, whose time is in its row. 'Cameron, track.' and 'orig., tracking' are ours, the controls of 'both,
tracking': the original subalgorithm with hill climbing and the last simplex, and with the neighbours' search as well.
'off': the joints' largest difference from the last row's motion.

)",
                task->steps(), task->parts.size(), task->obstacles.size(), pairs);
    std::printf("%-16s | %9s %9s %9s | %8s %8s %9s %9s | %8s %9s\n", "method", "distance", "rest", "distance", "ns per",
                "iter", "dots", "failures", "least", "off");
    std::printf("%-16s | %9s %9s %9s | %8s %8s %9s %9s | %8s %9s\n", "", "us/step", "us/step", "share", "query",
                "per query", "per query", "", "clear, m", "rad");
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const double d = costs->distance[m], r = costs->rest[m];
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
    return print_variations(options);
}

}  // namespace talus::profiling
