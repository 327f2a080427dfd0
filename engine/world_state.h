#pragma once
/// Everything a world is. Each member has one owner and, but for scratch, lives across frames; all of it is copied with the
/// world, so that a copy steps to the same bits.

#include <talus/broadphase/broadphase.h>
#include <talus/engine/awake_set.h>
#include <talus/engine/body_store.h>
#include <talus/engine/constraint_graph.h>
#include <talus/engine/contact_solver.h>
#include <talus/engine/contact_table.h>
#include <talus/engine/integrate.h>
#include <talus/engine/islands.h>
#include <talus/engine/joints/joint_solver.h>
#include <talus/engine/joints/joint_store.h>
#include <talus/engine/last_error.h>
#include <talus/engine/world.h>

namespace talus {

struct World::State {
    WorldDef def;

    BodyStore bodies;
    ShapePool shapes;
    Colliders colliders;  ///< parallel to shapes
    Broadphase broadphase;
    std::vector<std::uint32_t> proxy_body;  ///< body slot by proxy, null_index once removed
    ContactTable contacts;
    std::vector<std::uint32_t> compound_pairs;  ///< pairs whose contacts come and go by shape boxes
    JointStore joints;
    AwakeSet awake;

    // What the last step left for the user.
    std::vector<ContactEvent> begun, ended;
    std::vector<ContactEvent> ended_outside_step;  ///< by removals since, reported by the next step
    std::vector<JointEvent> broken;
    std::vector<JointEvent> broken_outside_step;
    FrameProfile profile;
    mutable LastError error;

    // Of the step in progress. Kept so that a steady step allocates nothing.
    std::vector<std::uint32_t> solver_index;  ///< by body slot; 0 is the shared slot of everything immovable
    std::vector<SolverBody> solver_bodies;
    std::vector<SolverMass> solver_masses;
    std::vector<Motion> motions;
    std::vector<std::uint32_t> active;        ///< contacts with an awake body
    std::vector<ConstraintGraph::Edge> edges;
    ConstraintGraph graph;
    ContactSolver solver;
    JointSolver joint_solver;
    Islands islands;
    std::vector<std::uint8_t> touches;        ///< by solver index: it has a contact in this step
    std::vector<float> island_still_time;     ///< by solver index of the island's root, s
    std::vector<std::uint32_t> stack;
    CollideScratch collide_scratch;
    std::vector<ProxyIndex> moved_proxies;    ///< of the awake bodies, with their boxes and expected ways
    std::vector<Aabb> moved_boxes;
    std::vector<vec3> moved_ways;

    // The stages of a step, in order (step.cpp).
    void update_pairs();
    void collide_active();
    void build_graph();
    void solve(float dt);
    void finish(float dt);
    void publish();

    // Shared by the stages and by the user's calls.
    void wake(std::uint32_t slot);            ///< with all it touches, directly or not
    void wake_neighbours(std::uint32_t slot); ///< of a body that is about to change or go
    void wake_all();
    void sleep(std::uint32_t slot);
    void start_moving(std::uint32_t slot);    ///< its velocity was set
    void wake_overlapping(std::uint32_t slot);  ///< whoever sleeps where this body now is
    void place(std::uint32_t slot, float dt); ///< collider poses, boxes and proxy follow the body
    void set_colliders(std::uint32_t slot, Aabb& box, float dt);  ///< the same without the proxy; gives the body's box
    bool check_handle(BodyId id, const char* call) const;         ///< false, and error set, for a stale one
    bool check_handle(JointId id, const char* call) const;
    bool refuse_unless(bool ok, const char* sentence);            ///< `ok`, and error set when it is false
    void drop_pair(std::uint32_t pair, std::vector<ContactEvent>& events);
    /// Removes a joint and the gears on it, the joint itself reported as `overloaded` or not, if there is where to.
    void drop_joint(std::uint32_t slot, std::vector<JointEvent>* events, bool overloaded = false);
    void update_contacts_of(std::uint32_t body_a, std::uint32_t body_b);  ///< a joint between them came, went or changed its mind
    void wake_joint(std::uint32_t slot);      ///< its bodies
    void gather_active();
    AxisDef* settable_axis(JointId id, JointAxis axis, const char* call);  ///< nullptr, and error set, if it is not the user's
    JointEvent event_of_joint(std::uint32_t slot, bool overloaded) const;
    ContactEvent event_of(std::uint32_t contact) const;
    void append_contact(std::uint32_t contact, std::vector<Contact>& out) const;  ///< if it touches and is solid

private:
    void break_overloaded_joints();
    void begin_pair(std::uint32_t body_a, std::uint32_t body_b);
    void begin_contacts(std::uint32_t pair);  ///< of a pair that has none
    void update_compound_pair(std::uint32_t pair);
    void add_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t body_a, std::uint32_t shape_b,
                     std::uint32_t body_b);
    void put_islands_to_sleep(float dt);
};

/// The proxy's filter for a body: what any of its shapes would let through.
Filter proxy_filter(const Body& body, const ShapePool& shapes);

}  // namespace talus
