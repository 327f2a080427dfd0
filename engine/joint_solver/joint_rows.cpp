/// The rows of joints: what each of them is (once a step), and its numbers where the bodies are now (once a sub-step).

#include "engine/joint_solver/joint_solver.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double infinite = std::numeric_limits<double>::infinity();

dquat unit(const quat& q) {
    const dquat d(q);
    const double s = 1.0 / std::sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    return dquat(d.w * s, d.x * s, d.y * s, d.z * s);
}

/// A damped oscillator over one sub-step, v' = decay v - pull x, x' = x + h v'.
struct Oscillator {
    double decay, pull;
};

/// The pull is omega^2 h times the decay: a load sags by force / stiffness exactly. Slow springs decay by exp(-2 ratio
/// omega h), just as the true motion does in area, and swing undamped for ever without damping. Fast ones are
/// integrated by implicit Euler, which is stable with however many springs in parallel, and damps.
Oscillator oscillator(double hertz, double ratio, double h) {
    const double turn = 2.0 * pi * hertz * h, damp = ratio * turn;  // omega h, and by how much it decays
    double decay = 1.0 / (1.0 + 2.0 * damp + turn * turn);
    if (turn <= settings::slow_spring_turn && damp <= settings::slow_spring_turn) {
        const double half =
            1.0 - damp * (1.0 - damp / 2.0 *
                                    (1.0 - damp / 3.0 * (1.0 - damp / 4.0 * (1.0 - damp / 5.0 * (1.0 - damp / 6.0)))));
        decay = std::min(half * half, 1.0 - 1e-9);  // exp(-2 damp)
    }
    return {decay, turn * turn / h * decay};
}

/// How the moment of a force f (or impulse) at an arm r that turns with a body changes when the body turns by w: (w x
/// r) x f = -K w, with the symmetric K = (f . r) 1 - (r f^T + f r^T) / 2. Of K what is positive: along the bisector of
/// r and f there is no stiffness, along n = r x f it is f . r, along e, at right angles to both, (|f| |r| + f . r) / 2.
dmat3 turning_stiffness(const dvec3& r, const dvec3& f) {
    const double size_r = std::sqrt(glm::dot(r, r)), size_f = std::sqrt(glm::dot(f, f)), along = glm::dot(r, f);
    if (size_r * size_f <= 0.0 || along <= -0.999 * size_r * size_f) return dmat3(0.0);
    const dvec3 u = r / size_r, v = f / size_f, middle = u + v, across = u - v;
    const double n = std::max(along, 0.0), e = 0.5 * (size_r * size_f + along);
    const double middle2 = glm::dot(middle, middle), across2 = glm::dot(across, across);
    dmat3 k = dmat3(n) - (n / middle2) * glm::outerProduct(middle, middle);
    if (across2 > 1e-12) k += ((e - n) / across2) * glm::outerProduct(across, across);
    return k;
}

/// t m t^T of a symmetric m.
dmat3 turned(const dmat3& t, const dmat3& m) {
    const dmat3 left = t * m;
    dmat3 result;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k <= i; ++k) {
            result[i][k] = left[0][i] * t[0][k] + left[1][i] * t[1][k] + left[2][i] * t[2][k];
            result[k][i] = result[i][k];
        }
    }
    return result;
}

/// No part of v is longer.
double bound_of(const dvec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

/// Lower Cholesky factor of an n x n matrix in place (its lower triangle, row by row), with the reciprocals of the
/// diagonal on the diagonal: 0 where the pivot was lost to rounding.
void cholesky(double* a, std::uint32_t n) {
    for (std::uint32_t j = 0; j < n; ++j) {
        double* const row_j = a + j * n;
        const double before = row_j[j];
        double pivot = before;
        for (std::uint32_t k = 0; k < j; ++k) pivot -= row_j[k] * row_j[k];
        const double inverse = pivot > 1e-14 * before ? 1.0 / std::sqrt(pivot) : 0.0;
        row_j[j] = inverse;
        for (std::uint32_t i = j + 1; i < n; ++i) {
            double* const row_i = a + i * n;
            double sum = row_i[j];
            for (std::uint32_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
            row_i[j] = sum * inverse;
        }
    }
}

/// x := C^-1 x.
void forward(const double* c, std::uint32_t n, double* x) {
    for (std::uint32_t i = 0; i < n; ++i) {
        double sum = x[i];
        for (std::uint32_t k = 0; k < i; ++k) sum -= c[i * n + k] * x[k];
        x[i] = sum * c[i * n + i];
    }
}

}  // namespace

// ---- of the step ----------------------------------------------------------------------------------------------------

void JointSolver::prepare(const JointStore& joints, const BodyStore& bodies,
                          std::span<const std::uint32_t> solver_index, std::span<const SolverMass> masses,
                          const JointMotions& motions, float substep) {
    motions_ = motions;
    substep_ = substep;
    active_.clear();
    rows_.clear();
    if (topology_changed(joints, bodies)) build_topology(joints, bodies);
    joint_rows_.resize(runs_.size());
    joint_nodes_.resize(runs_.size());
    velocities_.assign(2 * links_.size(), JointLane{});
    room_ = {};

    for (std::uint32_t index = 0; index < articulations_.size(); ++index) {
        Articulation& a = articulations_[index];
        bool awake = false;
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            links_[l].solver = solver_index[links_[l].slot];
            awake = awake || (links_[l].dynamic && links_[l].solver != 0);
        }
        if (!awake) continue;
        active_.push_back(index);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l)
            prepare_link(links_[l], bodies, masses);
        a.bounded = a.springs = a.driven = a.pushed = a.bent = a.weak = false;
        a.redundant = a.looped;
        a.free = !a.looped;
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            a.redundant = a.redundant || links_[l].locked;
            a.free = a.free && links_[l].dynamic && !links_[l].locked;
        }
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            prepare_run(runs_[r], joints[runs_[r].slot], bodies);
            for (std::uint32_t i = runs_[r].first_row; i < runs_[r].first_row + runs_[r].row_count; ++i) {
                const Row& row = rows_[i];
                a.bounded = a.bounded || is_bounded(row);
                a.springs = a.springs || row.kind == RowKind::spring;
                a.driven = a.driven || row.kind == RowKind::spring || row.kind == RowKind::motor;
            }
        }
    }
    // Lanes without a row stay zero.
    jacobians_.assign(room_.jacobian / joint_lanes, JointLane{});
    responses_.assign(room_.response / joint_lanes, JointLane{});
    residuals_.assign(room_.numbers / joint_lanes, JointLane{});
    changes_.assign(room_.numbers / joint_lanes, JointLane{});
    for (const std::uint32_t index : active_) {
        Articulation& a = articulations_[index];
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            if (runs_[r].anchored) begin_point_rows(runs_[r]);
        }
        evaluate(a);
        a.open_before = open_by_rows(a);
    }
}

void JointSolver::prepare_link(Link& link, const BodyStore& bodies, std::span<const SolverMass> masses) {
    link.displacement = link.next_displacement = dvec3(0.0);
    link.stiff = false;
    const Body& body = bodies[link.slot];
    link.locked = link.dynamic && body.locks != 0;
    link.pose = link.next_pose = Turned(link.solver != 0 ? motions_.rotation(link.solver) : unit(body.rotation));
    if (link.solver == 0) return;
    link.turns = link.dynamic && (body.locks & lock_turning) == 0 && !body.isotropic;
    link.turn = dmat3(1.0);
    const SolverMass& mass = masses[link.solver];
    const float* m = mass.inverse_inertia;
    for (int k = 0; k < 3; ++k) link.inverse_mass[k] = mass.inverse_mass[k];
    link.start_inverse_inertia = dmat3(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
    link.start_inertia =
        glm::determinant(link.start_inverse_inertia) > 0.0 ? glm::inverse(link.start_inverse_inertia) : dmat3(0.0);
    if (link.locked) {
        link.start_inertia = dmat3(inertia_of(body, body.rotation));
        link.unlocked_inverse_mass = body.inverse_mass;
        link.unlocked_inverse_inertia = glm::inverse(link.start_inertia);
    }
    link.true_inverse_inertia = link.start_inverse_inertia;
    link.mass = 0.0;
    for (const double k : link.inverse_mass) link.mass = std::max(link.mass, k > 0.0 ? 1.0 / k : 0.0);
    // A body that may only turn: with a mass of 0 tame() would let it gain no energy, and no joint would turn it.
    if (link.dynamic && link.mass == 0.0) link.mass = static_cast<double>(body.mass);
    link.most_inertia = link.start_inertia[0][0] + link.start_inertia[1][1] + link.start_inertia[2][2];
}

namespace {

bool is_within_a_turn(const JointLimit& limit) {
    return limit.lower >= -static_cast<float>(pi) && limit.upper <= static_cast<float>(pi);
}

/// Returns by how many places the axes of a joint are to be shifted, so that it turns about x. A six-dof joint that turns
/// about y or z alone is a hinge. As a swing, its turn would be singular at 180 degrees: a body that swung through that
/// jumped by up to 85 cm, and gained up to 14% of its energy.
int shift_of(const Joint& joint) {
    if (joint.kind != JointKind::six_dof) return 0;
    const auto is_shut = [&](std::size_t axis) {
        const JointLimit& limit = joint.axes[axis].limit;
        return limit.lower == 0.0f && limit.upper == 0.0f;
    };
    if (!is_shut(3) || is_shut(4) == is_shut(5)) return 0;
    return is_shut(4) ? 2 : 1;
}

/// Returns the same joint with its axes at other places: y (shift 1) or z (shift 2) becomes x, and so on in turn.
Joint with_shifted_axes(const Joint& joint, int shift) {
    Joint other = joint;
    // A third of a turn about (1, 1, 1), or back.
    const quat turn = shift == 1 ? quat(0.5f, 0.5f, 0.5f, 0.5f) : quat(0.5f, -0.5f, -0.5f, -0.5f);
    other.frame_a.rotation = multiply(joint.frame_a.rotation, turn);
    other.frame_b.rotation = multiply(joint.frame_b.rotation, turn);
    for (int i = 0; i < joint_axes; ++i)
        other.axes[static_cast<std::size_t>(i)] = joint.axes[static_cast<std::size_t>(shifted_axis(i, shift))];
    return other;
}

}  // namespace

void JointSolver::prepare_run(Run& run, const Joint& given, const BodyStore& bodies) {
    run.shift = shift_of(given);
    std::optional<Joint> other;
    if (run.shift != 0) other = with_shifted_axes(given, run.shift);
    const Joint& joint = other ? *other : given;
    run.turn = joint.turn;
    run.ratio = joint.ratio;
    run.offset = joint.offset;
    run.force = run.torque = run.demand = dvec3(0.0);
    run.load = static_cast<double>(substep_) * dvec3(joint.load);
    run.new_load = dvec3(0.0);
    std::fill_n(run.motor_impulses, joint_axes, 0.0);
    if (joint.kind != JointKind::gear) {
        const Body &body_a = bodies[links_[run.link[0]].slot], &body_b = bodies[links_[run.link[1]].slot];
        for (int i = 0; i < 2; ++i) links_[run.link[i]].usual_spin = dvec3(joint.usual_spins[i]);
        run.frame_a = {dvec3(joint.frame_a.position) - dvec3(body_a.local_center),
                       Turned(unit(joint.frame_a.rotation))};
        run.frame_b = {dvec3(joint.frame_b.position) - dvec3(body_b.local_center),
                       Turned(unit(joint.frame_b.rotation))};
        run.between = dvec3(body_b.center) - dvec3(body_a.center);
    }
    prepare_rows(run, joint);
    run.first_bounded = 0;
    while (run.first_bounded < run.row_count && !is_bounded(rows_[run.first_row + run.first_bounded]))
        ++run.first_bounded;
    find_parts(run);
    place_rows(run);
}

JointSolver::Row& JointSolver::add_row(Run& run, const Joint& joint, RowKind kind, RowForm form, int axis, int number) {
    Row row;
    row.kind = kind;
    row.form = form;
    row.axis = static_cast<std::uint8_t>(axis);
    row.number = static_cast<std::uint8_t>(number);
    row.low = -infinite;
    row.high = infinite;
    row.impulse = static_cast<double>(joint.forces[static_cast<std::size_t>(number)]) * substep_;
    row.free = kind == RowKind::lock || (joint.pressed >> number & 1u);
    row.upper = joint.at_upper >> number & 1u;
    ++run.row_count;
    rows_.push_back(row);
    return rows_.back();
}

void JointSolver::prepare_rows(Run& run, const Joint& joint) {
    run.first_row = static_cast<std::uint32_t>(rows_.size());
    run.row_count = 0;
    run.locks_swing = run.locks_twist = run.bent = run.anchored = false;
    const double h = substep_;
    const auto lock = [&](RowForm form, int axis, double at) {
        Row& row = add_row(run, joint, RowKind::lock, form, axis, limit_row(axis));
        row.limits[0] = row.limits[1] = at;
    };
    const auto limit = [&](RowForm form, int axis, int number, double lower, double upper) {
        Row& row = add_row(run, joint, RowKind::limit, form, axis, number);
        row.limits[0] = lower;
        row.limits[1] = upper;
        row.low = row.upper ? -infinite : 0.0;
        row.high = row.upper ? 0.0 : infinite;
    };
    const auto bound = [&](Row& row, double cap) {
        row.low = -cap * h;
        row.high = cap * h;
        if (cap == infinite) row.free = true;
    };
    const auto drive = [&](RowForm form, const vec3& speed, double hertz, double damping_ratio, double cap) {
        const int number = form == RowForm::drive_move ? linear_drive_row : angular_drive_row;
        for (int i = 0; i < 3; ++i) {
            Row& row = add_row(run, joint, hertz > 0.0 ? RowKind::spring : RowKind::motor, form, i, number + i);
            row.speed = speed[i];
            row.hertz = hertz;
            row.damping_ratio = damping_ratio;
            row.group = i == 0 ? 3 : 0;
            bound(row, cap);
            row.free = rows_[rows_.size() - 1 - static_cast<std::size_t>(i)].free;  // a group is of one mind
        }
    };
    const auto locked = [&](std::size_t axis) {
        const JointLimit& range = joint.axes[axis].limit;
        return range.lower == range.upper;
    };
    const auto locked_at_zero = [&](std::size_t axis) { return locked(axis) && joint.axes[axis].limit.lower == 0.0f; };
    if (joint.kind == JointKind::gear) {
        lock(RowForm::geared, 0, 0.0);
        return;
    }
    run.as_point = joint.kind == JointKind::distance && joint.axes[0].limit.upper == 0.0f;
    if (run.as_point) {
        run.anchored = true;
        for (int i = 0; i < 3; ++i) lock(RowForm::point, i, 0.0);
        return;
    }
    const bool cone_shut = joint.cone <= 0.0f,
               ordinary = joint.kind != JointKind::wheel && joint.kind != JointKind::distance;
    run.locks_swing = ordinary && ((locked_at_zero(4) && locked_at_zero(5)) || cone_shut);
    run.locks_twist = run.locks_swing && locked_at_zero(3);
    run.anchored = ordinary && locked_at_zero(0) && locked_at_zero(1) && locked_at_zero(2);
    // The swing may come to half a turn. A twist that may exceed half a turn is counted as an angle instead.
    const bool swings_through = joint.kind == JointKind::six_dof || (joint.kind == JointKind::ball && joint.cone >= pi);
    const auto form_of = [&](int i, const JointLimit& range) {
        if (joint.kind == JointKind::distance) return RowForm::length;
        if (i < 3) return run.anchored ? RowForm::point : RowForm::move;
        const auto axis = static_cast<std::size_t>(i);
        if (i == 3 && swings_through && !run.locks_swing && is_within_a_turn(range)) return RowForm::twist;
        if (i > 3 && ordinary && locked_at_zero(axis)) return RowForm::lock;
        return (i == 3 ? run.locks_twist : run.locks_swing) ? RowForm::lock : RowForm::turn;
    };
    for (int i = 0; i < joint_axes; ++i) {
        AxisDef axis = joint.axes[static_cast<std::size_t>(i)];
        if (i == 3 && joint.kind == JointKind::ball &&
            (axis.limit.lower > -unlimited || axis.limit.upper < unlimited)) {
            // The twist of a ball is not counted beyond half a turn: a range that is open to one side ends there.
            axis.limit.lower = std::max(axis.limit.lower, -static_cast<float>(pi));
            axis.limit.upper = std::min(axis.limit.upper, static_cast<float>(pi));
        }
        RowForm form = form_of(i, axis.limit);
        if (locked(static_cast<std::size_t>(i))) {
            lock(form, i, axis.limit.lower);
            continue;
        }
        const bool below = axis.limit.lower > (joint.kind == JointKind::distance ? 0.0f : -unlimited);
        const bool limited = below || axis.limit.upper < unlimited;
        if (limited) limit(form, i, limit_row(i), below ? axis.limit.lower : -infinite, axis.limit.upper);
        if (form == RowForm::twist) form = RowForm::turn;  // motors and springs
        if (axis.motor.max_force > 0.0f) {
            Row& row = add_row(run, joint, RowKind::motor, form, i, motor_row(i));
            row.speed = axis.motor.speed;
            if (limited) row.rival = static_cast<std::uint32_t>(rows_.size()) - 2;
            bound(row, axis.motor.max_force);
        }
        if (axis.spring.hertz > 0.0f && axis.spring.max_force > 0.0f) {
            if (joint.kind == JointKind::distance &&
                axis.spring.target == 0.0f) {  // to a point: it has no direction of its own there
                drive(RowForm::drive_move, vec3(0.0f), axis.spring.hertz, axis.spring.damping_ratio,
                      axis.spring.max_force);
                continue;
            }
            Row& row = add_row(run, joint, RowKind::spring, form, i, spring_row(i));
            row.hertz = axis.spring.hertz;
            row.damping_ratio = axis.spring.damping_ratio;
            row.target = axis.spring.target;
            bound(row, axis.spring.max_force);
        }
    }
    if (cone_shut) {
        if (!locked(4)) lock(RowForm::lock, 4, 0.0);
        if (!locked(5)) lock(RowForm::lock, 5, 0.0);
    } else if (joint.cone < static_cast<float>(pi)) {
        limit(RowForm::cone, 0, cone_row, -infinite, joint.cone);
    }
    const JointDrive& d = joint.drive;
    if (d.max_force > 0.0f) drive(RowForm::drive_move, d.velocity, d.linear_hertz, d.damping_ratio, d.max_force);
    if (d.max_torque > 0.0f)
        drive(RowForm::drive_turn, d.angular_velocity, d.angular_hertz, d.damping_ratio, d.max_torque);
    run.drive_target = d.target;
}

/// Which parts of the joint's pose its rows read, now and at the end of a sub-step.
void JointSolver::find_parts(Run& run) const {
    JointParts& parts = run.parts = {.axes = run.locks_swing, .twist = false, .swing = false};
    for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
        const Row& row = rows_[i];
        const bool wheel = run.kind == JointKind::wheel;
        parts.axes = parts.axes || (row.form != RowForm::point && row.form != RowForm::length);
        parts.twist = parts.twist || (row.form == RowForm::turn && (row.axis == 3 || wheel));
        parts.swing = parts.swing || (row.form == RowForm::turn && row.axis > 3 && !wheel) ||
                      row.form == RowForm::twist || (row.form == RowForm::drive_turn && row.kind == RowKind::spring);
    }
    run.next_parts = parts;
    if (run.kind == JointKind::hinge || run.kind == JointKind::wheel) parts.twist = true;  // turns are counted
}

/// Room for the joint's numbers: the Jacobian of all rows, and behind it that of those in the matrix.
void JointSolver::place_rows(Run& run) {
    JointRows& rows = joint_rows_[index_of(run)];
    rows.count = run.row_count;
    rows.width = joint_width(run.row_count);
    rows.sides = run.side_count;
    JointNode& node = joint_nodes_[index_of(run)];
    node = {};
    for (unsigned s = 0; s < rows.sides; ++s) {
        rows.link[s] = run.link[s];
        node.hubs |= (links_[run.link[s]].node != null_index ? 1u : 0u) << s;
    }
    rows.jacobian = room_.jacobian;
    rows.response = room_.response;
    rows.numbers = room_.numbers;
    room_.jacobian += 2 * 6 * rows.sides * rows.width;
    room_.response += 8 * rows.sides * rows.count;
    room_.numbers += rows.width;
}

// ---- of the sub-step ------------------------------------------------------------------------------------------------

void JointSolver::evaluate(Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) turn_link(links_[l]);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) place(runs_[r]);
    stabilise(a);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) evaluate_rows(a, runs_[r]);
    if (a.redundant) give_way_to_drivers(a);
    a.factored = Pass::none;
}

void JointSolver::turn_link(Link& link) {
    if (link.solver == 0) return;
    link.displacement = dvec3(load3(motions_.bodies[link.solver].displacement));
    link.pose = Turned(motions_.rotation(link.solver));
    if (link.turns) {
        link.turn = to_matrix(dquat(motions_.motions->turn(link.solver)));
        link.true_inverse_inertia = turned(link.turn, link.start_inverse_inertia);
    }
    link.inverse_inertia = link.true_inverse_inertia;
    link.most_stiffness = 0.0;
}

void JointSolver::place(Run& run) {
    if (run.kind == JointKind::gear) return;
    Link &link_a = links_[run.link[0]], &link_b = links_[run.link[1]];
    const dvec3 centers = run.between + link_b.displacement - link_a.displacement;
    run.pose = joint_pose(run.frame_a, link_a.pose, run.frame_b, link_b.pose, centers, run.parts);
    if (run.kind == JointKind::distance) run.pose.a[0] = link_a.pose.axes * run.frame_a.turn.axes[0];
    JointParts parts = run.parts;
    run.bent = run.locks_swing && !nearly_locked(run.pose, run.locks_twist);
    if (run.bent) {
        parts = {};
        run.pose = joint_pose(run.frame_a, link_a.pose, run.frame_b, link_b.pose, centers, parts);
    }
    run.coordinates = coordinates(run.kind, run.pose, run.turn, parts);
    if (parts.twist) run.turn = run.coordinates[3];

    if (glm::dot(run.new_load, run.new_load) > glm::dot(run.load, run.load)) run.load = link_a.pose.axes * run.new_load;
    const double pull = bound_of(run.load);
    link_a.most_stiffness += bound_of(run.pose.arm_a + run.pose.apart) * pull;
    link_b.most_stiffness += bound_of(run.pose.arm_b) * pull;
}

/// A link under tension is a pendulum in its joints, the faster the harder they pull: a light link that carries a heavy
/// load swings a thousand times a second. What is too fast for the sub-step is integrated implicitly: (I + h^2 K) dw =
/// -h^2 K w, so the spin is slowed and impulses meet more inertia. Every motion that joints leave is one of turns, so
/// that bounding each body's own frequency bounds all.
///
/// But a link's spin need not be a swing of its own: a light rod turns with the heavy bob that it carries. Slowed as
/// well, it took 44% of such a pendulum's energy in 10 s, as implicit Euler takes it. More inertia alone takes none, and
/// bounds the frequency too; what has to be slowed is the swing, which changes its direction every few sub-steps. So
/// only what differs from the mean spin of late is slowed (`usual_spin`), unless the link turns so fast that the
/// sub-step can't follow that either.
void JointSolver::stabilise(Articulation& a) {
    const double h = substep_, most = settings::joint_turn_rate * settings::joint_turn_rate;
    bool any = false;
    a.stiff = false;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        const dmat3& i = link.inverse_inertia;
        link.stiff = false;
        link.perhaps_stiff = link.dynamic && h * link.most_stiffness * (i[0][0] + i[1][1] + i[2][2]) > most;
        link.stiffness = dmat3(0.0);
        any = any || link.perhaps_stiff;
    }
    if (!any) return;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        if (run.kind == JointKind::gear) continue;
        Link &link_a = links_[run.link[0]], &link_b = links_[run.link[1]];
        if (link_a.perhaps_stiff) link_a.stiffness += turning_stiffness(run.pose.arm_a + run.pose.apart, -run.load);
        if (link_b.perhaps_stiff) link_b.stiffness += turning_stiffness(run.pose.arm_b, run.load);
    }
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (!link.perhaps_stiff) continue;
        const dmat3 g = h * link.inverse_inertia * link.stiffness;
        const double trace = g[0][0] + g[1][1] + g[2][2];  // at least the largest (omega h)^2
        link.stiff = trace > most;
        if (!link.stiff) continue;
        a.stiff = true;
        const double share = std::min(1.0, trace / most - 1.0);
        link.slowing = glm::inverse(dmat3(1.0) + share * g);
        const dmat3 slowed = link.slowing * link.inverse_inertia;
        link.inverse_inertia = 0.5 * (slowed + glm::transpose(slowed));  // symmetric but for rounding
    }
}

/// A row of any form; returns J M^-1 J^T of it alone.
double JointSolver::set_row(const Run& run, std::uint32_t i, const Jacobian& j, double factor,
                            std::uint32_t first_side) {
    const JointRows& rows = joint_rows_[index_of(run)];
    double* jacobian = flat(jacobians_) + rows.jacobian + 6 * rows.width * first_side + i;
    double* response = flat(responses_) + rows.response + 8 * (rows.sides * i + first_side);
    double sum = 0.0;
    for (std::uint32_t s = 0; s < 2; ++s, response += 8) {
        const dvec3 linear = (s == 0 ? -factor : factor) * j.linear,
                    angular = s == 0 ? -factor * j.angular_a : factor * j.angular_b;
        for (int k = 0; k < 3; ++k, jacobian += rows.width) *jacobian = linear[k];
        for (int k = 0; k < 3; ++k, jacobian += rows.width) *jacobian = angular[k];
        const Link& link = links_[run.link[first_side + s]];
        if (!link.dynamic) continue;
        const dvec3 turn = link.inverse_inertia * angular;
        for (int k = 0; k < 3; ++k) {
            response[k] = link.inverse_mass[k] * linear[k];
            response[k + 4] = turn[k];
            sum += linear[k] * response[k] + angular[k] * turn[k];
        }
    }
    return sum;
}

/// A row about turns alone: what it has of moves is and stays zero.
double JointSolver::set_turn_row(const Run& run, std::uint32_t i, const dvec3& axis) {
    const JointRows& rows = joint_rows_[index_of(run)];
    double* const jacobian = flat(jacobians_) + rows.jacobian + i;
    double* const response = flat(responses_) + rows.response + 16 * i;
    for (unsigned k = 0; k < 3; ++k) {
        jacobian[(k + 3) * rows.width] = -axis[static_cast<int>(k)];
        jacobian[(k + 9) * rows.width] = axis[static_cast<int>(k)];
    }
    double sum = 0.0;
    for (std::uint32_t s = 0; s < 2; ++s) {
        const Link& link = links_[run.link[s]];
        if (!link.dynamic) continue;
        const dvec3 turn = link.inverse_inertia * axis;
        for (unsigned k = 0; k < 3; ++k)
            response[8 * s + 4 + k] = s == 0 ? -turn[static_cast<int>(k)] : turn[static_cast<int>(k)];
        sum += glm::dot(axis, turn);
    }
    return sum;
}

/// Clears a row along which the locks of its bodies allow no motion.
void JointSolver::clear_row(const Run& run, std::uint32_t i) {
    const JointRows& rows = joint_rows_[index_of(run)];
    double* const jacobian = flat(jacobians_) + rows.jacobian + i;
    for (std::uint32_t k = 0; k < 6 * rows.sides; ++k) jacobian[k * rows.width] = 0.0;
    std::fill_n(flat(responses_) + rows.response + 8 * rows.sides * i, 8 * rows.sides, 0.0);
}

/// What of the rows that hold an anchor in place is the same for the whole step.
void JointSolver::begin_point_rows(const Run& run) {
    const JointRows& rows = joint_rows_[index_of(run)];
    double* const jacobian = flat(jacobians_) + rows.jacobian;
    double* const responses = flat(responses_) + rows.response;
    for (unsigned i = 0; i < 3; ++i) {
        jacobian[i * rows.width + i] = -1.0;
        jacobian[(i + 6) * rows.width + i] = 1.0;
        const Link &a = links_[run.link[0]], &b = links_[run.link[1]];
        if (a.dynamic) responses[16 * i + i] = -a.inverse_mass[i];
        if (b.dynamic) responses[16 * i + 8 + i] = b.inverse_mass[i];
    }
}

/// The rest: moments of the world's axes about both centres of mass. Both are taken at B's anchor, where the impulse
/// acts: were A's taken at its own, joints that are apart would make angular momentum of nothing.
void JointSolver::set_point_rows(const Run& run) {
    const JointRows& rows = joint_rows_[index_of(run)];
    double* jacobian = flat(jacobians_) + rows.jacobian + 3 * rows.width;
    double* response = flat(responses_) + rows.response + 4;
    Row* const row = &rows_[run.first_row];
    for (int i = 0; i < 3; ++i) row[i].response = 0.0;
    for (std::uint32_t s = 0; s < 2; ++s, jacobian += 6 * rows.width, response += 8) {
        const dvec3 r = s == 0 ? -(run.pose.arm_a + run.pose.apart) : run.pose.arm_b;
        jacobian[1] = -r.z;
        jacobian[2] = r.y;
        jacobian[rows.width] = r.z;
        jacobian[rows.width + 2] = -r.x;
        jacobian[2 * rows.width] = -r.y;
        jacobian[2 * rows.width + 1] = r.x;
        const Link& link = links_[run.link[s]];
        if (!link.dynamic) continue;
        const dmat3& m = link.inverse_inertia;
        const dvec3 turns[3] = {r.z * m[1] - r.y * m[2], r.x * m[2] - r.z * m[0], r.y * m[0] - r.x * m[1]};
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) response[16 * i + k] = turns[i][k];
            row[i].response += link.inverse_mass[i];
        }
        row[0].response += r.z * turns[0].y - r.y * turns[0].z;
        row[1].response += r.x * turns[1].z - r.z * turns[1].x;
        row[2].response += r.y * turns[2].x - r.x * turns[2].y;
    }
}

/// J M^-1 J^T of two of a joint's rows.
double JointSolver::between(const Run& run, std::uint32_t i, std::uint32_t other) const {
    const JointRows& rows = joint_rows_[index_of(run)];
    const double* const jacobian = flat(jacobians_) + rows.jacobian + i;
    const double* const responses = flat(responses_) + rows.response + 8 * rows.sides * other;
    double sum = 0.0;
    for (std::uint32_t s = 0; s < rows.sides; ++s) {
        const double* const r = responses + 8 * s;
        for (std::uint32_t t = 0; t < rows.sides; ++t) {
            if (rows.link[s] != rows.link[t]) continue;
            const double* const j = jacobian + 6 * t * rows.width;
            for (unsigned k = 0; k < 3; ++k) sum += j[k * rows.width] * r[k] + j[(k + 3) * rows.width] * r[k + 4];
        }
    }
    return sum;
}

void JointSolver::evaluate_rows(const Articulation& a, Run& run) {
    const double h = substep_;
    if (run.anchored) set_point_rows(run);
    bool locked = false;
    for (std::uint32_t s = 0; a.redundant && s < run.side_count; ++s) locked = locked || links_[run.link[s]].locked;
    const auto set_side = [](Row& row, bool upper) {
        if (upper == row.upper) return;
        row.upper = upper;
        row.low = upper ? -infinite : 0.0;
        row.high = upper ? 0.0 : infinite;
        row.impulse = 0.0;
        row.free = false;
    };
    for (std::uint32_t i = 0; i < run.row_count; ++i) {
        Row& row = rows_[run.first_row + i];
        double coordinate = 0.0;
        if (row.form == RowForm::twist && row.kind == RowKind::limit)
            set_side(row, twist_beyond(twist_of(row, run.pose), 0.5 * (row.limits[0] + row.limits[1])) > 0.0);
        switch (row.form) {
            case RowForm::point:
                break;
            case RowForm::move:
            case RowForm::length:
            case RowForm::drive_move:
                row.response = set_row(run, i, row_jacobian(run, row), 1.0, 0);
                break;
            case RowForm::geared:
                for (std::uint32_t k = 0; k < 2; ++k) {
                    const Run& tied = runs_[run.geared[k]];
                    set_row(run, 0, jacobian(tied.kind, tied.pose, main_axis(tied.kind)), k == 0 ? -run.ratio : 1.0,
                            2 * k);
                }
                row.response = between(run, 0, 0);
                break;
            default:
                row.response = set_turn_row(run, i, row_jacobian(run, row).angular_b);
        }
        row.whole = locked ? response_without_locks(run, i) : row.response;
        row.held = (row.kind == RowKind::lock || row.kind == RowKind::limit) && row.form != RowForm::point &&
                   row.response < settings::locked_response * row.whole;
        if (row.held) clear_row(run, i);
        coordinate = row.form == RowForm::geared
                         ? geared_coordinate(run, runs_[run.geared[0]].coordinates, runs_[run.geared[1]].coordinates)
                         : row_coordinate(run, row, run.pose, run.coordinates);
        const bool drive = row.kind == RowKind::motor && row.number > cone_row;  // may meet a cone and a twist limit
        row.slack = (drive         ? settings::joint_slack_drive
                     : a.redundant ? settings::joint_slack_looped
                                   : settings::joint_slack) *
                    row.whole;

        if (row.kind == RowKind::limit) {
            const bool upper = row.limits[0] == -infinite ||
                               (row.limits[1] != infinite && 2.0 * coordinate > row.limits[0] + row.limits[1]);
            set_side(row, upper);
        }
        if (row.kind == RowKind::lock || row.kind == RowKind::limit) {
            row.position = coordinate - row.limits[row.upper ? 1 : 0];
            const double most = h * (is_angular(run, row) ? settings::joint_turn_speed : settings::joint_push_speed);
            const double out = row.kind == RowKind::lock ? row.position
                               : row.upper               ? std::max(row.position, 0.0)
                                                         : std::min(row.position, 0.0);
            const double way = std::clamp(out, -most, most);
            row.push = out / most;
            row.goal = a.redundant ? out : (1.0 - settings::joint_push_share) * (out - way);
        } else {
            row.position = coordinate - row.target;
        }
    }
    if (a.springs) soften_springs(run);
}

/// Returns the quaternion from which a row reads the twist. A lock needs no particular sign, and must not change it within a
/// sub-step; a limit needs the sign with which the twist is near its range.
dquat JointSolver::twist_of(const Row& row, const JointPose& pose) {
    return row.kind == RowKind::lock ? pose.relative
                                     : nearest_twist(pose.relative, 0.5 * (row.limits[0] + row.limits[1]));
}

Jacobian JointSolver::row_jacobian(const Run& run, const Row& row) const {
    switch (row.form) {
        case RowForm::lock:
            return run.bent ? jacobian(run.kind, run.pose, row.axis) : lock_jacobian(run.pose, row.axis);
        case RowForm::twist:
            return twist_jacobian(run.pose, twist_of(row, run.pose), row.limits[row.upper ? 1 : 0]);
        case RowForm::cone:
            return cone_jacobian(run.pose);
        case RowForm::drive_move:
            return move_along(run.pose.a[row.axis], run.pose);
        case RowForm::drive_turn:
            return turn_about(run.pose.a[row.axis]);
        default:
            return jacobian(run.kind, run.pose, row.axis);
    }
}

double JointSolver::row_coordinate(const Run& run, const Row& row, const JointPose& pose, const Coordinates& q) const {
    if (row.held) return row.limits[row.upper ? 1 : 0];
    switch (row.form) {
        case RowForm::point:
            return pose.apart[row.axis];
        case RowForm::lock:
            return run.bent ? q[row.axis] : lock_coordinate(pose, row.axis);
        case RowForm::twist:
            return row.limits[row.upper ? 1 : 0] + twist_beyond(twist_of(row, pose), row.limits[row.upper ? 1 : 0]);
        case RowForm::cone:
            return cone_angle(pose);
        case RowForm::drive_move:
            if (row.kind == RowKind::motor) return 0.0;
            return glm::dot(pose.a[row.axis], pose.apart) - static_cast<double>(run.drive_target.position[row.axis]);
        case RowForm::drive_turn:
            return row.kind == RowKind::motor
                       ? 0.0
                       : rotation_vector(dquat(run.drive_target.rotation), pose.relative)[row.axis];
        default:
            return q[row.axis];
    }
}

double JointSolver::geared_coordinate(const Run& gear, const Coordinates& a, const Coordinates& b) const {
    const auto main = [&](std::uint32_t run, const Coordinates& q) {
        return q[static_cast<std::size_t>(main_axis(runs_[run].kind))];
    };
    return main(gear.geared[1], b) - gear.ratio * main(gear.geared[0], a) - gear.offset;
}

bool JointSolver::is_angular(const Run& run, const Row& row) const {
    switch (row.form) {
        case RowForm::geared:
            return runs_[run.geared[1]].kind == JointKind::hinge;
        case RowForm::lock:
        case RowForm::twist:
        case RowForm::turn:
        case RowForm::cone:
        case RowForm::drive_turn:
            return true;
        default:
            return false;
    }
}

void JointSolver::soften_springs(Run& run) {
    const std::uint32_t end = run.first_row + run.row_count;
    bool any = false, locked = false;
    for (std::uint32_t i = run.first_row; i < end; ++i) any = any || rows_[i].kind == RowKind::spring;
    if (!any) return;
    for (std::uint32_t s = 0; s < run.side_count; ++s) locked = locked || links_[run.link[s]].locked;
    // Where locks of the bodies hold what a row of the joint would hold, rounding is all that is left of the row. If that is
    // along the spring, the spring would seem to move nothing, and be thousands of times too stiff.
    const auto holds_something = [&](std::uint32_t i) {
        if (!locked) return true;
        const double response = between(run, i - run.first_row, i - run.first_row);
        return response > settings::joint_slack_looped * response_without_locks(run, i - run.first_row);
    };
    std::uint32_t locks[joint_axes], lock_count = 0;
    for (std::uint32_t i = run.first_row; i < end; ++i) {
        if (rows_[i].kind == RowKind::lock && lock_count < joint_axes && holds_something(i)) locks[lock_count++] = i;
    }
    // What a spring moves is what the joint's locks let it move.
    double matrix[joint_axes * joint_axes], row[joint_axes];
    for (std::uint32_t i = 0; i < lock_count; ++i) {
        for (std::uint32_t k = 0; k <= i; ++k)
            matrix[i * lock_count + k] = between(run, locks[i] - run.first_row, locks[k] - run.first_row);
    }
    cholesky(matrix, lock_count);
    for (std::uint32_t i = run.first_row; i < end; ++i) {
        Row& spring = rows_[i];
        if (spring.kind != RowKind::spring) continue;
        for (std::uint32_t k = 0; k < lock_count; ++k)
            row[k] = between(run, i - run.first_row, locks[k] - run.first_row);
        forward(matrix, lock_count, row);
        double left = spring.response;
        for (std::uint32_t k = 0; k < lock_count; ++k) left -= row[k] * row[k];
        left = std::max(left, 1e-6 * spring.response);
        // The stiffness follows from the mass that the spring moves, and so has no end where it moves next to nothing:
        // at a body that may turn and not move, by an anchor whose lever arm goes to 0, it would pull with 1e15 N.
        if (locked) left = std::max(left, 1e-4 * response_without_locks(run, i - run.first_row));
        const Oscillator o = oscillator(spring.hertz, spring.damping_ratio, substep_);
        spring.softness = left * o.decay / (1.0 - o.decay);
        spring.bias_rate = o.pull / (1.0 - o.decay);
        spring.slack = spring.softness;
    }
}

void JointSolver::predict(Articulation& a) {
    const double h = substep_;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (link.solver == 0) continue;
        const double* const v = velocity_of(l);
        const dvec3 velocity(v[0], v[1], v[2]);
        dvec3 spin(v[4], v[5], v[6]);
        link.next_displacement = link.displacement + h * velocity;
        if (link.turns) {
            // By the spin of the sub-step's middle: angular momentum stays while the inertia turns with the body.
            const dvec3 momentum = link.turn * (link.start_inertia * (spin * link.turn));
            spin += 0.5 * h * (link.true_inverse_inertia * glm::cross(momentum, spin));
        }
        link.next_pose = Turned(integrate_rotation(link.pose.rotation, h * spin));
    }
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        if (run.kind == JointKind::gear) continue;
        const Link &link_a = links_[run.link[0]], &link_b = links_[run.link[1]];
        const JointParts parts = run.bent ? JointParts{} : run.next_parts;
        run.next_pose = joint_pose(run.frame_a, link_a.next_pose, run.frame_b, link_b.next_pose,
                                   run.between + link_b.next_displacement - link_a.next_displacement, parts);
        run.next_coordinates = coordinates(run.kind, run.next_pose, run.turn, parts);
        // As A sees it, since links that swing fast turn together: Newton's method with the matrix of now converges for
        // turns of 1 rad and more, and does not on the world's axes.
        if (run.anchored && link_a.solver != 0)
            run.next_pose.apart = link_a.pose.axes * (run.next_pose.apart * link_a.next_pose.axes);
    }
}

}  // namespace talus
