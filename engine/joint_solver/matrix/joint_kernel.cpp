#include "engine/joint_solver/matrix/joint_kernel.h"

#include "narrowphase/processor.h"

namespace talus {

const JointKernel& best_joint_kernel() {
#ifdef TALUS_AVX2
    static const JointKernel& best = detail::has_avx2() ? joint_kernel_avx2 : joint_kernel_sse2;
    return best;
#else
    return joint_kernel_sse2;
#endif
}

}  // namespace talus
