#pragma once
/// The contact table: everything that is kept across frames about two bodies that are near each other.
///
/// A *pair* is two bodies whose fat AABBs overlap. Most pairs of a heap are *far*: the bounding spheres of the two
/// bodies do not overlap, and a step only tests whether this is still so. A pair that is not far owns *contacts*, one
/// per two shapes that may touch, keyed by (shape of A, shape of B). A body of one shape is treated like a compound. A
/// contact is an index into parallel arrays: the PairRecord (read in each step) and the PairCache belong to the
/// narrowphase, the other arrays to the engine. A shape has one contact per triangle of a mesh that is near, and one
/// *mesh contact* for all of them together.
///
///     broadphase begin/end -> Pair -> far[p], or contacts: bodies[i] | records[i] | caches[i] | states[i]
///                                     -> constraint graph -> solver

#include "common/assert.h"
#include "common/bytes.h"
#include "common/paged_array.h"
#include "engine/bodies/body_store.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/sleeping/awake_set.h"
#include "narrowphase/ladder/pair_pages.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace talus {

/// The engine's part of a contact. The impulses are those of the last sub-step that was solved; the next one starts
/// from them (warm starting).
struct alignas(16) ContactState {
    // Three rows of four floats, which the solver reads as such (solver_kernel.h).
    float impulses[max_manifold_points] = {};   ///< normal, one sub-step, N s
    float friction = 0.0f, restitution = 0.0f;  ///< mixed
    float twist_arm = 0.0f;                     ///< mean lever arm of friction against twist at a round surface, m
    float twist_impulse = 0.0f;                 ///< about the normal, one sub-step, N m s
    vec3 friction_impulse{0.0f};                ///< world, at the manifold's centre, one sub-step, N s
    float slop = 0.0f;                          ///< overlap that the solver does not push out, m

    float substep = 0.0f;  ///< length of the sub-step that the impulses belong to, s; 0: there are none yet
    std::uint32_t ids[max_manifold_points] = {};    ///< feature ids of the points, as last solved
    int point_count = 0;                            ///< number of valid elements in the arrays, as last solved
    float step_impulses[max_manifold_points] = {};  ///< normal, summed over the last step, N s
    vec3 step_friction_impulse{0.0f};               ///< world, summed over the last step, N s
    float rolling_arm = 0.0f;                       ///< greatest moment against rolling, divided by the normal force, m
    vec3 rolling_impulse{0.0f};                     ///< world, moment on B, one sub-step, N m s
    std::uint32_t pair = null_index;
    std::uint32_t next_in_pair = null_index, previous_in_pair = null_index;
    std::uint32_t mesh_contact = null_index;  ///< the mesh contact to which it belongs, if it is with a triangle
    std::uint32_t next_in_mesh_contact = null_index, previous_in_mesh_contact = null_index;
    std::uint8_t color = no_color;  ///< in the constraint graph, as last solved
    bool special_surface = false;   ///< rolling resistance, a grip axis or a moving surface: see Surface
    bool sensor = false;
    bool touching = false;       ///< as last reported to the user
    bool hit_events = false;     ///< one of its shapes asks for hit events
    bool modifiable = false;     ///< one of its shapes asks for the contact modifier
    bool replaced = false;       ///< the solver has another manifold in this step: see ContactTable::manifold
    bool modified = false;       ///< the user's contact modifier has changed it in this step
    bool met = false;            ///< overlapped or pushed in this step, before it was tested again within the step
    bool held_back = false;      ///< does not begin in this step, because its shapes ended a contact of the other kind
                                 ///< (sensor or solid) in it
    bool of_compound = false;    ///< its pair may have other contacts; false for meshes, whose contacts are merged
    bool in_group = false;       ///< it belonged to a stiff group when it was last solved (stiff_groups.h)
    bool merged = false;         ///< it was merged with others of its mesh contact in this step
    std::uint8_t continued = 0;  ///< one bit per point: its features touched in the step before, too
    float last_impulse = 0.0f;   ///< normal, sum of all points in the last step in which it touched, N s
    /// Of a patch (solid_contacts.h): the triangles of both shapes where it is deepest, in their sets.
    std::uint32_t triangle_a = no_triangle, triangle_b = no_triangle;
    bool rolls = false;  ///< for patches: detail::FeaturePoint::rolls of its points

    /// Scales the impulses from which the next sub-step starts (warm starting).
    void scale_impulses(float by) {
        for (float& impulse : impulses) impulse *= by;
        friction_impulse *= by;
        twist_impulse *= by;
        rolling_impulse *= by;
    }
};

/// The body slots of a contact, in the order of its PairRecord, or of a far pair. They have an array of their own,
/// because finding the contacts of awake bodies reads nothing else. Both are null_index in a free slot.
struct ContactBodies {
    std::uint32_t a = null_index, b = null_index;
};

/// One shape against one mesh. Each triangle in a box around the shape has a contact; the mesh is searched again when
/// the shape leaves that box. If the mesh is a solid that moves, or both are meshes, each patch has one instead
/// (`by_features`), and features are searched again when the two have moved by more than `reach`. To the user all these
/// contacts are one, and this is its state.
struct MeshContact {
    std::uint32_t shape = null_index, mesh = null_index;            ///< pool indices; null_index in a free slot
    std::uint32_t shape_body = null_index, mesh_body = null_index;  ///< body slots
    std::uint32_t next_in_pair = null_index;
    std::uint32_t first_contact = null_index;  ///< head of the list of its contacts
    /// The triangles in this box have contacts, mesh frame. It is empty at first.
    Aabb box{vec3(std::numeric_limits<float>::infinity()), vec3(-std::numeric_limits<float>::infinity())};
    /// A box along the world's axes, as seen from the mesh, that was inside `box` when the mesh had the pose `mesh_pose`.
    Aabb seen_box = box;
    WorldTransform mesh_pose;
    float reach = -1.0f;       ///< for patches, m; negative: they were not searched yet
    Transform seen_pose;       ///< for patches: pose of the shape in the mesh when they were searched
    float seen_margin = 0.0f;  ///< for patches: the contact margin for which they were searched then, m
    /// For patches: pairs of features were searched up to this separation, m. It is less than the margin if the nearest
    /// ones are nearer: those far behind them do not touch in the same step.
    float near_margin = 0.0f;
    float seen_depth = 0.0f;  ///< for patches: how deep the two may have overlapped then, m
    float seen_turn = 0.0f;   ///< for patches: FeatureLimits::turn_ahead of that search, rad
    vec3 seen_side{0.0f};     ///< for patches of a two-sided mesh: `side_point` when they were searched
    Transform last_pose;      ///< for patches: pose of the shape in the mesh at the last step
    /// For patches of two solids that overlap where no features touch: the direction in which the shape leaves the
    /// mesh, unit, and the middle of the overlap, m, both in the mesh's frame. Zero if there is none.
    vec3 way_out{0.0f}, overlap_middle{0.0f};
    float overlap_depth = 0.0f;  ///< penetration of the contact point along `way_out`, m
    bool was_far = false;        ///< for patches: nothing within the margin and `reach` when they were searched
    bool is_recovering = false;  ///< it has a contact along `way_out`
    bool by_features = false;    ///< its contacts are patches, and not with triangles (solid_contacts.h)
    /// A point on the side of the surface on which the shape belongs, mesh frame. It is the shape's middle, unless that
    /// was pressed through the surface. The middle cannot have reached the surface while its distance from this point
    /// is less than `clearance` (m).
    vec3 side_point{0.0f};
    float clearance = 0.0f;
    std::uint32_t stamp = 0;       ///< sum of the versions of the shape and the mesh when side_point was set
    bool pressed_through = false;  ///< the middle is on the wrong side
    bool marked = false;           ///< its triangles are marked as pressed through
    std::uint32_t touches = 0;     ///< number of its contacts that touch
    bool touching = false;         ///< as last reported to the user
    bool sensor = false;
    bool changed = false;       ///< it is in ContactTable::changed_mesh_contacts
    bool held_back = false;     ///< see ContactState
    float last_impulse = 0.0f;  ///< normal, sum of all points in the last step in which it touched, N s
};

/// Two bodies whose fat AABBs overlap.
struct Pair {
    std::uint32_t body[2] = {};
    std::uint32_t next[2] = {null_index, null_index};  ///< next[i] and previous[i]: links in the list of body[i]
    std::uint32_t previous[2] = {null_index, null_index};
    std::uint32_t first_contact = null_index;
    std::uint32_t first_mesh_contact = null_index;
    bool compound = false;  ///< a body has several shapes or a mesh: CompoundPairs adds and removes the contacts
    bool collision_disabled = false;  ///< a joint forbids contacts
    bool compared = false;            ///< for a compound: its CompoundPair is valid
    bool in_use = false;
    std::uint32_t edges = 0;  ///< for a compound: number of its contacts of convex shapes that are solved in this step
};

/// Returns the position (0 or 1) of one of the two bodies in the pair.
inline int side_of(const Pair& pair, std::uint32_t body) { return pair.body[0] == body ? 0 : 1; }
/// Returns the pair's other body.
inline std::uint32_t other_body(const Pair& pair, std::uint32_t body) { return pair.body[1 - side_of(pair, body)]; }

class ContactTable {
public:
    /// Adds the pair of two bodies, which must not have one. Returns its index. In a body's list, pairs with fixed and
    /// kinematic bodies come first, so that they are found quickly among many others. A body that changes its type gets
    /// new pairs.
    std::uint32_t begin_pair(BodyStore& store, std::uint32_t body_a, std::uint32_t body_b);
    /// Removes a pair, far or not. Its contacts must have been removed before.
    void end_pair(BodyStore& store, std::uint32_t pair);
    /// Returns the contact of two shapes of two bodies, or null_index.
    std::uint32_t find_contact(const BodyStore& store, std::uint32_t body_a, std::uint32_t shape_a,
                               std::uint32_t body_b, std::uint32_t shape_b) const;
    std::uint32_t find_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t shape_b) const;
    /// Returns the pair of two bodies, or null_index. Walks the shorter of the two bodies' lists.
    std::uint32_t find_pair(const BodyStore& store, std::uint32_t body_a, std::uint32_t body_b) const;

    /// Marks a pair without contacts as far, or as no longer far.
    void set_far(std::uint32_t pair, bool is_far);

    std::uint32_t add_contact(std::uint32_t pair, const Colliders& colliders, std::uint32_t collider_a,
                              std::uint32_t body_a, std::uint32_t collider_b, std::uint32_t body_b);
    /// The same for two colliders with this record. The bodies are in its order.
    std::uint32_t add_contact(std::uint32_t pair, const PairRecord& record, const ContactBodies& of);
    void remove_contact(std::uint32_t contact);
    /// Makes a new contact one of the mesh contact.
    void put_in_mesh_contact(std::uint32_t contact, std::uint32_t mesh_contact);

    /// Returns the mesh contact of the shape and the mesh. Adds it if there is none.
    std::uint32_t find_or_add_mesh_contact(std::uint32_t pair, std::uint32_t shape, std::uint32_t shape_body,
                                           std::uint32_t mesh, std::uint32_t mesh_body);
    /// Returns the mesh contact of two shapes in either order, or null_index.
    std::uint32_t find_mesh_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t shape_b) const;
    /// Sets whether a contact touches. If it belongs to a mesh contact, that one is marked as changed.
    void set_touching(std::uint32_t contact, bool touching);
    /// Lets ContactEvents::report_mesh_contacts() check whether the mesh contact touches.
    void mark_mesh_contact_changed(std::uint32_t mesh_contact);

    /// The records and caches as the narrowphase reads them.
    detail::PairPages pages() { return {records.starts(), caches.starts()}; }
    /// Returns the manifold that the solver uses in this step and that the user sees after it: the narrowphase's,
    /// unless it was replaced.
    const Manifold& manifold(std::uint32_t contact) const {
        TALUS_ASSERT(contact < states.size() && bodies[contact].a != null_index);
        return states[contact].replaced ? replacements_[replacement_of_[contact]].manifold : caches[contact].manifold;
    }
    /// Returns whether that manifold has points.
    bool has_manifold(std::uint32_t contact) const {
        return states[contact].replaced ? manifold(contact).count != 0 : has_found_manifold(contact);
    }
    /// Returns whether the narrowphase's manifold has points. Does not read the PairCache of a separated contact.
    bool has_found_manifold(std::uint32_t contact) const {
        return records[contact].state == PairState::touching && caches[contact].manifold.count != 0;
    }
    /// Returns whether a contact's manifold differs from the one that the narrowphase found. Such a manifold can't be found
    /// again within the step: its points stay fixed in the bodies.
    bool keeps_points(std::uint32_t contact) const { return states[contact].merged || states[contact].modified; }
    /// Gives a contact another manifold for the rest of the step. Returns it; at first it is a copy of the present one.
    /// The reference is valid until the next call.
    Manifold& replace_manifold(std::uint32_t contact);
    /// Drops the replacement, so that the solver uses the narrowphase's manifold.
    void restore_manifold(std::uint32_t contact);
    /// The same for all contacts, at the start of the next step.
    void restore_manifolds();

    std::vector<Pair> pairs;
    std::vector<ContactBodies> far;  ///< by pair: its bodies while it is far, otherwise both null_index
    // By contact:
    std::vector<ContactBodies> bodies;
    PagedArray<PairRecord> records;
    PagedArray<PairCache> caches;  ///< written by the narrowphase alone
    PagedArray<ContactState> states;

    std::vector<MeshContact> mesh_contacts;
    std::vector<std::uint32_t> changed_mesh_contacts;  ///< may have begun or ended to touch

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(pairs);
        visit_parallel(bytes, pairs.size(), far);
        bytes(bodies);
        if constexpr (Bytes::reads) {
            records.resize(bodies.size());
            caches.resize(bodies.size());
            states.resize(bodies.size());
        }
        for (std::size_t c = 0; c < bodies.size(); ++c) {
            if (bodies[c].a != null_index) bytes(records[c], caches[c], states[c]);
        }
        bytes(mesh_contacts, changed_mesh_contacts, replacements_, free_pairs_, free_contacts_, free_mesh_contacts_,
              live_contacts_, live_pairs_, far_pairs_);
    }
    /// Checks what visit_fields() has read, as far as it does not refer to bodies and shapes, and derives the rest.
    /// Returns what is wrong with it, or null.
    const char* restore();
    std::uint32_t live_contacts() const { return live_contacts_; }
    std::uint32_t live_pairs() const { return live_pairs_; }
    std::uint32_t far_pairs() const { return far_pairs_; }
    std::size_t bytes() const;

private:
    struct Replacement {
        std::uint32_t contact;
        Manifold manifold;
        template <class Bytes>
        void visit_fields(Bytes& bytes) {
            bytes(contact, manifold);
        }
    };
    std::vector<Replacement> replacements_;      ///< manifolds of this step
    std::vector<std::uint32_t> replacement_of_;  ///< by contact: its index in replacements_, valid while it is replaced
    std::vector<std::uint32_t> free_pairs_, free_contacts_, free_mesh_contacts_;
    std::uint32_t live_contacts_ = 0, live_pairs_ = 0, far_pairs_ = 0;
};

/// Calls visit(pair index) for each pair of a body; pairs with bodies that are not dynamic come first. The visitor may
/// remove the pair that it visits.
template <class Visit>
void for_each_pair(const ContactTable& table, const BodyStore& bodies, std::uint32_t body, Visit&& visit) {
    for (std::uint32_t p = bodies[body].first_pair; p != null_index;) {
        const Pair& pair = table.pairs[p];
        const std::uint32_t next = pair.next[side_of(pair, body)];
        visit(p);
        p = next;
    }
}

/// Returns whether so few bodies are awake that walking their lists and sorting is cheaper than walking all pairs and
/// contacts. Per body, walking a list costs some 16 times as much.
inline bool are_few_awake(const AwakeSet& awake, const BodyStore& bodies) {
    return 16 * awake.size() < bodies.live_count();
}

/// Calls visit(pair index) once for each pair of an awake body. The awake set must be compact.
template <class Visit>
void for_each_awake_pair(const ContactTable& table, const BodyStore& bodies, const AwakeSet& awake, Visit&& visit) {
    for (const std::uint32_t slot : awake.list()) {
        for_each_pair(table, bodies, slot, [&](std::uint32_t p) {
            const std::uint32_t other = other_body(table.pairs[p], slot);
            if (!awake.contains(other) || other > slot) visit(p);  // otherwise the other body visits it
        });
    }
}

/// Calls visit(contact index) for each contact of a pair. The visitor may remove the contact that it visits.
template <class Visit>
void for_each_contact(const ContactTable& table, std::uint32_t pair, Visit&& visit) {
    for (std::uint32_t c = table.pairs[pair].first_contact; c != null_index;) {
        const std::uint32_t next = table.states[c].next_in_pair;
        visit(c);
        c = next;
    }
}

/// The same for the contacts of a mesh contact, in the order in which for_each_contact() visits them.
template <class Visit>
void for_each_contact_of_mesh(const ContactTable& table, std::uint32_t mesh_contact, Visit&& visit) {
    for (std::uint32_t c = table.mesh_contacts[mesh_contact].first_contact; c != null_index;) {
        const std::uint32_t next = table.states[c].next_in_mesh_contact;
        visit(c);
        c = next;
    }
}

/// Calls visit(index in ContactTable::mesh_contacts) for each mesh contact of a pair.
template <class Visit>
void for_each_mesh_contact(const ContactTable& table, std::uint32_t pair, Visit&& visit) {
    for (std::uint32_t k = table.pairs[pair].first_mesh_contact; k != null_index;
         k = table.mesh_contacts[k].next_in_pair)
        visit(k);
}

}  // namespace talus
