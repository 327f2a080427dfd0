#include "engine/joint_solver/contacts/contact_groups.h"

#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/passes/active_rows.h"
#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/joint_solver/passes/joint_momentum.h"
#include "engine/joint_solver/passes/joint_passes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

namespace talus {

namespace {

dvec3 angular_of(const ContactLane::Point& point, int side) { return side == 0 ? -point.angular_a : point.angular_b; }

/// Returns the speed along a row of body A (side 0) or B alone, with these velocities.
double along(const ContactLane& c, const ContactLane::Point& point, int side, const dvec3& linear,
             const dvec3& angular) {
    const double speed = glm::dot(c.normal, linear);
    return (side == 0 ? -speed : speed) + glm::dot(angular_of(point, side), angular);
}

/// Reads the contacts of a group. Returns whether some of them touch a body that cannot be pushed.
bool read_contacts(JointContactGroups& g, const Articulations& s, JointContactGroup& group, ContactSolver& solver,
                   std::span<const ConstraintGraph::Edge> edges,
                   std::span<const std::pair<std::uint32_t, std::uint32_t>> keys) {
    group.first_contact = static_cast<std::uint32_t>(g.contacts.size());
    group.contact_count = static_cast<std::uint32_t>(keys.size());
    g.links_and_bodies.clear();
    bool grounded = false;
    for (const auto& [island, i] : keys) {
        const ContactSolver::JointedContact& found = solver.jointed_contacts()[i];
        JointedContact contact;
        contact.lane = solver.read(found);
        g.contacts.push_back(contact);
        group.in_stiff_group = group.in_stiff_group || edges[found.edge].link != no_link;
        grounded = grounded || contact.lane.a == 0 || contact.lane.b == 0;
        for (const std::uint32_t body : {contact.lane.a, contact.lane.b}) {
            if (body != 0) g.links_and_bodies.push_back({s.link_of(body), body});
        }
    }
    // Sorted by articulation and then by link, because the links of an articulation are consecutive. Bodies without
    // joints come last.
    std::sort(g.links_and_bodies.begin(), g.links_and_bodies.end());
    g.links_and_bodies.erase(std::unique(g.links_and_bodies.begin(), g.links_and_bodies.end()),
                             g.links_and_bodies.end());
    return grounded;
}

/// Adds the bodies of `links_and_bodies` and their assemblies.
void add_assemblies(JointContactGroups& g, Articulations& s, JointContactGroup& group, bool grounded) {
    group.first_assembly = static_cast<std::uint32_t>(g.assemblies.size());
    for (const auto& [link, body] : g.links_and_bodies) {
        const std::uint32_t articulation = link == null_index ? null_index : s.articulation_of_link[link];
        const bool joins = g.assemblies.size() > group.first_assembly && articulation != null_index &&
                           g.assemblies.back().articulation == articulation;
        if (!joins) g.assemblies.push_back({articulation, static_cast<std::uint32_t>(g.bodies.size())});
        if (grounded && articulation != null_index) s.articulations[articulation].floating = false;
        ++g.assemblies.back().body_count;
        g.bodies.push_back({body, link, static_cast<std::uint32_t>(g.assemblies.size() - 1), {}, {}});
    }
    group.assembly_count = static_cast<std::uint32_t>(g.assemblies.size()) - group.first_assembly;
}

/// Adds the rows of a contact, whose responses begin at `response_count`.
void add_rows(JointContactGroups& g, const Articulations& s, std::uint32_t index, std::uint32_t first_body,
              std::uint32_t& response_count) {
    JointedContact& contact = g.contacts[index];
    const std::uint32_t bodies[2] = {contact.lane.a, contact.lane.b};
    std::uint32_t responses = 0;
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] == 0) continue;
        const std::pair key{s.link_of(bodies[side]), bodies[side]};
        const auto at = std::lower_bound(g.links_and_bodies.begin(), g.links_and_bodies.end(), key);
        contact.body[side] = first_body + static_cast<std::uint32_t>(at - g.links_and_bodies.begin());
        contact.assembly[side] = g.bodies[contact.body[side]].assembly;
        if (side == 0 || contact.assembly[0] != contact.assembly[1])
            responses += 2 * g.assemblies[contact.assembly[side]].body_count;
    }
    for (int k = 0; k < contact.lane.count; ++k) {
        const ContactLane::Point& point = contact.lane.points[k];
        if (!(point.mass > 0.0)) continue;  // there is no such point in this lane
        JointedContactRow row;
        row.contact = index;
        row.point = static_cast<std::uint32_t>(k);
        row.first_response = response_count;
        response_count += responses;
        const dvec3 n2 = contact.lane.normal * contact.lane.normal;
        if (bodies[0] != 0)
            row.alone += glm::dot(contact.lane.inverse_mass_a, n2) + glm::dot(point.angular_a, point.turn_a);
        if (bodies[1] != 0)
            row.alone += glm::dot(contact.lane.inverse_mass_b, n2) + glm::dot(point.angular_b, point.turn_b);
        g.rows.push_back(row);
    }
}

/// Lists the rows of each of a group's assemblies.
void list_rows(JointContactGroups& g, const JointContactGroup& group) {
    const auto for_each_assembly = [&](auto&& visit) {
        for (std::uint32_t r = group.first_row; r < group.first_row + group.row_count; ++r) {
            const std::uint32_t(&of)[2] = g.contacts[g.rows[r].contact].assembly;
            if (of[0] != null_index) visit(g.assemblies[of[0]], r);
            if (of[1] != null_index && of[1] != of[0]) visit(g.assemblies[of[1]], r);
        }
    };
    for_each_assembly([](PushedAssembly& assembly, std::uint32_t) { ++assembly.row_count; });
    auto next = static_cast<std::uint32_t>(g.rows_by_assembly.size());
    for (PushedAssembly& assembly : g.assemblies_of(group)) {
        assembly.first_row = next;
        next += std::exchange(assembly.row_count, 0u);
    }
    g.rows_by_assembly.resize(next);
    for_each_assembly([&](PushedAssembly& assembly, std::uint32_t r) {
        g.rows_by_assembly[assembly.first_row + assembly.row_count++] = r;
    });
}

/// Returns an impulse of a contact's point on the link on one side of it, which is in a batch.
BatchPush push_on(const JointContactGroups& g, const Articulations& s, const JointedContact& contact, int side,
                  std::uint32_t point, double impulse) {
    const std::uint32_t link = g.bodies[contact.body[side]].link;
    const Articulation& a = s.articulations[s.articulation_of_link[link]];
    BatchPush push;
    push.batch = a.batch;
    push.lane = a.lane;
    push.link = link - a.first_link;
    const dvec3 linear = (side == 0 ? -impulse : impulse) * contact.lane.normal;
    const dvec3 moment = impulse * angular_of(contact.lane.points[point], side);
    for (int i = 0; i < 3; ++i) {
        push.impulse[i] = linear[i];
        push.moment[i] = moment[i];
    }
    return push;
}

/// Applies an impulse of a contact's point to the link on one side.
void push_link(const JointContactGroups& g, Articulations& s, const JointedContact& contact, int side,
               std::uint32_t point, double impulse) {
    const ContactLane& c = contact.lane;
    const std::uint32_t l = g.bodies[contact.body[side]].link;
    const Link& link = s.links[l];
    double* const v = s.velocity_of(l);
    const dvec3 angular = angular_of(c.points[point], side), rotation = link.inverse_inertia * angular;
    for (int i = 0; i < 3; ++i) {
        v[i] += (side == 0 ? -impulse : impulse) * link.inverse_mass[i] * c.normal[i];
        v[i + 4] += impulse * rotation[i];
    }
    Articulation& a = s.articulations[s.articulation_of_link[l]];
    if (!a.implicit || !a.floating) return;
    const dvec3 arm = s.seen_center(a, link) - a.center;
    a.angular_momentum += impulse * (angular + glm::cross(arm, side == 0 ? -c.normal : c.normal));
}

/// Finds the response of the bodies of one assembly to a unit of the row's impulse.
void find_response_of(const JointContactGroups& g, Articulations& s, const JointedContactRow& row,
                      std::uint32_t assembly_index, dvec3* response, JointPass pass) {
    const PushedAssembly& assembly = g.assemblies[assembly_index];
    const JointedContact& contact = g.contacts[row.contact];
    const ContactLane& c = contact.lane;
    const ContactLane::Point& point = c.points[row.point];
    if (assembly.articulation == null_index) {
        const bool is_a = contact.assembly[0] == assembly_index;
        response[0] = is_a ? -c.inverse_mass_a * c.normal : c.inverse_mass_b * c.normal;
        response[1] = is_a ? -point.turn_a : point.turn_b;
        return;
    }
    Articulation& a = s.articulations[assembly.articulation];
    if (a.batch != null_index) {
        BatchPush pushes[2];
        std::size_t count = 0;
        for (int side = 0; side < 2; ++side) {
            if (contact.assembly[side] == assembly_index)
                pushes[count++] = push_on(g, s, contact, side, row.point, 1.0);
        }
        respond_in_batch(s, a, {pushes, count});
    } else {
        s.clear_velocities(a);
        for (int side = 0; side < 2; ++side) {
            if (contact.assembly[side] == assembly_index) push_link(g, s, contact, side, row.point, 1.0);
        }
        project_velocities(s, a, pass);
    }
    for (std::uint32_t i = 0; i < assembly.body_count; ++i) {
        const double* const v = s.velocity_of(g.bodies[assembly.first_body + i].link);
        response[2 * i] = linear_part(v);
        response[2 * i + 1] = angular_part(v);
    }
}

/// Applies pushes on articulations in batches, and lets the joints transmit them. Sorts them.
void push_batches(Articulations& s, std::span<BatchPush> pushes) {
    std::sort(pushes.begin(), pushes.end(), [](const BatchPush& x, const BatchPush& y) {
        return std::tuple(x.batch, x.lane, x.order) < std::tuple(y.batch, y.lane, y.order);
    });
    for (std::size_t first = 0, end = 0; first < pushes.size(); first = end) {
        while (end < pushes.size() && pushes[end].batch == pushes[first].batch) ++end;
        push_batch(s, s.batches.batches[pushes[first].batch], pushes.subspan(first, end - first));
    }
}

/// Finds the parts, and sorts the groups by them.
void find_parts(JointContactGroups& g, const Articulations& s) {
    const auto count = static_cast<std::uint32_t>(g.groups.size());
    // The first group of the part of each group, by way of other groups of the part.
    std::vector<std::uint32_t>& first = g.first_groups;
    first.resize(count);
    const auto first_of = [&](std::uint32_t group) {
        while (first[group] != group) group = first[group] = first[first[group]];
        return group;
    };
    g.group_of_batch.assign(s.batches.batches.size(), null_index);
    for (std::uint32_t i = 0; i < count; ++i) {
        first[i] = i;
        for (const PushedAssembly& assembly : g.assemblies_of(g.groups[i])) {
            if (assembly.articulation == null_index) continue;
            const std::uint32_t batch = s.articulations[assembly.articulation].batch;
            if (batch == null_index) continue;
            std::uint32_t& known = g.group_of_batch[batch];
            if (known == null_index) known = i;
            const std::uint32_t x = first_of(i), y = first_of(known);
            first[std::max(x, y)] = std::min(x, y);
        }
    }
    g.keys.clear();
    for (std::uint32_t i = 0; i < count; ++i) g.keys.push_back({first_of(i), i});
    std::sort(g.keys.begin(), g.keys.end());
    g.unsorted_groups = g.groups;
    g.parts.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        g.groups[i] = g.unsorted_groups[g.keys[i].second];
        if (i == 0 || g.keys[i].first != g.keys[i - 1].first) g.parts.push_back({i, 0, {}});
        ++g.parts.back().group_count;
    }
}

}  // namespace

std::size_t JointContactGroups::bytes() const {
    return groups.capacity() * sizeof(groups[0]) + contacts.capacity() * sizeof(contacts[0]) +
           rows.capacity() * sizeof(rows[0]) + changed.capacity() +
           rows_by_assembly.capacity() * sizeof(std::uint32_t) + assemblies.capacity() * sizeof(assemblies[0]) +
           bodies.capacity() * sizeof(bodies[0]) + responses.capacity() * sizeof(responses[0]) +
           pushes.capacity() * sizeof(pushes[0]) + parts.capacity() * sizeof(parts[0]) +
           unsorted_groups.capacity() * sizeof(groups[0]) +
           (group_of_batch.capacity() + first_groups.capacity()) * sizeof(group_of_batch[0]) +
           (keys.capacity() + links_and_bodies.capacity()) * sizeof(keys[0]);
}

void find_contact_groups(JointContactGroups& g, Articulations& s, ContactSolver& solver,
                         std::span<const ConstraintGraph::Edge> edges, Islands& islands) {
    g.groups.clear();
    g.contacts.clear();
    g.rows.clear();
    g.assemblies.clear();
    g.bodies.clear();
    g.rows_by_assembly.clear();
    g.least_bounce = solver.least_bounce();
    g.keys.clear();
    const auto found = solver.jointed_contacts();
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        const ConstraintGraph::Edge& edge = edges[found[i].edge];
        g.keys.push_back({islands.find(edge.pushes_a ? edge.a : edge.b), i});
    }
    // They are in order already if they are of one island, as in a heap.
    if (!std::is_sorted(g.keys.begin(), g.keys.end())) std::sort(g.keys.begin(), g.keys.end());
    std::uint32_t response_count = 0;
    for (std::size_t first = 0, end = 0; first < g.keys.size(); first = end) {
        while (end < g.keys.size() && g.keys[end].first == g.keys[first].first) ++end;
        JointContactGroup group;
        const bool grounded = read_contacts(g, s, group, solver, edges, std::span(g.keys).subspan(first, end - first));
        const auto first_body = static_cast<std::uint32_t>(g.bodies.size());
        add_assemblies(g, s, group, grounded);
        group.first_row = static_cast<std::uint32_t>(g.rows.size());
        for (std::uint32_t i = group.first_contact; i < g.contacts.size(); ++i)
            add_rows(g, s, i, first_body, response_count);
        group.row_count = static_cast<std::uint32_t>(g.rows.size()) - group.first_row;
        list_rows(g, group);
        g.groups.push_back(group);
    }
    g.responses.resize(response_count);
    g.pushes.resize(2 * g.rows.size());
    g.changed.resize(g.rows.size());
    find_parts(g, s);
}

ContactMotion motion_of(const JointContactGroups& g, const Articulations& s, std::uint32_t contact) {
    const ContactLane& c = g.contacts[contact].lane;
    const SolverBody* const bodies[2] = {&s.motions.bodies[c.reads_a], &s.motions.bodies[c.reads_b]};
    ContactMotion motion;
    for (int side = 0; side < 2; ++side) {
        const SolverBody& body = *bodies[side];
        const double sign = side == 0 ? -1.0 : 1.0;
        motion.moved[side] = sign * glm::dot(c.normal, to_double(body.displacement));
        motion.speed[side] = sign * glm::dot(c.normal, to_double(body.velocity));
        motion.turned[side] = to_double(body.turn);
        motion.spin[side] = to_double(body.angular_velocity);
    }
    return motion;
}

double begin_row(const JointContactGroups& g, JointedContactRow& row, const ContactMotion& motion) {
    const JointedContact& contact = g.contacts[row.contact];
    const ContactLane::Point& point = contact.lane.points[row.point];
    row.impulse_before = row.impulse = *point.impulse;
    row.response = -1.0;
    row.gap = point.separation;
    row.drift = 0.0;
    double speed = 0.0;
    for (int side = 0; side < 2; ++side) {
        const dvec3 angular = angular_of(point, side);
        row.gap += motion.moved[side] + glm::dot(angular, motion.turned[side]);
        const double part = motion.speed[side] + glm::dot(angular, motion.spin[side]);
        if (contact.body[side] == null_index) row.drift += part;
        speed += part;
    }
    return speed;
}

void read_bodies(JointContactGroups& g, const Articulations& s, const JointContactGroup& group) {
    std::fill_n(g.changed.begin() + group.first_row, group.row_count, std::uint8_t{1});
    for (PushedAssembly& assembly : g.assemblies_of(group)) {
        assembly.pushed = false;
        assembly.ready = false;
        for (PushedBody& pushed : g.bodies_of(assembly)) {
            const SolverBody& body = s.motions.bodies[pushed.solver];
            pushed.velocity = to_double(body.velocity);
            pushed.angular_velocity = to_double(body.angular_velocity);
        }
    }
}

std::uint32_t next_changed(JointContactGroups& g, const JointContactGroup& group, std::uint32_t row) {
    const std::uint32_t end = group.first_row + group.row_count;
    if (row >= end) return end;
    std::uint8_t* const all = g.changed.data();
    auto* const found = static_cast<std::uint8_t*>(std::memchr(all + row, 1, end - row));
    if (found == nullptr) return end;
    *found = 0;
    return static_cast<std::uint32_t>(found - all);
}

double separating_speed(const JointContactGroups& g, const JointedContactRow& row) {
    const JointedContact& contact = g.contacts[row.contact];
    double speed = row.drift;
    for (int side = 0; side < 2; ++side) {
        if (contact.body[side] == null_index) continue;
        const PushedBody& body = g.bodies[contact.body[side]];
        speed += along(contact.lane, contact.lane.points[row.point], side, body.velocity, body.angular_velocity);
    }
    return speed;
}

void find_responses(JointContactGroups& g, Articulations& s, JointedContactRow& row, JointPass pass) {
    const JointedContact& contact = g.contacts[row.contact];
    const ContactLane::Point& point = contact.lane.points[row.point];
    dvec3* response = g.responses.data() + row.first_response;
    row.response = 0.0;
    for (int side = 0; side < 2; ++side) {
        if (contact.assembly[side] == null_index) continue;
        PushedAssembly& assembly = g.assemblies[contact.assembly[side]];
        const bool shared = side == 1 && contact.assembly[0] == contact.assembly[1];
        if (shared) response -= 2 * assembly.body_count;
        if (!assembly.ready && assembly.articulation != null_index) {
            Articulation& a = s.articulations[assembly.articulation];
            if (pass == JointPass::relax) leave_batch(s, a);
            if (a.batch != null_index) {
                freeze_batch_drives(s, a);
            } else {
                freeze_capped_drives(s, a, false);
            }
        }
        assembly.ready = true;
        if (!shared) find_response_of(g, s, row, contact.assembly[side], response, pass);
        const dvec3* const part = response + 2 * (contact.body[side] - assembly.first_body);
        row.response += along(contact.lane, point, side, part[0], part[1]);
        response += 2 * assembly.body_count;
    }
}

void add_impulse(JointContactGroups& g, const JointedContactRow& row, double impulse) {
    const JointedContact& contact = g.contacts[row.contact];
    const dvec3* response = g.responses.data() + row.first_response;
    for (int side = 0; side < 2; ++side) {
        if (contact.assembly[side] == null_index || (side == 1 && contact.assembly[0] == contact.assembly[1])) continue;
        const PushedAssembly& assembly = g.assemblies[contact.assembly[side]];
        for (std::uint32_t i = 0; i < assembly.row_count; ++i)
            g.changed[g.rows_by_assembly[assembly.first_row + i]] = 1;
        for (PushedBody& body : g.bodies_of(assembly)) {
            body.velocity += impulse * *response++;
            body.angular_velocity += impulse * *response++;
        }
    }
}

bool impulses_fit(JointContactGroups& g, const JointContactGroup& group) {
    constexpr double most = std::numeric_limits<float>::max();
    const std::span<const JointedContactRow> rows = g.rows_of(group);
    return std::all_of(rows.begin(), rows.end(),
                       [](const JointedContactRow& row) { return std::abs(row.impulse) <= most; });
}

void apply_impulses(JointContactGroups& g, Articulations& s, const JointContactGroup& group, JointPass pass) {
    for (const JointedContactRow& row : g.rows_of(group)) {
        if (row.impulse == row.impulse_before) continue;
        const JointedContact& contact = g.contacts[row.contact];
        *contact.lane.points[row.point].impulse = static_cast<float>(row.impulse);
        for (const std::uint32_t assembly : contact.assembly) {
            if (assembly != null_index) g.assemblies[assembly].pushed = true;
        }
    }
    for (const PushedAssembly& assembly : g.assemblies_of(group)) {
        if (!assembly.pushed) continue;
        if (assembly.articulation == null_index) {
            const PushedBody& pushed = g.bodies[assembly.first_body];
            SolverBody& body = s.motions.bodies[pushed.solver];
            for (int k = 0; k < 3; ++k) {
                body.velocity[k] = static_cast<float>(pushed.velocity[k]);
                body.angular_velocity[k] = static_cast<float>(pushed.angular_velocity[k]);
            }
            continue;
        }
        Articulation& a = s.articulations[assembly.articulation];
        if (a.batch != null_index) continue;
        read_velocities(s, a);
        note_momentum(s, a);
    }
    std::uint32_t push_count = 0;
    BatchPush* const pushes = g.pushes.data() + 2 * group.first_row;
    for (const JointedContactRow& row : g.rows_of(group)) {
        const double impulse = row.impulse - row.impulse_before;
        if (impulse == 0.0) continue;
        const JointedContact& contact = g.contacts[row.contact];
        for (int side = 0; side < 2; ++side) {
            if (contact.body[side] == null_index || g.bodies[contact.body[side]].link == null_index) continue;
            const PushedAssembly& assembly = g.assemblies[contact.assembly[side]];
            if (s.articulations[assembly.articulation].batch == null_index) {
                push_link(g, s, contact, side, row.point, impulse);
                continue;
            }
            pushes[push_count] = push_on(g, s, contact, side, row.point, impulse);
            pushes[push_count].order = push_count;
            ++push_count;
        }
    }
    push_batches(s, {pushes, push_count});
    for (const PushedAssembly& assembly : g.assemblies_of(group)) {
        if (!assembly.pushed || assembly.articulation == null_index) continue;
        Articulation& a = s.articulations[assembly.articulation];
        if (a.batch != null_index) continue;
        if (a.implicit && a.floating) a.energy = kinetic_energy(s, a);
        run_pass(s, a, pass, true);
    }
}

}  // namespace talus
