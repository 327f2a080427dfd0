#include <talus/engine/joints/joint_solver.h>

#include <talus/engine/integrate.h>
#include <talus/engine/settings.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double infinite = std::numeric_limits<double>::infinity();

dquat product(const dquat& a, const dquat& b) {
    return dquat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

dquat unit(const quat& q) {
    const dquat d(q);
    const double s = 1.0 / std::sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    return dquat(d.w * s, d.x * s, d.y * s, d.z * s);
}

/// To floats, and finite: absurd springs and masses need impulses of more than floats hold.
float to_float(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -most, most));
}
vec3 to_floats(const dvec3& v) { return {to_float(v.x), to_float(v.y), to_float(v.z)}; }

/// A damped oscillator over one sub-step, v' = decay v - pull x, x' = x + h v'.
struct Oscillator {
    double decay, pull;
};

/// The pull is omega^2 h times the decay: a load sags by force / stiffness exactly. Slow springs decay by exp(-2 ratio omega h), just as the
/// true motion does in area, and swing undamped for ever without damping. Fast ones are integrated by implicit Euler, which is stable
/// with however many springs in parallel, and damps.
Oscillator oscillator(double hertz, double ratio, double h) {
    const double turn = 2.0 * pi * hertz * h, damp = ratio * turn;  // omega h, and by how much it decays
    double decay = 1.0 / (1.0 + 2.0 * damp + turn * turn);
    if (turn <= settings::slow_spring_turn && damp <= settings::slow_spring_turn) {
        const double half = 1.0 - damp * (1.0 - damp / 2.0 * (1.0 - damp / 3.0 * (1.0 - damp / 4.0 * (1.0 - damp / 5.0 * (1.0 - damp / 6.0)))));
        decay = std::min(half * half, 1.0 - 1e-9);  // exp(-2 damp)
    }
    return {decay, turn * turn / h * decay};
}

/// How the moment of a force f (or impulse) at an arm r that turns with a body changes when the body turns by w: (w x r) x f = -K w, with
/// the symmetric K = (f . r) 1 - (r f^T + f r^T) / 2. Of K what is positive: along the bisector of r and f there is no
/// stiffness, along n = r x f it is f . r, along e, at right angles to both, (|f| |r| + f . r) / 2.
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

/// How many joints a body may have before it counts as a hub.
constexpr std::size_t hub_degree = 12;

/// Rows a joint may have at most, whatever is switched on later.
std::uint32_t row_capacity(const Joint& joint) {
    std::uint32_t count = 0;
    for (int i = 0; i < joint_axes; ++i) {
        const AxisDef& axis = joint.axes[static_cast<std::size_t>(i)];
        const bool is_free = axis.limit.lower == -unlimited && axis.limit.upper == unlimited && axis.spring.hertz == 0.0f;
        if (joint.settable >> i & 1u) {
            count += 3;
        } else if (!is_free) {
            ++count;
        }
    }
    if (joint.kind == JointKind::ball) count += 5;      // cone, or two locks in its place; drive
    if (joint.kind == JointKind::distance) count += 4;  // of no length
    if (joint.kind == JointKind::motor) count += 6;
    if (joint.kind == JointKind::gear) count = 1;
    return count;
}

}  // namespace

// ---- topology -------------------------------------------------------------------------------------------------------

bool JointSolver::topology_changed(const JointStore& joints, const BodyStore& bodies) const {
    if (!built_ || version_ != joints.version()) return true;
    for (const Link& link : links_) {
        if (link.dynamic != bodies[link.slot].is_dynamic()) return true;
    }
    return false;
}

void JointSolver::build_topology(const JointStore& joints, const BodyStore& bodies) {
    version_ = joints.version();
    built_ = true;
    articulations_.clear();
    runs_.clear();
    links_.clear();
    couplings_.clear();
    ldl_.clear();
    run_of_.assign(joints.slot_count(), null_index);

    // Joints linked through dynamic bodies, breadth first from the lowest slot. Gears come last: they read the joints that they tie.
    std::vector<std::uint8_t> seen(joints.slot_count(), 0);
    std::vector<std::uint32_t> component;
    for (std::uint32_t start = 0; start < joints.slot_count(); ++start) {
        if (!joints[start].in_use || seen[start]) continue;
        component.assign(1, start);
        seen[start] = 1;
        for (std::size_t i = 0; i < component.size(); ++i) {
            const JointBodies ends = joints.bodies(component[i]);
            for (const std::uint32_t body : {ends.a, ends.b}) {
                if (body == null_index || !bodies[body].is_dynamic()) continue;
                joints.for_each(body, [&](std::uint32_t j, std::uint32_t) {
                    if (seen[j]) return;
                    seen[j] = 1;
                    component.push_back(j);
                });
            }
        }
        std::sort(component.begin(), component.end());
        std::stable_partition(component.begin(), component.end(), [&](std::uint32_t j) { return joints[j].kind != JointKind::gear; });
        add_articulation(joints, bodies, component);
    }
}

void JointSolver::add_articulation(const JointStore& joints, const BodyStore& bodies, std::span<const std::uint32_t> slots) {
    Articulation a;
    a.first_run = static_cast<std::uint32_t>(runs_.size());
    a.first_link = static_cast<std::uint32_t>(links_.size());
    a.first_coupling = static_cast<std::uint32_t>(couplings_.size());

    // Links by slot, so that their order does not depend on how the joints were walked.
    std::vector<std::uint32_t> members;
    for (const std::uint32_t slot : slots) {
        const JointBodies ends = joints.bodies(slot);
        members.push_back(ends.a);
        if (ends.b != null_index) members.push_back(ends.b);
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::uint32_t dynamic_count = 0;
    for (const std::uint32_t slot : members) {
        Link link;
        link.slot = slot;
        link.dynamic = bodies[slot].is_dynamic();
        if (link.dynamic) ++dynamic_count;
        links_.push_back(link);
    }
    if (dynamic_count == 0) {  // all its bodies became fixed or kinematic
        links_.resize(a.first_link);
        return;
    }
    const auto link_of = [&](std::uint32_t body) {
        const auto found = std::lower_bound(members.begin(), members.end(), body);
        return a.first_link + static_cast<std::uint32_t>(found - members.begin());
    };

    struct Use {
        std::uint32_t run;
        std::uint8_t side;
    };
    std::vector<std::vector<Use>> uses(members.size());
    std::vector<BlockLdl::NodeDef> nodes;
    for (const std::uint32_t slot : slots) {
        const Joint& joint = joints[slot];
        Run run;
        run.slot = slot;
        run.kind = joint.kind;
        const auto index = static_cast<std::uint32_t>(runs_.size());
        if (joint.kind == JointKind::gear) {
            run.side_count = 4;
            const std::uint32_t tied[2] = {run_of_[joint.geared[0]], run_of_[joint.geared[1]]};
            // Both are here, as the gear shares a dynamic body with each, unless bodies have become fixed since.
            const auto here = [&](std::uint32_t r) { return r != null_index && r >= a.first_run; };
            if (!here(tied[0]) || !here(tied[1])) continue;
            for (std::uint32_t i = 0; i < 2; ++i) {
                run.geared[i] = tied[i];
                run.link[2 * i] = runs_[tied[i]].link[0];
                run.link[2 * i + 1] = runs_[tied[i]].link[1];
            }
        } else {
            const JointBodies ends = joints.bodies(slot);
            run.link[0] = link_of(ends.a);
            run.link[1] = link_of(ends.b);
        }
        for (std::uint8_t side = 0; side < run.side_count; ++side) {
            if (links_[run.link[side]].dynamic) uses[run.link[side] - a.first_link].push_back({index, side});
        }
        run_of_[slot] = index;
        runs_.push_back(run);
        nodes.push_back({.capacity = row_capacity(joint)});
    }
    a.run_count = static_cast<std::uint32_t>(runs_.size()) - a.first_run;
    a.link_count = static_cast<std::uint32_t>(members.size());
    a.looped = a.run_count > dynamic_count;

    std::vector<BlockLdl::Edge> edges;
    for (std::uint32_t l = 0; l < a.link_count; ++l) {
        const auto& list = uses[l];
        if (list.size() > hub_degree) {
            const auto node = static_cast<std::uint32_t>(nodes.size());
            links_[a.first_link + l].node = node;
            nodes.push_back({.capacity = 6, .last = true, .negative = true});
            for (const Use& use : list) {
                edges.push_back({use.run - a.first_run, node});
                couplings_.push_back({use.run, null_index, use.side, 0, a.first_link + l, {}});
            }
            continue;
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (std::size_t k = i + 1; k < list.size(); ++k) {
                if (list[i].run == list[k].run) continue;  // a gear whose two joints share the body
                edges.push_back({list[i].run - a.first_run, list[k].run - a.first_run});
                couplings_.push_back({list[i].run, list[k].run, list[i].side, list[k].side, a.first_link + l, {}});
            }
        }
    }
    a.coupling_count = static_cast<std::uint32_t>(couplings_.size()) - a.first_coupling;
    std::vector<BlockLdl::Place> places;
    ldl_.add_system(nodes, edges, places);
    const std::uint32_t first_node = ldl_.first_node(static_cast<std::uint32_t>(articulations_.size()));
    for (std::uint32_t i = 0; i < a.run_count; ++i) runs_[a.first_run + i].node = first_node + i;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        if (links_[l].node == null_index) continue;
        links_[l].node += first_node;
        ldl_.set_size(links_[l].node, 6);
    }
    for (std::uint32_t i = 0; i < a.coupling_count; ++i) {
        Coupling& c = couplings_[a.first_coupling + i];
        c.place = places[i];
        // The run whose rows are the block's rows comes first.
        if (c.column != null_index && runs_[c.row].node != c.place.row) {
            std::swap(c.row, c.column);
            std::swap(c.row_side, c.column_side);
        }
    }
    articulations_.push_back(a);
}

// ---- the step -------------------------------------------------------------------------------------------------------

void JointSolver::prepare(const JointStore& joints, const BodyStore& bodies, std::span<const std::uint32_t> solver_index,
                          std::span<const SolverMass> masses, const JointMotions& motions, float substep) {
    motions_ = motions;
    substep_ = substep;
    active_.clear();
    rows_.clear();
    sides_.clear();
    if (joints.live_count() == 0) return;
    if (topology_changed(joints, bodies)) build_topology(joints, bodies);

    for (std::uint32_t index = 0; index < articulations_.size(); ++index) {
        Articulation& a = articulations_[index];
        bool awake = false;
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            Link& link = links_[l];
            link.solver = solver_index[link.slot];
            awake = awake || (link.dynamic && link.solver != 0);
        }
        if (!awake) continue;
        active_.push_back(index);
        a.factored = Pass::none;
        a.bounded = a.springs = false;

        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            Link& link = links_[l];
            link.displacement = link.velocity = link.spin = dvec3(0.0);
            link.start_rotation = link.rotation =
                link.solver != 0 ? motions.rotation(link.solver) : unit(bodies[link.slot].rotation);
            link.next_rotation = link.rotation;
            if (link.solver == 0) continue;
            link.turns = bodies[link.slot].locks == 0;
            const SolverMass& mass = masses[link.solver];
            const float* m = mass.inverse_inertia;
            for (int k = 0; k < 3; ++k) link.inverse_mass[k] = mass.inverse_mass[k];
            link.start_inverse_inertia = dmat3(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
            link.start_inertia = glm::determinant(link.start_inverse_inertia) > 0.0 ? glm::inverse(link.start_inverse_inertia) : dmat3(0.0);
        }
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            Run& run = runs_[r];
            const Joint& joint = joints[run.slot];
            run.turn = joint.turn;
            run.ratio = joint.ratio;
            run.offset = joint.offset;
            run.force = run.torque = run.force_before = dvec3(0.0);
            run.load = static_cast<double>(substep) * dvec3(joint.load);
            std::fill_n(run.motor_impulses, joint_axes, 0.0);
            if (joint.kind != JointKind::gear) {
                const Body &body_a = bodies[links_[run.link[0]].slot], &body_b = bodies[links_[run.link[1]].slot];
                run.frame_a = {dvec3(joint.frame_a.position) - dvec3(body_a.local_center), unit(joint.frame_a.rotation)};
                run.frame_b = {dvec3(joint.frame_b.position) - dvec3(body_b.local_center), unit(joint.frame_b.rotation)};
                run.between = dvec3(body_b.center) - dvec3(body_a.center);
            }
            prepare_rows(run, joint);
            for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
                a.bounded = a.bounded || rows_[i].low != -infinite || rows_[i].high != infinite;
                a.springs = a.springs || rows_[i].kind == RowKind::spring;
            }
        }
        evaluate(a);
    }
}

JointSolver::Row& JointSolver::add_row(Run& run, const Joint& joint, RowKind kind, int number) {
    Row row;
    row.kind = kind;
    row.number = static_cast<std::uint8_t>(number);
    row.low = -infinite;
    row.high = infinite;
    row.impulse = static_cast<double>(joint.forces[static_cast<std::size_t>(number)]) * substep_;
    row.free = kind == RowKind::lock || (joint.pressed >> number & 1u);
    row.upper = joint.at_upper >> number & 1u;
    ++run.row_count;
    sides_.resize(sides_.size() + run.side_count);
    rows_.push_back(row);
    return rows_.back();
}

void JointSolver::prepare_rows(Run& run, const Joint& joint) {
    run.first_row = static_cast<std::uint32_t>(rows_.size());
    run.first_side = static_cast<std::uint32_t>(sides_.size());
    run.row_count = 0;
    const double h = substep_;
    const auto lock = [&](int axis, double at) {
        Row& row = add_row(run, joint, RowKind::lock, limit_row(axis));
        row.limits[0] = row.limits[1] = at;
    };
    const auto limit = [&](int number, double lower, double upper) {
        Row& row = add_row(run, joint, RowKind::limit, number);
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
    const auto drive = [&](int number, const vec3& speed, double hertz, double damping_ratio, double cap) {
        for (int i = 0; i < 3; ++i) {
            Row& row = add_row(run, joint, hertz > 0.0 ? RowKind::spring : RowKind::motor, number + i);
            row.speed = speed[i];
            row.hertz = hertz;
            row.damping_ratio = damping_ratio;
            row.group = i == 0 ? 3 : 0;
            bound(row, cap);
            row.free = rows_[rows_.size() - 1 - static_cast<std::size_t>(i)].free;  // a group is of one mind
        }
    };
    if (joint.kind == JointKind::gear) {
        lock(0, 0.0);
        return;
    }
    run.as_point = joint.kind == JointKind::distance && joint.axes[0].limit.upper == 0.0f;
    if (run.as_point) {
        for (int i = 0; i < 3; ++i) lock(i, 0.0);
        return;
    }
    for (int i = 0; i < joint_axes; ++i) {
        const AxisDef& axis = joint.axes[static_cast<std::size_t>(i)];
        if (axis.limit.lower == axis.limit.upper) {
            lock(i, axis.limit.lower);
            continue;
        }
        const bool below = axis.limit.lower > (joint.kind == JointKind::distance ? 0.0f : -unlimited);
        const bool limited = below || axis.limit.upper < unlimited;
        if (limited) limit(limit_row(i), below ? axis.limit.lower : -infinite, axis.limit.upper);
        if (axis.motor.max_force > 0.0f) {
            Row& row = add_row(run, joint, RowKind::motor, motor_row(i));
            row.speed = axis.motor.speed;
            if (limited) row.rival = static_cast<std::uint32_t>(rows_.size()) - 2;
            bound(row, axis.motor.max_force);
        }
        if (axis.spring.hertz > 0.0f && axis.spring.max_force > 0.0f) {
            if (joint.kind == JointKind::distance && axis.spring.target == 0.0f) {  // to a point: it has no direction of its own there
                drive(linear_drive_row, vec3(0.0f), axis.spring.hertz, axis.spring.damping_ratio, axis.spring.max_force);
                continue;
            }
            Row& row = add_row(run, joint, RowKind::spring, spring_row(i));
            row.hertz = axis.spring.hertz;
            row.damping_ratio = axis.spring.damping_ratio;
            row.target = axis.spring.target;
            bound(row, axis.spring.max_force);
        }
    }
    if (joint.cone <= 0.0f) {
        lock(4, 0.0);
        lock(5, 0.0);
    } else if (joint.cone < static_cast<float>(pi)) {
        limit(cone_row, -infinite, joint.cone);
    }
    const JointDrive& d = joint.drive;
    if (d.max_force > 0.0f) drive(linear_drive_row, d.velocity, d.linear_hertz, d.damping_ratio, d.max_force);
    if (d.max_torque > 0.0f) drive(angular_drive_row, d.angular_velocity, d.angular_hertz, d.damping_ratio, d.max_torque);
    run.drive_target = d.target;
    run.angles = false;
    for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
        run.angles = run.angles || (rows_[i].number >= limit_row(3) && rows_[i].number < cone_row);
    }
    run.angles = run.angles || joint.kind == JointKind::hinge;
}

// ---- velocities -----------------------------------------------------------------------------------------------------

void JointSolver::read_velocities(Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (link.solver == 0) continue;
        const SolverBody& body = motions_.bodies[link.solver];
        link.velocity = dvec3(load3(body.velocity));
        link.spin = dvec3(load3(body.angular_velocity));
        link.velocity_before = link.velocity;
        link.spin_before = link.spin;
    }
}

void JointSolver::tame(Articulation& a) {
    double before = 0.0, after = 0.0, mass = 0.0, change = 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (!link.dynamic) continue;
        double m = 0.0;
        for (const double k : link.inverse_mass) m = std::max(m, k > 0.0 ? 1.0 / k : 0.0);
        const auto energy = [&](const dvec3& v, const dvec3& w) { return 0.5 * (m * glm::dot(v, v) + glm::dot(w, link.inertia * w)); };
        before += energy(link.velocity_before, link.spin_before);
        after += energy(link.velocity, link.spin);
        change += energy(link.velocity - link.velocity_before, link.spin - link.spin_before);
        mass += m;
    }
    // In the norm whose square is the energy: |v + s dv| <= |v| + s |dv|.
    const double gain = std::sqrt(0.5 * mass) * settings::joint_gain_speed;
    if (std::sqrt(after) <= std::sqrt(before) + gain) return;  // and not if it is not a number
    const double scale = after < infinite && change < infinite ? gain / std::sqrt(change) : 0.0;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (!link.dynamic) continue;
        link.velocity = scale > 0.0 ? link.velocity_before + scale * (link.velocity - link.velocity_before) : link.velocity_before;
        link.spin = scale > 0.0 ? link.spin_before + scale * (link.spin - link.spin_before) : link.spin_before;
    }
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        const auto sound = [](const dvec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z) < infinite; };
        if (!sound(run.force) || !sound(run.torque)) run.force = run.torque = run.force_before = run.load = dvec3(0.0);
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            if (!(std::abs(rows_[i].impulse) < infinite)) rows_[i].impulse = 0.0;
        }
    }
}

void JointSolver::write_velocities(const Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (!link.dynamic || link.solver == 0) continue;
        motions_.set_velocities(link.solver, dvec3(limited(vec3(link.velocity), motions_.max_speed)),
                                dvec3(limited(vec3(link.spin), settings::max_rotation_per_substep / substep_)));
    }
}

double JointSolver::speed_of(const Run& run, std::uint32_t row) const {
    const Side* const sides = &sides_[run.first_side + (row - run.first_row) * run.side_count];
    double speed = 0.0;
    for (int s = 0; s < run.side_count; ++s) {
        const Link& link = links_[run.link[s]];
        speed += glm::dot(sides[s].linear, link.velocity) + glm::dot(sides[s].angular, link.spin);
    }
    return speed;
}

void JointSolver::apply_changes(Articulation& a) {
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        const dvec3 arm = run.kind == JointKind::gear ? runs_[run.geared[1]].pose.arm_b : run.pose.arm_b;
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            Row& row = rows_[run.first_row + i];
            const double change = row.change;
            if (change == 0.0) continue;
            row.change = 0.0;
            const Side* const sides = &sides_[run.first_side + i * run.side_count];
            for (int s = 0; s < run.side_count; ++s) {
                Link& link = links_[run.link[s]];
                if (!link.dynamic) continue;
                link.velocity += change * sides[s].move;
                link.spin += change * sides[s].turn;
            }
            const Side& b = sides[run.side_count - 1];
            run.force += change * b.linear;
            run.torque += change * (b.angular - glm::cross(arm, b.linear));
            if (row.kind == RowKind::motor && row.number < cone_row) run.motor_impulses[row.number / 3] += change;
        }
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

void JointSolver::set_row(Run& run, std::uint32_t index, const Jacobian& j, double factor, std::uint32_t first_side) {
    Side* const sides = &sides_[run.first_side + (index - run.first_row) * run.side_count + first_side];
    sides[0] = {-factor * j.linear, -factor * j.angular_a, dvec3(0.0), dvec3(0.0)};
    sides[1] = {factor * j.linear, factor * j.angular_b, dvec3(0.0), dvec3(0.0)};
    for (std::uint32_t s = 0; s < 2; ++s) {
        const Link& link = links_[run.link[first_side + s]];
        if (!link.dynamic) continue;
        for (int k = 0; k < 3; ++k) sides[s].move[k] = link.inverse_mass[k] * sides[s].linear[k];
        sides[s].turn = link.inverse_inertia * sides[s].angular;
    }
}

void JointSolver::evaluate(Articulation& a) {
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (link.solver == 0) continue;
        const SolverBody& body = motions_.bodies[link.solver];
        link.displacement = dvec3(load3(body.displacement));
        link.rotation = motions_.rotation(link.solver);
        const dquat& s = link.start_rotation;
        const dmat3 turned = link.turns ? to_matrix(product(link.rotation, dquat(s.w, -s.x, -s.y, -s.z))) : dmat3(1.0);
        link.true_inverse_inertia = turned * link.start_inverse_inertia * glm::transpose(turned);
        link.inverse_inertia = link.true_inverse_inertia;
        link.inertia = turned * link.start_inertia * glm::transpose(turned);
        link.stiffness = dmat3(0.0);
    }
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) place(runs_[r]);
    stabilise(a);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) evaluate_rows(a, runs_[r]);
    a.factored = Pass::none;
}

void JointSolver::place(Run& run) {
    if (run.kind == JointKind::gear) return;
    Link &link_a = links_[run.link[0]], &link_b = links_[run.link[1]];
    run.pose = joint_pose(run.frame_a, link_a.rotation, run.frame_b, link_b.rotation,
                          run.between + link_b.displacement - link_a.displacement);
    run.coordinates = coordinates(run.kind, run.pose, run.turn, run.angles);
    run.turn = run.coordinates[3];

    // With the larger of what the last sub-step took in all and what this one's solve pass took: a load may have come just now.
    dvec3 impulse(0.0);
    for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
        if (rows_[i].impulse != 0.0) impulse += rows_[i].impulse * row_jacobian(run, rows_[i]).linear;
    }
    if (glm::dot(impulse, impulse) > glm::dot(run.load, run.load)) run.load = impulse;
    link_a.stiffness += turning_stiffness(run.pose.arm_a + run.pose.apart, -run.load);
    link_b.stiffness += turning_stiffness(run.pose.arm_b, run.load);
}

/// A link under tension is a pendulum in its joints, the faster the harder they pull: a light link that carries a heavy load swings a thousand
/// times a second. What is too fast for the sub-step is integrated implicitly: (I + h^2 K) dw = -h^2 K w, so the spin is slowed
/// and impulses meet more inertia. Every motion that joints leave is one of turns, so that bounding each body's own frequency bounds all.
void JointSolver::stabilise(Articulation& a) {
    const double h = substep_;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (!link.dynamic) continue;
        const dmat3 g = h * link.inverse_inertia * link.stiffness;
        const double most = settings::joint_turn_rate * settings::joint_turn_rate;
        const double trace = g[0][0] + g[1][1] + g[2][2];  // at least the largest (omega h)^2
        link.stiff = trace > most;
        if (!link.stiff) continue;
        const double share = std::min(1.0, trace / most - 1.0);
        link.slowing = glm::inverse(dmat3(1.0) + share * g);
        link.inverse_inertia = link.slowing * link.inverse_inertia;
    }
}

void JointSolver::evaluate_rows(const Articulation& a, Run& run) {
    const double h = substep_;
    const bool gear = run.kind == JointKind::gear;
    for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
        Row& row = rows_[i];
        double coordinate = 0.0;
        if (gear) {
            for (std::uint32_t k = 0; k < 2; ++k) {
                const Run& tied = runs_[run.geared[k]];
                set_row(run, i, jacobian(tied.kind, tied.pose, main_axis(tied.kind)), k == 0 ? -run.ratio : 1.0, 2 * k);
            }
            coordinate = geared_coordinate(run, runs_[run.geared[0]].coordinates, runs_[run.geared[1]].coordinates);
        } else {
            set_row(run, i, row_jacobian(run, row), 1.0, 0);
            coordinate = row_coordinate(run, row, run.pose, run.coordinates);
        }

        const Side* const sides = &sides_[run.first_side + (i - run.first_row) * run.side_count];
        row.response = 0.0;
        for (int s = 0; s < run.side_count; ++s) {
            for (int t = 0; t < run.side_count; ++t) {
                if (run.link[s] == run.link[t])
                    row.response += glm::dot(sides[s].linear, sides[t].move) + glm::dot(sides[s].angular, sides[t].turn);
            }
        }
        const bool drive = row.kind == RowKind::motor && row.number > cone_row;  // may meet a cone and a twist limit
        row.slack = (drive ? settings::joint_slack_drive : a.looped ? settings::joint_slack_looped : settings::joint_slack) * row.response;

        if (row.kind == RowKind::limit) {
            const bool upper = row.limits[0] == -infinite || (row.limits[1] != infinite && 2.0 * coordinate > row.limits[0] + row.limits[1]);
            if (upper != row.upper) {
                row.upper = upper;
                row.low = upper ? -infinite : 0.0;
                row.high = upper ? 0.0 : infinite;
                row.impulse = 0.0;
                row.free = false;
            }
        }
        if (row.kind == RowKind::lock || row.kind == RowKind::limit) {
            row.position = coordinate - row.limits[row.upper ? 1 : 0];
            const double most = h * (is_angular(run, row) ? settings::joint_turn_speed : settings::joint_push_speed);
            const double out = row.kind == RowKind::lock ? row.position : row.upper ? std::max(row.position, 0.0) : std::min(row.position, 0.0);
            row.goal = out - std::clamp(out, -most, most);
            if (!a.looped) row.goal *= 1.0 - settings::joint_push_share;  // a tree can always be put together
        } else {
            row.position = coordinate - row.target;
        }
    }
    soften_springs(run);
}

Jacobian JointSolver::row_jacobian(const Run& run, const Row& row) const {
    if (run.as_point) return move_along(run.pose.a[row.number / 3], run.pose);
    if (row.number < cone_row) return jacobian(run.kind, run.pose, row.number / 3);
    if (row.number == cone_row) return cone_jacobian(run.pose);
    if (row.number < angular_drive_row) return move_along(run.pose.a[row.number - linear_drive_row], run.pose);
    return turn_about(run.pose.a[row.number - angular_drive_row]);
}

double JointSolver::row_coordinate(const Run& run, const Row& row, const JointPose& pose, const Coordinates& q) const {
    if (run.as_point) return glm::dot(pose.a[row.number / 3], pose.apart);
    if (row.number < cone_row) return q[row.number / 3u];
    if (row.number == cone_row) return cone_angle(pose);
    if (row.kind == RowKind::motor) return 0.0;
    if (row.number < angular_drive_row) {
        const int i = row.number - linear_drive_row;
        return glm::dot(pose.a[i], pose.apart) - static_cast<double>(run.drive_target.position[i]);
    }
    return rotation_vector(dquat(run.drive_target.rotation), pose.relative)[row.number - angular_drive_row];
}

double JointSolver::geared_coordinate(const Run& gear, const Coordinates& a, const Coordinates& b) const {
    const auto main = [&](std::uint32_t run, const Coordinates& q) { return q[static_cast<std::size_t>(main_axis(runs_[run].kind))]; };
    return main(gear.geared[1], b) - gear.ratio * main(gear.geared[0], a) - gear.offset;
}

bool JointSolver::is_angular(const Run& run, const Row& row) const {
    if (run.kind == JointKind::gear) return runs_[run.geared[1]].kind == JointKind::hinge;
    if (run.as_point) return false;
    return row.number < cone_row ? row.number / 3 >= 3 : row.number == cone_row || row.number >= angular_drive_row;
}

void JointSolver::soften_springs(Run& run) {
    const std::uint32_t end = run.first_row + run.row_count;
    std::uint32_t locks[joint_axes], lock_count = 0;
    bool any = false;
    for (std::uint32_t i = run.first_row; i < end; ++i) {
        any = any || rows_[i].kind == RowKind::spring;
        if (rows_[i].kind == RowKind::lock && lock_count < joint_axes) locks[lock_count++] = i;
    }
    if (!any) return;
    // What a spring moves is what the joint's locks let it move.
    const auto response = [&](std::uint32_t i, std::uint32_t k) {
        const Side *a = &sides_[run.first_side + (i - run.first_row) * run.side_count],
                   *b = &sides_[run.first_side + (k - run.first_row) * run.side_count];
        double sum = 0.0;
        for (int s = 0; s < 2; ++s) sum += glm::dot(a[s].linear, b[s].move) + glm::dot(a[s].angular, b[s].turn);
        return sum;
    };
    double matrix[joint_axes * joint_axes], row[joint_axes];
    for (std::uint32_t i = 0; i < lock_count; ++i) {
        for (std::uint32_t k = 0; k <= i; ++k) matrix[i * lock_count + k] = response(locks[i], locks[k]);
    }
    cholesky(matrix, lock_count);
    for (std::uint32_t i = run.first_row; i < end; ++i) {
        Row& spring = rows_[i];
        if (spring.kind != RowKind::spring) continue;
        for (std::uint32_t k = 0; k < lock_count; ++k) row[k] = response(i, locks[k]);
        forward(matrix, lock_count, row);
        double left = spring.response;
        for (std::uint32_t k = 0; k < lock_count; ++k) left -= row[k] * row[k];
        left = std::max(left, 1e-6 * spring.response);
        const Oscillator o = oscillator(spring.hertz, spring.damping_ratio, substep_);
        spring.softness = left * o.decay / (1.0 - o.decay);
        spring.bias_rate = o.pull / (1.0 - o.decay);
        spring.slack = spring.softness;
    }
}

// ---- passes ---------------------------------------------------------------------------------------------------------

void JointSolver::predict(Articulation& a) {
    const double h = substep_;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = links_[l];
        if (link.solver == 0) continue;
        link.next_displacement = link.displacement + h * link.velocity;
        // By the spin of the sub-step's middle: angular momentum stays while the inertia turns with the body.
        const dvec3 bend = link.true_inverse_inertia * glm::cross(link.inertia * link.spin, link.spin);
        link.next_rotation = integrate_rotation(link.rotation, h * (link.spin + 0.5 * h * bend));
    }
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        Run& run = runs_[r];
        if (run.kind == JointKind::gear) continue;
        const Link &link_a = links_[run.link[0]], &link_b = links_[run.link[1]];
        run.next_pose = joint_pose(run.frame_a, link_a.next_rotation, run.frame_b, link_b.next_rotation,
                                   run.between + link_b.next_displacement - link_a.next_displacement);
        run.next_coordinates = coordinates(run.kind, run.next_pose, run.turn, run.angles);
    }
}

void JointSolver::set_residuals(Articulation& a, Pass pass, bool linear) {
    const double h = substep_;
    if (pass == Pass::solve && !linear) predict(a);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            Row& row = rows_[i];
            const bool positional = row.kind == RowKind::lock || row.kind == RowKind::limit;
            if (!positional) {
                // A motor moves its coordinate by speed * h, however the way there bends.
                const bool curved = pass == Pass::solve && !linear && row.kind == RowKind::motor && row.number < cone_row;
                const double speed = curved ? (row_coordinate(run, row, run.next_pose, run.next_coordinates) - row.position) / h : speed_of(run, i);
                row.residual = speed - row.speed;
                if (row.kind == RowKind::spring) row.residual += row.bias_rate * row.position + row.softness * row.impulse;
            } else if (pass == Pass::solve && linear) {
                row.residual = speed_of(run, i) + (row.position - row.goal) / h;
            } else if (pass == Pass::solve) {
                const double next = run.kind == JointKind::gear ? geared_coordinate(run, runs_[run.geared[0]].next_coordinates,
                                                                                    runs_[run.geared[1]].next_coordinates)
                                                                : row_coordinate(run, row, run.next_pose, run.next_coordinates);
                row.residual = (next - row.limits[row.upper ? 1 : 0] - row.goal) / h;
            } else {
                // A limit may be approached as fast as it is reached at the sub-step's end.
                double ahead = 0.0;
                if (row.kind == RowKind::limit) ahead = row.upper ? std::min(row.position, 0.0) : std::max(row.position, 0.0);
                row.residual = speed_of(run, i) + ahead / h + row.slack * row.impulse;
            }
        }
    }
}

/// Rows at a bound whose residual pulls them off it join the direct solve; a drive at the limit of its force turns that force to where
/// it is needed. True when a row was let go.
bool JointSolver::let_go(Articulation& a, Pass pass, bool linear) {
    bool any = false, turned = false;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            Row* const row = &rows_[i];
            if (row->free || row->group == 0 || row->response <= 0.0 || (pass == Pass::relax && row->kind == RowKind::spring)) continue;
            if (row->group == 1) {
                const double wanted = row->impulse - row->residual / row->response;
                if (row->caught || std::abs(row->residual) < settings::joint_release_speed) continue;
                const bool off = row->impulse <= row->low ? wanted > row->low : row->impulse >= row->high ? wanted < row->high : true;
                if (!off) continue;
                row->free = any = true;
                continue;
            }
            double wanted[3], size2 = 0.0;
            for (int k = 0; k < 3; ++k) {
                wanted[k] = row[k].impulse - row[k].residual / (row[k].response + row[k].softness);
                size2 += wanted[k] * wanted[k];
            }
            const double cap = row->high;
            if (size2 < cap * cap && !row->caught) {
                for (int k = 0; k < 3; ++k) row[k].free = true;
                any = true;
            } else if (size2 > 0.0) {
                const double scale = cap / std::sqrt(size2);
                for (int k = 0; k < 3; ++k) {
                    row[k].change = scale * wanted[k] - row[k].impulse;
                    row[k].impulse += row[k].change;
                }
                turned = true;
            }
        }
    }
    if (turned) {
        apply_changes(a);
        set_residuals(a, pass, linear);
    }
    return any;
}

/// Of the rows about to change, those that would pass a bound stop there and leave the direct solve.
bool JointSolver::catch_bounded(Articulation& a, Pass pass) {
    bool any = false;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            Row* const row = &rows_[i];
            if (!takes_part(*row, pass) || row->group == 0) continue;
            if (row->group == 1) {
                const double wanted = row->impulse + row->change;
                if (wanted >= row->low && wanted <= row->high) continue;
                row->change = std::clamp(wanted, row->low, row->high) - row->impulse;
                row->free = false;
                row->caught = any = true;
                continue;
            }
            double size2 = 0.0;
            for (int k = 0; k < 3; ++k) size2 += (row[k].impulse + row[k].change) * (row[k].impulse + row[k].change);
            if (size2 <= row->high * row->high) continue;
            const double scale = row->high / std::sqrt(size2);
            for (int k = 0; k < 3; ++k) {
                row[k].change = scale * (row[k].impulse + row[k].change) - row[k].impulse;
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
        Run& run = runs_[r];
        std::uint32_t size = 0;
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) size += takes_part(rows_[i], pass) ? 1u : 0u;
        ldl_.set_size(run.node, size);
    }
    ldl_.set_zero(system);
    const auto dot = [](const Side& a_side, const Side& b_side) {
        return glm::dot(a_side.linear, b_side.move) + glm::dot(a_side.angular, b_side.turn);
    };
    // Calls visit(place among the rows that take part, first side of the row).
    const auto for_each_row = [&](const Run& run, auto&& visit) {
        std::uint32_t place = 0;
        for (std::uint32_t i = 0; i < run.row_count; ++i) {
            if (takes_part(rows_[run.first_row + i], pass)) visit(place++, &sides_[run.first_side + i * run.side_count], i);
        }
    };
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        double* const diagonal = ldl_.diagonal(run.node);
        const std::uint32_t n = ldl_.size(run.node);
        for_each_row(run, [&](std::uint32_t i, const Side* row, std::uint32_t index) {
            for_each_row(run, [&](std::uint32_t k, const Side* column, std::uint32_t) {
                if (k > i) return;
                double sum = 0.0;
                for (int s = 0; s < run.side_count; ++s) {
                    if (links_[run.link[s]].node != null_index) continue;
                    sum += dot(row[s], column[s]);
                    if (run.side_count == 2) continue;
                    for (int t = 0; t < run.side_count; ++t) {
                        if (t != s && run.link[t] == run.link[s]) sum += dot(row[s], column[t]);
                    }
                }
                diagonal[i * n + k] = sum;
            });
            diagonal[i * n + i] += rows_[run.first_row + index].slack;
        });
    }
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        const Link& link = links_[l];
        if (link.node == null_index) continue;
        double* const diagonal = ldl_.diagonal(link.node);
        for (int i = 0; i < 3; ++i) {
            diagonal[i * 6 + i] = -link.inverse_mass[i];
            for (int k = 0; k < 3; ++k) diagonal[(i + 3) * 6 + k + 3] = -link.inverse_inertia[k][i];
        }
    }
    for (std::uint32_t c = a.first_coupling; c < a.first_coupling + a.coupling_count; ++c) {
        const Coupling& coupling = couplings_[c];
        double* const block = ldl_.block(coupling.place);
        const std::uint32_t n = ldl_.size(coupling.place.column);
        const Run& run = runs_[coupling.row];
        if (coupling.column == null_index) {
            for_each_row(run, [&](std::uint32_t k, const Side* side, std::uint32_t) {
                const Side& s = side[coupling.row_side];
                for (std::uint32_t i = 0; i < 3; ++i) {
                    block[i * n + k] += s.move[static_cast<int>(i)];
                    block[(i + 3) * n + k] += s.turn[static_cast<int>(i)];
                }
            });
            continue;
        }
        for_each_row(run, [&](std::uint32_t i, const Side* row, std::uint32_t) {
            for_each_row(runs_[coupling.column], [&](std::uint32_t k, const Side* column, std::uint32_t) {
                block[i * n + k] += dot(row[coupling.row_side], column[coupling.column_side]);
            });
        });
    }
    ldl_.factor(system);
}

void JointSolver::solve_free(Articulation& a, Pass pass) {
    factor(a, pass);
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        double* x = ldl_.vector(run.node);
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            if (takes_part(rows_[i], pass)) *x++ = -rows_[i].residual;
        }
    }
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        if (links_[l].node != null_index) std::fill_n(ldl_.vector(links_[l].node), 6, 0.0);
    }
    ldl_.solve(static_cast<std::uint32_t>(&a - articulations_.data()));
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const Run& run = runs_[r];
        const double* x = ldl_.vector(run.node);
        for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
            rows_[i].change = takes_part(rows_[i], pass) ? *x++ : 0.0;
        }
    }
}

void JointSolver::run_pass(Articulation& a, Pass pass) {
    read_velocities(a);
    const std::uint32_t first = runs_[a.first_run].first_row;
    const Run& last_run = runs_[a.first_run + a.run_count - 1];
    const std::uint32_t end = last_run.first_row + last_run.row_count;
    for (std::uint32_t i = first; i < end; ++i) {
        rows_[i].caught = false;
        rows_[i].newton = 0.0;
        rows_[i].given = rows_[i].impulse;
    }
    bool caught = false, settled = false;
    double before = infinite;
    for (int round = 0;; ++round) {
        // First along the tangent, until it is settled which rows act; then as curved as the constraints are.
        const bool linear = pass == Pass::relax || !settled;
        set_residuals(a, pass, linear);
        const bool final = round == settings::joint_rounds;
        const bool let = a.bounded && !final && let_go(a, pass, linear);
        if (let) a.factored = Pass::none;
        double worst = 0.0;
        for (std::uint32_t i = first; i < end; ++i) {
            if (takes_part(rows_[i], pass)) worst = std::max(worst, std::abs(rows_[i].residual));
        }
        if (!linear && !let && !caught && !(worst < before)) {  // too far from straight for Newton's method: as it was before it
            for (std::uint32_t i = first; i < end; ++i) {
                rows_[i].change = -rows_[i].newton;
                rows_[i].impulse += rows_[i].change;
            }
            apply_changes(a);
            break;
        }
        if (!let && !caught && worst < settings::joint_tolerance) {
            if (pass == Pass::relax || settled) break;
            settled = true;
            continue;
        }
        if (final) {  // unsettled: what has bounds does in this pass what it did before it
            for (std::uint32_t i = first; i < end; ++i) {
                Row& row = rows_[i];
                if (row.low == -infinite && row.high == infinite) continue;
                row.free = false;
                row.change = row.given - row.impulse;
                row.impulse = row.given;
            }
            apply_changes(a);
            set_residuals(a, pass, true);
            a.factored = Pass::none;
        }
        solve_free(a, pass);
        caught = !final && catch_bounded(a, pass);
        for (std::uint32_t i = first; i < end; ++i) {
            rows_[i].impulse += rows_[i].change;
            if (!linear) rows_[i].newton += rows_[i].change;
        }
        apply_changes(a);
        if (final || (!a.bounded && (pass == Pass::relax || (settled && worst < settings::joint_quick)))) break;
        if (!linear) before = let || caught ? infinite : 0.5 * worst;
        if (linear && !caught && !(a.bounded && pass == Pass::relax)) settled = true;
    }
    tame(a);
    write_velocities(a);
}

void JointSolver::warm_start(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t at = first; at < last; ++at) {
        Articulation& a = articulations_[active_[at]];
        read_velocities(a);
        for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
            if (links_[l].dynamic && links_[l].stiff) links_[l].spin = links_[l].slowing * links_[l].spin;
        }
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            const Run& run = runs_[r];
            for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
                Row& row = rows_[i];
                // What takes part in the direct solve needs no guess; what is at a bound acts with the full bound.
                row.impulse = row.free ? 0.0 : row.group == 1 ? std::clamp(row.impulse, row.low, row.high) : row.impulse;
                row.change = row.impulse;
            }
        }
        apply_changes(a);
        write_velocities(a);
    }
}

void JointSolver::solve(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t at = first; at < last; ++at) run_pass(articulations_[active_[at]], Pass::solve);
}

void JointSolver::relax(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t at = first; at < last; ++at) {
        Articulation& a = articulations_[active_[at]];
        evaluate(a);
        run_pass(a, Pass::relax);
        for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
            Run& run = runs_[r];
            const dvec3 load = run.force - run.force_before;
            run.load *= settings::joint_load_memory;
            if (glm::dot(load, load) > glm::dot(run.load, run.load)) run.load = load;
            run.force_before = run.force;
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
            joint.force = to_floats(per_step * run.force);
            joint.torque = to_floats(per_step * run.torque);
            joint.forces.fill(0.0f);
            joint.pressed = joint.at_upper = 0;
            for (std::size_t i = 0; i < joint_axes; ++i) joint.motor_forces[i] = to_float(per_step * run.motor_impulses[i]);
            for (std::uint32_t i = run.first_row; i < run.first_row + run.row_count; ++i) {
                const Row& row = rows_[i];
                joint.forces[row.number] = to_float(per_substep * row.impulse);
                joint.pressed |= (row.free ? 1u : 0u) << row.number;
                joint.at_upper |= (row.upper ? 1u : 0u) << row.number;
            }
        }
    }
}

std::size_t JointSolver::bytes() const {
    return articulations_.capacity() * sizeof(Articulation) + runs_.capacity() * sizeof(Run) + links_.capacity() * sizeof(Link) +
           couplings_.capacity() * sizeof(Coupling) + (run_of_.capacity() + active_.capacity()) * sizeof(std::uint32_t) +
           rows_.capacity() * sizeof(Row) + sides_.capacity() * sizeof(Side) + ldl_.bytes();
}

}  // namespace talus
