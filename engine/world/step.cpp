/// World::step: the list of stages, and the stages themselves except `graph` (graph_stage.cpp) and `solve`
/// (solve_stage.cpp).

#include "common/stopwatch.h"
#include "engine/settings.h"
#include "engine/world/error_text.h"
#include "engine/world/world_state.h"

#if defined(__linux__)
#include <sys/resource.h>
#endif

#include <cstdint>
#include <thread>

namespace talus {

namespace {

/// How often the system had preempted a thread, and which thread. On a host with fibers, a step may end on another
/// thread than it began.
struct Interruptions {
    std::thread::id thread;
    long count = 0;  ///< since the thread began

    std::uint32_t since(const Interruptions& before) const {
        return thread == before.thread ? static_cast<std::uint32_t>(count - before.count) : 0;
    }
};

/// Returns the interruptions of this thread so far; none if `asked` is false. It is not inlined, because compilers
/// assume that the thread stays the same within a function.
[[gnu::noinline]] Interruptions interruptions_so_far([[maybe_unused]] bool asked) {
    Interruptions result;
#if defined(__linux__)
    rusage usage{};
    if (asked && profiling_compiled_in && getrusage(RUSAGE_THREAD, &usage) == 0)
        result = {std::this_thread::get_id(), usage.ru_nivcsw};
#endif
    return result;
}

}  // namespace

bool World::step(float dt, const Jobs& host_jobs) {
    State& s = *state_;
    if (!s.may_change("step")) return false;
    if (!(dt >= settings::shortest_step && dt <= settings::longest_step))
        return s.refuse("step",
                        out_of_range(ErrorCode::bad_argument, "dt", text(dt), "at least 1e-9 and at most 1 (s)"));
    if (host_jobs.threads < 1)
        return s.refuse("step",
                        out_of_range(ErrorCode::bad_argument, "jobs.threads", text(host_jobs.threads), "at least 1"));
    const RunningCallbacks::Scope running(s.callbacks);
    FrameProfile profile;
    profile.frame = s.profile.frame + 1;
    s.profile = profile;
    const bool timed = s.def.timing != Timing::off;
    const Interruptions interruptions = interruptions_so_far(s.def.timing == Timing::pairs);
    Stopwatch whole(timed), clock(timed);
    s.profile.start = whole.last();
    const bool simulates = host_jobs.simulate && timed;
    const Jobs jobs = host_jobs.simulate ? s.simulated_threads.jobs(host_jobs.threads) : s.step_jobs.begin(host_jobs);
    const auto run = [&](void (State::*stage)(float, const Jobs&), double FrameProfile::*time, double StageSpans::*span,
                         std::uint64_t StageHashes::*hash) {
        const std::uint64_t begin = simulates ? s.simulated_threads.now() : 0;
        (s.*stage)(dt, jobs);
        if (simulates) {
            s.profile.span.*span = static_cast<double>(s.simulated_threads.now() - begin) * microseconds_per_tick();
            s.profile.span.total += s.profile.span.*span;
        }
        s.profile.*time = clock.lap();
        if (!s.def.hash_stages) return;
        s.profile.hashes.*hash = s.state_hash();
        clock.lap();
    };

    // stage       from -> to
    // pairs       boxes of bodies -> body pairs, contacts of their shapes
    // collide     poses of colliders -> manifolds of contacts
    // graph       touching contacts, joints -> woken islands, coloured edges, solver indices
    // solve       edges, joints, bodies -> velocities, poses, impulses
    // continuous  poses and velocities of fast bodies -> their impacts; poses and velocities after these
    // finish      poses -> colliders, boxes, proxies; islands fall asleep
    // publish     manifolds, impulses, impacts -> events, profile
    run(&State::update_pairs, &FrameProfile::pairs, &StageSpans::pairs, &StageHashes::pairs);
    run(&State::collide, &FrameProfile::collide, &StageSpans::collide, &StageHashes::collide);
    run(&State::build_graph, &FrameProfile::graph, &StageSpans::graph, &StageHashes::graph);
    run(&State::solve, &FrameProfile::solve, &StageSpans::solve, &StageHashes::solve);
    run(&State::collide_continuously, &FrameProfile::continuous, &StageSpans::continuous, &StageHashes::continuous);
    run(&State::finish, &FrameProfile::finish, &StageSpans::finish, &StageHashes::finish);
    run(&State::publish, &FrameProfile::publish, &StageSpans::publish, &StageHashes::publish);

    if (!host_jobs.simulate) s.step_jobs.end();
    s.profile.total = whole.lap();
    s.profile.narrowphase.clock_reads += clock.reads() + whole.reads();
    s.profile.interruptions = interruptions_so_far(s.def.timing == Timing::pairs).since(interruptions);
    if (timed) s.profile.timing = static_cast<double>(s.profile.narrowphase.clock_reads) * microseconds_per_read();
    return true;
}

void World::State::update_pairs(float dt, const Jobs& jobs) {
    const ContactWorld world = contact_world();
    contact_events.begin_step();
    hit_events.begin_step();
    joint_events.begin_step();
    mesh_contacts.begin_step();
    kinematic_targets.set_off(bodies, dt, def.max_speed, [&](std::uint32_t slot) {
        sleeping.start_moving(sleeping_world(), slot);
        proxies.place(world, slot, dt);  // so that bodies in its path get a pair with it in this step
    });
    sleeping.compact();
    proxies.expect_longer_step(world, awake(), dt, jobs);
    Stopwatch clock(def.timing != Timing::off);
    proxies.broadphase().update(jobs);
    profile.broadphase = clock.lap();
    profile.narrowphase.clock_reads += clock.reads();
    with_pairs([&](const BodyPairs::Input& in) {
        body_pairs.update(in, proxies.broadphase(), proxies.bodies_of(), jobs, profile);
        contact_events.settle_changes(world, active_contacts.touching());
        body_pairs.update_compounds(in);
    });
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

void World::State::collide(float, const Jobs& jobs) {
    const ContactWorld world = contact_world();
    contacts.restore_manifolds();
    modified_contacts.begin_step(world);
    solid_contacts.collide(world, mesh_contacts.solid_tasks(), jobs, def.timing != Timing::off, profile.narrowphase);
    active_contacts.collide(world, awake(), collide_settings(), any_locked, jobs, profile.narrowphase);
    name_slowest();
}

/// Writes the bodies and shapes of the contact whose test took longest to the profile.
void World::State::name_slowest() {
    const TimedPair& slowest = profile.narrowphase.slowest;
    if (slowest.pair == null_index) return;
    const ContactEvent names = contact_view().event_of(slowest.pair);
    profile.slowest = {names.body_a,
                       names.body_b,
                       names.shape_a,
                       names.shape_b,
                       slowest.rung,
                       slowest.microseconds,
                       contact_view().triangle_of(slowest.pair)};
}

void World::State::collide_continuously(float dt, const Jobs& jobs) {
    const auto has_joint = [&](std::uint32_t slot) { return indices.has_joint(slot); };
    const auto modify_impact = [&](const ImpactContact& c) {
        if (!modified_contacts.is_set()) return true;
        const ContactEvent names{bodies.id_of(c.other), bodies.id_of(c.body),
                                 c.other_shape - bodies[c.other].first_shape, c.shape - bodies[c.body].first_shape};
        const bool touched = contact_view().are_touching(c.other, c.other_shape, c.body, c.shape);
        return modified_contacts.modify(bodies, names, c.other_pose, c.pose, c.manifold, c.friction, c.restitution,
                                        touched);
    };
    const ContinuousInput input{.dt = dt,
                                .substeps = substeps.count(),
                                .gravity = def.gravity,
                                .max_speed = def.max_speed,
                                .enabled = def.continuous,
                                .max_penetration = solver.max_penetration(),
                                .any_pressed_through = mesh_contacts.any_pressed_through(),
                                .bodies = bodies,
                                .shapes = shapes,
                                .colliders = colliders,
                                .broadphase = proxies.broadphase(),
                                .contacts = contacts,
                                .joints = joints,
                                .awake = awake(),
                                .solver_indices = indices.index_by_slot(),
                                .solver_bodies = moving.bodies(),
                                .limits = moving.limits(),
                                .has_joint = has_joint,
                                .modify = modify_impact};
    continuous.step(input, {.bodies = bodies, .solver_bodies = moving.bodies(), .joint_solver = joint_solver}, jobs);
    profile.swept_bodies = static_cast<std::uint32_t>(continuous.swept_count());
    profile.impacts = static_cast<std::uint32_t>(continuous.impacts().size());
}

void World::State::finish(float dt, const Jobs& jobs) {
    const ContactWorld world = contact_world();
    const SolveInput in = solve_input();
    const Sleeping::Step ended{in, islands, supports, moving, def, dt};
    const auto list = awake().list();
    const auto tasks = static_cast<std::size_t>(jobs.tasks_for(list.size(), SolverIndices::least_bodies));
    proxies.begin_motion(dt, tasks);
    sleeping.begin();
    moved_bodies.begin(list.size());
    // All that is done with single bodies is done in one pass, because their data come from memory.
    jobs.for_each_part(list.size(), tasks, [&](std::size_t task, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            proxies.expect_motion(world, list[i], task);
            sleeping.settle(i, bodies[list[i]], ended);
            moved_bodies.set(i, bodies, list[i]);
        }
    });
    sleeping.end(sleeping_world(), ended, profile);
    moved_bodies.end(bodies, awake());
    Stopwatch clock(def.timing != Timing::off);
    proxies.move_awake(world);
    for (const std::uint32_t slot : continuous.struck()) {
        proxies.place(world, slot, dt);
        wake(slot);
    }
    // Queries between steps find the broadphase sorted, and the next update has that much less to do.
    proxies.broadphase().refresh(jobs);
    profile.broadphase += clock.lap();
    profile.narrowphase.clock_reads += clock.reads();
}

void World::State::publish(float, const Jobs& jobs) {
    const ContactWorld world = contact_world();
    contact_events.find_changes(world, active_contacts.touching(), active_contacts.last_touching(), jobs);
    contact_events.report_mesh_contacts(world);
    for (const Impact& impact : continuous.impacts())
        contact_events.report_impact(world, impact, active_contacts.touching());
    contact_events.end_step(world);
    hit_events.report(world.view(), continuous.impacts(), def.hit_speed);
    break_overloaded_joints();

    profile.bodies = bodies.live_count();
    profile.awake_bodies = static_cast<std::uint32_t>(awake().size());
    profile.broadphase_pairs = static_cast<std::uint32_t>(proxies.broadphase().pair_count());
    profile.convex_pairs = contacts.live_contacts() + contacts.far_pairs();
    profile.touching_pairs = static_cast<std::uint32_t>(edges.size());
    profile.contact_points = solver.point_count();
    profile.max_penetration = solver.max_penetration();
    profile.mean_penetration = solver.mean_penetration();
}

}  // namespace talus
