#pragma once
/// Internal: contact points of bodies that lie on balls and cylinders much larger than they are.
///
/// A ball touches a face in one point, and a cylinder in two, over which the body rocks. If the radius is so large that
/// the body would rock from one corner to the other within a step, it would rock for ever. So the corners of its face
/// count, too, at their exact distances.

#include <talus/narrowphase/manifold.h>

namespace talus::detail {

/// Adds the corners of a face that lies on the round side of a shape, if that is large, as far as they are within
/// `margin` (m). At most four points are left.
void add_corners_on_large_round(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, float margin,
                                Manifold& manifold);

}  // namespace talus::detail
