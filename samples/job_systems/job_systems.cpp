/// Steps the same scenes on several job systems, in several ways, and compares the bits. docs/threads.md explains it.

#include "samples/job_systems/hosts.h"
#include "samples/program.h"
#include "samples/runner/command_line.h"
#include "samples/scenes/scene.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace talus::samples {

namespace {

struct JobSystemOptions {
    std::vector<std::string> scenes;
    std::string system = "all";
    int threads = 4, steps = 120, worlds = 3;
    bool all_threads = false, help = false;
};

using Spec = OptionSpec<JobSystemOptions>;

std::string set_scene(JobSystemOptions& options, Values values) {
    if (find_scene(values[0]) == nullptr) return "must be a name that talus-samples --list shows";
    options.scenes.emplace_back(values[0]);
    return "";
}

std::string set_system(JobSystemOptions& options, Values values) {
    std::string allowed = "all";
    bool known = values[0] == "all";
    for (const std::string_view name : host_names()) {
        allowed += ", " + std::string(name);
        known = known || values[0] == name;
    }
    options.system = values[0];
    return known ? "" : "must be one of those that were built: " + allowed;
}

template <int JobSystemOptions::*Member, int low, int high>
std::string set_number(JobSystemOptions& options, Values values) {
    if (parse(values[0], options.*Member, low, high)) return "";
    return "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

constexpr Spec specs[] = {
    {"", "--system", Takes::one, "NAME",
     "serial (tasks one after the other on the calling thread), pool, tbb or\nfiber (default: all that were built)",
     set_system},
    {"", "--threads", Takes::one, "N", "threads of each system, 2 to 64 (default 4)",
     set_number<&JobSystemOptions::threads, 2, 64>},
    {"", "--scene", Takes::one, "NAME",
     "may be given several times (default: hullpile, ragdolls, mixed);\ntalus-samples --list shows all", set_scene,
     true},
    {"", "--steps", Takes::one, "N", "steps of each run, 1 to 100000 (default 120)",
     set_number<&JobSystemOptions::steps, 1, 100000>},
    {"", "--worlds", Takes::one, "N", "worlds that are stepped at the same time, 1 to 64 (default 3)",
     set_number<&JobSystemOptions::worlds, 1, 64>},
    {"", "--all-threads", Takes::none, "", "use all threads in each step, even if the system preempts some",
     [](JobSystemOptions& options, Values) {
         options.all_threads = true;
         return std::string();
     }},
    {"", "--help", Takes::none, "", "show this",
     [](JobSystemOptions& options, Values) {
         options.help = true;
         return std::string();
     }},
};

void print_help() {
    std::printf(
        "usage: talus-job-systems [options]\n"
        "Steps each scene on one thread, then on each job system in three ways: by the main thread, by a job of the\n"
        "system, and several worlds at the same time, each by a job. Prints the time per step, the host's tasks, and "
        "the\n"
        "hash of each world's state. Exit code 1 if hashes of a scene differ.\n%s",
        options_text<JobSystemOptions>(specs, 22).c_str());
}

/// One scene in several worlds, which are stepped by one host.
class Run {
public:
    Run(const SceneData& scene, int worlds, const JobSystemOptions& options) : scene_(scene), options_(options) {
        WorldDef def;
        def.timing = Timing::off;
        for (int i = 0; i < worlds; ++i) worlds_.push_back(make_world(scene, nullptr, def));
    }

    void step_all(std::size_t world, const Jobs& jobs) {
        for (int step = 0; step < options_.steps; ++step) step_scene(worlds_[world], scene_, step, jobs);
    }

    /// Measures `step_worlds`, which must call step_all() for each world, prints the row, and returns whether each
    /// world has the hash `expected`. Its first call sets that hash.
    template <class F>
    bool measure(const char* system, const char* way, const CountedJobs& counted, std::uint64_t& expected,
                 F&& step_worlds) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point start = Clock::now();
        step_worlds();
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        const double steps = static_cast<double>(options_.steps) * static_cast<double>(worlds_.size());
        if (expected == 0) expected = worlds_[0].hash();
        bool same = true;
        for (const World& world : worlds_) same = same && world.hash() == expected;
        std::printf("  %-6s %-22s %8.3f %8.1f %9.1f  %016" PRIx64 "%s\n", system, way, ms / steps,
                    static_cast<double>(counted.tasks()) / steps, static_cast<double>(counted.elsewhere()) / steps,
                    worlds_[0].hash(), same ? "" : "  DIFFERENT");
        std::fflush(stdout);
        return same;
    }

private:
    const SceneData& scene_;
    const JobSystemOptions& options_;
    std::vector<World> worlds_;
};

/// Steps the scene on one job system in all three ways. Returns whether all hashes are the expected one.
bool run_on(const SceneData& scene, std::string_view system, const JobSystemOptions& options, std::uint64_t expected) {
    const std::string name(system);
    const std::unique_ptr<Host> host = make_host(system, options.threads);
    Jobs host_jobs = host->jobs();
    host_jobs.all_threads = options.all_threads;
    bool same = true;
    {
        Run run(scene, 1, options);
        CountedJobs counted(host_jobs);
        same = run.measure(name.c_str(), "by the main thread", counted, expected, [&] {
            run.step_all(0, counted.jobs());
        }) && same;
    }
    {
        Run run(scene, 1, options);
        CountedJobs counted(host_jobs);
        const std::function<void()> job[] = {[&] { run.step_all(0, counted.jobs()); }};
        same = run.measure(name.c_str(), "by a job", counted, expected, [&] { host->run_jobs(job); }) && same;
    }
    {
        Run run(scene, options.worlds, options);
        CountedJobs counted(host_jobs);
        std::vector<std::function<void()>> jobs;
        for (std::size_t i = 0; i < static_cast<std::size_t>(options.worlds); ++i)
            jobs.emplace_back([&, i] { run.step_all(i, counted.jobs()); });
        const std::string way = "by " + std::to_string(options.worlds) + " jobs at a time";
        same = run.measure(name.c_str(), way.c_str(), counted, expected, [&] { host->run_jobs(jobs); }) && same;
    }
    if (const std::string line = host->statistics(); !line.empty()) std::printf("         %s\n", line.c_str());
    return same;
}

int run_job_systems(const std::vector<std::string_view>& arguments) {
    JobSystemOptions options;
    const Error wrong = read_arguments<JobSystemOptions>(arguments, specs, options);
    if (wrong.code != ErrorCode::none) {
        std::fprintf(stderr, "talus-job-systems: %s\n", wrong.message.c_str());
        return 2;
    }
    if (options.help) {
        print_help();
        return 0;
    }
    if (options.scenes.empty()) options.scenes = {"hullpile", "ragdolls", "mixed"};
    std::printf("%d threads on %u processors, %d steps. `elsewhere`: tasks on another thread than the stepping one.\n",
                options.threads, std::thread::hardware_concurrency(), options.steps);
    bool same = true;
    for (const std::string& name : options.scenes) {
        const Result<SceneData> scene = find_scene(name)->make({});
        if (!scene) {
            std::fprintf(stderr, "talus-job-systems: %s\n", scene.error().message.c_str());
            return 1;
        }
        std::printf("%s, %zu bodies\n  system stepped                 ms/step tasks/step elsewhere  hash\n",
                    name.c_str(), scene->bodies.size());
        std::uint64_t expected = 0;
        Run alone(*scene, 1, options);
        const CountedJobs none{Jobs{}};
        alone.measure("none", "on one thread", none, expected, [&] { alone.step_all(0, {}); });
        for (const std::string_view system : host_names()) {
            if (options.system == "all" || options.system == system)
                same = run_on(*scene, system, options, expected) && same;
        }
    }
    if (!same) std::fprintf(stderr, "talus-job-systems: the hashes differ.\n");
    return same ? 0 : 1;
}

}  // namespace

}  // namespace talus::samples

int main(int argc, char** argv) {
    return talus::samples::run_program("talus-job-systems", argc, argv, talus::samples::run_job_systems);
}
