#include "common/lanes/processor.h"

namespace talus::detail {

bool has_avx2() {
#ifdef TALUS_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

bool has_avx512() {
#if defined(TALUS_AVX2) && defined(TALUS_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

const char* base_lanes() {
#if defined(__SSE2__)
    return "SSE2";
#elif defined(__ARM_NEON)
    return "NEON";
#elif defined(__wasm_simd128__)
    return "SIMD128";
#else
    return "plain";
#endif
}

}  // namespace talus::detail
