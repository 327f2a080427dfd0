#pragma once
/// The job systems of this folder behind one interface, for the program and the tests that compare them.

#include <talus/jobs.h>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>

namespace talus::samples {

/// A job system, and Talus's jobs on it.
class Host {
public:
    virtual ~Host() = default;
    virtual Jobs jobs() = 0;
    /// Runs the functions as jobs of the system, at the same time if it has enough workers. Returns when all have
    /// returned. They must not throw.
    virtual void run_jobs(std::span<const std::function<void()>> functions) = 0;
    /// A line about what the system did so far; empty if there is nothing to say.
    virtual std::string statistics() { return {}; }
};

/// The names of the systems that were built: "serial", which runs all tasks one after the other on the calling thread,
/// as busy hosts may do; "pool"; "tbb", if oneTBB was installed; "fiber", on systems with ucontext.
std::span<const std::string_view> host_names();

/// Makes the system of this name, which must be one of host_names(), with `threads` threads, 2 or more. In the pool, one
/// of them is the thread that steps the world.
std::unique_ptr<Host> make_host(std::string_view name, int threads);

/// Jobs that count their tasks.
class CountedJobs {
public:
    explicit CountedJobs(const Jobs& counted) : counted_(counted) {}
    CountedJobs(const CountedJobs&) = delete;
    CountedJobs& operator=(const CountedJobs&) = delete;

    Jobs jobs() { return {counted_.threads, run, this, counted_.all_threads}; }
    long tasks() const { return tasks_; }
    long elsewhere() const { return elsewhere_; }  ///< tasks that ran on another thread than the one that called `run`

private:
    struct Call {
        CountedJobs& owner;
        Jobs::Task task;
        void* data;
        std::thread::id caller;
    };
    static void run(void* self, int count, Jobs::Task task, void* data);

    Jobs counted_;
    std::atomic<long> tasks_{0}, elsewhere_{0};
};

}  // namespace talus::samples
