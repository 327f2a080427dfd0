#pragma once
/// The host's jobs, as one step uses them: on fewer threads while the system has put some of them aside for other
/// programs (team_size.h).
///
/// Tasks are claimed one by one, by as many threads as come: who comes late finds nothing left, and nobody waits for
/// him. The thread that called step() does what others leave, then waits for those that are still at work, and watches
/// whether they run. Once one does not, the rest of the step runs on the calling thread alone.

#include <talus/jobs.h>
#include "common/thread_clock.h"
#include "engine/world/team_size.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace talus {

class StepJobs {
public:
    StepJobs() = default;
    // A copied world learns by itself.
    StepJobs(const StepJobs&) {}
    StepJobs& operator=(const StepJobs&) { return *this; }

    /// What the step is to use until end().
    Jobs begin(const Jobs& host);
    void end();

private:
    /// A task of the host's: a thread that claims ours. Lines of their own, or threads would wait for each other's
    /// writes.
    struct alignas(64) Member {
        std::atomic<bool> works{false};
        std::atomic<ThreadClock> clock{};
    };

    static constexpr int most_threads = ThreadWatch::most_threads;

    enum class Wait : std::uint8_t { none, long_task, aside };

    void run(int count, Jobs::Task task, void* data);
    void work(int member);
    Wait wait_for_others();  ///< and what is left to wait for

    TeamSize size_;
    Jobs host_;
    int threads_ = 1;
    bool timed_ = false;       ///< this step had work for several threads
    bool alone_ = false;       ///< for the rest of the step
    bool resting_ = false;     ///< this step has one thread only, though the host has more
    std::int64_t wall_ = 0;    ///< when the step had such work for the first time, ns
    std::int64_t cpu_ = 0;     ///< processor time of the calling thread then
    std::int64_t waited_ = 0;  ///< time in which the host let the calling thread sleep while others ran, ns
    std::int64_t lost_ = 0;    ///< ... while others were put aside, ns

    // Of the call in progress.
    Jobs::Task task_ = nullptr;
    void* data_ = nullptr;
    int count_ = 0, members_in_call_ = 0;
    std::thread::id caller_;
    std::int64_t left_ = 0;           ///< when the caller had nothing more to do, ns
    Wait left_waiting_ = Wait::none;  ///< ... and what for the host had to wait then
    alignas(64) std::atomic<int> next_{0};
    std::array<Member, most_threads> members_;
};

}  // namespace talus
