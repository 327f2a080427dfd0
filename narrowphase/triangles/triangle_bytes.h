#pragma once
/// Internal: meshes and height fields as bytes. A mesh is saved with its triangles in the order of its tree, which is
/// built again from them; a height field is saved as its definition.

#include <talus/narrowphase/triangles/triangle_set.h>
#include "common/bytes.h"

#include <memory>

namespace talus::detail {

/// Returns false, and writes nothing, if the set is none that make_mesh() or make_height_field() has made.
bool write_triangles(ByteWriter& bytes, const TriangleSet& set);
/// Returns null, and makes `bytes` fail, if they are not those of a valid set.
std::shared_ptr<const TriangleSet> read_triangles(ByteReader& bytes);

// The two kinds (mesh.cpp, height_field.cpp). The writers return false if the set is of the other kind.
bool write_mesh(ByteWriter& bytes, const TriangleSet& set);
std::shared_ptr<const TriangleSet> read_mesh(ByteReader& bytes);
bool write_height_field(ByteWriter& bytes, const TriangleSet& set);
std::shared_ptr<const TriangleSet> read_height_field(ByteReader& bytes);

}  // namespace talus::detail
