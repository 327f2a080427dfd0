#pragma once
/// Work on several threads, by the host's job system or by a `ThreadPool` (thread_pool.h).
///
/// Talus divides its work by `threads` alone and combines the results in a fixed order. So results do not depend on
/// which thread runs what and when, nor on the number of threads.

#include <atomic>
#include <cstddef>
#include <exception>
#include <type_traits>

namespace talus {

/// A job system. The default one runs all tasks on the calling thread.
struct Jobs {
    /// A task: it gets the data of the job and its own index.
    using Task = void (*)(void* data, int index);

    int threads = 1;  ///< work is divided into at most this many tasks; World::step() refuses less than 1
    /// Calls task(data, i) once for each i from 0 to count - 1, in any order, on any threads, and returns when all
    /// calls have returned. Must not throw. If it is null, the calling thread makes the calls in order.
    void (*run)(void* host, int count, Task task, void* data) = nullptr;
    void* host = nullptr;  ///< passed to `run`
    /// Whether each step uses all threads. Otherwise a step uses fewer threads for a while after the system has
    /// preempted some of them for other programs, because waiting for those costs more than they save.
    bool all_threads = false;
    /// For measurements: World::step() does the tasks of all threads (at most 64) on the calling thread, without `run`, and
    /// FrameProfile::span says how long it would have taken with a processor for each of them.
    bool simulate = false;

    /// Calls f(i) for each i from 0 to count - 1. If a call throws, calls that have not begun are left out, and when
    /// all others have returned, one of the exceptions is thrown here. So `run` never sees a task that throws.
    template <class F>
    void for_each(int count, F&& f) const {
        if (run == nullptr || count <= 1) {
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

    /// Returns the number of tasks for so many items: at least 1, at most `threads`, and no more than give each task
    /// `least` items.
    int tasks_for(std::size_t items, std::size_t least) const {
        if (run == nullptr || threads <= 1) return 1;
        const std::size_t tasks = items / (least > 0 ? least : 1), most = static_cast<std::size_t>(threads);
        return static_cast<int>(tasks < 1 ? 1 : tasks < most ? tasks : most);
    }

    /// Calls f(first, last) for runs of items that together are 0 to `items`. No run is shorter than `least`, except if
    /// it is the only one.
    template <class F>
    void for_each_run(std::size_t items, std::size_t least, F&& f) const {
        const auto tasks = static_cast<std::size_t>(tasks_for(items, least));
        for_each_part(items, tasks, [&](std::size_t, std::size_t first, std::size_t last) { f(first, last); });
    }

    /// Calls f(k, first, last) for each k from 0 to parts - 1: part k of items 0 to `items` has the items first to
    /// last - 1. Where each part has results of its own, k says where they go.
    template <class F>
    void for_each_part(std::size_t items, std::size_t parts, F&& f) const {
        for_each(static_cast<int>(parts), [&](int i) {
            const auto k = static_cast<std::size_t>(i);
            f(k, items * k / parts, items * (k + 1) / parts);
        });
    }
};

}  // namespace talus
