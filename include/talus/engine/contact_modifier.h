#pragma once
/// A last word on contacts before they are solved: one-way platforms, ice under some feet, walls for some bullets.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>

namespace talus {

/// A contact as found in this step. What is given is for reading: changes to it change nothing.
struct ContactModification {
    // Given.
    BodyId body_a, body_b;
    std::uint32_t shape_a = 0, shape_b = 0;  ///< indices of the shapes in their bodies
    std::uint64_t user_data_a = 0, user_data_b = 0;
    vec3 normal{0.0f};    ///< world, unit, from A to B
    vec3 velocity{0.0f};  ///< of B relative to A, amid the points, m/s
    /// It carried force or overlapped in the last step, with this modifier's consent. A one-way platform lets through
    /// what comes from the wrong side *or* has been let through and is still inside: so it stops what is not touching
    /// only where it is about to land.
    bool touching = false;
    int point_count = 0;
    struct Point {
        vec3 position{0.0f};      ///< world, m
        float separation = 0.0f;  ///< negative when penetrating, m
        bool enabled = true;      ///< to change: false takes the point out of this step
    } points[4];

    // To change, for this step.
    bool enabled = true;       ///< false: the two pass through each other
    float friction = 0.0f;     ///< Coulomb coefficient, >= 0; other numbers are taken for what it was
    float restitution = 0.0f;  ///< 0 to 1; likewise
};

/// Called in each step for each contact of a shape that asks for it (ShapeDef::modify_contacts), between finding and
/// solving it; contact by contact in an order that depends on what happened to the world alone, never on threads. The
/// result must depend on the contact and on what `user` points to alone, and the call must not touch the world: then a
/// world that is copied or run again gives the same bits. Sensors are not shown. For what swept bodies meet
/// (see Continuous) it is called once more, after the solve.
using ContactModifier = void (*)(ContactModification& contact, void* user);

}  // namespace talus
