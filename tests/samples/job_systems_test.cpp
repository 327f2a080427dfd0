// Talus on the job systems of samples/job_systems: a plain pool, oneTBB, fibers.

#include "samples/job_systems/hosts.h"
#include "samples/job_systems/plain_pool_jobs.h"
#include "samples/scenes/scene.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::samples;

namespace {

using Functions = std::vector<std::function<void()>>;

SceneData scene_of(const char* name) {
    Result<SceneData> scene = find_scene(name)->make({});
    REQUIRE(scene);
    return std::move(*scene);
}

World world_of(const SceneData& scene) {
    WorldDef def;
    def.timing = Timing::off;
    return make_world(scene, nullptr, def);
}

/// Steps a world, and writes its hash every ten steps. Test macros may be used by the test's own thread only.
void step(World& world, const SceneData& scene, int steps, const Jobs& jobs, std::vector<std::uint64_t>& hashes) {
    for (int i = 0; i < steps; ++i) {
        step_scene(world, scene, i, jobs);
        if (i % 10 == 9) hashes.push_back(world.hash());
    }
}

std::vector<std::uint64_t> hashes_on_one_thread(const SceneData& scene, int steps) {
    World world = world_of(scene);
    std::vector<std::uint64_t> hashes;
    step(world, scene, steps, {}, hashes);
    REQUIRE(hashes.size() == static_cast<std::size_t>(steps / 10));
    return hashes;
}

Jobs with_all_threads(Jobs jobs) {
    jobs.all_threads = true;
    return jobs;
}

/// Each scene on each host: stepped by the main thread, and by a job of the host.
void check_scenes(std::initializer_list<const char*> names, int steps, int threads) {
    for (const char* const scene_name : names) {
        const SceneData scene = scene_of(scene_name);
        const std::vector<std::uint64_t> expected = hashes_on_one_thread(scene, steps);
        for (const std::string_view host_name : host_names()) {
            CAPTURE(scene_name);
            CAPTURE(std::string(host_name));
            const std::unique_ptr<Host> host = make_host(host_name, threads);
            CountedJobs counted(with_all_threads(host->jobs()));
            CHECK(counted.jobs().threads == threads);
            World by_main = world_of(scene), by_job = world_of(scene);
            std::vector<std::uint64_t> hashes;
            step(by_main, scene, steps, counted.jobs(), hashes);
            CHECK(hashes == expected);
            const long tasks = counted.tasks();
            CHECK(tasks >= steps);  // otherwise the host had nothing to do
            hashes.clear();
            host->run_jobs(Functions{[&] { step(by_job, scene, steps, counted.jobs(), hashes); }});
            CHECK(hashes == expected);
            CHECK(counted.tasks() == 2 * tasks);
        }
    }
}

/// Two worlds of each scene on each host, all at the same time. `by_task`: stepped by tasks of the jobs that their steps
/// use; otherwise by jobs of the host.
void check_worlds_at_once(std::initializer_list<const char*> names, int steps, bool all_threads, bool by_task) {
    std::vector<SceneData> scenes;
    std::vector<std::vector<std::uint64_t>> expected;
    for (const char* const name : names) {
        scenes.push_back(scene_of(name));
        expected.push_back(hashes_on_one_thread(scenes.back(), steps));
    }
    for (const std::string_view host_name : host_names()) {
        CAPTURE(std::string(host_name));
        CAPTURE(all_threads);
        CAPTURE(by_task);
        const std::unique_ptr<Host> host = make_host(host_name, 3);
        Jobs jobs = host->jobs();
        jobs.all_threads = all_threads;
        const std::size_t count = 2 * scenes.size();
        std::vector<World> worlds;
        for (std::size_t i = 0; i < count; ++i) worlds.push_back(world_of(scenes[i / 2]));
        std::vector<std::vector<std::uint64_t>> hashes(count);
        const auto step_world = [&](std::size_t i) { step(worlds[i], scenes[i / 2], steps, jobs, hashes[i]); };
        if (by_task) {
            jobs.for_each(static_cast<int>(count), [&](int i) { step_world(static_cast<std::size_t>(i)); });
        } else {
            Functions functions;
            for (std::size_t i = 0; i < count; ++i) functions.emplace_back([&, i] { step_world(i); });
            host->run_jobs(functions);
        }
        for (std::size_t i = 0; i < count; ++i) CHECK(hashes[i] == expected[i / 2]);
    }
}

}  // namespace

TEST_CASE("a step has the same bits on the threads of each job system") {
    check_scenes({"pyramid40", "ragdolls"}, 10, 3);
}

TEST_CASE("scenes have the same bits on each job system over 120 steps" * doctest::test_suite("slow")) {
    for (const int threads : {2, 5}) check_scenes({"hullpile", "ragdolls", "tumble", "pyramid40"}, 120, threads);
}

TEST_CASE("worlds that are stepped at the same time share the threads of a job system") {
    for (const bool by_task : {false, true}) check_worlds_at_once({"pyramid40", "ragdolls"}, 10, true, by_task);
}

TEST_CASE("worlds that are stepped at the same time have the same bits over 120 steps" * doctest::test_suite("slow")) {
    for (const bool all_threads : {false, true}) {
        for (const bool by_task : {false, true})
            check_worlds_at_once({"hullpile", "ragdolls"}, 120, all_threads, by_task);
    }
}

TEST_CASE("a job system may have fewer threads than `Jobs::threads` says") {
    const SceneData scene = scene_of("pyramid40");
    const std::vector<std::uint64_t> expected = hashes_on_one_thread(scene, 10);
    for (const std::string_view name : host_names()) {
        CAPTURE(std::string(name));
        const std::unique_ptr<Host> host = make_host(name, 2);
        Jobs jobs = with_all_threads(host->jobs());
        jobs.threads = 12;
        World world = world_of(scene);
        std::vector<std::uint64_t> hashes;
        host->run_jobs(Functions{[&] { step(world, scene, 10, jobs, hashes); }});
        CHECK(hashes == expected);
    }
}

TEST_CASE("each job system runs each task once, on its threads or on the calling one") {
    for (const std::string_view name : host_names()) {
        CAPTURE(std::string(name));
        const std::unique_ptr<Host> host = make_host(name, 3);
        CountedJobs counted(host->jobs());
        const Jobs jobs = counted.jobs();
        long all = 0;
        for (const int count : {-1, 0, 1, 2, 3, 100, 1000}) {
            CAPTURE(count);
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(std::max(count, 0)));
            jobs.run(
                jobs.host, count,
                [](void* data, int i) {
                    ++(*static_cast<std::vector<std::atomic<int>>*>(data))[static_cast<std::size_t>(i)];
                },
                &calls);
            int wrong = 0;
            for (const std::atomic<int>& of_task : calls) wrong += of_task == 1 ? 0 : 1;
            CHECK(wrong == 0);
            all += std::max(count, 0);
        }
        CHECK(counted.tasks() == all);
        if (name == "serial") continue;
        // At some time another thread takes one of many tasks.
        for (int round = 0; round < 10000 && counted.elsewhere() == 0; ++round) jobs.for_each(100, [](int) {});
        CHECK(counted.elsewhere() > 0);
    }
}

TEST_CASE("an exception of a task reaches the thread that started the job, on each job system") {
    for (const std::string_view name : host_names()) {
        CAPTURE(std::string(name));
        const std::unique_ptr<Host> host = make_host(name, 3);
        const Jobs jobs = host->jobs();
        int caught = 0;
        const auto throw_one = [&] {
            for (int round = 0; round < 40; ++round) {
                std::atomic<int> under_way{0};
                try {
                    jobs.for_each(8, [&](int i) {
                        ++under_way;
                        --under_way;
                        if (i == round % 8) throw std::runtime_error("task");
                    });
                } catch (const std::runtime_error&) {
                    caught += under_way == 0 ? 1 : 0;
                }
            }
        };
        throw_one();
        CHECK(caught == 40);
        host->run_jobs(Functions{throw_one});
        CHECK(caught == 80);
        std::atomic<int> done{0};  // and it goes on working
        jobs.for_each(20, [&](int) { ++done; });
        CHECK(done == 20);
    }
}

TEST_CASE("on a plain pool, a step does not wait for threads that are busy") {
    const SceneData scene = scene_of("ragdolls");
    PlainPool pool(2);
    std::atomic<int> busy{0};
    std::atomic<bool> stepped{false};
    for (int i = 0; i < 2; ++i) {
        pool.submit([&] {
            ++busy;
            while (!stepped) std::this_thread::yield();
        });
    }
    while (busy < 2) std::this_thread::yield();
    World world = world_of(scene);
    std::vector<std::uint64_t> hashes;
    step(world, scene, 10, with_all_threads(jobs_of(pool)), hashes);
    stepped = true;
    CHECK(hashes == hashes_on_one_thread(scene, 10));
}
