#pragma once
/// What a run's numbers depend on beside the code: for reports.

#include <string>

namespace talus {

/// As the system calls it, such as "AMD EPYC 7B13"; "unknown" where it does not say.
std::string processor_name();

/// Of this library, such as "g++ 12.2.0" or "clang 14.0.6".
std::string compiler_name();

/// Which of the inner loops run here: "AVX2" or "SSE2", "scalar" on other processors.
std::string kernel_name();

}  // namespace talus
