/// In place of the joint solver in a library that is built without joints (TALUS_JOINTS). World::add_joint refuses all
/// joints there, so there are no articulations. Functions that work on all articulations have nothing to do; those that
/// work on one are not called.

#include "engine/joint_solver/batches/joint_batches.h"
#include "engine/joint_solver/joint_solver.h"

#include <exception>

namespace talus {

// ---- On all articulations.

JointSolver& JointSolver::operator=(const JointSolver&) { return *this; }
void JointSolver::prepare(const JointStore&, const BodyStore&, std::span<const std::uint32_t>,
                          std::span<const SolverMass>, const JointMotions&, float, const Options&) {}
void JointSolver::solve(std::uint32_t, std::uint32_t) {}
void JointSolver::relax(std::uint32_t, std::uint32_t) {}
void JointSolver::solve_contacts(std::uint32_t, std::uint32_t) {}
void JointSolver::transmit_bounces(std::uint32_t, std::uint32_t) {}
void JointSolver::pass_bounces_on(std::uint32_t, std::uint32_t) {}
void JointSolver::note_impulses() {}
void JointSolver::store(JointStore&, float, const Jobs&) {}
JointProfile JointSolver::profile(const BodyStore&, std::uint64_t&) const { return {}; }
std::size_t JointSolver::bytes() const { return 0; }
bool JointTopology::has_changed(const JointStore&, const BodyStore&) const { return true; }
void JointTopology::build(Articulations&, const JointStore&, const BodyStore&) {}
void find_contact_groups(JointContactGroups&, Articulations&, ContactSolver&, std::span<const ConstraintGraph::Edge>,
                         Islands&) {}
void note_floating(Articulations&) {}
const JointKernel& best_joint_kernel() {
    static constexpr JointKernel none{};
    return none;
}

// ---- On one of them.

[[noreturn]] static void there_is_none() { std::terminate(); }

void JointSolver::relax_again(std::uint32_t) { there_is_none(); }
double JointSolver::drive_work(std::uint32_t) { there_is_none(); }
JointSolver::Work JointSolver::work(std::uint32_t, std::span<const BodyMotions::Unpushed>) { there_is_none(); }
std::uint32_t JointSolver::body_of(std::uint32_t) const { there_is_none(); }
void JointSolver::scale_impulses(std::uint32_t, double) { there_is_none(); }
void JointClosing::find_displacements(Articulations&, Articulation&, std::span<const ClosingPlane>) { there_is_none(); }
bool begin_response(Articulations&, std::uint32_t) { there_is_none(); }
JointResponse respond(Articulations&, std::uint32_t) { there_is_none(); }
bool meets_limits(Articulations&, std::uint32_t, const dvec3&, const dvec3&, double) { there_is_none(); }
void respond_to_impulse(Articulations&, std::uint32_t, const dvec3&, const dvec3&) { there_is_none(); }
void project_locks(Articulations&, std::uint32_t, const BodyStore&) { there_is_none(); }
bool may_close(const Articulation&) { there_is_none(); }
void begin_closing(Articulations&, const Articulation&) { there_is_none(); }
double open_by(Articulations&, Articulation&, const BodyStore&, double) { there_is_none(); }
void end_closing(Articulation&, bool) { there_is_none(); }
void leave_batch(Articulations&, Articulation&, BatchPlace) { there_is_none(); }
void read_body_rows(const Articulations&, std::uint32_t, bool, std::vector<BodyRow>&) { there_is_none(); }

}  // namespace talus
