#pragma once
/// Where threads find the tasks of a job.

#include "common/sleeper.h"

#include <talus/jobs.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace talus {

/// Hands out the tasks of one job at a time to threads that live elsewhere: those of a `ThreadPool`, or a browser's
/// workers. One thread calls run(), the others are in work(). A thread claims one task after another. The caller does
/// the tasks that no other thread has begun, so a job never waits for a thread that comes late, or not at all. A thread
/// without tasks spins for a third of a millisecond, then sleeps.
class JobBoard {
public:
    /// For so many threads besides the one that calls run(), 0 to 1023. `caller_sleeps`: false if the caller must not
    /// sleep while it waits for the last task, as in a browser's main thread.
    explicit JobBoard(int workers, bool caller_sleeps = true);

    int threads() const { return worker_count_ + 1; }  ///< with the one that calls run()
    /// Returns how many tasks were done by other threads than the one that calls run().
    std::uint64_t tasks_of_workers() const { return tasks_of_workers_.load(std::memory_order_relaxed); }

    /// Runs task(data, i) for i from 0 to count - 1, and returns when all have returned.
    void run(int count, Jobs::Task task, void* data);
    /// Takes tasks of all jobs until close(). To be called once in each of the threads, `worker` = 0 to workers - 1.
    void work(int worker);
    /// Ends the calls of work(), now and later ones. No job may follow.
    void close();

    /// Jobs that run here, valid as long as the board.
    Jobs jobs();

private:
    struct alignas(64) Worker {
        Sleeper sleeper;
    };

    void run_some(int first, int count, Jobs::Task task, void* data);
    void make_offer(std::uint64_t offer);
    std::uint32_t help();

    Jobs::Task task_ = nullptr;
    void* data_ = nullptr;
    int first_ = 0;  // the task index of the offer's first task
    std::uint64_t number_ = 0;
    alignas(64) std::atomic<std::uint64_t> offer_{0};
    alignas(64) std::atomic<int> left_{0};  // tasks that have not returned
    std::atomic<std::uint64_t> tasks_of_workers_{0};
    Sleeper caller_;
    int worker_count_;
    bool caller_sleeps_;
    std::unique_ptr<Worker[]> workers_;
};

}  // namespace talus
