#pragma once
/// The host's job system, as one step uses it: with fewer threads while the system preempts some of them for other
/// programs (team_size.h).
///
/// Threads claim tasks one by one. A thread that arrives late finds no task left, and nobody waits for it. The thread
/// that called step() does tasks until none is left, then waits for the threads that are still working, and watches
/// whether they run. When one of them does not run, the rest of the step is done by the calling thread alone.

#include <talus/jobs.h>
#include "common/thread_clock.h"
#include "engine/threads/team_size.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace talus {

class StepJobs {
public:
    StepJobs() = default;
    // A copied world begins with all threads.
    StepJobs(const StepJobs&) {}
    StepJobs& operator=(const StepJobs&) { return *this; }

    /// Returns the job system that the step must use until end(). `host` is the user's.
    Jobs begin(const Jobs& host);
    void end();

private:
    /// A task of the host: it claims tasks of the step. It has a cache line of its own, because threads would otherwise
    /// wait for each other's writes.
    struct alignas(64) Member {
        std::atomic<bool> works{false};
        std::atomic<ThreadClock> clock{};
    };

    static constexpr int most_threads = ThreadWatch::most_threads;

    enum class Wait : std::uint8_t { none, long_task, preempted };

    void run(int count, Jobs::Task task, void* data);
    void work(int member);
    Wait wait_for_others();  ///< returns what the host still has to wait for

    TeamSize size_;
    Jobs host_;
    int threads_ = 1;
    bool timed_ = false;            ///< this step had work for several threads
    bool alone_ = false;            ///< the calling thread does the rest of the step alone
    bool resting_ = false;          ///< this step has one thread only, though the host has more
    std::int64_t wall_ = 0;         ///< wall time when the step had work for several threads for the first time, ns
    std::int64_t cpu_ = 0;          ///< processor time of the calling thread at that moment, ns
    std::thread::id timed_thread_;  ///< the calling thread at that moment; on a host with fibers it may change
    std::int64_t waited_ = 0;       ///< time in which the host let the calling thread sleep while others ran, ns
    std::int64_t lost_ = 0;         ///< time in which it waited for preempted threads, ns

    // Of the call in progress.
    Jobs::Task task_ = nullptr;
    void* data_ = nullptr;
    int count_ = 0, members_in_call_ = 0;
    std::thread::id caller_;
    std::int64_t left_ = 0;           ///< wall time when the caller had nothing more to do, ns
    Wait left_waiting_ = Wait::none;  ///< what the host still had to wait for then
    alignas(64) std::atomic<int> next_{0};
    std::array<Member, most_threads> members_;
};

}  // namespace talus
