/// The passes over batches of four articulations for any x86-64 processor, and for other processors.

#define TALUS_LANES batch_base
#define TALUS_LANE_COUNT 4
#include "engine/joint_solver/batches/batch_passes.h"

const talus::BatchKernel talus::batch_kernel_base = talus::TALUS_LANES::batch_kernel;
