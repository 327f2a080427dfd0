#pragma once
/// Everything a world is. Each member has one owner and, but for scratch, lives across frames; all of it is copied with
/// the world, so that a copy steps to the same bits.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/world.h>
#include "engine/bodies/body_motions.h"
#include "engine/bodies/body_store.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/slabs.h"
#include "engine/constraints/slender_islands.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/contacts/contact_table.h"
#include "engine/continuous/continuous.h"
#include "engine/debug_draw/pen.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/joints/joint_store.h"
#include "engine/sleeping/awake_set.h"
#include "engine/sleeping/islands.h"
#include "engine/stiff_groups/stiff_groups.h"
#include "engine/world/last_error.h"
#include "engine/world/running_callbacks.h"
#include "engine/world/stage_team.h"
#include "engine/world/step_jobs.h"

#include <string_view>

namespace talus {

struct World::State {
    static constexpr std::size_t least_bodies = 128;  ///< that are worth a task
    static constexpr std::uint32_t group_size = 8;    ///< solver bodies are counted in groups of the widest lanes

    WorldDef def;

    BodyStore bodies;
    ShapePool shapes;
    Colliders colliders;  ///< parallel to shapes
    Broadphase broadphase;
    std::vector<std::uint32_t> proxy_body;  ///< body slot by proxy, null_index once removed
    ContactTable contacts;
    /// A pair whose contacts come and go by the boxes of its shapes. Boxes that were not near when they were last compared
    /// are not near yet while the two bodies have moved and turned by less than `slack` since.
    struct CompoundPair {
        std::uint32_t pair = null_index;
        float slack = 0.0f;       ///< m
        std::uint32_t steps = 0;  ///< since then
        vec3 between{0.0f};       ///< from the centre of the first body to that of the second one
        quat rotations[2] = {};
    };
    std::vector<CompoundPair> compound_pairs;
    /// A ball around a body's centre of mass. Nothing of another body is within the contact margin while their balls
    /// are apart.
    struct alignas(16) Ball {
        vec3 center{0.0f};
        float reach = 0.0f;
    };
    std::vector<Ball> balls;  ///< by body slot
    JointStore joints;
    AwakeSet awake;

    // What steps of changing length have to know of those before.
    float usual_substep = 0.0f;  ///< the longest sub-step of late, s; 0 before the first step
    float expected_dt = 0.0f;    ///< length of the step for which colliders and boxes look ahead, s; 0 likewise

    // What the last step left for the user.
    std::vector<ContactEvent> begun, ended;
    std::vector<HitEvent> hits;
    std::vector<ContactEvent> ended_at_next_step;  ///< to be reported by it: by removals since, or over as they began
    std::vector<JointEvent> broken;
    std::vector<JointEvent> broken_outside_step;
    FrameProfile profile;
    mutable LastError error;
    mutable RunningCallbacks callbacks;

    // Of the step in progress. Kept so that a steady step allocates nothing.
    static constexpr std::uint8_t by_contact = 1, by_joint = 2, by_bounce = 4, moves_far = 8;
    /// By body slot: held by a contact, by a joint, by a contact with restitution; moves far in this step.
    std::vector<std::uint8_t> constrained;
    // Solver indices: 0 is everything immovable, then come the constrained bodies slab by slab, those of them that
    // can't be pushed, those that nothing touches, and of these those whose inertia is not a ball's; each kind and slab
    // begins with a whole group of lanes.
    std::vector<std::uint32_t> solver_index;  ///< by body slot
    std::vector<std::uint32_t> solver_slots;  ///< and back; null_index in index 0 and the fill
    std::vector<std::uint8_t> solver_slabs;   ///< by solver index
    std::vector<std::uint32_t> held;          ///< constrained bodies that can be pushed
    std::vector<std::uint32_t> loads;         ///< by body slot: one more than its contacts
    Slabs slabs;
    std::array<std::uint32_t, most_slabs> slab_loads{};  ///< sums of `loads`
    SlabGroups slab_groups{};  ///< a thread solves a group: several where several solve this step
    std::array<std::uint32_t, most_slabs + 1> group_begins{};  ///< solver indices
    std::uint32_t held_end = 0, constrained_end = 0, coasting_end = 0;
    int substeps = 0;  ///< of this step
    std::vector<SolverBody> solver_bodies;
    std::vector<SolverMass> solver_masses;
    BodyMotions body_motions{best_solver_kernel()};
    // Of bodies whose contacts are found anew within the step (substep_contacts.cpp).
    bool renews = false;                              ///< there may be such bodies in this step
    bool any_fast_contact = false;                    ///< some edge has a slide_room
    std::uint32_t renewal = 0;                        ///< counts how often that was done
    std::vector<std::uint32_t> stale;                 ///< solver indices
    std::vector<std::uint32_t> moved_at, renewed_at;  ///< by body slot and by contact: the last renewal with it
    std::vector<ContactSolver::Renewed> renewed;
    std::vector<std::uint32_t> to_collide, struck_aside;  ///< contacts
    struct FirstPose {
        std::uint32_t body, collider;
        Transform pose;
    };
    std::vector<FirstPose> first_poses;  ///< of colliders that were moved, at the start of the step
    struct Settled {
        Rung rung;
        std::uint16_t cost;
        Manifold manifold;
    };
    std::vector<Settled> was_settled;  ///< parallel to to_collide
    CollideScratch renewal_scratch;
    std::vector<std::uint32_t> active;            ///< contacts with an awake body that `collide` was given, ascending
    std::vector<std::uint32_t> active_and_woken;  ///< and those of islands that were woken by what it found
    /// Of these, those whose manifold has points; the same in the last step.
    std::vector<std::uint32_t> touching, last_touching;
    std::vector<ConstraintGraph::Edge> edges;
    ConstraintGraph graph;
    StiffGroups stiff_groups;
    std::vector<StiffGroups::JointEdge> joint_edges;  ///< of the step
    CrowdedContacts crowded_contacts;
    SlenderIslands slender_islands;
    ContactSolver solver;
    JointSolver joint_solver{best_joint_kernel()};
    Islands islands;
    struct IslandBound {
        double slope = 0.0, bend = 0.0;  ///< without a part s of its impulses it has s slope - s^2 bend less, J
        double work = 0.0;               ///< put in by springs, motors, drives and belts, J
        float kept = 1.0f;               ///< part of its impulses
    };
    struct DrivenIsland {
        float speed = 0.0f;    ///< of the fastest kinematic body that touches it, m/s; 0: of none that moves
        float fastest = 0.0f;  ///< of its own, m/s
        float mass = 0.0f;     ///< kg
    };
    std::vector<DrivenIsland> driven_islands;  ///< by solver index of the island's root
    struct IslandGain {
        double gain = 0.0;                 ///< of energy, J
        double kinetic = 0.0, mass = 0.0;  ///< J, kg
        double least = 0.0;                ///< less is passed over, J
        std::uint32_t bodies = 0;
    };
    std::vector<IslandGain> island_gains;         ///< sums of its bodies', by solver index of the island's root, J
    std::vector<std::uint32_t> gaining_islands;   ///< roots of those that gained
    std::vector<IslandBound> island_bounds;       ///< the same
    std::vector<BodyMotions::Unpushed> unpushed;  ///< by solver index: velocities without what is scaled
    std::vector<float> kept_impulses;             ///< by solver index: IslandEnergy::kept
    // Islands that nothing bears (island_momentum.cpp).
    struct FloatingIsland {
        std::uint32_t first_body, body_count, first_link, link_count;
    };
    /// Of bodies that push each other in a sub-step.
    struct FloatingSums {
        std::uint32_t count = 0;  ///< of its bodies; 1 where something that nothing pushes has pushed them, too
        bool changes = false;
        double mass = 0.0, size = 0.0;  ///< kg; of the angular momenta of its bodies, N m s
        double energy_before = 0.0, energy = 0.0, energy_now = 0.0, shared = 0.0, kept = 1.0;
        glm::dvec3 center_before{0.0}, velocity_before{0.0}, center{0.0}, velocity{0.0};
        glm::dvec3 momentum{0.0}, now{0.0};  ///< angular, about the centre of mass: that it should have, and has
        glm::dvec3 added{0.0}, common{0.0};  ///< rotations, rad/s
        glm::dmat3 inertia{0.0};             ///< of all together about the centre of mass, kg m^2
    };
    struct FloatingBody {
        std::uint32_t index = 0, parent = 0;
        bool jointed = false;
        vec3 velocity{0.0f};  ///< this and the next: when gravity and forces had acted
        glm::dvec3 center{0.0}, spin_momentum{0.0};
        double energy = 0.0;
        FloatingSums sums;  ///< of the bodies whose parent this is
    };
    /// Two bodies that a joint or a contact joins, or a body and one that nothing pushes.
    struct FloatingLink {
        std::uint32_t a, b;          ///< in floating_bodies; the same where one of the two is not pushed
        std::uint32_t edge;          ///< null_index of joints
        std::uint32_t record, lane;  ///< of the contact in the solver
        bool pushes;                 ///< it has pushed in this step, or is a joint
    };
    std::vector<FloatingIsland> floating;
    std::vector<FloatingBody> floating_bodies;
    std::vector<FloatingLink> floating_links;
    std::vector<std::uint32_t> floating_of, floating_places;  ///< by solver index
    std::vector<std::uint32_t> floating_links_of;             ///< by edge
    /// What the solve does with the bodies of a group of slabs, or with the contacts of a field.
    struct FieldWork {
        enum class Kind : std::uint8_t {
            begin_bodies,
            bodies,
            end_bodies,
            begin_contacts,
            contacts,
            note_calm,
            end_contacts
        };
        Kind kind;
        BodyMotions::Pass motion = nullptr;  ///< of `bodies`
        ContactSolver::Pass pass = nullptr;  ///< of `contacts`
        ContactPhase phase = ContactPhase::inner;

        /// Needs no body beyond one group.
        bool is_inside_groups() const { return phase == ContactPhase::inner || phase == ContactPhase::immovable; }
    };
    /// What a stage of the solve does: one thing after the other with each slab or field, or one with the groups of
    /// bodies from `first` on.
    struct StageWork {
        enum class Kind : std::uint8_t {
            fields,
            begin_bodies,
            bodies,
            free_bodies,
            end_bodies,
            begin_stiff,
            stiff,
            relax_stiff,
            joints,
            renew_contacts,
            bound_energy,
            bound_bounces,
            note_momentum,
            restore_momentum
        };
        using JointPass = void (JointSolver::*)(std::uint32_t first, std::uint32_t last);
        Kind kind;
        std::uint32_t first = 0, count = 0;  ///< of `fields`: in field_works
        BodyMotions::Pass motion = nullptr;  ///< of `bodies`
        JointPass joint_pass = nullptr;      ///< of `joints`
    };
    std::array<std::uint32_t, most_fields> inside_loads{}, even_loads{}, odd_loads{};  ///< records: Stage::loads
    std::vector<Stage> stages;
    std::vector<StageWork> stage_works;
    std::vector<FieldWork> field_works;
    StageTeam stage_team;
    StepJobs step_jobs;
    std::vector<float> island_still_time;  ///< by solver index of the island's root, s
    static constexpr std::uint8_t island_lies = 1, island_tied = 2, island_borne = 4, island_carried = 8,
                                  island_loaded = 16;
    std::vector<std::uint8_t> island_supports;  ///< the same: of those in which joints are, what holds them up
    std::vector<std::uint32_t> stack;
    struct NearTask {
        std::vector<std::uint32_t> near;  ///< far pairs that came near
        std::uint32_t far = 0;            ///< those that did not
    };
    std::vector<NearTask> near_tasks;
    struct CollideTask {
        CollideScratch scratch;
        NarrowphaseProfile profile;
        std::vector<std::uint32_t> touching;
        std::vector<std::uint32_t> changed;  ///< contacts that begin or end to touch
    };
    std::vector<CollideTask> collide_tasks;
    bool any_locked = false;                ///< true once a body of this world has had locked axes
    std::vector<ProxyIndex> moved_proxies;  ///< of the awake bodies, with their boxes and expected ways
    std::vector<Aabb> moved_boxes;
    std::vector<vec3> moved_ways;

    // Of fast bodies (continuous.h), by body slot.
    std::vector<std::uint32_t> fast, bullets;
    std::vector<std::uint32_t> fast_kinematics;
    std::vector<Aabb> strays;           ///< where those of them were that left their fat boxes
    std::vector<std::uint32_t> struck;  ///< sleeping bodies that were hit: awake from the end of the step on
    std::vector<Path> new_paths;        ///< of bodies that impacts have put on a new way
    std::vector<Impact> impacts;
    SweepScratch sweep_scratch, scratch_of_met;
    // Of joints that were opened (continuous_closing.cpp).
    std::vector<std::uint32_t> opened;  ///< a body of each articulation that is to be closed
    /// What bodies that have met something in this step may have of energy (continuous_energy.cpp).
    struct ImpactEnergy {
        std::uint32_t slot = 0;  ///< of the body, or of the first that joints hold together with it
        double allowed = 0.0;    ///< kinetic and potential, J
        double ahead = 0.0;      ///< what gravity gave them in half a sub-step, before, J
        bool anchored = false;   ///< they have met something fixed or kinematic
    };
    std::vector<ImpactEnergy> impact_energies;       ///< of what joints hold together
    std::vector<Path> safe_places;                   ///< where bodies that joints hold may be put back to
    std::vector<SweepScratch::Pairing> let_through;  ///< of such bodies, by the contact modifier in this step
    std::vector<Stop> stops;                         ///< of the articulation that is being closed
    std::vector<JointSolver::ClosingPlane> closing_planes;
    struct LinkMotion {
        Body body;
        SolverBody solver;
    };
    std::vector<LinkMotion> before_closing;  ///< of the links of that articulation
    std::ptrdiff_t bullets_done = 0;         ///< of the list: those whose turn has come in this step
    std::vector<std::uint32_t> found_triangles;
    struct KnownTriangle {
        std::uint32_t triangle, contact;
    };
    std::vector<KnownTriangle> known_triangles;

    // Of contacts with meshes (mesh_patches.cpp).
    struct NearTriangle {
        vec3 points[3];  ///< mesh frame, m
        vec3 normal;
    };
    std::vector<NearTriangle> triangles_around;  ///< the middle of a shape
    bool any_through = false;                    ///< in this step: see MeshPatch::through
    struct Merged {
        std::uint32_t contact;
        Manifold manifold;
    };
    std::vector<Merged> merged;  ///< what the contacts that were merged in the last step had found
    struct PatchContact {
        std::uint32_t patch, contact;
    };
    std::vector<PatchContact> patch_contacts;
    std::vector<std::uint32_t> same_way;  ///< contacts of one patch
    struct PatchPoint {                   ///< of a contact with a triangle, whichever of the two is A
        vec3 on_mesh;                     ///< m, mesh frame
        vec3 on_other;                    ///< m, its shape frame
        float separation;
        std::uint32_t id;
    };
    std::vector<PatchPoint> patch_points;
    float largest_motion = 0.0f, largest_kinematic_motion = 0.0f;  ///< of any point of an awake body in this step, m

    // Contacts that ask for more (contact_modifier.cpp, events.cpp).
    ContactModifier modifier = nullptr;
    void* modifier_user = nullptr;
    struct Original {
        std::uint32_t contact;
        float friction, restitution;
        Manifold manifold;
    };
    std::vector<Original> originals;  ///< of the contacts that were modified in the last step
    struct Approach {
        std::uint32_t contact;
        float speed;  ///< greatest of its points, along the normal, m/s
    };
    std::vector<Contact> hit_contacts;  ///< scratch
    std::vector<Approach> approaches;   ///< of contacts with hit events, before the solve

    std::vector<std::uint8_t> known_contacts;  ///< scratch: by shape of A and shape of B

    /// Contacts that touched when their bodies or joints were changed: to go on, or to end, in the next step.
    std::vector<ContactEvent> carried;
    /// What does not begin in this step: contacts, some of which may be gone, and patches.
    std::vector<std::uint32_t> held_back_contacts, held_back_patches;
    struct Target {
        BodyId body;
        vec3 center;
        quat rotation;
    };
    std::vector<Target> targets;  ///< of kinematic bodies, for the next step
    std::vector<BodyId> arrived;  ///< those that the last step took to theirs

    // The stages of a step, in order (step.cpp).
    void expect_longer_step(float dt, const Jobs& jobs);
    void update_pairs(const Jobs& jobs);
    void collide_active(const Jobs& jobs);
    void build_graph(float dt, const Jobs& jobs);
    void solve(float dt, const Jobs& jobs);
    void sweep_fast_bodies(float dt);
    void finish(float dt, const Jobs& jobs);
    void publish(const Jobs& jobs);

    // Shared by the stages and by the user's calls.
    void note_approaches();
    void set_off_for_targets(float dt);
    void arrive_at_targets();
    void put_shapes(Body& body, std::span<const ShapeDef> given);
    void put_shape(std::uint32_t index, const ShapeDef& given);
    void begin_change(std::uint32_t slot);  ///< of its shapes, filter or type: drops its pairs
    void end_change(std::uint32_t slot);    ///< and makes its proxy anew
    void replace_shapes(std::uint32_t slot, std::span<const ShapeDef> defs);
    void wake(std::uint32_t slot);             ///< with all it touches, directly or not
    void wake_neighbours(std::uint32_t slot);  ///< of a body that is about to change or go
    void wake_all();
    void sleep(std::uint32_t slot);
    void start_moving(std::uint32_t slot);                        ///< its velocity was set
    void wake_overlapping(std::uint32_t slot);                    ///< whoever sleeps where this body now is
    void place(std::uint32_t slot, float dt);                     ///< collider poses, boxes and proxy follow the body
    void set_colliders(std::uint32_t slot, Aabb& box, float dt);  ///< the same without the proxy; gives the body's box
    bool check_handle(BodyId id, const char* call) const;         ///< false, and error set, for a stale one
    bool check_shape_index(BodyId id, std::uint32_t shape, const char* call) const;
    bool check_handle(JointId id, const char* call) const;
    /// Returns `ok`. When it is false, sets the error, whose sentence begins with the call's name.
    bool refuse_unless(bool ok, ErrorCode code, std::string_view sentence, const char* call = "") const;
    bool may_change(const char* call) const;                ///< false, and error set, in a callback of step() or draw()
    bool check_change(BodyId id, const char* call) const;   ///< both
    bool check_change(JointId id, const char* call) const;  ///< both
    bool check_dynamic(BodyId id, const char* call) const;
    bool check_movable(BodyId id, const char* call) const;
    void carry_velocity_to(Body& body, const vec3& center) const;
    void drop_pair(std::uint32_t pair, std::vector<ContactEvent>& events);
    /// Removes a joint and the gears on it, the joint itself reported as `overloaded` or not, if there is where to.
    void drop_joint(std::uint32_t slot, std::vector<JointEvent>* events, bool overloaded = false);
    /// A joint between them came, went or changed its mind.
    void update_contacts_of(std::uint32_t body_a, std::uint32_t body_b);
    void wake_joint(std::uint32_t slot);  ///< its bodies
    /// True where it is cheaper to walk the lists of what is awake and to sort than to look at all pairs and contacts:
    /// to do so costs some sixteen times as much for each.
    bool are_few_awake() const { return 16 * awake.size() < bodies.live_count(); }
    /// Calls visit(pair index) once for each pair of an awake body; the list of those must be compact.
    template <class Visit>
    void for_each_awake_pair(Visit&& visit) const {
        for (const std::uint32_t slot : awake.list()) {
            for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
                const std::uint32_t other = other_body(contacts.pairs[p], slot);
                if (!awake.contains(other) || other > slot) visit(p);  // else met at the other
            });
        }
    }
    void gather_active(std::vector<std::uint32_t>& list) const;
    /// The narrowphase's `collide`, and what locks make of what it finds (locked_contacts.cpp).
    void collide_contacts(std::span<const std::uint32_t> list, const CollideSettings& rungs, CollideScratch& scratch,
                          NarrowphaseProfile& counts);
    void turn_into_plane(std::uint32_t contact);
    void restore_modified();                    ///< what the contact modifier changed in the last step
    void mix_materials(std::uint32_t contact);  ///< after a material of one of its shapes has changed
    std::uint64_t state_hash() const;           ///< of bodies, pairs, contacts and their impulses
    bool has_manifold(std::uint32_t c) const {  ///< without touching the cold half of a pair that is apart
        return contacts.records[c].state == PairState::touching && contacts.caches[c].manifold.count != 0;
    }
    /// Nullptr, and error set, if it is not the user's.
    AxisDef* settable_axis(JointId id, JointAxis axis, const char* call);
    template <class Part>
    bool set_axis(JointId id, JointAxis axis, const char* call, Part AxisDef::*part, const Part& value);
    JointEvent event_of_joint(std::uint32_t slot, bool overloaded) const;
    ContactEvent event_of(std::uint32_t contact) const;
    ContactEvent event_of_patch(std::uint32_t patch) const;
    std::uint32_t triangle_of(std::uint32_t contact) const;  ///< of its mesh, or no_triangle
    bool are_touching(std::uint32_t body_a, std::uint32_t shape_a, std::uint32_t body_b, std::uint32_t shape_b) const;
    void remove_contact(std::uint32_t contact);
    /// Of a pair; those that the user knows as touching are listed.
    void end_contacts(std::uint32_t pair, std::vector<ContactEvent>& events);
    void append_contact(std::uint32_t contact, std::vector<Contact>& out) const;  ///< if it touches and is solid
    std::uint32_t island_of(std::uint32_t slot) const;                            ///< see World::island
    void draw_pair_paths(debug_draw::Pen& pen, const Aabb& region) const;

private:
    struct Sweep;
    void find_in_the_way(std::uint32_t kinematic, const RigidMotion& motion, float dt);
    vec3 carried_spin(std::uint32_t slot, const vec3& spin, const quat& from, const quat& to) const;
    void keep_path(const Path& path);
    void wake_if_struck(std::uint32_t slot);
    void report_impact(const Impact& impact);
    void report_impact(const Impact& impact, std::uint32_t patch);
    void settle_carried();
    void modify_contacts();
    bool modify(const ContactEvent& names, const Transform& pose_a, const Transform& pose_b, Manifold& manifold,
                float& friction, float& restitution, bool touched) const;
    void name_slowest();
    void note_touches(std::span<const std::uint32_t> list, std::vector<std::uint32_t>& changed);
    void report_hits();
    void break_overloaded_joints();
    void begin_pair(std::uint32_t body_a, std::uint32_t body_b);
    bool are_far(const ContactBodies& pair) const;
    void expect_contacts(std::uint32_t pair);  ///< of a pair that has none: it is far as long as it can be
    void begin_contacts(std::uint32_t pair);   ///< of a pair that has none
    void end_far_contacts();
    void begin_near_contacts(const Jobs& jobs);
    float compound_motion(const CompoundPair& compound) const;
    void update_compound_pair(CompoundPair& compound);
    void end_apart_contacts(const CompoundPair& compound);
    void compare_boxes(std::uint32_t pair, float slack);
    void update_patch(std::uint32_t pair, std::uint32_t shape, std::uint32_t shape_body, std::uint32_t mesh,
                      std::uint32_t mesh_body);
    bool may_touch(std::uint32_t shape_a, std::uint32_t shape_b) const;
    struct PatchLoad {
        float normal = 0.0f;   ///< N s
        vec3 friction{0.0f};   ///< on the shape, world, N s
        float substep = 0.0f;  ///< in which it was found, s; 0: there is none
    };
    bool triangle_is_a(std::uint32_t contact) const;
    vec3 normal_from_mesh(std::uint32_t contact) const;
    PatchLoad take_load(std::uint32_t contact);
    void give_load(std::uint32_t contact, const PatchLoad& load);
    float find_triangles_around(std::uint32_t p, std::uint32_t k, const vec3& middle, float probe);
    bool follow_place(std::uint32_t p, std::uint32_t k);
    void merge_patches();
    void merge_patch(std::span<PatchContact> list);
    void merge_contacts(const vec3& normal);
    void restore_merged();
    void place_triangles(std::uint32_t slot, std::uint32_t mesh);
    void set_touching(std::uint32_t contact, bool now);  ///< and reports it
    void report_patches();
    void end_holding_back();
    /// Of two colliders that may touch.
    std::uint32_t add_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t body_a, std::uint32_t shape_b,
                              std::uint32_t body_b);
    void put_islands_to_sleep(float dt);
    void note_supports();
    bool bears_load(std::uint32_t contact) const;
    bool is_braked(std::uint32_t slot);
    void make_edges(std::size_t first, std::size_t last);
    void index_bodies(float dt, const Jobs& jobs);
    float strictness(std::uint32_t slot) const;
    void find_far_movers(float dt);
    void find_fast_contacts(float dt);
    void move_colliders(std::uint32_t slot);
    void keep_points(std::uint32_t contact);
    void take_back(std::uint32_t index, const glm::dvec3& impulse, const glm::dvec3& moment, float substep);
    void renew_contacts(float substep);
    void restore_colliders();
    void bound_energy(float substep);
    void bound_bounces(float substep);
    void pass_over_small_gain(std::uint32_t root);
    bool find_gaining_islands(bool by_bounces);
    template <class Visit>
    void for_each_gaining(Visit&& visit);
    void keep_parts();
    void exempt_driven_islands();
    glm::dvec3 angular_momentum(std::uint32_t index, const glm::dvec3& spin) const;  ///< of its solver index
    void find_floating_islands();
    void bound_driven_loads(float substep);
    glm::dvec3 spin_momentum(const FloatingBody& body, bool now) const;
    double kinetic_energy(const FloatingBody& body) const;
    void find_floating_contacts();
    void note_momentum(const FloatingIsland& island);
    void note_pushes(const FloatingIsland& island);
    void restore_momentum(const FloatingIsland& island);
    CollideSettings collide_settings() const;
    void group_slabs(std::size_t groups);
    void do_field_work(const FieldWork& work, std::uint32_t field, float substep);
    void weigh_fields();
    void clear_plan();
    void plan_begin();
    void expect_motion(float dt, const Jobs& jobs);
    void choose_substeps(float dt);
    void plan_substeps();
    void plan_stage(const Stage& stage, const StageWork& work);
    void plan_in_groups(const FieldWork& work);
    void plan_across(ContactPhase phase, ContactSolver::Pass pass);
    void plan_bodies(StageWork::Kind kind, std::uint32_t first, std::uint32_t last, BodyMotions::Pass motion = nullptr);
    void plan_motion(BodyMotions::Pass motion);
    void plan_contacts(ContactSolver::Pass pass);
    void plan_stiff(StageWork::Kind kind);
    void plan_momentum(StageWork::Kind kind);
    void plan_joints(std::uint32_t count, StageWork::JointPass pass);
    void begin_body(std::uint32_t index, float substep);  ///< its solver index
    /// The body's own limit and the world's, m/s.
    float most_speed(const Body& body) const { return std::min(body.max_speed, def.max_speed); }
    void move_freely(std::uint32_t index, float substep);
    void end_body(std::uint32_t index);
};

/// As the solver's kernels read it.
void put_inverse_inertia(SolverMass& mass, const mat3& inverse_inertia);

/// The proxy's filter for a body: what any of its shapes would let through.
Filter proxy_filter(const Body& body, const ShapePool& shapes);

}  // namespace talus
