#pragma once
/// Definitions of bodies and their shapes, as passed to `World::add_body`.

#include <talus/broadphase/proxy.h>
#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/triangles/triangle_set.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace talus {

/// How a body moves.
enum class BodyType : std::uint8_t {
    fixed,      ///< never moves; infinite mass
    kinematic,  ///< moves by its velocity only; infinite mass; pushes dynamic bodies, and nothing pushes it
    dynamic,    ///< moved by forces, contacts and joints
};

/// Which bodies a fast body must not pass through. A body is fast if it moves or rotates by more than about its own
/// size in one step. Slower bodies are stopped by their contacts, whatever the value.
enum class Continuous : std::uint8_t {
    off,    ///< none, for debris: a fast body may pass through any other body
    fixed,  ///< fixed and kinematic bodies
    all,    ///< dynamic bodies as well, for bullets: each fast body costs more
};

/// Surface properties of a shape. A contact combines the materials of its two shapes; each field says how.
struct Material {
    /// Coulomb coefficient, >= 0; values above 1e6 count as 1e6. A contact uses sqrt(friction_a * friction_b).
    float friction = 0.6f;
    /// Coefficient of restitution, 0 (no bounce) to 1. A contact uses the greater of the two.
    float restitution = 0.0f;
    /// Rolling resistance, >= 0: the moment that resists rolling is rolling_resistance * normal force * rolling
    /// radius. About 0.01 for a car tyre on asphalt. Spheres, capsules, cylinders, cones and mappings (such as
    /// ellipsoids) have a rolling radius; other shapes do not roll. A contact uses the greater coefficient and, if both
    /// shapes roll, the smaller radius. That of a mapping is the radius of the ball around its middle that it holds.
    float rolling_resistance = 0.0f;
    /// Direction of full friction in the shape's frame, of any length; zero means the same friction in all directions.
    /// Friction across this axis is `grip_across` times as large. If both shapes have an axis, the contact uses the one
    /// with the smaller `grip_across`. A skate: `{.grip_axis = {1, 0, 0}, .grip_across = 0.02f}`.
    vec3 grip_axis{0.0f};
    float grip_across = 1.0f;  ///< friction across `grip_axis` over friction along it, 0 to 1
    /// Velocity of the surface relative to its body, in the shape's frame, m/s: a conveyor belt. Speeds above 1e6 count
    /// as 1e6.
    vec3 surface_velocity{0.0f};
};

/// One shape of a body that has several.
struct ShapeDef {
    Shape shape{};        ///< geometry; not set if `mesh` is
    Transform pose{};     ///< pose of the shape's frame in the body's frame; its position within 1e6 m
    Material material{};  ///< surface properties
    /// kg/m^3, >= 0. At least one shape of a dynamic body must have mass, and the body's mass may be 1e15 kg at most.
    float density = 1000.0f;
    Filter filter{};  ///< which shapes this one collides with
    /// Makes the shape a sensor: it reports overlaps as contact events, pushes nothing and adds no mass. At least one
    /// of the two bodies must be dynamic, whether awake or asleep. So a sensor on a fixed body detects dynamic bodies,
    /// and a sensor on a dynamic body detects all types. Sensors do not detect each other. An overlap between sleeping
    /// bodies goes on until one of them wakes.
    bool sensor = false;
    bool hit_events = false;       ///< lists impacts of this shape in World::contacts_hit()
    bool modify_contacts = false;  ///< passes contacts of this shape to the world's contact modifier before the solve
    /// A mesh or height field in place of `shape`. A dynamic body can have it only if it bounds a solid
    /// (MeshDef::solid).
    std::shared_ptr<const TriangleSet> mesh{};
    /// Materials of the mesh's triangles, indexed by their material numbers. Triangles with a number beyond the last
    /// element use `material`.
    std::vector<Material> mesh_materials{};
};

/// World axes along which a body does not move, and about which it does not rotate; combine them with `|`. When two
/// bodies that are locked to the same plane overlap, the solver separates them within that plane. It does not separate
/// bodies in neighbouring layers: two bodies whose overlap at right angles to the plane is at most a tenth of the
/// thinner one's thickness.
enum AxisLock : std::uint8_t {
    lock_x = 1,                                              ///< no motion along x
    lock_y = 2,                                              ///< no motion along y
    lock_z = 4,                                              ///< no motion along z
    lock_turn_x = 8,                                         ///< no rotation about x
    lock_turn_y = 16,                                        ///< no rotation about y
    lock_turn_z = 32,                                        ///< no rotation about z
    lock_turning = lock_turn_x | lock_turn_y | lock_turn_z,  ///< no rotation
    lock_to_plane_xy = lock_z | lock_turn_x | lock_turn_y,   ///< motion in two dimensions
};

/// Definition of a body. Every field has a default. Give one of `shape`, `mesh` and `shapes`. The fields marked
/// "shape:" below belong to `shape` or `mesh`; they are ignored if `shapes` is given.
struct BodyDef {
    BodyType type = BodyType::dynamic;          ///< how the body moves
    Shape shape{};                              ///< the body's only shape
    std::shared_ptr<const TriangleSet> mesh{};  ///< see ShapeDef::mesh
    std::vector<ShapeDef> shapes{};             ///< several shapes, each with its pose and material
    dvec3 position{0.0};                        ///< origin of the body's frame, m; it is put on the grid (math.h)
    quat rotation{1.0f, 0.0f, 0.0f, 0.0f};      ///< w first; normalised by add_body
    vec3 linear_velocity{0.0f};                 ///< velocity of the centre of mass, m/s
    vec3 angular_velocity{0.0f};                ///< in world axes, rad/s
    Material material{};                        ///< shape: surface properties
    std::vector<Material> mesh_materials{};     ///< shape: see ShapeDef::mesh_materials
    float density = 1000.0f;                    ///< shape: kg/m^3, >= 0
    /// Mass, centre of mass and inertia of a dynamic body, in place of those that follow from its shapes' densities. A
    /// body made of convex parts of a mesh can get the mesh's own mass this way. See World::set_mass_properties for the
    /// ranges.
    std::optional<MassProperties> mass_properties{};
    Filter filter{};                                           ///< shape: see ShapeDef::filter
    bool sensor = false;                                       ///< shape: see ShapeDef::sensor
    bool hit_events = false;                                   ///< shape: see ShapeDef::hit_events
    bool modify_contacts = false;                              ///< shape: see ShapeDef::modify_contacts
    float linear_damping = 0.0f;                               ///< 1/s, >= 0: velocity falls as 1 / (1 + damping * dt)
    float angular_damping = 0.0f;                              ///< 1/s, >= 0: the same for the angular velocity
    float max_speed = std::numeric_limits<float>::infinity();  ///< limit of a dynamic body's speed, m/s, > 0
    float max_spin = std::numeric_limits<float>::infinity();   ///< limit of its angular speed, rad/s, > 0
    float gravity_scale = 1.0f;                                ///< factor of gravity for this body, -1e6 to 1e6
    std::uint8_t locks = 0;   ///< AxisLock flags of a dynamic body: velocities along these axes stay 0
    bool allow_sleep = true;  ///< false keeps the body and its island awake
    Continuous continuous = Continuous::fixed;  ///< what a fast dynamic body must not pass through
    std::uint64_t user_data = 0;                ///< yours; Talus never reads it
};

}  // namespace talus
