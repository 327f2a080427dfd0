#include "samples/job_systems/fiber_scheduler.h"

#include "samples/job_systems/fiber_stack.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace talus::samples {

struct FiberScheduler::Fiber {
    explicit Fiber(FiberScheduler& owner) : Fiber(owner, reinterpret_cast<std::uintptr_t>(this)) {}
    // makecontext passes int arguments only, so the address is passed in two halves.
    Fiber(FiberScheduler& owner, std::uint64_t address)
        : scheduler(owner),
          memory(owner.stack_size_),
          stack(memory, fiber_main, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address)) {}

    FiberScheduler& scheduler;
    StackMemory memory;
    SavedStack stack;
    Job job;
    Worker* worker = nullptr;      // on which it runs, or ran last
    Counter* waits_for = nullptr;  // why it was left; null: its job has returned
};

struct FiberScheduler::Worker {
    SavedStack* stack = nullptr;  // the thread's own stack
    Fiber* running = nullptr;
    std::thread thread;
};

namespace {

/// The worker of this thread; null on other threads. A job may continue on another thread after it has waited, so code that
/// runs on a fiber must not keep the address of a thread_local variable across a wait. A compiler does that if it sees
/// two uses in one function, so there is only one use in a function that is not inlined.
thread_local void* worker_of_thread = nullptr;

[[gnu::noinline]] void* this_worker() {
    asm volatile("" ::: "memory");  // not a pure function: calls are not merged
    return worker_of_thread;
}

}  // namespace

FiberScheduler::FiberScheduler(int workers, std::size_t stack_size) : stack_size_(stack_size) {
    workers_.resize(static_cast<std::size_t>(workers));
    try {
        for (std::unique_ptr<Worker>& worker : workers_) {
            worker = std::make_unique<Worker>();
            worker->thread = std::thread([this, w = worker.get()] { work(*w); });
        }
    } catch (...) {
        close();
        throw;
    }
}

FiberScheduler::~FiberScheduler() { close(); }

void FiberScheduler::close() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    work_.notify_all();
    for (const std::unique_ptr<Worker>& worker : workers_) {
        if (worker && worker->thread.joinable()) worker->thread.join();
    }
}

void FiberScheduler::start(std::span<const std::function<void()>> jobs, Counter& counter, Priority priority) {
    {
        const std::lock_guard lock(mutex_);
        counter.left_ += static_cast<int>(jobs.size());
        for (const std::function<void()>& job : jobs)
            queues_[static_cast<std::size_t>(priority)].push_back({job, &counter});
    }
    if (jobs.size() == 1) {
        work_.notify_one();
    } else {
        work_.notify_all();
    }
}

void FiberScheduler::wait_for(Counter& counter) {
    const auto* const worker = static_cast<const Worker*>(this_worker());
    std::unique_lock lock(mutex_);
    if (worker == nullptr || &worker->running->scheduler != this) {
        counted_down_.wait(lock, [&] { return counter.left_ == 0; });
        return;
    }
    if (counter.left_ == 0) return;
    Fiber& fiber = *worker->running;
    ++parked_;
    lock.unlock();
    fiber.waits_for = &counter;
    leave(fiber);  // the worker parks the fiber, if the counter is not 0 by then
}

/// What a fiber runs: one job after the other. In between, the worker decides which fiber goes on.
void FiberScheduler::fiber_main(unsigned high, unsigned low) {
    Fiber& fiber = *reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low));
    fiber.stack.begin();
    while (true) {
        fiber.job.function();
        fiber.job.function = nullptr;
        fiber.scheduler.leave(fiber);
    }
}

/// Returns from the fiber to the worker that runs it.
void FiberScheduler::leave(Fiber& fiber) { fiber.stack.switch_to(*fiber.worker->stack); }

/// What a worker's thread runs: one fiber after the other, until it is parked or its job has returned.
void FiberScheduler::work(Worker& worker) {
    SavedStack own;
    worker.stack = &own;
    worker_of_thread = &worker;
    std::unique_lock lock(mutex_);
    while (true) {
        work_.wait(lock, [this] { return closing_ || has_work(); });
        if (!has_work()) return;
        Fiber& fiber = next_fiber();
        if (fiber.waits_for != nullptr && fiber.worker != &worker) ++changed_thread_;
        fiber.waits_for = nullptr;
        fiber.worker = &worker;
        worker.running = &fiber;
        lock.unlock();
        own.switch_to(fiber.stack);
        lock.lock();
        settle(fiber);
    }
}

bool FiberScheduler::has_work() const {
    for (const std::deque<Job>& queue : queues_) {
        if (!queue.empty()) return true;
    }
    return !ready_.empty();
}

/// Takes a fiber that can go on, or else a job, for which it finds or makes a fiber. There must be one of the two.
FiberScheduler::Fiber& FiberScheduler::next_fiber() {
    if (!ready_.empty()) {
        Fiber& fiber = *ready_.front();
        ready_.pop_front();
        return fiber;
    }
    if (free_.empty()) {
        fibers_.push_back(std::make_unique<Fiber>(*this));
        free_.push_back(fibers_.back().get());
    }
    Fiber& fiber = *free_.back();
    free_.pop_back();
    std::size_t priority = 0;
    while (queues_[priority].empty()) ++priority;
    fiber.job = std::move(queues_[priority].front());
    queues_[priority].pop_front();
    return fiber;
}

/// Puts a fiber that was left where it belongs. Only now are its registers saved, so that another worker may take it.
void FiberScheduler::settle(Fiber& fiber) {
    if (fiber.waits_for != nullptr) {
        if (fiber.waits_for->left_ != 0) {
            fiber.waits_for->waiting_.push_back(&fiber);
        } else {
            ready_.push_back(&fiber);
        }
        return;
    }
    Counter& counter = *fiber.job.counter;
    free_.push_back(&fiber);
    if (--counter.left_ != 0) return;
    ready_.insert(ready_.end(), counter.waiting_.begin(), counter.waiting_.end());
    counter.waiting_.clear();
    work_.notify_all();
    counted_down_.notify_all();
}

std::size_t FiberScheduler::fibers() const {
    const std::lock_guard lock(mutex_);
    return fibers_.size();
}

std::size_t FiberScheduler::parked() const {
    const std::lock_guard lock(mutex_);
    return parked_;
}

std::size_t FiberScheduler::changed_thread() const {
    const std::lock_guard lock(mutex_);
    return changed_thread_;
}

std::size_t FiberScheduler::largest_stack_use() const {
    const std::lock_guard lock(mutex_);
    std::size_t most = 0;
    for (const std::unique_ptr<Fiber>& fiber : fibers_) most = std::max(most, fiber->memory.used());
    return most;
}

}  // namespace talus::samples
