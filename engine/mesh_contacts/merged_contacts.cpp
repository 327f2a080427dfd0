#include "engine/mesh_contacts/merged_contacts.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

/// The candidate points that were points of the merged contact in the last step and had a normal impulse then.
struct LoadedPoints {
    std::size_t at[max_manifold_points];
    int count = 0;
    bool has(std::size_t i) const { return std::find(at, at + count, i) != at + count; }
};

/// Chooses up to four points that span about the same area as all points: the deepest one, the one farthest from it,
/// and the two that are farthest to either side of the line through these two. Each is chosen among the points that may
/// touch in this step; other points are considered only if none of those is far enough. This matters on bumpy ground:
/// if a point that is only close to the ground replaced the one that carries the load, a box would sink there until
/// that point is the deepest, and would never stop rocking. If `weigh` is set, distances of loaded points count
/// settings::kept_point_weight times.
///
/// `normal` is in the mesh frame. `reach` (m) is how far the two shapes may approach each other in the step, plus the
/// slop. Writes indices to `chosen`, which has room for four, and returns their number. Reorders `points`: the ones
/// that may touch come first.
template <bool weigh, class Point>
int choose_points(std::vector<Point>& points, const vec3& normal, float size, float reach, const LoadedPoints& loaded,
                  std::size_t* chosen) {
    const auto place = [&](std::size_t i) { return points[i].on_mesh; };
    std::size_t deepest = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].separation < points[deepest].separation) deepest = i;
    }
    const float touching = std::max(points[deepest].separation, 0.0f) + reach;
    std::size_t touching_count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].separation > touching) continue;
        if (i == deepest) deepest = touching_count;
        if (i != touching_count) std::swap(points[i], points[touching_count]);
        ++touching_count;
    }
    chosen[0] = deepest;
    const auto best = [&](const auto& score, float least) {
        const std::size_t none = points.size();
        std::size_t found = none;
        float most = least;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (i == touching_count && found != none) break;
            float s = score(i);
            if constexpr (weigh) s *= loaded.has(i) ? settings::kept_point_weight : 1.0f;
            if (s > most) most = s, found = i;
        }
        return found;
    };
    const float least = settings::merged_point_distance * size;
    const std::size_t far =
        best([&](std::size_t i) { return length_squared(place(i) - place(deepest)); }, least * least);
    if (far == points.size()) return 1;
    chosen[1] = far;
    int count = 2;
    const vec3 across = glm::cross(normal, place(far) - place(deepest));
    const float room = least * std::sqrt(length_squared(across));
    for (const float side : {1.0f, -1.0f}) {
        const std::size_t found =
            best([&](std::size_t i) { return side * glm::dot(place(i) - place(deepest), across); }, room);
        if (found != points.size()) chosen[count++] = found;
    }
    return count;
}

/// Returns the area (m^2) that the chosen points span in the plane, in the order of choose_points; for two points,
/// their distance (m).
template <class Point>
float spanned(const std::vector<Point>& points, const vec3& normal, const std::size_t* chosen, int count) {
    if (count < 2) return 0.0f;
    const auto place = [&](int i) { return points[chosen[i]].on_mesh; };
    const vec3 line = place(1) - place(0);
    if (count == 2) return std::sqrt(length_squared(line));
    return 0.5f * std::abs(glm::dot(normal, glm::cross(line, place(2) - place(count == 4 ? 3 : 0))));
}

/// The same as choose_points, but prefers the points of the last step as long as they span nearly as large an area: all
/// of them, or else the loaded ones. A box on a plane of triangles has 100 points whose depths differ only by rounding.
/// If the deepest were chosen in each step, the four points would change every few steps, the centre of friction would
/// move each time, and the box would creep down a slope.
template <class Point>
int choose_lasting_points(std::vector<Point>& points, const vec3& normal, float size, float reach,
                          const ContactState& last, std::size_t* chosen) {
    const int count = choose_points<false>(points, normal, size, reach, {}, chosen);
    LoadedPoints loaded;
    std::size_t kept[max_manifold_points];
    int kept_count = 0;
    float deepest = std::numeric_limits<float>::max();
    for (int k = 0; k < last.point_count; ++k) {
        const auto same = [&](const Point& p) { return p.id == last.ids[k]; };
        const auto at = std::find_if(points.begin(), points.end(), same);
        if (at == points.end()) continue;
        kept[kept_count++] = static_cast<std::size_t>(at - points.begin());
        deepest = std::min(deepest, at->separation);
        if (last.impulses[k] > 0.0f) loaded.at[loaded.count++] = kept[kept_count - 1];
    }
    const auto replace = [&](const std::size_t* others, int other_count) {
        if (other_count != count ||
            spanned(points, normal, others, count) < settings::kept_point_span * spanned(points, normal, chosen, count))
            return false;
        std::copy(others, others + count, chosen);
        return true;
    };
    const bool deep_enough = deepest <= points[chosen[0]].separation + settings::kept_point_depth * last.slop;
    if (deep_enough && replace(kept, kept_count)) return count;
    if (loaded.count == 0) return count;
    const int favoured = choose_points<true>(points, normal, size, reach, loaded, kept);
    replace(kept, favoured);
    return count;
}

/// Distributes a contact's normal impulses over its new points: its own ones, and `given` (N s) from other contacts.
/// Points that existed in the last step keep their impulse. The rest is shared equally by all points that touch; an
/// impulse at a point that does not touch would push the shapes apart without cause.
void carry_over(ContactState& state, const Manifold& manifold, float given) {
    float had[max_manifold_points] = {}, rest = given;
    for (int k = 0; k < state.point_count; ++k) rest += state.impulses[k];
    for (int i = 0; i < manifold.count; ++i) {
        for (int k = 0; k < state.point_count; ++k) {
            if (state.ids[k] == manifold.points[i].id) had[i] = state.impulses[k];
        }
        rest -= had[i];
    }
    int bearing = 0;
    for (int i = 0; i < manifold.count; ++i) bearing += manifold.points[i].separation <= 0.0f ? 1 : 0;
    const float share = std::max(rest, 0.0f) / static_cast<float>(std::max(bearing, 1));
    for (int i = 0; i < manifold.count; ++i) {
        state.ids[i] = manifold.points[i].id;
        state.impulses[i] = had[i] + (manifold.points[i].separation <= 0.0f ? share : 0.0f);
    }
    state.point_count = manifold.count;
}

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
        return state.sensor || state.merged ? null_index : state.mesh_contact;
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
        if (k == null_index || contacts.states[c].point_count == 0 || contacts.has_manifold(c)) continue;
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
    for (int i = 0; i < count; ++i) {
        const TrianglePoint& p = triangle_points_[chosen[i]];
        const vec3 on_triangle = p.on_mesh - place.middle;
        manifold.points[i] = {is_a ? on_triangle : p.on_other, is_a ? p.on_other : on_triangle, p.separation, p.id};
    }
    give_load(world, main_contact, given);
}

}  // namespace talus
