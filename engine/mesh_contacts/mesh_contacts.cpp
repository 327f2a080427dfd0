#include "engine/mesh_contacts/mesh_contacts.h"

#include "engine/settings.h"
#include "narrowphase/support/minkowski.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

void MeshContacts::update(const ContactWorld& world, std::uint32_t p, std::uint32_t shape, std::uint32_t shape_body,
                          std::uint32_t mesh, std::uint32_t mesh_body) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    if (shapes.defs[shape].mesh || !world.view().may_touch(shape, mesh)) return;
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
    if (stands && contains(patch.world_box, box)) {
        follow_place(world, p, k);
        return;
    }
    const Frame to_mesh = to_frame(relative(pose, Transform{}));
    if (!stands && contains(patch.box, transform_box(to_mesh, box))) {
        follow_place(world, p, k);
        return;
    }
    if (!(patch.box.lower.x <= patch.box.upper.x)) patch.clearance = -1.0f;  // new, or as good as that
    patch.mesh_pose = pose;
    patch.world_box = expand(box, settings::mesh_patch_margin * size);
    patch.box = transform_box(to_mesh, patch.world_box);

    const TriangleSet& set = *shapes.defs[mesh].mesh;
    found_triangles_.clear();
    set.find(patch.box, found_triangles_);
    // Of a slope many boxes are near whose triangles are not.
    const vec3 middle = center(patch.box), room = half_extents(patch.box);
    std::erase_if(found_triangles_, [&](std::uint32_t t) {
        const SetTriangle triangle = set.triangle(t);
        const vec3& n = triangle.normal;
        return std::abs(glm::dot(middle - triangle.points[0], n)) > glm::dot(glm::abs(n), room);
    });
    known_triangles_.clear();
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].patch != k) return;
        const PairRecord& record = contacts.records[c];
        const std::uint32_t slot = shapes.is_triangle(record.a) ? record.a : record.b;
        known_triangles_.push_back({shapes.triangles[slot].triangle, c});
    });
    std::sort(known_triangles_.begin(), known_triangles_.end(),
              [](const KnownTriangle& x, const KnownTriangle& y) { return x.triangle < y.triangle; });
    auto known = known_triangles_.begin();
    for (const std::uint32_t t : found_triangles_) {
        for (; known != known_triangles_.end() && known->triangle < t; ++known) world.remove_contact(known->contact);
        if (known != known_triangles_.end() && known->triangle == t) {
            ++known;
            continue;
        }
        const std::uint32_t slot = shapes.add_triangle(mesh, t, colliders);
        const std::uint32_t c = world.add_contact(p, slot, mesh_body, shape, shape_body);
        contacts.states[c].patch = k;
    }
    for (; known != known_triangles_.end(); ++known) world.remove_contact(known->contact);
    follow_place(world, p, k);
}

namespace {

/// Where a way gets through a triangle, as a part of the way, and whether from its front; else 2. Edges are as wide as
/// `rim` (m): what goes through just between two triangles has gone through.
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

/// A lower bound of a point's distance from a triangle, m: by its plane and those across its edges. Any number above
/// `most` where it is more than that.
float distance_bound(const vec3 (&points)[3], const vec3& normal, const vec3& p, float most) {
    float far = std::abs(glm::dot(p - points[0], normal));
    for (int i = 0; i < 3 && far < most; ++i) {
        const vec3 out = glm::cross(points[(i + 1) % 3] - points[i], normal);
        far = std::max(far, glm::dot(out, p - points[i]) / std::sqrt(length_squared(out)));
    }
    return far;
}

}  // namespace

/// The triangles that a shape's middle may meet on its way to `middle`: those of its contacts, while it stays in their
/// box, or else those of the mesh. Gives how far around the middle these are all there are, m.
float MeshContacts::find_triangles_around(const ContactWorld& world, std::uint32_t p, std::uint32_t k,
                                          const vec3& middle, float probe) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    const MeshPatch& patch = contacts.patches[k];
    triangles_around_.clear();
    if (contains(patch.box, Aabb{glm::min(middle, patch.place), glm::max(middle, patch.place)})) {
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            if (contacts.states[c].patch != k) return;
            const PairRecord& record = contacts.records[c];
            const std::uint32_t slot = shapes.is_triangle(record.a) ? record.a : record.b;
            const vec3(&points)[3] = colliders.shapes[slot].points;
            const vec3& at = shapes.triangles[slot].middle;
            triangles_around_.push_back(
                {{points[0] + at, points[1] + at, points[2] + at}, colliders.surface_triangles[slot].normal});
        });
        const vec3 room = glm::min(middle - patch.box.lower, patch.box.upper - middle);
        return std::min({room.x, room.y, room.z});
    }
    const TriangleSet& set = *shapes.defs[patch.mesh].mesh;
    found_triangles_.clear();
    set.find(expand(Aabb{glm::min(middle, patch.place), glm::max(middle, patch.place)}, probe), found_triangles_);
    for (const std::uint32_t t : found_triangles_) {
        const SetTriangle triangle = set.triangle(t);
        triangles_around_.push_back({{triangle.points[0], triangle.points[1], triangle.points[2]}, triangle.normal});
    }
    return probe;
}

/// Keeps account of the side of a mesh on which a shape belongs, and tells the triangles of its contacts where that is
/// not the side of its middle. False where nothing can have changed.
///
/// Heavy bodies can press a thin one in by more than half for a moment. Each triangle that it comes to from then on
/// would take it for one that comes from behind: a one-sided one would let it pass, a two-sided one push it out. What
/// it touched before says too little: it slides on. So its side is known from its way. A middle that gets through the
/// surface leaves its place in front of it, as near as the surface lets it follow, until it has come back or gone
/// round.
bool MeshContacts::follow_place(const ContactWorld& world, std::uint32_t p, std::uint32_t k) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    MeshPatch& patch = contacts.patches[k];
    if (patch.sensor) return false;
    const vec3 middle_of_shape(detail::inside_of(shapes.defs[patch.shape].shape));
    const vec3 middle = inverse_transform_point(colliders.poses[patch.mesh],
                                                transform_point(colliders.poses[patch.shape], middle_of_shape));
    const std::uint32_t stamp = colliders.versions[patch.shape] + colliders.versions[patch.mesh];
    const bool placed = patch.clearance >= 0.0f && stamp == patch.stamp;
    const float way2 = length_squared(middle - patch.place);
    if (placed && way2 < patch.clearance * patch.clearance) return false;
    const vec3 half = half_extents(shapes.local_boxes[patch.shape]);
    const float size = std::max({half.x, half.y, half.z});
    if (!placed) patch.place = middle;  // it is new, or was put there by hand
    patch.stamp = stamp;
    const float around = find_triangles_around(world, p, k, middle, settings::place_probe * size);
    const float gap = settings::place_gap * size;
    const bool two_sided = shapes.defs[patch.mesh].mesh->is_two_sided();
    vec3 to = middle;
    for (int round = 0; round < settings::place_rounds; ++round) {
        // What goes in and comes out again is on the side where it was: a fast body's way bends over a ridge.
        Crossing first, last{.part = -1.0f};
        vec3 plane(0.0f), n(0.0f);
        for (const NearTriangle& triangle : triangles_around_) {
            const Crossing c = crossing(triangle.points, triangle.normal, patch.place, to, gap);
            if (c.part > 1.0f) continue;
            if (c.part < first.part) first = c;
            if (c.part < last.part) continue;
            last = c;
            plane = triangle.points[0];
            n = c.inward ? triangle.normal : -triangle.normal;
        }
        if (last.part < 0.0f || first.inward != last.inward || !(last.inward || two_sided)) {
            patch.place = to;
            break;
        }
        to += (gap - glm::dot(to - plane, n)) * n;
    }
    // What has got so far that nothing can hold it any more belongs where it is.
    if (length_squared(middle - patch.place) > size * size) patch.place = middle;
    patch.through = patch.place != middle;
    patch.clearance = patch.through ? 0.0f : around;
    if (!patch.through) {
        for (const NearTriangle& triangle : triangles_around_)
            patch.clearance =
                std::min(patch.clearance, distance_bound(triangle.points, triangle.normal, middle, patch.clearance));
    }
    if (!patch.through && !patch.marked) return true;
    patch.marked = patch.through;
    any_through_ = any_through_ || patch.through;
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].patch != k) return;
        PairRecord& record = contacts.records[c];
        const std::uint32_t slot = shapes.is_triangle(record.a) ? record.a : record.b;
        SurfaceTriangle& surface = colliders.surface_triangles[slot];
        surface.through = patch.through;
        surface.place = patch.place - shapes.triangles[slot].middle;
        if (record.state == PairState::separated) record.distance = -std::numeric_limits<float>::infinity();
    });
    return true;
}

}  // namespace talus
