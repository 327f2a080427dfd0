#include "engine/mesh_contacts/mesh_contacts.h"

#include "engine/settings.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus {

namespace {

/// Steps for which the box within which a shape has contacts with triangles is made to last, at the shape's present
/// velocity. More: the mesh is searched less often, and more triangles are kept that the shape does not come near.
constexpr float steps_ahead = 2.0f;

}  // namespace

void MeshContacts::update(const ContactWorld& world, std::uint32_t p, std::uint32_t shape, std::uint32_t shape_body,
                          std::uint32_t mesh, std::uint32_t mesh_body, std::uint32_t known_contact) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    // If one of the two is no solid, the other one is the shape, because update_side() tracks the shape.
    if (shapes.defs[shape].mesh && !shapes.defs[shape].mesh->is_solid()) {
        std::swap(shape, mesh);
        std::swap(shape_body, mesh_body);
    }
    const bool by_features = meets_by_features(shapes, world.bodies, shape, mesh, mesh_body);
    if ((shapes.defs[shape].mesh && !by_features) || !world.view().may_touch(shape, mesh)) return;
    const float displacements = colliders.motions[shape].max_displacement + colliders.motions[mesh].max_displacement;
    const vec3 half = half_extents(shapes.boxes[shape]);
    const float size = std::max({half.x, half.y, half.z});
    const WorldTransform& pose = colliders.poses[mesh];
    const Aabb box = expand(displaced(shapes.boxes[shape], vec3(colliders.poses[shape].position - pose.position)),
                            displacements + tolerance::contact_margin * size);
    std::uint32_t k = known_contact;
    if (k == null_index) {
        if (!overlaps(box, shapes.boxes[mesh])) return;
        k = contacts.find_or_add_mesh_contact(p, shape, shape_body, mesh, mesh_body);
        contacts.mesh_contacts[k].sensor = shapes.defs[shape].sensor || shapes.defs[mesh].sensor;
        contacts.mesh_contacts[k].by_features = by_features;
        if (by_features) contacts.mesh_contacts[k].clearance = -1.0f;  // its side is not known yet
    }
    if (by_features) {
        if (!shapes.defs[mesh].mesh->is_solid()) update_side(world, k);
        solid_tasks_.push_back({k, p});
        return;
    }
    MeshContact& mesh_contact = contacts.mesh_contacts[k];
    const bool stands =
        pose.position == mesh_contact.mesh_pose.position && pose.rotation == mesh_contact.mesh_pose.rotation;
    if (stands && contains(mesh_contact.seen_box, box)) {
        update_side(world, k);
        return;
    }
    const quat to_mesh = conjugate(pose.rotation);
    if (!stands && contains(mesh_contact.box, turned_box(to_mesh, box))) {
        update_side(world, k);
        return;
    }
    if (!(mesh_contact.box.lower.x <= mesh_contact.box.upper.x))
        mesh_contact.clearance = -1.0f;  // it is new, or its contacts were removed
    mesh_contact.mesh_pose = pose;
    const vec3 ahead = steps_ahead * (colliders.motions[shape].displacement - colliders.motions[mesh].displacement);
    mesh_contact.seen_box = expand(merge(box, displaced(box, ahead)), settings::mesh_contact_margin * size);
    mesh_contact.box = turned_box(to_mesh, mesh_contact.seen_box);

    found_triangles_.clear();
    shapes.defs[mesh].mesh->find(mesh_contact.box, found_triangles_);
    set_triangles(world, k, p, mesh_contact.box, size);
    update_side(world, k);
}

/// Gives contacts to the triangles in `found_triangles_`, those of the mesh that come near the shape in `box` (mesh
/// frame), or to facets in their place. Removes those of others. `size`: half the longest side of the shape's box, m.
void MeshContacts::set_triangles(const ContactWorld& world, std::uint32_t k, std::uint32_t p, const Aabb& box,
                                 float size) {
    ShapePool& shapes = world.shapes;
    const MeshContact& mesh_contact = world.contacts.mesh_contacts[k];
    const TriangleSet& set = *shapes.defs[mesh_contact.mesh].mesh;
    const float flatness = detail::facet_flatness(box, size);
    facets_.find(set, box, flatness, found_triangles_);

    known_triangles_.clear();
    known_facets_.clear();
    for_each_contact_of_mesh(world.contacts, k, [&](std::uint32_t c) {
        const std::uint32_t slot = triangle_slot(world, c);
        if (shapes.triangles[slot].is_facet()) {
            known_facets_.push_back({slot, c});
        } else {
            known_triangles_.push_back({shapes.triangles[slot].triangle, c});
        }
    });
    std::sort(known_triangles_.begin(), known_triangles_.end(),
              [](const KnownTriangle& x, const KnownTriangle& y) { return x.triangle < y.triangle; });
    auto known = known_triangles_.begin();
    for (const std::uint32_t t : found_triangles_) {
        for (; known != known_triangles_.end() && known->triangle < t; ++known) remove(world, k, known->contact);
        if (known != known_triangles_.end() && known->triangle == t) {
            ++known;
            continue;
        }
        add(world, k, p, shapes.add_triangle(mesh_contact.mesh, t, world.colliders));
    }
    for (; known != known_triangles_.end(); ++known) remove(world, k, known->contact);
    update_facets(world, k, p, box, flatness);
}

/// The same for facets. One in the same plane stays, and is moved if the shape has come near to its edges.
void MeshContacts::update_facets(const ContactWorld& world, std::uint32_t k, std::uint32_t p, const Aabb& box,
                                 float flatness) {
    ShapePool& shapes = world.shapes;
    const MeshContact& mesh_contact = world.contacts.mesh_contacts[k];
    const float room = std::sqrt(length_squared(half_extents(box)));
    for (const detail::Facet& facet : facets_.facets()) {
        const auto lies_there = [&](const KnownFacet& each) {
            const vec3& normal = world.colliders.surface_triangles[each.slot].normal;
            const float apart = glm::dot(facet.normal, shapes.triangles[each.slot].middle - facet.middle);
            return !each.kept && std::abs(apart) <= 2.0f * flatness &&
                   glm::dot(normal, facet.normal) >= settings::same_facet_normal;
        };
        const auto known = std::find_if(known_facets_.begin(), known_facets_.end(), lies_there);
        if (known == known_facets_.end()) {
            add(world, k, p, shapes.add_facet(mesh_contact.mesh, facet, 2.0f * room, world.colliders));
            continue;
        }
        known->kept = true;
        const TrianglePlace& place = shapes.triangles[known->slot];
        const float moved = std::sqrt(length_squared(facet.middle - place.middle));
        if (!(moved + room <= place.facet_reach))
            shapes.move_facet(known->slot, facet.middle, 2.0f * room, world.colliders);
    }
    for (const KnownFacet& each : known_facets_) {
        if (!each.kept) remove(world, k, each.contact);
    }
}

void MeshContacts::add(const ContactWorld& world, std::uint32_t k, std::uint32_t p, std::uint32_t slot) {
    const MeshContact& mesh_contact = world.contacts.mesh_contacts[k];
    const std::uint32_t c =
        world.add_contact(p, slot, mesh_contact.mesh_body, mesh_contact.shape, mesh_contact.shape_body);
    world.contacts.put_in_mesh_contact(c, k);
}

void MeshContacts::remove(const ContactWorld& world, std::uint32_t k, std::uint32_t c) {
    if (world.contacts.states[c].point_count != 0) {
        const vec3 normal = normal_from_mesh(world, c);
        lost_loads_.push_back({k, world.contacts.mesh_contacts[k].shape, normal, take_load(world, c)});
    }
    world.remove_contact(c);
}

namespace {

/// Where a line segment passes through a triangle, as a fraction of the segment, and whether from its front. 2 if it
/// does not. The triangle counts as wider by `rim` (m), so that no segment passes between two triangles.
struct Crossing {
    float part = 2.0f;
    bool inward = false;
};

Crossing crossing(const vec3 (&points)[3], const vec3& normal, const vec3& from, const vec3& to, float rim) {
    const float before = glm::dot(from - points[0], normal), after = glm::dot(to - points[0], normal);
    if ((before >= 0.0f) == (after >= 0.0f)) return {};
    const float part = before / (before - after);
    const vec3 at = from + part * (to - from);
    for (int i = 0; i < 3; ++i) {
        const vec3 edge = points[(i + 1) % 3] - points[i];
        const float beside = glm::dot(glm::cross(edge, at - points[i]), normal);
        if (beside < 0.0f && beside * beside > rim * rim * length_squared(edge)) return {};
    }
    return {part, before >= 0.0f};
}

/// Returns a lower bound of a point's distance from a triangle, m: from its plane and from the planes through its
/// edges. If the bound is above `most`, the result may be any number above `most`.
float distance_bound(const vec3 (&points)[3], const vec3& normal, const vec3& p, float most) {
    float far = std::abs(glm::dot(p - points[0], normal));
    for (int i = 0; i < 3 && far < most; ++i) {
        const vec3 out = glm::cross(points[(i + 1) % 3] - points[i], normal);
        far = std::max(far, glm::dot(out, p - points[i]) / std::sqrt(length_squared(out)));
    }
    return far;
}

}  // namespace

/// Finds the triangles that a shape's middle may pass through between MeshContact::side_point and `middle`: the ones of
/// its contacts if the motion stays in their box, otherwise by a search of the mesh. Returns the radius (m) around
/// `middle` within which these are all triangles of the mesh.
float MeshContacts::find_triangles_around(const ContactWorld& world, std::uint32_t k, const vec3& middle, float probe) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    const MeshContact& mesh_contact = contacts.mesh_contacts[k];
    triangles_around_.clear();
    if (contains(mesh_contact.box,
                 Aabb{glm::min(middle, mesh_contact.side_point), glm::max(middle, mesh_contact.side_point)})) {
        for_each_contact_of_mesh(contacts, k, [&](std::uint32_t c) {
            const std::uint32_t slot = triangle_slot(world, c);
            const vec3(&points)[3] = colliders.shapes[slot].points;
            const vec3& at = shapes.triangles[slot].middle;
            triangles_around_.push_back(
                {{points[0] + at, points[1] + at, points[2] + at}, colliders.surface_triangles[slot].normal});
        });
        const vec3 room = glm::min(middle - mesh_contact.box.lower, mesh_contact.box.upper - middle);
        return std::min({room.x, room.y, room.z});
    }
    const TriangleSet& set = *shapes.defs[mesh_contact.mesh].mesh;
    found_triangles_.clear();
    set.find(expand(Aabb{glm::min(middle, mesh_contact.side_point), glm::max(middle, mesh_contact.side_point)}, probe),
             found_triangles_);
    for (const std::uint32_t t : found_triangles_) {
        const SetTriangle triangle = set.triangle(t);
        triangles_around_.push_back({{triangle.points[0], triangle.points[1], triangle.points[2]}, triangle.normal});
    }
    return probe;
}

bool MeshContacts::update_side(const ContactWorld& world, std::uint32_t k) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    MeshContact& mesh_contact = contacts.mesh_contacts[k];
    if (mesh_contact.sensor) return false;
    const ShapeDef& shape = shapes.defs[mesh_contact.shape];
    const vec3 middle_of_shape(shape.mesh ? inner_point(*shape.mesh) : vec3(detail::inside_of(shape.shape)));
    const vec3 middle = inverse_transform_point(colliders.poses[mesh_contact.mesh],
                                                transform_point(colliders.poses[mesh_contact.shape], middle_of_shape));
    const std::uint32_t stamp = colliders.versions[mesh_contact.shape] + colliders.versions[mesh_contact.mesh];
    const bool placed = mesh_contact.clearance >= 0.0f && stamp == mesh_contact.stamp;
    const float distance2 = length_squared(middle - mesh_contact.side_point);
    if (placed && distance2 < mesh_contact.clearance * mesh_contact.clearance) return false;
    const vec3 half = half_extents(shapes.locals[mesh_contact.shape].box);
    const float size = std::max({half.x, half.y, half.z});
    if (!placed) mesh_contact.side_point = middle;  // it is new, or the user has moved the shape or the mesh
    mesh_contact.stamp = stamp;
    const float around = find_triangles_around(world, k, middle, settings::side_probe * size);
    const float gap = settings::side_gap * size;
    const bool two_sided = shapes.defs[mesh_contact.mesh].mesh->is_two_sided();
    vec3 to = middle;
    for (int round = 0; round < settings::side_rounds; ++round) {
        // A path that goes in and comes out again ends on the side where it began: the path of a fast body over a
        // ridge.
        Crossing first, last{.part = -1.0f};
        vec3 plane(0.0f), n(0.0f);
        for (const NearTriangle& triangle : triangles_around_) {
            const Crossing c = crossing(triangle.points, triangle.normal, mesh_contact.side_point, to, gap);
            if (c.part > 1.0f) continue;
            if (c.part < first.part) first = c;
            if (c.part < last.part) continue;
            last = c;
            plane = triangle.points[0];
            n = c.inward ? triangle.normal : -triangle.normal;
        }
        if (last.part < 0.0f || first.inward != last.inward || !(last.inward || two_sided)) {
            mesh_contact.side_point = to;
            break;
        }
        to += (gap - glm::dot(to - plane, n)) * n;
    }
    // A shape that is so far beyond the surface that no contact can push it back belongs where it is.
    if (length_squared(middle - mesh_contact.side_point) > size * size) mesh_contact.side_point = middle;
    mesh_contact.pressed_through = mesh_contact.side_point != middle;
    mesh_contact.clearance = mesh_contact.pressed_through ? 0.0f : around;
    if (!mesh_contact.pressed_through) {
        for (const NearTriangle& triangle : triangles_around_)
            mesh_contact.clearance = std::min(mesh_contact.clearance, distance_bound(triangle.points, triangle.normal,
                                                                                     middle, mesh_contact.clearance));
    }
    if (mesh_contact.by_features || (!mesh_contact.pressed_through && !mesh_contact.marked)) return true;
    mesh_contact.marked = mesh_contact.pressed_through;
    any_pressed_through_ = any_pressed_through_ || mesh_contact.pressed_through;
    for_each_contact_of_mesh(contacts, k, [&](std::uint32_t c) {
        PairRecord& record = contacts.records[c];
        const std::uint32_t slot = shapes.is_triangle(record.a) ? record.a : record.b;
        SurfaceTriangle& surface = colliders.surface_triangles[slot];
        surface.pressed_through = mesh_contact.pressed_through;
        surface.side_point = mesh_contact.side_point - shapes.triangles[slot].middle;
        if (record.state == PairState::separated) record.distance = -std::numeric_limits<float>::infinity();
    });
    return true;
}

}  // namespace talus
