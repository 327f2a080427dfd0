#include "engine/joint_solver/contacts/contact_bounces.h"

#include "engine/joint_solver/passes/relax_pass.h"
#include "engine/settings.h"

#include <algorithm>

namespace talus {

namespace {

/// Whether the restitution pass gave an impulse in the group.
bool has_bounced(JointContactGroups& g, const JointContactGroup& group) {
    for (const JointedContactRow& row : g.rows_of(group)) {
        const ContactLane::Point& point = g.contacts[row.contact].lane.points[row.point];
        if (*point.bounce > 0.0f && *point.impulse > 0.0f) return true;
    }
    return false;
}

/// Makes the impact of a row if its bodies approach fast enough. Returns whether they did.
bool strike(JointContactGroups& g, Articulations& s, JointedContactRow& row) {
    const ContactLane& c = g.contacts[row.contact].lane;
    if (!(c.restitution > 0.0)) return false;
    const ContactLane::Point& point = c.points[row.point];
    const double speed = separating_speed(g, row);
    const bool unloaded = -*point.bounce < settings::knock_load * g.least_bounce * point.mass;
    const double lost = std::clamp(2.0 - 2.0 * c.restitution, static_cast<double>(settings::knock_share), 1.0);
    const double least = unloaded ? lost * g.least_bounce : g.least_bounce;
    const double h = s.substep;
    if (speed > -least || row.gap + h * speed > 0.0) return false;
    if (row.response < 0.0) find_responses(g, s, row, JointPass::relax);
    if (!(row.response > settings::joint_contact_give * row.alone)) return false;  // joints keep its bodies from moving
    const double change = -(1.0 + c.restitution) * speed / row.response;
    row.impulse += change;
    *point.bounce = static_cast<float>(-c.restitution * speed);  // marks it as a bounce, not a load
    add_impulse(g, row, change);
    return true;
}

/// Makes the impacts, one after the other. Returns whether there was any.
bool strike_rows(JointContactGroups& g, Articulations& s, const JointContactGroup& group) {
    begin_rows(g, s, group, [](JointedContactRow&, double) {});
    bool any = false;
    for (int iteration = 0; iteration < settings::joint_contact_sweeps; ++iteration) {
        bool struck = false;
        for (std::uint32_t k = 0; k < group.row_count; ++k) {
            const std::uint32_t i = iteration % 2 == 0 ? k : group.row_count - 1 - k;
            if (strike(g, s, g.rows[group.first_row + i])) struck = true;
        }
        if (!struck) break;
        any = true;
    }
    return any;
}

}  // namespace

void transmit_bounces(JointContactGroups& g, Articulations& s, const JointContactGroup& group) {
    if (!has_bounced(g, group)) return;
    for (const PushedAssembly& assembly : g.assemblies_of(group)) {
        if (assembly.articulation == null_index) continue;
        leave_batch(s, s.articulations[assembly.articulation]);
        relax_again(s, s.articulations[assembly.articulation]);
    }
}

void pass_bounces_on(JointContactGroups& g, Articulations& s, const JointContactGroup& group) {
    if (!has_bounced(g, group)) return;
    read_bodies(g, s, group);
    if (strike_rows(g, s, group) && impulses_fit(g, group)) apply_impulses(g, s, group, JointPass::relax);
}

}  // namespace talus
