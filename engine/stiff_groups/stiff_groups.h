#pragma once
/// Stiff groups: touching bodies whose contacts are solved together, directly.
///
/// The contact solver iterates over contacts one by one, and each iteration carries a load one contact further. Where a contact
/// bears many times the weight of the lighter of its two bodies (high stacks, a ton on a kilogram), it takes as many iterations as
/// that to find the impulse. Until then contacts give way, like springs that are too soft for their load, and what stands on such
/// springs sinks and buckles.
///
/// A stiff group is an island of touching bodies in which some contact bears that much. How much each contact bears is estimated
/// from the masses and from the levels of support above the bodies that cannot be pushed (or above the first body of an
/// island that floats). Levels count only where an island stands and its bodies hardly move relative to each other, because in
/// an island that falls or tumbles no body bears those above it. In a small island, the bodies below a heavier body that is about
/// to strike them are a group for that step: iterations would let a box that falls on a plate pass through the plate. Contacts
/// between bodies of one level are left to the contact solver. The others are solved in *body space*: for the velocities v of all
/// bodies together,
///
///     (M + sum w J^T J) v = M v0 + sum J^T (p - w bias)       over the active rows
///
/// with v0 the velocities without contact impulses, J the Jacobian of a row, p its impulse in the sub-step before, and w (kg) some
/// sixty times the mass that the contact bears. The row's impulse is then p - w (J v + bias). This is a proximal step
/// (Rockafellar 1976): w decides how fast impulses converge from sub-step to sub-step, and not how stiff contacts are; at rest
/// J v = -bias exactly. The system is sparse, symmetric and positive definite with any number of redundant rows, with a block of
/// 6 x 6 for each body and each pair of bodies that touch. It is factored in double precision (block Cholesky, minimum degree),
/// which is exact enough for mass ratios of a million.
///
/// Rows are active or not: normal rows push and never pull; friction and twist stick within their limit, and beyond it they are
/// constant impulses at the limit. A few rounds find the set of rows for which all of that holds (a semismooth Newton method),
/// starting with the rows that pushed last. Factors are kept as long as the set stays, separately for the soft and the relaxing
/// pass, whose sets differ: at rest that is the whole step. Where no set is found, the group gives nothing in that pass.
///
/// The work is limited in two ways. An island whose factors would take too many products of blocks is left to the contact solver;
/// this is found while the order of elimination is made, and remembered. A group that has made too many in a step gives nothing in
/// the passes that are left, and is left to the contact solver for a while. The number of bodies does not count: a chain of 1,000
/// takes little.
///
/// Locked axes are part of M: rows have no component along them.
///
/// Joints: bodies that joints hold together count as one part that stands and bears as a whole. The contacts of such a part with
/// the ground are left to the joint solver (contacts/contact_groups.h), so that ragdolls and cars that stand by themselves are no
/// stiff groups. In a group, rows of joints are treated like those of contacts, but are always active, with a weight far above all
/// masses (or that of their spring). Their impulses are handed over to the joint solver, which starts from them in solve(), or
/// continues from them after relax(): it alone knows how joints bend, what their bounds are, and what they report. Limits and
/// motors act as the joint solver had them last. Islands with gears are left to the contact solver.
///
/// That is done twice per sub-step, before the iteration of `solve` and before that of `relax` (contact_solver.h), instead of many
/// such iterations. These then find little to do, and do what the group leaves out: rolling resistance, special surfaces.
///
/// Goes in: in find() the contacts of a step; in prepare() and solve() the lanes of the contact solver, the solver bodies, and rows
/// of the joint solver. Comes out: which edges are in a group (`link`), impulses in the lanes, velocities of the solver bodies,
/// impulses of joint rows. Kept across steps: for each body whether it was in a group (group_search.h), and for each group the
/// pattern of its matrix and its memory.

#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/sleeping/islands.h"
#include "engine/stiff_groups/group_search.h"
#include "engine/stiff_groups/stiff_group.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class JointSolver;

class StiffGroups {
public:
    using JointEdge = talus::JointEdge;
    using Pass = GroupPass;

    /// Chooses groups among the islands that the edges make, in an order that depends only on the order of the edges. Gives each
    /// edge of a group its `link`. `edges` are those of `in`; `dt` is the step and `substep` the usual sub-step, in seconds.
    void find(const SolverContacts& in, std::span<ConstraintGraph::Edge> edges, std::span<const JointEdge> joints,
              const vec3& gravity, float dt, float substep, const Islands& islands) {
        count_ = search_.find({in, edges, joints, gravity, dt, substep, islands}, groups_, count_);
    }

    /// No body is in two groups: any thread may solve any group.
    std::uint32_t group_count() const { return count_; }

    /// Reads the rows of groups first .. last - 1, which the solver has prepared.
    void prepare(ContactSolver& solver, std::span<const SolverMass> masses, float substep,
                 std::span<const ConstraintGraph::Edge> edges, std::uint32_t first, std::uint32_t last);
    /// Before the first solve, once the joints are prepared.
    void prepare_joints(JointSolver& joints);
    /// Changes impulses and velocities of groups first .. last - 1.
    void solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, std::uint32_t first, std::uint32_t last);

    std::size_t bytes() const;

private:
    void solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, StiffGroup& group);

    StiffGroupSearch search_;
    std::vector<StiffGroup> groups_;  ///< the first count_ are in use
    std::uint32_t count_ = 0;
    std::vector<std::uint32_t>
        position_;  ///< by solver index, in groups with joints: position in the order of elimination
};

}  // namespace talus
