#pragma once
/// The parts of World::draw. Each draws one kind of object (a body, a contact, a joint) as the options say, and leaves
/// out objects outside of the region.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/events.h>
#include "engine/bodies/body_store.h"
#include "engine/debug_draw/pen.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/awake_set.h"

#include <array>
#include <span>

namespace talus::debug_draw {

/// Draws bodies: outlines, boxes, centres of mass, inertia axes, velocities.
struct BodyPart {
    const BodyStore& bodies;
    const ShapePool& shapes;
    const Colliders& colliders;
    const Broadphase& broadphase;
    const AwakeSet& awake;

    /// `island` is the body's island, for outlines that are coloured by island.
    void draw(DebugDraw& out, const DebugDrawOptions& options, std::uint32_t slot, std::uint32_t island) const;
};

/// Draws a contact's points, normals, impulses, feature ids and area.
void draw_contact(DebugDraw& out, const DebugDrawOptions& options, const Contact& contact);

/// Draws the cells of the broadphase's two grids that contain boxes.
void draw_columns(DebugDraw& out, const DebugDrawOptions& options, const Broadphase& broadphase);

/// Draws a joint: frames, anchors, limits, and the targets of its springs and motors.
void draw_joint(DebugDraw& out, const DebugDrawOptions& options, const JointStore& joints, const BodyStore& bodies,
                std::uint32_t slot);

/// The principal moments of an inertia tensor, ascending, and their axes, right-handed.
struct PrincipalAxes {
    std::array<double, 3> moments;
    mat3 axes;  ///< columns
};
PrincipalAxes principal_axes(const mat3& inertia);

}  // namespace talus::debug_draw
