/// The passes over batches of four articulations, compiled for AVX2. CMakeLists.txt sets the compiler flags of this file.

#ifdef __AVX2__

#define TALUS_LANES batch_avx2
#define TALUS_LANE_COUNT 4
#include "engine/joint_solver/batches/batch_passes.h"

const talus::BatchKernel talus::batch_kernel_avx2 = talus::TALUS_LANES::batch_kernel;

#endif
