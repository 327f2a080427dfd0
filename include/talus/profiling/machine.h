#pragma once
/// Facts about the machine and the build that a report shows beside its times.

#include <string>

namespace talus {

/// The name that the system reports, such as "AMD EPYC 7B13"; "unknown" where it does not say.
std::string processor_name();

/// The compiler of this library, such as "g++ 12.2.0" or "clang 14.0.6".
std::string compiler_name();

/// The instruction set of the inner loops on this machine: "AVX2" or "SSE2", "scalar" on other processors.
std::string kernel_name();

}  // namespace talus
