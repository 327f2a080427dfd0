/// World::step as a list of stages, each from named data to named data:
///
///   pairs    broadphase events -> pairs and contacts
///   collide  collider poses -> manifolds of the active contacts
///   graph    touching contacts -> woken islands, edges, colours
///   solve    edges, bodies -> velocities, poses
///   continuous  poses, velocities -> those of bodies too fast for the solver's contacts; impacts
///   finish   poses -> colliders, boxes, proxies; islands fall asleep
///   publish  manifolds, impulses -> events, profile

#include <talus/stopwatch.h>
#include "engine/world/world_state.h"
#include "narrowphase/tolerances.h"

#if defined(__linux__)
#include <sys/resource.h>
#endif

#include <algorithm>
#include <cmath>

namespace talus {

/// How often the system took the processor from this thread since it began, if it was `asked`.
static long interruptions_so_far(bool asked) {
#if defined(__linux__)
    rusage usage{};
    if (asked && profiling_compiled_in && getrusage(RUSAGE_THREAD, &usage) == 0) return usage.ru_nivcsw;
#endif
    static_cast<void>(asked);
    return 0;
}

bool World::step(float dt, const Jobs& host_jobs) {
    State& s = *state_;
    if (!s.may_change("step") ||
        !s.refuse_unless(dt > 0.0f && dt <= 1.0f, ErrorCode::bad_argument,
                         "step: dt must be above 0 and at most 1 second; nothing was moved") ||
        !s.refuse_unless(host_jobs.threads >= 1, ErrorCode::bad_argument,
                         "step: jobs.threads must be at least 1; nothing was moved"))
        return false;
    const RunningCallbacks::Scope running(s.callbacks);
    FrameProfile profile;
    profile.frame = s.profile.frame + 1;
    s.profile = profile;
    const bool timed = s.def.timing != Timing::off;
    const long interruptions = interruptions_so_far(s.def.timing == Timing::pairs);
    Stopwatch whole(timed), clock(timed);
    s.profile.start = whole.last();
    const auto end_stage = [&](double FrameProfile::*time, std::uint64_t StageHashes::*hash) {
        s.profile.*time = clock.lap();
        if (!s.def.hash_stages) return;
        s.profile.hashes.*hash = s.state_hash();
        clock.lap();
    };
    const Jobs jobs = s.step_jobs.begin(host_jobs);
    s.set_off_for_targets(dt);
    s.expect_longer_step(dt, jobs);
    s.update_pairs(jobs);
    end_stage(&FrameProfile::pairs, &StageHashes::pairs);
    s.collide_active(jobs);
    end_stage(&FrameProfile::collide, &StageHashes::collide);
    s.build_graph(dt, jobs);
    end_stage(&FrameProfile::graph, &StageHashes::graph);
    s.note_approaches();
    s.solve(dt, jobs);
    s.arrive_at_targets();
    end_stage(&FrameProfile::solve, &StageHashes::solve);
    s.sweep_fast_bodies(dt);
    end_stage(&FrameProfile::continuous, &StageHashes::continuous);
    s.finish(dt, jobs);
    end_stage(&FrameProfile::finish, &StageHashes::finish);
    s.publish(jobs);
    s.step_jobs.end();
    end_stage(&FrameProfile::publish, &StageHashes::publish);
    s.profile.total = whole.lap();
    s.profile.narrowphase.clock_reads += clock.reads() + whole.reads();
    s.profile.interruptions =
        static_cast<std::uint32_t>(interruptions_so_far(s.def.timing == Timing::pairs) - interruptions);
    if (timed) s.profile.timing = static_cast<double>(s.profile.narrowphase.clock_reads) * microseconds_per_read();
    return true;
}

// ---- collide --------------------------------------------------------------------------------------------------------

/// The contacts of awake bodies, in order of their slots. Where few are awake, from their lists of pairs: what sleeps
/// costs nothing. A sweep over all of them takes 0.5 ns a contact, a list and the sort some 20 ns a contact found.
void World::State::gather_active(std::vector<std::uint32_t>& list) const {
    list.clear();
    if (are_few_awake()) {
        for_each_awake_pair(
            [&](std::uint32_t p) { for_each_contact(contacts, p, [&](std::uint32_t c) { list.push_back(c); }); });
        std::sort(list.begin(), list.end());
        return;
    }
    for (std::uint32_t c = 0; c < contacts.bodies.size(); ++c) {
        const ContactBodies& pair = contacts.bodies[c];
        if (awake.contains(pair.a) || awake.contains(pair.b)) list.push_back(c);
    }
}

CollideSettings World::State::collide_settings() const {
    return {.skip = def.enable_skip,
            .reuse = def.enable_reuse,
            .closed_form = def.enable_closed_form,
            .axis = def.enable_axis,
            .warm_gjk = def.enable_warm_gjk,
            .warm_epa = def.enable_warm_epa,
            .drop_slivers = true,
            .timing = def.timing};
}

void World::State::collide_active(const Jobs& jobs) {
    awake.compact();
    gather_active(active);
    restore_modified();
    restore_merged();
    const CollideSettings settings = collide_settings();
    // More tasks than threads: one that has drawn the hard pairs does not keep the others waiting.
    constexpr std::size_t least_pairs = 256;
    const auto most = static_cast<std::size_t>(jobs.tasks_for(active.size(), least_pairs));
    const std::size_t tasks = most == 1 ? 1 : std::min(active.size() / least_pairs, 4 * most);
    if (collide_tasks.size() < tasks) collide_tasks.resize(tasks);
    jobs.for_each(static_cast<int>(tasks), [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t first = active.size() * k / tasks, last = active.size() * (k + 1) / tasks;
        CollideTask& task = collide_tasks[k];
        task.profile = {};
        const auto part = std::span(active).subspan(first, last - first);
        collide_contacts(part, settings, task.scratch, task.profile);
        task.touching.clear();
        for (const std::uint32_t c : part) {
            if (has_manifold(c)) task.touching.push_back(c);
        }
    });
    last_touching.swap(touching);
    touching.clear();
    for (std::size_t k = 0; k < tasks; ++k) {
        profile.narrowphase += collide_tasks[k].profile;
        touching.insert(touching.end(), collide_tasks[k].touching.begin(), collide_tasks[k].touching.end());
    }
    name_slowest();
}

void World::State::name_slowest() {
    const TimedPair& slowest = profile.narrowphase.slowest;
    if (slowest.pair == null_index) return;
    const ContactEvent names = event_of(slowest.pair);
    profile.slowest = {names.body_a,
                       names.body_b,
                       names.shape_a,
                       names.shape_b,
                       slowest.rung,
                       slowest.microseconds,
                       triangle_of(slowest.pair)};
}

// ---- finish ---------------------------------------------------------------------------------------------------------

/// The broadphase is given where a body will be, too: what it comes near to in a step is among its pairs before the step.
static Aabb swept(const Aabb& box, const vec3& way) { return merge(box, {box.lower + way, box.upper + way}); }

/// Colliders and boxes of the awake bodies, as they are and as far as they will come in a step of dt.
void World::State::expect_motion(float dt, const Jobs& jobs) {
    expected_dt = dt;
    const auto list = awake.list();
    moved_proxies.resize(list.size());
    moved_boxes.resize(list.size());
    moved_ways.resize(list.size());
    jobs.for_each_run(list.size(), least_bodies, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            set_colliders(list[i], moved_boxes[i], dt);
            moved_proxies[i] = bodies[list[i]].proxy;
            moved_ways[i] = dt * bodies[list[i]].linear_velocity;
            moved_boxes[i] = swept(moved_boxes[i], moved_ways[i]);
        }
    });
}

/// The last step expected the next one to be as long as it was. What moves farther in a longer one would not see what
/// it comes to, and be found deep in it by the step after.
void World::State::expect_longer_step(float dt, const Jobs& jobs) {
    if (dt <= expected_dt || expected_dt == 0.0f) return;
    awake.compact();
    expect_motion(dt, jobs);
    broadphase.move(moved_proxies, moved_boxes, moved_ways, jobs);
}

void World::State::finish(float dt, const Jobs& jobs) {
    expect_motion(dt, jobs);
    put_islands_to_sleep(dt);
    Stopwatch clock(def.timing != Timing::off);
    broadphase.move(moved_proxies, moved_boxes, moved_ways, jobs);
    for (const std::uint32_t slot : struck) {
        place(slot, dt);
        wake(slot);
    }
    broadphase.refresh(jobs);  // queries between steps find it sorted; the next update has that much less to do
    profile.broadphase += clock.lap();
    profile.narrowphase.clock_reads += clock.reads();
}

void World::State::place(std::uint32_t slot, float dt) {
    Aabb box;
    set_colliders(slot, box, dt);
    const vec3 way = dt * bodies[slot].linear_velocity;
    broadphase.move(bodies[slot].proxy, swept(box, way), way);
}

/// The triangles of a mesh that have contacts go with it.
void World::State::place_triangles(std::uint32_t slot, std::uint32_t mesh) {
    for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            for (const std::uint32_t i : {contacts.records[c].a, contacts.records[c].b}) {
                if (shapes.is_triangle(i) && shapes.triangles[i].mesh == mesh) shapes.place_triangle(i, colliders);
            }
        });
    });
}

void World::State::set_colliders(std::uint32_t slot, Aabb& box, float dt) {
    const Body& body = bodies[slot];
    const Transform pose = body.pose();
    const float spin = std::sqrt(length_squared(body.angular_velocity));
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        colliders.poses[i] = multiply(pose, shapes.defs[i].pose);
        const vec3 arm = colliders.poses[i].position - body.center;
        const vec3 way = dt * (body.linear_velocity + glm::cross(body.angular_velocity, arm));
        const float turning = dt * spin * (body.radius + std::sqrt(length_squared(arm)));
        colliders.motions[i] = {way, dt * body.angular_velocity, turning, std::sqrt(length_squared(way)) + turning};
        shapes.world_boxes[i] = transform_box(to_frame(colliders.poses[i]), shapes.local_boxes[i]);
        if (shapes.defs[i].mesh) place_triangles(slot, i);
        box = i == body.first_shape ? shapes.world_boxes[i] : merge(box, shapes.world_boxes[i]);
    }
    if (slot >= balls.size()) balls.resize(slot + 1);  // of a new body, by one thread
    const float way = dt * std::sqrt(length_squared(body.linear_velocity));
    balls[slot] = {body.center, (1.0f + tolerance::contact_margin) * body.radius + way};
}

// ---- publish --------------------------------------------------------------------------------------------------------

/// Which of these contacts touch by now; `changed` become those of them that did not, and the other way round.
void World::State::note_touches(std::span<const std::uint32_t> list, std::vector<std::uint32_t>& changed) {
    changed.clear();
    for (std::size_t k = 0; k < list.size(); ++k) {
        constexpr std::size_t ahead = 8;
        if (k + ahead < list.size()) {
            const ContactState& next = contacts.states[list[k + ahead]];
            __builtin_prefetch(&next.point_count);
            __builtin_prefetch(&next.last_impulse);
        }
        const std::uint32_t c = list[k];
        ContactState& state = contacts.states[c];
        // Points inside the margin are only candidates: a contact begins when surfaces meet or a force flows, and ends
        // when there is neither force nor overlap.
        float impulse = 0.0f;
        for (int i = 0; i < state.point_count && !state.sensor; ++i) impulse += state.step_impulses[i];
        bool met = impulse > 0.0f || state.met;
        state.met = false;
        if (!met) {
            const Manifold& manifold = contacts.caches[c].manifold;
            for (int i = 0; i < manifold.count; ++i) met = met || manifold.points[i].separation <= 0.0f;
        }
        if (met) state.last_impulse = impulse;
        if (met != state.touching) changed.push_back(c);
    }
}

void World::State::publish(const Jobs& jobs) {
    // Those that had points in the last step and have none now; their slots may be others' by now, whose states are as
    // new.
    for (const std::uint32_t c : last_touching) {
        if (has_manifold(c)) continue;
        ContactState& state = contacts.states[c];
        state.point_count = 0;
        state.substep = 0.0f;
        state.friction_impulse = state.rolling_impulse = vec3(0.0f);
        state.twist_impulse = 0.0f;
        set_touching(c, false);
    }
    constexpr std::size_t least_contacts = 1024;
    const auto tasks = static_cast<std::size_t>(jobs.tasks_for(touching.size(), least_contacts));
    if (collide_tasks.size() < tasks) collide_tasks.resize(tasks);
    jobs.for_each(static_cast<int>(tasks), [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t first = touching.size() * k / tasks, last = touching.size() * (k + 1) / tasks;
        note_touches(std::span(touching).subspan(first, last - first), collide_tasks[k].changed);
    });
    for (std::size_t k = 0; k < tasks; ++k) {
        for (const std::uint32_t c : collide_tasks[k].changed) set_touching(c, !contacts.states[c].touching);
    }
    report_patches();
    for (const Impact& impact : impacts) report_impact(impact);
    end_holding_back();
    report_hits();
    break_overloaded_joints();

    profile.bodies = bodies.live_count();
    profile.awake_bodies = static_cast<std::uint32_t>(awake.size());
    profile.broadphase_pairs = static_cast<std::uint32_t>(broadphase.pair_count());
    profile.convex_pairs = contacts.live_contacts() + contacts.far_pairs();
    profile.touching_pairs = static_cast<std::uint32_t>(edges.size());
    profile.contact_points = solver.point_count();
    profile.max_penetration = solver.max_penetration();
    profile.mean_penetration = solver.mean_penetration();
}

}  // namespace talus
