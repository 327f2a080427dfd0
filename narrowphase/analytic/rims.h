#pragma once
/// The signed distance of a cylinder or cone and any other shape near a known normal.
///
/// Between rims GJK and EPA converge slowly: each support point of a circle is a little nearer to the nearest one, and
/// none is it. But along a normal n a cylinder shows either a rim or a line of its side. So does a cone, whose apex is
/// a rim without a radius; and a vertex and an edge of a polytope are a rim and a side without a radius. For each case
/// the best normal has a closed form or follows from Newton's method:
///
///     rim, rim     two unknowns: the depth bends over the sphere of normals as two circles do
///     side, rim    one unknown: n rotates about the side's axis
///     side, side   n is at right angles to a line of each side
///
/// Caps and faces have fixed normals, and are left to the axis test (ladder/pair_tests.h).

#include <talus/narrowphase/gjk.h>
#include "narrowphase/analytic/closed_forms.h"

namespace talus::detail {

/// True if one shape is a cylinder or cone, unless the other one is a sphere, for which closed_form() is better.
bool has_rim_contact(ShapeType a, ShapeType b);

/// Finds a local minimum of the depth, from a normal (A's frame, any length) near it; the hints are vertices from which
/// to start the searches. If the cores are apart there is only one minimum, so that is their distance. Returns false if
/// there is none near, if a cap or a face shows or the lines are parallel, or if other features show again and again.
bool rim_contact(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& near,
                 const SimplexCache& hints, ClosedForm& contact);

}  // namespace talus::detail
