#pragma once
/// Threads for `Jobs`, for hosts without a job system of their own.

#include <talus/jobs.h>
#include <talus/thread_clock.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace talus {

/// Threads that wait for tasks. The caller of a job works, too, so a pool of n runs n - 1 threads of its own. One job
/// at a time, of fewer than 65,536 tasks: from one thread, and no task may start another. Tasks must not throw; those of
/// Jobs::for_each() may.
///
/// Tasks are claimed: the caller does whatever no other thread has begun, so a job never waits for a thread that comes
/// late. Threads that have nothing to do spin for a third of a millisecond, then sleep.
class ThreadPool {
public:
    /// Throws std::system_error, and leaves no thread behind, if the system has no more threads to give.
    explicit ThreadPool(int threads)
        : worker_count_(threads > 1 ? threads - 1 : 0), workers_(std::make_unique<Worker[]>(worker_count())) {
        try {
            for (int i = 0; i < worker_count_; ++i) workers_[index(i)].thread = std::thread([this, i] { work(i); });
        } catch (...) {
            close();
            throw;
        }
    }
    ~ThreadPool() { close(); }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Valid as long as the pool.
    Jobs jobs() {
        return {worker_count_ + 1,
                [](void* host, int count, Jobs::Task task, void* data) {
                    static_cast<ThreadPool*>(host)->run(count, task, data);
                },
                this};
    }

private:
    struct alignas(64) Worker {
        std::thread thread;
        std::atomic<int> asleep{0};
    };

    // What there is to do, in one word, so that who takes a task knows that its job is still under way: the job's
    // number, how many tasks it has, how many of them are taken.
    static constexpr std::uint64_t one_job = 1ull << 32, one_of_count = 1ull << 16, low_half = 0xffff;
    static constexpr std::uint64_t closing = ~0ull;
    static int count_of(std::uint64_t offer) { return static_cast<int>((offer >> 16) & low_half); }
    static bool has_task(std::uint64_t offer) { return static_cast<int>(offer & low_half) < count_of(offer); }
    /// Only as many threads come as there are tasks, the first ones: the others sleep on.
    static bool concerns(std::uint64_t offer, int worker) {
        return offer == closing || (has_task(offer) && count_of(offer) > worker + 1);
    }

    std::size_t worker_count() const { return static_cast<std::size_t>(worker_count_); }
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    void run(int count, Jobs::Task task, void* data) {
        task_ = task;
        data_ = data;
        left_.store(count, std::memory_order_relaxed);
        number_ += one_job;
        make_offer(number_ + static_cast<std::uint64_t>(count) * one_of_count);
        help();
        const auto is_left = [this] { return left_.load() != 0; };
        spin_while(is_left, 50000);  // the caller may keep from running the very thread that it waits for
        if (!is_left()) return;
        // Not by left_.wait(): before it sleeps, it may give the processor to another program for some milliseconds.
        std::unique_lock lock(mutex_);
        caller_sleeps_.store(true);
        all_done_.wait(lock, [&] { return !is_left(); });
        caller_sleeps_.store(false);
    }
    void make_offer(std::uint64_t offer) {
        offer_.store(offer);
        for (int i = 0; i < worker_count_; ++i) {
            std::atomic<int>& asleep = workers_[index(i)].asleep;
            if (concerns(offer, i) && asleep.load() != 0 && asleep.exchange(0) != 0) asleep.notify_one();
        }
    }
    /// Takes tasks until none is left to take.
    void help() {
        std::uint64_t offer = offer_.load(std::memory_order_acquire);
        while (offer != closing && has_task(offer)) {
            if (!offer_.compare_exchange_weak(offer, offer + 1, std::memory_order_acq_rel)) continue;
            task_(data_, static_cast<int>(offer & low_half));
            if (left_.fetch_sub(1) == 1 && caller_sleeps_.load()) {
                const std::lock_guard lock(mutex_);
                all_done_.notify_one();
            }
            offer = offer_.load(std::memory_order_acquire);
        }
    }
    void work(int worker) {
        std::atomic<int>& asleep = workers_[index(worker)].asleep;
        const auto is_idle = [&] { return !concerns(offer_.load(std::memory_order_acquire), worker); };
        while (true) {
            // One job follows the other within some ten or hundred microseconds, and waking a thread takes some ten, too.
            spin_while(is_idle, 300000);
            if (is_idle()) {
                asleep.store(1);
                if (!is_idle()) asleep.store(0);  // the offer came before this thread said that it sleeps
                asleep.wait(1);
            } else if (offer_.load() == closing) {
                return;
            } else {
                help();
            }
        }
    }
    void close() {
        make_offer(closing);
        for (int i = 0; i < worker_count_; ++i) {
            if (workers_[index(i)].thread.joinable()) workers_[index(i)].thread.join();
        }
    }
    template <class Condition>
    static void spin_while(Condition&& condition, std::int64_t ns) {
        constexpr int spins = 64;  // between two looks at the clock: about a microsecond
        const std::int64_t start = wall_clock_ns();
        do {
            for (int i = 0; i < spins; ++i) {
                if (!condition()) return;
                pause_briefly();
            }
        } while (wall_clock_ns() - start < ns);
    }

    Jobs::Task task_ = nullptr;
    void* data_ = nullptr;
    std::uint64_t number_ = 0;
    alignas(64) std::atomic<std::uint64_t> offer_{0};
    alignas(64) std::atomic<int> left_{0};  ///< tasks that have not returned
    std::atomic<bool> caller_sleeps_{false};
    std::mutex mutex_;
    std::condition_variable all_done_;
    int worker_count_;
    std::unique_ptr<Worker[]> workers_;
};

}  // namespace talus
