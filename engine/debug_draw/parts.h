#pragma once
/// The parts of World::draw: each draws what the options choose of one kind of thing, and leaves out what lies outside
/// of the region.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/events.h>
#include "engine/bodies/body_store.h"
#include "engine/debug_draw/pen.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/awake_set.h"

#include <array>
#include <span>

namespace talus::debug_draw {

/// Outlines, boxes, centres of mass, inertia axes, velocities.
struct BodyPart {
    const BodyStore& bodies;
    const ShapePool& shapes;
    const Colliders& colliders;
    const Broadphase& broadphase;
    const AwakeSet& awake;

    /// `island`: the body's, for outlines that are coloured by it.
    void draw(Pen& pen, const DebugDrawOptions& options, std::uint32_t slot, std::uint32_t island) const;
};

/// Points, normals, impulses, feature ids and areas.
void draw_contact(Pen& pen, const DebugDrawOptions& options, const Contact& contact);

/// The cells of both grids that hold boxes.
void draw_columns(Pen& pen, const DebugDrawOptions& options, const Broadphase& broadphase);

/// Frames, anchors, limits, what its springs and motors aim at.
void draw_joint(Pen& pen, const DebugDrawOptions& options, const JointStore& joints, const BodyStore& bodies,
                std::uint32_t slot);

/// Principal moments, ascending, and their axes, right-handed, of a symmetric matrix.
struct PrincipalAxes {
    std::array<double, 3> moments;
    mat3 axes;  ///< columns
};
PrincipalAxes principal_axes(const mat3& inertia);

}  // namespace talus::debug_draw
