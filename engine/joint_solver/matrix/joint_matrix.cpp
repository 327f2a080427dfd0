#include "engine/joint_solver/matrix/joint_matrix.h"

#include <algorithm>

namespace talus {

namespace {

/// A hub's velocity is an unknown of the matrix: -M v + J^T l = 0.
void factor_hubs(Articulations& s, const Articulation& a) {
    for (const Link& link : s.links_of(a)) {
        if (link.node == null_index) continue;
        const std::uint32_t width = s.matrix.width(link.node);
        double* const diagonal = s.matrix.diagonal(link.node);
        std::fill_n(diagonal, 6 * width, 0.0);
        for (int i = 0; i < 3; ++i) {
            diagonal[i * width + i] = -link.inverse_mass[i];
            for (int k = 0; k < 3; ++k) diagonal[(i + 3) * width + k + 3] = -link.inverse_inertia[k][i];
        }
    }
    for (std::uint32_t c = a.first_hub; c < a.first_hub + a.hub_count; ++c) {
        const HubCoupling& coupling = s.hub_couplings[c];
        const JointRowLayout& rows = s.layouts[coupling.joint];
        const JointNode& node = s.nodes[coupling.joint];
        const bool hub_first = coupling.place.row == s.joints[coupling.joint].node;
        const std::uint32_t width = s.matrix.width(coupling.place.row), lines = hub_first ? 6 : node.size;
        double* const block = s.matrix.block(coupling.place);
        std::fill_n(block, lines * width, 0.0);
        for (unsigned i = 0; i < node.size; ++i) {
            if (!(node.parts >> i & 1u)) continue;
            const double* const response = flat(s.responses) + rows.response + 8 * (rows.sides * i + coupling.side);
            for (unsigned k = 0; k < 6; ++k)
                block[hub_first ? k * width + i : i * width + k] = response[k < 3 ? k : k + 1];
        }
    }
}

/// Fills in the blocks of the rows that take part.
void fill_matrix(Articulations& s, Articulation& a) {
    const auto system = s.index_of(a);
    const JointRowsInput input = s.rows_input(a, s.residuals);
    const LdlInput matrix = s.matrix.input(system);
    s.matrix.clear_fill(system);
    s.kernel->select(input);
    s.kernel->diagonals(input, matrix, s.joints[a.first_joint].node);
    for (std::uint32_t r = a.first_joint; r < a.first_joint + a.joint_count; ++r) {
        const JointNode& node = s.nodes[r];
        double* const diagonal = s.matrix.diagonal(s.joints[r].node);
        for (unsigned i = 0; i < node.size; ++i) {
            if (node.parts >> i & 1u) diagonal[i * node.width + i] += s.rows[s.joints[r].first_row + i].slack;
        }
    }
    s.kernel->couplings(input, matrix, s.couplings.data() + a.first_coupling, a.coupling_count);
    if (a.hub_count != 0) factor_hubs(s, a);
}

void factor_matrix(Articulations& s, Articulation& a, JointPass pass) {
    if (a.factored == pass || (a.factored != JointPass::none && !a.springs)) return;
    a.factored = pass;
    ++a.cost.factorizations;
    const auto system = s.index_of(a);
    for (std::uint32_t r = a.first_joint; r < a.first_joint + a.joint_count; ++r) {
        const SolverJoint& joint = s.joints[r];
        const JointRowLayout& rows = s.layouts[r];
        JointNode& node = s.nodes[r];
        node.parts = 0;
        std::uint32_t count = 0;
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            if (!takes_part(s, s.rows[joint.first_row + i], pass)) continue;
            node.parts |= 1u << i;
            node.size = i + 1;
            ++count;
        }
        if (count == 0) node.size = 0;
        node.width = joint_width(node.size);
        node.jacobian = rows.jacobian + (count < rows.count ? 6 * rows.sides * rows.width : 0);
        s.matrix.set_size(joint.node, node.size);
    }
    if (!a.weak) {
        fill_matrix(s, a);
        a.weak = !s.matrix.factor(system);
        if (!a.weak) return;
    }
    fill_matrix(s, a);
    s.matrix.factor_with_care(system);
}

}  // namespace

void apply_changes(Articulations& s, const Articulation& a) {
    s.kernel->apply(s.rows_input(a, s.changes));
    const JointRowLayout &first = s.layouts[a.first_joint], &last = s.layouts[a.first_joint + a.joint_count - 1];
    std::fill_n(flat(s.changes) + first.numbers, last.numbers + last.width - first.numbers, 0.0);
}

void solve_free_rows(Articulations& s, Articulation& a, JointPass pass) {
    factor_matrix(s, a, pass);
    for (std::uint32_t r = a.first_joint; r < a.first_joint + a.joint_count; ++r) {
        const JointNode& node = s.nodes[r];
        const double* const residual = s.residuals_of(s.joints[r]);
        double* const x = s.matrix.vector(s.joints[r].node);
        for (unsigned i = 0; i < node.width; ++i) x[i] = node.parts >> i & 1u ? -residual[i] : 0.0;
    }
    if (a.hub_count != 0) {
        for (Link& link : s.links_of(a)) {
            if (link.node != null_index) std::fill_n(s.matrix.vector(link.node), s.matrix.width(link.node), 0.0);
        }
    }
    s.matrix.solve(s.index_of(a));
    for (std::uint32_t r = a.first_joint; r < a.first_joint + a.joint_count; ++r) {
        const JointNode& node = s.nodes[r];
        const double* const x = s.matrix.vector(s.joints[r].node);
        double* const change = s.changes_of(s.joints[r]);
        for (unsigned i = 0; i < node.size; ++i) change[i] = x[i];
    }
}

void project_velocities(Articulations& s, Articulation& a, JointPass pass) {
    s.kernel->speeds(s.rows_input(a, s.residuals));
    solve_free_rows(s, a, pass);
    apply_changes(s, a);
}

}  // namespace talus
