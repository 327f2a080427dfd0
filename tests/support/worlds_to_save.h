#pragma once
/// Small worlds for tests of saving: together they have every kind of body, shape, joint and event, and each is in the
/// middle of something.

#include <talus/talus.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::test {

struct WorldToSave {
    const char* name;
    World world;
};

/// The same worlds at each call.
std::vector<WorldToSave> worlds_to_save();

/// Writes the checksum that damaged bytes need to be read nevertheless.
void mend_checksum(std::span<std::byte> saved);

}  // namespace talus::test
