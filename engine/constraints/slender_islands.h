#pragma once
/// Slender islands: high walls and pyramids, which would buckle on contacts as soft as usual.
///
/// A soft contact is a spring, and a wall on springs is a column that bends. What stands on a course leans out by its
/// tilt, which makes the course tilt more; where the courses cannot hold against that, the wall leans out ever faster,
/// and no better solution of the same springs helps (a wall of 60 courses falls after 1,000 steps, and after 1,000
/// steps with 16 times as many sweeps). A uniform column buckles under its own weight at a height that grows with the
/// cube root of its stiffness (Greenhill 1881). Small islands are solved directly, with contacts that do not give way
/// (stiff_groups.h). For large ones that costs too much, so their contacts get as stiff as they have to be; and as sweeps
/// only stand contacts that are soft against the sub-step, the step gets as many more sub-steps. All that the world
/// solves has these then, but keeps its stiffness.
///
/// How slender an island is:
///
///     tilt of a level = share * tilt of the level below + load on the level / its stiffness against tilting    (1/m)
///     sway = sum over levels of the tilt of the level below * height of the level over that
///
/// where level n is what stands on level n - 1, the load is the weight of this level and all that is above it, and the
/// stiffness against tilting is that of its contacts with level n - 1, for each body about the middle of these: N m per
/// rad. The share is how much bodies turn if those below them do, and lie still otherwise: all of it in columns and
/// across walls; nothing along walls in bond, where each brick lies on two. The greater sway along two horizontal axes
/// counts: those about which all levels together are the easiest and the hardest to turn. A column of equal boxes
/// buckles at a sway of 2.6, and sway falls in inverse proportion to the stiffness of contacts. So contacts of islands
/// beyond settings::slender_sway get stiffer until it is settings::slender_kept_sway, and no faster than what stands on
/// them can follow, which overlap would throw up otherwise. Bodies that have just been put there begin with that.
///
/// Masses, contacts and levels are all that is asked for, every settings::slender_look_every steps. Islands with joints
/// or solved directly are left alone.

#include "engine/constraints/crowded_contacts.h"
#include "engine/constraints/solver_contacts.h"
#include "engine/sleeping/islands.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SlenderIslands {
public:
    /// What is read of the world.
    struct Input : SolverContacts {
        const CrowdedContacts& crowded;
        vec3 gravity;
        float hertz;  ///< of soft contacts as they are usually
        float dt;     ///< of the step
    };
    void find(const Input& input, Islands& islands);

    /// By solver index below movable_end: how many times stiffer than usual contacts between such bodies are, or empty if
    /// none are.
    std::span<const float> hardness() const { return hardness_; }
    /// The greatest of them; 1 if there are none.
    float most_hardness() const { return most_hardness_; }

    std::size_t bytes() const;

private:
    /// By body slot.
    struct State {
        std::uint32_t seen = 0;  ///< the last call with this body
        float hardness = 1.0f, wanted = 1.0f;
        bool fresh = false;  ///< it was not in the call before
    };
    struct Island {
        std::uint32_t bodies = 0, fresh = 0;
        std::uint32_t first = no_body;  ///< of a list through next_
        float wanted = 1.0f;
        bool judged = false;    ///< in this call
        bool excluded = false;  ///< joints or a stiff group hold it
        bool calm = true;       ///< no two bodies that touch move fast against each other
        bool stands = false;
    };
    /// Symmetric, along across_.
    struct Moments {
        double xx = 0.0, zz = 0.0, xz = 0.0;
        double along(double x, double z) const { return x * x * xx + 2.0 * x * z * xz + z * z * zz; }
    };
    struct Level {
        double load = 0.0;       ///< N
        double stiffness = 0.0;  ///< N/m
        /// Second moments of stiffness about the middle of each body's supports, N m; and of that with the middles of
        /// the bodies below.
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
    std::uint32_t looks_ = 1;  ///< calls of find(), and one more: no body was seen in call 0
    // Scratch of find().
    std::vector<Island> islands_;                       ///< by solver index of the root
    std::vector<std::uint32_t> next_, level_of_;        ///< by solver index
    std::vector<std::uint32_t> first_of_, contact_of_;  ///< edges by body
    std::vector<std::uint32_t> queue_;
    std::vector<double> borne_;  ///< by solver index, N
    std::vector<Level> levels_;
    vec3 up_{0.0f}, across_[2] = {};
};

}  // namespace talus
