#include "engine/contacts/substep_contacts.h"

#include "engine/contacts/planar_contacts.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

float SubstepContacts::strictness(const SolverIndices& indices, std::uint32_t slot) {
    if (indices.has_joint(slot)) return 0.0f;
    return indices.has_bounce(slot) ? settings::bouncing_strictness : 1.0f;
}

/// Returns whether a body may rotate so far in a step of dt seconds that its contacts get stale: by its angular
/// velocity, and by the one that an impact at its speed would give it.
static inline bool may_turn_far(const Body& body, float strictness, float dt) {
    const float most = strictness * std::max(body.stale_by_spin, body.stale_by_tilt);
    if (most == 0.0f) return false;
    const float per_speed = body.stale_by_tilt * settings::stale_turn;
    const float v2 = length_squared(body.linear_velocity), w2 = length_squared(body.angular_velocity);
    // Most bodies need no square root: (a + b)^2 <= 2 (a^2 + b^2).
    const float square = (dt * most) * (dt * most), radius2 = body.radius * body.radius;
    if (2.0f * square * (w2 * radius2 + per_speed * per_speed * v2) < 0.249f * radius2) return false;
    const float gained = per_speed * std::sqrt(v2);
    const float spin = std::sqrt(w2) + (body.radius > 0.0f ? gained / body.radius : 0.0f);
    return dt * spin * most > 0.5f;
}

/// Returns how far a body's surface may slide before a contact is stale, m. For a compound, errors of lever arms matter
/// in proportion to its radius of gyration; the thickness of its thinnest shape does not matter. When the limit
/// followed the thickness of their walls, the contacts of bowls that lie in each other were stale after 0.2 mm. A
/// renewed contact forgets its load (ContactLanes::kept), so these stacks lost their loads all the time and never came
/// to rest.
static float slide_limit(const Body& body) {
    const float size = body.shape_count > 1 ? std::max(body.inner_radius, body.gyration) : body.inner_radius;
    return settings::stale_slide * size;
}

/// Returns whether a body moves so far in a step of dt seconds that its contacts may be elsewhere on its surface when
/// they are struck.
static inline bool may_move_far(const Body& body, float dt) {
    const float room = slide_limit(body);
    if (dt * dt * length_squared(body.linear_velocity) > room * room) return true;
    const float w2 = length_squared(body.angular_velocity), reach = dt * body.radius;
    if (reach * reach * w2 < 0.999f * (room * room)) return false;
    return reach * std::sqrt(w2) > room;
}

void SubstepContacts::find_fast(const SolverIndices& indices, const BodyStore& bodies, const ContactTable& contacts,
                                std::span<ConstraintGraph::Edge> edges, float dt) {
    any_fast_ = renews_ = false;
    first_poses_.clear();  // there are some only if the last step ran out of memory
    bool any_far = false;
    far_movers_.resize(bodies.slot_count(), 0);
    far_turners_.resize(bodies.slot_count(), 0);
    for (const std::uint32_t slot : indices.movable()) {
        far_turners_[slot] = may_turn_far(bodies[slot], strictness(indices, slot), dt);
        far_movers_[slot] = may_move_far(bodies[slot], dt);
        renews_ = renews_ || far_turners_[slot] != 0;
        any_far = any_far || far_movers_[slot] != 0;
    }
    // A solid that falls on a corner and rotates may touch with the next corner within the step. (Manifolds of convex shapes
    // have most of a face's corners from the start of the step. With more room for them, `tumble8` takes 4% longer.)
    const auto turns_far = [&](bool is_pushed, std::uint32_t slot) { return is_pushed && far_turners_[slot] != 0; };
    for (ConstraintGraph::Edge& edge : edges) {
        if (!renews_) break;
        if ((turns_far(edge.pushes_a, edge.a) || turns_far(edge.pushes_b, edge.b)) &&
            contacts.records[edge.contact].rung == Rung::features)
            edge.most_points = max_manifold_points;
    }
    if (any_far) find_fast_contacts(indices, bodies, contacts, edges, dt);
}

/// Sets Edge::slide_limit of contacts whose surfaces may slide far along each other, if one of the bodies moves far.
/// Contacts that bounce are left out, because the approach speeds that their restitution uses belong to their old lever
/// arms (otherwise 216 elastic balls gained 2% of energy). The edges are still between body slots.
void SubstepContacts::find_fast_contacts(const SolverIndices& indices, const BodyStore& bodies,
                                         const ContactTable& contacts, std::span<ConstraintGraph::Edge> edges,
                                         float dt) {
    for (ConstraintGraph::Edge& edge : edges) {
        const bool any_far = (edge.pushes_a && far_movers_[edge.a] != 0) || (edge.pushes_b && far_movers_[edge.b] != 0);
        if (!any_far || indices.has_joint(edge.a) || indices.has_joint(edge.b) || edge.bounces) continue;
        const Body &a = bodies[edge.a], &b = bodies[edge.b];
        if (contacts.keeps_points(edge.contact)) continue;
        const float room = std::min(slide_limit(edge.pushes_a ? a : b), slide_limit(edge.pushes_b ? b : a));
        const float speed = std::sqrt(length_squared(b.linear_velocity - a.linear_velocity)) +
                            a.radius * std::sqrt(length_squared(a.angular_velocity)) +
                            b.radius * std::sqrt(length_squared(b.angular_velocity));
        if (!(dt * speed > room)) continue;
        edge.slide_limit = room;
        any_fast_ = renews_ = true;
    }
}

/// Moves the colliders of a body to its present pose in the solve.
void SubstepContacts::move_colliders(const Input& in, std::uint32_t slot) {
    const BodyStore& bodies = in.world.bodies;
    Colliders& colliders = in.world.colliders;
    if (moved_at_.size() < bodies.slot_count()) moved_at_.resize(bodies.slot_count(), 0);
    const std::uint32_t i = in.solve.indices.of(slot);
    if (i == 0 || moved_at_[slot] == renewal_) return;
    moved_at_[slot] = renewal_;
    const Body& body = bodies[slot];
    const quat rotation = normalized(quat(in.moving.rotation(i, body)));
    const dvec3 center = displaced(body.center, load3(in.moving[i].displacement));
    const WorldTransform pose{displaced(center, -rotate(rotation, body.local_center)), rotation};
    for (std::uint32_t k = body.first_shape; k < body.first_shape + body.shape_count; ++k) {
        first_poses_.push_back({slot, k, colliders.poses[k]});
        colliders.poses[k] = multiply(pose, in.world.shapes.defs[k].pose);
        if (in.world.shapes.defs[k].mesh) in.world.place_triangles(slot, k);
    }
    in.moving.centers()[i] = center;
}

/// Updates the separations of a manifold that the narrowphase did not make: its points stay fixed in the two bodies.
static void update_separations(const ContactWorld& world, std::uint32_t contact) {
    const ContactTable& contacts = world.contacts;
    const Colliders& colliders = world.colliders;
    Manifold& manifold = world.contacts.replace_manifold(contact);
    const PairRecord& record = contacts.records[contact];
    const WorldTransform &pose_a = colliders.poses[record.a], &pose_b = colliders.poses[record.b];
    const vec3 normal = rotate(pose_a.rotation, manifold.normal);
    for (int i = 0; i < manifold.count; ++i) {
        ManifoldPoint& p = manifold.points[i];
        p.separation = glm::dot(normal, vec3(pose_b.position - pose_a.position) + rotate(pose_b.rotation, p.on_b) -
                                            rotate(pose_a.rotation, p.on_a));
    }
}

/// Takes an impulse and a moment back from a body that has moved with them for a sub-step.
///
/// Restoring its old angular momentum would be wrong. The impulses have rotated the body to a pose that it would not
/// have reached by itself, and a thin body with the same momentum at another pose can have many times its energy. So
/// the body is rotated freely back to the start of the sub-step, its momentum is changed there, and it is rotated
/// freely forward again. Free rotation conserves energy.
static void take_back(const SolveInput& in, SolverBodies& moving, std::uint32_t i, const glm::dvec3& impulse,
                      const glm::dvec3& moment) {
    SolverBody& sb = moving[i];
    const float* m = moving.masses()[i].inverse_inertia;
    const glm::dmat3 inverse_inertia(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
    store3(sb.velocity,
           vec3(glm::dvec3(load3(sb.velocity)) - glm::dvec3(load3(moving.masses()[i].inverse_mass)) * impulse));
    const glm::dvec3 spin(load3(sb.angular_velocity));
    if (!moving.motions().is_gyroscopic(i)) {
        store3(sb.angular_velocity, vec3(spin - inverse_inertia * moment));
        return;
    }
    const Body& body = in.body(i);
    const glm::dquat now = glm::normalize(moving.rotation(i, body));
    FreeTurn back{.rotation = now, .spin = -spin};
    turn_freely(back, body.principal, 1, moving.step().substep);
    const glm::dmat3 axes = principal_axes(body, now), axes_before = principal_axes(body, back.rotation);
    const glm::dvec3 momentum = axes * (body.principal.moments * (spin * axes)) - moment;
    FreeTurn on{.rotation = back.rotation, .spin = axes_before * (momentum * axes_before / body.principal.moments)};
    turn_freely(on, body.principal, 1, moving.step().substep);
    const vec3 alone(now * (glm::conjugate(on.rotation) * on.spin));
    store3(sb.angular_velocity, alone);
    moving.motions().set_spin(i, alone);
}

/// Returns whether the points of a contact stay fixed in the bodies. If one patch of two solids keeps its points, all of
/// them do.
bool SubstepContacts::keeps_points(const Input& in, std::uint32_t contact) {
    const ContactTable& contacts = in.world.contacts;
    if (contacts.records[contact].rung != Rung::features) return contacts.keeps_points(contact);
    const std::uint32_t mesh_contact = contacts.states[contact].mesh_contact;
    bool keeps = !SolidContacts::can_find_again(in.world.shapes, contacts.mesh_contacts[mesh_contact]);
    for_each_contact_of_mesh(contacts, mesh_contact, [&](std::uint32_t c) {
        keeps = keeps || contacts.keeps_points(c) || !in.solver.sweeps(c);
    });
    return keeps;
}

/// Lists a contact to be renewed, and the test that finds its manifold again.
void SubstepContacts::list_contact(const Input& in, std::uint32_t contact, bool alone) {
    if (renewed_at_[contact] == renewal_) return;
    renewed_at_[contact] = renewal_;
    renewed_.push_back({contact, alone, false});
    if (keeps_points(in, contact)) return;
    const ContactTable& contacts = in.world.contacts;
    if (contacts.records[contact].rung != Rung::features) {
        to_collide_.push_back(contact);
        return;
    }
    patches_.push_back(contact);
    const std::uint32_t mesh_contact = contacts.states[contact].mesh_contact;
    if (found_at_[mesh_contact] == renewal_) return;
    found_at_[mesh_contact] = renewal_;
    to_find_.push_back({mesh_contact, contacts.states[contact].pair});
}

/// Lists the contacts of bodies that have rotated too far, and moves the colliders that these contacts need.
void SubstepContacts::list_stale(const Input& in) {
    const BodyStore& bodies = in.world.bodies;
    const ContactTable& contacts = in.world.contacts;
    SolverBodies& moving = in.moving;
    for (const std::uint32_t i : stale_) {
        const std::uint32_t slot = in.solve.indices.slot(i);
        move_colliders(in, slot);
        moving.motions().renew(i, load3(moving[i].turn));
        const quat rotation(moving.rotation(i, bodies[slot]));
        put_inverse_inertia(moving.masses()[i], response_of(bodies[slot], normalized(rotation)).inverse_inertia);
        bool alone = true;
        for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                const bool counts = alone && bodies[other_body(contacts.pairs[p], slot)].is_dynamic();
                if (counts && in.solver.sweeps(c)) alone = false;
            });
        });
        for_each_pair(contacts, bodies, slot, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) {
                if (renewed_at_[c] == renewal_ || !in.solver.sweeps(c)) return;
                list_contact(in, c, alone);
                move_colliders(in, other_body(contacts.pairs[p], slot));
            });
        });
    }
}

/// Lists the contacts that are struck after their surfaces have slid too far along each other.
void SubstepContacts::list_struck_after_sliding(const Input& in) {
    const ContactTable& contacts = in.world.contacts;
    for (const std::uint32_t c : struck_after_sliding_) {
        if (renewed_at_[c] == renewal_) continue;
        if (contacts.records[c].rung != Rung::features) {
            list_contact(in, c, false);
        } else {
            for_each_contact_of_mesh(contacts, contacts.states[c].mesh_contact, [&](std::uint32_t patch) {
                if (in.solver.sweeps(patch)) list_contact(in, patch, false);
            });
        }
        move_colliders(in, contacts.bodies[c].a);
        move_colliders(in, contacts.bodies[c].b);
    }
}

/// Gives the triangles the sides on which their shapes belong now. The mesh contacts themselves are restored, because
/// the continuous stage may take the motion back.
void SubstepContacts::update_sides(const Input& in) {
    ContactTable& contacts = in.world.contacts;
    for (const std::uint32_t c : to_collide_) {
        const ContactState& state = contacts.states[c];
        if (state.mesh_contact == null_index) continue;
        MeshContact& mesh_contact = contacts.mesh_contacts[state.mesh_contact];
        const vec3 place = mesh_contact.side_point;
        const bool through = mesh_contact.pressed_through;
        if (!in.mesh_contacts.update_side(in.world, state.mesh_contact)) continue;
        mesh_contact.side_point = place;
        mesh_contact.pressed_through = through;
        mesh_contact.clearance = 0.0f;
    }
}

/// Returns the elements of a list that belong to the parts `first` up to `last`.
template <class T>
static std::span<T> parts_of(std::vector<T>& list, std::uint32_t first, std::uint32_t last) {
    const auto begin = [&](std::uint32_t part) { return list.size() * part / SubstepContacts::renewal_parts; };
    return std::span(list).subspan(begin(first), begin(last) - begin(first));
}

void SubstepContacts::find_sliding(const Input& in, std::uint32_t first, std::uint32_t last) {
    if (any_fast_) in.solver.find_struck_after_sliding(in.moving.bodies(), first, last, renewal_parts);
}

void SubstepContacts::list(const Input& in, std::uint32_t, std::uint32_t) {
    renewed_.clear();
    to_collide_.clear();
    to_find_.clear();
    patches_.clear();
    stale_.clear();
    in.moving.motions().for_each_stale(SolverIndices::group_size, in.solve.indices.movable_end(),
                                       [&](std::uint32_t i) { stale_.push_back(i); });
    struck_after_sliding_.clear();
    if (any_fast_) {
        in.solver.list_struck_after_sliding(struck_after_sliding_);
        for (std::uint32_t& c : struck_after_sliding_) c = in.solve.edges[c].contact;
    }
    if (stale_.empty() && struck_after_sliding_.empty()) return;
    ++renewal_;
    ContactTable& contacts = in.world.contacts;
    if (renewed_at_.size() < contacts.bodies.size()) renewed_at_.resize(contacts.bodies.size(), 0);
    if (found_at_.size() < contacts.mesh_contacts.size()) found_at_.resize(contacts.mesh_contacts.size(), 0);
    list_stale(in);
    list_struck_after_sliding(in);
    update_sides(in);
    before_.resize(to_collide_.size());
    patches_before_.clear();
    for (const std::uint32_t c : patches_) {
        patches_before_.push_back(contacts.manifold(c));
        contacts.restore_manifold(c);
    }
    in.solid_contacts.begin_again(to_find_.size());
    if (scratch_.empty()) scratch_.resize(renewal_parts);
}

/// Tests the contacts in to_collide_ and the pairs in to_find_ again.
void SubstepContacts::collide_again(const Input& in, std::uint32_t first, std::uint32_t last) {
    ContactTable& contacts = in.world.contacts;
    const std::span<SolidContacts::Task> tasks = parts_of(to_find_, first, last);
    for (SolidContacts::Task& task : tasks)
        in.solid_contacts.find_again(in.world, task, static_cast<std::size_t>(&task - to_find_.data()));
    const std::span<const std::uint32_t> list = parts_of(to_collide_, first, last);
    if (list.empty()) return;
    const std::span<Before> before = parts_of(before_, first, last);
    for (std::size_t k = 0; k < list.size(); ++k) {
        const std::uint32_t c = list[k];
        const PairRecord& record = contacts.records[c];
        before[k] = {record.rung, record.cost, contacts.manifold(c)};
        contacts.restore_manifold(c);
    }
    CollideSettings settings = in.collide;
    settings.timing = Timing::off;
    NarrowphaseProfile counts;
    detail::collide(in.world.colliders, contacts.pages(), list, settings, scratch_[first], counts);
}

/// Takes the manifold that was found again. If the shapes have separated, the contact keeps the manifold `before`. `at`:
/// where the search for the contact in renewed_ begins; calls are in the order of renewed_.
void SubstepContacts::take_result(const Input& in, std::uint32_t c, const Manifold& before, std::size_t& at) {
    ContactTable& contacts = in.world.contacts;
    while (renewed_[at].contact != c) ++at;
    for (int i = 0; i < before.count; ++i) {
        if (before.points[i].separation <= 0.0f) contacts.states[c].met = true;
    }
    if (contacts.has_manifold(c)) return;
    // The contact is still reported for this step.
    renewed_[at].apart = true;
    contacts.replace_manifold(c) = before;
    update_separations(in.world, c);
}

void SubstepContacts::take_results(const Input& in, std::uint32_t, std::uint32_t) {
    ContactTable& contacts = in.world.contacts;
    for (std::size_t k = 0; k < to_find_.size(); ++k) in.solid_contacts.put_again(in.world, to_find_[k], k);
    if (in.any_locked) {
        turn_into_plane(in.world, to_collide_);
        turn_into_plane(in.world, patches_);
    }
    std::size_t at = 0;
    for (std::size_t k = 0; k < to_collide_.size(); ++k) {
        // The profile shows the rung and cost of the stage `collide`.
        contacts.records[to_collide_[k]].rung = before_[k].rung;
        contacts.records[to_collide_[k]].cost = before_[k].cost;
        take_result(in, to_collide_[k], before_[k].manifold, at);
    }
    at = 0;
    for (std::size_t k = 0; k < patches_.size(); ++k) take_result(in, patches_[k], patches_before_[k], at);
    for (const ContactSolver::Renewed& r : renewed_) {
        if (keeps_points(in, r.contact)) update_separations(in.world, r.contact);
    }
    in.solver.begin_renewals(renewed_, contacts);
}

ContactSolver::Input SubstepContacts::solver_input(const Input& in) {
    return {in.solve.edges,     in.world.contacts,  in.world.colliders,
            in.world.shapes,    in.moving.masses(), in.moving.start_velocities(),
            in.moving.centers()};
}

void SubstepContacts::write(const Input& in, std::uint32_t first, std::uint32_t last) {
    in.solver.renew(parts_of(renewed_, first, last), solver_input(in), in.moving.bodies());
}

void SubstepContacts::take_back_impulses(const Input& in, std::uint32_t, std::uint32_t) {
    if (renewed_.empty()) return;
    const std::span<ContactSolver::TakenBack> taken = in.solver.taken_back();
    std::sort(taken.begin(), taken.end(), [](const auto& x, const auto& y) { return x.body < y.body; });
    for (std::size_t k = 0; k < taken.size();) {
        const std::uint32_t i = taken[k].body;
        glm::dvec3 impulse(0.0), moment(0.0);
        for (; k < taken.size() && taken[k].body == i; ++k)
            impulse += glm::dvec3(taken[k].impulse), moment += glm::dvec3(taken[k].moment);
        take_back(in.solve, in.moving, i, impulse, moment);
    }
    in.solver.begin_bounces(in.moving.bodies());
}

void SubstepContacts::restore_colliders(const ContactWorld& world) {
    for (auto at = first_poses_.rbegin(); at != first_poses_.rend(); ++at)
        world.colliders.poses[at->collider] = at->pose;
    for (const FirstPose& first : first_poses_) {
        if (const std::uint32_t mesh = first.collider; world.shapes.defs[mesh].mesh)
            world.place_triangles(first.body, mesh);
    }
    first_poses_.clear();
}

std::size_t SubstepContacts::bytes() const {
    std::size_t scratch = scratch_.capacity() * sizeof(CollideScratch);
    for (const CollideScratch& each : scratch_) scratch += each.bytes();
    return far_movers_.capacity() + far_turners_.capacity() + first_poses_.capacity() * sizeof(FirstPose) +
           before_.capacity() * sizeof(Before) + renewed_.capacity() * sizeof(ContactSolver::Renewed) + scratch +
           to_find_.capacity() * sizeof(SolidContacts::Task) + patches_before_.capacity() * sizeof(Manifold) +
           (patches_.capacity() + found_at_.capacity() + stale_.capacity() + moved_at_.capacity() +
            renewed_at_.capacity() + to_collide_.capacity() + struck_after_sliding_.capacity()) *
               sizeof(std::uint32_t);
}

}  // namespace talus
