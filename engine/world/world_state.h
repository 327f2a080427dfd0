#pragma once
/// The state of a world: the systems that own its data, and the stages of a step, which pass to each system the data
/// that it needs.
///
/// Each system has its own header, which says what goes in, what comes out, and what it keeps across frames. A copy of
/// a world copies all systems, so it steps to the same bits. docs/architecture.md shows the stages on one page.

#include <talus/engine/world.h>
#include "common/scratch.h"
#include "engine/bodies/body_proxies.h"
#include "engine/bodies/body_store.h"
#include "engine/bodies/kinematic_targets.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/contacts/active_contacts.h"
#include "engine/contacts/contact_table.h"
#include "engine/contacts/contact_world.h"
#include "engine/contacts/modified_contacts.h"
#include "engine/contacts/substep_contacts.h"
#include "engine/continuous/continuous_collision.h"
#include "engine/events/contact_events.h"
#include "engine/events/hit_events.h"
#include "engine/events/joint_events.h"
#include "engine/events/moved_bodies.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/joints/joint_store.h"
#include "engine/mesh_contacts/merged_contacts.h"
#include "engine/mesh_contacts/mesh_contacts.h"
#include "engine/mesh_contacts/seams.h"
#include "engine/pairs/body_pairs.h"
#include "engine/sleeping/island_supports.h"
#include "engine/sleeping/islands.h"
#include "engine/sleeping/sleeping.h"
#include "engine/solve/driven_loads.h"
#include "engine/solve/energy_bound.h"
#include "engine/solve/island_momentum.h"
#include "engine/solve/solve_input.h"
#include "engine/solve/solve_plan.h"
#include "engine/solve/solver_bodies.h"
#include "engine/solve/solver_indices.h"
#include "engine/solve/substeps.h"
#include "engine/stiff_groups/stiff_groups.h"
#include "engine/threads/simulated_threads.h"
#include "engine/threads/stage_team.h"
#include "engine/threads/step_jobs.h"
#include "engine/world/last_error.h"
#include "engine/world/running_callbacks.h"

#include <utility>

namespace talus {

/// A part of the state that keeps nothing from step to step but its memory is Scratch: a copy of a world does not get
/// it, which makes copies cheaper, and a saved world does not have it.
struct World::State {
    void set_handle_tag(std::uint32_t tag);

    WorldDef def;

    // Bodies and joints.
    BodyStore bodies;
    ShapePool shapes;
    Colliders colliders;  ///< parallel to shapes
    BodyProxies proxies;
    KinematicTargets kinematic_targets;
    Sleeping sleeping;
    JointStore joints;
    bool any_locked = false;  ///< true once a body of this world has had locked axes

    // Contacts.
    ContactTable contacts;
    BodyPairs body_pairs;
    MeshContacts mesh_contacts;
    SolidContacts solid_contacts;
    ActiveContacts active_contacts;
    Scratch<Seams> seams;
    Scratch<MergedContacts> merged_contacts;
    ModifiedContacts modified_contacts;
    Scratch<SubstepContacts> substep_contacts;

    // The graph of a step: constraints, and the order in which they are solved.
    std::vector<ConstraintGraph::Edge> edges;
    SolverIndices indices;
    Islands islands;
    Scratch<ConstraintGraph> graph;
    StiffGroups stiff_groups;
    Scratch<std::vector<StiffGroups::JointEdge>> joint_edges;

    // The solve.
    Substeps substeps;
    Scratch<SolverBodies> moving;
    Scratch<ContactSolver> solver;
    JointSolver joint_solver{best_joint_kernel()};
    Scratch<IslandSupports> supports;
    Scratch<DrivenLoads> driven_loads;
    Scratch<IslandMomentum> island_momentum;
    Scratch<EnergyBound> energy_bound;
    Scratch<SolvePlan> plan;
    StageTeam stage_team;
    StepJobs step_jobs;
    SimulatedThreads simulated_threads;

    ContinuousCollision continuous;

    // Results of the last step for the user.
    ContactEvents contact_events;
    HitEvents hit_events;
    JointEvents joint_events;
    MovedBodies moved_bodies;
    FrameProfile profile;
    mutable LastError error;
    mutable RunningCallbacks callbacks;

    // The stages of a step of dt seconds, in order (step.cpp, graph_stage.cpp, solve_stage.cpp).
    void update_pairs(float dt, const Jobs& jobs);
    void collide(float dt, const Jobs& jobs);
    void build_graph(float dt, const Jobs& jobs);
    void solve(float dt, const Jobs& jobs);
    void collide_continuously(float dt, const Jobs& jobs);
    void finish(float dt, const Jobs& jobs);
    void publish(float dt, const Jobs& jobs);

    // Groups of systems, as stages pass them on.
    ContactWorld contact_world() { return {bodies, shapes, colliders, contacts}; }
    ContactView contact_view() const { return {bodies, shapes, colliders, contacts}; }
    Sleeping::World sleeping_world() { return {bodies, shapes, colliders, proxies.broadphase(), contacts, joints}; }
    SolveInput solve_input() const { return {bodies, joints, indices, islands, edges}; }
    /// Calls f(BodyPairs::Input).
    template <class F>
    void with_pairs(F&& f) {
        const ContactWorld world = contact_world();
        f(BodyPairs::Input{world, joints, sleeping.awake(), proxies.spheres(), def.enable_skip, mesh_contacts,
                           contact_events});
    }
    CollideSettings collide_settings() const;

    // Saved worlds (engine/state).
    template <class Bytes>
    void visit_fields(Bytes& bytes);
    /// Checks and completes what visit_fields() has read: first what a step builds on, then the rest. They return what
    /// is wrong with it, or null. Call the second only if the first returns null.
    std::size_t saved_size() const;  ///< estimate of the bytes that a saved world takes, hulls and meshes not included
    const char* problem_of_stores();
    const char* problem_of_results() const;
    std::uint64_t state_hash() const;                   ///< hash of bodies, pairs, contacts and their impulses
    std::uint32_t island_of(std::uint32_t slot) const;  ///< see World::island

    // Functions that several calls of the user share.
    /// Returns the box around a shape (pool index) at its pose.
    WorldAabb world_box(std::uint32_t shape) const { return shapes.world_box(shape, colliders); }
    const AwakeSet& awake() const { return sleeping.awake(); }
    void wake(std::uint32_t slot) { sleeping.wake(sleeping_world(), slot); }
    void wake_neighbours(std::uint32_t slot) { sleeping.wake_neighbours(sleeping_world(), slot); }
    void wake_overlapping(std::uint32_t slot) { sleeping.wake_overlapping(sleeping_world(), slot); }
    void wake_joint(std::uint32_t slot);  ///< wakes the joint's bodies
    void put_shapes(Body& body, std::span<const ShapeDef> given);
    void put_shape(std::uint32_t index, const ShapeDef& given);
    void begin_change(std::uint32_t slot);  ///< before shapes, filter or type change: removes the body's pairs
    void end_change(std::uint32_t slot);    ///< after it: makes a new proxy
    /// Adds bodies whose definitions were checked.
    void add_bodies(std::span<const BodyDef> defs, std::span<BodyId> out);
    // Work that several calls share. The handle is valid; `call` is the name of the call that the user made.
    bool add_force(BodyId id, const char* call, const vec3& force, const dvec3& point);
    bool add_impulse(BodyId id, const char* call, const vec3& impulse, const dvec3& point);
    bool set_shapes(BodyId id, const char* call, std::span<const ShapeDef> defs);
    bool set_mass_properties(BodyId id, const char* call, const MassProperties& properties);
    void replace_shapes(std::uint32_t slot, std::span<const ShapeDef> defs);
    void carry_velocity_to(Body& body, const dvec3& center) const;
    /// Removes a joint and the gears that couple it. The joint's own event says `overloaded`.
    void drop_joint(std::uint32_t slot, JointEvents::When when, bool overloaded = false);
    /// Called after a joint between two bodies was added, removed, or changed whether it lets them collide. Takes body
    /// slots or null_index.
    void update_collision_of(std::uint32_t body_a, std::uint32_t body_b);
    JointEvent event_of_joint(std::uint32_t slot, bool overloaded) const;
    /// Returns the index of an axis, 0 to 5. If it is not one of JointAxis, sets the error and returns -1.
    int axis_of(JointId id, JointAxis axis, const char* call) const;
    /// Returns the definition of a joint's axis. If the user may not set it, sets the error and returns nullptr.
    AxisDef* settable_axis(JointId id, JointAxis axis, const char* call);
    /// Sets the limit, motor or spring of an axis. Errors name its fields with `path` before them.
    template <class Part>
    bool set_axis(JointId id, JointAxis axis, const char* call, const char* path, Part AxisDef::*part,
                  const Part& value);

    // Checks of the user's calls. If a check fails, it returns false and sets the error, whose message begins with the
    // call's name.
    bool accept(const char* call, Error problem) const { return !problem || refuse(call, std::move(problem)); }
    bool refuse(const char* call, Error problem) const;  ///< sets the error and returns false
    /// The handle is that of a body or joint of this world. `name` is the name of the call's argument.
    bool check_handle(BodyId id, const char* call, const char* name = "body") const;
    bool check_handle(JointId id, const char* call, const char* name = "joint") const;
    bool check_shape_index(BodyId id, std::uint32_t shape, const char* call) const;
    bool may_change(const char* call) const;                ///< no step() or draw() is running
    bool check_change(BodyId id, const char* call) const;   ///< may_change() and check_handle()
    bool check_change(JointId id, const char* call) const;  ///< may_change() and check_handle()
    bool check_dynamic(BodyId id, const char* call) const;
    bool check_movable(BodyId id, const char* call) const;

private:
    void name_slowest();
    void break_overloaded_joints();
    void replace_manifolds();
    void wake_touched();
    void join_islands(float dt);
    void do_work(const SolvePlan::Work& work, const SolveInput& in, std::uint32_t first, std::uint32_t last);
    void do_field_work(const SolvePlan::FieldWork& work, std::uint32_t field);
    void draw_pair_rungs(DebugDraw& out, const WorldAabb& region) const;
    friend class World;
};

}  // namespace talus
