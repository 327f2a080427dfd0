#pragma once
/// The world: bodies, joints, and the step that moves them.
///
/// A refused call returns a null handle, false or an empty result, leaves the world as it was, and sets last_error() to
/// a code and a sentence: what was wrong, the value given, and what is allowed. A getter that is given a stale handle,
/// or an axis that this joint does not have, returns zero, the identity or a default value and sets last_error(), too.
/// A world is a value: a copy of it is an independent world, and both go on with the same bits.
///
/// Calls that change the world are refused while it steps or draws, for example in a contact modifier. (Assigning to
/// the world or moving it cannot be refused; do not do that there.) Calls that have no meaning for the type of a body
/// are refused, too: forces, impulses, masses and set_awake of a body that is not dynamic, velocities of a fixed one,
/// kinematic targets of one that is not kinematic. Damping, locks, speed limits, gravity scale and `continuous` are
/// kept for when the body becomes dynamic.
///
/// All memory comes from operator new. If it throws std::bad_alloc, the exception leaves the call that needed the
/// memory, even if another thread of the step's jobs threw it. If that call was changing the world, the world may then
/// only be destroyed or assigned to. If the call was const (a query, a copy), the world is unchanged. Moving a world
/// allocates the empty one that is left behind; without memory for that, the program ends. A step allocates memory when
/// one of its lists gets longer than ever before: of contacts, impacts, boxes that moved, and so on. A step of bodies
/// at rest allocates nothing.

#include <talus/engine/assets.h>
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

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace talus {

/// Settings of a world.
struct WorldDef {
    vec3 gravity{0.0f, -9.81f, 0.0f};  ///< m/s^2, -1e15 to 1e15 along each axis
    /// Number of solver sub-steps in a step of at most 1/60 s: 1 to 64. A longer step has proportionally more. If steps
    /// vary in length, a step that is shorter than others of the last few seconds has fewer sub-steps. So all sub-steps
    /// have about the same length.
    int substeps = 4;
    bool allow_sleep = true;  ///< false keeps all bodies awake
    /// An island falls asleep when each of its bodies has stayed in place for `time_to_sleep`: its mean speed, of the
    /// centre plus the surface, was at most this, m/s, 0 to 1e6. Larger: slow bodies stop visibly. Smaller: heaps sleep
    /// later; 0: nothing sleeps.
    float sleep_speed = 0.05f;
    /// That time, s, 0.01 to 1e6. Shorter: a body may sleep at the top of its path. A body needs at least two steps to
    /// fall asleep.
    float time_to_sleep = 0.5f;
    /// Stiffness of contacts: the frequency of their springs over the usual rate of sub-steps, 0.01 to 0.5. The default
    /// gives 60 Hz with 4 sub-steps of a step of 1/60 s. Smaller: heaps and stacks give way more. Larger: iterations
    /// that have not converged may feed energy into bodies at rest; more `substeps` are the better way to stiffer
    /// contacts. Contacts that are solved directly (towers, heavy loads) do not depend on it.
    float contact_rate = 0.25f;
    /// Marks the handles of this world, 1 to 1023: it refuses handles with another tag. 0: the next tag in turn, so that
    /// any 1023 worlds in a row refuse each other's handles; settings() returns the tag that the world got. It cannot be
    /// changed afterwards. Give worlds the same tag if they are built in the same way and exchange handles, for example
    /// those of two computers in one game. Copies, loaded worlds, and worlds that are made with settings() of another one
    /// have its tag. It has no effect on the simulation or on hash().
    std::uint32_t handle_tag = 0;
    float max_speed = 4000.0f;  ///< limit of every body's speed, m/s, > 0 and at most 1e15
    float hit_speed = 1.0f;     ///< least approach speed of a HitEvent, along the normal, m/s, >= 0
    bool continuous = true;     ///< false: all bodies step as with Continuous::off
    /// Lets the narrowphase use Rung::skip. This switch and the next five are for profiling and tests: each changes the
    /// cost of a step, and its result only within the tolerances.
    bool enable_skip = true;
    bool enable_reuse = true;        ///< lets it use Rung::reuse
    bool enable_closed_form = true;  ///< lets it use Rung::closed_form
    bool enable_axis = true;         ///< lets it use Rung::axis_separated and Rung::axis_touching
    bool enable_warm_gjk = true;     ///< lets it use Rung::warm_gjk
    bool enable_warm_epa = true;     ///< lets it use Rung::warm_epa
    /// Lets the joint solver solve articulations with the same tree and the same kinds of joints side by side, in lanes
    /// of the processor. Without it the results differ by rounding.
    bool enable_joint_batches = true;
    Timing timing = Timing::stages;  ///< what the profile times
    bool hash_stages = false;        ///< fills FrameProfile::hashes; a step then takes up to twice as long
};

/// The segment origin + t * translation, 0 <= t <= 1.
struct Ray {
    dvec3 origin{0.0};       ///< world, m
    vec3 translation{0.0f};  ///< world, m
};

/// A shape that moves from `pose` by `translation` without rotating. A sphere makes a thick ray.
struct ShapeCast {
    Shape shape{};           ///< the moving shape
    WorldTransform pose{};   ///< pose at the start, world
    vec3 translation{0.0f};  ///< world, m
};

/// The point at which a ray or a moving shape hits a body.
struct CastHit {
    BodyId body;              ///< null: no hit
    std::uint32_t shape = 0;  ///< index of the shape in its body
    /// Index of the triangle if the shape is a mesh. TriangleSet::source gives its index in the MeshDef.
    std::uint32_t triangle = no_triangle;
    dvec3 position{0.0};  ///< world, m, on the shape; the origin of a ray that starts inside the shape
    /// Outward unit normal of the shape, world. If the cast starts in overlap, the direction in which the shortest
    /// translation separates the two; zero for a ray that starts inside.
    vec3 normal{0.0f};
    float fraction = 1.0f;  ///< part of the translation at which the hit occurs; 0 if the cast starts in overlap
    explicit operator bool() const { return static_cast<bool>(body); }  ///< true if there is a hit
};

/// A body near a point, with the shape of it that is nearest to the point.
struct NearHit {
    BodyId body;              ///< the body
    std::uint32_t shape = 0;  ///< index of the shape in its body
    dvec3 position{0.0};      ///< point of the shape that is nearest, world, m; the point itself if it is inside
    float distance = 0.0f;    ///< m; 0 if the point is inside
};

/// Bodies and joints, and what happens to them over time. See the top of this file for errors and memory.
class World {
public:
    World();  ///< makes an empty world with the default settings
    /// Makes an empty world. Settings that are out of range are replaced by their defaults, and last_error() says so.
    explicit World(const WorldDef& def);
    World(const World&);                 ///< makes an independent copy
    World(World&&) noexcept;             ///< leaves an empty world with the default settings behind
    World& operator=(const World&);      ///< becomes an independent copy
    World& operator=(World&&) noexcept;  ///< likewise leaves an empty world behind
    ~World();

    // ---- Saving. docs/saving.md has an example, and says what is in the bytes.

    /// Returns the whole world as bytes: bodies, joints, settings, user data, and all that is kept from step to step.
    /// Loaded again, it goes on with the same bits, and its handles stay valid. The same world gives the same bytes on
    /// every platform. Hulls and meshes are part of the bytes, each once, unless `assets` has a name for them. Not
    /// saved: the contact modifier, last_error(), and the profile of the last step except for its number.
    ///
    /// An error is returned while the world steps, and for a TriangleSet of a class of your own without a name.
    Result<std::vector<std::byte>> save(const Assets& assets = {}) const;
    /// Returns the world that save() has saved. The bytes may come from anywhere: they are checked before they are used.
    /// An error says why they are refused: they are damaged, of another format, or need a hull or mesh that `assets`
    /// does not have, or has with another content.
    static Result<World> load(std::span<const std::byte> bytes, const Assets& assets = {});
    /// Returns the difference between what save() returned earlier (`since`) and what it returns now. Its size follows
    /// what has changed since then: a body that sleeps takes no bytes. Any saved world will do, but a similar one gives
    /// fewer bytes. `assets` as for save().
    Result<std::vector<std::byte>> save_changes(std::span<const std::byte> since, const Assets& assets = {}) const;
    /// Returns the bytes of the later save(), to be loaded or changed further. An error is returned if the changes are
    /// damaged, or belong to other bytes than `since`.
    static Result<std::vector<std::byte>> apply_changes(std::span<const std::byte> since,
                                                        std::span<const std::byte> changes);

    // ---- Bodies: add, remove and move them at any time between steps.

    /// Adds a body. Returns its handle, or null if the definition is refused.
    BodyId add_body(const BodyDef& def);
    /// Adds all bodies or none: out[i] becomes the handle of defs[i]; `out` must be at least as long as `defs`. If one
    /// is refused, returns false, adds nothing, and all of `out` is null.
    bool add_bodies(std::span<const BodyDef> defs, std::span<BodyId> out);
    bool remove_body(BodyId body);     ///< removes the body, its contacts and its joints
    bool is_valid(BodyId body) const;  ///< false for null and for a body that was removed

    /// Advances the world by `dt` seconds, 1e-9 to 1 (typically 1/60), on the threads of `jobs`. The result has the
    /// same bits for any number of threads. Returns false and moves nothing if `dt` is out of range or jobs.threads is
    /// below 1.
    bool step(float dt, const Jobs& jobs = {});

    // ---- State of bodies. A stale handle gives zero, the identity, false or an empty result.

    dvec3 position(BodyId body) const;            ///< origin of the body's frame, m
    quat rotation(BodyId body) const;             ///< rotation of the body's frame
    WorldTransform transform(BodyId body) const;  ///< position and rotation
    dvec3 center_of_mass(BodyId body) const;      ///< world, m
    vec3 linear_velocity(BodyId body) const;      ///< velocity of the centre of mass, m/s
    vec3 angular_velocity(BodyId body) const;     ///< in world axes, rad/s
    float mass(BodyId body) const;                ///< kg; 0 if not dynamic
    mat3 inertia(BodyId body) const;              ///< about the centre of mass, world axes, kg m^2; 0 if not dynamic
    BodyType type(BodyId body) const;             ///< fixed, kinematic or dynamic
    bool is_awake(BodyId body) const;             ///< false for sleeping and fixed bodies
    std::uint64_t user_data(BodyId body) const;   ///< as given in BodyDef or to set_user_data
    /// Axis-aligned box around the body at its pose, world: the smallest one, except for meshes, and for hulls of more
    /// than 64 vertices. A mesh has the box around the turned box of its own frame; such a hull the smaller, along each
    /// axis, of that and of the one around a ball.
    WorldAabb bounds(BodyId body) const;
    /// The body's shapes. The span is valid until the next step, or until a body is added, removed or changed.
    std::span<const ShapeDef> shapes(BodyId body) const;
    float gravity_scale(BodyId body) const;    ///< factor of gravity
    std::uint8_t locks(BodyId body) const;     ///< flags of AxisLock
    float linear_damping(BodyId body) const;   ///< 1/s
    float angular_damping(BodyId body) const;  ///< 1/s
    float max_speed(BodyId body) const;  ///< the body's own limit, m/s; WorldDef::max_speed limits its speed as well
    float max_spin(BodyId body) const;   ///< limit of the angular speed, rad/s
    vec3 force(BodyId body) const;       ///< sum of the forces applied for the next step, N; zero after a step
    /// Sum of the torques applied for the next step, those of forces included, about the centre of mass, N m; zero
    /// after a step.
    vec3 torque(BodyId body) const;
    /// Returns a definition that adds an equal body: its shapes are in `shapes`, and `mass_properties` is set if they do
    /// not follow from the shapes. Rounding may move its centre of mass by 1e-7 of the distance from the body's origin.
    /// Whether it is asleep, and forces for the next step, are not part of a definition. For a stale handle a default definition.
    BodyDef describe(BodyId body) const;

    // ---- Changes of state. False, and no change, for a stale handle or a value out of range.

    /// Moves the body at once, through whatever is between, keeping its velocities. Wakes the body and those that it
    /// touches at the old and the new pose. `position` (m) is the origin of the body's frame.
    bool set_transform(BodyId body, const dvec3& position, const quat& rotation);
    bool set_linear_velocity(BodyId body, const vec3& velocity);   ///< m/s, of the centre of mass; refused if fixed
    bool set_angular_velocity(BodyId body, const vec3& velocity);  ///< rad/s, world axes; refused if fixed
    bool set_gravity_scale(BodyId body, float scale);              ///< -1e6 to 1e6
    bool set_locks(BodyId body, std::uint8_t locks);               ///< flags of AxisLock
    bool set_damping(BodyId body, float linear, float angular);    ///< 1/s, >= 0
    /// Sets the pose that a kinematic body has after the next step. The body moves there at a constant velocity by the
    /// shortest rotation, and bodies that touch it feel that velocity. In later steps it stands still, unless it gets
    /// another target. Refused for bodies of other types.
    bool set_kinematic_target(BodyId body, const dvec3& position, const quat& rotation);
    bool set_speed_limits(BodyId body, float max_speed, float max_spin);  ///< m/s and rad/s, > 0; infinity: no limit
    bool set_continuous(BodyId body, Continuous continuous);              ///< see BodyDef::continuous

    // ---- Changes of the definition. Each wakes the body and those that it touches. The next step finds the body's
    // contacts anew, as in a world that was built with the changed body. A contact that continues is not reported as
    // ended and begun.

    /// Replaces all shapes, or none if one is refused. Mass, centre of mass and inertia follow from the densities. The
    /// body's frame stays in place, and each point of the body keeps its velocity.
    bool set_shapes(BodyId body, std::span<const ShapeDef> shapes);
    /// Replaces the geometry of one shape, which must not be a mesh; the rest of its definition stays. `shape` is its index
    /// in shapes().
    bool set_shape(BodyId body, std::uint32_t shape, const Shape& geometry);
    bool set_material(BodyId body, std::uint32_t shape, const Material& material);  ///< replaces one shape's material
    bool set_filter(BodyId body, std::uint32_t shape, const Filter& filter);        ///< replaces one shape's filter
    /// Changes the type. The body keeps its velocities, except that a fixed body has none. A body that becomes dynamic
    /// gets its mass from its shapes' densities.
    bool set_type(BodyId body, BodyType type);
    /// Sets the mass of a dynamic body, kg, > 0 and at most 1e15, and scales its inertia by the same factor. The next
    /// set_shapes, set_shape or set_type replaces it.
    bool set_mass(BodyId body, float mass);
    /// Sets mass (kg, > 0 and at most 1e15), centre of mass in the body's frame (m, within 1e6 of its origin), and
    /// inertia about that centre (kg m^2, positive definite) of a dynamic body. The next set_shapes, set_shape or
    /// set_type replaces them.
    bool set_mass_properties(BodyId body, const MassProperties& properties);

    // ---- Other changes.

    bool set_user_data(BodyId body, std::uint64_t user_data);  ///< yours; Talus never reads it
    /// Wakes a dynamic body or puts it to sleep. Refused for other bodies: a kinematic one is awake while it moves.
    bool set_awake(BodyId body, bool awake);

    // ---- Forces act during the next step, impulses at once. Both are in world axes, act on dynamic bodies only, and
    // wake the body. `point` is a point in the world, m. Refused if a value is not finite, or would make the body's
    // total force or its velocity infinite.

    bool apply_force(BodyId body, const vec3& force);                             ///< N, at the centre of mass
    bool apply_force_at(BodyId body, const vec3& force, const dvec3& point);      ///< N, at the point
    bool apply_torque(BodyId body, const vec3& torque);                           ///< N m
    bool apply_impulse(BodyId body, const vec3& impulse);                         ///< N s, at the centre of mass
    bool apply_impulse_at(BodyId body, const vec3& impulse, const dvec3& point);  ///< N s, at the point
    bool apply_angular_impulse(BodyId body, const vec3& impulse);                 ///< N m s

    // ---- Settings of the world.

    bool set_gravity(const vec3& gravity);  ///< as in WorldDef; wakes all bodies if it changes
    vec3 gravity() const;                   ///< m/s^2
    const WorldDef& settings() const;       ///< the present settings
    /// Replaces all settings, from the next step on. Returns false and changes nothing if one is out of range, or if
    /// `handle_tag` is neither 0 nor the tag that the world has already.
    bool set_settings(const WorldDef& settings);
    bool set_allow_sleep(bool allow);  ///< see WorldDef::allow_sleep; false wakes all bodies
    bool set_hit_speed(float speed);   ///< see WorldDef::hit_speed
    /// Sets the function that may change contacts before they are solved; null: none. The thread that calls step()
    /// calls it with `user`. A copy of the world has the same modifier. Refused only within step() and draw().
    bool set_contact_modifier(ContactModifier modifier, void* user = nullptr);

    // ---- Joints: add, remove and change them at any time between steps. Each of these calls wakes the joint's bodies.
    // Removing a body removes its joints.

    /// Adds a joint. Returns its handle, or null if a number is out of range, if a body is not valid, if both bodies
    /// are the same, or if neither is dynamic.
    JointId add_joint(const JointDef& def);
    bool remove_joint(JointId joint);    ///< removes the joint, and gears that refer to it
    bool is_valid(JointId joint) const;  ///< false for null and for a joint that is gone
    /// Makes the frames of a joint between two bodies at their present poses, from a point (m) and an axis in the
    /// world. See talus::joint_frames.
    JointFrames joint_frames(BodyId body_a, BodyId body_b, const dvec3& anchor,
                             const vec3& axis = {1.0f, 0.0f, 0.0f}) const;

    /// Returns a definition that adds an equal joint between the same bodies, or for a gear the same joints. Whole turns
    /// of a hinge and what the joint remembers from step to step are not part of it. For a stale handle a default
    /// definition.
    JointDef describe(JointId joint) const;
    JointKind kind(JointId joint) const;      ///< which kind of definition made it
    JointFrames frames(JointId joint) const;  ///< bodies and frames of its definition; identity frames for a gear
    BodyId body_a(JointId joint) const;       ///< first body; for a gear, a body of joint_a
    BodyId body_b(JointId joint) const;       ///< second body; for a gear, a body of joint_b; null if both are one body
    std::uint64_t user_data(JointId joint) const;  ///< as given in JointOptions
    /// Coordinate of B relative to A along or about an axis, m or rad. The definition of each kind of joint names its
    /// axes.
    float joint_coordinate(JointId joint, JointAxis axis = JointAxis::main) const;
    /// Rate of that coordinate, m/s or rad/s.
    float joint_speed(JointId joint, JointAxis axis = JointAxis::main) const;
    /// Force that the joint applied to B, mean over the last step, world axes, N. Springs, motors and limits are
    /// included.
    vec3 joint_force(JointId joint) const;
    /// Torque that the joint applied to B about its anchor on B, mean over the last step, world axes, N m. Springs,
    /// motors and limits are included.
    vec3 joint_torque(JointId joint) const;
    /// Force or torque of the axis's motor alone, mean over the last step, N or N m.
    float joint_motor_force(JointId joint, JointAxis axis = JointAxis::main) const;
    /// Stiffness that the spring of an axis had in the last step, N/m or N m/rad. It follows from the spring's
    /// frequency and the masses of the two bodies. For ball and motor joints it is the stiffness of the drive along or
    /// about that axis. 0 if there is no spring, and before the first step. The spring's energy is stiffness / 2 *
    /// (coordinate - target)^2.
    float joint_stiffness(JointId joint, JointAxis axis = JointAxis::main) const;

    // Changes of a joint take effect in the next step. They are refused for an axis that this kind of joint does not
    // have or that it always locks.
    bool set_joint_limit(JointId joint, const JointLimit& limit, JointAxis axis = JointAxis::main);  ///< sets a range
    bool set_joint_motor(JointId joint, const JointMotor& motor, JointAxis axis = JointAxis::main);  ///< sets a motor
    bool set_joint_spring(JointId joint, const JointSpring& spring,
                          JointAxis axis = JointAxis::main);         ///< sets a spring
    bool set_joint_cone(JointId joint, float cone);                  ///< ball joints: see BallDef::cone
    bool set_joint_drive(JointId joint, const JointDrive& drive);    ///< ball and motor joints
    bool set_joint_break(JointId joint, float force, float torque);  ///< N and N m: see JointOptions
    bool set_joint_collide_connected(JointId joint, bool collide);   ///< see JointOptions::collide_connected
    JointLimit joint_limit(JointId joint, JointAxis axis = JointAxis::main) const;    ///< present range of the axis
    JointMotor joint_motor(JointId joint, JointAxis axis = JointAxis::main) const;    ///< present motor of the axis
    JointSpring joint_spring(JointId joint, JointAxis axis = JointAxis::main) const;  ///< present spring of the axis
    float joint_cone(JointId joint) const;        ///< rad; `unlimited` if there is none
    JointDrive joint_drive(JointId joint) const;  ///< present drive

    std::vector<JointId> joints(BodyId body) const;  ///< joints of a body, in order of their slots
    std::vector<JointId> joints() const;             ///< all joints, in order of their slots
    std::size_t joint_count() const;                 ///< number of joints

    // ---- Queries. Call them from any number of threads at once, but not during step(). They see every body at its
    // present pose, sleeping and just moved ones included. They skip sensors and shapes that do not collide with
    // `filter`. Of several equal results the one with the lower body slot comes first, then the one with the lower
    // shape index. Results depend on where bodies are, not on how they got there. Refused if a number is not finite, or
    // a shape or box is not valid.

    /// Returns the first hit of the segment origin + t * translation, 0 <= t <= 1; m.
    CastHit ray_cast(const dvec3& origin, const vec3& translation, const Filter& filter = {}) const;
    /// Returns whether the segment hits anything.
    bool ray_cast_any(const dvec3& origin, const vec3& translation, const Filter& filter = {}) const;
    /// Returns one hit for each shape that the segment hits, by ascending fraction.
    std::vector<CastHit> ray_cast_all(const dvec3& origin, const vec3& translation, const Filter& filter = {}) const;
    /// Casts many rays: hits[i] is the first hit of rays[i]. `hits` must be at least as long as `rays`. If a ray is
    /// refused, returns false and all hits are null.
    bool ray_cast(std::span<const Ray> rays, std::span<CastHit> hits, const Filter& filter = {}) const;

    /// Returns the first contact of a shape that moves from `pose` by `translation` (m) without rotating. Touching
    /// counts.
    CastHit shape_cast(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                       const Filter& filter = {}) const;
    /// Returns whether the moving shape touches anything.
    bool shape_cast_any(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                        const Filter& filter = {}) const;
    /// Returns one hit for each shape that the moving shape touches, by ascending fraction.
    std::vector<CastHit> shape_cast_all(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                                        const Filter& filter = {}) const;
    /// Casts many shapes, as ray_cast does with many rays.
    bool shape_cast(std::span<const ShapeCast> casts, std::span<CastHit> hits, const Filter& filter = {}) const;

    /// Returns the bodies that overlap `shape` at `pose`, in order of their slots. Touching counts.
    std::vector<BodyId> overlap(const Shape& shape, const WorldTransform& pose, const Filter& filter = {}) const;
    /// The same for a box. It is tested as a shape: its edges are rounded to floats, and may be 2e6 m long at most.
    std::vector<BodyId> overlap(const WorldAabb& box, const Filter& filter = {}) const;
    std::vector<BodyId> overlap(const dvec3& point,
                                const Filter& filter = {}) const;  ///< bodies that contain the point
    /// Returns whether any body overlaps the shape, at about half the cost of overlap().
    bool overlap_any(const Shape& shape, const WorldTransform& pose, const Filter& filter = {}) const;
    bool overlap_any(const WorldAabb& box, const Filter& filter = {}) const;  ///< the same for a box
    bool overlap_any(const dvec3& point, const Filter& filter = {}) const;    ///< whether a body contains the point

    /// Returns up to `count` bodies nearest to the point (m), by ascending distance, none farther than `max_distance`
    /// (m, >= 0; infinity: no limit).
    std::vector<NearHit> nearest(const dvec3& point, std::size_t count, float max_distance,
                                 const Filter& filter = {}) const;

    // ---- Results of the last step. Spans are valid until the next step.

    std::span<const ContactEvent> contacts_begun() const;  ///< contacts that began
    std::span<const ContactEvent> contacts_ended() const;  ///< contacts that ended
    /// Impacts of shapes with ShapeDef::hit_events that were faster than WorldDef::hit_speed. Those found by continuous
    /// collision come last.
    std::span<const HitEvent> contacts_hit() const;
    /// The bodies that moved in the last step: those that were awake in it, and those that were added or got a transform
    /// from the user since the step before. In no order of its own, but the same for any number of threads. A loaded
    /// world has none before its first step. See also PoseBuffer.
    std::span<const MovedBody> moved_bodies() const;
    std::span<const JointEvent> joints_broken() const;  ///< joints that broke or lost a body
    std::vector<Contact> contacts(
        BodyId body) const;                 ///< touching contacts of the body, without sensors, in slot order
    std::vector<Contact> contacts() const;  ///< all touching contacts, without sensors, in slot order
    const FrameProfile& profile() const;    ///< costs and counts
    /// Returns all shape pairs that the narrowphase keeps, in order of their slots, as the last step left them. For
    /// inspection; costs about 1 us per ten pairs.
    std::vector<PairInfo> pairs() const;
    /// Returns a number that identifies the body's island. An island is the dynamic bodies that contacts and joints
    /// connected in the last step; they fall asleep together. Two bodies are in one island if and only if their numbers
    /// are equal. The number is the slot of one of the island's bodies and usually stays the same from step to step. A
    /// body that touches only fixed bodies is an island of its own. Returns `no_island` for fixed, kinematic and
    /// sleeping bodies, for bodies that touch nothing, and for bodies that were added or woken since the last step.
    std::uint32_t island(BodyId body) const;
    /// Calls `draw` for everything that `options` ask for; see debug_draw.h. Refused if `options.outline_color` is not
    /// a value of its enum.
    bool draw(DebugDraw& draw, const DebugDrawOptions& options) const;
    MemoryStats memory() const;  ///< heap memory in use

    std::vector<BodyId> bodies() const;    ///< all bodies, in order of their slots
    std::size_t body_count() const;        ///< number of bodies
    std::size_t awake_body_count() const;  ///< number of awake bodies

    /// Returns a hash of all poses and velocities. Equal worlds have equal hashes, whatever the compiler.
    std::uint64_t hash() const;

    /// Returns the error of the last call that this world refused; its code is `none` if none was.
    const Error& last_error() const;
    void clear_error() const;  ///< forgets that error

private:
    struct State;
    friend class Poses;
    friend class PoseBuffer;
    friend class WorldView;
    std::unique_ptr<State> state_;
};

}  // namespace talus
