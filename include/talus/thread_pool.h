#pragma once
/// Threads for `Jobs`, for hosts without a job system of their own.

#include <talus/jobs.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace talus {

/// Threads that wait for tasks. The caller of a job works, too, so a pool of n runs n - 1 threads of its own. One job
/// at a time, of fewer than 65,536 tasks: from one thread, and no task may start another.
class ThreadPool {
public:
    explicit ThreadPool(int threads) {
        for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    }
    ~ThreadPool() {
        offer_.store(closing);
        offer_.notify_all();
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
    // What there is to do, in one word, so that who takes a task knows that its job is still under way: the job's
    // number, how many tasks it has, how many of them are taken.
    static constexpr std::uint64_t one_job = 1ull << 32, one_of_count = 1ull << 16, low_half = 0xffff;
    static constexpr std::uint64_t closing = ~0ull;
    static bool has_task(std::uint64_t offer) { return (offer & low_half) < ((offer >> 16) & low_half); }

    void run(int count, Jobs::Task task, void* data) {
        task_ = task;
        data_ = data;
        left_.store(count, std::memory_order_relaxed);
        number_ += one_job;
        offer_.store(number_ + static_cast<std::uint64_t>(count) * one_of_count);
        offer_.notify_all();
        help();
        spin_while([this] { return left_.load(std::memory_order_acquire) != 0; });
        for (int left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
    }
    /// Takes tasks until none is left to take.
    void help() {
        std::uint64_t offer = offer_.load(std::memory_order_acquire);
        while (offer != closing && has_task(offer)) {
            if (!offer_.compare_exchange_weak(offer, offer + 1, std::memory_order_acq_rel)) continue;
            task_(data_, static_cast<int>(offer & low_half));
            if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
            offer = offer_.load(std::memory_order_acquire);
        }
    }
    void work() {
        while (true) {
            const auto idle = [this] {
                const std::uint64_t offer = offer_.load(std::memory_order_acquire);
                return offer != closing && !has_task(offer);
            };
            spin_while(idle);
            const std::uint64_t offer = offer_.load();
            if (offer == closing) return;
            if (has_task(offer)) {
                help();
            } else {
                offer_.wait(offer);
            }
        }
    }
    // One job follows the other within some ten or hundred microseconds, and waking a thread takes some ten, too.
    template <class Condition>
    static void spin_while(Condition&& condition) {
        using Clock = std::chrono::steady_clock;
        constexpr std::chrono::microseconds patience(300);
        constexpr int spins = 64;  // between two looks at the clock: about a microsecond
        const Clock::time_point start = Clock::now();
        do {
            for (int i = 0; i < spins; ++i) {
                if (!condition()) return;
#if defined(__x86_64__)
                __builtin_ia32_pause();
#else
                std::this_thread::yield();
#endif
            }
        } while (Clock::now() - start < patience);
    }

    Jobs::Task task_ = nullptr;
    void* data_ = nullptr;
    std::uint64_t number_ = 0;
    alignas(64) std::atomic<std::uint64_t> offer_{0};
    alignas(64) std::atomic<int> left_{0};  ///< tasks that have not returned
    std::vector<std::thread> workers_;
};

}  // namespace talus
