#pragma once
/// The scenes of each file, in the order of all_scenes().

#include "samples/scenes/scene.h"

namespace talus::samples {

std::span<const Scene> motion_scenes();      ///< few bodies, one law of motion each
std::span<const Scene> stack_scenes();       ///< things that should stay where they are, or fall in order
std::span<const Scene> building_scenes();    ///< what stands by its shape and its friction
std::span<const Scene> pile_scenes();        ///< many bodies in a bin, at rest in the end
std::span<const Scene> stirred_scenes();     ///< many bodies that never come to rest
std::span<const Scene> joint_kind_scenes();  ///< each kind of joint
std::span<const Scene> hanging_scenes();     ///< chains, bridges, pendulums
std::span<const Scene> ragdoll_scenes();     ///< people of joints
std::span<const Scene> machine_scenes();     ///< what drives and is driven
std::span<const Scene> robot_scenes();       ///< arms that go round obstacles
std::span<const Scene> force_scenes();       ///< bodies pushed by the scene's own code
std::span<const Scene> fast_scenes();        ///< small and fast against thin and fixed
std::span<const Scene> benchmark_scenes();   ///< published ones, with their error measures
std::span<const Scene> mesh_scenes();        ///< surfaces of triangles
std::span<const Scene> solid_scenes();       ///< solids that are not convex
std::span<const Scene> real_thing_scenes();  ///< shapes read from files

}  // namespace talus::samples
