#pragma once
/// oneTBB as a Host.

#include "samples/job_systems/hosts.h"

namespace talus::samples {

std::unique_ptr<Host> make_tbb_host(int threads);

}  // namespace talus::samples
