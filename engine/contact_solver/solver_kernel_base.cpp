/// The solver's loops with four lanes.

#define TALUS_LANES lanes_base
#define TALUS_WIDTH 4
#include "engine/contact_solver/solver_kernel_impl.h"

const talus::SolverKernel talus::solver_kernel_base = talus::TALUS_LANES::kernel;
