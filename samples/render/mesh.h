#pragma once
/// Shapes as triangles, for drawing only.

#include <talus/engine/body.h>

#include <cstdint>
#include <vector>

namespace talus::samples {

/// Counter-clockwise seen from outside.
struct DrawTriangle {
    std::uint32_t v[3];
    std::uint8_t edges;  ///< bit i: the side opposite corner i is an edge of the shape, and is drawn as a line
    std::uint8_t tone;   ///< 0 or 1: round shapes have two tones, so that one sees them turn
};

struct DrawMesh {
    std::vector<vec3> positions;
    std::vector<vec3> normals;  ///< one a position, unit
    std::vector<DrawTriangle> triangles;
};

/// The shape's surface. Round ones are cut into so many slices, a multiple of 4, so that tones change on slice borders. A
/// segment without radius becomes a rod of 1 cm radius.
DrawMesh triangulate(const Shape& shape, int slices = 32);

/// The triangles of a mesh or height field, and those that look the other way of a two-sided one.
DrawMesh triangulate(const TriangleSet& set);

/// Whichever the shape is, in its own frame.
DrawMesh triangulate(const ShapeDef& shape);

/// Radius of the ball around the shape's own origin that holds it, m.
float reach_of(const ShapeDef& shape);

/// Adds `part`, moved by `pose`.
void append(DrawMesh& mesh, const DrawMesh& part, const Transform& pose);

}  // namespace talus::samples
