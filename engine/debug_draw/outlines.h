#pragma once
/// The edges of shapes; of round ones circles, and the lines where those meet.

#include <talus/engine/debug_draw/pen.h>
#include <talus/narrowphase/shape.h>

namespace talus::debug_draw {

/// Boxes, hulls and triangles by their edges, each once; all lines lie on the surface.
void outline(Pen& pen, const Shape& shape, const Transform& pose, Color color);

}  // namespace talus::debug_draw
