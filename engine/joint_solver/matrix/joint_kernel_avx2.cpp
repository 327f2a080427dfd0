/// The joint solver's loops with vectors of four doubles. CMakeLists.txt sets the compiler flags of this file.

#ifdef __AVX2__

#define TALUS_LANES joint_avx2
#include "engine/joint_solver/matrix/joint_kernel_impl.h"

const talus::JointKernel talus::joint_kernel_avx2 = talus::TALUS_LANES::joint_kernel;

#endif
