#pragma once
/// Internal: what the processor can do.

namespace talus::detail {

/// True if this library was built for AVX2, too, and this processor has it.
bool has_avx2();

/// True if this processor has AVX-512 for doubles and for shorter vectors, too (F, DQ and VL).
bool has_avx512();

}  // namespace talus::detail
