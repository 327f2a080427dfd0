#pragma once
/// A function of yours that may change contacts before they are solved: for one-way platforms, slippery shoes, or walls
/// that some bullets pass through.

#include <talus/ids.h>
#include <talus/math.h>

#include <cstdint>

namespace talus {

/// A contact that was found in this step. The modifier may change `enabled`, `points[i].enabled`, `friction` and
/// `restitution`; changes of the other fields are ignored. All changes apply to this step only.
struct ContactModification {
    BodyId body_a;                  ///< first body
    BodyId body_b;                  ///< second body
    std::uint32_t shape_a = 0;      ///< index of the shape in body A
    std::uint32_t shape_b = 0;      ///< index of the shape in body B
    std::uint64_t user_data_a = 0;  ///< BodyDef::user_data of body A
    std::uint64_t user_data_b = 0;  ///< BodyDef::user_data of body B
    vec3 normal{0.0f};              ///< world, unit, from A to B
    vec3 velocity{0.0f};            ///< of B relative to A, at the mean of the points, m/s
    /// True if the two shapes touched in the last step, that is, they overlapped or a contact impulse acted; false if
    /// the modifier disabled the contact then. A one-way platform needs this: a body that it has let through still
    /// overlaps it, and must not be stopped. So if this is false, the platform enables the contact only if the body is
    /// about to land.
    bool touching = false;
    int point_count = 0;  ///< 1 to 4
    /// A point of the contact.
    struct Point {
        dvec3 position{0.0};      ///< world, m
        float separation = 0.0f;  ///< m; negative if the shapes overlap
        bool enabled = true;      ///< may be changed: false removes the point from this step
    } points[4];                  ///< the first `point_count` are valid

    bool enabled = true;       ///< may be changed: false lets the two shapes pass through each other
    float friction = 0.0f;     ///< may be changed: Coulomb coefficient, finite and >= 0; other values are ignored
    float restitution = 0.0f;  ///< may be changed: 0 to 1; other values are ignored
};

/// Called once per step for each contact of a shape with ShapeDef::modify_contacts, after contacts are found and before
/// they are solved, by the thread that calls World::step. Contacts with sensors are left out. The function is called
/// again, after the solve, for contacts that continuous collision finds.
///
/// The order of the calls depends only on the world's history, never on threads. The result must depend only on the
/// contact and on what `user` points to; then a copy of the world, or a second run, gives the same bits. Calls that
/// change the world are refused meanwhile. An exception that the function throws leaves World::step(); the world may
/// then only be destroyed or assigned to.
using ContactModifier = void (*)(ContactModification& contact, void* user);

}  // namespace talus
