#pragma once
/// Spur gears with involute flanks.

#include "samples/scenes/kit/mesh_file.h"

#include <vector>

namespace talus::samples {

/// A spur gear about z, pressure angle 20 degrees. It has a tooth at angle 0. Without libm.
///
/// Wheels mesh if their axes are as far apart as their pitch radii together, and one has a gap where the other has a
/// tooth. With fewer than 17 teeth their roots are too narrow for the tips of a much larger wheel.
struct SpurGear {
    int teeth;
    float module;           ///< pitch diameter over teeth, m
    float half_width;       ///< along z, m
    float thinner = 0.01f;  ///< what a tooth lacks on either side so that the other's fits, of the module
    int flank_points = 5;   ///< on each flank, without its root

    float pitch_radius() const { return 0.5f * module * static_cast<float>(teeth); }  ///< m
    float root_radius() const { return pitch_radius() - 1.25f * module; }             ///< m

    /// The outline of a tooth that points along +x, counter-clockwise from its root: a convex polygon.
    std::vector<glm::vec2> tooth() const;
    /// The rotation from the tooth at angle 0 to tooth k.
    quat tooth_turn(int k) const;
    /// Its surface, closed.
    MeshFile surface() const;
};

}  // namespace talus::samples
