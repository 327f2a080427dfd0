/// The joint solver's loops for any x86-64 processor, and for other processors.

#define TALUS_LANES joint_base
#include "engine/joint_solver/matrix/joint_kernel_impl.h"

const talus::JointKernel talus::joint_kernel_base = talus::TALUS_LANES::joint_kernel;
