#include "engine/solve/island_momentum.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

void IslandMomentum::find_islands(const SolveInput& in, const IslandSupports& supports) {
    islands_.clear();
    const auto is_unsupported = [&](std::uint32_t root) {
        return !supports.is_pushed_by_immovable(root) && !supports.is_jointed_to_immovable(root);
    };
    const auto is_root = [&](std::uint32_t i) { return in.indices.is_body(i) && in.islands.root(i) == i; };
    bool any = false;
    for (std::uint32_t i = SolverIndices::group_size; i < in.indices.movable_end() && !any; ++i)
        any = is_root(i) && is_unsupported(i);
    if (!any) return;

    // By root: the number of its bodies, later the island's index; `uncounted` for islands that are not listed.
    constexpr std::uint32_t uncounted = ~0u;
    std::vector<std::uint32_t>& of_root = island_of_root_;
    of_root.assign(in.indices.movable_end(), 0);
    for (std::uint32_t i = SolverIndices::group_size; i < in.indices.movable_end(); ++i) {
        if (!in.indices.is_body(i)) continue;
        const std::uint32_t root = in.islands.root(i);
        if (!is_unsupported(root) || in.body(i).locks != 0) of_root[root] = uncounted;
        if (of_root[root] != uncounted) ++of_root[root];
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = SolverIndices::group_size; i < in.indices.movable_end(); ++i) {
        if (!is_root(i)) continue;
        if (of_root[i] < 2 || of_root[i] == uncounted) {
            of_root[i] = uncounted;
            continue;
        }
        const std::uint32_t of_it = of_root[i];
        of_root[i] = static_cast<std::uint32_t>(islands_.size());
        islands_.push_back({count, 0, 0, 0});
        count += of_it;
    }
    bodies_.assign(count, {});
    place_of_.resize(in.indices.movable_end());
    for (std::uint32_t i = SolverIndices::group_size; i < in.indices.movable_end(); ++i) {
        if (!in.indices.is_body(i)) continue;
        const std::uint32_t k = of_root[in.islands.root(i)];
        if (k == uncounted) continue;
        Island& island = islands_[k];
        place_of_[i] = island.first_body + island.body_count++;
        UnsupportedBody& body = bodies_[place_of_[i]];
        body.index = i;
        body.jointed = in.indices.has_joint(in.indices.slot(i));
    }
    const auto for_each_pair_of_bodies = [&](auto&& visit) {
        for (std::uint32_t e = 0; e < in.edges.size(); ++e) {
            const ConstraintGraph::Edge& edge = in.edges[e];
            const std::uint32_t a = edge.pushes_a ? edge.a : edge.b, b = edge.pushes_b ? edge.b : edge.a;
            const std::uint32_t k = of_root[in.islands.root(a)];
            if (k != uncounted) visit(islands_[k], a, b, e);
        }
        for (std::uint32_t j = 0; j < in.joints.slot_count(); ++j) {
            const JointBodies joined = in.joints.bodies(j);
            if (joined.b == null_index || !in.bodies[joined.a].is_dynamic() || !in.bodies[joined.b].is_dynamic())
                continue;
            const std::uint32_t a = in.indices.of(joined.a), b = in.indices.of(joined.b);
            if (a >= in.indices.movable_end() || b >= in.indices.movable_end() || a < SolverIndices::group_size ||
                b < SolverIndices::group_size)
                continue;  // a sleeping body
            const std::uint32_t k = of_root[in.islands.root(a)];
            if (k != uncounted) visit(islands_[k], a, b, null_index);
        }
    };
    for_each_pair_of_bodies([](Island& island, auto, auto, auto) { ++island.link_count; });
    std::uint32_t links = 0;
    for (Island& island : islands_) {
        island.first_link = links;
        links += island.link_count;
        island.link_count = 0;
    }
    links_.resize(links);
    for_each_pair_of_bodies([&](Island& island, std::uint32_t a, std::uint32_t b, std::uint32_t edge) {
        links_[island.first_link + island.link_count++] = {place_of_[a], place_of_[b], edge, 0, 0, edge == null_index};
    });
}

void IslandMomentum::find_contacts(const SolveInput& in, const ContactSolver& solver) {
    if (islands_.empty()) return;
    link_of_edge_.assign(in.edges.size(), null_index);
    for (std::uint32_t l = 0; l < links_.size(); ++l) {
        if (links_[l].edge != null_index) link_of_edge_[links_[l].edge] = l;
    }
    solver.for_each_edge([&](std::uint32_t edge, std::uint32_t record, std::uint32_t lane) {
        if (link_of_edge_[edge] == null_index) return;
        Link& link = links_[link_of_edge_[edge]];
        link.record = record;
        link.lane = lane;
    });
}

/// Notes which contacts have pushed: a body that no contact has pushed must not be moved.
void IslandMomentum::note_pushes(const Island& island, const ContactSolver& solver) {
    for (std::uint32_t l = island.first_link; l < island.first_link + island.link_count; ++l) {
        Link& link = links_[l];
        link.pushes = link.pushes || solver.has_pushed(link.record, link.lane);
    }
}

/// Returns the angular momentum that the body has in the solve, N m s. Joints use the inertia tensor at the body's
/// present rotation, contacts the one of the time when they were tested.
glm::dvec3 IslandMomentum::spin_momentum(const SolveInput& in, const SolverBodies& moving, const UnsupportedBody& body,
                                         bool now) {
    const vec3 spin = load3(moving[body.index].angular_velocity);
    if (moving.motions().is_gyroscopic(body.index) && !(body.jointed && now))
        return glm::dvec3(moving.motions().momentum(body.index, spin));
    return moving.angular_momentum(body.index, in.body(body.index), glm::dvec3(spin));
}

double IslandMomentum::kinetic_energy(const SolveInput& in, const SolverBodies& moving, const UnsupportedBody& body) {
    const SolverBody& sb = moving[body.index];
    const glm::dvec3 velocity(load3(sb.velocity)), spin(load3(sb.angular_velocity));
    return 0.5 * (static_cast<double>(in.body(body.index).mass) * glm::dot(velocity, velocity) +
                  glm::dot(spin, moving.angular_momentum(body.index, in.body(body.index), spin)));
}

/// Returns a body's centre of mass as seen from where the island's first body was at the start of the step, m.
glm::dvec3 IslandMomentum::center_of(const Island& island, const SolveInput& in, const SolverBodies& moving,
                                     const UnsupportedBody& body) const {
    const dvec3& origin = in.body(bodies_[island.first_body].index).center;
    return in.body(body.index).center - origin + dvec3(load3(moving[body.index].displacement));
}

void IslandMomentum::note(std::uint32_t island_index, const SolveInput& in, const SolverBodies& moving) {
    const Island& island = islands_[island_index];
    for (std::uint32_t k = island.first_body; k < island.first_body + island.body_count; ++k) {
        UnsupportedBody& body = bodies_[k];
        const SolverBody& sb = moving[body.index];
        body.velocity = load3(sb.velocity);
        body.center = center_of(island, in, moving, body);
        body.spin_momentum = spin_momentum(in, moving, body, false);
        body.energy = kinetic_energy(in, moving, body);
    }
}

namespace {

glm::dvec3 inverse_times(const glm::dmat3& inertia, const glm::dvec3& momentum) {
    const double size = inertia[0][0] + inertia[1][1] + inertia[2][2];
    constexpr double least = 1e-12;  // below it, the inverse is dominated by rounding
    return glm::determinant(inertia) > least * size * size * size ? glm::inverse(inertia) * momentum : glm::dvec3(0.0);
}

}  // namespace

/// The work of restore() on one island.
struct IslandMomentum::Restoring {
    IslandMomentum& own;
    const Island& island;
    const SolveInput& in;
    SolverBodies& moving;

    void find_groups();
    void find_momentum();
    bool give_missing_momentum();
    bool find_gained_energy();
    void remove_gained_energy();

private:
    UnsupportedBody& body(std::uint32_t k) const { return own.bodies_[island.first_body + k]; }
    glm::dvec3 center_of(const UnsupportedBody& body) const { return own.center_of(island, in, moving, body); }
    double mass_of(const UnsupportedBody& body) const { return static_cast<double>(in.body(body.index).mass); }
    void turn(UnsupportedBody& body, const Sums& sums, double kept, const glm::dvec3& common, const glm::dvec3& added);

    /// Calls visit(body, sums of its group) for each body, except where a fixed or kinematic body has pushed the group
    /// and for bodies that nothing has pushed.
    template <class Visit>
    void for_each_body(Visit&& visit) {
        for (std::uint32_t k = 0; k < island.body_count; ++k) {
            UnsupportedBody& visited = body(k);
            Sums& sums = own.bodies_[visited.parent].sums;
            if (sums.count != 1) visit(visited, sums);
        }
    }
    /// Calls visit(sums) for each such group.
    template <class Visit>
    void for_each_group(Visit&& visit) {
        for (std::uint32_t k = 0; k < island.body_count; ++k) {
            if (body(k).sums.count > 1) visit(body(k).sums);
        }
    }
};

/// Finds the groups of bodies that have pushed each other in this step. The lowest body stands for its group.
void IslandMomentum::Restoring::find_groups() {
    std::vector<UnsupportedBody>& bodies = own.bodies_;
    const std::uint32_t first = island.first_body, end = first + island.body_count;
    const auto root_of = [&](std::uint32_t k) {
        while (bodies[k].parent != k) k = bodies[k].parent;
        return k;
    };
    for (std::uint32_t k = first; k < end; ++k) {
        bodies[k].parent = k;
        bodies[k].sums = {};
    }
    bool any_immovable = false;
    for (std::uint32_t l = island.first_link; l < island.first_link + island.link_count; ++l) {
        const Link& link = own.links_[l];
        if (!link.pushes) continue;
        const std::uint32_t a = root_of(link.a), b = root_of(link.b);
        bodies[std::max(a, b)].parent = std::min(a, b);
        any_immovable = any_immovable || link.a == link.b;
    }
    for (std::uint32_t k = first; k < end; ++k) ++bodies[bodies[k].parent = root_of(k)].sums.count;
    for (std::uint32_t l = island.first_link; any_immovable && l < island.first_link + island.link_count; ++l) {
        const Link& link = own.links_[l];
        if (link.a == link.b && link.pushes) bodies[bodies[link.a].parent].sums.count = 1;
    }
}

/// Adds up what each group had at note(), and its masses and energies of now.
void IslandMomentum::Restoring::find_momentum() {
    for_each_body([&](const UnsupportedBody& body, Sums& sums) {
        const double mass = mass_of(body);
        sums.mass += mass;
        sums.center_before += mass * body.center;
        sums.velocity_before += mass * glm::dvec3(body.velocity);
        sums.center += mass * center_of(body);
        sums.velocity += mass * glm::dvec3(load3(moving[body.index].velocity));
    });
    for_each_group([](Sums& sums) {
        for (glm::dvec3* const sum : {&sums.center_before, &sums.velocity_before, &sums.center, &sums.velocity})
            *sum /= sums.mass;
    });
    for_each_body([&](const UnsupportedBody& body, Sums& sums) {
        const double mass = mass_of(body);
        const glm::dvec3 orbit =
            mass * glm::cross(body.center - sums.center_before, glm::dvec3(body.velocity) - sums.velocity_before);
        const glm::dvec3 arm = center_of(body) - sums.center;
        sums.momentum += orbit + body.spin_momentum;
        sums.size += std::sqrt(glm::dot(orbit, orbit)) + std::sqrt(glm::dot(body.spin_momentum, body.spin_momentum));
        sums.energy_before += body.energy;
        sums.energy += kinetic_energy(in, moving, body);
        sums.inertia += moving.motions().solver_inertia(body.index, body.jointed) +
                        mass * (glm::dmat3(glm::dot(arm, arm)) - glm::outerProduct(arm, arm));
    });
}

/// Scales the body's velocity relative to the rigid motion with the angular velocity `common` by `kept`, and adds the
/// rotation `added`.
void IslandMomentum::Restoring::turn(UnsupportedBody& body, const Sums& sums, double kept, const glm::dvec3& common,
                                     const glm::dvec3& added) {
    SolverBody& sb = moving[body.index];
    const glm::dvec3 arm = center_of(body) - sums.center;
    const glm::dvec3 shared = sums.velocity + glm::cross(common, arm);
    const glm::dvec3 relative = glm::dvec3(load3(sb.velocity)) - shared,
                     spin = glm::dvec3(load3(sb.angular_velocity)) - common;
    store3(sb.velocity, vec3(shared + kept * relative + glm::cross(added, arm)));
    store3(sb.angular_velocity, vec3(common + kept * spin + added));
    if (body.jointed) moving.motions().set_spin(body.index, load3(sb.angular_velocity));
}

/// Rotates each group as a whole so that it has its momentum. Returns whether any group has been changed.
bool IslandMomentum::Restoring::give_missing_momentum() {
    for (std::uint32_t k = 0; k < island.body_count; ++k) body(k).sums.now = glm::dvec3(0.0);
    for_each_body([&](const UnsupportedBody& body, Sums& sums) {
        const glm::dvec3 velocity = glm::dvec3(load3(moving[body.index].velocity)) - sums.velocity;
        sums.now +=
            mass_of(body) * glm::cross(center_of(body) - sums.center, velocity) + spin_momentum(in, moving, body, true);
    });
    bool any = false;
    for (std::uint32_t k = 0; k < island.body_count; ++k) body(k).sums.changes = false;
    for_each_group([&](Sums& sums) {
        const glm::dvec3 missing = sums.momentum - sums.now;
        constexpr double share = settings::momentum_share;
        if (!(glm::dot(missing, missing) > share * share * sums.size * sums.size)) return;
        sums.added = inverse_times(sums.inertia, missing);
        sums.common = inverse_times(sums.inertia, sums.momentum);
        sums.shared = 0.5 * (sums.mass * glm::dot(sums.velocity, sums.velocity) + glm::dot(sums.common, sums.momentum));
        // Bodies in a line may have rotated to poses at which this angular momentum needs more energy than they have.
        sums.changes = sums.shared <= std::max(sums.energy, sums.energy_before);
        any = any || sums.changes;
    });
    if (!any) return false;
    for_each_body([&](UnsupportedBody& body, const Sums& sums) {
        if (sums.changes) turn(body, sums, 1.0, glm::dvec3(0.0), sums.added);
    });
    return true;
}

/// Finds the groups to which this has given energy, and by how much their bodies' motion relative to the group has to
/// slow down. Returns whether there are any.
bool IslandMomentum::Restoring::find_gained_energy() {
    for_each_body(
        [&](const UnsupportedBody& body, Sums& sums) { sums.energy_now += kinetic_energy(in, moving, body); });
    bool any = false;
    for_each_group([&](Sums& sums) {
        if (!sums.changes) return;
        const double gained = sums.energy_now - std::max(sums.energy, sums.energy_before);
        sums.changes = gained > settings::momentum_share * sums.energy_now;
        if (!sums.changes) return;
        any = true;
        const double within = sums.energy_now - sums.shared;
        sums.kept = gained < within ? std::sqrt(1.0 - gained / within) : 0.0;
    });
    return any;
}

void IslandMomentum::Restoring::remove_gained_energy() {
    for_each_body([&](UnsupportedBody& body, const Sums& sums) {
        if (sums.changes) turn(body, sums, sums.kept, sums.common, glm::dvec3(0.0));
    });
}

void IslandMomentum::restore(std::uint32_t island_index, const SolveInput& in, SolverBodies& moving,
                             const ContactSolver& solver) {
    note_pushes(islands_[island_index], solver);
    Restoring work{*this, islands_[island_index], in, moving};
    work.find_groups();
    work.find_momentum();
    if (!work.give_missing_momentum() || !work.find_gained_energy()) return;
    work.remove_gained_energy();
    // Momentum that belongs to the present inertia tensors, and not to those of the contacts, was not scaled.
    work.give_missing_momentum();
}

std::size_t IslandMomentum::bytes() const {
    return islands_.capacity() * sizeof(Island) + bodies_.capacity() * sizeof(UnsupportedBody) +
           links_.capacity() * sizeof(Link) +
           (island_of_root_.capacity() + place_of_.capacity() + link_of_edge_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace talus
