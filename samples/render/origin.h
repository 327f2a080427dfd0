#pragma once
/// Pictures are computed in floats, relative to an origin near the eye: a scene far from the world's origin looks like one
/// that is there.

#include <talus/math.h>

namespace talus::samples {

/// The origin of a picture seen from `eye`: the nearest multiple of 64 m. That is a multiple of the period of the floor's
/// checker, 2 m.
inline dvec3 picture_origin(const dvec3& eye) { return 64.0 * glm::round(eye / 64.0); }

}  // namespace talus::samples
