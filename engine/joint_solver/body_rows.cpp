#include "engine/joint_solver/body_rows.h"

#include <algorithm>

namespace talus {

namespace {

/// Sets bias and softness to the values that set_residuals() uses at the start of a pass.
void set_bias(const JointRow& row, bool relaxing, double h, BodyRow& body) {
    if (has_position(row)) {
        if (!relaxing) body.bias = (row.position - row.goal) / h;
        if (relaxing && row.kind == RowKind::limit)
            body.bias = (row.upper ? std::min(row.position, 0.0) : std::max(row.position, 0.0)) / h;
        return;
    }
    body.bias = -row.speed;
    if (row.kind == RowKind::spring) {
        body.bias += row.bias_rate * row.position;
        body.softness = row.softness;
    }
}

/// Sets the Jacobian for one side's body; adds the speed of a body that cannot be pushed to the bias.
void set_side(const Articulations& s, const Link& link, const double* jacobian, unsigned width, std::uint32_t side,
              BodyRow& body) {
    double* const j = body.jacobian + 6 * side;
    for (unsigned k = 0; k < 6; ++k) j[k] = jacobian[(6 * side + k) * width];
    if (link.dynamic) {
        (side == 0 ? body.a : body.b) = link.solver;
        for (const double m : link.inverse_mass) body.inverse_mass = std::max(body.inverse_mass, m);
    } else if (link.solver != 0) {
        const SolverBody& mover = s.motions.bodies[link.solver];
        for (int k = 0; k < 3; ++k) {
            body.bias += j[k] * static_cast<double>(mover.velocity[k]) +
                         j[k + 3] * static_cast<double>(mover.angular_velocity[k]);
        }
    }
}

}  // namespace

void read_body_rows(const Articulations& s, std::uint32_t articulation, bool relaxing, std::vector<BodyRow>& out) {
    const JointPass pass = relaxing ? JointPass::relax : JointPass::solve;
    for (const SolverJoint& joint : s.joints_of(s.articulations[articulation])) {
        const JointRowLayout& rows = s.layouts[s.index_of(joint)];
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            const JointRow& row = s.rows[joint.first_row + i];
            const bool given = !relaxing && !row.free && row.impulse != 0.0;
            if (!(row.response > 0.0) || row.unresponsive || !(given || takes_part(s, row, pass))) continue;
            BodyRow body{};
            body.response = row.response;
            body.given = given;
            body.articulation = articulation;
            body.source = joint.first_row + i;
            // The joint solver itself handles a bound on the length of several rows.
            const double before = relaxing ? row.impulse : 0.0;
            if (row.group == 1 || !is_bounded(row)) body.low = row.low - before, body.high = row.high - before;
            if (given) body.given_impulse = row.group == 1 ? std::clamp(row.impulse, row.low, row.high) : row.impulse;
            set_bias(row, relaxing, s.substep, body);
            for (std::uint32_t side = 0; side < 2; ++side)
                set_side(s, s.links[joint.link[side]], flat(s.jacobians) + rows.jacobian + i, rows.width, side, body);
            out.push_back(body);
        }
    }
}

}  // namespace talus
