#include "samples/job_systems/plain_pool_jobs.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace talus::samples {

namespace {

/// The tasks of one call. Threads claim them one by one.
class TaskList {
public:
    TaskList(int count, Jobs::Task task, void* data) : count_(count), task_(task), data_(data) {}

    /// Runs tasks until all have been claimed.
    void help() {
        int done = 0;
        for (int i = next_++; i < count_; i = next_++, ++done) task_(data_, i);
        if (done == 0) return;
        const std::lock_guard lock(mutex_);
        done_ += done;
        if (done_ == count_) all_done_.notify_one();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        all_done_.wait(lock, [this] { return done_ >= count_; });
    }

private:
    const int count_;
    const Jobs::Task task_;
    void* const data_;
    std::atomic<int> next_{0};
    std::mutex mutex_;
    std::condition_variable all_done_;
    int done_ = 0;
};

/// The calling thread works, too, and does all tasks that no other thread has claimed. So the call returns even if all
/// threads of the pool are busy, and it may come from one of them. A thread of the pool that comes when the call is over
/// finds no task left; the list lives until then.
void run(void* host, int count, Jobs::Task task, void* data) {
    PlainPool& pool = *static_cast<PlainPool*>(host);
    const auto list = std::make_shared<TaskList>(count, task, data);
    for (int i = 1; i < count; ++i) pool.submit([list] { list->help(); });
    list->help();
    list->wait();
}

}  // namespace

Jobs jobs_of(PlainPool& pool) { return {.threads = pool.workers() + 1, .run = run, .host = &pool}; }

}  // namespace talus::samples
