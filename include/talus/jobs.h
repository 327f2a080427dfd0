#pragma once
/// Work on several threads: the host's job system behind one function, or a `ThreadPool` (thread_pool.h).
///
/// What Talus hands out is cut by `threads` alone and put together in a fixed order, so results do not depend on who
/// runs what when, nor on how many threads there are.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>

namespace talus {

/// Something that runs tasks. The default runs them here and now.
struct Jobs {
    using Task = void (*)(void* data, int index);

    int threads = 1;  ///< into how many tasks work is cut at most, at least 1
    /// Calls task(data, i) once for each i from 0 to count - 1, in any order, on any threads; returns when all have
    /// returned. Null: one after the other. Must not throw.
    void (*run)(void* host, int count, Task task, void* data) = nullptr;
    void* host = nullptr;
    /// Whether each step uses all threads. Otherwise it uses fewer for a while when the system put some of them aside
    /// for other programs, because the step then waits for them longer than they save.
    bool all_threads = false;

    /// Calls f(i) for each i from 0 to count - 1. If calls throw, one of their exceptions is thrown here, when all
    /// tasks have returned; calls that have not begun by then are left out. So `run` never sees a task that throws.
    template <class F>
    void for_each(int count, F&& f) const {
        if (run == nullptr || count == 1) {
            for (int i = 0; i < count; ++i) f(i);
            return;
        }
        struct Call {
            std::remove_reference_t<F>& f;
            std::atomic<bool> failed{false};
            std::exception_ptr exception{};
        } call{f};
        run(
            host, count,
            [](void* data, int index) {
                Call& whole = *static_cast<Call*>(data);
                if (whole.failed.load(std::memory_order_relaxed)) return;
                try {
                    whole.f(index);
                } catch (...) {
                    if (!whole.failed.exchange(true)) whole.exception = std::current_exception();
                }
            },
            &call);
        if (call.exception) std::rethrow_exception(call.exception);
    }

    /// How many tasks to cut so many items into, when fewer than `least` items are not worth a task.
    int tasks_for(std::size_t items, std::size_t least) const {
        if (run == nullptr) return 1;
        return static_cast<int>(
            std::clamp(items / least, std::size_t{1}, static_cast<std::size_t>(std::max(threads, 1))));
    }

    /// Calls f(first, last) for runs that make up 0 .. items, no run shorter than `least` unless it is the only one.
    template <class F>
    void for_each_run(std::size_t items, std::size_t least, F&& f) const {
        const auto tasks = static_cast<std::size_t>(tasks_for(items, least));
        for_each(static_cast<int>(tasks), [&](int i) {
            const auto k = static_cast<std::size_t>(i);
            f(items * k / tasks, items * (k + 1) / tasks);
        });
    }
};

}  // namespace talus
