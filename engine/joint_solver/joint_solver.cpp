#include "engine/joint_solver/joint_solver.h"

#include "common/stopwatch.h"
#include "engine/joint_solver/contacts/contact_bounces.h"
#include "engine/joint_solver/contacts/contact_sweeps.h"
#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/joint_solver/passes/joint_passes.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/passes/relax_pass.h"
#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/joint_solver/rows/row_setup.h"

namespace talus {

void JointSolver::prepare(const JointStore& joints, const BodyStore& bodies,
                          std::span<const std::uint32_t> solver_index, std::span<const SolverMass> masses,
                          const JointMotions& motions, float substep, Timing timing) {
    timing_ = timing;
    s_.motions = motions;
    s_.substep = substep;
    s_.active.clear();
    s_.rows.clear();
    if (topology_.has_changed(s_, joints, bodies)) topology_.build(s_, joints, bodies);
    s_.layouts.resize(s_.joints.size());
    s_.nodes.resize(s_.joints.size());
    s_.velocities.assign(2 * s_.links.size(), JointLane{});
    RowSizes sizes;
    for (std::uint32_t index = 0; index < s_.articulations.size(); ++index) {
        bool awake = false;
        for (Link& link : s_.links_of(s_.articulations[index])) {
            link.solver = solver_index[link.slot];
            awake = awake || (link.dynamic && link.solver != 0);
        }
        if (!awake) continue;
        s_.active.push_back(index);
        prepare_articulation(s_.articulations[index], joints, bodies, masses, sizes);
    }
    // Lanes without a row stay zero.
    s_.jacobians.assign(sizes.jacobian / joint_lanes, JointLane{});
    s_.responses.assign(sizes.response / joint_lanes, JointLane{});
    s_.residuals.assign(sizes.numbers / joint_lanes, JointLane{});
    s_.changes.assign(sizes.numbers / joint_lanes, JointLane{});
    for (const std::uint32_t index : s_.active) {
        Articulation& a = s_.articulations[index];
        for (const SolverJoint& joint : s_.joints_of(a)) {
            if (joint.anchored) begin_point_rows(s_, joint);
        }
        evaluate(s_, a);
        a.open_before = opening_of(s_, a);
    }
}

void JointSolver::prepare_articulation(Articulation& a, const JointStore& joints, const BodyStore& bodies,
                                       std::span<const SolverMass> masses, RowSizes& sizes) {
    a.cost = {};
    for (Link& link : s_.links_of(a)) prepare_link(s_, link, bodies, masses);
    a.bounded = a.springs = a.driven = a.pushed = a.bent = a.weak = false;
    a.redundant = a.looped;
    a.floating = !a.looped;
    for (const Link& link : s_.links_of(a)) {
        a.redundant = a.redundant || link.locked;
        a.floating = a.floating && link.dynamic && !link.locked;
    }
    for (SolverJoint& joint : s_.joints_of(a)) {
        prepare_joint(s_, joint, joints[joint.slot], bodies, sizes);
        for (const JointRow& row : s_.rows_of(joint)) {
            a.bounded = a.bounded || is_bounded(row);
            a.springs = a.springs || row.kind == RowKind::spring;
            a.driven = a.driven || row.kind == RowKind::spring || row.kind == RowKind::motor;
        }
    }
}

template <class ItemAt, class Run>
void JointSolver::run_timed(std::uint32_t first, std::uint32_t last, ItemAt&& item_at, Run&& run) {
    if (first == last) return;
    Stopwatch watch(timing_ != Timing::off);
    for (std::uint32_t i = first; i < last; ++i) {
        run(item_at(i));
        if (timing_ == Timing::pairs || i + 1 == last) item_at(i).cost.microseconds += watch.lap();
    }
    item_at(first).cost.clock_reads += watch.reads();
}

void JointSolver::solve(std::uint32_t first, std::uint32_t last) {
    run_timed(
        first, last, [&](std::uint32_t at) -> Articulation& { return active(at); },
        [&](Articulation& a) { solve_articulation(s_, a); });
}

void JointSolver::relax(std::uint32_t first, std::uint32_t last) {
    run_timed(
        first, last, [&](std::uint32_t at) -> Articulation& { return active(at); },
        [&](Articulation& a) { relax_articulation(s_, a); });
}

void JointSolver::solve_contacts(std::uint32_t first, std::uint32_t last) {
    run_timed(
        first, last, [&](std::uint32_t g) -> JointContactGroup& { return contacts_.groups[g]; },
        [&](JointContactGroup& group) {
            if (!group.in_stiff_group) solve_contact_group(contacts_, s_, group);
        });
}

void JointSolver::transmit_bounces(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) talus::transmit_bounces(contacts_, s_, contacts_.groups[g]);
}

void JointSolver::pass_bounces_on(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) talus::pass_bounces_on(contacts_, s_, contacts_.groups[g]);
}

void JointSolver::relax_again(std::uint32_t articulation) { talus::relax_again(s_, s_.articulations[articulation]); }

JointSolver::Work JointSolver::work(std::uint32_t at, std::span<const BodyMotions::Unpushed> unpushed) {
    Articulation& a = active(at);
    Work work;
    if (!a.springs && !a.bounded) return work;
    read_velocities(s_, a);
    const double whole = drive_work(s_, a);
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        if (!s_.links[l].dynamic || s_.links[l].solver == 0) continue;
        const BodyMotions::Unpushed& alone = unpushed[s_.links[l].solver];
        set_velocity(s_.velocity_of(l), dvec3(alone.velocity), dvec3(alone.spin));
    }
    work.unpushed = drive_work(s_, a);
    work.pushed = whole - work.unpushed;
    return work;
}

std::uint32_t JointSolver::body_of(std::uint32_t at) const { return s_.first_awake_link(active(at)).solver; }

void JointSolver::note_impulses() { talus::note_impulses(s_); }

void JointSolver::scale_impulses(std::uint32_t at, double kept) { talus::scale_impulses(s_, active(at), kept); }

void JointSolver::store(JointStore& joints, float step) const { store_results(s_, joints, step); }

JointProfile JointSolver::profile(const BodyStore& bodies, std::uint64_t& clock_reads) const {
    JointProfile profile;
    profile.articulations = articulation_count();
    profile.rows = static_cast<std::uint32_t>(s_.rows.size());
    for (const std::uint32_t index : s_.active) {
        const Articulation& a = s_.articulations[index];
        profile.joints += a.joint_count;
        profile.factorizations += a.cost.factorizations;
        profile.rounds += a.cost.rounds;
        profile.microseconds += a.cost.microseconds;
        clock_reads += a.cost.clock_reads;
        if (timing_ != Timing::pairs || !(a.cost.microseconds > profile.slowest_microseconds)) continue;
        profile.slowest_microseconds = a.cost.microseconds;
        profile.slowest_body = bodies.id_of(s_.first_awake_link(a).slot);
    }
    for (const JointContactGroup& group : contacts_.groups) {
        profile.coupled_microseconds += group.cost.microseconds;
        clock_reads += group.cost.clock_reads;
    }
    return profile;
}

std::size_t JointSolver::bytes() const { return s_.bytes() + topology_.bytes() + contacts_.bytes() + closing_.bytes(); }

}  // namespace talus
