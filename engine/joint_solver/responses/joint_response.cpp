#include "engine/joint_solver/responses/joint_response.h"

#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/passes/active_rows.h"
#include "engine/settings.h"

namespace talus {

bool begin_response(Articulations& s, std::uint32_t slot) {
    const std::uint32_t link = slot < s.link_of_slot.size() ? s.link_of_slot[slot] : null_index;
    if (link == null_index || s.links[link].solver == 0) return false;
    leave_batch(s, s.articulation_of(slot));
    freeze_capped_drives(s, s.articulations[s.articulation_of_link[link]], true);
    return true;
}

JointResponse respond(Articulations& s, std::uint32_t slot) {
    const std::uint32_t l = s.link_of_slot[slot];
    const double* const v = s.velocity_of(l);
    JointResponse response;
    for (int i = 0; i < 3; ++i) {
        dvec3 unit(0.0);
        unit[i] = 1.0;
        respond_to_impulse(s, l, unit, dvec3(0.0));
        response.by_impulse[i] = linear_part(v);
        respond_to_impulse(s, l, dvec3(0.0), unit);
        response.by_moment[i] = linear_part(v);
        response.angular_by_moment[i] = angular_part(v);
    }
    // Gives a body that its joints keep from moving a small response.
    const Link& link = s.links[l];
    for (int i = 0; i < 3; ++i) response.by_impulse[i][i] += settings::joint_contact_give * link.inverse_mass[i];
    response.angular_by_moment += settings::joint_contact_give * link.inverse_inertia;
    return response;
}

bool meets_limits(Articulations& s, std::uint32_t slot, const dvec3& impulse, const dvec3& moment, double time) {
    Articulation& a = s.articulation_of(slot);
    if (!a.bounded) return false;
    respond_to_impulse(s, s.link_of_slot[slot], impulse, moment);
    s.kernel->speeds(s.rows_input(a, s.residuals));
    bool any = false;
    for (const SolverJoint& joint : s.joints_of(a)) {
        const double* const speed = s.residuals_of(joint);
        for (std::uint32_t i = joint.first_bounded; i < joint.row_count; ++i) {
            JointRow& row = s.rows[joint.first_row + i];
            if (row.free || row.kind != RowKind::limit) continue;
            const double side = row.upper ? 1.0 : -1.0;
            if (side * speed[i] <= settings::joint_release_speed || side * (row.position + time * speed[i]) <= 0.0)
                continue;
            row.free = any = true;
        }
    }
    if (any) a.factored = JointPass::none;
    return any;
}

void respond_to_impulse(Articulations& s, std::uint32_t l, const dvec3& impulse, const dvec3& moment) {
    Articulation& a = s.articulations[s.articulation_of_link[l]];
    const Link& link = s.links[l];
    s.clear_velocities(a);
    const dvec3 inverse_mass(link.inverse_mass[0], link.inverse_mass[1], link.inverse_mass[2]);
    set_velocity(s.velocity_of(l), inverse_mass * impulse, link.inverse_inertia * moment);
    project_velocities(s, a, JointPass::relax);
}

void project_locks(Articulations& s, std::uint32_t slot, const BodyStore& bodies) {
    Articulation& a = s.articulation_of(slot);
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Body& body = bodies[s.links[l].slot];
        set_velocity(s.velocity_of(l), dvec3(body.linear_velocity), dvec3(body.angular_velocity));
    }
    s.kernel->speeds(s.rows_input(a, s.residuals));
    for (const SolverJoint& joint : s.joints_of(a)) {
        double* const residual = s.residuals_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            if (s.rows[joint.first_row + i].kind != RowKind::lock) residual[i] = 0.0;
        }
    }
    solve_free_rows(s, a, JointPass::relax);
    apply_changes(s, a);
}

}  // namespace talus
