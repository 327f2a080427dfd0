#pragma once
/// The search for stiff groups, once per step: it decides which contacts are solved together.
///
/// First it excludes islands by masses, speeds and the work of their last attempt. Then support_loads.h estimates the
/// loads on the contacts of each remaining candidate, and elimination_order.h finds the work for its factors.

#include "engine/constraints/solver_contacts.h"
#include "engine/sleeping/islands.h"
#include "engine/stiff_groups/elimination_order.h"
#include "engine/stiff_groups/stiff_group.h"
#include "engine/stiff_groups/support_loads.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Keeps for each body whether it was in a group in the last step, and when its island was last found to be too much
/// work.
class StiffGroupSearch {
public:
    struct Input {
        const SolverContacts& contacts;
        std::span<ConstraintGraph::Edge> edges;  ///< those of `contacts`; only `link` is written
        std::span<const JointEdge> joints;
        vec3 gravity;
        float dt, substep;  ///< the step and the usual sub-step, s
        const Islands& islands;
    };
    /// Fills the first groups of the list, and gives the edges of groups their `link`. Returns the number of groups.
    /// `count` is the number of groups of the last step, which are the first ones of the list.
    std::uint32_t find(const Input& in, std::vector<StiffGroup>& groups, std::uint32_t count);

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(searches_, seen_);
    }
    std::size_t bytes() const;

private:
    struct Island {
        std::uint32_t bodies = 0, contacts = 0, group = null_index;
        std::uint32_t refused_bodies = 0;  ///< number of bodies of the largest part that was recently too much work
        float mass = 0.0f, least = 0.0f, most = 0.0f;  ///< of all bodies; least and most of one body, kg
        bool excluded = false;
        bool examined = false;   ///< its loads are also estimated from its levels
        bool was_stiff = false;  ///< some body was in a group in the last step
        bool bounces = false;    ///< some contact has restitution
        bool idle = true;        ///< all of its bodies were in islands in which the last search found no large load
        bool jointed = false;    ///< some bodies have joints
        /// Some contacts share a stiffness; solved directly, nested bowls would never come to rest.
        bool shares = false;
        bool stands = false;  ///< it touches a body that cannot be pushed
        bool calm = true;     ///< no two touching bodies have a large relative speed
        bool light = false;   ///< the masses alone show that no contact has a large load
        bool struck = false;  ///< it has few bodies, and one is about to hit a lighter one
    };
    /// What the search remembers of a body.
    struct Seen {
        std::uint32_t step = 0;            ///< number of the last search with this body
        bool stiff = false;                ///< it was in a group in that search
        bool idle = false;                 ///< its island was last found to have no large load
        std::uint32_t refused = 0;         ///< number of the last search that found its island too much work
        std::uint32_t refused_bodies = 0;  ///< number of bodies of that island; 0: none was refused
        template <class Bytes>
        void visit_fields(Bytes& bytes) {
            bytes(step, stiff, idle, refused, refused_bodies);
        }
    };

    Island& island_of(const Input& in, const ConstraintGraph::Edge& edge) {
        return islands_[in.islands.root(edge.pushes_a ? edge.a : edge.b)];
    }
    Island& island_of(const Input& in, const JointEdge& joint) {
        return islands_[in.islands.root(joint.a != 0 ? joint.a : joint.b)];
    }
    static bool is_by_levels(const Island& island) {
        return !island.shares && ((island.stands && island.calm) || island.bounces);
    }
    void refuse(const StiffGroup& group);
    void look_at_bodies(const Input& in);
    void look_at_joints(const Input& in);
    bool choose_islands(bool examines_all);
    void look_at_contacts(const Input& in);
    void gather_contacts(const Input& in, std::vector<StiffGroup>& groups);
    void gather_bodies(const Input& in, std::vector<StiffGroup>& groups);
    void gather_joints(const Input& in, std::vector<StiffGroup>& groups);
    bool complete(const Input& in, StiffGroup& group);

    std::uint32_t searches_ = 1;  ///< number of searches, plus one: `step` of 0 means never
    std::uint32_t count_ = 0;     ///< groups found so far
    std::vector<Seen> seen_;      ///< by body slot
    SupportLoads loads_;
    EliminationOrder elimination_;
    // Scratch.
    std::vector<Island> islands_;       ///< by solver index of the root
    std::vector<std::uint32_t> local_;  ///< index of a body in its group, by solver index
};

}  // namespace talus
