#pragma once
/// Outlines of shapes: their edges. Round shapes have circles, and lines between these.

#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/triangles/triangle_set.h>
#include "engine/debug_draw/pen.h"

namespace talus::debug_draw {

/// Draws the outline of a shape. The pose is relative to the pen's origin. Each edge of a box, hull or triangle is drawn
/// once. All lines lie on the surface.
void outline(const Pen& pen, const Shape& shape, const Transform& pose, Color color);

/// Draws the edges of the triangles of a mesh whose boxes overlap the region. The pose and the region are relative to the
/// pen's origin.
void outline(const Pen& pen, const TriangleSet& mesh, const Transform& pose, const Aabb& region, Color color);

}  // namespace talus::debug_draw
