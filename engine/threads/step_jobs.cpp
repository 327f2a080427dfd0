#include "engine/threads/step_jobs.h"

#include <algorithm>

namespace talus {

Jobs StepJobs::begin(const Jobs& host) {
    timed_ = alone_ = resting_ = false;
    waited_ = lost_ = 0;
    host_ = host;
    host_.threads = std::min(host.threads, most_threads);
    if (host.run == nullptr || host_.threads <= 1 || host.all_threads) return host;
    threads_ = size_.threads(host_.threads);
    resting_ = threads_ == 1;
    if (resting_) return {};
    Jobs jobs;
    jobs.threads = threads_;
    jobs.host = this;
    jobs.run = [](void* self, int count, Jobs::Task task, void* data) {
        static_cast<StepJobs*>(self)->run(count, task, data);
    };
    return jobs;
}

void StepJobs::end() {
    if (resting_) {
        size_.note(host_.threads, 1.0, 0.0);
    } else if (timed_) {
        const std::int64_t wall = wall_clock_ns() - wall_, now = ThreadClock::of_this_thread().now();
        // Interruptions of the caller count, too: spinning threads may have caused them.
        const bool known =
            now != ThreadClock::unknown && cpu_ != ThreadClock::unknown && timed_thread_ == std::this_thread::get_id();
        const std::int64_t preempted = known ? std::max(wall - (now - cpu_) - waited_, std::int64_t{0}) : lost_;
        size_.note(host_.threads, static_cast<double>(std::max(wall - preempted, std::int64_t{1})),
                   static_cast<double>(preempted));
    }
}

void StepJobs::run(int count, Jobs::Task task, void* data) {
    if (alone_) {
        for (int i = 0; i < count; ++i) task(data, i);
        return;
    }
    if (!timed_) {
        timed_ = true;
        wall_ = wall_clock_ns();
        cpu_ = ThreadClock::of_this_thread().now();
        timed_thread_ = std::this_thread::get_id();
    }
    task_ = task;
    data_ = data;
    count_ = count;
    caller_ = std::this_thread::get_id();
    members_in_call_ = std::min(count, threads_);
    left_waiting_ = Wait::long_task;  // stays so if the host lets the caller sleep during the whole call
    left_ = wall_clock_ns();
    next_.store(0, std::memory_order_relaxed);
    host_.run(
        host_.host, members_in_call_, [](void* self, int member) { static_cast<StepJobs*>(self)->work(member); }, this);
    if (left_waiting_ == Wait::long_task) waited_ += wall_clock_ns() - left_;
    if (left_waiting_ == Wait::preempted) lost_ += wall_clock_ns() - left_;
    alone_ = left_waiting_ == Wait::preempted;
}

void StepJobs::work(int index) {
    Member& member = members_[static_cast<std::size_t>(index)];
    member.clock.store(ThreadClock::of_this_thread(), std::memory_order_relaxed);
    member.works.store(true, std::memory_order_relaxed);
    for (int i = next_.fetch_add(1, std::memory_order_acq_rel); i < count_;
         i = next_.fetch_add(1, std::memory_order_acq_rel))
        task_(data_, i);
    member.works.store(false, std::memory_order_release);
    if (std::this_thread::get_id() != caller_) return;
    left_waiting_ = left_waiting_ == Wait::preempted ? Wait::preempted : wait_for_others();
    left_ = wall_clock_ns();
}

StepJobs::Wait StepJobs::wait_for_others() {
    constexpr int spins_per_look = 800;  // some 20 us
    constexpr int most_looks = 50;       // after that the host waits, which may let the thread sleep
    ThreadWatch watch;
    for (int spins = 0, looks = 0; looks < most_looks; ++spins) {
        bool any = false;
        for (int i = 0; i < members_in_call_ && !any; ++i)
            any = members_[static_cast<std::size_t>(i)].works.load(std::memory_order_acquire);
        if (!any) return Wait::none;
        pause_briefly();
        if (spins % spins_per_look != spins_per_look - 1) continue;
        ++looks;
        const bool preempted = watch.finds_preempted(members_in_call_, [this](int i) {
            const Member& member = members_[static_cast<std::size_t>(i)];
            return member.works.load(std::memory_order_relaxed) ? member.clock.load(std::memory_order_relaxed)
                                                                : ThreadClock();
        });
        if (preempted) return Wait::preempted;
    }
    return Wait::long_task;
}

}  // namespace talus
