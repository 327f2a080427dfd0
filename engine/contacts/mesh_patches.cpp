/// Contacts of shapes with meshes: which triangles have one, and what the solver makes of them.
///
/// A step asks a mesh for the triangles in a box only when the shape has left the box of the last time, which is
/// larger than the shape. Contacts of triangles that are in both stay, with all that their caches know.

#include "engine/settings.h"
#include "engine/world/world_state.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace talus {

void World::State::update_patch(std::uint32_t p, std::uint32_t shape, std::uint32_t shape_body, std::uint32_t mesh,
                                std::uint32_t mesh_body) {
    if (shapes.defs[shape].mesh || !may_touch(shape, mesh)) return;
    const float ways = colliders.motions[shape].max_displacement + colliders.motions[mesh].max_displacement;
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
        follow_place(p, k);
        return;
    }
    const Frame to_mesh = to_frame(relative(pose, Transform{}));
    if (!stands && contains(patch.box, transform_box(to_mesh, box))) {
        follow_place(p, k);
        return;
    }
    if (!(patch.box.lower.x <= patch.box.upper.x)) patch.clearance = -1.0f;  // new, or as good as that
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
    follow_place(p, k);
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
float World::State::find_triangles_around(std::uint32_t p, std::uint32_t k, const vec3& middle, float probe) {
    const MeshPatch& patch = contacts.patches[k];
    triangles_around.clear();
    if (contains(patch.box, Aabb{glm::min(middle, patch.place), glm::max(middle, patch.place)})) {
        for_each_contact(contacts, p, [&](std::uint32_t c) {
            if (contacts.states[c].patch != k) return;
            const PairRecord& record = contacts.records[c];
            const std::uint32_t slot = shapes.is_triangle(record.a) ? record.a : record.b;
            const vec3(&points)[3] = colliders.shapes[slot].points;
            const vec3& at = shapes.triangles[slot].middle;
            triangles_around.push_back(
                {{points[0] + at, points[1] + at, points[2] + at}, colliders.surface_triangles[slot].normal});
        });
        const vec3 room = glm::min(middle - patch.box.lower, patch.box.upper - middle);
        return std::min({room.x, room.y, room.z});
    }
    const TriangleSet& set = *shapes.defs[patch.mesh].mesh;
    found_triangles.clear();
    set.find(expand(Aabb{glm::min(middle, patch.place), glm::max(middle, patch.place)}, probe), found_triangles);
    for (const std::uint32_t t : found_triangles) {
        const SetTriangle triangle = set.triangle(t);
        triangles_around.push_back({{triangle.points[0], triangle.points[1], triangle.points[2]}, triangle.normal});
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
bool World::State::follow_place(std::uint32_t p, std::uint32_t k) {
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
    const float around = find_triangles_around(p, k, middle, settings::place_probe * size);
    const float gap = settings::place_gap * size;
    const bool two_sided = shapes.defs[patch.mesh].mesh->is_two_sided();
    vec3 to = middle;
    for (int round = 0; round < settings::place_rounds; ++round) {
        // What goes in and comes out again is on the side where it was: a fast body's way bends over a ridge.
        Crossing first, last{.part = -1.0f};
        vec3 plane(0.0f), n(0.0f);
        for (const NearTriangle& triangle : triangles_around) {
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
        for (const NearTriangle& triangle : triangles_around)
            patch.clearance =
                std::min(patch.clearance, distance_bound(triangle.points, triangle.normal, middle, patch.clearance));
    }
    if (!patch.through && !patch.marked) return true;
    patch.marked = patch.through;
    any_through = any_through || patch.through;
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

namespace {

/// Points of a contact of many triangles that were points of the last step, too, and bore a load in it.
struct LoadedPoints {
    std::size_t at[max_manifold_points];
    int count = 0;
    bool has(std::size_t i) const { return std::find(at, at + count, i) != at + count; }
};

/// Up to four points that span what all span: the deepest, the one farthest from it, and those farthest to either side
/// of the line through the two; each of them from those that may touch in this step, if any may, or else from all. On
/// bumpy ground what bears is nearer than points that are only close to the ground: with those in its place, a box
/// would sink there until that point is the deepest, and rock on for ever. Distances of points that bore a load count
/// `settings::kept_point_weight` times. `normal` in the mesh frame; `reach` (m) is how far the two may approach each
/// other in the step, with the slop. Gives how many; `chosen` has room for four. Puts the points that may touch first.
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

/// How much of the plane (m^2) chosen points span, in the order of choose_points; of two points their distance (m).
template <class Point>
float spanned(const std::vector<Point>& points, const vec3& normal, const std::size_t* chosen, int count) {
    if (count < 2) return 0.0f;
    const auto place = [&](int i) { return points[chosen[i]].on_mesh; };
    const vec3 line = place(1) - place(0);
    if (count == 2) return std::sqrt(length_squared(line));
    return 0.5f * std::abs(glm::dot(normal, glm::cross(line, place(2) - place(count == 4 ? 3 : 0))));
}

/// The same, with the points of the last step in place of those while they serve nearly as well, all of them or those
/// that bore a load. A box on a plane of triangles has a hundred points that are equally deep but for rounding. Were
/// the deepest chosen in each step, the four would change every few steps, friction would move to another centre each
/// time, and the box would creep down a slope.
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

/// Takes the load that a contact has from its last points, and what others give it, over to its new points: to those
/// that were there what they had, the rest to all that touch alike. (A load on a point that does not would be a push
/// out of nothing.)
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

}  // namespace

bool World::State::triangle_is_a(std::uint32_t c) const { return shapes.is_triangle(contacts.records[c].a); }

/// World, as the contact's manifold has it or had it.
vec3 World::State::normal_from_mesh(std::uint32_t c) const {
    const vec3 n = rotate(colliders.poses[contacts.records[c].a].rotation, contacts.caches[c].manifold.normal);
    return triangle_is_a(c) ? n : -n;
}

/// What a contact was loaded with in the last step, friction on the shape; it has nothing any more.
World::State::PatchLoad World::State::take_load(std::uint32_t c) {
    ContactState& state = contacts.states[c];
    PatchLoad load;
    load.substep = state.substep;
    for (int i = 0; i < state.point_count; ++i) load.normal += state.impulses[i];
    load.friction = triangle_is_a(c) ? state.friction_impulse : -state.friction_impulse;
    state.point_count = 0;
    state.substep = 0.0f;
    state.friction_impulse = vec3(0.0f);
    state.twist_impulse = 0.0f;
    return load;
}

void World::State::give_load(std::uint32_t c, const PatchLoad& load) {
    ContactState& state = contacts.states[c];
    if (state.substep == 0.0f) state.substep = load.substep;
    carry_over(state, contacts.caches[c].manifold, load.normal);
    state.friction_impulse += triangle_is_a(c) ? load.friction : -load.friction;
}

/// Contacts of one shape with triangles that face the same way become one: the solver holds a box on a floor of a
/// hundred triangles by four points, as on a slab, and a tower on it stands as firm. The others stand aside in this
/// step. What slides or rolls on to the next triangle is carried there as it was on the last.
void World::State::merge_patches() {
    if (contacts.patches.empty()) return;
    patch_contacts.clear();
    for (const std::uint32_t c : touching) {
        const ContactState& state = contacts.states[c];
        if (state.patch != null_index && !state.sensor && !state.merged) patch_contacts.push_back({state.patch, c});
    }
    if (patch_contacts.empty()) return;
    std::sort(patch_contacts.begin(), patch_contacts.end(), [](const PatchContact& x, const PatchContact& y) {
        return x.patch != y.patch ? x.patch < y.patch : x.contact < y.contact;
    });
    for (const std::uint32_t c : last_touching) {
        const std::uint32_t k = contacts.states[c].patch;
        if (k == null_index || contacts.states[c].point_count == 0 || has_manifold(c)) continue;
        const PatchLoad load = take_load(c);
        const vec3 normal = normal_from_mesh(c);
        // To one of the same patch that is new, if any: it has come in its place.
        const auto first = std::lower_bound(patch_contacts.begin(), patch_contacts.end(), k,
                                            [](const PatchContact& x, std::uint32_t patch) { return x.patch < patch; });
        for (auto at = first; at != patch_contacts.end() && at->patch == k; ++at) {
            const bool is_new = contacts.states[at->contact].point_count == 0;
            if (!is_new || glm::dot(normal, normal_from_mesh(at->contact)) < settings::passed_on_normal) continue;
            give_load(at->contact, load);
            break;
        }
    }
    for (std::size_t first = 0; first < patch_contacts.size();) {
        std::size_t last = first + 1;
        while (last < patch_contacts.size() && patch_contacts[last].patch == patch_contacts[first].patch) ++last;
        if (last - first > 1) merge_patch(std::span(patch_contacts).subspan(first, last - first));
        first = last;
    }
    std::erase_if(touching, [&](std::uint32_t c) { return !has_manifold(c); });
}

void World::State::merge_patch(std::span<PatchContact> list) {
    const auto triangle_slot = [&](std::uint32_t c) {
        return triangle_is_a(c) ? contacts.records[c].a : contacts.records[c].b;
    };
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].patch == null_index) continue;  // is in a group already
        const vec3 normal = normal_from_mesh(list[i].contact);
        const std::uint32_t material = shapes.triangles[triangle_slot(list[i].contact)].material;
        same_way.clear();
        for (std::size_t j = i; j < list.size(); ++j) {
            const std::uint32_t c = list[j].contact;
            if (list[j].patch == null_index || shapes.triangles[triangle_slot(c)].material != material ||
                glm::dot(normal_from_mesh(c), normal) < settings::merged_normal)
                continue;
            same_way.push_back(c);
            list[j].patch = null_index;
        }
        if (same_way.size() > 1) merge_contacts(normal);
    }
}

/// Those in `same_way`, into the one that bears most.
void World::State::merge_contacts(const vec3& normal) {
    std::uint32_t chief = same_way[0];
    float most = -1.0f;
    patch_points.clear();
    for (const std::uint32_t c : same_way) {
        const ContactState& state = contacts.states[c];
        const Manifold& manifold = contacts.caches[c].manifold;
        const bool is_a = triangle_is_a(c);
        const PairRecord& record = contacts.records[c];
        const TrianglePlace& place = shapes.triangles[is_a ? record.a : record.b];
        float load = 0.0f;
        for (int i = 0; i < state.point_count; ++i) load += state.impulses[i];
        if (load > most) most = load, chief = c;
        for (int i = 0; i < manifold.count; ++i) {
            const ManifoldPoint& p = manifold.points[i];
            const std::uint32_t id = (p.id + 1) * 2654435761u ^ place.triangle * 40503u;
            patch_points.push_back({(is_a ? p.on_a : p.on_b) + place.middle, is_a ? p.on_b : p.on_a, p.separation, id});
        }
    }
    const bool is_a = triangle_is_a(chief);
    const PairRecord& record = contacts.records[chief];
    const TrianglePlace& place = shapes.triangles[is_a ? record.a : record.b];
    const vec3 along = inverse_rotate(colliders.poses[place.mesh].rotation, normal);
    std::size_t chosen[max_manifold_points];
    const float slop = contacts.states[chief].slop;
    const float motion = colliders.motions[record.a].max_displacement + colliders.motions[record.b].max_displacement;
    const float reach = slop + std::max(motion - settings::slow_approach * slop, 0.0f);
    const int count = choose_lasting_points(patch_points, along, record.size, reach, contacts.states[chief], chosen);
    PatchLoad given;
    for (const std::uint32_t c : same_way) {
        merged.push_back({c, contacts.caches[c].manifold});
        contacts.states[c].merged = true;
        if (c == chief) continue;
        const PatchLoad load = take_load(c);
        given.normal += load.normal;
        given.friction += load.friction;
        given.substep = std::max(given.substep, load.substep);
        contacts.caches[c].manifold.count = 0;
    }
    Manifold& manifold = contacts.caches[chief].manifold;
    manifold.count = count;
    for (int i = 0; i < count; ++i) {
        const PatchPoint& p = patch_points[chosen[i]];
        const vec3 on_triangle = p.on_mesh - place.middle;
        manifold.points[i] = {is_a ? on_triangle : p.on_other, is_a ? p.on_other : on_triangle, p.separation, p.id};
    }
    give_load(chief, given);
}

/// The narrowphase goes on from what it found.
void World::State::restore_merged() {
    for (const Merged& original : merged) {
        ContactState& state = contacts.states[original.contact];
        if (!state.merged) continue;  // another contact, in the slot of one that has gone
        state.merged = false;
        contacts.caches[original.contact].manifold = original.manifold;
    }
    merged.clear();
}

}  // namespace talus
