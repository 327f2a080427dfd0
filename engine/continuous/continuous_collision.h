#pragma once
/// Stage `continuous`: no fast body ends a step behind something that it hit on its path.
///
/// The solver moves bodies from pose to pose. It knows only the contacts that `collide` found at the first pose: shapes
/// within a margin of each other, as planes at their nearest points. That catches most bodies that move by less than
/// half of their size in a step. This stage looks at the others after the solve:
///
///     start pose ------------> pose that the solver wants
///          \___ swept with the mean linear and angular velocity (of all rotations that lead to the end pose, the one
///               |   that the body has made, not the shortest): the first time at which a shape gets deeper into an
///               |   obstacle than `continuous_depth`
///               v   there the two collide: sequential impulses on their manifold, restitution and friction as usual
///          the rest of the step is swept with the new velocity, up to `continuous_impacts` times
///
/// So a bullet that bounces keeps the rest of its step. A body that hits more obstacles than that in one step stops at
/// the last one. If that obstacle moves, the body goes with it until something else is in the way. It loses the rest of
/// *one* step, and keeps its velocity: a heavy ball that strikes a plank on supports is stopped by the contacts of the
/// next step. (Thin rods that are squeezed into the corners of a room that turns at 6 rad/s and more do get out in the
/// end.)
///
/// **Depth.** A body is stopped by depth of overlap, not by a first touch. A body that slides, rolls or spins on a
/// floor into which it has sunk by less than the allowed depth is stopped neither by the floor nor by its seams,
/// however fast it is. Two bodies that hit each other without approaching (a rod that tips over on its end, a body that
/// a pile presses down) are left to the contacts: each time they hit each other so in a step they may overlap by
/// `continuous_depth` more, and so may bodies that overlap by more at the start. So nothing is stopped at one place for
/// ever. In a fixed or kinematic obstacle that ends at `continuous_deepest`: a body that joints or heavy bodies press
/// into a wall gets no deeper, but may slide and turn there.
///
/// **Order.** Bodies with Continuous::fixed come first. Each is swept against fixed bodies, and against kinematic
/// bodies along their own motion. Such a sweep of a body without joints writes that body only.
/// Bodies with Continuous::all are swept after them, against dynamic bodies as well, one by one in the order of the
/// awake list, because an impact changes the paths of both bodies. (A third body that such a path crosses is hit if its
/// own turn is yet to come: impacts are in order of time for each body, not for the world.) No path counts before it
/// was swept against fixed and kinematic bodies: a body that is hit before its own turn, or twice in a step, is swept
/// up to the impact first. Otherwise it could be hit behind a wall. swept_bodies.h says which bodies are swept. Solids that
/// are not convex come after the convex bodies of the same kind, and are swept in another way (swept_solids.h).
///
/// **Joints.** After an impact on a jointed body, its whole articulation goes on, each link along a straight line.
/// Joints that this has opened are closed at the end of the stage (opened_joints.h).
///
/// **Sensors** stop nothing. A sensor that a swept body enters and leaves within the step is reported as begun and
/// ended.
///
/// Compared with 5,000 balls of 0.5 to 5 cm without losses at 10 to 1,000 m/s and any angle, and 5,000 rods of 40 x 2 x
/// 2 cm that also spin at up to 50 turns/s, on a wall of 1 cm:
///
///                                         balls     rods      time of a ball's    error of the
///                                         through   through   bounce, steps       ball's speed
///     the solver's speculative contacts   93%       80%
///     stopped at the impact               0         0         0.76                0
///     here                                0         0         0.001               0 (5 digits)
///
/// Wider margins for the speculative contacts are no alternative. They are planes, linear in the motion of the step,
/// which a rod that turns by 300 degrees is not, and they act on bodies that only fly past. Where nothing is fast this
/// stage costs about 25 instructions per body and step; a fast body with only dynamic bodies near it costs about 200.
///
/// Kept across frames: nothing but memory. The results hold until the next step.

#include <talus/jobs.h>
#include "common/scratch.h"
#include "engine/continuous/ccd_sweep.h"
#include "engine/continuous/continuous_input.h"
#include "engine/continuous/impact_energy.h"
#include "engine/continuous/opened_joints.h"
#include "engine/continuous/swept_bodies.h"
#include "engine/continuous/swept_solids.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class ContinuousCollision {
public:
    /// Runs the stage. `in` and `out` refer to the same bodies.
    void step(const ContinuousInput& in, ContinuousOutput out, const Jobs& jobs);

    /// The impacts of the step, in the order in which they were found.
    std::span<const Impact> impacts() const { return impacts_; }
    /// Slots of the sleeping bodies that an impact of the step has given a velocity. They are to be woken.
    std::span<const std::uint32_t> struck() const { return struck_; }
    /// How many bodies swept_bodies.h has listed, including those that is_clear() then spared the sweep.
    std::size_t swept_count() const { return swept_.count(); }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(impacts_);
    }

private:
    struct Step;
    /// What one thread needs to look for hits.
    struct Task {
        SweepScratch scratch;
        std::vector<Impact> impacts;
    };
    void find_unhindered(const ContinuousInput& in, const CcdSweep& sweep, const Jobs& jobs);

    SweptBodies swept_;
    Scratch<SweptSolids> swept_solids_;
    /// By fast body: whether it hits nothing, by what is known before the first impact of the step. Impacts of other
    /// bodies change that only through joints.
    Scratch<std::vector<std::uint8_t>> unhindered_;
    Paths deflected_;  ///< of bodies that an impact has put on a new path
    ImpactEnergies energies_;
    OpenedJoints opened_joints_;
    std::vector<Impact> impacts_;
    std::vector<std::uint32_t> struck_;
    Scratch<SweepScratch> scratch_, other_scratch_;  ///< of the body whose turn it is, and of bodies that it hits
    Scratch<std::vector<Task>> tasks_;
};

}  // namespace talus
