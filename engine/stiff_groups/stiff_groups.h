#pragma once
/// Stiff groups: touching bodies whose contacts are solved together, directly.
///
/// The contact solver iterates over contacts one by one, and each iteration carries a load one contact further. If a
/// contact carries many times the weight of the lighter of its two bodies (high stacks, a ton on a kilogram), that many
/// iterations are needed to find the impulse. Until then contacts give way, like springs that are too soft for their
/// load, and bodies on such springs sink and buckle.
///
/// A stiff group is an island of touching bodies in which some contact carries such a load. The load on each contact is
/// estimated from the masses and from the levels of support above the bodies that cannot be pushed (or, in a floating
/// island, above its first body). Levels count only if the island stands and its bodies hardly move relative to each
/// other, because in an island that falls or tumbles no body supports the ones above it. In a small island, the bodies
/// below a heavier body that is about to hit them are a group for that step: with iterations, a box that falls on a
/// plate would pass through the plate. Contacts between bodies of one level are left to the contact solver. The others
/// are solved in *body space*: for the velocities v of all bodies together,
///
///     (M + sum w J^T J) v = M v0 + sum J^T (p - w bias)       over the active rows
///
/// Here v0 are the velocities without contact impulses, J is the Jacobian of a row, p its impulse in the last sub-step,
/// and w (kg) about sixty times the mass that the contact carries. The row's impulse is then p - w (J v + bias). This
/// is a proximal step (Rockafellar 1976): w determines how fast impulses converge from sub-step to sub-step, and not
/// how stiff contacts are. At rest J v = -bias exactly. The system is sparse, symmetric and positive definite with any
/// number of redundant rows. It has a block of 6 x 6 for each body and for each pair of touching bodies. It is factored
/// in double precision (block Cholesky, minimum degree), which is exact enough for mass ratios of a million.
///
/// Rows are active or inactive. Normal rows push and never pull. Friction and twist stick within their limit; beyond it
/// they are constant impulses at the limit. A few rounds find a consistent set of active rows (a semismooth Newton
/// method), starting with the rows that pushed last. Factors are kept as long as the set stays the same, which at rest
/// is the whole step. The soft pass and the relax pass have factors of their own, because their sets differ. If no set
/// is found, the group gives no impulses in that pass.
///
/// The work is limited in two ways. An island whose factors would take too many block products is left to the contact
/// solver. This is found while the order of elimination is made, and remembered. A group that has made too many block
/// products in a step gives no impulses in the remaining passes, and is left to the contact solver for some steps. The
/// number of bodies is not limited: a chain of 1,000 takes little work.
///
/// Locked axes are part of M: rows have no component along them.
///
/// Joints: bodies that joints connect count as one part, which stands and carries loads as a whole. The contacts of
/// such a part with the ground are left to the joint solver (contacts/contact_groups.h), so that ragdolls and cars that
/// stand by themselves are no stiff groups. In a group, rows of joints are treated like those of contacts, but they are
/// always active, with a weight far above all masses (or that of their spring). Their impulses are handed over to the
/// joint solver, which starts from them in solve(), or continues from them after relax(), because only the joint solver
/// knows how joints bend, their bounds and their reports. Limits and motors act as the joint solver had them last.
/// Islands with gears are left to the contact solver.
///
/// Groups are solved twice per sub-step, before the iterations of `solve` and before those of `relax`
/// (contact_solver.h). The iterations then have little left to do. They also solve what the group leaves out: rolling
/// resistance and special surfaces.
///
/// Input: the contacts of a step, in find(); the lanes of the contact solver, the solver bodies, and rows of the joint
/// solver, in prepare() and solve(). Output: which edges are in a group (`link`), impulses in the lanes, velocities of
/// the solver bodies, and impulses of joint rows. Kept across steps: for each body whether it was in a group
/// (group_search.h), and for each group the pattern of its matrix and its memory.

#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/sleeping/islands.h"
#include "engine/stiff_groups/group_search.h"
#include "engine/stiff_groups/stiff_group.h"

#include <algorithm>
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

    /// Chooses groups among the islands that the edges make, in an order that depends only on the order of the edges.
    /// Gives each edge of a group its `link`. `edges` are those of `in`. `dt` is the step and `substep` the usual
    /// sub-step, in seconds.
    void find(const SolverContacts& in, std::span<ConstraintGraph::Edge> edges, std::span<const JointEdge> joints,
              const vec3& gravity, float dt, float substep, const Islands& islands) {
        count_ = search_.find({in, edges, joints, gravity, dt, substep, islands}, groups_, count_);
    }

    /// The number of groups. No body is in two groups, so any thread may solve any group.
    std::uint32_t group_count() const { return count_; }
    /// The work of all groups in this step, in block products.
    std::uint64_t work() const {
        std::uint64_t sum = 0;
        for (std::uint32_t g = 0; g < count_; ++g) sum += groups_[g].work;
        return sum;
    }

    /// Reads the rows of groups first .. last - 1, which the solver has prepared.
    void prepare(ContactSolver& solver, std::span<const SolverMass> masses, const BodyMotions& motions, float substep,
                 std::span<const ConstraintGraph::Edge> edges, std::uint32_t first, std::uint32_t last);
    /// Prepares the rows of joints, before the first solve and after the joints are prepared.
    void prepare_joints(JointSolver& joints);
    /// Solves groups first .. last - 1: changes their impulses and velocities.
    void solve(Pass pass, std::span<SolverBody> bodies, JointSolver& joints, std::uint32_t first, std::uint32_t last);

    /// For saved worlds (common/bytes.h). Of the groups of the last step, the next one reads only which were too much
    /// work.
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(search_);
        auto spent = static_cast<std::uint32_t>(
            std::count_if(groups_.begin(), groups_.begin() + count_, [](const StiffGroup& g) { return is_spent(g); }));
        bytes(spent);
        if constexpr (Bytes::reads) {
            if (!bytes.expect(spent <= bytes.left() / 4, "a list is longer than the rest of the bytes")) return;
            groups_.assign(spent, StiffGroup{});
            for (StiffGroup& group : groups_) group.refused = true;
            count_ = spent;
        }
        for (std::uint32_t g = 0; g < count_; ++g) {
            if (is_spent(groups_[g])) bytes(groups_[g].island);
        }
    }
    /// Returns whether the body slots that were read are less than `slots`.
    bool fit(std::size_t slots) const;
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
