#pragma once
/// Random worlds that are made mostly of articulations: chains, trees, loops and ladders of bodies, with joints of all
/// nine kinds. random_world.h has the other worlds.

#include "samples/soak/random_world.h"

namespace talus::samples {

/// The world of joints of a seed: the same from any compiler. Of the features it has copies, ranges, motors, springs,
/// drives, gears, breaking, contradictions, contacts, loops, locks, heavy, sizes, thin, kinematic, changes, dt, limits,
/// fast, bouncy, meshes, overlaps and far; the others make no difference.
WorldText joint_world(std::uint64_t seed, std::uint32_t features = soak_all);

}  // namespace talus::samples
