#include "engine/contacts/planar_contacts.h"

#include <talus/narrowphase/support_mapping.h>
#include "engine/settings.h"
#include "narrowphase/ladder/contact_margin.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Returns the axes of the world along which no point of the body moves, as bits of lock_x, lock_y and lock_z.
static std::uint8_t locked_axes(const Body& body) {
    constexpr std::uint8_t all = lock_x | lock_y | lock_z;
    if (!body.is_dynamic()) return all;
    std::uint8_t locked = 0;
    for (int k = 0; k < 3; ++k) {
        const unsigned across = (lock_turning & ~(unsigned{lock_turn_x} << k)) | (unsigned{lock_x} << k);
        if ((body.locks & across) == across) locked = static_cast<std::uint8_t>(locked | lock_x << k);
    }
    return locked;
}

static void turn_into_plane(const ContactWorld& world, std::uint32_t c) {
    ContactTable& contacts = world.contacts;
    const Colliders& colliders = world.colliders;
    const ContactBodies& pair = contacts.bodies[c];
    const PairRecord& record = contacts.records[c];
    const std::uint8_t still = locked_axes(world.bodies[pair.a]) & locked_axes(world.bodies[pair.b]);
    if (still == 0 || still == (lock_x | lock_y | lock_z) || contacts.states[c].sensor) return;
    if (record.rung == Rung::features || colliders.surface_triangle(record.a) != nullptr ||
        colliders.surface_triangle(record.b) != nullptr)
        return;
    const Manifold& found = contacts.manifold(c);
    const WorldTransform &pose_a = colliders.poses[record.a], &pose_b = colliders.poses[record.b];
    const auto free_part = [still](vec3 v) {
        for (int k = 0; k < 3; ++k) v[k] = (still & lock_x << k) != 0 ? 0.0f : v[k];
        return v;
    };
    const vec3 normal = rotate(pose_a.rotation, found.normal);
    if (!(length_squared(free_part(normal)) < settings::plane_normal * settings::plane_normal)) return;
    float depth = 0.0f;
    for (int i = 0; i < found.count; ++i) depth = std::max(depth, -found.points[i].separation);
    if (!(depth > settings::plane_layers * record.thickness)) return;

    const float stretch = std::max(1.0f, settings::plane_stretch * record.size / depth);
    glm::dmat3 across(1.0);
    for (int k = 0; k < 3; ++k) across[k][k] = (still & lock_x << k) != 0 ? double{stretch} : 1.0;
    const auto stretched = [&](std::uint32_t collider, const WorldTransform& pose) {
        const dvec3 place = pose.position - pose_a.position;
        return affine_image(ShapeSupport(colliders.shapes[collider]), across * glm::dmat3(to_matrix(pose.rotation)),
                            across * place);
    };
    const float margin = detail::contact_margin(colliders, record);
    const SeparationResult nearest = separation(stretched(record.a, pose_a), stretched(record.b, pose_b), margin);
    if (nearest.beyond_limit) {
        contacts.replace_manifold(c).count = 0;
        return;
    }
    const vec3 direction = free_part(nearest.normal);
    const float share = std::sqrt(length_squared(direction));
    if (!(share > settings::plane_normal)) return;
    const vec3 n = inverse_rotate(pose_a.rotation, direction / share);
    const vec3 on_a = inverse_rotate(pose_a.rotation, vec3(glm::inverse(across) * glm::dvec3(nearest.point_a)));
    FaceHints hints = contacts.caches[c].hints;  // a copy: only the narrowphase changes its cache
    contacts.replace_manifold(c) = make_manifold(
        colliders.shapes[record.a], colliders.shapes[record.b], to_matrix_transform(relative(pose_a, pose_b)), n, on_a,
        on_a + nearest.separation / share * n, detail::contact_margin(colliders, record, n), hints);
}

void turn_into_plane(const ContactWorld& world, std::span<const std::uint32_t> contacts) {
    for (const std::uint32_t c : contacts) {
        if (world.contacts.has_manifold(c)) turn_into_plane(world, c);
    }
}

}  // namespace talus
