#pragma once
/// The edges of shapes; of round ones circles, and the lines where those meet.

#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/triangles/triangle_set.h>
#include "engine/debug_draw/pen.h"

namespace talus::debug_draw {

/// Boxes, hulls and triangles by their edges, each once; all lines lie on the surface.
void outline(Pen& pen, const Shape& shape, const Transform& pose, Color color);

/// The edges of those triangles of a mesh whose boxes overlap the region (world).
void outline(Pen& pen, const TriangleSet& mesh, const Transform& pose, const Aabb& region, Color color);

}  // namespace talus::debug_draw
