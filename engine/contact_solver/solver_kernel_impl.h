/// Internal: the contents of solver_kernel_base.cpp and solver_kernel_avx2.cpp.

#include "engine/contact_solver/solver_kernel_contacts.h"
#include "engine/contact_solver/solver_kernel_motion.h"

namespace talus::TALUS_LANES {

constexpr SolverKernel kernel = {width,
                                 sizeof(Record),
                                 sizeof(Point),
                                 sizeof(Surface),
                                 sizeof(Motion),
                                 prepare,
                                 prepare_surface,
                                 warm_start,
                                 solve,
                                 relax,
                                 begin_restitution,
                                 end_restitution,
                                 bounce,
                                 find_struck_after_sliding,
                                 store,
                                 integrate_velocities,
                                 integrate_positions,
                                 end_spins,
                                 find_gains,
                                 note_calm,
                                 find_bounce_gains};

}  // namespace talus::TALUS_LANES
