#pragma once
/// A job system on fibers, after Gyrling, "Parallelizing the Naughty Dog engine using fibers" (GDC 2015). It knows
/// nothing of Talus; fiber_jobs.h is the adapter.
///
/// A fiber is a stack of its own and the registers that were saved when it was left. Each job runs on a fiber. A job that
/// waits for other jobs parks its fiber, and its worker thread goes on with another fiber:
///
///     worker 0   [job A ...... wait_for] [job C] [job B ...]
///     worker 1   [job D ........................] [...... the rest of job A]
///
/// So no worker waits while there is a job to run, and a parked fiber may continue on another thread.
///
/// A job must not wait while it holds a mutex, because another thread may have to release it. It must not wait within a
/// catch block, because the C++ runtime keeps the exceptions that are being handled per thread.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace talus::samples {

class FiberScheduler {
    struct Fiber;
    struct Worker;

public:
    /// A worker takes the oldest job of the highest priority.
    enum class Priority { high, normal, low };

    /// The number of jobs that have not returned. A counter must outlive its jobs; waiting for it ensures that.
    class Counter {
        friend FiberScheduler;
        int left_ = 0;                 // guarded by the scheduler's mutex, as is waiting_
        std::vector<Fiber*> waiting_;  // parked until left_ is 0
    };

    /// The size of a fiber's stack in bytes. Below it is a page that must not be touched, so a stack that is too small
    /// ends the program instead of overwriting memory. Sanitizers need several times as much stack.
    static constexpr std::size_t usual_stack = 512 * 1024;

    explicit FiberScheduler(int workers, std::size_t stack_size = usual_stack);
    ~FiberScheduler();  ///< all jobs must have returned
    FiberScheduler(const FiberScheduler&) = delete;
    FiberScheduler& operator=(const FiberScheduler&) = delete;

    /// Starts jobs, from a job or from any other thread. A job must not throw.
    void start(std::span<const std::function<void()>> jobs, Counter& counter, Priority priority = Priority::normal);
    /// Returns when all jobs of the counter have returned. In a job it parks the fiber; any other thread sleeps.
    void wait_for(Counter& counter);

    int workers() const { return static_cast<int>(workers_.size()); }
    std::size_t fibers() const;          ///< made so far: one per job that was running or parked at the same time
    std::size_t parked() const;          ///< how often a job has waited
    std::size_t changed_thread() const;  ///< how often a job continued on another thread than before
    /// The largest number of bytes that a job has used of its fiber's stack. Call it when no job runs.
    std::size_t largest_stack_use() const;

private:
    struct Job {
        std::function<void()> function;
        Counter* counter = nullptr;
    };

    static void fiber_main(unsigned high, unsigned low);
    void work(Worker& worker);
    bool has_work() const;
    Fiber& next_fiber();
    static void leave(Fiber& fiber);
    void settle(Fiber& fiber);
    void close();

    const std::size_t stack_size_;
    mutable std::mutex mutex_;  // guards all that follows, and the counters
    std::condition_variable work_, counted_down_;
    std::array<std::deque<Job>, 3> queues_;  // by priority
    std::deque<Fiber*> ready_;               // parked, and their counters have reached 0
    std::vector<Fiber*> free_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::size_t parked_ = 0, changed_thread_ = 0;
    bool closing_ = false;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace talus::samples
