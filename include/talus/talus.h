#pragma once
/// Includes what a game needs: the world, shapes, joints and the fixed-step helper.

#include <talus/engine/fixed_step.h>
#include <talus/engine/joints/joint.h>
#include <talus/engine/world.h>
#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/shape.h>
