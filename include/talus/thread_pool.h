#pragma once
/// Threads for `Jobs`, for hosts without a job system of their own.

#include <talus/jobs.h>

#include <memory>

namespace talus {

/// Threads that wait for tasks. The thread that starts a job also works on it, so a pool of n runs n - 1 threads of its
/// own. There is one job at a time: only one thread may start jobs, and no task may start another. A task must not
/// throw, except in a job of Jobs::for_each().
///
/// Threads claim tasks one by one. The caller does the tasks that no other thread has begun, so a job never waits for a
/// thread that comes late. A thread without tasks spins for a third of a millisecond, then sleeps.
class ThreadPool {
public:
    static constexpr int max_threads = 1024;  ///< of a pool

    /// A pool of `threads` threads, the caller included; less than 1 counts as 1, more than max_threads as max_threads.
    /// Throws std::system_error, and leaves no thread behind, if the system cannot start so many.
    explicit ThreadPool(int threads);
    ~ThreadPool();  ///< ends its threads
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Jobs that run on this pool, valid as long as the pool.
    Jobs jobs();

private:
    class Threads;
    std::unique_ptr<Threads> threads_;
};

}  // namespace talus
