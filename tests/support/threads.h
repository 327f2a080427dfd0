#pragma once
/// Threads of tests, also where none can be started: in WebAssembly, unless the program asks for them (-pthread).

#include <talus/thread_pool.h>

#include <doctest/doctest.h>

namespace talus::test {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
inline constexpr bool has_threads = false;
#else
inline constexpr bool has_threads = true;
#endif

/// A ThreadPool. Where no threads can be started, the calling thread does the tasks of all, one after the other.
class TestPool {
public:
    explicit TestPool(int threads) : threads_(threads), pool_(has_threads ? threads : 1) {}
    Jobs jobs() {
        Jobs jobs = pool_.jobs();
        jobs.threads = threads_;
        return jobs;
    }

private:
    int threads_;
    ThreadPool pool_;
};

/// For tests that need threads: returns whether there are none, and says so.
inline bool lacks_threads() {
    if (!has_threads) MESSAGE("skipped: no threads can be started here");
    return !has_threads;
}

}  // namespace talus::test
