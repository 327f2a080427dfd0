#pragma once
/// Joints that were opened in the step are closed again, and no body gets through anything on the way.
///
/// joint_closing.h says what opens them. After all sweeps each link of such an articulation has two poses: a *safe
/// pose*, to which it can be put back (where its own sweep ended, or where the step began), and the pose to which an
/// impact has carried it, along a straight line and past whatever is there. The joints are closed from the latter
/// poses. Then each link is swept from its safe pose to where its joints want it. A link that hits something on that
/// path stops there, and the joints are closed again with the plane of the hit as a bound. Contacts of the step are
/// such planes, too.
///
/// The path of such a sweep need not be the one that the link has taken: if any path leads from one pose to another
/// without getting into an obstacle, both poses are on the same side of it.
///
/// Everything here is kept for one step.

#include "engine/continuous/ccd_sweep.h"
#include "engine/continuous/impact_energy.h"
#include "engine/continuous/swept_bodies.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace talus {

/// A plane that stops a link.
struct StopPlane {
    std::uint32_t slot = 0, shape = 0;  ///< the link, and its shape (pool index)
    /// Where the shape touches the plane, in its frame, if it is a solid that is not convex. The lowest point of other
    /// shapes is found anew wherever they are.
    std::optional<vec3> on_solid;
    vec3 normal{0.0f};   ///< unit, world, towards the link
    dvec3 point{0.0};    ///< on the plane, world, m
    float depth = 0.0f;  ///< how far the link may get behind the plane, m
};

class OpenedJoints {
public:
    void clear();

    /// Notes that the pose which a jointed body has now is a safe one: it was swept there.
    void keep_safe_pose(const ContinuousInput& in, std::uint32_t slot);
    /// Notes that an impact has opened joints of the body's articulation.
    void mark(const JointSolver& joint_solver, std::uint32_t slot);
    /// Notes that the contact modifier has disabled a contact of a jointed body in this step.
    void disable(const ShapePair& pair) { disabled_.push_back(pair); }

    /// Closes the joints that impacts, or the step's last sub-step, have left open.
    void close(const ContinuousInput& in, ContinuousOutput& out, const CcdSweep& sweep, const SweptBodies& swept,
               ImpactEnergies& energies, SweepScratch& scratch);

private:
    struct Closing;
    struct LinkMotion {
        Body body;
        SolverBody solver;
    };

    std::vector<std::uint32_t> opened_;  ///< a body of each articulation that is to be closed
    Paths safe_poses_;                   ///< paths that start there, in the last part of the step
    std::vector<ShapePair> disabled_;
    // The articulation that is being closed.
    std::vector<StopPlane> planes_;
    std::vector<JointSolver::ClosingPlane> closing_planes_;
    std::vector<LinkMotion> before_closing_;  ///< of its links
};

}  // namespace talus
