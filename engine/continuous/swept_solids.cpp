#include "engine/continuous/swept_solids.h"

#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/triangles/queries.h>
#include "engine/mesh_contacts/solid_contacts.h"
#include "engine/settings.h"
#include "narrowphase/nonconvex/feature_contacts.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns a shape as a surface, or null if it is round.
const TriangleSet* SweptSolids::surface(const ContinuousInput& in, std::uint32_t shape) {
    const ShapeDef& def = in.shapes.defs[shape];
    if (def.mesh) return def.mesh.get();
    const auto [known, is_new] = surfaces_.try_emplace(shape);
    if (is_new) known->second = surface_of(def.shape);
    return known->second.get();
}

/// Lists the shapes that the body of a path may hit. They are in the order of their slots.
void SweptSolids::find_meetings(const ContinuousInput& in, const Path& path, float largest_motion) {
    meetings_.clear();
    near_.clear();
    const Body& body = in.bodies[path.slot];
    const bool dynamic_too = body.continuous == Continuous::all;
    in.broadphase.query(expand(in.swept_box(path.slot), largest_motion),
                        [&](std::uint32_t slot) { near_.push_back(slot); });
    std::sort(near_.begin(), near_.end());
    for (const std::uint32_t slot : near_) {
        if (!in.can_hit(path.slot, slot, dynamic_too)) continue;
        const Body& other = in.bodies[slot];
        const RigidMotion other_motion = in.step_path(slot).motion_seen_from(path.origin);
        for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
            for (std::uint32_t j = other.first_shape; j < other.first_shape + other.shape_count; ++j) {
                const ShapeDef &own_def = in.shapes.defs[i], &other_def = in.shapes.defs[j];
                if (own_def.sensor || other_def.sensor || !should_collide(own_def.filter, other_def.filter) ||
                    (!own_def.mesh && !other_def.mesh) || !overlaps(in.swept_box(path.slot, i), in.swept_box(slot, j)))
                    continue;
                meetings_.push_back(
                    {i, j, in.shape_motion(path.motion, body, i), in.shape_motion(other_motion, other, j)});
            }
        }
    }
}

/// Returns the faces of a set that may be in the box of another one, with a tree.
const detail::SurfaceFeatures& SweptSolids::faces_near(const TriangleSet& set, const TriangleSet& other,
                                                       const Transform& other_in_set,
                                                       detail::SurfaceFeatures& scratch) {
    if (set.solid_features() != nullptr) return *set.solid_features();
    found_.clear();
    set.find(transform_box(to_matrix_transform(other_in_set), other.bounds()), found_);
    scratch.collect_faces(set, found_);
    return scratch;
}

bool SweptSolids::cross(const ContinuousInput& in, const Meeting& meeting, float time) {
    const Transform own = pose_at(meeting.own_motion, time), other = pose_at(meeting.other_motion, time);
    const TriangleSet *const a = surface(in, meeting.own), *const b = surface(in, meeting.other);
    if (a != nullptr && b != nullptr) {
        const Transform b_in_a = relative(own, other);
        return detail::surfaces_cross(faces_near(*a, *b, b_in_a, near_own_),
                                      faces_near(*b, *a, relative(b_in_a, Transform{}), near_other_),
                                      to_matrix_transform(b_in_a));
    }
    return a != nullptr ? overlaps(*a, in.shapes.defs[meeting.other].shape, to_matrix_transform(relative(own, other)))
                        : overlaps(*b, in.shapes.defs[meeting.own].shape, to_matrix_transform(relative(other, own)));
}

bool SweptSolids::any_crosses(const ContinuousInput& in, float time) {
    return std::any_of(meetings_.begin(), meetings_.end(),
                       [&](const Meeting& each) { return each.counts && cross(in, each, time); });
}

/// Returns the part of the step after which a core of the body meets the other shape; 1 if it does not.
float SweptSolids::core_hit(const ContinuousInput& in, const Meeting& meeting) const {
    const ShapeDef &own = in.shapes.defs[meeting.own], &other = in.shapes.defs[meeting.other];
    if (!own.mesh || own.mesh->solid_features() == nullptr) return 1.0f;
    const Transform start = relative(pose_at(meeting.other_motion, 0.0f), pose_at(meeting.own_motion, 0.0f));
    const Transform end = relative(pose_at(meeting.other_motion, in.dt), pose_at(meeting.own_motion, in.dt));
    float first = 1.0f;
    for (const vec3& core : own.mesh->solid_features()->cores) {
        const vec3 from = transform_point(start, core), way = transform_point(end, core) - from;
        if (other.mesh) {
            const TriangleRayHit hit = ray_cast(*other.mesh, from, way);
            if (hit.hit) first = std::min(first, hit.fraction);
        } else {
            const RayHit hit = ray_cast(other.shape, from, way);
            if (hit.hit && hit.fraction > 0.0f) first = std::min(first, hit.fraction);
        }
    }
    return first;
}

void SweptSolids::stop(const ContinuousInput& in, ContinuousOutput& out, std::span<const std::uint32_t> bodies,
                       float largest_motion) {
    surfaces_.clear();
    for (const std::uint32_t slot : bodies) {
        // One that sleeps does not move: what hits it is a contact of the next step.
        if (in.joints.has_any(slot) || in.solver_body(slot) == nullptr) continue;
        const Body& body = in.bodies[slot];
        const Path path = in.step_path(slot);
        find_meetings(in, path, largest_motion);
        float inside = 1.0f;
        for (Meeting& each : meetings_) {
            each.counts = !cross(in, each, 0.0f);
            if (!each.counts) inside = std::min(inside, core_hit(in, each));
        }
        if (inside < 1.0f) out.set_end_pose(in, slot, path.pose_at(settings::solid_core_stop * inside * in.dt));
        std::erase_if(meetings_, [](const Meeting& each) { return !each.counts; });
        if (meetings_.empty()) continue;
        const SolverBody& moved = *in.solver_body(slot);
        const float motion = std::sqrt(length_squared(load3(moved.displacement))) +
                             body.radius * std::sqrt(length_squared(load3(moved.turn))) + largest_motion;
        const float steps = std::ceil(motion / std::max(body.inner_radius, 1e-6f));
        const int all = static_cast<int>(std::min(steps, settings::most_solid_places));
        const auto time_of = [&](float place) { return in.dt * place / static_cast<float>(all); };
        int count = all;
        int hit = 1;
        if (inside < 1.0f) count = static_cast<int>(std::ceil(inside * static_cast<float>(count)));
        while (hit <= count && !any_crosses(in, time_of(static_cast<float>(hit)))) ++hit;
        if (hit > count) continue;
        float clear = static_cast<float>(hit - 1), crosses = static_cast<float>(hit);
        for (int k = 0; k < settings::solid_bisections; ++k) {
            const float middle = 0.5f * (clear + crosses);
            (any_crosses(in, time_of(middle)) ? crosses : clear) = middle;
        }
        const bool moves = clear > settings::least_solid_motion * static_cast<float>(count);
        out.set_end_pose(in, slot, path.pose_at(time_of(moves ? clear : crosses)));
    }
}

}  // namespace talus
