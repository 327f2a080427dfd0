/// Joints that were opened in the step are closed again, without getting through anything.
///
/// joint_closing.h says what opens them. After all sweeps each link of such an articulation has a pose that it can be
/// put back to (where its own sweep ended, or where the step began), and one that an impact has carried it to, along a
/// straight line and past whatever is there. The joints are closed where the links are now. Then each link is swept
/// from the first of the two to where its joints want it. A link that meets something on that way stops there, and the
/// joints are closed again with the plane of the meeting as a bound. Contacts of the step are such planes, too.
///
/// The way of a sweep need not be the one that the link has gone: if any way leads from one pose to another without
/// getting into an obstacle, both are on the same side of it.

#include "engine/continuous/continuous_sweep.h"

#include <talus/narrowphase/support.h>
#include "engine/bodies/integrate.h"
#include "engine/settings.h"

namespace talus {

/// A link that was swept is there at the end of the step, whatever carries it on.
void World::State::Sweep::keep_place(std::uint32_t slot) {
    Path place{slot, dt * (1.0f - settings::joint_closing_time), {}};
    place.motion.start = {s.bodies[slot].center, s.bodies[slot].rotation};
    const auto known = find_path(s.safe_places, slot);
    if (known != s.safe_places.end()) {
        *known = place;
    } else {
        s.safe_places.push_back(place);
    }
}

void World::State::Sweep::note_opened(std::uint32_t slot) {
    bool listed = false;
    s.joint_solver.for_each_link(slot, [&](std::uint32_t link) {
        listed = listed || std::find(s.opened.begin(), s.opened.end(), link) != s.opened.end();
    });
    if (!listed) s.opened.push_back(slot);
}

/// The way of a link to the pose that it has now.
Path World::State::Sweep::way_to_now(std::uint32_t slot) const {
    const Body& body = s.bodies[slot];
    const auto known = find_path(s.safe_places, slot);
    if (known == s.safe_places.end()) return {slot, 0.0f, step_motion(slot)};
    Path path = *known;
    path.motion = motion_between(path.motion.start, {body.center, body.rotation}, vec3(0.0f), dt - path.from);
    return path;
}

/// How far a link is from its plane now, m, and its lowest point above that.
float World::State::Sweep::height_above(const Stop& stop, vec3& lowest) const {
    const Shape& shape = s.shapes.defs[stop.shape].shape;
    const Transform pose = multiply(s.bodies[stop.slot].pose(), s.shapes.defs[stop.shape].pose);
    const vec3 d = inverse_rotate(pose.rotation, -stop.normal);
    lowest = transform_point(pose, support(shape, d).point) - shape.radius * stop.normal;
    return glm::dot(stop.normal, lowest - stop.point);
}

/// What a link touches holds it up as well: closing joints must not press it deeper into that. Returns whether some of that
/// cannot be pushed.
bool World::State::Sweep::stop_at_contacts(std::uint32_t slot) {
    bool immovable = false;
    for_each_pair(s.contacts, s.bodies, slot, [&](std::uint32_t p) {
        const std::uint32_t other = other_body(s.contacts.pairs[p], slot);
        if (s.joints.disables_collision(slot, other)) return;
        const SolverBody* const gone = moved(other);
        for_each_contact(s.contacts, p, [&](std::uint32_t c) {
            const PairRecord& record = s.contacts.records[c];
            if (s.contacts.states[c].sensor || !s.has_manifold(c)) return;
            const bool is_a = s.contacts.bodies[c].a == slot;
            const Manifold& manifold = s.contacts.caches[c].manifold;
            const vec3 n = rotate(s.colliders.poses[record.a].rotation, manifold.normal);
            Stop stop{slot, is_a ? record.a : record.b, is_a ? -n : n, vec3(0.0f), settings::linear_slop};
            // Of the points the deepest.
            const ManifoldPoint* deepest = &manifold.points[0];
            for (int i = 1; i < manifold.count; ++i) {
                if (manifold.points[i].separation < deepest->separation) deepest = &manifold.points[i];
            }
            stop.point = is_a ? transform_point(s.colliders.poses[record.b], deepest->on_b)
                              : transform_point(s.colliders.poses[record.a], deepest->on_a);
            if (gone != nullptr) stop.point += load3(gone->displacement);
            vec3 lowest;
            stop.depth = std::max(stop.depth, -height_above(stop, lowest));
            s.stops.push_back(stop);
            immovable = immovable || !s.bodies[other].is_dynamic();
        });
    });
    return immovable;
}

/// How a plane that holds up a link does so where that is now.
JointSolver::ClosingPlane World::State::Sweep::plane_now(const Stop& stop) const {
    JointSolver::ClosingPlane plane;
    vec3 lowest;
    plane.slot = stop.slot;
    plane.room = static_cast<double>(height_above(stop, lowest) + stop.depth);
    plane.arm = glm::dvec3(lowest - s.bodies[stop.slot].center);
    plane.normal = glm::dvec3(stop.normal);
    return plane;
}

/// Puts a link elsewhere; its velocities stay.
void World::State::Sweep::shift(std::uint32_t slot, const vec3& move, const glm::dvec3& turn) {
    Body& body = s.bodies[slot];
    SolverBody& own = s.solver_bodies[s.solver_index[slot]];
    body.center += move;
    body.exact_rotation = integrate_rotation(body.exact_rotation, turn);
    body.rotation = quat(body.exact_rotation);
    for (int k = 0; k < 3; ++k) {
        own.displacement[k] += move[k];
        own.turn[k] += static_cast<float>(turn[k]);
    }
}

/// A link that turns where it lies on something gets into that on the straight way between two poses that are both
/// clear of it. True if it gets there by a way that lifts it first.
bool World::State::Sweep::gets_round(const Path& path, const Meeting& meeting) const {
    const Body& body = s.bodies[path.slot];
    if (path.from == 0.0f) return false;
    const vec3 up = body.radius * meeting.toi.normal;
    const Transform start = path.motion.start, end{body.center, body.rotation};
    const Transform way[] = {start, {start.position + up, start.rotation}, {end.position + up, end.rotation}, end};
    for (int i = 0; i < 3; ++i) {
        const Path part{path.slot, path.from, motion_between(way[i], way[i + 1], vec3(0.0f), dt - path.from)};
        if (first_meeting(part, false, s.scratch_of_met).other != null_index) return false;
    }
    return true;
}

/// Closes the joints as far as the planes let them, whatever else is in the way. Anchors far apart make links turn by
/// radians, which solves that take joints for straight can't tell: then links count as harder to turn, so that the next
/// solve moves them instead.
/// Returns whether they are closed.
bool World::State::Sweep::bring_together(std::uint32_t slot) {
    double ease = 1.0;
    for (int i = 0; i < settings::joint_closing_solves; ++i) {
        double most = 0.0;
        for (bool again : {false, true}) {
            if (s.joint_solver.open_by(slot, s.bodies, ease) < settings::joint_closing_gap) return true;
            s.closing_planes.clear();
            for (const Stop& stop : s.stops) s.closing_planes.push_back(plane_now(stop));
            s.joint_solver.close(slot, s.closing_planes);
            most = 0.0;
            s.joint_solver.for_each_displacement(slot, [&](std::uint32_t, const glm::dvec3&, const glm::dvec3& turn) {
                most = std::max(most, std::sqrt(glm::dot(turn, turn)));
            });
            if (again || most <= settings::joint_closing_turn) break;
            ease = std::max(ease * settings::joint_closing_turn / most, settings::joint_closing_least_ease);
        }
        const double share = most > settings::joint_closing_turn ? settings::joint_closing_turn / most : 1.0;
        s.joint_solver.for_each_displacement(slot,
                                             [&](std::uint32_t link, const glm::dvec3& move, const glm::dvec3& turn) {
                                                 shift(link, vec3(share * move), share * turn);
                                             });
        ease = std::min(1.0, settings::joint_closing_ease_growth * ease);
    }
    return false;
}

/// True where a link, or its way round what it meets, ends clear of everything; else it is put to where it met that.
bool World::State::Sweep::gets_there(std::uint32_t slot) {
    if (!s.def.continuous || s.bodies[slot].continuous == Continuous::off || is_clear(slot)) return true;
    const Path path = way_to_now(slot);
    s.scratch_of_met.let_through.assign(s.let_through.begin(), s.let_through.end());
    s.scratch_of_met.eased.clear();
    const Meeting meeting = first_meeting(path, false, s.scratch_of_met);
    if (meeting.other == null_index || gets_round(path, meeting)) return true;
    commit(slot, pose_at(path.motion, meeting.time));
    s.stops.push_back({slot, meeting.shape, meeting.toi.normal, meeting.toi.point_a,
                       settings::joint_closing_depth * allowed_depth(slot)});
    return false;
}

/// Puts the links back to where they were before their joints were closed, as far as they get there.
void World::State::Sweep::put_back(std::uint32_t slot) {
    std::size_t i = 0;
    s.joint_solver.for_each_link(slot, [&](std::uint32_t link) {
        s.bodies[link] = s.before_closing[i].body;
        s.solver_bodies[s.solver_index[link]] = s.before_closing[i].solver;
        ++i;
        gets_there(link);
        keep_place(link);
    });
}

/// Closes the joints of the articulation that the body belongs to.
void World::State::Sweep::close_joints(std::uint32_t slot) {
    if (!s.joint_solver.begin_response(slot)) return;
    // Links that closing has lifted or turned, with velocities that stay, may have more energy than before.
    const ImpactEnergy books = books_of_links(slot);
    bool touches_immovable = false;
    s.stops.clear();
    s.before_closing.clear();
    s.joint_solver.begin_closing(slot);
    s.joint_solver.for_each_link(slot, [&](std::uint32_t link) {
        touches_immovable = stop_at_contacts(link) || touches_immovable;
        s.before_closing.push_back({s.bodies[link], s.solver_bodies[s.solver_index[link]]});
    });
    bool closed = false;
    for (int round = 0; round < settings::joint_closing_rounds; ++round) {
        closed = s.joint_solver.may_close(slot) && bring_together(slot);
        bool stopped = false;
        s.joint_solver.for_each_link(slot, [&](std::uint32_t link) {
            stopped = !gets_there(link) || stopped;
            keep_place(link);
        });
        if (!stopped) break;
        closed = false;
    }
    bool taken = take_back(slot, true, books);
    if (!s.joint_solver.may_contradict(slot)) return;
    // Where joints contradict each other, Newton's method goes astray, and links may be lifted by more than their motion has
    // energy for.
    if (closed && !taken && touches_immovable) {
        ImpactEnergy of_held = books;
        of_held.anchored = true;
        taken = take_back(slot, true, of_held);
    }
    closed = closed && taken;
    if (!closed) {
        put_back(slot);
        take_back(slot, true, books);  // what the impact has gained
    }
    s.joint_solver.end_closing(slot, closed);
}

void World::State::Sweep::close_open_joints() {
    if (s.joints.live_count() == 0) return;
    s.joint_solver.for_each_open(settings::joint_closing_least, [&](std::uint32_t slot) { note_opened(slot); });
    for (const std::uint32_t slot : s.opened) close_joints(slot);
}

}  // namespace talus
