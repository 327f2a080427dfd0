#pragma once
/// How a thread sleeps until another one wakes it.

#include <atomic>

#if !defined(__wasm__)
#include <condition_variable>
#include <mutex>
#endif

namespace talus {

/// Lets one thread sleep until another one wakes it. A call of wake() while the thread is just falling asleep is not
/// lost, if what `idle` reads has changed before wake() is called, and both sides use sequentially consistent
/// operations.
///
/// Not std::atomic::wait(): where the system has no futex (MinGW), libstdc++ 12 checks the value before it locks its
/// mutex and notifies without locking it, so a thread may miss its call; and before it sleeps, it may give the
/// processor to another program for some milliseconds.
class Sleeper {
public:
    /// Sleeps until wake(), unless idle() is false.
    template <class Idle>
    void sleep_while(Idle&& idle) {
#if defined(__wasm__)
        asleep_.store(1);
        // One instruction compares the word and sleeps, so wake() comes before both or after both.
        while (idle() && asleep_.load() == 1) wait();
        asleep_.store(0);
#else
        std::unique_lock lock(mutex_);
        asleep_.store(true);
        if (idle()) called_.wait(lock, [this] { return !asleep_.load(); });
        asleep_.store(false);
#endif
    }

    /// Ends the sleep of the thread, if it sleeps.
    void wake() {
        if (!asleep_.load()) return;
#if defined(__wasm__)
        asleep_.store(0);
        notify();
#else
        const std::lock_guard lock(mutex_);
        asleep_.store(false);
        called_.notify_one();
#endif
    }

private:
#if defined(__wasm__)
    // A library of one thread is compiled without these instructions.
    void wait() {
#if defined(__wasm_atomics__)
        __builtin_wasm_memory_atomic_wait32(word(), 1, -1);
#endif
    }
    void notify() {
#if defined(__wasm_atomics__)
        __builtin_wasm_memory_atomic_notify(word(), 1);
#endif
    }
    int* word() { return reinterpret_cast<int*>(&asleep_); }

    std::atomic<int> asleep_{0};
    static_assert(sizeof(std::atomic<int>) == sizeof(int));
#else
    std::atomic<bool> asleep_{false};
    std::mutex mutex_;
    std::condition_variable called_;
#endif
};

}  // namespace talus
