/// The solver's loops with eight lanes. CMakeLists.txt sets the compiler flags of this file.

#ifdef __AVX2__

#define TALUS_LANES lanes_avx2
#define TALUS_WIDTH 8
#include "engine/contact_solver/solver_kernel_impl.h"

const talus::SolverKernel talus::solver_kernel_avx2 = talus::TALUS_LANES::kernel;

#endif
