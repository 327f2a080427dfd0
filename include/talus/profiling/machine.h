#pragma once
/// Facts about the machine and the build that a report shows beside its times.

#include <string>

namespace talus {

/// Returns the processor's name as the system reports it, such as "AMD EPYC 7B13"; "unknown" if it reports none.
std::string processor_name();

/// Returns the compiler of this library, such as "g++ 12.2.0" or "clang 14.0.6".
std::string compiler_name();

/// Returns the instruction set of the inner loops on this machine: "AVX2, AVX-512 for joints", "AVX2", "SSE2", "NEON",
/// or "plain" on other processors.
std::string kernel_name();

}  // namespace talus
