#pragma once
/// Talus on an arena of oneTBB.

#include <talus/jobs.h>

#include <tbb/task_arena.h>

namespace talus::samples {

/// Jobs that run in the arena, on as many threads as it has places. They are valid as long as the arena. They may be
/// used by several threads at once, and by tasks of the arena.
Jobs jobs_of(tbb::task_arena& arena);

}  // namespace talus::samples
