#include "engine/joint_solver/passes/active_rows.h"

#include "engine/joint_solver/matrix/joint_matrix.h"
#include "engine/joint_solver/passes/joint_passes.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

bool release_rows(Articulations& s, Articulation& a, JointPass pass, bool linear, bool again, double& worst) {
    bool any = false, redirected = false;
    const double least = a.redundant ? settings::joint_tolerance : settings::joint_release_speed;
    for (const SolverJoint& joint : s.joints_of(a)) {
        double *const residual = s.residuals_of(joint), *const change = s.changes_of(joint);
        for (std::uint32_t i = joint.first_bounded; i < joint.row_count; ++i) {
            JointRow* const row = &s.rows[joint.first_row + i];
            if (row->free || row->group == 0 || row->response <= 0.0 ||
                (pass == JointPass::relax && row->kind == RowKind::spring))
                continue;
            if (row->group == 1) {
                const double wanted = row->impulse - residual[i] / row->response;
                if (row->clamped || std::abs(residual[i]) < least) continue;
                // A motor follows the limit with which it competes.
                const bool competes = i + 1 < joint.row_count && row[1].competing_limit == joint.first_row + i;
                if (competes && leads_away(row[1], *row)) continue;
                const bool off = row->impulse <= row->low    ? wanted > row->low
                                 : row->impulse >= row->high ? wanted < row->high
                                                             : true;
                if (!off) continue;
                row->free = any = true;
                continue;
            }
            double wanted[3], size2 = 0.0;
            for (std::uint32_t k = 0; k < 3; ++k) {
                wanted[k] = row[k].impulse - residual[i + k] / (row[k].response + row[k].softness);
                size2 += wanted[k] * wanted[k];
            }
            const double cap = row->high;
            if (size2 < cap * cap && !row->clamped) {
                for (int k = 0; k < 3; ++k) row[k].free = true;
                any = true;
            } else if (size2 > 0.0) {
                const double scale = cap / std::sqrt(size2);
                for (std::uint32_t k = 0; k < 3; ++k) {
                    change[i + k] = scale * wanted[k] - row[k].impulse;
                    row[k].impulse += change[i + k];
                }
                redirected = true;
            }
        }
    }
    if (redirected) {
        apply_changes(s, a);
        worst = set_residuals(s, a, pass, linear, again);
    }
    return any;
}

bool clamp_rows(Articulations& s, Articulation& a, JointPass pass) {
    bool any = false;
    for (const SolverJoint& joint : s.joints_of(a)) {
        double* const change = s.changes_of(joint);
        for (std::uint32_t i = joint.first_bounded; i < joint.row_count; ++i) {
            JointRow* const row = &s.rows[joint.first_row + i];
            if (!takes_part(s, *row, pass) || row->group == 0) continue;
            if (row->group == 1) {
                const double wanted = row->impulse + change[i];
                const bool competes = i + 1 < joint.row_count && row[1].competing_limit == joint.first_row + i;
                if (competes && presses(row[1], *row, s.substep)) {
                    JointRow& motor = row[1];
                    const double most = row->upper ? motor.high : motor.low, rest = most - motor.impulse;
                    if (row->upper ? wanted <= rest : wanted >= rest) continue;
                    change[i] = -row->impulse;
                    change[i + 1] = rest;
                    row->free = motor.free = false;
                    row->clamped = motor.clamped = any = true;
                    continue;
                }
                if (wanted >= row->low && wanted <= row->high) continue;
                change[i] = std::clamp(wanted, row->low, row->high) - row->impulse;
                row->free = false;
                row->clamped = any = true;
                continue;
            }
            double size2 = 0.0;
            for (std::uint32_t k = 0; k < 3; ++k)
                size2 += (row[k].impulse + change[i + k]) * (row[k].impulse + change[i + k]);
            if (size2 <= row->high * row->high) continue;
            const double scale = row->high / std::sqrt(size2);
            for (std::uint32_t k = 0; k < 3; ++k) {
                change[i + k] = scale * (row[k].impulse + change[i + k]) - row[k].impulse;
                row[k].free = false;
            }
            row->clamped = any = true;
        }
    }
    if (any) a.factored = JointPass::none;
    return any;
}

void drop_changes_of_free_rows(Articulations& s, const Articulation& a) {
    for (SolverJoint& joint : s.joints_of(a)) {
        double* const change = s.changes_of(joint);
        for (std::uint32_t i = 0; i < joint.row_count; ++i) {
            const JointRow& row = s.rows[joint.first_row + i];
            if (row.free || !row.clamped) change[i] = 0.0;
        }
    }
}

void freeze_capped_drives(Articulations& s, Articulation& a, bool and_limits) {
    if (!a.bounded || !(a.driven || and_limits)) return;
    for (SolverJoint& joint : s.joints_of(a)) {
        for (std::uint32_t i = joint.first_bounded; i < joint.row_count; ++i) {
            JointRow& row = s.rows[joint.first_row + i];
            if (!row.free || !is_bounded(row) || (row.kind == RowKind::limit && !and_limits)) continue;
            row.free = false;
            a.factored = JointPass::none;
        }
    }
}

}  // namespace talus
