#include "engine/continuous/continuous.h"

#include "engine/bodies/integrate.h"
#include "engine/continuous/continuous_sweep.h"
#include "engine/settings.h"
#include "narrowphase/tolerances.h"

namespace talus {

namespace {

/// Where a body's points may get at most in a motion, m, squared: up to twice (|way| + |turn| radius)^2.
float motion_squared(const Body& body, const vec3& way, const vec3& turn) {
    return 2.0f * (length_squared(way) + length_squared(turn) * body.radius * body.radius);
}

bool is_fast(const Body& body, float motion_squared) {
    const float limit = settings::continuous_motion * body.inner_radius;
    return motion_squared > limit * limit;
}

}  // namespace

Party World::State::Sweep::party(std::uint32_t slot, const RigidMotion& motion, const vec3& velocity, const vec3& spin,
                                 float time) const {
    const Body& body = s.bodies[slot];
    const Transform pose = pose_at(motion, time);
    const Response response = response_of(body, pose.rotation);
    return {pose.position, velocity, spin, response.inverse_mass, response.inverse_inertia, least_response(body)};
}

/// Whether gravity alone has changed the body's velocity in this step. A contact that is near but never pushed does not
/// count: with it, a body that strikes in the middle of a step would leave at the speed that it would have had at the
/// end of its fall, and gain energy.
bool World::State::Sweep::flies_freely(std::uint32_t slot) const {
    if (!s.awake.contains(slot) || s.indices.has_joint(slot)) return false;
    bool pushed = false;
    for_each_pair(s.contacts, s.bodies, slot, [&](std::uint32_t p) {
        for_each_contact(s.contacts, p, [&](std::uint32_t c) {
            const ContactState& state = s.contacts.states[c];
            if (pushed || state.sensor || !s.has_manifold(c)) return;
            for (int i = 0; i < state.point_count; ++i) pushed = pushed || state.step_impulses[i] > 0.0f;
        });
    });
    return !pushed;
}

/// The impulses of a meeting. Afterwards the path begins there.
void World::State::Sweep::collide(Path& path, const Meeting& meeting, SweepScratch& scratch, std::vector<Impact>& found,
                                  ImpactEnergy& own_books) {
    Body& body = s.bodies[path.slot];
    Body& obstacle = s.bodies[meeting.other];
    const RigidMotion obstacle_motion = motion_from(meeting.other, path.from);
    const vec3 n = meeting.toi.normal;

    // The hit was found where the two are in each other by a little. At the speed they close in there, they touched
    // this long before.
    const vec3 arm = meeting.toi.point_b - pose_at(path.motion, meeting.time).position;
    const vec3 other_arm = meeting.toi.point_a - pose_at(obstacle_motion, meeting.time).position;
    const float closing =
        -glm::dot(n, path.motion.linear_velocity + glm::cross(path.motion.angular_velocity, arm) -
                         obstacle_motion.linear_velocity - glm::cross(obstacle_motion.angular_velocity, other_arm));
    const float deep = std::max(0.0f, -meeting.toi.separation);
    const bool touched_before = closing * 0.1f * dt > deep && deep < closing * meeting.time;
    const float time = touched_before ? meeting.time - deep / closing : meeting.time;
    const float rest = dt - path.from - time;

    // The velocity there is the one at the end less what gravity adds from there on (what semi-implicit Euler calls the
    // velocity at a place is that of half a sub-step before).
    const bool falls = flies_freely(path.slot);
    const vec3 falling = falls ? body.gravity_scale * s.def.gravity : vec3(0.0f);
    const vec3 gravity = body.locks == 0 ? falling : falling * glm::sign(response_of(body, body.rotation).inverse_mass);
    const vec3 to_come = (rest - 0.5f * dt / static_cast<float>(s.substeps)) * gravity;
    // A body's spin is that at the pose which the step has left it at: where it met something its inertia was turned
    // otherwise, and a thin body's spin is another there.
    const quat met_at = pose_at(path.motion, time).rotation, other_met_at = pose_at(obstacle_motion, time).rotation;
    // The last sub-step may have left it any spin (a force far from its centre), which the next step would limit. A way
    // that turns by 1e9 rad is swept by nobody.
    const float most_spin = settings::max_rotation_per_substep * static_cast<float>(s.substeps) / dt;
    if (path.from == 0.0f) body.angular_velocity = limited(body.angular_velocity, most_spin);
    const ShapeDef &of_obstacle = s.shapes.defs[meeting.other_shape], &of_body = s.shapes.defs[meeting.shape];
    const Part part = part_of(meeting.other_shape, meeting.triangle);
    const SweepScratch::Pairing pairing{meeting.shape, meeting.other_shape, meeting.triangle};
    const Transform pose_a = pose_at(part.motion(shape_motion(obstacle_motion, obstacle, meeting.other_shape)), time);
    const Transform pose_b = pose_at(shape_motion(path.motion, body, meeting.shape), time);
    const Transform met_b = pose_at(shape_motion(path.motion, body, meeting.shape), meeting.time);
    const vec3 on_b = transform_point(pose_b, inverse_transform_point(met_b, meeting.toi.point_b));
    const vec3 on_a = on_b - (touched_before ? 0.0f : meeting.toi.separation) * n;
    FaceHints hints;
    Manifold manifold =
        make_manifold(part.shape, of_body.shape, to_frame(relative(pose_a, pose_b)), inverse_rotate(pose_a.rotation, n),
                      inverse_transform_point(pose_a, on_a), inverse_transform_point(pose_a, on_b),
                      2.0f * tolerance::contact_margin * body.inner_radius, hints);
    Collision collision;
    collision.friction = mixed_friction(*part.material, of_body.material);
    collision.restitution = mixed_restitution(*part.material, of_body.material);
    if (s.modifier != nullptr && (of_obstacle.modify_contacts || of_body.modify_contacts)) {
        const bool touched = s.are_touching(meeting.other, meeting.other_shape, path.slot, meeting.shape);
        const ContactEvent names{s.bodies.id_of(meeting.other), s.bodies.id_of(path.slot),
                                 meeting.other_shape - obstacle.first_shape, meeting.shape - body.first_shape};
        if (!s.modify(names, pose_a, pose_b, manifold, collision.friction, collision.restitution, touched)) {
            scratch.let_through.push_back(pairing);
            if (s.joints.has_any(path.slot)) s.let_through.push_back(pairing);
            return;
        }
    }
    collision.normal = manifold.count != 0 ? rotate(pose_a.rotation, manifold.normal) : n;
    collision.count = std::max(manifold.count, 1);
    collision.points[0] = on_a;
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& p = manifold.points[i];
        collision.points[i] = 0.5f * (transform_point(pose_a, p.on_a) + transform_point(pose_b, p.on_b));
    }

    const bool mover_held = s.joints.has_any(path.slot) && s.joint_solver.begin_response(path.slot);
    const bool other_held =
        obstacle.is_dynamic() && s.joints.has_any(meeting.other) && s.joint_solver.begin_response(meeting.other);
    if (mover_held) hold_together(path.slot);
    if (other_held) hold_together(meeting.other);
    Party mover = party(path.slot, path.motion, body.linear_velocity - to_come,
                        s.carried_spin(path.slot, body.angular_velocity, body.rotation, met_at), time);
    Party other = party(meeting.other, obstacle_motion,
                        obstacle.is_dynamic() ? obstacle.linear_velocity : obstacle_motion.linear_velocity,
                        obstacle.is_dynamic()
                            ? s.carried_spin(meeting.other, obstacle.angular_velocity, obstacle.rotation, other_met_at)
                            : obstacle_motion.angular_velocity,
                        time);
    mover.held = mover_held;
    other.held = other_held;
    const Party mover_before = mover, other_before = other;

    float approach = 0.0f;
    for (int i = 0; i < collision.count; ++i) {
        const vec3& p = collision.points[i];
        approach = std::max(approach, -glm::dot(collision.normal, mover.velocity_at(p) - other.velocity_at(p)));
    }
    Party way = mover;
    way.velocity = path.motion.linear_velocity;
    way.spin = path.motion.angular_velocity;
    const float impulse = mover.held || other.held
                              ? resolve_held(collision, meeting.other, path.slot, rest, other, mover, way)
                              : resolve(collision, other, mover);
    if (obstacle.is_dynamic()) {
        const double work =
            work_on(meeting.other, other_before, other, other_met_at, 0.5f * (other_before.velocity + other.velocity),
                    0.5f * (other_before.spin + other.spin));
        (mover.held ? books_of_links(path.slot) : own_books).allowed -= work;
        if (other.held) books_of_links(meeting.other).allowed += work;
    } else {
        ImpactEnergy& books = mover.held ? books_of_links(path.slot) : own_books;
        const vec3 obstacle_velocity = other.velocity_at(mover.center);
        books.allowed += work_on(path.slot, mover_before, mover, met_at, obstacle_velocity, other.spin);
        books.anchored = true;
    }
    if (!(approach * rest > allowed_depth(path.slot))) scratch.eased.push_back(pairing);
    // It touches, too, where no impulse is needed because the two do not close in: the other has still changed its way.
    found.push_back({path.slot, meeting.shape, meeting.other, meeting.other_shape, meeting.triangle, false,
                     collision.points[0], collision.normal, approach, impulse});

    path.motion.start = pose_at(path.motion, time);
    path.from += time;
    path.motion.linear_velocity = mover.held ? way.velocity : mover.velocity + 0.5f * rest * gravity;
    path.motion.angular_velocity = mover.held ? way.spin : mover.spin;
    if (mover.held) carry_on(path.slot, mover, way, rest);
    if (mover.held) note_opened(path.slot);
    if (other.held) note_opened(meeting.other);
    body.linear_velocity = limited(mover.velocity + to_come, s.most_speed(body));
    body.angular_velocity = limited(s.carried_spin(path.slot, mover.spin, met_at, body.rotation), body.max_spin);
    if (meeting.pressed && rest > 0.0f) {
        const RigidMotion from_here = motion_from(meeting.other, path.from);
        const float lost = drop(n, on_a, part.motion(shape_motion(from_here, obstacle, meeting.other_shape)),
                                of_body.shape, shape_motion(path.motion, body, meeting.shape), rest);
        if (lost > 0.0f) lift(path, lost * n, rest);
    }
    if (obstacle.is_dynamic() && impulse > 0.0f)
        turn_away(meeting.other, obstacle_motion, time, path.from, other, found);
}

/// What slides or turns where it is as deep as it may get goes on by a way that ends as much farther out as it would get
/// deeper by. The work against gravity comes out of its motion; what has less stays where it is.
void World::State::Sweep::lift(Path& path, vec3 by, float rest) {
    Body& body = s.bodies[path.slot];
    if (body.locks != 0) by *= glm::sign(response_of(body, body.rotation).inverse_mass);
    const vec3 spin = body.angular_velocity;
    const float work = -body.gravity_scale * body.mass * glm::dot(s.def.gravity, by);
    const float energy = 0.5f * (body.mass * length_squared(body.linear_velocity) +
                                 glm::dot(spin, inertia_of(body, body.rotation) * spin));
    const bool alone = !s.joints.has_any(path.slot);  // else others may have it; Sweep::give_back
    if (alone && work > 0.0f && work >= energy) {
        path.motion.linear_velocity = path.motion.angular_velocity = vec3(0.0f);
        return;
    }
    path.motion.linear_velocity += by / rest;
    if (!alone || !(work > 0.0f)) return;
    const float kept = std::sqrt(1.0f - work / energy);
    body.linear_velocity *= kept;
    body.angular_velocity *= kept;
}

/// The impulses of a collision where joints hold the mover or the other: on the mover's velocity, and others on its
/// way, the mean velocity of the step, which ends where it would have ended but for what they change. With the velocity
/// that it has in the end it would leave the others, and its joints would open. Limits that would be passed for it
/// hold.
float World::State::Sweep::resolve_held(const Collision& collision, std::uint32_t other_slot, std::uint32_t slot,
                                        float rest, Party& other, Party& mover, Party& way) {
    float impulse = 0.0f;
    const Party other_before = other, mover_before = mover, way_before = way;
    for (int round = 0;; ++round) {
        other = other_before, mover = mover_before, way = way_before;
        if (other.held) other.through = s.joint_solver.respond(other_slot);
        if (mover.held) mover.through = way.through = s.joint_solver.respond(slot);
        Party other_way = other;
        impulse = resolve(collision, other, mover);
        resolve(collision, other_way, way);
        const auto meets_limits = [&](std::uint32_t pushed_slot, const Party& pushed) {
            return pushed.held && s.joint_solver.meets_limits(pushed_slot, pushed.impulse, pushed.moment, rest);
        };
        if (round == settings::joint_rounds || (!meets_limits(slot, way) && !meets_limits(other_slot, other))) break;
    }
    // What contradicts itself may answer with anything.
    const Body& body = s.bodies[slot];
    for (Party* const party : {&mover, &way}) {
        party->velocity = limited(party->velocity, s.most_speed(body));
        party->spin = limited(party->spin, body.max_spin);
    }
    other.velocity = limited(other.velocity, s.most_speed(s.bodies[other_slot]));
    other.spin = limited(other.spin, s.bodies[other_slot].max_spin);
    return impulse;
}

/// What joints hold together with a body that was hit goes on with it.
void World::State::Sweep::carry_on(std::uint32_t slot, const Party& velocities, const Party& way, float rest) {
    s.joint_solver.spread(slot, velocities.impulse, velocities.moment,
                          [&](std::uint32_t link, const glm::dvec3& velocity, const glm::dvec3& spin) {
                              Body& body = s.bodies[link];
                              body.linear_velocity = limited(body.linear_velocity + vec3(velocity), s.most_speed(body));
                              body.angular_velocity = limited(body.angular_velocity + vec3(spin), body.max_spin);
                              body.exact_spin = glm::dvec3(body.angular_velocity);
                          });
    const auto h = static_cast<double>(rest);
    s.joint_solver.spread(slot, way.impulse, way.moment,
                          [&](std::uint32_t link, const glm::dvec3& velocity, const glm::dvec3& spin) {
                              Body& body = s.bodies[link];
                              SolverBody& own = s.moving[s.indices.of(link)];
                              const vec3 move = limited(vec3(h * velocity), rest * s.most_speed(body));
                              const vec3 turn = limited(vec3(h * spin), settings::max_rotation_per_substep);
                              body.center += move;
                              body.exact_rotation = integrate_rotation(body.exact_rotation, glm::dvec3(turn));
                              body.rotation = quat(body.exact_rotation);
                              for (int k = 0; k < 3; ++k) {
                                  own.displacement[k] += move[k];
                                  own.turn[k] += turn[k];
                              }
                          });
}

/// A dynamic body that was hit goes on from there with its new velocity: at the time of the impact, or when it gets
/// there if that is later (motion_from says why). Its new path is swept at once and however short it is: a plank on
/// supports stays where it is, and the bullet must hit it there again; and several bodies may hit it in one step.
void World::State::Sweep::turn_away(std::uint32_t slot, RigidMotion motion, float time, float now, const Party& after,
                                    std::vector<Impact>& found) {
    const auto turned = find_path(s.new_paths, slot);
    if (turned != s.new_paths.end()) now = std::max(now, turned->from);
    motion.start = pose_at(motion, time);
    Body& body = s.bodies[slot];
    motion.linear_velocity = body.linear_velocity = limited(after.velocity, s.most_speed(body));
    motion.angular_velocity = after.spin;
    body.angular_velocity =
        limited(s.carried_spin(slot, after.spin, motion.start.rotation, body.rotation), body.max_spin);
    const Path path{slot, now, motion};
    commit(slot, pose_at(motion, dt - now));
    if (after.held) carry_on(slot, after, after, dt - now);
    s.keep_path(path);
    s.wake_if_struck(slot);
    if (body.continuous != Continuous::off) s.keep_path(run(slot, now, false, s.scratch_of_met, found));
}

/// The body ends the step with its centre of mass there.
void World::State::Sweep::commit(std::uint32_t slot, const Transform& end) {
    Body& body = s.bodies[slot];
    if (s.awake.contains(slot)) {
        float* way = s.moving[s.indices.of(slot)].displacement;
        for (int k = 0; k < 3; ++k) way[k] += end.position[k] - body.center[k];
    }
    body.center = end.position;
    const quat rotation = normalized(end.rotation);
    body.angular_velocity = s.carried_spin(slot, body.angular_velocity, body.rotation, rotation);
    body.rotation = rotation;
    body.exact_rotation = glm::dquat(body.rotation);
    body.exact_spin = glm::dvec3(body.angular_velocity);
}

/// Sweeps a body from a time of the step to its end. The path that it ends on begins at the last impact.
Path World::State::Sweep::run(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch,
                              std::vector<Impact>& found) {
    Path path{slot, from, motion_from(slot, from)};
    scratch.let_through.clear();
    scratch.eased.clear();
    bool commits = false;
    const bool jointed = s.joints.has_any(slot);
    const MotionEnergy before = energy_of(slot, false);
    ImpactEnergy books{slot, before.kinetic + before.potential, before.ahead, false};
    for (int count = 0;;) {
        const Meeting meeting = first_meeting(path, dynamic_too, scratch);
        const bool met = meeting.other != null_index;
        if (met && s.bodies[meeting.other].is_dynamic() && hold_up_first(meeting.other, path.from, meeting.time, found))
            continue;
        pass_sensors(path, meeting.time, scratch, found);
        if (met && count < settings::continuous_impacts) {
            collide(path, meeting, scratch, found, books);
            commits = true;
            ++count;
            continue;
        }
        if (!met && !commits) {
            if (jointed) keep_place(slot);
            return path;
        }
        Transform end = pose_at(path.motion, meeting.time);
        if (met) {
            // It stands there for the rest of the step. Along the way that it has lost, whatever hits it later in this
            // step would find it behind the wall, and send it on from there.
            const Transform at = end;
            // What is held up there touches, though no impulse was left for it to give.
            found.push_back({slot, meeting.shape, meeting.other, meeting.other_shape, meeting.triangle, false,
                             meeting.toi.point_b, meeting.toi.normal});
            end = carried_along(path, meeting, at, scratch);
            const Body& body = s.bodies[slot];
            const double lifted = -body.mass * body.gravity_scale * glm::dot(s.def.gravity, end.position - at.position);
            (jointed && s.joint_solver.begin_response(slot) ? books_of_links(slot) : books).allowed += lifted;
            books.anchored =
                true;  // also if the obstacle is dynamic: the body has its velocity, but has not fallen as far
            path.from += meeting.time;
            path.motion = motion_between(at, end, vec3(0.0f), dt - path.from);
        }
        commit(slot, end);
        if (jointed) {
            keep_place(slot);
        } else if (books.anchored) {
            take_back(slot, false, books);
        }
        return path;
    }
}

/// Sweeps a body that is about to be hit at this time after `from`, but whose turn is later than that of the body that
/// hits it, against fixed and kinematic bodies if it meets one of them first. Returns whether it did. Without this, it
/// could be hit on the other side of a wall, and go on from there.
bool World::State::Sweep::hold_up_first(std::uint32_t slot, float from, float time, std::vector<Impact>& found) {
    if (find_path(s.new_paths, slot) != s.new_paths.end() ||
        std::find(s.bullets.begin() + s.bullets_done, s.bullets.end(), slot) == s.bullets.end())
        return false;
    SweepScratch& scratch = s.scratch_of_met;
    scratch.let_through.clear();
    scratch.eased.clear();
    const Meeting meeting = first_meeting({slot, 0.0f, motion_from(slot, 0.0f)}, false, scratch);
    if (meeting.other == null_index || meeting.time > from + time) return false;
    s.keep_path(run(slot, 0.0f, false, scratch, found));
    return true;
}

/// Where a body ends that has met more than it can answer in a step: it loses the rest of the step, but goes with a
/// kinematic obstacle, until something else is in the way.
Transform World::State::Sweep::carried_along(Path path, const Meeting& meeting, const Transform& met,
                                             SweepScratch& scratch) const {
    const RigidMotion obstacle = motion_from(meeting.other, path.from);
    if (obstacle.linear_velocity == vec3(0.0f) && obstacle.angular_velocity == vec3(0.0f)) return met;
    const float rest = dt - path.from - meeting.time;
    const Transform end = multiply(pose_at(obstacle, dt - path.from), relative(pose_at(obstacle, meeting.time), met));
    if (!(rest > 0.0f)) return end;
    path.from += meeting.time;
    path.motion.start = met;
    path.motion.linear_velocity = (end.position - met.position) / rest;
    path.motion.angular_velocity = obstacle.angular_velocity;
    const Meeting stop = first_meeting(path, false, scratch, meeting.other);
    return stop.other == null_index ? end : pose_at(path.motion, stop.time);
}

/// What a spin (rad/s, world) that a body has at one rotation is at another one that it is put to: it goes with the
/// body, which keeps the energy. (At the same angular momentum the energy would be another, a hundred times as much for
/// a stick that is put to where it would not have turned by itself.) What joints hold together keeps the spins that go
/// together.
vec3 World::State::carried_spin(std::uint32_t slot, const vec3& spin, const quat& from, const quat& to) const {
    const Body& body = bodies[slot];
    const bool own = body.is_dynamic() && !body.isotropic && (body.locks & lock_turning) == 0 && !joints.has_any(slot);
    return own ? rotate(multiply(to, conjugate(from)), spin) : spin;
}

void World::State::keep_path(const Path& path) {
    const auto known = find_path(new_paths, path.slot);
    if (known != new_paths.end()) {
        *known = path;
    } else {
        new_paths.push_back(path);
    }
}

/// A sleeper that has a velocity by now joins the next step.
void World::State::wake_if_struck(std::uint32_t slot) {
    const Body& body = bodies[slot];
    if (awake.contains(slot) || (body.linear_velocity == vec3(0.0f) && body.angular_velocity == vec3(0.0f))) return;
    if (std::find(struck.begin(), struck.end(), slot) == struck.end()) struck.push_back(slot);
}

/// Bodies that a fast kinematic one may go through are as good as fast, but for those that it carries along: what
/// counts is how they move against it, the way that its turn bends in a step included.
void World::State::find_in_the_way(std::uint32_t kinematic, const RigidMotion& motion, float dt) {
    const Body& body = bodies[kinematic];
    const vec3 start = motion.start.position, way = dt * motion.linear_velocity, end = start + way;
    const float motion2 = motion_squared(body, way, dt * motion.angular_velocity);
    const Aabb box = expand(Aabb{glm::min(start, end), glm::max(start, end)}, body.radius);
    broadphase.query(box, [&](std::uint32_t slot) {
        const Body& other = bodies[slot];
        if (!other.is_dynamic() || other.continuous == Continuous::off || !is_fast(other, motion2)) return;
        const RigidMotion own = Sweep{*this, dt}.step_motion(slot);
        const vec3 arm = own.start.position - start, turn = dt * motion.angular_velocity;
        const vec3 against = dt * (own.linear_velocity - motion.linear_velocity) - glm::cross(turn, arm);
        const float bend = 0.5f * length_squared(turn) * length(arm);
        const float relative = length(against) + bend + length(dt * own.angular_velocity - turn) * other.radius;
        if (!is_fast(other, relative * relative)) return;
        std::vector<std::uint32_t>& list = other.continuous == Continuous::all ? bullets : fast;
        if (std::find(list.begin(), list.end(), slot) == list.end()) list.push_back(slot);
    });
}

void World::State::sweep_fast_bodies(float dt) {
    fast.clear();
    bullets.clear();
    fast_kinematics.clear();
    strays.clear();
    impacts.clear();
    struck.clear();
    new_paths.clear();
    opened.clear();
    impact_energies.clear();
    safe_places.clear();
    let_through.clear();
    Sweep sweep{*this, dt};
    if (!def.continuous) return sweep.close_open_joints();
    float kinematic2 = 0.0f, dynamic2 = 0.0f;
    const auto list = awake.list();
    for (const std::uint32_t slot : list) {
        const Body& body = bodies[slot];
        const SolverBody& moved = moving[indices.of(slot)];
        const float motion2 = motion_squared(body, load3(moved.displacement), load3(moved.turn));
        if (!body.is_dynamic()) {
            kinematic2 = std::max(kinematic2, motion2);
            if (motion2 > 0.0f) fast_kinematics.push_back(slot);
            continue;
        }
        dynamic2 = std::max(dynamic2, motion2);
        if (body.continuous == Continuous::off || !(is_fast(body, motion2) || sweep.is_pressed(slot))) continue;
        (body.continuous == Continuous::all ? bullets : fast).push_back(slot);
    }
    largest_kinematic_motion = std::sqrt(kinematic2);
    largest_motion = std::max(largest_kinematic_motion, std::sqrt(dynamic2));
    for (const std::uint32_t kinematic : fast_kinematics) {
        find_in_the_way(kinematic, sweep.step_motion(kinematic), dt);
        const Aabb box = sweep.swept_box(kinematic);
        if (!sweep.keeps_within_fat_box(kinematic, box)) strays.push_back(box);
    }

    for (const std::uint32_t slot : fast) {
        if (sweep.is_clear(slot)) continue;
        const Path path = sweep.run(slot, 0.0f, false, sweep_scratch, impacts);
        wake_if_struck(slot);
        if (!bullets.empty() && path.from > 0.0f) keep_path(path);
    }
    bullets_done = 0;
    for (const std::uint32_t slot : bullets) {
        ++bullets_done;
        const auto known = find_path(new_paths, slot);
        const float from = known != new_paths.end() ? known->from : 0.0f;
        keep_path(sweep.run(slot, from, true, sweep_scratch, impacts));
        wake_if_struck(slot);
    }
    sweep.close_open_joints();
    profile.swept_bodies = static_cast<std::uint32_t>(fast.size() + bullets.size());
    profile.impacts = static_cast<std::uint32_t>(impacts.size());
}

}  // namespace talus
