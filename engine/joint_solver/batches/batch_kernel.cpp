#include "common/lanes/processor.h"
#include "engine/joint_solver/batches/batch_data.h"

namespace talus {

const BatchKernel& best_batch_kernel([[maybe_unused]] unsigned articulations) {
#ifdef TALUS_AVX512
    static const bool wide = detail::has_avx512();
    if (wide && articulations > least_batch_lanes) return batch_kernel_avx512;
#endif
#ifdef TALUS_AVX2
    static const BatchKernel& best = detail::has_avx2() ? batch_kernel_avx2 : batch_kernel_base;
    return best;
#else
    return batch_kernel_base;
#endif
}

}  // namespace talus
