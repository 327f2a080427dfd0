#pragma once
/// What a user says about a body before it exists.

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

enum class BodyType : std::uint8_t {
    fixed,      ///< never moves; infinite mass
    kinematic,  ///< moves by its velocity only; infinite mass, pushes dynamic bodies and is never pushed
    dynamic,    ///< moved by forces and contacts
};

/// Whether a body that moves or turns by more than about its own size in a step may pass through others (continuous.h).
enum class Continuous : std::uint8_t {
    off,    ///< it may: for debris that nobody misses
    fixed,  ///< not through fixed and kinematic bodies
    all,    ///< nor through dynamic ones: for bullets, at a cost for each
};

/// Surface of a shape. Two surfaces mix as friction = sqrt(f1 * f2), the others as said there.
struct Material {
    float friction = 0.6f;     ///< Coulomb coefficient, >= 0; more than a million (settings.h) is a million
    float restitution = 0.0f;  ///< 0 (no bounce) to 1; the greater of two counts
    /// Moment that rolling takes, over radius times normal force, >= 0 (a car's tyre on asphalt about 0.01); the
    /// greater moment of two counts. Spheres, capsules, cylinders and cones roll, by their radius; a flat partner adds
    /// what it says times that radius.
    float rolling_resistance = 0.0f;
    /// Direction in which `friction` holds, in the shape's frame; across it only `grip_across` (0 to 1) times that: a
    /// skate grips sideways, {.grip_axis = {1, 0, 0}, .grip_across = 0.02f}. Zero: alike in all directions. Of two
    /// surfaces that with less grip across decides.
    vec3 grip_axis{0.0f};
    float grip_across = 1.0f;
    vec3 surface_velocity{
        0.0f};  ///< of a surface that runs though its body stands, in the shape's frame, m/s: a conveyor belt
};

/// One shape of a body that has several.
struct ShapeDef {
    Shape shape{};
    Transform pose{};  ///< of the shape's frame in the body's frame, within 1e6 m of it
    Material material{};
    /// kg/m^3, >= 0; a dynamic body needs mass from at least one shape, and not above 1e15 kg.
    float density = 1000.0f;
    Filter filter{};
    /// Reports overlaps with what is no sensor and moves, never pushes, adds no mass. Of two bodies one must be
    /// dynamic, awake or asleep: a fixed sensor sees dynamic bodies, one on a dynamic body sees all kinds. Bodies that
    /// sleep keep the overlaps they fell asleep with.
    bool sensor = false;
    bool hit_events = false;       ///< its hits are listed in World::contacts_hit()
    bool modify_contacts = false;  ///< its contacts are shown to the world's contact modifier before they are solved
    /// Instead of `shape`: a mesh or a height field, of a body that is not dynamic. (A dynamic body that is not convex
    /// is made of several convex shapes.)
    std::shared_ptr<const TriangleSet> mesh{};
    /// By the material number of a mesh's triangle; beyond the last: `material`.
    std::vector<Material> mesh_materials{};
};

/// Axes of the world along which a body does not move and about which it does not turn, or-ed together. Two bodies that are
/// locked to the same plane are pushed apart in it, if they overlap across it by more than a tenth of the thinner one's
/// thickness; bodies in neighbouring layers that overlap by less do not push each other.
enum AxisLock : std::uint8_t {
    lock_x = 1,
    lock_y = 2,
    lock_z = 4,
    lock_turn_x = 8,
    lock_turn_y = 16,
    lock_turn_z = 32,
    lock_turning = lock_turn_x | lock_turn_y | lock_turn_z,
    lock_to_plane_xy = lock_z | lock_turn_x | lock_turn_y,  ///< a world of two dimensions
};

/// Every field has a default; give what differs. One of `shape` and `mesh` (with material, density, filter, sensor beside
/// it) and `shapes`.
struct BodyDef {
    BodyType type = BodyType::dynamic;
    Shape shape{};
    std::shared_ptr<const TriangleSet> mesh{};  ///< see ShapeDef
    std::vector<ShapeDef> shapes{};
    vec3 position{0.0f};                     ///< of the body frame's origin, m
    quat rotation{1.0f, 0.0f, 0.0f, 0.0f};   ///< normalised on entry; w first
    vec3 linear_velocity{0.0f};              ///< of the centre of mass, m/s
    vec3 angular_velocity{0.0f};             ///< world axes, rad/s
    Material material{};                     ///< of `shape`
    std::vector<Material> mesh_materials{};  ///< of `mesh`
    float density = 1000.0f;                 ///< of `shape`, kg/m^3
    /// Of a dynamic body: in place of what its shapes make, as those of a mesh that its convex parts stand for.
    std::optional<MassProperties> mass_properties{};
    Filter filter{};                                           ///< of `shape`
    bool sensor = false;                                       ///< of `shape`
    bool hit_events = false;                                   ///< of `shape`
    bool modify_contacts = false;                              ///< of `shape`
    float linear_damping = 0.0f;                               ///< 1/s: velocity falls as 1 / (1 + damping * dt)
    float angular_damping = 0.0f;                              ///< 1/s
    float max_speed = std::numeric_limits<float>::infinity();  ///< of the centre of mass, m/s, > 0; dynamic bodies
    float max_spin = std::numeric_limits<float>::infinity();   ///< rad/s, > 0
    float gravity_scale = 1.0f;
    std::uint8_t locks = 0;  ///< of AxisLock: a dynamic body's velocities there are 0, whatever pushes
    bool allow_sleep = true;
    Continuous continuous = Continuous::fixed;  ///< of dynamic bodies
    std::uint64_t user_data = 0;                ///< yours; Talus never reads it
};

}  // namespace talus
