#pragma once
/// Colours and light: what a surface sample looks like.

#include <talus/math.h>

#include <vector>

namespace talus::samples {

/// From sRGB, 0xRRGGBB, to linear light.
vec3 linear_color(unsigned srgb);

/// The colour of body number `index`: calm, and unlike its neighbours in number.
vec3 body_color(std::size_t index);

/// The sky seen along a unit direction.
vec3 sky(const vec3& direction);

/// A floor's checker of 1 m squares at (x, z), blurred over `footprint` (m, what one sample covers): a factor near 1.
float checker(float x, float z, float footprint);

struct Light {
    vec3 to_sun{0, 1, 0};  ///< unit
};

/// Light that leaves a matt surface of colour `albedo` towards `to_eye`. `sun` is 0 in shadow, 1 in the light; `open`
/// is 0 in a tight corner, 1 under open sky.
vec3 shade(const Light& light, const vec3& albedo, const vec3& normal, const vec3& to_eye, float sun, float open);

/// From linear light to 0..1 in sRGB; bright light fades to white softly instead of clipping.
vec3 to_display(const vec3& linear);

}  // namespace talus::samples
