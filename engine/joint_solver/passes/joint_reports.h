#pragma once
/// Sums of the rows' impulses, as the forces that users read. They are scaled when the energy of a sub-step is bounded.

#include "engine/joint_solver/articulations.h"

#include <algorithm>
#include <limits>

namespace talus {

/// Converts to a finite float. Extreme springs and masses need impulses beyond the range of floats.
inline float to_float(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -most, most));
}
inline vec3 to_floats(const dvec3& v) { return {to_float(v.x), to_float(v.y), to_float(v.z)}; }

/// Adds the impulses of a pass to the joints' reports. `scale` is the fraction of them that was kept.
void report_impulses(Articulations& s, const Articulation& a, JointPass pass, bool again, double scale);

/// Makes scale_impulses() scale only the impulses that are added later.
void note_impulses(Articulations& s);

/// Multiplies by `kept` the impulses since the sub-step began, or since note_impulses().
void scale_impulses(Articulations& s, const Articulation& a, double kept);

/// Writes angles, forces and the state for the next step to the joints of articulations that are in no batch. `step` is
/// in seconds.
void store_results(const Articulations& s, JointStore& joints, float step);

}  // namespace talus
