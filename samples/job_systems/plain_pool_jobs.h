#pragma once
/// Talus on a PlainPool.

#include <talus/jobs.h>
#include "samples/job_systems/plain_pool.h"

namespace talus::samples {

/// Jobs that run on the pool and on the thread that steps the world. They are valid as long as the pool. They may be
/// used by several threads at once, and by functions that the pool runs.
Jobs jobs_of(PlainPool& pool);

}  // namespace talus::samples
