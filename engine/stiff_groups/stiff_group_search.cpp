/// Which contacts are solved together (stiff_groups.h).

#include "engine/stiff_groups/stiff_groups.h"

#include "engine/bodies/body_store.h"
#include "engine/settings.h"

#include <algorithm>
#include <limits>

namespace talus {

namespace {

/// Whether a body with these locks cannot fall, so that what stands on it stands.
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

/// Returns a bound on the speed of every point of a body, m/s.
float most_point_speed(const Body& body) {
    return glm::length(body.linear_velocity) + body.radius * glm::length(body.angular_velocity);
}

/// Returns whether the heavier of two bodies would penetrate the lighter one, or push it into its support, by about half
/// the lighter one's thickness if sweeps alone solved the contact. Sweeps take about as many sub-steps to stop the heavier
/// body as it is times heavier. The heavier body's own motion must close the gap within this step. If there is no gap, it
/// must be faster than that without gravity, or every heavy body at rest on a thin plate would count; after a step in which
/// the island was a group (`was_stiff`), it is enough that the heavier body still moves. `gained` is the speed, m/s, that
/// gravity adds within the step.
bool is_crushed(const SolverContacts& in, const ConstraintGraph::Edge& edge, float gap, float gained, float dt,
                float substep, bool was_stiff) {
    if (!edge.pushes_a || !edge.pushes_b) return false;
    const Body &a = in.bodies[in.slots[edge.a]], &b = in.bodies[in.slots[edge.b]];
    const Body &lighter = a.mass < b.mass ? a : b, &heavier = a.mass < b.mass ? b : a;
    const float least_speed = 2.0f * lighter.inner_radius * lighter.mass / (substep * heavier.mass);
    if (!(most_point_speed(heavier) > least_speed)) return false;
    if (was_stiff && gap == 0.0f) return true;
    const Transform& pose = in.colliders.poses[in.contacts.records[edge.contact].a];
    const Manifold& manifold = in.contacts.manifold(edge.contact);
    const vec3 normal = rotate(pose.rotation, manifold.normal);
    for (int i = 0; i < manifold.count; ++i) {
        const vec3 p = transform_point(pose, manifold.points[i].on_a);
        const float speed_a = glm::dot(normal, a.linear_velocity + glm::cross(a.angular_velocity, p - a.center));
        const float speed_b = glm::dot(normal, b.linear_velocity + glm::cross(b.angular_velocity, p - b.center));
        const float closing =
            std::min(speed_a - speed_b, &heavier == &a ? speed_a : -speed_b) + (gap > 0.0f ? gained : 0.0f);
        if (closing > least_speed && gap <= dt * closing) return true;
    }
    return false;
}

/// Returns whether a contact had a normal impulse at the end of the last step.
bool pushed(const ContactState& state) {
    return std::any_of(state.impulses, state.impulses + state.point_count, [](float i) { return i > 0.0f; });
}

/// Returns the gap between a contact's surfaces, m; 0 if they press each other.
float gap_of(const ContactTable& contacts, std::uint32_t contact) {
    const Manifold& manifold = contacts.manifold(contact);
    const ContactState& state = contacts.states[contact];
    // Small shapes have a smaller slop, but their contacts carry load at gaps up to linear_slop.
    const float slop = pushed(state) ? settings::linear_slop : state.slop;
    float least = std::numeric_limits<float>::infinity();
    for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.points[i].separation - slop);
    return std::max(least, 0.0f);
}

}  // namespace

void StiffGroups::find(const SolverContacts& in, std::span<ConstraintGraph::Edge> edges, std::span<const Tie> ties,
                       const vec3& gravity, float dt, float substep, Islands& islands) {
    const BodyStore& bodies = in.bodies;
    const std::span<const std::uint32_t> slots = in.slots;
    const std::uint32_t held_end = in.held_end;
    seen_.resize(bodies.slot_count());
    const auto refuse = [&](const Group& group) {
        for (const std::uint32_t slot : group.island) {
            seen_[slot].refused = looks_;
            seen_[slot].refused_bodies = static_cast<std::uint32_t>(group.island.size());
        }
    };
    for (std::uint32_t g = 0; g < count_; ++g) {
        if (is_spent(groups_[g])) refuse(groups_[g]);
    }
    count_ = 0;
    islands_.assign(held_end, Island{});
    const bool looks_at_all = ++looks_ % settings::stiff_look_every == 0;
    for (std::uint32_t i = held_end; i < slots.size(); ++i) {
        if (slots[i] != null_index) seen_[slots[i]] = {.step = looks_};
    }
    for (std::uint32_t i = 1; i < held_end; ++i) {
        if (slots[i] == null_index) continue;
        Island& island = islands_[islands.find(i)];
        const talus::Body& body = bodies[slots[i]];
        island.least = island.bodies == 0 ? body.mass : std::min(island.least, body.mass);
        island.most = std::max(island.most, body.mass);
        island.mass += body.mass;
        Seen& seen = seen_[slots[i]];
        island.looked_at = island.looked_at || seen.step + 1 != looks_ || seen.stiff;
        island.was_stiff = island.was_stiff || seen.stiff;
        if (seen.refused_bodies != 0 && seen.step + 1 == looks_ &&
            looks_ - seen.refused < settings::stiff_refused_for) {
            island.refused_bodies = std::max(island.refused_bodies, seen.refused_bodies);
        } else {
            seen.refused_bodies = 0;
        }
        seen.step = looks_;
        seen.stiff = false;
        ++island.bodies;
        island.stands = island.stands || locks_bear_load(body.locks, gravity);
    }
    for (const Tie& tie : ties) {
        Island& island = islands_[islands.find(tie.a != 0 ? tie.a : tie.b)];
        island.jointed = true;
        island.stands = island.stands || tie.a == 0 || tie.b == 0;
        island.excluded = island.excluded || !tie.simple;
    }
    // A blow runs through what bounces within a sub-step, so that no step may be left out.
    for (const ConstraintGraph::Edge& edge : edges) {
        if (!edge.bounces) continue;
        Island& island = islands_[islands.find(edge.pushes_a ? edge.a : edge.b)];
        island.bounces = island.looked_at = true;
    }
    // Of the islands of one body most are empty places and index 0.
    bool any = false;
    for (Island& island : islands_) {
        const bool in_turn = island.bodies <= settings::stiff_large || looks_ % settings::stiff_look_every_large == 0;
        island.looked_at = island.looked_at || (looks_at_all && in_turn);
        const float load = island.looked_at ? island.mass : island.most;
        const float least = island.jointed ? settings::stiff_load_wide : settings::stiff_load;
        // An island that was too much work has to become smaller by a tenth to be tried again before its time.
        const bool refused = island.refused_bodies != 0 && 10ull * island.bodies >= 9ull * island.refused_bodies;
        island.light = load < least * island.least;
        island.excluded = island.excluded || refused || island.bodies < 2 ||
                          (island.light && island.bodies > settings::stiff_struck_bodies);
        any = any || !island.excluded;
    }
    if (!any) return;
    const auto velocity_of = [&](std::uint32_t i) { return i != 0 ? bodies[slots[i]].linear_velocity : vec3(0.0f); };
    const float gained = dt * glm::length(gravity);  // speed in free fall
    const auto most_closing = [&](const ConstraintGraph::Edge& edge) {
        float speed = 0.0f;
        for (const std::uint32_t i : {edge.a, edge.b}) {
            if (i != 0) speed += most_point_speed(bodies[slots[i]]);
        }
        return dt * speed;
    };
    for (const ConstraintGraph::Edge& edge : edges) {
        Island& island = islands_[islands.find(edge.pushes_a ? edge.a : edge.b)];
        if (island.excluded) continue;
        island.stands = island.stands || !edge.pushes_a || !edge.pushes_b;
        island.shares = island.shares || edge.pair != null_index;
        const vec3 speed = velocity_of(edge.b) - velocity_of(edge.a);
        island.calm = island.calm && glm::dot(speed, speed) < settings::stiff_calm * settings::stiff_calm;
        island.excluded = ++island.contacts > settings::stiff_most_contacts;
        if (island.bodies > settings::stiff_struck_bodies || island.struck) continue;
        island.struck = is_crushed(in, edge, gap_of(in.contacts, edge.contact), gained, dt, substep, island.was_stiff);
    }
    // In the order of the first contact of each.
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const ConstraintGraph::Edge& edge = edges[i];
        Island& island = islands_[islands.find(edge.pushes_a ? edge.a : edge.b)];
        const bool by_levels = !island.shares && ((island.stands && island.calm) || island.bounces);
        const bool loaded = !island.light && (by_levels || island.most >= settings::stiff_load_wide * island.least);
        if (island.excluded || !(loaded || island.struck)) continue;
        const float gap = gap_of(in.contacts, edge.contact);
        const bool crushes =
            (gap > 0.0f || island.struck) && is_crushed(in, edge, gap, gained, dt, substep, island.was_stiff);
        // A contact whose surfaces stay apart in this step bears nothing, for example between a thin sheet and the next
        // but one in a pack. A contact that slides far stays with the sweeps, because substep_contacts.cpp updates it within
        // the step and does not update the contacts of groups.
        const bool presses = gap == 0.0f || crushes || pushed(in.contacts.states[edge.contact]);
        if (!presses && (edge.slide_room > 0.0f || gap > most_closing(edge))) continue;
        if (island.group == none) {
            island.group = count_++;
            if (groups_.size() < count_) groups_.emplace_back();
            groups_[island.group].links.clear();
            groups_[island.group].bodies.clear();
            groups_[island.group].ties.clear();
            groups_[island.group].by_levels = by_levels;
        }
        Link link{i, edge.pushes_a ? edge.a : none, edge.pushes_b ? edge.b : none, gap};
        link.crushes = island.struck && crushes;
        groups_[island.group].links.push_back(link);
    }
    if (count_ == 0) return;
    local_.resize(slots.size());
    for (std::uint32_t i = 1; i < held_end; ++i) {
        if (slots[i] == null_index) continue;
        const Island& island = islands_[islands.find(i)];
        if (island.group == none) continue;
        local_[i] = static_cast<std::uint32_t>(groups_[island.group].bodies.size());
        const talus::Body& body = bodies[slots[i]];
        groups_[island.group].bodies.push_back(
            {.solver = i, .mass = static_cast<double>(body.mass), .held = locks_bear_load(body.locks, gravity)});
    }
    for (const Tie& tie : ties) {
        const Island& island = islands_[islands.find(tie.a != 0 ? tie.a : tie.b)];
        if (island.group == none) continue;
        Group& group = groups_[island.group];
        if (tie.a == 0 || tie.b == 0) {
            group.bodies[local_[std::max(tie.a, tie.b)]].tied = true;
        } else {
            group.ties.push_back({local_[tie.a], local_[tie.b], true});
        }
    }
    std::uint32_t kept = 0, links = 0;
    for (std::uint32_t g = 0; g < count_; ++g) {
        Group& group = groups_[g];
        for (Link& link : group.links) {
            if (link.a != none) link.a = local_[link.a];
            if (link.b != none) link.b = local_[link.b];
        }
        group.island.clear();
        for (const Body& body : group.bodies) group.island.push_back(slots[body.solver]);
        if (!is_stiff(group)) continue;
        if (!order(group)) {
            refuse(group);
            continue;
        }
        group.contacts.resize(group.links.size());
        for (std::size_t k = 0; k < group.links.size(); ++k) {
            const Link& link = group.links[k];
            Contact& c = group.contacts[k];
            c.edge = link.edge, c.borne = link.borne;
            c.a = link.a != none ? group.place[link.a] : none;
            c.b = link.b != none ? group.place[link.b] : none;
            c.block = c.a != none && c.b != none ? block_of(group, std::max(c.a, c.b), std::min(c.a, c.b)) : none;
        }
        for (const Body& body : group.bodies) seen_[slots[body.solver]].stiff = true;
        for (const Contact& c : group.contacts) edges[c.edge].link = links++;
        if (kept != g) std::swap(groups_[kept], group);
        ++kept;
    }
    count_ = kept;
}

/// Which of the group's bodies are tied together.
void StiffGroups::find_parts(const Group& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    part_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) part_[i] = i;
    tied_.assign(count, 0);
    if (group.ties.empty()) return;
    const auto first_of = [&](std::uint32_t i) {
        while (part_[i] != i) i = part_[i] = part_[part_[i]];
        return i;
    };
    for (const Tie& tie : group.ties) {
        const std::uint32_t a = first_of(tie.a), b = first_of(tie.b);
        part_[std::max(a, b)] = std::min(a, b);
    }
    for (std::uint32_t i = 0; i < count; ++i) part_[i] = first_of(i);
    for (const Tie& tie : group.ties) tied_[part_[tie.a]] = 1;
}

/// Estimates what each contact bears: a body hands its own mass and all that it bears down to the contacts by which it
/// stands one level lower, in equal parts. Levels count contacts from what cannot be pushed, but the nearest come first
/// (Dijkstra 1959): a box that falls on a plate will stand on the plate, though the ground below is within its reach.
/// Bodies that joints tie together are one part, which stands and bears as a whole.
bool StiffGroups::is_stiff(Group& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    // Room for twice as much: contacts come and go, and a steady step allocates nothing.
    const auto make_room = [](auto& vector, std::size_t size) {
        if (vector.capacity() < size) vector.reserve(2 * size);
    };
    for (auto* vector : {&first_of_, &contact_of_, &level_, &queue_})
        make_room(*vector, count + 2 * group.links.size() + 1);
    make_room(borne_, count);
    find_parts(group);
    const auto part_of = [&](std::uint32_t body) { return body == none ? none : part_[body]; };
    const auto is_inside = [&](const Link& c) { return c.a != none && c.b != none && part_[c.a] == part_[c.b]; };
    first_of_.assign(count + 1, 0);
    for (const Link& c : group.links) {
        if (is_inside(c)) continue;
        if (c.a != none) ++first_of_[part_[c.a] + 1];
        if (c.b != none) ++first_of_[part_[c.b] + 1];
    }
    for (std::uint32_t i = 0; i < count; ++i) first_of_[i + 1] += first_of_[i];
    contact_of_.resize(first_of_[count]);
    level_.assign(count, none);  // places first
    queue_.assign(first_of_.begin(), first_of_.end() - 1);
    for (std::uint32_t k = 0; k < group.links.size(); ++k) {
        const Link& c = group.links[k];
        if (is_inside(c)) continue;
        if (c.a != none) contact_of_[queue_[part_[c.a]]++] = k;
        if (c.b != none) contact_of_[queue_[part_[c.b]]++] = k;
    }
    queue_.clear();
    arrivals_.clear();
    reach_.resize(count);
    const auto place = [&](std::uint32_t body, float reach, std::uint32_t level) {
        if (level_[body] != none) return;
        level_[body] = level;
        reach_[body] = reach;
        queue_.push_back(body);
    };
    const auto is_farther = [](const Arrival& x, const Arrival& y) { return x.reach > y.reach; };
    const auto place_over = [&](const Link& c, std::uint32_t body, float reach, std::uint32_t level) {
        if (c.gap == 0.0f) return place(body, reach, level);
        arrivals_.push_back({reach + c.gap, body, level});
        std::push_heap(arrivals_.begin(), arrivals_.end(), is_farther);
    };
    for (const Link& c : group.links) {
        if (c.a == none || c.b == none) place_over(c, part_[c.a != none ? c.a : c.b], 0.0f, 1);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (group.bodies[i].held) place(part_[i], 0.0f, 1);
    }
    const auto other = [&](const Link& c, std::uint32_t part) { return part_of(part_of(c.a) == part ? c.b : c.a); };
    std::size_t next_in_queue = 0;
    const auto climb = [&] {
        for (;;) {
            for (; next_in_queue < queue_.size(); ++next_in_queue) {
                const std::uint32_t body = queue_[next_in_queue];
                for (std::uint32_t i = first_of_[body]; i < first_of_[body + 1]; ++i) {
                    const Link& c = group.links[contact_of_[i]];
                    const std::uint32_t above = other(c, body);
                    if (above != none && level_[above] == none) place_over(c, above, reach_[body], level_[body] + 1);
                }
            }
            if (arrivals_.empty()) return;
            // Bodies that land at about the same time land together, for example the legs of a table.
            const float reach = arrivals_.front().reach;
            while (!arrivals_.empty() && arrivals_.front().reach <= reach + settings::linear_slop) {
                std::pop_heap(arrivals_.begin(), arrivals_.end(), is_farther);
                place(arrivals_.back().body, reach, arrivals_.back().level);
                arrivals_.pop_back();
            }
        }
    };
    climb();
    // Joints with what cannot be pushed may bear or be slack: only what stands on nothing else hangs on them.
    for (std::uint32_t i = 0; i < count; ++i) {
        if (group.bodies[i].tied) place(part_[i], 0.0f, 1);
    }
    if (queue_.empty()) place(part_[0], 0.0f, 1);  // nothing stands: as if all hung on the first body
    climb();
    borne_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) borne_[i] = 0.0;
    for (std::uint32_t i = 0; i < count; ++i) borne_[part_[i]] += group.bodies[i].mass;
    // Visits the contacts by which a body stands on bodies that are nearer to an immovable one.
    const auto for_each_support = [&](std::uint32_t body, auto&& visit) {
        for (std::uint32_t i = first_of_[body]; i < first_of_[body + 1]; ++i) {
            Link& c = group.links[contact_of_[i]];
            const std::uint32_t below = other(c, body);
            const float reach = below == none ? 0.0f : reach_[below];
            const std::uint32_t level = below == none ? 0 : level_[below];
            if (reach < reach_[body] || (reach == reach_[body] && level + 1 == level_[body])) visit(c, below);
        }
    };
    double most = 0.0, most_tied = 0.0;
    for (std::size_t next = queue_.size(); next-- > 0;) {
        const std::uint32_t body = queue_[next];
        int supports = 0;
        for_each_support(body, [&](Link&, std::uint32_t) { ++supports; });
        if (supports == 0) continue;  // the first body of what floats
        const double share = borne_[body] / supports;
        for_each_support(body, [&](Link& c, std::uint32_t below) {
            c.borne += share;
            if (below != none) borne_[below] += share;
            const bool tied = tied_[body] != 0 || (below != none && tied_[below] != 0);
            if (tied && below == none) return;  // joint_contacts.cpp
            double& largest = tied ? most_tied : most;
            largest = std::max(largest,
                               (group.by_levels ? share : group.bodies[body].mass / supports) / lighter_of(group, c));
        });
    }
    std::uint32_t levels = 0;
    for (const std::uint32_t body : queue_) levels = std::max(levels, level_[body]);
    const bool slender = static_cast<float>(count) <= settings::stiff_width * static_cast<float>(levels);
    const double least =
        static_cast<double>(slender && group.by_levels ? settings::stiff_load : settings::stiff_load_wide);
    const bool is_heavy = most >= least || most_tied >= static_cast<double>(settings::stiff_load_wide);
    const bool is_struck = std::ranges::any_of(group.links, [](const Link& c) { return c.crushes; });
    if (!is_heavy && !is_struck) return false;
    // A blow needs only the contacts below it. A standing load needs them all: a wall gives way to the sides.
    loaded_.assign(count, is_heavy ? 1 : 0);
    for (std::size_t next = queue_.size(); next-- > 0;) {
        const std::uint32_t body = queue_[next];
        bool loaded = loaded_[body] != 0;
        for_each_support(body, [&](Link& c, std::uint32_t) { loaded = loaded || c.crushes; });
        if (!loaded) continue;
        for_each_support(body, [&](Link& c, std::uint32_t below) {
            c.loaded = true;
            if (below != none) loaded_[below] = 1;
        });
    }
    drop_idle(group);
    return !group.links.empty();
}

double StiffGroups::lighter_of(const Group& group, const Link& c) {
    const double a = group.bodies[c.a != none ? c.a : c.b].mass, b = group.bodies[c.b != none ? c.b : c.a].mass;
    return std::min(a, b);
}

/// Leaves contacts between bodies on one level, which bear nothing, to the sweeps. Such ones touch and part all the
/// time, as towers do that stand side by side, and each time other rows are active.
void StiffGroups::drop_idle(Group& group) {
    // Those of bodies that joints tie stay: joints hand on what they bear, and the joint solver leaves them to the group.
    const auto is_tied = [&](std::uint32_t body) { return body != none && tied_[part_[body]] != 0; };
    std::erase_if(group.links, [&](const Link& c) { return !c.loaded && !is_tied(c.a) && !is_tied(c.b); });
    level_.assign(group.bodies.size(), none);  // new places
    for (const Tie& tie : group.ties) level_[tie.a] = level_[tie.b] = 0;
    for (Link& c : group.links) {
        const double a = c.a != none ? group.bodies[c.a].mass : 0.0, b = c.b != none ? group.bodies[c.b].mass : 0.0;
        c.borne = std::max(c.borne, std::max(a, b));
        if (c.a != none) level_[c.a] = 0;
        if (c.b != none) level_[c.b] = 0;
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < group.bodies.size(); ++i) {
        if (level_[i] == none) continue;
        group.bodies[count] = group.bodies[i];
        level_[i] = count++;
    }
    group.bodies.resize(count);
    for (Link& c : group.links) {
        if (c.a != none) c.a = level_[c.a];
        if (c.b != none) c.b = level_[c.b];
    }
    for (Tie& tie : group.ties) tie.a = level_[tie.a], tie.b = level_[tie.b];
}

}  // namespace talus
