#pragma once
/// Slender islands: high walls and pyramids, which would buckle on contacts of usual stiffness.
///
/// A soft contact is a spring, and a wall on springs bends like an elastic column. The weight above a course leans out
/// by the course's tilt, and makes the course tilt more. If the courses cannot resist that, the wall leans out faster
/// and faster. A more exact solution of the same springs does not help (a wall of 60 courses falls after 1,000 steps,
/// also with 16 times as many iterations). A uniform column buckles under its own weight at a height that grows with
/// the cube root of its stiffness (Greenhill 1881).
///
/// Small islands are solved directly, with contacts that do not give way (stiff_groups.h). For large islands that costs
/// too much. So their contacts get as stiff as necessary. Iterations need contacts that are soft relative to the
/// sub-step, so the step gets as many more sub-steps as the stiffness needs. All bodies of the world then have these
/// sub-steps, but other contacts keep their stiffness.
///
/// The slenderness of an island is its sway:
///
///     tilt of a level = share * tilt of the level below + load on the level / its stiffness against tilting    (1/m)
///     sway = sum over levels of the tilt of the level below * height of the level above that level
///
/// Level n contains the bodies that stand on level n - 1. The load is the weight of this level and of everything above
/// it. The stiffness against tilting is that of the level's contacts with level n - 1, for each body about the middle
/// of these contacts, in N m per rad. The share says how much bodies rotate if those below them rotate and nothing else
/// moves. It is 1 in columns and across walls, and 0 along walls in bond, where each brick lies on two.
///
/// The sway is computed along two horizontal axes, and the larger one counts. They are the axes about which all levels
/// together are the easiest and the hardest to rotate. A column of equal boxes buckles at a sway of 2.6, and sway is
/// inversely proportional to the stiffness of contacts. So the contacts of islands beyond settings::slender_sway get
/// stiffer until the sway is settings::slender_kept_sway. They change slowly enough for the bodies that stand on them,
/// which overlap would throw up otherwise. Bodies that have just been added start with the final stiffness.
///
/// The sway needs only masses, contacts and levels, every settings::slender_look_every steps. Islands with joints, and
/// those that are solved directly, are left out.

#include "engine/constraints/crowded_contacts.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/sleeping/islands.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SlenderIslands {
public:
    /// The world's data that find() reads.
    struct Input : SolverContacts {
        const CrowdedContacts& crowded;
        vec3 gravity;
        float hertz;  ///< frequency of usual soft contacts, Hz
        float dt;     ///< length of the step, s
    };
    void find(const Input& input, Islands& islands);

    /// Factors by which contacts between such bodies are stiffer than usual, by solver index below movable_end. Empty if
    /// all factors are 1.
    std::span<const float> hardness() const { return hardness_; }
    /// The greatest factor; 1 if there are none.
    float most_hardness() const { return most_hardness_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(states_, looks_);
    }
    /// Returns whether what was read can be right.
    bool fit() const;
    std::size_t bytes() const;

private:
    /// By body slot.
    struct State {
        std::uint32_t seen = 0;                ///< the last call of find() with this body
        float hardness = 1.0f, wanted = 1.0f;  ///< present factor of stiffness, and the one to which it changes
        bool fresh = false;                    ///< the body was not in the call before
        template <class Bytes>
        void visit_fields(Bytes& bytes) {
            bytes(seen, hardness, wanted, fresh);
        }
    };
    struct Island {
        std::uint32_t bodies = 0, fresh = 0;
        std::uint32_t first = no_body;  ///< head of the list of its bodies, linked by next_
        float wanted = 1.0f;
        bool judged = false;    ///< its sway is computed in this call
        bool excluded = false;  ///< it has joints or is a stiff group
        bool calm = true;       ///< no two touching bodies have a large relative speed
        bool stands = false;
    };
    /// A symmetric matrix in the axes across_.
    struct Moments {
        double xx = 0.0, zz = 0.0, xz = 0.0;
        double along(double x, double z) const { return x * x * xx + 2.0 * x * z * xz + z * z * zz; }
    };
    struct Level {
        double load = 0.0;       ///< N
        double stiffness = 0.0;  ///< N/m
        /// Second moments of stiffness: about the middle of each body's supports, N m; and the mixed moments of that
        /// middle and the middles of the bodies below.
        Moments own, below;
        double height = 0.0, radius = 0.0;  ///< sums over its bodies, m
        std::uint32_t bodies = 0;
    };
    static constexpr std::uint32_t no_body = ~0u;

    void judge(const Input& input, Islands& islands);
    double sway(const Input& input, const Island& island);
    double sway_along(double x, double z) const;
    void add_support(const Input& input, std::uint32_t body, Level& level) const;
    template <class Visit>
    void for_each_support(const Input& input, std::uint32_t body, Visit&& visit) const;

    std::vector<State> states_;
    std::vector<float> hardness_;
    float most_hardness_ = 1.0f;
    std::uint32_t looks_ = 1;  ///< number of calls of find(), plus one: `seen` of 0 means never
    // Scratch of find().
    std::vector<Island> islands_;                       ///< by solver index of the island's root
    dvec3 origin_{0.0};                                 ///< heights are counted from here
    std::vector<std::uint32_t> next_, level_of_;        ///< by solver index
    std::vector<std::uint32_t> first_of_, contact_of_;  ///< the edges of each body
    std::vector<std::uint32_t> queue_;
    std::vector<double> borne_;  ///< load on each body, by solver index, N
    std::vector<Level> levels_;
    vec3 up_{0.0f}, across_[2] = {};
};

}  // namespace talus
