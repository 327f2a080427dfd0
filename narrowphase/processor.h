#pragma once
/// Internal: what the processor can do.

namespace talus::detail {

/// True if this library was built for AVX2, too, and this processor has it.
bool has_avx2();

/// True if the engine was built for AVX-512, too, and this processor has it for doubles and for shorter vectors (F, DQ
/// and VL).
bool has_avx512();

}  // namespace talus::detail
