#pragma once
/// Internal: what the processor can do.

namespace talus::detail {

/// True if this library was built for AVX2, too, and this processor has it.
bool has_avx2();

}  // namespace talus::detail
