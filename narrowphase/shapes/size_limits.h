#pragma once
/// How small and how large a shape may be.
///
/// The narrowphase squares volumes (a simplex's determinant), so lengths appear to the sixth power: (1e-6)^6 = 1e-36
/// and (1e6)^6 = 1e36 both still fit a float with room for a factor of 100. Wider limits would let GJK and EPA meet
/// denormals and infinities; narrower ones would only refuse more shapes.

namespace talus {

inline constexpr float smallest_size = 1e-6f;  ///< m; every positive size of a shape is at least this
inline constexpr float largest_size = 1e6f;    ///< m; no size and no coordinate of a shape is beyond this

}  // namespace talus
