#pragma once
/// Threads for `Jobs`, for hosts without a job system of their own.

#include <talus/jobs.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace talus {

/// Threads that wait for tasks. The caller of a job works, too, so a pool of n runs n - 1 threads of its own. One job at a time: from one
/// thread, and no task may start another.
class ThreadPool {
public:
    explicit ThreadPool(int threads) {
        for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    }
    ~ThreadPool() {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Valid as long as the pool.
    Jobs jobs() {
        return {static_cast<int>(workers_.size()) + 1,
                [](void* host, int count, Jobs::Task task, void* data) {
                    static_cast<ThreadPool*>(host)->run(count, task, data);
                },
                this};
    }

private:
    void run(int count, Jobs::Task task, void* data) {
        std::unique_lock lock(mutex_);
        task_ = task;
        data_ = data;
        next_ = 0;
        count_ = count;
        left_ = count;
        ready_ = true;
        wake_.notify_all();
        help(lock);
        lock.unlock();
        spin_while([this] { return left_ != 0; });
        lock.lock();
        done_.wait(lock, [this] { return left_ == 0; });
    }
    // Takes tasks until none is left to start. Tasks are large, so a lock for each costs nothing.
    void help(std::unique_lock<std::mutex>& lock) {
        while (next_ < count_) {
            const int index = next_++;
            ready_ = next_ < count_;
            lock.unlock();
            task_(data_, index);
            lock.lock();
            if (--left_ == 0) done_.notify_one();
        }
    }
    void work() {
        while (true) {
            spin_while([this] { return !ready_; });
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return closing_ || next_ < count_; });
            if (closing_) return;
            help(lock);
        }
    }
    // One job follows the other within some microseconds, and waking a thread takes longer than that.
    template <class Condition>
    static void spin_while(Condition&& condition) {
        constexpr int spins = 2000;  // about 100 us
        for (int i = 0; i < spins && condition(); ++i) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#else
            std::this_thread::yield();
#endif
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    Jobs::Task task_ = nullptr;
    void* data_ = nullptr;
    int next_ = 0, count_ = 0;
    std::atomic<int> left_ = 0;        // tasks that have not returned
    std::atomic<bool> ready_ = false;  // a task waits to be started; a hint for who spins
    bool closing_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace talus
