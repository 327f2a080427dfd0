/// Bodies that can't have met anything on their way, by planes that the narrowphase found for their contacts: most of
/// those that are fast enough to be swept.

#include "engine/continuous/continuous_sweep.h"

#include <talus/narrowphase/support.h>

namespace talus {

/// True where no obstacle stands or goes where the body may have been in this step. While each keeps within the fat box
/// that the step's pairs were made with, its pairs know of them all; `strays` are the kinematic ones that did not.
bool World::State::Sweep::is_clear(std::uint32_t slot) const {
    if (moved(slot) == nullptr) return false;
    const Body& body = s.bodies[slot];
    const Aabb box = swept_box(slot);
    if (!keeps_within_fat_box(slot, box)) return false;
    for (const Aabb& stray : s.strays) {
        if (overlaps(box, stray)) return false;
    }
    for (std::uint32_t p = body.first_pair; p != null_index;) {
        const Pair& pair = s.contacts.pairs[p];
        const std::uint32_t other = other_body(pair, slot);
        if (s.bodies[other].is_dynamic()) break;  // those come last
        if (may_meet(slot, other, false) && overlaps(box, s.broadphase.fat_box(s.bodies[other].proxy)) &&
            !stays_before(slot, p))
            return false;
        p = pair.next[side_of(pair, slot)];
    }
    return true;
}

/// True where the body did not get into the obstacle of a pair: their shapes were in different places or planes show
/// it.
bool World::State::Sweep::stays_before(std::uint32_t slot, std::uint32_t p) const {
    const Pair& pair = s.contacts.pairs[p];
    const std::uint32_t other = other_body(pair, slot);
    const Body &body = s.bodies[slot], &obstacle = s.bodies[other];
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        const Aabb box = swept_box(slot, i);
        for (std::uint32_t j = obstacle.first_shape; j < obstacle.first_shape + obstacle.shape_count; ++j) {
            const ShapeDef &own = s.shapes.defs[i], &of_obstacle = s.shapes.defs[j];
            if (!should_collide(own.filter, of_obstacle.filter) || !overlaps(box, swept_box(other, j))) continue;
            if (own.sensor || of_obstacle.sensor) return false;
            if (of_obstacle.mesh) {
                if (!stays_before_mesh(slot, other, p, i, j)) return false;
                continue;
            }
            const std::uint32_t c = s.contacts.find_contact(p, i, j);
            if (c == null_index || !stays_before(slot, other, c)) return false;
        }
    }
    return true;
}

/// The same for a mesh: by the planes of those of its triangles that the shape's box met, if their contacts are all
/// there are.
bool World::State::Sweep::stays_before_mesh(std::uint32_t slot, std::uint32_t other, std::uint32_t p,
                                            std::uint32_t shape, std::uint32_t mesh) const {
    const std::uint32_t k = s.contacts.find_patch(p, shape, mesh);
    if (k == null_index || s.contacts.patches[k].through || moved(other) != nullptr) return false;
    const Aabb box = swept_box(slot, shape);
    const Transform& at = s.colliders.poses[mesh];
    const Aabb in_mesh = transform_box(to_frame(relative(at, Transform{})), box);
    if (!contains(s.contacts.patches[k].box, in_mesh)) return false;
    for (std::uint32_t c = s.contacts.pairs[p].first_contact; c != null_index; c = s.contacts.states[c].next_in_pair) {
        if (s.contacts.states[c].patch != k) continue;
        const PairRecord& record = s.contacts.records[c];
        const std::uint32_t triangle = s.contacts.bodies[c].a == other ? record.a : record.b;
        if (overlaps(box, s.shapes.world_boxes[triangle]) && !stays_before(slot, other, c)) return false;
    }
    return true;
}

/// True where a plane that the narrowphase found for a contact, and that moves with the obstacle, shows that the body
/// got into it nowhere by as much as it may.
bool World::State::Sweep::stays_before(std::uint32_t slot, std::uint32_t other, std::uint32_t c) const {
    const PairRecord& record = s.contacts.records[c];
    const PairCache& cache = s.contacts.caches[c];
    const bool body_is_a = s.contacts.bodies[c].a == slot;
    const std::uint32_t i = body_is_a ? record.a : record.b, j = body_is_a ? record.b : record.a;
    vec3 n;  // from the obstacle to the body, the obstacle's frame
    if (cache.axis != vec3(0.0f)) {
        const quat& frame = s.colliders.poses[cache.axis_in_b ? record.b : record.a].rotation;
        const vec3 axis = rotate(frame, body_is_a ? -cache.axis : cache.axis);
        n = inverse_rotate(s.colliders.poses[j].rotation, axis);
    } else if (const SurfaceTriangle* triangle = s.colliders.surface_triangle(j)) {
        n = triangle->normal;
    } else {
        return false;
    }
    const auto reach = [](const Shape& shape, const vec3& d) {
        return glm::dot(support(shape, d).point, d) + shape.radius;
    };
    const Shape& own = s.shapes.defs[i].shape;
    const float edge = reach(s.colliders.shapes[j], n);
    const auto gap = [&](const Transform& body, const Transform& obstacle) {
        const vec3 d = rotate(obstacle.rotation, n);
        return glm::dot(body.position - obstacle.position, d) - reach(own, inverse_rotate(body.rotation, -d)) - edge;
    };
    const float at_start = gap(s.colliders.poses[i], s.colliders.poses[j]);
    const float at_end = gap(end_pose(slot, i), end_pose(other, j));
    return std::min(at_start, at_end) - bend_against(slot, other) > -allowed_depth(slot);
}

Transform World::State::Sweep::end_pose(std::uint32_t slot, std::uint32_t shape) const {
    if (moved(slot) == nullptr) return s.colliders.poses[shape];
    return multiply(s.bodies[slot].pose(), s.shapes.defs[shape].pose);
}

/// Where a shape was at most.
Aabb World::State::Sweep::swept_box(std::uint32_t slot, std::uint32_t shape) const {
    const Aabb& start = s.shapes.world_boxes[shape];
    if (moved(slot) == nullptr) return start;
    const Aabb end = transform_box(to_frame(end_pose(slot, shape)), s.shapes.local_boxes[shape]);
    return expand(merge(start, end), bend(slot));
}

Aabb World::State::Sweep::swept_box(std::uint32_t slot) const {
    const Body& body = s.bodies[slot];
    Aabb box = swept_box(slot, body.first_shape);
    for (std::uint32_t i = body.first_shape + 1; i < body.first_shape + body.shape_count; ++i)
        box = merge(box, swept_box(slot, i));
    return box;
}

bool World::State::Sweep::keeps_within_fat_box(std::uint32_t slot, const Aabb& swept) const {
    const Aabb& fat = s.broadphase.fat_box(s.bodies[slot].proxy);
    return glm::all(glm::lessThanEqual(fat.lower, swept.lower)) &&
           glm::all(glm::greaterThanEqual(fat.upper, swept.upper));
}

/// How the solver moved it; null for what is fixed or asleep.
const SolverBody* World::State::Sweep::moved(std::uint32_t slot) const {
    const std::uint32_t index = s.awake.contains(slot) ? s.indices.of(slot) : 0;
    return index != 0 ? &s.moving[index] : nullptr;
}

/// How far a point of the body may at most be from the straight way between where it is at the start and at the end, m:
/// on an arm r that turns by t at a constant rate, r t^2 / 8, an eighth of its greatest acceleration.
float World::State::Sweep::bend(std::uint32_t slot) const {
    const SolverBody* own = moved(slot);
    return own != nullptr ? 0.125f * s.bodies[slot].radius * length_squared(load3(own->turn)) : 0.0f;
}

/// The same seen from an obstacle: how far such a point's height above a plane that turns with the obstacle may be from
/// that between its heights at the start and at the end. With the plane's normal n and the point's place r from the
/// obstacle's centre, the height n.r accelerates by n''.r + 2 n'.r' + n.r''.
float World::State::Sweep::bend_against(std::uint32_t slot, std::uint32_t other) const {
    const SolverBody *own = moved(slot), *obstacle = moved(other);
    if (own == nullptr || obstacle == nullptr) return bend(slot);
    const Body& body = s.bodies[slot];
    const float radius = body.radius, turn = length(load3(own->turn)), plane_turn = length(load3(obstacle->turn));
    const float way = length(load3(own->displacement) - load3(obstacle->displacement));
    const float far = length(body.center - s.bodies[other].center) + way + radius;
    return 0.125f * (plane_turn * plane_turn * far + 2.0f * plane_turn * (way + turn * radius) + turn * turn * radius);
}

}  // namespace talus
