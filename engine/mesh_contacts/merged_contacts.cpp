#include "engine/mesh_contacts/merged_contacts.h"

#include "engine/mesh_contacts/choose_points.h"
#include "engine/settings.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

void give_load(const ContactWorld& world, std::uint32_t c, const ContactLoad& load) {
    ContactState& state = world.contacts.states[c];
    if (state.substep == 0.0f) state.substep = load.substep;
    carry_over(state, world.contacts.manifold(c), load.normal);
    state.friction_impulse += triangle_is_a(world, c) ? load.friction : -load.friction;
}

}  // namespace

/// Lists the touching contacts that were not merged in this step yet, each mesh contact's ones by number.
void MergedContacts::list_by_mesh_contact(const ContactWorld& world, std::span<const std::uint32_t> touching) {
    ContactTable& contacts = world.contacts;
    const auto mesh_contact_of = [&](std::uint32_t c) {
        const ContactState& state = contacts.states[c];
        const bool is_one = state.mesh_contact != null_index && !state.sensor && !state.merged &&
                            !contacts.mesh_contacts[state.mesh_contact].by_features;
        return is_one ? state.mesh_contact : null_index;
    };
    ends_.assign(contacts.mesh_contacts.size(), 0);
    for (const std::uint32_t c : touching) {
        if (const std::uint32_t k = mesh_contact_of(c); k != null_index) ++ends_[k];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends_) {  // for now where each begins
        const std::uint32_t count = end;
        end = sum;
        sum += count;
    }
    triangle_contacts_.assign(sum, {});
    for (const std::uint32_t c : touching) {
        const std::uint32_t k = mesh_contact_of(c);
        if (k == null_index) continue;
        std::uint32_t at = ends_[k]++;
        for (; at > 0 && triangle_contacts_[at - 1].mesh_contact == k && triangle_contacts_[at - 1].contact > c; --at)
            triangle_contacts_[at] = triangle_contacts_[at - 1];
        triangle_contacts_[at] = {k, c};
    }
}

/// Gives a load to a new contact of a mesh contact that has taken the place of the one that bore it. Returns false if
/// there is none.
bool MergedContacts::pass_on_to(const ContactWorld& world, std::uint32_t mesh_contact, const LostLoad& lost) {
    for (const TriangleContact& each : triangle_contacts_of(mesh_contact)) {
        const bool is_new = world.contacts.states[each.contact].point_count == 0;
        if (!is_new || glm::dot(lost.normal, normal_from_mesh(world, each.contact)) < settings::passed_on_normal)
            continue;
        give_load(world, each.contact, lost.load);
        return true;
    }
    return false;
}

/// The same for a contact of the same shape and mesh, or else of the same shape and another mesh: the next tile.
void MergedContacts::pass_on(const ContactWorld& world, const LostLoad& lost) {
    const ContactTable& contacts = world.contacts;
    const MeshContact& mesh_contact = contacts.mesh_contacts[lost.mesh_contact];
    if (mesh_contact.shape != lost.shape || pass_on_to(world, lost.mesh_contact, lost)) return;
    bool passed = false;
    for_each_pair(contacts, world.bodies, mesh_contact.shape_body, [&](std::uint32_t p) {
        for_each_mesh_contact(contacts, p, [&](std::uint32_t k) {
            const bool is_other = k != lost.mesh_contact && contacts.mesh_contacts[k].shape == lost.shape;
            if (!passed && is_other) passed = pass_on_to(world, k, lost);
        });
    });
}

void MergedContacts::merge(const ContactWorld& world, std::vector<std::uint32_t>& touching,
                           std::span<const std::uint32_t> last_touching, std::span<const LostLoad> lost) {
    ContactTable& contacts = world.contacts;
    if (contacts.mesh_contacts.empty()) return;
    list_by_mesh_contact(world, touching);
    if (triangle_contacts_.empty()) return;
    for (const LostLoad& each : lost) pass_on(world, each);
    for (const std::uint32_t c : last_touching) {
        const std::uint32_t k = contacts.states[c].mesh_contact;
        if (k == null_index || contacts.states[c].point_count == 0 || contacts.has_manifold(c) ||
            contacts.mesh_contacts[k].by_features)
            continue;
        const ContactLoad load = take_load(world, c);
        pass_on(world, {k, contacts.mesh_contacts[k].shape, normal_from_mesh(world, c), load});
    }
    for (std::uint32_t k = 0; k < ends_.size(); ++k) {
        const auto list = triangle_contacts_of(k);
        if (list.size() > 1) merge_mesh_contact(world, list);
    }
    std::erase_if(touching, [&](std::uint32_t c) { return !contacts.has_manifold(c); });
}

void MergedContacts::merge_mesh_contact(const ContactWorld& world, std::span<TriangleContact> list) {
    for (TriangleContact& each : list) {
        const PairRecord& record = world.contacts.records[each.contact];
        each.normal = normal_from_mesh(world, each.contact);
        each.material = world.shapes.triangles[triangle_is_a(world, each.contact) ? record.a : record.b].material;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].mesh_contact == null_index) continue;  // already merged
        facing_alike_.clear();
        for (std::size_t j = i; j < list.size(); ++j) {
            if (list[j].mesh_contact == null_index || list[j].material != list[i].material ||
                glm::dot(list[j].normal, list[i].normal) < settings::merged_normal)
                continue;
            facing_alike_.push_back(list[j].contact);
            list[j].mesh_contact = null_index;
        }
        if (facing_alike_.size() > 1) merge_facing_alike(world, list[i].normal);
    }
}

/// Merges the contacts in `facing_alike_` into the one with the largest load.
void MergedContacts::merge_facing_alike(const ContactWorld& world, const vec3& normal) {
    ShapePool& shapes = world.shapes;
    Colliders& colliders = world.colliders;
    ContactTable& contacts = world.contacts;
    std::uint32_t main_contact = facing_alike_[0];
    float most = -1.0f;
    bool on_face = false;
    triangle_points_.clear();
    for (const std::uint32_t c : facing_alike_) {
        const ContactState& state = contacts.states[c];
        const Manifold& manifold = contacts.manifold(c);
        const bool is_a = triangle_is_a(world, c);
        const PairRecord& record = contacts.records[c];
        const TrianglePlace& place = shapes.triangles[is_a ? record.a : record.b];
        float load = 0.0f;
        for (int i = 0; i < state.point_count; ++i) load += state.impulses[i];
        if (load > most) most = load, main_contact = c;
        const std::uint32_t slot = triangle_slot(world, c);
        const vec3 across = rotate(colliders.poses[slot].rotation, colliders.surface_triangles[slot].normal);
        on_face = on_face || std::abs(glm::dot(normal, across)) >= tolerance::surface_face;
        for (int i = 0; i < manifold.count; ++i) {
            const ManifoldPoint& p = manifold.points[i];
            const std::uint32_t id = (p.id + 1) * 2654435761u ^ place.triangle * 40503u;
            triangle_points_.push_back(
                {(is_a ? p.on_a : p.on_b) + place.middle, is_a ? p.on_b : p.on_a, p.separation, id});
        }
    }
    const bool is_a = triangle_is_a(world, main_contact);
    const PairRecord& record = contacts.records[main_contact];
    const TrianglePlace& place = shapes.triangles[is_a ? record.a : record.b];
    const vec3 along = inverse_rotate(colliders.poses[place.mesh].rotation, normal);
    std::size_t chosen[max_manifold_points];
    const float slop = contacts.states[main_contact].slop;
    const float motion = colliders.motions[record.a].max_displacement + colliders.motions[record.b].max_displacement;
    const float reach = slop + std::max(motion - settings::slow_approach * slop, 0.0f);
    const int count =
        choose_lasting_points(triangle_points_, along, record.size, reach, contacts.states[main_contact], chosen);
    ContactLoad given;
    for (const std::uint32_t c : facing_alike_) {
        contacts.states[c].merged = true;
        if (c == main_contact) continue;
        const ContactLoad load = take_load(world, c);
        given.normal += load.normal;
        given.friction += load.friction;
        given.substep = std::max(given.substep, load.substep);
        contacts.replace_manifold(c).count = 0;
    }
    Manifold& manifold = contacts.replace_manifold(main_contact);
    manifold.count = count;
    // The main contact may be one along the edge of that face.
    if (on_face) manifold.face_owner = is_a ? FaceOwner::a : FaceOwner::b;
    for (int i = 0; i < count; ++i) {
        const TrianglePoint& p = triangle_points_[chosen[i]];
        const vec3 on_triangle = p.on_mesh - place.middle;
        manifold.points[i] = {is_a ? on_triangle : p.on_other, is_a ? p.on_other : on_triangle, p.separation, p.id};
    }
    give_load(world, main_contact, given);
}

}  // namespace talus
