#pragma once
/// The world: bodies, and the step that moves them.
///
/// A refused call returns a null handle, false or an empty result, leaves the world as it was, and sets last_error() to
/// a code and a sentence. Getters on a stale handle return zero or identity and set it too. The world is a value: a
/// copy is an independent world that steps to the same bits.
///
/// Calls that change the world are refused while it steps or draws, for example in a contact modifier. Calls that can have
/// no effect on a body of this type are refused, too: forces, impulses and masses on a body that is not dynamic, velocities
/// of a fixed one.
///
/// Memory comes from operator new. When that throws, std::bad_alloc leaves the call, also when it was thrown on another
/// thread of the step's jobs. A world that step() or another call was changing then is in no defined state: it can be
/// destroyed or assigned to, and nothing else. Calls that are const, among them copies and queries, leave it as it was.
/// A steady step allocates nothing: memory is asked for when bodies, contacts, joints or threads are more than before.

#include <talus/engine/body.h>
#include <talus/engine/contact_modifier.h>
#include <talus/engine/debug_draw.h>
#include <talus/engine/events.h>
#include <talus/engine/joints/joint.h>
#include <talus/engine/pair_info.h>
#include <talus/engine/profile.h>
#include <talus/ids.h>
#include <talus/jobs.h>
#include <talus/result.h>

#include <memory>
#include <span>
#include <vector>

namespace talus {

struct WorldDef {
    vec3 gravity{0.0f, -9.81f, 0.0f};  ///< m/s^2
    /// Solver sub-steps per step, 1 to 64. A step longer than 1/60 s has as many per 1/60 s, and while steps differ in
    /// length those that are shorter than others of the last seconds have fewer, so that all sub-steps are about as long.
    int substeps = 4;
    bool allow_sleep = true;
    float max_speed = 4000.0f;  ///< of all bodies, m/s, > 0: keeps a runaway one finite
    float hit_speed = 1.0f;     ///< what comes in more slowly along the normal is no hit, m/s, >= 0
    bool continuous = true;     ///< false: as if every body's `continuous` were off
    /// Coherence switches: turning one off changes cost, not results beyond tolerance. For profiling and tests.
    bool enable_skip = true, enable_reuse = true, enable_closed_form = true, enable_axis = true, enable_warm_gjk = true,
         enable_warm_epa = true;
    Timing timing = Timing::stages;  ///< of the profile
    bool hash_stages = false;        ///< FrameProfile::hashes; a step takes up to twice as long
};

/// A question of many: the segment origin + t * translation, 0 <= t <= 1.
struct Ray {
    vec3 origin{0.0f}, translation{0.0f};  ///< world, m
};

/// ...and the shape that goes that way, from its pose and without turning. A sphere is a fat ray.
struct ShapeCast {
    Shape shape{};
    Transform pose{};        ///< at the start, world
    vec3 translation{0.0f};  ///< world, m
};

/// Where a ray or a moving shape meets a shape of a body.
struct CastHit {
    BodyId body;  ///< null: no hit
    std::uint32_t shape = 0;
    std::uint32_t triangle = no_triangle;  ///< of a mesh: TriangleSet::source names it
    vec3 position{0.0f};                   ///< world, on the shape, m; the ray's start if that is inside
    vec3 normal{
        0.0f};  ///< world, unit, outward; from an overlap the shortest way out, for a ray that starts inside zero
    float fraction = 1.0f;  ///< of the translation; 0 from an overlap
    explicit operator bool() const { return static_cast<bool>(body); }
};

/// A body near a point, by the nearest of its shapes.
struct NearHit {
    BodyId body;
    std::uint32_t shape = 0;
    vec3 position{0.0f};    ///< world, the nearest point of that shape; inside it, the point itself
    float distance = 0.0f;  ///< m; 0 inside
};

class World {
public:
    World();
    explicit World(const WorldDef& def);
    World(const World&);
    World(World&&) noexcept;  ///< leaves an empty world with the default settings, and so does move assignment
    World& operator=(const World&);
    World& operator=(World&&) noexcept;
    ~World();

    // Bodies: add, remove and move at any time between steps.
    BodyId add_body(const BodyDef& def);
    /// All or none: out[i] is the handle of defs[i]. On a refusal every out is null and nothing was added.
    bool add_bodies(std::span<const BodyDef> defs, std::span<BodyId> out);
    bool remove_body(BodyId body);
    bool is_valid(BodyId body) const;

    /// Advances by dt seconds, 0 < dt <= 1 (1/60 is typical), on the threads of `jobs`: to the same bits for any
    /// number. False, and nothing moved, for any other dt.
    bool step(float dt, const Jobs& jobs = {});

    // State. Velocities are those of the centre of mass; angular ones in world axes.
    vec3 position(BodyId body) const;  ///< of the body frame's origin, where the user put it
    quat rotation(BodyId body) const;
    Transform transform(BodyId body) const;
    vec3 center_of_mass(BodyId body) const;  ///< world
    vec3 linear_velocity(BodyId body) const;
    vec3 angular_velocity(BodyId body) const;
    float mass(BodyId body) const;    ///< kg; 0 for fixed and kinematic bodies
    mat3 inertia(BodyId body) const;  ///< about the centre of mass, world axes, kg m^2; 0 for fixed and kinematic
    BodyType type(BodyId body) const;
    bool is_awake(BodyId body) const;
    std::uint64_t user_data(BodyId body) const;
    /// Box around the body, world axes: around the boxes that its shapes have in their own frames. Tight for boxes and for
    /// shapes that are not turned; a turned ball's is larger than the ball by up to sqrt(3).
    Aabb bounds(BodyId body) const;
    std::span<const ShapeDef> shapes(BodyId body) const;  ///< valid until a step or until bodies come, go or change
    float gravity_scale(BodyId body) const;
    std::uint8_t locks(BodyId body) const;     ///< of AxisLock
    float linear_damping(BodyId body) const;   ///< 1/s
    float angular_damping(BodyId body) const;  ///< 1/s
    float max_speed(BodyId body) const;        ///< its own limit, m/s: that of WorldDef holds as well
    float max_spin(BodyId body) const;         ///< rad/s
    vec3 force(BodyId body) const;             ///< sum of the forces applied for the next step, N; zero after a step
    vec3 torque(BodyId body) const;            ///< the same about the centre of mass, N m

    /// Teleport: caches drop, neighbours wake.
    bool set_transform(BodyId body, const vec3& position, const quat& rotation);
    bool set_linear_velocity(BodyId body, const vec3& velocity);
    bool set_angular_velocity(BodyId body, const vec3& velocity);
    bool set_gravity_scale(BodyId body, float scale);
    bool set_locks(BodyId body, std::uint8_t locks);  ///< of AxisLock
    bool set_damping(BodyId body, float linear, float angular);
    /// Where a kinematic body shall be after the next step: it moves there at the constant velocity and the shortest
    /// spin that it takes, which what it touches feels, and stands still from then on unless it is given another
    /// target. False for bodies of other types.
    bool set_kinematic_target(BodyId body, const vec3& position, const quat& rotation);
    bool set_speed_limits(BodyId body, float max_speed, float max_spin);  ///< see BodyDef
    bool set_continuous(BodyId body, Continuous continuous);

    // Live changes. All wake the body and what it touches. Contacts are found anew at the next step, as in a world that
    // was built that way; those that go on touching are not reported as ended and begun.
    /// All or none of the shapes, in place of those it had. Mass, centre of mass and inertia follow from their
    /// densities; the frame's origin stays where it is, and each point of the body keeps its velocity.
    bool set_shapes(BodyId body, std::span<const ShapeDef> shapes);
    /// One of them, the rest of its definition as it was.
    bool set_shape(BodyId body, std::uint32_t shape, const Shape& geometry);
    bool set_material(BodyId body, std::uint32_t shape, const Material& material);
    bool set_filter(BodyId body, std::uint32_t shape, const Filter& filter);
    /// Velocities stay, but a fixed body has none. What becomes dynamic gets its mass from the densities of its shapes.
    bool set_type(BodyId body, BodyType type);
    /// Of a dynamic body, kg, > 0, at most 1e15: inertia is scaled with it. Until its shapes or its type are set.
    bool set_mass(BodyId body, float mass);
    /// Mass (kg, > 0, at most 1e15), centre in the body's frame (m, within 1e6) and inertia about it (kg m^2, positive
    /// definite) of a dynamic body. Until then likewise.
    bool set_mass_properties(BodyId body, const MassProperties& properties);

    bool set_user_data(BodyId body, std::uint64_t user_data);
    bool set_awake(BodyId body, bool awake);  ///< not of a fixed body, which is neither

    // Forces last for the next step; impulses act at once. Both wake the body. World axes; points are world points.
    bool apply_force(BodyId body, const vec3& force);  ///< at the centre of mass, N
    bool apply_force_at(BodyId body, const vec3& force, const vec3& point);
    bool apply_torque(BodyId body, const vec3& torque);    ///< N m
    bool apply_impulse(BodyId body, const vec3& impulse);  ///< at the centre of mass, N s
    bool apply_impulse_at(BodyId body, const vec3& impulse, const vec3& point);
    bool apply_angular_impulse(BodyId body, const vec3& impulse);  ///< N m s

    bool set_gravity(const vec3& gravity);
    vec3 gravity() const;
    const WorldDef& settings() const;
    /// All of them from the next step on, or none: false if one is out of range.
    bool set_settings(const WorldDef& settings);
    bool set_allow_sleep(bool allow);
    bool set_hit_speed(float speed);
    /// Null: none. The function gets `user` and is called by the thread that calls step(). A copy of the world calls
    /// the same.
    void set_contact_modifier(ContactModifier modifier, void* user = nullptr);

    // Joints: add, remove and change at any time between steps; each call wakes the bodies. A joint goes with either of
    // its bodies.
    /// Null, and nothing added, unless all numbers are in range, the bodies are two and valid and one at least is
    /// dynamic.
    JointId add_joint(const JointDef& def);
    bool remove_joint(JointId joint);
    bool is_valid(JointId joint) const;
    /// Frames for two bodies as they are, from a point (m) and an axis in the world.
    JointEnds joint_ends(BodyId body_a, BodyId body_b, const vec3& anchor, const vec3& axis = {1.0f, 0.0f, 0.0f}) const;

    JointKind kind(JointId joint) const;
    JointEnds ends(JointId joint) const;  ///< bodies and frames, as in its definition; of a gear identity frames
    BodyId body_a(JointId joint) const;
    BodyId body_b(JointId joint) const;
    std::uint64_t user_data(JointId joint) const;
    /// Where B is as seen from A, rad or m: see JointDef's kinds for the axes.
    float joint_coordinate(JointId joint, JointAxis axis = JointAxis::main) const;
    float joint_speed(JointId joint, JointAxis axis = JointAxis::main) const;  ///< rate of the coordinate, rad/s or m/s
    /// What the joint did to B in the last step, as a mean over it: world axes, N; and N m about its anchor on B.
    /// Springs, motors and limits are included.
    vec3 joint_force(JointId joint) const;
    vec3 joint_torque(JointId joint) const;
    /// Of the axis' motor alone, N or N m.
    float joint_motor_force(JointId joint, JointAxis axis = JointAxis::main) const;
    /// Of the axis' spring (of the drive along or about that axis, for balls and motors) in the last step, N/m or
    /// N m/rad: what its frequency came to with the two bodies as they were. 0 without a spring, and before the first
    /// step. The energy that a spring stores is half of this times the square of the coordinate less the target.
    float joint_stiffness(JointId joint, JointAxis axis = JointAxis::main) const;

    /// Changes take effect in the next step. False for an axis that the joint has not got, or that it locks for good.
    bool set_joint_limit(JointId joint, const JointLimit& limit, JointAxis axis = JointAxis::main);
    bool set_joint_motor(JointId joint, const JointMotor& motor, JointAxis axis = JointAxis::main);
    bool set_joint_spring(JointId joint, const JointSpring& spring, JointAxis axis = JointAxis::main);
    bool set_joint_cone(JointId joint, float cone);                ///< balls
    bool set_joint_drive(JointId joint, const JointDrive& drive);  ///< balls and motors
    bool set_joint_break(JointId joint, float force, float torque);
    bool set_joint_collide_connected(JointId joint, bool collide);
    JointLimit joint_limit(JointId joint, JointAxis axis = JointAxis::main) const;
    JointMotor joint_motor(JointId joint, JointAxis axis = JointAxis::main) const;
    JointSpring joint_spring(JointId joint, JointAxis axis = JointAxis::main) const;
    float joint_cone(JointId joint) const;
    JointDrive joint_drive(JointId joint) const;

    std::vector<JointId> joints(BodyId body) const;  ///< in order of their slots
    std::vector<JointId> joints() const;
    std::size_t joint_count() const;

    // Queries. Not while step() runs; from many threads at once otherwise. They see fixed, sleeping and just moved
    // bodies where they are now, and each of a body's shapes as it is; sensors are left out, and shapes that `filter`
    // does not meet. Of equal answers the one of the lower slot comes first, then that of the lower shape: they depend
    // on where bodies are, not on how they got there.
    /// Closest hit of the segment origin + t * translation, 0 <= t <= 1.
    CastHit ray_cast(const vec3& origin, const vec3& translation, const Filter& filter = {}) const;
    /// Whether there is one.
    bool ray_cast_any(const vec3& origin, const vec3& translation, const Filter& filter = {}) const;
    /// All hits, a body of several shapes once for each, by ascending fraction.
    std::vector<CastHit> ray_cast_all(const vec3& origin, const vec3& translation, const Filter& filter = {}) const;
    /// The closest hit of each: hits[i] is what rays[i] gets alone. False, and all hits null, if one is refused or has
    /// no room in `hits`.
    bool ray_cast(std::span<const Ray> rays, std::span<CastHit> hits, const Filter& filter = {}) const;

    /// The same for a shape that moves from `pose` without turning, to its first contact: touching counts.
    CastHit shape_cast(const Shape& shape, const Transform& pose, const vec3& translation,
                       const Filter& filter = {}) const;
    bool shape_cast_any(const Shape& shape, const Transform& pose, const vec3& translation,
                        const Filter& filter = {}) const;
    std::vector<CastHit> shape_cast_all(const Shape& shape, const Transform& pose, const vec3& translation,
                                        const Filter& filter = {}) const;
    bool shape_cast(std::span<const ShapeCast> casts, std::span<CastHit> hits, const Filter& filter = {}) const;

    /// Bodies with a shape that overlaps `shape` at `pose`, or the box, or holds the point, in order of their slots.
    std::vector<BodyId> overlap(const Shape& shape, const Transform& pose, const Filter& filter = {}) const;
    std::vector<BodyId> overlap(const Aabb& box, const Filter& filter = {}) const;
    std::vector<BodyId> overlap(const vec3& point, const Filter& filter = {}) const;
    bool overlap_any(const Shape& shape, const Transform& pose, const Filter& filter = {}) const;  ///< half the cost
    bool overlap_any(const Aabb& box, const Filter& filter = {}) const;
    bool overlap_any(const vec3& point, const Filter& filter = {}) const;

    /// The `count` bodies nearest to the point by ascending distance, or as many as are within max_distance (m;
    /// infinity: no limit).
    std::vector<NearHit> nearest(const vec3& point, std::size_t count, float max_distance,
                                 const Filter& filter = {}) const;

    // What the last step left.
    std::span<const ContactEvent> contacts_begun() const;
    std::span<const ContactEvent> contacts_ended() const;
    /// Of shapes that ask for it, and fast enough (WorldDef::hit_speed); those of swept bodies (see Continuous) come
    /// last.
    std::span<const HitEvent> contacts_hit() const;
    std::span<const JointEvent> joints_broken() const;
    std::vector<Contact> contacts(BodyId body) const;  ///< touching, solid ones, in order of their slots
    std::vector<Contact> contacts() const;             ///< all of them
    const FrameProfile& profile() const;
    /// All pairs of shapes that the narrowphase keeps, in order of their slots, as the last step left them: for
    /// looking, at a microsecond for ten of them.
    std::vector<PairInfo> pairs() const;
    /// What a body falls asleep with: the dynamic bodies that contacts and joints tied to it in the last step. Two
    /// bodies are of one island just if their numbers are equal; the number is the slot of one of the island's bodies
    /// and mostly stays from step to step. A body that rests on fixed ones alone is an island of its own. `no_island`
    /// for fixed, kinematic and sleeping bodies, for those that nothing touched, and for those that were added or woken
    /// since the last step.
    std::uint32_t island(BodyId body) const;
    /// Hands what the options choose to `draw`: debug_draw.h.
    void draw(DebugDraw& draw, const DebugDrawOptions& options) const;
    MemoryStats memory() const;

    std::vector<BodyId> bodies() const;  ///< in order of their slots
    std::size_t body_count() const;
    std::size_t awake_body_count() const;

    /// A hash of all poses and velocities: equal worlds, equal hash, whatever the compiler.
    std::uint64_t hash() const;

    /// Of the last call that was refused on this world; the code is `none` if there was none.
    const Error& last_error() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace talus
