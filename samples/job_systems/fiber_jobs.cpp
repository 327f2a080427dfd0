#include "samples/job_systems/fiber_jobs.h"

#include <functional>
#include <vector>

namespace talus::samples {

namespace {

/// Tasks of a step are short, and a step that has begun should end soon. So they come before the jobs that are still in
/// the queue, which may begin other steps.
void run(void* host, int count, Jobs::Task task, void* data) {
    FiberScheduler& scheduler = *static_cast<FiberScheduler*>(host);
    std::vector<std::function<void()>> jobs;
    for (int i = 1; i < count; ++i) jobs.emplace_back([=] { task(data, i); });
    FiberScheduler::Counter counter;
    scheduler.start(jobs, counter, FiberScheduler::Priority::high);
    if (count > 0) task(data, 0);  // here, instead of waiting at once
    scheduler.wait_for(counter);
}

}  // namespace

Jobs jobs_of(FiberScheduler& scheduler) { return {.threads = scheduler.workers(), .run = run, .host = &scheduler}; }

}  // namespace talus::samples
