/// Jobs and the thread pool with ordinary and with silly numbers of threads, tasks and items.

#include "common/job_board.h"
#include "tests/support/threads.h"

#include <talus/thread_pool.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

using namespace talus;
using namespace talus::test;

namespace {

constexpr int least_int = std::numeric_limits<int>::min(), largest_int = std::numeric_limits<int>::max();

// A host that runs all tasks on the calling thread, the last one first.
void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count; i-- > 0;) task(data, i);
}

}  // namespace

TEST_CASE("a pool of less than one thread runs all tasks on the caller") {
    for (const int threads : {1, 0, -5, least_int}) {
        CAPTURE(threads);
        ThreadPool pool(threads);
        CHECK(pool.jobs().threads == 1);
        int calls = 0;  // not atomic: there is one thread
        pool.jobs().for_each(100, [&](int) { ++calls; });
        CHECK(calls == 100);
    }
}

TEST_CASE("a pool of two billion threads has as many as the header says") {
    try {
        ThreadPool pool(largest_int);
        CHECK(pool.jobs().threads == ThreadPool::max_threads);
        std::atomic<int> calls{0};
        pool.jobs().for_each(5000, [&](int) { ++calls; });
        CHECK(calls == 5000);
    } catch (const std::system_error& error) {
        MESSAGE("the system starts fewer threads: ", std::string(error.what()));
    }
}

TEST_CASE("a pool runs each task once, however many there are") {
    TestPool pool(3);
    for (const int count : {1, 2, 65534, 65535, 65536, 200001}) {
        CAPTURE(count);
        std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
        pool.jobs().for_each(count, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
        std::size_t wrong = 0;
        for (const std::atomic<int>& c : calls) wrong += c != 1;
        CHECK(wrong == 0);
    }
}

TEST_CASE("a job that the caller cannot finish alone is finished by a worker, whether the caller sleeps or spins") {
    if (lacks_threads()) return;
    for (const bool caller_sleeps : {true, false}) {
        CAPTURE(caller_sleeps);
        JobBoard board(1, caller_sleeps);
        std::thread worker([&] { board.work(0); });
        for (int job = 0; job < 100; ++job) {
            std::atomic<int> begun{0};
            board.jobs().for_each(2, [&](int) {
                ++begun;
                while (begun != 2) std::this_thread::yield();
                if (job % 10 == 0)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the other may fall asleep
            });
        }
        board.close();
        worker.join();
        CHECK(board.tasks_of_workers() == 100);
    }
}

TEST_CASE("no tasks, or fewer, are no calls") {
    TestPool pool(2);
    for (const Jobs& jobs : {Jobs{}, pool.jobs(), Jobs{.threads = 4, .run = run_backwards}}) {
        int calls = 0;
        for (const int count : {0, -1, least_int}) jobs.for_each(count, [&](int) { ++calls; });
        CHECK(calls == 0);
        // A host's own call of `run`, not by for_each.
        const auto count_call = [](void* data, int) { ++*static_cast<int*>(data); };
        if (jobs.run != nullptr) jobs.run(jobs.host, -1, count_call, &calls);
        CHECK(calls == 0);
    }
}

TEST_CASE("an exception of a task is thrown by for_each when all tasks have returned") {
    TestPool pool(3);
    for (const Jobs& jobs : {Jobs{}, pool.jobs()}) {
        std::atomic<int> under_way{0};
        const auto work = [&](int i) {
            struct Guard {
                std::atomic<int>& count;
                explicit Guard(std::atomic<int>& c) : count(c) { ++count; }
                ~Guard() { --count; }
            } guard(under_way);
            if (i % 7 == 3) throw std::runtime_error("task");
        };
        CHECK_THROWS_AS(jobs.for_each(50, work), std::runtime_error);
        CHECK(under_way == 0);
        int calls = 0;  // and the pool goes on working
        jobs.for_each(1, [&](int) { ++calls; });
        CHECK(calls == 1);
    }
}

TEST_CASE("work is divided into at least one task, at most as many as there are threads, and none is too short") {
    for (const int threads : {least_int, -1, 0, 1, 2, 7, largest_int}) {
        for (const std::size_t least : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{1000}}) {
            for (const std::size_t items : {std::size_t{0}, std::size_t{1}, std::size_t{99}, std::size_t{1000}}) {
                CAPTURE(threads);
                CAPTURE(least);
                CAPTURE(items);
                const Jobs jobs{.threads = threads, .run = run_backwards};
                const int tasks = jobs.tasks_for(items, least);
                CHECK(tasks >= 1);
                CHECK(tasks <= std::max(threads, 1));
                CHECK((tasks == 1 || static_cast<std::size_t>(tasks) * least <= items));
                CHECK(Jobs{.threads = threads}.tasks_for(items, least) == 1);  // nobody to run them
                std::vector<int> seen(items);
                std::size_t too_short = 0, runs = 0;
                jobs.for_each_run(items, least, [&](std::size_t first, std::size_t last) {
                    ++runs;
                    too_short += last - first < least;
                    for (std::size_t i = first; i < last; ++i) ++seen[i];
                });
                CHECK((too_short == 0 || runs == 1));
                CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(items));
            }
        }
    }
}

TEST_CASE("parts of the work say which part they are, and hold each item once, in order") {
    const Jobs jobs{.threads = 4, .run = run_backwards};
    for (const std::size_t items : {std::size_t{0}, std::size_t{3}, std::size_t{5}, std::size_t{1000}}) {
        std::vector<std::pair<std::size_t, std::size_t>> parts(5);
        jobs.for_each_part(items, parts.size(), [&](std::size_t k, std::size_t first, std::size_t last) {
            parts[k] = {first, last};
        });
        CAPTURE(items);
        std::size_t end = 0;
        for (const auto& [first, last] : parts) {
            CHECK(first == end);
            CHECK(last - first >= items / parts.size());
            CHECK(last - first <= items / parts.size() + 1);
            end = last;
        }
        CHECK(end == items);
    }
}
