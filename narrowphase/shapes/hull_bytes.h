#pragma once
/// Internal: hulls as bytes. They are saved as the parts that they were assembled from, because quickhull over the
/// vertices of a hull need not give the same faces again.

#include <talus/narrowphase/hull.h>
#include "common/bytes.h"

#include <memory>

namespace talus::detail {

void write_hull(ByteWriter& bytes, const Hull& hull);
/// Returns null, and makes `bytes` fail, if they are not those of a valid polyhedron.
std::shared_ptr<const Hull> read_hull(ByteReader& bytes);

}  // namespace talus::detail
