#include "engine/joint_solver/matrix/joint_kernel.h"

#include "common/lanes/processor.h"

namespace talus {

const JointKernel& best_joint_kernel() {
#ifdef TALUS_AVX2
    static const JointKernel& best = detail::has_avx2() ? joint_kernel_avx2 : joint_kernel_base;
    return best;
#else
    return joint_kernel_base;
#endif
}

}  // namespace talus
