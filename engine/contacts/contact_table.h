#pragma once
/// The pair table: what lives across frames about two bodies that are near each other.
///
/// A *pair* is two bodies whose fat boxes overlap. In a heap most are *far*: the balls around the two are apart, and
/// all that a step asks of them is whether they still are. The others own *contacts*, one for each pair of their shapes
/// that may touch, keyed by (shape of A, shape of B): a body of one shape is no special case of a compound. A contact
/// is a slot in parallel arrays: the hot PairRecord and the PairCache belong to the narrowphase, the others to the
/// engine. A shape and a mesh have a contact for each triangle that is near, and a *mesh contact* that keeps them together.
///
///     broadphase begin/end -> Pair -> far[p], or contacts: bodies[i] | records[i] | caches[i] | states[i]
///                                     -> constraint graph -> solver

#include <talus/narrowphase/collide.h>
#include "engine/bodies/body_store.h"
#include "engine/constraints/constraint_graph.h"
#include "engine/sleeping/awake_set.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace talus {

/// The engine's share of a contact. Impulses are those of the last sub-step solved, the warm start of the next.
struct alignas(16) ContactState {
    // Three rows of four floats, which the solver reads as such (solver_kernel.h).
    float impulses[max_manifold_points] = {};   ///< normal, one sub-step, N s
    float friction = 0.0f, restitution = 0.0f;  ///< mixed
    float twist_arm = 0.0f;                     ///< mean lever arm of friction about the normal, of a round surface, m
    float twist_impulse = 0.0f;                 ///< about the normal, one sub-step, N m s
    vec3 friction_impulse{0.0f};                ///< world, at the manifold's centre, one sub-step, N s
    float slop = 0.0f;                          ///< overlap that the solver leaves alone, m

    float substep = 0.0f;  ///< in which the impulses were found, s; 0: there are none yet
    std::uint32_t ids[max_manifold_points] = {};
    int point_count = 0;                            ///< of the arrays, as last solved
    float step_impulses[max_manifold_points] = {};  ///< normal, summed over the last step, N s
    vec3 step_friction_impulse{0.0f};               ///< world, summed over the last step, N s
    float rolling_arm = 0.0f;                       ///< greatest moment against rolling over the normal force, m
    vec3 rolling_impulse{0.0f};                     ///< world, moment on B, one sub-step, N m s
    std::uint32_t pair = null_index;
    std::uint32_t next_in_pair = null_index;
    std::uint32_t mesh_contact = null_index;  ///< of a mesh, to which its triangle belongs
    std::uint8_t color = no_color;            ///< in the constraint graph, as last solved
    bool special_surface = false;             ///< rolls hard, grips differently along and across, or runs: see Surface
    bool sensor = false;
    bool touching = false;       ///< as last reported to the user
    bool hit_events = false;     ///< asked for by one of its shapes
    bool modifiable = false;     ///< likewise
    bool replaced = false;       ///< the solver has another manifold in this step: see ContactTable::manifold
    bool modified = false;       ///< by the user's contact modifier in this step
    bool met = false;            ///< overlapped or pushed in this step before it was found anew within it
    bool held_back = false;      ///< in this step it does not begin: it ended as the other kind, sensor or solid
    bool of_compound = false;    ///< its pair may have others; not of meshes, whose contacts are merged
    bool in_group = false;       ///< as last solved: of a stiff group (stiff_groups.h)
    bool merged = false;         ///< in this step, with others of its mesh contact
    std::uint8_t continued = 0;  ///< a bit a point: its features were there in the step before, too
    float last_impulse = 0.0f;   ///< normal, of all points in the last step in which it touched, N s

    /// Scales the impulses from which the next sub-step starts (warm starting).
    void scale_impulses(float by) {
        for (float& impulse : impulses) impulse *= by;
        friction_impulse *= by;
        twist_impulse *= by;
        rolling_impulse *= by;
    }
};

/// The body slots of a contact, in the order of its PairRecord, or of a far pair: kept apart because finding those of
/// awake bodies reads nothing else. Both null in a free slot.
struct ContactBodies {
    std::uint32_t a = null_index, b = null_index;
};

/// What of a mesh is near a shape: the triangles in a box around the shape, each of which has a contact. They are asked
/// for again when the shape leaves that box. To the user they are one contact, which this is the state of.
struct MeshContact {
    std::uint32_t shape = null_index, mesh = null_index;            ///< pool indices; null in a free slot
    std::uint32_t shape_body = null_index, mesh_body = null_index;  ///< whose they are
    std::uint32_t next_in_pair = null_index;
    /// Whose triangles have contacts, mesh frame; at first nothing is in it. And a box of the world that was in it when
    /// the mesh stood as said.
    Aabb box{vec3(std::numeric_limits<float>::infinity()), vec3(-std::numeric_limits<float>::infinity())};
    Aabb world_box = box;
    Transform mesh_pose;
    /// A place on the side of the surface on which the shape belongs, mesh frame: its middle, unless that has been
    /// pressed through. While the middle is no farther from this place than `clearance` (m), it can't have come to the
    /// surface.
    vec3 side_point{0.0f};
    float clearance = 0.0f;
    std::uint32_t stamp = 0;       ///< versions of the shape and the mesh when that was true
    bool pressed_through = false;  ///< the middle is on the other side
    bool marked = false;           ///< its triangles were told
    std::uint32_t touches = 0;     ///< contacts that touch
    bool touching = false;         ///< as last reported to the user
    bool sensor = false;
    bool changed = false;       ///< is in ContactTable::changed_mesh_contacts
    bool held_back = false;     ///< see ContactState
    float last_impulse = 0.0f;  ///< normal, of all points in the last step in which it touched, N s
};

struct Pair {
    std::uint32_t body[2] = {};
    std::uint32_t next[2] = {null_index, null_index};  ///< links in the list of body[i]
    std::uint32_t previous[2] = {null_index, null_index};
    std::uint32_t first_contact = null_index;
    std::uint32_t first_mesh_contact = null_index;
    bool compound = false;  ///< one of the bodies has several shapes: contacts come and go with the shapes' boxes
    bool collision_disabled = false;  ///< a joint forbids contacts
    bool compared = false;            ///< of a compound: what CompoundPair says holds
    bool in_use = false;
    std::uint32_t edges = 0;  ///< of a compound: its contacts of convex shapes that are solved in this step
};

/// Which of the two a body is, and the other one.
inline int side_of(const Pair& pair, std::uint32_t body) { return pair.body[0] == body ? 0 : 1; }
inline std::uint32_t other_body(const Pair& pair, std::uint32_t body) { return pair.body[1 - side_of(pair, body)]; }

class ContactTable {
public:
    /// In a body's list its pairs with fixed and kinematic bodies come first, so that they are found among many others.
    /// A body that changes its type gets new pairs.
    std::uint32_t begin_pair(BodyStore& store, std::uint32_t body_a, std::uint32_t body_b);
    /// Unlinks and frees the pair, far or not. Its contacts must have been removed.
    void end_pair(BodyStore& store, std::uint32_t pair);
    /// The contact of two shapes of two bodies, or null_index.
    std::uint32_t find_contact(const BodyStore& store, std::uint32_t body_a, std::uint32_t shape_a,
                               std::uint32_t body_b, std::uint32_t shape_b) const;
    std::uint32_t find_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t shape_b) const;
    /// The pair of two bodies, or null_index. Walks the shorter of the two bodies' lists.
    std::uint32_t find_pair(const BodyStore& store, std::uint32_t body_a, std::uint32_t body_b) const;

    /// A pair that has no contacts is far, or no longer.
    void set_far(std::uint32_t pair, bool is_far);

    std::uint32_t add_contact(std::uint32_t pair, const Colliders& colliders, std::uint32_t collider_a,
                              std::uint32_t body_a, std::uint32_t collider_b, std::uint32_t body_b);
    void remove_contact(std::uint32_t contact);

    /// That of the shape and the mesh, made where there is none.
    std::uint32_t find_or_add_mesh_contact(std::uint32_t pair, std::uint32_t shape, std::uint32_t shape_body,
                                           std::uint32_t mesh, std::uint32_t mesh_body);
    /// The same, in either order, or null_index.
    std::uint32_t find_mesh_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t shape_b) const;
    /// Whether a contact touches, and that its mesh contact, if it has one, has to look whether it still does.
    void set_touching(std::uint32_t contact, bool touching);
    void mark_mesh_contact_changed(std::uint32_t mesh_contact);

    /// The manifold that the solver uses in this step, and that the user sees after it: what the narrowphase has found, unless
    /// something has replaced it.
    const Manifold& manifold(std::uint32_t contact) const {
        return states[contact].replaced ? replacements_[replacement_of_[contact]].manifold : caches[contact].manifold;
    }
    /// Whether that manifold has points.
    bool has_manifold(std::uint32_t contact) const {
        return states[contact].replaced ? manifold(contact).count != 0 : has_found_manifold(contact);
    }
    /// Whether the narrowphase has found one. Does not touch the cold half of a contact that is apart.
    bool has_found_manifold(std::uint32_t contact) const {
        return records[contact].state == PairState::touching && caches[contact].manifold.count != 0;
    }
    /// Gives a contact another manifold for the rest of the step, which begins as a copy of its present one. The reference is
    /// valid until the next call.
    Manifold& replace_manifold(std::uint32_t contact);
    /// The solver uses what the narrowphase has found.
    void restore_manifold(std::uint32_t contact);
    void restore_manifolds();  ///< of all contacts, at the start of the next step

    std::vector<Pair> pairs;
    std::vector<ContactBodies> far;  ///< by pair: its bodies while it is far, else both null
    std::vector<ContactBodies> bodies;
    std::vector<PairRecord> records;
    std::vector<PairCache> caches;  ///< written by the narrowphase alone
    std::vector<ContactState> states;
    std::vector<MeshContact> mesh_contacts;
    std::vector<std::uint32_t> changed_mesh_contacts;

    std::uint32_t live_contacts() const { return live_contacts_; }
    std::uint32_t live_pairs() const { return live_pairs_; }
    std::uint32_t far_pairs() const { return far_pairs_; }
    std::size_t bytes() const;

private:
    struct Replacement {
        std::uint32_t contact;
        Manifold manifold;
    };
    std::vector<Replacement> replacements_;      ///< of this step
    std::vector<std::uint32_t> replacement_of_;  ///< by contact, valid while it is replaced
    std::vector<std::uint32_t> free_pairs_, free_contacts_, free_mesh_contacts_;
    std::uint32_t live_contacts_ = 0, live_pairs_ = 0, far_pairs_ = 0;
};

/// Calls visit(pair index) for each pair of a body, those with bodies that are not dynamic first. The pair visited may
/// be ended by the visitor.
template <class Visit>
void for_each_pair(const ContactTable& table, const BodyStore& bodies, std::uint32_t body, Visit&& visit) {
    for (std::uint32_t p = bodies[body].first_pair; p != null_index;) {
        const Pair& pair = table.pairs[p];
        const std::uint32_t next = pair.next[side_of(pair, body)];
        visit(p);
        p = next;
    }
}

/// Whether it is cheaper to walk the lists of the awake bodies and to sort than to look at all pairs and contacts: per body that costs
/// some sixteen times as much.
inline bool are_few_awake(const AwakeSet& awake, const BodyStore& bodies) {
    return 16 * awake.size() < bodies.live_count();
}

/// Calls visit(pair index) once for each pair of an awake body. The awake set must be compact.
template <class Visit>
void for_each_awake_pair(const ContactTable& table, const BodyStore& bodies, const AwakeSet& awake, Visit&& visit) {
    for (const std::uint32_t slot : awake.list()) {
        for_each_pair(table, bodies, slot, [&](std::uint32_t p) {
            const std::uint32_t other = other_body(table.pairs[p], slot);
            if (!awake.contains(other) || other > slot) visit(p);  // else met at the other
        });
    }
}

/// Calls visit(contact index) for each contact of a pair. The contact visited may be removed by the visitor.
template <class Visit>
void for_each_contact(const ContactTable& table, std::uint32_t pair, Visit&& visit) {
    for (std::uint32_t c = table.pairs[pair].first_contact; c != null_index;) {
        const std::uint32_t next = table.states[c].next_in_pair;
        visit(c);
        c = next;
    }
}

/// Calls visit(mesh contact index) for each mesh contact of a pair.
template <class Visit>
void for_each_mesh_contact(const ContactTable& table, std::uint32_t pair, Visit&& visit) {
    for (std::uint32_t k = table.pairs[pair].first_mesh_contact; k != null_index;
         k = table.mesh_contacts[k].next_in_pair)
        visit(k);
}

}  // namespace talus
