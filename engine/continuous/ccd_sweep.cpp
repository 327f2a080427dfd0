#include "engine/continuous/ccd_sweep.h"

#include <talus/narrowphase/support.h>
#include "engine/mesh_contacts/seams.h"
#include "engine/settings.h"
#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/axis_to_point.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Triangles stop fast shapes up to this far beyond their level edges, in depths that the shape may overlap by.
constexpr float edge_growth = 2.0f;

}  // namespace

/// The corners that grow move by up to twice the growth of the edges, in the triangle's plane.
float largest_triangle_growth(float depth) { return 2.0f * edge_growth * depth; }

bool ball_passes_triangle(const vec3 (&corners)[3], const vec3& normal, const vec3& from, const vec3& to, float gap,
                          float depth) {
    if (std::min(glm::dot(from - corners[0], normal), glm::dot(to - corners[0], normal)) > gap) return true;
    const float grown = largest_triangle_growth(depth);
    const Aabb box = expand(Aabb{glm::min(from, to), glm::max(from, to)}, gap + grown);
    const Aabb own{glm::min(corners[0], glm::min(corners[1], corners[2])),
                   glm::max(corners[0], glm::max(corners[1], corners[2]))};
    if (!overlaps(box, own)) return true;
    // From the middle of the path, and if that fails, from the end that is nearer along this axis.
    vec3 place = 0.5f * (from + to);
    for (int i = 0; i < 2; ++i) {
        const vec3 axis = detail::axis_to_point(corners, place);
        const float at_from = detail::gap_along(axis, corners, from), at_to = detail::gap_along(axis, corners, to);
        const float more = std::min(at_from, at_to) - gap;
        const float along = glm::dot(axis, normal);
        if (more > 0.0f && more * more > grown * grown * (1.0f - along * along)) return true;
        place = at_from < at_to ? from : to;
    }
    return false;
}

// ---- paths ----------------------------------------------------------------------------------------------------------

const Path* Paths::find(std::uint32_t slot) const {
    const auto found = std::find_if(paths_.begin(), paths_.end(), [&](const Path& path) { return path.slot == slot; });
    return found != paths_.end() ? &*found : nullptr;
}

void Paths::put(const Path& path) {
    const auto known =
        std::find_if(paths_.begin(), paths_.end(), [&](const Path& other) { return other.slot == path.slot; });
    if (known != paths_.end()) {
        *known = path;
    } else {
        paths_.push_back(path);
    }
}

/// A body that an impact has deflected later than at `from` stands still at the start of its new path. Its earlier path
/// is no longer known; along the new one it would be carried on for longer than to the end of the step, farther than it
/// was swept.
Path CcdSweep::path_from(std::uint32_t slot, float from) const {
    const Path* const deflected = paths_.find(slot);
    Path path = deflected != nullptr ? *deflected : in_.step_path(slot);
    RigidMotion& motion = path.motion;
    const float since = from - path.from;
    if (since < 0.0f) {
        motion.linear_velocity = motion.angular_velocity = vec3(0.0f);
    } else {
        motion.start = pose_at(motion, since);
    }
    path.from = from;
    return path;
}

float depth_growth(const vec3& normal, const vec3& on_obstacle, const RigidMotion& obstacle, const Shape& shape,
                   const RigidMotion& motion, float time) {
    const auto height = [&](const Transform& pose) {
        const vec3 d = inverse_rotate(pose.rotation, -normal);
        return glm::dot(normal, pose.position) - glm::dot(d, support(shape, d).point);
    };
    const vec3 arm = on_obstacle - transform_point(obstacle.start, obstacle.center);
    const vec3 velocity = obstacle.linear_velocity + glm::cross(obstacle.angular_velocity, arm);
    return height(motion.start) - height(pose_at(motion, time)) + time * glm::dot(normal, velocity);
}

// ---- parts of an obstacle -------------------------------------------------------------------------------------------

const Material& CcdSweep::material_of(std::uint32_t shape, std::uint32_t triangle) const {
    const ShapeDef& def = in_.shapes.defs[shape];
    if (!def.mesh || def.mesh_materials.empty() || triangle == null_index) return def.material;
    const std::uint32_t material = def.mesh->triangle(triangle).material;
    return material < def.mesh_materials.size() ? def.mesh_materials[material] : def.material;
}

ObstaclePart CcdSweep::part_of(std::uint32_t shape, std::uint32_t triangle) const {
    ObstaclePart part;
    const ShapeDef& def = in_.shapes.defs[shape];
    part.material = &def.material;
    if (!def.mesh) {
        part.shape = part.obstacle = def.shape;
        return part;
    }
    const detail::PlacedTriangle placed = detail::place_triangle(*def.mesh, triangle);
    part.shape = placed.shape;
    part.surface = placed.surface;
    part.middle = placed.middle;
    part.triangle = triangle;
    if (placed.material < def.mesh_materials.size()) part.material = &def.mesh_materials[placed.material];
    return part;
}

/// Finds the triangles of a mesh that the swept shape may come near within `duration`. Finds none in other shapes.
void CcdSweep::find_triangles(const Query& q, float duration, std::vector<std::uint32_t>& triangles) const {
    triangles.clear();
    const ShapeDef& def = in_.shapes.defs[q.other_shape];
    if (!def.mesh) return;
    // In the mesh's frame: the boxes at the start and at the end, and how far the shape may be from the straight line
    // between the two (relative_arc_deviation).
    const RigidMotion &motion = q.other_motion, &own_motion = q.own_motion;
    const auto box_at = [&](float time) {
        const MatrixTransform frame = to_matrix_transform(relative(pose_at(motion, time), pose_at(own_motion, time)));
        return transform_box(frame, in_.shapes.locals[q.own_shape].box);
    };
    const float angle = duration * glm::length(own_motion.angular_velocity);
    const float mesh_angle = duration * glm::length(motion.angular_velocity);
    const float radius = glm::length(own_motion.center) + bounding_radius(q.own);
    const float distance = duration * glm::length(own_motion.linear_velocity - motion.linear_velocity);
    const vec3 between =
        transform_point(own_motion.start, own_motion.center) - transform_point(motion.start, motion.center);
    const float reach = glm::length(between) + distance + radius;
    const float deviation = relative_arc_deviation(angle, radius, distance, mesh_angle, reach);
    def.mesh->find(expand(merge(box_at(0.0f), box_at(duration)), deviation + edge_growth * q.depth), triangles);
}

/// Drops the triangles that the shape cannot hit, as planes show: the mesh does not move and the shape gets no deeper
/// than it may, or the shape starts behind a one-sided triangle. The planes are those of the triangles; for a ball, also
/// those across other axes.
void CcdSweep::drop_triangles_behind(const Query& q, float duration, std::vector<std::uint32_t>& triangles) const {
    if (triangles.empty()) return;
    const TriangleSet& mesh = *in_.shapes.defs[q.other_shape].mesh;
    const bool two_sided = mesh.is_two_sided();
    const bool still = q.other_motion.linear_velocity == vec3(0.0f) && q.other_motion.angular_velocity == vec3(0.0f);
    const Transform start = relative(q.other_motion.start, q.own_motion.start);
    const Transform end = relative(q.other_motion.start, pose_at(q.own_motion, duration));
    const vec3 middle =
        q.passed != nullptr ? q.passed->side_point : transform_point(start, vec3(detail::inside_of(q.own)));
    const float angle2 = duration * duration * length_squared(q.own_motion.angular_velocity);
    const float deviation = 0.125f * angle2 * (glm::length(q.own_motion.center) + bounding_radius(q.own));
    const bool is_ball = q.own.type == ShapeType::sphere;
    const float ball_gap = q.own.radius - q.depth + 0.125f * angle2 * glm::length(q.own_motion.center);
    std::erase_if(triangles, [&](std::uint32_t t) {
        const SetTriangle triangle = mesh.triangle(t);
        const vec3& plane = triangle.points[0];
        vec3 n = triangle.normal;
        if (glm::dot(middle - plane, n) < 0.0f) {
            if (!two_sided) return true;
            n = -n;
        }
        if (!still) return false;
        if (is_ball) return ball_passes_triangle(triangle.points, n, start.position, end.position, ball_gap, q.depth);
        const auto gap = [&](const Transform& pose) {
            const vec3 d = inverse_rotate(pose.rotation, -n);
            return glm::dot(pose.position - plane, n) - glm::dot(support(q.own, d).point, d) - q.own.radius;
        };
        return std::min(gap(start), gap(end)) - deviation > -q.depth;
    });
}

/// Calls visit(part) for the obstacle's shape, or for these triangles of its mesh.
template <class Visit>
void CcdSweep::for_each_part(const Query& q, std::span<const std::uint32_t> triangles, Visit&& visit) const {
    if (!in_.shapes.defs[q.other_shape].mesh) {
        ObstaclePart part = part_of(q.other_shape, null_index);
        visit(part);
        return;
    }
    for (const std::uint32_t t : triangles) {
        ObstaclePart part = part_of(q.other_shape, t);
        visit(part);
    }
}

/// Returns the contact state of a shape and a mesh through which its middle was pressed, else null.
const MeshContact* CcdSweep::passed_mesh_contact(std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                                 std::uint32_t mesh) const {
    if (!in_.any_pressed_through || !in_.shapes.defs[mesh].mesh) return nullptr;
    const ContactTable& contacts = in_.contacts;
    const std::uint32_t p = contacts.find_pair(in_.bodies, slot, other);
    const std::uint32_t k = p != null_index ? contacts.find_mesh_contact(p, own, mesh) : null_index;
    return k != null_index && contacts.mesh_contacts[k].pressed_through ? &contacts.mesh_contacts[k] : nullptr;
}

/// Prepares a triangle of a mesh through which the middle of the shape was pressed. The triangle is moved to where the
/// shape only touches it, and grown below the walls around it. So the shape gets no deeper, and cannot leave through
/// the back.
void CcdSweep::hold_passed_shape(const Query& q, ObstaclePart& part) const {
    if (!detail::grow_where_sunk(part.shape, part.surface, part.front_point, q.depth, bounding_radius(q.own),
                                 part.obstacle))
        part.obstacle = part.shape;
    const MatrixTransform to_part =
        to_matrix_transform(relative(part.motion(q.other_motion).start, q.own_motion.start));
    const vec3 middle = transform_point(to_part, vec3(detail::inside_of(q.own)));
    vec3 n = part.surface.normal;
    const vec3& plane = part.shape.points[0];
    if (glm::dot(part.front_point - plane, n) < 0.0f) {
        if (!part.surface.two_sided) return;
        n = -n;
    }
    if (glm::dot(middle - plane, n) < 0.0f) move_back(q, part, n);
}

/// Moves a triangle back to where the shape only touches it. The shape belongs on the side of the normal `n` (part's
/// frame).
void CcdSweep::move_back(const Query& q, ObstaclePart& part, const vec3& n) const {
    const MatrixTransform to_part =
        to_matrix_transform(relative(part.motion(q.other_motion).start, q.own_motion.start));
    const vec3 d = transpose_mul(to_part.rotation, -n);
    const vec3 lowest = transform_point(to_part, support(q.own, d).point);
    const float low = glm::dot(lowest - part.shape.points[0], n) - q.own.radius;
    for (vec3& point : part.obstacle.points) point += std::min(low, 0.0f) * n;
    part.moved_back = true;
}

/// The shape overlaps a triangle at the start, and the shortest way out is along `normal` (world). Once the shape is in
/// by more than half, that leads out at the back. Then returns the triangle's normal on the side where the shape
/// belongs, in the part's frame. Returns zero if `normal` leads out at that side, or if the side is not known.
vec3 CcdSweep::side_where_it_belongs(const Query& q, const ObstaclePart& part, const vec3& normal,
                                     const RigidMotion& motion) const {
    const vec3& n = part.surface.normal;
    const float out = glm::dot(inverse_rotate(motion.start.rotation, normal), n);
    if (std::abs(out) < tolerance::surface_held) return vec3(0.0f);
    if (!part.surface.two_sided) return out < 0.0f ? n : vec3(0.0f);
    const ContactTable& contacts = in_.contacts;
    const std::uint32_t p = contacts.find_pair(in_.bodies, q.slot, q.other);
    const std::uint32_t k = p != null_index ? contacts.find_mesh_contact(p, q.own_shape, q.other_shape) : null_index;
    if (k == null_index || contacts.mesh_contacts[k].by_features) return vec3(0.0f);
    for (std::uint32_t c = contacts.mesh_contacts[k].first_contact; c != null_index;
         c = contacts.states[c].next_in_mesh_contact) {
        const PairRecord& record = contacts.records[c];
        if (record.state != PairState::touching) continue;
        const bool is_a = in_.shapes.is_triangle(record.a);
        const std::uint32_t slot = is_a ? record.a : record.b;
        const TrianglePlace& place = in_.shapes.triangles[slot];
        const bool is_part =
            place.is_facet() ? glm::dot(in_.colliders.surface_triangles[slot].normal, n) >= settings::same_facet_normal
                             : place.triangle == part.triangle;
        if (!is_part) continue;
        const quat& frame = in_.colliders.poses[record.a].rotation;
        const vec3 facing =
            inverse_rotate(in_.colliders.poses[q.other_shape].rotation, rotate(frame, contacts.manifold(c).normal));
        const float along = is_a ? glm::dot(facing, n) : -glm::dot(facing, n);
        if (std::abs(along) < tolerance::surface_held || along * out > 0.0f) break;
        return along > 0.0f ? n : -n;
    }
    return vec3(0.0f);
}

// ---- the first hit --------------------------------------------------------------------------------------------------

namespace {

/// True if the normal of a hit belongs to the triangle. A normal that belongs to a neighbour does not: either the sweep
/// hits the neighbour, or the triangle's face is meant, and the normal becomes the face's.
bool is_own_normal(const ObstaclePart& part, const RigidMotion& motion, TimeOfImpact& toi) {
    const quat at = pose_at(motion, toi.time).rotation;
    const vec3 d = inverse_rotate(at, toi.normal);
    const detail::NormalOf owner = detail::owner_of_normal(part.shape, part.surface, d);
    if (owner == detail::NormalOf::surface) return true;
    const float along = glm::dot(d, part.surface.normal);
    if (owner == detail::NormalOf::neighbour || std::abs(along) < tolerance::surface_held) return false;
    toi.normal = rotate(at, along < 0.0f ? -part.surface.normal : part.surface.normal);
    return true;
}

}  // namespace

/// True if the shape is a ball that gets into the obstacle nowhere on its path by as much as `depth`: a ball on a
/// straight path sweeps a capsule, whose depth has a closed form.
bool CcdSweep::ball_stays_out(const Query& q, const Shape& obstacle, const RigidMotion& motion, float depth,
                              float duration) {
    if (q.own.type != ShapeType::sphere || motion.angular_velocity != vec3(0.0f) ||
        !has_closed_form(ShapeType::capsule, obstacle.type))
        return false;
    const vec3 end = pose_at(q.own_motion, duration).position - duration * motion.linear_velocity;
    const vec3 from = inverse_transform_point(motion.start, q.own_motion.start.position);
    const vec3 to = inverse_transform_point(motion.start, end);
    const Shape swept = from != to ? segment(from, to, q.own.radius) : sphere(q.own.radius);
    const vec3 at = from != to ? vec3(0.0f) : from;
    const float deviation =
        0.125f * duration * duration * length_squared(q.own_motion.angular_velocity) * glm::length(q.own_motion.center);
    return closed_form(obstacle, swept, MatrixTransform{at}).separation - deviation > -depth;
}

/// Returns when a shape gets as deep into a part as it may: by `wanted_depth`, or by less where it would pass the
/// body's maximum. `solid` is the part's obstacle, or that shape grown. A shape that is too deep from the start may get
/// deeper by the allowed depth, up to the maximum.
TimeOfImpact CcdSweep::time_of_hit(const Query& q, ObstaclePart& part, const Shape& solid, const RigidMotion& motion,
                                   float wanted_depth, float duration, bool& at_max_depth) const {
    const float max_depth = part.moved_back ? 0.0f : q.max_depth;  // one that was moved back is passed by half already
    ToiSettings question{.duration = duration, .target_distance = -std::min(wanted_depth, max_depth)};
    const Shape* against = &solid;
    at_max_depth = wanted_depth > max_depth;
    TimeOfImpact toi = time_of_impact(solid, motion, q.own, q.own_motion, question);
    if (toi.status == ToiStatus::initially_overlapping) {
        if (part.triangle != null_index && !part.moved_back) {
            const vec3 side = side_where_it_belongs(q, part, toi.normal, motion);
            if (side != vec3(0.0f)) {
                part.obstacle = solid;
                against = &part.obstacle;
                move_back(q, part, side);
                question.target_distance = 0.0f;
                at_max_depth = true;
                toi = time_of_impact(*against, motion, q.own, q.own_motion, question);
            }
        }
        if (toi.status == ToiStatus::initially_overlapping && !part.moved_back) {
            const float left = std::max(q.max_depth + toi.separation, 0.0f);
            question.target_distance = toi.separation - std::min(q.depth, left);
            at_max_depth = left < q.depth;
            toi = time_of_impact(*against, motion, q.own, q.own_motion, question);
        }
    }
    if (at_max_depth && toi.time == 0.0f && toi.status != ToiStatus::separated) {
        // To the tolerance, it is at its maximum from the start. It may slide and turn there, unless that takes it
        // deeper.
        const float growth = depth_growth(toi.normal, toi.point_a, motion, q.own, q.own_motion, duration);
        if (growth > settings::continuous_drop * q.depth) {
            toi.status = ToiStatus::hit;
        } else {
            question.target_distance = toi.separation - q.depth;
            toi = time_of_impact(*against, motion, q.own, q.own_motion, question);
        }
    }
    return toi;
}

/// True if the hit is on an edge of a mesh where another mesh goes on (mesh_contacts/seams.h).
bool CcdSweep::other_mesh_goes_on(const Query& q, const ObstaclePart& part, const RigidMotion& motion,
                                  const TimeOfImpact& toi, const SweepScratch& scratch) const {
    const vec3 across = rotate(pose_at(motion, toi.time).rotation, part.surface.normal);
    if (std::abs(glm::dot(toi.normal, across)) >= tolerance::surface_face) return false;
    const vec3 half = half_extents(in_.shapes.boxes[q.own_shape]), far = absolute(part.middle);
    const float tolerance = seam_tolerance(std::max({half.x, half.y, half.z}),
                                           std::max({far.x, far.y, far.z}) + bounding_radius(part.shape));
    const ContactView view{in_.bodies, in_.shapes, in_.colliders, in_.contacts};
    std::vector<std::uint32_t> found;
    return std::any_of(scratch.near.begin(), scratch.near.end(), [&](std::uint32_t other) {
        return other_mesh_rises(view, in_.bodies[other], q.other_shape, q.own_shape,
                                displaced(q.path.origin, toi.point_a), toi.normal, tolerance, found);
    });
}

/// Makes `first` the hit on this part, if that is earlier.
void CcdSweep::hit_part(const Query& q, ObstaclePart& part, const SweepScratch& scratch, SweepHit& first) const {
    if (q.passed != nullptr) part.front_point = q.passed->side_point - part.middle;
    part.passed = q.passed != nullptr;
    const ShapePair pair{q.own_shape, q.other_shape, part.triangle};
    if (std::find(scratch.disabled.begin(), scratch.disabled.end(), pair) != scratch.disabled.end()) return;
    if (part.passed) {
        hold_passed_shape(q, part);
    } else if (part.triangle != null_index) {
        part.obstacle = detail::grown_over_level_edges(part.shape, part.surface, edge_growth * q.depth);
    }
    const RigidMotion motion = part.motion(q.other_motion);
    const auto resting = std::count(scratch.resting.begin(), scratch.resting.end(), pair);
    const float wanted_depth = q.depth * static_cast<float>(1 + resting);
    TimeOfImpact toi;
    bool at_max_depth = false;
    const auto is_earlier_on = [&](const Shape& solid) {
        const float depth = std::min(wanted_depth, part.moved_back ? 0.0f : q.max_depth);
        if (ball_stays_out(q, solid, motion, depth, first.time)) return false;
        toi = time_of_hit(q, part, solid, motion, wanted_depth, first.time, at_max_depth);
        if (toi.status != ToiStatus::hit && toi.status != ToiStatus::iteration_cap) return false;
        return !first || toi.time < first.time;
    };
    if (!is_earlier_on(part.obstacle)) return;
    if (part.triangle != null_index && !is_own_normal(part, motion, toi)) {
        // A shape that has sunk into a neighbour hits the triangle's edge first, and its face later.
        if (part.passed || part.moved_back) return;
        const vec3 middle =
            inverse_transform_point(motion.start, transform_point(q.own_motion.start, vec3(detail::inside_of(q.own))));
        Shape grown;
        if (!detail::grow_where_sunk(part.shape, part.surface, middle, q.depth, bounding_radius(q.own), grown) ||
            !is_earlier_on(grown) || !is_own_normal(part, motion, toi))
            return;
    }
    if (part.triangle != null_index && other_mesh_goes_on(q, part, motion, toi, scratch)) return;
    first = {.time = toi.time,
             .other = q.other,
             .shape = q.own_shape,
             .other_shape = q.other_shape,
             .triangle = part.triangle,
             .at_max_depth = at_max_depth,
             .toi = toi};
}

SweepHit CcdSweep::first_hit(const Path& path, bool dynamic_too, SweepScratch& scratch, std::uint32_t ignored) const {
    const Body& body = in_.bodies[path.slot];
    SweepHit first;
    first.time = in_.dt - path.from;
    const vec3 start = path.motion.start.position, end = start + first.time * path.motion.linear_velocity;
    const float reach = body.radius + (dynamic_too ? largest_motion_ : largest_kinematic_motion_);
    const Aabb box = expand(Aabb{glm::min(start, end), glm::max(start, end)}, reach);
    scratch.near.clear();
    in_.broadphase.query(translated(box, path.origin), [&](std::uint32_t other) {
        if (other != ignored && in_.can_hit(path.slot, other, dynamic_too)) scratch.near.push_back(other);
    });
    scratch.own_boxes.clear();
    const float depth = in_.allowed_depth(path.slot);
    for (const std::uint32_t other : scratch.near) {
        const Body& obstacle = in_.bodies[other];
        // Two dynamic bodies that overlap are pushed apart later; a body behind a wall is lost.
        const float max_depth = obstacle.is_dynamic() ? std::numeric_limits<float>::infinity()
                                                      : std::max(settings::continuous_deepest * body.inner_radius,
                                                                 settings::continuous_deepest_least);
        const RigidMotion obstacle_motion = path_from(other, path.from).motion_seen_from(path.origin);
        find_near_shapes(path, first.time, other, obstacle_motion, scratch);
        for (const auto& [j, i] : scratch.near_shapes) {
            const ShapeDef &of_obstacle = in_.shapes.defs[j], &of_body = in_.shapes.defs[i];
            if (of_obstacle.sensor || of_body.sensor || !should_collide(of_obstacle.filter, of_body.filter)) continue;
            const Query query{path,
                              path.slot,
                              i,
                              other,
                              j,
                              of_body.shape,
                              in_.shape_motion(path.motion, body, i),
                              in_.shape_motion(obstacle_motion, obstacle, j),
                              depth,
                              max_depth,
                              passed_mesh_contact(path.slot, i, other, j)};
            find_triangles(query, first.time, scratch.triangles);
            drop_triangles_behind(query, first.time, scratch.triangles);
            for_each_part(query, scratch.triangles, [&](ObstaclePart& part) { hit_part(query, part, scratch, first); });
        }
    }
    return first;
}

// ---- sensors --------------------------------------------------------------------------------------------------------

void CcdSweep::report_passed_sensors(const Path& path, float duration, SweepScratch& scratch,
                                     std::vector<Impact>& impacts) const {
    const Body& body = in_.bodies[path.slot];
    const auto apart = [&](const Shape& a, const RigidMotion& ma, const Shape& b, const RigidMotion& mb, float time) {
        RigidMotion still_a, still_b;
        still_a.start = pose_at(ma, time);
        still_b.start = pose_at(mb, time);
        return !time_of_impact(a, still_a, b, still_b, {.duration = 0.0f});
    };
    const float depth = in_.allowed_depth(path.slot);
    for (const std::uint32_t other : scratch.near) {
        const Body& obstacle = in_.bodies[other];
        const RigidMotion obstacle_motion = path_from(other, path.from).motion_seen_from(path.origin);
        find_near_shapes(path, duration, other, obstacle_motion, scratch);
        for (const auto& [j, i] : scratch.near_shapes) {
            const ShapeDef &of_obstacle = in_.shapes.defs[j], &of_body = in_.shapes.defs[i];
            if (of_obstacle.sensor == of_body.sensor || !should_collide(of_obstacle.filter, of_body.filter)) continue;
            const Query query{path,
                              path.slot,
                              i,
                              other,
                              j,
                              of_body.shape,
                              in_.shape_motion(path.motion, body, i),
                              in_.shape_motion(obstacle_motion, obstacle, j),
                              depth};
            // Of a mesh it is the first triangle that the shape enters, if the shape is in none at the end.
            TimeOfImpact first;
            bool out = true;
            find_triangles(query, duration, scratch.triangles);
            for_each_part(query, scratch.triangles, [&](const ObstaclePart& part) {
                const RigidMotion motion = part.motion(query.other_motion);
                const TimeOfImpact toi =
                    time_of_impact(part.shape, motion, query.own, query.own_motion, {.duration = duration});
                out = out && toi.status != ToiStatus::initially_overlapping &&
                      apart(part.shape, motion, query.own, query.own_motion, duration);
                if (toi.status == ToiStatus::hit && (first.status != ToiStatus::hit || toi.time < first.time))
                    first = toi;
            });
            if (first.status == ToiStatus::hit && out)
                impacts.push_back(
                    {path.slot, i, other, j, null_index, true, displaced(path.origin, first.point_b), first.normal});
        }
    }
}

}  // namespace talus
