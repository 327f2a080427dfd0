/// Contacts of shapes with meshes: which triangles have one.
///
/// A step asks a mesh for the triangles in a box only when the shape has left the box of the last time, which is
/// larger than the shape. Contacts of triangles that are in both stay, with all that their caches know.

#include <talus/engine/settings.h>
#include <talus/engine/world_state.h>
#include <talus/narrowphase/tolerances.h>

#include <algorithm>
#include <cmath>

namespace talus {

void World::State::update_patch(std::uint32_t p, std::uint32_t shape, std::uint32_t shape_body, std::uint32_t mesh,
                                std::uint32_t mesh_body) {
    if (shapes.defs[shape].mesh || !may_touch(shape, mesh)) return;
    const float ways = colliders.sweeps[shape].reach + colliders.sweeps[mesh].reach;
    const vec3 half = half_extents(shapes.world_boxes[shape]);
    const float size = std::max({half.x, half.y, half.z});
    const Aabb box = expand(shapes.world_boxes[shape], ways + tolerance::contact_margin * size);
    const Transform& pose = colliders.poses[mesh];
    std::uint32_t k = contacts.find_patch(p, shape, mesh);
    if (k == null_index) {
        if (!overlaps(box, shapes.world_boxes[mesh])) return;
        k = contacts.patch_of(p, shape, shape_body, mesh, mesh_body);
        contacts.patches[k].sensor = shapes.defs[shape].sensor || shapes.defs[mesh].sensor;
    }
    MeshPatch& patch = contacts.patches[k];
    const bool stands = pose.position == patch.mesh_pose.position && pose.rotation == patch.mesh_pose.rotation;
    if (stands && contains(patch.world_box, box)) return;
    const Frame to_mesh = to_frame(relative(pose, Transform{}));
    if (!stands && contains(patch.box, transform_box(to_mesh, box))) return;
    patch.mesh_pose = pose;
    patch.world_box = expand(box, settings::mesh_patch_margin * size);
    patch.box = transform_box(to_mesh, patch.world_box);

    const TriangleSet& set = *shapes.defs[mesh].mesh;
    found_triangles.clear();
    set.find(patch.box, found_triangles);
    // Of a slope many boxes are near whose triangles are not.
    const vec3 middle = center(patch.box), room = half_extents(patch.box);
    std::erase_if(found_triangles, [&](std::uint32_t t) {
        const SetTriangle triangle = set.triangle(t);
        const vec3& n = triangle.normal;
        return std::abs(glm::dot(middle - triangle.points[0], n)) > glm::dot(glm::abs(n), room);
    });
    known_triangles.clear();
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].patch != k) return;
        const PairRecord& record = contacts.records[c];
        const std::uint32_t slot = shapes.is_triangle(record.a) ? record.a : record.b;
        known_triangles.push_back({shapes.triangles[slot].triangle, c});
    });
    std::sort(known_triangles.begin(), known_triangles.end(),
              [](const KnownTriangle& x, const KnownTriangle& y) { return x.triangle < y.triangle; });
    auto known = known_triangles.begin();
    for (const std::uint32_t t : found_triangles) {
        for (; known != known_triangles.end() && known->triangle < t; ++known) remove_contact(known->contact);
        if (known != known_triangles.end() && known->triangle == t) {
            ++known;
            continue;
        }
        const std::uint32_t slot = shapes.add_triangle(mesh, t, colliders);
        const std::uint32_t c = add_contact(p, slot, mesh_body, shape, shape_body);
        contacts.states[c].patch = k;
    }
    for (; known != known_triangles.end(); ++known) remove_contact(known->contact);
}

/// What slides or rolls from one triangle to the next is carried by the new contact as it was by the old one: else it
/// would drop until the new one has learned its load.
void World::State::pass_impulses_on() {
    const auto triangle_is_a = [&](std::uint32_t c) { return shapes.is_triangle(contacts.records[c].a); };
    for (const std::uint32_t c : last_touching) {
        const std::uint32_t k = contacts.states[c].patch;
        if (k == null_index || has_manifold(c)) continue;
        const ContactState& old = contacts.states[c];
        float load = 0.0f;
        for (int i = 0; i < old.point_count; ++i) load += old.impulses[i];
        if (!(load > 0.0f)) continue;
        for_each_contact(contacts, old.pair, [&](std::uint32_t other) {
            ContactState& state = contacts.states[other];
            if (load == 0.0f || state.patch != k || state.point_count != 0 || !has_manifold(other)) return;
            const Manifold& manifold = contacts.caches[other].manifold;
            state.point_count = manifold.count;
            for (int i = 0; i < manifold.count; ++i) {
                state.ids[i] = manifold.points[i].id;
                state.impulses[i] = load / static_cast<float>(manifold.count);
            }
            const float side = triangle_is_a(c) == triangle_is_a(other) ? 1.0f : -1.0f;
            state.friction_impulse = side * old.friction_impulse;
            load = 0.0f;
        });
    }
}

}  // namespace talus
