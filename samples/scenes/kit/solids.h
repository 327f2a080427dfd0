#pragma once
/// Closed nonconvex solids made by rule: what the papers on nonconvex interference were tested on, and what is nasty
/// about real parts (holes, teeth, cavities, several shells). Triangles, outward; about 2 m across, around the origin.

#include "samples/scenes/kit/mesh_file.h"

#include <span>

namespace talus::samples {

/// A corner of an outline in the plane, m.
struct OutlinePoint {
    float x, y;
};

/// A pyramid over a dart: five faces, eight edges, one of them concave.
MeshFile pentahedron();

/// Two truncated cones of `sides` sides, joined at their narrow ends: 5 sides edges, `sides` of them concave (32 sides:
/// the papers' largest).
MeshFile hourglass(int sides);

/// A simple outline, counter-clockwise, from z = -height / 2 to height / 2.
MeshFile prism(std::span<const OutlinePoint> outline, float height);
MeshFile l_prism();
MeshFile u_prism();
MeshFile star_prism(int points);

/// The space between two outlines of as many corners each, one within the other, as a prism: a hole goes through it.
MeshFile ring_prism(std::span<const OutlinePoint> outer, std::span<const OutlinePoint> inner, float height);
MeshFile square_frame();
/// A toothed wheel with a bore hole: 4 corners a tooth.
MeshFile gear(int teeth);

/// A ring around y: a tube of radius `tube` around a circle of radius `radius`, m, without libm.
MeshFile ring(float radius, float tube, int around, int across);

/// A box, and boxes in one mesh: a hollow one (a cavity), and two that are apart.
MeshFile box_solid(const vec3& half_extents);
MeshFile hollow_box();
MeshFile two_boxes();

/// Cubes of a lattice of `n` by `n` by `n` places, x first, as one solid without inner walls; `filled` says which places
/// have one. `edge`: of a cube, m. All outer faces lie `inset` (m, less than half of the edge) inside of the cubes', so
/// that solids fit into each other with twice as much clearance. Cubes that only share an edge or a corner are apart.
MeshFile cubes(std::span<const bool> filled, int n, float edge, float inset);

}  // namespace talus::samples
