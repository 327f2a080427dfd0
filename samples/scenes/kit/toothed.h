#pragma once
/// Wheels and racks with teeth that only look like it. The teeth touch nothing; joints do the work.

#include "samples/scenes/scene.h"

namespace talus::samples {

inline constexpr float tooth_pitch = 0.2f;  ///< distance of teeth along the rim, m

/// Radius at which two wheels mesh, m.
constexpr float pitch_radius(int teeth) { return tooth_pitch * static_cast<float>(teeth) / 6.2831853f; }

/// A wheel about z with a tooth at angle 0. If `turned`, it is rotated by half a tooth and has a gap there.
BodyDef toothed_wheel(int teeth, bool turned);

/// A bar along x with teeth that point down.
BodyDef toothed_rack(int teeth);

}  // namespace talus::samples
