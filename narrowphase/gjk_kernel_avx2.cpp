/// GJK's kernel, compiled for AVX2: CMakeLists.txt sets the flags of this file.

#ifdef __AVX2__

#define TALUS_LANES lanes_avx2
#include <talus/narrowphase/gjk_kernel_impl.h>

void talus::detail::gjk_kernel_avx2(const KernelQuery& query, const unsigned short* cached_a,
                                    const unsigned short* cached_b, int count, KernelAnswer& answer) {
    TALUS_LANES::run_kernel(query, cached_a, cached_b, count, answer);
}

#endif
