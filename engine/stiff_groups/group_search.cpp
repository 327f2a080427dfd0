#include "engine/stiff_groups/group_search.h"

#include "engine/bodies/body_store.h"
#include "engine/settings.h"

#include <algorithm>
#include <limits>

namespace talus {

namespace {

/// Whether the locks of a body keep it from falling, so that it supports the bodies on it.
bool locks_bear_load(unsigned locks, const vec3& gravity) {
    constexpr unsigned moves = lock_x | lock_y | lock_z;
    if ((locks & moves) == 0) return false;
    const float least = 1e-4f * length_squared(gravity);
    for (int k = 0; k < 3; ++k) {
        const bool pulls = least == 0.0f || gravity[k] * gravity[k] > least;
        if (pulls && (locks & (unsigned{lock_x} << k)) == 0) return false;
    }
    return true;
}

/// Returns an upper bound of the speed of a body's points, m/s.
float most_point_speed(const Body& body) {
    return glm::length(body.linear_velocity) + body.radius * glm::length(body.angular_velocity);
}

/// Returns whether the heavier of two bodies is about to crush the lighter one. That means: if the contact solver alone
/// solved the contact, the heavier body would penetrate the lighter one, or push it into its support, by about half the
/// lighter one's thickness. The contact solver needs about as many sub-steps to stop the heavier body as the ratio of
/// the two masses.
///
/// The heavier body's own motion must close the gap within this step. If there is no gap, it must be faster than that
/// without gravity; otherwise every heavy body at rest on a thin plate would count. After a step in which the island
/// was a group (`was_stiff`), it is enough that the heavier body still moves. `gained` is the speed that gravity adds
/// within the step, m/s.
bool is_crushed(const SolverContacts& in, const ConstraintGraph::Edge& edge, float gap, float gained, float dt,
                float substep, bool was_stiff) {
    if (!edge.pushes_a || !edge.pushes_b) return false;
    const Body &a = in.bodies[in.slots[edge.a]], &b = in.bodies[in.slots[edge.b]];
    const Body &lighter = a.mass < b.mass ? a : b, &heavier = a.mass < b.mass ? b : a;
    const float least_speed = 2.0f * lighter.inner_radius * lighter.mass / (substep * heavier.mass);
    if (!(most_point_speed(heavier) > least_speed)) return false;
    if (was_stiff && gap == 0.0f) return true;
    const WorldTransform& pose = in.colliders.poses[in.contacts.records[edge.contact].a];
    const Manifold& manifold = in.contacts.manifold(edge.contact);
    const vec3 normal = rotate(pose.rotation, manifold.normal);
    for (int i = 0; i < manifold.count; ++i) {
        const dvec3 p = transform_point(pose, manifold.points[i].on_a);
        const float speed_a = glm::dot(normal, a.linear_velocity + glm::cross(a.angular_velocity, vec3(p - a.center)));
        const float speed_b = glm::dot(normal, b.linear_velocity + glm::cross(b.angular_velocity, vec3(p - b.center)));
        const float closing =
            std::min(speed_a - speed_b, &heavier == &a ? speed_a : -speed_b) + (gap > 0.0f ? gained : 0.0f);
        if (closing > least_speed && gap <= dt * closing) return true;
    }
    return false;
}

/// Returns whether a contact had a normal impulse at the end of the last step.
bool has_pushed(const ContactState& state) {
    return std::any_of(state.impulses, state.impulses + state.point_count, [](float i) { return i > 0.0f; });
}

/// Returns the gap between a contact's surfaces, m; 0 if they press each other.
float gap_of(const ContactTable& contacts, std::uint32_t contact) {
    const Manifold& manifold = contacts.manifold(contact);
    const ContactState& state = contacts.states[contact];
    // Small shapes have a smaller slop, but their contacts carry loads at gaps up to linear_slop.
    const float slop = has_pushed(state) ? settings::linear_slop : state.slop;
    float least = std::numeric_limits<float>::infinity();
    for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.points[i].separation - slop);
    return std::max(least, 0.0f);
}

/// Returns the largest distance by which the two bodies of an edge can approach each other within the step, m.
float most_closing(const StiffGroupSearch::Input& in, const ConstraintGraph::Edge& edge) {
    float speed = 0.0f;
    for (const std::uint32_t i : {edge.a, edge.b}) {
        if (i != 0) speed += most_point_speed(in.contacts.bodies[in.contacts.slots[i]]);
    }
    return in.dt * speed;
}

/// Returns the speed that a body gains in free fall within the step, m/s.
float free_fall_speed(const StiffGroupSearch::Input& in) { return in.dt * glm::length(in.gravity); }

}  // namespace

std::uint32_t StiffGroupSearch::find(const Input& in, std::vector<StiffGroup>& groups, std::uint32_t count) {
    seen_.resize(in.contacts.bodies.slot_count());
    for (std::uint32_t g = 0; g < count; ++g) {
        if (is_spent(groups[g])) refuse(groups[g]);
    }
    count_ = 0;
    islands_.assign(in.contacts.movable_end, Island{});
    const bool examines_all = ++searches_ % settings::stiff_look_every == 0;
    look_at_bodies(in);
    look_at_joints(in);
    // An impact passes through bouncing bodies within one sub-step, so no step may be skipped.
    for (const ConstraintGraph::Edge& edge : in.edges) {
        if (!edge.bounces) continue;
        Island& island = island_of(in, edge);
        island.bounces = island.examined = true;
    }
    if (!choose_islands(examines_all)) return 0;
    look_at_contacts(in);
    gather_contacts(in, groups);
    if (count_ == 0) return 0;
    gather_bodies(in, groups);
    gather_joints(in, groups);
    std::uint32_t kept = 0, links = 0;
    for (std::uint32_t g = 0; g < count_; ++g) {
        if (!complete(in, groups[g])) continue;
        for (const GroupContact& c : groups[g].contacts) in.edges[c.edge].link = links++;
        if (kept != g) std::swap(groups[kept], groups[g]);
        ++kept;
    }
    return kept;
}

/// Remembers that a group was too much work.
void StiffGroupSearch::refuse(const StiffGroup& group) {
    for (const std::uint32_t slot : group.island) {
        seen_[slot].refused = searches_;
        seen_[slot].refused_bodies = static_cast<std::uint32_t>(group.island.size());
    }
}

void StiffGroupSearch::look_at_bodies(const Input& in) {
    const std::span<const std::uint32_t> slots = in.contacts.slots;
    for (std::size_t i = in.contacts.movable_end; i < slots.size(); ++i) {
        if (slots[i] != null_index) seen_[slots[i]] = {.step = searches_};
    }
    for (std::uint32_t i = 1; i < in.contacts.movable_end; ++i) {
        if (slots[i] == null_index) continue;
        Island& island = islands_[in.islands.root(i)];
        const Body& body = in.contacts.bodies[slots[i]];
        island.least = island.bodies == 0 ? body.mass : std::min(island.least, body.mass);
        island.most = std::max(island.most, body.mass);
        island.mass += body.mass;
        Seen& seen = seen_[slots[i]];
        const bool seen_before = seen.step + 1 == searches_;
        island.examined = island.examined || !seen_before || seen.stiff;
        island.was_stiff = island.was_stiff || seen.stiff;
        island.idle = island.idle && seen_before && seen.idle;
        if (seen.refused_bodies != 0 && seen_before && searches_ - seen.refused < settings::stiff_refused_for) {
            island.refused_bodies = std::max(island.refused_bodies, seen.refused_bodies);
        } else {
            seen.refused_bodies = 0;
        }
        seen.step = searches_;
        seen.stiff = false;
        ++island.bodies;
        island.stands = island.stands || locks_bear_load(body.locks, in.gravity);
    }
}

void StiffGroupSearch::look_at_joints(const Input& in) {
    for (const JointEdge& joint : in.joints) {
        Island& island = island_of(in, joint);
        island.jointed = true;
        island.stands = island.stands || joint.a == 0 || joint.b == 0;
        island.excluded = island.excluded || !joint.simple;
    }
}

/// Excludes islands by their masses and by the work that they took. Returns whether any is left.
bool StiffGroupSearch::choose_islands(bool examines_all) {
    bool any = false;
    for (Island& island : islands_) {  // most entries with one body are unused, or index 0
        const bool in_turn =
            island.bodies <= settings::stiff_large || searches_ % settings::stiff_look_every_large == 0;
        island.examined = island.examined || (examines_all && in_turn);
        const float load = island.examined ? island.mass : island.most;
        const float least = island.jointed ? settings::stiff_load_wide : settings::stiff_load;
        // A body that joins the island is not idle, so a blow from outside is noticed at once.
        const bool waits = island.idle && !island.bounces && island.bodies > settings::stiff_large && !examines_all;
        // An island that was too much work must have become smaller by a tenth to be tried again early.
        const bool refused = island.refused_bodies != 0 && 10ull * island.bodies >= 9ull * island.refused_bodies;
        island.light = load < least * island.least;
        island.excluded = island.excluded || refused || waits || island.bodies < 2 ||
                          (island.light && island.bodies > settings::stiff_struck_bodies);
        any = any || !island.excluded;
    }
    return any;
}

void StiffGroupSearch::look_at_contacts(const Input& in) {
    const BodyStore& bodies = in.contacts.bodies;
    const std::span<const std::uint32_t> slots = in.contacts.slots;
    const auto velocity_of = [&](std::uint32_t i) { return i != 0 ? bodies[slots[i]].linear_velocity : vec3(0.0f); };
    const float gained = free_fall_speed(in);
    for (const ConstraintGraph::Edge& edge : in.edges) {
        Island& island = island_of(in, edge);
        if (island.excluded) continue;
        island.stands = island.stands || !edge.pushes_a || !edge.pushes_b;
        island.shares = island.shares || edge.pair != null_index;
        const vec3 speed = velocity_of(edge.b) - velocity_of(edge.a);
        island.calm = island.calm && glm::dot(speed, speed) < settings::stiff_calm * settings::stiff_calm;
        island.excluded = ++island.contacts > settings::stiff_most_contacts;
        if (island.bodies > settings::stiff_struck_bodies || island.struck) continue;
        island.struck = is_crushed(in.contacts, edge, gap_of(in.contacts.contacts, edge.contact), gained, in.dt,
                                   in.substep, island.was_stiff);
    }
}

/// Makes a group of each remaining island, in the order of their first contacts, with the contacts that may carry a
/// load.
void StiffGroupSearch::gather_contacts(const Input& in, std::vector<StiffGroup>& groups) {
    const float gained = free_fall_speed(in);
    const ContactTable& contacts = in.contacts.contacts;
    for (std::uint32_t i = 0; i < in.edges.size(); ++i) {
        const ConstraintGraph::Edge& edge = in.edges[i];
        Island& island = island_of(in, edge);
        const bool by_levels = is_by_levels(island);
        const bool loaded = !island.light && (by_levels || island.most >= settings::stiff_load_wide * island.least);
        if (island.excluded || !(loaded || island.struck)) continue;
        const float gap = gap_of(contacts, edge.contact);
        const bool crushes = (gap > 0.0f || island.struck) &&
                             is_crushed(in.contacts, edge, gap, gained, in.dt, in.substep, island.was_stiff);
        // A contact whose surfaces stay apart in this step carries no load, for example between two sheets of a pack
        // that have another thin sheet between them. A contact whose surfaces slide far stays with the contact solver,
        // because substep_contacts.h updates such contacts within the step, and does not update those of groups.
        const bool presses = gap == 0.0f || crushes || has_pushed(contacts.states[edge.contact]);
        if (!presses && (edge.slide_limit > 0.0f || gap > most_closing(in, edge))) continue;
        if (island.group == null_index) {
            island.group = count_++;
            if (groups.size() < count_) groups.emplace_back();
            groups[island.group].candidates.clear();
            groups[island.group].bodies.clear();
            groups[island.group].joint_edges.clear();
            groups[island.group].by_levels = by_levels;
        }
        GroupCandidate candidate{i, edge.pushes_a ? edge.a : null_index, edge.pushes_b ? edge.b : null_index, gap};
        candidate.crushes = island.struck && crushes;
        groups[island.group].candidates.push_back(candidate);
    }
}

void StiffGroupSearch::gather_bodies(const Input& in, std::vector<StiffGroup>& groups) {
    const std::span<const std::uint32_t> slots = in.contacts.slots;
    local_.resize(slots.size());
    for (std::uint32_t i = 1; i < in.contacts.movable_end; ++i) {
        if (slots[i] == null_index) continue;
        const Island& island = islands_[in.islands.root(i)];
        if (island.group == null_index) continue;
        StiffGroup& group = groups[island.group];
        local_[i] = static_cast<std::uint32_t>(group.bodies.size());
        const Body& body = in.contacts.bodies[slots[i]];
        group.bodies.push_back({.solver = i,
                                .mass = static_cast<double>(body.mass),
                                .held_by_locks = locks_bear_load(body.locks, in.gravity)});
    }
    for (std::uint32_t g = 0; g < count_; ++g) {
        for (GroupCandidate& c : groups[g].candidates) {
            if (c.a != null_index) c.a = local_[c.a];
            if (c.b != null_index) c.b = local_[c.b];
        }
    }
}

void StiffGroupSearch::gather_joints(const Input& in, std::vector<StiffGroup>& groups) {
    for (const JointEdge& joint : in.joints) {
        const Island& island = island_of(in, joint);
        if (island.group == null_index) continue;
        StiffGroup& group = groups[island.group];
        if (joint.a == 0 || joint.b == 0) {
            group.bodies[local_[std::max(joint.a, joint.b)]].anchored = true;
        } else {
            group.joint_edges.push_back({local_[joint.a], local_[joint.b], true});
        }
    }
}

/// Completes a group if it is stiff and not too much work. Returns whether it is.
bool StiffGroupSearch::complete(const Input& in, StiffGroup& group) {
    const std::span<const std::uint32_t> slots = in.contacts.slots;
    group.island.clear();
    for (const GroupBody& body : group.bodies) group.island.push_back(slots[body.solver]);
    const bool is_stiff = loads_.is_stiff(group);
    for (const std::uint32_t slot : group.island) seen_[slot].idle = !is_stiff;
    if (!is_stiff) return false;
    if (!elimination_.find(group)) {
        refuse(group);
        return false;
    }
    group.contacts.resize(group.candidates.size());
    for (std::size_t k = 0; k < group.candidates.size(); ++k) {
        const GroupCandidate& candidate = group.candidates[k];
        GroupContact& c = group.contacts[k];
        c.edge = candidate.edge, c.borne = candidate.borne;
        c.a = candidate.a != null_index ? group.position[candidate.a] : null_index;
        c.b = candidate.b != null_index ? group.position[candidate.b] : null_index;
        c.block = c.a != null_index && c.b != null_index ? block_of(group, std::max(c.a, c.b), std::min(c.a, c.b))
                                                         : null_index;
    }
    for (const GroupBody& body : group.bodies) seen_[slots[body.solver]].stiff = true;
    return true;
}

std::size_t StiffGroupSearch::bytes() const {
    return seen_.capacity() * sizeof(Seen) + islands_.capacity() * sizeof(Island) +
           local_.capacity() * sizeof(std::uint32_t) + loads_.bytes() + elimination_.bytes();
}

}  // namespace talus
