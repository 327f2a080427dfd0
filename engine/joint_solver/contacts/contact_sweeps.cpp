#include "engine/joint_solver/contacts/contact_sweeps.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Returns the largest allowed disagreement of joints and contacts, m/s. It is a fraction of the speed at which the
/// group's bodies move, at which it cannot be seen. At rest it must be less than the speed that gravity adds in a
/// sub-step: otherwise contacts and joints passed the weight of a car of 2 t, with wheels of 40 kg at the end of their
/// travel, back and forth at 20 Hz for ever.
double allowed_disagreement(JointContactGroups& g, const Articulations& s, const JointContactGroup& group) {
    double fastest2 = 0.0;
    for (const PushedAssembly& assembly : g.assemblies_of(group)) {
        for (const PushedBody& body : g.bodies_of(assembly)) {
            const dvec3 v = to_double(s.motions.bodies[body.solver].velocity);
            fastest2 = std::max(fastest2, glm::dot(v, v));
        }
    }
    return std::clamp(settings::joint_contact_motion * std::sqrt(fastest2), settings::joint_contact_least,
                      settings::joint_contact_speed);
}

/// Returns the change of the row's speed that the contact solver's own iteration would make, m/s.
double wanted_change(const JointedContactRow& row, double speed) {
    const double residual = speed + row.bias + row.gamma * row.impulse;
    const double change = std::max(-residual / (row.alone + row.gamma), -row.impulse);
    return std::abs(change) * row.alone;
}

/// Reads the rows and their wanted changes. Returns whether joints and contacts disagree by more than is allowed.
bool find_disagreement(JointContactGroups& g, const Articulations& s, const JointContactGroup& group, double allowed) {
    const double h = s.substep, push = -static_cast<double>(settings::max_push_speed);
    bool disagree = false;
    double change = 0.0;  // of the contact's speed, by all of its points
    std::uint32_t contact = null_index;
    begin_rows(g, s, group, [&](JointedContactRow& row, double speed) {
        const ContactLane& c = g.contacts[row.contact].lane;
        row.gamma = row.gap <= 0.0 ? c.points[row.point].gamma : 0.0;
        row.bias = row.gap > 0.0 ? row.gap / h : std::max(c.bias_rate * std::min(row.gap + c.slop, 0.0), push);
        if (row.contact != contact) change = 0.0;
        contact = row.contact;
        change += wanted_change(row, speed);
        disagree = disagree || change > allowed;
    });
    return disagree;
}

/// Projected Gauss-Seidel on the rows' responses.
void iterate(JointContactGroups& g, Articulations& s, const JointContactGroup& group, double allowed) {
    for (int iteration = 0; iteration < settings::joint_contact_sweeps; ++iteration) {
        double worst = 0.0;
        const std::uint32_t end = group.first_row + group.row_count;
        for (std::uint32_t r = next_changed(g, group, group.first_row); r != end; r = next_changed(g, group, r + 1)) {
            JointedContactRow& row = g.rows[r];
            const double speed = separating_speed(g, row);
            const double before = row.impulse, residual = speed + row.bias + row.gamma * before;
            if (before == 0.0 && residual >= 0.0) continue;
            if (row.response < 0.0) {
                if (wanted_change(row, speed) < settings::joint_contact_share * allowed) continue;
                find_responses(g, s, row, JointPass::solve);
            }
            // joints keep its bodies from moving
            if (!(row.response > settings::joint_contact_give * row.alone)) continue;
            row.impulse = std::max(0.0, before - residual / (row.response + row.gamma));
            const double change = row.impulse - before;
            if (change == 0.0) continue;
            worst = std::max(worst, std::abs(change) * row.response);
            add_impulse(g, row, change);
        }
        if (worst < settings::joint_contact_tolerance) return;
    }
}

}  // namespace

void solve_contact_group(JointContactGroups& g, Articulations& s, const JointContactGroup& group) {
    const double allowed = allowed_disagreement(g, s, group);
    for (int round = 0; round < settings::joint_contact_rounds; ++round) {
        if (!find_disagreement(g, s, group, allowed)) return;
        read_bodies(g, s, group);
        iterate(g, s, group, allowed);
        if (!impulses_fit(g, group)) return;
        apply_impulses(g, s, group, JointPass::solve);
    }
}

}  // namespace talus
