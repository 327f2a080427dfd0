#pragma once
/// Closing joints that are open at the end of a step, by moving their bodies.
///
/// Joints open for two reasons. First, an impact within the step, which continuous collision finds, changes the
/// velocities of the whole articulation. For the rest of the step each link continues with its own velocity: its centre
/// moves in a straight line, and the link rotates about it. But anchors move on curves. A limb that is hit at 20 m/s
/// rotates by 1 rad and more in that rest, and its anchor leaves the straight line by r (1 - cos 1 rad). Ragdolls
/// thrown at a wall at 20 and 40 m/s had joints that were open by 150 to 400 mm at the end of the step. Second,
/// contacts are solved last in a sub-step. They may disagree with the joints by up to `joint_contact_speed`, which
/// opened joints by up to 8 mm on stairs, and by 40 mm where limbs rotate fast.
///
/// So the poses are corrected, by Newton's method on the errors C of the locks and of the limits that are passed:
///
///     dx = -M^-1 J^T (J M^-1 J^T)^-1 C(x)
///
/// This moves heavy links less than light ones. Planes limit the displacements of links, by impulses l >= 0 along their
/// normals. Projected Gauss-Seidel finds these impulses from the responses that the links have through the joints, as
/// in contact_groups.h. Velocities stay, except for the energy that the new poses have gained (impact_energy.h).
///
/// Limits are closed only as far as the solver had closed them. If a limit is passed by much, the user has set it so,
/// or the loads were too large for it, and the solver brings its bodies back at a limited speed. Closing it at once
/// lifted 144 kg by 0.1 m within a step. For the same reason joints that were open when the step began are not closed:
/// a ball joint that was created 3 m open lifted 216 kg by 3 m within a step.
///
/// Joints of loops, and of bodies with locked axes, may contradict each other, so that they cannot be closed. After
/// several failed steps such an articulation is left open until its joints open further.

#include "engine/joint_solver/articulations.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// A plane that stops a body while its joints are closed.
struct ClosingPlane {
    std::uint32_t slot = 0;  ///< of the body
    dvec3 arm{0.0};          ///< from its centre of mass to its lowest point above the plane, world axes, m
    dvec3 normal{0.0};       ///< towards the body
    double room = 0.0;       ///< how far that point may move against the normal, m
};

/// Returns the opening of the worst joint, among those with an anchor and those that keep anchors at a distance, m.
double opening_of(const Articulations& s, const Articulation& a);

/// Returns false if joints were open when the step began, because the user may have opened them.
bool may_close(const Articulation& a);

/// Notes how far limits are passed, which closing does not change. Call it before the first open_by().
void begin_closing(Articulations& s, const Articulation& a);

/// Returns the opening of the worst joint at the present poses of the bodies, m. `ease`, up to 1, is a factor on how
/// easily links rotate in the following find_displacements().
double open_by(Articulations& s, Articulation& a, const BodyStore& bodies, double ease);

/// Notes whether the joints could be closed in this step.
void end_closing(Articulation& a, bool closed);

/// Finds displacements that close joints. Keeps only scratch memory from call to call.
class JointClosing {
public:
    /// Finds the displacement and rotation of each link that close its joints as far as the planes allow, and stores
    /// them as the articulation's velocities. Call it after open_by().
    void find_displacements(Articulations& s, Articulation& a, std::span<const ClosingPlane> planes);

    std::size_t bytes() const {
        return (matrix_.capacity() + impulses_.capacity() + distances_.capacity()) * sizeof(double) + known_.capacity();
    }

private:
    void find_response(Articulations& s, Articulation& a, std::span<const ClosingPlane> planes, std::size_t pushed);

    std::vector<double> matrix_, impulses_, distances_;  ///< by plane
    std::vector<std::uint8_t> known_;                    ///< by plane: its column of the matrix has been found
};

}  // namespace talus
