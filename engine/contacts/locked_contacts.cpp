/// Contacts of bodies that are locked to a plane or a line: their normals lie in it.
///
/// Two sprites 2 cm thick that overlap by 5 cm in their plane have their shortest way out across the plane. The locks forbid
/// that motion, no impulse has an effect along such a normal, and the two stayed in each other. What counts is the cross-section
/// of the Minkowski difference with the plane. Stretching both shapes across the plane leaves that section as it is and makes
/// every way out across the plane long, so the ordinary distance and depth of the stretched shapes give the answer.

#include <talus/narrowphase/support_mapping.h>
#include "engine/settings.h"
#include "engine/world/world_state.h"
#include "narrowphase/ladder/contact_margin.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns the axes of the world along which no point of the body moves, as bits of lock_x, lock_y and lock_z.
static std::uint8_t held_axes(const Body& body) {
    constexpr std::uint8_t all = lock_x | lock_y | lock_z;
    if (!body.is_dynamic()) return all;
    std::uint8_t held = 0;
    for (int k = 0; k < 3; ++k) {
        const unsigned across = (lock_turning & ~(unsigned{lock_turn_x} << k)) | (unsigned{lock_x} << k);
        if ((body.locks & across) == across) held = static_cast<std::uint8_t>(held | lock_x << k);
    }
    return held;
}

/// Replaces a manifold whose normal is nearly along such an axis of both bodies by one whose normal lies in their plane or
/// along their line. Does nothing for bodies that cannot move against each other at all, for bodies in neighbouring layers whose
/// faces overlap slightly, and for triangles of meshes and height fields, which have their own rule for normals.
void World::State::turn_into_plane(std::uint32_t c) {
    const ContactBodies& pair = contacts.bodies[c];
    const PairRecord& record = contacts.records[c];
    const std::uint8_t still = held_axes(bodies[pair.a]) & held_axes(bodies[pair.b]);
    if (still == 0 || still == (lock_x | lock_y | lock_z) || contacts.states[c].sensor) return;
    if (colliders.surface_triangle(record.a) != nullptr || colliders.surface_triangle(record.b) != nullptr) return;
    Manifold& manifold = contacts.caches[c].manifold;
    const Transform &pose_a = colliders.poses[record.a], &pose_b = colliders.poses[record.b];
    const auto free_part = [still](vec3 v) {
        for (int k = 0; k < 3; ++k) v[k] = (still & lock_x << k) != 0 ? 0.0f : v[k];
        return v;
    };
    const vec3 normal = rotate(pose_a.rotation, manifold.normal);
    if (!(length_squared(free_part(normal)) < settings::plane_normal * settings::plane_normal)) return;
    float depth = 0.0f;
    for (int i = 0; i < manifold.count; ++i) depth = std::max(depth, -manifold.points[i].separation);
    if (!(depth > settings::plane_layers * record.thickness)) return;

    const float stretch = std::max(1.0f, settings::plane_stretch * record.size / depth);
    glm::dmat3 across(1.0);
    for (int k = 0; k < 3; ++k) across[k][k] = (still & lock_x << k) != 0 ? double{stretch} : 1.0;
    const auto stretched = [&](std::uint32_t collider, const Transform& pose) {
        const glm::dvec3 place(pose.position - pose_a.position);
        return affine_image(ShapeSupport(colliders.shapes[collider]), across * glm::dmat3(to_matrix(pose.rotation)),
                            across * place);
    };
    const float margin = detail::contact_margin(colliders, record);
    const SeparationResult way = separation(stretched(record.a, pose_a), stretched(record.b, pose_b), margin);
    if (way.beyond_limit) {
        manifold.count = 0;
        return;
    }
    const vec3 direction = free_part(way.normal);
    const float share = std::sqrt(length_squared(direction));
    if (!(share > settings::plane_normal)) return;
    const vec3 n = inverse_rotate(pose_a.rotation, direction / share);
    const vec3 on_a = inverse_rotate(pose_a.rotation, vec3(glm::inverse(across) * glm::dvec3(way.point_a)));
    FaceHints hints = contacts.caches[c].hints;  // a copy: the narrowphase goes on from its own
    manifold =
        make_manifold(colliders.shapes[record.a], colliders.shapes[record.b], to_frame(relative(pose_a, pose_b)), n,
                      on_a, on_a + way.separation / share * n, detail::contact_margin(colliders, record, n), hints);
}

void World::State::collide_contacts(std::span<const std::uint32_t> list, const CollideSettings& rungs,
                                    CollideScratch& scratch, NarrowphaseProfile& counts) {
    collide(colliders, contacts.records, contacts.caches, list, rungs, scratch, counts);
    if (!any_locked) return;
    for (const std::uint32_t c : list) {
        if (has_manifold(c)) turn_into_plane(c);
    }
}

}  // namespace talus
