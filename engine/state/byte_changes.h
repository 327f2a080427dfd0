#pragma once
/// The difference between two strings of bytes, for World::save_changes().
///
/// It is a list of runs: so many bytes that are written out, then so many that are copied from the old string. Most bytes
/// of a world stay where they are from save to save, so the place to copy from is given relative to the place where it
/// would be if nothing had shifted. All numbers take seven bits per byte.

#include "common/bytes.h"

#include <cstddef>
#include <span>
#include <vector>

namespace talus {

void write_changes(ByteWriter& bytes, std::span<const std::byte> before, std::span<const std::byte> after);

/// Appends to `after` the `size` bytes that write_changes() has described. `bytes` fail if they are not of that form.
void apply_changes(ByteReader& bytes, std::span<const std::byte> before, std::size_t size,
                   std::vector<std::byte>& after);

}  // namespace talus
