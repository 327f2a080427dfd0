#pragma once
/// Interference and distance of two closed triangle meshes by brute force over triangles, in double. It is the oracle
/// for narrowphase/nonconvex, with which it shares neither code nor algorithms.

#include "samples/scenes/kit/mesh_file.h"

#include <glm/gtc/quaternion.hpp>

#include <array>
#include <vector>

namespace talus::test {

struct TriangleSoup {
    std::vector<std::array<glm::dvec3, 3>> triangles;
};

/// A mesh in a pose of double precision, as the poses of the library are read.
TriangleSoup soup_of(const samples::MeshFile& mesh, const Transform& pose);

/// The distance of the two surfaces: 0 if triangles cross.
double surface_distance(const TriangleSoup& a, const TriangleSoup& b);

/// Whether any triangles cross or touch.
bool surfaces_cross(const TriangleSoup& a, const TriangleSoup& b);

/// The winding number of a surface around a point off it, by solid angles.
double winding(const TriangleSoup& soup, const glm::dvec3& point);

}  // namespace talus::test
