#include "engine/joint_solver/joint_solver.h"

#include "engine/bodies/integrate.h"
#include "engine/settings.h"
#include "narrowphase/processor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// To floats, and finite: absurd springs and masses need impulses of more than floats hold.
float to_float(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -most, most));
}
vec3 to_floats(const dvec3& v) { return {to_float(v.x), to_float(v.y), to_float(v.z)}; }

}  // namespace

// ---- velocities -----------------------------------------------------------------------------------------------------

void JointSolver::read_velocities(Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (link.solver == 0) continue;
        const SolverBody& body = motions_.bodies[link.solver];
        link.velocity_before = dvec3(load3(body.velocity));
        link.spin_before = dvec3(load3(body.angular_velocity));
        if (a.pushed) {
            link.velocity_before -= link.push;
            link.spin_before -= link.push_spin;
        }
        double* const v = velocity_of(l);
        for (int k = 0; k < 3; ++k) {
            v[k] = link.velocity_before[k];
            v[k + 4] = link.spin_before[k];
        }
    }
    a.pushed = false;
}

void JointSolver::write_velocities(const Articulation& a) {
    const float most_spin = settings::max_joint_rotation / substep_;
    const auto kept = [](double x) { return std::abs(x) < settings::joint_least_speed ? 0.0f : static_cast<float>(x); };
    const auto within = [&](const double* x, float limit) {
        const vec3 v(kept(x[0]), kept(x[1]), kept(x[2]));
        return length_squared(v) <= limit * limit ? v : limited(v, limit);
    };
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (!link.dynamic || link.solver == 0) continue;
        const double* const v = velocity_of(l);
        motions_.set_velocities(link.solver, within(v, motions_.max_speed), within(v + 4, most_spin));
    }
}

JointRowsInput JointSolver::rows_input(const Articulation& a, std::vector<JointLane>& numbers) {
    return {joint_rows_.data(), joint_nodes_.data(), a.first_run,       a.first_run + a.run_count,
            flat(jacobians_),   flat(responses_),    flat(velocities_), flat(numbers)};
}

void JointSolver::apply_changes(const Articulation& a) {
    kernel_->apply(rows_input(a, changes_));
    const JointRows &first = joint_rows_[a.first_run], &last = joint_rows_[a.first_run + a.run_count - 1];
    std::fill_n(flat(changes_) + first.numbers, last.numbers + last.width - first.numbers, 0.0);
}

// ---- passes ---------------------------------------------------------------------------------------------------------

/// Returns the largest residual of the rows that take part.
double JointSolver::set_residuals(Articulation& a, Pass pass, bool linear, bool again) {
    const double h = substep_;
    double worst = 0.0;
    const bool curved = pass == Pass::solve && !linear;
    if (curved) predict(a);
    if (!curved || a.driven) kernel_->speeds(rows_input(a, residuals_));
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        double* const residual = residuals(run);
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            const Row& row = rows_[run.first_row + i];
            const bool positional = row.kind == RowKind::lock || row.kind == RowKind::limit;
            if (!positional) {
                // A motor moves its coordinate by speed * h, however the way there bends.
                if (curved && row.kind == RowKind::motor && row.number < cone_row)
                    residual[i] = (row_coordinate(run, row, run.next_pose, run.next_coordinates) - row.position) / h;
                residual[i] -= row.speed;
                if (row.kind == RowKind::spring)
                    residual[i] += row.bias_rate * row.position + row.softness * row.impulse;
            } else if (curved) {
                const double next = run.kind == JointKind::gear
                                        ? geared_coordinate(run, runs_[run.geared[0]].next_coordinates,
                                                            runs_[run.geared[1]].next_coordinates)
                                        : row_coordinate(run, row, run.next_pose, run.next_coordinates);
                residual[i] = (next - row.limits[row.upper ? 1 : 0] - row.goal) / h;
            } else if (pass == Pass::solve) {
                residual[i] += (row.position - row.goal) / h;
            } else {
                // A limit may be approached as fast as it is reached at the sub-step's end.
                double ahead = 0.0;
                if (row.kind == RowKind::limit)
                    ahead = row.upper ? std::min(row.position, 0.0) : std::max(row.position, 0.0);
                residual[i] += ahead / h + (again ? 0.0 : row.slack * row.impulse);
            }
            if (takes_part(row, pass)) worst = std::max(worst, std::abs(residual[i]));
        }
    }
    return worst;
}

/// Rows at a bound whose residual pulls them off it join the direct solve; a drive at the limit of its force turns that
/// force to where it is needed. True when a row was let go.
bool JointSolver::let_go(Articulation& a, Pass pass, bool linear, bool again, double& worst) {
    bool any = false, turned = false;
    const double least = a.redundant ? settings::joint_tolerance : settings::joint_release_speed;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        double *const residual = residuals(run), *const change = changes(run);
        for (std::uint32_t i = run.first_bounded; i < run.row_count; ++i) {
            Row* const row = &rows_[run.first_row + i];
            if (row->free || row->group == 0 || row->response <= 0.0 ||
                (pass == Pass::relax && row->kind == RowKind::spring))
                continue;
            if (row->group == 1) {
                const double wanted = row->impulse - residual[i] / row->response;
                if (row->caught || std::abs(residual[i]) < least) continue;
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
            if (size2 < cap * cap && !row->caught) {
                for (int k = 0; k < 3; ++k) row[k].free = true;
                any = true;
            } else if (size2 > 0.0) {
                const double scale = cap / std::sqrt(size2);
                for (std::uint32_t k = 0; k < 3; ++k) {
                    change[i + k] = scale * wanted[k] - row[k].impulse;
                    row[k].impulse += change[i + k];
                }
                turned = true;
            }
        }
    }
    if (turned) {
        apply_changes(a);
        worst = set_residuals(a, pass, linear, again);
    }
    return any;
}

/// Of the rows about to change, those that would pass a bound stop there and leave the direct solve.
bool JointSolver::catch_bounded(Articulation& a, Pass pass) {
    bool any = false;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        double* const change = changes(run);
        for (std::uint32_t i = run.first_bounded; i < run.row_count; ++i) {
            Row* const row = &rows_[run.first_row + i];
            if (!takes_part(*row, pass) || row->group == 0) continue;
            if (row->group == 1) {
                const double wanted = row->impulse + change[i];
                if (wanted >= row->low && wanted <= row->high) continue;
                change[i] = std::clamp(wanted, row->low, row->high) - row->impulse;
                row->free = false;
                row->caught = any = true;
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
            row->caught = any = true;
        }
    }
    if (any) a.factored = Pass::none;
    return any;
}

void JointSolver::factor(Articulation& a, Pass pass) {
    if (a.factored == pass || (a.factored != Pass::none && !a.springs)) return;
    a.factored = pass;
    const auto system = static_cast<std::uint32_t>(&a - articulations_.data());
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        const JointRows& rows = joint_rows_[r];
        JointNode& node = joint_nodes_[r];
        node.parts = 0;
        std::uint32_t count = 0;
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            if (!takes_part(rows_[run.first_row + i], pass)) continue;
            node.parts |= 1u << i;
            node.size = i + 1;
            ++count;
        }
        if (count == 0) node.size = 0;
        node.width = joint_width(node.size);
        node.jacobian = rows.jacobian + (count < rows.count ? 6 * rows.sides * rows.width : 0);
        ldl_.set_size(run.node, node.size);
    }
    if (!a.weak) {
        fill_matrix(a);
        a.weak = !ldl_.factor(system);
        if (!a.weak) return;
    }
    fill_matrix(a);
    ldl_.factor_with_care(system);
}

/// With the rows that take part.
void JointSolver::fill_matrix(Articulation& a) {
    const auto system = static_cast<std::uint32_t>(&a - articulations_.data());
    const JointRowsInput input = rows_input(a, residuals_);
    const LdlInput matrix = ldl_.input(system);
    ldl_.clear_fill(system);
    kernel_->select(input);
    kernel_->diagonals(input, matrix, runs_[a.first_run].node);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const JointNode& node = joint_nodes_[r];
        double* const diagonal = ldl_.diagonal(runs_[r].node);
        for (unsigned i = 0; i < node.size; ++i) {
            if (node.parts >> i & 1u) diagonal[i * node.width + i] += rows_[runs_[r].first_row + i].slack;
        }
    }
    kernel_->couplings(input, matrix, couplings_.data() + a.first_coupling, a.coupling_count);
    if (a.hub_count != 0) factor_hubs(a);
}

/// A hub's velocity is an unknown of the matrix: -M v + J^T l = 0.
void JointSolver::factor_hubs(const Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (link.node == null_index) continue;
        const std::uint32_t width = ldl_.width(link.node);
        double* const diagonal = ldl_.diagonal(link.node);
        std::fill_n(diagonal, 6 * width, 0.0);
        for (int i = 0; i < 3; ++i) {
            diagonal[i * width + i] = -link.inverse_mass[i];
            for (int k = 0; k < 3; ++k) diagonal[(i + 3) * width + k + 3] = -link.inverse_inertia[k][i];
        }
    }
    for (std::uint32_t c = a.first_hub; c < a.first_hub + a.hub_count; ++c) {
        const HubCoupling& coupling = hub_couplings_[c];
        const JointRows& rows = joint_rows_[coupling.run];
        const JointNode& node = joint_nodes_[coupling.run];
        const bool hub_first = coupling.place.row == runs_[coupling.run].node;
        const std::uint32_t width = ldl_.width(coupling.place.row), lines = hub_first ? 6 : node.size;
        double* const block = ldl_.block(coupling.place);
        std::fill_n(block, lines * width, 0.0);
        for (unsigned i = 0; i < node.size; ++i) {
            if (!(node.parts >> i & 1u)) continue;
            const double* const response = flat(responses_) + rows.response + 8 * (rows.sides * i + coupling.side);
            for (unsigned k = 0; k < 6; ++k)
                block[hub_first ? k * width + i : i * width + k] = response[k < 3 ? k : k + 1];
        }
    }
}

void JointSolver::solve_free(Articulation& a, Pass pass) {
    factor(a, pass);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const JointNode& node = joint_nodes_[r];
        const double* const residual = residuals(runs_[r]);
        double* const x = ldl_.vector(runs_[r].node);
        for (unsigned i = 0; i < node.width; ++i) x[i] = node.parts >> i & 1u ? -residual[i] : 0.0;
    }
    if (a.hub_count != 0) {
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (links_[l].node != null_index) std::fill_n(ldl_.vector(links_[l].node), ldl_.width(links_[l].node), 0.0);
        }
    }
    ldl_.solve(static_cast<std::uint32_t>(&a - articulations_.data()));
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const JointNode& node = joint_nodes_[r];
        const double* const x = ldl_.vector(runs_[r].node);
        double* const change = changes(runs_[r]);
        for (unsigned i = 0; i < node.size; ++i) change[i] = x[i];
    }
}

/// What takes part in the direct solve needs no guess; what is at a bound acts with the full bound.
void JointSolver::begin_solve(Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        link.usual_spin += settings::joint_usual_spin * (link.spin_before - link.usual_spin);
        if (!link.stiff) continue;
        dvec3 steady = a.rotation;
        if (!a.free) {
            const double turn = substep_ / settings::joint_steady_turn;
            const double fast = turn * turn * glm::dot(link.usual_spin, link.usual_spin);
            steady = std::max(0.0, 1.0 - fast) * link.usual_spin;
        }
        link.spin_before = steady + link.slowing * (link.spin_before - steady);
        for (int k = 0; k < 3; ++k) velocity_of(l)[k + 4] = link.spin_before[k];
    }
    bool any = false;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        run.old_force = run.force;
        run.old_torque = run.torque;
        double* const change = changes(run);
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            Row& row = rows_[run.first_row + i];
            row.impulse = row.free ? 0.0 : row.group == 1 ? std::clamp(row.impulse, row.low, row.high) : row.impulse;
            row.noted = 0.0;
            change[i] = row.impulse;
            any = any || row.impulse != 0.0;
        }
    }
    if (any) apply_changes(a);
    if (!a.taken) return;
    const Run& last = runs_[a.first_run + a.run_count - 1];
    for (std::uint32_t i = runs_[a.first_run].first_row; i < last.first_row + last.row_count; ++i) {
        if (rows_[i].free) rows_[i].impulse = taken_[i];
        taken_[i] = 0.0;
    }
    a.taken = false;
}

void JointSolver::run_pass(Articulation& a, Pass pass, bool again) {
    run_rounds(a, pass, again);
    finish_pass(a, pass, again);
}

void JointSolver::run_rounds(Articulation& a, Pass pass, bool again) {
    const Run& last_run = runs_[a.first_run + a.run_count - 1];
    const std::uint32_t first = runs_[a.first_run].first_row, end = last_run.first_row + last_run.row_count;
    for (std::uint32_t i = first; i < end; ++i) {
        rows_[i].caught = false;
        rows_[i].newton = 0.0;
        rows_[i].given = rows_[i].impulse;
    }
    // Calls visit(row, its change).
    const auto for_each_row = [&](auto&& visit) {
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            double* const change = changes(runs_[r]);
            for (std::uint32_t i = 0; i < runs_[r].row_count; ++i) visit(rows_[runs_[r].first_row + i], change[i]);
        }
    };
    bool caught = false, settled = false, bending = false;
    double straight = 0.0;
    double before = infinite;
    for (int round = 0;; ++round) {
        // First along the tangent, until it is settled which rows act; then as curved as the constraints are.
        const bool linear = pass == Pass::relax || !settled;
        double worst = set_residuals(a, pass, linear, again);
        const bool final = round == settings::joint_rounds;
        const bool let = a.bounded && !final && let_go(a, pass, linear, again, worst);
        if (let) a.factored = Pass::none;
        if (!linear && !let && !caught &&
            !(worst < before)) {  // too far from straight for Newton's method: as it was before it
            for_each_row([](Row& row, double& change) {
                change = -row.newton;
                row.impulse += change;
            });
            apply_changes(a);
            break;
        }
        if (!let && !caught && worst < settings::joint_tolerance) {
            if (pass == Pass::relax || settled) break;
            settled = true;
            continue;
        }
        // Unsettled: limits that hold stick for this pass, all else that has bounds does in it what it did before it.
        if (final) {
            for_each_row([](Row& row, double& change) {
                if (!is_bounded(row) || (row.kind == RowKind::limit && row.free)) return;
                row.free = false;
                change = row.given - row.impulse;
                row.impulse = row.given;
            });
            apply_changes(a);
            set_residuals(a, pass, true, again);
            a.factored = Pass::none;
        }
        if (!linear && a.redundant && !bending) straight = begin_bending(a);
        bending = bending || (!linear && a.redundant);
        solve_free(a, pass);
        caught = a.bounded && !final && catch_bounded(a, pass);
        if (caught && a.redundant) drop_changes_of_free_rows(a);
        for_each_row([linear](Row& row, double& change) {
            row.impulse += change;
            if (!linear) row.newton += change;
        });
        apply_changes(a);
        if (bending && kinetic_energy(a) > settings::joint_bend_gain * straight) {
            for_each_row([](Row& row, double& change) {
                change = -row.newton;
                row.impulse += change;
                row.newton = 0.0;
            });
            apply_changes(a);
            break;
        }
        if (final || (!a.bounded && (pass == Pass::relax || (!linear && worst < settings::joint_quick)))) break;
        if (!linear) before = let || caught ? infinite : 0.5 * worst;
        if (linear && !caught && !(a.bounded && pass == Pass::relax)) settled = true;
    }
    if (bending) end_bending(a);
}

void JointSolver::finish_pass(Articulation& a, Pass pass, bool again) {
    report(a, pass, again, tame(a));
    if (a.free && (limit_spins(a) || a.stiff)) restore_momentum(a, pass);
    if (pass == Pass::solve && a.redundant) push_together(a);
    write_velocities(a);
}

double JointSolver::tame(const Articulation& a) {
    double mass = 0.0, most_change = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (!link.dynamic) continue;
        const double* const v = velocity_of(l);
        const dvec3 move = dvec3(v[0], v[1], v[2]) - link.velocity_before,
                    spin = dvec3(v[4], v[5], v[6]) - link.spin_before;
        most_change += 0.5 * (link.mass * glm::dot(move, move) + link.most_inertia * glm::dot(spin, spin));
        mass += link.mass;
    }
    // In the norm whose square is the energy: |v + s dv| <= |v| + s |dv|.
    const double gain = std::sqrt(0.5 * mass) * settings::joint_gain_speed;
    if (most_change <= gain * gain) return 1.0;
    double before = 0.0, after = 0.0, change = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (!link.dynamic) continue;
        const auto energy = [&](const dvec3& velocity, const dvec3& spin) {
            return kinetic_energy(link, velocity, spin);
        };
        const double* const v = velocity_of(l);
        const dvec3 velocity(v[0], v[1], v[2]), spin(v[4], v[5], v[6]);
        before += energy(link.velocity_before, link.spin_before);
        after += energy(velocity, spin);
        change += energy(velocity - link.velocity_before, spin - link.spin_before);
    }
    if (std::sqrt(after) <= std::sqrt(before) + gain) return 1.0;  // and not if it is not a number
    const double scale = after < infinite && change < infinite ? std::min(1.0, gain / std::sqrt(change)) : 0.0;
    const auto part = [scale](double from, double to) { return scale > 0.0 ? from + scale * (to - from) : from; };
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (!link.dynamic) continue;
        double* const v = velocity_of(l);
        for (int k = 0; k < 3; ++k) {
            v[k] = part(link.velocity_before[k], v[k]);
            v[k + 4] = part(link.spin_before[k], v[k + 4]);
        }
    }
    return scale;
}

void JointSolver::report(const Articulation& a, Pass pass, bool again, double scale) {
    // The solve's impulses are counted from none, as it began with those that are warm.
    const bool from_none = pass == Pass::solve && !again;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        const JointRows& rows = joint_rows_[r];
        const double* const jacobian = flat(jacobians_) + rows.jacobian + 6 * rows.width * (rows.sides - 1);
        dvec3 force(0.0), torque(0.0);
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            Row& row = rows_[run.first_row + i];
            const double from = from_none ? 0.0 : row.given, impulse = row.impulse - from;
            if (scale != 1.0) row.impulse = scale > 0.0 ? from + scale * impulse : from;
            if (impulse == 0.0) continue;
            for (int k = 0; k < 3; ++k) {
                force[k] += impulse * jacobian[static_cast<unsigned>(k) * rows.width + i];
                torque[k] += impulse * jacobian[static_cast<unsigned>(k + 3) * rows.width + i];
            }
            if (row.kind == RowKind::motor && row.number < cone_row) run.motor_impulses[row.axis] += row.impulse - from;
        }
        if (scale <= 0.0) continue;
        const dvec3& arm = run.kind == JointKind::gear ? runs_[run.geared[1]].pose.arm_b : run.pose.arm_b;
        run.force += scale * force;
        run.torque += scale * (torque - glm::cross(arm, force));
        run.demand += force;
        if (pass == Pass::solve)
            run.new_load = (again ? run.new_load : dvec3(0.0)) + force * links_[run.link[0]].pose.axes;
    }
}

void JointSolver::solve(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t at = first; at < last; ++at) {
        Articulation& a = articulations_[active_[at]];
        read_velocities(a);
        note_momentum(a);
        begin_solve(a);
        run_pass(a, Pass::solve);
    }
}

void JointSolver::relax(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t at = first; at < last; ++at) {
        Articulation& a = articulations_[active_[at]];
        evaluate(a);
        read_velocities(a);
        note_momentum(a);
        relax_without_gain(a);
        a.open = open_by_rows(a);
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            Run& run = runs_[r];
            run.load *= settings::joint_load_memory;
            if (glm::dot(run.demand, run.demand) > glm::dot(run.load, run.load)) run.load = run.demand;
            run.demand = dvec3(0.0);
        }
    }
}

void JointSolver::read_rows(std::uint32_t articulation, bool relaxing, std::vector<BodyRow>& out) const {
    const Articulation& a = articulations_[articulation];
    const Pass pass = relaxing ? Pass::relax : Pass::solve;
    const double h = substep_;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        const JointRows& rows = joint_rows_[r];
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            const Row& row = rows_[run.first_row + i];
            const bool given = !relaxing && !row.free && row.impulse != 0.0;
            if (!(row.response > 0.0) || !(given || takes_part(row, pass))) continue;
            BodyRow body{};
            body.response = row.response;
            body.given = given;
            body.articulation = articulation;
            body.source = run.first_row + i;
            // Of a bound on the length of several rows the joint solver alone takes care.
            const double before = relaxing ? row.impulse : 0.0;
            if (row.group == 1 || !is_bounded(row)) body.low = row.low - before, body.high = row.high - before;
            if (given) body.given_impulse = row.group == 1 ? std::clamp(row.impulse, row.low, row.high) : row.impulse;
            // As set_residuals() has them at the begin of a pass.
            if (row.kind == RowKind::lock || row.kind == RowKind::limit) {
                if (!relaxing) body.bias = (row.position - row.goal) / h;
                if (relaxing && row.kind == RowKind::limit)
                    body.bias = (row.upper ? std::min(row.position, 0.0) : std::max(row.position, 0.0)) / h;
            } else {
                body.bias = -row.speed;
                if (row.kind == RowKind::spring) {
                    body.bias += row.bias_rate * row.position;
                    body.softness = row.softness;
                }
            }
            for (std::uint32_t s = 0; s < 2; ++s) {
                const Link& link = links_[run.link[s]];
                double* const j = body.jacobian + 6 * s;
                for (unsigned k = 0; k < 6; ++k) j[k] = flat(jacobians_)[rows.jacobian + (6 * s + k) * rows.width + i];
                if (link.dynamic) {
                    (s == 0 ? body.a : body.b) = link.solver;
                    for (const double m : link.inverse_mass) body.inverse_mass = std::max(body.inverse_mass, m);
                } else if (link.solver != 0) {
                    const SolverBody& moves = motions_.bodies[link.solver];
                    for (int k = 0; k < 3; ++k) {
                        body.bias += j[k] * static_cast<double>(moves.velocity[k]) +
                                     j[k + 3] * static_cast<double>(moves.angular_velocity[k]);
                    }
                }
            }
            out.push_back(body);
        }
    }
}

void JointSolver::store(JointStore& joints, float step) const {
    const double per_step = 1.0 / static_cast<double>(step), per_substep = 1.0 / static_cast<double>(substep_);
    for (const std::uint32_t index : active_) {
        const Articulation& a = articulations_[index];
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            const Run& run = runs_[r];
            Joint& joint = joints[run.slot];
            joint.turn = run.turn;
            joint.load = to_floats(per_substep * run.load);
            if (run.kind != JointKind::gear) {
                for (int i = 0; i < 2; ++i) joint.usual_spins[i] = to_floats(links_[run.link[i]].usual_spin);
            }
            joint.force = to_floats(per_step * run.force);
            joint.torque = to_floats(per_step * run.torque);
            joint.forces.fill(0.0f);
            joint.stiffness.fill(0.0f);
            joint.pressed = joint.at_upper = 0;
            const auto user_axis = [&](int axis) { return static_cast<std::size_t>(shifted_axis(axis, run.shift)); };
            for (int i = 0; i < joint_axes; ++i)
                joint.motor_forces[user_axis(i)] = to_float(per_step * run.motor_impulses[i]);
            for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
                const Row& row = rows_[i];
                joint.forces[row.number] = to_float(per_substep * row.impulse);
                if (row.kind == RowKind::spring) {
                    // A distance joint's spring to a point is a drive, and has one axis to be asked for.
                    const bool turns = row.number >= angular_drive_row;
                    const std::size_t axis =
                        run.kind == JointKind::distance ? 0u : user_axis(row.axis + (turns ? 3 : 0));
                    const float k = row.softness > 0.0 ? to_float(per_substep * row.bias_rate / row.softness) : 0.0f;
                    joint.stiffness[axis] = std::max(joint.stiffness[axis], k);
                }
                joint.pressed |= (row.free ? 1u : 0u) << row.number;
                joint.at_upper |= (row.upper ? 1u : 0u) << row.number;
            }
        }
    }
}

std::size_t JointSolver::bytes() const {
    return articulations_.capacity() * sizeof(Articulation) + runs_.capacity() * sizeof(Run) +
           links_.capacity() * sizeof(Link) + couplings_.capacity() * sizeof(JointCoupling) +
           hub_couplings_.capacity() * sizeof(HubCoupling) +
           (run_of_.capacity() + link_of_.capacity() + articulation_of_.capacity() + active_.capacity()) *
               sizeof(std::uint32_t) +
           groups_.capacity() * sizeof(ContactGroup) + jointed_.capacity() * sizeof(JointedContact) +
           contact_rows_.capacity() * sizeof(ContactRow) + parties_.capacity() * sizeof(Party) +
           movers_.capacity() * sizeof(Mover) + columns_.capacity() * sizeof(dvec3) +
           (closing_matrix_.capacity() + closing_impulses_.capacity() + closing_ways_.capacity()) * sizeof(double) +
           (keys_.capacity() + pushed_.capacity()) * sizeof(keys_[0]) + rows_.capacity() * sizeof(Row) +
           taken_.capacity() * sizeof(double) + joint_rows_.capacity() * sizeof(JointRows) +
           joint_nodes_.capacity() * sizeof(JointNode) +
           (jacobians_.capacity() + responses_.capacity() + residuals_.capacity() + changes_.capacity() +
            velocities_.capacity()) *
               sizeof(JointLane) +
           ldl_.bytes();
}

const JointKernel& best_joint_kernel() {
#ifdef TALUS_AVX2
    static const JointKernel& best = detail::has_avx2() ? joint_kernel_avx2 : joint_kernel_sse2;
    return best;
#else
    return joint_kernel_sse2;
#endif
}

}  // namespace talus
