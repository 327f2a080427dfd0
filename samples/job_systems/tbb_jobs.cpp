#include "samples/job_systems/tbb_jobs.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

namespace talus::samples {

namespace {

/// A thread that waits for the tasks of this call runs no other tasks meanwhile (isolate). Otherwise it could begin a
/// long job of the program, or the step of another world, and this step would have to wait for it.
void run(void* host, int count, Jobs::Task task, void* data) {
    const auto run_tasks = [&](const tbb::blocked_range<int>& range) {
        for (int i = range.begin(); i < range.end(); ++i) task(data, i);
    };
    static_cast<tbb::task_arena*>(host)->execute([&] {
        tbb::this_task_arena::isolate(
            [&] { tbb::parallel_for(tbb::blocked_range<int>(0, count, 1), run_tasks, tbb::simple_partitioner()); });
    });
}

}  // namespace

Jobs jobs_of(tbb::task_arena& arena) { return {.threads = arena.max_concurrency(), .run = run, .host = &arena}; }

}  // namespace talus::samples
