#pragma once
/// A box against a box or a triangle by their separating axes (Gottschalk, Lin and Manocha 1996, "OBBTree", section 5).
///
/// The facets of the Minkowski difference of two boxes are parallel to a face of either (3 + 3) or to an edge of each
/// (9); for a box and a triangle there are 3 + 1 + 9. So if the two overlap, the best of these planes gives the exact
/// depth, at a tenth of EPA's cost. If they are apart, it is only a lower bound of the distance, unless a corner, edge
/// or face lies straight above a face, or two edges cross: then the points found on the two features prove that it is
/// exact. Pairs that are nearest at two corners, or at a corner and an edge, are left to GJK.
///
/// Use it instead of EPA, and before a cold GJK with the contact margin as limit; a warm GJK is cheaper while the two
/// are apart. Instructions per call, measured as in closed_forms.h, including GJK for the pairs that the axes leave
/// open:
///
///                       apart: axes     cold    warm      shallow: axes   cold   warm      deep: axes    cold    warm
///     box-box               2367        2939    1485           1795       5570   3605          1572     14896   13733
///     box-triangle          2720        2538    1381           2188       4787   3097          1671      8647    7288
///
/// (Shallow: overlapping by up to 0.02 sizes.) The axes alone take 75 to 95 ns, 25 to 50 where the limit ends them.

#include "narrowphase/analytic/closed_forms.h"

#include <limits>

namespace talus {

enum class AxesStatus : std::uint8_t {
    exact,         ///< the signed distance, with its points
    beyond_limit,  ///< apart by more than max_separation: `separation` is a lower bound, proved along `normal`
    undecided,     ///< apart by less; `separation` is a lower bound, and GJK is needed
};

/// The result of by_axes.
struct ByAxes {
    AxesStatus status = AxesStatus::undecided;
    ClosedForm answer;  ///< the points are set when `exact`
};

/// Returns whether by_axes handles the pair: box and box, or box and triangle, in either order.
constexpr bool has_axes(ShapeType a, ShapeType b) {
    const bool box_a = a == ShapeType::box, box_b = b == ShapeType::box;
    return (box_a && (box_b || b == ShapeType::triangle)) || (box_b && a == ShapeType::triangle);
}

/// Tests a pair for which has_axes is true. If planes are equally good, A's faces come first, then B's, then edges.
/// Never returns NaN for finite input.
ByAxes by_axes(const Shape& a, const Shape& b, const MatrixTransform& b_in_a,
               float max_separation = std::numeric_limits<float>::infinity());

}  // namespace talus
