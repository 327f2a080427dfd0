#pragma once
/// Vertices from a mesh file, read by assimp (OFF, OBJ, PLY, STL, glTF and more). Reading files is the business of
/// samples, never of the library.

#include <talus/math.h>
#include <talus/result.h>

#include <string>
#include <vector>

namespace talus::samples {

/// All vertices of all meshes in the file, placed by the file's own node transforms, in the file's unit. Refused with a
/// sentence that names the file: what assimp cannot read, and what holds fewer than four vertices; everything, when
/// this program was built without assimp.
Result<std::vector<vec3>> read_mesh_vertices(const std::string& path);

}  // namespace talus::samples
