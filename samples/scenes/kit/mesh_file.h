#pragma once
/// Vertices and triangles from a mesh file, read by assimp (OFF, OBJ, PLY, STL, glTF and more); in a build without it, OFF files
/// only. Reading files is the business of samples, never of the library.

#include <talus/math.h>
#include <talus/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace talus::samples {

/// All vertices of all meshes in the file, placed by the file's own node transforms, in the file's unit. Refused with a
/// sentence that names the file: what cannot be read, and what holds fewer than four vertices.
Result<std::vector<vec3>> read_mesh_vertices(const std::string& path);

/// A surface as the file has it: nothing says that it is closed.
struct MeshFile {
    std::vector<vec3> vertices;            ///< all different, in the file's unit
    std::vector<std::uint32_t> triangles;  ///< three indices each; polygons are cut into triangles
};

/// All triangles of all meshes in the file, placed by its node transforms. Vertices at the same place are one. Left out:
/// points and lines, triangles with a corner twice and vertices that no triangle has. Refused like the above, and where
/// no triangle is left.
Result<MeshFile> read_mesh(const std::string& path);

}  // namespace talus::samples
