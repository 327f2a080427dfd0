#pragma once
/// Talus on a FiberScheduler.

#include <talus/jobs.h>
#include "samples/job_systems/fiber_scheduler.h"

namespace talus::samples {

/// Jobs that run on the scheduler's workers. They are valid as long as the scheduler. A world may be stepped by a job of
/// the scheduler, whose fiber is parked while tasks of the step run elsewhere, or by any other thread, which sleeps
/// meanwhile. Several worlds may be stepped at once.
Jobs jobs_of(FiberScheduler& scheduler);

}  // namespace talus::samples
