/// What a swept body meets first on its way: a shape of another body, or a triangle of its mesh.

#include "engine/continuous/continuous_sweep.h"

#include <talus/narrowphase/support.h>
#include "engine/settings.h"
#include "narrowphase/support/minkowski.h"
#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/surface_contact.h"

#include <limits>

namespace talus {

namespace {

/// Triangles stop what comes in fast as far beyond their level edges, in depths that it may overlap by.
constexpr float grown_by = 2.0f;

}  // namespace

/// The motion of the centre of mass over the whole step, seen from outside.
RigidMotion World::State::Sweep::step_motion(std::uint32_t slot) const {
    const Body& body = s.bodies[slot];
    RigidMotion motion;
    motion.start = {body.center, body.rotation};
    if (!s.awake.contains(slot) || s.solver_index[slot] == 0) return motion;
    const SolverBody& moved = s.solver_bodies[s.solver_index[slot]];
    // Poses of colliders are still those at the start of the step.
    const std::uint32_t first = body.first_shape;
    const quat start =
        normalized(multiply(s.colliders.poses[first].rotation, conjugate(s.shapes.defs[first].pose.rotation)));
    return motion_between({body.center - load3(moved.displacement), start}, {body.center, body.rotation}, vec3(0.0f),
                          dt, load3(moved.turn));
}

/// The same from a time on: along its new way, if an impact has turned that. A body whose new way begins later than
/// `from` stands where that begins: its earlier way is no longer known, and along the new one it would be carried on
/// for longer than to the end of the step, farther than it was swept.
RigidMotion World::State::Sweep::motion_from(std::uint32_t slot, float from) const {
    const auto turned = find_path(s.new_paths, slot);
    RigidMotion motion = turned != s.new_paths.end() ? turned->motion : step_motion(slot);
    const float since = from - (turned != s.new_paths.end() ? turned->from : 0.0f);
    if (since < 0.0f) {
        motion.linear_velocity = motion.angular_velocity = vec3(0.0f);
    } else {
        motion.start = pose_at(motion, since);
    }
    return motion;
}

RigidMotion World::State::Sweep::shape_motion(const RigidMotion& of_body, const Body& body, std::uint32_t shape) const {
    const Transform& pose = s.shapes.defs[shape].pose;
    RigidMotion motion = of_body;
    motion.start = multiply(of_body.start, Transform{pose.position - body.local_center, pose.rotation});
    motion.center = inverse_transform_point(pose, body.local_center);
    return motion;
}

/// What joints hold is held up late: they part where one of two is stopped and the other is not.
float World::State::Sweep::allowed_depth(std::uint32_t slot) const {
    const float inner_radius = s.bodies[slot].inner_radius;
    if (s.joints.has_any(slot)) return settings::continuous_jointed_depth * inner_radius;
    return std::min(settings::continuous_depth, settings::continuous_relative_depth * inner_radius);
}

/// True for a body that a contact of this step has found deep in a fixed or kinematic one.
bool World::State::Sweep::is_pressed(std::uint32_t slot) const {
    const Body& body = s.bodies[slot];
    const float deep = std::max(settings::continuous_pressed * body.inner_radius, settings::continuous_pressed_least);
    if (!(s.solver.max_penetration() > deep)) return false;
    for (std::uint32_t p = body.first_pair; p != null_index;) {
        const Pair& pair = s.contacts.pairs[p];
        if (s.bodies[other_body(pair, slot)].is_dynamic()) break;  // those come last
        bool pressed = false;
        for_each_contact(s.contacts, p, [&](std::uint32_t c) {
            if (s.contacts.states[c].sensor || !s.has_manifold(c)) return;
            const Manifold& manifold = s.contacts.caches[c].manifold;
            for (int i = 0; i < manifold.count; ++i) pressed = pressed || manifold.points[i].separation < -deep;
        });
        if (pressed) return true;
        p = pair.next[side_of(pair, slot)];
    }
    return false;
}

bool World::State::Sweep::may_meet(std::uint32_t slot, std::uint32_t other, bool dynamic_too) const {
    return other != slot && (dynamic_too || !s.bodies[other].is_dynamic()) && !s.joints.disables_collision(slot, other);
}

World::State::Sweep::Part World::State::Sweep::part_of(std::uint32_t shape, std::uint32_t triangle) const {
    Part part;
    const ShapeDef& of_shape = s.shapes.defs[shape];
    part.material = &of_shape.material;
    if (!of_shape.mesh) {
        part.shape = part.obstacle = of_shape.shape;
        return part;
    }
    const detail::PlacedTriangle placed = detail::place_triangle(*of_shape.mesh, triangle);
    part.shape = placed.shape;
    part.surface = placed.surface;
    part.middle = placed.middle;
    part.triangle = triangle;
    if (placed.material < of_shape.mesh_materials.size()) part.material = &of_shape.mesh_materials[placed.material];
    return part;
}

/// Of a shape and a mesh through which its middle was pressed.
const MeshPatch* World::State::Sweep::patch_gone_through(std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                                         std::uint32_t shape) const {
    if (!s.any_through || !s.shapes.defs[shape].mesh) return nullptr;
    const std::uint32_t p = s.contacts.find_pair(s.bodies, slot, other);
    const std::uint32_t k = p != null_index ? s.contacts.find_patch(p, own, shape) : null_index;
    return k != null_index && s.contacts.patches[k].through ? &s.contacts.patches[k] : nullptr;
}

/// A triangle that a shape has got through by more than half is taken for as deep as the shape is in, and as going on
/// below the walls around it: a way out through its back is none.
void World::State::Sweep::hold_what_went_through(Part& part, const RigidMotion& motion, const Shape& own,
                                                 const RigidMotion& own_motion, float depth) const {
    if (!detail::grow_where_sunk(part.shape, part.surface, part.place, depth, bounding_radius(own), part.obstacle))
        part.obstacle = part.shape;
    const Frame to_part = to_frame(relative(part.motion(motion).start, own_motion.start));
    const vec3 middle = transform_point(to_part, vec3(detail::inside_of(own)));
    vec3 n = part.surface.normal;
    const vec3& plane = part.shape.points[0];
    if (glm::dot(part.place - plane, n) < 0.0f) {
        if (!part.surface.two_sided) return;
        n = -n;
    }
    if (glm::dot(middle - plane, n) < 0.0f) sink(part, n, motion, own, own_motion);
}

/// Moves a triangle back to where a shape, which belongs on the side of its normal `n`, is in by nothing.
void World::State::Sweep::sink(Part& part, const vec3& n, const RigidMotion& motion, const Shape& own,
                               const RigidMotion& own_motion) const {
    const Frame to_part = to_frame(relative(part.motion(motion).start, own_motion.start));
    const vec3 d = transpose_mul(to_part.rotation, -n);
    const vec3 lowest = transform_point(to_part, support(own, d).point);
    const float low = glm::dot(lowest - part.shape.points[0], n) - own.radius;
    for (vec3& point : part.obstacle.points) point += std::min(low, 0.0f) * n;
    part.sunk = true;
}

/// The normal of a triangle, its frame, on the side on which a shape that overlaps it at the start belongs, if `normal`
/// (world) leads out by the other one: once it is in by more than half, the shortest way out is by the back. Zero else,
/// and where that side is unknown.
vec3 World::State::Sweep::side_against(const Part& part, const vec3& normal, const RigidMotion& motion,
                                       std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                       std::uint32_t mesh) const {
    const vec3& n = part.surface.normal;
    const float out = glm::dot(inverse_rotate(motion.start.rotation, normal), n);
    if (std::abs(out) < tolerance::surface_held) return vec3(0.0f);
    if (!part.surface.two_sided) return out < 0.0f ? n : vec3(0.0f);
    const std::uint32_t p = s.contacts.find_pair(s.bodies, slot, other);
    const std::uint32_t k = p != null_index ? s.contacts.find_patch(p, own, mesh) : null_index;
    if (k == null_index) return vec3(0.0f);
    for (std::uint32_t c = s.contacts.pairs[p].first_contact; c != null_index; c = s.contacts.states[c].next_in_pair) {
        const PairRecord& record = s.contacts.records[c];
        if (s.contacts.states[c].patch != k || record.state != PairState::touching) continue;
        const bool is_a = s.shapes.is_triangle(record.a);
        if (s.shapes.triangles[is_a ? record.a : record.b].triangle != part.triangle) continue;
        const quat& frame = s.colliders.poses[record.a].rotation;
        const vec3 facing =
            inverse_rotate(s.colliders.poses[mesh].rotation, rotate(frame, s.contacts.caches[c].manifold.normal));
        const float along = is_a ? glm::dot(facing, n) : -glm::dot(facing, n);
        if (std::abs(along) < tolerance::surface_held || along * out > 0.0f) break;
        return along > 0.0f ? n : -n;
    }
    return vec3(0.0f);
}

/// Calls visit(part) for the obstacle's shape, or for those triangles of its mesh that a shape of the body may come to
/// while both move as said.
template <class Visit>
void World::State::Sweep::for_each_part(std::uint32_t shape, const RigidMotion& motion, std::uint32_t own,
                                        const RigidMotion& own_motion, std::uint32_t slot, float duration,
                                        std::vector<std::uint32_t>& triangles, Visit&& visit) const {
    const ShapeDef& of_shape = s.shapes.defs[shape];
    if (!of_shape.mesh) {
        Part part = part_of(shape, null_index);
        visit(part);
        return;
    }
    // As the mesh sees it: from where it is to where it will be, and how far it may be off the straight way between
    // (bend_against says why).
    const auto box_at = [&](float time) {
        const Frame frame = to_frame(relative(pose_at(motion, time), pose_at(own_motion, time)));
        return transform_box(frame, s.shapes.local_boxes[own]);
    };
    const float turn = duration * length(own_motion.angular_velocity);
    const float mesh_turn = duration * length(motion.angular_velocity);
    const float radius = length(own_motion.center) + bounding_radius(s.shapes.defs[own].shape);
    const float way = duration * length(own_motion.linear_velocity - motion.linear_velocity);
    const vec3 between =
        transform_point(own_motion.start, own_motion.center) - transform_point(motion.start, motion.center);
    const float far = length(between) + way + radius;
    const float bent =
        0.125f * (mesh_turn * mesh_turn * far + 2.0f * mesh_turn * (way + turn * radius) + turn * turn * radius);
    triangles.clear();
    const float depth = allowed_depth(slot);
    const float reach = bent + grown_by * depth;
    of_shape.mesh->find(expand(merge(box_at(0.0f), box_at(duration)), reach), triangles);
    for (const std::uint32_t t : triangles) {
        Part part = part_of(shape, t);
        visit(part);
    }
}

/// True where the plane of a triangle that stands still shows that the shape gets through it nowhere by as much as it
/// may, or where what is behind a one-sided triangle from the start has nothing to fear from it.
bool World::State::Sweep::stays_in_front(const Part& part, const RigidMotion& motion_j, const Shape& own,
                                         const RigidMotion& motion_i, float duration, float depth) const {
    if (part.triangle == null_index) return false;
    const Transform at = part.motion(motion_j).start;
    const vec3 plane = transform_point(at, part.shape.points[0]);
    vec3 n = rotate(at.rotation, part.surface.normal);
    const vec3 middle =
        part.through ? transform_point(at, part.place) : transform_point(motion_i.start, vec3(detail::inside_of(own)));
    if (glm::dot(middle - plane, n) < 0.0f) {
        if (!part.surface.two_sided) return true;
        n = -n;
    }
    if (motion_j.linear_velocity != vec3(0.0f) || motion_j.angular_velocity != vec3(0.0f)) return false;
    const auto gap = [&](const Transform& pose) {
        const vec3 d = inverse_rotate(pose.rotation, -n);
        return glm::dot(pose.position - plane, n) - glm::dot(support(own, d).point, d) - own.radius;
    };
    const float turn2 = duration * duration * length_squared(motion_i.angular_velocity);
    const float bent = 0.125f * turn2 * (length(motion_i.center) + bounding_radius(own));
    return std::min(gap(motion_i.start), gap(pose_at(motion_i, duration))) - bent > -depth;
}

/// How much farther along the normal of a meeting, against it, a shape gets than the obstacle goes, m: from the start of
/// their motions to a time.
float World::State::Sweep::drop(const vec3& normal, const vec3& on_obstacle, const RigidMotion& obstacle,
                                const Shape& shape, const RigidMotion& motion, float time) {
    const auto height = [&](const Transform& pose) {
        const vec3 d = inverse_rotate(pose.rotation, -normal);
        return glm::dot(normal, pose.position) - glm::dot(d, support(shape, d).point);
    };
    const vec3 arm = on_obstacle - transform_point(obstacle.start, obstacle.center);
    const vec3 velocity = obstacle.linear_velocity + glm::cross(obstacle.angular_velocity, arm);
    return height(motion.start) - height(pose_at(motion, time)) + time * glm::dot(normal, velocity);
}

/// `but`: an obstacle that does not count.
World::State::Sweep::Meeting World::State::Sweep::first_meeting(const Path& path, bool dynamic_too,
                                                                SweepScratch& scratch, std::uint32_t but) const {
    const Body& body = s.bodies[path.slot];
    Meeting first;
    first.time = dt - path.from;
    const vec3 start = path.motion.start.position, end = start + first.time * path.motion.linear_velocity;
    const float reach = body.radius + (dynamic_too ? s.largest_motion : s.largest_kinematic_motion);
    const Aabb box = expand(Aabb{glm::min(start, end), glm::max(start, end)}, reach);
    scratch.near.clear();
    s.broadphase.query(box, [&](std::uint32_t other) {
        if (other != but && may_meet(path.slot, other, dynamic_too)) scratch.near.push_back(other);
    });
    const float depth = allowed_depth(path.slot);
    for (const std::uint32_t other : scratch.near) {
        const Body& obstacle = s.bodies[other];
        // Two dynamic bodies that overlap are pushed apart later; a body behind a wall is lost.
        const float deepest = obstacle.is_dynamic() ? std::numeric_limits<float>::infinity()
                                                    : std::max(settings::continuous_deepest * body.inner_radius,
                                                               settings::continuous_deepest_least);
        const RigidMotion obstacle_motion = motion_from(other, path.from);
        for (std::uint32_t j = obstacle.first_shape; j < obstacle.first_shape + obstacle.shape_count; ++j) {
            const ShapeDef& of_obstacle = s.shapes.defs[j];
            const RigidMotion motion_j = shape_motion(obstacle_motion, obstacle, j);
            for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
                const ShapeDef& of_body = s.shapes.defs[i];
                if (of_obstacle.sensor || of_body.sensor || !should_collide(of_obstacle.filter, of_body.filter))
                    continue;
                const RigidMotion motion_i = shape_motion(path.motion, body, i);
                const MeshPatch* const through = patch_gone_through(path.slot, i, other, j);
                for_each_part(j, motion_j, i, motion_i, path.slot, first.time, scratch.triangles, [&](Part& part) {
                    if (through != nullptr) part.place = through->place - part.middle;
                    part.through = through != nullptr;
                    const SweepScratch::Pairing pairing{i, j, part.triangle};
                    if (std::find(scratch.let_through.begin(), scratch.let_through.end(), pairing) !=
                        scratch.let_through.end())
                        return;
                    if (stays_in_front(part, motion_j, of_body.shape, motion_i, first.time, depth)) return;
                    if (part.through) {
                        hold_what_went_through(part, motion_j, of_body.shape, motion_i, depth);
                    } else if (part.triangle != null_index) {
                        part.obstacle = detail::grown_over_level_edges(part.shape, part.surface, grown_by * depth);
                    }
                    const RigidMotion motion_part = part.motion(motion_j);
                    const auto eased = std::count(scratch.eased.begin(), scratch.eased.end(), pairing);
                    TimeOfImpact toi;
                    bool pressed = false;
                    const auto meets = [&](const Shape& solid) {
                        // A triangle that was moved back is passed by more than half already.
                        const float most = part.sunk ? 0.0f : deepest;
                        const float wanted = depth * static_cast<float>(1 + eased);
                        ToiSettings question{.duration = first.time, .target_distance = -std::min(wanted, most)};
                        const Shape* against = &solid;
                        pressed = wanted > most;
                        toi = time_of_impact(solid, motion_part, of_body.shape, motion_i, question);
                        if (toi.status == ToiStatus::initially_overlapping) {
                            if (part.triangle != null_index && !part.sunk) {
                                const vec3 side = side_against(part, toi.normal, motion_part, path.slot, i, other, j);
                                if (side != vec3(0.0f)) {
                                    part.obstacle = solid;
                                    against = &part.obstacle;
                                    sink(part, side, motion_j, of_body.shape, motion_i);
                                    question.target_distance = 0.0f;
                                    pressed = true;
                                    toi = time_of_impact(*against, motion_part, of_body.shape, motion_i, question);
                                }
                            }
                            if (toi.status == ToiStatus::initially_overlapping && !part.sunk) {
                                const float left = std::max(deepest + toi.separation, 0.0f);
                                question.target_distance = toi.separation - std::min(depth, left);
                                pressed = left < depth;
                                toi = time_of_impact(*against, motion_part, of_body.shape, motion_i, question);
                            }
                        }
                        if (pressed && toi.time == 0.0f && toi.status != ToiStatus::separated) {
                            // It is as deep as it may get, to the tolerance, but may slide and turn there.
                            const float lost =
                                drop(toi.normal, toi.point_a, motion_part, of_body.shape, motion_i, first.time);
                            if (lost > settings::continuous_drop * depth) {
                                toi.status = ToiStatus::hit;
                            } else {
                                question.target_distance = toi.separation - depth;
                                toi = time_of_impact(*against, motion_part, of_body.shape, motion_i, question);
                            }
                        }
                        if (toi.status != ToiStatus::hit && toi.status != ToiStatus::iteration_cap) return false;
                        return first.other == null_index || toi.time < first.time;
                    };
                    // Beside the surface's own normals: the neighbours see to it, or the face is meant.
                    const auto is_own = [&] {
                        const quat at = pose_at(motion_part, toi.time).rotation;
                        const vec3 d = inverse_rotate(at, toi.normal);
                        const detail::NormalOf owner = detail::owner_of_normal(part.shape, part.surface, d);
                        if (owner == detail::NormalOf::surface) return true;
                        const float along = glm::dot(d, part.surface.normal);
                        if (owner == detail::NormalOf::neighbour || std::abs(along) < tolerance::surface_held)
                            return false;
                        toi.normal = rotate(at, along < 0.0f ? -part.surface.normal : part.surface.normal);
                        return true;
                    };
                    if (!meets(part.obstacle)) return;
                    if (part.triangle != null_index && !is_own()) {
                        // What has sunk into a neighbour meets the triangle's edge first, and its face later.
                        Shape grown;
                        if (part.through || part.sunk) return;
                        const vec3 middle = inverse_transform_point(
                            motion_part.start, transform_point(motion_i.start, vec3(detail::inside_of(of_body.shape))));
                        if (!detail::grow_where_sunk(part.shape, part.surface, middle, depth,
                                                     bounding_radius(of_body.shape), grown) ||
                            !meets(grown) || !is_own())
                            return;
                    }
                    first = {toi.time, other, i, j, part.triangle, pressed, toi};
                });
            }
        }
    }
    return first;
}

/// Sensors that the body enters and leaves again on its path are reported; those it starts or ends in are left to the
/// contacts.
void World::State::Sweep::pass_sensors(const Path& path, float duration, SweepScratch& scratch,
                                       std::vector<Impact>& found) const {
    const Body& body = s.bodies[path.slot];
    const auto apart = [&](const Shape& a, const RigidMotion& ma, const Shape& b, const RigidMotion& mb, float time) {
        RigidMotion still_a, still_b;
        still_a.start = pose_at(ma, time);
        still_b.start = pose_at(mb, time);
        return !time_of_impact(a, still_a, b, still_b, {.duration = 0.0f});
    };
    for (const std::uint32_t other : scratch.near) {
        const Body& obstacle = s.bodies[other];
        const RigidMotion obstacle_motion = motion_from(other, path.from);
        for (std::uint32_t j = obstacle.first_shape; j < obstacle.first_shape + obstacle.shape_count; ++j) {
            for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
                const ShapeDef &of_obstacle = s.shapes.defs[j], &of_body = s.shapes.defs[i];
                if (of_obstacle.sensor == of_body.sensor || !should_collide(of_obstacle.filter, of_body.filter))
                    continue;
                const RigidMotion motion_j = shape_motion(obstacle_motion, obstacle, j);
                const RigidMotion motion_i = shape_motion(path.motion, body, i);
                // Of a mesh the first triangle that it enters, if it is in none at the end.
                TimeOfImpact first;
                bool out = true;
                for_each_part(j, motion_j, i, motion_i, path.slot, duration, scratch.triangles, [&](const Part& part) {
                    const RigidMotion motion_part = part.motion(motion_j);
                    const TimeOfImpact toi =
                        time_of_impact(part.shape, motion_part, of_body.shape, motion_i, {.duration = duration});
                    out = out && toi.status != ToiStatus::initially_overlapping &&
                          apart(part.shape, motion_part, of_body.shape, motion_i, duration);
                    if (toi.status == ToiStatus::hit && (first.status != ToiStatus::hit || toi.time < first.time))
                        first = toi;
                });
                if (first.status == ToiStatus::hit && out)
                    found.push_back(
                        {path.slot, i, other, j, null_index, true, first.point_b, first.normal, 0.0f, 0.0f});
            }
        }
    }
}

}  // namespace talus
