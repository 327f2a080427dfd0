#include <talus/thread_pool.h>

#include "common/thread_clock.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace talus {

class ThreadPool::Threads {
public:
    explicit Threads(int threads)
        : worker_count_(std::clamp(threads, 1, max_threads) - 1),
          workers_(std::make_unique<Worker[]>(index(worker_count_))) {
        try {
            for (int i = 0; i < worker_count_; ++i) workers_[index(i)].thread = std::thread([this, i] { work(i); });
        } catch (...) {
            close();
            throw;
        }
    }
    ~Threads() { close(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    int count() const { return worker_count_ + 1; }

    void run(int count, Jobs::Task task, void* data) {
        for (int first = 0; first < count; first += most_tasks)
            run_some(first, std::min(count - first, most_tasks), task, data);
    }

private:
    // Not std::atomic::wait() and notify: where the system has no futex (MinGW), libstdc++ 12 checks the value before
    // it locks its mutex and notifies without locking it. So a thread that is just falling asleep may miss its waking
    // call.
    struct alignas(64) Worker {
        std::thread thread;
        std::atomic<bool> asleep{false};
        std::mutex mutex;
        std::condition_variable wake;
    };

    // The job in one word, so that a thread that takes a task knows that its job is still under way: the number of the
    // job, the number of its tasks, and how many of them have been taken.
    static constexpr std::uint64_t one_job = 1ull << 32, one_of_count = 1ull << 16, low_half = 0xffff;
    static constexpr std::uint64_t closing = ~0ull;
    static constexpr int most_tasks = low_half - 1;
    static int count_of(std::uint64_t offer) { return static_cast<int>((offer >> 16) & low_half); }
    static bool has_task(std::uint64_t offer) { return static_cast<int>(offer & low_half) < count_of(offer); }
    // Only as many threads come as there are tasks, the first ones; the others sleep on.
    static bool concerns(std::uint64_t offer, int worker) {
        return offer == closing || (has_task(offer) && count_of(offer) > worker + 1);
    }
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    void run_some(int first, int count, Jobs::Task task, void* data) {
        task_ = task;
        data_ = data;
        first_ = first;
        left_.store(count, std::memory_order_relaxed);
        number_ += one_job;
        make_offer(number_ + static_cast<std::uint64_t>(count) * one_of_count);
        help();
        const auto is_left = [this] { return left_.load() != 0; };
        spin_while(is_left, 50000);  // not longer: the caller may keep the system from running the thread it waits for
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
            Worker& worker = workers_[index(i)];
            if (!concerns(offer, i) || !worker.asleep.load()) continue;
            const std::lock_guard lock(worker.mutex);
            worker.asleep.store(false);
            worker.wake.notify_one();
        }
    }
    // Takes tasks until all of them are taken.
    void help() {
        std::uint64_t offer = offer_.load(std::memory_order_acquire);
        while (offer != closing && has_task(offer)) {
            if (!offer_.compare_exchange_weak(offer, offer + 1, std::memory_order_acq_rel)) continue;
            task_(data_, first_ + static_cast<int>(offer & low_half));
            if (left_.fetch_sub(1) == 1 && caller_sleeps_.load()) {
                const std::lock_guard lock(mutex_);
                all_done_.notify_one();
            }
            offer = offer_.load(std::memory_order_acquire);
        }
    }
    void work(int number) {
        Worker& worker = workers_[index(number)];
        const auto is_idle = [&] { return !concerns(offer_.load(), number); };
        while (true) {
            // The next job comes within 10 to 100 microseconds, and waking a thread takes about 10.
            spin_while(is_idle, 300000);
            if (is_idle()) {
                std::unique_lock lock(worker.mutex);
                worker.asleep.store(true);
                if (is_idle()) {  // else the offer came before this thread said that it sleeps
                    worker.wake.wait(lock, [&] { return !worker.asleep.load(); });
                }
                worker.asleep.store(false);
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
        constexpr int spins = 64;  // between two reads of the clock: about a microsecond
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
    int first_ = 0;  // the task index of the offer's first task
    std::uint64_t number_ = 0;
    alignas(64) std::atomic<std::uint64_t> offer_{0};
    alignas(64) std::atomic<int> left_{0};  // tasks that have not returned
    std::atomic<bool> caller_sleeps_{false};
    std::mutex mutex_;
    std::condition_variable all_done_;
    int worker_count_;
    std::unique_ptr<Worker[]> workers_;
};

ThreadPool::ThreadPool(int threads) : threads_(std::make_unique<Threads>(threads)) {}
ThreadPool::~ThreadPool() = default;

Jobs ThreadPool::jobs() {
    return {
        threads_->count(),
        [](void* host, int count, Jobs::Task task, void* data) { static_cast<Threads*>(host)->run(count, task, data); },
        threads_.get()};
}

}  // namespace talus
