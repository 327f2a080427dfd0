#include "samples/job_systems/hosts.h"

#include "samples/job_systems/plain_pool_jobs.h"

#if defined(TALUS_WITH_TBB)
#include "samples/job_systems/tbb_host.h"
#endif
#if defined(TALUS_WITH_FIBERS)
#include "samples/job_systems/fiber_jobs.h"
#endif

#include <algorithm>
#include <latch>

namespace talus::samples {

namespace {

class SerialHost : public Host {
public:
    explicit SerialHost(int threads) : threads_(threads) {}
    Jobs jobs() override { return {.threads = threads_, .run = run}; }
    void run_jobs(std::span<const std::function<void()>> functions) override {
        for (const std::function<void()>& function : functions) function();
    }

private:
    static void run(void*, int count, Jobs::Task task, void* data) {
        for (int i = 0; i < count; ++i) task(data, i);
    }
    int threads_;
};

class PoolHost : public Host {
public:
    explicit PoolHost(int threads) : pool_(threads - 1) {}
    Jobs jobs() override { return jobs_of(pool_); }
    void run_jobs(std::span<const std::function<void()>> functions) override {
        std::latch returned(static_cast<std::ptrdiff_t>(functions.size()));
        for (const std::function<void()>& function : functions) {
            pool_.submit([&] {
                function();
                returned.count_down();
            });
        }
        returned.wait();
    }

private:
    PlainPool pool_;
};

#if defined(TALUS_WITH_FIBERS)
class FiberHost : public Host {
public:
    explicit FiberHost(int threads) : scheduler_(threads) {}
    Jobs jobs() override { return jobs_of(scheduler_); }
    void run_jobs(std::span<const std::function<void()>> functions) override {
        FiberScheduler::Counter counter;
        scheduler_.start(functions, counter);
        scheduler_.wait_for(counter);
    }
    std::string statistics() override {
        return std::to_string(scheduler_.fibers()) + " fibers; the fullest stack has " +
               std::to_string(scheduler_.largest_stack_use()) + " bytes; jobs waited " +
               std::to_string(scheduler_.parked()) + " times, and continued on another thread " +
               std::to_string(scheduler_.changed_thread()) + " times";
    }

private:
    FiberScheduler scheduler_;
};
#endif

constexpr std::string_view names[] = {
    "serial",
    "pool",
#if defined(TALUS_WITH_TBB)
    "tbb",
#endif
#if defined(TALUS_WITH_FIBERS)
    "fiber",
#endif
};

}  // namespace

std::span<const std::string_view> host_names() { return names; }

std::unique_ptr<Host> make_host(std::string_view name, int threads) {
#if defined(TALUS_WITH_TBB)
    if (name == "tbb") return make_tbb_host(threads);
#endif
#if defined(TALUS_WITH_FIBERS)
    if (name == "fiber") return std::make_unique<FiberHost>(threads);
#endif
    if (name == "serial") return std::make_unique<SerialHost>(threads);
    return name == "pool" ? std::make_unique<PoolHost>(threads) : nullptr;
}

void CountedJobs::run(void* self, int count, Jobs::Task task, void* data) {
    auto& owner = *static_cast<CountedJobs*>(self);
    Call call{owner, task, data, std::this_thread::get_id()};
    const auto run_counted = [](void* counted_call, int index) {
        const Call& of = *static_cast<Call*>(counted_call);
        ++of.owner.tasks_;
        if (std::this_thread::get_id() != of.caller) ++of.owner.elsewhere_;
        of.task(of.data, index);
    };
    if (owner.counted_.run != nullptr) {
        owner.counted_.run(owner.counted_.host, count, run_counted, &call);
    } else {
        for (int i = 0; i < count; ++i) run_counted(&call, i);
    }
}

}  // namespace talus::samples
