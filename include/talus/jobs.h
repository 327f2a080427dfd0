#pragma once
/// Work on several threads: the host's job system behind one function, or a `ThreadPool`.
///
/// What Talus hands out is cut by `threads` alone and put together in a fixed order, so results do not depend on who runs what when, nor
/// on how many threads there are.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace talus {

/// Something that runs tasks. The default runs them here and now.
struct Jobs {
    using Task = void (*)(void* data, int index);

    int threads = 1;  ///< into how many tasks work is cut at most, at least 1
    /// Calls task(data, i) once for each i from 0 to count - 1, in any order, on any threads; returns when all have returned. Null: one
    /// after the other. Must not throw.
    void (*run)(void* host, int count, Task task, void* data) = nullptr;
    void* host = nullptr;

    /// Calls f(i) for each i from 0 to count - 1.
    template <class F>
    void for_each(int count, F&& f) const {
        if (run == nullptr || count == 1) {
            for (int i = 0; i < count; ++i) f(i);
            return;
        }
        run(
            host, count, [](void* data, int index) { (*static_cast<std::remove_reference_t<F>*>(data))(index); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))));
    }

    /// How many tasks to cut so many items into, when fewer than `least` items are not worth a task.
    int tasks_for(std::size_t items, std::size_t least) const {
        const std::size_t most = items / least;
        return most < 2 || run == nullptr
                   ? 1
                   : static_cast<int>(most < static_cast<std::size_t>(threads) ? most
                                                                               : static_cast<std::size_t>(threads));
    }
};

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
