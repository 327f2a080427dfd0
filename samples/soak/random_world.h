#pragma once
/// Random worlds for the soak: the same seed gives the same world from any compiler.

#include "samples/scenes/kit/random.h"
#include "samples/soak/world_text.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace talus::samples {

/// What random worlds may have (docs/soak.md says which of them worlds of joints have). Each is drawn for some worlds only, and leaving one out leaves the others as they were.
enum SoakFeature : std::uint32_t {
    soak_thin = 1u << 0,       ///< shapes 10 to 100 times as long as they are thick
    soak_sizes = 1u << 1,      ///< shapes of 5 mm and of 5 m among those of 10 cm to 1 m
    soak_heavy = 1u << 2,      ///< densities up to 1,000 times that of others
    soak_compounds = 1u << 3,  ///< bodies of several shapes
    soak_meshes = 1u << 4,     ///< rooms of triangles, and grounds
    soak_joints = 1u << 5,     ///< chains of all kinds, limits, motors, springs
    soak_loops = 1u << 6,      ///< more joints between any two bodies
    soak_locks = 1u << 7,      ///< locked axes
    soak_sensors = 1u << 8,    ///< sensors
    soak_kinematic = 1u << 9,  ///< kinematic bodies that turn
    soak_modifier = 1u << 10,  ///< a contact modifier
    soak_changes = 1u << 11,   ///< changes while it runs
    soak_dt = 1u << 12,        ///< steps of other lengths, and of changing ones
    soak_limits = 1u << 13,    ///< speed limits
    soak_fast = 1u << 14,      ///< speeds up to 50 m/s and 100 rad/s
    soak_bouncy = 1u << 15,    ///< restitution
    soak_belts = 1u << 16,     ///< belts, anisotropic grip, rolling resistance
    soak_overlaps = 1u << 17,  ///< bodies put into each other
    soak_far = 1u << 27,       ///< places far from the world's origin
    // Of the worlds of joints (joint_world.h) only.
    soak_copies = 1u << 18,          ///< several articulations of one layout
    soak_ranges = 1u << 19,          ///< limits of joints
    soak_motors = 1u << 20,          ///< motors
    soak_springs = 1u << 21,         ///< springs
    soak_drives = 1u << 22,          ///< drives of ball and motor joints
    soak_gears = 1u << 23,           ///< gears
    soak_breaking = 1u << 24,        ///< joints that break
    soak_contradictions = 1u << 25,  ///< joints that cannot all be satisfied
    soak_contacts = 1u << 26,        ///< a ground or a room, and loose bodies
    soak_all = (1u << 28) - 1,
};
/// By the names that the command line takes.
struct SoakFeatureName {
    const char* name;
    std::uint32_t feature;
};
std::span<const SoakFeatureName> soak_feature_names();

/// A random place for a world: whole metres, up to 2^23 m (8,389 km) from the world's origin along each axis.
dvec3 far_place(Random& random);

/// A seed from a text, such as the name of a commit: different texts give different seeds.
std::uint64_t seed_from(std::string_view text);

/// The world of a seed: the same from any compiler.
WorldText random_world(std::uint64_t seed, std::uint32_t features = soak_all);

}  // namespace talus::samples
