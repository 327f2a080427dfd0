#pragma once
/// What the mouse does to bodies: takes one and drags it, throws it, shoots at it, adds another.
///
/// What is held hangs on a spring between the point where it was taken and the point under the mouse: a motor joint to
/// a fixed body without contacts. The spring's frequency is that of the pair, so it behaves alike for a pebble and a
/// truck; its force is bounded by the weight of all that hangs on the body by joints, so that a chain can be lifted
/// by its end but not torn; a brake on the spin keeps it from whirling.

#include "samples/window/simulation/simulation.h"

namespace talus::samples {

enum class SpawnKind : int { box, sphere, capsule, cylinder, cone, hull, ragdoll };
inline constexpr int spawn_kind_count = 7;
const char* name_of(SpawnKind kind);

struct ShotSettings {
    float radius = 0.25f;     ///< m
    float speed = 25.0f;      ///< m/s
    float density = 2000.0f;  ///< kg/m^3
};

class Hand {
public:
    /// Takes a body at a point of the world; false if it is not dynamic.
    bool take(Simulation& simulation, BodyId body, const dvec3& point);
    bool holds() const { return static_cast<bool>(body_); }
    BodyId body() const { return body_; }
    /// Where it shall be, m. Between steps.
    void pull(Simulation& simulation, const dvec3& target);
    /// It goes on as it moves.
    void release(Simulation& simulation);
    /// The world is gone.
    void forget();

    dvec3 held_point(const Simulation& simulation) const;  ///< world
    dvec3 target() const { return target_; }

private:
    BodyId body_, anchor_;
    JointId joint_;
    vec3 local_{0.0f};   ///< the point taken, in the body's frame
    dvec3 origin_{0.0};  ///< of the anchor, world
    dvec3 target_{0.0};
    JointDrive drive_;
};

/// A ball along a ray from `eye`.
BodyId shoot(Simulation& simulation, const dvec3& eye, const vec3& direction, const ShotSettings& settings);

/// A body of about `size` m standing where `normal` leaves `point`. Null when the world refuses it.
BodyId spawn(Simulation& simulation, SpawnKind kind, const dvec3& point, const vec3& normal, float size);

}  // namespace talus::samples
