#pragma once
/// Internal: mapping solids as bytes. They are saved as the arguments of the function that made them, which makes the
/// same bits again. The parts of a sum are saved with their hulls.

#include <talus/narrowphase/mapping_solid.h>
#include "common/bytes.h"

#include <memory>

namespace talus::detail {

/// Returns false if the solid, or a part of a sum, is a mapping of the user's, of which the bytes know nothing.
bool write_mapping(ByteWriter& bytes, const MappingSolid& solid);
/// Returns null, and makes `bytes` fail, if they are not those of a valid solid.
std::shared_ptr<const MappingSolid> read_mapping(ByteReader& bytes);

}  // namespace talus::detail
