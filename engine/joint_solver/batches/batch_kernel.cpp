#include "engine/joint_solver/batches/batch_data.h"
#include "narrowphase/processor.h"

namespace talus {

const BatchKernel& best_batch_kernel() {
#ifdef TALUS_AVX2
    static const BatchKernel& best = detail::has_avx2() ? batch_kernel_avx2 : batch_kernel_sse2;
    return best;
#else
    return batch_kernel_sse2;
#endif
}

}  // namespace talus
