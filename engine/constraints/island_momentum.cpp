/// Angular momentum of islands that nothing bears: after each sub-step it is what it was before.
///
/// Contacts and joints act on their two bodies by opposite impulses at one place, which leaves both momenta of the two
/// as they are. The linear one stays exactly. The angular one does not, for the solver takes a shortcut: the levers of
/// a contact are those at which it was found. Two bodies that have passed each other by d since then, and exchange the
/// impulse P, get the angular momentum d x P from nowhere. Where bodies overlap, are pushed out of each other or slide
/// fast, that was up to 30% of theirs in a step. Inertia that has turned since, impulses that are scaled or taken back
/// (energy_bound.cpp, substep_contacts.cpp), and joints in a loop add to it.
///
/// So it is given back, at the end of each sub-step, to bodies that pushed each other in it, as a rotation of all of
/// them together as one rigid body. Of all changes of velocity that give the missing angular momentum this one has the
/// least energy, and contacts and joints do not feel it: relative velocities at a contact stay as they are. (Given back
/// to the two bodies of each contact by moments, it made them slide anew, and kept heaps awake.)
///
/// What the rotation adds to the energy comes out of the motion of the bodies against each other, so that nothing has
/// more than at the beginning of the sub-step or than the solver has left it.
///
/// Bodies have no angular momentum to keep where something that nothing pushes has pushed them in this step, or a joint
/// ties them to such a body. An island that bore on one at the end of the last step is not looked at, and neither is one
/// with locked axes. Where nothing floats, this costs a look at each body.

#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// Lists the islands of two and more bodies that nothing bears, with the pairs of bodies that may push each other.
void World::State::find_floating_islands() {
    floating.clear();
    const auto floats = [&](std::uint32_t root) {
        return (island_supports[root] & (island_loaded | island_tied)) == 0;
    };
    const auto is_root = [&](std::uint32_t i) { return solver_slots[i] != null_index && islands.root(i) == i; };
    bool any = false;
    for (std::uint32_t i = group_size; i < held_end && !any; ++i) any = is_root(i) && floats(i);
    if (!any) return;

    // By root: the number of its bodies, then where its bodies begin; uncounted for those that do not count.
    constexpr std::uint32_t uncounted = ~0u;
    std::vector<std::uint32_t>& of_root = floating_of;
    of_root.assign(held_end, 0);
    for (std::uint32_t i = group_size; i < held_end; ++i) {
        if (solver_slots[i] == null_index) continue;
        const std::uint32_t root = islands.root(i);
        if (!floats(root) || bodies[solver_slots[i]].locks != 0) of_root[root] = uncounted;
        if (of_root[root] != uncounted) ++of_root[root];
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = group_size; i < held_end; ++i) {
        if (!is_root(i)) continue;
        if (of_root[i] < 2 || of_root[i] == uncounted) {
            of_root[i] = uncounted;
            continue;
        }
        const std::uint32_t of_it = of_root[i];
        of_root[i] = static_cast<std::uint32_t>(floating.size());
        floating.push_back({count, 0, 0, 0});
        count += of_it;
    }
    floating_bodies.assign(count, {});
    floating_places.resize(held_end);
    for (std::uint32_t i = group_size; i < held_end; ++i) {
        if (solver_slots[i] == null_index) continue;
        const std::uint32_t k = of_root[islands.root(i)];
        if (k == uncounted) continue;
        FloatingIsland& island = floating[k];
        floating_places[i] = island.first_body + island.body_count++;
        FloatingBody& body = floating_bodies[floating_places[i]];
        body.index = i;
        body.jointed = (constrained[solver_slots[i]] & by_joint) != 0;
    }
    const auto for_each_pair_of_bodies = [&](auto&& visit) {
        for (std::uint32_t e = 0; e < edges.size(); ++e) {
            const ConstraintGraph::Edge& edge = edges[e];
            const std::uint32_t a = edge.pushes_a ? edge.a : edge.b, b = edge.pushes_b ? edge.b : edge.a;
            const std::uint32_t k = of_root[islands.root(a)];
            if (k != uncounted) visit(floating[k], a, b, e);
        }
        for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
            const JointBodies ends = joints.bodies(j);
            if (ends.b == null_index || !bodies[ends.a].is_dynamic() || !bodies[ends.b].is_dynamic()) continue;
            const std::uint32_t a = solver_index[ends.a], b = solver_index[ends.b];
            if (a >= held_end || b >= held_end || a < group_size || b < group_size) continue;  // they sleep
            const std::uint32_t k = of_root[islands.root(a)];
            if (k != uncounted) visit(floating[k], a, b, null_index);
        }
    };
    for_each_pair_of_bodies([](FloatingIsland& island, auto, auto, auto) { ++island.link_count; });
    std::uint32_t links = 0;
    for (FloatingIsland& island : floating) {
        island.first_link = links;
        links += island.link_count;
        island.link_count = 0;
    }
    floating_links.resize(links);
    for_each_pair_of_bodies([&](FloatingIsland& island, std::uint32_t a, std::uint32_t b, std::uint32_t edge) {
        floating_links[island.first_link + island.link_count++] = {floating_places[a], floating_places[b], edge, 0, 0,
                                                                   edge == null_index};
    });
}

/// Where in the solver the contacts of these islands are.
void World::State::find_floating_contacts() {
    if (floating.empty()) return;
    floating_links_of.assign(edges.size(), null_index);
    for (std::uint32_t l = 0; l < floating_links.size(); ++l) {
        if (floating_links[l].edge != null_index) floating_links_of[floating_links[l].edge] = l;
    }
    solver.for_each_edge([&](std::uint32_t edge, std::uint32_t record, std::uint32_t lane) {
        if (floating_links_of[edge] == null_index) return;
        FloatingLink& link = floating_links[floating_links_of[edge]];
        link.record = record;
        link.lane = lane;
    });
}

/// Only impulses of which the step's contacts will tell: a body without any must not be pushed.
void World::State::note_pushes(const FloatingIsland& island) {
    for (std::uint32_t l = island.first_link; l < island.first_link + island.link_count; ++l) {
        FloatingLink& link = floating_links[l];
        link.pushes = link.pushes || solver.has_pushed(link.record, link.lane);
    }
}

/// Angular momentum that the body has in the solve, N m s. Joints go by the inertia of bodies as they are turned by now,
/// contacts by that of when they were found.
glm::dvec3 World::State::spin_momentum(const FloatingBody& body, bool now) const {
    const vec3 spin = load3(solver_bodies[body.index].angular_velocity);
    if (body_motions.is_gyroscopic(body.index) && !(body.jointed && now))
        return glm::dvec3(body_motions.momentum(body.index, spin));
    return angular_momentum(body.index, glm::dvec3(spin));
}

double World::State::kinetic_energy(const FloatingBody& body) const {
    const SolverBody& sb = solver_bodies[body.index];
    const glm::dvec3 velocity(load3(sb.velocity)), spin(load3(sb.angular_velocity));
    return 0.5 * (static_cast<double>(bodies[solver_slots[body.index]].mass) * glm::dot(velocity, velocity) +
                  glm::dot(spin, angular_momentum(body.index, spin)));
}

/// Once gravity and forces have acted.
void World::State::note_momentum(const FloatingIsland& island) {
    for (std::uint32_t k = island.first_body; k < island.first_body + island.body_count; ++k) {
        FloatingBody& body = floating_bodies[k];
        const SolverBody& sb = solver_bodies[body.index];
        body.velocity = load3(sb.velocity);
        body.center = glm::dvec3(bodies[solver_slots[body.index]].center) + glm::dvec3(load3(sb.displacement));
        body.spin_momentum = spin_momentum(body, false);
        body.energy = kinetic_energy(body);
    }
}

void World::State::restore_momentum(const FloatingIsland& island) {
    const std::uint32_t first = island.first_body, end = first + island.body_count;
    // Bodies that pushed each other in this step, by the lowest of them.
    note_pushes(island);
    const auto root_of = [&](std::uint32_t k) {
        while (floating_bodies[k].parent != k) k = floating_bodies[k].parent;
        return k;
    };
    for (std::uint32_t k = first; k < end; ++k) {
        floating_bodies[k].parent = k;
        floating_bodies[k].sums = {};
    }
    bool borne = false;
    for (std::uint32_t l = island.first_link; l < island.first_link + island.link_count; ++l) {
        const FloatingLink& link = floating_links[l];
        if (!link.pushes) continue;
        const std::uint32_t a = root_of(link.a), b = root_of(link.b);
        floating_bodies[std::max(a, b)].parent = std::min(a, b);
        borne = borne || link.a == link.b;
    }
    const auto for_each = [&](auto&& visit) {
        for (std::uint32_t k = first; k < end; ++k) {
            FloatingBody& body = floating_bodies[k];
            FloatingSums& sums = floating_bodies[body.parent].sums;
            if (sums.count != 1) visit(body, sums);
        }
    };
    const auto center_of = [&](const FloatingBody& body) {
        return glm::dvec3(bodies[solver_slots[body.index]].center) +
               glm::dvec3(load3(solver_bodies[body.index].displacement));
    };
    const auto mass_of = [&](const FloatingBody& body) {
        return static_cast<double>(bodies[solver_slots[body.index]].mass);
    };
    for (std::uint32_t k = first; k < end; ++k) ++floating_bodies[floating_bodies[k].parent = root_of(k)].sums.count;
    for (std::uint32_t l = island.first_link; borne && l < island.first_link + island.link_count; ++l) {
        const FloatingLink& link = floating_links[l];
        if (link.a == link.b && link.pushes) floating_bodies[floating_bodies[link.a].parent].sums.count = 1;
    }
    for_each([&](const FloatingBody& body, FloatingSums& sums) {
        const double mass = mass_of(body);
        sums.mass += mass;
        sums.center_before += mass * body.center;
        sums.velocity_before += mass * glm::dvec3(body.velocity);
        sums.center += mass * center_of(body);
        sums.velocity += mass * glm::dvec3(load3(solver_bodies[body.index].velocity));
    });
    for (std::uint32_t k = first; k < end; ++k) {
        FloatingSums& sums = floating_bodies[k].sums;
        if (sums.count < 2) continue;
        for (glm::dvec3* const sum : {&sums.center_before, &sums.velocity_before, &sums.center, &sums.velocity})
            *sum /= sums.mass;
    }
    for_each([&](const FloatingBody& body, FloatingSums& sums) {
        const double mass = mass_of(body);
        const glm::dvec3 orbit =
            mass * glm::cross(body.center - sums.center_before, glm::dvec3(body.velocity) - sums.velocity_before);
        const glm::dvec3 arm = center_of(body) - sums.center;
        sums.momentum += orbit + body.spin_momentum;
        sums.size += std::sqrt(glm::dot(orbit, orbit)) + std::sqrt(glm::dot(body.spin_momentum, body.spin_momentum));
        sums.energy_before += body.energy;
        sums.energy += kinetic_energy(body);
        sums.inertia += body_motions.solver_inertia(body.index, body.jointed) +
                        mass * (glm::dmat3(glm::dot(arm, arm)) - glm::outerProduct(arm, arm));
    });
    const auto add_momenta = [&] {
        for_each([&](const FloatingBody& body, FloatingSums& sums) {
            const glm::dvec3 velocity = glm::dvec3(load3(solver_bodies[body.index].velocity)) - sums.velocity;
            sums.now += mass_of(body) * glm::cross(center_of(body) - sums.center, velocity) + spin_momentum(body, true);
        });
    };
    const auto inverse_times = [](const glm::dmat3& inertia, const glm::dvec3& momentum) {
        const double size = inertia[0][0] + inertia[1][1] + inertia[2][2];
        constexpr double least = 1e-12;  // below it the inverse is rounding
        return glm::determinant(inertia) > least * size * size * size ? glm::inverse(inertia) * momentum
                                                                      : glm::dvec3(0.0);
    };
    // Velocities: `kept` of what they are beyond the rotation `common`, and `added` of rotation.
    const auto turn = [&](FloatingBody& body, const FloatingSums& sums, double kept, const glm::dvec3& common,
                          const glm::dvec3& added) {
        SolverBody& sb = solver_bodies[body.index];
        const glm::dvec3 arm = center_of(body) - sums.center;
        const glm::dvec3 shared = sums.velocity + glm::cross(common, arm);
        const glm::dvec3 own = glm::dvec3(load3(sb.velocity)) - shared,
                         spin = glm::dvec3(load3(sb.angular_velocity)) - common;
        store3(sb.velocity, vec3(shared + kept * own + glm::cross(added, arm)));
        store3(sb.angular_velocity, vec3(common + kept * spin + added));
        if (body.jointed) body_motions.set_spin(body.index, load3(sb.angular_velocity));
    };
    const auto give_missing = [&] {
        bool any = false;
        for (std::uint32_t k = first; k < end; ++k) floating_bodies[k].sums.now = glm::dvec3(0.0);
        add_momenta();
        for (std::uint32_t k = first; k < end; ++k) {
            FloatingSums& sums = floating_bodies[k].sums;
            sums.changes = false;
            if (sums.count < 2) continue;
            const glm::dvec3 missing = sums.momentum - sums.now;
            constexpr double share = settings::momentum_share;
            sums.changes = glm::dot(missing, missing) > share * share * sums.size * sums.size;
            if (!sums.changes) continue;
            sums.added = inverse_times(sums.inertia, missing);
            sums.common = inverse_times(sums.inertia, sums.momentum);
            sums.shared =
                0.5 * (sums.mass * glm::dot(sums.velocity, sums.velocity) + glm::dot(sums.common, sums.momentum));
            // Bodies in line may have turned to where the same momentum has more energy than there is.
            sums.changes = sums.shared <= std::max(sums.energy, sums.energy_before);
            any = any || sums.changes;
        }
        if (!any) return false;
        for_each([&](FloatingBody& body, const FloatingSums& sums) {
            if (sums.changes) turn(body, sums, 1.0, glm::dvec3(0.0), sums.added);
        });
        return true;
    };
    if (!give_missing()) return;
    bool any = false;
    for_each([&](const FloatingBody& body, FloatingSums& sums) { sums.energy_now += kinetic_energy(body); });
    for (std::uint32_t k = first; k < end; ++k) {
        FloatingSums& sums = floating_bodies[k].sums;
        if (!sums.changes) continue;
        const double gained = sums.energy_now - std::max(sums.energy, sums.energy_before);
        sums.changes = gained > settings::momentum_share * sums.energy_now;
        if (!sums.changes) continue;
        any = true;
        const double within = sums.energy_now - sums.shared;
        sums.kept = gained < within ? std::sqrt(1.0 - gained / within) : 0.0;
    }
    if (!any) return;
    for_each([&](FloatingBody& body, const FloatingSums& sums) {
        if (sums.changes) turn(body, sums, sums.kept, sums.common, glm::dvec3(0.0));
    });
    // The momentum that a body has by an inertia other than that of its contacts was not scaled.
    give_missing();
}

}  // namespace talus
