#include "engine/mesh_contacts/seams.h"

#include <talus/narrowphase/support.h>
#include "engine/mesh_contacts/contact_load.h"
#include "engine/settings.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/seam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace talus {

float seam_tolerance(float size, float reach) {
    return settings::seam_tolerance * size + settings::seam_rounding * reach;
}

bool other_mesh_rises(const ContactView& world, const Body& body, std::uint32_t mesh, std::uint32_t shape,
                      const dvec3& point, const vec3& normal, float tolerance, std::vector<std::uint32_t>& found) {
    const ShapePool& shapes = world.shapes;
    const vec3 seen(point - shapes.origin_of(body, world.colliders));
    bool rises = false;
    shapes.for_each_near(body, expand(Aabb{seen, seen}, tolerance), [&](std::uint32_t other) {
        const ShapeDef& def = shapes.defs[other];
        if (rises || other == mesh || !def.mesh || def.sensor || !should_collide(def.filter, shapes.defs[shape].filter))
            return;
        const WorldTransform& pose = world.colliders.poses[other];
        rises = detail::rises_at(*def.mesh, inverse_transform_point(pose, point), inverse_rotate(pose.rotation, normal),
                                 tolerance, found);
    });
    return rises;
}

namespace {

bool are_of_several_meshes(std::span<const MeshContact> mesh_contacts) {
    std::uint32_t mesh = null_index;
    for (const MeshContact& each : mesh_contacts) {
        if (each.mesh == null_index || each.mesh == mesh) continue;
        if (mesh != null_index) return true;
        mesh = each.mesh;
    }
    return false;
}

}  // namespace

/// True if the shape's body has a pair with a mesh besides that of the mesh contact.
bool Seams::has_other_mesh(const ContactWorld& world, const MeshContact& mesh_contact) const {
    bool has = false;
    for_each_pair(world.contacts, world.bodies, mesh_contact.shape_body, [&](std::uint32_t p) {
        for_each_mesh_contact(world.contacts, p, [&](std::uint32_t k) {
            const MeshContact& other = world.contacts.mesh_contacts[k];
            has = has || (other.shape == mesh_contact.shape && other.mesh != mesh_contact.mesh && !other.sensor);
        });
    });
    return has;
}

void Seams::remove_points(const ContactWorld& world, std::vector<std::uint32_t>& touching,
                          std::vector<LostLoad>& lost) {
    ContactTable& contacts = world.contacts;
    if (!are_of_several_meshes(contacts.mesh_contacts)) return;
    bool any = false;
    for (std::uint32_t k = 0; k < contacts.mesh_contacts.size(); ++k) {
        const MeshContact& mesh_contact = contacts.mesh_contacts[k];
        const bool counts = mesh_contact.shape != null_index && !mesh_contact.sensor && !mesh_contact.by_features;
        if (!counts || mesh_contact.first_contact == null_index || !has_other_mesh(world, mesh_contact)) continue;
        for_each_contact_of_mesh(contacts, k, [&](std::uint32_t c) {
            any = (contacts.has_manifold(c) && remove_points(world, k, c, lost)) || any;
        });
    }
    if (any) std::erase_if(touching, [&](std::uint32_t c) { return !contacts.has_manifold(c); });
}

/// Makes the shape's lowest point over a triangle's face a contact along the face, if it is within `margin` (m) of it,
/// and over the triangle to `tolerance` (m).
static void put_on_face(const ContactWorld& world, const MeshContact& mesh_contact, std::uint32_t c, float margin,
                        float tolerance, Manifold& manifold) {
    const Colliders& colliders = world.colliders;
    const std::uint32_t slot = triangle_slot(world, c);
    const Shape &triangle = colliders.shapes[slot], &shape = colliders.shapes[mesh_contact.shape];
    const SurfaceTriangle& surface = colliders.surface_triangles[slot];
    const WorldTransform &at = colliders.poses[slot], &pose = colliders.poses[mesh_contact.shape];
    const vec3 middle = inverse_transform_point(at, transform_point(pose, vec3(detail::inside_of(shape))));
    const float side = glm::dot(middle - triangle.points[0], surface.normal);
    if (side < 0.0f && !surface.two_sided) return;
    const vec3 n = side < 0.0f ? -surface.normal : surface.normal;
    const vec3 down = inverse_rotate(pose.rotation, rotate(at.rotation, -n));
    const vec3 on_shape = support(shape, down).point + shape.radius * down;
    const vec3 low = inverse_transform_point(at, transform_point(pose, on_shape));
    const float separation = glm::dot(low - triangle.points[0], n);
    if (separation > std::max(margin, 0.0f)) return;
    for (int i = 0; i < 3; ++i) {
        const vec3 out = glm::cross(triangle.points[(i + 1) % 3] - triangle.points[i], surface.normal);
        if (glm::dot(low - triangle.points[i], out) > tolerance * std::sqrt(length_squared(out))) return;
    }
    const vec3 on_triangle = low - separation * n;
    const bool is_a = triangle_is_a(world, c);
    manifold.normal = is_a ? n : down;
    manifold.face_owner = is_a ? FaceOwner::a : FaceOwner::b;
    manifold.count = 1;
    manifold.points[0] = {is_a ? on_triangle : on_shape, is_a ? on_shape : on_triangle, separation, 0};
}

/// Returns whether the contact has lost all its points.
bool Seams::remove_points(const ContactWorld& world, std::uint32_t k, std::uint32_t c, std::vector<LostLoad>& lost) {
    ContactTable& contacts = world.contacts;
    const MeshContact& mesh_contact = contacts.mesh_contacts[k];
    const std::uint32_t slot = triangle_slot(world, c);
    const WorldTransform& pose = world.colliders.poses[slot];
    const vec3 normal = normal_from_mesh(world, c);
    const vec3 across = rotate(pose.rotation, world.colliders.surface_triangles[slot].normal);
    if (std::abs(glm::dot(normal, across)) >= tolerance::surface_face) return false;
    const vec3 half = half_extents(world.shapes.boxes[mesh_contact.shape]);
    const Aabb bounds = world.shapes.locals[mesh_contact.mesh].box;
    const vec3 far = glm::max(absolute(bounds.lower), absolute(bounds.upper));
    const float tolerance = seam_tolerance(std::max({half.x, half.y, half.z}), std::max({far.x, far.y, far.z}));
    const Manifold before = contacts.manifold(c);
    Manifold kept = before;
    kept.count = 0;
    float least = std::numeric_limits<float>::infinity(), least_left_out = least;
    for (int i = 0; i < before.count; ++i) {
        const ManifoldPoint& p = before.points[i];
        const dvec3 point = transform_point(pose, triangle_is_a(world, c) ? p.on_a : p.on_b);
        bool rises = false;
        for_each_pair(contacts, world.bodies, mesh_contact.shape_body, [&](std::uint32_t pair) {
            if (contacts.pairs[pair].first_mesh_contact == null_index || rises) return;
            const Body& other = world.bodies[other_body(contacts.pairs[pair], mesh_contact.shape_body)];
            rises = other_mesh_rises(world.view(), other, mesh_contact.mesh, mesh_contact.shape, point, normal,
                                     tolerance, found_);
        });
        least = std::min(least, p.separation);
        if (rises) least_left_out = std::min(least_left_out, p.separation);
        if (!rises) kept.points[kept.count++] = p;
    }
    if (kept.count == before.count) return false;
    // The normal is that of the deepest point. If it is not valid there, the other points are none of the surface's. But
    // what has sunk in right at the seam is on the triangle's face.
    if (least_left_out <= least + tolerance) {
        kept.count = 0;
        put_on_face(world, mesh_contact, c, least, tolerance, kept);
    }
    contacts.replace_manifold(c) = kept;
    if (kept.count == 0 && contacts.states[c].point_count != 0)
        lost.push_back({k, mesh_contact.shape, normal, take_load(world, c)});
    return kept.count == 0;
}

}  // namespace talus
