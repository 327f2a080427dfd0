/// The passes over batches of eight articulations, compiled for AVX-512. CMakeLists.txt sets the compiler flags of this
/// file.

#ifdef __AVX512DQ__

#define TALUS_LANES batch_avx512
#define TALUS_LANE_COUNT 8
#include "engine/joint_solver/batches/batch_passes.h"

const talus::BatchKernel talus::batch_kernel_avx512 = talus::TALUS_LANES::batch_kernel;

#endif
