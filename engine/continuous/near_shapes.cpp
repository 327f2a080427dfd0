/// Which shapes of two bodies may meet in a sweep.

#include "engine/continuous/ccd_sweep.h"

#include "narrowphase/ladder/relative_motion.h"

#include <algorithm>

namespace talus {

Aabb CcdSweep::box_around(const RigidMotion& motion, const Body& body, std::uint32_t shape, float duration) const {
    const auto box_at = [&](const Transform& pose) {
        return displaced(in_.shapes.box_at(shape, pose.rotation, in_.colliders), pose.position);
    };
    const RigidMotion own = in_.shape_motion(motion, body, shape);
    const Aabb start = box_at(own.start);
    if (motion.linear_velocity == vec3(0.0f) && motion.angular_velocity == vec3(0.0f)) return start;
    const float angle2 = duration * duration * length_squared(motion.angular_velocity);
    return expand(merge(start, box_at(pose_at(own, duration))), 0.125f * angle2 * body.radius);
}

/// Lists in `scratch.near_shapes` the shapes of the body and of an obstacle that may meet within `duration`, which is
/// not longer than the path.
void CcdSweep::find_near_shapes(const Path& path, float duration, std::uint32_t other,
                                const RigidMotion& obstacle_motion, SweepScratch& scratch) const {
    const Body &body = in_.bodies[path.slot], &obstacle = in_.bodies[other];
    const std::uint32_t own_end = body.first_shape + body.shape_count;
    const std::uint32_t obstacle_end = obstacle.first_shape + obstacle.shape_count;
    scratch.near_shapes.clear();
    const bool is_one_mesh = obstacle.shape_count == 1 && in_.shapes.locals[obstacle.first_shape].is_mesh;
    // A shape that was pressed through a mesh is stopped by triangles that are moved to it.
    if ((body.shape_count == 1 && obstacle.shape_count == 1) || is_one_mesh || in_.any_pressed_through) {
        for (std::uint32_t j = obstacle.first_shape; j < obstacle_end; ++j) {
            for (std::uint32_t i = body.first_shape; i < own_end; ++i) scratch.near_shapes.push_back({j, i});
        }
        return;
    }
    std::vector<Aabb>& own_boxes = scratch.own_boxes;
    if (own_boxes.empty()) {
        const float growth = largest_triangle_growth(in_.allowed_depth(path.slot));
        for (std::uint32_t i = body.first_shape; i < own_end; ++i)
            own_boxes.push_back(expand(box_around(path.motion, body, i, in_.dt - path.from), growth));
    }
    scratch.shapes.clear();
    if (const ShapeTree* const tree = in_.shapes.tree_of(obstacle)) {
        Aabb way = own_boxes[0];
        for (const Aabb& box : own_boxes) way = merge(way, box);
        // The tree knows where the shapes were at the start of the step.
        const RigidMotion& motion = obstacle_motion;
        const vec3 center(tree->center() - path.origin);
        const float moved =
            glm::length(motion.start.position - center) +
            detail::motion_bound({.rotation = in_.step_path(other).motion.start.rotation},
                                 {.rotation = motion.start.rotation}, obstacle.radius) +
            duration * (glm::length(motion.linear_velocity) + obstacle.radius * glm::length(motion.angular_velocity));
        tree->find(displaced(expand(way, moved), -center),
                   [&](std::uint32_t k) { scratch.shapes.push_back(obstacle.first_shape + k); });
        std::sort(scratch.shapes.begin(), scratch.shapes.end());
    } else {
        for (std::uint32_t j = obstacle.first_shape; j < obstacle_end; ++j) scratch.shapes.push_back(j);
    }
    for (const std::uint32_t j : scratch.shapes) {
        const Aabb box = box_around(obstacle_motion, obstacle, j, duration);
        for (std::uint32_t i = body.first_shape; i < own_end; ++i) {
            if (overlaps(own_boxes[i - body.first_shape], box)) scratch.near_shapes.push_back({j, i});
        }
    }
}

}  // namespace talus
