#pragma once
/// Internal: a checked RelativeMotion, with everything that its functions of time need.

#include <talus/narrowphase/nonconvex/motion.h>
#include "narrowphase/casts/double_rotation.h"

namespace talus {

/// A motion whose axis has length 1 and whose angle is not negative.
struct CheckedMotion {
    bool usable = false;
    RelativeMotion motion{};
    glm::dmat3 start{1.0};  ///< B's rotation at time 0

    CheckedMotion() = default;
    explicit CheckedMotion(const RelativeMotion& m);

    glm::dmat3 rotation_at(double time) const;
    /// Returns where the centre of rotation is in A's frame.
    glm::dvec3 center_at(double time) const { return motion.position + time * motion.displacement; }
};

}  // namespace talus
